//! Tests of the assembler: listings of random words, directives, labels, forms, errors.

use super::{KINDS, assemble, code_listing, listing};
use crate::cubin::is_name;
use crate::isa::tesla::module::{
    TeslaConstants, TeslaGlobal, TeslaKernel, TeslaModule, TeslaParameter, TeslaParameterKind, TeslaTexture,
};
use crate::isa::tesla::{TeslaGeneration, TeslaRow, decode_program};
use crate::isa::test_words::Random;
use crate::shader::simt::ProgramKind;

fn module(text: &str) -> TeslaModule {
    assemble("test", text).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The words of a program.
fn words(kind: &str, body: &str) -> Vec<u32> {
    module(&format!("!!Tesla1.0\n.kernel main\n.kind {kind}\n{body}")).kernels[0].code.clone()
}

/// The words of a compute program.
fn code(body: &str) -> Vec<u32> {
    words("compute", body)
}

/// The listing of words, which must assemble to them.
fn listed(words: &[u32], kind: ProgramKind) -> Vec<String> {
    let name = KINDS.iter().find(|(known, _)| *known == kind).unwrap().1;
    let lines = code_listing(words, kind);
    assert_eq!(self::words(name, &lines.join("\n")), words, "{lines:#?}");
    lines
}

#[test]
fn random_words_of_every_row_assemble_back() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut instructions, mut raw) = (0, 0);
    for row in TeslaRow::all() {
        for (kind, _) in KINDS {
            // With a second instruction, so that there is a pair.
            let mut words = Vec::new();
            for _ in 0..4 {
                let word = random.word() & !row.mask | row.bits;
                let other = random.word() & !row.mask | row.bits;
                let second = if row.form.bytes() == 8 { word >> 32 } else { other & 0xffff_ffff };
                words.extend([word & 0xffff_ffff, second].map(|half| u32::try_from(half).unwrap()));
            }
            let lines = listed(&words, kind);
            instructions += decode_program(&words, kind).flatten().count();
            let is_told = |line: &&String| !line.contains(".words") || line.contains("is not a known instruction");
            raw += lines.iter().filter(|line| !is_told(line)).count();
        }
    }
    // Few instructions have a text that another one has, too.
    assert!(instructions > 1500 && raw * 100 < instructions, "{raw} of {instructions} instructions are words");
}

#[test]
fn any_words_assemble_back() {
    let mut random = Random(7);
    for length in 0..200 {
        let words: Vec<u32> = (0..length % 23).map(|_| u32::try_from(random.word() >> 32).unwrap()).collect();
        listed(&words, KINDS[length % 4].0);
    }
}

#[test]
fn texts_have_the_words_of_the_documents() {
    // Expected: the bit fields of envytools docs/hw/graph/tesla/cuda/isa.rst, int.rst, cvt.rst, control.rst.
    for (text, expected) in [
        ("exit (never) nop", [0xf000_0001, 0xe000_0001]),
        ("exit", [0xf000_0001, 0xe000_0781]),
        ("bar inc wait 0x0 0xfff", [0x861f_fe03, 0x0000_0000]),
        ("cvt rzi s32 $r1 f32 $r0", [0xa000_0005, 0x8c06_4780]),
        ("cvt abs u32 $r1 s32 $r0", [0xa000_0005, 0x0411_4780]),
        ("ld b32 $r2 g14[$r0]", [0xd00e_0009, 0x80c0_0780]),
        ("mov b32 $r1 0x12345678", [0x1038_8005, 0x0123_4567]),
        ("(e $c1) bra 0x40", [0x1000_8003, 0x0000_1100]),
        ("joinat 64", [0xa000_8003, 0x0000_0000]),
        ("joinat 64 bits 0x78000000000", [0xa000_8003, 0x0000_0780]),
        ("addc b32 $c1 $r1 $r2 $r3 $c2", [0x3040_0405, 0x0400_e7d0]),
        ("texauto all $r4:#:$r5:$r6 $t2 $s3 $r4:$r5 0x0 0x0 0x0", [0xf246_0411, 0x0000_c780]),
        ("short mov b32 $r1 $r2\nshort mov b32 $r1 b32 s[0x0++-0x4]", [0x1000_8404, 0x1300_fe04]),
    ] {
        assert_eq!(code(text), expected, "{text}");
    }
    assert_eq!(words("fragment", "interp $r1 v[20] $r2\ninterp $r1 v[20] $r2"), [0x8205_0404; 2]);
    assert_eq!(words("vertex", "mov b32 o[0x8] $r0"), [0x1000_0009, 0x0403_c788]);
    assert_eq!(words("vertex", "mov b32 # $r0"), [0x1000_01fd, 0x0403_c788]);
    assert_eq!(words("geometry", "mov b32 o[0x4] p[$a1+0x4] bits 0x20000000000000"), [0x1580_0205, 0x0403_c788]);
}

#[test]
fn numbers_are_hexadecimal_decimal_or_floats() {
    let immediate = |number: &str| code(&format!("mov b32 $r0 {number}"));
    assert_eq!(immediate("16"), immediate("0x10"));
    assert_eq!(immediate("-1"), immediate("0xffffffff"));
    assert_eq!(immediate("1.5"), immediate("0x3fc00000"));
    assert_eq!(immediate("-0.5"), immediate("0xbf000000"));
    assert_eq!(immediate("-2147483648"), immediate("0x80000000"));
}

#[test]
fn forms_are_chosen_in_pairs() {
    let short = 0x1000_8404;
    let long = [0x1000_0405, 0x0403_c780];
    assert_eq!(code("mov b32 $r1 $r2\nmov b32 $r1 $r2"), [short, short]);
    assert_eq!(code("mov b32 $r1 $r2"), long);
    assert_eq!(code("short mov b32 $r1 $r2"), [short]);
    assert_eq!(code("long mov b32 $r1 $r2\nmov b32 $r1 $r2"), [long, long].concat());
    // A label is the start of a pair.
    assert_eq!(code("mov b32 $r1 $r2\nhere: mov b32 $r1 $r2"), [long, long].concat());
    assert_eq!(code(".words 0x10008404\nmov b32 $r1 $r2"), [short, short]);
}

#[test]
fn labels_are_found_before_and_behind() {
    let body = "    bra behind // a comment
start: again:
    mov b32 $r1 $r2
    bra start
    (e $c0) bra again
behind:
    call start
    breakaddr end
    joinat behind
end:";
    let words = code(body);
    let targets: Vec<_> =
        decode_program(&words, ProgramKind::Compute).flatten().filter_map(|found| found.instruction.target()).collect();
    assert_eq!(targets, [0x20, 0x8, 0x8, 0x8, 0x38, 0x20]);
    let expected = "    bra label_20
label_8:
    mov b32 $r1 $r2
    bra label_8
    (e $c0) bra label_8
label_20:
    call label_8
    breakaddr label_38
    joinat label_20
label_38:";
    assert_eq!(listed(&words, ProgramKind::Compute), expected.lines().collect::<Vec<_>>());
}

/// A text with every directive.
const MODULE: &str = "!!Tesla1.0
.target sm_12
.texture image 3
.const table c0[0x10] 20
.data 1 2 3 4
.data 5
.global counter 4 c14[0x4]
.global big 4096 c14[0x8] align 256
.data 0x10

.kernel add
.param u64 out
.param s16 first
.param f32 scale
.param b8[12] rest
.texture image 7
.texture own 2
.const const c1[0x0] 8
.data -1 1.5
    mov b32 $r1 b32 s[out]
    mov b32 $r9 b32 s[rest+0x4]
    ld $r2 b32 c0[table+4]
    bar inc wait 2 0xfff
    ld b64 $r4d g14[$r1]
    exit st b32 g14[$r1] $r2

.kernel shade
.kind fragment
.reg 100
.shared 0
.local 64
.bar 1
    exit interp $r0 v[0x4]
";

#[test]
fn directives_make_a_module() {
    let found = module(MODULE);
    let parameter = |name: &str, offset, bytes, kind| TeslaParameter { name: name.to_owned(), offset, bytes, kind };
    let constants = |name: &str, space, offset, bytes, words: &[u32]| TeslaConstants {
        name: name.to_owned(),
        space,
        offset,
        bytes,
        words: words.to_vec(),
    };
    let global = |name: &str, bytes, alignment, words: &[u32], address_offset| TeslaGlobal {
        name: name.to_owned(),
        bytes,
        alignment,
        words: words.to_vec(),
        address_offset,
    };
    assert_eq!(found.generation, TeslaGeneration::Sm12);
    let texture = |name: &str, unit| TeslaTexture { name: name.to_owned(), unit };
    assert_eq!(found.textures, [texture("image", 3)]);
    assert_eq!(found.constants, [constants("table", 0, 16, 20, &[1, 2, 3, 4, 5])]);
    assert_eq!(found.globals, [global("counter", 4, 16, &[], 4), global("big", 4096, 256, &[16], 8)]);
    let [add, shade] = &found.kernels[..] else { panic!("two kernels") };
    let expected = TeslaKernel {
        name: "add".to_owned(),
        kind: ProgramKind::Compute,
        code: code(
            "mov b32 $r1 b32 s[0x10]\nmov b32 $r9 b32 s[0x24]\nld $r2 b32 c0[0x14]\nbar inc wait 2 0xfff
            ld b64 $r4d g14[$r1]\nexit st b32 g14[$r1] $r2",
        ),
        registers: 10,
        // The rest is at 0x20 and has twelve bytes.
        shared_bytes: 0x2c,
        local_bytes: 0,
        barriers: 3,
        constants: vec![constants("const", 1, 0, 8, &[!0, 0x3fc0_0000])],
        textures: vec![texture("own", 2), texture("image", 7)],
        parameters: Some(vec![
            parameter("out", 0x10, 8, TeslaParameterKind::Unsigned),
            parameter("first", 0x18, 2, TeslaParameterKind::Signed),
            parameter("scale", 0x1c, 4, TeslaParameterKind::Float),
            parameter("rest", 0x20, 12, TeslaParameterKind::Bits),
        ]),
    };
    assert_eq!(*add, expected);
    assert_eq!(shade.kind, ProgramKind::Fragment);
    assert_eq!((shade.registers, shade.shared_bytes, shade.local_bytes, shade.barriers), (100, 0, 64, 1));
    assert_eq!(module(&listing(&found)), found);
}

#[test]
fn the_documented_text_assembles() {
    let page = include_str!("../../../../docs/assembly.md");
    let start = page.find("```text\n!!Tesla1.0").unwrap() + "```text\n".len();
    let found = module(page[start..].split("```").next().unwrap());
    assert_eq!(found.kernels[0].shared_bytes, 0x18);
    assert_eq!(module(&listing(&found)), found);
}

#[test]
fn the_generation_is_that_of_the_instructions() {
    let generation = |body: &str| module(&format!("!!Tesla1.0\n.kernel a\n{body}")).generation;
    assert_eq!(generation("exit"), TeslaGeneration::Sm10);
    assert_eq!(generation("red add u32 g14[$r1] $r2"), TeslaGeneration::Sm11);
    assert_eq!(generation("vote any $c0"), TeslaGeneration::Sm12);
    assert_eq!(generation("add rn f64 $r0d $r2d $r4d"), TeslaGeneration::Sm13);
}

#[test]
fn a_listing_shows_a_module() {
    insta::assert_snapshot!(listing(&module(MODULE)), @"
    !!Tesla1.0
    .target sm_12
    .texture image 3
    .const table c0[0x10] 20
    .data 0x00000001 0x00000002 0x00000003 0x00000004
    .data 0x00000005
    .global counter 4 c14[0x4]
    .global big 4096 c14[0x8] align 256
    .data 0x00000010

    .kernel add
    .reg 10
    .shared 44
    .local 0
    .bar 3
    .param u64 out s[0x10]
    .param s16 first s[0x18]
    .param f32 scale s[0x1c]
    .param b8[12] rest s[0x20]
    .texture own 2
    .texture image 7
    .const const c1[0x0] 8
    .data 0xffffffff 0x3fc00000
        mov b32 $r1 b32 s[0x10]
        mov b32 $r9 b32 s[0x24]
        ld $r2 b32 c0[0x14]
        bar inc wait 0x2 0xfff
        ld b64 $r4d g14[$r1]
        exit st b32 g14[$r1] $r2

    .kernel shade
    .kind fragment
    .reg 100
    .shared 0
    .local 64
    .bar 1
        exit interp $r0 v[0x4]
    ");
}

/// The errors of a program.
fn errors(body: &str) -> String {
    let text = format!("!!Tesla1.0\n.kernel main\n{body}");
    assemble("a.tesla", &text).unwrap_err().to_string()
}

#[test]
fn errors_name_what_is_expected() {
    insta::assert_snapshot!(errors("    mvo b32 $r0 $r1"), @"
    error: unknown instruction `mvo`
      ┌─ a.tesla:3:5
      │
    3 │     mvo b32 $r0 $r1
      │     ^^^ not an instruction of the processor
    ");
    insta::assert_snapshot!(errors("    add f23 $r0 $r1 $r2"), @"
    error: `f23` stands here where `b16`, `b32`, `sat`, `f32`, `rn`, `rz`, `rm`, `rp` or an operand is expected
      ┌─ a.tesla:3:9
      │
    3 │     add f23 $r0 $r1 $r2
      │         ^^^ expected `b16`, `b32`, `sat`, `f32`, `rn`, `rz`, `rm`, `rp` or an operand
    ");
    insta::assert_snapshot!(errors("    add b32 $r0 $r1"), @"
    error: the text ends where an operand is expected
      ┌─ a.tesla:3:20
      │
    3 │     add b32 $r0 $r1
      │                    ^ expected an operand
    ");
    insta::assert_snapshot!(errors("    (q $c0) mov b32 $r0 $r1"), @"
    error: unknown condition `q`
      ┌─ a.tesla:3:6
      │
    3 │     (q $c0) mov b32 $r0 $r1
      │      ^ not a test of a condition register
      │
      = did you mean `l`?
    ");
    insta::assert_snapshot!(errors("    mov b32 $r0 $r128"), @"
    error: there is no register `$r128`
      ┌─ a.tesla:3:17
      │
    3 │     mov b32 $r0 $r128
      │                 ^^^^^ registers are $r0 to $r127, $r0l to $r63h, $r0d to $r127d, $r0q to $r127q
    ");
    insta::assert_snapshot!(errors("    mov b32 $r0 s[0x10]"), @"
    error: `s` stands here where the size of the access, such as `b32` is expected
      ┌─ a.tesla:3:17
      │
    3 │     mov b32 $r0 s[0x10]
      │                 ^ expected the size of the access, such as `b32`
    ");
    insta::assert_snapshot!(errors("    interp $r0 v[0x0]"), @"
    error: compute programs have no `interp`
      ┌─ a.tesla:3:5
      │
    3 │     interp $r0 v[0x0]
      │     ^^^^^^ only in fragment programs
    ");
    insta::assert_snapshot!(errors("start:\n    bra strat"), @"
    error: there is no label `strat`
      ┌─ a.tesla:4:9
      │
    4 │     bra strat
      │         ^^^^^
      │
      = did you mean `start`?
    ");
}

#[test]
fn errors_of_operands_list_the_forms() {
    insta::assert_snapshot!(errors("    add b32 $r0 $r1 $r2l"), @"
    error: no form of `add` holds this operand
      ┌─ a.tesla:3:21
      │
    3 │     add b32 $r0 $r1 $r2l
      │                     ^^^^ not possible here
      │
      = one word: $r0 to $r63, $r0 to $r63 or s[], $r0 to $r63, c0[] or c1[]
      = two words with a number: $r0 to $r63, $r0 to $r63 or s[], a number of 32 bits
      = two words: $r0 to $r127, o[] or #, $r0 to $r127 or s[], $r0 to $r127 or c[]
    ");
    insta::assert_snapshot!(errors("    shl b32 $r0 $r1 0x80"), @"
    error: 0x80 does not fit
      ┌─ a.tesla:3:21
      │
    3 │     shl b32 $r0 $r1 0x80
      │                     ^^^^ must be at most 0x7f
      │
      = two words: $r0 to $r127, o[] or #, $r0 to $r127 or s[], $r0 to $r127, c[] or a number below 128
    ");
    insta::assert_snapshot!(errors("    add b32 $r0 b32 s[0x1000] $r2"), @"
    error: no form of `add` holds the offset 0x1000
      ┌─ a.tesla:3:17
      │
    3 │     add b32 $r0 b32 s[0x1000] $r2
      │                 ^^^^^^^^^^^^^ must be a multiple of 4 up to 0x7c
      │
      = one word: $r0 to $r63, $r0 to $r63 or s[], $r0 to $r63, c0[] or c1[]
      = two words with a number: $r0 to $r63, $r0 to $r63 or s[], a number of 32 bits
      = two words: $r0 to $r127, o[] or #, $r0 to $r127 or s[], $r0 to $r127 or c[]
    ");
    insta::assert_snapshot!(errors("    mov b32 $r0 u16 s[0x11]"), @"
    error: no form of `mov` holds this operand
      ┌─ a.tesla:3:17
      │
    3 │     mov b32 $r0 u16 s[0x11]
      │                 ^^^^^^^^^^^ not possible here
      │
      = one word: $r0 to $r63, $r0 to $r63 or s[]
      = two words with a number: $r0 to $r127, a number of 32 bits
      = two words: $r0 to $r127, o[] or #, $r0 to $r127 or s[]
    ");
    insta::assert_snapshot!(errors("    short mov b32 $r64 $r1"), @"
    error: no form of `mov` holds this operand
      ┌─ a.tesla:3:19
      │
    3 │     short mov b32 $r64 $r1
      │                   ^^^^ not possible here
      │
      = one word: $r0 to $r63, $r0 to $r63 or s[]
      = two words with a number: $r0 to $r127, a number of 32 bits
      = two words: $r0 to $r127, o[] or #, $r0 to $r127 or s[]
    ");
}

#[test]
fn errors_of_directives_explain_themselves() {
    insta::assert_snapshot!(errors(".regs 4"), @"
    error: unknown directive `.regs`
      ┌─ a.tesla:3:1
      │
    3 │ .regs 4
      │ ^^^^^ not a directive of the language
      │
      = did you mean `.reg`?
    ");
    insta::assert_snapshot!(errors(".reg 129\n.shared 0x4001\n.kind pixel"), @"
    error: .reg is 129
      ┌─ a.tesla:3:6
      │
    3 │ .reg 129
      │      ^^^ must be at most 128

    error: .shared is 16385
      ┌─ a.tesla:4:9
      │
    4 │ .shared 0x4001
      │         ^^^^^^ must be at most 16384

    error: unknown kind of program `pixel`
      ┌─ a.tesla:5:7
      │
    5 │ .kind pixel
      │       ^^^^^ known: compute, vertex, geometry, fragment
    ");
    insta::assert_snapshot!(errors(".param u23 a\n.param u32 b\n    mov b32 $r0 b32 s[c]"), @"
    error: unknown type `u23`
      ┌─ a.tesla:3:8
      │
    3 │ .param u23 a
      │        ^^^ expected u8, u16, u32, u64, s8, s16, s32, s64, f32, f64 or b8, b16, b32, b64

    error: no variable `c` in this space
      ┌─ a.tesla:5:23
      │
    5 │     mov b32 $r0 b32 s[c]
      │                       ^ not the name of a parameter or constant there
      │
      = did you mean `b`?
    ");
    insta::assert_snapshot!(assemble("a.tesla", "!!Tesla1.1\n").unwrap_err().to_string(), @"
    error: `!!Tesla1.1` is not the header
      ┌─ a.tesla:1:1
      │
    1 │ !!Tesla1.1
      │ ^^^^^^^^^^ expected `!!Tesla1.0`
    ");
}

/// The message of the only error of a program.
fn message(body: &str) -> String {
    let text = format!("!!Tesla1.0\n.kernel main\n{body}");
    let errors = assemble("test", &text).unwrap_err();
    assert_eq!(errors.errors().len(), 1, "{errors}");
    errors.errors()[0].message.clone()
}

#[test]
fn what_does_not_fit_is_refused() {
    let without =
        |text: &str| assemble("test", &format!("!!Tesla1.0\n{text}")).unwrap_err().errors()[0].message.clone();
    assert_eq!(without("exit"), "not in a kernel");
    assert_eq!(without("a:"), "not in a kernel");
    assert_eq!(without(".reg 1"), "not in a kernel");
    assert_eq!(without(".data 1"), "`.data` of nothing");
    assert_eq!(without(".target sm_20"), "unknown generation `sm_20`");
    assert_eq!(without(".global a 4 c0[0x0]"), "no place for an address");
    assert_eq!(without(".global a 4 c14[0x0] align 3"), "the alignment is 3");
    assert_eq!(without(".const a c0[0xfffc] 8"), "the size is 8");
    assert_eq!(without(".const a c0[0x0] 8\n.const a c0[0x8] 8"), "a second constant `a`");
    assert_eq!(without(".const a g0[0x0] 8"), "not a constant space");
    assert_eq!(without(".const a c0[0x0] 4\n.data 1 2"), "2 words of data");
    assert_eq!(without(".texture a 128"), "the unit is 128");
    assert_eq!(without(".texture a 1\n.texture a 2"), "a second texture `a`");
    assert_eq!(message(".texture a 1\n.texture a 2\nexit"), "a second texture `a`");
    let many: String = (0..129).map(|number| format!(".texture t{number} 0\n")).collect();
    assert_eq!(message(&many), "129 textures where at most 128 are possible");
    assert!(assemble("test", &format!("!!Tesla1.0\n{many}")).is_ok());
    assert_eq!(message("exit\n.kernel main"), "a second kernel `main`");
    assert_eq!(message("exit\n.kind vertex"), "`.kind` behind an instruction");
    assert_eq!(message(".reg 1\n.reg 2"), "a second `.reg`");
    assert_eq!(message(".param u32 a\n.param u32 a"), "a second variable `a`");
    assert_eq!(message("a: a: exit"), "label `a` stands twice");
    assert_eq!(message("exit exit exit"), "unknown instruction `exit`");
    assert_eq!(message("exit joinat 0x8"), "`joinat` cannot exit or join so");
    assert_eq!(message("(e $c0) joinat 0x8"), "`joinat` has no predicate here");
    assert_eq!(message("bra 0x6"), "0x6 is not a target");
    assert_eq!(message("mov b32 $r0 0x100000000"), "`0x100000000` does not fit 32 bits");
    assert_eq!(message("mov b32 $r0 neg $r1"), "`mov` cannot modify this source so");
    assert_eq!(message("mov b32 $r0 $r1 @"), "`@` has no meaning here");
    assert_eq!(message("mov b32 $r0 $r1 bits 1"), "`1` stands here where bits after 0x is expected");
    assert_eq!(message("short brkpt\nexit"), "an instruction of two words is not aligned to eight bytes");
    assert_eq!(message("texauto all $r0:$r2:#:# $t0 $s0 $r0 0 0 0"), "`$r2` does not follow");
    assert_eq!(message("texauto all $r0:$r1:#:# $t0 $s0 $r0 8 0 0"), "the texel offset is 8");
}

/// Cubins, as text and as ELF files, have the names that this language has.
#[test]
fn names_are_those_of_cubins() {
    let characters: Vec<char> = (0..128).map(char::from).chain(['é']).collect();
    let pairs = characters.iter().flat_map(|first| characters.iter().map(move |second| format!("{first}{second}")));
    // Blanks and comments end a name, and the words of a directive are told apart by them.
    for name in characters.iter().map(char::to_string).chain(pairs).filter(|name| !name.contains(char::is_whitespace)) {
        let text = format!("!!Tesla1.0\n.texture {name} 0\n");
        let is_assembled = assemble("test", &text).is_ok_and(|module| module.textures[0].name == name);
        assert_eq!(is_assembled, is_name(&name), "{name:?}");
    }
}
