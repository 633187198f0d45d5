//! A small random number generator for tests; a seed gives the same numbers everywhere.
#![allow(dead_code, reason = "each test binary uses a part of this module")]

use std::collections::VecDeque;

/// A permuted congruential generator, whose first numbers can be those of an input.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
    input: VecDeque<u8>,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = Self { state, input: VecDeque::new() };
        random.word();
        random
    }

    /// The numbers in the bytes of an input, then those of a seed that all of its bytes determine.
    pub(crate) fn of_input(bytes: &[u8]) -> Self {
        // FNV-1a.
        let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        Self { input: bytes.iter().copied().collect(), ..Self::new(bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)) }
    }

    /// The next bytes of the input as a number, unless it has ended.
    fn taken(&mut self, bytes: usize) -> Option<u32> {
        let mut number = u32::from(self.input.pop_front()?);
        for place in 1..bytes {
            number |= u32::from(self.input.pop_front().unwrap_or(0)) << (8 * place);
        }
        Some(number)
    }

    /// Any word.
    #[expect(clippy::cast_possible_truncation, reason = "the middle and the top of the state are wanted")]
    pub(crate) fn word(&mut self) -> u32 {
        if let Some(word) = self.taken(4) {
            return word;
        }
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = (((self.state >> 18) ^ self.state) >> 27) as u32;
        mixed.rotate_right((self.state >> 59) as u32)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        let bytes = if limit <= 1 << 8 { 1 } else { 4 };
        match self.taken(bytes) {
            Some(number) => number.checked_rem(limit).unwrap_or(0),
            None => ((u64::from(self.word()) * u64::from(limit)) >> 32) as u32,
        }
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.taken(1).unwrap_or_else(|| self.word()) & 0x10 != 0
    }

    #[expect(clippy::cast_possible_truncation, reason = "lists are short")]
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }
}
