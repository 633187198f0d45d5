//! The instructions of a compute program by address.

use crate::isa::tesla::{TeslaInstruction, decode_program};
use crate::shader::simt::ProgramKind;

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
    instructions: Vec<ComputeInstruction>,
    /// The number of the instruction that begins at each word.
    slots: Vec<Option<u32>>,
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
    /// Decodes a program. Words that are no instruction are an error when they are executed.
    #[must_use]
    pub fn decode(words: &[u32]) -> Self {
        let mut slots = vec![None; words.len()];
        let mut instructions = Vec::new();
        for decoded in decode_program(words, ProgramKind::Compute).flatten() {
            let address = decoded.instruction.address;
            slots[address as usize / 4] = u32::try_from(instructions.len()).ok();
            instructions.push(ComputeInstruction { next: address + decoded.form.bytes(), decoded });
        }
        Self { instructions, slots }
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
}

#[cfg(test)]
mod tests {
    use super::*;

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
