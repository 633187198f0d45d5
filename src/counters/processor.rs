//! Counts what the Tesla processor does for the threads of a draw.

use super::{Counter, Counters};
use crate::pipeline::launch::{Launch, LaunchReport, LaunchThreads, Unit, WARP_THREADS};
use crate::shader::simt::TextureFetch;

/// Adds a launch of vertices, primitives or fragments, and what it did.
pub fn count_threads(counters: &mut Counters, launch: &Launch, report: &LaunchReport) {
    let stage = match &launch.threads {
        LaunchThreads::Grid => return,
        LaunchThreads::Vertices(_) => 0,
        LaunchThreads::Primitives(_) => 1,
        LaunchThreads::Fragments(_) => 2,
    };
    let threads = launch.threads.count().unwrap_or(0);
    let instructions = launch.stage.program.instructions().iter().map(|found| &found.instruction);
    let (mut fetches, mut flow) = (0, 0);
    for (instruction, counts) in instructions.zip(&report.instructions) {
        let unit = Unit::of(instruction);
        counters.add_to(Counter::UnitInstructions, unit as usize, counts.warps);
        fetches += if TextureFetch::of(instruction).is_some() { counts.threads } else { 0 };
        flow += if unit == Unit::Flow { counts.threads } else { 0 };
    }
    for (counter, amount) in [
        (Counter::Threads, threads.into()),
        (Counter::Warps, threads.div_ceil(WARP_THREADS).into()),
        (Counter::WarpInstructions, report.warp_instructions),
        (Counter::ThreadInstructions, report.thread_instructions),
        (Counter::DivergentWarps, report.divergent_branches),
        (Counter::ThreadFetches, fetches),
    ] {
        counters.add_to(counter, stage, amount);
    }
    if matches!(launch.threads, LaunchThreads::Vertices(_)) {
        counters.add(Counter::VertexInstructions, report.thread_instructions);
        counters.add(Counter::VertexTextureLookups, fetches);
        counters.add(Counter::VertexFlow, flow);
    }
    counters.add(Counter::EmittedVertices, report.emitted.iter().map(|vertices| vertices.len() as u64).sum());
}
