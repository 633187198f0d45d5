//! Plays a stream on both engines and compares all of its memory and the counters of its draws.

use std::collections::BTreeSet;

use curie::capture::Capture;
use curie::counters::{Counter, Counters, CountingOptions};
use curie::counting::CountingEngine;
use curie::gpu::Gpu;
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::machine::chip_of;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::reference::Reference;

use super::random_images::{has_written, images};
use super::random_stream::{MEMORY_BYTES, MEMORY_START, has_drawn, place, with_pipeline};

/// Bytes of VRAM that streams may declare.
const VRAM_BYTES: u64 = 4 << 20;

/// The result of a random stream: memory, the chip's reports, and the counters of its draws if they are counted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) memory: Vec<u8>,
    pub(crate) anomalies: Vec<String>,
    pub(crate) counters: Vec<Counters>,
}

/// The reference and the kernels.
#[derive(Debug)]
pub(crate) struct EnginePair {
    reference: Reference,
    kernels: Kernels,
}

impl EnginePair {
    /// Both engines with empty memory; small tiles and batches, so that streams have several of each.
    pub(crate) fn new(gpu: Gpu, path: KernelPath, counts: bool) -> Self {
        let options = KernelOptions { batch_primitives: 5, quad_capacity: 512, path, ..KernelOptions::default() };
        Self::with_options(gpu, options, counts)
    }

    /// Both engines with empty memory and small tiles.
    pub(crate) fn with_options(gpu: Gpu, options: KernelOptions, counts: bool) -> Self {
        let options = KernelOptions { tile_size: 8, ..options };
        let mut kernels = Kernels::new(gpu, options, VRAM_BYTES, VRAM_BYTES).unwrap();
        let mut reference = Reference::new(VRAM_BYTES, VRAM_BYTES).unwrap();
        if counts {
            kernels.start_counting(CountingOptions::default()).unwrap();
            reference.start_counting(CountingOptions::default()).unwrap();
        }
        Self { reference, kernels }
    }

    /// Plays a stream on both; returns the outcome of the reference, then that of the kernels.
    pub(crate) fn play(&mut self, capture: &Capture) -> [Outcome; 2] {
        [play(capture, &mut self.reference), play(capture, &mut self.kernels)]
    }
}

/// The engines for the streams of fuzz inputs, by the kernels that their draws go through.
pub(crate) struct InputEngines {
    open: fn() -> Gpu,
    pairs: [Option<EnginePair>; PATHS.len()],
    /// The pipelines since the engines were opened.
    pipelines: BTreeSet<(usize, u64)>,
}

/// The path of draws, and whether they are counted.
const PATHS: [(KernelPath, bool); 4] = [
    (KernelPath::Invocations, false),
    (KernelPath::Invocations, true),
    (KernelPath::Workgroups, false),
    (KernelPath::Stages, true),
];

/// The number of pipelines after which engines are closed, because a device keeps what it has compiled.
const MAX_PIPELINES: usize = 40;

impl InputEngines {
    /// No engines yet; `open` opens the adapter.
    pub(crate) const fn new(open: fn() -> Gpu) -> Self {
        Self { open, pairs: [const { None }; PATHS.len()], pipelines: BTreeSet::new() }
    }

    /// Plays the stream of an input on both engines, which must leave the same bytes and counts; returns whether it drew
    /// anything. The first byte selects the path. Compiling a pipeline takes as long as hundreds of streams, so that seven
    /// of eight values of the second byte select one of four; the others select one of 32 more.
    pub(crate) fn compare(&mut self, input: &[u8]) -> bool {
        let [path, pipeline, ref input @ ..] = *input else { return false };
        let path = usize::from(path) % PATHS.len();
        let pipeline = u64::from(if pipeline < 0xe0 { pipeline % 4 } else { 4 + pipeline % 32 });
        if self.pipelines.len() >= MAX_PIPELINES && !self.pipelines.contains(&(path, pipeline)) {
            *self = Self::new(self.open);
        }
        self.pipelines.insert((path, pipeline));
        let pair = self.pairs[path].get_or_insert_with(|| {
            let (path, counts) = PATHS[path];
            EnginePair::new((self.open)(), path, counts)
        });
        let [expected, actual] = pair.play(&with_pipeline(pipeline, input));
        let difference = difference(&expected, &actual);
        assert_eq!(difference, None, "path {path}, pipeline {pipeline}");
        assert!(expected.anomalies.is_empty(), "not a valid stream: {:?}", expected.anomalies);
        has_drawn(&expected.memory)
    }
}

/// Asserts that a stream of the classes beside the 3D class leaves the same bytes on both engines; returns whether it wrote
/// anything.
pub(crate) fn compare_images(pair: &mut EnginePair, input: &[u8]) -> bool {
    let [expected, actual] = pair.play(&images(input));
    assert_eq!(difference(&expected, &actual), None);
    has_written(input, &expected.memory)
}

/// Plays a stream and reads all of its memory, the report buffer included.
fn play(capture: &Capture, engine: &mut dyn CountingEngine) -> Outcome {
    let mut chip = chip_of(&capture.header).unwrap();
    for record in &capture.records {
        chip.apply(record, engine).unwrap();
    }
    let counters = engine.take_counters().unwrap();
    let mut memory = vec![0; MEMORY_BYTES as usize + 4096];
    let (vram, reports) = memory.split_at_mut(MEMORY_BYTES as usize);
    let window = |space, start| MemoryWindow { space, start, bytes: u32::MAX };
    engine.read_memory(window(MemorySpace::Vram, MEMORY_START), vram).unwrap();
    engine.read_memory(window(MemorySpace::Gart, 1 << 20), reports).unwrap();
    Outcome { memory, anomalies: chip.anomalies().lines(), counters }
}

/// The first byte of memory that differs.
pub(crate) fn different_byte(expected: &Outcome, actual: &Outcome) -> Option<usize> {
    if expected.memory == actual.memory {
        return None;
    }
    expected.memory.iter().zip(&actual.memory).position(|(expected, actual)| expected != actual)
}

/// Describes where two outcomes differ.
pub(crate) fn difference(expected: &Outcome, actual: &Outcome) -> Option<String> {
    if expected.anomalies != actual.anomalies {
        return Some(format!("{:?} instead of {:?}", actual.anomalies, expected.anomalies));
    }
    if expected.counters.len() != actual.counters.len() {
        return Some(format!("{} draws instead of {}", actual.counters.len(), expected.counters.len()));
    }
    for (draw, (expected, actual)) in expected.counters.iter().zip(&actual.counters).enumerate() {
        let differs = |counter: &&Counter| expected.elements(**counter) != actual.elements(**counter);
        if let Some(counter) = Counter::ALL.iter().find(differs) {
            let [expected, actual] = [expected, actual].map(|counters| counters.elements(*counter));
            return Some(format!("{counter:?} of draw {draw}: {actual:?} instead of {expected:?}"));
        }
    }
    let at = different_byte(expected, actual)?;
    let count = expected.memory.iter().zip(&actual.memory).filter(|(expected, actual)| expected != actual).count();
    let place = place(at);
    Some(format!("{count} bytes, first {place}: {:#04x} instead of {:#04x}", actual.memory[at], expected.memory[at]))
}
