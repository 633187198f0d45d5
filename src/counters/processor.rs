//! Counts what the Tesla processor does for the threads of a draw.

use std::ops::Range;
use std::sync::Arc;

use super::{Counter, Counters};
use crate::pipeline::SimtStage;
use crate::pipeline::launch::{InstructionCount, Launch, LaunchReport, Unit, WARP_THREADS};
use crate::shader::simt::{Predicate, ProgramKind, SimtProgram, TextureFetch, TextureSource};

/// The texture units of a draw.
const UNITS: usize = 16;

/// Adds a launch of vertices, primitives or fragments, and what it did.
pub fn count_threads(counters: &mut Counters, launch: &Launch, report: &LaunchReport) {
    if let Some(threads) = launch.threads.count() {
        count_run(counters, &launch.stage.program, threads.into(), report);
    }
}

/// Adds a run of a program of a draw by this many threads, and what they did.
fn count_run(counters: &mut Counters, program: &SimtProgram, threads: u64, report: &LaunchReport) {
    let stage = match program.kind() {
        ProgramKind::Compute => return,
        ProgramKind::Vertex => 0,
        ProgramKind::Geometry => 1,
        ProgramKind::Fragment => 2,
    };
    let instructions = program.instructions().iter().map(|found| &found.instruction);
    let (mut fetches, mut flow) = (0, 0);
    for (instruction, counts) in instructions.zip(&report.instructions) {
        let unit = Unit::of(instruction);
        counters.add_to(Counter::UnitInstructions, unit as usize, counts.warps);
        fetches += if TextureFetch::of(instruction).is_some() { counts.threads } else { 0 };
        flow += if unit == Unit::Flow { counts.threads } else { 0 };
    }
    for (counter, amount) in [
        (Counter::Threads, threads),
        (Counter::Warps, threads.div_ceil(WARP_THREADS.into())),
        (Counter::WarpInstructions, report.warp_instructions),
        (Counter::ThreadInstructions, report.thread_instructions),
        (Counter::DivergentWarps, report.divergent_branches),
        (Counter::ThreadFetches, fetches),
    ] {
        counters.add_to(counter, stage, amount);
    }
    if program.kind() == ProgramKind::Vertex {
        counters.add(Counter::VertexInstructions, report.thread_instructions);
        counters.add(Counter::VertexTextureLookups, fetches);
        counters.add(Counter::VertexFlow, flow);
    }
    counters.add(Counter::EmittedVertices, report.emitted.iter().map(|vertices| vertices.len() as u64).sum());
}

/// A program of a draw whose threads all execute the same instructions, one after the other: none has a predicate, changes the
/// flow or discards. What they do follows from their number, whatever warps they are in.
#[derive(Debug, Clone)]
pub struct StraightProgram {
    program: Arc<SimtProgram>,
    /// The instructions that are executed, by their places in the program.
    executed: Range<usize>,
}

impl StraightProgram {
    /// The program of a stage, if it is one.
    #[must_use]
    pub fn new(stage: &SimtStage) -> Option<Self> {
        let program = &stage.program;
        let first = program.at(program.entry()).ok()?;
        let mut expected = program.entry();
        for (place, found) in program.instructions().iter().enumerate().skip(first) {
            let instruction = &found.instruction;
            let is_plain = instruction.address == expected
                && instruction.predicate == Predicate::Always
                && !instruction.joins
                && Unit::of(instruction) != Unit::Flow;
            if !is_plain {
                return None;
            }
            if instruction.exits {
                return Some(Self { program: Arc::clone(program), executed: first..place + 1 });
            }
            expected = found.next;
        }
        None
    }

    /// How many of its instructions sample each of these textures with their samplers. `None` if some instruction reads another
    /// one, or reads texels or properties of a texture without sampling it.
    #[must_use]
    pub fn lookups(&self, units: &[[u8; 2]]) -> Option<[u64; UNITS]> {
        let mut lookups = [0; UNITS];
        for found in &self.program.instructions()[self.executed.clone()] {
            let Some(fetch) = TextureFetch::of(&found.instruction) else { continue };
            let samples = matches!(fetch.source, TextureSource::Automatic | TextureSource::Bias | TextureSource::Lod);
            let unit = units.iter().take(UNITS).position(|own| *own == [fetch.texture, fetch.sampler]);
            lookups[unit.filter(|_| samples)?] += 1;
        }
        Some(lookups)
    }

    /// Adds a run by this many threads.
    pub fn count(&self, counters: &mut Counters, threads: u64) {
        let (warps, executed) = (threads.div_ceil(WARP_THREADS.into()), self.executed.len() as u64);
        let mut instructions = vec![InstructionCount::default(); self.program.instructions().len()];
        instructions[self.executed.clone()].fill(InstructionCount { warps, threads });
        let report = LaunchReport {
            warp_instructions: warps * executed,
            thread_instructions: threads * executed,
            instructions,
            ..LaunchReport::default()
        };
        count_run(counters, &self.program, threads, &report);
    }
}
