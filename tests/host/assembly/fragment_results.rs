//! Texts run on the reference, with results worked out by hand from the documents of the languages.

use curie::asm::inputs::parse_inputs;
use curie::asm::{Assembly, ConstantSource, FragmentAssembly, assemble};
use curie::pipeline::FragmentResult;
use curie::pipeline::program_run::quad_inputs;
use curie::reference::fragment::run_fragment_program::{NoTextures, run_fragment_program};
use curie::reference::observer::Unobserved;
use curie::shader::fragment::FragmentProgram;

fn assembled(text: &str) -> FragmentAssembly {
    match assemble("test", text) {
        Ok(Assembly::Fragment(assembly)) => assembly,
        Ok(Assembly::Vertex(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}\n{text}"),
    }
}

fn value_of(source: &ConstantSource) -> [u32; 4] {
    let values: [f32; 4] = match source {
        ConstantSource::Local(index) | ConstantSource::Register(index) => {
            [f32::from(u8::try_from(*index).unwrap()), 2.0, 3.0, 4.0]
        }
        ConstantSource::Named(_, value) => return *value,
        ConstantSource::State(binding) if binding.to_string() == "state.fog.params" => [0.5, 1.0, 5.0, 0.25],
        ConstantSource::State(_) => [0.25, 0.5, 0.75, 1.0],
        ConstantSource::Environment(_) | ConstantSource::Literal(_) => panic!("not used by the tests"),
    };
    values.map(f32::to_bits)
}

fn run(text: &str, inputs: &str) -> FragmentResult {
    let assembly = assembled(text);
    let program = FragmentProgram::decode(&assembly.patched(&value_of)).unwrap();
    let inputs = quad_inputs(&parse_inputs(inputs, None).unwrap());
    run_fragment_program(&program, assembly.has_full_outputs(), &inputs, &mut NoTextures, &Unobserved).unwrap()
}

fn color(text: &str, inputs: &str) -> [f32; 4] {
    run(text, inputs).colors[0][0].map(f32::from_bits)
}

/// Equal up to the rounding of the tables for logarithms and powers.
fn assert_near(found: [f32; 4], expected: [f32; 4]) {
    let is_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() <= expected.abs() * 1e-6);
    assert!(is_near, "{found:?} is not {expected:?}");
}

/// The result of statements of `!!ARBfp1.0` with options; `a`, `b`, `c` are (1, 2, 3, 4), (5, −6, 7, 0.5), (−1, 0, 0.25, −2).
fn arb(options: &str, statements: &str) -> [f32; 4] {
    let options: String = options.split_whitespace().map(|option| format!("OPTION {option};\n")).collect();
    let text = format!(
        "!!ARBfp1.0\n{options}ATTRIB a = fragment.texcoord[0];\nATTRIB b = fragment.texcoord[1];\n\
         ATTRIB c = fragment.texcoord[2];\nOUTPUT o = result.color;\nTEMP t, u;\n{statements}\nEND\n"
    );
    color(&text, "f[TEX0]=1,2,3,4 f[TEX1]=5,-6,7,0.5 f[TEX2]=-1,0,0.25,-2 f[FOGC]=2,9,9,9 f[WPOS]=10,20,0.5,0.25")
}

fn nv2(statements: &str) -> [f32; 4] {
    arb("NV_fragment_program2", statements)
}

#[test]
fn operations_that_the_chip_lacks_are_built_from_others() {
    assert_eq!(arb("", "ABS o, b;"), [5.0, 6.0, 7.0, 0.5]);
    assert_eq!(arb("", "ABS o, -c;"), [1.0, 0.0, 0.25, 2.0]);
    assert_eq!(arb("", "SUB o, a, b;"), [-4.0, 8.0, -4.0, 3.5]);
    // 5 − 12 + 21 + 0.5, and with both sources negated: 14 − 4.
    assert_eq!(arb("", "DPH o, a, b;"), [14.5; 4]);
    assert_eq!(arb("", "DPH o, -a, -b;"), [13.5; 4]);
    assert_eq!(arb("", "CMP o, c, a, b;"), [1.0, -6.0, 7.0, 4.0]);
    assert_eq!(arb("", "MOV t, a; CMP t.xw, c, b, t; MOV o, t;"), [5.0, 2.0, 3.0, 0.5]);
    assert_eq!(arb("", "MOV t, c; CMP t, t, t.wzyx, a; MOV o, t;"), [-2.0, 2.0, 3.0, -1.0]);
    // (2·7 + 3·6, 3·5 − 1·7, −6 − 10)
    assert_eq!(arb("", "MOV o, 0; XPD o.xyz, a, b;"), [32.0, 8.0, -16.0, 0.0]);
    assert_eq!(arb("", "SWZ o, b, -y, 0, 1, -1;"), [6.0, 0.0, 1.0, -1.0]);
    assert_eq!(arb("", "MOV t, b; SWZ t, t, w, -x, z, y; MOV o, t;"), [0.5, -5.0, 7.0, -6.0]);
    assert_eq!(arb("", "MOV o, 7; SCS o.xy, c.y;"), [1.0, 0.0, 7.0, 7.0]);
    assert_eq!(arb("", "MOV t, 0; SCS t.xy, t.x; MOV o, t;"), [1.0, 0.0, 0.0, 0.0]);
    assert_near(arb("", "POW o, a.y, a.w;"), [16.0; 4]);
    assert!(arb("", "POW o, c.y, c.y;")[0].is_nan(), "0 to the power of 0 in NV_fragment_program");
}

#[test]
fn operations_of_the_chip_have_the_documented_results() {
    assert_near(arb("", "LIT o, a;"), [1.0, 1.0, 16.0, 1.0]);
    assert_eq!(arb("", "LIT o, c;"), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(arb("", "DST o, a, b;"), [1.0, -12.0, 3.0, 0.5]);
    assert_eq!(arb("", "LRP o, 0.25, a, b;"), [4.0, -4.0, 6.0, 1.375]);
    assert_eq!(arb("", "MAD o, a, 2, 1;"), [3.0, 5.0, 7.0, 9.0]);
    assert_eq!(arb("", "MAD o, a, {2,3,4,5}, {10,20,30,40};"), [12.0, 26.0, 42.0, 60.0]);
    assert_eq!(arb("", "FLR o, c;"), [-1.0, 0.0, 0.0, -2.0]);
    assert_eq!(arb("", "FRC o, c;"), [0.0, 0.0, 0.25, 0.0]);
    assert_near(arb("", "RCP o, a.w;"), [0.25; 4]);
    assert_near(arb("", "RSQ o, a.w;"), [0.5; 4]);
    assert_near(arb("", "EX2 o, a.z;"), [8.0; 4]);
    assert_near(arb("", "LG2 o, a.w;"), [2.0; 4]);
    assert_eq!(arb("", "SGE o, c, 0;"), [0.0, 1.0, 1.0, 0.0]);
    assert_eq!(arb("", "MOV_SAT o, b;"), [1.0, 0.0, 1.0, 0.5]);
    assert_eq!(arb("", "MOV o.gb, a; MOV o.ra, a.grba;"), [2.0, 2.0, 3.0, 4.0]);
    assert_near(nv2("DIV o, b, a.w;"), [1.25, -1.5, 1.75, 0.125]);
    assert_eq!(nv2("DP2 o, a, b;"), [-7.0; 4]);
    assert_eq!(nv2("DP2A o, a, b, a.w;"), [-3.0; 4]);
    assert_near(nv2("MOV o, 0; NRM o.xyz, {0, 0, 4};"), [0.0, 0.0, 1.0, 0.0]);
    // 2·(a·d)/(a·a)·a − d with a = (0, 0, 2): only z keeps its sign.
    assert_near(nv2("MOV o, 0; RFL o.xyz, {0, 0, 2}, a;"), [-1.0, -2.0, 3.0, 0.0]);
    // (1 + 5·(−1) − 6·0, 2 + 5·0.25 − 6·(−2))
    assert_eq!(nv2("X2D o, a, b, c;"), [-4.0, 15.25, -4.0, 15.25]);
    assert_eq!(nv2("MOV_SSAT o, b;"), [1.0, -1.0, 1.0, 0.5]);
    assert_eq!(nv2("MOVX o, {0.0001, 3, -5, 0.5};"), [0.0, 2047.0 / 1024.0, -2.0, 0.5]);
    assert_eq!(nv2("MOVH o, {2049, 65536, 0.1, 1};")[..2], [2048.0, f32::INFINITY]);
    assert_eq!(nv2("PK2H t, b; UP2H o, t.x;"), [5.0, -6.0, 5.0, -6.0]);
    assert_eq!(nv2("PK4UB t, {0, 1, 0.2, 0.4}; UP4UB o, t.x;"), [0.0, 1.0, 0.2, 0.4]);
    assert_eq!(nv2("STR o, a, a;"), [1.0; 4]);
    assert_eq!(nv2("SFL o;"), [0.0; 4]);
}

#[test]
fn tests_select_components_and_updates_follow_the_mask() {
    assert_eq!(nv2("MOV o, a; MOVC t, c; MOV o (LT), b;"), [5.0, 2.0, 3.0, 0.5]);
    assert_eq!(nv2("MOV o, a; MOVC RC.x, c; MOV o (LT.x), b;"), [5.0, -6.0, 7.0, 0.5]);
    assert_eq!(nv2("MOV o, a; MOVC CC, c; CMP o (GT.z), c, b, a;"), [5.0, 2.0, 3.0, 0.5]);
    assert_eq!(nv2("MOV o, 1; MOVC HC, 1; ADDC o (LT), a, b; MOV o.x (EQ), 9;"), [1.0; 4]);
    assert_eq!(nv2("MOV o, a; MOVC RC, c; SWZ o (EQ), b, 1, 1, 0, -x;"), [1.0, 1.0, 3.0, 4.0]);
}

#[test]
fn fragments_are_killed_by_negative_components_or_conditions() {
    let covers = |statements: &str| {
        let text = format!("!!ARBfp1.0\nOPTION NV_fragment_program;\nTEMP t;\n{statements}\nMOV result.color, 1;\nEND");
        run(&text, "f[TEX2]=-1,0,0.25,-2").coverage
    };
    assert_eq!(covers("KIL fragment.texcoord[2];"), 0);
    assert_eq!(covers("KIL fragment.texcoord[2].y;"), 0xf);
    assert_eq!(covers("KIL -fragment.texcoord[2].z;"), 0);
    assert_eq!(covers("MOVC RC, fragment.texcoord[2]; KIL GT.x;"), 0xf);
    assert_eq!(covers("MOVC RC, fragment.texcoord[2]; KIL LT.x;"), 0);
    assert_eq!(assembled("!!FP1.0\nMOVC RC, f[TEX2]; KIL GT; MOV o[COLR], f[TEX2]; END").control, 0x0200_00c0);
}

#[test]
fn blocks_loops_and_calls_run_as_written() {
    assert_eq!(nv2("MOVC RC.x, c.x; IF LT.x; MOV o, 1; ELSE; MOV o, 2; ENDIF;"), [1.0; 4]);
    assert_eq!(nv2("MOVC RC.x, c.z; IF LT.x; MOV o, 1; ELSE; MOV o, 2; ENDIF;"), [2.0; 4]);
    assert_eq!(nv2("MOV t, 0; REP {5}; ADD t, t, a; ENDREP; MOV o, t;"), [5.0, 10.0, 15.0, 20.0]);
    assert_eq!(nv2("MOV t, 0; REP program.local[3]; ADD t, t, 1; ENDREP; MOV o, t;"), [3.0; 4]);
    assert_eq!(nv2("MOV t, 0; REP 0; ADD t, t, a; ENDREP; MOV o, t;"), [0.0; 4]);
    // TEX0, TEX1 and TEX2 are summed.
    let sum = "MOV t, 0; LOOP {3, 0, 1}; ADD t, t, fragment.texcoord[A0.x]; ENDLOOP; MOV o, t;";
    assert_eq!(nv2(sum), [5.0, -4.0, 10.25, 2.5]);
    let backwards = "MOV t, 0; LOOP {2, 1, -1}; ADD t, t, fragment.texcoord[A0.x+1]; ENDLOOP; MOV o, t;";
    assert_eq!(nv2(backwards), [4.0, -6.0, 7.25, -1.5]);
    let breaks = "MOV t, 0; REP {9}; ADD t, t, 1; ADDC RC.x, t, -3; BRK (GE.x); ENDREP; MOV o, t;";
    assert_eq!(nv2(breaks), [3.0; 4]);
    let calls = "MOV t, a; CAL twice; CAL twice; MOV o, t; RET; twice: ADD t, t, t; RET;";
    assert_eq!(nv2(calls), [4.0, 8.0, 12.0, 16.0]);
    let main = "other: MOV o, 3; RET; main: MOV o, 1; MOVC RC, 1; CAL other (LT); RET (GT); MOV o, 2;";
    assert_eq!(nv2(main), [1.0; 4]);
    let shared = "CAL first; CAL second; MOV o, t; RET; first: MOV t, a; second: ADD t, t, 1; RET;";
    assert_eq!(nv2(shared), [3.0, 4.0, 5.0, 6.0]);
}

#[test]
fn values_stay_alive_over_loops_and_calls() {
    // u is written before the loop and read after it; w is live across iterations.
    let text = "TEMP w, v; MOV u, a; MOV w, 0; REP {3}; ADD v, w, 1; MOV w, v; ENDREP; ADD o, u, w;";
    assert_eq!(nv2(text), [4.0, 5.0, 6.0, 7.0]);
    let text = "TEMP v; MOV u, a; MOV v, b; CAL sub; ADD o, u, v; RET; sub: MUL t, v, 2; ADD v, t, 0; RET;";
    assert_eq!(nv2(text), [11.0, -10.0, 17.0, 5.0]);
}

#[test]
fn attributes_have_the_components_of_the_language() {
    assert_eq!(arb("", "MOV o, fragment.fogcoord;"), [2.0, 0.0, 0.0, 1.0]);
    assert_eq!(arb("", "MOV o, fragment.fogcoord.x;"), [2.0; 4]);
    assert_eq!(arb("", "MOV o, fragment.position;"), [10.0, 20.0, 0.5, 0.25]);
    assert_eq!(nv2("MOV o, fragment.facing;"), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(arb("", "MAD o, a, b, c;"), [4.0, -12.0, 21.25, 0.0]);
    assert_eq!(arb("", "ADD o, program.local[7], program.local[8].x;"), [15.0, 10.0, 11.0, 12.0]);
}

#[test]
fn fog_options_mix_behind_the_program() {
    // f = (5 − 2)·0.25; colors are clamped first; fog is (0.25, 0.5, 0.75), alpha stays.
    let linear = arb("ARB_fog_linear", "MOV o, {3, 0, 0.5, 7};");
    assert_eq!(linear, [0.75 + 0.0625, 0.125, 0.375 + 0.1875, 7.0]);
    let near = |found: [f32; 4], factor: f32| {
        let expected = [0.25, 0.5, 0.75].map(|fog| fog * (1.0 - factor));
        found[..3].iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6)
    };
    assert!(near(arb("ARB_fog_exp", "MOV o, 0;"), (-1.0f32).exp()));
    assert!(near(arb("ARB_fog_exp2", "MOV o, 0;"), (-1.0f32).exp()));
    let early = arb("NV_fragment_program2 ARB_fog_linear", "MOV o, 1; MOVC RC, a; RET (GT); MOV o, 0;");
    assert_eq!(early[0], 0.75 + 0.0625);
}

#[test]
fn results_lie_where_the_control_word_says() {
    let text = "!!ARBfp1.0\nOPTION ARB_draw_buffers;\nMOV result.color[0], 1; MOV result.color[3], 2;\n\
                MOV result.depth.z, 0.5;\nEND";
    let assembly = assembled(text);
    assert_eq!((assembly.control, assembly.color_targets, assembly.writes_depth), (0x0500_004e, 9, true));
    let result = run(text, "");
    assert_eq!(result.colors[0][0], [1.0f32.to_bits(); 4]);
    assert_eq!(result.colors[3][0], [2.0f32.to_bits(); 4]);
    assert_eq!(result.depth[0], 0.5f32.to_bits());
    let halves = "!!ARBfp1.0\nOPTION ARB_precision_hint_fastest;\nOPTION ATI_draw_buffers;\n\
                  MOV result.color[1], {2049, 1, 1, 1};\nEND";
    assert_eq!(assembled(halves).control, 0x0300_0000);
    assert_eq!(run(halves, "").colors[1][0][0], 2048.0f32.to_bits());
    let mixed = "!!ARBfp1.0\nOPTION NV_fragment_program;\nOPTION ARB_draw_buffers;\nSHORT OUTPUT s = result.color[1];\n\
                 LONG OUTPUT l = result.color;\nMOV s, {2049, 1, 1, 1}; MOV l, {2049, 1, 1, 1};\nEND";
    assert_eq!(assembled(mixed).control, 0x0300_0040);
    assert_eq!(run(mixed, "").colors[1][0][0], 2048.0f32.to_bits());
    assert_eq!(run(mixed, "").colors[0][0][0], 2049.0f32.to_bits());
}

#[test]
fn the_first_language_reads_as_documented() {
    let fp = |statements: &str| {
        let text = format!("!!FP1.0\n{statements}\nEND\n");
        color(&text, "f[TEX0]=1,2,3,4 f[TEX1]=5,-6,7,0.5")
    };
    assert_eq!(
        fp("DEFINE half = 0.5; DECLARE offset = {1, 2, 3, 4};\nMUL R0, f[TEX0], half;\nADD o[COLR], R0, offset;"),
        [1.5, 3.0, 4.5, 6.0]
    );
    assert_eq!(fp("MOV H0, f[TEX1]; MOV R0, f[TEX0]; ADD o[COLR], R0, H0;"), [6.0, -4.0, 10.0, 4.5]);
    assert_eq!(fp("MOVX o[COLH], f[TEX0];"), [1.0, 2047.0 / 1024.0, 2047.0 / 1024.0, 2047.0 / 1024.0]);
    assert_eq!(fp("MUL o[COLR], p[5], f[TEX0].x;"), [5.0, 2.0, 3.0, 4.0]);
    assert_near(fp("POW o[COLR], f[TEX0].y, 3;"), [8.0; 4]);
    assert_eq!(fp("MOVC RC, -|f[TEX1]|; MOV o[COLR], 1; MOV o[COLR].x (LT.w), f[TEX0];"), [1.0; 4]);
    assert_eq!(fp("TEX R0, f[TEX0], TEX3, 2D; ADD o[COLR], R0, 1;"), [1.0, 1.0, 1.0, 2.0]);
}

#[test]
fn texture_units_are_listed_with_their_targets() {
    let assembly = assembled(
        "!!ARBfp1.0\nOPTION ARB_fragment_program_shadow;\nTEMP t;\nTEX t, fragment.texcoord[0], texture[5], SHADOW2D;\n\
         TXP t, fragment.texcoord[1], texture, CUBE; TXB result.color, t, texture[5], SHADOW2D;\nEND",
    );
    let uses: Vec<_> =
        assembly.textures.iter().map(|texture| (texture.unit, format!("{:?}", texture.target))).collect();
    assert_eq!(uses, [(0, "Some(Cube)".to_owned()), (5, "Some(Shadow2D)".to_owned())]);
    assert_eq!(assembly.inputs, 0b11 << 4);
}
