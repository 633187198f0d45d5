//! The special function unit against values of chips, special arguments, and the host's functions.

use super::Random;
use crate::arith::tesla::float::negate;
use crate::arith::tesla::special::*;
use crate::arith::{INFINITY, NAN, ONE, SIGN};

const MINUS_INFINITY: u32 = SIGN | INFINITY;

fn sine_of(a: u32) -> u32 {
    sine(prepare_sine(a))
}

fn cosine_of(a: u32) -> u32 {
    cosine(prepare_sine(a))
}

fn exp2_of(a: u32) -> u32 {
    exp2(prepare_exponential(a))
}

/// Values of envytools' model, which agreed with chips.
#[test]
fn examples_have_the_values_of_the_chip() {
    let (three, ten) = (3f32.to_bits(), 10f32.to_bits());
    assert_eq!(reciprocal(0x3fc0_0000), 0x3f2a_aaab);
    assert_eq!(reciprocal_square_root(0x4000_0000), 0x3f35_04f2);
    assert_eq!(log2(three), 0x3fca_e00d);
    assert_eq!([prepare_sine(ONE), sine_of(ONE), cosine_of(ONE)], [0x0051_7cc1, 0x3f57_6aa3, 0x3f0a_5141]);
    assert_eq!([prepare_exponential(ONE), exp2_of(ONE)], [0x0080_0000, 0x4000_0000]);
    assert_eq!(exp2_of(0.1f32.to_bits()), 0x3f89_2fdf);
    assert_eq!(reciprocal_square_root((-2.5f32).to_bits()), NAN);
    assert_eq!([reciprocal(ten), reciprocal_square_root(ten), log2(ten)], [0x3dcc_cccd, 0x3ea1_e89b, 0x4054_9a78]);
    assert_eq!([sine_of(three), cosine_of(three)], [0x3e10_81bf, 0xbf7d_7025]);
}

#[test]
fn special_arguments_have_results_by_rule() {
    let arguments = [0, SIGN, 1, 0x8000_0001, INFINITY, MINUS_INFINITY, NAN, 0xff80_0001, ONE];
    let infinities = [INFINITY, MINUS_INFINITY, INFINITY, MINUS_INFINITY];
    let [a, b, c, d] = infinities;
    assert_eq!(arguments.map(reciprocal), [a, b, c, d, 0, SIGN, NAN, NAN, ONE]);
    assert_eq!(arguments.map(reciprocal_square_root), [a, b, c, d, 0, NAN, NAN, NAN, ONE]);
    let minus = MINUS_INFINITY;
    assert_eq!(arguments.map(log2), [minus, minus, minus, minus, INFINITY, NAN, NAN, NAN, 0]);
    assert_eq!(arguments.map(sine_of)[..8], [0, SIGN, 0, SIGN, NAN, NAN, NAN, NAN]);
    assert_eq!(
        arguments.map(cosine_of)[..8],
        [cosine_of(0), cosine_of(0), cosine_of(0), cosine_of(0), NAN, NAN, NAN, NAN]
    );
    assert_eq!(arguments.map(exp2_of), [ONE, ONE, ONE, ONE, INFINITY, 0, NAN, NAN, 0x4000_0000]);
    let prepared = [0x4080_0000, 0xc080_0000, 0x4000_0000, 0xc000_0000];
    assert_eq!([4, 5, 6, 7].map(|index| prepare_sine(arguments[index])), prepared);
    assert_eq!([4, 5, 6, 7].map(|index| prepare_exponential(arguments[index])), prepared);
}

#[test]
fn exponents_beyond_the_range_are_infinite_or_zero() {
    let powers = [127.5f32, 128.0, 1e30, -126.0, -126.5, -127.0, -128.0, -1e30].map(|a| exp2_of(a.to_bits()));
    assert_eq!(powers[1..3], [INFINITY; 2]);
    assert_eq!(powers[0] >> 23, 254);
    assert_eq!(powers[3..], [0x0080_0000, 0, 0, 0, 0]);
    // 2⁻¹²⁶ and less are reciprocals of numbers from 2¹²⁶ on.
    assert_eq!([0x7e80_0000, 0x7e80_0001, 0x7f7f_ffff, 0x0080_0000].map(reciprocal), [0x0080_0000, 0, 0, 0x7e80_0000]);
}

#[test]
fn powers_of_two_are_exact() {
    for exponent in -126..=127 {
        let power = 2f32.powi(exponent).to_bits();
        let whole = f32::from(i8::try_from(exponent).expect("the exponent of a float")).to_bits();
        assert_eq!(exp2_of(whole), power, "{exponent}");
        // Rows of logarithms do not begin at zero exactly, which shows below 1.
        let logarithm = if exponent < 0 { log2(power).abs_diff(whole) <= 2 } else { log2(power) == whole };
        assert!(logarithm, "{exponent}: {:08x}", log2(power));
        if exponent < 127 {
            assert_eq!(reciprocal(power), 2f32.powi(-exponent).to_bits(), "{exponent}");
        }
        if exponent % 2 == 0 {
            assert_eq!(reciprocal_square_root(power), 2f32.powi(-exponent / 2).to_bits(), "{exponent}");
        }
    }
}

#[test]
fn functions_of_any_exponent_are_close_to_the_exact_ones() {
    let value = |bits: u32| f64::from(f32::from_bits(bits));
    let mut random = Random(0x5030);
    for _ in 0..200_000 {
        let exponent = 2 + random.word() % 250;
        let a = random.float(exponent) & !SIGN;
        let relative = |found: u32, exact: f64| (value(found) / exact - 1.0).abs();
        assert!(relative(reciprocal(a), value(a).recip()) < 2f64.powf(-22.9), "1/{a:08x}");
        assert_eq!(reciprocal(negate(a)), negate(reciprocal(a)));
        assert!(relative(reciprocal_square_root(a), value(a).sqrt().recip()) < 2f64.powf(-22.3), "1/sqrt {a:08x}");
        let logarithm = value(a).log2();
        assert!(
            (value(log2(a)) - logarithm).abs() < 2f64.powf(-22.5) + logarithm.abs() * 2f64.powi(-23),
            "log2 {a:08x}"
        );
        let exponent = 100 + random.word() % 33;
        let angle = random.float(exponent);
        // The reduction is good to 2⁻²³ of a quarter turn, and to 2⁻²⁴ of the angle.
        let error = 2f64.powf(-21.4) + value(angle).abs() * 2f64.powi(-24);
        assert!((value(sine_of(angle)) - value(angle).sin()).abs() < error, "sin {angle:08x}");
        assert!((value(cosine_of(angle)) - value(angle).cos()).abs() < error, "cos {angle:08x}");
        let power = exp2_of(angle);
        assert!(relative(power, value(angle).exp2()) < 2f64.powf(-22.0), "exp2 {angle:08x}");
    }
}
