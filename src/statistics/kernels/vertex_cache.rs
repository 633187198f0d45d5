//! The post-transform vertex cache on a device: one invocation per batch.

use bytemuck::{Pod, Zeroable};

use super::{GROUP, ModelError, ROUNDS, dispatches, read_records};
use crate::gpu::{Bound, Gpu};
use crate::kernels::linear_workgroups;
use crate::statistics::recency::{RecencyLists, Slot};
use crate::statistics::vertex_cache::{
    Replacement, VertexBatch, VertexCacheCounts, VertexCacheParameters, VertexCacheResult, VertexTrace, check_batches,
};

const REPLAY_VERTEX_CACHE: &str = include_str!("../../../wgsl/models/replay_vertex_cache.wgsl");

/// Slots of the batches that are under way at once; more batches go in further rounds.
const SLOTS: u32 = 1 << 17;

/// Parameters of `replay_vertex_cache`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct VertexCacheRun {
    batch_count: u32,
    entries: u32,
    is_lru: u32,
    first: u32,
    count: u32,
}

/// Runs the cache over a trace of the host.
///
/// # Errors
/// As [`crate::statistics::vertex_cache::simulate`], and when the device fails.
pub fn simulate(
    gpu: &Gpu,
    trace: &VertexTrace,
    parameters: &VertexCacheParameters,
) -> Result<VertexCacheResult, ModelError> {
    trace.check()?;
    let vertices = gpu.buffer_with("vertices of batches", bytemuck::cast_slice(&trace.vertices))?;
    simulate_buffer(gpu, &trace.batches, &vertices, parameters)
}

/// Runs the cache over vertex numbers in a buffer, which [`VertexTrace::vertices`] describes.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_buffer(
    gpu: &Gpu,
    batches: &[VertexBatch],
    vertices: &wgpu::Buffer,
    parameters: &VertexCacheParameters,
) -> Result<VertexCacheResult, ModelError> {
    parameters.check()?;
    check_batches(batches, vertices.size() / 4)?;
    let vertex_count = batches.last().map_or(0, |batch| batch.first_vertex + batch.vertex_count);
    let is_lru = parameters.replacement == Replacement::Lru;
    let at_once = (SLOTS / (parameters.entries + 1)) as usize;
    let slots =
        if is_lru { vec![RecencyLists::new(1, parameters.entries); batches.len().min(at_once)] } else { vec![] };
    let slots: Vec<Slot> = slots.iter().flat_map(|lists| lists.slots().iter().copied()).collect();
    let places = gpu.buffer("places of vertices", 4 * u64::from(vertex_count))?;
    let transforms = gpu.buffer("transforms of vertices", 4 * u64::from(vertex_count))?;
    let kernel = gpu.kernel("replay_vertex_cache", REPLAY_VERTEX_CACHE)?;
    let mut result = VertexCacheResult::default();
    for batches in batches.chunks(at_once) {
        let batch_count = u32::try_from(batches.len()).expect("a chunk has few batches");
        let slot_buffer = gpu.buffer_with("recency lists", bytemuck::cast_slice(&slots))?;
        let batch_buffer = gpu.buffer_with("batches", bytemuck::cast_slice(batches))?;
        let counts = gpu.buffer("counts of batches", 12 * batches.len() as u64)?;
        let longest = batches.iter().map(|batch| batch.index_count).max().unwrap_or(0);
        let mut recording = gpu.record();
        for dispatch in 0..dispatches(longest.into()) {
            let entries = parameters.entries;
            let run =
                VertexCacheRun { batch_count, entries, is_lru: is_lru.into(), first: dispatch * ROUNDS, count: ROUNDS };
            let run = recording.store(bytemuck::bytes_of(&run))?;
            let bindings: [(u32, Bound<'_>); 7] = [
                (14, (&run).into()),
                (30, (&slot_buffer).into()),
                (31, (&batch_buffer).into()),
                (32, vertices.into()),
                (33, (&places).into()),
                (34, (&transforms).into()),
                (35, (&counts).into()),
            ];
            recording.dispatch(&kernel, &bindings, linear_workgroups(batch_count, GROUP));
            if recording.is_full() {
                gpu.flush(&mut recording)?;
            }
        }
        gpu.submit(recording)?;
        let counts = read_records::<[u32; 3]>(gpu, &counts, batches.len())?;
        result.batches.extend(counts.iter().map(|&[hits, misses, _]| VertexCacheCounts { hits, misses }));
    }
    result.transforms = read_records(gpu, &transforms, vertex_count as usize)?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::ParameterError;
    use crate::statistics::kernels::test_gpu;
    use crate::statistics::test_random::Random;
    use crate::statistics::vertex_cache::{MAX_ENTRIES, simulate as simulate_on_host};

    fn trace() -> VertexTrace {
        let mut random = Random::new(3);
        let mut trace = VertexTrace::default();
        // One batch is longer than a dispatch, some are empty.
        for (batch, count) in [500u32, 0, 40_000, 3, 1, 700, 0, 90, 2000, 12].into_iter().enumerate() {
            let range = 8 + 8 * u32::try_from(batch).unwrap();
            let indices: Vec<u32> = (0..count).map(|at| at / 7 + random.below(range)).collect();
            trace.push(&indices).unwrap();
        }
        // Numbers that are no vertices.
        trace.vertices[17] = u32::MAX;
        trace
    }

    #[test]
    fn the_kernel_gives_the_numbers_of_the_host() {
        let Some(gpu) = test_gpu() else { return };
        let trace = trace();
        for (entries, replacement) in
            [(24, Replacement::Fifo), (32, Replacement::Lru), (1, Replacement::Lru), (5, Replacement::Fifo)]
        {
            let parameters = VertexCacheParameters { entries, replacement };
            let expected = simulate_on_host(&trace, &parameters).unwrap();
            assert_eq!(simulate(&gpu, &trace, &parameters).unwrap(), expected, "{parameters:?}");
            // A planted difference.
            let mut other = trace.clone();
            other.vertices[400] = other.vertices[0];
            other.vertices[402] = u32::MAX;
            assert_ne!(simulate(&gpu, &other, &parameters).unwrap(), expected);
        }
        let nothing = simulate(&gpu, &VertexTrace::default(), &VertexCacheParameters::default()).unwrap();
        assert_eq!(nothing, VertexCacheResult::default());
    }

    #[test]
    fn batches_go_in_rounds_where_their_caches_are_large() {
        let Some(gpu) = test_gpu() else { return };
        let mut trace = VertexTrace::default();
        for batch in 0..70 {
            trace.push(&[batch, 1, 2, batch + 1, 2, 1]).unwrap();
        }
        let parameters = VertexCacheParameters { entries: MAX_ENTRIES, replacement: Replacement::Lru };
        const { assert!(SLOTS / MAX_ENTRIES < 35) };
        let expected = simulate_on_host(&trace, &parameters).unwrap();
        assert_eq!(simulate(&gpu, &trace, &parameters).unwrap(), expected);
    }

    #[test]
    fn batches_beyond_the_buffer_are_refused() {
        let Some(gpu) = test_gpu() else { return };
        let vertices = gpu.buffer("few", 16).unwrap();
        let batch = VertexBatch { first_index: 0, index_count: 5, first_vertex: 0, vertex_count: 1 };
        let error = simulate_buffer(&gpu, &[batch], &vertices, &VertexCacheParameters::default()).unwrap_err();
        assert!(matches!(error, ModelError::Parameter(ParameterError { field: "index_count", .. })), "{error}");
    }
}
