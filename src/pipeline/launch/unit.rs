//! The units of a multiprocessor, and which of them executes an instruction.

use crate::named_enum;
use crate::shader::simt::{Instruction, Operation, Space};

named_enum! {
    /// A unit of a multiprocessor that executes instructions of warps.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Unit {
        /// The scalar processors.
        Scalar = "scalar",
        /// The special function units.
        Special = "special",
        /// The path to local and global memory and to textures.
        Memory = "memory",
        /// The scheduler itself: branches, barriers and stacks.
        Flow = "flow",
    }
}

impl Unit {
    /// The unit of an instruction.
    // Unverified: that the special function units reduce arguments; two instructions for a sine then take the 32 clocks of
    // the programming guide.
    #[must_use]
    pub fn of(instruction: &Instruction) -> Self {
        match instruction.operation {
            Operation::Special(_)
            | Operation::PrepareSine
            | Operation::PrepareExponential
            | Operation::Interpolate(_)
            | Operation::Move { uses_sfu: true, .. } => Self::Special,
            Operation::Texture(_) | Operation::Reduce { .. } | Operation::Atomic { .. } => Self::Memory,
            operation if operation.changes_flow() => Self::Flow,
            Operation::BranchIndirect { .. }
            | Operation::Barrier { .. }
            | Operation::Trap
            | Operation::Breakpoint
            | Operation::Discard
            | Operation::Emit
            | Operation::RestartStrip => Self::Flow,
            _ if instruction.memory_operands().any(|memory| is_far(memory.space)) => Self::Memory,
            _ => Self::Scalar,
        }
    }
}

/// Whether a space lies in the board's memory without a cache.
#[must_use]
pub const fn is_far(space: Space) -> bool {
    matches!(space, Space::Local | Space::Global(_))
}
