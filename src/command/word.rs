//! Builds the value of a method from its fields. Each method has its own type, so fields of two methods cannot
//! mix.

use std::ops::BitOr;

/// A value of a field.
pub trait FieldValue {
    /// The value as the bits of a field of `width` bits; `None` if it does not fit.
    fn field_bits(self, width: u32) -> Option<u32>;
}

const fn mask(width: u32) -> u32 {
    u32::MAX >> (32 - width)
}

impl FieldValue for u32 {
    fn field_bits(self, width: u32) -> Option<u32> {
        (self & !mask(width) == 0).then_some(self)
    }
}

impl FieldValue for u8 {
    fn field_bits(self, width: u32) -> Option<u32> {
        u32::from(self).field_bits(width)
    }
}

impl FieldValue for u16 {
    fn field_bits(self, width: u32) -> Option<u32> {
        u32::from(self).field_bits(width)
    }
}

impl FieldValue for bool {
    fn field_bits(self, width: u32) -> Option<u32> {
        u32::from(self).field_bits(width)
    }
}

/// Two's complement.
impl FieldValue for i32 {
    fn field_bits(self, width: u32) -> Option<u32> {
        let shift = 32 - width;
        ((self << shift) >> shift == self).then_some(self.cast_unsigned() & mask(width))
    }
}

/// The bits of an IEEE single, for fields of a whole word.
impl FieldValue for f32 {
    fn field_bits(self, width: u32) -> Option<u32> {
        self.to_bits().field_bits(width)
    }
}

/// The value of the method at `ADDRESS`, whose elements are `STRIDE` bytes apart.
///
/// The functions of the method tables create it:
///
/// ```
/// use curie::command::methods::three_d::targets::RT_HORIZ;
///
/// let word = RT_HORIZ::x(16u32) | RT_HORIZ::width(640u32);
/// assert_eq!(word.value(), Some(640 << 16 | 16));
/// assert_eq!(RT_HORIZ::width(70_000u32).value(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct MethodWord<const ADDRESS: u16, const STRIDE: u16> {
    bits: u32,
    fits: bool,
}

impl<const ADDRESS: u16, const STRIDE: u16> MethodWord<ADDRESS, STRIDE> {
    /// A word with one field.
    pub fn field(value: impl FieldValue, high: u32, low: u32) -> Self {
        let bits = value.field_bits(high - low + 1);
        Self { bits: bits.unwrap_or(0) << low, fits: bits.is_some() }
    }

    /// The value; `None` if a field was too small for its value.
    #[must_use]
    pub fn value(self) -> Option<u32> {
        self.fits.then_some(self.bits)
    }

    /// The address of the element with this index.
    #[must_use]
    pub const fn address(element: u16) -> u16 {
        ADDRESS.wrapping_add(element.wrapping_mul(STRIDE))
    }
}

impl<const ADDRESS: u16, const STRIDE: u16> BitOr for MethodWord<ADDRESS, STRIDE> {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self { bits: self.bits | other.bits, fits: self.fits && other.fits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::methods::three_d::{rop, targets, texture};

    #[test]
    fn fields_land_on_their_bits() {
        let word = targets::RT_FORMAT::color(8u32)
            | targets::RT_FORMAT::zeta(2u32)
            | targets::RT_FORMAT::layout(1u32)
            | targets::RT_FORMAT::log2_height(9u8);
        assert_eq!(word.value(), Some(0x0900_0148));
        assert_eq!((rop::COLOR_MASK::red(true) | rop::COLOR_MASK::alpha(true)).value(), Some(0x0101_0000));
    }

    #[test]
    fn numbers_that_do_not_fit_are_noticed() {
        assert_eq!((targets::RT_FORMAT::color(32u32) | targets::RT_FORMAT::zeta(1u32)).value(), None);
        assert_eq!(texture::TEX_FILTER::lod_bias_4_8(-1i32).value(), Some(0x1fff));
        assert_eq!(texture::TEX_FILTER::lod_bias_4_8(4095i32).value(), Some(0xfff));
        assert_eq!(texture::TEX_FILTER::lod_bias_4_8(4096i32).value(), None);
        assert_eq!(1.0f32.field_bits(32), Some(0x3f80_0000));
        assert_eq!(0x8000_0000u32.cast_signed().field_bits(32), Some(0x8000_0000));
    }

    #[test]
    fn elements_have_their_own_addresses() {
        assert_eq!(MethodWord::<0x1a04, 0x20>::address(3), 0x1a64);
    }
}
