//! Tests the output of `curie run-program` and `curie disassemble` against bits worked out by hand, on both engines.

use std::path::Path;

use curie::{Picture, write_png};

use super::command::{curie, file, text};
use crate::common;

/// R1 = TEX0 + {1, 2, 3, 4}, then H0 = R1 clamped to 0..1.
const FRAGMENT: &str = "!!NV40fp
03009e02 1c9dc801 0001c802 0001c800
3f800000 40000000 40400000 40800000  # the inline constant
81401e81 1c9dc804 0001c800 0001c800
";

/// The dot product of v[0] and c[3] to o[0].x, then the reciprocal of v[0].y to o[1].y.
const VERTEX: &str = "!!NV40vp
401f9c6c 01c0300d 8106c0c3 60411f80
001f9c6c 1000000d 8106c08a a0481f85
";

/// Standard output, standard error, exit status.
fn ran(arguments: &[&str]) -> (String, String, i32) {
    let output = curie(arguments);
    (text(&output.stdout), text(&output.stderr), output.status.code().expect("no signal ended it"))
}

/// The reference, and the kernels if there is an adapter.
fn engines() -> Vec<&'static str> {
    if common::gpu().is_some() { vec!["reference", "kernels"] } else { vec!["reference"] }
}

#[test]
fn a_fragment_program_prints_its_color_register() {
    let program = file("add.nv40fp", FRAGMENT);
    for engine in engines() {
        let input = "f[TEX0]=-0.5,-3,-2.25,0x7f800000";
        let (output, error, status) = ran(&["run-program", &program, "--engine", engine, "--input", input]);
        assert_eq!(output, "1 H0 0.5 0.0 0.75 1.0 3f000000 00000000 3f400000 3f800000\n", "{engine}: {error}");
        assert_eq!(status, 0);
    }
}

#[test]
fn a_vertex_program_runs_over_the_lines_of_a_file() {
    let program = file("dot.nv40vp", VERTEX);
    let inputs = file(
        "dot.inputs",
        "# constants belong to a line\nv[0]=1,2,3,4 c[3]=1,10,100,1000\n\nvertex.position=0,-4,0,1 program.local[3]=0,1,0,0.5\n",
    );
    // 4321 = 4096 + 225, so the fraction is 225·2¹¹.
    let expected = "2 o[0] 4321.0 0.0 0.0 1.0 45870800 00000000 00000000 3f800000
2 o[1] 0.0 0.5 0.0 1.0 00000000 3f000000 00000000 3f800000
4 o[0] -3.5 0.0 0.0 1.0 c0600000 00000000 00000000 3f800000
4 o[1] 0.0 -0.25 0.0 1.0 00000000 be800000 00000000 3f800000
";
    for engine in engines() {
        let (output, error, status) = ran(&["run-program", &program, "--engine", engine, "--inputs", &inputs]);
        assert_eq!(output, expected, "{engine}: {error}");
        assert_eq!(status, 0);
    }
}

#[test]
fn the_rule_set_decides_what_zero_times_infinity_is() {
    let program = file("rules.nv40vp", VERTEX);
    for engine in engines() {
        for (rules, bits) in [("legacy", "3f800000"), ("modern", "7fffffff")] {
            let inputs = ["--input", "v[0]=0,1,0,1", "--input", "c[3]=0x7f800000,0,0,1"];
            let mut arguments = vec!["run-program", &program, "--engine", engine, "--rules", rules];
            arguments.extend(inputs);
            let (output, error, _) = ran(&arguments);
            assert_eq!(output.split_whitespace().nth(6), Some(bits), "{engine} {rules}: {output}{error}");
        }
    }
}

#[test]
fn programs_are_written_as_assembly() {
    let (output, _, _) = ran(&["disassemble", &file("listing.nv40fp", FRAGMENT)]);
    assert_eq!(output, "!!NV40fp1.0\n    ADDR R1, f[TEX0], {1, 2, 3, 4};\n    MOVH_SAT H0, R1;\nEND\n");
    let (output, _, _) = ran(&["disassemble", &file("listing.nv40vp", VERTEX)]);
    assert_eq!(output, "!!NV40vp1.0\n    DP4 o[0].x, v[0], c[3];\n    RCP o[1].y, v[0].y;\nEND\n");
}

/// The position times a matrix of four parameters, and a constant color.
const ASSEMBLY: &str = "!!ARBvp1.0
PARAM m[4] = { program.local[3..6] };
DP4 result.position.x, m[0], vertex.position;
MAD result.color, vertex.color, 2.0, state.fog.color;
END
";

#[test]
fn assembled_programs_use_the_names_of_their_language() {
    let text = file("names.vp", ASSEMBLY);
    let words = file("names.nv40vp", "");
    let (_, error, status) = ran(&["assemble", &text, "-o", &words]);
    assert_eq!(status, 0, "{error}");
    // 1·1 + 2·10 + 3·100 + 1·1000 = 1321 = 1024·(1 + 297/1024)
    let expected = "1 result.position 1321.0 0.0 0.0 1.0 44a52000 00000000 00000000 3f800000
1 result.color 3.0 4.0 5.0 6.0 40400000 40800000 40a00000 40c00000
";
    for engine in engines() {
        for program in [&text, &words] {
            let mut arguments = vec!["run-program", program, "--engine", engine];
            for input in [
                "vertex.position=1,2,3,1",
                "program.local[3]=1,10,100,1000",
                "vertex.color=1,1,1,1",
                "state.fog.color=1,2,3,4",
            ] {
                arguments.extend(["--input", input]);
            }
            let (output, error, _) = ran(&arguments);
            assert_eq!(output, expected, "{engine} {program}: {error}");
        }
    }
    let (listing, _, _) = ran(&["disassemble", &text]);
    let again = file("again.vp", &listing);
    let (one, _, _) = ran(&["assemble", &again]);
    let words_of = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with(['.', '!'])).map(str::to_owned).collect()
    };
    assert_eq!(words_of(&one), words_of(&std::fs::read_to_string(&words).expect("it was written")));
    let (wgsl, error, _) = ran(&["recompile", &text]);
    assert!(wgsl.contains("fn main"), "{error}");
}

#[test]
fn the_language_implies_the_rule_set() {
    let program = |name: &str, header: &str| file(name, format!("{header}\nMUL o[HPOS], v[0], c[0];\nEND"));
    for (name, header, bits) in [("first.vp", "!!VP1.0", "00000000"), ("second.vp", "!!VP2.0", "7fffffff")] {
        let program = program(name, header);
        let inputs = ["--engine", "reference", "--input", "v[OPOS]=0,1,1,1", "--input", "c[0]=0x7f800000,1,1,1"];
        let mut arguments = vec!["run-program", &program];
        arguments.extend(inputs);
        let (output, error, _) = ran(&arguments);
        assert!(output.starts_with("1 o[HPOS] ") && output.split_whitespace().nth(6) == Some(bits), "{output}{error}");
        arguments.extend(["--rules", "modern"]);
        let (output, _, _) = ran(&arguments);
        assert_eq!(output.split_whitespace().nth(6), Some("7fffffff"), "{output}");
    }
}

#[test]
fn errors_of_a_text_point_into_it() {
    let program = file("wrong.vp", "!!VP1.0\nMUL o[HPOS], v[0], d[0];\nEND");
    for command in ["assemble", "disassemble", "recompile", "run-program"] {
        let (_, error, status) = ran(&[command, &program]);
        assert!(error.starts_with("error: `d` is not a register\n"), "{command}: {error}");
        assert!(error.contains("wrong.vp:2:20") && error.contains("^ not a register of this language"), "{error}");
        assert_eq!(status, 1);
    }
}

#[test]
fn mistakes_are_named_and_fail() {
    let program = file("mistake.nv40vp", "!!NV40vp\n401f9c6c zzz");
    let (_, error, status) = ran(&["disassemble", &program]);
    assert!(error.contains("mistake.nv40vp: line 2: \"zzz\" is not a hexadecimal word"), "{error}");
    assert_eq!(status, 1);
    let inputs = file("mistake.inputs", "v[0]=1,2,3,4\nv[0]=1,2");
    let program = file("mistake2.nv40vp", VERTEX);
    let (_, error, status) = ran(&["run-program", &program, "--engine", "reference", "--inputs", &inputs]);
    assert!(error.contains("mistake.inputs: line 2: v[0] has 2 components"), "{error}");
    assert_eq!(status, 1);
}

#[test]
fn constants_and_textures_that_are_missing_are_named() {
    let arb = file(
        "missing.vp",
        "!!ARBvp1.0\nPARAM two = {2, 2, 2, 2};\nDP4 result.position.x, state.matrix.mvp.row[0], vertex.position;\n\
         MUL result.color, program.env[4], two;\nEND\n",
    );
    let position = "vertex.position=1,1,1,1";
    let env = "program.env[4]=1,1,1,1";
    assert_eq!(missing(&arb, &[position, env]), format!("{CONSTANTS}state.matrix.mvp.row[0]\n"));
    assert_eq!(missing(&arb, &[position, env, "state.matrix.mvp.row[0]=1,0,0,0"]), "");
    let both = missing(&arb, &[position]);
    assert!(both.contains("state.matrix.mvp.row[0]") && both.contains("program.env[4]"), "{both}");
    assert!(!both.contains('{'), "numbers of the text are given: {both}");
    // Microcode names slots.
    let microcode = file("missing.nv40vp", VERTEX);
    assert_eq!(missing(&microcode, &["v[0]=1,1,1,1"]), format!("{CONSTANTS}c[3]\n"));
    assert_eq!(missing(&microcode, &["v[0]=1,1,1,1", "c[3]=1,1,1,1"]), "");
    let sampling = file("missing.fp", "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[2], 2D;\nEND\n");
    let texels = "warning: every texel is 0,0,0,1: there are no textures for units 2\n";
    assert_eq!(missing(&sampling, &["fragment.texcoord[0]=0,0,0,1"]), texels);
}

const INPUTS: &str = "warning: inputs that are not given are 0,0,0,1: ";
const CONSTANTS: &str = "warning: constants that are not given are 0,0,0,1: ";

/// What a run that succeeds says on standard error.
fn missing(program: &str, inputs: &[&str]) -> String {
    let inputs = inputs.iter().flat_map(|input| ["--input", input]);
    let arguments = ["run-program", program, "--engine", "reference"].into_iter().chain(inputs);
    let (_, error, status) = ran(&arguments.collect::<Vec<_>>());
    assert_eq!(status, 0, "{error}");
    error
}

#[test]
fn inputs_that_are_missing_are_named_in_the_language() {
    let body = "MOV result.position, vertex.position;\nADD result.color, vertex.color, vertex.attrib[7];\nEND\n";
    let arb = file("inputs.vp", format!("!!ARBvp1.0\n{body}"));
    assert_eq!(missing(&arb, &[]), format!("{INPUTS}vertex.position, vertex.color, vertex.attrib[7]\n"));
    // Another name of the same attribute gives it, too.
    assert_eq!(missing(&arb, &["vertex.attrib[0]=1,2,3,4 vertex.color.primary=1,1,1,1 vertex.attrib[7]=0,0,0,0"]), "");
    let nv = file("inputs_nv.vp", "!!VP1.0\nMOV o[HPOS], v[OPOS];\nMOV o[COL0], v[6];\nEND\n");
    assert_eq!(missing(&nv, &[]), format!("{INPUTS}v[OPOS], v[6]\n"));
    let microcode = file("inputs.nv40vp", VERTEX);
    assert_eq!(missing(&microcode, &["c[3]=1,1,1,1"]), format!("{INPUTS}v[0]\n"));
    let fragment = "MUL result.color, fragment.color, fragment.texcoord[3];\nEND\n";
    let fragment = file("inputs.fp", format!("!!ARBfp1.0\n{fragment}"));
    assert_eq!(missing(&fragment, &[]), format!("{INPUTS}fragment.color, fragment.texcoord[3]\n"));
    assert_eq!(missing(&fragment, &["fragment.texcoord[3]=1,1,1,1"]), format!("{INPUTS}fragment.color\n"));
    // Each is named once, whatever the number of lines.
    let lines =
        file("inputs.inputs", "fragment.color=1,1,1,1\nfragment.texcoord[3]=1,1,1,1\n\nfragment.color=0,0,0,0\n");
    let (_, error, _) = ran(&["run-program", &fragment, "--engine", "reference", "--inputs", &lines]);
    assert_eq!(error, format!("{INPUTS}fragment.texcoord[3], fragment.color\n"));
}

#[test]
fn constants_that_addresses_reach_are_named_where_they_are_missing() {
    let text = "!!VP1.0\nARL A0.x, v[0].x;\nMOV o[HPOS], c[A0.x+5];\nMOV o[COL0], c[2];\nEND\n";
    let program = file("reached.vp", text);
    let given = |inputs: &'static str| missing(&program, &[inputs]);
    assert_eq!(given("v[0]=3,0,0,0"), format!("{CONSTANTS}c[2], c[8]\n"));
    assert_eq!(given("v[0]=3,0,0,0 c[8]=1,1,1,1 c[2]=1,1,1,1"), "");
    assert_eq!(given("v[0]=-4,0,0,0 c[8]=1,1,1,1 c[2]=1,1,1,1"), format!("{CONSTANTS}c[1]\n"));
    // Both places of a file are named, each once.
    let lines =
        file("reached.inputs", "v[0]=1,0,0,0 c[2]=0,0,0,0\nv[0]=2,0,0,0 c[2]=0,0,0,0\nv[0]=1,0,0,0 c[2]=0,0,0,0\n");
    for engine in engines() {
        let (_, error, status) = ran(&["run-program", &program, "--engine", engine, "--inputs", &lines]);
        assert_eq!((error, status), (format!("{CONSTANTS}c[6], c[7]\n"), 0));
    }
    // Elements of an array have the names that the text binds.
    let text = "!!ARBvp1.0\nPARAM bones[4] = { program.env[10..13] };\nADDRESS a;\nARL a.x, vertex.position.x;\n\
                MOV result.position, bones[a.x+1];\nEND\n";
    let array = file("reached_array.vp", text);
    assert_eq!(missing(&array, &["vertex.position=2,0,0,0"]), format!("{CONSTANTS}program.env[13]\n"));
    assert_eq!(missing(&array, &["vertex.position=2,0,0,0 program.env[13]=1,1,1,1"]), "");
    // Microcode has slots.
    let native = file("reached.nv40vp", "!!NV40vp1.0\n    ARL A0.x, v[0];\n    MOV o[0], c[A0.x+4];\nEND\n");
    assert_eq!(missing(&native, &["v[0]=6,0,0,0"]), format!("{CONSTANTS}c[10]\n"));
    assert_eq!(missing(&native, &["v[0]=6,0,0,0 c[10]=1,2,3,4"]), "");
}

#[test]
fn programs_sample_textures_that_are_given() {
    let fragment = file(
        "textured.fp",
        "!!ARBfp1.0\nTEMP a;\nTEX a, fragment.texcoord[0], texture[2], 2D;\nTEX result.color, a, texture[0], 1D;\nEND\n",
    );
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).join("texture.png");
    let rgb = vec![0, 0, 0, 255, 0, 0, 64, 0, 0, 128, 0, 0];
    write_png(&picture, &Picture { width: 2, height: 2, rgb }).expect("the folder exists");
    let unit2 = format!("2=A8R8G8B8:{}", picture.display());
    // The texel of row 0, column 1 is red, 1.0; there the second texture, clamped, has its last texel.
    let unit0 = "texture[0]=W32_Z32_Y32_X32_FLOAT,2:[0,0,0,0, 0.5,-2,0.25,1]";
    let vertex = file(
        "textured.vp",
        "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTXL result.position, vertex.position, texture[1], 2D;\nEND\n",
    );
    for engine in engines() {
        let input = "fragment.texcoord[0]=0.75,0.25,0,1";
        let arguments = ["run-program", &fragment, "--engine", engine, "--input", input, "--texture", &unit2];
        let (output, error, status) = ran(&[&arguments[..], &["--texture", unit0]].concat());
        let expected = "1 result.color 0.5 -2.0 0.25 1.0 3f000000 c0000000 3e800000 3f800000\n";
        assert_eq!((output.as_str(), error.as_str(), status), (expected, "", 0), "{engine}");
        // The unit that is left out is named.
        let (output, error, _) = ran(&arguments);
        assert_eq!(error, "warning: every texel is 0,0,0,1: there are no textures for units 0\n");
        assert_eq!(output, "1 result.color 0.0 0.0 0.0 1.0 00000000 00000000 00000000 3f800000\n");
        let texture = ["--texture", "1=X32_FLOAT,2x2:[1,2,3,4]"];
        let input = ["--input", "vertex.position=0.25,0.75,0,0"];
        let (output, error, _) = ran(&[&["run-program", &vertex, "--engine", engine][..], &texture, &input].concat());
        assert_eq!(output, "1 result.position 3.0 3.0 3.0 3.0 40400000 40400000 40400000 40400000\n", "{error}");
    }
    let wrong = |texture: &str| {
        let (_, error, status) = ran(&["run-program", &fragment, "--engine", "reference", "--texture", texture]);
        (error, status)
    };
    let (error, status) = wrong("2=A8R8G8B8,2x2,wrap=around:zeros");
    assert!(
        error.starts_with("error: --texture: 'wrap=around' is not an option of textures; write wrap=clamp, "),
        "{error}"
    );
    assert_eq!(status, 2);
    let (error, status) = wrong("5=B8,1:zeros");
    assert_eq!((error.as_str(), status), ("error: the program samples no texture '5'; it samples 0, 2\n", 1));
}
