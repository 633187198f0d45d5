//! Schedules the fragment program of a draw on the shader units: passes, clocks, slots, registers.

use super::ModelRunner;
use super::units::shader_units;
use crate::counters::trace::{TracedDraw, TracedStep, TracedVec4};
use crate::machine::Machine;
use crate::statistics::ParameterError;
use crate::statistics::fragment_schedule::{FragmentCounts, FragmentOutputs, FragmentSchedule, SlotUsage};
use crate::statistics::simd_divergence::{BatchFlow, BranchStep, BranchTrace};

/// The time and slots that a draw takes on the shader units.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawShading {
    /// Clocks of one quad pipe over all quads, if each quad branched alone.
    pub clocks: u64,
    /// Additional clocks, because the quads of a batch execute all sides of its branches.
    pub divergence_clocks: u64,
    /// The divergence of its batches.
    pub batches: BatchFlow,
    /// Shaded quads.
    pub quads: u64,
    /// Used and unused slots of the passes.
    pub slots: SlotUsage,
    /// Half registers that the program names.
    pub half_registers: u32,
    /// Quads that a pipe keeps in flight.
    pub quads_in_flight: u32,
}

/// Schedules the fragment programs of a frame's draws, but for those with SIMT programs, and counts the clocks of their quads.
///
/// # Errors
/// When the machine's batches are impossible, or the trace has more than 2³² events.
pub fn frame_shading(
    draws: &[TracedDraw],
    machine: &Machine,
    runner: ModelRunner<'_>,
) -> Result<Vec<DrawShading>, ParameterError> {
    let flows = runner.simd_divergence(&branch_trace(draws)?, machine.fragment.batch_quads)?;
    let programs = draws.iter().filter_map(|traced| Some((traced, traced.vec4()?)));
    Ok(programs.zip(flows).map(|(traced, batches)| draw_shading(traced, machine, batches)).collect())
}

/// Collects the branches and blocks that the shaded quads of draws reached.
fn branch_trace(draws: &[TracedDraw]) -> Result<BranchTrace, ParameterError> {
    let mut trace = BranchTrace::default();
    for (traced, programs) in draws.iter().filter_map(|traced| Some((traced, traced.vec4()?))) {
        let recorded = &traced.trace;
        trace.push_draw(programs.entered.len(), &recorded.places)?;
        let mut steps = recorded.steps.as_slice();
        for (quad, _) in (0..).zip(&recorded.quads).filter(|(_, quad)| quad.is_shaded) {
            let count = steps.iter().take_while(|step| step.quad <= quad).count();
            let (of_quad, others) = steps.split_at(count);
            steps = others;
            trace.push_quad(of_quad.iter().map(branch_step))?;
        }
    }
    Ok(trace)
}

fn branch_step(step: &TracedStep) -> BranchStep {
    BranchStep { place: step.place, pixels: u32::from(step.active) | u32::from(step.taken) << 4 }
}

/// Schedules a fragment program and counts its clocks for the quads and batches of a draw.
fn draw_shading((traced, programs): (&TracedDraw, &TracedVec4), machine: &Machine, batches: BatchFlow) -> DrawShading {
    let stage = &traced.draw.fragment;
    let outputs = FragmentOutputs {
        has_full_outputs: stage.vec4().is_some_and(|stage| stage.has_full_outputs),
        exports_depth: stage.exports_depth(),
        targets: traced.draw.rop.shaded_colors(&traced.draw.targets),
    };
    let program = &programs.fragment_program;
    let schedule = FragmentSchedule::new(program, outputs, &shader_units(machine));
    let blocks = program.numbered_blocks();
    let counts = FragmentCounts::of_entered(&blocks, &programs.entered);
    let clocks = schedule.cycles(&counts);
    let of_batches = schedule.cycles(&FragmentCounts::of_entered(&blocks, &batches.entered));
    DrawShading {
        clocks,
        divergence_clocks: of_batches.saturating_sub(clocks),
        batches,
        quads: programs.entered.first().copied().unwrap_or(0),
        slots: schedule.usage(&counts.runs),
        half_registers: schedule.registers.named_halves,
        quads_in_flight: schedule.quads_in_flight,
    }
}
