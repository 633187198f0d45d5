//! Runs the model of prefetching texture pipes on a device: one invocation per pipe; many shapes run in parallel.

use bytemuck::{Pod, Zeroable};

use super::{GROUP, ModelError, ROUNDS, dispatches, read_back};
use crate::gpu::{Bound, Gpu};
use crate::kernels::linear_workgroups;
use crate::statistics::ParameterError;
use crate::statistics::prefetch::{PrefetchParameters, PrefetchResult, QuadWork, max_cycles};

const REPLAY_PREFETCH: &str = include_str!("../../../wgsl/models/replay_prefetch.wgsl");

/// Words of a pipe before its ring buffers, and the one that holds its last clock, as in the kernel.
const CURSOR_WORDS: u32 = 10;
const LEAVE_WORD: u32 = 7;

/// Pipes that run in parallel; further pipes run in further passes.
const PIPES: usize = 128;

/// A pipe in the kernel's layout.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct PrefetchPipe {
    fragment_fifo: u32,
    request_fifo: u32,
    reorder_slots: u32,
    latency: u32,
    jitter: u32,
    transfer: u32,
    memory_bytes: u32,
    clocks: u32,
}

/// The first parameters of `replay_prefetch`; pipes follow.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct PrefetchRun {
    pipe_count: u32,
    quad_count: u32,
    rounds: u32,
    padding: u32,
}

/// Runs quads through pipes of many shapes; results are in the order of the shapes.
///
/// # Errors
/// As [`crate::statistics::prefetch::simulate`], when a pipe may take 2³² clocks or more, and when the device fails.
pub fn simulate(
    gpu: &Gpu,
    quads: &[QuadWork],
    shapes: &[PrefetchParameters],
) -> Result<Vec<PrefetchResult>, ModelError> {
    let mut pipes = Vec::new();
    for shape in shapes {
        shape.check()?;
        let clocks = max_cycles(quads, shape);
        ParameterError::unless(u32::try_from(clocks).is_ok(), "clocks at most", clocks, "below 2^32")?;
        pipes.extend([*shape, shape.without_latency()]);
    }
    let trace = gpu.buffer_with("misses of quads", bytemuck::cast_slice(quads))?;
    let mut cycles = Vec::new();
    for pipes in pipes.chunks(PIPES) {
        cycles.extend(run(gpu, quads, &trace, pipes)?);
    }
    let results = shapes.iter().zip(cycles.chunks(2)).map(|(parameters, cycles)| PrefetchResult {
        parameters: *parameters,
        cycles: cycles[0].into(),
        cycles_without_latency: cycles[1].into(),
    });
    Ok(results.collect())
}

/// The last clock of each pipe.
fn run(
    gpu: &Gpu,
    quads: &[QuadWork],
    trace: &wgpu::Buffer,
    shapes: &[PrefetchParameters],
) -> Result<Vec<u32>, ModelError> {
    let mut words = 0;
    let pipes: Vec<_> = shapes
        .iter()
        .map(|shape| {
            let PrefetchParameters {
                fragment_fifo, request_fifo, reorder_slots, latency, jitter, memory_bytes, ..
            } = *shape;
            let clocks = words;
            words += CURSOR_WORDS + fragment_fifo + request_fifo + reorder_slots;
            let transfer = shape.line_bytes * shape.memory_clocks;
            PrefetchPipe { fragment_fifo, request_fifo, reorder_slots, latency, jitter, transfer, memory_bytes, clocks }
        })
        .collect();
    let kernel = gpu.kernel("replay_prefetch", REPLAY_PREFETCH)?;
    let clocks = gpu.buffer("clocks of pipes", 4 * u64::from(words))?;
    let pipe_count = u32::try_from(pipes.len()).expect("a chunk has few pipes");
    let quad_count = u32::try_from(quads.len()).expect("each takes clocks, which were counted");
    let run = PrefetchRun { pipe_count, quad_count, rounds: ROUNDS, padding: 0 };
    let mut block = bytemuck::bytes_of(&run).to_vec();
    block.extend_from_slice(bytemuck::cast_slice(&pipes));
    let rounds = quads.iter().map(|quad| u64::from(quad.misses) + 1).sum();
    let mut recording = gpu.record();
    for _ in 0..dispatches(rounds) {
        let run = recording.store_changed("prefetching pipes", &block)?;
        let bindings: [(u32, Bound<'_>); 3] = [(14, (&run).into()), (31, trace.into()), (32, (&clocks).into())];
        recording.dispatch(&kernel, &bindings, linear_workgroups(pipe_count, GROUP));
        if recording.is_full() {
            gpu.flush(&mut recording)?;
        }
    }
    gpu.submit(recording)?;
    let clocks = read_back::<u32>(gpu, &clocks, words as usize)?;
    Ok(pipes.iter().map(|pipe| clocks[(pipe.clocks + LEAVE_WORD) as usize]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::kernels::test_gpu;
    use crate::statistics::prefetch::simulate as simulate_on_host;
    use crate::statistics::test_random::Random;
    use crate::statistics::test_traces::{random_prefetch, random_quads};

    #[test]
    fn the_kernel_gives_the_clocks_of_the_host() {
        let Some(gpu) = test_gpu() else { return };
        let mut random = Random::new(8);
        // More than one dispatch.
        for (count, one_in) in [(30_000, 5), (300, 1), (0, 1)] {
            let quads = random_quads(&mut random, count, one_in);
            let mut shapes: Vec<_> = (0..20).map(|_| random_prefetch(&mut random)).collect();
            shapes.push(PrefetchParameters { jitter: 65_535, ..PrefetchParameters::default() });
            let results = simulate(&gpu, &quads, &shapes).unwrap();
            assert_eq!(results.len(), shapes.len());
            for (shape, result) in shapes.iter().zip(results) {
                assert_eq!(result, simulate_on_host(&quads, shape).unwrap());
            }
        }
        // A planted difference.
        let parameters = PrefetchParameters::default();
        let quads = [QuadWork { misses: 3, clocks: 1 }];
        let result = simulate(&gpu, &quads, &[parameters]).unwrap()[0];
        assert_ne!(result, simulate_on_host(&[QuadWork { misses: 4, clocks: 1 }], &parameters).unwrap());
    }

    #[test]
    fn a_trace_whose_clocks_may_overflow_is_refused() {
        let Some(gpu) = test_gpu() else { return };
        let quads = [QuadWork { misses: u16::MAX, clocks: 1 }; 2];
        let parameters = PrefetchParameters { latency: 65_535, ..PrefetchParameters::default() };
        let error = simulate(&gpu, &quads, &[parameters]).unwrap_err();
        assert!(matches!(error, ModelError::Parameter(ParameterError { field: "clocks at most", .. })), "{error}");
        assert_eq!(simulate(&gpu, &quads[..1], &[PrefetchParameters::default(); 2]).unwrap().len(), 2);
    }
}
