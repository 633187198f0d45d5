//! Runs the z-cull model on a device: one invocation per covered tile, then one per tile of a depth surface.

use bytemuck::{Pod, Zeroable};

use super::{GROUP, ModelError, ROUNDS, dispatches, read_back};
use crate::gpu::{Bound, DeviceError, Gpu, Recording};
use crate::kernels::linear_workgroups;
use crate::statistics::ParameterError;
use crate::statistics::zcull::{
    DepthOrder, TileBound, ZcullCounts, ZcullDraw, ZcullParameters, ZcullResult, ZcullTrace,
};

const MEASURE_TILES: &str = include_str!("../../../wgsl/models/measure_tiles.wgsl");
const REPLAY_ZCULL: &str = include_str!("../../../wgsl/models/replay_zcull.wgsl");

/// Invocations per workgroup of `measure_tiles`.
const MEASURE_GROUP: u32 = 64;

/// Parameters of `measure_tiles`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct TileMeasurement {
    tile_count: u32,
    row: u32,
}

/// Parameters of `replay_zcull`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct ZcullRun {
    place_count: u32,
    row: u32,
    tile_pixels: u32,
    rounds: u32,
}

/// A tile of a depth surface in the kernel's layout; it has no bound if the order is 0.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct ZcullPlace {
    next: u32,
    end: u32,
    order: u32,
    depth: u32,
}

/// The order's code in the kernel.
const fn order_code(order: Option<DepthOrder>) -> u32 {
    match order {
        None => 0,
        Some(DepthOrder::Less) => 1,
        Some(DepthOrder::Greater) => 2,
    }
}

/// The bits of a draw in the kernel.
fn draw_word(draw: &ZcullDraw) -> u32 {
    let flags = [draw.includes_equal, draw.writes, draw.is_tested];
    flags.into_iter().zip(2..).fold(order_code(draw.order), |word, (flag, bit)| word | u32::from(flag) << bit)
}

impl ZcullPlace {
    fn new([next, end]: [u32; 2], bound: Option<TileBound>) -> Self {
        let order = order_code(bound.map(|bound| bound.order));
        Self { next, end, order, depth: bound.map_or(0, |bound| bound.depth) }
    }

    const fn bound(&self) -> Option<TileBound> {
        let order = match self.order {
            1 => DepthOrder::Less,
            2 => DepthOrder::Greater,
            _ => return None,
        };
        Some(TileBound { order, depth: self.depth })
    }
}

/// The covered tiles of a trace, grouped by tile of the depth surface.
struct TilesByPlace {
    /// Their numbers.
    numbers: Vec<u32>,
    places: Vec<ZcullPlace>,
    /// The most covered tiles of a group.
    most: u32,
}

impl TilesByPlace {
    fn new(trace: &ZcullTrace) -> Self {
        let mut counts = vec![0; trace.bounds.len()];
        trace.tiles.iter().for_each(|tile| counts[tile.place as usize] += 1);
        let most = counts.iter().max().copied().unwrap_or(0);
        let mut end = 0;
        let place = |(bound, count): (&Option<TileBound>, u32)| {
            let first = end;
            end += count;
            ZcullPlace::new([first, end], *bound)
        };
        let places: Vec<_> = trace.bounds.iter().zip(counts).map(place).collect();
        let mut next: Vec<_> = places.iter().map(|place| place.next).collect();
        let mut numbers = vec![0; trace.tiles.len()];
        for (number, tile) in (0..).zip(&trace.tiles) {
            let next = &mut next[tile.place as usize];
            numbers[*next as usize] = number;
            *next += 1;
        }
        Self { numbers, places, most }
    }
}

/// Buffers of a run.
struct Tables {
    tiles: wgpu::Buffer,
    quads: wgpu::Buffer,
    extents: wgpu::Buffer,
    draws: wgpu::Buffer,
    numbers: wgpu::Buffer,
    places: wgpu::Buffer,
    rejected: wgpu::Buffer,
    counts: wgpu::Buffer,
}

impl Tables {
    fn new(gpu: &Gpu, trace: &ZcullTrace, sorted: &TilesByPlace) -> Result<Self, DeviceError> {
        let draws: Vec<_> = trace.draws.iter().map(draw_word).collect();
        Ok(Self {
            tiles: gpu.buffer_with("tiles of primitives", bytemuck::cast_slice(&trace.tiles))?,
            quads: gpu.buffer_with("quads of tiles", bytemuck::cast_slice(&trace.quads))?,
            extents: gpu.buffer("extents of tiles", 16 * trace.tiles.len() as u64)?,
            draws: gpu.buffer_with("draws of tiles", bytemuck::cast_slice(&draws))?,
            numbers: gpu.buffer_with("tiles by place", bytemuck::cast_slice(&sorted.numbers))?,
            places: gpu.buffer_with("bounds of tiles", bytemuck::cast_slice(&sorted.places))?,
            rejected: gpu.buffer("rejected tiles", 4 * trace.tiles.len() as u64)?,
            counts: gpu.buffer("tiles of draws", 16 * trace.draws.len() as u64)?,
        })
    }
}

/// Runs the z-cull test over a host trace.
///
/// # Errors
/// As [`crate::statistics::zcull::simulate`], and when the device fails.
pub fn simulate(gpu: &Gpu, trace: &ZcullTrace, parameters: &ZcullParameters) -> Result<ZcullResult, ModelError> {
    trace.check(parameters)?;
    let sorted = TilesByPlace::new(trace);
    let [tile_count, place_count] = [count("tiles", trace.tiles.len())?, count("bounds", trace.bounds.len())?];
    let tables = Tables::new(gpu, trace, &sorted)?;
    let mut recording = gpu.record();
    measure(gpu, &mut recording, tile_count, &tables)?;
    replay(gpu, &mut recording, (place_count, sorted.most), parameters, &tables)?;
    gpu.submit(recording)?;
    let counts = read_back::<[u32; 4]>(gpu, &tables.counts, trace.draws.len())?;
    let rejected = read_back::<u32>(gpu, &tables.rejected, trace.tiles.len())?;
    let places = read_back::<ZcullPlace>(gpu, &tables.places, trace.bounds.len())?;
    let draws = counts.into_iter().map(|counts| {
        let [tiles, tiles_rejected, fragments_rejected, quads_rejected] = counts.map(u64::from);
        ZcullCounts { tiles, tiles_rejected, fragments_rejected, quads_rejected }
    });
    Ok(ZcullResult {
        draws: draws.collect(),
        rejected: rejected.into_iter().map(|flag| flag != 0).collect(),
        bounds: places.iter().map(ZcullPlace::bound).collect(),
    })
}

fn count(field: &'static str, count: usize) -> Result<u32, ParameterError> {
    let error = |_| ParameterError { field, value: count as u64, expected: "fewer than 2^32" };
    u32::try_from(count).map_err(error)
}

fn measure(gpu: &Gpu, recording: &mut Recording, tile_count: u32, tables: &Tables) -> Result<(), DeviceError> {
    let kernel = gpu.kernel("measure_tiles", MEASURE_TILES)?;
    let workgroups = linear_workgroups(tile_count, MEASURE_GROUP);
    let run = TileMeasurement { tile_count, row: workgroups[0] * MEASURE_GROUP };
    let run = recording.store(bytemuck::bytes_of(&run))?;
    let Tables { tiles, quads, extents, .. } = tables;
    let bindings: [(u32, Bound<'_>); 4] =
        [(14, (&run).into()), (31, tiles.into()), (32, quads.into()), (33, extents.into())];
    recording.dispatch(&kernel, &bindings, workgroups);
    Ok(())
}

/// Tests the covered tiles of all groups; no group has more than `most`.
fn replay(
    gpu: &Gpu,
    recording: &mut Recording,
    (place_count, most): (u32, u32),
    parameters: &ZcullParameters,
    tables: &Tables,
) -> Result<(), DeviceError> {
    let kernel = gpu.kernel("replay_zcull", REPLAY_ZCULL)?;
    let workgroups = linear_workgroups(place_count, GROUP);
    let (row, tile_pixels) = (workgroups[0] * GROUP, parameters.tile_pixels());
    let run = ZcullRun { place_count, row, tile_pixels, rounds: ROUNDS };
    for _ in 0..dispatches(most.into()) {
        let run = recording.store_changed("coarse depth test", bytemuck::bytes_of(&run))?;
        let bindings: [(u32, Bound<'_>); 8] = [
            (14, (&run).into()),
            (31, (&tables.tiles).into()),
            (33, (&tables.extents).into()),
            (34, (&tables.draws).into()),
            (35, (&tables.numbers).into()),
            (36, (&tables.places).into()),
            (37, (&tables.rejected).into()),
            (38, (&tables.counts).into()),
        ];
        recording.dispatch(&kernel, &bindings, workgroups);
        if recording.is_full() {
            gpu.flush(recording)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::kernels::test_gpu;
    use crate::statistics::test_random::Random;
    use crate::statistics::test_traces::random_tiles;
    use crate::statistics::zcull::simulate as simulate_on_host;

    #[test]
    fn the_kernel_gives_the_numbers_of_the_host() {
        let Some(gpu) = test_gpu() else { return };
        let mut random = Random::new(31);
        // The first has a group that takes several dispatches, the fifth some empty groups.
        for ([tile_width, tile_height], tiles, places) in [
            ([2, 2], 90_000, 2),
            ([8, 8], 3000, 500),
            ([8, 8], 3000, 20),
            ([64, 64], 150, 1),
            ([2, 2], 40, 300),
            ([16, 4], 2000, 8),
            ([4, 64], 900, 3),
            ([32, 16], 1, 1),
            ([8, 8], 0, 5),
            ([8, 8], 0, 0),
        ] {
            let parameters = ZcullParameters { tile_width, tile_height };
            let trace = random_tiles(&mut random, &parameters, tiles, places);
            let expected = simulate_on_host(&trace, &parameters).unwrap();
            assert_eq!(simulate(&gpu, &trace, &parameters).unwrap(), expected, "{parameters:?} {tiles} {places}");
            assert!(tiles < 100 || expected.rejected.iter().filter(|rejected| **rejected).count() > 10);
        }
    }

    #[test]
    fn a_planted_difference_is_found() {
        let Some(gpu) = test_gpu() else { return };
        let parameters = ZcullParameters { tile_width: 8, tile_height: 8 };
        let mut trace = random_tiles(&mut Random::new(32), &parameters, 900, 10);
        let expected = simulate_on_host(&trace, &parameters).unwrap();
        assert_eq!(simulate(&gpu, &trace, &parameters).unwrap(), expected);
        // Changes a pixel of a rejected quad, the bound of a tile that is never drawn to, and the order of all
        // draws.
        let tile = expected.rejected.iter().position(|rejected| *rejected).unwrap();
        let quad = trace.tiles[tile].quad_end as usize - 1;
        trace.quads[quad].pixels ^= 1;
        assert_ne!(simulate(&gpu, &trace, &parameters).unwrap().draws, expected.draws);
        trace.quads[quad].pixels ^= 1;
        trace.bounds.push(Some(TileBound { order: DepthOrder::Greater, depth: 7 }));
        let result = simulate(&gpu, &trace, &parameters).unwrap();
        assert_eq!(result.bounds.last(), trace.bounds.last());
        assert_eq!((result.draws, &result.rejected), (expected.draws, &expected.rejected));
        let swap = |order| if order == DepthOrder::Less { DepthOrder::Greater } else { DepthOrder::Less };
        trace.draws.iter_mut().for_each(|draw| draw.order = draw.order.map(swap));
        assert_ne!(simulate(&gpu, &trace, &parameters).unwrap().rejected, expected.rejected);
    }

    #[test]
    fn traces_that_do_not_hold_together_are_refused() {
        let Some(gpu) = test_gpu() else { return };
        let parameters = ZcullParameters { tile_width: 8, tile_height: 8 };
        let mut trace = random_tiles(&mut Random::new(33), &parameters, 20, 2);
        trace.tiles[7].place = 2;
        let error = simulate(&gpu, &trace, &parameters).unwrap_err();
        assert!(matches!(error, ModelError::Parameter(ParameterError { field: "place", .. })), "{error}");
    }
}
