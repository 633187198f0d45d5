//! The instructions of a compute program by address.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::isa::tesla::{TeslaInstruction, decode_at, decode_program};
use crate::shader::simt::{Operation, Predicate, ProgramKind};

/// A decoded instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComputeInstruction {
    /// What it does. Bits of its words that have no known meaning have no effect.
    pub decoded: TeslaInstruction,
    /// The address of the one after it, in bytes.
    pub next: u32,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComputeProgram {
    kind: ProgramKind,
    instructions: Vec<ComputeInstruction>,
    /// The number of the instruction that begins at each word.
    slots: Vec<Option<u32>>,
    /// Where basic blocks begin, ascending.
    starts: Vec<usize>,
    /// The address where warps begin.
    entry: u32,
}

/// Why there is no instruction at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeError {
    /// The address is beyond the end, or in the middle of a word.
    Outside,
    /// The words there are no instruction, or the address is that of a second word.
    Invalid,
}

impl ComputeProgram {
    /// Decodes a compute program. Words that are no instruction are an error when they are executed.
    #[must_use]
    pub fn decode(words: &[u32]) -> Self {
        Self::decode_kind(words, ProgramKind::Compute)
    }

    /// Decodes a program of a kind.
    #[must_use]
    pub fn decode_kind(words: &[u32], kind: ProgramKind) -> Self {
        Self::new(words.len(), decode_program(words, kind).flatten(), (kind, 0))
    }

    /// Decodes the instructions of memory that warps can reach from an address in bytes. The rest of the memory holds
    /// other programs or data.
    #[must_use]
    pub fn decode_from(words: &[u32], entry: u32, kind: ProgramKind) -> Self {
        let mut found = BTreeMap::new();
        let mut open = vec![entry];
        while let Some(address) = open.pop() {
            if found.contains_key(&address) || !address.is_multiple_of(4) {
                continue;
            }
            let Ok(decoded) = decode_at(words, address, kind) else { continue };
            let instruction = &decoded.instruction;
            open.extend(instruction.target());
            let leaves = matches!(instruction.operation, Operation::Branch | Operation::Return | Operation::Break);
            if !(instruction.exits || leaves && instruction.predicate == Predicate::Always) {
                open.push(address + decoded.form.bytes());
            }
            found.insert(address, decoded);
        }
        Self::new(words.len(), found.into_values(), (kind, entry))
    }

    fn new(words: usize, decoded: impl Iterator<Item = TeslaInstruction>, (kind, entry): (ProgramKind, u32)) -> Self {
        let mut slots = vec![None; words];
        let mut instructions = Vec::new();
        for decoded in decoded {
            let address = decoded.instruction.address;
            slots[address as usize / 4] = u32::try_from(instructions.len()).ok();
            instructions.push(ComputeInstruction { next: address + decoded.form.bytes(), decoded });
        }
        let mut program = Self { kind, instructions, slots, starts: Vec::new(), entry };
        program.starts = program.find_starts();
        program
    }

    /// What it computes for.
    #[must_use]
    pub const fn kind(&self) -> ProgramKind {
        self.kind
    }

    /// The address in bytes where warps begin.
    #[must_use]
    pub const fn entry(&self) -> u32 {
        self.entry
    }

    /// The instructions in order of their addresses.
    #[must_use]
    pub fn instructions(&self) -> &[ComputeInstruction] {
        &self.instructions
    }

    /// The number of the instruction at an address in bytes.
    ///
    /// # Errors
    /// When there is none.
    pub fn at(&self, address: u32) -> Result<usize, CodeError> {
        if !address.is_multiple_of(4) {
            return Err(CodeError::Outside);
        }
        match self.slots.get(address as usize / 4) {
            Some(Some(number)) => Ok(*number as usize),
            Some(None) => Err(CodeError::Invalid),
            None => Err(CodeError::Outside),
        }
    }

    /// The numbers of the instructions of each basic block. A warp enters one at its first instruction only, and leaves it
    /// after its last one, unless that fails.
    pub fn basic_blocks(&self) -> impl ExactSizeIterator<Item = Range<usize>> {
        self.starts.iter().enumerate().map(|(block, start)| *start..self.end_of(block))
    }

    /// Whether a basic block begins at an address, or there is no instruction.
    #[must_use]
    pub fn begins_basic_block(&self, address: u32) -> bool {
        self.at(address).map_or(true, |number| self.starts.binary_search(&number).is_ok())
    }

    /// The basic block that begins at an address in bytes.
    #[must_use]
    pub fn basic_block_at(&self, address: u32) -> Option<usize> {
        self.starts.binary_search(&self.at(address).ok()?).ok()
    }

    fn end_of(&self, block: usize) -> usize {
        self.starts.get(block + 1).copied().unwrap_or(self.instructions.len())
    }

    /// Instructions to which a warp can go, that do not follow the one before them, or before which a block ends.
    fn find_starts(&self) -> Vec<usize> {
        let mut is_start = vec![false; self.instructions.len()];
        if let Ok(entry) = self.at(self.entry) {
            is_start[entry] = true;
        }
        let mut previous = None;
        for (number, ComputeInstruction { decoded, next }) in self.instructions.iter().enumerate() {
            let instruction = &decoded.instruction;
            is_start[number] |= previous != Some(instruction.address);
            previous = if instruction.ends_basic_block() { None } else { Some(*next) };
            let Some(target) = instruction.target().and_then(|target| self.at(target).ok()) else { continue };
            is_start[target] = true;
            // Threads that have joined continue after the instruction at which they join.
            let after = self.at(self.instructions[target].next);
            if let (Operation::PushJoin, Ok(after)) = (instruction.operation, after) {
                is_start[after] = true;
            }
        }
        is_start.iter().enumerate().filter(|(_, is_start)| **is_start).map(|(number, _)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::tesla::read_module;

    #[test]
    fn basic_blocks_begin_at_targets_and_after_flow() {
        // Two short ones; joinat 0x20; two short ones; a branch to 4; two short ones, the first one the place to join.
        let (short, joinat, branch) = (0x1000_8404, [0xa000_4003, 0], [0x1000_0803, 0x0000_0780]);
        let words = [short, short, joinat[0], joinat[1], short, short, branch[0], branch[1], short, short];
        let program = ComputeProgram::decode(&words);
        let operations: Vec<_> = program.instructions().iter().map(|found| found.decoded.to_string()).collect();
        assert_eq!((&*operations[2], &*operations[5]), ("joinat 0x20", "bra 0x4"));
        let blocks: Vec<_> = program.basic_blocks().collect();
        assert_eq!(blocks, [0..1, 1..3, 3..6, 6..7, 7..8]);
        assert_eq!([0x10, 0x20, 0x24].map(|address| program.basic_block_at(address)), [Some(2), Some(3), Some(4)]);
        assert_eq!(program.basic_block_at(0x14), None);
        assert_eq!([0x10, 0x14, 0x28].map(|address| program.begins_basic_block(address)), [true, false, true]);
    }

    #[test]
    fn only_what_warps_can_reach_is_decoded() {
        let text = "!!Tesla1.0\n.kernel whole\n    st b32 g14[$r1] $r0\n    exit nop\n    mov b32 $r1 0x5\n    bra skip\n\
                    \n    add b32 $r1 $r1 $r2\nskip:\n    exit nop\n    exit nop\n";
        let module = read_module("test", text.as_bytes()).unwrap().unwrap();
        let words = &module.kernels[0].code;
        // Another program's two instructions; four instructions, one of them behind a branch; one of a third program.
        let all: Vec<_> =
            ComputeProgram::decode(words).instructions().iter().map(|found| found.decoded.to_string()).collect();
        assert_eq!(all.len(), 7, "{all:?}");
        let program = ComputeProgram::decode_from(words, 0x10, ProgramKind::Compute);
        let found: Vec<_> = program.instructions().iter().map(|found| found.decoded.to_string()).collect();
        assert_eq!(found, [&*all[2], &all[3], &all[5]]);
        assert_eq!((program.entry(), program.at(0x10), program.at(0)), (0x10, Ok(0), Err(CodeError::Invalid)));
        assert_eq!(program.basic_blocks().collect::<Vec<_>>(), [0..2, 2..3]);
    }

    #[test]
    fn instructions_are_found_by_address() {
        // Two short ones, a long one, and words that are none.
        let program =
            ComputeProgram::decode(&[0x1000_8404, 0x1000_8404, 0xf000_0001, 0xe000_0781, 0x7000_0001, 0x2000_0780]);
        assert_eq!([0, 4, 8].map(|address| program.at(address)), [Ok(0), Ok(1), Ok(2)]);
        assert_eq!([12, 16].map(|address| program.at(address)), [Err(CodeError::Invalid); 2]);
        assert_eq!([2, 24].map(|address| program.at(address)), [Err(CodeError::Outside); 2]);
        assert_eq!(program.instructions().iter().map(|found| found.next).collect::<Vec<_>>(), [4, 8, 16]);
    }
}
