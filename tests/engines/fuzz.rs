//! Runs the fuzz targets of both engines on seeded inputs: streams of draws, of copies and images, of the GeForce 8, and compute
//! launches.

use curie::capture::{Capture, Header};
use curie::kernels::{KernelOptions, KernelPath, Kernels};
use curie::machine::chip_of;
use curie::pipeline::Engine;
use curie::reference::Reference;

use crate::common;
use crate::common::damaged_streams;
use crate::common::engine_pair::{EnginePair, InputEngines, compare_images};
use crate::common::fuzz_seeds::seeds;
use crate::common::launch_outcome::LaunchEngines;
use crate::common::memory::contents;
use crate::common::random::Random;

/// Random bytes of a seed.
fn bytes(seed: u64, words: u32) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..words).flat_map(|_| random.word().to_le_bytes()).collect()
}

/// Streams whose inputs share a pipeline for each path.
#[test]
fn engines() {
    if common::gpu().is_none() {
        return;
    }
    let mut engines = InputEngines::new(|| common::gpu().expect("it was there before"));
    seeds(12, |seed| {
        let mut input = bytes(seed, 1024);
        (input[0], input[1]) = (seed.to_le_bytes()[0], 0);
        engines.compare(&input)
    });
}

#[test]
fn images() {
    let Some(gpu) = common::gpu() else { return };
    let mut pair = EnginePair::new(gpu, KernelPath::Invocations, false);
    seeds(30, |seed| compare_images(&mut pair, &bytes(seed, 256)));
}

/// Bytes of each memory for streams of the GeForce 8, whose buffers have virtual addresses.
const SPACE_BYTES: u64 = 1 << 24;

/// What a stream leaves in both memories, what was refused or not known, and the number of draws. Whatever the chip or the engine
/// refuses, the next record is applied.
fn played(capture: &Capture, engine: &mut dyn Engine) -> (Vec<u8>, Vec<String>, u64) {
    let header = Header { vram_bytes: SPACE_BYTES, gart_bytes: SPACE_BYTES, ..capture.header };
    let mut chip = chip_of(&header).expect("the chip of a bundled capture");
    let mut refused = Vec::new();
    for record in &capture.records {
        refused.extend(chip.apply(record, engine).err().map(|error| error.to_string()));
    }
    refused.extend(chip.anomalies().lines());
    (contents(engine), refused, chip.counts().draws)
}

#[test]
fn tesla_streams() {
    if common::gpu().is_none() {
        return;
    }
    let captures = damaged_streams::captures(16 << 10);
    seeds(6, |seed| {
        let mut random = Random::new(seed);
        let place = random.below(u32::try_from(captures.len()).unwrap()) as usize;
        let capture = damaged_streams::damaged(&mut random, &captures[place]);
        let mut reference = Reference::new(SPACE_BYTES, SPACE_BYTES).unwrap();
        let gpu = common::gpu().expect("it was there before");
        let mut kernels = Kernels::new(gpu, KernelOptions::default(), SPACE_BYTES, SPACE_BYTES).unwrap();
        let (memory, refused, draws) = played(&capture, &mut reference);
        let (by_kernels, refused_by_kernels, draws_by_kernels) = played(&capture, &mut kernels);
        assert_eq!((refused_by_kernels, draws_by_kernels), (refused, draws));
        assert!(by_kernels == memory, "the engines differ");
        draws > 0
    });
}

#[test]
fn compute() {
    let Some(gpu) = common::gpu() else { return };
    let engines = LaunchEngines::new(gpu);
    // Compiling a program takes longer than running it.
    seeds(4, |seed| engines.compare(&bytes(seed, 256 + u32::from(seed % 2 == 0))[1..]));
}
