//! Checks values worked out by hand from the steps of the model, and the agreement with NV40's rules elsewhere.

use super::*;
use crate::arith::{MINUS_ONE, NAN};

const MINUS_INFINITY: u32 = SIGN | INFINITY;
const MINUS_ZERO: u32 = SIGN;
const MINUS_LARGEST: u32 = SIGN | LARGEST;
const TWO: u32 = 0x4000_0000;
/// 2^127, whose product with 4 overflows.
const HUGE: u32 = 0x7f00_0000;
const FOUR: u32 = 0x4080_0000;

#[test]
fn zero_wins_over_everything() {
    for zero in [0, MINUS_ZERO, 1, 0x807f_ffff] {
        for other in [0, MINUS_ZERO, ONE, MINUS_ONE, INFINITY, MINUS_INFINITY, NAN, 0xffc0_0000, LARGEST] {
            assert_eq!((mul(zero, other), mul(other, zero)), (0, 0), "{zero:08x} {other:08x}");
        }
    }
}

#[test]
fn products_that_overflow_are_finite() {
    assert_eq!(mul(HUGE, FOUR), LARGEST);
    assert_eq!(mul(HUGE, FOUR | SIGN), MINUS_LARGEST);
    assert_eq!(mul(LARGEST, LARGEST), LARGEST);
    assert_eq!(mul(INFINITY, MINUS_ONE), MINUS_INFINITY, "an infinite factor stays infinite");
    assert_eq!(mul(LARGEST, INFINITY), INFINITY);
    assert_eq!(mul(0xffc0_0000, ONE), NAN);
}

#[test]
fn products_that_underflow_keep_their_sign() {
    assert_eq!(mul(MIN_NORMAL, 0xbf00_0000), MINUS_ZERO);
    assert_eq!(mul(MIN_NORMAL, 0x3f00_0000), 0);
}

#[test]
fn denormal_addends_count_as_half_their_value() {
    assert_eq!(add(0x8080_0000, 0x807f_ffff), 0x80bf_ffff);
    // 2⁻¹²⁶ + 2⁻¹²⁷: the denormal counts as 2⁻¹²⁸.
    assert_eq!(add(MIN_NORMAL, 0x0040_0000), 0x00a0_0000);
    assert_eq!(mad(ONE, 0x8080_0000, 0x807f_ffff), 0x80bf_ffff);
    // Two denormals never reach a normal number: the sum underflows with its sign.
    assert_eq!(add(0x007f_ffff, 0x007f_ffff), 0);
    assert_eq!(add(0x807f_ffff, 0x807f_ffff), MINUS_ZERO);
    assert_eq!(add(ONE, 0x007f_ffff), ONE);
}

#[test]
fn sums_keep_the_sign_of_an_underflow_only() {
    assert_eq!(add(MIN_NORMAL, 0x8080_0001), MINUS_ZERO);
    assert_eq!(add(0x8080_0000, 0x0080_0001), 0);
    for zero in [[0, 0], [MINUS_ZERO, MINUS_ZERO], [ONE, MINUS_ONE], [0x8000_0001, 1]] {
        assert_eq!(sum(&zero), 0, "{zero:08x?}");
    }
}

#[test]
fn sums_that_overflow_are_finite() {
    assert_eq!(add(LARGEST, LARGEST), LARGEST);
    assert_eq!(add(MINUS_LARGEST, MINUS_LARGEST), MINUS_LARGEST);
    assert_eq!(add(INFINITY, MINUS_LARGEST), INFINITY);
    assert_eq!(add(MINUS_INFINITY, MINUS_INFINITY), MINUS_INFINITY);
    assert_eq!(add(INFINITY, MINUS_INFINITY), NAN);
    assert_eq!(add(0xff80_0001, MINUS_INFINITY), NAN);
    assert_eq!(dp4([LARGEST; 4], [ONE; 4]), LARGEST);
}

#[test]
fn each_product_of_a_sum_is_limited_before_it_is_added() {
    assert_eq!(mad(HUGE, FOUR, MINUS_LARGEST), 0);
    assert_eq!(mad(INFINITY, 0, TWO), TWO);
    assert_eq!(mad(NAN, 0, TWO), TWO);
    assert_eq!(dp3([HUGE, HUGE, ONE, NAN], [FOUR, FOUR | SIGN, ONE, NAN]), 0, "one is below the guard bits");
    assert_eq!(dp3([INFINITY, INFINITY, ONE, 0], [0, ONE, ONE, 0]), INFINITY);
    assert_eq!(dp3([INFINITY, INFINITY, ONE, 0], [MINUS_ONE, ONE, ONE, 0]), NAN);
    assert_eq!(dp4([ONE, TWO, ONE, TWO], [ONE; 4]), 0x40c0_0000);
    // The fourth term of DPH is a product with 1, which reads a denormal as zero.
    assert_eq!(dph([0, 0, 0, NAN], [0, 0, 0, 0x807f_ffff]), 0);
    assert_eq!(dph([ONE, TWO, ONE, NAN], [ONE, ONE, ONE, FOUR]), 0x4100_0000);
}

#[test]
fn the_copies_of_dst_pass_any_bits() {
    let result = dst([NAN, HUGE, 0x8000_0001, NAN], [NAN, FOUR, NAN, 0xff80_0001]);
    assert_eq!(result, [ONE, LARGEST, 0x8000_0001, 0xff80_0001]);
}

#[test]
fn roots_of_powers_of_four_are_one_unit_low() {
    assert_eq!(rsq(ONE), 0x3f7f_ffff);
    assert_eq!(rsq(MINUS_ONE), 0x3f7f_ffff, "the sign is ignored");
    assert_eq!(rsq(FOUR), 0x3eff_ffff);
    assert_eq!(rsq(0x3e80_0000), 0x3fff_ffff);
    for (special, result) in [(0, INFINITY), (MINUS_ZERO, INFINITY), (1, INFINITY), (INFINITY, 0), (MINUS_INFINITY, 0)]
    {
        assert_eq!(rsq(special), result, "{special:08x}");
    }
    assert_eq!(rsq(0xff80_0001), NAN);
    let legacy = |a| vertex::rsq(VertexRuleSet::Nv40Legacy, a);
    for a in (MIN_NORMAL..INFINITY).step_by(0x1_2345) {
        let is_power_of_four = a & (FRACTION | MIN_NORMAL) == MIN_NORMAL;
        assert_eq!(rsq(a), legacy(a) - u32::from(is_power_of_four), "{a:08x}");
    }
    for exponent in (1..255u32).step_by(2) {
        assert_eq!(rsq(exponent << 23), legacy(exponent << 23) - 1, "{exponent}");
    }
}

#[test]
fn parts_of_exponentials_and_logarithms() {
    assert_eq!(exp(0xffc0_0001), [INFINITY, 0xffc0_0001, NAN, ONE]);
    assert_eq!(exp(0xbf7f_ffff)[1], 0, "the magnitude is rounded up first");
    assert_eq!(exp(0xb380_0000), [ONE; 4], "−2⁻²⁴");
    assert_eq!(log(0xffc0_0001), [0x7fc0_0001, 0x7fc0_0001, 0x7fc0_0001, ONE]);
    for zero in [0, MINUS_ZERO, 0x8000_0001] {
        assert_eq!(log(zero), [MINUS_INFINITY, ONE, MINUS_INFINITY, ONE]);
    }
    assert_eq!(log(MINUS_INFINITY), [INFINITY, ONE, INFINITY, ONE]);
    assert_eq!(log(0xc100_0000), [0x4040_0000, ONE, 0x4040_0000, ONE], "−8");
}

#[test]
fn addresses_are_floors_that_agree_with_exponentials() {
    let value = |number: f32| arl(number.to_bits());
    assert_eq!([value(1.5), value(-1.5), value(0.0), value(-0.0)], [1, -2, 0, 0]);
    assert_eq!([value(600.0), value(-600.25)], [600, -601], "no clamp to ten bits");
    assert_eq!([arl(0xb400_0000), arl(0xb380_0000)], [-1, 0], "−2⁻²³ and −2⁻²⁴");
    assert_eq!([value(262_143.9), value(262_144.0), arl(NAN), arl(INFINITY)], [262_143; 4]);
    assert_eq!([value(-262_144.0), arl(MINUS_INFINITY)], [-262_144; 2]);
    for bits in (0x3400_0000..0x4300_0000).step_by(0x1_0007).flat_map(|bits| [bits, bits | SIGN]) {
        let floor = arl(bits);
        let power = if floor < -126 { 0.0 } else { 2f32.powi(floor) };
        assert_eq!(exp(bits)[0], power.to_bits(), "{bits:08x}");
    }
}

#[test]
fn v2_is_nv40_where_nothing_is_special() {
    let mut word = 0x2000_0001u32;
    let mut next = || {
        word = word.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        // Exponents around 1, so that no product or sum reaches an end of the range.
        word & 0x87ff_ffff | 0x3c00_0000
    };
    let rules = VertexRuleSet::Nv40Legacy;
    for _ in 0..20_000 {
        let [a, b] = [(); 2].map(|()| std::array::from_fn(|_| next()));
        assert_eq!(dp4(a, b), vertex::dp4(rules, a, b));
        assert_eq!(mad(a[0], a[1], b[0]), vertex::mad(rules, a[0], a[1], b[0]));
        assert_eq!((exp(a[2]), log(a[3])), (vertex::exp(a[2]), vertex::log(rules, a[3])));
    }
}
