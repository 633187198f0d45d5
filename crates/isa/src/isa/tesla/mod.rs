//! The instruction set of the Tesla processor (G80, `sm_10`, and later ones to GT215): words to typed SIMT instructions
//! and back, and text.
//!
//! Instructions are decoded, encoded and printed. The reference executes those of compute programs.
//!
//! [`TeslaRow`] holds one instruction of the set with the places of its operands; decoding and encoding are the same
//! walk over these places. The text has the syntax of envydis, the public disassembler (envytools). envydis prints the
//! same for every instruction of the 94 compiled kernels of decuda's tests, and for random words except that it scales
//! the third source of geometry programs by two, misses the increment of a 32-bit second source in compute programs, and
//! prints negative increments without a sign. Some bits that envydis accepts are reported as unknown here.
//!
//! Source: envytools `docs/hw/graph/tesla/cuda/*.rst`, `envydis/g80.c`; hwtest for the processors' behavior.

pub use crate::shader::simt::TeslaGeneration;
use crate::shader::simt::{
    Condition, Destination, Instruction, MemoryOperand, Operand, Predicate, ProgramKind, Source, Space,
};

mod codec;
mod disassemble;
mod fit;
pub mod module;
mod pattern;
mod program;
mod rows;
mod rows_convert;
mod rows_long;
mod rows_short;
mod table;
#[cfg(test)]
pub mod tests;
mod variants;
mod word;
mod words;

use codec::Codec;
pub use disassemble::TeslaTextPart;
pub use fit::{TeslaFit, TeslaPlace, describe_forms, fits};
pub use pattern::TeslaPattern;
pub use table::TeslaRow;
use table::{ConditionUse, SourcePlace, SourceRow};
pub use word::{TeslaField, TeslaForm};
pub use words::{access_named, conditions, space, space_named};

/// An instruction with its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeslaInstruction {
    /// What it does.
    pub instruction: Instruction,
    /// The form of its word.
    pub form: TeslaForm,
    /// The first generation that has it.
    pub generation: TeslaGeneration,
    /// Bits that have no known meaning in this instruction, where the word differs from the plain encoding.
    pub unknown: u64,
    /// The same for bits that are known to have no effect.
    pub ignored: u64,
}

/// Why words are not an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TeslaDecodeError {
    /// No instruction has these bits.
    #[error("{address:#x}: {word:#x} is not a known instruction")]
    Unknown {
        /// Where it is, in bytes.
        address: u32,
        /// The word, or both words with the first one low.
        word: u64,
        /// Its length in bytes.
        bytes: u32,
    },
    /// An instruction of two words does not start at a multiple of eight bytes.
    #[error("{address:#x}: an instruction of two words is not aligned to eight bytes")]
    Misaligned {
        /// Where it is, in bytes.
        address: u32,
    },
    /// The second word is missing.
    #[error("{address:#x}: the second word of the instruction is missing")]
    Truncated {
        /// Where it is, in bytes.
        address: u32,
    },
}

/// The instruction cannot be encoded in the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{address:#x}: no encoding holds the instruction and its operands")]
pub struct TeslaEncodeError {
    /// Where the instruction is, in bytes.
    pub address: u32,
}

/// Decodes one instruction; the bits above its length do not count.
///
/// # Errors
/// When no instruction has these bits.
pub fn decode(address: u32, word: u64, kind: ProgramKind) -> Result<TeslaInstruction, TeslaDecodeError> {
    let form = TeslaForm::of(word);
    let word = if form.bytes() == 4 { word & 0xffff_ffff } else { word };
    let unknown = TeslaDecodeError::Unknown { address, word, bytes: form.bytes() };
    let row = TeslaRow::all().find(|row| row.form == form && row.matches(word, kind)).ok_or(unknown)?;
    let mut reader = Codec { word, covered: row.mask, form, kind, writes: false };
    let instruction = transfer(row, &mut reader, &blank(address)).ok_or(unknown)?;
    // Bits that the row does not read, and those of equivalent variants.
    let mut writer = Codec { word: row.bits, covered: row.mask, writes: true, ..reader };
    transfer(row, &mut writer, &instruction).ok_or(unknown)?;
    let rest = word ^ writer.word;
    let generation = row.generation;
    let ignored = row.ignored
        | if has_lone_primitive(row, &instruction.sources) { TeslaField::SOURCE1_IS_MEMORY.mask() } else { 0 };
    Ok(TeslaInstruction { instruction, form, generation, unknown: rest & !ignored, ignored: rest & ignored })
}

/// Decodes a program; an unknown instruction does not end it.
pub fn decode_program(
    words: &[u32],
    kind: ProgramKind,
) -> impl Iterator<Item = Result<TeslaInstruction, TeslaDecodeError>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = *words.get(at)?;
        let decoded = decode_at(words, u32::try_from(4 * at).ok()?, kind);
        let is_whole = !matches!(decoded, Err(TeslaDecodeError::Misaligned { .. }));
        at += if is_long(first) && is_whole { 2 } else { 1 };
        Some(decoded)
    })
}

/// The address of the first instruction of two words that is not whole or not aligned to eight bytes, with the error; `None`
/// if all are.
#[must_use]
pub fn broken_instruction(words: &[u32], kind: ProgramKind) -> Option<(u32, TeslaDecodeError)> {
    decode_program(words, kind).find_map(|result| match result.err()? {
        TeslaDecodeError::Unknown { .. } => None,
        error @ (TeslaDecodeError::Misaligned { address } | TeslaDecodeError::Truncated { address }) => {
            Some((address, error))
        }
    })
}

/// Decodes the instruction that begins at an address in bytes of a program.
///
/// # Errors
/// When no instruction begins there.
pub fn decode_at(words: &[u32], address: u32, kind: ProgramKind) -> Result<TeslaInstruction, TeslaDecodeError> {
    let at = address as usize / 4;
    let first = *words.get(at).ok_or(TeslaDecodeError::Truncated { address })?;
    if !is_long(first) {
        return decode(address, first.into(), kind);
    }
    if !address.is_multiple_of(8) {
        return Err(TeslaDecodeError::Misaligned { address });
    }
    let second = *words.get(at + 1).ok_or(TeslaDecodeError::Truncated { address })?;
    decode(address, u64::from(second) << 32 | u64::from(first), kind)
}

/// Whether an instruction of two words begins with this one.
fn is_long(first: u32) -> bool {
    TeslaField::IS_LONG.get(first.into()) != 0
}

impl TeslaInstruction {
    /// Encodes an instruction in the first form that holds it: short, immediate, long, control.
    ///
    /// The caller aligns it: instructions of one word come in pairs.
    ///
    /// # Errors
    /// When no form holds it.
    pub fn shortest(instruction: Instruction, kind: ProgramKind) -> Result<Self, TeslaEncodeError> {
        const ORDER: [TeslaForm; 5] =
            [TeslaForm::Short, TeslaForm::ShortControl, TeslaForm::Immediate, TeslaForm::Long, TeslaForm::Control];
        let error = TeslaEncodeError { address: instruction.address };
        let found = ORDER.into_iter().find_map(|form| encode_in(&instruction, form, kind).map(|row| (form, row.1)));
        let (form, generation) = found.ok_or(error)?;
        Ok(Self { instruction, form, generation, unknown: 0, ignored: 0 })
    }

    /// Encodes an instruction in a form of one or of two words; `None` if no form of this length holds it.
    #[must_use]
    pub fn of_length(instruction: &Instruction, bytes: u32, kind: ProgramKind) -> Option<Self> {
        let forms = TeslaForm::ALL.into_iter().filter(|form| form.bytes() == bytes);
        let (form, generation) = forms.filter_map(|form| Some((form, encode_in(instruction, form, kind)?.1))).next()?;
        Some(Self { instruction: instruction.clone(), form, generation, unknown: 0, ignored: 0 })
    }

    /// The word, or both words with the first one low.
    ///
    /// # Errors
    /// When the form does not hold the instruction.
    pub fn encode(&self, kind: ProgramKind) -> Result<u64, TeslaEncodeError> {
        let error = TeslaEncodeError { address: self.instruction.address };
        let (word, _) = encode_in(&self.instruction, self.form, kind).ok_or(error)?;
        Ok(word ^ self.unknown ^ self.ignored)
    }
}

/// The word of an instruction in a form, and the generation of its row.
fn encode_in(instruction: &Instruction, form: TeslaForm, kind: ProgramKind) -> Option<(u64, TeslaGeneration)> {
    TeslaRow::all().filter(|row| row.form == form).find_map(|row| {
        let mut writer = Codec { word: row.bits, covered: row.mask, form, kind, writes: true };
        // A place that cannot hold an operand gives another one back; another row may come first when decoding.
        let written = transfer(row, &mut writer, instruction)?;
        let decoded = (written == *instruction).then(|| decode(instruction.address, writer.word, kind).ok())??;
        (decoded.instruction == *instruction && decoded.unknown == 0).then_some((writer.word, row.generation))
    })
}

/// The instruction from which nothing is written.
const fn blank(address: u32) -> Instruction {
    Instruction {
        address,
        operation: crate::shader::simt::Operation::Nothing,
        destination: Destination::None,
        sources: Vec::new(),
        condition_write: None,
        predicate: Predicate::Always,
        exits: false,
        joins: false,
    }
}

/// Walks over the places of a row and reads the instruction there, or writes this one and reads it back. `None` if a
/// place holds nothing that is known, or the row has another operation.
fn transfer(row: &TeslaRow, codec: &mut Codec, value: &Instruction) -> Option<Instruction> {
    let variant = if codec.writes { row.variant(value.operation)? } else { 0 };
    let operation = (row.operation)(codec.field(row.variants, variant))?;
    let (exits, joins) = if row.form == TeslaForm::Long {
        let marker = codec.field(TeslaField::MARKER, u32::from(value.exits) | u32::from(value.joins) << 1);
        (marker == 1, marker == 2)
    } else {
        (false, false)
    };
    // The operands first: the carry of a sum names the condition register that the predicate tests.
    let mut sources = Vec::with_capacity(row.sources.len());
    for (position, place) in row.sources.iter().enumerate() {
        let source = match value.sources.get(position) {
            Some(source) => *source,
            None if codec.writes => return None,
            None => Source::of(Operand::Address(0)),
        };
        let width = place.width.unwrap_or_else(|| operation.source_width(position));
        sources.push(Source {
            operand: codec.source(place.place, width, source.operand)?,
            absolute: codec.flag(place.absolute, source.absolute),
            negate: codec.flag(place.negate, source.negate),
            invert: codec.flag(place.invert, source.invert),
        });
    }
    if has_lone_primitive(row, &sources) {
        codec.flag(TeslaField::SOURCE1_IS_MEMORY, true);
    }
    let width = row.destination_width.unwrap_or_else(|| operation.destination_width());
    let destination = codec.destination(row.destination, width, value.destination);
    let condition_write = transfer_condition_write(row.condition, codec, value.condition_write);
    let predicate = if row.is_predicated { transfer_predicate(codec, value.predicate)? } else { Predicate::Always };
    let address = value.address;
    Some(Instruction { address, operation, destination, sources, condition_write, predicate, exits, joins })
}

/// Whether the first source of a long instruction is in the primitive and no other one may be a constant. The bit that
/// tells whether the others are registers then has no effect, and Mesa's compiler sets it.
fn has_lone_primitive(row: &TeslaRow, sources: &[Source]) -> bool {
    let is_primitive =
        |source: &Source| matches!(source.operand, Operand::Memory(MemoryOperand { space: Space::Primitive, .. }));
    let is_operand = |source: &SourceRow| !matches!(source.place, SourcePlace::First | SourcePlace::Number(_));
    row.form == TeslaForm::Long && sources.first().is_some_and(is_primitive) && !row.sources.iter().any(is_operand)
}

#[expect(clippy::cast_possible_truncation, reason = "the field has two bits")]
fn transfer_condition_write(row: ConditionUse, codec: &mut Codec, value: Option<u8>) -> Option<u8> {
    match row {
        ConditionUse::Never => return None,
        ConditionUse::IfEnabled if !codec.flag(TeslaField::WRITES_CONDITION, value.is_some()) => return None,
        ConditionUse::IfEnabled | ConditionUse::Always => {}
    }
    Some(codec.field(TeslaField::CONDITION_WRITE, value.unwrap_or(0).into()) as u8)
}

/// The code of conditions that are always true.
const ALWAYS: u32 = 15;

#[expect(clippy::cast_possible_truncation, reason = "the field has two bits")]
fn transfer_predicate(codec: &mut Codec, value: Predicate) -> Option<Predicate> {
    let (code, register) = match value {
        Predicate::Always => (ALWAYS, 0),
        Predicate::Never => (0, 0),
        Predicate::If { register, condition: Condition::Compare(relations) } => {
            (variants::relations_code(relations), register)
        }
        Predicate::If { register, condition } => {
            (variants::FLAG_CONDITIONS.iter().find(|(_, flag)| *flag == condition)?.0, register)
        }
    };
    let condition = match codec.field(TeslaField::PREDICATE, code) {
        ALWAYS => return Some(Predicate::Always),
        0 => return Some(Predicate::Never),
        code @ 1..ALWAYS => Condition::Compare(variants::relations(code)),
        code => variants::FLAG_CONDITIONS.iter().find(|(flag, _)| *flag == code)?.1,
    };
    Some(Predicate::If { register: codec.field(TeslaField::CONDITION, register.into()) as u8, condition })
}
