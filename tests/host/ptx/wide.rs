//! Integers of 64 bits: what takes routines, and conversions.

use super::arithmetic::{SM_10, check, inputs, results, wide, words};
use super::{Machine, compile};
use crate::common::random::Random;

const REGISTERS: &str = ".reg .u64 %x, %y, %z; .reg .s64 %w, %v; .reg .f32 %g;";

/// Statements for %x and %w of the first two words, %y and %v of the others, with the result %z.
fn with_values(statements: &str) -> String {
    format!(
        "mov.b64 %x, {{%a, %b}}; mov.b64 %y, {{%c, %f}}; mov.b64 %w, {{%a, %b}}; mov.b64 %v, {{%c, %f}};
         {statements} mov.b64 {{%d, %e}}, %z;"
    )
}

fn check_wide(statements: &str, expected: impl Fn(u64, u64) -> u64) {
    check(REGISTERS, &with_values(statements), |[a, b, c, f]| words(expected(wide(a, b), wide(c, f))));
}

/// Pairs of values at the limits of words and floats, and random ones of all lengths.
fn operands(seed: u64) -> Vec<[u64; 2]> {
    let mut random = Random::new(seed);
    let limits = [0, 1, 24, 31, 32, 33, 48, 53, 62, 63].map(|bit| 1u64 << bit);
    let near = limits.iter().flat_map(|limit| [limit.wrapping_sub(1), *limit, limit.wrapping_add(1)]);
    let near: Vec<u64> = near.chain([u64::MAX, u64::MAX - 1, 0xffff_ff7f_ffff_ffff, 0xffff_ff80_0000_0000]).collect();
    let mut found: Vec<[u64; 2]> = near.iter().flat_map(|one| near.iter().map(|other| [*one, *other])).collect();
    let mut value = || wide(random.word(), random.word()) >> random.below(64);
    while !found.len().is_multiple_of(128) || found.len() < 4096 {
        found.push([value(), value()]);
    }
    found
}

/// The results of statements on pairs of values.
fn wide_results(statements: &str, operands: &[[u64; 2]]) -> Vec<u64> {
    let inputs: Vec<[u32; 4]> =
        operands.iter().map(|[x, y]| [words(*x), words(*y)].as_flattened().try_into().unwrap()).collect();
    let found = results(SM_10, REGISTERS, &with_values(statements), &inputs);
    found.into_iter().map(|[low, high]| wide(low, high)).collect()
}

fn check_operands(statements: &str, operands: &[[u64; 2]], expected: impl Fn(u64, u64) -> u64) {
    for ([x, y], found) in operands.iter().zip(wide_results(statements, operands)) {
        let expected = expected(*x, *y);
        assert_eq!(found, expected, "{statements} of {x:#x} {y:#x}: {found:#x}, expected {expected:#x}");
    }
}

#[test]
fn quotients_and_remainders_are_exact() {
    let mut operands = operands(5);
    // Quotients next to integers: x = y·q + r with r of 0, 1 and y − 1.
    let mut random = Random::new(6);
    for _ in 0..4096 {
        let divisor = (wide(random.word(), random.word()) >> random.below(64)).max(1);
        let quotient = (wide(random.word(), random.word()) >> random.below(64)) % (u64::MAX / divisor).max(1);
        let rest = [0, 1 % divisor, divisor - 1][random.below(3) as usize];
        operands.push([(divisor * quotient).saturating_add(rest), divisor]);
    }
    operands.iter_mut().for_each(|[_, y]| *y = (*y).max(1));
    check_operands("div.u64 %z, %x, %y;", &operands, |x, y| x / y);
    check_operands("rem.u64 %z, %x, %y;", &operands, |x, y| x % y);
    check_operands("div.s64 %z, %w, %v;", &operands, |x, y| {
        x.cast_signed().wrapping_div(y.cast_signed()).cast_unsigned()
    });
    check_operands("rem.s64 %z, %w, %v;", &operands, |x, y| {
        x.cast_signed().wrapping_rem(y.cast_signed()).cast_unsigned()
    });
    check_operands("div.u64 %z, %x, 1000000007;", &operands, |x, _| x / 1_000_000_007);
}

const fn high_product(x: u64, y: u64) -> u64 {
    ((x as u128 * y as u128) >> 64) as u64
}

const fn high_signed_product(x: u64, y: u64) -> u64 {
    ((x.cast_signed() as i128 * y.cast_signed() as i128) >> 64) as i64 as u64
}

#[test]
fn products_and_distances() {
    let operands = operands(7);
    check_operands("mul.hi.u64 %z, %x, %y;", &operands, high_product);
    check_operands("mul.hi.s64 %z, %w, %v;", &operands, high_signed_product);
    check_operands("mul.lo.s64 %z, %w, %v;", &operands, u64::wrapping_mul);
    check_operands("mad.hi.u64 %z, %x, %y, %y;", &operands, |x, y| high_product(x, y).wrapping_add(y));
    check_operands("mad.hi.s64 %z, %w, %v, %w;", &operands, |x, y| high_signed_product(x, y).wrapping_add(x));
    check_operands("mad.lo.s64 %z, %w, %v, 77;", &operands, |x, y| x.wrapping_mul(y).wrapping_add(77));
    check_operands("sad.u64 %z, %x, %y, %x;", &operands, |x, y| x.abs_diff(y).wrapping_add(x));
    check_operands("sad.s64 %z, %w, %v, %v;", &operands, |x, y| {
        x.cast_signed().abs_diff(y.cast_signed()).wrapping_add(y)
    });
    check_operands("min.s64 %z, %w, %v;", &operands, |x, y| x.cast_signed().min(y.cast_signed()).cast_unsigned());
    check_operands("max.u64 %z, %x, %y;", &operands, u64::max);
    check_operands("abs.s64 %z, %w;", &operands, |x, _| x.cast_signed().wrapping_abs().cast_unsigned());
    check_operands("slct.u64.s32 %z, %x, %y, %f;", &operands, |x, y| if y >> 63 == 0 { x } else { y });
}

/// Routines are called by diverged warps, in loops, and several times by a statement's neighbors.
#[test]
fn diverged_threads_call_routines() {
    let statements = "
        mov.u64 %z, 0;
        mov.u32 %i, 0;
    again:
        and.b32 %t, %a, 1;
        setp.ne.u32 %p, %t, 0;
        @%p bra odd;
        rem.u64 %x, %x, 1000003;
        add.u64 %x, %x, %y;
        bra both;
    odd:
        mul.hi.u64 %x, %x, %y;
        @!%q div.u64 %x, %x, 7;
        add.u64 %x, %x, 3;
    both:
        add.u64 %z, %z, %x;
        setp.gt.u64 %q, %z, %y;
        shr.u32 %a, %a, 1;
        add.u32 %i, %i, 1;
        and.b32 %t, %b, 7;
        setp.lt.u32 %p, %i, %t;
        @%p bra again;
        bar.sync 0;";
    let registers = format!("{REGISTERS} .reg .u32 %i, %t;");
    let statements = with_values(&format!("setp.eq.u32 %q, %a, %a; {statements}"));
    check(&registers, &statements, |[mut a, b, c, f]| {
        let (mut x, y, mut z, mut is_large) = (wide(a, b), wide(c, f), 0u64, true);
        for _ in 0..(b & 7).max(1) {
            if a & 1 == 0 {
                x = (x % 1_000_003).wrapping_add(y);
            } else {
                x = high_product(x, y);
                x = if is_large { x } else { x / 7 }.wrapping_add(3);
            }
            z = z.wrapping_add(x);
            is_large = z > y;
            a >>= 1;
        }
        words(z)
    });
}

#[test]
fn a_kernel_has_each_routine_once() {
    let text = |count: usize| {
        let statements =
            "div.u64 %x, %x, %y; or.b64 %x, %x, 1; rem.s64 %z, %z, %x; mul.hi.s64 %y, %z, %x;\n".repeat(count);
        format!(
            ".version 1.4\n.target sm_10\n.entry test (.param .u64 a, .param .u64 b, .param .u32 out) {{
             .reg .u64 %x, %y; .reg .s64 %z; .reg .u32 %o; ld.param.u64 %x, [a]; ld.param.u64 %y, [b];
             ld.param.s64 %z, [a]; {statements} ld.param.u32 %o, [out]; st.global.u64 [%o], %y; }}"
        )
    };
    let length = |count| compile(&text(count)).kernels[0].code.len();
    let (one, two, three) = (length(1), length(2), length(3));
    assert!(three - two < one - (two - one), "{one} {two} {three}");
    let mut machine = Machine::new(&text(2));
    let out = machine.buffer("out", &[0; 2]);
    let (x, y, mut z) = (0xfedc_ba98_7654_3210u64, 0x1_2345_6789u64, 0xfedc_ba98_7654_3210u64.cast_signed());
    let parameters = [words(x), words(y), [out, 0]];
    machine.run("test", [1, 1], [1, 1, 1], &parameters.as_flattened()[..5]);
    let (mut x, mut y) = (x, y);
    for _ in 0..2 {
        x = (x / y) | 1;
        z = z.wrapping_rem(x.cast_signed());
        y = high_signed_product(z.cast_unsigned(), x);
    }
    assert_eq!(machine.words("out"), words(y));
}

/// The float next to an integer in a direction, calculated from the one that is nearest.
fn rounded(value: i128, rounding: &str) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "the conversion rounds")]
    let nearest = value as f32;
    #[expect(clippy::cast_possible_truncation, reason = "integral floats of this range are exact")]
    let exact = |float: f32| float as i128;
    let above = if exact(nearest) >= value { nearest } else { nearest.next_up() };
    let below = if exact(nearest) <= value { nearest } else { nearest.next_down() };
    match rounding {
        "rn" => nearest,
        "rp" => above,
        "rm" => below,
        _ if value < 0 => above,
        _ => below,
    }
}

#[test]
fn integers_become_floats_in_all_roundings() {
    let operands = operands(8);
    for rounding in ["rn", "rz", "rm", "rp"] {
        let statements = format!("cvt.{rounding}.f32.u64 %g, %x; mov.b32 %c, %g; cvt.u64.u32 %z, %c;");
        check_operands(&statements, &operands, |x, _| u64::from(rounded(x.into(), rounding).to_bits()));
        let statements = format!("cvt.{rounding}.f32.s64 %g, %w; mov.b32 %c, %g; cvt.u64.u32 %z, %c;");
        check_operands(&statements, &operands, |x, _| u64::from(rounded(x.cast_signed().into(), rounding).to_bits()));
    }
    check_operands("cvt.rn.sat.f32.s64 %g, %w; mov.b32 %c, %g; cvt.u64.u32 %z, %c;", &operands, |x, _| {
        if x.cast_signed() > 0 { 0x3f80_0000 } else { 0 }
    });
}

#[test]
fn floats_become_integers_in_all_roundings() {
    let mut random = Random::new(9);
    let corners = [
        0.0,
        -0.0,
        0.5,
        1.5,
        -0.5,
        -2.5,
        4_294_967_040.0,
        4_294_967_296.0,
        9.223_371e18,
        9.223_372e18,
        -9.223_372e18,
        -9.223_373e18,
        1.844_674_3e19,
        1.844_674_4e19,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        0.25,
    ];
    let mut operands: Vec<[u64; 2]> = corners.iter().map(|float| [u64::from(float.to_bits()), 0]).collect();
    while operands.len() < 2048 {
        // Exponents from 2^-8 to 2^71.
        let float = random.word() & 0x807f_ffff | (119 + random.below(80)) << 23;
        operands.push([float.into(), 0]);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the low word is the float")]
    let float = |x: u64| f32::from_bits(x as u32);
    type Round = fn(f32) -> f32;
    let roundings: [(&str, Round); 4] =
        [("rni", f32::round_ties_even), ("rzi", f32::trunc), ("rmi", f32::floor), ("rpi", f32::ceil)];
    for (name, round) in roundings {
        let statements = format!("mov.b32 %g, %a; cvt.{name}.u64.f32 %z, %g;");
        // Rust's conversions clamp, and NaN is zero, too; denormal numbers count as zero.
        let flushed = |float: f32| if float.is_subnormal() { 0.0 } else { float };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the conversion clamps")]
        check_operands(&statements, &operands, |x, _| round(flushed(float(x))) as u64);
        let statements = format!("mov.b32 %g, %a; cvt.{name}.s64.f32 %z, %g;");
        #[expect(clippy::cast_possible_truncation, reason = "the conversion clamps")]
        check_operands(&statements, &operands, |x, _| (round(flushed(float(x))) as i64).cast_unsigned());
    }
}

/// The range of a type, and the value of its bits in an integer.
fn range(kind: char, bits: u32) -> (i128, i128) {
    if kind == 's' { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) }
}

/// The value of the low bits of a word of 64 bits.
fn value_of(kind: char, bits: u32, word: u64) -> i128 {
    let shifted = word << (64 - bits);
    if kind == 's' { i128::from(shifted.cast_signed() >> (64 - bits)) } else { i128::from(shifted >> (64 - bits)) }
}

#[test]
fn integers_of_all_sizes_convert() {
    let operands: Vec<[u64; 2]> = operands(10).into_iter().step_by(3).chain([[0, 0]; 127]).collect();
    let operands = &operands[..operands.len() / 128 * 128];
    let sizes = [8, 16, 32, 64].into_iter().flat_map(|bits| [('u', bits), ('s', bits)]);
    for (kind, bits) in sizes {
        for wide_kind in ['u', 's'] {
            for is_clamped in [true, false] {
                let sat = if is_clamped { ".sat" } else { "" };
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the low bits are wanted")]
                let converted = |value: i128, (kind, bits): (char, u32)| {
                    let (low, high) = range(kind, bits);
                    let value = if is_clamped { value.clamp(low, high) } else { value };
                    value_of(kind, bits, value as u64) as u64
                };
                let wide_register = if wide_kind == 'u' { "%x" } else { "%w" };
                let to = format!("cvt{sat}.{kind}{bits}.{wide_kind}64 %z, {wide_register};");
                // Registers wider than the type are extended by its sign.
                check_operands(&to, operands, |x, _| converted(value_of(wide_kind, 64, x), (kind, bits)));
                let from = if bits == 16 { "cvt.u16.u64 %h, %x;" } else { "" };
                let register = match (kind, bits) {
                    (_, 16) => "%h",
                    ('u', 64) => "%x",
                    (_, 64) => "%w",
                    _ => "%a",
                };
                let from = format!("{{ .reg .b16 %h; {from} cvt{sat}.{wide_kind}64.{kind}{bits} %z, {register}; }}");
                check_operands(&from, operands, |x, _| converted(value_of(kind, bits, x), (wide_kind, 64)));
            }
        }
    }
}

#[test]
fn shifts_by_every_count() {
    let operands: Vec<[u64; 2]> = inputs(11).into_iter().map(|[a, b, c, _]| [wide(a, b), u64::from(c % 70)]).collect();
    check_operands("shl.b64 %z, %x, %c;", &operands, |x, y| if y < 64 { x << y } else { 0 });
    check_operands("shr.u64 %z, %x, %c;", &operands, |x, y| if y < 64 { x >> y } else { 0 });
    check_operands("shr.s64 %z, %w, %c;", &operands, |x, y| (x.cast_signed() >> y.min(63)).cast_unsigned());
    check_wide("shl.b64 %z, %x, 64;", |_, _| 0);
    check_wide("shr.s64 %z, %w, 70;", |x, _| (x.cast_signed() >> 63).cast_unsigned());
}
