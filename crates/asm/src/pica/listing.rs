//! Lists a shader binary as a text that assembles to the same binary.
#![expect(clippy::cast_possible_truncation, reason = "addresses are below the size of the store")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::constants::number_of;
use super::registers::is_register_name;
use crate::isa::nv40_vertex::disassemble::Mask;
use crate::isa::pica_vertex::{PicaDecodeError, PicaInstruction};
use crate::shbin::{
    Executable, GeometryMode, OutputSemantic, RegisterFile, Shbin, ShbinConstant, ShbinStage, ShbinValue,
};

/// What the names of registers begin with that stand between those with a name.
const GAP: &str = "_gap$";

/// Why the language cannot describe a binary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PicaListingError {
    /// A word has no meaning.
    #[error(transparent)]
    Decode(#[from] PicaDecodeError),
    /// The binary has no executable with this number.
    #[error("there is no executable {number}")]
    NoExecutable {
        /// The number.
        number: usize,
    },
    /// Two procedures share words, or one has none.
    #[error("word {address}: the procedure from here is empty, or shares words with another one")]
    Procedure {
        /// Where a procedure begins.
        address: u16,
    },
    /// A scope does not lie within the one around it.
    #[error("word {address}: the scope from here reaches beyond the one around it")]
    Scope {
        /// Where the scope begins.
        address: u16,
    },
    /// A name is not one of the language, or its registers cannot be reserved.
    #[error("no directive declares {name:?}")]
    Uniform {
        /// The name.
        name: String,
    },
}

/// Writes an executable and all code of a binary as text.
///
/// # Errors
/// When the language cannot describe them.
pub fn listing(binary: &Shbin, number: usize) -> Result<String, PicaListingError> {
    let executable = binary.executables.get(number).ok_or(PicaListingError::NoExecutable { number })?;
    let shader = binary.shader();
    let program: Vec<PicaInstruction> =
        (0..shader.code.len()).map(|address| shader.written_instruction(address)).collect::<Result<_, _>>()?;
    let mut text = declarations(executable)?;
    let procedures = procedures(&program, executable)?;
    let _ = writeln!(text, ".entry proc_{}", executable.entry);
    let jumps = program.iter().filter_map(|instruction| match instruction {
        PicaInstruction::Jump { target, .. } => Some(*target),
        _ => None,
    });
    let labels: BTreeSet<u16> = jumps.collect();
    for (start, end) in procedures {
        let _ = writeln!(text, "\n.proc proc_{start}");
        procedure(&mut text, &program, start..end, &labels)?;
        text.push_str(".end\n");
    }
    Ok(text)
}

/// The procedures, each from its first word to the address behind its last one. They cover all words.
fn procedures(program: &[PicaInstruction], executable: &Executable) -> Result<BTreeMap<u16, u16>, PicaListingError> {
    let mut found = BTreeMap::new();
    let calls = program.iter().filter_map(|instruction| match *instruction {
        PicaInstruction::Call { target, count, .. } => Some((target, target + u16::from(count))),
        _ => None,
    });
    for (start, end) in calls.chain([(executable.entry as u16, executable.end as u16)]) {
        if found.insert(start, end).is_some_and(|known| known != end) || end <= start {
            return Err(PicaListingError::Procedure { address: start });
        }
    }
    let mut next = 0;
    let mut between = Vec::new();
    for (&start, &end) in &found {
        if start < next {
            return Err(PicaListingError::Procedure { address: start });
        }
        between.push((next, start));
        next = end;
    }
    between.push((next, program.len() as u16));
    found.extend(between.into_iter().filter(|(start, end)| start < end));
    Ok(found)
}

/// A scope that is open at an address.
struct Open {
    /// The address of its else part, if that is still to come.
    otherwise: Option<u16>,
    end: u16,
}

fn procedure(
    text: &mut String,
    program: &[PicaInstruction],
    words: std::ops::Range<u16>,
    labels: &BTreeSet<u16>,
) -> Result<(), PicaListingError> {
    let mut open: Vec<Open> = Vec::new();
    for address in words.clone() {
        close(text, &mut open, address);
        if labels.contains(&address) {
            let _ = writeln!(text, "label_{address}:");
        }
        let instruction = &program[usize::from(address)];
        let _ = writeln!(text, "{}{instruction}", "    ".repeat(open.len() + 1));
        let scope = match *instruction {
            PicaInstruction::If { otherwise, count, .. } => {
                let end = otherwise + u16::from(count);
                Open { otherwise: (count > 0).then_some(otherwise), end }
            }
            PicaInstruction::Loop { last, .. } => Open { otherwise: None, end: last + 1 },
            _ => continue,
        };
        let around = open.last().map_or(words.end, |around| around.otherwise.unwrap_or(around.end));
        let begins = scope.otherwise.unwrap_or(scope.end);
        if begins <= address || scope.end > around {
            return Err(PicaListingError::Scope { address });
        }
        open.push(scope);
    }
    close(text, &mut open, words.end);
    Ok(())
}

/// Writes what ends or begins at an address.
fn close(text: &mut String, open: &mut Vec<Open>, address: u16) {
    loop {
        let depth = "    ".repeat(open.len());
        let Some(scope) = open.last_mut() else { return };
        if scope.otherwise == Some(address) {
            scope.otherwise = None;
            let _ = writeln!(text, "{depth}.else");
        } else if scope.end == address {
            open.pop();
            let _ = writeln!(text, "{depth}.end");
        } else {
            return;
        }
    }
}

/// The directives before the code.
fn declarations(executable: &Executable) -> Result<String, PicaListingError> {
    let mut text = String::new();
    let floats = executable.uniforms.iter().filter(|uniform| uniform.file == RegisterFile::Float);
    let first_float = floats.map(|uniform| uniform.first).min();
    let mut next = [0, 0, 0, 0];
    if let ShbinStage::Geometry { mode, fixed_start, variable_count, fixed_count } = executable.stage {
        // A geometry shader with registers of its own merges outputs where it has dummies.
        let has_dummies = executable.outputs.iter().any(|output| output.semantic == OutputSemantic::Dummy);
        let shares_registers = mode == GeometryMode::Point && has_dummies && !executable.merges_outputs;
        let first = first_float.unwrap_or(95);
        next[RegisterFile::Float as usize] = if shares_registers { 0 } else { first };
        let _ = match mode {
            GeometryMode::Point if shares_registers => writeln!(text, ".gsh"),
            GeometryMode::Point => writeln!(text, ".gsh point c{first}"),
            GeometryMode::Variable => writeln!(text, ".gsh variable c{first} {variable_count}"),
            GeometryMode::Fixed => writeln!(text, ".gsh fixed c{first} c{fixed_start} {fixed_count}"),
        };
    }
    for uniform in &executable.uniforms {
        let unknown = || PicaListingError::Uniform { name: uniform.name.clone() };
        let name = uniform.name.replace('.', "$");
        let count = uniform.last - uniform.first + 1;
        let directive = match uniform.file {
            RegisterFile::Input => {
                let _ = writeln!(text, ".in {name} v{}", uniform.first);
                ""
            }
            RegisterFile::Float => "fvec",
            RegisterFile::Integer => "ivec",
            RegisterFile::Boolean => "bool",
        };
        let is_word = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '$' || letter == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$');
        let is_input = directive.is_empty();
        if !is_word
            || is_register_name(&name)
            || (is_input && count > 1)
            || (!is_input && name.starts_with('_'))
            || name.starts_with(GAP)
        {
            return Err(unknown());
        }
        if is_input {
            continue;
        }
        let next = &mut next[uniform.file as usize];
        let gap = uniform.first.checked_sub(*next).ok_or_else(unknown)?;
        if gap > 0 {
            let _ = writeln!(text, ".{directive} {GAP}{directive}{next}[{gap}]");
        }
        let _ = match count {
            1 => writeln!(text, ".{directive} {name}"),
            _ => writeln!(text, ".{directive} {name}[{count}]"),
        };
        *next = uniform.last + 1;
    }
    for output in &executable.outputs {
        let mask = Mask(output.mask);
        let _ = writeln!(text, ".out - {} o{}{mask}", output.semantic.name(), output.register);
    }
    for ShbinConstant { register, value } in &executable.constants {
        let _ = match value {
            ShbinValue::Boolean(value) => writeln!(text, ".setb b{register} {value}"),
            ShbinValue::Integer([x, y, z, w]) => writeln!(text, ".seti i{register}({x}, {y}, {z}, {w})"),
            ShbinValue::Float(components) => {
                let [x, y, z, w] = components.map(|bits| match number_of(bits) {
                    Some(number) => number.to_string(),
                    None => format!("{bits:#08x}"),
                });
                writeln!(text, ".setf c{register}({x}, {y}, {z}, {w})")
            }
        };
    }
    Ok(text)
}
