//! Splits tile kernels across dispatches to stay under llvmpipe's loop-iteration limit, and batches of workgroups' kernels.
//!
//! Llvmpipe silently leaves all loops of an invocation after 65,535 iterations in total (`LP_MAX_TGSI_LOOP_ITERATIONS`
//! of Mesa's gallivm). It runs eight invocations in lockstep and counts an iteration if any of them is active, while
//! each invocation can count only its own. So each stops after an eighth of the limit and continues in the next dispatch.

use super::iteration_budget::QuadIterations;

/// Maximum number of loop iterations of an invocation: an eighth of what eight in lockstep have.
const MAX_ITERATIONS: u64 = 65_535 >> 3;
/// Iterations of a primitive, without those of its quads and of the program, which runs masked if there are none.
const PRIMITIVE_ITERATIONS: u64 = 10;
/// Maximum number of quads in a tile.
const TILE_QUADS: u64 = 256;
/// Maximum number of loop iterations that shading a quad is charged in advance.
const MAX_FIXED: u64 = 2048;
/// Iterations that the counts leave out. Without them, scenes with many small primitives in a tile reach the limit.
// Unverified: which loops of invocations in lockstep they belong to.
const MARGIN: u64 = 400;
/// Minimum number of iterations by which a dispatch must advance.
const MIN_PROGRESS: u64 = 512;

/// The twins of a tile kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TilePath {
    /// Uses native float operations; leaves the tile to the next dispatch if these might not be exact.
    Fast,
    /// Uses the reference's arithmetic for all values.
    Exact,
}

/// Number of dispatches in a batch whose workgroup counts one list holds.
pub const CONTINUATIONS: u32 = 256;

impl QuadIterations {
    /// Iterations of a primitive, without those of its quads.
    pub(crate) const fn of_primitive(self) -> u64 {
        PRIMITIVE_ITERATIONS + self.counting + self.fixed
    }

    /// Iterations of a step to the next quad.
    pub(crate) const fn of_step(self) -> u64 {
        if self.clip_planes == 0 { 1 } else { 2 + self.clip_planes as u64 }
    }

    /// Iterations between two checks of the limit: the large primitives if there are few, a bin's summary, a primitive, the
    /// quads of a tile, the check for hidden primitives once, a quad that is shaded, and one of a primitive without any.
    const fn between_checks(self) -> u64 {
        let traversal = 64 + 128 + PRIMITIVE_ITERATIONS + self.counting + (self.of_step() + 1) * TILE_QUADS;
        MARGIN + traversal + 2 * (1 + self.fixed) + self.samples
    }

    /// The invocation leaves the tile before a quad once it ran more iterations.
    pub(crate) const fn stopping(self) -> u64 {
        MAX_ITERATIONS - self.between_checks()
    }

    /// Maximum number of primitives that a workgroup's invocations may draw in a dispatch, if a quad of a primitive takes
    /// `merging` iterations to merge and an adapter ends loops after `limit` iterations; 0 if one is too many.
    pub(crate) const fn max_primitives(self, limit: u32, merging: u64) -> u64 {
        // Two loops over primitives and one to find the next; invocations in lockstep may all be at different ones.
        let primitive = 3 + self.of_step() + self.counting + self.fixed + self.samples + merging;
        (limit as u64).saturating_sub(MARGIN) / (8 * primitive)
    }

    /// Whether dispatches always advance: a dispatch that begins with a quad can finish it.
    pub(crate) const fn are_few(self) -> bool {
        self.fixed <= MAX_FIXED && self.between_checks() + self.of_primitive() + MIN_PROGRESS <= MAX_ITERATIONS
    }
}

/// The number of dispatches that suffices for a batch of this many primitives, over tiles of this many quads.
///
/// They alternate between the fast and the exact path. The exact path stops only for its iteration count.
#[must_use]
pub const fn max_dispatches(primitives: u32, quads: u32, rounds: QuadIterations) -> u64 {
    // An invocation that stops restarts its primitive.
    let of_dispatch = rounds.stopping() - rounds.of_primitive();
    let quad = rounds.of_step() + 1 + rounds.fixed + rounds.samples;
    let primitive = rounds.of_primitive() + (quads as u64).saturating_mul(quad);
    2 * (1 + (primitives as u64).saturating_mul(primitive) / of_dispatch)
}

impl TilePath {
    /// The path of a dispatch of a batch.
    #[must_use]
    pub const fn of_dispatch(number: u64) -> Self {
        if number.is_multiple_of(2) { Self::Fast } else { Self::Exact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_primitives_take_one_dispatch_of_each_kind() {
        let without = QuadIterations::default();
        // 51 primitives × (10 + 64 × 2) iterations are 7038; a dispatch has 8191 - 714 - 2 - 400 - 10 iterations.
        let counts = [0, 1, 51, 52].map(|primitives| max_dispatches(primitives, 64, without));
        assert_eq!(counts, [2, 2, 2, 4]);
        let long = QuadIterations { fixed: 2048, ..without };
        // 2058 + 256 × 2050 iterations, and 8191 - 714 - 2 × 2049 - 400 - 2058.
        assert_eq!(max_dispatches(1, 256, long), 2 * (1 + 526_858 / 921));
        let sampled = QuadIterations { fixed: 12, samples: 150, ..without };
        // 22 + 64 × 164 iterations, and 8191 - 714 - 26 - 150 - 400 - 22.
        assert_eq!(max_dispatches(1, 64, sampled), 2 * (1 + 10_518 / 6879));
    }

    #[test]
    fn workgroups_draw_fewer_primitives_the_longer_these_take() {
        let rounds = |fixed| QuadIterations { fixed, ..QuadIterations::default() };
        // (65535 - 400) / (8 × 4), and with 1000 iterations more for each.
        assert_eq!(rounds(0).max_primitives(65_535, 0), 2035);
        assert_eq!([rounds(1000).max_primitives(65_535, 0), rounds(0).max_primitives(65_535, 1000)], [8, 8]);
        assert_eq!(rounds(9000).max_primitives(65_535, 0), 0);
    }

    #[test]
    fn a_quad_that_begins_a_dispatch_ends_in_it() {
        let few = |fixed, samples, clip_planes| {
            let rounds = QuadIterations { fixed, samples, clip_planes, counting: 4 };
            rounds.are_few().then(|| rounds.stopping() - rounds.of_primitive())
        };
        // 8191 - 718 - 2 × 2049 - 400 - 2062: what is left is at least 512.
        assert_eq!([few(2048, 0, 0), few(2048, 401, 0), few(2048, 402, 0)], [Some(913), Some(512), None]);
        assert_eq!([few(2049, 0, 0), few(2048, 0, 6), few(28, 6000, 0)], [None, None, Some(973)]);
    }
}
