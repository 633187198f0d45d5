//! Decodes the words of a program into a SIMT program.

use std::collections::BTreeMap;

use super::{TeslaInstruction, decode_at, decode_program};
use crate::shader::simt::{Operation, Predicate, ProgramInstruction, ProgramKind, SimtProgram};

impl SimtProgram {
    /// Decodes a compute program. Words that are no instruction are an error when they are executed.
    #[must_use]
    pub fn decode(words: &[u32]) -> Self {
        Self::decode_kind(words, ProgramKind::Compute)
    }

    /// Decodes a program of a kind.
    #[must_use]
    pub fn decode_kind(words: &[u32], kind: ProgramKind) -> Self {
        program(words, decode_program(words, kind).flatten(), (kind, 0))
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
        program(words, found.into_values(), (kind, entry))
    }
}

/// A program of decoded instructions in order of their addresses.
fn program(words: &[u32], decoded: impl Iterator<Item = TeslaInstruction>, begin: (ProgramKind, u32)) -> SimtProgram {
    let instructions = decoded.map(|decoded| ProgramInstruction {
        next: decoded.instruction.address + decoded.form.bytes(),
        generation: decoded.generation,
        text: decoded.to_string(),
        instruction: decoded.instruction,
    });
    SimtProgram::new(words.len(), instructions.collect(), begin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shader::simt::CodeError;

    #[test]
    fn basic_blocks_begin_at_targets_and_after_flow() {
        // Two short ones; joinat 0x20; two short ones; a branch to 4; two short ones, the first one the place to join.
        let (short, joinat, branch) = (0x1000_8404, [0xa000_4003, 0], [0x1000_0803, 0x0000_0780]);
        let words = [short, short, joinat[0], joinat[1], short, short, branch[0], branch[1], short, short];
        let program = SimtProgram::decode(&words);
        let operations: Vec<_> = program.instructions().iter().map(|found| found.text.as_str()).collect();
        assert_eq!((operations[2], operations[5]), ("joinat 0x20", "bra 0x4"));
        let blocks: Vec<_> = program.basic_blocks().collect();
        assert_eq!(blocks, [0..1, 1..3, 3..6, 6..7, 7..8]);
        assert_eq!([0x10, 0x20, 0x24].map(|address| program.basic_block_at(address)), [Some(2), Some(3), Some(4)]);
        assert_eq!(program.basic_block_at(0x14), None);
        assert_eq!([0x10, 0x14, 0x28].map(|address| program.begins_basic_block(address)), [true, false, true]);
    }

    #[test]
    fn only_what_warps_can_reach_is_decoded() {
        // Two short ones and one that exits; two short ones, a branch to 0x28, two short ones, and one that exits; another
        // one that exits.
        let (short, branch, exit) = (0x1000_8404, [0x1000_5003, 0x0000_0780], [0xf000_0001, 0xe000_0781]);
        let words = [&[short; 2][..], &exit, &[short; 2], &branch, &[short; 2], &exit, &exit].concat();
        assert_eq!(SimtProgram::decode(&words).instructions().len(), 10);
        let program = SimtProgram::decode_from(&words, 0x10, ProgramKind::Compute);
        let addresses: Vec<_> = program.instructions().iter().map(|found| found.instruction.address).collect();
        assert_eq!(addresses, [0x10, 0x14, 0x18, 0x28]);
        assert_eq!(program.instructions()[2].text, "bra 0x28");
        assert_eq!((program.entry(), program.at(0x10), program.at(0)), (0x10, Ok(0), Err(CodeError::Invalid)));
        assert_eq!(program.basic_blocks().collect::<Vec<_>>(), [0..3, 3..4]);
    }

    #[test]
    fn instructions_are_found_by_address() {
        // Two short ones, a long one, and words that are none.
        let program =
            SimtProgram::decode(&[0x1000_8404, 0x1000_8404, 0xf000_0001, 0xe000_0781, 0x7000_0001, 0x2000_0780]);
        assert_eq!([0, 4, 8].map(|address| program.at(address)), [Ok(0), Ok(1), Ok(2)]);
        assert_eq!([12, 16].map(|address| program.at(address)), [Err(CodeError::Invalid); 2]);
        assert_eq!([2, 24].map(|address| program.at(address)), [Err(CodeError::Outside); 2]);
        assert_eq!(program.instructions().iter().map(|found| found.next).collect::<Vec<_>>(), [4, 8, 16]);
    }
}
