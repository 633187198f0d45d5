//! Splits tile kernels across dispatches to stay under llvmpipe's loop-iteration limit.
//!
//! Llvmpipe silently leaves all loops of an invocation after 65,535 iterations in total (`LP_MAX_TGSI_LOOP_ITERATIONS` of Mesa's
//! gallivm). It runs eight invocations in lockstep and counts the iterations of any of them, while each invocation can count
//! only its own. So each stops after an eighth of the limit and continues in the next dispatch. A quad whose anisotropic
//! filtering alone takes more is drawn in dispatches in which only one of eight invocations is active.

use super::iteration_budget::QuadIterations;
use super::key::TilePath;

/// Most loop iterations of eight invocations in lockstep.
const ALL_ITERATIONS: u64 = 65_535;
/// Base-2 logarithm of the invocations in lockstep.
const LANES_SHIFT: u32 = 3;
/// Iterations of a primitive, without those of its quads and of the program, which runs masked where there are none.
const PRIMITIVE_ITERATIONS: u64 = 10;
/// Most quads of a tile.
const TILE_QUADS: u64 = 256;
/// Iterations between two checks of the limit in anisotropic filtering: the longest row, and one of each other ellipse of the quad.
const ROW_ITERATIONS: u64 = 400;
/// Most loop iterations that shading a quad may take, without those of anisotropic filtering.
const MOST_FIXED: u64 = 2048;
/// Fewest iterations by which a dispatch must advance.
const LEAST_PROGRESS: u64 = 512;
/// Iterations of anisotropic filtering that nearly always suffice for a quad, so that dispatches without lockstep would be wasted.
const USUAL_ANISOTROPIC: u64 = 64;
/// Most dispatches before those without lockstep.
const MOST_IN_LOCKSTEP: u64 = 32;
/// Most invocations of a dispatch over one dimension.
const MOST_INVOCATIONS: u64 = 65_535 * super::key::TILES_PER_GROUP as u64;

impl QuadIterations {
    /// Whether tiles look for large primitives where there are few. Those with anisotropic filtering are drawn in several dispatches, by cells, of
    /// which each would look again.
    #[must_use]
    pub const fn finds_large(self) -> bool {
        self.ellipses == 0
    }

    /// Iterations of a primitive, without those of its quads.
    pub(crate) const fn of_primitive(self) -> u64 {
        PRIMITIVE_ITERATIONS + self.counting + self.fixed
    }

    /// Iterations of a step to the next quad.
    pub(crate) const fn of_step(self) -> u64 {
        if self.clip_planes == 0 { 1 } else { 2 + self.clip_planes as u64 }
    }

    /// Iterations between two checks of the limit, without those of shading: the large primitives of few, a bin's summary, a primitive,
    /// the quads of a tile, once to see whether they are hidden.
    const fn of_traversal(self) -> u64 {
        64 + 128 + PRIMITIVE_ITERATIONS + self.counting + (self.of_step() + 1) * TILE_QUADS
    }

    /// Whether dispatches always advance: a dispatch that begins with a quad can end it.
    pub(crate) const fn are_few(self) -> bool {
        let lost = self.of_traversal() + 2 * (1 + self.fixed) + ROW_ITERATIONS + self.of_primitive();
        self.fixed <= MOST_FIXED
            && lost + LEAST_PROGRESS <= ALL_ITERATIONS >> LANES_SHIFT
            && self.ellipses <= ALL_ITERATIONS - LEAST_PROGRESS - lost
    }

    /// Iterations of primitives that cover all of their tile, where anisotropic filtering takes at most so many.
    const fn of_tile(self, primitives: u32, quads: u32, ellipses: u64) -> u64 {
        let quad = self.of_step() + 1 + self.fixed + ellipses;
        (primitives as u64).saturating_mul(self.of_primitive() + (quads as u64).saturating_mul(quad))
    }
}

/// Limits of an invocation, of eight that are active or of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// It leaves the tile before a quad once it ran more iterations.
    pub(crate) stopping: u64,
    /// It leaves the quad before a row of texels once it ran as many.
    pub(crate) row: u64,
}

impl Limits {
    pub(crate) const fn new(rounds: QuadIterations, is_alone: bool) -> Self {
        let all = if is_alone { ALL_ITERATIONS } else { ALL_ITERATIONS >> LANES_SHIFT };
        // A quad that is found, and a primitive without any.
        Self {
            stopping: all - rounds.of_traversal() - 2 * (1 + rounds.fixed) - ROW_ITERATIONS,
            row: all - ROW_ITERATIONS,
        }
    }
}

/// One dispatch of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContinuationDispatch {
    /// Its path; where quads are filtered anisotropically, only the first takes the fast path, which defers them.
    pub path: TilePath,
    /// Only one of 2^n invocations does anything.
    pub spread: u32,
}

/// The dispatches of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContinuationDispatches {
    /// Those in which all invocations may be active.
    in_lockstep: u64,
    /// Those in which one of eight is.
    alone: u64,
}

impl ContinuationDispatches {
    /// For so many primitives over cells of so many quads.
    #[must_use]
    pub const fn new(primitives: u32, quads: u32, rounds: QuadIterations) -> Self {
        // An invocation that stops begins its primitive again.
        let again = rounds.of_primitive();
        let of_dispatch = Limits::new(rounds, false).stopping - again;
        if rounds.ellipses == 0 {
            // They take the fast and the exact path alternately; the exact path stops for its iterations alone.
            return Self { in_lockstep: 2 * (1 + rounds.of_tile(primitives, quads, 0) / of_dispatch), alone: 0 };
        }
        // The first takes the fast path.
        let usual = 2 + rounds.of_tile(primitives, quads, USUAL_ANISOTROPIC) / of_dispatch;
        let in_lockstep = if usual > MOST_IN_LOCKSTEP { MOST_IN_LOCKSTEP } else { usual };
        // An invocation that stops in the middle of a quad begins the quad again.
        let of_dispatch = Limits::new(rounds, true).stopping - again - rounds.ellipses;
        Self { in_lockstep, alone: 1 + rounds.of_tile(primitives, quads, rounds.ellipses) / of_dispatch }
    }

    /// How many dispatches are enough.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.in_lockstep + self.alone
    }

    /// The dispatch of a number.
    #[must_use]
    pub const fn dispatch(self, number: u64) -> ContinuationDispatch {
        let is_exact = if self.alone != 0 { number != 0 } else { !number.is_multiple_of(2) };
        let path = if is_exact { TilePath::Exact } else { TilePath::Fast };
        ContinuationDispatch { path, spread: if number < self.in_lockstep { 0 } else { LANES_SHIFT } }
    }
}

/// How often tiles of 2^`tile_shift` pixels are halved, so that an invocation draws a smaller cell.
#[must_use]
pub fn halvings(primitives: usize, tile_count: u32, tile_shift: u32, rounds: QuadIterations) -> u32 {
    let is_walked = rounds.ellipses != 0 && primitives <= SOME_PRIMITIVES;
    let wanted = if is_walked { tile_shift.saturating_sub(CELL_SHIFT) } else { 0 };
    let fits = |halvings: &u32| u64::from(tile_count) << (2 * halvings) <= MOST_INVOCATIONS;
    (0..=wanted).rev().find(fits).unwrap_or(0)
}

/// Base-2 logarithm of the pixels of a cell's side, where quads take different times.
const CELL_SHIFT: u32 = 3;
/// Most primitives that are worth traversing for each of a tile's cells.
const SOME_PRIMITIVES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_primitives_take_one_dispatch_of_each_kind() {
        let without = QuadIterations::default();
        // 51 primitives × (10 + 64 × 2) iterations are 7038; between the dispatches lie 8191 - 714 - 2 - 400 - 10 iterations.
        let counts = [0, 1, 51, 52].map(|primitives| ContinuationDispatches::new(primitives, 64, without).count());
        assert_eq!(counts, [2, 2, 2, 4]);
        let long = QuadIterations { fixed: 2048, ..without };
        // 2058 + 256 × 2050 iterations, and 8191 - 714 - 2 × 2049 - 400 - 2058.
        assert_eq!(ContinuationDispatches::new(1, 256, long).count(), 2 * (1 + 526_858 / 921));
    }

    #[test]
    fn quads_of_long_ellipses_end_alone() {
        let rounds = QuadIterations { fixed: 12, ellipses: 17_030, ..QuadIterations::default() };
        let dispatches = ContinuationDispatches::new(2, 1, rounds);
        assert_eq!(dispatches.count(), 3);
        assert_eq!([0, 1, 2].map(|number| dispatches.dispatch(number).spread), [0, 0, 3]);
        // A quad that begins a dispatch ends in it, whatever was traversed before.
        for ellipses in [1, 17_030, 51_090] {
            for clip_planes in [0, 6] {
                let rounds = QuadIterations { fixed: 1000, ellipses, clip_planes, counting: 4 };
                let limits = Limits::new(rounds, true);
                assert!(rounds.are_few() && limits.stopping > ellipses + LEAST_PROGRESS);
                assert!(limits.row > rounds.of_traversal() + 2 * (1 + rounds.fixed) + ellipses);
            }
        }
        let few = |fixed, ellipses, clip_planes| QuadIterations { fixed, ellipses, clip_planes, counting: 0 }.are_few();
        assert!(few(2048, 0, 0) && few(2048, 34_060, 0) && !few(2049, 0, 0) && !few(2048, 0, 6) && !few(28, 68_120, 0));
    }

    #[test]
    fn cells_fit_one_dimension_of_a_dispatch() {
        let rounds = QuadIterations { fixed: 12, ellipses: 17_030, ..QuadIterations::default() };
        // Cells of 8 × 8 pixels in tiles of 8, 16 and 32, where there are not too many.
        assert_eq!([3, 4, 5].map(|tile_shift| halvings(2, 1900, tile_shift, rounds)), [0, 1, 2]);
        assert_eq!([200_000, 300_000].map(|tile_count| halvings(2, tile_count, 5, rounds)), [1, 0]);
        assert_eq!([1, 4096, 4097].map(|primitives| halvings(primitives, 1900, 4, rounds)), [1, 1, 0]);
        assert_eq!(halvings(2, 1900, 4, QuadIterations { ellipses: 0, ..rounds }), 0);
    }
}
