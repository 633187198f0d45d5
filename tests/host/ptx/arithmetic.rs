//! Every group of arithmetic instructions on corner cases and random operands.

use super::Machine;
use crate::common::random::Random;

/// The threads of a block.
const THREADS: u32 = 128;

const CORNERS: [u32; 20] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
];

/// Four words for each of many threads: pairs of corner cases, then random words of random lengths.
pub(super) fn inputs(seed: u64) -> Vec<[u32; 4]> {
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    for one in CORNERS {
        for other in CORNERS {
            found.push([one, other, random.pick(&CORNERS), random.pick(&CORNERS)]);
        }
    }
    while found.len() < 2048 {
        found.push([0; 4].map(|_| random.word() >> random.below(32)));
    }
    found
}

/// The results %d and %e of statements for operands %a, %b, %c and %f of each thread.
pub(super) fn results(header: &str, registers: &str, statements: &str, inputs: &[[u32; 4]]) -> Vec<[u32; 2]> {
    let text = format!(
        "{header}
.entry test (.param .u32 from, .param .u32 to) {{
    .reg .b32 %a, %b, %c, %f, %d, %e, %address, %index;
    .reg .u16 %block;
    .reg .pred %p, %q, %r;
    {registers}
    mov.u16 %block, %ctaid.x;
    mul.wide.u16 %index, %block, {THREADS};
    cvt.u32.u16 %address, %tid.x;
    add.u32 %index, %index, %address;
    shl.b32 %address, %index, 4;
    ld.param.u32 %index, [from];
    add.u32 %address, %address, %index;
    ld.global.b32 %a, [%address];
    ld.global.b32 %b, [%address+4];
    ld.global.b32 %c, [%address+8];
    ld.global.b32 %f, [%address+12];
    mov.b32 %d, 0;
    mov.b32 %e, 0;
    {statements}
    mov.u16 %block, %ctaid.x;
    mul.wide.u16 %index, %block, {THREADS};
    cvt.u32.u16 %address, %tid.x;
    add.u32 %index, %index, %address;
    shl.b32 %address, %index, 3;
    ld.param.u32 %index, [to];
    add.u32 %address, %address, %index;
    st.global.v2.b32 [%address], {{%d, %e}};
    exit;
}}"
    );
    let mut machine = Machine::new(&text);
    let flat: Vec<u32> = inputs.iter().flatten().copied().collect();
    let from = machine.buffer("from", &flat);
    let to = machine.buffer("to", &vec![0; 2 * inputs.len()]);
    let blocks = u32::try_from(inputs.len()).unwrap() / THREADS;
    machine.run("test", [blocks, 1], [THREADS, 1, 1], &[from, to]);
    machine.words("to").chunks(2).map(|pair| [pair[0], pair[1]]).collect()
}

pub(super) const SM_10: &str = ".version 1.4\n.target sm_10";

/// Checks statements against a calculation.
pub(super) fn check(registers: &str, statements: &str, expected: impl Fn([u32; 4]) -> [u32; 2]) {
    let inputs = inputs(1);
    let found = results(SM_10, registers, statements, &inputs);
    for (input, found) in inputs.iter().zip(found) {
        let expected = expected(*input);
        assert_eq!(found, expected, "{statements} of {input:x?}: {found:x?}, expected {expected:x?}");
    }
}

/// Checks a statement with the result %d.
fn check_word(statement: &str, expected: impl Fn(u32, u32, u32) -> u32) {
    check("", statement, |[a, b, c, _]| [expected(a, b, c), 0]);
}

const fn s(value: u32) -> i32 {
    value.cast_signed()
}

#[expect(clippy::cast_possible_truncation, reason = "the low word is wanted")]
const fn low(value: u64) -> u32 {
    value as u32
}

const fn high(value: u64) -> u32 {
    low(value >> 32)
}

pub(super) const fn wide(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

pub(super) const fn words(value: u64) -> [u32; 2] {
    [low(value), high(value)]
}

#[test]
fn sums_and_differences() {
    check_word("add.u32 %d, %a, %b;", |a, b, _| a.wrapping_add(b));
    check_word("add.s32 %d, %a, -5;", |a, _, _| a.wrapping_sub(5));
    check_word("add.sat.s32 %d, %a, %b;", |a, b, _| s(a).saturating_add(s(b)).cast_unsigned());
    check_word("sub.s32 %d, %a, %b;", |a, b, _| a.wrapping_sub(b));
    check_word("sub.s32 %d, 100, %b;", |_, b, _| 100u32.wrapping_sub(b));
    check_word("sub.sat.s32 %d, %a, %b;", |a, b, _| s(a).saturating_sub(s(b)).cast_unsigned());
    check_word("neg.s32 %d, %a;", |a, _, _| a.wrapping_neg());
    check_word("abs.s32 %d, %a;", |a, _, _| s(a).wrapping_abs().cast_unsigned());
    check_word("min.s32 %d, %a, %b;", |a, b, _| s(a).min(s(b)).cast_unsigned());
    check_word("max.u32 %d, %a, %b;", |a, b, _| a.max(b));
    check_word("min.u32 %d, %a, 77;", |a, _, _| a.min(77));
    check_word("sad.s32 %d, %a, %b, %c;", |a, b, c| s(a).abs_diff(s(b)).wrapping_add(c));
    check_word("sad.u32 %d, %a, %b, %c;", |a, b, c| a.abs_diff(b).wrapping_add(c));
    check("", "add.cc.u32 %d, %a, %c; addc.u32 %e, %b, %f;", |[a, b, c, f]| words(wide(a, b).wrapping_add(wide(c, f))));
    check("", "sub.cc.u32 %d, %a, %c; subc.u32 %e, %b, %f;", |[a, b, c, f]| words(wide(a, b).wrapping_sub(wide(c, f))));
}

#[test]
fn products() {
    check_word("mul.lo.u32 %d, %a, %b;", u32_product);
    check_word("mul.lo.s32 %d, %a, 48;", |a, _, _| a.wrapping_mul(48));
    check_word("mul.lo.s32 %d, %a, 64;", |a, _, _| a.wrapping_mul(64));
    check_word("mul.hi.u32 %d, %a, %b;", |a, b, _| high(u64::from(a) * u64::from(b)));
    check_word("mul.hi.s32 %d, %a, %b;", |a, b, _| high((i64::from(s(a)) * i64::from(s(b))).cast_unsigned()));
    check_word("mad.lo.s32 %d, %a, %b, %c;", |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    check_word("mad.hi.u32 %d, %a, %b, %c;", |a, b, c| high(u64::from(a) * u64::from(b)).wrapping_add(c));
    let signed24 = |value: u32| i64::from(s(value << 8) >> 8);
    let unsigned24 = |value: u32| u64::from(value & 0xff_ffff);
    check_word("mul24.lo.u32 %d, %a, %b;", |a, b, _| low(unsigned24(a) * unsigned24(b)));
    check_word("mul24.lo.s32 %d, %a, %b;", |a, b, _| low((signed24(a) * signed24(b)).cast_unsigned()));
    check_word("mul24.hi.u32 %d, %a, %b;", |a, b, _| low((unsigned24(a) * unsigned24(b)) >> 16));
    check_word("mul24.hi.s32 %d, %a, %b;", |a, b, _| low(((signed24(a) * signed24(b)) >> 16).cast_unsigned()));
    check_word("mad24.lo.u32 %d, %a, %b, %c;", |a, b, c| low(unsigned24(a) * unsigned24(b)).wrapping_add(c));
    check_word("mad24.lo.s32 %d, %a, 1000, %c;", |a, _, c| low((signed24(a) * 1000).cast_unsigned()).wrapping_add(c));
}

fn u32_product(a: u32, b: u32, _: u32) -> u32 {
    a.wrapping_mul(b)
}

#[test]
fn wide_products() {
    let registers = ".reg .u64 %x, %y; .reg .s64 %z;";
    check(registers, "mul.wide.u32 %x, %a, %b; mov.b64 {%d, %e}, %x;", |[a, b, ..]| words(u64::from(a) * u64::from(b)));
    check(registers, "mul.wide.s32 %z, %a, %b; mov.b64 {%d, %e}, %z;", |[a, b, ..]| {
        words((i64::from(s(a)) * i64::from(s(b))).cast_unsigned())
    });
    let statements = "mov.b64 %x, {%c, %f}; mad.wide.u32 %x, %a, %b, %x; mov.b64 {%d, %e}, %x;";
    check(registers, statements, |[a, b, c, f]| words((u64::from(a) * u64::from(b)).wrapping_add(wide(c, f))));
}

#[test]
fn divisions_are_exact() {
    let inputs: Vec<_> = inputs(2).into_iter().map(|[a, b, c, f]| [a, b.max(1), c, f]).collect();
    let both = |kind: &str| format!("div.{kind} %d, %a, %b; rem.{kind} %e, %a, %b;");
    for (input, found) in inputs.iter().zip(results(SM_10, "", &both("u32"), &inputs)) {
        let [a, b, ..] = *input;
        assert_eq!(found, [a / b, a % b], "{a} / {b}");
    }
    for (input, found) in inputs.iter().zip(results(SM_10, "", &both("s32"), &inputs)) {
        let [a, b] = [s(input[0]), s(input[1])];
        assert_eq!(found, [a.wrapping_div(b), a.wrapping_rem(b)].map(i32::cast_unsigned), "{a} / {b}");
    }
    let registers = ".reg .u16 %h, %i; .reg .s16 %j;";
    let halves: Vec<_> = inputs.iter().map(|[a, b, c, f]| [*a, (b & 0xffff).max(1), *c, *f]).collect();
    let statements = "cvt.u16.u32 %h, %a; cvt.u16.u32 %i, %b; div.u16 %h, %h, %i; cvt.u32.u16 %d, %h;
        cvt.s16.s32 %j, %a; rem.s16 %j, %j, 7; cvt.s32.s16 %e, %j;";
    for (input, found) in halves.iter().zip(results(SM_10, registers, statements, &halves)) {
        let [a, b] = [input[0] & 0xffff, input[1]];
        #[expect(clippy::cast_possible_truncation, reason = "the low half is wanted")]
        let half = i32::from(a as u16 as i16);
        assert_eq!(found, [a / b, (half % 7).cast_unsigned()], "{a} / {b}");
    }
}

#[test]
fn halves() {
    let registers = ".reg .u16 %h, %i, %j; .reg .s16 %k, %l;";
    let with =
        |rest: &str| format!("cvt.u16.u32 %h, %a; cvt.u16.u32 %i, %b; cvt.s16.s32 %k, %a; cvt.s16.s32 %l, %b; {rest}");
    #[expect(clippy::cast_possible_truncation, reason = "the low halves are wanted")]
    let check_half = |rest: &str, unsigned: fn(u16, u16) -> u32, signed: fn(i16, i16) -> u32| {
        check(registers, &with(rest), |[a, b, ..]| {
            [unsigned(a as u16, b as u16), signed(a as u16 as i16, b as u16 as i16)]
        });
    };
    check_half(
        "add.u16 %h, %h, %i; cvt.u32.u16 %d, %h; add.s16 %k, %k, %l; cvt.s32.s16 %e, %k;",
        |a, b| a.wrapping_add(b).into(),
        |a, b| i32::from(a.wrapping_add(b)).cast_unsigned(),
    );
    check_half(
        "mul.lo.u16 %h, %h, %i; cvt.u32.u16 %d, %h; mul.hi.s16 %k, %k, %l; cvt.s32.s16 %e, %k;",
        |a, b| a.wrapping_mul(b).into(),
        |a, b| ((i32::from(a) * i32::from(b)) >> 16).cast_unsigned(),
    );
    check_half(
        "mul.wide.u16 %d, %h, %i; mul.wide.s16 %e, %k, %l;",
        |a, b| u32::from(a) * u32::from(b),
        |a, b| (i32::from(a) * i32::from(b)).cast_unsigned(),
    );
    check_half(
        "shr.u16 %h, %h, 3; cvt.u32.u16 %d, %h; shr.s16 %k, %k, 3; cvt.s32.s16 %e, %k;",
        |a, _| (a >> 3).into(),
        |a, _| i32::from(a >> 3).cast_unsigned(),
    );
    check_half(
        "min.u16 %h, %h, %i; cvt.u32.u16 %d, %h; max.s16 %k, %k, %l; cvt.s32.s16 %e, %k;",
        |a, b| a.min(b).into(),
        |a, b| i32::from(a.max(b)).cast_unsigned(),
    );
    check_half(
        "not.b16 %h, %h; cvt.u32.u16 %d, %h; neg.s16 %k, %k; cvt.s32.s16 %e, %k;",
        |a, _| (!a).into(),
        |a, _| i32::from(a.wrapping_neg()).cast_unsigned(),
    );
    check_half(
        "setp.lt.u16 %p, %h, %i; selp.u32 %d, 1, 0, %p; setp.lt.s16 %p, %k, %l; selp.u32 %e, 1, 0, %p;",
        |a, b| (a < b).into(),
        |a, b| (a < b).into(),
    );
    check_half(
        "mov.b32 %d, {%h, %i}; mov.b32 {%j, %h}, %d; cvt.u32.u16 %e, %h;",
        |a, b| u32::from(a) | u32::from(b) << 16,
        |_, b| u32::from(b.cast_unsigned()),
    );
}

#[test]
fn logic_and_shifts() {
    check_word("and.b32 %d, %a, %b;", |a, b, _| a & b);
    check_word("or.b32 %d, %a, 0xff00;", |a, _, _| a | 0xff00);
    check_word("xor.b32 %d, %a, %b;", |a, b, _| a ^ b);
    check_word("not.b32 %d, %a;", |a, _, _| !a);
    check_word("cnot.b32 %d, %a;", |a, _, _| u32::from(a == 0));
    check_word("shl.b32 %d, %a, %b;", |a, b, _| a.checked_shl(b).unwrap_or(0));
    check_word("shr.u32 %d, %a, %b;", |a, b, _| a.checked_shr(b).unwrap_or(0));
    check_word("shr.s32 %d, %a, %b;", |a, b, _| (s(a) >> b.min(31)).cast_unsigned());
    check_word("shl.b32 %d, %a, 40;", |_, _, _| 0);
    check_word("shr.s32 %d, %a, 9;", |a, _, _| (s(a) >> 9).cast_unsigned());
}

#[test]
fn comparisons() {
    for (name, holds) in [("eq", [false, true, false]), ("ne", [true, false, true]), ("lt", [true, false, false])]
        .into_iter()
        .chain([("le", [true, true, false]), ("gt", [false, false, true]), ("ge", [false, true, true])])
    {
        let of = |order: std::cmp::Ordering| holds[usize::try_from(order as i8 + 1).unwrap()];
        let statements = format!("set.{name}.u32.s32 %d, %a, %b; setp.{name}.u32 %p, %a, %b; selp.u32 %e, 1, 2, %p;");
        check("", &statements, |[a, b, ..]| {
            let is_less = if of(s(a).cmp(&s(b))) { u32::MAX } else { 0 };
            [is_less, if of(a.cmp(&b)) { 1 } else { 2 }]
        });
        let registers = ".reg .u64 %x, %y; .reg .s64 %z, %w;";
        let statements = format!(
            "mov.b64 %x, {{%a, %b}}; mov.b64 %y, {{%c, %f}}; setp.{name}.u64 %p, %x, %y; selp.u32 %d, 1, 2, %p;
             mov.b64 %z, {{%a, %b}}; mov.b64 %w, {{%c, %f}}; set.{name}.u32.s64 %e, %z, %w;"
        );
        check(registers, &statements, |[a, b, c, f]| {
            let (x, y) = (wide(a, b), wide(c, f));
            let signed = if of(x.cast_signed().cmp(&y.cast_signed())) { u32::MAX } else { 0 };
            [if of(x.cmp(&y)) { 1 } else { 2 }, signed]
        });
    }
}

#[test]
fn predicates_combine() {
    let statements = "setp.lt.u32 %p, %a, %b; setp.gt.and.s32 %q|%r, %c, 5, !%p;
        selp.u32 %d, 1, 0, %q; selp.u32 %e, 1, 0, %r;";
    check("", statements, |[a, b, c, _]| [u32::from(s(c) > 5 && a >= b), u32::from(s(c) <= 5 && a >= b)]);
    let statements = "setp.lt.u32 %p, %a, %b; set.ne.xor.u32.u32 %d, %c, %f, %p; set.ne.or.f32.u32 %f2, %c, %f, %p; mov.b32 %e, %f2;";
    check(".reg .f32 %f2;", statements, |[a, b, c, f]| {
        [if (c != f) ^ (a < b) { u32::MAX } else { 0 }, if c != f || a < b { 0x3f80_0000 } else { 0 }]
    });
    let statements = "setp.lt.u32 %p, %a, %b; setp.lt.u32 %q, %c, %f; xor.pred %r, %p, %q; not.pred %r, %r;
        @%r mov.u32 %d, 7; @!%r add.u32 %d, %a, 3; and.pred %r, %p, %q; or.pred %q, %r, %p; mov.pred %r, %q;
        @%r mul.lo.u32 %e, %a, %b;";
    check("", statements, |[a, b, c, f]| {
        let d = if (a < b) == (c < f) { 7 } else { a.wrapping_add(3) };
        [d, if a < b { a.wrapping_mul(b) } else { 0 }]
    });
    let statements = "slct.u32.s32 %d, %a, %b, %c; mov.b32 %x, %c; slct.b32.f32 %e, %a, %b, %x;";
    check(".reg .f32 %x;", statements, |[a, b, c, _]| {
        let float = f32::from_bits(c);
        // Denormal numbers count as zero.
        let is_at_least_zero = float >= 0.0 || float.is_subnormal();
        [if s(c) >= 0 { a } else { b }, if is_at_least_zero { a } else { b }]
    });
}

/// More predicates than the machine has condition registers live at the same time.
#[test]
fn many_predicates_live_at_once() {
    let statements: String = (0..12)
        .map(|bit| format!("and.b32 %t, %a, {}; setp.ne.u32 %p{bit}, %t, 0;\n", 1 << bit))
        .chain((0..12).map(|bit| format!("@%p{bit} add.u32 %d, %d, {};\n", 3u32.pow(bit))))
        .chain((0..12).map(|bit| format!("@!%p{bit} xor.b32 %e, %e, {};\n", 1 << bit)))
        .collect();
    check(".reg .pred %p<12>; .reg .u32 %t;", &statements, |[a, ..]| {
        let sum = (0..12).filter(|bit| a >> bit & 1 != 0).map(|bit| 3u32.pow(bit)).sum();
        [sum, !a & 0xfff]
    });
}

#[test]
fn pairs_of_words() {
    let registers = ".reg .u64 %x, %y, %z; .reg .s64 %w;";
    let check_wide = |statements: &str, expected: fn(u64, u64, u32) -> u64| {
        let statements = format!(
            "mov.b64 %x, {{%a, %b}}; mov.b64 %y, {{%c, %f}}; mov.b64 %w, {{%a, %b}}; {statements} mov.b64 {{%d, %e}}, %z;"
        );
        check(registers, &statements, |[a, b, c, f]| words(expected(wide(a, b), wide(c, f), c)));
    };
    check_wide("add.u64 %z, %x, %y;", |x, y, _| x.wrapping_add(y));
    check_wide("sub.u64 %z, %x, %y;", |x, y, _| x.wrapping_sub(y));
    check_wide("add.u64 %z, %x, 0x123456789;", |x, _, _| x.wrapping_add(0x1_2345_6789));
    check_wide("mul.lo.u64 %z, %x, %y;", |x, y, _| x.wrapping_mul(y));
    check_wide("mad.lo.u64 %z, %x, %y, %x;", |x, y, _| x.wrapping_mul(y).wrapping_add(x));
    check_wide("xor.b64 %z, %x, %y; not.b64 %z, %z;", |x, y, _| !(x ^ y));
    check_wide("neg.s64 %z, %w;", |x, _, _| x.wrapping_neg());
    check_wide("abs.s64 %z, %w;", |x, _, _| x.cast_signed().wrapping_abs().cast_unsigned());
    check_wide("min.u64 %z, %x, %y;", |x, y, _| x.min(y));
    check_wide("max.s64 %z, %x, %y;", |x, y, _| x.cast_signed().max(y.cast_signed()).cast_unsigned());
    check_wide("shl.b64 %z, %x, %c;", |x, _, count| x.checked_shl(count).unwrap_or(0));
    check_wide("shr.u64 %z, %x, %c;", |x, _, count| x.checked_shr(count).unwrap_or(0));
    check_wide("shr.s64 %z, %w, %c;", |x, _, count| (x.cast_signed() >> count.min(63)).cast_unsigned());
    check_wide("shl.b64 %z, %x, 36; shr.u64 %z, %z, 3;", |x, _, _| (x << 36) >> 3);
    check_wide("shr.s64 %z, %w, 33; shl.b64 %z, %z, 7;", |x, _, _| ((x.cast_signed() >> 33) << 7).cast_unsigned());
    check_wide("setp.gt.u64 %p, %x, %y; selp.u64 %z, %x, %y, %p;", |x, y, _| x.max(y));
    check_wide("setp.gt.u64 %p, %x, %y; mov.u64 %z, %x; @%p add.u64 %z, %z, %y;", |x, y, _| {
        if x > y { x.wrapping_add(y) } else { x }
    });
    check_wide("cvt.u64.u32 %z, %a;", |x, _, _| x & 0xffff_ffff);
    check_wide("cvt.s64.s32 %z, %a;", |x, _, _| i64::from(s(low(x))).cast_unsigned());
    check_wide("cvt.u32.u64 %d, %x; cvt.u64.u32 %z, %d;", |x, _, _| x & 0xffff_ffff);
    check_wide("cnot.b64 %z, %x;", |x, _, _| u64::from(x == 0));
}

#[test]
fn integer_conversions() {
    let registers = ".reg .u16 %h; .reg .s16 %k;";
    let check_conversion = |statements: &str, expected: fn(u32) -> u32| {
        check(registers, statements, |[a, ..]| [expected(a), 0]);
    };
    check_conversion("cvt.u8.u32 %d, %a;", |a| a & 0xff);
    check_conversion("cvt.s8.s32 %d, %a;", |a| (s(a << 24) >> 24).cast_unsigned());
    check_conversion("cvt.s16.s32 %d, %a;", |a| (s(a << 16) >> 16).cast_unsigned());
    check_conversion("cvt.sat.u8.s32 %d, %a;", |a| s(a).clamp(0, 255).cast_unsigned());
    check_conversion("cvt.sat.s8.u32 %d, %a;", |a| a.min(127));
    check_conversion("cvt.sat.s16.s32 %d, %a;", |a| s(a).clamp(-32768, 32767).cast_unsigned());
    check_conversion("cvt.sat.s32.u32 %d, %a;", |a| a.min(0x7fff_ffff));
    check_conversion("cvt.sat.u32.s32 %d, %a;", |a| s(a).max(0).cast_unsigned());
    check_conversion("cvt.u16.u32 %h, %a; cvt.s32.s8 %d, %h;", |a| (s(a << 24) >> 24).cast_unsigned());
    check_conversion("cvt.s16.s32 %k, %a; cvt.sat.u8.s16 %d, %k;", |a| {
        (s(a << 16) >> 16).clamp(0, 255).cast_unsigned()
    });
}

/// Floats whose sums and products neither overflow nor become denormal.
fn floats(seed: u64) -> Vec<[u32; 4]> {
    let mut random = Random::new(seed);
    let mut float = || random.word() & 0x807f_ffff | (0x7f - 16 + random.below(32)) << 23;
    (0..2048).map(|_| [float(), float(), float(), float()]).collect()
}

/// Checks statements on floats %x, %y and %z with the result %w.
fn check_floats(statements: &str, tolerance: f32, expected: impl Fn(f32, f32, f32) -> f32) {
    let inputs = floats(3);
    let statements = format!("mov.b32 %x, %a; mov.b32 %y, %b; mov.b32 %z, %c; {statements} mov.b32 %d, %w;");
    let found = results(SM_10, ".reg .f32 %x, %y, %z, %w, %v;", &statements, &inputs);
    for (input, found) in inputs.iter().zip(found) {
        let [x, y, z, _] = input.map(f32::from_bits);
        let (expected, found) = (expected(x, y, z), f32::from_bits(found[0]));
        if expected.is_nan() && found.is_nan() {
            continue;
        }
        let error = (found - expected).abs();
        let allowed = tolerance * expected.abs();
        assert!(error <= allowed, "{statements} of {x} {y} {z}: {found}, expected {expected}");
    }
}

/// Two units in the last place.
const TWO_ULPS: f32 = 2.0 * f32::EPSILON;

#[test]
fn float_arithmetic() {
    check_floats("add.f32 %w, %x, %y;", 0.0, |x, y, _| x + y);
    check_floats("add.rn.f32 %w, %x, 0f40490FDB;", 0.0, |x, _, _| x + f32::from_bits(0x4049_0fdb));
    check_floats("sub.f32 %w, %x, %y;", 0.0, |x, y, _| x - y);
    check_floats("sub.f32 %w, 1.5, %y;", 0.0, |_, y, _| 1.5 - y);
    check_floats("add.rz.f32 %w, %x, %y;", f32::EPSILON, |x, y, _| x + y);
    check_floats("add.sat.f32 %w, %x, %y;", 0.0, |x, y, _| (x + y).clamp(0.0, 1.0));
    check_floats("mul.f32 %w, %x, %y;", 0.0, |x, y, _| x * y);
    check_floats("mul.f32 %w, %x, 0.1;", 0.0, |x, _, _| x * 0.1);
    check_floats("mul.sat.f32 %w, %x, %y;", 0.0, |x, y, _| (x * y).clamp(0.0, 1.0));
    check_floats("abs.f32 %w, %x; neg.f32 %w, %w;", 0.0, |x, _, _| -x.abs());
    check_floats("min.f32 %v, %x, %y; max.f32 %w, %v, %z;", 0.0, |x, y, z| x.min(y).max(z));
    check_floats("mul.f32 %x, %x, %x; mul.f32 %y, %y, %y; mad.f32 %w, %x, %y, 1.0;", TWO_ULPS, |x, y, _| {
        (x * x) * (y * y) + 1.0
    });
    check_floats("setp.ltu.f32 %p, %x, %y; selp.f32 %w, %x, %y, %p;", 0.0, f32_min);
    check_floats("set.ge.f32.f32 %w, %x, %y;", 0.0, |x, y, _| if x >= y { 1.0 } else { 0.0 });
}

fn f32_min(x: f32, y: f32, _: f32) -> f32 {
    x.min(y)
}

#[test]
fn float_functions() {
    check_floats("rcp.approx.f32 %w, %x;", f32::EPSILON, |x, _, _| 1.0 / x);
    check_floats("div.approx.f32 %w, %x, %y;", TWO_ULPS, |x, y, _| x / y);
    check_floats("div.full.f32 %w, %x, %y;", TWO_ULPS, |x, y, _| x / y);
    check_floats("div.f32 %w, %x, %y;", TWO_ULPS, |x, y, _| x / y);
    check_floats("sqrt.approx.f32 %w, %x;", 2.0 * TWO_ULPS, |x, _, _| x.sqrt());
    check_floats("abs.f32 %x, %x; rsqrt.approx.f32 %w, %x;", TWO_ULPS, |x, _, _| x.abs().sqrt().recip());
    check_floats("abs.f32 %x, %x; add.f32 %x, %x, 2.0; lg2.approx.f32 %w, %x;", 1e-5, |x, _, _| (x.abs() + 2.0).log2());
    check_floats("min.f32 %x, %x, 8.0; max.f32 %x, %x, -8.0; ex2.approx.f32 %w, %x;", 1e-6, |x, _, _| {
        x.clamp(-8.0, 8.0).exp2()
    });
    check_floats("add.sat.f32 %x, %x, 0.25; sin.approx.f32 %w, %x;", 1e-4, |x, _, _| (x + 0.25).clamp(0.0, 1.0).sin());
    check_floats("add.sat.f32 %x, %x, 0.25; cos.approx.f32 %w, %x;", 1e-5, |x, _, _| (x + 0.25).clamp(0.0, 1.0).cos());
    // Division over the full range: the reciprocal of the divisor would be denormal.
    let statements = "mov.f32 %y, 0f7F000000; mov.f32 %z, 0f7E800000; max.f32 %x, %x, -1.0; min.f32 %x, %x, 1.0;
        mul.f32 %x, %x, %z; div.full.f32 %w, %x, %y;";
    check_floats(statements, TWO_ULPS, |x, _, _| {
        x.clamp(-1.0, 1.0) * f32::from_bits(0x7e80_0000) / f32::from_bits(0x7f00_0000)
    });
}

#[test]
fn float_conversions() {
    check_floats("cvt.rn.f32.s32 %w, %a;", 0.0, |x, _, _| {
        #[expect(clippy::cast_precision_loss, reason = "the conversion rounds")]
        let float = x.to_bits().cast_signed() as f32;
        float
    });
    check_floats("cvt.rn.f32.u32 %w, %a;", 0.0, |x, _, _| {
        #[expect(clippy::cast_precision_loss, reason = "the conversion rounds")]
        let float = x.to_bits() as f32;
        float
    });
    check_floats("cvt.rzi.s32.f32 %d, %x; cvt.rn.f32.s32 %w, %d;", 0.0, |x, _, _| x.trunc());
    check_floats("cvt.rni.f32.f32 %w, %x;", 0.0, |x, _, _| x.round_ties_even());
    check_floats("cvt.rmi.f32.f32 %w, %x;", 0.0, |x, _, _| x.floor());
    check_floats("cvt.rpi.f32.f32 %w, %x;", 0.0, |x, _, _| x.ceil());
    check_floats("cvt.sat.f32.f32 %w, %x;", 0.0, |x, _, _| x.clamp(0.0, 1.0));
    check_floats("cvt.rzi.u8.f32 %d, %x; cvt.rn.f32.u32 %w, %d;", 0.0, |x, _, _| x.trunc().clamp(0.0, 255.0));
    // Of normal numbers, eleven bits of significand remain.
    let statements = "{ .reg .b16 %h; abs.f32 %x, %x; max.f32 %x, %x, 0.0001; min.f32 %x, %x, 65504.0;
        cvt.rn.f16.f32 %h, %x; cvt.f32.f16 %w, %h; }";
    check_floats(statements, 1.0 / 2048.0, |x, _, _| x.abs().clamp(0.0001, 65504.0));
}
