//! Parses a machine file and checks every key against the table of parameters.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::any::AnyMachine;
use super::bundled::{bundled, machine_names};
use super::contradictions::contradictions;
use super::error::{Fault, FaultKind, MachineError};
use super::families::FAMILIES;
use super::family::{Family, MachineKind};
use super::legal::{Given, Refusal};
use super::parameter::Parameter;
use super::parameters::{PARAMETERS, SECTIONS, machine_from};
use super::place::{place, places};
use super::provenance::Provenance;
use super::sections::{ParameterRow, SectionRow};
use super::tesla_parameters::{TESLA_PARAMETERS, TESLA_SECTIONS, tesla_machine_from};

/// The keys outside the sections.
const HEAD: &[&str] = &["base", "title", "chip", "about", "family"];

/// The parts of a parameter's entry.
const PARTS: [&str; 3] = ["value", "provenance", "source"];

/// The keys of the files of a kind of machines.
#[derive(Clone, Copy)]
struct Schema {
    kind: MachineKind,
    sections: &'static [SectionRow],
    parameters: &'static [ParameterRow],
}

impl Schema {
    const fn of(kind: MachineKind) -> Self {
        let (sections, parameters) = match kind {
            MachineKind::Staged => (SECTIONS, PARAMETERS),
            MachineKind::Unified => (TESLA_SECTIONS, TESLA_PARAMETERS),
        };
        Self { kind, sections, parameters }
    }
}

/// The keys of a file, merged over those of its base.
#[derive(Default)]
struct Layer {
    title: Option<String>,
    chip: Option<String>,
    about: Option<String>,
    /// One entry per row of the table.
    parameters: Vec<Option<Parameter>>,
}

/// Parses one file and collects its faults.
struct Reader<'a> {
    schema: Schema,
    file: &'a str,
    text: &'a str,
    /// Offsets in the text, keys and kinds of faults.
    faults: Vec<(usize, String, FaultKind)>,
}

type Entry<'a, 'i> = (&'a Spanned<toml::de::DeString<'i>>, &'a Spanned<DeValue<'i>>);

/// Reads a machine of any family from the text of a file; errors call it `file`.
///
/// # Errors
/// When the text has faults; all of them are collected.
pub fn read(file: &str, text: &str) -> Result<AnyMachine, MachineError> {
    let family = family_of(text);
    let (head, parameters) = read_contents(Schema::of(family.kind()), file, text)?;
    let Some(vertex_stage) = family.vertex_stage else {
        return Ok(AnyMachine::Unified(Box::new(tesla_machine_from(head, family, parameters))));
    };
    let machine = machine_from(head, family, vertex_stage, parameters);
    let faults = contradictions(&machine, file);
    if faults.is_empty() { Ok(AnyMachine::Staged(Box::new(machine))) } else { Err(MachineError::Faults { faults }) }
}

/// The family that a text names, or else that of its base, or else the first.
fn family_of(text: &str) -> &'static Family {
    let document = DeTable::parse(text).map(Spanned::into_inner).unwrap_or_default();
    let named = |key: &str| document.get(key).and_then(|value| value.get_ref().as_str());
    let base = || bundled().iter().find(|machine| named("base") == Some(machine.name)).map(|machine| machine.family);
    named("family").and_then(Family::named).or_else(base).unwrap_or(FAMILIES[0])
}

/// Reads a file and its base, which together must give every parameter. Returns the name, title, chip and remarks, and the
/// parameters in the order of the table.
fn read_contents(schema: Schema, file: &str, text: &str) -> Result<([String; 4], Vec<Parameter>), MachineError> {
    let layer = read_layer(schema, file, text)?;
    let mut reader = Reader { schema, file, text, faults: Vec::new() };
    for (row, parameter) in schema.parameters.iter().zip(&layer.parameters) {
        if parameter.is_none() {
            let offset = text.find(&format!("[{}]", row.section)).unwrap_or(0);
            reader.fault(offset, full_key(row), FaultKind::MissingKey);
        }
    }
    for (key, part) in [("title", &layer.title), ("chip", &layer.chip)] {
        if part.is_none() {
            reader.fault(0, key.to_owned(), FaultKind::MissingKey);
        }
    }
    reader.finish()?;
    let parameters = layer.parameters.into_iter().flatten().collect();
    let head = [Some(file.to_owned()), layer.title, layer.chip, layer.about].map(Option::unwrap_or_default);
    Ok((head, parameters))
}

/// Reads a file and its base.
fn read_layer(schema: Schema, file: &str, text: &str) -> Result<Layer, MachineError> {
    let mut reader = Reader { schema, file, text, faults: Vec::new() };
    let document = match DeTable::parse(text) {
        Ok(document) => document.into_inner(),
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            reader.fault(offset, String::new(), FaultKind::Syntax(error.message().to_owned()));
            return Err(reader.into_error());
        }
    };
    let mut layer = reader.base(&document)?;
    for entry in &document {
        let key: &str = entry.0.get_ref();
        match key {
            "base" => {}
            "title" => layer.title = reader.head_text(entry).or(layer.title),
            "chip" => layer.chip = reader.head_text(entry).or(layer.chip),
            "family" => reader.family(entry),
            "about" => layer.about = reader.head_text(entry).or(layer.about),
            _ if schema.sections.iter().any(|section| section.name == key) => {
                reader.section(entry, &mut layer.parameters);
            }
            _ => {
                let known = HEAD.iter().copied().chain(schema.sections.iter().map(|section| section.name)).collect();
                reader.fault(entry.0.span().start, key.to_owned(), FaultKind::UnknownKey { known });
            }
        }
    }
    reader.finish()?;
    Ok(layer)
}

fn full_key(row: &ParameterRow) -> String {
    format!("{}.{}", row.section, row.key)
}

fn wrong_type(expected: &'static str, found: &DeValue<'_>) -> FaultKind {
    let article = if found.is_integer() || found.is_array() { "an" } else { "a" };
    FaultKind::WrongType { expected, found: format!("{article} {}", found.type_str()) }
}

/// Converts a value for the check; `None` for tables, arrays and dates.
fn given<'a>(value: &'a DeValue<'_>) -> Option<Given<'a>> {
    match value {
        DeValue::Integer(integer) => {
            // An integer that does not fit is outside every range.
            Some(Given::Integer(i64::from_str_radix(integer.as_str(), integer.radix()).unwrap_or(i64::MAX)))
        }
        DeValue::Float(float) => Some(Given::Float(float.as_str().parse().unwrap_or(f64::NAN))),
        DeValue::String(text) => Some(Given::Text(text)),
        DeValue::Boolean(flag) => Some(Given::Flag(*flag)),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}

/// Whether a text has control characters other than line ends.
fn steers_terminals(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && c != '\n')
}

impl Reader<'_> {
    fn fault(&mut self, offset: usize, key: String, kind: FaultKind) {
        self.faults.push((offset, key, kind));
    }

    /// Succeeds without faults; otherwise returns them in the order of the file.
    fn finish(self) -> Result<(), MachineError> {
        if self.faults.is_empty() { Ok(()) } else { Err(self.into_error()) }
    }

    /// The faults in the order of the file.
    fn into_error(mut self) -> MachineError {
        self.faults.sort_by_key(|(offset, ..)| *offset);
        let places = places(self.text, self.faults.iter().map(|(offset, ..)| *offset));
        let fault = |((_, key, kind), (line, column))| Fault { file: self.file.to_owned(), line, column, key, kind };
        MachineError::Faults { faults: self.faults.into_iter().zip(places).map(fault).collect() }
    }

    /// Reads the base; returns an empty layer if there is none.
    fn base(&mut self, document: &DeTable<'_>) -> Result<Layer, MachineError> {
        let Schema { kind, parameters, .. } = self.schema;
        let nothing = || Layer { parameters: parameters.iter().map(|_| None).collect(), ..Layer::default() };
        let Some(entry) = document.get_key_value("base") else { return Ok(nothing()) };
        let Some(name) = self.head_text(entry) else { return Ok(nothing()) };
        // A bundled machine may only name an earlier one as its base, so bases form no cycle.
        let mut earlier = bundled().iter().take_while(|machine| machine.name != self.file);
        match earlier.find(|machine| machine.name == name && machine.family.kind() == kind) {
            Some(machine) => {
                read_layer(self.schema, machine.name, machine.text).map(|base| Layer { about: None, ..base })
            }
            None => {
                let bundled = machine_names(Some(kind));
                self.fault(entry.1.span().start, "base".to_owned(), FaultKind::UnknownBase { name, kind, bundled });
                Ok(nothing())
            }
        }
    }

    /// Checks the family that a file names.
    fn family(&mut self, entry: Entry<'_, '_>) {
        let Some(name) = self.head_text(entry) else { return };
        if Family::named(&name).is_none() {
            let known = FAMILIES.iter().map(|family| family.name).collect();
            self.fault(entry.1.span().start, "family".to_owned(), FaultKind::UnknownFamily { name, known });
        }
    }

    /// Reads a text outside the sections.
    fn head_text(&mut self, (key, value): Entry<'_, '_>) -> Option<String> {
        let kind = match value.get_ref().as_str() {
            None => wrong_type("a string", value.get_ref()),
            Some(text) if steers_terminals(text) => FaultKind::ControlCharacter,
            Some(text) => return Some(text.to_owned()),
        };
        self.fault(value.span().start, key.get_ref().to_string(), kind);
        None
    }

    fn section(&mut self, (name, value): Entry<'_, '_>, parameters: &mut [Option<Parameter>]) {
        let name: &str = name.get_ref();
        let Some(table) = value.get_ref().as_table() else {
            self.fault(value.span().start, name.to_owned(), wrong_type("a table", value.get_ref()));
            return;
        };
        for (key, value) in table {
            let rows = self.schema.parameters;
            let row = rows.iter().position(|row| row.section == name && row.key == key.get_ref());
            let Some(row) = row else {
                let known = rows.iter().filter(|row| row.section == name).map(|row| row.key).collect();
                let full = format!("{name}.{}", key.get_ref());
                self.fault(key.span().start, full, FaultKind::UnknownKey { known });
                continue;
            };
            if let Some(parameter) = self.parameter(&rows[row], (key, value)) {
                parameters[row] = Some(parameter);
            }
        }
    }

    /// Reads a parameter; returns `None` if its entry has faults.
    fn parameter(&mut self, row: &'static ParameterRow, (key, value): Entry<'_, '_>) -> Option<Parameter> {
        let Some(entry) = value.get_ref().as_table() else {
            let kind = wrong_type(super::error::ENTRY, value.get_ref());
            self.fault(value.span().start, full_key(row), kind);
            return None;
        };
        for (part, _) in entry {
            if !PARTS.contains(&part.get_ref().as_ref()) {
                let full = format!("{}.{}", full_key(row), part.get_ref());
                self.fault(part.span().start, full, FaultKind::UnknownKey { known: PARTS.to_vec() });
            }
        }
        let [checked, provenance, source] = PARTS.map(|part| {
            let found = entry.get(part);
            if found.is_none() {
                self.fault(key.span().start, full_key(row), FaultKind::MissingPart(part));
            }
            found
        });
        let checked = checked.and_then(|value| self.value(row, value));
        let provenance = provenance.and_then(|value| self.provenance(row, value));
        let source = source.and_then(|value| self.source(row, value));
        let (line, column) = place(self.text, key.span().start);
        Some(Parameter {
            row,
            value: checked?,
            provenance: provenance?,
            source: source?,
            file: self.file.to_owned(),
            line,
            column,
        })
    }

    fn value(&mut self, row: &'static ParameterRow, value: &Spanned<DeValue<'_>>) -> Option<super::Value> {
        let kind = match given(value.get_ref()) {
            None => wrong_type(row.legal.type_name(), value.get_ref()),
            Some(given) => match row.legal.check(given) {
                Ok(value) => return Some(value),
                Err(Refusal::Type) => wrong_type(row.legal.type_name(), value.get_ref()),
                Err(Refusal::Range) => {
                    let value = self.text.get(value.span()).map_or_else(|| given.to_string(), str::to_owned);
                    FaultKind::OutOfRange { value, legal: row.legal, unit: row.unit }
                }
            },
        };
        self.fault(value.span().start, full_key(row), kind);
        None
    }

    fn provenance(&mut self, row: &ParameterRow, value: &Spanned<DeValue<'_>>) -> Option<Provenance> {
        let kind = match value.get_ref().as_str() {
            None => wrong_type("a string", value.get_ref()),
            Some(word) => match word.parse() {
                Ok(provenance) => return Some(provenance),
                Err(_) => FaultKind::UnknownProvenance { word: word.to_owned() },
            },
        };
        self.fault(value.span().start, full_key(row), kind);
        None
    }

    fn source(&mut self, row: &ParameterRow, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let kind = match value.get_ref().as_str() {
            None => wrong_type("a string", value.get_ref()),
            Some(text) if text.trim().is_empty() => FaultKind::EmptySource,
            Some(text) if steers_terminals(text) => FaultKind::ControlCharacter,
            Some(text) => return Some(text.to_owned()),
        };
        self.fault(value.span().start, full_key(row), kind);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Machine, Value, open, open_tesla};

    fn read_machine(file: &str, text: &str) -> Result<Machine, MachineError> {
        read(file, text)?.staged()
    }

    /// The messages about a file, one per line.
    fn faults(text: &str) -> Vec<String> {
        match read_machine("my.toml", text) {
            Ok(_) => Vec::new(),
            Err(error) => error.to_string().lines().map(str::to_owned).collect(),
        }
    }

    const BASED: &str = "base = \"geforce-6800-ultra\"\ntitle = \"Mine\"\n";

    fn with_rop_units(entry: &str) -> Vec<String> {
        faults(&format!("{BASED}[rop]\nunits = {entry}\n"))
    }

    #[test]
    fn bundled_machines_are_read_and_give_every_parameter() {
        for machine in bundled() {
            let found = read(machine.name, machine.text).unwrap_or_else(|error| panic!("{error}"));
            let rows: Vec<_> = found.sheet().parameters.iter().map(|parameter| parameter.row).collect();
            let Schema { parameters, .. } = Schema::of(machine.family.kind());
            assert_eq!(rows, parameters.iter().collect::<Vec<_>>(), "{}", machine.name);
        }
    }

    #[test]
    fn a_file_overrides_single_keys_of_its_base_and_remembers_who_gave_what() {
        let entry = "{ value = 8, provenance = \"estimate\", source = \"a wish\" }";
        let machine = read_machine("my.toml", &format!("{BASED}[rop]\nunits = {entry}\n")).unwrap();
        let base = open("geforce-6800-ultra").unwrap();
        assert_eq!((machine.rop.units, machine.vertex), (8, base.vertex));
        assert_eq!((machine.title.as_str(), machine.chip.as_str(), machine.about.as_str()), ("Mine", "NV40", ""));
        for (own, base) in machine.parameters().iter().zip(base.parameters()) {
            if (own.row.section, own.row.key) == ("rop", "units") {
                assert_eq!(
                    (own.value, own.provenance, own.source.as_str()),
                    (Value::Whole(8), Provenance::Estimate, "a wish")
                );
                assert_eq!((own.file.as_str(), own.line, own.column), ("my.toml", 4, 1));
            } else {
                assert_eq!(own, base);
            }
        }
    }

    #[test]
    fn values_out_of_range_name_place_key_and_range() {
        for value in ["0", "257", "-1", "99999999999999999999", "0x7fff_ffff_ffff_ffff"] {
            let entry = format!("{{ value = {value}, provenance = \"primary\", source = \"s\" }}");
            let message = format!("my.toml:4:19: rop.units: {value} is out of range; legal: 1 to 256 ROPs");
            assert_eq!(with_rop_units(&entry), [message]);
        }
        let entry = "{ value = nan, provenance = \"primary\", source = \"s\" }";
        let message = "my.toml:4:22: clocks.core_mhz: nan is out of range; legal: 1 to 10000 MHz";
        assert_eq!(faults(&format!("{BASED}[clocks]\ncore_mhz = {entry}\n")), [message]);
        let entry = "{ value = 48, provenance = \"primary\", source = \"s\" }";
        let message =
            "my.toml:4:27: texture.l1_line_bytes: 48 is out of range; legal: a power of two from 16 to 4096 bytes";
        assert_eq!(faults(&format!("{BASED}[texture]\nl1_line_bytes = {entry}\n")), [message]);
        let entry = "{ value = \"random\", provenance = \"primary\", source = \"s\" }";
        let message = "my.toml:4:31: vertex.cache_replacement: \"random\" is out of range; legal: fifo or lru";
        assert_eq!(faults(&format!("{BASED}[vertex]\ncache_replacement = {entry}\n")), [message]);
    }

    #[test]
    fn wrong_types_say_what_is_expected_and_what_is_there() {
        let entry = "{ value = 1.5, provenance = \"primary\", source = \"s\" }";
        assert_eq!(with_rop_units(entry), ["my.toml:4:19: rop.units: an integer is expected, not a float"]);
        let entry = "{ value = [1], provenance = 2, source = 1979-05-27 }";
        let messages = [
            "my.toml:4:19: rop.units: an integer is expected, not an array",
            "my.toml:4:37: rop.units: a string is expected, not an integer",
            "my.toml:4:49: rop.units: a string is expected, not a datetime",
        ];
        assert_eq!(with_rop_units(entry), messages);
        let message =
            "my.toml:4:9: rop.units: { value = …, provenance = \"…\", source = \"…\" } is expected, not an integer";
        assert_eq!(with_rop_units("16"), [message]);
        assert_eq!(faults(&format!("{BASED}rop = 1\n")), ["my.toml:3:7: rop: a table is expected, not an integer"]);
        assert_eq!(faults("base = 3\n")[0], "my.toml:1:8: base: a string is expected, not an integer");
    }

    #[test]
    fn provenances_and_sources_are_demanded() {
        let entry = "{ value = 8, provenance = \"rumour\", source = \"s\" }";
        let message = "my.toml:4:35: rop.units: provenance 'rumour' is unknown; known: primary, hardware-tested, published, estimate";
        assert_eq!(with_rop_units(entry), [message]);
        let message = "my.toml:4:55: rop.units: the source is empty";
        assert_eq!(with_rop_units("{ value = 8, provenance = \"primary\", source = \" \" }"), [message]);
        let messages = ["provenance", "source"].map(|part| {
            format!(
                "my.toml:4:1: rop.units: '{part}' is missing; an entry is {{ value = …, provenance = \"…\", source = \"…\" }}"
            )
        });
        assert_eq!(with_rop_units("{ value = 8 }"), messages);
    }

    #[test]
    fn unknown_keys_are_refused_everywhere() {
        let entry = "{ value = 8, provenance = \"primary\", source = \"s\", why = \"\" }";
        assert_eq!(
            with_rop_units(entry),
            ["my.toml:4:60: rop.units.why: unknown key; known here: value, provenance, source"]
        );
        let message = "my.toml:4:1: rop.unit: unknown key; known here: units, depth_only_pixels, samples_per_clock, \
                       half_float_clocks";
        assert_eq!(faults(&format!("{BASED}[rop]\nunit = 1\n")), [message]);
        let found = faults(&format!("{BASED}[rops]\nunits = 1\n"));
        assert!(
            found[0].starts_with(
                "my.toml:3:2: rops: unknown key; known here: base, title, chip, about, family, clocks, bus,"
            )
        );
    }

    #[test]
    fn without_a_base_every_key_is_demanded() {
        let found = faults("title = \"T\"\n\n[rop]\n");
        assert_eq!(found.len(), 17, "sixteen and a remark");
        assert_eq!(found[0], "my.toml:1:1: clocks.core_mhz: missing, and no base provides it");
        assert_eq!(found[16], format!("and {} more", PARAMETERS.len() + 1 - 16));
        // A complete file.
        let whole = bundled()[0].text;
        assert_eq!(faults(whole), [""; 0]);
        let lacking: String =
            whole.lines().filter(|line| !line.starts_with("l2_ways")).map(|line| format!("{line}\n")).collect();
        let line = lacking.lines().position(|line| line == "[texture]").unwrap() + 1;
        let message = format!("my.toml:{line}:1: texture.l2_ways: missing, and no base provides it");
        assert_eq!(faults(&lacking), [message]);
        let untitled = whole.replace("title = ", "# ");
        assert_eq!(faults(&untitled), ["my.toml:1:1: title: missing, and no base provides it"]);
    }

    #[test]
    fn families_come_from_the_file_its_base_or_by_default() {
        let machine = read_machine("my.toml", &format!("family = \"nv40\"\n{BASED}")).unwrap();
        assert_eq!((machine.family, open("geforce-6200").unwrap().family), (FAMILIES[0], FAMILIES[0]));
        let unnamed = bundled()[0].text.replace("family = ", "# ");
        assert_eq!(read_machine("my.toml", &unnamed).unwrap().family, FAMILIES[0]);
        let message = "my.toml:1:10: family: family 'nv99' is unknown; known: nv40, nv20, pica200, tesla";
        assert_eq!(faults(&format!("family = \"nv99\"\n{BASED}")), [message]);
    }

    #[test]
    fn unknown_bases_and_texts_that_are_no_toml_are_refused() {
        let found = faults("base = \"voodoo\"\ntitle = \"T\"\n");
        let message =
            "my.toml:1:8: base: base 'voodoo' is not a bundled staged machine; those are geforce-6800-ultra, ";
        assert!(found.len() == 1 && found[0].starts_with(message), "{found:?}");
        let found = faults("title = \"T\"\n[rop\n");
        assert!(found[0].starts_with("my.toml:2:5: not TOML: "), "{found:?}");
        let twice = faults("title = \"T\"\ntitle = \"U\"\n");
        assert!(twice[0].starts_with("my.toml:2:1: not TOML: "), "{twice:?}");
        assert!(!faults(&format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000))).is_empty());
    }

    #[test]
    fn texts_cannot_steer_terminals() {
        let found = faults("base = \"geforce-6800-ultra\"\ntitle = \"\\u001b[2J\"\n\"\\u001b[2J\" = 1\n");
        assert_eq!(found[0], "my.toml:2:9: title: control characters are not allowed");
        assert!(found[1].starts_with("my.toml:3:1: \u{fffd}[2J: unknown key; "), "{found:?}");
        let entry = format!("{{ value = 8, provenance = \"{}\", source = \"\\r\" }}", "x".repeat(1000));
        let found = with_rop_units(&entry);
        let provenance =
            format!("my.toml:4:35: rop.units: provenance '{}…' is unknown; known: primary, ", "x".repeat(64));
        assert!(found[0].starts_with(&provenance), "{found:?}");
        assert_eq!(found[1], "my.toml:4:1048: rop.units: the source is empty");
    }

    #[test]
    fn values_that_contradict_each_other_are_refused() {
        let entry = |value: u32| format!("{{ value = {value}, provenance = \"primary\", source = \"s\" }}");
        for (section, key, value, message) in [
            (
                "texture",
                "l1_bytes",
                5000,
                "5000 bytes are not a power of two of sets: 4 lines of 64 bytes make a set of 256 bytes",
            ),
            (
                "texture",
                "l2_ways",
                3,
                "131072 bytes are not a power of two of sets: 3 lines of 64 bytes make a set of 192 bytes",
            ),
            (
                "texture",
                "l1_line_bytes",
                128,
                "lines of the second level (64 bytes) are shorter than those of the first (128 bytes)",
            ),
            ("vertex", "vertices_in_flight", 24, "24 vertices in flight leave none of 24 entries to hit"),
            (
                "memory",
                "write_clocks",
                11,
                "the data of a write comes later (11 clocks) than the data of a read (10 clocks)",
            ),
        ] {
            let found = faults(&format!("{BASED}[{section}]\n{key} = {}\n", entry(value)));
            assert_eq!(found, [format!("my.toml:4:1: {section}.{key}: {message}")]);
        }
    }
    #[test]
    fn each_kind_of_machine_is_refused_where_the_other_is_wanted() {
        let error = open_tesla("geforce-3").unwrap_err().to_string();
        let known = "geforce-8800-gtx, geforce-8800-ultra, geforce-9800-gtx, geforce-gtx-280";
        assert_eq!(error, format!("'geforce-3' is a staged machine, not a unified one; those are {known}"));
        let error = open("geforce-8800-gtx").unwrap_err().to_string();
        assert!(error.starts_with("'geforce-8800-gtx' is a unified machine, not a staged one; those are geforce-6800"));
    }

    #[test]
    fn files_of_unified_machines_are_told_by_family_or_base() {
        let entry = "{ value = 8, provenance = \"estimate\", source = \"s\" }";
        let text = format!("base = \"geforce-8800-gtx\"\ntitle = \"Eight\"\n[memory]\npartitions = {entry}\n");
        let machine = read("my.toml", &text).unwrap().unified().unwrap();
        assert_eq!((machine.memory.partitions, machine.chip.as_str()), (8, "G80"));
        assert_eq!(machine.family.name, "tesla");
        let base =
            |family: &str, base: &str| faults(&format!("family = \"{family}\"\nbase = \"{base}\"\ntitle = \"T\"\n"));
        let found = base("tesla", "geforce-3");
        let message =
            "my.toml:2:8: base: base 'geforce-3' is not a bundled unified machine; those are geforce-8800-gtx, ";
        assert!(found[0].starts_with(message), "{found:?}");
        let found = base("nv40", "geforce-8800-gtx");
        let message =
            "my.toml:2:8: base: base 'geforce-8800-gtx' is not a bundled staged machine; those are geforce-68";
        assert!(found[0].starts_with(message), "{found:?}");
        let found = faults("base = \"geforce-8800-gtx\"\ntitle = \"T\"\n[vertex]\n");
        let message =
            "my.toml:3:2: vertex: unknown key; known here: base, title, chip, about, family, clocks, processor, ";
        assert!(found[0].starts_with(message), "{found:?}");
    }
}
