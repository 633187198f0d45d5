//! Lists modules and programs as texts that assemble to the same words.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use super::super::cubin::GLOBAL_ALIGNMENT;
use super::code::Choice;
use super::directives::TYPES;
use super::layout::{Place, Shape, restrict};
use super::operands::{Line, Symbols};
use super::{HEADER, KINDS};
use crate::isa::tesla::module::{
    RELOCATION_CONSTANT_SPACE, TeslaConstants, TeslaKernel, TeslaModule, TeslaParameter, TeslaParameterKind,
    TeslaTexture,
};
use crate::isa::tesla::{TeslaDecodeError, TeslaInstruction, decode_program};
use crate::shader::simt::{Operand, ProgramKind};

/// Lists a module. The text assembles to the same module, but for parameter lists without a parameter.
#[must_use]
pub fn listing(module: &TeslaModule) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_module(&mut text, module);
    text
}

fn write_module(text: &mut String, module: &TeslaModule) -> fmt::Result {
    writeln!(text, "{HEADER}\n.target {}", module.generation.name())?;
    write_textures(text, &module.textures)?;
    for constants in &module.constants {
        write_constants(text, constants)?;
    }
    for global in &module.globals {
        let (name, bytes, offset) = (&global.name, global.bytes, global.address_offset);
        write!(text, ".global {name} {bytes} c{RELOCATION_CONSTANT_SPACE}[{offset:#x}]")?;
        if global.alignment != GLOBAL_ALIGNMENT {
            write!(text, " align {}", global.alignment)?;
        }
        text.push('\n');
        write_words(text, ".data", &global.words)?;
    }
    module.kernels.iter().try_for_each(|kernel| write_kernel(text, kernel))
}

fn write_textures(text: &mut String, textures: &[TeslaTexture]) -> fmt::Result {
    textures.iter().try_for_each(|texture| writeln!(text, ".texture {} {}", texture.name, texture.unit))
}

fn write_constants(text: &mut String, constants: &TeslaConstants) -> fmt::Result {
    let TeslaConstants { name, space, offset, bytes, words } = constants;
    writeln!(text, ".const {name} c{space}[{offset:#x}] {bytes}")?;
    write_words(text, ".data", words)
}

/// Writes words, four in a line.
fn write_words(text: &mut String, directive: &str, words: &[u32]) -> fmt::Result {
    words.chunks(4).try_for_each(|line| writeln!(text, "{}", raw(directive, line)))
}

/// A directive with words.
fn raw(directive: &str, words: &[u32]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("{word:#010x}")).collect();
    format!("{directive} {}", words.join(" "))
}

fn write_kernel(text: &mut String, kernel: &TeslaKernel) -> fmt::Result {
    writeln!(text, "\n.kernel {}", kernel.name)?;
    if kernel.kind != ProgramKind::Compute {
        let name = KINDS.iter().find(|(kind, _)| *kind == kernel.kind).map_or("", |(_, name)| name);
        writeln!(text, ".kind {name}")?;
    }
    writeln!(text, ".reg {}\n.shared {}", kernel.registers, kernel.shared_bytes)?;
    writeln!(text, ".local {}\n.bar {}", kernel.local_bytes, kernel.barriers)?;
    for parameter in kernel.parameters.iter().flatten() {
        writeln!(text, ".param {} {} s[{:#x}]", type_of(parameter), parameter.name, parameter.offset)?;
    }
    write_textures(text, &kernel.textures)?;
    for constants in &kernel.constants {
        write_constants(text, constants)?;
    }
    code_listing(&kernel.code, kernel.kind).iter().try_for_each(|line| writeln!(text, "{line}"))
}

/// The type of a parameter: one number, or bytes.
fn type_of(parameter: &TeslaParameter) -> String {
    let letter = TYPES.iter().find(|(_, kind)| *kind == parameter.kind).map_or('b', |(letter, _)| *letter);
    match (parameter.kind, parameter.bytes) {
        (TeslaParameterKind::Float, bytes @ (4 | 8)) => format!("{letter}{}", 8 * bytes),
        (TeslaParameterKind::Float, bytes) => format!("{letter}32[{}]", bytes / 4),
        (_, bytes @ (1 | 2 | 4 | 8)) => format!("{letter}{}", 8 * bytes),
        (_, bytes) => format!("{letter}8[{bytes}]"),
    }
}

/// A line of a program.
struct Listed {
    /// What it says without marks.
    text: String,
    place: Place,
}

/// Lists the words of a program, an instruction or label in a line. What is not an instruction is listed as words.
#[must_use]
pub fn code_listing(words: &[u32], kind: ProgramKind) -> Vec<String> {
    let decoded: Vec<_> = decode_program(words, kind).collect();
    let mut addresses = vec![0];
    for result in &decoded {
        addresses.push(addresses.last().map_or(0, |at| at + length(result)).min(words.len()));
    }
    let targets: BTreeSet<usize> = decoded
        .iter()
        .flatten()
        .filter_map(|found| found.instruction.target())
        .filter(|target| target % 4 == 0)
        .map(|target| target as usize / 4)
        .filter(|target| addresses.binary_search(target).is_ok())
        .collect();
    let mut lines: Vec<Listed> = decoded
        .iter()
        .zip(addresses.windows(2))
        .map(|(result, range)| {
            let words = &words[range[0]..range[1]];
            let (text, shape) = result
                .as_ref()
                .ok()
                .and_then(|found| instruction(found, words, kind, &targets))
                .unwrap_or_else(|| (unknown(result, words), Shape::Words(words.len())));
            Listed { text, place: Place { shape, has_label: targets.contains(&range[0]) } }
        })
        .collect();
    let before: Vec<Place> = lines.iter().map(|line| line.place).collect();
    let mut places = before.clone();
    restrict(&mut places, &addresses);
    let mut listed = Vec::new();
    for ((line, place), at) in lines.drain(..).zip(places).zip(&addresses) {
        if place.has_label {
            listed.push(format!("{}:", label(*at)));
        }
        let mark = match place.shape {
            restricted if restricted == line.place.shape => "",
            Shape::Instruction { short: true, .. } => "short ",
            _ => "long ",
        };
        listed.push(format!("    {mark}{}", line.text));
    }
    // A target may be the end of the program.
    listed.extend(targets.last().filter(|target| **target == words.len()).map(|target| format!("{}:", label(*target))));
    listed
}

/// The label of an address in words.
fn label(at: usize) -> String {
    format!("label_{:x}", 4 * at)
}

/// How many words an instruction, or what is none, has.
fn length(result: &Result<TeslaInstruction, TeslaDecodeError>) -> usize {
    match result {
        Ok(found) => found.form.bytes() as usize / 4,
        Err(TeslaDecodeError::Unknown { bytes, .. }) => *bytes as usize / 4,
        Err(TeslaDecodeError::Misaligned { .. } | TeslaDecodeError::Truncated { .. }) => 1,
    }
}

/// The text of an instruction and the forms that it has; `None` if the text does not assemble to the words.
fn instruction(
    found: &TeslaInstruction,
    words: &[u32],
    kind: ProgramKind,
    targets: &BTreeSet<usize>,
) -> Option<(String, Shape)> {
    let mut text = found.to_string();
    let target = found.instruction.target();
    let named = target.filter(|target| target % 4 == 0 && targets.contains(&(*target as usize / 4)));
    if let Some(target) = named {
        // The target is the last operand.
        let plain = found.instruction.sources.iter().any(|source| source.operand == Operand::CodeAddress(target));
        text = text.strip_suffix(&format!(" {target:#x}")).filter(|_| plain)?.to_owned();
        let _ = write!(text, " {}", label(target as usize / 4));
    }
    let flipped = found.unknown ^ found.ignored;
    if flipped != 0 {
        let _ = write!(text, " bits {flipped:#x}");
    }
    let mut line = Line::split(&text, 0).ok()?;
    let choice = Choice::read(&mut line, kind, &Symbols::default()).ok()?;
    let word = choice.encode(words.len(), named, kind)?;
    let [first, second] = [words[0], words.get(1).copied().unwrap_or(0)];
    let is_same = word == u64::from(second) << 32 | u64::from(first) && choice.names_label() == named.is_some();
    let shape = choice.shape();
    is_same.then_some((text, shape))
}

/// Words that are not an instruction, or one that no text tells from others.
fn unknown(result: &Result<TeslaInstruction, TeslaDecodeError>, words: &[u32]) -> String {
    let reason = match result {
        Ok(found) => found.to_string(),
        Err(error) => error.to_string(),
    };
    format!("{} // {reason}", raw(".words", words))
}
