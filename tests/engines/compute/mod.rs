//! Compute launches on both engines: every byte of memory, every count and every fault is equal.
//!
//! Random programs: a seed alone determines a program, its launch and its memory. Environment:
//!
//! - `CURIE_COMPUTE_CASES`: the number of programs, 12 by default, and 24 every night.
//! - `CURIE_COMPUTE_SEED`: the first seed, 0 by default. A failure names its seed.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod examples;
mod flow;
mod graphics;
mod stream;
mod stream_textures;
mod textures;

use curie::engine::ComputeEngine;
use curie::launch::PreparedLaunch;
use curie::pipeline::launch::LaunchError;

use crate::common;
use crate::common::compute_program::{case, graphics_case};
use crate::common::launch_outcome::{Outcome, difference, outcome};
use crate::common::nightly::cases;

/// Runs a launch on both engines; returns the difference.
fn compare(kernels: &ComputeEngine, prepared: &PreparedLaunch, limit: u64) -> (Outcome, Option<String>) {
    let expected = outcome(&ComputeEngine::REFERENCE, prepared, limit);
    let actual = outcome(kernels, prepared, limit);
    let found = difference(&expected, &actual);
    (expected, found)
}

/// The kernels, if there is an adapter.
fn kernels() -> Option<ComputeEngine> {
    common::gpu().map(ComputeEngine::on)
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |value| value.parse().unwrap())
}

/// Runs random programs on both engines; returns what they did.
fn compare_cases(case: impl Fn(u64) -> PreparedLaunch) -> String {
    let (Some(whole), Some(gpu)) = (kernels(), common::gpu()) else { return "no adapter".to_owned() };
    let short = ComputeEngine::on(gpu.clone()).with_passes(60);
    let checked = ComputeEngine::on(gpu.without_ordered_stores());
    let first = number("CURIE_COMPUTE_SEED", 0);
    let count = number("CURIE_COMPUTE_CASES", cases(8, 24));
    let (mut instructions, mut divergent, mut faulty, mut discarded) = (0, 0, 0, 0);
    let mut found = Vec::new();
    for seed in first..first + count {
        let prepared = case(seed);
        // Every other one in many short dispatches. llvmpipe takes long to compile the stores of hardware adapters.
        let kernels = match seed % 12 {
            2 => &checked,
            seed if seed % 2 == 0 => &whole,
            _ => &short,
        };
        let (expected, differs) = compare(kernels, &prepared, 200_000);
        if let Ok(report) = &expected.report {
            instructions += report.thread_instructions;
            divergent += u64::from(report.divergent_branches != 0);
            faulty += u64::from(!report.faults.is_empty());
            discarded += report.outputs.iter().filter(|output| output.is_none()).count();
        }
        if let Some(differs) = differs {
            found.push(format!("seed {seed}: {differs}"));
        }
    }
    assert!(found.is_empty(), "{} programs differ:\n{}", found.len(), found.join("\n"));
    assert!(divergent * 5 > count, "{divergent} of {count} programs diverge");
    format!(
        "{count} programs, {instructions} instructions of threads, {divergent} diverge, {faulty} have faults, {discarded} \
         fragments without results"
    )
}

#[test]
fn random_programs_are_equal() {
    println!("{}", compare_cases(case));
}

#[test]
fn random_programs_of_vertices_and_fragments_are_equal() {
    println!("{}", compare_cases(graphics_case));
}

#[test]
fn planted_differences_are_found() {
    let prepared = case(1);
    let expected = outcome(&ComputeEngine::REFERENCE, &prepared, 200_000);
    assert_eq!(difference(&expected, &expected), None);
    let mut memory = expected.clone();
    memory.memory.write(memory.memory.buffers()[0].address + 5, 1).unwrap()[0] ^= 1;
    assert!(difference(&expected, &memory).unwrap().starts_with("buffer out, byte 0x5: "));
    let graphics = outcome(&ComputeEngine::REFERENCE, &graphics_case(0), 200_000);
    let mut outputs = graphics.clone();
    outputs.report.as_mut().unwrap().outputs[0].as_mut().unwrap()[1] ^= 1;
    assert!(difference(&graphics, &outputs).unwrap().starts_with("element 0: "));
    let mut counts = expected.clone();
    counts.report.as_mut().unwrap().instructions[2].threads += 1;
    assert!(difference(&expected, &counts).unwrap().starts_with("instruction 2: "));
    let failed = Outcome {
        report: Err(LaunchError::Endless { limit: 1, instruction: 0, place: prepared.launch.place(0, 0) }),
        ..expected.clone()
    };
    assert!(difference(&expected, &failed).is_some());
}
