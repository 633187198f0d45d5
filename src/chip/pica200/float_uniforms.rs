//! Turns words of the float uniform registers into vectors of 24-bit floats.

use crate::arith::pica::{F24, from_single};
use crate::chip::bits::{bit, field8};

/// Words on their way into the float registers.
#[derive(Debug, Default)]
pub(super) struct FloatUniforms {
    /// The register that the next vector goes to.
    register: u8,
    /// Whether a vector is four singles instead of four 24-bit floats in three words.
    is_single: bool,
    words: [u32; 4],
    count: usize,
}

impl FloatUniforms {
    /// Executes `VSH_FLOATUNIFORM_INDEX`.
    ///
    /// Unverified: the words of an unfinished vector are dropped. azahar keeps them.
    pub(super) fn seek(&mut self, value: u32) {
        *self = Self { register: field8(value, 7, 0), is_single: bit(value, 31), ..Self::default() };
    }

    /// Adds a word; returns the register and its vector once the vector is complete.
    pub(super) fn push(&mut self, word: u32) -> Option<(u8, [u32; 4])> {
        self.words[self.count] = word;
        self.count += 1;
        if self.count < if self.is_single { 4 } else { 3 } {
            return None;
        }
        self.count = 0;
        let register = self.register;
        self.register = register.saturating_add(1);
        Some((register, if self.is_single { self.singles() } else { self.packed() }))
    }

    /// Four singles, w first.
    fn singles(&self) -> [u32; 4] {
        let [w, z, y, x] = self.words;
        [x, y, z, w].map(from_single)
    }

    /// Four 24-bit floats as one number of 96 bits, w first.
    fn packed(&self) -> [u32; 4] {
        let [first, second, third, _] = self.words;
        let x = third;
        let y = second << 8 | third >> 24;
        let z = first << 16 | second >> 16;
        let w = first >> 8;
        // Bits above the sign are ignored.
        [x, y, z, w].map(|raw| F24.decode(raw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_vectors_begin_with_w() {
        let mut floats = FloatUniforms::default();
        floats.seek(7);
        // x = 1.0 = 3f0000, y = −2.0 = c00000, z = 0.5 = 3e0000, w = 1.5 = 3f8000:
        // the number 3f8000 3e0000 c00000 3f0000 in three words.
        assert_eq!([0x3f80_003e, 0x0000_c000].map(|word| floats.push(word)), [None, None]);
        assert_eq!(floats.push(0x003f_0000), Some((7, [1.0f32, -2.0, 0.5, 1.5].map(f32::to_bits))));
        floats.push(0);
        floats.push(0);
        assert_eq!(floats.push(0), Some((8, [0; 4])), "the next register");
    }

    #[test]
    fn singles_begin_with_w_and_are_truncated() {
        let mut floats = FloatUniforms::default();
        floats.seek(0x8000_005f);
        // 1 + 2⁻¹⁷ has no 24-bit float; 2⁶⁴ is beyond the greatest.
        for word in [0x3fc0_0000, 0x3f80_0040, 0x5f80_0000] {
            assert_eq!(floats.push(word), None);
        }
        assert_eq!(floats.push(0xc000_0000), Some((95, [0xc000_0000, 0x7f80_0000, 0x3f80_0000, 0x3fc0_0000])));
    }

    #[test]
    fn a_new_register_drops_the_words_before_it() {
        let mut floats = FloatUniforms::default();
        floats.push(0xffff_ffff);
        floats.seek(255);
        assert_eq!([0, 0].map(|word| floats.push(word)), [None, None]);
        assert_eq!(floats.push(0x3f_0000), Some((255, [0x3f80_0000, 0, 0, 0])));
        assert_eq!([0, 0, 0].map(|word| floats.push(word))[2], Some((255, [0; 4])), "the number stays in range");
    }
}
