//! Models z-cull, the hierarchical depth test: it rejects a tile of a primitive before rasterization if the whole
//! tile lies behind the depths stored there.
//!
//! Each tile of a depth surface has a bound: no stored depth is farther. The bound becomes known when a primitive
//! covers the whole tile and passes, and tightens with each nearer primitive that does so. A draw whose depth test
//! has the opposite order, or that writes depth in no known order, makes the bounds of the tiles that it covers
//! unknown.
// Unverified: how the chip updates bounds, their precision, and the tile.

#[cfg(test)]
mod tests;

use bytemuck::{Pod, Zeroable};

use super::ParameterError;

/// Most pixels of a tile along each side.
pub const MAX_TILE_SIDE: u32 = 64;

/// The z-cull unit of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ZcullParameters {
    /// Columns of a tile, a power of two from 2 to [`MAX_TILE_SIDE`].
    pub tile_width: u32,
    /// Rows of a tile, a power of two in the same range.
    pub tile_height: u32,
}

impl ZcullParameters {
    /// Checks every field.
    ///
    /// # Errors
    /// With the first field that is out of its range.
    pub fn check(&self) -> Result<(), ParameterError> {
        for (field, side) in [("tile_width", self.tile_width), ("tile_height", self.tile_height)] {
            let holds = side.is_power_of_two() && (2..=MAX_TILE_SIDE).contains(&side);
            ParameterError::unless(holds, field, side, "a power of two from 2 to 64")?;
        }
        Ok(())
    }

    /// Pixels of a tile.
    #[must_use]
    pub const fn tile_pixels(&self) -> u32 {
        self.tile_width * self.tile_height
    }
}

/// Which of two depths is nearer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DepthOrder {
    /// The one that is less.
    Less,
    /// The one that is greater.
    Greater,
}

/// A depth such that no stored depth of a tile is farther.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TileBound {
    /// Which depths are nearer.
    pub order: DepthOrder,
    /// The farthest depth that may be stored.
    pub depth: u32,
}

/// The state of a draw that z-cull depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ZcullDraw {
    /// The order by which passing depths are nearer than those that they replace; `None` if the test has no order,
    /// or if the written depth is not the one before shading.
    pub order: Option<DepthOrder>,
    /// Whether its test also passes equal depths.
    pub includes_equal: bool,
    /// Whether it writes depth.
    pub writes: bool,
    /// Whether its tiles may be rejected.
    pub is_tested: bool,
}

impl ZcullDraw {
    /// Whether no depth in a range passes, given a bound.
    const fn is_behind(&self, bound: TileBound, [least, greatest]: [u32; 2]) -> bool {
        match (bound.order, self.includes_equal) {
            (DepthOrder::Less, true) => least > bound.depth,
            (DepthOrder::Less, false) => least >= bound.depth,
            (DepthOrder::Greater, true) => greatest < bound.depth,
            (DepthOrder::Greater, false) => greatest <= bound.depth,
        }
    }
}

/// A quad of a tile.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct ZcullQuad {
    /// Least and greatest depth of covered pixels before shading, as the surface stores depth.
    pub depths: [u32; 2],
    /// Bit i: pixel i is covered; bit 4 + i: pixel i passes all tests if it is not rejected.
    pub pixels: u32,
}

/// A trace event: a tile that a primitive covers, at least in part.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct CoveredTile {
    /// The draw, an index into [`ZcullTrace::draws`].
    pub draw: u32,
    /// The tile and its surface, as an index into [`ZcullTrace::bounds`].
    pub place: u32,
    /// The end of its quads, which begin where those of the previous tile end.
    pub quad_end: u32,
}

/// The tiles that draws cover, in the order of the stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZcullTrace {
    /// The draws.
    pub draws: Vec<ZcullDraw>,
    /// The bound of each tile before the trace.
    pub bounds: Vec<Option<TileBound>>,
    /// The covered tiles, primitive by primitive.
    pub tiles: Vec<CoveredTile>,
    /// The quads of the tiles.
    pub quads: Vec<ZcullQuad>,
}

impl ZcullTrace {
    /// Adds a tile of the last draw.
    ///
    /// # Errors
    /// When the trace would have 2³² quads or more.
    pub fn push(&mut self, place: usize, quads: impl IntoIterator<Item = ZcullQuad>) -> Result<(), ParameterError> {
        self.quads.extend(quads);
        let draw = ParameterError::word("draws", self.draws.len().saturating_sub(1))?;
        let (place, quad_end) =
            (ParameterError::word("places", place)?, ParameterError::word("quads", self.quads.len())?);
        self.tiles.push(CoveredTile { draw, place, quad_end });
        Ok(())
    }

    /// Each tile of a trace that passes [`ZcullTrace::check`] with its quads.
    pub fn quads_of_tiles(&self) -> impl Iterator<Item = (&CoveredTile, &[ZcullQuad])> {
        let mut rest = self.quads.as_slice();
        let mut first = 0;
        self.tiles.iter().map(move |tile| {
            let (quads, others) = rest.split_at((tile.quad_end - first) as usize);
            (first, rest) = (tile.quad_end, others);
            (tile, quads)
        })
    }

    /// Checks that tiles name existing draws and bounds, and partition the quads, with no more quads than a tile
    /// has.
    ///
    /// # Errors
    /// With the field of a tile that does not fit.
    pub fn check(&self, parameters: &ZcullParameters) -> Result<(), ParameterError> {
        parameters.check()?;
        let most = parameters.tile_pixels() / 4;
        let mut first = 0;
        for tile in &self.tiles {
            let CoveredTile { draw, place, quad_end } = *tile;
            ParameterError::unless((draw as usize) < self.draws.len(), "draw", draw, "a draw of the trace")?;
            ParameterError::unless((place as usize) < self.bounds.len(), "place", place, "a place of the trace")?;
            let holds = quad_end > first && quad_end - first <= most && quad_end as usize <= self.quads.len();
            ParameterError::unless(holds, "quad_end", quad_end, "behind one to all quads of a tile")?;
            first = quad_end;
        }
        ParameterError::unless(first as usize == self.quads.len(), "quad_end", first, "at last the end of the quads")
    }
}

/// Counts of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ZcullCounts {
    /// Tiles of primitives with a covered pixel.
    pub tiles: u64,
    /// Of these, rejected tiles.
    pub tiles_rejected: u64,
    /// Covered pixels of rejected tiles.
    pub fragments_rejected: u64,
    /// Quads of rejected tiles.
    pub quads_rejected: u64,
}

/// Results of a trace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ZcullResult {
    /// The counts of each draw.
    pub draws: Vec<ZcullCounts>,
    /// Whether each tile was rejected.
    pub rejected: Vec<bool>,
    /// The bound of each tile after the trace.
    pub bounds: Vec<Option<TileBound>>,
}

/// Tests the tiles of a trace in order, and updates the bounds with their writes.
///
/// # Errors
/// When a parameter is out of its range, or a tile does not fit the trace.
pub fn simulate(trace: &ZcullTrace, parameters: &ZcullParameters) -> Result<ZcullResult, ParameterError> {
    trace.check(parameters)?;
    let mut draws = vec![ZcullCounts::default(); trace.draws.len()];
    let mut rejected = Vec::with_capacity(trace.tiles.len());
    let mut bounds = trace.bounds.clone();
    for (tile, quads) in trace.quads_of_tiles() {
        let draw = &trace.draws[tile.draw as usize];
        let bound = &mut bounds[tile.place as usize];
        let is_rejected = meets(draw, quads, parameters.tile_pixels(), bound);
        let counts = &mut draws[tile.draw as usize];
        counts.tiles += 1;
        if is_rejected {
            counts.tiles_rejected += 1;
            counts.quads_rejected += quads.len() as u64;
            counts.fragments_rejected +=
                quads.iter().map(|quad| u64::from((quad.pixels & 15).count_ones())).sum::<u64>();
        }
        rejected.push(is_rejected);
    }
    Ok(ZcullResult { draws, rejected, bounds })
}

/// Returns whether the quads of a tile are rejected; updates the bound if they are not.
fn meets(draw: &ZcullDraw, quads: &[ZcullQuad], tile_pixels: u32, bound: &mut Option<TileBound>) -> bool {
    let least = quads.iter().map(|quad| quad.depths[0]).min().unwrap_or(u32::MAX);
    let greatest = quads.iter().map(|quad| quad.depths[1]).max().unwrap_or(0);
    let known = bound.filter(|bound| Some(bound.order) == draw.order);
    if draw.is_tested && known.is_some_and(|bound| draw.is_behind(bound, [least, greatest])) {
        return true;
    }
    if draw.writes {
        let passed: u32 = quads.iter().map(|quad| (quad.pixels >> 4 & 15).count_ones()).sum();
        *bound = match draw.order {
            Some(DepthOrder::Less) if passed == tile_pixels => {
                Some(TileBound { order: DepthOrder::Less, depth: greatest })
            }
            Some(DepthOrder::Greater) if passed == tile_pixels => {
                Some(TileBound { order: DepthOrder::Greater, depth: least })
            }
            // Passing depths are nearer than the bound, which still holds.
            _ => known,
        };
    }
    false
}
