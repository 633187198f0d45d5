//! The vertex cache against closed forms and against the definitions of its replacements.

use super::*;
use crate::statistics::test_random::Random;

fn run(indices: &[u32], entries: u32, replacement: Replacement) -> VertexCacheResult {
    let mut trace = VertexTrace::default();
    trace.push(indices).unwrap();
    simulate(&trace, &VertexCacheParameters { entries, replacement }).unwrap()
}

fn misses(indices: &[u32], entries: u32, replacement: Replacement) -> u32 {
    let result = run(indices, entries, replacement);
    assert_eq!((result.batches[0].hits + result.batches[0].misses) as usize, indices.len());
    assert_eq!(result.transforms.iter().sum::<u32>(), result.batches[0].misses);
    result.batches[0].misses
}

/// Triangles of a strip as a list, in the order of drawing.
fn strip(triangles: u32) -> Vec<u32> {
    (0..triangles).flat_map(|first| [first, first + 1, first + 2]).collect()
}

#[test]
fn a_strip_misses_once_more_than_twice_its_first_triangle() {
    for triangles in [1, 2, 3, 100, 1000] {
        // Every triangle after the first adds a vertex.
        assert_eq!(misses(&strip(triangles), 24, Replacement::Fifo), triangles + 2);
        assert_eq!(misses(&strip(triangles), 24, Replacement::Lru), triangles + 2);
    }
    // The indices of a strip itself never come twice.
    let indices: Vec<u32> = (0..102).collect();
    assert_eq!(misses(&indices, 24, Replacement::Fifo), 102);
}

#[test]
fn separate_triangles_miss_with_every_index() {
    let indices: Vec<u32> = (0..300).collect();
    assert_eq!(misses(&indices, 24, Replacement::Fifo), 300);
    assert_eq!(misses(&indices, 24, Replacement::Lru), 300);
}

/// Rows of squares of two triangles each, `columns` wide.
fn grid(columns: u32, rows: u32) -> Vec<u32> {
    let vertex = |x, y| y * (columns + 1) + x;
    let square = |x, y| {
        let [a, b, c, d] = [vertex(x, y), vertex(x + 1, y), vertex(x, y + 1), vertex(x + 1, y + 1)];
        [a, b, c, b, d, c]
    };
    (0..rows).flat_map(|y| (0..columns).flat_map(move |x| square(x, y))).collect()
}

#[test]
fn a_grid_misses_as_calculated() {
    // A row brings two rows of vertices. Where the cache holds them, the next row finds the lower one and brings one
    // more; where it does not, each row brings both.
    let (columns, rows) = (8, 10);
    assert_eq!(misses(&grid(columns, rows), 2 * (columns + 1), Replacement::Fifo), (columns + 1) * (rows + 1));
    assert_eq!(misses(&grid(columns, rows), 2 * (columns + 1), Replacement::Lru), (columns + 1) * (rows + 1));
    let columns = 100;
    assert_eq!(misses(&grid(columns, rows), 24, Replacement::Fifo), 2 * (columns + 1) * rows);
    assert_eq!(misses(&grid(columns, rows), 24, Replacement::Lru), 2 * (columns + 1) * rows);
}

#[test]
fn a_hit_refreshes_only_in_lru() {
    // With two entries, 0 is older than 1 in a FIFO, however often it is used.
    assert_eq!(misses(&[0, 1, 0, 2, 0], 2, Replacement::Fifo), 4);
    assert_eq!(misses(&[0, 1, 0, 2, 0], 2, Replacement::Lru), 3);
    assert_eq!(run(&[0, 1, 0, 2, 0], 2, Replacement::Fifo).transforms, [2, 1, 1]);
}

#[test]
fn batches_begin_with_an_empty_cache() {
    let mut trace = VertexTrace::default();
    trace.push(&[7, 8, 9, 7]).unwrap();
    trace.push(&[9, 8, 7]).unwrap();
    let result = simulate(&trace, &VertexCacheParameters::default()).unwrap();
    let counts = |hits, misses| VertexCacheCounts { hits, misses };
    assert_eq!(result.batches, [counts(1, 3), counts(0, 3)]);
    assert_eq!(result.transforms, [1; 6]);
}

/// Misses by the definitions. LRU: as many or more other vertices came since the last use. FIFO: as many or more misses
/// came since the one that brought it.
fn defined_misses(indices: &[u32], entries: usize, replacement: Replacement) -> u32 {
    let mut missed: Vec<bool> = Vec::new();
    for (at, index) in indices.iter().enumerate() {
        let hits = match replacement {
            Replacement::Lru => indices[..at].iter().rposition(|other| other == index).is_some_and(|last| {
                let between: std::collections::BTreeSet<_> = indices[last + 1..at].iter().collect();
                between.len() < entries
            }),
            Replacement::Fifo => {
                let brought = (0..at).rev().find(|&other| indices[other] == *index && missed[other]);
                brought.is_some_and(|brought| missed[brought + 1..].iter().filter(|missed| **missed).count() < entries)
            }
        };
        missed.push(!hits);
    }
    u32::try_from(missed.iter().filter(|missed| **missed).count()).unwrap()
}

#[test]
fn random_indices_miss_as_defined() {
    let mut random = Random::new(2);
    for case in 0..60 {
        let range = 1 + random.below(40);
        let indices: Vec<u32> = (0..200).map(|at| at / 8 + random.below(range)).collect();
        let entries = 1 + random.below(32);
        for replacement in [Replacement::Fifo, Replacement::Lru] {
            let expected = defined_misses(&indices, entries as usize, replacement);
            assert_eq!(misses(&indices, entries, replacement), expected, "case {case} {entries} {replacement:?}");
        }
    }
    // A planted difference: another capacity gives other numbers.
    let indices: Vec<u32> = (0..100).map(|at| at % 10).collect();
    assert_ne!(misses(&indices, 10, Replacement::Fifo), defined_misses(&indices, 9, Replacement::Fifo));
}

#[test]
fn what_is_out_of_range_is_named() {
    let parameters = VertexCacheParameters { entries: 0, replacement: Replacement::Fifo };
    let error = simulate(&VertexTrace::default(), &parameters).unwrap_err();
    assert_eq!(error.to_string(), "entries is 0, not from 1 to 4096");
    let batch = VertexBatch { first_index: 1, index_count: 2, first_vertex: 0, vertex_count: 2 };
    let mut trace = VertexTrace { batches: vec![batch], vertices: vec![0; 2] };
    assert_eq!(trace.check().unwrap_err().field, "index_count");
    trace.vertices.push(0);
    trace.batches.push(VertexBatch { first_index: 2, ..batch });
    assert_eq!(trace.check().unwrap_err().field, "first_index");
    trace.batches[1] = VertexBatch { first_index: 3, index_count: 0, first_vertex: 3, vertex_count: 0 };
    assert_eq!(trace.check().unwrap_err().field, "first_vertex");
    // A number beyond the batch's vertices is a miss and nothing else.
    let trace = VertexTrace { batches: vec![batch], vertices: vec![0, 9, 9] };
    let result = simulate(&trace, &VertexCacheParameters::default()).unwrap();
    assert_eq!((result.batches[0].misses, result.transforms), (2, vec![0, 0]));
}
