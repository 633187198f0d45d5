//! The fragment program of a draw on the shader units: passes, clocks, slots, registers.

use super::super::branch_batches::{self, BatchFlow};
use super::super::fragment_schedule::{FragmentCounts, FragmentOutputs, FragmentSchedule, SlotUsage};
use super::units::shader_units;
use crate::counters::trace::TracedDraw;
use crate::machine::Machine;

/// What a draw's quads took of the shader units.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawShading {
    /// Clocks of one quad pipe, over all quads, each of which goes its own way.
    pub clocks: u64,
    /// Further clocks, as the quads of a batch go all ways together.
    pub divergence_clocks: u64,
    /// The batches.
    pub batches: BatchFlow,
    /// Quads that were shaded.
    pub quads: u64,
    /// Slots of the passes, used and not.
    pub slots: SlotUsage,
    /// Half registers that the program names.
    pub half_registers: u32,
    /// Quads that a pipe keeps in flight.
    pub quads_in_flight: u32,
}

/// Schedules the fragment program of a draw and counts what its quads took.
#[must_use]
pub fn draw_shading(traced: &TracedDraw, machine: &Machine) -> DrawShading {
    let stage = &traced.draw.fragment;
    let outputs = FragmentOutputs {
        has_full_outputs: stage.has_full_outputs,
        exports_depth: stage.exports_depth,
        targets: traced.draw.rop.shaded_colors(&traced.draw.targets),
    };
    let program = &traced.fragment_program;
    let schedule = FragmentSchedule::new(program, outputs, &shader_units(machine));
    let blocks = program.numbered_blocks();
    let counts = FragmentCounts::of_entered(&blocks, &traced.entered);
    let batches = branch_batches::simulate(&traced.trace, traced.entered.len(), machine.fragment.batch_quads);
    let clocks = schedule.cycles(&counts);
    let of_batches = schedule.cycles(&FragmentCounts::of_entered(&blocks, &batches.entered));
    DrawShading {
        clocks,
        divergence_clocks: of_batches.saturating_sub(clocks),
        batches,
        quads: traced.entered.first().copied().unwrap_or(0),
        slots: schedule.usage(&counts.runs),
        half_registers: schedule.registers.named_halves,
        quads_in_flight: schedule.quads_in_flight,
    }
}
