//! What a compute launch leaves on an engine, and where two launches differ.

use curie::engine::{ComputeEngine, ComputeError};
use curie::gpu::Gpu;
use curie::launch::PreparedLaunch;
use curie::pipeline::launch::{LaunchError, LaunchMemory, LaunchOptions, LaunchReport};

use super::compute_program::case_of_input;

/// What a launch has left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) memory: LaunchMemory,
    pub(crate) report: Result<LaunchReport, LaunchError>,
}

/// Runs a launch on an engine.
pub(crate) fn outcome(engine: &ComputeEngine, prepared: &PreparedLaunch, limit: u64) -> Outcome {
    outcome_with(engine, prepared, &LaunchOptions { instruction_limit: limit, ..LaunchOptions::default() })
}

/// The same with any options.
pub(crate) fn outcome_with(engine: &ComputeEngine, prepared: &PreparedLaunch, options: &LaunchOptions) -> Outcome {
    let PreparedLaunch { launch, limits, mut memory } = prepared.clone();
    let report = match engine.run(&launch, &limits, &mut memory, options, &mut |_| ()) {
        Ok(report) => Ok(report),
        Err(ComputeError::Launch(error)) => Err(error),
        Err(error) => panic!("{error}"),
    };
    Outcome { memory, report }
}

/// Says where outcomes differ.
pub(crate) fn difference(expected: &Outcome, actual: &Outcome) -> Option<String> {
    if expected == actual {
        return None;
    }
    for (expected, actual) in expected.memory.buffers().iter().zip(actual.memory.buffers()) {
        if let Some(at) = expected.bytes.iter().zip(&actual.bytes).position(|(expected, actual)| expected != actual) {
            let found = format!("{:#04x} instead of {:#04x}", actual.bytes[at], expected.bytes[at]);
            return Some(format!("buffer {}, byte {at:#x}: {found}", expected.name));
        }
    }
    let (Ok(expected), Ok(actual)) = (&expected.report, &actual.report) else {
        return Some(format!("{:?} instead of {:?}", actual.report, expected.report));
    };
    let mut outputs = expected.outputs.iter().zip(&actual.outputs).enumerate();
    let differing = outputs.find(|(_, (expected, actual))| expected != actual);
    if let Some((number, (expected, actual))) = differing {
        return Some(format!("element {number}: {actual:x?} instead of {expected:x?}"));
    }
    if expected.faults != actual.faults {
        return Some(format!("faults {:?} instead of {:?}", actual.faults, expected.faults));
    }
    let mut counts = expected.instructions.iter().zip(&actual.instructions).enumerate();
    let differing = counts.find(|(_, (expected, actual))| expected != actual);
    if let Some((number, (expected, actual))) = differing {
        return Some(format!("instruction {number}: {actual:?} instead of {expected:?}"));
    }
    Some(format!("{actual:?} instead of {expected:?}"))
}

/// The engines for the launches of fuzz inputs: the kernels, in dispatches of every length and of few passes.
pub(crate) struct LaunchEngines {
    whole: ComputeEngine,
    short: ComputeEngine,
}

/// Instructions of warps after which a launch of an input ends.
const INPUT_LIMIT: u64 = 200_000;

impl LaunchEngines {
    /// The kernels on a device.
    pub(crate) fn new(gpu: Gpu) -> Self {
        Self { whole: ComputeEngine::on(gpu.clone()), short: ComputeEngine::on(gpu).with_passes(60) }
    }

    /// Runs the program of an input on both engines, which must leave the same; returns whether it ended.
    pub(crate) fn compare(&self, input: &[u8]) -> bool {
        let prepared = case_of_input(input);
        let kernels = if input.len().is_multiple_of(2) { &self.whole } else { &self.short };
        let expected = outcome(&ComputeEngine::REFERENCE, &prepared, INPUT_LIMIT);
        assert_eq!(difference(&expected, &outcome(kernels, &prepared, INPUT_LIMIT)), None);
        expected.report.is_ok()
    }
}
