//! Defines an instruction: an operation, its operands, and which threads execute it.

use super::{Destination, MemoryOperand, Operand, Operation, Predicate, Source};

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Where it is in the program, in bytes.
    pub address: u32,
    /// What it computes.
    pub operation: Operation,
    /// What receives the result.
    pub destination: Destination,
    /// The operands, in the operation's order.
    pub sources: Vec<Source>,
    /// The condition register that receives the flags of the result.
    pub condition_write: Option<u8>,
    /// Which threads execute it.
    pub predicate: Predicate,
    /// Whether the active threads end after it, whatever the predicate.
    pub exits: bool,
    /// Whether the warp pops its stack after it, to run or join diverged threads.
    pub joins: bool,
}

impl Instruction {
    /// The instruction that its flow continues at or pushes, as an address in bytes.
    #[must_use]
    pub fn target(&self) -> Option<u32> {
        self.sources.iter().find_map(|source| match source.operand {
            Operand::CodeAddress(address) => Some(address),
            _ => None,
        })
    }

    /// The constant that a source is; 0 if it is none.
    #[must_use]
    pub fn immediate(&self, source: usize) -> u32 {
        match self.sources.get(source).map(|source| source.operand) {
            Some(Operand::Immediate(value)) => value,
            _ => 0,
        }
    }

    /// The memory that the first source is.
    #[must_use]
    pub fn memory_source(&self) -> Option<MemoryOperand> {
        match self.sources.first()?.operand {
            Operand::Memory(memory) => Some(memory),
            _ => None,
        }
    }

    /// The operands in memory, sources first.
    pub fn memory_operands(&self) -> impl Iterator<Item = MemoryOperand> + '_ {
        let sources = self.sources.iter().filter_map(|source| match source.operand {
            Operand::Memory(memory) => Some(memory),
            _ => None,
        });
        let destination = match self.destination {
            Destination::Memory(memory) => Some(memory),
            _ => None,
        };
        sources.chain(destination)
    }

    /// Whether the warp may continue elsewhere, with other threads, or later after it.
    #[must_use]
    pub const fn ends_basic_block(&self) -> bool {
        self.exits
            || self.joins
            || self.operation.changes_flow()
            || matches!(self.operation, Operation::Barrier { .. } | Operation::Trap)
    }
}
