//! Fragment program texts: both engines, the microcode of real captures as text, and the command line.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common;
use std::path::{Path, PathBuf};
use std::process::Command;

use curie::asm::fragment::listing::listing;
use curie::asm::inputs::parse_inputs;
use curie::asm::{Assembly, FragmentAssembly, assemble};
use curie::capture::Capture;
use curie::kernels::run_program::run_fragment_program as run_on_kernels;
use curie::pipeline::program_run::quad_inputs;
use curie::pipeline::{GpuCommand, NullEngine};
use curie::reference::fragment::run_fragment_program::{NoTextures, run_fragment_program};
use curie::reference::observer::Unobserved;
use curie::replay::{Player, ReplayOptions};
use curie::shader::fragment::FragmentProgram;

fn assembled(text: &str) -> FragmentAssembly {
    match assemble("test", text) {
        Ok(Assembly::Fragment(assembly)) => assembly,
        Ok(Assembly::Vertex(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}\n{text}"),
    }
}

/// A program for every language construct that compiles to several instructions of the chip.
const PROGRAMS: [&str; 5] = [
    "!!FP1.0
DEFINE half = 0.5;
DECLARE offset = {1, -2, 3, -4};
MULX_SAT H1.xyz, f[COL0], half;
ADDRC R1, f[TEX1], offset;
MOVH H2 (GE.wzyx), -|R1|;
POW R2.w, f[TEX0].y, 2.5;
MADR R3, R1, H1, H2;
PK2H R4, R3;
UP2H R5, R4.x;
LRP R6, f[TEX0].wwww, R5, R2;
KIL LT.x;
MOV o[COLR], R6;
MOV o[DEPR].z, R3;
END",
    "!!ARBfp1.0
OPTION ARB_fog_exp2;
OPTION ARB_draw_buffers;
ATTRIB a = fragment.texcoord[0];
ATTRIB b = fragment.texcoord[1];
PARAM k[] = { {1, 2, 3, 4}, state.fog.color, program.local[0..1] };
TEMP t, u, v;
XPD t.xyz, a, b;
DPH t.w, t, k[0];
CMP u, b, t, a;
SCS v.xy, a.x;
SWZ v.zw, u, 0, 1, -y, w;
SUB v, v, k[2];
DST u, a, b;
LIT result.color[1], a;
ABS result.color[2], v;
ADD result.color[0], u, fragment.fogcoord;
END",
    "!!ARBfp1.0
OPTION NV_fragment_program2;
TEMP t, u;
SHORT TEMP h;
main: MOV t, 0;
LOOP {4, 0, 2};
  ADDC RC.x, t.x, -6;
  IF GT.x;
    MAD t, t, 0.5, fragment.texcoord[A0.x+1];
    BRK (GT.x);
  ELSE;
    CAL more (TR);
  ENDIF;
ENDLOOP;
NRM u.xyz, t;
DP2A u.w, t, u, t.z;
DIVH_SSAT h, t, u.w;
RFL t.xyz, u, t;
X2D h, h, t, u;
MULC RC, h, t;
RET (LT.xyzw);
MOV result.color, h;
RET;
more: REP {3};
  ADD t, t, fragment.texcoord[1];
ENDREP;
MOV result.color, t;
RET;
END",
    "!!ARBfp1.0
OPTION ARB_precision_hint_fastest;
TEMP t, u;
MUL t, fragment.color, fragment.texcoord[0];
MAD u, t, fragment.color.secondary, fragment.texcoord[1];
SIN t.x, u.x; COS t.y, u.y; EX2 t.z, u.z; LG2 t.w, u.w;
MOV_SAT result.color, t;
END",
    "!!NV40fp1.0
CONTROL 0x03000040;
    MADXC1_x2_SAT R2.xyz, -|f[TEX1]|, fx12({0.5, 1, -1, 0.25}.wzyx), {0.5, 1, -1, 0.25};
    IF NE1.x;
        MOVR R0, f[TEX0];
        DDXR R0.y, R2;
    ELSE;
        DIVSQ9_d2 R0, R2, f[COL0];
    ENDIF;
    REP {3, 0, 0};
        ADDR R0, R0, half(R2.x);
    ENDREP;
    NOP;
END",
];

const INPUTS: [&str; 3] = [
    "f[TEX0]=1,2,3,4 f[TEX1]=5,-6,7,0.5 f[TEX2]=-1,0,0.25,-2 f[COL0]=0.25,0.5,1,0 f[FOGC]=0.5,0,0,1",
    "f[TEX0]=-1,0.5,0.3,0.4 f[TEX1]=0.1,-0.6,7e10,0x7fc00000 f[COL0]=1,1,1,1 f[FOGC]=2,0,0,1 f[WPOS]=1,2,0.5,0.25",
    "f[TEX0]=0,0,0,0 f[TEX1]=0x7f800000,1e-40,-0,3 f[TEX3]=9,8,7,6 f[FACE]=-1,0,0,1",
];

#[test]
fn both_engines_give_the_same_bits() {
    let gpu = common::gpu();
    for text in PROGRAMS {
        let assembly = assembled(text);
        let program = assembly.bound(&|_| [0.5, 0.25, 2.0, 3.0].map(f32::to_bits)).unwrap();
        let quads: Vec<_> = INPUTS.iter().map(|inputs| quad_inputs(&parse_inputs(inputs, None).unwrap())).collect();
        let full = assembly.has_full_outputs();
        let run = |quad| run_fragment_program(&program, full, quad, &mut NoTextures, &Unobserved).unwrap();
        let expected: Vec<_> = quads.iter().map(run).collect();
        assert!(expected.iter().any(|result| result.colors[0][0] != [0; 4]), "{text}");
        let Some(gpu) = &gpu else { continue };
        assert_eq!(run_on_kernels(gpu, &program, full, &quads).unwrap(), expected, "{text}");
    }
}

#[test]
fn texts_survive_as_microcode_and_listing() {
    for text in PROGRAMS {
        let assembly = assembled(text);
        let again = assembled(&listing(&assembly.words, Some(assembly.control)));
        assert_eq!((&again.words, again.control), (&assembly.words, assembly.control), "{text}");
        assert_eq!(again.inputs, assembly.inputs, "{text}");
    }
}

/// The words of every fragment program that a capture draws with, sorted.
fn drawn_programs(capture: &Capture) -> Vec<Vec<u32>> {
    let mut engine = NullEngine::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    let mut player = Player::new(capture, &ReplayOptions::default()).unwrap();
    let mut programs = Vec::new();
    while player.step_method(&mut engine).unwrap().is_some() {
        for command in engine.take_drawn() {
            let GpuCommand::Draw(draw) = command else { continue };
            let bytes = engine.memory().slice(draw.fragment.vec4().unwrap().program);
            let mut word =
                |offset: u32| bytes.get(offset as usize * 4..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
            if let Ok(program) = FragmentProgram::decode_from(&mut word) {
                programs.push((0..program.words).map(|offset| word(offset).unwrap()).collect());
            }
        }
    }
    programs.sort();
    programs.dedup();
    programs
}

#[test]
fn programs_of_real_captures_survive_as_text_and_as_typed_programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures");
    let mut captures = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "nvcap") {
            continue;
        }
        let capture = Capture::read(&std::fs::read(&path).unwrap()).unwrap();
        let programs = drawn_programs(&capture);
        assert!(!programs.is_empty(), "{}", path.display());
        for words in &programs {
            let text = listing(words, None);
            assert_eq!(&assembled(&text).words, words, "{text}");
            let program = FragmentProgram::decode(words).unwrap();
            let encoded = program.encode().unwrap().words;
            // Compiled programs have the layout of the encoder, so that even offsets are preserved.
            assert_eq!(FragmentProgram::decode(&encoded).unwrap(), program, "{text}");
        }
        captures += 1;
    }
    assert!(captures >= 17, "only {captures} captures were found");
}

fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Standard output and standard error.
fn curie(arguments: &[&str]) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_curie")).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn results_and_inputs_have_the_names_of_their_language() {
    let engines: &[&str] = if common::gpu().is_some() { &["reference", "kernels"] } else { &["reference"] };
    let fp = file(
        "names.fp",
        "!!FP1.0\nDECLARE gain = 2;\nMUL R0, f[TEX1], gain;\nADD o[COLR], R0, p[3];\nMOV o[DEPR].z, f[WPOS];\nEND\n",
    );
    let arb = file(
        "names.arbfp",
        "!!ARBfp1.0\nOPTION ARB_draw_buffers;\nMUL result.color[0], fragment.color, program.env[1];\n\
         ADD result.color[2], fragment.texcoord[1], state.fog.color;\nEND\n",
    );
    let half = file("names.half", "!!FP1.0\nMOV o[COLH], f[COL0];\nEND\n");
    let kill = file("names.kill", "!!ARBfp1.0\nKIL fragment.texcoord[0];\nMOV result.color, program.local[0];\nEND\n");
    for engine in engines {
        let run =
            |program: &str, inputs: &str| curie(&["run-program", program, "--engine", engine, "--inputs", inputs]);
        let inputs = file(
            "names.fp.inputs",
            "f[TEX1]=1,2,3,4 p[3]=1,1,1,1 f[WPOS]=0,0,0.5,1\nf[TEX1]=1,2,3,4 gain=0.5,0.5,0.5,0.5\n",
        );
        let (output, error) = run(&fp, &inputs);
        let expected = "1 o[COLR] 3.0 5.0 7.0 9.0 40400000 40a00000 40e00000 41100000
1 o[DEPR] 0.0 0.0 0.5 0.0 00000000 00000000 3f000000 00000000
2 o[COLR] 0.5 1.0 1.5 3.0 3f000000 3f800000 3fc00000 40400000
2 o[DEPR] 0.0 0.0 0.0 0.0 00000000 00000000 00000000 00000000
";
        assert_eq!(output, expected, "{engine}: {error}");
        let inputs = file(
            "names.arb.inputs",
            "fragment.color=0.5,1,0,1 program.env[1]=2,2,2,2 fragment.texcoord[1]=1,2,3,4 state.fog.color=1,1,1,1\n",
        );
        let (output, error) = run(&arb, &inputs);
        let expected = "1 result.color[0] 1.0 2.0 0.0 2.0 3f800000 40000000 00000000 40000000
1 result.color[2] 2.0 3.0 4.0 5.0 40000000 40400000 40800000 40a00000
";
        assert_eq!(output, expected, "{engine}: {error}");
        let (output, _) = run(&half, &file("names.half.inputs", "f[COL0]=0.1,1,0,1\n"));
        // The half nearest to 0.1 is 0x2e66.
        assert_eq!(output, "1 o[COLH] 0.099975586 1.0 0.0 1.0 3dccc000 3f800000 00000000 3f800000\n");
        let inputs = "fragment.texcoord[0]=-1,0,0,0\nfragment.texcoord[0]=1,0,0,0 program.local[0]=3,3,3,3\n";
        let (output, error) = run(&kill, &file("names.kill.inputs", inputs));
        assert_eq!(output, "2 result.color 3.0 3.0 3.0 3.0 40400000 40400000 40400000 40400000\n");
        assert!(error.contains("line 1: the fragment is discarded"), "{error}");
    }
    let (_, error) = curie(&["run-program", &fp, "--engine", "reference", "--input", "gian=1,1,1,1"]);
    assert!(error.contains("\"gian\" is not an input"), "{error}");
}

#[test]
fn every_program_command_takes_fragment_texts() {
    let text = file("commands.fp", "!!FP1.0\nMUL R0, f[TEX0], p[1];\nMOV o[COLH], R0;\nMOV o[DEPR].z, R0;\nEND\n");
    let object = file("commands.object", "");
    let (_, error) = curie(&["assemble", &text, "--output", &object]);
    assert_eq!(error, "");
    let (listed, error) = curie(&["disassemble", &text]);
    let expected = "!!NV40fp1.0
CONTROL 0x0200000e;
    MULR R1, f[TEX0], {0, 0, 0, 0};
    MOVH H0, R1;
    MOVR R1.z, R1;
END
";
    assert!(listed.starts_with("!!NV40fp1.0\nCONTROL 0x0") && listed.contains("MULR R"), "{listed}{error}");
    assert_eq!(listed.lines().count(), expected.lines().count(), "{listed}");
    assert_eq!(curie(&["disassemble", &object]).0, listed);
    assert_eq!(curie(&["disassemble", &file("commands.native", &listed)]).0, listed);
    let (source, error) = curie(&["recompile", &text]);
    assert!(source.contains("fn "), "{error}");
    let inputs = ["--input", "f[TEX0]=1,2,3,4", "--input", "p[1]=2,2,2,2", "--engine", "reference"];
    let run = |program: &str| curie(&[&["run-program", program], &inputs[..]].concat()).0;
    assert_eq!(run(&object), run(&text));
    assert!(run(&text).starts_with("1 o[COLH] 2.0 4.0 6.0 8.0 "), "{}", run(&text));
}
