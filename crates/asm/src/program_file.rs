//! Reads program files: microcode as text that begins with `!!NV40vp`, `!!NV20vp` or `!!NV40fp`, raw little-endian words, or
//! a text in an assembly language. Programs of the PICA200 are shader binaries, or texts in picasso's language. Programs that
//! Cg compiled for the NV40 are binaries. Modules of Tesla kernels are no programs; [`super::tesla::read_module`] reads them.
//!
//! The text form of microcode holds hexadecimal words of up to eight digits, separated by blanks or commas. `#` and `//` begin
//! comments. Lines that begin with a dot are directives of the assembler. Vertex programs start at slot 0, four words per
//! slot. Fragment programs are in memory order, inline constants included. A text of such words without a first line, as
//! `vp20compiler` of XboxDev/nxdk writes it, needs a stage like raw words.

use std::collections::BTreeSet;

use super::assemble::assemble_for;
use super::assembly::{Assembly, FragmentAssembly, VertexAssembly};
use super::cg_binary::{CgBinary, CgBinaryError};
use super::constants::ConstantSource;
use super::diagnostic::Diagnostics;
use super::inputs::{
    ElementInputs, InputError, InputPlace, NamedInput, attribute_name, interpolant_name, parse_inputs,
    parse_named_inputs,
};
use super::language::{FRAGMENT_HEADER, Language, ProgramStage};
use super::object::{ObjectError, read_directives};
use super::pica::{self, NoExecutable, PicaListingError, PicaOptions, PicaProgram};
use super::shbin::{MAGIC, Shbin, ShbinError};
use super::tesla::read_module;
use crate::isa::nv40_fragment::decode::FragmentDecodeError;
use crate::isa::{NvMicrocode, NvVertexIsa, VertexIsa, VertexMicrocode, VertexMicrocodeError};
use crate::shader::analysis::resource_usage::ResourceUsage;
use crate::shader::analysis::vertex_resources::VertexResources;
use crate::shader::fragment::{FragmentInput, FragmentProgram};
use crate::shader::vertex::VertexProgram;

/// A program of either processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// For a vertex processor.
    Vertex(VertexProgram),
    /// For the fragment processor.
    Fragment(FragmentProgram),
}

/// The words of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Microcode {
    /// For a vertex processor of NVIDIA.
    Vertex(NvMicrocode),
    /// For the shader processors of PICA200.
    Pica(PicaProgram),
    /// For the fragment processor, in memory order.
    Fragment {
        /// The words, inline constants included.
        words: Vec<u32>,
    },
}

/// A program file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    /// The program, decoded.
    pub program: Program,
    /// Its words.
    pub microcode: Microcode,
    /// The assembler's description of the words; `None` for bare microcode.
    pub assembly: Option<Assembly>,
    /// The names in a compiled program; `None` for other files.
    pub compiled_inputs: Option<Vec<NamedInput>>,
    /// The names of textures in a compiled program, with their units.
    pub samplers: Vec<(String, u8)>,
}

/// Why a file is not a program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MicrocodeFileError {
    /// The file is not text with a known first line, and nobody said what its words are for.
    #[error(
        "the first line is neither {} nor {FRAGMENT_HEADER} nor an assembly language; raw words need --stage",
        vertex_headers()
    )]
    UnknownStage,
    /// A text in an assembly language is wrong.
    #[error("{0}")]
    Assembly(Box<Diagnostics>),
    /// A line that says what is bound is wrong.
    #[error("line {line}: {error}")]
    Directive {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        error: ObjectError,
    },
    /// The first line names the other processor.
    #[error("line 1: {header} where a {expected} program is asked for")]
    OtherStage {
        /// The first line.
        header: &'static str,
        /// `vertex` or `fragment`.
        expected: &'static str,
    },
    /// The first line names another instruction set.
    #[error("line 1: {header} has words of {found} where a program for {expected} is asked for")]
    OtherIsa {
        /// The first line.
        header: &'static str,
        /// The instruction set of the file.
        found: NvVertexIsa,
        /// The instruction set that is asked for.
        expected: NvVertexIsa,
    },
    /// Something is not a word.
    #[error("line {line}: {found:?} is not a hexadecimal word of up to eight digits")]
    BadWord {
        /// The line, from 1.
        line: usize,
        /// The text found.
        found: String,
    },
    /// Raw bytes do not make whole words.
    #[error("{bytes} bytes are not a whole number of 32-bit words")]
    PartialWord {
        /// The size of the file.
        bytes: usize,
    },
    /// The words do not make whole instructions.
    #[error("{words} words are not a whole number of four-word instructions")]
    PartialInstruction {
        /// How many words there are.
        words: usize,
    },
    /// A vertex program has more instructions than the processor stores.
    #[error("{slots} instructions do not fit the {} slots of the vertex processor", isa.slots())]
    TooLong {
        /// How many instructions there are.
        slots: usize,
        /// The processor's instruction set.
        isa: NvVertexIsa,
    },
    /// The machine has no fragment programs.
    #[error("{isa} has no fragment programs")]
    VertexOnly {
        /// The instruction set of its vertex processors.
        isa: VertexIsa,
    },
    /// The file is for another machine than the PICA200.
    #[error("neither a shader binary (which begins with DVLB) nor a text in picasso's language")]
    NotPica,
    /// The file is a broken shader binary.
    #[error("shader binary: {0}")]
    Shbin(#[from] ShbinError),
    /// The shader binary does not have the executable that is asked for.
    #[error(transparent)]
    NoExecutable(#[from] NoExecutable),
    /// A shader binary where another machine is asked for.
    #[error("the file is a shader binary of PICA200 where a program for {expected} is asked for")]
    ShbinFor {
        /// The instruction set that is asked for.
        expected: NvVertexIsa,
    },
    /// The file is a broken compiled program of Cg.
    #[error("compiled program of Cg: {0}")]
    CgBinary(#[from] CgBinaryError),
    /// A compiled program of Cg where another processor is asked for.
    #[error("the file is a compiled {found} program of Cg for NV40 where a program for {expected} is asked for")]
    CgBinaryFor {
        /// `vertex` or `fragment`.
        found: &'static str,
        /// The processor or the instruction set that is asked for.
        expected: String,
    },
    /// A module of the Tesla processor, which holds kernels instead of a program.
    #[error("the file is a module of Tesla kernels, not a program for a vertex or fragment processor")]
    TeslaModule,
    /// The words are not a vertex program.
    #[error("vertex program: {0}")]
    Vertex(#[from] VertexMicrocodeError),
    /// The words are not a fragment program.
    #[error("fragment program: {0}")]
    Fragment(#[from] FragmentDecodeError),
}

/// How a program file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileOptions {
    /// The stage that runs raw words; the first line of a text must agree with it.
    pub stage: Option<ProgramStage>,
    /// The instruction set of vertex programs; `None` for what the file names, or else NV40.
    pub isa: Option<VertexIsa>,
    /// The executable of a shader binary, from 0.
    pub executable: usize,
}

/// Reads a program file. Errors of an assembly text call it `name`. A file is for the PICA200 if `options` say so, if it is
/// a shader binary, or if `name` ends with `.pica`.
///
/// # Errors
/// When the file is in no known form, or its words are not a program.
pub fn read_program_file(name: &str, bytes: &[u8], options: FileOptions) -> Result<ProgramFile, MicrocodeFileError> {
    let FileOptions { stage, .. } = options;
    if read_module(name, bytes).is_some() {
        return Err(MicrocodeFileError::TeslaModule);
    }
    let isa = match options.isa {
        Some(VertexIsa::Pica200) => return read_pica(name, bytes, options),
        None if bytes.starts_with(MAGIC) || name.ends_with(".pica") => return read_pica(name, bytes, options),
        Some(VertexIsa::Nv(expected)) if bytes.starts_with(MAGIC) => {
            return Err(MicrocodeFileError::ShbinFor { expected });
        }
        Some(VertexIsa::Nv(isa)) => Some(isa),
        None => None,
    };
    if CgBinary::is_one(bytes) {
        return read_cg(bytes, stage, isa);
    }
    let text = std::str::from_utf8(bytes).ok();
    let headed = text.filter(|text| text.starts_with("!!"));
    if let Some(text) = headed
        && !has_words(text)
    {
        let language = Language::of(text);
        if let Some(language) = language {
            same_stage(language.stage(), language.header(), stage)?;
        }
        let isa = isa.or(language.and_then(Language::isa)).unwrap_or_default();
        let assembly =
            assemble_for(name, text, isa).map_err(|errors| MicrocodeFileError::Assembly(Box::new(errors)))?;
        return from_assembly(assembly);
    }
    let (words_for, words, directives) = match (headed, stage) {
        (Some(text), wanted) => text_words(text, wanted, isa)?,
        (None, Some(stage)) => {
            let words_for = match stage {
                ProgramStage::Vertex => WordsFor::Vertex(isa.unwrap_or_default()),
                ProgramStage::Fragment => WordsFor::Fragment,
            };
            let words = match text.filter(|text| is_word_list(text)) {
                Some(text) => read_words(text.lines().zip(1..))?.0,
                None => raw_words(bytes)?,
            };
            (words_for, words, Vec::new())
        }
        (None, None) => return Err(MicrocodeFileError::UnknownStage),
    };
    let native = native(words_for, words)?;
    if directives.is_empty() {
        return Ok(ProgramFile { assembly: None, ..from_assembly(native)? });
    }
    let assembly =
        read_directives(native, &directives).map_err(|(line, error)| MicrocodeFileError::Directive { line, error })?;
    from_assembly(assembly)
}

/// Describes words by their processor alone.
fn native(words_for: WordsFor, words: Vec<u32>) -> Result<Assembly, MicrocodeFileError> {
    let WordsFor::Vertex(isa) = words_for else { return Ok(Assembly::Fragment(FragmentAssembly::native(words))) };
    let (slots, rest) = words.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(MicrocodeFileError::PartialInstruction { words: words.len() });
    }
    if slots.len() > isa.slots() {
        return Err(MicrocodeFileError::TooLong { slots: slots.len(), isa });
    }
    Ok(Assembly::Vertex(VertexAssembly::native(isa, slots.to_vec(), 0)))
}

/// Reads a compiled program of Cg.
fn read_cg(
    bytes: &[u8],
    stage: Option<ProgramStage>,
    isa: Option<NvVertexIsa>,
) -> Result<ProgramFile, MicrocodeFileError> {
    let CgBinary { assembly, inputs, samplers } = CgBinary::read(bytes)?;
    let found = assembly.language().stage();
    let expected = match (stage, isa, &assembly) {
        (Some(stage), ..) if stage != found => Some(format!("the {} processor", stage.name())),
        (_, Some(isa), Assembly::Vertex(vertex)) if isa != vertex.isa => Some(isa.to_string()),
        _ => None,
    };
    if let Some(expected) = expected {
        return Err(MicrocodeFileError::CgBinaryFor { found: found.name(), expected });
    }
    let file = ProgramFile { compiled_inputs: Some(inputs), samplers, ..from_assembly(assembly)? };
    // Results of bare vertex microcode are those of the chip.
    Ok(if found == ProgramStage::Vertex { ProgramFile { assembly: None, ..file } } else { file })
}

/// Reads a shader binary, or assembles a text in picasso's language.
fn read_pica(name: &str, bytes: &[u8], options: FileOptions) -> Result<ProgramFile, MicrocodeFileError> {
    if options.stage == Some(ProgramStage::Fragment) {
        return Err(MicrocodeFileError::VertexOnly { isa: VertexIsa::Pica200 });
    }
    let binary = match std::str::from_utf8(bytes) {
        _ if bytes.starts_with(MAGIC) => Shbin::read(bytes)?,
        Ok(text) if !text.starts_with("!!") => pica::assemble(name, text, PicaOptions::default())
            .map_err(|errors| MicrocodeFileError::Assembly(Box::new(errors)))?,
        _ => return Err(MicrocodeFileError::NotPica),
    };
    let program = PicaProgram::new(binary, options.executable)?;
    let decoded = program.decode().map_err(VertexMicrocodeError::from)?;
    let (program, microcode) = (Program::Vertex(decoded), Microcode::Pica(program));
    Ok(ProgramFile { program, microcode, assembly: None, compiled_inputs: None, samplers: Vec::new() })
}

fn from_assembly(assembly: Assembly) -> Result<ProgramFile, MicrocodeFileError> {
    let (program, microcode) = match &assembly {
        Assembly::Vertex(vertex) => {
            let microcode = vertex.microcode();
            (Program::Vertex(microcode.decode_state_program()?), Microcode::Vertex(microcode))
        }
        Assembly::Fragment(FragmentAssembly { words, .. }) => {
            (Program::Fragment(FragmentProgram::decode(words)?), Microcode::Fragment { words: words.clone() })
        }
    };
    Ok(ProgramFile { program, microcode, assembly: Some(assembly), compiled_inputs: None, samplers: Vec::new() })
}

/// Whether a text holds words instead of assembly.
fn has_words(text: &str) -> bool {
    words_for(text.lines().next().unwrap_or_default()).is_some()
}

/// The instruction set of a text file's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordsFor {
    Vertex(NvVertexIsa),
    Fragment,
}

impl Assembly {
    /// The program as text of the chip's instructions, which assembles to the same words.
    #[must_use]
    pub fn listing(&self) -> String {
        match self {
            Self::Vertex(vertex) => super::vertex::listing::listing_of(&vertex.microcode()),
            Self::Fragment(fragment) => super::fragment::listing::listing(&fragment.words, Some(fragment.control)),
        }
    }
}

impl ProgramFile {
    /// The program as text of the chip's instructions, which assembles to the same words.
    ///
    /// # Errors
    /// When a program of the PICA200 has parts that the language cannot say.
    pub fn listing(&self) -> Result<String, PicaListingError> {
        match &self.microcode {
            Microcode::Vertex(microcode) => Ok(super::vertex::listing::listing_of(microcode)),
            Microcode::Pica(program) => program.listing(),
            Microcode::Fragment { words } => {
                let control = match &self.assembly {
                    Some(Assembly::Fragment(fragment)) => Some(fragment.control),
                    _ => None,
                };
                Ok(super::fragment::listing::listing(words, control))
            }
        }
    }

    /// The constants that a program of NVIDIA's chips reads and that are not given, by their names in its language; they are
    /// (0, 0, 0, 1). Numbers in the text and declared values are given. `reached` are the slots that a vertex program reads
    /// through an address.
    #[must_use]
    pub fn missing_constants(&self, inputs: &ElementInputs, reached: &BTreeSet<u16>) -> Vec<String> {
        let is_missing = |source: &ConstantSource| {
            let has_value = matches!(source, ConstantSource::Literal(_) | ConstantSource::Named(..));
            !has_value && !inputs.parameters.contains_key(source)
        };
        let mut missing: Vec<ConstantSource> = match (&self.assembly, &self.program) {
            (Some(Assembly::Fragment(fragment)), _) => {
                let constants = fragment.constants.iter().chain(&fragment.loops);
                constants.map(|(_, source)| *source).filter(is_missing).collect()
            }
            (assembly, Program::Vertex(program)) if matches!(self.microcode, Microcode::Vertex(_)) => {
                let mut slots = VertexResources::of(program).constants;
                slots.extend(reached);
                let bound = match assembly {
                    Some(Assembly::Vertex(vertex)) => vertex.constants.as_slice(),
                    _ => &[],
                };
                let source_of = |slot: u16| match bound.iter().find(|constant| constant.slot == u32::from(slot)) {
                    Some(constant) => Some(constant.source).filter(is_missing),
                    None if bound.is_empty() && !inputs.constants.contains_key(&usize::from(slot)) => {
                        Some(ConstantSource::Register(slot.into()))
                    }
                    None => None,
                };
                slots.into_iter().filter_map(source_of).collect()
            }
            _ => Vec::new(),
        };
        let mut known = BTreeSet::new();
        missing.retain(|source| known.insert(*source));
        inputs.missing.iter().cloned().chain(missing.iter().map(|source| self.name_of(source))).collect()
    }

    /// The attributes of a vertex or the interpolants of a fragment that the program reads and that are not given, by their
    /// names in its language; they are (0, 0, 0, 1). What an index reaches is not known.
    #[must_use]
    pub fn missing_inputs(&self, inputs: &ElementInputs) -> Vec<String> {
        let language = self.assembly.as_ref().map(Assembly::language);
        let compiled = |place: InputPlace| {
            let named = self.compiled_inputs.iter().flatten().find(|input| input.place == place);
            named.map(|input| input.name.clone())
        };
        match &self.program {
            Program::Vertex(program) => {
                let resources = VertexResources::of(program);
                let read = if resources.has_indexed_inputs { 0 } else { resources.attributes };
                let missing = (0..16u8).filter(|number| (read & !inputs.given_attributes) >> number & 1 != 0);
                let name = |number| match &self.microcode {
                    Microcode::Pica(_) => format!("v{number}"),
                    _ => compiled(InputPlace::Attribute(number)).unwrap_or_else(|| attribute_name(number, language)),
                };
                missing.map(name).collect()
            }
            Program::Fragment(program) => {
                let usage = ResourceUsage::of_blocks(program);
                let is_missing = |input: &FragmentInput| {
                    usage.inputs.contains(input) && inputs.given_interpolants >> input.attribute() & 1 == 0
                };
                let name = |input: FragmentInput| {
                    compiled(InputPlace::Interpolant(input.attribute()))
                        .unwrap_or_else(|| interpolant_name(input, language))
                };
                FragmentInput::all().filter(is_missing).map(name).collect()
            }
        }
    }

    /// What a constant is called.
    fn name_of(&self, source: &ConstantSource) -> String {
        let is_named = |input: &&NamedInput| match (&input.place, source) {
            (InputPlace::Constant(slot), ConstantSource::Register(register)) => u32::from(*slot) == *register,
            _ => false,
        };
        let named = self.compiled_inputs.iter().flatten().find(is_named);
        named.map_or_else(|| source.to_string(), |input| input.name.clone())
    }

    /// The instruction set of a vertex program.
    #[must_use]
    pub const fn vertex_isa(&self) -> Option<VertexIsa> {
        match &self.microcode {
            Microcode::Vertex(microcode) => Some(VertexIsa::Nv(microcode.isa)),
            Microcode::Pica(_) => Some(VertexIsa::Pica200),
            Microcode::Fragment { .. } => None,
        }
    }

    /// The words of a vertex program.
    #[must_use]
    pub fn vertex_microcode(&self) -> Option<VertexMicrocode> {
        match &self.microcode {
            Microcode::Vertex(microcode) => Some(VertexMicrocode::Nv(microcode.clone())),
            Microcode::Pica(program) => Some(program.microcode()),
            Microcode::Fragment { .. } => None,
        }
    }

    /// Reads the groups of one element, separated by blanks.
    ///
    /// # Errors
    /// When a group is not of the form, or names nothing that the program reads.
    pub fn parse_inputs(&self, line: &str) -> Result<ElementInputs, InputError> {
        match (&self.microcode, &self.assembly, &self.compiled_inputs) {
            (Microcode::Pica(program), ..) => program.parse_inputs(line),
            (_, assembly, Some(named)) => parse_named_inputs(line, assembly.as_ref(), named),
            (_, assembly, _) => parse_inputs(line, assembly.as_ref()),
        }
    }
}

impl WordsFor {
    const fn header(self) -> &'static str {
        match self {
            Self::Vertex(isa) => isa.header(),
            Self::Fragment => FRAGMENT_HEADER,
        }
    }

    const fn stage(self) -> ProgramStage {
        match self {
            Self::Vertex(_) => ProgramStage::Vertex,
            Self::Fragment => ProgramStage::Fragment,
        }
    }
}

/// What the words after this first line are; `None` if it announces no words.
fn words_for(first_line: &str) -> Option<WordsFor> {
    let header = first_line.split('#').next().unwrap_or_default().trim_end();
    let vertex = NvVertexIsa::ALL.iter().map(|isa| WordsFor::Vertex(*isa));
    vertex.chain([WordsFor::Fragment]).find(|words| words.header() == header)
}

fn same_stage(
    stage: ProgramStage,
    header: &'static str,
    wanted: Option<ProgramStage>,
) -> Result<(), MicrocodeFileError> {
    let expected = match wanted {
        Some(wanted) if wanted != stage => wanted,
        _ => return Ok(()),
    };
    Err(MicrocodeFileError::OtherStage { header, expected: expected.name() })
}

/// The first lines of words for vertex processors.
fn vertex_headers() -> String {
    NvVertexIsa::ALL.iter().map(|isa| isa.header()).collect::<Vec<_>>().join(" nor ")
}

/// Words and directives of a text, these with their line numbers.
type TextWords<'text> = (WordsFor, Vec<u32>, Directives<'text>);
type Directives<'text> = Vec<(usize, &'text str)>;

fn text_words(
    text: &str,
    wanted: Option<ProgramStage>,
    isa: Option<NvVertexIsa>,
) -> Result<TextWords<'_>, MicrocodeFileError> {
    let mut lines = text.lines().zip(1..);
    let first_line = lines.next().map(|(line, _)| line).unwrap_or_default();
    let words_for = words_for(first_line).ok_or(MicrocodeFileError::UnknownStage)?;
    same_stage(words_for.stage(), words_for.header(), wanted)?;
    if let (WordsFor::Vertex(found), Some(expected)) = (words_for, isa)
        && found != expected
    {
        return Err(MicrocodeFileError::OtherIsa { header: words_for.header(), found, expected });
    }
    let (words, directives) = read_words(lines)?;
    Ok((words_for, words, directives))
}

/// Whether a text without a first line lists words, the first one after `0x`.
fn is_word_list(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    is_plain
        && text
            .lines()
            .map(|line| code_of(line).trim())
            .find(|code| !code.is_empty())
            .is_some_and(|code| code.starts_with("0x"))
}

/// A line without its comment.
fn code_of(line: &str) -> &str {
    let code = line.split('#').next().unwrap_or_default();
    code.split("//").next().unwrap_or_default()
}

/// The words and directives of numbered lines.
fn read_words<'text>(
    lines: impl Iterator<Item = (&'text str, usize)>,
) -> Result<(Vec<u32>, Directives<'text>), MicrocodeFileError> {
    let mut words = Vec::new();
    let mut directives = Vec::new();
    for (line, number) in lines {
        let code = code_of(line);
        if let Some(directive) = code.trim().strip_prefix('.') {
            directives.push((number, directive));
            continue;
        }
        for found in
            code.split(|letter: char| letter.is_whitespace() || letter == ',').filter(|found| !found.is_empty())
        {
            let digits = found.strip_prefix("0x").unwrap_or(found);
            let is_word = (1..=8).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            let word = u32::from_str_radix(digits, 16).ok().filter(|_| is_word);
            words.push(word.ok_or_else(|| MicrocodeFileError::BadWord { line: number, found: shortened(found) })?);
        }
    }
    Ok((words, directives))
}

fn shortened(found: &str) -> String {
    found.chars().take(40).collect()
}

fn raw_words(bytes: &[u8]) -> Result<Vec<u32>, MicrocodeFileError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(MicrocodeFileError::PartialWord { bytes: bytes.len() });
    }
    Ok(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

#[cfg(test)]
mod tests {
    use super::{FileOptions, MicrocodeFileError, Program, ProgramStage, read_program_file};

    const BLIT: &str = "!!NV40vp\n# Mesa's blit program\n401f9c6c 0040000d 8106c083 6041ff80 # o[0]\n\
                        0x401f9c6c 0040080d 8106c083 6041ff9d\n";

    fn read_program(bytes: &[u8], stage: Option<ProgramStage>) -> Result<Program, MicrocodeFileError> {
        Ok(read_program_file("program", bytes, FileOptions { stage, ..FileOptions::default() })?.program)
    }

    #[test]
    fn text_and_raw_words_are_the_same_program() {
        let program = read_program(BLIT.as_bytes(), None).unwrap();
        let words = crate::isa::test_words::BLIT.into_iter().flatten();
        let raw: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        assert_eq!(read_program(&raw, Some(ProgramStage::Vertex)), Ok(program.clone()));
        let Program::Vertex(program) = program else { panic!("a vertex program") };
        assert_eq!(program.bundles.len(), 2);
    }

    #[test]
    fn errors_name_the_line() {
        let error = read_program(b"!!NV40fp\n\n00000001 1234567890", None).unwrap_err();
        assert_eq!(error.to_string(), "line 3: \"1234567890\" is not a hexadecimal word of up to eight digits");
        assert_eq!(read_program(b"\0\0\0\0", None), Err(MicrocodeFileError::UnknownStage));
        assert!(matches!(read_program(b"!!VP2.0\n", None), Err(MicrocodeFileError::Assembly(_))));
        assert_eq!(
            read_program(b"\0\0\0", Some(ProgramStage::Vertex)),
            Err(MicrocodeFileError::PartialWord { bytes: 3 })
        );
        assert_eq!(read_program(b"!!NV40vp\n1 2 3", None), Err(MicrocodeFileError::PartialInstruction { words: 3 }));
        assert!(matches!(
            read_program(BLIT.as_bytes(), Some(ProgramStage::Fragment)),
            Err(MicrocodeFileError::OtherStage { header: "!!NV40vp", .. })
        ));
    }
}
