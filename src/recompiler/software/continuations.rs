//! Splits tile kernels across dispatches to stay under llvmpipe's loop-iteration limit.
//!
//! Llvmpipe silently leaves all loops of an invocation after 65,535 iterations in total (`LP_MAX_TGSI_LOOP_ITERATIONS`
//! of Mesa's gallivm). It runs eight invocations in lockstep and counts an iteration if any of them is active, while
//! each invocation can count only its own. So each stops after an eighth of the limit and continues in the next dispatch. A
//! quad whose anisotropic filtering alone takes more is drawn in dispatches in which only one of eight invocations is
//! active.

use super::iteration_budget::QuadIterations;
use super::key::TilePath;

/// Maximum number of loop iterations of eight invocations in lockstep.
const ALL_ITERATIONS: u64 = 65_535;
/// Base-2 logarithm of the invocations in lockstep.
const LANES_SHIFT: u32 = 3;
/// Iterations of a primitive, without those of its quads and of the program, which runs masked if there are none.
const PRIMITIVE_ITERATIONS: u64 = 10;
/// Maximum number of quads in a tile.
const TILE_QUADS: u64 = 256;
/// Iterations between two checks of the limit in anisotropic filtering: the longest row, and one for each other
/// footprint of the quad.
const ROW_ITERATIONS: u64 = 400;
/// Maximum number of loop iterations for shading a quad, without those of anisotropic filtering.
const MOST_FIXED: u64 = 2048;
/// Minimum number of iterations by which a dispatch must advance.
const LEAST_PROGRESS: u64 = 512;
/// Iterations of anisotropic filtering that nearly always suffice for a quad, so that dispatches without lockstep would
/// be wasted.
const USUAL_ANISOTROPIC: u64 = 64;
/// Maximum number of dispatches before those without lockstep.
const MOST_IN_LOCKSTEP: u64 = 32;
/// Maximum number of invocations of a dispatch in one dimension.
const MOST_INVOCATIONS: u64 = 65_535 * super::key::TILES_PER_GROUP as u64;

impl QuadIterations {
    /// Whether tiles find large primitives themselves if there are few. Tiles with anisotropic filtering are drawn in
    /// several dispatches, by cells, and each dispatch would repeat the search.
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

    /// Iterations between two checks of the limit, without those of shading: the large primitives if there are few, a
    /// bin's summary, a primitive, the quads of a tile, and the check for hidden primitives once.
    const fn of_traversal(self) -> u64 {
        64 + 128 + PRIMITIVE_ITERATIONS + self.counting + (self.of_step() + 1) * TILE_QUADS
    }

    /// Whether dispatches always advance: a dispatch that begins with a quad can finish it.
    pub(crate) const fn are_few(self) -> bool {
        let lost = self.of_traversal() + 2 * (1 + self.fixed) + ROW_ITERATIONS + self.of_primitive();
        self.fixed <= MOST_FIXED
            && lost + LEAST_PROGRESS <= ALL_ITERATIONS >> LANES_SHIFT
            && self.ellipses <= ALL_ITERATIONS - LEAST_PROGRESS - lost
    }

    /// Iterations of primitives that cover their whole tile; anisotropic filtering takes at most `ellipses` per quad.
    const fn of_tile(self, primitives: u32, quads: u32, ellipses: u64) -> u64 {
        let quad = self.of_step() + 1 + self.fixed + ellipses;
        (primitives as u64).saturating_mul(self.of_primitive() + (quads as u64).saturating_mul(quad))
    }
}

/// Limits of an invocation if eight are active or only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The invocation leaves the tile before a quad once it ran more iterations.
    pub(crate) stopping: u64,
    /// The invocation leaves the quad before a row of texels once it ran this many.
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
    /// The path; with anisotropic filtering, only the first dispatch takes the fast path, which defers such quads.
    pub path: TilePath,
    /// Only one of 2^n invocations is active.
    pub spread: u32,
}

/// The dispatches of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContinuationDispatches {
    /// Dispatches in which all invocations may be active.
    in_lockstep: u64,
    /// Dispatches in which one of eight is active.
    alone: u64,
}

impl ContinuationDispatches {
    /// Plans this many primitives over cells of this many quads.
    #[must_use]
    pub const fn new(primitives: u32, quads: u32, rounds: QuadIterations) -> Self {
        // An invocation that stops restarts its primitive.
        let again = rounds.of_primitive();
        let of_dispatch = Limits::new(rounds, false).stopping - again;
        if rounds.ellipses == 0 {
            // Dispatches alternate between the fast and the exact path; the exact path stops only for its iteration count.
            return Self { in_lockstep: 2 * (1 + rounds.of_tile(primitives, quads, 0) / of_dispatch), alone: 0 };
        }
        // The first dispatch takes the fast path.
        let usual = 2 + rounds.of_tile(primitives, quads, USUAL_ANISOTROPIC) / of_dispatch;
        let in_lockstep = if usual > MOST_IN_LOCKSTEP { MOST_IN_LOCKSTEP } else { usual };
        // An invocation that stops within a quad restarts the quad.
        let of_dispatch = Limits::new(rounds, true).stopping - again - rounds.ellipses;
        Self { in_lockstep, alone: 1 + rounds.of_tile(primitives, quads, rounds.ellipses) / of_dispatch }
    }

    /// The number of dispatches that suffices.
    #[must_use]
    pub const fn count(self) -> u64 {
        self.in_lockstep + self.alone
    }

    /// The dispatch with this number.
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

/// Base-2 logarithm of a cell's side in pixels, for quads that take different times.
const CELL_SHIFT: u32 = 3;
/// Maximum number of primitives that are worth traversing for each of a tile's cells.
const SOME_PRIMITIVES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_primitives_take_one_dispatch_of_each_kind() {
        let without = QuadIterations::default();
        // 51 primitives × (10 + 64 × 2) iterations are 7038; a dispatch has 8191 - 714 - 2 - 400 - 10 iterations.
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
        // A quad at the start of a dispatch finishes in it, whatever was traversed before.
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
        // Cells of 8 × 8 pixels in tiles of 8, 16 and 32, if there are not too many.
        assert_eq!([3, 4, 5].map(|tile_shift| halvings(2, 1900, tile_shift, rounds)), [0, 1, 2]);
        assert_eq!([200_000, 300_000].map(|tile_count| halvings(2, tile_count, 5, rounds)), [1, 0]);
        assert_eq!([1, 4096, 4097].map(|primitives| halvings(primitives, 1900, 4, rounds)), [1, 1, 0]);
        assert_eq!(halvings(2, 1900, 4, QuadIterations { ellipses: 0, ..rounds }), 0);
    }
}
