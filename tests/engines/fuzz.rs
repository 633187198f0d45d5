//! Runs the fuzz targets of both engines on seeded inputs: streams of draws, of copies and images, and compute launches.

use curie::kernels::KernelPath;

use crate::common;
use crate::common::engine_pair::{EnginePair, InputEngines, compare_images};
use crate::common::fuzz_seeds::seeds;
use crate::common::launch_outcome::LaunchEngines;
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

#[test]
fn compute() {
    let Some(gpu) = common::gpu() else { return };
    let engines = LaunchEngines::new(gpu);
    // Compiling a program takes longer than running it.
    seeds(4, |seed| engines.compare(&bytes(seed, 256 + u32::from(seed % 2 == 0))[1..]));
}
