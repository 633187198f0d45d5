//! Checks documented values, error bounds against double precision, and exact products and sums.

use super::VertexRuleSet::{Nv40Legacy as Legacy, Nv40Modern as Modern};
use super::*;

const MINUS_INFINITY: u32 = SIGN | INFINITY;
const MINUS_ZERO: u32 = SIGN;
const DENORMAL: u32 = 0x0040_0000;

/// Pseudorandom words by xorshift64* from a fixed seed.
fn random_words() -> impl Iterator<Item = u32> {
    let mut state = 0x4000_0040u64;
    std::iter::repeat_with(move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    })
}

fn value(bits: u32) -> f64 {
    f64::from(f32::from_bits(bits))
}

/// The largest of 20,000 errors, as a power of two; operands are uniform between the bit patterns.
fn largest_error(low: f32, high: f32, error: impl Fn(u32) -> f64) -> f64 {
    let (low, high) = (low.to_bits(), high.to_bits());
    random_words().take(20_000).map(|word| error(low + word % (high - low))).fold(0.0, f64::max).log2()
}

fn relative(result: u32, exact: f64) -> f64 {
    ((value(result) - exact) / exact).abs()
}

#[test]
fn special_functions_are_as_exact_as_the_document_says() {
    // The bounds of section 8 of the arithmetic notes, rounded up to the next tenth.
    assert!(largest_error(1e-37, 1e37, |a| relative(rcp(a), 1.0 / value(a))) < -22.1);
    assert!(largest_error(1e-37, 1e37, |a| relative(rsq(Modern, a), 1.0 / value(a).sqrt())) < -21.7);
    assert!(largest_error(0.01, 100.0, |a| relative(exp(a)[2], value(a).exp2())) < -13.1);
    assert!(largest_error(1e-3, 1e3, |a| (value(log(Modern, a)[2]) - value(a).log2()).abs()) < -11.9);
    assert!(largest_error(1.0, 2.0, |a| (value(lg2(a)) - value(a).log2()).abs()) < -21.8);
    assert!(largest_error(1.0, 8.0, |a| relative(ex2(a), value(a).exp2())) < -22.1);
    assert!(largest_error(0.25, 6.25, |a| (value(sin(a)) - value(a).sin()).abs()) < -21.5);
    assert!(largest_error(0.25, 6.25, |a| (value(cos(a)) - value(a).cos()).abs()) < -21.5);
}

#[test]
fn products_are_truncated() {
    for words in random_words().take(60_000).collect::<Vec<_>>().chunks(2) {
        // Exponents around 1, so that the exact product is a normal double and single.
        let [a, b] = [words[0], words[1]].map(|word| word & 0x87ff_ffff | 0x3800_0000);
        let exact = value(a) * value(b);
        let result = value(mul(Modern, a, b));
        assert!(result.abs() <= exact.abs() && exact.signum() == result.signum(), "{a:08x} {b:08x}");
        assert!(value(mul(Modern, a, b) + 1).abs() > exact.abs(), "{a:08x} {b:08x}");
    }
}

#[test]
fn zero_wins_by_the_legacy_rules_only() {
    for zero in [0, MINUS_ZERO, DENORMAL] {
        for other in [INFINITY, MINUS_INFINITY, NAN] {
            assert_eq!(mul(Legacy, zero, other), 0);
            assert_eq!(mul(Modern, other, zero), NAN);
        }
        assert_eq!(mul(Modern, zero, MINUS_ONE), 0, "the sign of a zero product is dropped");
    }
    assert_eq!(mul(Legacy, 0x7f7f_ffff, 0xc000_0000), MINUS_INFINITY, "overflow is infinite");
    assert_eq!(mul(Legacy, 0x0080_0000, 0xbf00_0000), MINUS_ZERO);
}

#[test]
fn sums_have_seven_guard_bits_below_twice_the_carry() {
    let power = |exponent: u32| (127 - exponent) << 23;
    // The unit of a sum with 1.0 as its largest term is 2⁻²⁸.
    assert_eq!(sum(&[ONE, power(28), MINUS_ONE]), power(28));
    assert_eq!(sum(&[ONE, power(29), MINUS_ONE]), 0);
    assert_eq!(sum(&[MINUS_ONE, power(28), ONE]), power(28), "the order does not matter");
    assert_eq!(add(ONE, power(24)), ONE, "truncated");
    assert_eq!(add(ONE, SIGN | power(25)), 0x3f7f_ffff, "truncated below 1.0 as well");
    assert_eq!(sum(&[ONE; 4]), 0x4080_0000);
    assert_eq!(add(INFINITY, MINUS_INFINITY), NAN);
    assert_eq!(add(0x7f7f_ffff, 0x7f7f_ffff), INFINITY);
    assert_eq!(add(DENORMAL, MINUS_ZERO), 0);
}

#[test]
fn exact_sums_are_exact() {
    for words in random_words().take(40_000).collect::<Vec<_>>().chunks(4) {
        // Small integers: every term, product and sum is exact.
        let a: [u32; 4] = std::array::from_fn(|i| ((words[i] % 1024) as f32 - 512.0).to_bits());
        let b: [u32; 4] = std::array::from_fn(|i| ((words[i] >> 16 & 1023) as f32 - 512.0).to_bits());
        let product = |i: usize| value(a[i]) * value(b[i]);
        let expected = [product(0) + product(1) + product(2), product(0) + product(1) + product(2) + value(b[3])];
        assert_eq!(value(dp3(Modern, a, b)), expected[0]);
        assert_eq!(value(dph(Legacy, a, b)), expected[1]);
        assert_eq!(value(dp4(Modern, a, b)), expected[0] + product(3));
        assert_eq!(value(mad(Modern, a[0], b[0], a[1])), product(0) + value(a[1]));
    }
}

#[test]
fn comparisons_follow_the_rule_sets() {
    assert_eq!(slt(Legacy, MINUS_ZERO, 0), ONE, "the legacy order has -0 below +0");
    assert_eq!(seq(Modern, MINUS_ZERO, DENORMAL), ONE);
    assert_eq!(slt(Legacy, INFINITY, NAN), ONE);
    assert_eq!([slt, sge, seq, sgt, sle, sne].map(|op| op(Modern, NAN, ONE)), [NAN; 6]);
    assert_eq!([min(Modern, ONE, NAN), max(Modern, NAN, ONE)], [NAN; 2]);
    assert_eq!([MINUS_ONE, 0, ONE, NAN].map(|a| ssg(Modern, a)), [MINUS_ONE, 0, ONE, NAN]);
    assert_eq!(condition(NAN, Modern), ConditionCode::Unordered);
    assert_eq!(condition(MINUS_ZERO, Modern), ConditionCode::Equal);
}

#[test]
fn reciprocals_have_the_documented_edges() {
    assert_eq!([0, MINUS_ZERO, INFINITY, MINUS_INFINITY].map(rcp), [INFINITY, MINUS_INFINITY, 0, MINUS_ZERO]);
    assert_eq!(rcp(0x4000_0000), 0x3f00_0000, "powers of two are exact");
    // RCC clamps to 2⁻⁶⁴..2⁶⁴.
    assert_eq!([0, INFINITY, SIGN | DENORMAL].map(rcc), [0x5f80_0000, 0x1f80_0000, 0xdf80_0000]);
    assert_eq!([0, MINUS_ZERO, INFINITY].map(|a| rsq(Modern, a)), [INFINITY, MINUS_INFINITY, 0]);
    assert_eq!([rsq(Modern, MINUS_ONE), rsq(Legacy, MINUS_ONE), rsq(Legacy, MINUS_ZERO)], [NAN, ONE, INFINITY]);
    assert_eq!(rsq(Modern, 0x4080_0000), 0x3f00_0000, "even powers of two are exact");
}

#[test]
fn logarithms_and_powers_have_the_documented_edges() {
    assert_eq!([0, MINUS_ONE, INFINITY, ONE].map(lg2), [MINUS_INFINITY, NAN, INFINITY, 0]);
    assert_eq!([0, MINUS_INFINITY, INFINITY].map(ex2), [ONE, 0, INFINITY]);
    assert_eq!(ex2(0x4040_0000), 0x4100_0001, "the table of EX2 begins one unit above 2^0");
    assert_eq!(log(Legacy, 0), [MINUS_INFINITY, ONE, MINUS_INFINITY, ONE]);
    assert_eq!(log(Modern, 0x4140_0000)[..2], [0x4040_0000, 0x3fc0_0000], "12 = 2^3 * 1.5");
    assert_eq!(log(Legacy, 0xc140_0000), log(Modern, 0x4140_0000));
    assert_eq!(log(Modern, MINUS_ONE)[0], NAN);
    assert_eq!(exp(0x4020_0000)[..2], [0x4080_0000, 0x3f00_0000], "2.5: 2^2, 0.5");
    assert_eq!(exp(0xbf00_0000)[..2], [0x3f00_0000, 0x3f00_0000], "-0.5: 2^-1, 0.5");
    assert_eq!(exp(0x8080_0000)[1], ONE, "a tiny negative fraction rounds up");
    assert_eq!([sin(0), cos(0), sin(INFINITY), cos(NAN)], [0, ONE, NAN, NAN]);
}

#[test]
fn lighting_has_the_documented_edges() {
    let two = 0x4000_0000;
    assert_eq!(lit([MINUS_ONE, two, 0, two]), [ONE, 0, 0, ONE]);
    assert_eq!(lit([ONE, 0, 0, 0]), [ONE, ONE, ONE, ONE], "0^0 is 1");
    assert_eq!(lit([ONE, 0, 0, two])[2], 0);
    assert_eq!(lit([ONE, MINUS_ONE, 0, MINUS_ONE])[2], INFINITY, "0^-1");
    assert_eq!(lit([0, two, 0, two])[2], 0);
    assert_eq!(lit([ONE, two, 0, two])[2], 0x4080_0000, "2^2");
}

#[test]
fn floors_and_addresses() {
    let bits = |values: [f32; 6]| values.map(f32::to_bits);
    let floors = bits([1.5, -1.5, -2.0, 0.5, -0.25, 16_777_216.0]).map(flr);
    assert_eq!(floors, bits([1.0, -2.0, -2.0, 0.0, -1.0, 16_777_216.0]));
    assert_eq!([flr(MINUS_ZERO), flr(INFINITY), frc(INFINITY)], [0, INFINITY, NAN]);
    assert_eq!(bits([1.25, -1.25, 3.0, 0.5, -0.25, 8.0]).map(frc), bits([0.25, 0.75, 0.0, 0.5, 0.75, 0.0]));
    assert_eq!(bits([1.5, -1.5, 511.9, 512.0, -512.5, 1e20]).map(arl), [1, -2, 511, 511, -512, 511]);
    assert_eq!(bits([0.5, 1.5, 2.5, -2.5, -1e20, 510.6]).map(arr), [0, 2, 2, -2, -512, 511]);
    assert_eq!([arl(NAN), arr(NAN)], [0, 0]);
    assert_eq!([MINUS_ONE, DENORMAL, 0x4000_0000, NAN, 0x3f00_0000].map(saturate), [0, 0, ONE, 0, 0x3f00_0000]);
}
