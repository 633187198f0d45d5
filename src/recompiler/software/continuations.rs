//! How many rounds of loops a kernel of whole tiles may run, and in how many dispatches that is enough for any primitives.
//!
//! Llvmpipe ends all loops of an invocation, without a word, after 65,535 rounds (`LP_MAX_TGSI_LOOP_ITERATIONS` of Mesa's
//! gallivm). It runs eight invocations in lockstep and counts the rounds of any of them, while each can count only its own. So
//! each stops after an eighth of that, and goes on in the next dispatch. A quad whose ellipses alone take more is drawn
//! in dispatches of which only every eighth invocation does anything.

use super::iteration_budget::QuadRounds;
use super::key::Interpolation;

/// Most rounds of loops of eight invocations in lockstep.
const ALL_ROUNDS: u64 = 65_535;
/// Base-2 logarithm of the invocations in lockstep.
const LANES_SHIFT: u32 = 3;
/// Rounds of a record, but for those of its quads and the program, which runs masked where there are none.
const RECORD_ROUNDS: u64 = 10;
/// Most quads of a tile.
const TILE_QUADS: u64 = 256;
/// Rounds between two looks at the limit while ellipses are averaged: the longest row, and one of each other ellipse of the quad.
const ROW_ROUNDS: u64 = 400;
/// Most rounds of loops that shading a quad may take, but for those of ellipses.
const MOST_FIXED: u64 = 2048;
/// Fewest rounds that a dispatch must come on by.
const LEAST_PROGRESS: u64 = 512;
/// Rounds of the ellipses of a quad that are nearly always enough, where dispatches without lockstep would be wasted.
const USUAL_ELLIPSES: u64 = 64;
/// Most dispatches before those without lockstep.
const MOST_IN_LOCKSTEP: u64 = 32;
/// Most invocations of a dispatch over one dimension.
const MOST_INVOCATIONS: u64 = 65_535 * super::key::TILES_PER_GROUP as u64;

impl QuadRounds {
    /// Whether tiles look for large records where there are few. Those of ellipses are drawn in several dispatches, by cells, of
    /// which each would look again.
    #[must_use]
    pub const fn finds_large(self) -> bool {
        self.ellipses == 0
    }

    /// Rounds of a record, but for those of its quads.
    pub(crate) const fn of_record(self) -> u64 {
        RECORD_ROUNDS + self.counting + self.fixed
    }

    /// Rounds of a step to the next quad.
    pub(crate) const fn of_step(self) -> u64 {
        if self.clip_planes == 0 { 1 } else { 2 + self.clip_planes as u64 }
    }

    /// Rounds between two looks at the limit, but for those of shading: the large records of few, a bin's summary, a record,
    /// the quads of a tile, once to see whether they are hidden.
    const fn of_walk(self) -> u64 {
        64 + 128 + RECORD_ROUNDS + self.counting + (self.of_step() + 1) * TILE_QUADS
    }

    /// Whether dispatches always come on by some rounds: a quad can be ended by one that begins with it.
    pub(crate) const fn are_few(self) -> bool {
        let lost = self.of_walk() + 2 * (1 + self.fixed) + ROW_ROUNDS + self.of_record();
        self.fixed <= MOST_FIXED
            && lost + LEAST_PROGRESS <= ALL_ROUNDS >> LANES_SHIFT
            && self.ellipses <= ALL_ROUNDS - LEAST_PROGRESS - lost
    }

    /// Rounds of primitives that cover all of their tile, where an ellipse takes at most so many.
    const fn of_tile(self, primitives: u32, quads: u32, ellipses: u64) -> u64 {
        let quad = self.of_step() + 1 + self.fixed + ellipses;
        (primitives as u64).saturating_mul(self.of_record() + (quads as u64).saturating_mul(quad))
    }
}

/// Limits of an invocation, of eight that are active or of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// It leaves the tile before a quad where it ran more rounds.
    pub(crate) stopping: u64,
    /// It leaves the quad before a row of an ellipse where it ran as many.
    pub(crate) row: u64,
}

impl Limits {
    pub(crate) const fn new(rounds: QuadRounds, is_alone: bool) -> Self {
        let all = if is_alone { ALL_ROUNDS } else { ALL_ROUNDS >> LANES_SHIFT };
        // A quad that is found, and a record without any.
        Self { stopping: all - rounds.of_walk() - 2 * (1 + rounds.fixed) - ROW_ROUNDS, row: all - ROW_ROUNDS }
    }
}

/// One dispatch of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// How it interpolates; where there are ellipses, plainly only the first, which leaves them.
    pub interpolation: Interpolation,
    /// Only one of 2^n invocations does anything.
    pub spread: u32,
}

/// The dispatches of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// Those in which all invocations may do something.
    in_lockstep: u64,
    /// Those in which one of eight may.
    alone: u64,
}

impl Turns {
    /// For so many primitives over cells of so many quads.
    #[must_use]
    pub const fn new(primitives: u32, quads: u32, rounds: QuadRounds) -> Self {
        // What stops begins its record again.
        let again = rounds.of_record();
        let of_dispatch = Limits::new(rounds, false).stopping - again;
        if rounds.ellipses == 0 {
            // They are plain and exact in turn; those that are exact stop for their rounds alone.
            return Self { in_lockstep: 2 * (1 + rounds.of_tile(primitives, quads, 0) / of_dispatch), alone: 0 };
        }
        // The first is plain.
        let usual = 2 + rounds.of_tile(primitives, quads, USUAL_ELLIPSES) / of_dispatch;
        let in_lockstep = if usual > MOST_IN_LOCKSTEP { MOST_IN_LOCKSTEP } else { usual };
        // What is stopped in the midst of a quad begins that again.
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
    pub const fn turn(self, number: u64) -> Turn {
        let is_exact = if self.alone != 0 { number != 0 } else { !number.is_multiple_of(2) };
        let interpolation = if is_exact { Interpolation::Exact } else { Interpolation::Plain };
        Turn { interpolation, spread: if number < self.in_lockstep { 0 } else { LANES_SHIFT } }
    }
}

/// How often tiles of 2^`tile_shift` pixels are halved, so that an invocation draws a smaller cell.
#[must_use]
pub fn halvings(primitives: usize, tile_count: u32, tile_shift: u32, rounds: QuadRounds) -> u32 {
    let is_walked = rounds.ellipses != 0 && primitives <= SOME_PRIMITIVES;
    let wanted = if is_walked { tile_shift.saturating_sub(CELL_SHIFT) } else { 0 };
    let fits = |halvings: &u32| u64::from(tile_count) << (2 * halvings) <= MOST_INVOCATIONS;
    (0..=wanted).rev().find(fits).unwrap_or(0)
}

/// Base-2 logarithm of the pixels of a cell's side, where quads take different times.
const CELL_SHIFT: u32 = 3;
/// Primitives with which it is worth to walk them for each of a tile's cells.
const SOME_PRIMITIVES: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_primitives_take_one_dispatch_of_each_kind() {
        let without = QuadRounds::default();
        // 51 primitives × (10 + 64 × 2) rounds are 7038; between the dispatches lie 8191 - 714 - 2 - 400 - 10 rounds.
        let counts = [0, 1, 51, 52].map(|primitives| Turns::new(primitives, 64, without).count());
        assert_eq!(counts, [2, 2, 2, 4]);
        let long = QuadRounds { fixed: 2048, ..without };
        // 2058 + 256 × 2050 rounds, and 8191 - 714 - 2 × 2049 - 400 - 2058.
        assert_eq!(Turns::new(1, 256, long).count(), 2 * (1 + 526_858 / 921));
    }

    #[test]
    fn quads_of_long_ellipses_end_alone() {
        let rounds = QuadRounds { fixed: 12, ellipses: 17_030, ..QuadRounds::default() };
        let turns = Turns::new(2, 1, rounds);
        assert_eq!(turns.count(), 3);
        assert_eq!([0, 1, 2].map(|number| turns.turn(number).spread), [0, 0, 3]);
        // A quad that begins a dispatch ends in it, whatever was walked through before.
        for ellipses in [1, 17_030, 51_090] {
            for clip_planes in [0, 6] {
                let rounds = QuadRounds { fixed: 1000, ellipses, clip_planes, counting: 4 };
                let limits = Limits::new(rounds, true);
                assert!(rounds.are_few() && limits.stopping > ellipses + LEAST_PROGRESS);
                assert!(limits.row > rounds.of_walk() + 2 * (1 + rounds.fixed) + ellipses);
            }
        }
        let few = |fixed, ellipses, clip_planes| QuadRounds { fixed, ellipses, clip_planes, counting: 0 }.are_few();
        assert!(few(2048, 0, 0) && few(2048, 34_060, 0) && !few(2049, 0, 0) && !few(2048, 0, 6) && !few(28, 68_120, 0));
    }

    #[test]
    fn cells_fit_one_dimension_of_a_dispatch() {
        let rounds = QuadRounds { fixed: 12, ellipses: 17_030, ..QuadRounds::default() };
        // Cells of 8 × 8 pixels in tiles of 8, 16 and 32, where there are not too many.
        assert_eq!([3, 4, 5].map(|tile_shift| halvings(2, 1900, tile_shift, rounds)), [0, 1, 2]);
        assert_eq!([200_000, 300_000].map(|tile_count| halvings(2, tile_count, 5, rounds)), [1, 0]);
        assert_eq!([1, 4096, 4097].map(|primitives| halvings(primitives, 1900, 4, rounds)), [1, 1, 0]);
        assert_eq!(halvings(2, 1900, 4, QuadRounds { ellipses: 0, ..rounds }), 0);
    }
}
