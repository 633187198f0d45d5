//! Reads program files: microcode as text that begins with `!!NV40vp`, `!!NV20vp` or `!!NV40fp`, raw little-endian words, or
//! a text in an assembly language.
//!
//! The text form of microcode holds hexadecimal words of up to eight digits, separated by blanks or commas. `#` and `//` begin
//! comments. Lines that begin with a dot are directives of the assembler. Vertex programs start at slot 0, four words per
//! slot. Fragment programs are in memory order, inline constants included. A text of such words without a first line, as
//! `vp20compiler` of XboxDev/nxdk writes it, needs a stage like raw words.

use super::assemble::assemble_for;
use super::assembly::{Assembly, Microcode};
use super::diagnostic::Diagnostics;
use super::language::{FRAGMENT_HEADER, Language, ProgramStage};
use super::object::{ObjectError, read_directives};
use crate::isa::nv40_fragment::decode::FragmentDecodeError;
use crate::isa::{VertexIsa, VertexMicrocodeError};
use crate::shader::fragment::FragmentProgram;
use crate::shader::vertex::VertexProgram;

/// A program of either processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// For a vertex processor.
    Vertex(VertexProgram),
    /// For the fragment processor.
    Fragment(FragmentProgram),
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
        found: VertexIsa,
        /// The instruction set that is asked for.
        expected: VertexIsa,
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
        isa: VertexIsa,
    },
    /// The words are not a vertex program.
    #[error("vertex program: {0}")]
    Vertex(#[from] VertexMicrocodeError),
    /// The words are not a fragment program.
    #[error("fragment program: {0}")]
    Fragment(#[from] FragmentDecodeError),
}

/// Reads a program file. Errors of an assembly text call it `name`. Raw words need `stage`, which must agree with the first
/// line of a text. Vertex programs are for `isa`, or else for what the first line names, or else for NV40.
///
/// # Errors
/// When the file is in no known form, or its words are not a program.
pub fn read_program_file(
    name: &str,
    bytes: &[u8],
    stage: Option<ProgramStage>,
    isa: Option<VertexIsa>,
) -> Result<ProgramFile, MicrocodeFileError> {
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
    let microcode = match words_for {
        WordsFor::Vertex(isa) => {
            let (slots, rest) = words.as_chunks::<4>();
            if !rest.is_empty() {
                return Err(MicrocodeFileError::PartialInstruction { words: words.len() });
            }
            if slots.len() > isa.slots() {
                return Err(MicrocodeFileError::TooLong { slots: slots.len(), isa });
            }
            Microcode::Vertex(isa.microcode(slots.to_vec(), 0))
        }
        WordsFor::Fragment => Microcode::Fragment { words },
    };
    if directives.is_empty() {
        return Ok(ProgramFile { program: decode(&microcode)?, microcode, assembly: None });
    }
    let assembly = read_directives(&microcode, &directives)
        .map_err(|(line, error)| MicrocodeFileError::Directive { line, error })?;
    from_assembly(assembly)
}

fn from_assembly(assembly: Assembly) -> Result<ProgramFile, MicrocodeFileError> {
    let microcode = match &assembly {
        Assembly::Vertex(vertex) => Microcode::Vertex(vertex.microcode()),
        Assembly::Fragment(fragment) => Microcode::Fragment { words: fragment.words.clone() },
    };
    Ok(ProgramFile { program: decode(&microcode)?, microcode, assembly: Some(assembly) })
}

fn decode(microcode: &Microcode) -> Result<Program, MicrocodeFileError> {
    Ok(match microcode {
        Microcode::Vertex(microcode) => Program::Vertex(microcode.decode_state_program()?),
        Microcode::Fragment { words } => Program::Fragment(FragmentProgram::decode(words)?),
    })
}

/// Whether a text holds words instead of assembly.
fn has_words(text: &str) -> bool {
    words_for(text.lines().next().unwrap_or_default()).is_some()
}

/// The instruction set of a text file's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordsFor {
    Vertex(VertexIsa),
    Fragment,
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
    let vertex = VertexIsa::ALL.iter().map(|isa| WordsFor::Vertex(*isa));
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
    let expected = match expected {
        ProgramStage::Vertex => "vertex",
        ProgramStage::Fragment => "fragment",
    };
    Err(MicrocodeFileError::OtherStage { header, expected })
}

/// The first lines of words for vertex processors.
fn vertex_headers() -> String {
    VertexIsa::ALL.iter().map(|isa| isa.header()).collect::<Vec<_>>().join(" nor ")
}

/// Words and directives of a text, these with their line numbers.
type TextWords<'text> = (WordsFor, Vec<u32>, Directives<'text>);
type Directives<'text> = Vec<(usize, &'text str)>;

fn text_words(
    text: &str,
    wanted: Option<ProgramStage>,
    isa: Option<VertexIsa>,
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
    use super::{MicrocodeFileError, Program, ProgramStage, read_program_file};

    const BLIT: &str = "!!NV40vp\n# Mesa's blit program\n401f9c6c 0040000d 8106c083 6041ff80 # o[0]\n\
                        0x401f9c6c 0040080d 8106c083 6041ff9d\n";

    fn read_program(bytes: &[u8], stage: Option<ProgramStage>) -> Result<Program, MicrocodeFileError> {
        Ok(read_program_file("program", bytes, stage, None)?.program)
    }

    #[test]
    fn text_and_raw_words_are_the_same_program() {
        let program = read_program(BLIT.as_bytes(), None).unwrap();
        let words =
            [0x401f_9c6cu32, 0x0040_000d, 0x8106_c083, 0x6041_ff80, 0x401f_9c6c, 0x0040_080d, 0x8106_c083, 0x6041_ff9d];
        let raw: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
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
