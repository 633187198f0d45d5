//! Converts window depths to the numbers that depth surfaces hold.

use super::ZetaFormat;
use crate::arith::fragment;

/// The storage of depths in a depth surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DepthStorage {
    /// A fraction of this many bits.
    Fraction(u8),
    /// 8 bits of exponent and 16 of fraction: a positive single without its 7 lowest bits.
    Float24,
    /// A positive half float. Unverified: no public source gives the layout; an older chip of the family is said
    /// to have 4 bits of exponent.
    Half,
    /// A positive single.
    Single,
}

impl DepthStorage {
    /// The stored bits of a depth that is given as float bits. They are in the order of the depths.
    ///
    /// Fractions clamp to 0..1. For floats, negative values and NaN become 0. Unverified: floats round to nearest,
    /// ties to even; singles are stored as they are, above 1 too.
    #[must_use]
    pub fn encode(self, depth: u32) -> u32 {
        match self {
            Self::Fraction(bits) => fragment::float_to_unorm(depth, bits.into()),
            // Bits above infinity are negative values and NaN; bits below 2^23 are denormals.
            Self::Float24 if (0x0080_0000..=0x7f80_0000).contains(&depth) => (depth + 0x3f + (depth >> 7 & 1)) >> 7,
            Self::Float24 => 0,
            Self::Half | Self::Single if depth > 0x7f80_0000 => 0,
            Self::Half => fragment::half_bits_from(depth).into(),
            Self::Single => depth,
        }
    }
}

impl ZetaFormat {
    /// How depth is stored (`CONTROL0` bit 12 selects floats).
    #[must_use]
    pub const fn depth_storage(self, is_float: bool) -> DepthStorage {
        match (self, is_float) {
            (Self::Z16, false) => DepthStorage::Fraction(16),
            (Self::Z16, true) => DepthStorage::Half,
            (Self::Z24S8 | Self::X8Z24 | Self::S8Z24, false) => DepthStorage::Fraction(24),
            (Self::Z24S8 | Self::X8Z24 | Self::S8Z24, true) => DepthStorage::Float24,
            (Self::Z32F | Self::Z32FS8, _) => DepthStorage::Single,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_that_every_storage_holds() {
        let storages = [
            DepthStorage::Fraction(16),
            DepthStorage::Fraction(24),
            DepthStorage::Float24,
            DepthStorage::Half,
            DepthStorage::Single,
        ];
        let encode = |depth: f32| storages.map(|storage| storage.encode(depth.to_bits()));
        assert_eq!(encode(0.0), [0; 5]);
        assert_eq!(encode(-1.0), [0; 5]);
        assert_eq!(encode(f32::NAN), [0; 5]);
        assert_eq!(encode(1.0), [0xffff, 0xff_ffff, 0x7f_0000, 0x3c00, 0x3f80_0000]);
        // A half: 1/2 rounds up to the next fraction; exponents 126 and 14.
        assert_eq!(encode(0.5), [0x8000, 0x80_0000, 0x7e_0000, 0x3800, 0x3f00_0000]);
        assert_eq!(encode(2.0), [0xffff, 0xff_ffff, 0x80_0000, 0x4000, 0x4000_0000]);
        assert_eq!(encode(f32::INFINITY), [0xffff, 0xff_ffff, 0xff_0000, 0x7c00, 0x7f80_0000]);
    }

    #[test]
    fn floats_round_to_the_nearest() {
        let encode = |bits| DepthStorage::Float24.encode(bits);
        assert_eq!(encode(0x3f80_0040), 0x7f_0000, "a tie, even below");
        assert_eq!(encode(0x3f80_00c0), 0x7f_0002, "a tie, even above");
        assert_eq!(encode(0x3f80_0041), 0x7f_0001);
        assert_eq!(encode(0x3fff_ffff), 0x80_0000, "the carry reaches the exponent");
        assert_eq!(encode(0x007f_ffff), 0, "denormals are zeros");
        // Every 24-bit number is preserved.
        for bits in (0x1_0000..0xff_0000u32).step_by(251) {
            assert_eq!(encode(bits << 7), bits);
        }
    }

    #[test]
    fn the_order_of_depths_is_kept() {
        for storage in [DepthStorage::Fraction(24), DepthStorage::Float24, DepthStorage::Half, DepthStorage::Single] {
            let mut last = 0;
            for bits in (0..0x4000_0000u32).step_by(12_345) {
                let encoded = storage.encode(bits);
                assert!(encoded >= last, "{storage:?} {bits:#x}");
                last = encoded;
            }
        }
    }
}
