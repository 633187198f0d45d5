//! A small generator of random numbers for tests; a seed gives the same numbers everywhere.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

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
    pub(crate) fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = ((self.0 >> 18) ^ self.0) >> 27;
        u32::try_from(mixed & 0xffff_ffff).unwrap().rotate_right(u32::try_from(self.0 >> 59).unwrap())
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        u32::try_from((u64::from(self.word()) * u64::from(limit)) >> 32).unwrap()
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.word() & 0x10 != 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(u32::try_from(from.len()).unwrap()) as usize]
    }
}
