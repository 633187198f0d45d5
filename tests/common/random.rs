//! A small random number generator for tests; a seed gives the same numbers everywhere.
#![allow(dead_code, reason = "each test binary uses a part of this module")]

/// A permuted congruential generator.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.word();
        random
    }

    /// Any word.
    #[expect(clippy::cast_possible_truncation, reason = "the middle and the top of the state are wanted")]
    pub(crate) fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (((self.0 >> 18) ^ self.0) >> 27) as u32;
        mixed.rotate_right((self.0 >> 59) as u32)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.word() & 0x10 != 0
    }

    #[expect(clippy::cast_possible_truncation, reason = "lists are short")]
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}
