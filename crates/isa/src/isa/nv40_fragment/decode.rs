//! Decodes microcode of the fragment processor into a [`FragmentProgram`]: instructions, constants and a tree of
//! blocks.
//!
//! Flow instructions name absolute word offsets. A block ends at the offset in its flow instruction, and
//! everything between must fit: offsets that go back, cross an outer block or miss an instruction boundary are
//! errors.

use std::collections::BTreeMap;

pub use super::decode_error::FragmentDecodeError;
use super::decode_operation::{condition_of, decode_operation};
pub use super::limits::{CALL_LIMIT, IF_LIMIT, LOOP_LIMIT, SLOT_LIMIT, SLOT_WORDS};
use super::loop_end::infer_loop_end;
use super::{FlowOpcode, FragmentField, FragmentOpcode, FragmentWord, OpcodeMeaning};
use crate::shader::condition::Relation;
use crate::shader::fragment::{Block, FragmentNode, FragmentProgram};

impl FragmentProgram {
    /// Decodes a program from its first word; ignores words after its end.
    ///
    /// # Errors
    /// When the words end too early, hold undefined values, or their flow is not structured.
    pub fn decode(words: &[u32]) -> Result<Self, FragmentDecodeError> {
        Self::decode_from(&mut |offset| words.get(offset as usize).copied())
    }

    /// Decodes a program whose words are read one by one by offset; `None` marks the end of the words.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub fn decode_from(read: &mut dyn FnMut(u32) -> Option<u32>) -> Result<Self, FragmentDecodeError> {
        let mut decoder = Decoder::new(read);
        let body = decoder.routine(0, Routine::Main)?;
        Ok(Self {
            body,
            subroutines: decoder.subroutines.into_iter().map(|subroutine| subroutine.block).collect(),
            constants: decoder.constants,
            words: decoder.words_used,
        })
    }

    /// The main block and the subroutines.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        std::iter::once(&self.body).chain(&self.subroutines)
    }
}

/// The owner of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Routine {
    Main,
    Subroutine,
}

/// The nesting depth of flow at a point, or below a point.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlowDepth {
    /// IF blocks inside of each other.
    pub ifs: u32,
    /// LOOP and REP blocks inside of each other.
    pub loops: u32,
    /// Calls inside of each other.
    pub calls: u32,
}

impl FlowDepth {
    fn checked(self, offset: u32) -> Result<Self, FragmentDecodeError> {
        let limits = [("IF", self.ifs, IF_LIMIT), ("LOOP", self.loops, LOOP_LIMIT), ("CAL", self.calls, CALL_LIMIT)];
        match limits.into_iter().find(|&(_, depth, limit)| depth > limit) {
            Some((what, _, limit)) => Err(FragmentDecodeError::TooDeep { offset, what, limit }),
            None => Ok(self),
        }
    }

    fn plus(self, inner: Self) -> Self {
        Self { ifs: self.ifs + inner.ifs, loops: self.loops + inner.loops, calls: self.calls + inner.calls }
    }

    /// The deeper one of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self { ifs: self.ifs.max(other.ifs), loops: self.loops.max(other.loops), calls: self.calls.max(other.calls) }
    }
}

/// A range of words that a block must fill exactly.
#[derive(Debug, Clone, Copy)]
struct Region {
    routine: Routine,
    /// The end; `None` for the outermost block of a routine.
    end: Option<u32>,
    /// Whether END may be at its end: every enclosing region ends there as well.
    is_tail: bool,
    depth: FlowDepth,
}

impl Region {
    /// The region of an inner block that ends at `end`.
    fn inner(self, end: u32, depth: FlowDepth) -> Self {
        let is_tail = self.is_tail && self.end.is_none_or(|outer| outer == end);
        Self { end: Some(end), is_tail, depth, ..self }
    }
}

/// Why a block ended, and the offset of the next instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockEnd {
    /// The end of its region, or RET.
    Region(u32),
    /// The END bit.
    Program,
}

struct Subroutine {
    block: Block,
    inner: FlowDepth,
}

struct Decoder<'read> {
    read: &'read mut dyn FnMut(u32) -> Option<u32>,
    words_used: u32,
    slots_left: u32,
    constants: Vec<[u32; 4]>,
    subroutines: Vec<Subroutine>,
    /// The index of the subroutine at an offset; `None` while it is being decoded.
    known: BTreeMap<u32, Option<usize>>,
    /// The number of calls being decoded.
    active_calls: u32,
    /// The deepest nesting seen in the routine being decoded.
    inner: FlowDepth,
}

impl<'read> Decoder<'read> {
    fn new(read: &'read mut dyn FnMut(u32) -> Option<u32>) -> Self {
        Self {
            read,
            words_used: 0,
            slots_left: SLOT_LIMIT,
            constants: Vec::new(),
            subroutines: Vec::new(),
            known: BTreeMap::new(),
            active_calls: 0,
            inner: FlowDepth::default(),
        }
    }

    fn routine(&mut self, start: u32, routine: Routine) -> Result<Block, FragmentDecodeError> {
        let mut block = Block::new();
        self.block(start, Region { routine, end: None, is_tail: true, depth: FlowDepth::default() }, &mut block)?;
        Ok(block)
    }

    /// Reads the four words at `offset`.
    fn slot(&mut self, offset: u32) -> Result<[u32; 4], FragmentDecodeError> {
        let too_long = FragmentDecodeError::TooLong { offset };
        if offset >= SLOT_LIMIT * SLOT_WORDS {
            return Err(too_long);
        }
        // Code shared by several subroutines is decoded for each, so the limit also bounds the work.
        self.slots_left = self.slots_left.checked_sub(1).ok_or(too_long)?;
        let mut words = [0; 4];
        for (word, index) in words.iter_mut().zip(offset..) {
            *word = (self.read)(index).ok_or(FragmentDecodeError::MissingEnd { offset })?;
        }
        self.words_used = self.words_used.max(offset + SLOT_WORDS);
        Ok(words)
    }

    /// Decodes from `offset` to the end of the region.
    fn block(&mut self, mut offset: u32, region: Region, block: &mut Block) -> Result<BlockEnd, FragmentDecodeError> {
        while region.end.is_none_or(|end| offset < end) {
            let start = offset;
            let word = FragmentWord(self.slot(start)?);
            offset += SLOT_WORDS;
            let code = word.opcode_bits();
            let opcode = FragmentOpcode::from_code(code).ok_or(FragmentDecodeError::UnknownValue {
                offset: start,
                field: FragmentField::OPCODE.name,
                value: u32::from(code),
            })?;
            match opcode.row().meaning {
                OpcodeMeaning::Flow(flow @ (FlowOpcode::If | FlowOpcode::Loop | FlowOpcode::Rep)) => {
                    if word.is_set(FragmentField::END) {
                        let problem = "stands on an instruction that opens a block";
                        return Err(FragmentDecodeError::MisplacedEnd { offset: start, problem });
                    }
                    let end = if flow == FlowOpcode::If {
                        self.if_else(start, word, region, block)?
                    } else {
                        self.repeat(start, word, flow == FlowOpcode::Loop, region, block)?
                    };
                    match end {
                        BlockEnd::Region(next) => offset = next,
                        BlockEnd::Program => return Ok(end),
                    }
                    continue;
                }
                OpcodeMeaning::Flow(FlowOpcode::Return)
                    if region.end.is_none() && condition_of(word).relation == Relation::Always =>
                {
                    return Ok(BlockEnd::Region(offset));
                }
                OpcodeMeaning::Flow(FlowOpcode::Return) => {
                    block.push(FragmentNode::Return { condition: condition_of(word) });
                }
                OpcodeMeaning::Flow(FlowOpcode::Break) if region.depth.loops == 0 => {
                    return Err(FragmentDecodeError::BreakOutsideLoop { offset: start });
                }
                OpcodeMeaning::Flow(FlowOpcode::Break) => {
                    block.push(FragmentNode::Break { condition: condition_of(word) });
                }
                OpcodeMeaning::Flow(FlowOpcode::Call) => block.push(self.call(start, word, region)?),
                OpcodeMeaning::Operation(kind) => {
                    let mut constant = None;
                    if word.has_constant() {
                        constant = Some(self.constants.len());
                        let value = self.slot(offset)?;
                        self.constants.push(value);
                        offset += SLOT_WORDS;
                    }
                    block.push(FragmentNode::Operation(decode_operation(start, word, kind, constant)?));
                }
            }
            if word.is_set(FragmentField::END) {
                check_end(start, offset, region)?;
                return Ok(BlockEnd::Program);
            }
        }
        match region.end {
            Some(end) if end != offset => Err(FragmentDecodeError::BadOffset {
                offset,
                field: "block end",
                target: end,
                problem: "lies inside an instruction",
            }),
            _ => Ok(BlockEnd::Region(offset)),
        }
    }

    fn if_else(
        &mut self,
        offset: u32,
        word: FragmentWord,
        region: Region,
        block: &mut Block,
    ) -> Result<BlockEnd, FragmentDecodeError> {
        let first = offset + SLOT_WORDS;
        let end = checked_offset(offset, word, FragmentField::FLOW_END, first, region)?;
        let depth = FlowDepth { ifs: region.depth.ifs + 1, ..region.depth }.checked(offset)?;
        self.inner = self.inner.max(depth);
        let inner = region.inner(end, depth);
        let middle = checked_offset(offset, word, FragmentField::FLOW_OFFSET, first, inner)?;
        let (mut then, mut otherwise) = (Block::new(), Block::new());
        let mut reached = self.block(first, inner.inner(middle, depth), &mut then)?;
        if middle != end {
            reached = self.block(middle, inner, &mut otherwise)?;
        }
        block.push(FragmentNode::If { condition: condition_of(word), then, otherwise });
        Ok(reached)
    }

    fn repeat(
        &mut self,
        offset: u32,
        word: FragmentWord,
        has_index: bool,
        region: Region,
        block: &mut Block,
    ) -> Result<BlockEnd, FragmentDecodeError> {
        let first = offset + SLOT_WORDS;
        let end = match word.get(FragmentField::FLOW_END) {
            0 => infer_loop_end(self.read, first).filter(|end| region.end.is_none_or(|outer| *end <= outer)),
            _ => None,
        };
        let end = match end {
            Some(end) => end,
            None => checked_offset(offset, word, FragmentField::FLOW_END, first, region)?,
        };
        let depth = FlowDepth { loops: region.depth.loops + 1, ..region.depth }.checked(offset)?;
        self.inner = self.inner.max(depth);
        let mut body = Block::new();
        // It is not known whether END inside a loop ends the first iteration or the last, so it is rejected there.
        let reached = self.block(first, Region { is_tail: false, ..region.inner(end, depth) }, &mut body)?;
        let byte = |field: FragmentField| word.get(field).to_le_bytes()[0];
        block.push(FragmentNode::Loop {
            count: byte(FragmentField::LOOP_COUNT),
            initial: byte(FragmentField::LOOP_INITIAL),
            increment: byte(FragmentField::LOOP_INCREMENT).cast_signed(),
            has_index,
            condition: condition_of(word),
            body,
        });
        Ok(reached)
    }

    fn call(&mut self, offset: u32, word: FragmentWord, region: Region) -> Result<FragmentNode, FragmentDecodeError> {
        let target = word.get(FragmentField::FLOW_OFFSET);
        if !target.is_multiple_of(SLOT_WORDS) {
            let (field, problem) = ("call target", "is not a multiple of 4");
            return Err(FragmentDecodeError::BadOffset { offset, field, target, problem });
        }
        let subroutine = match self.known.get(&target) {
            Some(Some(subroutine)) => *subroutine,
            Some(None) => return Err(FragmentDecodeError::Recursion { offset, target }),
            None => self.subroutine(offset, target)?,
        };
        let inner = self.subroutines[subroutine].inner;
        let depth = region.depth.plus(FlowDepth { calls: inner.calls + 1, ..inner }).checked(offset)?;
        self.inner = self.inner.max(depth);
        Ok(FragmentNode::Call { condition: condition_of(word), subroutine })
    }

    fn subroutine(&mut self, offset: u32, target: u32) -> Result<usize, FragmentDecodeError> {
        self.active_calls += 1;
        FlowDepth { calls: self.active_calls, ..FlowDepth::default() }.checked(offset)?;
        self.known.insert(target, None);
        let outer = std::mem::take(&mut self.inner);
        let block = self.routine(target, Routine::Subroutine)?;
        let inner = std::mem::replace(&mut self.inner, outer);
        self.active_calls -= 1;
        self.subroutines.push(Subroutine { block, inner });
        let index = self.subroutines.len() - 1;
        self.known.insert(target, Some(index));
        Ok(index)
    }
}

/// The offset in a flow field, which must lie between `first` and the end of the region.
fn checked_offset(
    offset: u32,
    word: FragmentWord,
    field: FragmentField,
    first: u32,
    region: Region,
) -> Result<u32, FragmentDecodeError> {
    let target = word.get(field);
    let problem = if !target.is_multiple_of(SLOT_WORDS) {
        "is not a multiple of 4"
    } else if target < first {
        "goes back"
    } else if region.end.is_some_and(|end| target > end) {
        "crosses the end of the enclosing block"
    } else {
        return Ok(target);
    };
    Err(FragmentDecodeError::BadOffset { offset, field: field.name, target, problem })
}

fn check_end(offset: u32, next: u32, region: Region) -> Result<(), FragmentDecodeError> {
    let problem = if region.routine == Routine::Subroutine {
        "stands in a subroutine that does not return before it"
    } else if !region.is_tail || region.end.is_some_and(|end| end != next) {
        // Unverified: whether the processor ends the fragments that get here and continues with the others.
        "stands inside a block, with more of the program behind it"
    } else {
        return Ok(());
    };
    Err(FragmentDecodeError::MisplacedEnd { offset, problem })
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;
