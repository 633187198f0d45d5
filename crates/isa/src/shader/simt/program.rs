//! The instructions of a program by address, and its basic blocks.

use std::ops::Range;

use super::{Instruction, Operation, ProgramKind, TeslaGeneration};

/// An instruction of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramInstruction {
    /// What it does. Bits of its words that have no known meaning have no effect.
    pub instruction: Instruction,
    /// The address of the one after it, in bytes.
    pub next: u32,
    /// The first generation of the processor that has it.
    pub generation: TeslaGeneration,
    /// Its text in the assembly language.
    pub text: String,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimtProgram {
    kind: ProgramKind,
    instructions: Vec<ProgramInstruction>,
    /// The words of the memory that holds them.
    words: usize,
    /// Where basic blocks begin, ascending.
    starts: Vec<usize>,
    /// The address where warps begin.
    entry: u32,
    /// Whether products of floats with zero are zero, whatever the other factor is.
    zero_wins: bool,
}

/// Why there is no instruction at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeError {
    /// The address is beyond the end, or in the middle of a word.
    Outside,
    /// The words there are no instruction, or the address is that of a second word.
    Invalid,
}

impl SimtProgram {
    /// A program of instructions in order of their addresses, in memory of this number of words.
    pub(crate) fn new(words: usize, instructions: Vec<ProgramInstruction>, (kind, entry): (ProgramKind, u32)) -> Self {
        let mut program = Self { kind, instructions, words, starts: Vec::new(), entry, zero_wins: false };
        program.starts = program.find_starts();
        program
    }

    /// The same program where zero wins in products of floats, or not.
    #[must_use]
    pub fn with_zero_wins(self, zero_wins: bool) -> Self {
        Self { zero_wins, ..self }
    }

    /// Whether products of single-precision floats with zero are zero, even if the other factor is infinite or not a number.
    #[must_use]
    pub const fn zero_wins(&self) -> bool {
        self.zero_wins
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
    pub fn instructions(&self) -> &[ProgramInstruction] {
        &self.instructions
    }

    /// The number of the instruction at an address in bytes.
    ///
    /// # Errors
    /// When there is none.
    pub fn at(&self, address: u32) -> Result<usize, CodeError> {
        if !address.is_multiple_of(4) || address as usize / 4 >= self.words {
            return Err(CodeError::Outside);
        }
        self.instructions
            .binary_search_by_key(&address, |found| found.instruction.address)
            .map_err(|_| CodeError::Invalid)
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
        for (number, ProgramInstruction { instruction, next, .. }) in self.instructions.iter().enumerate() {
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
