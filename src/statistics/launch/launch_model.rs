//! Follows the steps of a launch: counts what each instruction does, and times the blocks on the multiprocessors.

use super::InstructionCounts;
use super::banks::{ConstantCache, Passes, constant_passes, shared_passes};
use super::coalescing::{Coalesced, coalesce, partition_of};
use super::multiprocessor::{BlockSteps, Multiprocessor, MultiprocessorTime, WarpStep};
use super::occupancy::{BlockNeeds, Occupancy, occupancy};
use super::timing::InstructionTiming;
use crate::machine::TeslaMachine;
use crate::pipeline::launch::{Launch, MemoryKind, TraceStep};
use crate::shader::simt::Operation;

/// Adds accesses to shared memory.
fn add_shared(counts: &mut InstructionCounts, passes: Passes) {
    counts.shared_half_warps += u64::from(passes.half_warps);
    counts.shared_passes += u64::from(passes.passes);
}

/// Adds reads of constants.
fn add_constant(counts: &mut InstructionCounts, passes: Passes, misses: u32) {
    counts.constant_half_warps += u64::from(passes.half_warps);
    counts.constant_passes += u64::from(passes.passes);
    counts.constant_misses += u64::from(misses);
}

/// Adds accesses to local or global memory.
fn add_memory(counts: &mut InstructionCounts, found: &Coalesced, moved: u32) {
    counts.memory_half_warps += u64::from(found.half_warps);
    counts.coalesced += u64::from(found.coalesced);
    counts.transactions += found.transactions.len() as u64;
    counts.bytes_asked += u64::from(found.asked);
    counts.bytes_moved += u64::from(moved);
}

/// What a launch did on a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchStatistics {
    /// The blocks of a multiprocessor.
    pub occupancy: Occupancy,
    /// What each instruction did, in the program's order.
    pub instructions: Vec<InstructionCounts>,
    /// The bytes moved by each partition of the memory, without those of local memory.
    pub partition_bytes: Vec<u64>,
    /// The multiprocessors that had blocks.
    pub busy_multiprocessors: u32,
    /// Clocks from the start to the end: those of the last multiprocessor, or of the busiest partition if it takes longer.
    pub clocks: f64,
    /// Clocks in which the busiest partition transfers its bytes.
    pub partition_clocks: f64,
    /// The clocks of all multiprocessors together.
    pub time: MultiprocessorTime,
}

/// A block whose steps are followed.
#[derive(Debug)]
struct CurrentBlock {
    number: u64,
    multiprocessor: usize,
    start: f64,
    steps: BlockSteps,
}

/// Follows the steps of a launch, in the order of the trace.
///
/// A block goes to the multiprocessor that has room for it first, and of several to the one with most room. Multiprocessors
/// with blocks share the memory bus evenly.
// Unverified: how the chip distributes blocks, and what the bus gives to each multiprocessor.
#[derive(Debug)]
pub struct LaunchModel<'machine> {
    machine: &'machine TeslaMachine,
    timings: Vec<InstructionTiming>,
    branches: Vec<bool>,
    block_warps: usize,
    /// The cache of constants of each multiprocessor.
    caches: Vec<ConstantCache>,
    multiprocessors: Vec<Multiprocessor<'machine>>,
    /// When each multiprocessor has room for further blocks.
    free: Vec<Vec<f64>>,
    /// The current block, if one has begun.
    current: Option<CurrentBlock>,
    statistics: LaunchStatistics,
}

impl<'machine> LaunchModel<'machine> {
    /// Before the first step.
    #[must_use]
    pub fn new(machine: &'machine TeslaMachine, launch: &Launch) -> Self {
        let needs = BlockNeeds {
            threads: launch.block_threads(),
            registers: launch.stage.registers,
            shared_bytes: launch.reserved_shared_bytes(),
        };
        let instructions = launch.stage.program.instructions();
        let is_branch = |operation: Operation| operation == Operation::Branch;
        let occupancy = occupancy(machine, needs);
        let blocks: u64 = launch.grid.into_iter().map(u64::from).product();
        let busy = u32::try_from(blocks).unwrap_or(u32::MAX).min(machine.multiprocessors());
        let bytes_per_clock = machine.memory_bytes_per_clock() / f64::from(busy.max(1));
        let multiprocessor = || Multiprocessor::new(machine, instructions.len(), bytes_per_clock);
        let count = machine.multiprocessors() as usize;
        Self {
            machine,
            timings: InstructionTiming::of_program(machine, &launch.stage.program),
            branches: instructions.iter().map(|found| is_branch(found.instruction.operation)).collect(),
            block_warps: launch.block_warps() as usize,
            caches: vec![ConstantCache::new(machine); count],
            multiprocessors: std::iter::repeat_with(multiprocessor).take(count).collect(),
            free: vec![vec![0.0; occupancy.blocks.max(1) as usize]; count],
            current: None,
            statistics: LaunchStatistics {
                occupancy,
                instructions: vec![InstructionCounts::default(); instructions.len()],
                partition_bytes: vec![0; machine.memory.partitions as usize],
                busy_multiprocessors: busy,
                clocks: 0.0,
                partition_clocks: 0.0,
                time: MultiprocessorTime::new(instructions.len()),
            },
        }
    }

    /// Follows a step. Steps come block by block.
    pub fn step(&mut self, step: &TraceStep) {
        let mut current = match self.current.take() {
            Some(current) if current.number == step.block => current,
            ended => {
                self.end_block(ended);
                self.begin_block(step.block)
            }
        };
        let issued = self.count(step, current.multiprocessor);
        if let Some(steps) = current.steps.get_mut(step.warp as usize) {
            steps.push(issued);
        }
        self.current = Some(current);
    }

    /// Finds the multiprocessor for a block.
    fn begin_block(&mut self, number: u64) -> CurrentBlock {
        for (free, multiprocessor) in self.free.iter_mut().zip(&mut self.multiprocessors) {
            if free.is_empty() {
                free.extend(multiprocessor.run_to_block_end(&self.timings).map(|(_, clock)| clock));
            }
        }
        let first = |free: &Vec<f64>| free.iter().copied().fold(f64::INFINITY, f64::min);
        let places = self.free.iter().enumerate();
        let chosen =
            places.min_by(|(_, one), (_, other)| first(one).total_cmp(&first(other)).then(other.len().cmp(&one.len())));
        let multiprocessor = chosen.map_or(0, |(place, _)| place);
        let free = &mut self.free[multiprocessor];
        let place = free.iter().enumerate().min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(place, _)| place);
        let start = place.map_or(0.0, |place| free.swap_remove(place));
        CurrentBlock { number, multiprocessor, start, steps: vec![Vec::new(); self.block_warps] }
    }

    /// Gives a block to its multiprocessor.
    fn end_block(&mut self, block: Option<CurrentBlock>) {
        if let Some(CurrentBlock { multiprocessor, start, steps, .. }) = block {
            self.multiprocessors[multiprocessor].add_block(steps, start);
        }
    }

    /// Counts a step and returns what it costs.
    fn count(&mut self, step: &TraceStep, multiprocessor: usize) -> WarpStep {
        let counts = &mut self.statistics.instructions[step.instruction];
        counts.warps += 1;
        counts.active += u64::from(step.active.count_ones());
        counts.executing += u64::from(step.executing.count_ones());
        let diverges = self.branches[step.instruction] && step.executing != 0 && step.executing != step.active;
        counts.divergent += u64::from(diverges);
        counts.stack_entries = counts.stack_entries.max(step.stack_entries);
        let (mut passes, mut bytes, mut misses_constant) = (0, 0, false);
        for access in &step.accesses {
            match access.memory {
                // The model is one of kernels.
                MemoryKind::Attribute | MemoryKind::Primitive | MemoryKind::Interpolant | MemoryKind::Output => {}
                MemoryKind::Shared => {
                    let found = shared_passes(self.machine, access);
                    passes += found.passes * self.machine.shared.pass_clocks;
                    add_shared(counts, found);
                }
                MemoryKind::Constant(_) => {
                    let found = constant_passes(access);
                    let misses = self.caches[multiprocessor].read(access);
                    passes += found.passes * self.machine.constant.pass_clocks;
                    misses_constant |= misses != 0;
                    add_constant(counts, found, misses);
                }
                MemoryKind::Local | MemoryKind::Global(_) => {
                    let found = coalesce(self.machine, access);
                    let moved = found.transactions.iter().map(|transaction| transaction.bytes).sum();
                    bytes += moved;
                    add_memory(counts, &found, moved);
                    for transaction in &found.transactions {
                        let Some(address) = transaction.address else { continue };
                        let partition = partition_of(self.machine, address) as usize;
                        self.statistics.partition_bytes[partition] += u64::from(transaction.bytes);
                    }
                }
            }
        }
        let clocks = self.timings[step.instruction].clocks.max(passes);
        WarpStep {
            instruction: u32::try_from(step.instruction).unwrap_or(0),
            clocks,
            bytes,
            texture_clocks: 0,
            misses_constant,
        }
    }

    /// The statistics after the last step.
    #[must_use]
    pub fn finish(mut self) -> LaunchStatistics {
        let last = self.current.take();
        self.end_block(last);
        let mut statistics = self.statistics;
        for multiprocessor in self.multiprocessors {
            let time = multiprocessor.finish(&self.timings);
            statistics.clocks = statistics.clocks.max(time.clocks);
            statistics.time.add(&time);
        }
        let most = statistics.partition_bytes.iter().max().copied().unwrap_or(0);
        let partition_rate = self.machine.memory_bytes_per_clock() / f64::from(self.machine.memory.partitions);
        statistics.partition_clocks = float(most) / partition_rate;
        statistics.clocks = statistics.clocks.max(statistics.partition_clocks);
        statistics
    }
}

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) const fn float(count: u64) -> f64 {
    count as f64
}
