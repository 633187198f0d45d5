//! Explains a kernel without running it: what it needs, how it fills a multiprocessor, and what its instructions wait for.

use std::collections::BTreeSet;
use std::fmt::{Display, Formatter};

use super::occupancy::{BlockNeeds, Occupancy, occupancy};
use super::timing::{InstructionTiming, Scoreboard, WaitCause};
use crate::isa::tesla::module::TeslaKernel;
use crate::machine::TeslaMachine;
use crate::pipeline::launch::{Unit, WARP_THREADS};
use crate::plural::counted;
use crate::shader::simt::SimtProgram;
use crate::statistics::explain::Explanation;

/// Block sizes of the table of occupancy.
const BLOCK_SIZES: [u32; 10] = [32, 64, 96, 128, 160, 192, 256, 320, 384, 512];

/// An instruction as one warp alone would execute it.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedInstruction {
    /// Its address.
    pub address: u32,
    /// It as text.
    pub text: String,
    /// The unit.
    pub unit: Unit,
    /// Clocks that it occupies the unit.
    pub clocks: u32,
    /// When it is issued, from the start of its block of instructions.
    pub issue: f64,
    /// The clocks that the warp waits for its operands before.
    pub wait: f64,
    /// What it waits for.
    pub cause: Option<WaitCause>,
}

/// Instructions that are executed one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedBlock {
    /// The instructions.
    pub instructions: Vec<TimedInstruction>,
    /// The clocks of one warp alone, up to the last result.
    pub latency: f64,
    /// Clocks that each unit is occupied by one warp: the scalar processors with all that is issued besides, and the special
    /// function units.
    pub occupied: [u32; 2],
}

impl TimedBlock {
    /// How many warps keep the busier unit occupied while each waits for its results.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    pub fn warps_to_hide(&self) -> u32 {
        let busiest = self.occupied.into_iter().max().unwrap_or(0).max(1);
        (self.latency / f64::from(busiest)).ceil().max(1.0) as u32
    }
}

/// A kernel on a machine; displays as text.
#[derive(Debug)]
pub struct KernelExplanation {
    machine: TeslaMachine,
    name: String,
    needs: BlockNeeds,
    local_bytes: u32,
    barriers: u8,
    block: Option<u32>,
    blocks: Vec<TimedBlock>,
}

impl KernelExplanation {
    /// Explains a kernel, with a block of a number of threads if it is given.
    #[must_use]
    pub fn new(kernel: &TeslaKernel, machine: &TeslaMachine, block: Option<u32>) -> Self {
        let program = SimtProgram::decode(&kernel.code);
        let threads = block.unwrap_or(WARP_THREADS);
        Self {
            machine: machine.clone(),
            name: kernel.name.clone(),
            needs: BlockNeeds { threads, registers: kernel.registers.into(), shared_bytes: kernel.shared_bytes },
            local_bytes: kernel.local_bytes,
            barriers: kernel.barriers,
            block,
            blocks: timed_blocks(machine, &program),
        }
    }

    /// The blocks of instructions in order of their addresses.
    #[must_use]
    pub fn blocks(&self) -> &[TimedBlock] {
        &self.blocks
    }

    /// How blocks of the sizes of the table fill a multiprocessor; only the size that was asked for if there is one.
    #[must_use]
    pub fn occupancies(&self) -> Vec<(u32, Occupancy)> {
        let sizes = self.block.map_or_else(|| BLOCK_SIZES.to_vec(), |block| vec![block]);
        let sizes = sizes.into_iter();
        sizes.map(|threads| (threads, occupancy(&self.machine, BlockNeeds { threads, ..self.needs }))).collect()
    }
}

/// The addresses where blocks of instructions begin: the start, the targets, and what follows a change of flow or a barrier.
fn leaders(program: &SimtProgram, timings: &[InstructionTiming]) -> BTreeSet<u32> {
    let instructions = program.instructions();
    let targets = instructions.iter().filter_map(|found| found.instruction.target());
    let ends = instructions.iter().zip(timings).filter(|(found, timing)| {
        let instruction = &found.instruction;
        timing.changes_flow || timing.waits_at_barrier || instruction.exits || instruction.joins
    });
    targets.chain(ends.map(|(found, _)| found.next)).collect()
}

/// Executes the blocks of instructions of a program by one warp each.
fn timed_blocks(machine: &TeslaMachine, program: &SimtProgram) -> Vec<TimedBlock> {
    let timings = InstructionTiming::of_program(machine, program);
    let leaders = leaders(program, &timings);
    let instructions: Vec<_> = program.instructions().iter().zip(&timings).collect();
    let blocks = instructions.chunk_by(|_, (next, _)| !leaders.contains(&next.instruction.address));
    let blocks = blocks.map(|block| {
        let (mut scoreboard, mut free, mut latency) = (Scoreboard::new(), [0.0_f64; 2], 0.0_f64);
        let (mut slot, mut occupied) = (0.0_f64, [0_u32; 2]);
        let mut timed = Vec::new();
        for (found, timing) in block {
            let port = usize::from(timing.unit == Unit::Special);
            let (operands, cause) = scoreboard.ready(timing);
            let possible = slot.max(free[port]);
            let issue = possible.max(operands);
            let wait = (operands - possible).max(0.0);
            timed.push(TimedInstruction {
                address: found.instruction.address,
                text: found.text.clone(),
                unit: timing.unit,
                clocks: timing.clocks,
                issue,
                wait,
                cause: cause.filter(|_| wait > 0.0),
            });
            slot = issue + f64::from(machine.issue.slot_clocks);
            free[port] = issue + f64::from(timing.clocks);
            occupied[port] += timing.clocks;
            let result = issue + f64::from(timing.latency);
            scoreboard.write(timing, result, timing.cause);
            latency = latency.max(if timing.writes.is_empty() { free[port] } else { result });
        }
        TimedBlock { instructions: timed, latency, occupied }
    });
    blocks.collect()
}

impl Explanation for KernelExplanation {
    fn to_json(&self) -> serde_json::Value {
        let occupancies = self.occupancies();
        let occupancies = occupancies.iter().map(|(threads, found)| {
            serde_json::json!({
                "threads": threads,
                "blocks": found.blocks,
                "warps": found.warps,
                "block_registers": found.block_registers,
                "block_shared_bytes": found.block_shared_bytes,
                "limited_by": found.limiters.iter().map(|limiter| limiter.name()).collect::<Vec<_>>(),
            })
        });
        let blocks = self.blocks.iter().map(|block| {
            let instructions = block.instructions.iter().map(|timed| {
                serde_json::json!({
                    "address": timed.address,
                    "text": timed.text,
                    "unit": timed.unit.name(),
                    "clocks": timed.clocks,
                    "issue": timed.issue,
                    "wait": timed.wait,
                    "waits_for": timed.cause.map(WaitCause::name),
                })
            });
            serde_json::json!({
                "latency": block.latency,
                "scalar_clocks": block.occupied[0],
                "special_clocks": block.occupied[1],
                "warps_to_hide": block.warps_to_hide(),
                "instructions": instructions.collect::<Vec<_>>(),
            })
        });
        serde_json::json!({
            "machine": self.machine.name,
            "kernel": self.name,
            "registers": self.needs.registers,
            "shared_bytes": self.needs.shared_bytes,
            "local_bytes": self.local_bytes,
            "barriers": self.barriers,
            "occupancy": occupancies.collect::<Vec<_>>(),
            "blocks": blocks.collect::<Vec<_>>(),
        })
    }
}

impl Display for KernelExplanation {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { machine, name, needs, local_bytes, barriers, .. } = self;
        writeln!(f, "{name} on the {} ({})", machine.title, machine.chip)?;
        writeln!(
            f,
            "{} and {local_bytes} bytes of local memory of a thread, {} bytes of shared memory of a block, {}",
            counted(needs.registers, "register"),
            needs.shared_bytes,
            counted(barriers, "barrier"),
        )?;
        writeln!(f, "\nthreads  blocks  warps  occupancy  registers  shared  limited by")?;
        for (threads, found) in self.occupancies() {
            writeln!(
                f,
                "{threads:>7}  {:>6}  {:>5}  {:>7.0} %  {:>9}  {:>6}  {}",
                found.blocks,
                found.warps,
                100.0 * found.fraction(),
                found.block_registers,
                found.block_shared_bytes,
                found.limited_by(),
            )?;
        }
        for (number, block) in self.blocks.iter().enumerate() {
            let [scalar, special] = block.occupied;
            writeln!(
                f,
                "\nblock {number}: one warp takes {:.0} clocks and occupies the scalar processors for {scalar}, the special \
                 function units for {special}; waits are hidden by {} or more",
                block.latency,
                counted(block.warps_to_hide(), "warp")
            )?;
            for timed in &block.instructions {
                write!(f, "{:>6.0}  {:06x}  {:<7}  {}", timed.issue, timed.address, timed.unit, timed.text)?;
                if let Some(cause) = timed.cause {
                    write!(f, "; waits {:.0} clocks for {}", timed.wait, waited_for(cause))?;
                }
                writeln!(f)?;
            }
        }
        Ok(())
    }
}

/// What a warp waits for, in words.
const fn waited_for(cause: WaitCause) -> &'static str {
    match cause {
        WaitCause::Scalar => "a result",
        WaitCause::Special => "a special function",
        WaitCause::Shared => "shared memory",
        WaitCause::Constant => "a constant",
        WaitCause::Memory => "memory",
        WaitCause::Texture => "a texel",
        WaitCause::Branch => "a branch",
        WaitCause::Barrier => "a barrier",
    }
}
