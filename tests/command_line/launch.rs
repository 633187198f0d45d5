//! Tests `curie launch` against results worked out by hand.

use crate::common;

use super::command::{curie, error, file, stdout, text};

/// Each thread writes the square of its number plus the second argument.
const SQUARES: &str = "!!Tesla1.0
.kernel squares
.param u32 out
.param s32 plus
    cvt u32 $r1 u16 $r0l
    mul $r2 u24 $r1 $r1
    mov b32 $r3 b32 s[plus]
    add b32 $r2 $r2 $r3
    shl b32 $r1 $r1 0x2
    add b32 $r1 b32 s[out] $r1
    exit st b32 g14[$r1] $r2
";

/// The arguments of a launch of 5 threads, and more.
fn launch<'a>(program: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["launch", program, "--grid", "1", "--block", "5"];
    arguments.extend(["--arg", "zeros:20", "--arg", "i32:-1"]);
    arguments.extend(more);
    arguments
}

/// The SHA-256 of the words −1, 0, 3, 8 and 15, from `sha256sum`.
const HASH: &str = "81a99f7acc422c6e8ea2c83b57a9306d7f57ab8f47f3a20a41529d52a74ded92";

#[test]
fn a_launch_prints_tables_hashes_and_counts() {
    let program = file("squares.tesla", SQUARES);
    let output = stdout(&launch(&program, &["--print", "0=i32:3"]));
    let expected = format!(
        "0 0: -1  0  3\n0 3:  8 15\n0 20 bytes sha256:{HASH}\n\
         7 warp instructions, 35 thread instructions, 0 divergent branches\n"
    );
    assert_eq!(output, expected);
}

#[test]
fn a_buffer_is_written_and_read_back() {
    let program = file("squares_out.tesla", SQUARES);
    let path = file("squares.bin", "");
    stdout(&launch(&program, &["--out", &format!("0={path}")]));
    let words: Vec<u8> = [-1_i32, 0, 3, 8, 15].iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(std::fs::read(&path).unwrap(), words);
    let again = ["launch", &program, "--grid", "1", "--block", "2", "--arg", &format!("buf:{path}"), "--arg", "i32:0"];
    let output = stdout(&[&again[..], &["--print", "0=i32"]].concat());
    assert_eq!(output.lines().next(), Some("0 0:  0  1  3  8 15"));
}

#[test]
fn the_same_is_one_json_object() {
    let program = file("squares_json.tesla", SQUARES);
    let output = stdout(&launch(&program, &["--json", "--print", "0=x32"]));
    let json: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert_eq!(json["buffers"][0], serde_json::json!({ "name": "0", "bytes": 20, "sha256": HASH }));
    assert_eq!(json["values"]["0"][0], "ffffffff");
    assert_eq!((&json["warp_instructions"], &json["engine"]), (&7.into(), &"reference".into()));
}

#[test]
fn a_trace_shows_the_registers_of_a_warp() {
    let program = file("squares_trace.tesla", SQUARES);
    let output = stdout(&launch(&program, &["--trace", "warp=0"]));
    let second: Vec<_> = output.lines().skip(2).take(2).collect();
    let lanes = format!("  $r2   0 1 4 9 10{}", " -".repeat(27));
    assert_eq!(second, ["000008 0000001f 0000001f mul $r2 u24 $r1 $r1", &lanes]);
    assert_eq!(stdout(&launch(&program, &["--trace", "warp=1"])).lines().count(), 2, "there is no warp 1");
}

#[test]
fn faults_are_notes_or_errors() {
    let program = file("squares_fault.tesla", SQUARES);
    let arguments = ["launch", &program, "--grid", "1", "--block", "5", "--arg", "zeros:12", "--arg", "i32:0"];
    let note = "note: 0x0028: access outside g14[], 2 times, first by block (0,0) thread (3,0,0) at 0x1000c\n";
    let lenient = curie(&[&arguments[..], &["--lenient"]].concat());
    assert!(lenient.status.success());
    assert_eq!(text(&lenient.stderr), note);
    for options in [&[][..], &["--strict"]] {
        let output = curie(&[&arguments[..], options].concat());
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        assert_eq!(output.stdout, lenient.stdout, "the results are printed all the same");
        assert_eq!(text(&output.stderr), format!("{note}error: the kernel has 1 kind of fault or race\n"));
    }
}

/// Its first kernel stores its second parameter, of four bytes, to the address in the first.
#[test]
fn a_kernel_of_an_elf_cubin_runs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/host/fuzz/elf.cubin");
    let listed = stdout(&["disassemble", path]);
    let kernel =
        ".kernel first\n.reg 7\n.shared 44\n.local 16\n.bar 2\n.param b64 param0 s[0x10]\n.param b32 param1 s[0x18]\n";
    assert!(listed.contains(kernel), "{listed}");
    let explained = stdout(&["explain", path, "--entry", "first"]);
    assert!(explained.contains("exit st b32 g14[$r1] $r0"), "{explained}");
    let launch = ["launch", path, "--grid", "1", "--block", "1", "--texture", "image=f32,1:[0]"];
    for value in ["f32:1", "u32:0x3f800000", "bytes:0000803f"] {
        let arguments =
            ["--entry", "first", "--arg", "zeros:4", "--arg", value, "--print", "0=f32", "--engine", "reference"];
        let output = stdout(&[&launch[..], &arguments].concat());
        assert!(output.starts_with("0 0: 1.0\n"), "{output}");
    }
    let long = error(&[&launch[..], &["--entry", "first", "--arg", "zeros:4", "--arg", "bytes:00"]].concat());
    assert!(long.contains("argument 1 is a number of bytes, but parameter param1 is a value of 4 bytes"), "{long}");
    let many = error(&[&launch[..], &["--entry", "_Z6secondv", "--arg", "u32:1"]].concat());
    assert!(many.contains("_Z6secondv needs 0 arguments"), "{many}");
    let mut program = std::fs::read(path).unwrap();
    program[18..20].copy_from_slice(&62_u16.to_le_bytes());
    let program = file("program.elf", &program);
    let machine = error(&["launch", &program, "--grid", "1", "--block", "1"]);
    assert!(machine.starts_with("error: an ELF file of machine 62, not of CUDA (190); `cuobjdump"), "{machine}");
}

/// A block of 512 threads with 32 registers fits in the 16384 registers of a GTX 280, not in the 8192 of a GeForce 8800.
#[test]
fn a_machine_limits_what_can_be_launched() {
    let program = file("wide.tesla", "!!Tesla1.0\n.kernel wide\n    exit mov b32 $r31 $r0\n");
    let launch = ["launch", &program, "--grid", "1", "--block", "512"];
    let registers = "512 threads of 32 registers take 16384 registers, more than 8192";
    for machine in [&[][..], &["--machine", "geforce-8800-gtx"]] {
        assert_eq!(error(&[&launch, machine].concat()), format!("error: {program}: {registers}\n"));
    }
    stdout(&[&launch[..], &["--machine", "geforce-gtx-280"]].concat());
    let atomic = "!!Tesla1.0\n.kernel add\n    exit red add u32 g14[$r0] $r0\n";
    let program = file("atomic.tesla", atomic);
    let launch = ["launch", &program, "--grid", "1", "--block", "1", "--machine"];
    let message = "the kernel needs sm_11, but the GeForce 8800 GTX has sm_10";
    assert_eq!(error(&[&launch[..], &["geforce-8800-gtx"]].concat()), format!("error: {message}\n"));
    let kind = error(&[&launch[..], &["geforce-6200"]].concat());
    assert!(kind.contains("'geforce-6200' is a staged machine, not a unified one"), "{kind}");
}

/// Five threads of one half-warp store words that follow each other: one transaction of 64 bytes.
#[test]
fn statistics_are_printed_and_written() {
    let program = file("squares_statistics.tesla", SQUARES);
    let path = file("squares_statistics.json", "");
    let output = stdout(&launch(&program, &["--profile", "--statistics", &path]));
    assert!(output.starts_with("GeForce 8800 GTX (G80)\noccupancy: 8 blocks and 8 warps of 24"), "{output}");
    let row: Vec<_> = output.lines().find(|line| line.starts_with("000028 ")).unwrap().split_whitespace().collect();
    assert_eq!(row[..10], ["000028", "1", "5.0", "-", "-", "-", "-", "100", "%", "1"]);
    assert_eq!((row[10], &row[row.len() - 5..]), ("3.20", &["exit", "st", "b32", "g14[$r1]", "$r2"][..]));
    assert!(output.ends_with("7 warp instructions, 35 thread instructions, 0 divergent branches\n"));
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&json["schema"], &json["machine"]["name"]), (&1.into(), &"geforce-8800-gtx".into()));
    assert_eq!((&json["total"]["warps"], &json["total"]["bytes_moved"]), (&7.into(), &64.into()));
    let store = &json["instructions"][6];
    assert_eq!((&store["text"], &store["unit"]), (&"exit st b32 g14[$r1] $r2".into(), &"memory".into()));
    assert_eq!(json["occupancy"]["limited_by"], serde_json::json!(["blocks"]));
    let same = stdout(&launch(&program, &["--statistics", &path, "--machine", "geforce-gtx-280", "--trace", "warp=1"]));
    assert_eq!(same.lines().count(), 2, "the trace of another warp is empty");
    let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(json["machine"]["chip"], "GT200");
}

#[test]
fn mistakes_are_one_clear_line() {
    let program = file("squares_errors.tesla", SQUARES);
    let expect = |arguments: &[&str], message: &str| {
        assert_eq!(error(arguments).replace(&program, "FILE"), format!("error: {message}\n"));
    };
    expect(&launch(&program, &["--entry", "cubes"]), "FILE: the module has no kernel 'cubes'; it has squares");
    let few = ["launch", &program, "--grid", "1", "--block", "1", "--arg", "zeros:20"];
    expect(&few, "FILE: squares needs 2 arguments (out, plus), found 1");
    expect(&launch(&program, &["--out", "1=x"]), "there is no buffer '1'; the buffers are: 0");
    let endless = file("endless.tesla", "!!Tesla1.0\n.kernel endless\nagain:\n    bra again\n");
    let limit = "the kernel has not ended after 3 warp instructions; block (0,0) thread (0,0,0) is at 0x0000";
    let limited = ["launch", &endless, "--grid", "1", "--block", "1", "--limit", "3"];
    assert_eq!(error(&limited).replace(&endless, "FILE"), format!("error: FILE: {limit}\n"));
    let threads = ["launch", &program, "--grid", "1", "--block", "32,32", "--arg", "zeros:20", "--arg", "i32:1"];
    expect(&threads, "FILE: the number of threads in a block is 1024, more than 512");
}

/// Each thread reads the texel of its number.
const TEXELS: &str = "!!Tesla1.0
.texture image 2
.kernel texels
.param u32 out
    cvt u32 $r0 u16 $r0l
    shl b32 $r8 $r0 0x4
    add b32 $r8 b32 s[out] $r8
    texfetch all $r0:$r1:$r2:$r3 $t2 $s2 $r0 0 0 0
    exit st b128 g14[$r8] $r0q
";

fn read_texels<'a>(program: &'a str, textures: &[&'a str]) -> Vec<&'a str> {
    let mut arguments =
        vec!["launch", program, "--grid", "1", "--block", "4", "--arg", "zeros:64", "--print", "0=i32:4"];
    textures.iter().for_each(|texture| arguments.extend(["--texture", texture]));
    arguments
}

#[test]
fn textures_are_given_by_name_or_unit() {
    let program = file("texels.tesla", TEXELS);
    let expected = ["0  0: -1  2  0  1", "0  4: -3  4  0  1", "0  8:  5 -6  0  1", "0 12:  0  0  0  0"];
    let path = file("texels.bin", "");
    std::fs::write(&path, [0xff, 2, 0xfd, 4, 5, 0xfa]).unwrap();
    for texture in ["image=s8x2,3:[-1,2,-3,4,5,-6]", "2=s8x2,3:[-1,2,-3,4,5,-6]", &format!("image=s8x2,3:{path}")] {
        let output = stdout(&read_texels(&program, &[texture]));
        assert_eq!(output.lines().take(4).collect::<Vec<_>>(), expected, "{texture}");
    }
}

#[test]
fn mistakes_in_textures_are_one_clear_line() {
    let program = file("texels_errors.tesla", TEXELS);
    let expect = |textures: &[&str], message: &str| {
        let found = error(&read_texels(&program, textures)).replace(&program, "FILE");
        assert_eq!(found, format!("error: {message}\n"));
    };
    let misread = |texture: &str, message: &str| {
        let output = curie(&read_texels(&program, &[texture]));
        let found = text(&output.stderr);
        assert!(output.status.code() == Some(2) && found.contains(message), "{found}");
    };
    expect(&[], "FILE: texels reads texture image, which is not given");
    expect(&["picture=f32,4:zeros"], "FILE: the module has no texture 'picture'; it has image");
    expect(&["image=f32,4:[1,2,3]"], "FILE: texture image: a texture of 4 texels has 16 bytes, found 12");
    misread("image=f31,4:zeros", "'f31' is not a format of textures, did you mean '");
    misread("image=f32,4,filter=cubic:zeros", "'filter=cubic' is not an option of textures; write wrap=clamp, ");
    misread("image=u8,1:[300]", "'300' is not a component of format u8");
    misread("image", "'image' is not a texture; write NAME=FORMAT,WIDTHxHEIGHT[,OPTION…]:FILE");
}

#[test]
fn both_engines_print_the_same() {
    if common::gpu().is_some() {
        let program = file("squares_engines.tesla", SQUARES);
        let [kernels, reference] =
            ["kernels", "reference"].map(|engine| stdout(&launch(&program, &["--engine", engine])));
        assert_eq!(kernels, reference);
        for option in ["--races", "--profile"] {
            let refused = error(&launch(&program, &["--engine", "kernels", option]));
            assert!(refused.contains("use --engine reference"), "{refused}");
        }
    }
}
