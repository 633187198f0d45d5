//! A multiprocessor that issues the instructions of its warps: in order within a warp, the warp that is ready first.

use super::timing::{InstructionTiming, Scoreboard, WaitCause};
use crate::machine::TeslaMachine;
use crate::pipeline::launch::Unit;

/// An instruction that a warp executes, with what its operands cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarpStep {
    /// The number of the instruction in the program.
    pub instruction: u32,
    /// Clocks that it occupies its unit, with conflicts.
    pub clocks: u32,
    /// The bytes that it moves between the chip and its memory.
    pub bytes: u32,
    /// Clocks that it occupies the multiprocessor's part of the texture unit.
    pub texture_clocks: u32,
    /// Whether a constant was not in the cache.
    pub misses_constant: bool,
}

/// The steps of a block, by warp.
pub type BlockSteps = Vec<Vec<WarpStep>>;

/// The clocks of a multiprocessor. Their sum is at most the whole time, as units work side by side.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MultiprocessorTime {
    /// From the first issue to the end of the last instruction and transfer.
    pub clocks: f64,
    /// Clocks in which the scalar processors are occupied, also by the issue of branches and of accesses to memory.
    pub scalar: f64,
    /// Clocks in which the special function units are occupied.
    pub special: f64,
    /// Clocks in which the multiprocessor's part of the memory bus is occupied.
    pub memory: f64,
    /// Clocks in which its part of the texture unit is occupied.
    pub texture: f64,
    /// Clocks in which no unit is occupied because all warps wait, by the cause of the wait that ends first.
    pub idle: [f64; WaitCause::ALL.len()],
    /// The same by instruction: the one that waits.
    pub instruction_idle: Vec<f64>,
    /// Clocks that warps wait for operands, by instruction, whether or not others run meanwhile.
    pub instruction_waits: Vec<f64>,
}

impl MultiprocessorTime {
    /// No time, for a program of a number of instructions.
    #[must_use]
    pub fn new(instructions: usize) -> Self {
        let none = vec![0.0; instructions];
        Self { instruction_idle: none.clone(), instruction_waits: none, ..Self::default() }
    }

    /// Appends another span of time.
    pub fn add(&mut self, other: &Self) {
        self.clocks += other.clocks;
        self.scalar += other.scalar;
        self.special += other.special;
        self.memory += other.memory;
        self.texture += other.texture;
        let add = |sums: &mut [f64], values: &[f64]| {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        };
        add(&mut self.idle, &other.idle);
        add(&mut self.instruction_idle, &other.instruction_idle);
        add(&mut self.instruction_waits, &other.instruction_waits);
    }
}

/// A warp on a multiprocessor.
#[derive(Debug)]
struct ResidentWarp {
    /// Its steps, and the number of those that have been issued.
    steps: Vec<WarpStep>,
    issued: usize,
    /// The place of its block.
    block: usize,
    scoreboard: Scoreboard,
    /// When the warp can issue its next instruction, if its operands are there, and why not earlier.
    free: (f64, Option<WaitCause>),
    /// The same with the operands.
    ready: (f64, Option<WaitCause>),
    last_issue: f64,
    is_at_barrier: bool,
}

impl ResidentWarp {
    const fn new(steps: Vec<WarpStep>, block: usize, start: f64) -> Self {
        let (scoreboard, begins) = (Scoreboard::new(), (start, None));
        Self {
            steps,
            issued: 0,
            block,
            scoreboard,
            free: begins,
            ready: begins,
            last_issue: start,
            is_at_barrier: false,
        }
    }

    /// Finds when the next instruction can be issued.
    fn look_ahead(&mut self, timings: &[InstructionTiming]) {
        self.ready = self.free;
        if let Some(step) = self.steps.get(self.issued) {
            let operands = self.scoreboard.ready(&timings[step.instruction as usize]);
            if operands.0 > self.ready.0 {
                self.ready = operands;
            }
        }
    }
}

/// A block on a multiprocessor.
#[derive(Debug, Clone, Copy, Default)]
struct ResidentBlock {
    /// The warps that have not ended.
    running: usize,
    /// Those that wait at a barrier.
    arrived: usize,
    /// When the last texel that was fetched arrives; its place is not free before.
    fetched: f64,
}

/// A multiprocessor with the blocks that it holds.
///
/// Each instruction is issued when its warp's operands are there and its unit is free; of several warps the one that is ready
/// first, then the one that has waited longest. Loads and stores queue for the multiprocessor's part of the memory bus.
#[derive(Debug)]
pub struct Multiprocessor<'machine> {
    machine: &'machine TeslaMachine,
    /// Its part of the memory bus.
    bytes_per_clock: f64,
    warps: Vec<ResidentWarp>,
    /// The blocks; ended ones have no warps, and their places are used again.
    blocks: Vec<ResidentBlock>,
    /// The clocks until which its parts are occupied.
    slot: f64,
    scalar: f64,
    special: f64,
    memory: f64,
    texture: f64,
    /// The last of all its units.
    any: f64,
    /// The end of the last block.
    end: f64,
    time: MultiprocessorTime,
}

impl<'machine> Multiprocessor<'machine> {
    /// One without blocks, for a program of a number of instructions.
    #[must_use]
    pub fn new(machine: &'machine TeslaMachine, instructions: usize, bytes_per_clock: f64) -> Self {
        let (slot, scalar, special, memory, texture, any, end) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        let (warps, blocks, time) = (Vec::new(), Vec::new(), MultiprocessorTime::new(instructions));
        Self { machine, bytes_per_clock, warps, blocks, slot, scalar, special, memory, texture, any, end, time }
    }

    /// Adds a block that begins at a clock; returns its place, which others have once it has ended.
    pub fn add_block(&mut self, steps: BlockSteps, start: f64) -> usize {
        let steps: Vec<_> = steps.into_iter().filter(|steps| !steps.is_empty()).collect();
        let place = self.blocks.iter().position(|block| block.running == 0).unwrap_or(self.blocks.len());
        if place == self.blocks.len() {
            self.blocks.push(ResidentBlock::default());
        }
        self.blocks[place] = ResidentBlock { running: steps.len(), ..ResidentBlock::default() };
        self.warps.extend(steps.into_iter().map(|steps| ResidentWarp::new(steps, place, start)));
        place
    }

    /// Runs until a block has ended, and returns its place and when that is; `None` if there is no block.
    pub fn run_to_block_end(&mut self, timings: &[InstructionTiming]) -> Option<(usize, f64)> {
        while let Some((next, clock)) = self.choose(timings) {
            let mut warp = self.warps.swap_remove(next);
            let Some(step) = warp.steps.get(warp.issued).copied() else { continue };
            let timing = &timings[step.instruction as usize];
            self.account(&warp, &step, clock);
            self.issue(&mut warp, timing, &step, clock);
            warp.issued += 1;
            let place = warp.block;
            let block = &mut self.blocks[place];
            if warp.issued == warp.steps.len() {
                block.running -= 1;
            } else {
                if timing.waits_at_barrier {
                    warp.is_at_barrier = true;
                    block.arrived += 1;
                } else {
                    warp.look_ahead(timings);
                }
                self.warps.push(warp);
            }
            if block.running == 0 {
                let end = block.fetched.max(clock + f64::from(step.clocks));
                self.end = self.end.max(end);
                return Some((place, end));
            }
            if block.arrived == block.running {
                block.arrived = 0;
                self.release(place, clock + f64::from(self.machine.issue.barrier_latency), timings);
            }
        }
        None
    }

    /// Lets the warps of a block go that wait at a barrier.
    fn release(&mut self, block: usize, clock: f64, timings: &[InstructionTiming]) {
        for warp in self.warps.iter_mut().filter(|warp| warp.block == block && warp.is_at_barrier) {
            warp.is_at_barrier = false;
            warp.free = (clock, Some(WaitCause::Barrier));
            warp.look_ahead(timings);
        }
    }

    /// The time until all blocks have ended.
    #[must_use]
    pub fn finish(mut self, timings: &[InstructionTiming]) -> MultiprocessorTime {
        while self.run_to_block_end(timings).is_some() {}
        MultiprocessorTime { clocks: self.any.max(self.memory).max(self.end), ..self.time }
    }

    /// The warp that issues next, and when; `None` if all have ended.
    fn choose(&self, timings: &[InstructionTiming]) -> Option<(usize, f64)> {
        let waiting = self.warps.iter().enumerate().filter(|(_, warp)| !warp.is_at_barrier);
        let candidates = waiting.filter_map(|(number, warp)| {
            let unit = timings[warp.steps.get(warp.issued)?.instruction as usize].unit;
            let port = if unit == Unit::Special { self.special } else { self.scalar };
            Some((number, warp.ready.0.max(port).max(self.slot), warp.last_issue))
        });
        let first = candidates.min_by(|first, second| first.1.total_cmp(&second.1).then(first.2.total_cmp(&second.2)));
        first.map(|(number, clock, _)| (number, clock))
    }

    /// Counts what a warp has waited, and what the multiprocessor has idled before it issues an instruction at a clock.
    fn account(&mut self, warp: &ResidentWarp, step: &WarpStep, clock: f64) {
        let number = step.instruction as usize;
        let Some(cause) = warp.ready.1 else { return };
        let issued = warp.last_issue + f64::from(self.machine.issue.slot_clocks);
        self.time.instruction_waits[number] += (warp.ready.0 - issued).max(0.0);
        let idle = (clock - self.any).max(0.0);
        self.time.idle[cause as usize] += idle;
        self.time.instruction_idle[number] += idle;
    }

    /// Issues an instruction of a warp at a clock.
    fn issue(&mut self, warp: &mut ResidentWarp, timing: &InstructionTiming, step: &WarpStep, clock: f64) {
        let issue = &self.machine.issue;
        let clocks = f64::from(step.clocks);
        self.slot = clock + f64::from(issue.slot_clocks);
        self.any = self.any.max(clock + clocks);
        let (port, busy) = match timing.unit {
            Unit::Special => (&mut self.special, &mut self.time.special),
            _ => (&mut self.scalar, &mut self.time.scalar),
        };
        *port = clock + clocks;
        *busy += clocks;
        let conflicts = f64::from(step.clocks.saturating_sub(timing.clocks));
        let (mut ready, mut cause) = (clock + f64::from(timing.latency) + conflicts, timing.cause);
        if step.misses_constant {
            (ready, cause) = (ready.max(clock + f64::from(self.machine.constant.miss_latency)), WaitCause::Constant);
        }
        if step.bytes != 0 {
            let transfer = f64::from(step.bytes) / self.bytes_per_clock;
            // The latency is that of one transaction.
            let first = f64::from(self.machine.memory.transaction_bytes) / self.bytes_per_clock;
            let begins = clock.max(self.memory);
            self.memory = begins + transfer;
            self.time.memory += transfer;
            ready = begins + f64::from(timing.latency) + (transfer - first).max(0.0);
        }
        if step.texture_clocks != 0 {
            let begins = clock.max(self.texture);
            self.texture = begins + f64::from(step.texture_clocks);
            self.time.texture += f64::from(step.texture_clocks);
            ready = begins + f64::from(timing.latency);
            let block = &mut self.blocks[warp.block];
            block.fetched = block.fetched.max(ready);
        }
        warp.scoreboard.write(timing, ready, cause);
        warp.free = match timing.changes_flow {
            true => (clock + f64::from(issue.branch_latency), Some(WaitCause::Branch)),
            false => (self.slot, None),
        };
        warp.last_issue = clock;
    }
}
