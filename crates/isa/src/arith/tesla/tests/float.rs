//! Floats against exact sums and products in 128-bit integers, and against the host's.

use std::cmp::Ordering;

use super::{ROUNDINGS, Random, SPECIAL};
use crate::arith::tesla::float::*;
use crate::arith::tesla::{Comparison, Rounding};
use crate::arith::{FRACTION, INFINITY, MIN_NORMAL, NAN, ONE, SIGN, exponent_of, fragment, is_nan, is_zero};

const MINUS_INFINITY: u32 = SIGN | INFINITY;
const LARGEST: u32 = 0x7f7f_ffff;

/// The significand with its sign; denormals are zero.
fn significand(a: u32) -> i128 {
    let magnitude = if is_zero(a) { 0 } else { i128::from(a & FRACTION | MIN_NORMAL) };
    if a & SIGN == 0 { magnitude } else { -magnitude }
}

/// Rounds value · 2^(unit − 150) to a float by the host's conversions of integers: without denormals, and flushed only
/// after rounding. The value is not zero.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "the conversion rounds on purpose")]
fn rounded(value: i128, unit: i32, rounding: Rounding) -> u32 {
    let nearest = value as f32;
    let is_above = nearest as i128 > value;
    let is_below = (nearest as i128) < value;
    let float = match rounding {
        Rounding::Down if is_above => nearest.next_down(),
        Rounding::Up if is_below => nearest.next_up(),
        Rounding::TowardZero if is_above && value > 0 => nearest.next_down(),
        Rounding::TowardZero if is_below && value < 0 => nearest.next_up(),
        _ => nearest,
    };
    let sign = float.to_bits() & SIGN;
    let exponent = exponent_of(float.to_bits()) - 150 + unit;
    let is_infinite = match rounding {
        Rounding::NearestEven => true,
        Rounding::Down => value < 0,
        Rounding::Up => value > 0,
        Rounding::TowardZero => false,
    };
    match exponent {
        ..1 => sign,
        255.. if is_infinite => sign | INFINITY,
        255.. => sign | LARGEST,
        _ => sign | exponent.cast_unsigned() << 23 | float.to_bits() & FRACTION,
    }
}

/// Two terms in units of the lesser one's last place.
fn exact_sum((a, a_unit): (i128, i32), (b, b_unit): (i128, i32)) -> (i128, i32) {
    let unit = a_unit.min(b_unit);
    ((a << (a_unit - unit)) + (b << (b_unit - unit)), unit)
}

#[test]
fn sums_are_exact_and_rounded_once() {
    let mut random = Random(0x5000);
    for _ in 0..300_000 {
        let exponent = 1 + random.word() % 254;
        let near = (exponent + random.word() % 60).saturating_sub(30).clamp(1, 254);
        let a = random.float(exponent);
        let b = match random.word() % 4 {
            0 => (a ^ SIGN).wrapping_add(random.word() % 5).wrapping_sub(2),
            _ => random.float(near),
        };
        if exponent_of(b) == 255 || is_zero(b) {
            continue;
        }
        let (value, unit) = exact_sum((significand(a), exponent_of(a)), (significand(b), exponent_of(b)));
        for rounding in ROUNDINGS {
            let expected = if value == 0 { 0 } else { rounded(value, unit, rounding) };
            assert_eq!(add(a, b, rounding), expected, "{a:08x} {b:08x} {rounding:?}");
        }
    }
}

#[test]
fn products_are_exact_and_rounded_once() {
    let mut random = Random(0x5001);
    for _ in 0..300_000 {
        let [a, b] = [(); 2].map(|()| {
            let exponent = match random.word() % 3 {
                0 => 1 + random.word() % 254,
                1 => 57 + random.word() % 14,
                _ => 184 + random.word() % 14,
            };
            random.float(exponent)
        });
        let unit = exponent_of(a) + exponent_of(b) - 150;
        for rounding in ROUNDINGS {
            let expected = rounded(significand(a) * significand(b), unit, rounding);
            assert_eq!(multiply(a, b, rounding), expected, "{a:08x} {b:08x} {rounding:?}");
        }
    }
}

/// A multiply-add of normal numbers by wide integers, if the sum of its terms fits.
fn exact_multiply_add(a: u32, b: u32, c: u32) -> Option<u32> {
    let product = significand(a) * significand(b);
    let length = 128 - product.unsigned_abs().leading_zeros();
    let dropped = length - 24;
    let truncated = product / (1 << dropped);
    let unit = exponent_of(a) + exponent_of(b) - 150 + dropped.cast_signed();
    if (unit - exponent_of(c)).abs() > 100 {
        return None;
    }
    let (sum, unit) = exact_sum((truncated, unit), (significand(c), exponent_of(c)));
    if sum == 0 {
        return Some(0);
    }
    // Numbers below 2⁻¹²⁶ are rounded to multiples of 2⁻¹⁴⁹, and dropped unless they become 2⁻¹²⁶. With such a sum, the
    // unit is at most that of denormals.
    let least = 1i128 << (23 + (1 - unit).max(0));
    if unit <= 1 && sum.abs() < least {
        let sign = if sum < 0 { SIGN } else { 0 };
        let is_nearer_to_least = sum.abs() >= least - (least >> 24);
        return Some(if is_nearer_to_least { sign | MIN_NORMAL } else { sign });
    }
    Some(rounded(sum, unit, Rounding::NearestEven))
}

#[test]
fn multiply_adds_truncate_the_product() {
    let mut random = Random(0x5002);
    let mut compared = 0;
    for index in 0..600_000 {
        // Products near the third operand, also below and above the range of floats.
        let [a, b] = [(); 2].map(|()| {
            let exponent = match index % 4 {
                0 => 1 + random.word() % 254,
                1 => 1 + random.word() % 72,
                2 => 184 + random.word() % 14,
                _ => 120 + random.word() % 14,
            };
            random.float(exponent)
        });
        let product = (exponent_of(a) + exponent_of(b) - 127).clamp(1, 254).cast_unsigned();
        let near = (product + random.word() % 60).saturating_sub(30).clamp(1, 254);
        let c = match random.word() % 4 {
            0 => (multiply(a, b, Rounding::NearestEven) ^ SIGN).wrapping_add(random.word() % 5).wrapping_sub(2),
            _ => random.float(near),
        };
        if is_zero(c) || exponent_of(c) == 255 {
            continue;
        }
        if let Some(expected) = exact_multiply_add(a, b, c) {
            assert_eq!(multiply_add(a, b, c), expected, "{a:08x} {b:08x} {c:08x}");
            compared += 1;
        }
    }
    assert!(compared > 300_000, "{compared}");
}

#[test]
fn multiply_adds_below_the_range_round_before_they_are_dropped() {
    // 2⁻¹²⁶ minus a product: 2⁻¹⁵⁰ is half of the last place of denormals and rounds up to 2⁻¹²⁶, a little more does not.
    let power = |exponent: u32| (127 - exponent) << 23;
    assert_eq!(multiply_add(power(75), power(75) | SIGN, MIN_NORMAL), MIN_NORMAL);
    assert_eq!(multiply_add(power(75) | 1, power(75) | SIGN, MIN_NORMAL), 0);
    assert_eq!(multiply_add(power(75) | 1, power(75), MIN_NORMAL | SIGN), SIGN);
    let mut random = Random(0x5003);
    for _ in 0..200_000 {
        let first = 1 + random.word() % 100;
        let a = random.float(first);
        let second = (104 + random.word() % 24).saturating_sub(first).max(1);
        let b = random.float(second);
        let c = (MIN_NORMAL + random.word() % 4) | random.word() & SIGN;
        let expected = exact_multiply_add(a, b, c).expect("exponents are close");
        assert_eq!(multiply_add(a, b, c), expected, "{a:08x} {b:08x} {c:08x}");
    }
}

#[test]
fn multiply_adds_reach_beyond_the_range_in_between() {
    // 2¹²⁷ · 2 − (2¹²⁸ − 2¹⁰⁴) = 2¹⁰⁴.
    assert_eq!(multiply_add(0x7f00_0000, 0x4000_0000, LARGEST | SIGN), (127 + 104) << 23);
    // The truncated square of 1 + 2⁻²³ is 1 + 2⁻²².
    assert_eq!(multiply_add(0x3f80_0001, 0x3f80_0001, ONE | SIGN), (127 - 22) << 23);
    // (1 − 2⁻²⁴)² is truncated to 1 − 2⁻²³; the chip without a third term rounds to the same.
    assert_eq!(multiply_add(0x3f7f_ffff, 0x3f7f_ffff, ONE | SIGN), (127 - 23) << 23 | SIGN);
    // (1.5 + 2⁻²³)·(1 + 2⁻²³) is 1.5 + 2.5 units and a little more: with zero it rounds up.
    assert_eq!(multiply_add(0x3fc0_0001, 0x3f80_0001, 0), 0x3fc0_0003);
    assert_eq!(multiply_add(0x3fc0_0001, 0x3f80_0001, 0xbfc0_0000), (127 - 22) << 23);
}

#[test]
fn nearest_results_equal_those_of_the_host() {
    let mut random = Random(0x5004);
    let signed: Vec<u32> = SPECIAL.iter().flat_map(|&value| [value, value | SIGN]).collect();
    let pairs = signed.iter().flat_map(|&a| signed.iter().map(move |&b| [a, b]));
    let pairs: Vec<[u32; 2]> = pairs.chain((0..300_000).map(|_| [random.any(), random.any()])).collect();
    for [a, b] in pairs {
        assert_eq!(add(a, b, Rounding::NearestEven), fragment::add(a, b), "{a:08x} + {b:08x}");
        assert_eq!(multiply(a, b, Rounding::NearestEven), fragment::mul(a, b), "{a:08x} * {b:08x}");
        for c in [0, SIGN, 1, INFINITY, MINUS_INFINITY, NAN] {
            let is_product_finite = [a, b].iter().all(|&x| exponent_of(x) != 255);
            let expected = if is_product_finite && c & !SIGN == INFINITY { c } else { fragment::mad(a, b, c) };
            assert_eq!(multiply_add(a, b, c), expected, "{a:08x} * {b:08x} + {c:08x}");
        }
        let expected = match f32::from_bits(flush(a)).partial_cmp(&f32::from_bits(flush(b))) {
            Some(Ordering::Less) => Comparison::Less,
            Some(Ordering::Equal) => Comparison::Equal,
            Some(Ordering::Greater) => Comparison::Greater,
            None => Comparison::Unordered,
        };
        assert_eq!(compare(a, b), expected, "{a:08x} {b:08x}");
    }
}

#[test]
fn directed_sums_have_infinities_and_zeros_by_rule() {
    for rounding in ROUNDINGS {
        assert_eq!(add(SIGN, SIGN, rounding), SIGN);
        assert_eq!(add(SIGN, 0, rounding), 0);
        assert_eq!(add(ONE, ONE | SIGN, rounding), 0);
        assert_eq!(add(INFINITY, MINUS_INFINITY, rounding), NAN);
        assert_eq!(add(MINUS_INFINITY, LARGEST, rounding), MINUS_INFINITY);
        assert_eq!(multiply(INFINITY, 0x8000_0001, rounding), NAN);
        assert_eq!(multiply(INFINITY, ONE | SIGN, rounding), MINUS_INFINITY);
        assert_eq!(multiply(SIGN, ONE, rounding), SIGN);
        // The products of the least numbers are zero in every rounding.
        assert_eq!(multiply(MIN_NORMAL, MIN_NORMAL, rounding), 0);
    }
    assert_eq!(ROUNDINGS.map(|mode| add(LARGEST, LARGEST, mode)), [INFINITY, LARGEST, INFINITY, LARGEST]);
    let negative = LARGEST | SIGN;
    let expected = [MINUS_INFINITY, MINUS_INFINITY, negative, negative];
    assert_eq!(ROUNDINGS.map(|mode| multiply(negative, LARGEST, mode)), expected);
}

#[test]
fn multiply_adds_have_infinities_by_rule() {
    assert_eq!(multiply_add(INFINITY, ONE, MINUS_INFINITY), NAN);
    assert_eq!(multiply_add(INFINITY, SIGN, ONE), NAN);
    assert_eq!(multiply_add(INFINITY, ONE | SIGN, LARGEST), MINUS_INFINITY);
    // The product is finite although it exceeds the range.
    assert_eq!(multiply_add(LARGEST, LARGEST, MINUS_INFINITY), MINUS_INFINITY);
    assert_eq!(multiply_add(LARGEST, LARGEST, LARGEST | SIGN), INFINITY);
    assert_eq!(multiply_add(ONE, 0x7f80_0001, 0), NAN);
}

#[test]
fn numbers_win_over_nan_and_zeros_have_an_order() {
    assert_eq!([minimum(0, SIGN), minimum(SIGN, 0), maximum(0, SIGN), maximum(SIGN, 0)], [SIGN, SIGN, 0, 0]);
    assert_eq!([minimum(NAN, 0xffff_ffff), maximum(0x7f80_0001, NAN)], [NAN, NAN]);
    assert_eq!([minimum(0x8000_0001, 1), maximum(0x8000_0001, 1)], [SIGN, 0]);
    let mut random = Random(0x5005);
    for _ in 0..100_000 {
        let (a, b) = (random.any(), random.any());
        if is_nan(a) || is_nan(b) {
            let other = if is_nan(a) { b } else { a };
            let expected = if is_nan(other) { NAN } else { flush(other) };
            assert_eq!([minimum(a, b), maximum(a, b)], [expected; 2]);
            continue;
        }
        let [x, y] = [a, b].map(|bits| f32::from_bits(flush(bits)));
        let (low, high) = if x.total_cmp(&y).is_le() { (x, y) } else { (y, x) };
        assert_eq!([minimum(a, b), maximum(a, b)], [low.to_bits(), high.to_bits()], "{a:08x} {b:08x}");
    }
}

#[test]
fn results_are_saturated_selected_and_flagged_by_rule() {
    let saturated = [0, SIGN, ONE, 0x3f80_0001, 0x3f00_0000, 0xbf00_0000, INFINITY, MINUS_INFINITY, 0xff80_0001];
    assert_eq!(saturated.map(saturate), [0, 0, ONE, ONE, 0x3f00_0000, 0, ONE, 0, NAN]);
    let conditions = [0, SIGN, 0x8000_0001, ONE, ONE | SIGN, INFINITY, NAN];
    // Selected bits are not flushed.
    assert_eq!(conditions.map(|c| select(1, 0xffff_ffff, c)), [1, 1, 1, 1, 0xffff_ffff, 1, 0xffff_ffff]);
    assert_eq!(conditions.map(|c| float_flags(c).bits()), [1, 1, 1, 0, 2, 0, 3]);
    assert_eq!(conditions.map(|c| select_flags(c).bits()), [1, 1, 2, 0, 2, 0, 0]);
    assert_eq!([negate(NAN), absolute(MINUS_INFINITY)], [0xffff_ffff, INFINITY]);
}
