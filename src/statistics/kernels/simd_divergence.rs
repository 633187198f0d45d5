//! Runs the model of SIMD divergence on a device: one invocation per batch.

use bytemuck::{Pod, Zeroable};

use super::{GROUP, ModelError, ROUNDS, dispatches, read_back};
use crate::gpu::{Bound, DeviceError, Gpu};
use crate::kernels::linear_workgroups;
use crate::statistics::ParameterError;
use crate::statistics::simd_divergence::{BatchFlow, BranchTrace, QuadBatch};

const REPLAY_SIMD_DIVERGENCE: &str = include_str!("../../../wgsl/models/replay_simd_divergence.wgsl");

/// Stands for a block's number at a branch, as in the kernel.
const IS_BRANCH: u32 = u32::MAX;

/// Table entries of all batches in progress at once; further batches run in further passes.
const TABLE_PLACES: u32 = 1 << 20;
/// The least number of table entries per batch; it keeps the batches of a pass within one dispatch dimension.
const MIN_PLACES: u32 = 8;

/// Parameters of `replay_simd_divergence`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct BranchRun {
    first_batch: u32,
    batch_count: u32,
    row: u32,
    first: u32,
    count: u32,
}

/// A draw in the kernel's layout.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct DrawPlaces {
    first_place: u32,
    place_count: u32,
    first_block: u32,
}

/// Buffers of a run.
struct Tables {
    draws: wgpu::Buffer,
    blocks: wgpu::Buffer,
    batches: wgpu::Buffer,
    steps: wgpu::Buffer,
    seen: wgpu::Buffer,
    counts: wgpu::Buffer,
    entered: wgpu::Buffer,
}

/// Groups the quads of a host trace into batches of `batch_quads`.
///
/// # Errors
/// As [`crate::statistics::simd_divergence::simulate`], when a block may be entered 2³² times or more, and when the device
/// fails.
pub fn simulate(gpu: &Gpu, trace: &BranchTrace, batch_quads: u32) -> Result<Vec<BatchFlow>, ModelError> {
    trace.check(batch_quads)?;
    let draws = draw_places(trace)?;
    let batches: Vec<_> = trace.batches(batch_quads).collect();
    let rounds = batch_rounds(&batches, &draws)?;
    let blocks: Vec<_> = trace.places.iter().map(|block| block.unwrap_or(IS_BRANCH)).collect();
    let row = draws.iter().map(|draw| draw.place_count).max().unwrap_or(0).max(MIN_PLACES);
    let at_once = (TABLE_PLACES / row).max(1) as usize;
    let seen = u64::from(row) * at_once.min(batches.len()) as u64;
    let block_count: usize = trace.draws.iter().map(|draw| draw.blocks as usize).sum();
    let tables = Tables {
        draws: gpu.buffer_with("places of draws", bytemuck::cast_slice(&draws))?,
        blocks: gpu.buffer_with("blocks of places", bytemuck::cast_slice(&blocks))?,
        batches: gpu.buffer_with("batches of quads", bytemuck::cast_slice(&batches))?,
        steps: gpu.buffer_with("steps of quads", bytemuck::cast_slice(&trace.steps))?,
        seen: gpu.buffer("places of batches", 4 * seen)?,
        counts: gpu.buffer("branches of draws", 16 * draws.len() as u64)?,
        entered: gpu.buffer("entered blocks", 4 * block_count as u64)?,
    };
    replay(gpu, &rounds, [row, u32::try_from(at_once).expect("at most the table")], &tables)?;
    let counts = read_back::<[u32; 4]>(gpu, &tables.counts, draws.len())?;
    let entered = read_back::<u32>(gpu, &tables.entered, block_count)?;
    let mut entered = entered.into_iter().map(u64::from);
    let flow = |(counts, blocks): ([u32; 4], u32)| {
        let [batches, uniform_taken, uniform_not_taken, divergent] = counts.map(u64::from);
        let entered = entered.by_ref().take(blocks as usize).collect();
        BatchFlow { batches, uniform_taken, uniform_not_taken, divergent, entered }
    };
    Ok(counts.into_iter().zip(trace.draws.iter().map(|draw| draw.blocks)).map(flow).collect())
}

/// The offsets of each draw's places and blocks.
fn draw_places(trace: &BranchTrace) -> Result<Vec<DrawPlaces>, ParameterError> {
    let mut first_block = 0u32;
    let ranges = trace.ranges().map(|(draw, [places, _])| {
        let first_place = draw.place_end - u32::try_from(places.len()).expect("they end at a word");
        let places = DrawPlaces { first_place, place_count: draw.place_end - first_place, first_block };
        let end = first_block.checked_add(draw.blocks);
        first_block = end.ok_or(ParameterError {
            field: "blocks",
            value: draw.blocks.into(),
            expected: "fewer than 2^32 in all",
        })?;
        Ok(places)
    });
    ranges.collect()
}

/// The iterations of each batch: its steps, then, if it has any, the places of its draw.
fn batch_rounds(batches: &[QuadBatch], draws: &[DrawPlaces]) -> Result<Vec<u64>, ParameterError> {
    let mut entries = vec![0; draws.len()];
    let mut first = 0;
    let rounds = batches.iter().map(|batch| {
        let steps = u64::from(batch.step_end - first);
        let places = u64::from(draws[batch.draw as usize].place_count);
        first = batch.step_end;
        entries[batch.draw as usize] += u64::from(batch.quads) * (1 + steps.min(places));
        if steps == 0 { 0 } else { steps + places }
    });
    let rounds = rounds.collect();
    let most = entries.into_iter().max().unwrap_or(0);
    ParameterError::unless(u32::try_from(most).is_ok(), "entered at most", most, "below 2^32")?;
    Ok(rounds)
}

/// Runs the batches through their iterations, `at_once` at a time, each with a row of the table.
fn replay(gpu: &Gpu, rounds: &[u64], [row, at_once]: [u32; 2], tables: &Tables) -> Result<(), DeviceError> {
    let kernel = gpu.kernel("replay_simd_divergence", REPLAY_SIMD_DIVERGENCE)?;
    let mut recording = gpu.record();
    let mut first_batch = 0;
    for rounds in rounds.chunks(at_once as usize) {
        let batch_count = u32::try_from(rounds.len()).expect("a chunk has few batches");
        // Batches without steps are counted, too.
        let longest = rounds.iter().max().copied().unwrap_or(0).max(1);
        for dispatch in 0..dispatches(longest) {
            let run = BranchRun { first_batch, batch_count, row, first: dispatch * ROUNDS, count: ROUNDS };
            let run = recording.store(bytemuck::bytes_of(&run))?;
            let bindings: [(u32, Bound<'_>); 8] = [
                (14, (&run).into()),
                (31, (&tables.draws).into()),
                (32, (&tables.blocks).into()),
                (33, (&tables.batches).into()),
                (34, (&tables.steps).into()),
                (35, (&tables.seen).into()),
                (36, (&tables.counts).into()),
                (37, (&tables.entered).into()),
            ];
            recording.dispatch(&kernel, &bindings, linear_workgroups(batch_count, GROUP));
            if recording.is_full() {
                gpu.flush(&mut recording)?;
            }
        }
        first_batch += batch_count;
    }
    gpu.submit(recording)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::kernels::test_gpu;
    use crate::statistics::simd_divergence::{BranchStep, simulate as simulate_on_host};
    use crate::statistics::test_random::Random;
    use crate::statistics::test_traces::{push_random_draw, random_branches};

    #[test]
    fn the_kernel_gives_the_numbers_of_the_host() {
        let Some(gpu) = test_gpu() else { return };
        let mut random = Random::new(41);
        for case in 0..20 {
            let trace = random_branches(&mut random);
            for batch_quads in [1, 2, 7, 64, 1000] {
                let expected = simulate_on_host(&trace, batch_quads).unwrap();
                assert_eq!(simulate(&gpu, &trace, batch_quads).unwrap(), expected, "case {case}, {batch_quads}");
            }
        }
        let nothing = simulate(&gpu, &BranchTrace::default(), 256).unwrap();
        assert_eq!(nothing, []);
    }

    #[test]
    fn batches_go_in_rounds_where_they_are_long_or_many() {
        let Some(gpu) = test_gpu() else { return };
        let mut random = Random::new(42);
        // Rows of 3000 places, with some 350 in progress at once, and batches of some 70,000 steps.
        let mut trace = BranchTrace::default();
        push_random_draw(&mut random, &mut trace, 700, 3000);
        push_random_draw(&mut random, &mut trace, 20_000, 5);
        assert!(trace.steps.len() > 2 * ROUNDS as usize && (TABLE_PLACES / 3000) < 700);
        for batch_quads in [1, 20_000] {
            let expected = simulate_on_host(&trace, batch_quads).unwrap();
            assert_eq!(simulate(&gpu, &trace, batch_quads).unwrap(), expected, "{batch_quads}");
        }
    }

    #[test]
    fn a_planted_difference_is_found() {
        let Some(gpu) = test_gpu() else { return };
        let mut trace = BranchTrace::default();
        push_random_draw(&mut Random::new(43), &mut trace, 90, 12);
        let expected = simulate_on_host(&trace, 4).unwrap();
        assert_eq!(simulate(&gpu, &trace, 4).unwrap(), expected);
        // A step at another place; one quad less in the last batch.
        let mut other = trace.clone();
        let place = trace.places.iter().position(|block| block.is_none()).unwrap();
        other.steps.iter_mut().for_each(|step| step.place = u32::try_from(place).unwrap());
        assert_ne!(simulate(&gpu, &other, 4).unwrap(), expected);
        trace.push_quad([]).unwrap();
        assert_ne!(simulate(&gpu, &trace, 4).unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let Some(gpu) = test_gpu() else { return };
        // 2¹⁶ quads enter 2¹⁶ blocks together.
        let mut trace = BranchTrace::default();
        trace.push_draw(2, &vec![Some(1); 1 << 16]).unwrap();
        for place in 0..1 << 16 {
            trace.push_quad([BranchStep { place, pixels: 15 }]).unwrap();
        }
        let error = simulate(&gpu, &trace, 1 << 16).unwrap_err();
        assert!(matches!(error, ModelError::Parameter(ParameterError { field: "entered at most", .. })), "{error}");
        assert_eq!(simulate_on_host(&trace, 1 << 16).unwrap()[0].entered, [1 << 16, 1 << 32]);
    }
}
