//! Tests the program subcommands on kernels of the Tesla processor: assembly to cubin text and back, and files that are
//! wrong.

use super::command::{error, file, stdout};

/// Doubles the elements of an array.
const TEXT: &str = "!!Tesla1.0
.kernel double
.param u32 values
    shl b32 $r0 $r0 2
    add b32 $r0 b32 s[values] $r0
    ld b32 $r1 g14[$r0]
    mul f32 $r1 $r1 2.0
    exit st b32 g14[$r0] $r1
";

#[test]
fn kernels_are_assembled_to_cubin_text_and_listed() {
    let text = file("double.tesla", TEXT);
    let cubin = file("double.cubin", "");
    stdout(&["assemble", &text, "--output", &cubin]);
    let written = std::fs::read_to_string(&cubin).unwrap();
    assert_eq!(stdout(&["assemble", &text]), written);
    for line in ["architecture {sm_10}\n", "\tname = double\n", "\tsmem = 20\n", "\treg = 2\n"] {
        assert!(written.contains(line), "{line} in {written}");
    }
    // A cubin does not tell the parameters.
    let listed = "!!Tesla1.0
.target sm_10

.kernel double
.reg 2
.shared 20
.local 0
.bar 0
    shl b32 $r0 $r0 0x2
    add b32 $r0 b32 s[0x10] $r0
    ld b32 $r1 g14[$r0]
    mul f32 $r1 $r1 0x40000000
    exit st b32 g14[$r0] $r1
";
    assert_eq!(stdout(&["disassemble", &cubin]), listed);
    assert_eq!(stdout(&["disassemble", &text]), listed.replace(".bar 0\n", ".bar 0\n.param u32 values s[0x10]\n"));
    let again = file("again.tesla", listed);
    assert_eq!(stdout(&["assemble", &again]), written);
}

#[test]
fn programs_of_the_graphics_pipeline_are_assembled_to_words() {
    let text = file("place.tesla", "!!Tesla1.0\n.kernel place\n.kind vertex\n    mov b32 o[0x8] $r0\n    exit\n");
    assert_eq!(stdout(&["assemble", &text]), "// vertex place\n0x10000009 0x0403c788 0xf0000001 0xe0000781\n");
}

#[test]
fn wrong_modules_are_refused() {
    let text = file("wrong.tesla", "!!Tesla1.0\n.kernel a\n    mov f32 $r0 $r1\n");
    let message = error(&["assemble", &text]);
    assert!(message.contains("`f32` stands here where") && message.contains(":3:9"), "{message}");
    let cubin = file("wrong.cubin", "architecture {sm_10}\ncode {\n\tname = a\n}\n");
    let message = error(&["disassemble", &cubin]);
    assert!(message.contains("`code` has no `bincode`"), "{message}");
    let message = error(&["recompile", &file("double.tesla", TEXT)]);
    assert!(message.contains("a module of Tesla kernels"), "{message}");
}
