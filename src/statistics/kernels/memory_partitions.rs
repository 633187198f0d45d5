//! Runs the model of memory partitions on a device: one invocation per access, then one per partition.

use bytemuck::{Pod, Zeroable};

use super::{GROUP, ModelError, ROUNDS, dispatches, read_back};
use crate::gpu::{Bound, DeviceError, Gpu};
use crate::kernels::linear_workgroups;
use crate::statistics::ParameterError;
use crate::statistics::memory_partitions::{
    BankCounts, CLIENTS, MemoryAccess, MemoryParameters, MemoryResult, PartitionResult,
};

const LOCATE_MEMORY_ACCESSES: &str = include_str!("../../../wgsl/models/locate_memory_accesses.wgsl");
const REPLAY_MEMORY_PARTITIONS: &str = include_str!("../../../wgsl/models/replay_memory_partitions.wgsl");

/// Invocations per workgroup of `locate_memory_accesses`.
const LOCATE_GROUP: u32 = 64;

/// The first parameters of `locate_memory_accesses`; tile regions follow.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct MemoryLocations {
    access_count: u32,
    row: u32,
    partitions: u32,
    log2_interleave: u32,
    log2_block: u32,
    banks: u32,
    region_count: u32,
    padding: u32,
}

/// Parameters of `replay_memory_partitions`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct MemoryPartitionsRun {
    partitions: u32,
    banks: u32,
    first: u32,
    end: u32,
    queue_depth: u32,
    access_clocks: u32,
    activate_clocks: u32,
    precharge_clocks: u32,
    activate_spacing: u32,
    write_recovery: u32,
    read_to_write: u32,
    write_to_read: u32,
    read_latency: u32,
    write_latency: u32,
    segments: u32,
    padding: u32,
}

/// Words of a partition and of a bank, as in the kernel.
type PartitionWords = [u32; 5];
type BankWords = [u32; 5];

/// Buffers of a run.
struct Tables {
    locations: wgpu::Buffer,
    counts: wgpu::Buffer,
    partitions: wgpu::Buffer,
    banks: wgpu::Buffer,
    starts: wgpu::Buffer,
    segment_ends: wgpu::Buffer,
}

/// Runs the memory model over a host trace.
///
/// # Errors
/// As [`crate::statistics::memory_partitions::simulate`], when the trace may take 2³² clocks or more, and when the device
/// fails.
pub fn simulate(gpu: &Gpu, trace: &[MemoryAccess], parameters: &MemoryParameters) -> Result<MemoryResult, ModelError> {
    let count = u32::try_from(trace.len()).map_err(|_| too_long(trace.len() as u64))?;
    let segments = trace.iter().filter(|access| access.is_segment_end()).count();
    let segments = u32::try_from(segments).map_err(|_| too_long(segments as u64))?;
    let buffer = gpu.buffer_with("accesses to memory", bytemuck::cast_slice(trace))?;
    simulate_buffer(gpu, &buffer, [count, segments], parameters)
}

/// Runs the memory model over the first accesses of a buffer of [`MemoryAccess`] words, which contain the ends of
/// `segments` segments.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_buffer(
    gpu: &Gpu,
    accesses: &wgpu::Buffer,
    [access_count, segments]: [u32; 2],
    parameters: &MemoryParameters,
) -> Result<MemoryResult, ModelError> {
    parameters.check()?;
    let holds = u64::from(access_count) * 4 <= accesses.size();
    ParameterError::unless(holds, "access_count", access_count, "inside the buffer")?;
    let clocks = u64::from(access_count) * parameters.max_clocks();
    if u32::try_from(clocks).is_err() {
        return Err(too_long(clocks).into());
    }
    let MemoryParameters { partitions, banks, queue_depth, .. } = *parameters;
    let tables = Tables {
        locations: gpu.buffer("locations of accesses", 4 * u64::from(access_count))?,
        counts: gpu.buffer("counts of clients", u64::from(partitions) * CLIENTS as u64 * 8)?,
        partitions: gpu.buffer("partitions", u64::from(partitions) * size_of::<PartitionWords>() as u64)?,
        banks: gpu.buffer("banks", u64::from(partitions * banks) * size_of::<BankWords>() as u64)?,
        starts: gpu.buffer("starts of accesses", u64::from(partitions * queue_depth) * 4)?,
        segment_ends: gpu.buffer("ends of segments", (u64::from(segments) * u64::from(partitions)).max(1) * 4)?,
    };
    locate(gpu, (accesses, access_count), parameters, &tables)?;
    replay(gpu, (accesses, [access_count, segments]), parameters, &tables)?;
    let counts = read_back::<[[u32; 2]; CLIENTS]>(gpu, &tables.counts, partitions as usize)?;
    let states = read_back::<PartitionWords>(gpu, &tables.partitions, partitions as usize)?;
    let bank_words = read_back::<BankWords>(gpu, &tables.banks, (partitions * banks) as usize)?;
    let segment_words = segments as usize * partitions as usize;
    let segment_words = read_back::<u32>(gpu, &tables.segment_ends, segment_words)?;
    let ends = segment_words.chunks(partitions as usize).map(|ends| ends.iter().map(|end| u64::from(*end)).collect());
    let segment_ends = ends.collect();
    let banks = bank_words.chunks(banks as usize);
    let results = counts.iter().zip(&states).zip(banks).map(|((counts, state), banks)| PartitionResult {
        accesses: counts.map(|directions| directions.map(u64::from)),
        banks: banks.iter().map(|bank| BankCounts { hits: bank[3].into(), misses: bank[4].into() }).collect(),
        turns: state[4].into(),
        clocks: state[1].into(),
    });
    Ok(MemoryResult { parameters: parameters.clone(), partitions: results.collect(), segment_ends })
}

fn too_long(clocks: u64) -> ParameterError {
    ParameterError { field: "clocks at most", value: clocks, expected: "below 2^32" }
}

fn locate(
    gpu: &Gpu,
    (accesses, access_count): (&wgpu::Buffer, u32),
    parameters: &MemoryParameters,
    tables: &Tables,
) -> Result<(), DeviceError> {
    let kernel = gpu.kernel("locate_memory_accesses", LOCATE_MEMORY_ACCESSES)?;
    let workgroups = linear_workgroups(access_count, LOCATE_GROUP);
    let run = MemoryLocations {
        access_count,
        row: workgroups[0] * LOCATE_GROUP,
        partitions: parameters.partitions,
        log2_interleave: parameters.interleave_bytes.trailing_zeros(),
        log2_block: parameters.log2_block(),
        banks: parameters.banks,
        region_count: u32::try_from(parameters.regions.len()).expect("there are at most 15"),
        padding: 0,
    };
    let mut block = bytemuck::bytes_of(&run).to_vec();
    block.extend_from_slice(bytemuck::cast_slice(&parameters.regions));
    let mut recording = gpu.record();
    let run = recording.store(&block)?;
    let bindings: [(u32, Bound<'_>); 4] =
        [(14, (&run).into()), (31, accesses.into()), (32, (&tables.locations).into()), (33, (&tables.counts).into())];
    recording.dispatch(&kernel, &bindings, workgroups);
    gpu.submit(recording)
}

fn replay(
    gpu: &Gpu,
    (accesses, [access_count, segments]): (&wgpu::Buffer, [u32; 2]),
    parameters: &MemoryParameters,
    tables: &Tables,
) -> Result<(), DeviceError> {
    let kernel = gpu.kernel("replay_memory_partitions", REPLAY_MEMORY_PARTITIONS)?;
    let mut recording = gpu.record();
    for dispatch in 0..dispatches(access_count.into()) {
        let first = dispatch * ROUNDS;
        let run = MemoryPartitionsRun {
            partitions: parameters.partitions,
            banks: parameters.banks,
            first,
            end: first.saturating_add(ROUNDS).min(access_count),
            queue_depth: parameters.queue_depth,
            access_clocks: parameters.access_clocks,
            activate_clocks: parameters.activate_clocks,
            precharge_clocks: parameters.precharge_clocks,
            activate_spacing: parameters.activate_spacing,
            write_recovery: parameters.write_recovery,
            read_to_write: parameters.read_to_write,
            write_to_read: parameters.write_to_read,
            read_latency: parameters.read_latency,
            write_latency: parameters.write_latency,
            segments,
            padding: 0,
        };
        let run = recording.store(bytemuck::bytes_of(&run))?;
        let bindings: [(u32, Bound<'_>); 7] = [
            (14, (&run).into()),
            (31, accesses.into()),
            (32, (&tables.locations).into()),
            (34, (&tables.partitions).into()),
            (35, (&tables.banks).into()),
            (36, (&tables.starts).into()),
            (37, (&tables.segment_ends).into()),
        ];
        recording.dispatch(&kernel, &bindings, linear_workgroups(parameters.partitions, GROUP));
        if recording.is_full() {
            gpu.flush(&mut recording)?;
        }
    }
    gpu.submit(recording)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::kernels::test_gpu;
    use crate::statistics::memory_partitions::simulate as simulate_on_host;
    use crate::statistics::test_random::Random;
    use crate::statistics::test_traces::{random_accesses, random_memory};

    #[test]
    fn the_kernels_give_the_numbers_of_the_host() {
        let Some(gpu) = test_gpu() else { return };
        let mut random = Random::new(11);
        for case in 0..20 {
            let parameters = random_memory(&mut random);
            // The first trace is longer than a dispatch.
            let trace = random_accesses(&mut random, if case == 0 { 70_000 } else { 3000 });
            let expected = simulate_on_host(&trace, &parameters).unwrap();
            assert_eq!(simulate(&gpu, &trace, &parameters).unwrap(), expected, "case {case}");
        }
        // A planted difference.
        let parameters = MemoryParameters::default();
        let mut trace = random_accesses(&mut random, 300);
        let expected = simulate_on_host(&trace, &parameters).unwrap();
        trace[100].0 ^= 1 << 30;
        assert_ne!(simulate(&gpu, &trace, &parameters).unwrap(), expected);
        assert_eq!(simulate(&gpu, &[], &parameters).unwrap(), simulate_on_host(&[], &parameters).unwrap());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let Some(gpu) = test_gpu() else { return };
        let buffer = gpu.buffer("few", 16).unwrap();
        let refused = |count| simulate_buffer(&gpu, &buffer, [count, 0], &MemoryParameters::default()).unwrap_err();
        assert!(matches!(refused(5), ModelError::Parameter(ParameterError { field: "access_count", .. })));
    }
}
