//! Tests `curie machines`: its output, its messages about invalid files, and that `docs/machines.md` lists every key.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Output;

use curie::capture::{Capture, Record};
use curie::machine::{
    DEFAULT_MACHINE, DEFAULT_TESLA_MACHINE, FaultKind, Legal, MachineError, PARAMETERS, ParameterRow, SECTIONS,
    SectionRow, TESLA_PARAMETERS, TESLA_SECTIONS, bundled, read,
};

use super::command::{capture, curie, file, stdout, text};

fn machines(arguments: &[&str]) -> Output {
    curie(&[&["machines"], arguments].concat())
}

fn printed(arguments: &[&str]) -> String {
    stdout(&[&["machines"], arguments].concat())
}

/// The cells of the line that begins with a name; two blanks end the first column.
fn cells<'a>(lines: &'a str, name: &str) -> Vec<Vec<&'a str>> {
    let rows = lines.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix("  "));
    rows.map(|rest| rest.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()).collect()
}

#[test]
fn the_overview_lists_units_rates_and_products() {
    let overview = printed(&[]);
    let ultra = cells(&overview, "geforce-6800-ultra");
    assert_eq!(ultra[0], ["NV40", "400", "2×550", "256", "256", "6", "16", "16", "2112"]);
    assert_eq!(
        ultra[1],
        ["600", "160", "25600", "6400", "6400", "12800", "6400", "3200", "35.2", "140.8"],
        "6 / 4, 0.4, 64, 16, 16, 32, 16 and 8 at 400 MHz"
    );
    let smallest = cells(&overview, "geforce-6200");
    assert_eq!(smallest[0], ["NV43", "300", "2×275", "128", "128", "3", "4", "4", "4000"]);
    let first = cells(&overview, "Riva ZX");
    let printed = ["1998", "100", "100", "3", "1 (CPU)", "100", "100", "25", "13", "100", "1.6", "1.6", "0.35", "4"];
    assert_eq!(first, [printed]);
    assert_eq!(cells(&overview, "GeForce 6800 Ultra")[0][..5], ["2004", "425", "1100", "170", "638"]);
    let widest = overview.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 132, "{widest} columns");
}

#[test]
fn columns_are_aligned() {
    let overview = printed(&[]);
    for table in overview.split("\n\n").filter(|part| part.lines().count() > 3) {
        let widths: Vec<_> = table.lines().map(|line| line.chars().count()).collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
    }
}

#[test]
fn one_machine_is_printed_with_provenances_and_sources() {
    let ultra = printed(&["geforce-6800-ultra"]);
    assert!(
        ultra.starts_with("GeForce 6800 Ultra (NV40), geforce-6800-ultra\n400 MHz, the clock of boards"),
        "{ultra}"
    );
    let row = ultra.lines().find(|line| line.starts_with("  if_else_clocks ")).unwrap();
    let parts: Vec<_> = row.split("  ").map(str::trim).filter(|part| !part.is_empty()).collect();
    assert_eq!(parts, ["if_else_clocks", "6 clocks", "primary", "GPU Gems 2, table 30-2"]);
    for row in PARAMETERS {
        assert!(ultra.contains(&format!("\n  {} ", row.key)), "{} is missing", row.key);
    }
    assert!(ultra.lines().any(|line| line.starts_with("  depth_only_pixels ") && line.contains(" 12800 Mpixels/s ")));
    // Inherited values are marked as such.
    let derived = printed(&["geforce-6800-gt"]);
    let row = derived.lines().find(|line| line.starts_with("  if_else_clocks ")).unwrap();
    assert!(row.ends_with(" [geforce-6800-ultra]"), "{row}");
    let row = derived.lines().find(|line| line.starts_with("  core_mhz ")).unwrap();
    assert!(row.contains(" 350 MHz ") && !row.contains('['), "{row}");
}

#[test]
fn unified_machines_are_printed_alike() {
    let ultra = printed(&["geforce-8800-ultra"]);
    assert!(ultra.starts_with("GeForce 8800 Ultra (G80), geforce-8800-ultra\nThe clocks are those"), "{ultra}");
    for row in TESLA_PARAMETERS {
        assert!(ultra.contains(&format!("\n  {} ", row.key)), "{} is missing", row.key);
    }
    let line = |key: &str| ultra.lines().find(|line| line.starts_with(&format!("  {key} "))).unwrap();
    assert!(line("clusters").ends_with(" Lindholm et al., IEEE Micro 28(2) [geforce-8800-gtx]"));
    assert!(line("multiply_adds").contains(" 192 Gops/s "), "128 units at 1.5 GHz");
    let all: serde_json::Value = serde_json::from_str(&printed(&["--json"])).unwrap();
    let one: serde_json::Value = serde_json::from_str(&printed(&["geforce-8800-ultra", "--json"])).unwrap();
    let place = bundled().iter().position(|machine| machine.name == "geforce-8800-ultra").unwrap();
    assert_eq!((&one, &one["family"]), (&all["machines"][place], &"tesla".into()));
    assert_eq!(all["machines"][place - 1]["parameters"]["clocks"]["processor_mhz"]["value"], 1350.0);
    assert_eq!(one["rates"]["multiply_adds"]["per_second"], 192e9);
    let row = printed(&[]).lines().find(|line| line.starts_with("geforce-8800-gtx ")).unwrap().to_owned();
    let cells: Vec<_> = row.split_whitespace().skip(2).collect();
    assert_eq!(cells, ["1350", "575", "2×900", "384", "768", "16", "24", "345.6", "18.4", "13.8", "86.4"]);
}

#[test]
fn json_says_the_same() {
    let all: serde_json::Value = serde_json::from_str(&printed(&["--json"])).unwrap();
    let names: Vec<_> = all["machines"].as_array().unwrap().iter().map(|machine| &machine["name"]).collect();
    assert_eq!(names, bundled().iter().map(|machine| machine.name).collect::<Vec<_>>());
    assert_eq!(all["historical"]["product"][6]["printed"]["texels"], 6800.0);
    assert_eq!(all["historical"]["printed"]["provenance"], "primary");
    let one: serde_json::Value = serde_json::from_str(&printed(&["geforce-6800-ultra", "--json"])).unwrap();
    assert_eq!(one, all["machines"][0]);
    let units = &one["parameters"]["vertex"]["units"];
    assert_eq!((&units["value"], &units["provenance"]), (&6.into(), &"primary".into()));
    assert_eq!((&units["unit"], &units["source"]), (&"units".into(), &"GPU Gems 2, section 30.4".into()));
    assert_eq!(one["rates"]["vertices"]["per_second"], 600e6);
}

#[test]
fn files_of_ones_own_are_read_and_checked() {
    let entry = "{ value = 2, provenance = \"published\", source = \"reviews\" }";
    let head = "base = \"geforce-6800-ultra\"\ntitle = \"Two samples\"\n";
    let path = &file("machines_own.toml", format!("{head}[rop]\nsamples_per_clock = {entry}\n"));
    let own = printed(&[path]);
    assert!(own.starts_with(&format!("Two samples (NV40), {path}\n")), "{own}");
    let row = own.lines().find(|line| line.starts_with("  pixels_4x_one_texture ")).unwrap();
    assert!(row.contains(" 3200 Mpixels/s "), "{row}");

    std::fs::write(path, format!("{head}[rop]\nsamples_per_clock = 2\nunit = {entry}\n")).unwrap();
    let output = machines(&[path]);
    assert_eq!(output.status.code(), Some(1));
    let expected = format!(
        "error: {path}:4:21: rop.samples_per_clock: {{ value = …, provenance = \"…\", source = \"…\" }} is expected, not an \
         integer\n{path}:5:1: rop.unit: unknown key; known here: units, depth_only_pixels, samples_per_clock, \
         half_float_clocks\n"
    );
    assert_eq!(text(&output.stderr), expected);
    assert!(output.stdout.is_empty());

    let output = machines(&["voodoo"]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.starts_with("error: no machine is called 'voodoo', and no such file can be read ("), "{message}");
    assert!(
        message.ends_with(
            "bundled: geforce-6800-ultra, geforce-6800-ultra-425, geforce-6800-gt, geforce-6600-gt, \
                               geforce-6200, geforce-3, pica200, geforce-8800-gtx, geforce-8800-ultra, geforce-9800-gtx, geforce-gtx-280\n"
        ),
        "{message}"
    );

    std::fs::write(path, "#".repeat((1 << 20) + 1)).unwrap();
    let output = machines(&[path]);
    assert_eq!(text(&output.stderr), format!("error: {path}: a machine file has at most 1048576 bytes\n"));
}

#[test]
fn statistics_say_which_machine_they_are_for() {
    let (capture, path) = (capture("flat"), Path::new(env!("CARGO_TARGET_TMPDIR")).join("machines_statistics.json"));
    let replay = |arguments: &[&str]| {
        let _ = std::fs::remove_file(&path);
        let statistics = path.to_str().unwrap();
        let first = ["replay", &capture, "--engine", "reference", "--statistics", statistics];
        curie(&[&first, arguments].concat())
    };
    for (arguments, name) in [(&[][..], "geforce-6800-ultra"), (&["--machine", "geforce-6600-gt"], "geforce-6600-gt")] {
        let output = replay(arguments);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let machine: serde_json::Value = serde_json::from_str(&printed(&[name, "--json"])).unwrap();
        assert_eq!(written["machine"], machine);
        assert_eq!(machine["name"], name);
    }
    let output = replay(&["--machine", "voodoo"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("error: no machine is called 'voodoo'"));
    assert!(output.stdout.is_empty() && !path.exists(), "nothing is run for a machine that is none");
}

/// The keys and kinds of faults in a file based on a bundled machine.
fn faults_of(base: &str, text: &str) -> Vec<(String, FaultKind)> {
    let text = format!("base = \"{base}\"\ntitle = \"T\"\n{text}");
    match read("my.toml", &text) {
        Ok(_) => Vec::new(),
        Err(MachineError::Faults { faults }) => faults.into_iter().map(|fault| (fault.key, fault.kind)).collect(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_key_is_held_to_its_type_and_range() {
    let bases = [(DEFAULT_MACHINE, PARAMETERS), (DEFAULT_TESLA_MACHINE, TESLA_PARAMETERS)];
    for (base, row) in bases.into_iter().flat_map(|(base, rows)| rows.iter().map(move |row| (base, row))) {
        let with = |value: &str| {
            let entry = format!("{{ value = {value}, provenance = \"estimate\", source = \"s\" }}");
            faults_of(base, &format!("[{}]\n{} = {entry}\n", row.section, row.key))
        };
        let (inside, outside) = match row.legal {
            Legal::Whole(least, most) | Legal::PowerOfTwo(least, most) => {
                let outside = vec![(i64::from(least) - 1).to_string(), (i64::from(most) + 1).to_string()];
                (vec![least.to_string(), most.to_string()], outside)
            }
            Legal::Number(least, most) => {
                let outside = vec![(least - 0.001).to_string(), (most + 0.001).to_string(), "inf".to_owned()];
                (vec![least.to_string(), most.to_string()], outside)
            }
            Legal::Choice(words) => {
                (words.iter().map(|word| format!("\"{word}\"")).collect(), vec!["\"no\"".to_owned()])
            }
            Legal::Flag => (vec!["true".to_owned(), "false".to_owned()], Vec::new()),
        };
        let key = format!("{}.{}", row.section, row.key);
        for value in inside {
            // The bounds of a range may contradict other values.
            let only_contradicts = with(&value).iter().all(|(_, kind)| matches!(kind, FaultKind::Contradiction(_)));
            assert!(only_contradicts, "{key} = {value}: {:?}", with(&value));
        }
        for value in outside {
            let found = with(&value);
            let refused = matches!(&found[..], [(at, FaultKind::OutOfRange { .. })] if *at == key);
            assert!(refused, "{key} = {value}: {found:?}");
        }
        let found = with("[]");
        assert!(matches!(&found[..], [(at, FaultKind::WrongType { .. })] if *at == key), "{key} = []: {found:?}");
    }
}

#[test]
fn damaged_files_end_in_messages() {
    let whole = bundled()[0].text;
    // A linear congruential generator: the same damage each time.
    let mut state = 1_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % limit
    };
    let mut refused = 0;
    for _ in 0..300 {
        let mut bytes = whole.as_bytes().to_vec();
        for _ in 0..=below(3) {
            let (at, length) = (below(bytes.len()), 1 + below(40));
            let end = (at + length).min(bytes.len());
            match below(3) {
                0 => drop(bytes.drain(at..end)),
                1 => bytes.extend_from_within(at..end),
                _ => bytes[at] = b"[]{}=.,\"\n 9-e"[below(13)],
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match read("my.toml", &text) {
            Ok(_) => {}
            Err(MachineError::Faults { faults }) => {
                let lines = text.lines().count() + 1;
                assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line)), "{faults:?}");
                refused += 1;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(refused > 100, "most damage is found: {refused} of 300");
}

/// The sections and keys of both tables as text.
fn keys() -> String {
    let unified = "\n## Keys of unified machines\n";
    keys_of(SECTIONS, PARAMETERS) + unified + &keys_of(TESLA_SECTIONS, TESLA_PARAMETERS)
}

fn keys_of(sections: &[SectionRow], parameters: &[ParameterRow]) -> String {
    let mut text = String::new();
    for section in sections {
        text.push_str(&format!("\n### `[{}]`\n\n{}\n\n", section.name, section.summary));
        text.push_str("| Key | Unit | Legal | Meaning |\n|---|---|---|---|\n");
        for row in parameters.iter().filter(|row| row.section == section.name) {
            text.push_str(&format!("| `{}` | {} | {} | {} |\n", row.key, row.unit, row.legal, row.summary));
        }
    }
    text
}

/// The line of the page before the keys.
const MARKER: &str = "BLESS=1 cargo test --test command_line machines -->\n";

/// The page with the keys of the table, and the first line that differs from the given page.
fn fresh(page: &str) -> (String, Option<usize>) {
    let (written, _) = page.split_once(MARKER).unwrap();
    let fresh = format!("{written}{MARKER}{}", keys());
    let stale =
        (page != fresh).then(|| page.lines().zip(fresh.lines()).take_while(|(old, new)| old == new).count() + 1);
    (fresh, stale)
}

#[test]
fn the_page_has_every_key_as_the_table_has_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/machines.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (fresh, stale) = fresh(&page);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, fresh).unwrap();
    } else {
        assert_eq!(
            stale, None,
            "docs/machines.md is stale; BLESS=1 cargo test --test command_line machines rewrites its keys"
        );
    }
    for machine in bundled() {
        assert!(page.contains(&format!("| `{}` |", machine.name)), "{} is not in the page", machine.name);
    }
}

/// The text of all sources below a folder, except the files that list keys.
fn sources(folder: &Path) -> String {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: std::path::PathBuf| match path.file_name().and_then(|name| name.to_str()) {
        _ if path.is_dir() => sources(&path),
        Some("parameters.rs" | "tesla_parameters.rs" | "contradictions.rs") | None => String::new(),
        Some(name) if !name.ends_with(".rs") => String::new(),
        Some(_) => std::fs::read_to_string(&path).unwrap(),
    };
    paths.map(text).collect()
}

/// Whether a field is read: its name follows a dot and is not part of a longer name.
fn reads(sources: &str, key: &str) -> bool {
    let field = format!(".{key}");
    let is_end = |rest: &str| !rest.starts_with(|next: char| next == '_' || next.is_ascii_alphanumeric());
    sources.match_indices(&field).any(|(place, _)| is_end(&sources[place + field.len()..]))
}

#[test]
fn every_key_is_read_somewhere() {
    let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    for row in PARAMETERS.iter().chain(TESLA_PARAMETERS) {
        assert!(reads(&sources, row.key), "{}.{} is read by nothing", row.section, row.key);
    }
    assert!(!reads(&sources, "tile_row_bytes") && !reads("texture.l1_bytes_each", "l1_bytes"));
}

#[test]
fn a_stale_page_is_found() {
    let (page, _) = fresh(MARKER);
    assert_eq!(fresh(&page).1, None);
    assert_eq!(fresh(&page.replacen("1 to 10000", "1 to 9999", 1)).1, Some(9));
    assert!(fresh(&format!("{page}\nmore")).1.is_some());
}

/// A copy of a capture that names another chip, with the 3D class that drivers create on that chip.
fn of_chipset(name: &str, chipset: u32) -> String {
    let mut capture = Capture::open("scenes/captures/flat.nvcap").unwrap();
    capture.header.chipset = chipset;
    for record in &mut capture.records {
        if let Record::Object { class: class @ 0x4097, .. } = record
            && matches!(chipset, 0x44 | 0x46)
        {
            *class = 0x4497;
        }
    }
    file(&format!("machines_{name}.nvcap"), capture.write())
}

#[test]
fn captures_of_other_chips_are_refused_by_name() {
    let path = of_chipset("nv35", 0x35);
    let statistics = Path::new(env!("CARGO_TARGET_TMPDIR")).join("machines_nv35.json");
    let expected = format!(
        "error: {path}: curie has no machine of chipset 0x35 (GeForce FX 5900, NV35) yet; it runs: GeForce 6 \
         and 7 (chipsets 0x40-0x47, 0x49-0x4c, 0x4e, 0x63, 0x67-0x68); GeForce 8 to 300 (chipsets 0x50, 0x84, 0x86, 0x92, \
         0x94, 0x96, 0x98, 0xa0, 0xa3, 0xa5, 0xa8, 0xaa, 0xac, 0xaf)\n"
    );
    for arguments in [
        &["replay", &path, "--engine", "reference"][..],
        &["replay", &path, "--engine", "reference", "--statistics", statistics.to_str().unwrap(), "--models"],
        &["bench", &path, "--engine", "reference"],
        &["cache-sweep", &path],
    ] {
        let output = curie(arguments);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), expected.clone()), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert!(!statistics.exists());

    let tesla = of_chipset("nv50", 0x50);
    let listed = curie(&["list", &tesla]);
    assert_eq!((listed.status.code(), text(&listed.stderr)), (Some(0), String::new()));
    let mut empty = Capture::default();
    empty.header.chipset = 0x50;
    let empty = file("machines_empty.nvcap", empty.write());
    let replayed = curie(&["replay", &empty, "--engine", "reference", "--machine", "geforce-8800-gtx"]);
    assert_eq!(replayed.status.code(), Some(0), "{}", text(&replayed.stderr));
    let unknown = curie(&["replay", &tesla, "--machine", "voodoo"]);
    assert!(
        text(&unknown.stderr).ends_with(": geforce-8800-gtx, geforce-8800-ultra, geforce-9800-gtx, geforce-gtx-280\n")
    );
    let refused = curie(&["list", &of_chipset("nvc0", 0xc0)]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("curie has no machine of chipset 0xc0"), "{}", text(&refused.stderr));
}

#[test]
fn every_chip_of_the_family_runs() {
    let [nv43, nv44] = [of_chipset("nv43", 0x43), of_chipset("nv44", 0x44)];
    let plain = curie(&["replay", "scenes/captures/flat.nvcap", "--engine", "reference"]);
    for arguments in [
        &[&nv43[..]][..],
        &[&nv43, "--machine", "geforce-6200"],
        &[&nv44, "--machine", "src/machine/geforce_6800_gt.toml"],
    ] {
        let output = curie(&[&["replay", "--engine", "reference"], arguments].concat());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{arguments:?}");
        assert_eq!(output.stdout, plain.stdout, "{arguments:?}");
    }
}

#[test]
fn a_machine_of_another_family_than_the_capture_is_an_error() {
    let path = of_chipset("nv20", 0x20);
    let expected = format!(
        "error: {path}: capture is of chipset 0x20 (GeForce3, NV20), but the machine geforce-6200 (GeForce 6200) is of the \
         family nv40 and runs: GeForce 6 and 7 (chipsets 0x40-0x47, 0x49-0x4c, 0x4e, 0x63, 0x67-0x68)\n"
    );
    for command in ["replay", "bench", "cache-sweep"] {
        let output = curie(&[command, &path, "--machine", "geforce-6200"]);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), expected.clone()), "{command}");
    }
    let flat = "scenes/captures/flat.nvcap";
    let output = curie(&["replay", flat, "--machine", "geforce-8800-gtx"]);
    let expected = format!(
        "error: {flat}: capture is of chipset 0x40 (GeForce 6800, NV40), but the machine geforce-8800-gtx (GeForce 8800 \
         GTX) is of the family tesla and runs: GeForce 8 to 300 (chipsets 0x50, "
    );
    assert!(text(&output.stderr).starts_with(&expected), "{}", text(&output.stderr));
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}

#[test]
fn replays_name_the_machines_they_know() {
    for command in ["replay", "bench", "cache-sweep"] {
        let output = curie(&[command, "scenes/captures/flat.nvcap", "--machine", "voodoo"]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(message.starts_with("error: no machine is called 'voodoo'"), "{message}");
        let known = "for scenes/captures/flat.nvcap: geforce-6800-ultra, geforce-6800-ultra-425, geforce-6800-gt, \
                     geforce-6600-gt, geforce-6200\n";
        assert!(message.ends_with(known), "{message}");
    }
}
