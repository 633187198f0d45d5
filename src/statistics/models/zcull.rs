//! The coarse depth test (z-cull): tiles of primitives that lie behind all that their tile shows are rejected before they
//! are walked.
//!
//! A bound for each tile, of 8×8 pixels unless the machine says otherwise, is kept: no stored depth lies farther. It is known after a primitive has covered and
//! passed all of the tile, and tightens with each one that does so nearer. A draw whose depth test runs the other way,
//! that writes depth from its program or under another test, makes the bounds of what it covers unknown; a clear, a copy or
//! an image makes all unknown, as does the end of a frame. Writes of the host are not looked at.
// Unverified: the chip's own rule to update bounds, their precision, and the tile.

use std::collections::{BTreeMap, HashMap};

use crate::counters::trace::{TracedDraw, TracedQuad};
use crate::format::ZetaFormat;
use crate::machine::Zcull;
use crate::memory::MemoryWindow;
use crate::work::{Compare, SampleMode, StencilOp};

/// What the coarse test made of a draw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DrawRejection {
    /// Tiles of primitives with a covered pixel.
    pub tiles: u64,
    /// Of these, tiles that were rejected.
    pub tiles_rejected: u64,
    /// Covered pixels of rejected tiles.
    pub fragments_rejected: u64,
    /// Quads of rejected tiles.
    pub quads_rejected: u64,
    /// Of each quad of the trace, whether it lies in a rejected tile.
    pub rejected: Vec<bool>,
    /// Why the draw was not tested, or its bounds not kept.
    pub disabled_by: Vec<&'static str>,
}

/// Whether nearer is less or greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Direction {
    Less,
    Greater,
}

/// The bounds of all depth surfaces.
#[derive(Debug, Clone)]
pub struct CoarseDepth {
    /// Columns and rows of a tile.
    tile: [u32; 2],
    bounds: HashMap<(MemoryWindow, u32, u32), (Direction, u32)>,
}

impl CoarseDepth {
    /// Knows nothing yet.
    #[must_use]
    pub fn new(zcull: &Zcull) -> Self {
        Self { tile: [zcull.tile_width, zcull.tile_height], bounds: HashMap::new() }
    }

    /// Forgets all bounds.
    pub fn forget(&mut self) {
        self.bounds.clear();
    }

    /// Tests a draw, and keeps the bounds of what it draws.
    pub fn draw(&mut self, traced: &TracedDraw) -> DrawRejection {
        if traced.follows_writes {
            self.bounds.clear();
        }
        let mut rejection = DrawRejection {
            disabled_by: obstacles(traced),
            rejected: vec![false; traced.trace.quads.len()],
            ..DrawRejection::default()
        };
        let (rop, targets) = (&traced.draw.rop, &traced.draw.targets);
        let zeta = rop.used_zeta(targets);
        let has_one_sample = targets.samples == SampleMode::One;
        let direction = rop.depth_test.filter(|_| has_one_sample).and_then(|test| match test.compare {
            Compare::Less | Compare::LessEqual => Some(Direction::Less),
            Compare::Greater | Compare::GreaterEqual => Some(Direction::Greater),
            Compare::Never | Compare::Always | Compare::Equal | Compare::NotEqual => None,
        });
        let includes_equal =
            rop.depth_test.is_some_and(|test| matches!(test.compare, Compare::LessEqual | Compare::GreaterEqual));
        let writes = rop.depth_test.is_some_and(|test| test.writes);
        let is_tested = rejection.disabled_by.is_empty();
        for ((row, column), numbers) in self.tiles(&traced.trace.quads) {
            rejection.tiles += 1;
            let Some(zeta) = zeta else { continue };
            let quads = || numbers.iter().map(|number| &traced.trace.quads[*number]);
            let place = (zeta.window, column, row);
            let least = quads().map(|quad| quad.depths[0]).min().unwrap_or(0);
            let greatest = quads().map(|quad| quad.depths[1]).max().unwrap_or(0);
            let known = self.bounds.get(&place).copied();
            if let (true, Some(direction), Some((of, bound))) = (is_tested, direction, known)
                && of == direction
            {
                let is_behind = match (direction, includes_equal) {
                    (Direction::Less, true) => least > bound,
                    (Direction::Less, false) => least >= bound,
                    (Direction::Greater, true) => greatest < bound,
                    (Direction::Greater, false) => greatest <= bound,
                };
                if is_behind {
                    rejection.tiles_rejected += 1;
                    rejection.quads_rejected += numbers.len() as u64;
                    numbers.iter().for_each(|number| rejection.rejected[*number] = true);
                    let fragments = quads().map(|quad| u64::from(quad.covered.count_ones()));
                    rejection.fragments_rejected += fragments.sum::<u64>();
                    continue;
                }
            }
            if !writes {
                continue;
            }
            let covers_all = quads().map(|quad| quad.passed.count_ones()).sum::<u32>() == self.tile[0] * self.tile[1];
            match direction.filter(|_| !traced.draw.fragment.exports_depth) {
                Some(direction) if covers_all => {
                    let bound = if direction == Direction::Less { greatest } else { least };
                    self.bounds.insert(place, (direction, bound));
                }
                // What passes lies nearer than the bound, which still holds.
                Some(direction) if known.is_none_or(|(of, _)| of == direction) => {}
                _ => {
                    self.bounds.remove(&place);
                }
            }
        }
        rejection
    }

    /// The quads of each tile of each primitive: row and column of the tile, and their numbers.
    fn tiles(&self, quads: &[TracedQuad]) -> Vec<((u32, u32), Vec<usize>)> {
        let [width, height] = self.tile;
        let mut tiles = Vec::new();
        let mut number = 0;
        for primitive in quads.chunk_by(|left, right| left.primitive == right.primitive) {
            let mut of_primitive: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
            for quad in primitive {
                let tile = (u32::from(quad.y) / height, u32::from(quad.x) / width);
                of_primitive.entry(tile).or_default().push(number);
                number += 1;
            }
            tiles.extend(of_primitive);
        }
        tiles
    }
}

/// What keeps a draw from being tested coarsely, by name.
fn obstacles(traced: &TracedDraw) -> Vec<&'static str> {
    let (draw, rop) = (&traced.draw, &traced.draw.rop);
    let mut obstacles = Vec::new();
    let mut add = |holds: bool, name: &'static str| {
        if holds {
            obstacles.push(name);
        }
    };
    add(rop.used_zeta(&draw.targets).is_none(), "no depth surface");
    match rop.depth_test {
        None => add(true, "no depth test"),
        Some(test) => {
            add(matches!(test.compare, Compare::Never | Compare::Always), "depth test without an order");
            add(matches!(test.compare, Compare::Equal | Compare::NotEqual), "depth test for equality");
        }
    }
    add(draw.fragment.exports_depth, "depth output");
    add(draw.targets.samples != SampleMode::One, "multisampling");
    let has_stencil = draw.targets.zeta.as_ref().is_some_and(|zeta| zeta.format == ZetaFormat::Z24S8);
    let updates = rop.stencil.as_ref().filter(|_| has_stencil).is_some_and(|faces| {
        faces
            .iter()
            .any(|face| face.write_mask != 0 && [face.fail, face.depth_fail].iter().any(|op| *op != StencilOp::Keep))
    });
    add(updates, "stencil written where tests fail");
    obstacles
}
