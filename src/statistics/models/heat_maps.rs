//! Maps over a frame, a value for each tile of 8×8 pixels: overdraw, rejected pixels, instructions, divergence, misses.

use super::super::texture_cache::TextureTrace;
use crate::counters::trace::{TracedDraw, WALK_TILE};

/// Most tiles of a map.
const MOST_TILES: u32 = 1 << 20;

/// A value for each tile of a target.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// What it shows.
    pub name: &'static str,
    /// The unit of its values.
    pub unit: &'static str,
    /// Pixels along the side of a tile.
    pub tile: u32,
    /// Tiles in a row.
    pub columns: u32,
    /// Rows of tiles.
    pub rows: u32,
    /// The values, row by row.
    pub values: Vec<f64>,
}

/// The maps of the draws of a frame that share the targets of its last draw.
pub(super) fn of_frame(draws: &[TracedDraw], trace: &TextureTrace, misses: &[u32]) -> Vec<HeatMap> {
    let Some(last) = draws.last() else { return Vec::new() };
    let shows = |traced: &TracedDraw| {
        let windows = |traced: &TracedDraw| traced.draw.targets.color.map(|target| target.map(|target| target.window));
        windows(traced) == windows(last)
    };
    let rect = last.draw.targets.rect;
    let [columns, rows] = [rect.x + rect.width, rect.y + rect.height].map(|side| side.div_ceil(WALK_TILE));
    if columns == 0 || rows == 0 || columns.saturating_mul(rows) > MOST_TILES {
        return Vec::new();
    }
    let place = |x: u32, y: u32| {
        let (column, row) = (x / WALK_TILE, y / WALK_TILE);
        (column < columns && row < rows).then_some((row * columns + column) as usize)
    };
    let mut sums = [const { Vec::new() }; 5].map(|_: Vec<u64>| vec![0u64; (columns * rows) as usize]);
    for traced in draws.iter().filter(|traced| shows(traced)) {
        for quad in &traced.trace.quads {
            let Some(place) = place(quad.x.into(), quad.y.into()) else { continue };
            sums[0][place] += u64::from(quad.covered.count_ones());
            sums[1][place] += u64::from((quad.covered & !quad.passed).count_ones());
            sums[2][place] += u64::from(quad.instructions);
            sums[3][place] += u64::from(quad.divergent);
        }
    }
    for (lookup, misses) in trace.lookups.iter().zip(misses) {
        let draw = trace.streams[lookup.stream as usize].draw as usize;
        if draws.get(draw).is_some_and(shows)
            && let Some(place) = place(2 * (lookup.position & 0xffff), 2 * (lookup.position >> 16))
        {
            sums[4][place] += u64::from(*misses);
        }
    }
    let pixels = f64::from(WALK_TILE * WALK_TILE);
    let maps = [
        ("overdraw", "fragments per pixel", pixels),
        ("rejected", "rejected fragments per pixel", pixels),
        ("instructions", "instructions per quad", pixels / 4.0),
        ("divergence", "divergent branches per quad", pixels / 4.0),
        ("texture misses", "first-level misses per tile", 1.0),
    ];
    maps.into_iter()
        .zip(sums)
        .map(|((name, unit, share), sums)| HeatMap {
            name,
            unit,
            tile: WALK_TILE,
            columns,
            rows,
            values: sums.into_iter().map(|sum| sum as f64 / share).collect(),
        })
        .collect()
}
