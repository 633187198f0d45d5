//! PK and UP: packs several small numbers into the 32 bits of one component, and unpacks them.

use super::convert::{float_to_unorm, unorm_to_float};
use super::round::{half_bits_from, half_bits_to};
use super::scalar::{add, is_less, mul, pow, saturate, sub};
use crate::arith::{FRACTION, MIN_NORMAL, SIGN, exponent_of, is_nan, is_zero};

/// 2.4, the exponent of the sRGB curve, and its inverse.
const GAMMA: [u32; 2] = [0x4019_999a, 0x3ed5_5555];
/// 12.92, the slope of the curve's linear part, and its inverse.
const SLOPE: [u32; 2] = [0x414e_b852, 0x3d9e_8391];
/// 1.055, the factor of the curve's power part, and its inverse.
const FACTOR: [u32; 2] = [0x3f87_0a3d, 0x3f72_a76e];
/// 0.055, the amount by which the factor exceeds one.
const OFFSET: u32 = 0x3d61_47ae;
/// Where the two parts meet: 0.0031308 in linear light, 0.04045 encoded.
const KNEE: [u32; 2] = [0x3b4d_2e1c, 0x3d25_aee6];

/// Four equal components.
const fn replicated(word: u32) -> [u32; 4] {
    [word; 4]
}

fn packed_bytes(bytes: [u32; 4]) -> [u32; 4] {
    replicated(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24)
}

fn unpacked_bytes(word: u32) -> [u32; 4] {
    word.to_le_bytes().map(u32::from)
}

/// Two halves: x in the low, y in the high 16 bits, in every component.
#[must_use]
pub fn pk2h(a: [u32; 4]) -> [u32; 4] {
    replicated(u32::from(half_bits_from(a[0])) | u32::from(half_bits_from(a[1])) << 16)
}

/// The two halves of x as (x, y, x, y).
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the two halves of a word")]
pub fn up2h(a: [u32; 4]) -> [u32; 4] {
    let (low, high) = (half_bits_to(a[0] as u16), half_bits_to((a[0] >> 16) as u16));
    [low, high, low, high]
}

/// Two unsigned normalized 16-bit numbers.
#[must_use]
pub fn pk2us(a: [u32; 4]) -> [u32; 4] {
    replicated(float_to_unorm(a[0], 16) | float_to_unorm(a[1], 16) << 16)
}

/// The two unsigned normalized 16-bit numbers of x as (x, y, x, y).
#[must_use]
pub fn up2us(a: [u32; 4]) -> [u32; 4] {
    let (low, high) = (unorm_to_float(a[0] & 0xffff, 16), unorm_to_float(a[0] >> 16, 16));
    [low, high, low, high]
}

/// Four unsigned normalized bytes, x lowest.
#[must_use]
pub fn pk4ub(a: [u32; 4]) -> [u32; 4] {
    packed_bytes(a.map(|component| float_to_unorm(component, 8)))
}

/// The four unsigned normalized bytes of x.
#[must_use]
pub fn up4ub(a: [u32; 4]) -> [u32; 4] {
    unpacked_bytes(a[0]).map(|byte| unorm_to_float(byte, 8))
}

/// Four signed bytes with a bias: ⌊127·v + ½⌋ + 128, clamped; NaN gives 128.
#[must_use]
pub fn pk4b(a: [u32; 4]) -> [u32; 4] {
    packed_bytes(a.map(biased_byte))
}

fn biased_byte(a: u32) -> u32 {
    let exponent = exponent_of(a);
    let is_negative = a & SIGN != 0;
    if is_nan(a) || is_zero(a) {
        return 128;
    }
    if exponent >= 128 {
        return if is_negative { 0 } else { 255 };
    }
    let product = (a & FRACTION | MIN_NORMAL).cast_signed() * 127;
    let product = if is_negative { -product } else { product };
    // Keeps one bit more than the result, then rounds without overflow.
    let doubled = product >> (149 - exponent).min(31);
    (((doubled + 1) >> 1).clamp(-128, 127) + 128).cast_unsigned()
}

/// The four biased signed bytes of x: (byte − 128)/127.
#[must_use]
pub fn up4b(a: [u32; 4]) -> [u32; 4] {
    unpacked_bytes(a[0]).map(|byte| match byte {
        0 => 0xbf81_0204,
        1..128 => SIGN | unorm_to_float(128 - byte, 7),
        _ => unorm_to_float(byte - 128, 7),
    })
}

/// Four unsigned normalized bytes, encoded with the sRGB curve. Unverified: the curve.
#[must_use]
pub fn pk4ubg(a: [u32; 4]) -> [u32; 4] {
    packed_bytes(a.map(|component| float_to_unorm(encoded(saturate(component)), 8)))
}

fn encoded(linear: u32) -> u32 {
    if is_less(KNEE[0], linear) { sub(mul(FACTOR[0], pow(linear, GAMMA[1])), OFFSET) } else { mul(linear, SLOPE[0]) }
}

/// The four sRGB-encoded bytes of x in linear light. Unverified: the curve.
#[must_use]
pub fn up4ubg(a: [u32; 4]) -> [u32; 4] {
    up4ub(a).map(|byte| {
        if is_less(KNEE[1], byte) { pow(mul(add(byte, OFFSET), FACTOR[1]), GAMMA[0]) } else { mul(byte, SLOPE[1]) }
    })
}
