//! Runs a SIMT vertex program on the vertices of a draw.

use super::run_launch::run_launch_observed;
use crate::memory::GuestMemory;
use crate::pipeline::launch::{
    FaultSummary, Launch, LaunchLimits, LaunchMemory, LaunchOptions, LaunchReport, LaunchTextures, LaunchThreads,
    MAX_QUAD_BLOCKS, TraceStep, Vertices,
};
use crate::pipeline::{AttributeWord, Draw, EngineError, OutputWord, ShadedVertex, SimtVertexStage};
use crate::reference::observer::{DrawObserver, Unobserved};
use crate::reference::vertex::fetch_vertices::fetch_inputs;

/// Runs the vertices with these indices, 32 in a warp in their order.
///
/// # Errors
/// When the program does not fit on the processor or does not end, or a thread has a fault.
pub fn run_simt_vertices(
    memory: &GuestMemory,
    draw: &Draw,
    stage: &SimtVertexStage,
    indices: &[u32],
) -> Result<Vec<ShadedVertex>, EngineError> {
    let report = run_threads(&vertex_launch(memory, draw, stage, indices), memory)?;
    let slots = |words: Option<Vec<u32>>| ShadedVertex::of_words(&words.unwrap_or_default(), &stage.outputs);
    Ok(report.outputs.into_iter().map(slots).collect())
}

/// The launch of the vertices with these indices.
pub(in crate::reference) fn vertex_launch(
    memory: &GuestMemory,
    draw: &Draw,
    stage: &SimtVertexStage,
    indices: &[u32],
) -> Launch {
    let mut attributes = Vec::with_capacity(indices.len() * stage.attributes.len());
    for &index in indices {
        let fetched = fetch_inputs(memory, draw, index);
        attributes.extend(stage.attributes.iter().map(|word| match *word {
            AttributeWord::Component { attribute, component } => {
                fetched[usize::from(attribute & 15)][usize::from(component & 3)]
            }
            AttributeWord::Index => index,
            AttributeWord::Word(word) => word,
        }));
    }
    let length = |words: &[_]| u32::try_from(words.len()).unwrap_or(u32::MAX);
    let threads = LaunchThreads::Vertices(Vertices {
        count: u32::try_from(indices.len()).unwrap_or(u32::MAX),
        attribute_words: length(&stage.attributes),
        attributes,
        output_words: OutputWord::words_needed(&stage.outputs),
    });
    stage.stage.launch(threads, LaunchTextures::of_stage(&stage.textures))
}

/// Runs the threads of a draw, whose texels are in guest memory. Those that begin too many basic blocks end. Accesses outside
/// memory are no errors; they read zero and write nothing.
pub(super) fn run_threads(launch: &Launch, texels: &GuestMemory) -> Result<LaunchReport, EngineError> {
    run_threads_observed(launch, (texels, &Unobserved), None)
}

/// The same with an observer of the fetches from textures, and one of the steps of all warps.
pub(in crate::reference) fn run_threads_observed(
    launch: &Launch,
    texels: (&GuestMemory, &dyn DrawObserver),
    steps: Option<&mut dyn FnMut(TraceStep)>,
) -> Result<LaunchReport, EngineError> {
    let limits = LaunchLimits::of(launch.stage.generation);
    let traces_warps = steps.is_some();
    let options = LaunchOptions { max_quad_blocks: Some(MAX_QUAD_BLOCKS), traces_warps, ..LaunchOptions::default() };
    let mut memory = LaunchMemory::default();
    let report = match steps {
        Some(steps) => run_launch_observed(launch, texels, &limits, &mut memory, &options, steps)?,
        None => run_launch_observed(launch, texels, &limits, &mut memory, &options, &mut |_| ())?,
    };
    let errors: Vec<_> = report.faults.iter().filter(|fault| fault.kind.memory().is_none()).cloned().collect();
    match FaultSummary::of(&errors) {
        Some(faults) => Err(EngineError::LaunchFaults(faults)),
        None => Ok(report),
    }
}
