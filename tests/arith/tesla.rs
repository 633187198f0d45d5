//! Compares the Tesla processor's arithmetic on the adapter with its Rust twin.

use curie::arith::tesla::convert::{Conversion, ConversionFormat, convert};
use curie::arith::tesla::{Flags, IntegerSum, Rounding, float, integer, special};

use super::cases::{CASES, Random, cases};
use super::operations::{ROWS_PER_KERNEL, differences};
use super::rows::{Row, Twin};
use crate::common;

/// A row of an operation on words: each lane of `$a`, `$b` and `$c` separately.
fn row(text: &str, function: fn(u32, u32, u32) -> u32) -> Row {
    let lane = |component: &str| {
        ["a", "b", "c"].iter().fold(text.to_owned(), |text, operand| {
            text.replace(&format!("${operand}"), &format!("{operand}.{component}"))
        })
    };
    let expression = format!("vec4u({})", ["x", "y", "z", "w"].map(lane).join(", "));
    Row { name: text.replace('$', "").into(), expression: expression.into(), twin: Twin::Lanes(function) }
}

/// All rows.
pub(crate) fn tesla_rows() -> Vec<Row> {
    [float_rows(), integer_rows(), shift_rows(), conversion_rows(), special_rows()].into_iter().flatten().collect()
}

#[rustfmt::skip]
fn float_rows() -> Vec<Row> {
    const MIN_NORMAL: u32 = 0x0080_0000;
    vec![
        row("tesla_flush($a)", |a, _, _| float::flush(a)),
        row("tesla_canonical($a)", |a, _, _| if f32::from_bits(a).is_nan() { curie::arith::NAN } else { a }),
        row("tesla_add($a, $b)", |a, b, _| float::add(a, b, Rounding::NearestEven)),
        row("tesla_add_rounded($a, $b, 0u)", |a, b, _| float::add(a, b, Rounding::NearestEven)),
        row("tesla_add_rounded($a, $b, 1u)", |a, b, _| float::add(a, b, Rounding::Down)),
        row("tesla_add_rounded($a, $b, 2u)", |a, b, _| float::add(a, b, Rounding::Up)),
        row("tesla_add_rounded($a, $b, 3u)", |a, b, _| float::add(a, b, Rounding::TowardZero)),
        row("tesla_multiply($a, $b)", |a, b, _| float::multiply(a, b, Rounding::NearestEven)),
        row("tesla_multiply_rounded($a, $b, 0u)", |a, b, _| float::multiply(a, b, Rounding::NearestEven)),
        row("tesla_multiply_rounded($a, $b, 1u)", |a, b, _| float::multiply(a, b, Rounding::Down)),
        row("tesla_multiply_rounded($a, $b, 2u)", |a, b, _| float::multiply(a, b, Rounding::Up)),
        row("tesla_multiply_rounded($a, $b, 3u)", |a, b, _| float::multiply(a, b, Rounding::TowardZero)),
        row("tesla_zero_factor($a, $b)", |a, b, _| float::zero_factors(a, b)[0]),
        row("tesla_zero_factor($b, $a)", |a, b, _| float::zero_factors(a, b)[1]),
        row("tesla_multiply_add($a, $b, $c)", float::multiply_add),
        // Sums that nearly cancel, of products within and beyond the range.
        row("tesla_multiply_add($a, $b, tesla_multiply($a, $b) ^ 0x80000000u ^ ($c & 7u))", |a, b, c| {
            float::multiply_add(a, b, float::multiply(a, b, Rounding::NearestEven) ^ 0x8000_0000 ^ (c & 7))
        }),
        row("tesla_multiply_add(($a & 0x807fffffu) | 0x7f000000u, ($b & 0x7fffffu) | 0x40000000u, ($c & 0x807fffffu) | 0x7f000000u)", |a, b, c| {
            float::multiply_add(a & 0x807f_ffff | 0x7f00_0000, b & 0x7f_ffff | 0x4000_0000, c & 0x807f_ffff | 0x7f00_0000)
        }),
        // 2⁻¹²⁶ and a little more, with products from 2⁻¹⁵⁰ to 2⁻¹³⁵.
        row("tesla_multiply_add(($a & 0x7fffffu) | 0x20000000u, ($b & 0x807fffffu) | ((40u + ($b >> 27u) % 16u) << 23u), ($c & 0x80000003u) | 0x800000u)", |a, b, c| {
            float::multiply_add(a & 0x7f_ffff | 0x2000_0000, b & 0x807f_ffff | (40 + (b >> 27) % 16) << 23, c & 0x8000_0003 | MIN_NORMAL)
        }),
        // Near-cancelling minimum-normal case: the third operand is exactly 2⁻¹²⁶, the product about half a denormal.
        row("tesla_multiply_add(0x1a000000u | ($a & 7u), 0x9a000000u | ($b & 7u), 0x00800000u)", |a, b, _| {
            float::multiply_add(0x1a00_0000 | a & 7, 0x9a00_0000 | b & 7, MIN_NORMAL)
        }),
        row("tesla_minimum($a, $b)", |a, b, _| float::minimum(a, b)),
        row("tesla_maximum($a, $b)", |a, b, _| float::maximum(a, b)),
        row("tesla_compare($a, $b)", |a, b, _| Flags::of_comparison(float::compare(a, b)).bits()),
        row("tesla_select($a, $b, $c)", float::select),
        row("tesla_saturate($a)", |a, _, _| float::saturate(a)),
        row("tesla_float_flags($a)", |a, _, _| float::float_flags(a).bits()),
        row("tesla_select_flags($a)", |a, _, _| float::select_flags(a).bits()),
        row("tesla_negate($a)", |a, _, _| float::negate(a)),
        row("tesla_absolute($a)", |a, _, _| float::absolute(a)),
    ]
}

#[rustfmt::skip]
fn integer_rows() -> Vec<Row> {
    use IntegerSum::{Add, AddWithCarry, Subtract, SubtractReversed};
    vec![
        row("tesla_add_integers($a, $b, 0u, 16u, false).value", |a, b, _| integer::sum(a, b, Add, false, 16, false).0),
        row("tesla_add_integers($a, $b, 0u, 16u, true).flags", |a, b, _| integer::sum(a, b, Add, false, 16, true).1.bits()),
        row("tesla_add_integers($a, $b, $c & 1u, 32u, false).value", |a, b, c| integer::sum(a, b, AddWithCarry, c & 1 != 0, 32, false).0),
        row("tesla_add_integers($a, $b, $c & 1u, 32u, false).flags", |a, b, c| integer::sum(a, b, AddWithCarry, c & 1 != 0, 32, false).1.bits()),
        row("tesla_add_integers($a, $b, $c & 1u, 32u, true).value", |a, b, c| integer::sum(a, b, AddWithCarry, c & 1 != 0, 32, true).0),
        row("tesla_subtract_integers($a, $b, 16u, true).value", |a, b, _| integer::sum(a, b, Subtract, false, 16, true).0),
        row("tesla_subtract_integers($a, $b, 16u, false).flags", |a, b, _| integer::sum(a, b, Subtract, false, 16, false).1.bits()),
        row("tesla_subtract_integers($b, $a, 32u, true).value", |a, b, _| integer::sum(a, b, SubtractReversed, false, 32, true).0),
        row("tesla_subtract_integers($b, $a, 32u, true).flags", |a, b, _| integer::sum(a, b, SubtractReversed, false, 32, true).1.bits()),
        row("tesla_multiply_16($a, $b, false, false)", |a, b, _| integer::multiply_16(a, b, false, false)),
        row("tesla_multiply_16($a, $b, true, false)", |a, b, _| integer::multiply_16(a, b, true, false)),
        row("tesla_multiply_16($a, $b, false, true)", |a, b, _| integer::multiply_16(a, b, false, true)),
        row("tesla_multiply_16($a, $b, true, true)", |a, b, _| integer::multiply_16(a, b, true, true)),
        row("tesla_multiply_24($a, $b, false)", |a, b, _| integer::multiply_24(a, b, false, false)),
        row("tesla_multiply_24($a, $b, true)", |a, b, _| integer::multiply_24(a, b, true, false)),
        row("tesla_multiply_24_high($a, $b, false)", |a, b, _| integer::multiply_24(a, b, false, true)),
        row("tesla_multiply_24_high($a, $b, true)", |a, b, _| integer::multiply_24(a, b, true, true)),
        row("tesla_sum_absolute_difference($a, $b, $c, 16u, true).value", |a, b, c| integer::sum_absolute_difference(a, b, c, 16, true).0),
        row("tesla_sum_absolute_difference($a, $b, $c, 16u, false).flags", |a, b, c| integer::sum_absolute_difference(a, b, c, 16, false).1.bits()),
        row("tesla_sum_absolute_difference($a, $b, $c, 32u, false).value", |a, b, c| integer::sum_absolute_difference(a, b, c, 32, false).0),
        row("tesla_sum_absolute_difference($a, $b, $c, 32u, true).flags", |a, b, c| integer::sum_absolute_difference(a, b, c, 32, true).1.bits()),
        row("tesla_compare_integers($a, $b, 16u, true)", |a, b, _| Flags::of_comparison(integer::compare(a, b, 16, true)).bits()),
        row("tesla_compare_integers($a, $b, 16u, false)", |a, b, _| Flags::of_comparison(integer::compare(a, b, 16, false)).bits()),
        row("tesla_compare_integers($a, $b, 32u, true)", |a, b, _| Flags::of_comparison(integer::compare(a, b, 32, true)).bits()),
        row("tesla_compare_integers($a, $b, 32u, false)", |a, b, _| Flags::of_comparison(integer::compare(a, b, 32, false)).bits()),
        row("tesla_minimum_integer($a, $b, 16u, true)", |a, b, _| integer::minimum(a, b, 16, true)),
        row("tesla_minimum_integer($a, $b, 32u, false)", |a, b, _| integer::minimum(a, b, 32, false)),
        row("tesla_maximum_integer($a, $b, 16u, false)", |a, b, _| integer::maximum(a, b, 16, false)),
        row("tesla_maximum_integer($a, $b, 32u, true)", |a, b, _| integer::maximum(a, b, 32, true)),
        row("tesla_integer_flags($a, 16u)", |a, _, _| integer::integer_flags(a, 16).bits()),
        row("tesla_integer_flags($a, 32u)", |a, _, _| integer::integer_flags(a, 32).bits()),
    ]
}

#[rustfmt::skip]
fn shift_rows() -> Vec<Row> {
    // Counts within the operand, slightly beyond it, and any.
    const fn count(b: u32) -> u32 { if b >> 31 != 0 { b } else { b % 40 } }
    const COUNT: &str = "select($b % 40u, $b, ($b >> 31u) != 0u)";
    let row = |text: &str, function| row(&text.replace("COUNT", COUNT), function);
    vec![
        row("tesla_shift_left($a, COUNT, 16u).value", |a, b, _| integer::shift_left(a, count(b), 16).0),
        row("tesla_shift_left($a, COUNT, 16u).flags", |a, b, _| integer::shift_left(a, count(b), 16).1.bits()),
        row("tesla_shift_left($a, COUNT, 32u).value", |a, b, _| integer::shift_left(a, count(b), 32).0),
        row("tesla_shift_left($a, COUNT, 32u).flags", |a, b, _| integer::shift_left(a, count(b), 32).1.bits()),
        row("tesla_shift_right($a, COUNT, 16u, false).value", |a, b, _| integer::shift_right(a, count(b), 16, false).0),
        row("tesla_shift_right($a, COUNT, 16u, false).flags", |a, b, _| integer::shift_right(a, count(b), 16, false).1.bits()),
        row("tesla_shift_right($a, COUNT, 16u, true).value", |a, b, _| integer::shift_right(a, count(b), 16, true).0),
        row("tesla_shift_right($a, COUNT, 16u, true).flags", |a, b, _| integer::shift_right(a, count(b), 16, true).1.bits()),
        row("tesla_shift_right($a, COUNT, 32u, false).value", |a, b, _| integer::shift_right(a, count(b), 32, false).0),
        row("tesla_shift_right($a, COUNT, 32u, false).flags", |a, b, _| integer::shift_right(a, count(b), 32, false).1.bits()),
        row("tesla_shift_right($a, COUNT, 32u, true).value", |a, b, _| integer::shift_right(a, count(b), 32, true).0),
        row("tesla_shift_right($a, COUNT, 32u, true).flags", |a, b, _| integer::shift_right(a, count(b), 32, true).1.bits()),
    ]
}

/// The modifiers and rounding of a conversion in the bits of a word, for a kernel and for the host.
const MODIFIERS: [&str; 2] = ["($b & 4u) != 0u", "($b & 8u) != 0u"];

fn conversion(from: ConversionFormat, to: ConversionFormat, b: u32) -> Conversion {
    let rounding = [Rounding::NearestEven, Rounding::Down, Rounding::Up, Rounding::TowardZero][(b & 3) as usize];
    let [absolute, negate, rounds_to_integer, saturates] = [4, 8, 16, 32].map(|bit| b & bit != 0);
    Conversion { from, to, absolute, negate, rounding, rounds_to_integer, saturates }
}

#[rustfmt::skip]
fn conversion_rows() -> Vec<Row> {
    use ConversionFormat::{F16, F32};
    const fn integer(bits: u32, is_signed: bool) -> ConversionFormat { ConversionFormat::Integer { bits, is_signed } }
    let [absolute, negate] = MODIFIERS;
    let row = |text: &str, function| {
        let text = text.replace("$float", &format!("tesla_modified($a, {absolute}, {negate})"));
        let text = text.replace("$half", &format!("tesla_modified(tesla_half_to_single($a), {absolute}, {negate})"));
        let text = text.replace("$modifiers", &format!("{absolute}, {negate}"));
        row(&text.replace("$rounding", "$b & 3u").replace("$options", "($b & 16u) != 0u, ($b & 32u) != 0u").replace("$saturates", "($b & 32u) != 0u"), function)
    };
    vec![
        row("tesla_integer_to_integer(tesla_magnitude($a, 32u, true, $modifiers), 16u, true)", |a, b, _| convert(a, &conversion(integer(32, true), integer(16, true), b)).0),
        row("tesla_integer_to_integer(tesla_magnitude($a, 32u, false, $modifiers), 8u, true)", |a, b, _| convert(a, &conversion(integer(32, false), integer(8, true), b)).0),
        row("tesla_integer_to_integer(tesla_magnitude($a, 16u, true, $modifiers), 8u, false)", |a, b, _| convert(a, &conversion(integer(16, true), integer(8, false), b)).0),
        row("tesla_integer_to_integer(tesla_magnitude($a, 16u, false, $modifiers), 32u, true)", |a, b, _| convert(a, &conversion(integer(16, false), integer(32, true), b)).0),
        row("tesla_integer_to_integer(tesla_magnitude($a, 8u, true, $modifiers), 32u, false)", |a, b, _| convert(a, &conversion(integer(8, true), integer(32, false), b)).0),
        row("tesla_integer_to_float(tesla_magnitude($a, 32u, true, $modifiers), $rounding, $saturates)", |a, b, _| convert(a, &conversion(integer(32, true), F32, b)).0),
        row("tesla_integer_to_float(tesla_magnitude($a, 32u, false, $modifiers), $rounding, $saturates)", |a, b, _| convert(a, &conversion(integer(32, false), F32, b)).0),
        row("tesla_integer_to_float(tesla_magnitude($a, 16u, true, $modifiers), $rounding, $saturates)", |a, b, _| convert(a, &conversion(integer(16, true), F32, b)).0),
        row("tesla_integer_to_float(tesla_magnitude($a, 8u, false, $modifiers), $rounding, $saturates)", |a, b, _| convert(a, &conversion(integer(8, false), F32, b)).0),
        row("tesla_integer_to_half(tesla_magnitude($a, 32u, true, $modifiers), ($a >> 31u) != 0u, $rounding, $saturates)", |a, b, _| convert(a, &conversion(integer(32, true), F16, b)).0),
        row("tesla_integer_to_half(tesla_magnitude($a, 32u, false, $modifiers), false, $rounding, $saturates)", |a, b, _| convert(a, &conversion(integer(32, false), F16, b)).0),
        row("tesla_integer_to_half(tesla_magnitude($a, 16u, true, $modifiers), ($a & 0x8000u) != 0u, $rounding, $saturates)", |a, b, _| convert(a, &conversion(integer(16, true), F16, b)).0),
        row("tesla_float_to_integer($float, 32u, true, $rounding)", |a, b, _| convert(a, &conversion(F32, integer(32, true), b)).0),
        row("tesla_float_to_integer($float, 32u, false, $rounding)", |a, b, _| convert(a, &conversion(F32, integer(32, false), b)).0),
        row("tesla_float_to_integer($float, 16u, true, $rounding)", |a, b, _| convert(a, &conversion(F32, integer(16, true), b)).0),
        row("tesla_float_to_integer($half, 16u, false, $rounding)", |a, b, _| convert(a, &conversion(F16, integer(16, false), b)).0),
        row("tesla_float_to_integer($half, 32u, true, $rounding)", |a, b, _| convert(a, &conversion(F16, integer(32, true), b)).0),
        row("tesla_float_to_float($float, $rounding, $options)", |a, b, _| convert(a, &conversion(F32, F32, b)).0),
        row("tesla_float_to_float($half, $rounding, $options)", |a, b, _| convert(a, &conversion(F16, F32, b)).0),
        row("tesla_float_to_half($float, $rounding, $options)", |a, b, _| convert(a, &conversion(F32, F16, b)).0),
        row("tesla_float_to_half(($a & 0x8fffffffu) | 0x30000000u, $rounding, $options)", |a, b, _| convert(a & 0x8fff_ffff | 0x3000_0000, &conversion(F32, F16, b & !12)).0),
        row("tesla_float_to_half($half, $rounding, $options)", |a, b, _| convert(a, &conversion(F16, F16, b)).0),
    ]
}

#[rustfmt::skip]
fn special_rows() -> Vec<Row> {
    vec![
        row("tesla_reciprocal($a)", |a, _, _| special::reciprocal(a)),
        row("tesla_reciprocal_square_root($a)", |a, _, _| special::reciprocal_square_root(a)),
        row("tesla_reciprocal_square_root($a & 0x7fffffffu)", |a, _, _| special::reciprocal_square_root(a & 0x7fff_ffff)),
        row("tesla_log2($a)", |a, _, _| special::log2(a)),
        row("tesla_log2(($a & 0xffffffu) | 0x3f000000u)", |a, _, _| special::log2(a & 0xff_ffff | 0x3f00_0000)),
        row("tesla_prepare_sine($a)", |a, _, _| special::prepare_sine(a)),
        row("tesla_prepare_exponential($a)", |a, _, _| special::prepare_exponential(a)),
        row("tesla_sine($a)", |a, _, _| special::sine(a)),
        row("tesla_sine($a & 0xbfffffffu)", |a, _, _| special::sine(a & 0xbfff_ffff)),
        row("tesla_cosine($a)", |a, _, _| special::cosine(a)),
        row("tesla_cosine($a & 0xbfffffffu)", |a, _, _| special::cosine(a & 0xbfff_ffff)),
        row("tesla_exp2($a)", |a, _, _| special::exp2(a)),
        row("tesla_exp2($a & 0xbfffffffu)", |a, _, _| special::exp2(a & 0xbfff_ffff)),
    ]
}

/// Integers near the ends of ranges, and any.
fn integer_cases(count: usize) -> Vec<[[u32; 4]; 3]> {
    const ENDS: [u32; 12] =
        [0, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7f_ffff, 0x80_0000, 0x3fff_ffe0, 0x7fff_ffff, 0x8000_0000];
    let mut random = Random::new(0x5000);
    let mut word = || match random.word() % 3 {
        0 => ENDS[random.word() as usize % ENDS.len()].wrapping_add(random.word() % 5).wrapping_sub(2),
        1 => random.word().cast_signed().wrapping_shr(random.word()).cast_unsigned(),
        _ => random.word(),
    };
    (0..count).map(|_| [(); 3].map(|()| [(); 4].map(|()| word()))).collect()
}

#[test]
fn every_operation_of_the_tesla_processor_agrees() {
    let Some(gpu) = common::gpu() else { return };
    let mut cases = cases(CASES / 4);
    cases.extend(integer_cases(CASES / 8));
    // `NUMERIC_ONLY=tesla_add` runs the rows whose names have this prefix.
    let only = std::env::var("NUMERIC_ONLY").unwrap_or_default();
    let rows: Vec<Row> = tesla_rows().into_iter().filter(|row| row.name.starts_with(&only)).collect();
    let mut found = Vec::new();
    for rows in rows.chunks(ROWS_PER_KERNEL) {
        found.extend(differences(&gpu, rows, &cases));
    }
    assert!(found.is_empty(), "{} operations differ: {found:#08x?}", found.len());
}

/// The arguments that functions of the special function unit tell apart.
#[test]
fn special_functions_agree_over_all_fractions() {
    let Some(gpu) = common::gpu() else { return };
    let rows = special_rows();
    let named = |name: &str| rows.iter().find(|row| row.name == name).expect("a row of this name").clone();
    let rows = [
        named("tesla_reciprocal(a)"),
        named("tesla_reciprocal_square_root(a)"),
        named("tesla_log2(a)"),
        named("tesla_sine(a & 0xbfffffffu)"),
        named("tesla_exp2(a & 0xbfffffffu)"),
    ];
    // Two exponents, around one, for each of 2²³ fractions.
    for chunk in 0..8 {
        let words = |case: u32| [0, 1, 2, 3].map(|lane| 0x3f00_0000 + (chunk << 21 | case << 2 | lane));
        let cases: Vec<_> = (0..1 << 19).map(|case| [words(case), [0; 4], [0; 4]]).collect();
        let found = differences(&gpu, &rows, &cases);
        assert!(found.is_empty(), "{found:#08x?}");
    }
}
