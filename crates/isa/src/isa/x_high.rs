//! Turns write masks and swizzles that words store with x in the high bits into [`WriteMask`] and [`Swizzle`], and back.
#![expect(clippy::cast_possible_truncation, reason = "masked to four bits")]

use crate::shader::condition::{Swizzle, WriteMask};

/// The swizzle of eight bits, w in bits 1:0 … x in bits 7:6.
pub(super) const fn swizzle_of(bits: u32) -> Swizzle {
    Swizzle([(bits >> 6 & 3) as u8, (bits >> 4 & 3) as u8, (bits >> 2 & 3) as u8, (bits & 3) as u8])
}

/// The eight bits of a swizzle, w in bits 1:0 … x in bits 7:6.
pub(super) fn swizzle_bits(swizzle: Swizzle) -> u32 {
    swizzle.0.iter().fold(0, |bits, &component| bits << 2 | u32::from(component & 3))
}

/// The mask of four bits, w in bit 0 … x in bit 3.
pub(super) const fn mask_of(bits: u32) -> WriteMask {
    WriteMask(((bits >> 3 & 1) | (bits >> 1 & 2) | (bits << 1 & 4) | (bits << 3 & 8)) as u8)
}

/// The four bits of a mask, w in bit 0 … x in bit 3.
pub(super) fn mask_bits(mask: WriteMask) -> u32 {
    (0..4).fold(0, |bits, component| bits << 1 | u32::from(mask.has(component)))
}

#[cfg(test)]
mod tests {
    use super::{mask_bits, mask_of, swizzle_bits, swizzle_of};
    use crate::shader::condition::{Swizzle, WriteMask};

    #[test]
    fn the_write_mask_is_turned_around() {
        for (bits, mask) in [(0b1000, 0b0001), (0b0100, 0b0010), (0b0010, 0b0100), (0b0001, 0b1000)] {
            assert_eq!((mask_of(bits), mask_bits(WriteMask(mask))), (WriteMask(mask), bits));
        }
    }

    #[test]
    fn the_identity_is_0x1b() {
        assert_eq!((swizzle_of(0x1b), swizzle_bits(Swizzle::IDENTITY)), (Swizzle::IDENTITY, 0x1b));
    }
}
