//! When an instruction of the Tesla processor can be issued and its result be used, apart from what its operands hold.

use super::units::{ScoreRegister, changes_flow, reads, writes};
use crate::machine::TeslaMachine;
use crate::named_enum;
use crate::pipeline::launch::{Unit, is_far};
use crate::shader::simt::{Instruction, Operation, SimtProgram, Space};

named_enum! {
    /// What a warp waits for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum WaitCause {
        /// A result of the scalar processors.
        Scalar = "scalar",
        /// A result of the special function units.
        Special = "special",
        /// An operand in shared memory.
        Shared = "shared",
        /// A constant that is not in the cache.
        Constant = "constant",
        /// A result from local or global memory.
        Memory = "memory",
        /// A texel.
        Texture = "texture",
        /// The target of a branch.
        Branch = "branch",
        /// The other warps at a barrier.
        Barrier = "barrier",
    }
}

/// An instruction as the scheduler sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstructionTiming {
    /// The unit that executes it.
    pub unit: Unit,
    /// Clocks that it occupies the unit without conflicts.
    pub clocks: u32,
    /// Clocks from its issue to that of an instruction that needs its result, without conflicts, misses and queues.
    pub latency: u32,
    /// What a warp that needs its result waits for.
    pub cause: WaitCause,
    /// The registers that it reads.
    pub reads: Vec<ScoreRegister>,
    /// The registers that it writes.
    pub writes: Vec<ScoreRegister>,
    /// Whether the warp waits for a branch's target after it.
    pub changes_flow: bool,
    /// Whether the warp waits at a barrier after it.
    pub waits_at_barrier: bool,
}

impl InstructionTiming {
    /// The timing of an instruction.
    #[must_use]
    pub fn of(machine: &TeslaMachine, instruction: &Instruction) -> Self {
        let (unit, issue) = (Unit::of(instruction), &machine.issue);
        let is_shared = instruction.memory_operands().any(|memory| memory.space == Space::Shared);
        let is_far = instruction.memory_operands().any(|memory| is_far(memory.space));
        let (latency, cause) = match unit {
            Unit::Special => (issue.special_latency, WaitCause::Special),
            Unit::Memory if is_far => (machine.memory.latency, WaitCause::Memory),
            Unit::Memory if matches!(instruction.operation, Operation::Texture(_)) => {
                (machine.texture.latency, WaitCause::Texture)
            }
            _ if is_shared => (issue.shared_latency, WaitCause::Shared),
            _ => (issue.scalar_latency, WaitCause::Scalar),
        };
        Self {
            unit,
            clocks: match (unit, instruction.operation) {
                (Unit::Special, Operation::Interpolate(_)) => machine.interpolation_clocks(),
                (Unit::Special, _) => machine.special_clocks(),
                _ => machine.scalar_clocks(),
            },
            latency,
            cause,
            reads: reads(instruction),
            writes: writes(instruction),
            changes_flow: changes_flow(instruction.operation),
            waits_at_barrier: matches!(instruction.operation, Operation::Barrier { waits: true, .. }),
        }
    }

    /// The timings of a program's instructions.
    #[must_use]
    pub fn of_program(machine: &TeslaMachine, program: &SimtProgram) -> Vec<Self> {
        let instructions = program.instructions().iter();
        instructions.map(|found| Self::of(machine, &found.instruction)).collect()
    }
}

/// When the registers of a warp can be read, and what is waited for until then.
#[derive(Debug, Clone)]
pub(super) struct Scoreboard {
    ready: [(f64, Option<WaitCause>); ScoreRegister::COUNT],
}

impl Scoreboard {
    /// All registers can be read at once.
    pub(super) const fn new() -> Self {
        Self { ready: [(0.0, None); ScoreRegister::COUNT] }
    }

    /// The clock from which on an instruction has its operands, and what the last one waits for.
    pub(super) fn ready(&self, timing: &InstructionTiming) -> (f64, Option<WaitCause>) {
        // A register that is written again must have been written before.
        let registers = timing.reads.iter().chain(&timing.writes);
        let ready = registers.map(|register| self.ready[register.index()]);
        ready.fold((0.0, None), |last, next| if next.0 > last.0 { next } else { last })
    }

    /// Notes when an instruction's results can be read.
    pub(super) fn write(&mut self, timing: &InstructionTiming, clock: f64, cause: WaitCause) {
        for register in &timing.writes {
            self.ready[register.index()] = (clock, Some(cause));
        }
    }
}
