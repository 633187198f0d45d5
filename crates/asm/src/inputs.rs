//! Reads the values of program inputs from text: `NAME=x,y,z,w` groups, one line per vertex or fragment.
//!
//! A component is a decimal number or eight hexadecimal digits after `0x`, taken as bits. Names are those of the program's
//! language. Microcode without a language accepts the attributes of every language, and constants by slot.

use std::collections::BTreeMap;

use super::assembly::{Assembly, VertexAssembly};
use super::constants::{ConstantSource, read_source};
use super::language::Language;
use crate::shader::fragment::FragmentInput;
use crate::shader::vertex::CONSTANT_SLOTS;

/// The value of an input that is not given.
const MISSING: [u32; 4] = [0, 0, 0, 0x3f80_0000];

/// What a program reads for one element, as bits of floats; (0, 0, 0, 1) where nothing is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ElementInputs {
    /// Vertex attributes.
    pub attributes: [[u32; 4]; 16],
    /// Fragment inputs, by attribute number.
    pub interpolants: [[u32; 4]; 15],
    /// Constants of the vertex processor that are given, by index.
    pub constants: BTreeMap<usize, [u32; 4]>,
    /// Parameters of an assembled program that are given, by what they are called.
    pub parameters: BTreeMap<ConstantSource, [u32; 4]>,
    /// Booleans of the vertex processor that are set; bit n is boolean n.
    pub booleans: u32,
    /// Named constants of fragment microcode that have no value and are not given.
    pub missing: Vec<String>,
    /// The attributes that are given: bit i, attribute i.
    pub given_attributes: u16,
    /// The fragment inputs that are given, by attribute number.
    pub given_interpolants: u16,
}

/// Names of vertex attributes in the ARB and the NV languages, by number.
pub(super) const ATTRIBUTES: [(u8, &str, &str); 14] = [
    (0, "vertex.position", "OPOS"),
    (1, "vertex.weight", "WGHT"),
    (2, "vertex.normal", "NRML"),
    (3, "vertex.color", "COL0"),
    (4, "vertex.color.secondary", "COL1"),
    (5, "vertex.fogcoord", "FOGC"),
    (8, "vertex.texcoord[0]", "TEX0"),
    (9, "vertex.texcoord[1]", "TEX1"),
    (10, "vertex.texcoord[2]", "TEX2"),
    (11, "vertex.texcoord[3]", "TEX3"),
    (12, "vertex.texcoord[4]", "TEX4"),
    (13, "vertex.texcoord[5]", "TEX5"),
    (14, "vertex.texcoord[6]", "TEX6"),
    (15, "vertex.texcoord[7]", "TEX7"),
];

/// The name of an attribute in a language; `None` for microcode.
pub(super) fn attribute_name(number: u8, language: Option<Language>) -> String {
    let known = ATTRIBUTES.iter().find(|(own, ..)| *own == number);
    match (Names::of(language), known) {
        (Names::Bindings, Some((_, name, _))) => (*name).to_owned(),
        (Names::Registers, Some((_, _, name))) => format!("v[{name}]"),
        (Names::Bindings, None) => format!("vertex.attrib[{number}]"),
        _ => format!("v[{number}]"),
    }
}

/// Names of fragment inputs in the ARB language; texture coordinates have an index, too.
const INTERPOLANTS: [(FragmentInput, &str); 6] = [
    (FragmentInput::WindowPosition, "fragment.position"),
    (FragmentInput::Color0, "fragment.color"),
    (FragmentInput::Color1, "fragment.color.secondary"),
    (FragmentInput::Fog, "fragment.fogcoord"),
    (FragmentInput::TexCoord(0), "fragment.texcoord"),
    (FragmentInput::Facing, "fragment.facing"),
];

/// The name of a fragment input in a language; `None` for microcode.
pub(super) fn interpolant_name(input: FragmentInput, language: Option<Language>) -> String {
    match (Names::of(language), input) {
        (Names::Bindings, FragmentInput::TexCoord(number)) => format!("fragment.texcoord[{number}]"),
        (Names::Bindings, _) => {
            INTERPOLANTS.iter().find(|(known, _)| *known == input).map_or("", |(_, name)| name).to_owned()
        }
        _ => input.to_string(),
    }
}

/// An input or a constant that compiled microcode has a name for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedInput {
    /// The name.
    pub name: String,
    /// What it names.
    pub place: InputPlace,
    /// Its value where none is given.
    pub default: Option<[u32; 4]>,
}

/// What the name of an input stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InputPlace {
    /// A vertex attribute.
    Attribute(u8),
    /// A fragment input, by attribute number.
    Interpolant(u8),
    /// A slot of the constant store.
    Constant(u16),
    /// Components of inline constants; each holds the value.
    Inline(Vec<InlineComponents>),
}

/// Components of an inline constant of fragment microcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InlineComponents {
    /// The constant, a parameter of the assembly.
    pub source: ConstantSource,
    /// The first component.
    pub first: u8,
    /// How many there are.
    pub count: u8,
}

impl Default for ElementInputs {
    fn default() -> Self {
        Self {
            attributes: [MISSING; 16],
            interpolants: [MISSING; 15],
            constants: BTreeMap::new(),
            parameters: BTreeMap::new(),
            booleans: 0,
            missing: Vec::new(),
            given_attributes: 0,
            given_interpolants: 0,
        }
    }
}

impl ElementInputs {
    /// The whole constant store.
    #[must_use]
    pub fn constant_store(&self) -> Vec<[u32; 4]> {
        (0..CONSTANT_SLOTS).map(|index| self.constants.get(&index).copied().unwrap_or(MISSING)).collect()
    }

    /// Sets or clears a boolean.
    pub(super) const fn set_boolean(&mut self, register: u8, value: bool) {
        let bit = 1 << (register & 31);
        self.booleans = if value { self.booleans | bit } else { self.booleans & !bit };
    }

    /// The place of an attribute that is given.
    pub(super) fn attribute(&mut self, number: usize) -> Option<&mut [u32; 4]> {
        let place = self.attributes.get_mut(number)?;
        self.given_attributes |= 1 << number;
        Some(place)
    }

    /// The place of a fragment input that is given.
    fn interpolant(&mut self, number: usize) -> Option<&mut [u32; 4]> {
        let place = self.interpolants.get_mut(number)?;
        self.given_interpolants |= 1 << number;
        Some(place)
    }

    /// Gives a named input a value.
    fn set_named(&mut self, place: &InputPlace, value: [u32; 4]) {
        match place {
            InputPlace::Attribute(number) => {
                self.attribute(usize::from(*number)).into_iter().for_each(|input| *input = value);
            }
            InputPlace::Interpolant(number) => {
                self.interpolant(usize::from(*number)).into_iter().for_each(|input| *input = value);
            }
            InputPlace::Constant(slot) => drop(self.constants.insert(usize::from(*slot), value)),
            InputPlace::Inline(places) => {
                for &InlineComponents { source, first, count } in places {
                    let mut constant = self.parameter(source);
                    let components = constant.iter_mut().skip(first.into()).take(count.into());
                    components.zip(value).for_each(|(component, value)| *component = value);
                    self.parameters.insert(source, constant);
                }
            }
        }
    }

    /// The value of a parameter: its numbers, or what is given.
    #[must_use]
    pub fn parameter(&self, source: ConstantSource) -> [u32; 4] {
        match source {
            ConstantSource::Literal(value) => value,
            ConstantSource::Named(_, value) => self.parameters.get(&source).copied().unwrap_or(value),
            _ => self.parameters.get(&source).copied().unwrap_or(MISSING),
        }
    }

    /// Stores the parameters in the slots that an assembled program reads.
    pub fn bind_constants(&mut self, assembly: &VertexAssembly) {
        for constant in &assembly.constants {
            let value = self.parameter(constant.source);
            self.constants.insert(constant.slot as usize, value);
        }
    }
}

/// Why text is not a list of inputs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// A group has no equals sign.
    #[error("{group:?} is not of the form NAME=x,y,z,w")]
    NotAGroup {
        /// The group.
        group: String,
    },
    /// A name is not one of an input.
    #[error("{name:?} is not an input: {known}, …")]
    UnknownName {
        /// The name.
        name: String,
        /// Some names that are.
        known: &'static str,
    },
    /// A value does not have four components.
    #[error("{name} has {components} components where four are needed")]
    WrongCount {
        /// The name.
        name: String,
        /// How many there are.
        components: usize,
    },
    /// A component is not a number.
    #[error("{name}: {component:?} is neither a decimal number nor eight hexadecimal digits after 0x")]
    BadComponent {
        /// The name.
        name: String,
        /// The component.
        component: String,
    },
    /// A component is not what its register holds.
    #[error("{name}: {component:?} is not {expected}")]
    NotExpected {
        /// The name.
        name: String,
        /// The component.
        component: String,
        /// What the register holds.
        expected: &'static str,
    },
}

/// Reads the groups of one element, separated by blanks. An assembled program's declared parameters
/// are accepted by name too.
///
/// # Errors
/// When a group is not of the form, or names nothing that a program reads.
pub fn parse_inputs(line: &str, assembly: Option<&Assembly>) -> Result<ElementInputs, InputError> {
    parse_named_inputs(line, assembly, &[])
}

/// Reads the groups of one element for compiled microcode, which has names for inputs and constants.
///
/// # Errors
/// When a group is not of the form, or names nothing that a program reads.
pub(super) fn parse_named_inputs(
    line: &str,
    assembly: Option<&Assembly>,
    named: &[NamedInput],
) -> Result<ElementInputs, InputError> {
    let declared = match assembly {
        Some(Assembly::Fragment(fragment)) => fragment.parameters.as_slice(),
        Some(Assembly::Vertex(_)) | None => &[],
    };
    let names = Names::of(assembly.map(Assembly::language));
    let mut inputs = ElementInputs::default();
    for group in line.split_whitespace() {
        let (name, value) = split_group(group)?;
        if let Some(input) = named.iter().find(|input| input.name == name) {
            inputs.set_named(&input.place, parse_vector(name, value)?);
            continue;
        }
        let parameter = (0..).zip(declared).find(|(_, (known, _))| known == name);
        if let Some((index, (_, first))) = parameter {
            inputs.parameters.insert(ConstantSource::Named(index, *first), parse_vector(name, value)?);
            continue;
        }
        let target = inputs
            .named(name, names)
            .ok_or_else(|| InputError::UnknownName { name: name.to_owned(), known: names.known() })?;
        *target = parse_vector(name, value)?;
    }
    let given = |name: &str| line.split_whitespace().any(|group| group.split_once('=').is_some_and(|(n, _)| n == name));
    for input in named {
        match (&input.place, input.default) {
            (InputPlace::Constant(slot), Some(value)) => drop(inputs.constants.entry((*slot).into()).or_insert(value)),
            (InputPlace::Inline(places), None) if !places.is_empty() && !given(&input.name) => {
                inputs.set_named(&input.place, MISSING);
                inputs.missing.push(input.name.clone());
            }
            _ => {}
        }
    }
    Ok(inputs)
}

/// The name and the value of a group.
pub(super) fn split_group(group: &str) -> Result<(&str, &str), InputError> {
    group.split_once('=').ok_or_else(|| InputError::NotAGroup { group: group.chars().take(80).collect() })
}

/// What parameters are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// By slot, for microcode.
    Slots,
    /// `c[n]`, `p[n]`.
    Registers,
    /// `program.local[n]`, `program.env[n]`, `state.…`.
    Bindings,
}

impl Names {
    const fn of(language: Option<Language>) -> Self {
        match language {
            None | Some(Language::NativeVertex | Language::NativeNv20Vertex | Language::NativeFragment) => Self::Slots,
            Some(Language::ArbVp1_0 | Language::ArbFp1_0) => Self::Bindings,
            Some(_) => Self::Registers,
        }
    }

    const fn known(self) -> &'static str {
        match self {
            Self::Slots => "v[n], c[n], f[WPOS], vertex.attrib[n], program.local[n], fragment.texcoord[n]",
            Self::Registers => "v[n], v[OPOS], c[n], f[WPOS], f[TEX0], p[n]",
            Self::Bindings => {
                "vertex.attrib[n], fragment.texcoord[n], program.local[n], program.env[n], state.matrix.mvp.row[n]"
            }
        }
    }
}

fn parse_vector(name: &str, value: &str) -> Result<[u32; 4], InputError> {
    let components: Vec<&str> = value.split(',').collect();
    let components: [&str; 4] = components
        .try_into()
        .map_err(|list: Vec<&str>| InputError::WrongCount { name: name.to_owned(), components: list.len() })?;
    let mut bits = [0; 4];
    for (bits, component) in bits.iter_mut().zip(components) {
        *bits = parse_component(component)
            .ok_or_else(|| InputError::BadComponent { name: name.to_owned(), component: component.to_owned() })?;
    }
    Ok(bits)
}

/// The bits of a decimal number, or eight hexadecimal digits.
pub(super) fn parse_component(text: &str) -> Option<u32> {
    let Some(digits) = text.strip_prefix("0x") else { return text.parse().ok().map(f32::to_bits) };
    let is_bits = digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_bits)
}

impl ElementInputs {
    /// The place of an input, by any of its names.
    fn named(&mut self, name: &str, names: Names) -> Option<&mut [u32; 4]> {
        let parameter = match names {
            Names::Slots => None,
            Names::Registers => read_source(name).filter(|source| matches!(source, ConstantSource::Register(_))),
            Names::Bindings => read_source(name).filter(|source| {
                matches!(source, ConstantSource::Local(_) | ConstantSource::Environment(_) | ConstantSource::State(_))
            }),
        };
        if let Some(source) = parameter {
            return Some(self.parameters.entry(source).or_insert(MISSING));
        }
        if let Some(index) = index_of(name, &["v", "vertex.attrib"]) {
            return self.attribute(index);
        }
        if let Some(index) = index_of(name, &["c", "program.local", "program.env"]).filter(|_| names == Names::Slots) {
            return (index < CONSTANT_SLOTS).then(|| self.constants.entry(index).or_insert(MISSING));
        }
        if let Some(index) = index_of(name, &["fragment.texcoord"]).filter(|&index| index < 10) {
            return self.interpolant(4 + index);
        }
        let attribute = match name {
            "vertex.weight[0]" => Some(1),
            "vertex.color.primary" => Some(3),
            "vertex.texcoord" => Some(8),
            _ => {
                let register = name.strip_prefix("v[").and_then(|name| name.strip_suffix(']'));
                let is_named = |arb: &str, nv: &str| name == arb || register == Some(nv);
                ATTRIBUTES.iter().find(|(_, arb, nv)| is_named(arb, nv)).map(|(number, ..)| *number)
            }
        };
        if let Some(attribute) = attribute {
            return self.attribute(attribute.into());
        }
        let bound = INTERPOLANTS.iter().find(|(_, known)| *known == name).map(|(input, _)| *input);
        let interpolant = match name {
            "fragment.color.primary" => FragmentInput::Color0,
            _ => bound.or_else(|| FragmentInput::all().find(|input| input.to_string() == name))?,
        };
        self.interpolant(usize::from(interpolant.attribute()))
    }
}

/// The n of `prefix[n]`.
fn index_of(name: &str, prefixes: &[&str]) -> Option<usize> {
    prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)?.strip_prefix('[')?.strip_suffix(']')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::parse_inputs;
    use crate::{Assembly, ConstantSource, assemble};

    #[test]
    fn numbers_and_bits_are_read_and_the_rest_is_0001() {
        let inputs =
            parse_inputs("v[2]=1,-2.5,1e-3,0x7fc00001 program.local[467]=0,0,0,0 f[TEX3]=1,1,1,1", None).unwrap();
        assert_eq!(inputs.attributes[2], [0x3f80_0000, 0xc020_0000, 0x3a83_126f, 0x7fc0_0001]);
        assert_eq!(inputs.attributes[1], [0, 0, 0, 0x3f80_0000]);
        assert_eq!(inputs.constant_store()[467], [0; 4]);
        assert_eq!(inputs.interpolants[7], [0x3f80_0000; 4]);
    }

    #[test]
    fn names_of_both_languages_mean_the_same() {
        for (one, other) in [
            ("vertex.attrib[0]", "vertex.position"),
            ("vertex.texcoord[1]", "v[9]"),
            ("v[TEX1]", "v[9]"),
            ("fragment.position", "f[WPOS]"),
            ("fragment.texcoord[9]", "f[TEX9]"),
            ("fragment.color.secondary", "f[COL1]"),
            ("c[5]", "program.local[5]"),
        ] {
            let [one, other] = [one, other].map(|name| parse_inputs(&format!("{name}=1,2,3,4"), None).unwrap());
            assert_eq!(one, other);
        }
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let message = |line: &str| parse_inputs(line, None).unwrap_err().to_string();
        assert_eq!(message("v[0]"), "\"v[0]\" is not of the form NAME=x,y,z,w");
        assert_eq!(message("v[0]=1,2,3"), "v[0] has 3 components where four are needed");
        assert_eq!(
            message("v[0]=1,2,3,0x1"),
            "v[0]: \"0x1\" is neither a decimal number nor eight hexadecimal digits after 0x"
        );
        for unknown in ["v[16]", "c[544]", "fragment.texcoord[10]", "vertex.texcoord[8]", "v[TEX9]", "q", "v[-1]"] {
            assert!(message(&format!("{unknown}=0,0,0,0")).contains("is not an input"), "{unknown}");
        }
    }

    #[test]
    fn parameters_go_where_the_program_reads_them() {
        let arb = "!!ARBvp1.0\nMAD result.position, vertex.position, program.env[4], state.fog.color; END";
        let [arb, vp1, vp2] = [arb, "!!VP1.0 MOV o[HPOS], v[0]; END", "!!VP2.0 MOV o[HPOS], v[0]; END"]
            .map(|text| assemble("a", text).unwrap());
        let line = "program.env[4]=1,2,3,4 state.fog.color=5,6,7,8 program.local[9]=1,1,1,1";
        let mut inputs = parse_inputs(line, Some(&arb)).unwrap();
        let Assembly::Vertex(assembly) = &arb else { panic!("a vertex program") };
        inputs.bind_constants(assembly);
        for constant in &assembly.constants {
            let expected = if constant.source == ConstantSource::Environment(4) { 1.0f32 } else { 5.0 };
            assert_eq!(inputs.constants[&(constant.slot as usize)][0], expected.to_bits());
        }
        assert!(parse_inputs("c[0]=1,2,3,4", Some(&arb)).is_err());
        assert!(parse_inputs("program.local[0]=1,2,3,4", Some(&vp2)).is_err());
        let inputs = parse_inputs("c[95]=1,2,3,4", Some(&vp1)).unwrap();
        assert_eq!(inputs.parameter(ConstantSource::Register(95))[0], 0x3f80_0000);
    }
}
