//! Turns the programs of a scene, as assembly or microcode, into words and the constants that a draw supplies.

use super::pica_program;
use crate::asm::program_file::{FileOptions, Microcode, MicrocodeFileError, read_program_file};
use crate::asm::shbin::MAGIC;
use crate::asm::state::StateBinding;
use crate::asm::{
    Assembly, ConstantSlot, ConstantSource, Diagnostics, Language, ProgramStage, VertexAssembly, WindowConventions,
    assemble,
};
use crate::isa::nv20_vertex::LAST_CONSTANT;
use crate::isa::{NvVertexIsa, VertexIsa};
use crate::machine::bundled;
use crate::scene::error::{SceneError, Source};
use crate::scene::folder::Folder;
use crate::scene::loaded_program::{
    Constant, FragmentCode, FragmentProgram, LoadedProgram, NvCode, VertexCode, VertexProgram,
};
use crate::scene::schema;
use crate::scene::text::Text;
use crate::shader::vertex::CONSTANT_SLOTS;

/// Why a file is no program of a scene.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    /// It is no program.
    #[error(transparent)]
    File(#[from] MicrocodeFileError),
    /// Draws cannot run it.
    #[error("{0}")]
    Unsupported(&'static str),
}

/// Assembles a program's file or reads its microcode, for the machine that the scene names.
pub(in crate::scene) fn load(
    source: &Source,
    folder: &Folder,
    program: &schema::Program,
) -> Result<LoadedProgram, SceneError> {
    let has_places = program.point_size.is_some() || program.clip_distances.is_some();
    if program.entry.is_some() || program.emits.is_some() || program.depth || has_places {
        let label = "`entry`, `emits`, `point_size`, `clip_distances` and `depth` belong to programs of the GeForce 8";
        return Err(source.at(&program.file, format!("`{}` is a program for NV40", program.file), label));
    }
    let bytes = folder.bytes(source, &program.file)?;
    let path = folder.display(&program.file);
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    if text.is_empty() && !bytes.starts_with(MAGIC) {
        return Err(source.at(&program.file, format!("`{}` is no text", program.file), "UTF-8 is expected"));
    }
    let Some(machine) = &program.machine else {
        return read(&path, &bytes, None, program.control).map_err(|error| match error {
            LoadError::File(MicrocodeFileError::Assembly(errors)) => SceneError::Program(plain(&errors)),
            error => SceneError::Program(format!("{path}: {error}")),
        });
    };
    let isa = isa_of(source, machine)?;
    let file = &program.file;
    if let VertexIsa::Nv(isa) = isa
        && let Some(language) = Language::of(text)
        && language.stage() == ProgramStage::Vertex
        && !language.runs_on(isa)
    {
        let header = language.header();
        let known = Language::ALL.into_iter().filter(|known| known.runs_on(isa) && known.stage() == language.stage());
        let known: Vec<_> = known.map(Language::header).collect();
        let label = format!("its languages are {}", known.join(", "));
        return Err(source.at(machine, format!("`{machine}` has no vertex programs in {header}"), label));
    }
    let refused = || format!("`{file}` is no program for `{machine}`");
    let loaded = read(&path, &bytes, Some(isa), program.control).map_err(|error| match error {
        LoadError::File(MicrocodeFileError::Assembly(errors)) => {
            source.at(machine, refused(), "the program's mistakes follow").followed_by(errors.to_string().trim_end())
        }
        error => source.at(machine, refused(), error.to_string()),
    })?;
    match loaded {
        LoadedProgram::Vertex(_) => Ok(loaded),
        _ => Err(source.at(machine, format!("`{file}` is a fragment program"), "only vertex programs name a machine")),
    }
}

/// The instruction set of a machine of `curie machines`.
fn isa_of(source: &Source, name: &Text) -> Result<VertexIsa, SceneError> {
    // Not a file: a scene reads none outside of its folder.
    let known = || bundled().iter().filter_map(|machine| Some((machine.name, machine.family.vertex_stage?.isa)));
    let isa = known().find(|(known, _)| *known == name.as_str());
    isa.map(|(_, isa)| isa).ok_or_else(|| source.unknown(name, "machine", known().map(|(known, _)| known)))
}

/// The errors of a text without the word that begins every message.
fn plain(errors: &Diagnostics) -> String {
    let text = errors.to_string();
    text.trim_end().strip_prefix("error: ").unwrap_or(text.trim_end()).to_owned()
}

/// Reads a program's file for an instruction set, or for the one that it names.
fn read(name: &str, bytes: &[u8], isa: Option<VertexIsa>, control: Option<u32>) -> Result<LoadedProgram, LoadError> {
    let options = FileOptions { isa, ..FileOptions::default() };
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let file = match read_program_file(name, bytes, options) {
        // Scenes hold no words without a first line, so that line is wrong.
        Err(MicrocodeFileError::UnknownStage) => {
            let errors = assemble(name, text).err().map(Box::new);
            return Err(errors.map_or(MicrocodeFileError::UnknownStage, MicrocodeFileError::Assembly).into());
        }
        file => file?,
    };
    let names = parameter_names(text);
    Ok(match (file.assembly, file.microcode) {
        (assembly, Microcode::Vertex(microcode)) => {
            // Draws refuse what only a state program may do.
            microcode.decode().map_err(MicrocodeFileError::from)?;
            let assembly = match assembly {
                Some(Assembly::Vertex(assembly)) => assembly,
                _ => VertexAssembly::native(microcode.isa, microcode.slots.to_vec(), microcode.start),
            };
            LoadedProgram::Vertex(vertex_program(assembly, &names))
        }
        (_, Microcode::Pica(program)) => {
            let program = pica_program::vertex_program(&program).map_err(LoadError::Unsupported)?;
            LoadedProgram::Vertex(program)
        }
        (Some(Assembly::Fragment(assembly)), _) => {
            let sources = assembly.constants.iter().chain(&assembly.loops).map(|(_, source)| *source);
            let constants = sources.map(|source| (source, constant_of(&source, &names, &assembly.parameters)));
            LoadedProgram::Fragment(FragmentProgram {
                constants: constants.collect(),
                control: control.unwrap_or(assembly.control),
                conventions: assembly.conventions,
                code: FragmentCode::Assembly(Box::new(assembly)),
            })
        }
        (_, Microcode::Fragment { words }) => fragment_microcode(words, control),
    })
}

fn vertex_program(assembly: VertexAssembly, names: &ParameterNames) -> VertexProgram {
    let is_native = assembly.constants.is_empty() && assembly.language == Language::native(assembly.isa);
    VertexProgram {
        constants: if is_native {
            // Constants of microcode are set by slot.
            let slots = 0..constant_slots(assembly.isa);
            slots.map(|slot| (slot, Constant::Parameter(vec![format!("c[{slot}]")], Some([0; 4])))).collect()
        } else {
            let constants = assembly.constants.iter();
            constants.map(|entry| (entry.slot, vertex_constant(entry, &assembly, names))).collect()
        },
        attributes: assembly.attributes,
        code: VertexCode::Nv(NvCode {
            isa: assembly.isa,
            instructions: assembly.instructions,
            start: assembly.start,
            rules: assembly.rules,
            results: assembly.results,
        }),
    }
}

/// Registers that only an address may reach are zero unless the scene sets them, as all are at first in
/// `NV_vertex_program`.
fn vertex_constant(entry: &ConstantSlot, assembly: &VertexAssembly, names: &ParameterNames) -> Constant {
    let is_reached = |(low, high)| (u32::from(low)..=u32::from(high)).contains(&entry.slot);
    match constant_of(&entry.source, names, &[]) {
        Constant::Parameter(names, None)
            if matches!(entry.source, ConstantSource::Register(_))
                && assembly.indexed_constants.is_some_and(is_reached) =>
        {
            Constant::Parameter(names, Some([0; 4]))
        }
        constant => constant,
    }
}

/// Vectors of a processor's constant store.
fn constant_slots(isa: NvVertexIsa) -> u32 {
    match isa {
        NvVertexIsa::Nv20 => u32::from(LAST_CONSTANT) + 1,
        NvVertexIsa::Nv40 => u32::try_from(CONSTANT_SLOTS).unwrap_or(u32::MAX),
    }
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

fn fragment_microcode(words: Vec<u32>, control: Option<u32>) -> LoadedProgram {
    // Eight registers, half outputs.
    LoadedProgram::Fragment(FragmentProgram {
        code: FragmentCode::Words(words),
        constants: Vec::new(),
        control: control.unwrap_or(0x0800_0000),
        conventions: WindowConventions::default(),
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
        let LoadedProgram::Fragment(program) = read("a", text.as_bytes(), None, None).unwrap() else {
            panic!("a fragment program")
        };
        let half = 0.5f32.to_bits();
        let one = 1.0f32.to_bits();
        let expected = Constant::Parameter(vec!["tint".to_owned()], Some([one, half, 0, one]));
        assert_eq!(program.constants[0].1, expected);
    }

    #[test]
    fn microcode_is_read_by_words() {
        let text = "!!NV40vp\n401f9c6c 0040000d 8106c083 6041ff81 # the position\n";
        let LoadedProgram::Vertex(program) = read("a", text.as_bytes(), None, None).unwrap() else {
            panic!("a vertex program")
        };
        let VertexCode::Nv(code) = program.code else { panic!("of NV40") };
        assert_eq!(code.instructions, [[0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff81]]);
        assert!(read("a", b"!!NV40fp\nxyz", None, None).is_err());
        assert!(read("a", b"nothing", None, None).is_err());
    }
}
