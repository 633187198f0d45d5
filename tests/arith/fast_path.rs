//! Tests the argument of `wgsl/software/fragment_fast.wgsl`: for values that pass its test, single float operations match
//! the chip's arithmetic. The host's floats keep denormals, so a missing flush to zero is detected.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::random::Random;
use curie::arith::fragment as exact;

/// The least value that passes, doubled and minus one, as in the kernels.
fn least_wide() -> u32 {
    let source = curie::gpu::module_source("software::fragment_fast").unwrap();
    let (_, rest) = source.split_once("const MIN_WIDE: u32 = 0x").unwrap();
    u32::from_str_radix(rest.split_once("u;").unwrap().0, 16).unwrap()
}

/// A value of any magnitude, with small ones frequent.
fn any_value(random: &mut Random) -> u32 {
    let exponent = match random.below(4) {
        0 => random.below(255),
        1 => 120 + random.below(16),
        _ => random.below(30),
    };
    let fraction = match random.below(3) {
        0 => random.word() & 0x007f_ffff,
        1 => random.below(3),
        _ => 0x007f_ffff - random.below(3),
    };
    exponent << 23 | fraction | random.below(2) << 31
}

/// Counts random operation chains that deviate from the chip's arithmetic although every checked value is at least `least`.
fn differences(least: u32, seed: u64) -> u32 {
    let mut random = Random::new(seed);
    let mut wrong = 0;
    let passes = |value: u32| (value << 1).wrapping_sub(1) >= least;
    for _ in 0..40_000 {
        let mut values: Vec<u32> =
            std::iter::repeat_with(|| any_value(&mut random)).filter(|value| passes(*value)).take(4).collect();
        for _ in 0..12 {
            let [a, b, c] = [0; 3].map(|_| random.pick(&values));
            let [x, y, z] = [a, b, c].map(f32::from_bits);
            let product = (x * y).to_bits();
            let (plain, expected) = match random.below(6) {
                0 => (x + y, exact::add(a, b)),
                1 => (x - y, exact::add(a, b ^ 0x8000_0000)),
                2 if passes(product) => (x * y, exact::mul(a, b)),
                3 if passes(product) => (x * y + z, exact::mad(a, b, c)),
                4 => (x.floor(), exact::flr(a)),
                5 => (x - x.floor(), exact::frc(a)),
                _ => continue,
            };
            let is_same = plain.to_bits() == expected || plain.is_nan() && f32::from_bits(expected).is_nan();
            wrong += u32::from(!is_same);
            values.push(plain.to_bits());
        }
    }
    wrong
}

#[test]
fn what_passes_is_what_the_chip_computes() {
    for seed in 0..8 {
        assert_eq!(differences(least_wide(), seed), 0, "seed {seed}");
    }
}

#[test]
fn one_binary_place_less_would_show() {
    // 2⁻¹⁰⁴ plus one unit more of the opposite sign leaves a denormal.
    let half = least_wide() - 0x0100_0000;
    assert!((0..8).map(|seed| differences(half, seed)).sum::<u32>() > 0);
}
