//! Checks the arithmetic against wide integers, host floats and values that were read from chips.

mod convert;
mod float;
mod integer;
mod special;

use super::{Comparison, Flags};

const ROUNDINGS: [super::Rounding; 4] =
    [super::Rounding::NearestEven, super::Rounding::Down, super::Rounding::Up, super::Rounding::TowardZero];

/// Floats at which rules change, without sign.
const SPECIAL: [u32; 26] = [
    0x0000_0000,
    0x0000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x00ff_ffff,
    0x0100_0000,
    0x0c00_0000,
    0x1f80_0000,
    0x2e80_0000,
    0x2eff_ffff,
    0x2f00_0000,
    0x3300_0000,
    0x387f_ffff,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x4b7f_ffff,
    0x4b80_0000,
    0x4f00_0000,
    0x7f00_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fff_ffff,
];

/// Pseudorandom words by xorshift64*.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        super::low_word(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32)
    }

    /// A float of this exponent; a third of the fractions are short or nearly full.
    fn float(&mut self, exponent: u32) -> u32 {
        let fraction = match self.word() % 6 {
            0 => self.word() << (self.word() % 24),
            1 => !(self.word() << (self.word() % 24)),
            _ => self.word(),
        };
        self.word() & 0x8000_0000 | (exponent & 0xff) << 23 | fraction & 0x7f_ffff
    }

    /// Any bits, or a special value in one of four cases.
    fn any(&mut self) -> u32 {
        if self.word().is_multiple_of(4) {
            SPECIAL[self.word() as usize % SPECIAL.len()] | self.word() & 0x8000_0000
        } else {
            self.word()
        }
    }
}

#[test]
fn flags_are_bits() {
    for bits in 0..16 {
        let flags = Flags::from_bits(bits);
        assert_eq!(flags.bits(), bits);
        assert_eq!(flags, Flags::new(flags.zero(), flags.sign(), flags.carry(), flags.overflow()));
    }
    assert_eq!(Flags::from_bits(0xf2), Flags::new(false, true, false, false));
    let codes = [Comparison::Greater, Comparison::Equal, Comparison::Less, Comparison::Unordered];
    assert_eq!(codes.map(|code| Flags::of_comparison(code).bits()), [0, 1, 2, 3]);
}
