//! What errors say about typical mistakes.

use super::compile_ptx;
use crate::isa::tesla::TeslaGeneration;

/// The errors of statements in a kernel with some declarations.
fn errors(statements: &str) -> String {
    let text = format!(
        ".version 1.4\n.target sm_10\n.tex .u32 image;\n.entry test (.param .u32 out) {{\n\
         .reg .u32 %r<4>; .reg .f32 %f<4>; .reg .u64 %rd<4>; .reg .u16 %h; .reg .pred %p;\n.shared .u32 tile[4];\n\
         {statements}\n}}"
    );
    compile_ptx("test.ptx", &text).unwrap_err().to_string()
}

/// The first message of a text's errors.
fn message(text: &str) -> String {
    compile_ptx("test.ptx", text).unwrap_err().errors()[0].message.clone()
}

#[test]
fn an_undeclared_register() {
    insta::assert_snapshot!(errors("add.u32 %r1, %r2, %q3;"), @"
    error: the register `%q3` is not declared
      ┌─ test.ptx:7:19
      │
    7 │ add.u32 %r1, %r2, %q3;
      │                   ^^^ not declared
    ");
    insta::assert_snapshot!(errors("mov.f32 %f9, %f1;"), @"
    error: the register `%f9` is not declared
      ┌─ test.ptx:7:9
      │
    7 │ mov.f32 %f9, %f1;
      │         ^^^ not declared
      │
      = `%f<4>` declares numbers below 4
    ");
}

#[test]
fn a_register_of_another_type() {
    insta::assert_snapshot!(errors("add.f32 %f1, %r1, %f2;"), @"
    error: .u32 where .f32 is expected
      ┌─ test.ptx:7:14
      │
    7 │ add.f32 %f1, %r1, %f2;
      │              ^^^ expected .f32
    ");
    insta::assert_snapshot!(errors("add.u32 %r1, %r1, 1.5;"), @"
    error: a float where .u32 is expected
      ┌─ test.ptx:7:19
      │
    7 │ add.u32 %r1, %r1, 1.5;
      │                   ^^^ expected .u32
      │
      = integers are written without a point
    ");
    insta::assert_snapshot!(errors("ld.global.u64 %r1, [%r2];"), @"
    error: .u32 where .u64 is expected
      ┌─ test.ptx:7:15
      │
    7 │ ld.global.u64 %r1, [%r2];
      │               ^^^ expected .u64
    ");
}

#[test]
fn an_unknown_instruction() {
    insta::assert_snapshot!(errors("addd.u32 %r1, %r2, %r3;"), @"
    error: unknown instruction `addd`
      ┌─ test.ptx:7:1
      │
    7 │ addd.u32 %r1, %r2, %r3;
      │ ^^^^ no such instruction
      │
      = did you mean `add`?
    ");
    insta::assert_snapshot!(errors("popc.b32 %r1, %r2;"), @"
    error: `popc` needs sm_20; the target is sm_10
      ┌─ test.ptx:7:1
      │
    7 │ popc.b32 %r1, %r2;
      │ ^^^^ not an instruction of the target
    ");
    insta::assert_snapshot!(errors("vote.all.pred %p, %p;"), @"
    error: `vote` needs sm_12; the target is sm_10
      ┌─ test.ptx:7:1
      │
    7 │ vote.all.pred %p, %p;
      │ ^^^^ not an instruction of the target
    ");
}

#[test]
fn a_modifier_that_is_not_possible() {
    insta::assert_snapshot!(errors("mul.u32 %r1, %r2, %r3;"), @"
    error: `mul.u32` has no form with these modifiers
      ┌─ test.ptx:7:1
      │
    7 │ mul.u32 %r1, %r2, %r3;
      │ ^^^^^^^ a modifier is missing
      │
      = one of: .lo .hi .wide
    ");
    insta::assert_snapshot!(errors("add.stat.s32 %r1, %r2, %r3;"), @"
    error: `.stat` is not possible after `add`
      ┌─ test.ptx:7:4
      │
    7 │ add.stat.s32 %r1, %r2, %r3;
      │    ^^^^^ not a modifier of this instruction
      │
      = did you mean `.sat`?
    ");
    insta::assert_snapshot!(errors("setp.gtu.s32 %p, %r2, %r3;"), @"
    error: this comparison is not possible with .s32
      ┌─ test.ptx:7:1
      │
    7 │ setp.gtu.s32 %p, %r2, %r3;
      │ ^^^^^^^^^^^^ no such form of the instruction
    ");
    insta::assert_snapshot!(errors("ld.u32 %r1, [%r2];"), @"
    error: `ld.u32` has no form with these modifiers
      ┌─ test.ptx:7:1
      │
    7 │ ld.u32 %r1, [%r2];
      │ ^^^^^^ a state space is missing
      │
      = one of: .global .shared .local .const .param
    ");
}

#[test]
fn a_wrong_number_of_operands() {
    insta::assert_snapshot!(errors("add.u32 %r1, %r2;"), @"
    error: `add` has 3 operands, and some are missing
      ┌─ test.ptx:7:1
      │
    7 │ add.u32 %r1, %r2;
      │ ^^^^^^^^^^^^^^^^ 3 operands expected
    ");
    insta::assert_snapshot!(errors("neg.s32 %r1, %r2, %r3;"), @"
    error: `neg` has 2 operands, and more are given
      ┌─ test.ptx:7:1
      │
    7 │ neg.s32 %r1, %r2, %r3;
      │ ^^^^^^^^^^^^^^^^ 2 operands expected
    ");
}

#[test]
fn what_the_target_does_not_have() {
    insta::assert_snapshot!(errors("atom.global.add.u32 %r1, [%r2], 1;"), @"
    error: atomic access needs sm_11; the target is sm_10
      ┌─ test.ptx:7:1
      │
    7 │ atom.global.add.u32 %r1, [%r2], 1;
      │ ^^^^^^^^^^^^^^^^^^^ not possible for the target
    ");
    insta::assert_snapshot!(message(".version 1.4\n.target sm_20\n"), @"the target `sm_20` is not supported");
    insta::assert_snapshot!(message(".version 3.0\n.target sm_10\n"), @"version 3.0 of the language is not known");
    insta::assert_snapshot!(message(".version 1.4\n.target sm_11\n.entry e { .reg .f64 %d; }"), @"double precision needs sm_13 or map_f64_to_f32");
    insta::assert_snapshot!(
        message(".version 1.4\n.target sm_11\n.entry e { .reg .u32 %r; atom.shared.add.u32 %r, [%r], 1; }"), @"atomic access to shared memory needs sm_12; the target is sm_11"
    );
    insta::assert_snapshot!(
        message(".version 1.4\n.target sm_13\n.entry e { .reg .u32 %r; atom.shared.add.u32 %r, [%r], 1; }"), @"atomic access to shared memory needs sm_12, and texts are compiled for sm_11 at most"
    );
}

#[test]
fn a_later_target_is_an_error_where_something_of_it_is_used() {
    let compile = |body: &str| {
        let text = format!(
            ".version 1.4\n.target sm_13\n.entry k (.param .u32 out)\n{{\n.reg .u32 %r<3>; .reg .f64 %fd<4>; .reg .pred %p;\n{body}\nexit;\n}}"
        );
        compile_ptx("test.ptx", &text)
    };
    assert_eq!(compile("ld.param.u32 %r1, [out];").unwrap().generation, TeslaGeneration::Sm10);
    let errors = compile("mov.u32 %r1, 0;\nld.global.f64 %fd1, [%r1];\nadd.f64 %fd1, %fd1, %fd1;\nmov.b64 %fd2, %fd1;\nvote.all.pred %p, %p;\nvote.any.pred %p, %p;").unwrap_err();
    insta::assert_snapshot!(errors, @"
    error: double precision needs sm_13, and texts are compiled for sm_11 at most
      ┌─ test.ptx:7:1
      │
    7 │ ld.global.f64 %fd1, [%r1];
      │ ^^^^^^^^^^^^^ not possible for the target
      │
      = with `map_f64_to_f32` after the target, it is single

    error: `vote` needs sm_12, and texts are compiled for sm_11 at most
       ┌─ test.ptx:10:1
       │
    10 │ vote.all.pred %p, %p;
       │ ^^^^ not an instruction of the target
    ");
    let bits = compile("mov.b64 %fd2, %fd1;").unwrap_err();
    assert_eq!(bits.location(&bits.errors()[0]).0, 6, "{bits}");
}

#[test]
fn a_name_is_refused_once() {
    let text = ".version 1.4\n.target sm_10\n.entry k\n{\n.reg .u33 %bad<9>, worse;\n.reg .u32 %r1;\nmov.u32 %r1, %bad1;\n\
        mov.u32 %r1, %bad2;\nmov.u32 worse, %r1;\nmov.u32 lost, %r1;\nmov.u32 lost, %r1;\nfoo.u32 lost;\nfoo.u32 lost;\nexit;\n}";
    let errors = compile_ptx("test", text).unwrap_err();
    let messages: Vec<_> = errors.errors().iter().map(|error| error.message.as_str()).collect();
    assert_eq!(
        messages,
        ["`.u33` stands here where a type is expected", "the name `lost` is not declared", "unknown instruction `foo`"]
    );
}

#[test]
fn flow_to_nowhere() {
    insta::assert_snapshot!(errors("loop: bra lop;"), @"
    error: there is no label `lop`
      ┌─ test.ptx:7:11
      │
    7 │ loop: bra lop;
      │           ^^^ not declared in this function
      │
      = did you mean `loop`?
    ");
    insta::assert_snapshot!(errors("call later;"), @"
    error: the function `later` is not declared
      ┌─ test.ptx:7:6
      │
    7 │ call later;
      │      ^^^^^ functions are declared before they are called
    ");
}

#[test]
fn several_errors_are_found_at_once() {
    let text =
        errors("mov.u32 %r1, 5\nadd.u32 %r1, %r1, 2;\nfoo;\nst.shared.u32 [image], %r1;\nld.const.u32 %r1, [tile];");
    insta::assert_snapshot!(text, @"
    error: `add` stands here where `;` is expected
      ┌─ test.ptx:8:1
      │
    8 │ add.u32 %r1, %r1, 2;
      │ ^^^ expected `;`

    error: unknown instruction `foo`
      ┌─ test.ptx:9:1
      │
    9 │ foo;
      │ ^^^ no such instruction

    error: `image` is in .tex, not in .shared
       ┌─ test.ptx:10:16
       │
    10 │ st.shared.u32 [image], %r1;
       │                ^^^^^

    error: `tile` is in .shared, not in .const
       ┌─ test.ptx:11:20
       │
    11 │ ld.const.u32 %r1, [tile];
       │                    ^^^^
    ");
}

#[test]
fn memory_that_does_not_suffice() {
    let text = ".version 1.4\n.target sm_10\n.entry e { .shared .u32 a[5000]; .reg .u32 %r; mov.u32 %r, a; \
        ld.shared.u32 %r, [%r]; st.shared.u32 [a], %r; }";
    insta::assert_snapshot!(message(text), @"`a` ends at byte 20016 of .shared");
    let text = ".version 1.4\n.target sm_10\n.entry e .maxnreg 2 { .reg .u32 %r; ld.global.v4.u32 {%r, %r, %r, %r}, [%r]; \
        st.global.u32 [%r], %r; }";
    insta::assert_snapshot!(message(text), @"the statement needs more than 2 registers");
}

#[test]
fn texts_that_end_early() {
    for text in
        ["", ".version", ".version 1.4", ".version 1.4 .target sm_10 .entry", ".version 1.4 .target sm_10 .entry a {"]
    {
        assert!(message(text).starts_with("the text ends"), "{text}");
    }
    assert!(message(".version 1.4 .target sm_10 }").contains("`}`"));
    assert!(message(".version 1.4 .target sm_10 .entry a { \u{e9} }").contains("has no meaning"));
}

#[test]
fn functions_without_a_body_or_an_end() {
    let text = |functions: &str| format!(".version 1.4\n.target sm_10\n{functions}\n.entry test {{ call first; }}");
    let none = text(".func first;");
    assert_eq!(message(&none), "the function `first` has no body");
    let circle = text(".func first .func second { call first; } .func first { call second; }");
    assert_eq!(message(&circle), "the function `first` calls itself");
    let other = text(".func first (.reg .u32 %a) .func first { exit; }");
    assert_eq!(message(&other), "`first` was declared with other results or arguments");
    let twice = text(".func first { exit; } .func first { exit; }");
    assert_eq!(message(&twice), "`first` is declared twice");
}

#[test]
fn addresses_that_are_not_known() {
    let text = |value: &str| {
        format!(
            ".version 1.4\n.target sm_10\n.global .u32 far;\n.shared .u32 near;\n.const .u32 table[4];\n\
             .global .{value};\n.entry test {{ exit; }}"
        )
    };
    assert_eq!(message(&text("u32 p = far")), "the address is not known before the launch");
    assert_eq!(message(&text("u32 p[2] = {1, near}")), "each kernel has another address for the variable");
    assert_eq!(message(&text("f32 p = table")), "an address where .f32 is expected");
    assert_eq!(message(&text("u32 p = tabel")), "the name `tabel` is not declared");
}
