//! Compares the texture caches with closed forms, and with simple lists on random traces.

use super::*;
use crate::test_random::Random;
use crate::test_traces::{full_screen, random_caches, random_lookups};

/// A first level alone, on one pipe.
fn one_level(size_bytes: u32, line_bytes: u32, ways: u32) -> TextureCacheParameters {
    TextureCacheParameters { pipes: 1, first: CacheParameters { size_bytes, line_bytes, ways }, second: None }
}

/// Single texels, each as a separate lookup.
fn texels(addresses: &[u32]) -> TextureTrace {
    let lookups =
        (0..).take(addresses.len()).map(|at| QuadLookup { first_texel: at, texel_count: 1, ..QuadLookup::default() });
    TextureTrace { lookups: lookups.collect(), texels: addresses.to_vec(), streams: vec![LookupStream::default()] }
}

#[test]
fn a_quad_of_pixels_as_texels_touches_each_line_once() {
    let size = 128;
    for line_bytes in [32, 64, 256] {
        let lines = u64::from(size * size * 4 / line_bytes);
        let mut trace = full_screen(size);
        let parameters = TextureCacheParameters {
            second: Some(CacheParameters { size_bytes: 64 << 10, line_bytes, ways: 16 }),
            first: CacheParameters { size_bytes: 16 << 10, line_bytes, ways: 16 },
            pipes: 4,
        };
        let result = simulate(&trace, &parameters, QuadOrder::Tiled { quads: 4 }).unwrap();
        assert_eq!(result.total().second.misses(), lines);
        assert_eq!(result.total().second.cold, lines);
        assert_eq!(result.memory_bytes(), u64::from(size * size * 4));
        // With one pipe the first level suffices.
        trace.lookups.iter_mut().for_each(|lookup| lookup.pipe = 0);
        let parameters = one_level(16 << 10, line_bytes, 16);
        let result = simulate(&trace, &parameters, QuadOrder::Tiled { quads: 4 }).unwrap();
        assert_eq!(result.total().first.misses(), lines);
        assert_eq!(result.total().first.accesses(), u64::from(size * size * 4));
        assert_eq!(result.memory_bytes(), u64::from(size * size * 4));
    }
}

#[test]
fn blocks_walked_in_tiles_miss_least() {
    let misses = |order| {
        let mut trace = full_screen(256);
        trace.lookups.iter_mut().for_each(|lookup| lookup.pipe = 0);
        simulate(&trace, &one_level(1 << 10, 64, 16), order).unwrap().total().first.misses()
    };
    let tiled = misses(QuadOrder::Tiled { quads: 4 });
    let scanline = misses(QuadOrder::Scanline);
    // A row of quads touches every line of a row of blocks; the cache holds only some of them. Each block of four
    // rows is fetched twice, and once more for the row above that reaches into it.
    assert!(tiled < scanline && scanline > 2 * 256 * 256 * 4 / 64, "{tiled} {scanline}");
    // The recorded order is by rows here.
    assert_eq!(misses(QuadOrder::Recorded), scanline);
}

#[test]
fn strides_of_a_way_thrash_when_ways_are_fewer_than_streams() {
    let (line, sets, streams, rounds) = (64, 32, 4u32, 50);
    for ways in [1, 2, 3, 4, 8] {
        let size = line * sets * ways;
        let addresses: Vec<u32> = (0..rounds * streams).map(|at| at % streams * (sets * line)).collect();
        let result = simulate(&texels(&addresses), &one_level(size, line, ways), QuadOrder::Recorded).unwrap();
        let first = result.total().first;
        assert_eq!(first.cold, u64::from(streams));
        if ways < streams {
            // 32 sets hold far more than four lines, so all misses are conflicts.
            assert_eq!((first.hits, first.capacity), (0, 0));
            assert_eq!(first.conflict, u64::from((rounds - 1) * streams));
        } else {
            assert_eq!(first.misses(), u64::from(streams));
        }
    }
}

#[test]
fn cycles_beyond_the_size_are_capacity_misses() {
    // Cycles 17 lines through 16: the next line is always the one just evicted.
    let addresses: Vec<u32> = (0..170).map(|at| at % 17 * 64).collect();
    let first = simulate(&texels(&addresses), &one_level(1024, 64, 16), QuadOrder::Recorded).unwrap().total().first;
    assert_eq!(first, CacheCounts { hits: 0, cold: 17, capacity: 153, conflict: 0 });
}

/// Outcomes by simple lists: one per set, most recent first, and one for the whole cache.
struct Lists {
    parameters: CacheParameters,
    sets: Vec<Vec<u32>>,
    all: Vec<u32>,
    touched: Vec<u32>,
}

impl Lists {
    fn new(parameters: CacheParameters) -> Self {
        let sets = vec![Vec::new(); parameters.sets() as usize];
        Self { parameters, sets, all: Vec::new(), touched: Vec::new() }
    }

    fn use_line(list: &mut Vec<u32>, line: u32, most: u32) -> bool {
        let place = list.iter().position(|held| *held == line);
        if let Some(place) = place {
            list.remove(place);
        }
        list.insert(0, line);
        list.truncate(most as usize);
        place.is_some()
    }

    /// 0 hit, 1 cold, 2 capacity, 3 conflict.
    fn access(&mut self, address: u32) -> usize {
        let line = address / self.parameters.line_bytes;
        let set = (line % self.parameters.sets()) as usize;
        let in_set = Self::use_line(&mut self.sets[set], line, self.parameters.ways);
        let in_all = Self::use_line(&mut self.all, line, self.parameters.lines());
        let is_cold = !self.touched.contains(&line);
        if is_cold {
            self.touched.push(line);
        }
        if in_set {
            0
        } else if is_cold {
            1
        } else if in_all {
            3
        } else {
            2
        }
    }
}

#[test]
fn random_traces_give_what_plain_lists_give() {
    let mut random = Random::new(4);
    for case in 0..30 {
        let trace = random_lookups(&mut random, 3, 60);
        let parameters = random_caches(&mut random, 3);
        let order = [QuadOrder::Recorded, QuadOrder::Scanline, QuadOrder::Tiled { quads: 3 }][case % 3];
        let mut pipes: Vec<_> = (0..3).map(|_| Lists::new(parameters.first)).collect();
        let mut second = parameters.second.map(Lists::new);
        let mut counts = vec![[[0u64; 4]; 2]; trace.streams.len()];
        for number in order_of(&trace.lookups, &trace.streams, order) {
            let lookup = trace.lookups[number as usize];
            for at in lookup.first_texel..lookup.first_texel + lookup.texel_count {
                let address = trace.texels[at as usize];
                let outcome = pipes[usize::from(lookup.pipe)].access(address);
                counts[lookup.stream as usize][0][outcome] += 1;
                if let (1.., Some(second)) = (outcome, &mut second) {
                    counts[lookup.stream as usize][1][second.access(address)] += 1;
                }
            }
        }
        let mut fills = Vec::new();
        let result = simulate_filling(&trace, &parameters, order, |line| fills.push(line)).unwrap();
        assert_eq!(fills.len() as u64 * u64::from(parameters.memory_line_bytes()), result.memory_bytes());
        assert!(fills.iter().all(|line| line % parameters.memory_line_bytes() == 0));
        let found: Vec<_> = result
            .streams
            .iter()
            .map(|LevelCounts { first, second }| {
                [first, second].map(|counts| [counts.hits, counts.cold, counts.capacity, counts.conflict])
            })
            .collect();
        assert_eq!(found, counts, "case {case}");
        // Sums by draw and by unit are the total; so are the misses of lookups.
        let total = result.total();
        assert_eq!(total.first.accesses(), trace.texels.len() as u64);
        assert_eq!(result.lookup_misses.iter().map(|misses| u64::from(*misses)).sum::<u64>(), total.first.misses());
        for sums in [result.by_draw(&trace.streams), result.by_unit(&trace.streams)] {
            let mut sum = LevelCounts::default();
            sums.values().for_each(|counts| sum += *counts);
            assert_eq!(sum, total);
        }
        assert_eq!(total.second.accesses(), if parameters.second.is_some() { total.first.misses() } else { 0 });
    }
}

#[test]
fn orders_sort_by_draw_primitive_and_place() {
    let streams = [0, 1].map(|draw| LookupStream { draw, unit: 0 });
    let lookup = |stream, primitive, column: u32, row: u32| {
        let position = column | row << 16;
        QuadLookup { stream, primitive, position, ..QuadLookup::default() }
    };
    let lookups = [
        lookup(1, 0, 0, 0),
        lookup(0, 1, 0, 0),
        lookup(0, 0, 2, 0),
        lookup(0, 0, 0, 1),
        lookup(0, 0, 1, 0),
        lookup(0, 0, 1, 0),
    ];
    assert_eq!(order_of(&lookups, &streams, QuadOrder::Recorded), [0, 1, 2, 3, 4, 5]);
    assert_eq!(order_of(&lookups, &streams, QuadOrder::Scanline), [4, 5, 2, 3, 1, 0]);
    assert_eq!(order_of(&lookups, &streams, QuadOrder::Tiled { quads: 2 }), [4, 5, 3, 2, 1, 0]);
    assert_eq!(QuadOrder::Tiled { quads: 4 }.to_string(), "tiled 8x8");
}

#[test]
fn a_sweep_has_every_combination_that_makes_a_cache() {
    let axes = SweepAxes { size_bytes: vec![256, 512], ways: vec![1, 4], ..SweepAxes::default() };
    let cases = axes.cases();
    // Two orders, two sizes, three lines, two ways, without 256 bytes in four ways of 128.
    assert_eq!(cases.len(), 2 * (2 * 3 * 2 - 1));
    let trace = full_screen(16);
    let results = sweep(&trace, &cases).unwrap();
    assert_eq!(results.len(), cases.len());
    assert!(results.iter().zip(&cases).all(|(result, case)| result.parameters == case.parameters));
}

#[test]
fn what_is_out_of_range_is_named() {
    let error = |parameters: TextureCacheParameters| parameters.check().unwrap_err().to_string();
    assert_eq!(error(one_level(1024, 48, 1)), "first.line_bytes is 48, not a power of two from 16 to 4096");
    assert_eq!(error(one_level(1024, 64, 3)), "first.size_bytes is 1024, not a multiple of line_bytes times ways");
    assert_eq!(error(one_level(1024, 64, 0)), "first.ways is 0, not from 1 to 32768");
    assert_eq!(error(one_level(1 << 30, 64, 1)), "first.size_bytes is 1073741824, not at most 32768 lines");
    let second = Some(CacheParameters { size_bytes: 4096, line_bytes: 32, ways: 1 });
    assert_eq!(
        error(TextureCacheParameters { second, ..one_level(1024, 64, 1) }),
        "second.line_bytes is 32, not at least first.line_bytes"
    );
    let mut trace = texels(&[1, 2]);
    trace.lookups[1].texel_count = u32::MAX;
    assert_eq!(trace.check(1).unwrap_err().field, "texel_count");
    trace.lookups[1] = QuadLookup { pipe: 1, ..trace.lookups[0] };
    assert_eq!(trace.check(1).unwrap_err().field, "pipe");
    trace.lookups[1] = QuadLookup { stream: 1, ..trace.lookups[0] };
    assert_eq!(trace.check(1).unwrap_err().field, "stream");
}
