//! Random traces and parameters, on which tests compare models with other ways to count; those of kernels take this file, too.

use super::memory_partitions::{Client, MemoryAccess, MemoryParameters, TileRegion};
use super::prefetch::{PrefetchParameters, QuadWork};
use super::simd_divergence::{BranchStep, BranchTrace};
use super::test_random::Random;
use super::texture_cache::{CacheParameters, LookupStream, QuadLookup, TextureCacheParameters, TextureTrace};
use super::zcull::{DepthOrder, TileBound, ZcullDraw, ZcullParameters, ZcullQuad, ZcullTrace};

/// Memory with any parameters and three regions of tiles.
pub(crate) fn random_memory(random: &mut Random) -> MemoryParameters {
    let partitions = [1, 2, 4][random.below(3) as usize];
    let column_bits = 7 + random.below(3);
    let block = 8 << column_bits;
    let mut clocks = || random.below(20);
    let parameters = MemoryParameters {
        partitions,
        column_bits,
        activate_clocks: clocks(),
        precharge_clocks: clocks(),
        activate_spacing: clocks(),
        write_recovery: clocks(),
        read_to_write: clocks(),
        write_to_read: clocks(),
        access_clocks: 1 + clocks(),
        ..MemoryParameters::default()
    };
    let read_latency = random.below(20);
    let parameters = MemoryParameters { read_latency, write_latency: random.below(read_latency + 1), ..parameters };
    let regions = [(4, 5, 512), (9, 12, 3328), (30, 100, 2560)].map(|(start, blocks, pitch_bytes)| TileRegion {
        start: start * 4 * block * partitions,
        bytes: blocks * block * partitions + 12,
        pitch_bytes,
        bank_offset: random.below(4),
    });
    MemoryParameters {
        interleave_bytes: 128 << random.below(2),
        banks: 4 << random.below(2),
        queue_depth: 1 + random.below(9),
        regions: regions.to_vec(),
        ..parameters
    }
}

/// Runs of accesses of several clients, empty entries, and ends of segments.
pub(crate) fn random_accesses(random: &mut Random, count: u32) -> Vec<MemoryAccess> {
    let (mut at, mut segments) = (0, 0);
    let access = |number: u32| {
        if random.below(8) == 0 {
            at = random.below(1 << 23);
        }
        at += 32;
        let client = Client::ALL[(number / 16 % 8) as usize];
        let access = MemoryAccess::new(at, client, random.below(3) == 0);
        match random.below(40) {
            0 => MemoryAccess::NONE,
            1 => {
                segments += 1;
                MemoryAccess::segment_end(segments - 1)
            }
            _ => access,
        }
    };
    (0..count).map(access).collect()
}

/// Quads; one in `one_in` misses the cache.
pub(crate) fn random_quads(random: &mut Random, count: u32, one_in: u32) -> Vec<QuadWork> {
    let quad = |random: &mut Random| {
        let most = 1 + random.below(9);
        let misses = if random.below(one_in) == 0 { 1 + random.below(most) } else { 0 };
        QuadWork { misses: u16::try_from(misses).unwrap(), clocks: u16::try_from(random.below(8) / 3).unwrap() }
    };
    (0..count).map(|_| quad(random)).collect()
}

/// Prefetching with any parameters.
pub(crate) fn random_prefetch(random: &mut Random) -> PrefetchParameters {
    PrefetchParameters {
        fragment_fifo: 1 + random.below(20),
        request_fifo: 1 + random.below(8),
        reorder_slots: 1 + random.below(12),
        latency: random.below(40),
        jitter: random.below(3) * random.below(20),
        line_bytes: 16 + random.below(100),
        memory_bytes: 1 + random.below(200),
        memory_clocks: 1 + random.below(9),
    }
}

/// A draw of `quads` quads with a few steps each at random places, and five blocks.
pub(crate) fn push_random_draw(random: &mut Random, trace: &mut BranchTrace, quads: u32, places: u32) {
    let numbers: Vec<_> = (0..places).map(|_| random.flag().then(|| 1 + random.below(4))).collect();
    trace.push_draw(5, &numbers).unwrap();
    for _ in 0..quads {
        let count = if places == 0 { 0 } else { random.below(8) };
        let mut step = |_| {
            let (place, active) = (random.below(places), 1 + random.below(15));
            BranchStep { place, pixels: active | random.below(16) << 4 }
        };
        let steps: Vec<_> = (0..count).map(&mut step).collect();
        trace.push_quad(steps).unwrap();
    }
}

/// Draws of many shapes, some without quads, places or steps.
pub(crate) fn random_branches(random: &mut Random) -> BranchTrace {
    let mut trace = BranchTrace::default();
    for _ in 0..random.below(12) {
        let (quads, places) = (random.pick(&[0, 1, 3, 100, 700]), random.pick(&[0, 1, 2, 20, 90]));
        push_random_draw(random, &mut trace, quads, places);
    }
    trace
}

/// A square of `size` pixels with a texture of the same size, of four-byte texels in blocks (Morton order); four
/// pipes alternate along both axes.
pub(crate) fn full_screen(size: u32) -> TextureTrace {
    let log2 = size.trailing_zeros();
    let address = |x: u32, y: u32| {
        let [x, y] = [x, y].map(|coordinate| coordinate.min(size - 1));
        (0..log2).map(|bit| (4 * (x >> bit & 1) + 8 * (y >> bit & 1)) << (2 * bit)).sum::<u32>()
    };
    let mut trace = TextureTrace { streams: vec![LookupStream::default()], ..TextureTrace::default() };
    for (row, column) in (0..size / 2).flat_map(|row| (0..size / 2).map(move |column| (row, column))) {
        let first_texel = u32::try_from(trace.texels.len()).unwrap();
        for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| (2 * column + x, 2 * row + y)) {
            trace.texels.extend([address(x, y), address(x + 1, y), address(x, y + 1), address(x + 1, y + 1)]);
        }
        let pipe = u16::from(column & 1 != 0) | u16::from(row & 1 != 0) << 1;
        let position = column | row << 16;
        trace.lookups.push(QuadLookup { first_texel, texel_count: 16, pipe, position, ..QuadLookup::default() });
    }
    trace
}

/// Lookups of several draws, units and pipes, around drifting positions.
pub(crate) fn random_lookups(random: &mut Random, pipes: u32, lookups: u32) -> TextureTrace {
    let streams = (0..6).map(|stream| LookupStream { draw: stream / 2, unit: stream % 2 * 5 }).collect();
    let mut trace = TextureTrace { streams, ..TextureTrace::default() };
    for number in 0..lookups {
        let first_texel = u32::try_from(trace.texels.len()).unwrap();
        let texel_count = [0, 1, 4, 16, 16, 40][random.below(6) as usize];
        let base = 0x0123_4000 + number / 16 * 512 + random.below(4) * 8192;
        trace.texels.extend((0..texel_count).map(|_| base + random.below(600)));
        trace.lookups.push(QuadLookup {
            first_texel,
            texel_count,
            pipe: u16::try_from(random.below(pipes)).unwrap(),
            clocks: u16::try_from(random.below(20)).unwrap(),
            stream: number * 6 / lookups,
            primitive: random.below(3),
            position: random.below(20) | random.below(20) << 16,
        });
    }
    trace
}

/// Caches of any shape, most with a second level.
pub(crate) fn random_caches(random: &mut Random, pipes: u32) -> TextureCacheParameters {
    let line_bytes = 16 << random.below(3);
    let mut cache = |line_bytes: u32, max_sets| {
        let ways = 1 + random.below(5);
        CacheParameters { size_bytes: line_bytes * ways * (1 + random.below(max_sets)), line_bytes, ways }
    };
    let first = cache(line_bytes, 9);
    let second = cache(line_bytes * 2, 40);
    TextureCacheParameters { pipes, first, second: (random.below(4) > 0).then_some(second) }
}

/// Random quads at a number of tiles, some with initial bounds; half of the covered tiles cover and pass all
/// pixels.
pub(crate) fn random_tiles(random: &mut Random, parameters: &ZcullParameters, tiles: u32, places: u32) -> ZcullTrace {
    let bound = |random: &mut Random| {
        let order = random.pick(&[DepthOrder::Less, DepthOrder::Greater]);
        random.flag().then(|| TileBound { order, depth: random.below(20) })
    };
    let mut trace = ZcullTrace { bounds: (0..places).map(|_| bound(random)).collect(), ..ZcullTrace::default() };
    let most = parameters.tile_pixels() / 4;
    let mut order = Some(DepthOrder::Less);
    for tile in 0..tiles {
        if tile == 0 || random.below(8) == 0 {
            let draw = random_zcull_draw(random);
            // Orders change seldom, so that bounds persist.
            order = if random.below(4) == 0 { draw.order } else { order };
            trace.draws.push(ZcullDraw { order, ..draw });
        }
        let is_whole = random.flag();
        let count = if is_whole { most } else { 1 + random.below(most.min(40)) };
        let base = random.pick(&[0, 0, 0, 0xffff_ff00]) + random.below(20);
        let quad = |_| {
            let least = base + random.below(3);
            let pixels = if is_whole { 0xff } else { random.below(256) };
            ZcullQuad { depths: [least, least + random.below(4)], pixels }
        };
        let quads: Vec<_> = (0..count).map(quad).collect();
        trace.push(random.below(places) as usize, quads).unwrap();
    }
    trace
}

/// A draw that tests and writes depths in any way.
pub(crate) fn random_zcull_draw(random: &mut Random) -> ZcullDraw {
    ZcullDraw {
        order: random.pick(&[Some(DepthOrder::Less), Some(DepthOrder::Less), Some(DepthOrder::Greater), None]),
        includes_equal: random.flag(),
        writes: random.below(4) != 0,
        is_tested: random.below(4) != 0,
    }
}
