//! Checks fragment arithmetic against independent computations: integers, exact rationals, and exhaustive tables.
#![expect(clippy::cast_possible_truncation, reason = "exact values are rounded on purpose")]

use super::*;
use crate::arith::{INFINITY, MIN_NORMAL, MINUS_ONE, NAN, ONE, SIGN, exponent_of, is_zero};
use crate::arith::{Precision, Scale};

const MINUS_INFINITY: u32 = SIGN | INFINITY;

/// Pseudorandom words by xorshift64* from a fixed seed.
fn random_words(count: usize) -> Vec<u32> {
    let mut state = 0x6800_6800u64;
    let next = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    };
    std::iter::repeat_with(next).take(count).collect()
}

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// The product computed with integers only: 48 bits, rounded to 24 with an unbounded exponent.
fn product_by_integers(a: u32, b: u32) -> u32 {
    let significand = |x: u32| u64::from(x & 0x7f_ffff | MIN_NORMAL);
    let sign = (a ^ b) & SIGN;
    if is_zero(a) || is_zero(b) {
        return sign;
    }
    let product = significand(a) * significand(b);
    let length = 64 - product.leading_zeros();
    let shift = length - 24;
    let rest = product & ((1 << shift) - 1);
    let mut kept = product >> shift;
    let half = 1 << (shift - 1);
    if rest > half || rest == half && kept & 1 == 1 {
        kept += 1;
    }
    let mut exponent = exponent_of(a) + exponent_of(b) - 150 + shift as i32;
    if kept == 1 << 24 {
        kept >>= 1;
        exponent += 1;
    }
    match exponent {
        ..=0 => sign,
        255.. => sign | INFINITY,
        _ => sign | exponent.cast_unsigned() << 23 | kept as u32 & 0x7f_ffff,
    }
}

#[test]
fn products_equal_those_of_integers() {
    for words in random_words(400_000).chunks_exact(2) {
        // Half of the pairs have products around 2⁻¹²⁶, where the flush decides.
        let a = words[0];
        let near = 127u32.wrapping_sub(a >> 23 & 0xff).wrapping_add(words[1] % 3).wrapping_sub(1);
        let b = if words[1] & 8 == 0 { words[1] } else { words[1] & 0x807f_ffff | (near & 0xff) << 23 };
        if exponent_of(a) != 255 && exponent_of(b) != 255 {
            assert_eq!(mul(a, b), product_by_integers(a, b), "{a:08x} {b:08x}");
        }
    }
}

#[test]
fn products_are_flushed_after_rounding() {
    // 0x3f7fffff · 2⁻¹²⁶ is exactly 2⁻¹²⁶ − 2⁻¹⁵⁰: below the least normal number.
    assert_eq!(mul(0x3f7f_ffff, MIN_NORMAL), 0);
    assert_eq!(mul(0xbf7f_ffff, MIN_NORMAL), SIGN);
    // (1 + 2⁻²³)·(1 − 2⁻²³) = 1 − 2⁻⁴⁶ rounds to 1 before the flush is decided.
    assert_eq!(mul(0x3f80_0001, 0x007f_fffe | MIN_NORMAL), product_by_integers(0x3f80_0001, 0x00ff_fffe));
    assert_eq!(mul(0x2000_0001, 0x1fff_fffe), MIN_NORMAL, "2^-126 - 2^-172 rounds up to the least normal number");
}

#[test]
fn sums_equal_those_of_double_precision() {
    for words in random_words(400_000).chunks_exact(2) {
        let a = words[0];
        let shifted = (a >> 23 & 0xff).wrapping_add(words[1] % 9).wrapping_sub(4) & 0xff;
        let b = if words[1] & 16 == 0 { words[1] } else { words[1] & 0x807f_ffff | shifted << 23 };
        if exponent_of(a) == 255 || exponent_of(b) == 255 {
            continue;
        }
        let [a, b] = [flush(a), flush(b)];
        let gap = (exponent_of(a) - exponent_of(b)).abs();
        let greater = if a & !SIGN > b & !SIGN { a } else { b };
        // Up to an exponent gap of 28 the sum is exact in double precision; beyond, the lesser is under an eighth
        // of a unit.
        let expected = if gap <= 28 { ((value(a) + value(b)) as f32).to_bits() } else { greater };
        assert_eq!(add(a, b), flush(expected), "{a:08x} {b:08x}");
    }
    assert_eq!([add(INFINITY, MINUS_INFINITY), add(0x7fc0_0000, ONE), mul(0, INFINITY)], [NAN; 3]);
    assert_eq!([add(SIGN, SIGN), add(SIGN, 0), add(0x0080_0001, 0x8080_0000)], [SIGN, 0, 0]);
}

#[test]
fn denormals_are_zeros_of_their_sign() {
    assert_eq!([add(1, 0), add(SIGN | 1, SIGN | 1), mul(0x007f_ffff, 0x7f00_0000)], [0, SIGN, 0]);
    assert!(is_equal(0x007f_ffff, SIGN));
    assert_eq!(rcp(SIGN | 5), MINUS_INFINITY);
}

#[test]
fn comparisons_with_nan_are_false() {
    assert_eq!([slt, sge, sle, sgt, seq].map(|op| op(NAN, ONE)), [0; 5]);
    assert_eq!(sne(NAN, NAN), ONE);
    assert_eq!([min(ONE, MINUS_ONE), max(ONE, MINUS_ONE), min(NAN, ONE)], [MINUS_ONE, ONE, NAN]);
    assert_eq!([saturate(NAN), saturate(MINUS_ONE), saturate(INFINITY)], [0, 0, ONE]);
}

#[test]
fn every_half_is_its_arithmetic_value() {
    for half in 0..=u16::MAX {
        let (exponent, fraction) = (i32::from(half >> 10 & 31), f64::from(half & 0x3ff));
        let magnitude = match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if fraction != 0.0 => {
                assert_eq!(half_bits_to(half), NAN);
                continue;
            }
            31 => f64::INFINITY,
            _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
        };
        let expected = if half >> 15 == 0 { magnitude } else { -magnitude };
        assert_eq!(value(half_bits_to(half)).to_bits(), expected.to_bits(), "{half:04x}");
        assert_eq!(half_bits_from(half_bits_to(half)), half);
    }
}

#[test]
fn halves_are_the_nearest() {
    for word in random_words(200_000) {
        // Magnitudes from 2⁻²⁷ to 2¹⁶.
        let a = word % 0x1580_0000 + 0x3200_0000;
        let half = half_bits_from(a);
        // 65536 stands for infinity: it would be the next value after 65504.
        let at = |half: u16| if half == 0x7c00 { 65536.0 } else { value(half_bits_to(half)) };
        let distance = (at(half) - value(a)).abs();
        for other in [half.saturating_sub(1), (half + 1).min(0x7c00)] {
            let competing = (at(other) - value(a)).abs();
            assert!(distance < competing || half == other || distance == competing && half & 1 == 0, "{a:08x}");
        }
    }
    assert_eq!([half_bits_from(0x477f_efff), half_bits_from(0x477f_f000)], [0x7bff, 0x7c00], "65520 is infinite");
    assert_eq!([half_bits_from(NAN), half_bits_from(SIGN), half_bits_from(0x3300_0000)], [0x7fff, 0x8000, 0]);
}

#[test]
fn normalized_integers_are_exact_rationals() {
    for (index, word) in random_words(200_000).into_iter().enumerate() {
        let bits = index as u32 % 24 + 1;
        let most = (1i128 << bits) - 1;
        let a = word % (ONE + 1);
        // v·2¹⁴⁹ is an integer; ⌊v·most + ½⌋ = ⌊(2·v·most + 1)/2⌋.
        let scaled = if is_zero(a) { 0 } else { i128::from(a & 0x7f_ffff | MIN_NORMAL) };
        let shift = 150 - exponent_of(a);
        let expected = if shift > 90 { 0 } else { (2 * scaled * most + (1 << shift)) >> (shift + 1) };
        assert_eq!(i128::from(float_to_unorm(a, bits)), expected, "{a:08x} {bits}");
    }
    assert_eq!([NAN, MINUS_ONE, INFINITY, 0x3f00_0000].map(|a| float_to_unorm(a, 8)), [0, 0, 255, 128]);
}

#[test]
fn normalized_integers_read_back_are_correctly_rounded() {
    for bits in 1..=24u32 {
        let most = (1u32 << bits) - 1;
        for sample in random_words(3000).into_iter().chain([0, 1, most - most / 2, most]) {
            let v = sample & most;
            let a = unorm_to_float(v, bits);
            if v == 0 {
                assert_eq!(a, 0);
                continue;
            }
            // |a − v/most| ≤ half a unit of a, all times most·2^(150 − exponent).
            let shift = 150 - exponent_of(a);
            let significand = i128::from(a & 0x7f_ffff | MIN_NORMAL);
            let difference = (significand * i128::from(most) - (i128::from(v) << shift)).abs();
            assert!(2 * difference <= i128::from(most), "{v} of {bits} bits");
        }
    }
    assert_eq!(unorm_to_float(255, 8), ONE);
}

#[test]
fn integers_round_and_saturate() {
    let bits = |values: [f32; 7]| values.map(f32::to_bits);
    let floors = bits([1.5, -1.5, -0.0, 3e9, -3e9, -1e-30, 8_388_609.0]).map(float_to_int_floor);
    assert_eq!(floors, [1, -2, 0, i32::MAX, i32::MIN, -1, 8_388_609]);
    let fixed = bits([0.5, -0.5, 0.03125, -0.03125, 1e9, 0.031, f32::NAN]).map(|a| float_to_fixed(a, 4));
    assert_eq!(fixed, [8, -8, 1, 0, i32::MAX, 0, 0], "halves round up");
    assert_eq!(int_to_float(16_777_217), 0x4b80_0000, "to even");
}

#[test]
fn fixed_point_precisions_clamp_and_round() {
    let bits = |values: [f32; 6]| values.map(f32::to_bits);
    let rounded = bits([5.0, -5.0, 0.0004, 0.0006, -0.0001, f32::NAN]).map(round_to_fx12);
    assert_eq!(rounded, bits([2047.0 / 1024.0, -2.0, 0.0, 1.0 / 1024.0, 0.0, 0.0]));
    assert_eq!(round_to_fx12((1.5f32 / 1024.0).to_bits()), (2.0f32 / 1024.0).to_bits(), "to even");
    assert_eq!([round_to_fx9(ONE), round_to_fx9(MINUS_ONE)], [0x3f7f_0000, MINUS_ONE]);
    assert_eq!(clamp_fx12(0x4040_0000), (2047.0f32 / 1024.0).to_bits());
    assert_eq!(round_to_precision(0x3f80_0001, Precision::Fp16), ONE);
}

#[test]
fn scales_are_powers_of_two() {
    assert_eq!(scale(0x3fc0_0000, Scale::Eight), 0x4140_0000);
    assert_eq!([scale(MIN_NORMAL | SIGN, Scale::Half), scale(0x7f00_0000, Scale::Two)], [SIGN, INFINITY]);
    assert_eq!([scale(MINUS_INFINITY, Scale::Eighth), scale(0x7f80_0001, Scale::One)], [MINUS_INFINITY, NAN]);
}

#[test]
fn vectors_are_composed_in_order() {
    let v = |values: [f32; 4]| values.map(f32::to_bits);
    assert_eq!(dp4(v([1.0, 2.0, 3.0, 4.0]), v([5.0, 6.0, 7.0, 8.0])), 70.0f32.to_bits());
    // Left to right: (1e8 + 1) − 1e8 loses the one.
    assert_eq!(dp3(v([1e8, 1.0, -1e8, 0.0]), [ONE; 4]), 0);
    assert_eq!(rfl(v([0.0, 2.0, 0.0, 0.0]), v([1.0, 1.0, 0.0, 0.0]))[..2], v([-1.0, 1.0, 0.0, 0.0])[..2]);
    assert_eq!(nrm(v([0.0, 4.0, 0.0, 9.0])), v([0.0, 1.0, 0.0, 0.0]));
    assert_eq!(lrp(0.25f32.to_bits(), 8.0f32.to_bits(), 4.0f32.to_bits()), 5.0f32.to_bits());
    assert_eq!(
        x2d(v([1.0, 2.0, 0.0, 0.0]), v([2.0, 3.0, 0.0, 0.0]), v([1.0, 10.0, 100.0, 1000.0]))[..2],
        v([33.0, 3202.0, 0.0, 0.0])[..2]
    );
    // EX2 of an integer is one unit high, as in its table.
    assert_eq!(lit(v([1.0, 2.0, 0.0, 3.0])), [ONE, ONE, 0x4100_0001, ONE]);
    assert_eq!([div_sqrt(0, 0), div(ONE, 0x4080_0000), pow(0, 0)], [0, 0x3e80_0000, ONE]);
}

#[test]
fn packed_values_read_back() {
    let a = [0x3f80_0000, 0x3f00_0000, 0xbf80_0000, 0x3e80_0000];
    assert_eq!(pk2h(a)[0], 0x3800_3c00);
    assert_eq!(up2h(pk2h(a)), [a[0], a[1], a[0], a[1]]);
    assert_eq!(pk4ub(a)[0], 0x4000_80ff);
    assert_eq!(pk2us(a)[3], 0x8000_ffff);
    // ⌊127·v + ½⌋ + 128: 255, 192, 1, 160.
    assert_eq!(pk4b(a)[0], 0xa001_c0ff);
    for byte in 0..256u32 {
        let word = byte * 0x0101_0101;
        assert_eq!(pk4ub(up4ub([word; 4]))[0], word);
        assert_eq!(pk4b(up4b([word; 4]))[0], word);
        assert_eq!(pk4ubg(up4ubg([word; 4]))[0], word);
        let exact = (f64::from(byte) - 128.0) / 127.0;
        assert_eq!(up4b([word; 4])[1], (exact as f32).to_bits());
    }
}

/// Direct3D 9 wants of a pixel shader's `rcp` and `rsq`: 1 for 1, the magnitude under the root, and an absolute error of at
/// most 2⁻²² over (1, 2) and (1, 4).
#[test]
fn reciprocals_are_as_precise_as_direct3d_9_wants() {
    let largest_error = |result: fn(u32) -> u32, exact: fn(f64) -> f64, end: f32| {
        let errors = (ONE..end.to_bits()).map(|a| (value(result(a)) - exact(value(a))).abs());
        errors.fold(0.0, f64::max)
    };
    assert!(largest_error(rcp, f64::recip, 2.0) <= 2f64.powi(-25));
    assert!(largest_error(rsq, |a| a.sqrt().recip(), 4.0) <= 2f64.powi(-22));
    assert_eq!([rcp(ONE), rsq(ONE), rsq(MINUS_ONE)], [ONE; 3]);
}

/// The first result is that of a `PlayStation` 3, whose chip is of the same family (RPCS3, pull request 12450).
#[test]
fn reciprocals_are_rounded_to_nearest() {
    assert_eq!(value(rcp((1.0f32 / 65535.0).to_bits())), 65535.0);
    for fraction in 1..1 << 23 {
        let significand = u64::from(MIN_NORMAL | fraction);
        // In (2²³, 2²⁴): twice the quotient, rounded half up; no quotient is a tie.
        let nearest = (1u64 << 48) / significand;
        let nearest = nearest.div_ceil(2) as u32;
        assert_eq!(rcp(ONE | fraction), 0x3e80_0000 + nearest, "{fraction:#x}");
    }
    assert_eq!([0x7e80_0000, 0x7e80_0001, 0x0080_0000].map(rcp), [0x0080_0000, 0, 0x7e80_0000]);
}

#[test]
fn unsigned_floats_are_rounded_toward_zero() {
    let r11 = |value: f32| unsigned_float_bits_from(value.to_bits(), 6);
    assert_eq!([r11(1.0), r11(0.5), r11(0.0), r11(-1.0), r11(-0.0)], [15 << 6, 14 << 6, 0, 0, 0]);
    assert_eq!([r11(f32::INFINITY), r11(f32::NAN), r11(1e9), r11(65024.0)], [0x7c0, 0x7ff, 0x7bf, 0x7bf]);
    // 1 + 1/64, and the numbers below it and below 1 + 2/64.
    assert_eq!([1.015_625, 1.015_624_9, 1.031_249_9].map(r11), [15 << 6 | 1, 15 << 6, 15 << 6 | 1]);
    // The least number is 2⁻²⁰; what is less is zero.
    assert_eq!([2f32.powi(-20), 1.9 * 2f32.powi(-20), 1.9 * 2f32.powi(-21), 1e-40].map(r11), [1, 1, 0, 0]);
    for fraction_bits in [5, 6] {
        for bits in 0..31 << fraction_bits {
            let value = half_bits_to(u16::try_from(bits << (10 - fraction_bits)).unwrap());
            assert_eq!(unsigned_float_bits_from(value, fraction_bits), bits);
        }
    }
}
