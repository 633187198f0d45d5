//! Loads and stores of all spaces and sizes, variables, parameters, atomic updates and special registers.

use super::Machine;

/// Runs a kernel `test` of one block on each target, with the address of `out` as its first parameter.
fn run(text: &str, threads: [u32; 3], outputs: usize, check: impl Fn(&Machine, Vec<u32>)) {
    for target in ["sm_10", "sm_11"] {
        let mut machine = Machine::new(&format!(".version 1.4\n.target {target}\n{text}"));
        let out = machine.buffer("out", &vec![0; outputs]);
        machine.run("test", [1, 1], threads, &[out]);
        check(&machine, machine.words("out"));
    }
}

/// Initial values may be the addresses of constants, whose places the compiler knows.
#[test]
fn initial_values_are_addresses() {
    let text = "
.const .align 4 .u32 first[3] = {100, 200, 300};
.const .u32 second = 400;
.const .u16 list[4] = {first, first+8, second, 7};
.global .u64 pointers[2] = {second, first+4};
.entry test (.param .u32 out) {
    .reg .u32 %out, %v, %w, %at;
    .reg .u64 %p;
    ld.param.u32 %out, [out];
    ld.const.u16 %at, [list];
    ld.const.u32 %v, [%at];
    ld.const.u16 %at, [list+2];
    ld.const.u32 %w, [%at];
    st.global.v2.u32 [%out], {%v, %w};
    ld.const.u16 %at, [list+4];
    ld.const.u32 %v, [%at];
    ld.const.u16 %w, [list+6];
    st.global.v2.u32 [%out+8], {%v, %w};
    mov.u32 %at, pointers;
    ld.global.u64 %p, [%at];
    ld.const.u32 %v, [%p];
    ld.global.u64 %p, [%at+8];
    ld.const.u32 %w, [%p];
    st.global.v2.u32 [%out+16], {%v, %w};
}";
    run(text, [1, 1, 1], 6, |_, out| assert_eq!(out, [100, 300, 400, 7, 400, 200]));
}

#[test]
fn sizes_and_signs_in_every_space() {
    for space in ["shared", "global", "local"] {
        let text = format!(
            "
.entry test (.param .u32 out) {{
    .reg .u32 %out, %base, %v, %x<12>;
    .reg .s32 %s<4>;
    .reg .u16 %h;
    .reg .u64 %wide;
    .{place} .align 16 .b8 bytes[64];
    ld.param.u32 %out, [out];
    {base}
    mov.u32 %v, 0x8182f3f4;
    st.{space}.u32 [%base], %v;
    st.{space}.u8 [%base+5], %v;
    st.{space}.u16 [%base+6], %v;
    st.{space}.u8 [%base+4], 0x7f;
    st.{space}.v2.u16 [%base+8], {{0x1234, 0x5678}};
    mov.b64 %wide, {{%v, %out}};
    st.{space}.u64 [%base+16], %wide;
    add.u32 %base, %base, 64;
    ld.{space}.u8 %x0, [%base-64];
    ld.{space}.s8 %s0, [%base-64];
    ld.{space}.u16 %x1, [%base-62];
    ld.{space}.s16 %s1, [%base-62];
    ld.{space}.u32 %x2, [%base-60];
    ld.{space}.v2.u16 {{%x3, %x4}}, [%base-56];
    ld.{space}.v4.u8 {{%x5, %x6, %x7, %x8}}, [%base-64];
    ld.volatile.{space}.u64 %wide, [%base-48];
    mov.b64 {{%x9, %x10}}, %wide;
    sub.u32 %x10, %x10, %out;
    ld.{space}.u16 %h, [%base-58];
    cvt.u32.u16 %x11, %h;
    st.global.u32 [%out], %x0;
    st.global.s32 [%out+4], %s0;
    st.global.u32 [%out+8], %x1;
    st.global.s32 [%out+12], %s1;
    st.global.u32 [%out+16], %x2;
    st.global.v4.u32 [%out+32], {{%x3, %x4, %x5, %x6}};
    st.global.v2.u32 [%out+48], {{%x7, %x8}};
    st.global.v2.u32 [%out+56], {{%x9, %x10}};
    st.global.u32 [%out+20], %x11;
}}",
            place = if space == "global" { "local" } else { space },
            base = if space == "global" { "add.u32 %base, %out, 256;" } else { "mov.u32 %base, bytes;" },
        );
        run(&text, [1, 1, 1], 128, |_, out| {
            let expected = [
                0xf4,
                0xffff_fff4,
                0x8182,
                0xffff_8182,
                0xf3f4_f47f,
                0xf3f4,
                0,
                0,
                0x1234,
                0x5678,
                0xf4,
                0xf3,
                0x82,
                0x81,
                0x8182_f3f4,
                0,
            ];
            assert_eq!(out[..16], expected, "{space}: {out:x?}");
        });
    }
}

#[test]
fn variables_have_places_and_values() {
    let text = "
.const .align 4 .u32 table[4] = {10, 20, 0x30, 40};
.const .s8 small[4] = {-1, 2, -3, 4};
.const .f32 pi = 0f40490FDB;
.global .u32 counter = 5;
.global .align 8 .v2 .f32 pairs[2] = {{1.5, 2.5}, {3.5, 4.5}};
.shared .u32 first[2];
.extern .shared .align 16 .b8 rest[];
.entry test (.param .u32 out) {
    .shared .u16 second[3];
    .local .u32 own[2];
    .reg .u32 %out, %t, %x, %y, %a;
    .reg .s32 %s;
    .reg .f32 %f, %g;
    ld.param.u32 %out, [out];
    cvt.u32.u16 %t, %tid.x;
    shl.b32 %a, %t, 2;
    mov.u32 %x, table;
    add.u32 %x, %x, %a;
    ld.const.u32 %y, [%x];
    add.u32 %a, %a, %out;
    st.global.u32 [%a], %y;
    mov.u32 %x, small;
    add.u32 %x, %x, %t;
    ld.const.s8 %s, [%x];
    st.global.s32 [%a+16], %s;
    ld.const.f32 %f, [pi];
    st.global.f32 [%a+32], %f;
    ld.const.u32 %y, [table+8];
    st.global.u32 [%a+48], %y;
    ld.global.v2.f32 {%f, %g}, [pairs+8];
    st.global.f32 [%a+64], %g;
    st.local.u32 [own+4], %t;
    ld.local.u32 %y, [own+4];
    st.global.u32 [%a+80], %y;
    mov.u32 %x, first;
    mov.u32 %y, second;
    sub.u32 %x, %y, %x;
    mov.u32 %y, rest;
    and.b32 %y, %y, 15;
    add.u32 %x, %x, %y;
    st.global.u32 [%a+96], %x;
    mov.u32 %x, counter;
    ld.global.u32 %y, [%x];
    bar.sync 0;
    st.global.u32 [counter], 6;
    add.u32 %y, %y, %t;
    st.global.u32 [%a+112], %y;
}";
    for target in ["sm_10", "sm_11"] {
        let mut machine = Machine::new(&format!(".version 1.4\n.target {target}\n{text}"));
        let out = machine.buffer("out", &[0; 32]);
        // All threads store the same value in the counter, which is no matter here.
        machine.run_with("test", [1, 1], [4, 1, 1], out.to_le_bytes().to_vec(), 0);
        let out = machine.words("out");
        let expected = [
            [10, 20, 0x30, 40],
            [u32::MAX, 2, u32::MAX - 2, 4],
            [0x4049_0fdb; 4],
            [0x30; 4],
            [4.5f32.to_bits(); 4],
            [0, 1, 2, 3],
            [8; 4],
            [5, 6, 7, 8],
        ];
        assert_eq!(out, expected.concat(), "{target}");
        assert_eq!(machine.words("counter"), [6]);
    }
}

#[test]
fn parameters_are_aligned_and_far_ones_are_read() {
    let text = "
.entry test (
    .param .u32 out,
    .param .u8 byte,
    .param .u16 half,
    .param .u64 wide,
    .param .align 4 .b8 record[160],
    .param .f32 last)
{
    .reg .u32 %out, %x, %y;
    .reg .u16 %h;
    .reg .u64 %w;
    .reg .f32 %f;
    ld.param.u32 %out, [out];
    ld.param.u8 %x, [byte];
    st.global.u32 [%out], %x;
    ld.param.u16 %h, [half];
    cvt.u32.u16 %x, %h;
    st.global.u32 [%out+4], %x;
    ld.param.u64 %w, [wide];
    st.global.u64 [%out+8], %w;
    ld.param.u32 %x, [record+4];
    st.global.u32 [%out+16], %x;
    ld.param.v2.u32 {%x, %y}, [record+144];
    st.global.v2.u32 [%out+24], {%x, %y};
    ld.param.f32 %f, [last];
    st.global.f32 [%out+20], %f;
    ld.param.u8 %x, [record+159];
    st.global.u32 [%out+32], %x;
}";
    for target in ["sm_10", "sm_11"] {
        let mut machine = Machine::new(&format!(".version 1.4\n.target {target}\n{text}"));
        let kernel = &machine.module.kernels[0];
        let places: Vec<_> = kernel.parameters.iter().flatten().map(|found| (found.offset, found.bytes)).collect();
        assert_eq!(places, [(16, 4), (20, 1), (22, 2), (24, 8), (32, 160), (192, 4)]);
        let out = machine.buffer("out", &[0; 9]);
        let mut bytes = out.to_le_bytes().to_vec();
        bytes.extend([0xab, 0, 0x34, 0x12]);
        bytes.extend(0x1122_3344_5566_7788u64.to_le_bytes());
        bytes.extend(0..160u8);
        bytes.extend(2.5f32.to_le_bytes());
        machine.run_with("test", [1, 1], [1, 1, 1], bytes, 0);
        let at = |index: u8| u32::from_le_bytes([index, index + 1, index + 2, index + 3]);
        let expected = [0xab, 0x1234, 0x5566_7788, 0x1122_3344, at(4), 2.5f32.to_bits(), at(144), at(148), 159];
        assert_eq!(machine.words("out"), expected, "{target}");
    }
}

#[test]
fn parameters_of_the_first_versions_stand_in_the_body() {
    let text = "
    .version 1.0
    .target sm_10, map_f64_to_f32
    // Compilers wrote texts like this one.
    .file 1 \"kernel.cu\"
    .entry test
    {
    .reg .u16 %rh<4>;
    .reg .u32 %r<6>;
    .reg .u64 %rd<5>;
    .reg .f32 %f<3>;
    .reg .f64 %fd<3>;
    .param .u64 __cudaparm_out;
    .param .f64 __cudaparm_d;
    .loc 1 3 0
$LBB1_test:
    mov.u16 %rh1, %tid.x;
    cvt.u64.u16 %rd1, %rh1;
    mul.lo.u64 %rd2, %rd1, 8;
    ld.param.u64 %rd3, [__cudaparm_out];
    add.u64 %rd4, %rd3, %rd2;
    ld.param.f64 %fd1, [__cudaparm_d];
    cvt.rn.f64.u16 %fd2, %rh1;
    add.rn.f64 %fd1, %fd1, %fd2;
    cvt.f32.f64 %f1, %fd1;
    st.global.f32 [%rd4+0], %f1;
    mov.f64 %fd2, 0d4008000000000000;
    st.global.f64 [%rd4+0], %fd2;
    st.global.f32 [%rd4+4], %f1;
    .loc 1 4 0
    exit;
$LDWend_test:
    } // test
    @@DWARF .section .debug_info
    @@DWARF .byte 0x01, 0x02";
    let mut machine = Machine::new(text);
    let out = machine.buffer("out", &[0; 8]);
    let parameters = [u64::from(out).to_le_bytes(), u64::from(1.25f32.to_bits()).to_le_bytes()].concat();
    machine.run_with("test", [1, 1], [4, 1, 1], parameters, 0);
    let expected: Vec<u32> = (0u8..4).flat_map(|t| [3.0f32.to_bits(), (1.25 + f32::from(t)).to_bits()]).collect();
    assert_eq!(machine.words("out"), expected);
}

#[test]
fn special_registers_tell_the_place_of_a_thread() {
    let text = "
.entry test (.param .u32 out) {
    .reg .u32 %x, %y, %z, %n, %m, %out;
    .reg .u16 %h;
    mov.u32 %x, %tid.x;
    cvt.u32.u16 %y, %tid.y;
    mov.u16 %h, %tid.z;
    cvt.u32.u16 %z, %h;
    cvt.u32.u16 %n, %ntid.x;
    cvt.u32.u16 %m, %ntid.y;
    mad.lo.u32 %z, %z, %m, %y;
    mad.lo.u32 %x, %z, %n, %x;
    shl.b32 %x, %x, 4;
    ld.param.u32 %out, [out];
    add.u32 %out, %out, %x;
    mov.u32 %x, %ntid.z;
    mov.u32 %y, %nctaid.y;
    mov.u32 %z, %nctaid.z;
    mov.u32 %n, %laneid;
    st.global.v4.u32 [%out], {%x, %y, %z, %n};
}";
    run(text, [5, 4, 3], 240, |_, out| {
        for (thread, found) in (0u32..).zip(out.chunks(4)) {
            assert_eq!(found, [3, 1, 1, thread % 32], "thread {thread}");
        }
    });
}

/// Operands of an update, what the memory holds before, and what 32 threads make of it.
type Update = (&'static str, u32, fn(u32) -> u32);

#[test]
fn atomic_updates() {
    let cases: [Update; 10] = [
        ("add.u32 %old, [%a], %t", 100, |before| before + 496),
        ("min.s32 %old, [%a], -7", 3, |_| (-7i32).cast_unsigned()),
        ("max.u32 %old, [%a], %t", 30, |_| 31),
        ("and.b32 %old, [%a], 0xf0f0", 0xffff, |_| 0xf0f0),
        ("or.b32 %old, [%a], %bit", 0, |_| u32::MAX),
        ("xor.b32 %old, [%a], %bit", 1, |_| u32::MAX - 1),
        ("exch.b32 %old, [%a], 42", 0, |_| 42),
        ("cas.b32 %old, [%a], %t, 99", 5, |_| 99),
        ("inc.u32 %old, [%a], 9", 0, |_| 2),
        ("dec.u32 %old, [%a], 9", 0, |_| 8),
    ];
    for (update, before, after) in cases {
        let is_reduction = |text: &str| !text.starts_with("exch") && !text.starts_with("cas");
        let reduction = update.replace("%old, ", "");
        let text = format!(
            ".version 1.4\n.target sm_11
.entry test (.param .u32 values) {{
    .reg .u32 %a, %t, %old, %bit, %one;
    .reg .pred %p;
    cvt.u32.u16 %t, %tid.x;
    mov.u32 %one, 1;
    shl.b32 %bit, %one, %t;
    ld.param.u32 %a, [values];
    atom.global.{update};
    {reduction}
}}",
            reduction = if is_reduction(update) {
                format!("add.u32 %a, %a, 4; red.global.{reduction};")
            } else {
                String::new()
            },
        );
        let mut machine = Machine::new(&text);
        let values = machine.buffer("values", &[before; 2]);
        machine.run("test", [1, 1], [32, 1, 1], &[values]);
        let second = if is_reduction(update) { after(before) } else { before };
        assert_eq!(machine.words("values"), [after(before), second], "{update}");
    }
}
