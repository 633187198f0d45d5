//! Values that are known while a kernel is compiled, and copies that are not needed.

use curie::isa::tesla::decode_program;
use curie::shader::simt::ProgramKind;

use super::arithmetic::{check, wide, words};
use super::compile;

/// The instructions of a kernel with statements on words %a and %b and pairs %x and %y.
fn count(statements: &str) -> usize {
    let text = format!(
        ".version 1.4\n.target sm_10\n.entry test (.param .u64 x, .param .u64 y, .param .u32 out) {{
    .reg .u32 %a, %b, %o; .reg .u64 %x, %y; .reg .u16 %h; .reg .pred %p;
    ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u32 %o, [out]; mov.b64 {{%a, %b}}, %x;
    {statements}
    st.global.u32 [%o], %a; st.global.u64 [%o+8], %x;
}}"
    );
    decode_program(&compile(&text).kernels[0].code, ProgramKind::Compute).count()
}

/// Checks that one text takes as many instructions as another one, which needs no knowledge, and that they mean the same.
fn check_alike(registers: &str, long: &str, short: &str, expected: impl Fn(u64) -> u64) {
    let declared = format!("{{ {registers} {long} }}");
    assert_eq!(count(&declared), count(short), "{long}");
    let pairs = ".reg .u64 %x; .reg .u16 %h;";
    let statements = format!("mov.b64 %x, {{%a, %b}}; {declared} cvt.u32.u64 %e, %x; mov.u32 %d, %a;");
    check(pairs, &statements, |[a, b, ..]| {
        let [low, _] = words(expected(wide(a, b)));
        [low, low]
    });
}

#[test]
fn neutral_operands_cost_nothing() {
    let registers = ".reg .u32 %zero, %ones; .reg .u64 %none;";
    let known = "mov.u32 %zero, 0; mov.u32 %ones, 0xffffffff; mov.u64 %none, 0;";
    let statements = "add.u32 %a, %a, %zero; sub.u32 %a, %a, 0; or.b32 %a, %a, %zero; xor.b32 %a, %zero, %a;
        and.b32 %a, %a, %ones; shl.b32 %a, %a, %zero; mul.lo.u32 %a, %a, 1; div.u32 %a, %a, 1;
        add.u64 %x, %x, %none; sub.u64 %x, %x, 0; shr.u64 %x, %x, %zero; mul.lo.u64 %x, %x, 1; div.u64 %x, %x, 1;";
    check_alike(registers, &format!("{known} {statements}"), "", |x| x);
}

#[test]
fn known_powers_of_two_shift_and_mask() {
    let registers = ".reg .u32 %eight; .reg .u64 %large;";
    let known = "mov.u32 %eight, 8; mov.u64 %large, 0x1000;";
    let statements = "mul.lo.u32 %a, %a, %eight; mul.lo.u64 %x, %large, %x;";
    let shifts = "shl.b32 %a, %a, 3; shl.b64 %x, %x, 12;";
    assert_eq!(count(&format!("{{ {registers} {known} {statements} }}")), count(shifts));
    let statements = "div.u32 %a, %a, %eight; rem.u32 %b, %b, %eight; xor.b32 %a, %a, %b; rem.u64 %x, %x, %large;";
    let shifts = "shr.u32 %a, %a, 3; and.b32 %b, %b, 7; xor.b32 %a, %a, %b; and.b64 %x, %x, 0xfff;";
    assert_eq!(count(&format!("{{ {registers} {known} {statements} }}")), count(shifts));
    let statements = format!(
        "{{ {registers} {known} mul.lo.u32 %d, %a, %eight; div.u32 %e, %b, %eight; rem.u32 %c, %b, %eight;
         xor.b32 %e, %e, %c; mov.b64 %x, {{%a, %b}}; div.u64 %y, %x, %large; rem.u64 %z, %x, %large;
         mul.lo.u64 %x, %x, %large; xor.b64 %x, %x, %y; add.u64 %x, %x, %z; mov.b64 {{%c, %f}}, %x;
         add.u32 %d, %d, %c; add.u32 %e, %e, %f; }}"
    );
    check(".reg .u64 %x, %y, %z;", &statements, |[a, b, ..]| {
        let x = wide(a, b);
        let [c, f] = words(((x << 12) ^ (x >> 12)).wrapping_add(x & 0xfff));
        [(a << 3).wrapping_add(c), ((b >> 3) ^ (b & 7)).wrapping_add(f)]
    });
}

#[test]
fn sums_of_constants_are_calculated_once() {
    let registers = ".reg .u32 %one, %two, %three, %four, %five; .reg .u16 %half;";
    let statements = "mov.u32 %one, 1; add.u32 %two, %one, 0x10000; shl.b32 %four, %two, 2; or.b32 %three, %four, %one;
        cvt.u16.u32 %half, %three; cvt.u32.u16 %five, %half; sub.u32 %a, %a, %three;";
    let kept = format!("{{ {registers} {statements} }}");
    assert!(count(&kept) <= count("sub.u32 %a, %a, 0x40005;") + 1, "{}", count(&kept));
    let statements = format!("{{ {registers} {statements} add.u32 %d, %a, %five; }}");
    check("", &statements, |[a, ..]| [a.wrapping_sub(0x4_0005).wrapping_add(5), 0]);
}

/// A register that is written twice, under a guard or by a function has no known value.
#[test]
fn what_may_change_is_not_known() {
    let statements = "
        mov.u32 %x, 4;
        setp.lt.u32 %p, %a, %b;
        @%p mov.u32 %x, 8;
        mul.lo.u32 %d, %a, %x;
        mov.u32 %y, 2;
        mov.u32 %i, 0;
    again:
        mul.lo.u32 %e, %b, %y;
        add.u32 %y, %y, 1;
        add.u32 %i, %i, 1;
        setp.lt.u32 %q, %i, 3;
        @%q bra again;";
    check(".reg .u32 %x, %y, %i;", statements, |[a, b, ..]| {
        [a.wrapping_mul(if a < b { 8 } else { 4 }), b.wrapping_mul(4)]
    });
}

/// Results are calculated where they are kept, unless something still needs what was there.
#[test]
fn results_overwrite_operands() {
    let statements = "mov.b64 %x, {%a, %b}; mov.b64 %y, {%c, %f};
        add.u64 %x, %x, %y; sub.u64 %y, %x, %y; mad.lo.u64 %x, %y, %x, %x; shl.b64 %x, %x, %c; shl.b64 %y, %y, 32;
        setp.lt.u32 %p, %a, %b; selp.u64 %x, %y, %x, %p; selp.u64 %y, %x, %y, %p; @%p add.u64 %x, %x, %y;
        @!%p shr.u64 %y, %y, 7; min.u64 %x, %x, %y; sad.u64 %y, %x, %y, %y; mov.b64 {%b, %a}, %y;
        add.u64 %x, %x, %y; mov.b64 {%d, %e}, %x; selp.u32 %a, %b, %a, %p; add.u32 %d, %d, %a;";
    check(".reg .u64 %x, %y;", statements, |[a, b, c, f]| {
        let (mut x, mut y) = (wide(a, b), wide(c, f));
        x = x.wrapping_add(y);
        y = x.wrapping_sub(y);
        x = y.wrapping_mul(x).wrapping_add(x);
        x = x.checked_shl(c).unwrap_or(0);
        y <<= 32;
        let is_less = a < b;
        x = if is_less { y } else { x };
        y = if is_less { x } else { y };
        if is_less {
            x = x.wrapping_add(y);
        } else {
            y >>= 7;
        }
        x = x.min(y);
        y = x.abs_diff(y).wrapping_add(y);
        let [b, a] = words(y);
        let [d, e] = words(x.wrapping_add(y));
        [d.wrapping_add(if is_less { b } else { a }), e]
    });
}
