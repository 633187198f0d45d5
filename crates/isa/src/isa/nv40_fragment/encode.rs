//! Encodes a [`FragmentProgram`] as microcode of the fragment processor: instructions, inline constants, flow
//! offsets.

use super::limits::{SLOT_LIMIT, SLOT_WORDS};
use super::{FragmentField as Field, FragmentOpcode, FragmentWord};
use crate::shader::condition::{ConditionTest, Swizzle};
use crate::shader::fragment::{
    Block, FragmentNode, FragmentOperation, FragmentProgram, FragmentRegister, FragmentSource, FragmentSourceKind,
};

/// Why a typed program cannot be encoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FragmentEncodeError {
    /// The program has more slots than the processor can address.
    #[error("the program has more than {SLOT_LIMIT} instruction slots")]
    TooLong,
    /// An instruction names a constant that the program does not have.
    #[error("constant {index} does not exist")]
    MissingConstant {
        /// The index.
        index: u16,
    },
    /// A call names a subroutine that the program does not have.
    #[error("subroutine {index} does not exist")]
    MissingSubroutine {
        /// The index.
        index: usize,
    },
}

/// Microcode and the positions of its inline constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedFragmentProgram {
    /// The words in the order of memory.
    pub words: Vec<u32>,
    /// The slot of each inline constant with its index in [`FragmentProgram::constants`].
    pub constant_slots: Vec<(u32, u16)>,
    /// The slot of each LOOP and REP, in the order of the program text: the main block, then the subroutines.
    pub loop_slots: Vec<u32>,
}

impl FragmentProgram {
    /// Writes the program as microcode: the main block, ended by END, then the subroutines, each ended by RET.
    ///
    /// Fields without a counterpart in the typed program are zero, except for unread sources, which name R0.
    ///
    /// # Errors
    /// When the program is too long, or names constants or subroutines that it does not have.
    pub fn encode(&self) -> Result<EncodedFragmentProgram, FragmentEncodeError> {
        let encoded = EncodedFragmentProgram { words: Vec::new(), constant_slots: Vec::new(), loop_slots: Vec::new() };
        let mut encoder = Encoder { program: self, encoded, calls: Vec::new() };
        encoder.block(&self.body)?;
        encoder.end(self.body.last())?;
        let mut starts = Vec::with_capacity(self.subroutines.len());
        for subroutine in &self.subroutines {
            starts.push(encoder.offset()?);
            encoder.block(subroutine)?;
            encoder.instruction(flow(FragmentOpcode::Ret, ConditionTest::ALWAYS))?;
        }
        for (call, index) in encoder.calls {
            let target = starts.get(index).ok_or(FragmentEncodeError::MissingSubroutine { index })?;
            encoder.encoded.words[call + 2] |= target;
        }
        Ok(encoder.encoded)
    }
}

struct Encoder<'program> {
    program: &'program FragmentProgram,
    encoded: EncodedFragmentProgram,
    /// Word offsets of calls, with their subroutines.
    calls: Vec<(usize, usize)>,
}

impl Encoder<'_> {
    /// The offset of the next instruction.
    fn offset(&self) -> Result<u32, FragmentEncodeError> {
        u32::try_from(self.encoded.words.len()).map_err(|_| FragmentEncodeError::TooLong)
    }

    fn slot(&mut self, words: [u32; 4]) -> Result<(), FragmentEncodeError> {
        if self.offset()? >= SLOT_LIMIT * SLOT_WORDS {
            return Err(FragmentEncodeError::TooLong);
        }
        self.encoded.words.extend(words);
        Ok(())
    }

    /// Appends an instruction; returns the offset of its first word.
    fn instruction(&mut self, word: FragmentWord) -> Result<usize, FragmentEncodeError> {
        let start = self.encoded.words.len();
        self.slot(word.0)?;
        Ok(start)
    }

    /// Marks the last instruction as the end, if allowed, or appends a NOP that is marked.
    fn end(&mut self, last: Option<&FragmentNode>) -> Result<(), FragmentEncodeError> {
        let last_start = match last {
            Some(FragmentNode::Operation(operation)) => {
                let slots = if constant_of(operation).is_some() { 2 } else { 1 };
                self.encoded.words.len() - 4 * slots
            }
            _ => self.instruction(canonical(FragmentOpcode::Nop).with(Field::NO_DESTINATION, 1))?,
        };
        self.encoded.words[last_start] |= 1;
        Ok(())
    }

    fn block(&mut self, block: &Block) -> Result<(), FragmentEncodeError> {
        for node in block {
            match node {
                FragmentNode::Operation(operation) => self.operation(operation)?,
                FragmentNode::If { condition, then, otherwise } => {
                    let start = self.instruction(flow(FragmentOpcode::If, *condition))?;
                    self.block(then)?;
                    self.encoded.words[start + 2] |= self.offset()?;
                    self.block(otherwise)?;
                    self.encoded.words[start + 3] = self.offset()?;
                }
                FragmentNode::Loop { count, initial, increment, has_index, condition, body } => {
                    let opcode = if *has_index { FragmentOpcode::Loop } else { FragmentOpcode::Rep };
                    let word = flow(opcode, *condition)
                        .with(Field::LOOP_COUNT, u32::from(*count))
                        .with(Field::LOOP_INITIAL, u32::from(*initial))
                        .with(Field::LOOP_INCREMENT, u32::from(increment.cast_unsigned()));
                    self.encoded.loop_slots.push(self.offset()? / SLOT_WORDS);
                    let start = self.instruction(word)?;
                    self.block(body)?;
                    self.encoded.words[start + 3] = self.offset()?;
                }
                FragmentNode::Call { condition, subroutine } => {
                    let start = self.instruction(flow(FragmentOpcode::Cal, *condition))?;
                    self.calls.push((start, *subroutine));
                }
                FragmentNode::Break { condition } => {
                    self.instruction(flow(FragmentOpcode::Brk, *condition))?;
                }
                FragmentNode::Return { condition } => {
                    self.instruction(flow(FragmentOpcode::Ret, *condition))?;
                }
            }
        }
        Ok(())
    }

    fn operation(&mut self, operation: &FragmentOperation) -> Result<(), FragmentEncodeError> {
        self.instruction(encode_operation(operation))?;
        if let Some(index) = constant_of(operation) {
            let missing = FragmentEncodeError::MissingConstant { index };
            let value = *self.program.constants.get(usize::from(index)).ok_or(missing)?;
            self.encoded.constant_slots.push((self.offset()? / SLOT_WORDS, index));
            self.slot(value)?;
        }
        Ok(())
    }
}

/// The constant that follows an instruction; all of its constant sources read the same one.
fn constant_of(operation: &FragmentOperation) -> Option<u16> {
    operation.sources.iter().find_map(|source| match source.kind {
        FragmentSourceKind::Constant(index) => Some(index),
        FragmentSourceKind::Register(_) | FragmentSourceKind::Input => None,
    })
}

/// An instruction without operands that every fragment executes.
pub fn canonical(opcode: FragmentOpcode) -> FragmentWord {
    let code = u32::from(opcode.code());
    let unread = swizzle_bits(Swizzle::IDENTITY) << 9;
    with_condition(FragmentWord([0, unread, unread, unread]), ConditionTest::ALWAYS)
        .with(Field::OPCODE, code)
        .with(Field::FLOW, code >> 6)
}

/// A flow instruction whose offsets are zero.
pub fn flow(opcode: FragmentOpcode, condition: ConditionTest) -> FragmentWord {
    let word = FragmentWord::default()
        .with(Field::OPCODE, u32::from(opcode.code()))
        .with(Field::FLOW, 1)
        .with(Field::NO_DESTINATION, 1);
    with_condition(word, condition)
}

fn with_condition(word: FragmentWord, condition: ConditionTest) -> FragmentWord {
    word.with(Field::CONDITION, condition.relation as u32)
        .with(Field::CONDITION_SWIZZLE, swizzle_bits(condition.swizzle))
        .with(Field::CONDITION_TESTED, u32::from(condition.register))
}

/// Encodes one instruction without its inline constant.
#[must_use]
pub fn encode_operation(operation: &FragmentOperation) -> FragmentWord {
    let mut word = with_condition(canonical(FragmentOpcode::of(operation.kind)), operation.condition)
        .with(Field::WRITE_MASK, u32::from(operation.mask.0))
        .with(Field::INPUT, u32::from(operation.input.attribute()))
        .with(Field::TEXTURE_UNIT, u32::from(operation.texture_unit))
        .with(Field::EXPAND_TEXEL, u32::from(operation.expand_texel))
        .with(Field::PRECISION, operation.precision as u32)
        .with(Field::SCALE, operation.scale as u32)
        .with(Field::SATURATE, u32::from(operation.saturate))
        .with(Field::DISPLACEMENT, i32::from(operation.input_displacement).cast_unsigned())
        .with(Field::INPUT_INDEXED, u32::from(operation.is_input_indexed))
        .with(Field::DIVIDES_BY_W, u32::from(operation.divides_by_w));
    word = match operation.destination {
        Some(FragmentRegister { index, is_half }) => {
            word.with(Field::DESTINATION, u32::from(index)).with(Field::DESTINATION_HALF, u32::from(is_half))
        }
        None => word.with(Field::NO_DESTINATION, 1),
    };
    if let Some(register) = operation.condition_update {
        word = word.with(Field::CONDITION_UPDATE, 1).with(Field::CONDITION_WRITTEN, u32::from(register));
    }
    let fields = [(Field::ABS0, Field::PRECISION0), (Field::ABS1, Field::PRECISION1), (Field::ABS2, Field::PRECISION2)];
    for ((index, source), (absolute, precision)) in (0..).zip(operation.sources).zip(fields) {
        word = with_source(word, index, source)
            .with(absolute, u32::from(source.absolute))
            .with(precision, source.precision as u32);
    }
    word
}

fn with_source(word: FragmentWord, index: u8, source: FragmentSource) -> FragmentWord {
    let word = match source.kind {
        FragmentSourceKind::Register(register) => word
            .with(Field::source_type(index), 0)
            .with(Field::source_register(index), u32::from(register.index))
            .with(Field::source_half(index), u32::from(register.is_half)),
        FragmentSourceKind::Input => word.with(Field::source_type(index), 1),
        FragmentSourceKind::Constant(_) => word.with(Field::source_type(index), 2),
    };
    word.with(Field::source_swizzle(index), swizzle_bits(source.swizzle))
        .with(Field::source_negate(index), u32::from(source.negate))
}

/// A swizzle with x in its lowest bits.
fn swizzle_bits(Swizzle(components): Swizzle) -> u32 {
    components.iter().rev().fold(0, |bits, &component| bits << 2 | u32::from(component & 3))
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
