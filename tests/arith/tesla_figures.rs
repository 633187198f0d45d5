//! Measures the errors of Tesla's special functions over every argument that they tell apart.
//!
//! The figures are those of E. Lindholm, J. Nickolls, S. Oberman, J. Montrym: "NVIDIA Tesla: A Unified Graphics and
//! Computing Architecture", IEEE Micro 28(2), 2008, table 2.

use std::f64::consts::FRAC_PI_2;

use curie::arith::tesla::special;

/// The errors of a function.
#[derive(Debug)]
struct Figures {
    /// The largest error.
    largest: f64,
    /// The same in units of the last place of the exact result.
    largest_ulp: f64,
    /// The share of results that are the exact ones, rounded to nearest, in percent.
    exact: f64,
    /// Whether no result is on the wrong side of its predecessor.
    is_monotonic: bool,
}

impl Figures {
    /// The number of correct binary places.
    fn good_bits(&self) -> f64 {
        -self.largest.log2()
    }
}

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// Measures a function over arguments in their order: `results` has the result and the exact one.
#[expect(clippy::cast_possible_truncation, reason = "the exact result is rounded")]
fn measure(results: impl Iterator<Item = (u32, f64)>) -> Figures {
    let (mut largest, mut largest_ulp) = (0.0f64, 0.0f64);
    let (mut count, mut exact_count) = (0u32, 0u32);
    let (mut rises, mut falls) = (false, false);
    let mut previous = None;
    for (result, exact) in results {
        let error = (value(result) - exact).abs();
        largest = largest.max(error);
        if exact != 0.0 {
            let exponent = exact.to_bits() >> 52 & 0x7ff;
            largest_ulp = largest_ulp.max(error / f64::from_bits((exponent - 23) << 52));
        }
        count += 1;
        exact_count += u32::from(result == (exact as f32).to_bits());
        let change = value(result) - previous.unwrap_or(value(result));
        rises |= change > 0.0;
        falls |= change < 0.0;
        previous = Some(value(result));
    }
    let exact = 100.0 * f64::from(exact_count) / f64::from(count);
    Figures { largest, largest_ulp, exact, is_monotonic: !(rises && falls) }
}

/// Floats by their bits.
fn floats(range: impl Iterator<Item = u32>, function: fn(u32) -> u32, exact: fn(f64) -> f64) -> Figures {
    measure(range.map(|bits| (function(bits), exact(value(bits)))))
}

/// Every operand of 23 fraction bits from 0 up to 1.
fn fractions(function: fn(u32) -> u32, exact: fn(f64) -> f64) -> Figures {
    measure((0..1u32 << 23).map(|bits| (function(bits), exact(f64::from(bits) / f64::from(1 << 23)))))
}

#[track_caller]
fn assert_near(name: &str, found: f64, published: f64, tolerance: f64) {
    assert!((found - published).abs() <= tolerance, "{name}: {found} against {published}");
}

const ONE: u32 = 0x3f80_0000;

#[test]
fn reciprocals() {
    let figures = floats(ONE..ONE + (1 << 23), special::reciprocal, f64::recip);
    println!("1/x: {:.2} good bits, {figures:?}", figures.good_bits());
    assert_near("1/x, good bits", figures.good_bits(), 24.02, 0.03);
    assert_near("1/x, ulp", figures.largest_ulp, 0.98, 0.01);
    assert_near("1/x, exact %", figures.exact, 87.0, 0.5);
    assert!(figures.is_monotonic);
}

#[test]
fn reciprocal_square_roots() {
    let figures = floats(ONE..ONE + (2 << 23), special::reciprocal_square_root, |x| x.sqrt().recip());
    println!("1/sqrt x: {:.2} good bits, {figures:?}", figures.good_bits());
    assert_near("1/sqrt x, good bits", figures.good_bits(), 23.40, 0.01);
    assert_near("1/sqrt x, ulp", figures.largest_ulp, 1.52, 0.01);
    assert_near("1/sqrt x, exact %", figures.exact, 78.0, 0.5);
    assert!(figures.is_monotonic);
}

#[test]
fn powers() {
    let figures = fractions(special::exp2, f64::exp2);
    println!("2^x: {:.2} good bits, {figures:?}", figures.good_bits());
    assert_near("2^x, good bits", figures.good_bits(), 22.51, 0.02);
    assert_near("2^x, ulp", figures.largest_ulp, 1.41, 0.02);
    assert!(figures.is_monotonic);
    // The share depends on how often small arguments occur, whose results are exact: here, floats from 2⁻⁶ to 1.
    let power = |x| special::exp2(special::prepare_exponential(x));
    let figures = floats((0x3c80_0000..ONE).step_by(31), power, f64::exp2);
    println!("2^x of floats: {:.2} good bits, {figures:?}", figures.good_bits());
    assert_near("2^x, exact %", figures.exact, 74.0, 2.5);
}

#[test]
fn logarithms() {
    let figures = floats(ONE..ONE + (1 << 23), special::log2, f64::log2);
    println!("log2 x: {:.2} good bits, {figures:?}", figures.good_bits());
    assert_near("log2 x, good bits", figures.good_bits(), 22.57, 0.02);
    assert!(figures.is_monotonic);
}

#[test]
fn sines() {
    let sine = fractions(special::sine, |x| (x * FRAC_PI_2).sin());
    println!("sin: {:.2} good bits, {sine:?}", sine.good_bits());
    assert_near("sin, good bits", sine.good_bits(), 22.47, 0.1);
    // Falling quarters take the complement of the argument instead of its difference from 1, which adds an error of
    // 2⁻²³·π/2. The paper's figure leaves it out, as it does the errors of the reduction.
    let cosine = fractions(special::cosine, |x| (x * FRAC_PI_2).cos());
    println!("cos with complements: {:.2} good bits", cosine.good_bits());
    assert!((21.4..21.6).contains(&cosine.good_bits()), "{}", cosine.good_bits());
    // Floats from 2⁻⁶ to π/2.
    let floats = (0x3c80_0000..0x3fc9_0fdb).step_by(31);
    let reduced = measure(floats.map(|x| (special::sine(special::prepare_sine(x)), value(x).sin())));
    println!("sin with reduction: {:.2} good bits", reduced.good_bits());
    assert!((21.4..21.8).contains(&reduced.good_bits()), "{}", reduced.good_bits());
    assert!(!reduced.is_monotonic);
}
