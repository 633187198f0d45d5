//! The basic blocks of a kernel: instructions that a warp executes one after the other, or a fault.

use super::kernel_key::ComputeKernelKey;
use crate::pipeline::launch::FaultKind;

/// Where a warp can continue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// Instructions of the program by their numbers. After the last one follows what begins at an address, unless
    /// the instruction there cannot be executed.
    Instructions(std::ops::Range<usize>),
    /// An address without an instruction that the processor can execute.
    Fault(FaultKind),
}

/// The instructions of a basic block that can be executed, at least one.
pub(super) fn executed(key: &ComputeKernelKey, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let instructions = &key.program.instructions()[range.clone()];
    let count = instructions.iter().take_while(|instruction| key.executes(instruction)).count();
    range.start..range.start + count.max(1)
}
