//! Tests the program subcommands on kernels of the Tesla processor: assembly to cubin text and back, and files that are
//! wrong.

use super::command::{curie, error, file, stdout, text};
use crate::common;

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

/// The example of `docs/tesla-programs.md`.
const SLOPE: &str = "!!Tesla1.0
.kernel slope
.kind fragment
    interp $r0 v[0x0]                              // 1/w
    rcp f32 $r2 $r0
    interp $r0 v[0x4] $r2                          // height/w, times w
    quadop f32 sub subr sub subr $r1 dx $r0 $r0    // its derivative in x
    set $c0 # l f32 $r0 c0[0x0]
    (lg $c0) discard                               // where it is below a constant
    exit nop
";
const SLOPE_INPUTS: &str = "# slope.txt: a quad
v[0]=1,2 c0[0]=0.5
v[0]=0.5,3
v[0]=1,-1
helper v[0]=1,0.25
";
const SLOPE_RESULTS: &str = "2 $r0 2.0 40000000
2 $r1 4.0 40800000
3 $r0 6.0 40c00000
3 $r1 4.0 40800000
";

#[test]
fn programs_of_the_graphics_pipeline_run_over_lines_of_inputs() {
    let page = include_str!("../../docs/tesla-programs.md");
    for part in [SLOPE, SLOPE_INPUTS, SLOPE_RESULTS] {
        assert!(page.contains(part), "the page has {part}");
    }
    let (program, inputs) = (file("slope.tesla", SLOPE), file("slope.txt", SLOPE_INPUTS));
    for engine in if common::gpu().is_some() { &["reference", "kernels"][..] } else { &["reference"] } {
        let arguments = ["run-program", &program, "--engine", engine, "--inputs", &inputs, "--results", "2"];
        let output = curie(&arguments);
        assert_eq!(text(&output.stdout), SLOPE_RESULTS, "{engine}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "line 4: the fragment is discarded\n");
    }
    // Faults name the line.
    let outside = "!!Tesla1.0\n.kernel outside\n.kind vertex\n    ld b32 $r0 a[0x0]\n    shl $a1 $r0 0x0
    ld b32 $r0 a[$a1+0x0]\n    exit mov b32 o[0x4] $r0\n";
    let program = file("outside.tesla", outside);
    let output = curie(&["run-program", &program, "--engine", "reference", "--input", "a[0]=0x00000010"]);
    assert_eq!(text(&output.stdout), "1 o[0x4] 0.0 00000000\n");
    let note = "note: 0x0010: access outside a[], 1 time, first by line 1 at 0x10\n";
    assert_eq!(text(&output.stderr), format!("{note}error: the program has 1 kind of fault\n"));
    assert_eq!(output.status.code(), Some(1));
    let lenient = curie(&["run-program", &program, "--engine", "reference", "--input", "a[0]=0x00000010", "--lenient"]);
    assert_eq!((text(&lenient.stderr).as_str(), lenient.status.code()), (note, Some(0)));
    assert_eq!(lenient.stdout, output.stdout);
}

#[test]
fn wrong_inputs_of_programs_are_refused() {
    let run =
        |program: &str, more: &[&str]| error(&[&["run-program", program, "--engine", "reference"], more].concat());
    let slope = file("slope.tesla", SLOPE);
    let message = run(&slope, &["--input", "a[0x0]=1"]);
    assert!(message.contains("\"a[0x0]\" is not an input: v[0x4], c0[0x10], helper"), "{message}");
    let inputs = file("slope-wrong.txt", "v[0]=1 c0[0]=1\nv[0]=1 c0[0]=2\n");
    let message = run(&slope, &["--inputs", &inputs]);
    assert!(message.contains("element 2 gives 0x40000000 to c0[0x0], which is 0x3f800000"), "{message}");
    let message = run(&slope, &["--input", "v[0]=1", "--results", "9"]);
    assert!(message.contains("the number of result registers is 9, more than 3"), "{message}");
    let message = run(&slope, &["--input", "v[0]=1", "--entry", "other"]);
    assert!(message.contains("the module has no kernel 'other'; it has slope"), "{message}");
    let message = run(&file("kernel.tesla", TEXT), &[]);
    assert!(message.contains("double is a kernel, which `curie launch` runs"), "{message}");
    let geometry = file("geometry.tesla", "!!Tesla1.0\n.kernel strip\n.kind geometry\n    exit nop\n");
    let message = run(&geometry, &["--input", "a[0]=1"]);
    assert!(message.contains("strip is a geometry program, which is not executed"), "{message}");
    let message = error(&["launch", &slope, "--grid", "1", "--block", "1", "--engine", "reference"]);
    assert!(message.contains("a fragment program cannot run on the threads of a compute program"), "{message}");
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
