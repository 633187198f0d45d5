//! How many blocks of a kernel a multiprocessor holds at a time, and what limits them.

use crate::machine::TeslaMachine;
use crate::named_enum;
use crate::pipeline::launch::WARP_THREADS;

/// What a block reserves on a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockNeeds {
    /// Its threads.
    pub threads: u32,
    /// The registers of a thread.
    pub registers: u32,
    /// Its shared memory in bytes.
    pub shared_bytes: u32,
}

named_enum! {
    /// What keeps another block from a multiprocessor.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Limiter {
        /// The number of warps.
        Warps = "warps",
        /// The number of blocks.
        Blocks = "blocks",
        /// Registers.
        Registers = "registers",
        /// Shared memory.
        SharedMemory = "shared memory",
        /// The threads of a single block.
        BlockThreads = "threads of a block",
    }
}

/// The blocks that a multiprocessor holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupancy {
    /// The blocks.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// The most warps of a multiprocessor.
    pub most_warps: u32,
    /// The registers that a block reserves.
    pub block_registers: u32,
    /// The shared memory that a block reserves, in bytes.
    pub block_shared_bytes: u32,
    /// What keeps another block away; several limits can be reached at once.
    pub limiters: Vec<Limiter>,
}

/// Finds how many blocks a multiprocessor holds.
///
/// Source: the CUDA occupancy calculator, for processors that reserve registers by block.
#[must_use]
pub fn occupancy(machine: &TeslaMachine, needs: BlockNeeds) -> Occupancy {
    let held = &machine.multiprocessor;
    let warps = needs.threads.div_ceil(WARP_THREADS).max(1);
    let registers = u64::from(needs.registers) * u64::from(WARP_THREADS * warps.next_multiple_of(held.warp_step));
    let registers = u32::try_from(registers.next_multiple_of(held.register_step.into())).unwrap_or(u32::MAX);
    let shared = needs.shared_bytes.checked_next_multiple_of(held.shared_step).unwrap_or(u32::MAX);
    let most = |total: u32, each: u32| total.checked_div(each).unwrap_or(u32::MAX);
    let limits = [
        (Limiter::Warps, held.warps / warps),
        (Limiter::Blocks, held.blocks),
        (Limiter::Registers, most(held.registers, registers)),
        (Limiter::SharedMemory, most(held.shared_bytes, shared)),
        (Limiter::BlockThreads, if needs.threads > held.block_threads { 0 } else { u32::MAX }),
    ];
    let blocks = limits.iter().map(|(_, limit)| *limit).min().unwrap_or(0);
    Occupancy {
        blocks,
        warps: blocks * warps,
        most_warps: held.warps,
        block_registers: registers,
        block_shared_bytes: shared,
        limiters: limits.iter().filter(|(_, limit)| *limit == blocks).map(|(limiter, _)| *limiter).collect(),
    }
}

impl Occupancy {
    /// The warps as a part of the most that there can be.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.most_warps)
    }

    /// The names of the limits, with commas.
    #[must_use]
    pub fn limited_by(&self) -> String {
        self.limiters.iter().map(|limiter| limiter.name()).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::Limiter::{BlockThreads, Blocks, Registers, SharedMemory, Warps};
    use super::*;
    use crate::machine::open_tesla;

    fn of(machine: &TeslaMachine, threads: u32, registers: u32, shared_bytes: u32) -> Occupancy {
        occupancy(machine, BlockNeeds { threads, registers, shared_bytes })
    }

    /// The example of the CUDA occupancy calculator 1.2: blocks of 256 threads with 10 registers and 4096 bytes on G80 give 8
    /// warps, 2560 registers, and 3, 3 and 4 blocks by warps, registers and shared memory.
    #[test]
    fn the_example_of_the_calculator() {
        let found = of(&TeslaMachine::default(), 256, 10, 4096);
        assert_eq!((found.blocks, found.warps, found.block_registers, found.block_shared_bytes), (3, 24, 2560, 4096));
        assert_eq!((found.limiters.as_slice(), found.fraction()), (&[Warps, Registers][..], 1.0));
    }

    /// By the rules: registers of an even number of warps in steps of 256, shared memory in steps of 512.
    #[test]
    fn each_limit_is_reached() {
        let g80 = TeslaMachine::default();
        for (threads, registers, shared, blocks, warps, limiters) in [
            (32, 8, 64, 8, 8, &[Blocks][..]),
            (64, 4, 2048, 8, 16, &[Blocks, SharedMemory]),
            (512, 8, 16, 1, 16, &[Warps]),
            (256, 11, 16, 2, 16, &[Registers]),
            (256, 16, 16, 2, 16, &[Registers]),
            (257, 16, 16, 1, 9, &[Registers]),
            (96, 20, 16, 3, 9, &[Registers]),
            (128, 8, 4097, 3, 12, &[SharedMemory]),
            (256, 33, 16, 0, 0, &[Registers]),
            (513, 1, 16, 0, 0, &[BlockThreads]),
            (384, 0, 0, 2, 24, &[Warps]),
        ] {
            let found = of(&g80, threads, registers, shared);
            let case = (threads, registers, shared);
            assert_eq!((found.blocks, found.warps, found.limiters.as_slice()), (blocks, warps, limiters), "{case:?}");
        }
    }

    /// Blocks of 192 threads with 10 registers: 1920 are 2048 on G80 in steps of 256, 4 blocks; 16384 on GT200 hold 8, but
    /// 32 warps only 5.
    #[test]
    fn later_chips_hold_more() {
        let gt200 = open_tesla("geforce-gtx-280").unwrap();
        assert_eq!(of(&TeslaMachine::default(), 192, 10, 16).block_registers, 2048);
        assert_eq!(of(&TeslaMachine::default(), 192, 10, 16).blocks, 4);
        assert_eq!((of(&gt200, 192, 10, 16).blocks, of(&gt200, 192, 10, 16).limiters.as_slice()), (5, &[Warps][..]));
    }
}
