//! Turns the programs of a scene, as assembly or microcode, into words and the constants that a draw supplies.

use super::error::SceneError;
use super::expression::Matrix;
use crate::arith::vertex::VertexRuleSet;
use crate::asm::state::{Matrix as StateMatrix, MatrixForm, StateBinding};
use crate::asm::{Assembly, ConstantSource, FragmentAssembly, assemble};

/// Results that are passed on if a program does not declare which it writes.
const ALL_RESULTS: u32 = 0x003f_ffff;

/// The source of a constant's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Constant {
    /// Numbers in the program text.
    Literal([u32; 4]),
    /// A parameter: the names by which the scene may set it, and its default value.
    Parameter(Vec<String>, Option<[u32; 4]>),
    /// A row of a matrix of the fixed pipeline.
    MatrixRow(StateMatrix, MatrixForm, usize),
}

/// A vertex program.
#[derive(Debug, Clone)]
pub(super) struct VertexProgram {
    pub(super) instructions: Vec<[u32; 4]>,
    pub(super) start: u16,
    pub(super) rules: VertexRuleSet,
    /// Constants by slot of the constant store.
    pub(super) constants: Vec<(u32, Constant)>,
    pub(super) attributes: u16,
    pub(super) results: u32,
}

/// A fragment program.
#[derive(Debug, Clone)]
pub(super) struct FragmentProgram {
    pub(super) code: FragmentCode,
    /// The sources of constants and loop counts.
    pub(super) constants: Vec<(ConstantSource, Constant)>,
    pub(super) control: u32,
}

/// The microcode of a fragment program.
#[derive(Debug, Clone)]
pub(super) enum FragmentCode {
    /// Fixed words.
    Words(Vec<u32>),
    /// Words with constants to be inserted.
    Assembly(Box<FragmentAssembly>),
}

impl FragmentProgram {
    /// Its length in words.
    pub(super) fn length(&self) -> usize {
        match &self.code {
            FragmentCode::Words(words) => words.len(),
            FragmentCode::Assembly(assembly) => assembly.words.len(),
        }
    }
}

/// A program of either stage.
#[derive(Debug, Clone)]
pub(super) enum LoadedProgram {
    /// For the vertex processor.
    Vertex(VertexProgram),
    /// For the fragment processor.
    Fragment(FragmentProgram),
}

/// Assembles a text, or reads microcode in hexadecimal.
pub(super) fn load(name: &str, text: &str, control: Option<u32>) -> Result<LoadedProgram, SceneError> {
    for (header, is_vertex) in [("!!NV40vp\n", true), ("!!NV40fp\n", false)] {
        if text.starts_with(header) {
            let words = microcode(text).map_err(|what| SceneError::Program(format!("{name}: {what}")))?;
            return if is_vertex { Ok(vertex_microcode(&words)) } else { Ok(fragment_microcode(words, control)) };
        }
    }
    let names = parameter_names(text);
    let assembly = assemble(name, text).map_err(|diagnostics| {
        let text = diagnostics.to_string();
        SceneError::Program(text.trim_end().strip_prefix("error: ").unwrap_or(text.trim_end()).to_owned())
    })?;
    Ok(match assembly {
        Assembly::Vertex(assembly) => LoadedProgram::Vertex(VertexProgram {
            constants: assembly
                .constants
                .iter()
                .map(|entry| (entry.slot, constant_of(&entry.source, &names, &[])))
                .collect(),
            instructions: assembly.instructions,
            start: assembly.start,
            rules: assembly.rules,
            attributes: assembly.attributes,
            results: assembly.results,
        }),
        Assembly::Fragment(assembly) => {
            let sources = assembly.constants.iter().chain(&assembly.loops).map(|(_, source)| *source);
            let constants = sources.map(|source| (source, constant_of(&source, &names, &assembly.parameters)));
            LoadedProgram::Fragment(FragmentProgram {
                constants: constants.collect(),
                control: control.unwrap_or(assembly.control),
                code: FragmentCode::Assembly(Box::new(assembly)),
            })
        }
    })
}

/// The source of an assembled program's constant; `declared` are the names of DECLARE.
fn constant_of(source: &ConstantSource, names: &ParameterNames, declared: &[(String, [u32; 4])]) -> Constant {
    match source {
        ConstantSource::Literal(bits) => Constant::Literal(*bits),
        ConstantSource::State(StateBinding::MatrixRow(matrix, form, row)) => {
            Constant::MatrixRow(*matrix, *form, usize::from(*row))
        }
        ConstantSource::Named(index, value) => {
            let name = declared.get(*index as usize).map(|(name, _)| name.clone());
            Constant::Parameter(name.into_iter().collect(), Some(*value))
        }
        _ => Constant::Parameter(names.of(&source.to_string()), None),
    }
}

fn microcode(text: &str) -> Result<Vec<u32>, String> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate().skip(1) {
        for word in line.split('#').next().unwrap_or_default().split_whitespace() {
            let digits = word.strip_prefix("0x").unwrap_or(word);
            let word = u32::from_str_radix(digits, 16);
            words.push(word.map_err(|_| format!("line {}: not a hexadecimal word", number + 1))?);
        }
    }
    Ok(words)
}

/// Constants of vertex microcode are set by slot, as `c[n]`.
fn vertex_microcode(words: &[u32]) -> LoadedProgram {
    let instructions: Vec<[u32; 4]> = words.as_chunks::<4>().0.to_vec();
    let constants = (0..512).map(|slot| (slot, Constant::Parameter(vec![format!("c[{slot}]")], Some([0; 4]))));
    LoadedProgram::Vertex(VertexProgram {
        instructions,
        start: 0,
        rules: VertexRuleSet::Nv40Modern,
        constants: constants.collect(),
        attributes: 0xffff,
        results: ALL_RESULTS,
    })
}

fn fragment_microcode(words: Vec<u32>, control: Option<u32>) -> LoadedProgram {
    // Eight registers, half outputs.
    LoadedProgram::Fragment(FragmentProgram {
        code: FragmentCode::Words(words),
        constants: Vec::new(),
        control: control.unwrap_or(0x0800_0000),
    })
}

/// The names of a text's parameters, by their bindings.
#[derive(Debug, Default)]
struct ParameterNames(Vec<(String, String)>);

impl ParameterNames {
    /// All names of a binding: the binding itself, short forms of it, and those in the text.
    fn of(&self, binding: &str) -> Vec<String> {
        let mut names = vec![binding.to_owned()];
        names.extend(binding.strip_prefix("program.").map(str::to_owned));
        names.extend(self.0.iter().filter(|(known, _)| known == binding).map(|(_, name)| name.clone()));
        names
    }
}

/// Finds `PARAM name = program.local[n]` and arrays of them.
fn parameter_names(text: &str) -> ParameterNames {
    let plain: String =
        text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let mut names = ParameterNames::default();
    for statement in plain.split(';') {
        let statement = statement.trim();
        // The first statement follows the header.
        let statement = statement
            .rsplit_once("!!")
            .map_or(statement, |(_, rest)| rest.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim()));
        if let Some((name, bound)) = statement.strip_prefix("PARAM ").and_then(|rest| rest.split_once('=')) {
            let is_array = name.contains('[');
            let name = name.split('[').next().unwrap_or_default().trim();
            for (index, binding) in bindings(bound).into_iter().enumerate() {
                // The first row carries the name, so that a matrix can be assigned to it.
                let name = if is_array { format!("{name}[{index}]") } else { name.to_owned() };
                names.0.push((binding, name));
            }
        }
    }
    names
}

/// The program parameters of a declaration, in order.
fn bindings(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for item in text.trim().trim_matches(['{', '}']).split(',') {
        let item: String = item.split_whitespace().collect();
        let item = item.trim_matches(['{', '}']);
        let Some((kind, indices)) = item.strip_suffix(']').and_then(|item| item.split_once('[')) else {
            found.push(String::new());
            continue;
        };
        let (first, last) = indices.split_once("..").unwrap_or((indices, indices));
        match (first.parse::<u32>(), last.parse::<u32>()) {
            (Ok(first), Ok(last)) if last >= first && last - first < 1024 => {
                found.extend((first..=last).map(|index| format!("{kind}[{index}]")));
            }
            _ => found.push(String::new()),
        }
    }
    found
}

/// The name of the scene value that provides a matrix of the fixed pipeline.
pub(super) fn matrix_name(matrix: StateMatrix) -> String {
    match matrix {
        StateMatrix::ModelView(0) => "modelview".to_owned(),
        StateMatrix::ModelView(number) => format!("modelview{number}"),
        StateMatrix::Projection => "projection".to_owned(),
        StateMatrix::ModelViewProjection => "mvp".to_owned(),
        StateMatrix::Texture(number) => format!("texture{number}"),
        StateMatrix::Palette(number) => format!("palette{number}"),
        StateMatrix::Program(number) => format!("program{number}"),
    }
}

/// A row of a matrix in one of its forms; `None` if the matrix has no inverse.
pub(super) fn matrix_row(matrix: &Matrix, form: MatrixForm, row: usize) -> Option<[f64; 4]> {
    use super::expression::{inverted, transposed};
    let matrix = match form {
        MatrixForm::Plain => *matrix,
        MatrixForm::Transpose => transposed(matrix),
        MatrixForm::Inverse => inverted(matrix)?,
        MatrixForm::InverseTranspose => transposed(&inverted(matrix)?),
    };
    matrix.get(row).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_the_names_of_their_text() {
        let names = parameter_names(
            "!!ARBvp1.0\n# PARAM no = program.local[9];\nPARAM light = program.local[4];\n\
             PARAM mvp[4] = { program.local[0..3] };\nPARAM both[] = { program.env[2], {1, 2, 3, 4}, program.local[7] };\nEND",
        );
        assert_eq!(names.of("program.local[4]"), ["program.local[4]", "local[4]", "light"]);
        assert_eq!(names.of("program.local[2]"), ["program.local[2]", "local[2]", "mvp[2]"]);
        assert_eq!(names.of("program.env[2]").last().map(String::as_str), Some("both[0]"));
        assert_eq!(names.of("program.local[9]").len(), 2);
    }

    #[test]
    fn declared_parameters_keep_their_names_and_first_values() {
        let text = "!!FP1.0\nDECLARE tint = {1, 0.5, 0, 1};\nMUL o[COLR], f[COL0], tint;\nEND";
        let LoadedProgram::Fragment(program) = load("a", text, None).unwrap() else { panic!("a fragment program") };
        let half = 0.5f32.to_bits();
        let one = 1.0f32.to_bits();
        let expected = Constant::Parameter(vec!["tint".to_owned()], Some([one, half, 0, one]));
        assert_eq!(program.constants[0].1, expected);
    }

    #[test]
    fn microcode_is_read_by_words() {
        let text = "!!NV40vp\n401f9c6c 0040000d 8106c083 6041ff81 # the position\n";
        let LoadedProgram::Vertex(program) = load("a", text, None).unwrap() else { panic!("a vertex program") };
        assert_eq!(program.instructions, [[0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff81]]);
        assert!(load("a", "!!NV40fp\nxyz", None).is_err());
        assert!(load("a", "nothing", None).is_err());
    }
}
