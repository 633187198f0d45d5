//! What errors say about typical mistakes.

use super::compile_ptx;

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
    insta::assert_snapshot!(errors("add.u32 %r1, %r2, %q3;"), @"");
    insta::assert_snapshot!(errors("mov.f32 %f9, %f1;"), @"");
}

#[test]
fn a_register_of_another_type() {
    insta::assert_snapshot!(errors("add.f32 %f1, %r1, %f2;"), @"");
    insta::assert_snapshot!(errors("add.u32 %r1, %r1, 1.5;"), @"");
    insta::assert_snapshot!(errors("ld.global.u64 %r1, [%r2];"), @"");
}

#[test]
fn an_unknown_instruction() {
    insta::assert_snapshot!(errors("addd.u32 %r1, %r2, %r3;"), @"");
    insta::assert_snapshot!(errors("popc.b32 %r1, %r2;"), @"");
    insta::assert_snapshot!(errors("vote.all.pred %p, %p;"), @"");
}

#[test]
fn a_modifier_that_is_not_possible() {
    insta::assert_snapshot!(errors("mul.u32 %r1, %r2, %r3;"), @"");
    insta::assert_snapshot!(errors("add.stat.s32 %r1, %r2, %r3;"), @"");
    insta::assert_snapshot!(errors("setp.gtu.s32 %p, %r2, %r3;"), @"");
    insta::assert_snapshot!(errors("ld.u32 %r1, [%r2];"), @"");
}

#[test]
fn a_wrong_number_of_operands() {
    insta::assert_snapshot!(errors("add.u32 %r1, %r2;"), @"");
    insta::assert_snapshot!(errors("neg.s32 %r1, %r2, %r3;"), @"");
}

#[test]
fn what_the_target_does_not_have() {
    insta::assert_snapshot!(errors("atom.global.add.u32 %r1, [%r2], 1;"), @"");
    insta::assert_snapshot!(message(".version 1.4\n.target sm_20\n"), @"");
    insta::assert_snapshot!(message(".version 2.0\n.target sm_10\n"), @"");
    insta::assert_snapshot!(message(".version 1.4\n.target sm_11\n.entry e { .reg .f64 %d; }"), @"");
    insta::assert_snapshot!(
        message(".version 1.4\n.target sm_11\n.entry e { .reg .u32 %r; atom.shared.add.u32 %r, [%r], 1; }"), @""
    );
}

#[test]
fn flow_to_nowhere() {
    insta::assert_snapshot!(errors("loop: bra lop;"), @"");
    insta::assert_snapshot!(errors("call later;"), @"");
}

#[test]
fn several_errors_are_found_at_once() {
    let text =
        errors("mov.u32 %r1, 5\nadd.u32 %r1, %r1, 2;\nfoo;\nst.shared.u32 [image], %r1;\nld.const.u32 %r1, [tile];");
    insta::assert_snapshot!(text, @"");
}

#[test]
fn memory_that_does_not_suffice() {
    let text = ".version 1.4\n.target sm_10\n.entry e { .shared .u32 a[5000]; .reg .u32 %r; mov.u32 %r, a; \
        ld.shared.u32 %r, [%r]; st.shared.u32 [a], %r; }";
    insta::assert_snapshot!(message(text), @"");
    let text = ".version 1.4\n.target sm_10\n.entry e .maxnreg 2 { .reg .u32 %r; ld.global.v4.u32 {%r, %r, %r, %r}, [%r]; \
        st.global.u32 [%r], %r; }";
    insta::assert_snapshot!(message(text), @"");
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
