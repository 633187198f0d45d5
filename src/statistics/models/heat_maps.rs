//! Builds heat maps of a frame, with one value per tile of 8×8 pixels: overdraw, rejected pixels, instructions,
//! divergence, misses.

use crate::counters::trace::{TracedDraw, WALK_TILE};
use crate::statistics::texture_cache::TextureTrace;

/// Most tiles of a map.
const MAX_TILES: u32 = 1 << 20;

/// Most frames whose maps are kept.
pub const HEAT_MAP_FRAMES: usize = 12;

/// A value for each tile of a target.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct HeatMap {
    /// The number of its frame; `None` before the first mark.
    pub frame: Option<u32>,
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

/// The maps of some frames of a run: every frame, or every second, fourth, … starting with the first, and the
/// last.
#[derive(Debug)]
pub(super) struct KeptMaps {
    /// How many frames had maps.
    count: usize,
    /// The kept frames are multiples of this, and the last.
    stride: usize,
    frames: Vec<(usize, Vec<HeatMap>)>,
}

impl KeptMaps {
    pub(super) const fn new() -> Self {
        Self { count: 0, stride: 1, frames: Vec::new() }
    }

    /// Adds the maps of the next frame.
    pub(super) fn push(&mut self, maps: Vec<HeatMap>) {
        if maps.is_empty() {
            return;
        }
        let last = self.count;
        self.count += 1;
        let is_kept = |stride: usize, place: usize| place.is_multiple_of(stride) || place == last;
        self.frames.push((last, maps));
        self.frames.retain(|(place, _)| is_kept(self.stride, *place));
        while self.frames.len() > HEAT_MAP_FRAMES {
            self.stride *= 2;
            self.frames.retain(|(place, _)| is_kept(self.stride, *place));
        }
    }

    /// The kept maps, frame by frame.
    pub(super) fn into_maps(self) -> Vec<HeatMap> {
        self.frames.into_iter().flat_map(|(_, maps)| maps).collect()
    }
}

/// The maps of the draws of a frame that share the targets of its last draw.
pub(super) fn of_frame(frame: Option<u32>, draws: &[TracedDraw], trace: &TextureTrace, misses: &[u32]) -> Vec<HeatMap> {
    let Some(last) = draws.last() else { return Vec::new() };
    let shows = |traced: &TracedDraw| {
        let windows = |traced: &TracedDraw| traced.draw.targets.color.map(|target| target.map(|target| target.window));
        windows(traced) == windows(last)
    };
    let rect = last.draw.targets.rect;
    let [columns, rows] = [rect.x + rect.width, rect.y + rect.height].map(|side| side.div_ceil(WALK_TILE));
    if columns == 0 || rows == 0 || columns.saturating_mul(rows) > MAX_TILES {
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
        // Quads of several primitives may share a position.
        ("instructions", "instructions per place of a quad", pixels / 4.0),
        ("divergence", "divergent branches per place of a quad", pixels / 4.0),
        ("texture misses", "first-level misses per tile", 1.0),
    ];
    maps.into_iter()
        .zip(sums)
        .map(|((name, unit, share), sums)| HeatMap {
            frame,
            name,
            unit,
            tile: WALK_TILE,
            columns,
            rows,
            values: sums.into_iter().map(|sum| sum as f64 / share).collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_kept_of_frames_that_lie_evenly_and_of_the_last() {
        let kept = |frames: u32| -> Vec<u32> {
            let mut kept = KeptMaps::new();
            for frame in 0..frames {
                let map = HeatMap {
                    frame: Some(frame),
                    name: "overdraw",
                    unit: "",
                    tile: 8,
                    columns: 1,
                    rows: 1,
                    values: vec![0.0],
                };
                kept.push(vec![map.clone(), map]);
            }
            let maps = kept.into_maps();
            assert!(maps.chunks(2).all(|maps| maps[0] == maps[1]));
            maps.chunks(2).filter_map(|maps| maps[0].frame).collect()
        };
        assert!(kept(0).is_empty());
        assert_eq!(kept(12), (0..12).collect::<Vec<_>>());
        assert_eq!(kept(13), [0, 2, 4, 6, 8, 10, 12]);
        assert_eq!(kept(14), [0, 2, 4, 6, 8, 10, 12, 13]);
        assert_eq!(kept(100), [0, 16, 32, 48, 64, 80, 96, 99]);
    }
}
