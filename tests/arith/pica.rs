//! Compares the PICA200's arithmetic on the adapter with its Rust twin over 24-bit floats, and bounds its errors.

use curie::arith::fragment;
use curie::arith::pica::{self, F24};

use super::cases::{CASES, f24_cases};
use super::functions::pica_rows;
use super::operations::{ROWS_PER_KERNEL, differences};
use super::rows::{Row, Twin};
use crate::common;

#[test]
fn functions_agree_over_pairs() {
    let Some(gpu) = common::gpu() else { return };
    let cases = f24_cases(CASES);
    for rows in pica_rows().chunks(ROWS_PER_KERNEL) {
        let found = differences(&gpu, rows, &cases);
        assert!(found.is_empty(), "{found:08x?}");
    }
}

/// The functions of one component.
fn unary_rows() -> Vec<Row> {
    let is_unary = |row: &Row| match row.twin {
        Twin::Vertex { function, .. } => function.source_count() == 1 && function.name != "pica_litp",
        _ => true,
    };
    pica_rows().into_iter().filter(is_unary).collect()
}

#[test]
fn functions_of_one_component_agree_over_all_values() {
    let Some(gpu) = common::gpu() else { return };
    let rows = unary_rows();
    assert_eq!(rows.len(), 6, "FLR, RCP, RSQ, EX2, LG2 and the address");
    for chunk in 0..16 {
        let lanes = |case: u32| [0, 1, 2, 3].map(|lane| F24.decode(chunk << 20 | case << 2 | lane));
        let cases: Vec<_> = (0..1 << 18).map(|case| [lanes(case), [0; 4], [0; 4]]).collect();
        for rows in rows.chunks(ROWS_PER_KERNEL) {
            let found = differences(&gpu, rows, &cases);
            assert!(found.is_empty(), "{found:08x?}");
        }
    }
}

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// All positive normal values.
fn normal_values() -> impl Iterator<Item = u32> {
    (0x01_0000..0x7f_0000).map(|raw| F24.decode(raw))
}

/// The range of relative errors, where the result neither overflows nor underflows.
fn errors(arguments: impl Iterator<Item = u32>, function: fn(u32) -> u32, exact: fn(f64) -> f64) -> (f64, f64) {
    let mut range = (0.0f64, 0.0f64);
    for argument in arguments {
        let exact = exact(value(argument));
        let found = function(argument);
        if exact.abs() < 2f64.powi(-62) {
            // The steps before the truncation may reach the least number.
            assert!(found == 0 || found == 0x2080_0000, "{argument:08x}: {found:08x}");
        } else if exact.abs() >= 2f64.powi(64) {
            assert!(found == 0x7f80_0000 || found == 0x5f7f_ff80, "{argument:08x}: {found:08x}");
        } else {
            let error = value(found) / exact - 1.0;
            range = (range.0.min(error), range.1.max(error));
        }
    }
    range
}

/// Truncation loses less than 2⁻¹⁶; the steps before it are good to 2⁻²¹·⁷.
const MIN_ERROR: f64 = -1.0 / 65536.0 - 3e-7;
const GREATEST_ERROR: f64 = 3e-7;

#[test]
fn reciprocals_are_truncated() {
    for (low, high) in
        [errors(normal_values(), pica::rcp, f64::recip), errors(normal_values(), pica::rsq, |a| a.sqrt().recip())]
    {
        assert!(low > MIN_ERROR && high < GREATEST_ERROR, "{low:e} {high:e}");
        // The truncation shows.
        assert!(low < -0.9 / 65536.0, "{low:e}");
    }
}

#[test]
fn powers_are_truncated() {
    let negative = normal_values().map(|a| a | 0x8000_0000);
    let (low, high) = errors(normal_values().chain(negative), pica::ex2, f64::exp2);
    assert!(low > MIN_ERROR && high < GREATEST_ERROR && low < -0.9 / 65536.0, "{low:e} {high:e}");
}

#[test]
fn logarithms_are_good_to_22_places_and_truncated() {
    let mut largest = 0.0f64;
    for argument in normal_values() {
        let exact = value(argument).log2();
        let found = value(pica::lg2(argument));
        // Truncation moves toward zero by less than one part in 2¹⁶.
        let beyond = (exact.abs() - found.abs() - exact.abs() / 65536.0).max(found.abs() - exact.abs());
        assert!(exact * found >= 0.0, "{argument:08x}");
        largest = largest.max(beyond);
    }
    assert!(largest < 2f64.powf(-21.5), "2^{}", largest.log2());
}

#[test]
fn powers_of_two_are_exact() {
    for exponent in -62..=63 {
        let power = 2f32.powi(exponent).to_bits();
        let whole = fragment::int_to_float(exponent);
        assert_eq!(pica::lg2(power), whole, "{exponent}");
        assert_eq!(pica::ex2(whole), power, "{exponent}");
        assert_eq!(pica::rcp(power), if exponent == 63 { 0 } else { 2f32.powi(-exponent).to_bits() }, "{exponent}");
        if exponent % 2 == 0 {
            assert_eq!(pica::rsq(power), 2f32.powi(-exponent / 2).to_bits(), "{exponent}");
        }
    }
}

/// The offsets of azahar's test of indexed constants: a whole number and up to 16/17 more.
#[test]
fn addresses_drop_the_fraction() {
    for index in 0..96u8 {
        let offset = f32::from(index) + f32::from(index % 17) / 17.0;
        let held = pica::from_single(offset.to_bits());
        assert_eq!(pica::address(held), i32::from(index), "{offset}");
        assert_eq!(pica::address(held ^ 0x8000_0000), -i32::from(index), "{offset}");
    }
}

/// A number truncated to 17 significant bits after it is rounded to 24; exact in between, and within the range.
fn stepped(exact: f64) -> u32 {
    let bits = exact.abs().to_bits();
    // 29 bits of a double are beyond a single; ties go to even.
    let rounded = (bits + 0x0fff_ffff + (bits >> 29 & 1)) >> 29;
    let exponent = i64::try_from(rounded >> 23).expect("eleven bits") - 1023;
    let fraction = u32::try_from(rounded & 0x7f_ff80).expect("23 bits");
    let sign = u32::from(exact < 0.0) << 31;
    match exponent {
        ..-62 => 0,
        -62..64 => sign | u32::try_from(exponent + 127).expect("positive") << 23 | fraction,
        _ => sign | 0x7f80_0000,
    }
}

#[test]
fn products_and_sums_are_rounded_then_truncated() {
    let mut counts = [0; 2];
    for [a, b, _] in f24_cases(CASES) {
        for (a, b) in a.into_iter().zip(b) {
            let is_normal = |bits: u32| (0x2080_0000..0x7f80_0000).contains(&(bits & 0x7fff_ffff));
            if !is_normal(a) || !is_normal(b) {
                continue;
            }
            assert_eq!(pica::mul(a, b), stepped(value(a) * value(b)), "{a:08x} × {b:08x}");
            counts[0] += 1;
            // A double holds sums whose exponents differ by less than 35.
            let distance = (a >> 23 & 0xff).abs_diff(b >> 23 & 0xff);
            if distance < 35 {
                assert_eq!(pica::add(a, b), stepped(value(a) + value(b)), "{a:08x} + {b:08x}");
                counts[1] += 1;
            }
        }
    }
    assert!(counts[0] > CASES && counts[1] > CASES / 2, "{counts:?}");
}

#[test]
fn sums_of_products_are_trees() {
    // 2¹⁶ + 1 + −2¹⁶ + 1: pairs keep the ones, since 2¹⁶ + 1 has 17 bits; 2¹⁷ + 1 loses it.
    let [one, big, bigger] = [1.0f32, 65536.0, 131_072.0].map(f32::to_bits);
    let negative = |bits: u32| bits ^ 0x8000_0000;
    let ones = [one; 4];
    assert_eq!(pica::dp4([big, one, negative(big), one], ones), 2f32.to_bits());
    assert_eq!(pica::dp4([bigger, one, negative(bigger), one], ones), one);
    assert_eq!(pica::dp4([bigger, negative(bigger), one, one], ones), 2f32.to_bits());
    assert_eq!(pica::dp3([bigger, negative(bigger), one, one], ones), one);
    assert_eq!(pica::dp3([bigger, one, negative(bigger), one], ones), 0);
    assert_eq!(pica::mad(bigger, one, one), bigger);
}
