//! Tests each operation of the vertex languages on numbers whose results follow from the documents by hand.

use curie::asm::Assembly;
use curie::asm::inputs::parse_inputs;

use super::{result, results, vertex};

/// a in the attribute, b in the parameter, c in R0.
const INPUTS: &str = "v[1]=1,-2,3,0.5 c[1]=4,0.25,-1,2 c[2]=10,20,30,40 c[4]=0,0,0,0";
/// The same for the ARB language.
const ARB_INPUTS: &str = "vertex.attrib[1]=1,-2,3,0.5 program.local[1]=4,0.25,-1,2 program.env[2]=10,20,30,40";

/// Statements of `NV_vertex_program` and the resulting color.
const FIRST: &[(&str, [f32; 4])] = &[
    ("MOV o[COL0], v[1];", [1.0, -2.0, 3.0, 0.5]),
    ("MOV o[COL0], -v[1].wzyx;", [-0.5, -3.0, 2.0, -1.0]),
    ("MOV o[COL0].yw, v[1].x;", [0.0, 1.0, 0.0, 1.0]),
    ("MUL o[COL0], v[1], c[1];", [4.0, -0.5, -3.0, 1.0]),
    ("ADD o[COL0], v[1], c[1];", [5.0, -1.75, 2.0, 2.5]),
    ("MAD o[COL0], v[1], c[1], R0;", [14.0, 19.5, 27.0, 41.0]),
    ("MAD o[COL0], v[1], v[1].x, v[1];", [2.0, -4.0, 6.0, 1.0]),
    ("DP3 o[COL0], v[1], c[1];", [0.5; 4]),
    ("DP4 o[COL0], v[1], c[1];", [1.5; 4]),
    ("DST o[COL0], v[1], c[1];", [1.0, -0.5, 3.0, 2.0]),
    ("MIN o[COL0], v[1], c[1];", [1.0, -2.0, -1.0, 0.5]),
    ("MAX o[COL0], v[1], c[1];", [4.0, 0.25, 3.0, 2.0]),
    ("SLT o[COL0], v[1], c[1];", [1.0, 1.0, 0.0, 1.0]),
    ("SGE o[COL0], v[1], c[1];", [0.0, 0.0, 1.0, 0.0]),
    ("RCP o[COL0], v[1].y;", [-0.5; 4]),
    ("RSQ o[COL0], -c[1].x;", [0.5; 4]),
    ("EXP o[COL0], v[1].z;", [8.0, 0.0, 8.0, 1.0]),
    ("LOG o[COL0], -c[1].x;", [2.0, 1.0, 2.0, 1.0]),
    ("LIT o[COL0], c[1];", [1.0, 4.0, 0.0625, 1.0]),
    ("ARL A0.x, v[1].z; MOV o[COL0], c[A0.x-2];", [4.0, 0.25, -1.0, 2.0]),
    ("ARL A0.x, v[1].w; MOV o[COL0], c[A0.x+2];", [10.0, 20.0, 30.0, 40.0]),
    // Reads beyond the 96 registers return 0.
    ("ARL A0.x, R0.w; MUL o[COL0], c[A0.x+63].x, R0;", [0.0; 4]),
];

/// New in `NV_vertex_program1_1`.
const SECOND: &[(&str, [f32; 4])] = &[
    ("DPH o[COL0], v[1], c[1];", [2.5; 4]),
    ("SUB o[COL0], v[1], c[1];", [-3.0, -2.25, 4.0, -1.5]),
    ("ABS o[COL0], -v[1];", [1.0, 2.0, 3.0, 0.5]),
    ("RCC o[COL0], v[1].y;", [-0.5; 4]),
    ("RCC o[COL0], c[4].x;", [1.844_674_4e19; 4]),
    ("MOV o[COL0], +v[1];", [1.0, -2.0, 3.0, 0.5]),
];

/// New in `NV_vertex_program2`.
const THIRD: &[(&str, [f32; 4])] = &[
    ("MOV o[COL0], |v[1]|;", [1.0, 2.0, 3.0, 0.5]),
    ("MOV o[COL0], -|-v[1].y|;", [-2.0; 4]),
    ("EX2 o[COL0], v[1].z;", [8.0; 4]),
    ("LG2 o[COL0], c[1].x;", [2.0; 4]),
    ("FLR o[COL0], -v[1];", [-1.0, 2.0, -3.0, -1.0]),
    ("FRC o[COL0], -v[1];", [0.0, 0.0, 0.0, 0.5]),
    ("SEQ o[COL0], v[1], v[1].x;", [1.0, 0.0, 0.0, 0.0]),
    ("SNE o[COL0], v[1], v[1].x;", [0.0, 1.0, 1.0, 1.0]),
    ("SGT o[COL0], v[1], c[1];", [0.0, 0.0, 1.0, 0.0]),
    ("SLE o[COL0], v[1], c[1];", [1.0, 1.0, 0.0, 1.0]),
    ("SFL o[COL0], v[1], v[1];", [0.0; 4]),
    ("STR o[COL0], v[1], v[1];", [1.0; 4]),
    ("STR o[COL0];", [1.0; 4]),
    ("SSG o[COL0], v[1];", [1.0, -1.0, 1.0, 1.0]),
    ("SIN o[COL0], c[4].x;", [0.0; 4]),
    ("COS o[COL0], c[4].x;", [1.0; 4]),
    ("ARL A1.zw, v[1]; MOV o[COL0], c[A1.z-2];", [4.0, 0.25, -1.0, 2.0]),
    // 0.5 is rounded to even, which is 0.
    ("ARR A0.y, v[1].w; MOV o[COL0], c[A0.y+1];", [4.0, 0.25, -1.0, 2.0]),
    // A0 = (1, -2, 3, 0), so A1 = (4, -2, 4, -2).
    ("ARL A0, v[1]; ARA A1.xw, A0; MOV o[COL0], c[A1.x-3];", [4.0, 0.25, -1.0, 2.0]),
    ("ARL A0, v[1]; ARA A1.xw, A0; MOV o[COL0], c[A1.w+4];", [10.0, 20.0, 30.0, 40.0]),
    ("MOVC R1, v[1]; MOV o[COL0], c[1]; MOV o[COL0] (LT), R0;", [4.0, 20.0, -1.0, 2.0]),
    ("MOVC CC.y, v[1]; MOV o[COL0], c[1]; MOV o[COL0].xyz (LT.y), R0;", [10.0, 20.0, 30.0, 2.0]),
    ("ARLC A0, v[1]; MOV o[COL0], c[1]; MOV o[COL0] (EQ), R0;", [4.0, 0.25, -1.0, 40.0]),
    ("SLTC R1, v[1], c[1]; MOV o[COL0], c[1]; MOV o[COL0] (NE), R0;", [10.0, 20.0, -1.0, 40.0]),
];

/// EX2 and LG2 are accurate to 22 bits; everything else here is exact.
fn assert_is(found: [f32; 4], expected: [f32; 4], text: &str) {
    let tolerance = if text.contains("EX2") || text.contains("POW") { 2.0f32.powi(-21) } else { 0.0 };
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance * expected.abs(), "{found} for {expected}\n{text}");
    }
}

fn first_generation(header: &str, statement: &str) -> String {
    format!("{header}\nMOV o[HPOS], v[OPOS];\nMOV R0, c[2];\n{statement}\nEND")
}

#[test]
fn every_operation_of_the_nv_languages_gives_its_documented_result() {
    for header in ["!!VP1.0", "!!VP1.1", "!!VP2.0", "!!VP3.0"] {
        for &(statement, expected) in FIRST {
            // The later languages have no implied magnitude in RSQ, and use modern index rules.
            let is_first = header.starts_with("!!VP1");
            if !is_first && (statement.starts_with("RSQ") || statement.contains("+63")) {
                continue;
            }
            let text = first_generation(header, statement);
            assert_is(result(&text, INPUTS, "o[COL0]"), expected, &text);
        }
    }
    for header in ["!!VP1.1", "!!VP2.0", "!!VP3.0"] {
        for &(statement, expected) in SECOND {
            let text = first_generation(header, statement);
            assert_is(result(&text, INPUTS, "o[COL0]"), expected, &text);
        }
    }
    for header in ["!!VP2.0", "!!VP3.0"] {
        for &(statement, expected) in THIRD {
            let text = first_generation(header, statement);
            assert_is(result(&text, INPUTS, "o[COL0]"), expected, &text);
        }
    }
}

#[test]
fn every_operation_of_the_arb_language_gives_its_documented_result() {
    let own: &[(&str, [f32; 4])] = &[
        ("POW o, b.x, a.w;", [2.0; 4]),
        ("SWZ o, a, x, -y, 0, 1;", [1.0, 2.0, 0.0, 1.0]),
        ("SWZ o, a, -w, -z, -y, -x;", [-0.5, -3.0, 2.0, -1.0]),
        ("SWZ o, a, 1, -1, x, 0;", [1.0, -1.0, 1.0, 0.0]),
        ("MOV t, a; SWZ t, t, y, x, -w, 1; MOV o, t;", [-2.0, 1.0, -0.5, 1.0]),
        // a × b
        ("MOV o.w, a; XPD o.xyz, a, b;", [1.25, 13.0, 8.25, 0.5]),
        ("MOV t, a; XPD t.xyz, t, b; MOV o, t;", [1.25, 13.0, 8.25, 0.5]),
        ("RSQ o, -b.x;", [0.5; 4]),
        ("ADD o, a, {1, 2}.yxwz;", [3.0, -1.0, 4.0, 0.5]),
        ("MUL o, -a, 2.0;", [-2.0, 4.0, -6.0, -1.0]),
        ("MAD o, k, program.local[1], program.env[2];", [12.0, 20.125, 29.5, 41.0]),
        ("MUL o, vertex.attrib[1], vertex.position;", [5.0, -12.0, 21.0, 4.0]),
        ("ARL A.x, a.z; MOV o, arr[A.x-2];", [4.0, 0.25, -1.0, 2.0]),
        ("MOV o, arr[2];", [0.5; 4]),
        ("DP3 o, a, b; EX2 t, a.z; MOV o.x, t;", [8.0, 0.5, 0.5, 0.5]),
    ];
    let names = "PARAM b = program.local[1]; PARAM k = 0.5; ATTRIB a = vertex.attrib[1]; TEMP t; ADDRESS A;
        PARAM arr[] = { program.env[2], program.local[1], 0.5 }; OUTPUT o = result.color;";
    for &(statement, expected) in own {
        let text = format!("!!ARBvp1.0\n{names}\n{statement}\nEND");
        let inputs = format!("{ARB_INPUTS} vertex.position=5,6,7,8");
        assert_is(result(&text, &inputs, "result.color"), expected, &text);
    }
    // The statements of the NV languages, in ARB spelling.
    for (options, statements) in [("", FIRST), ("", SECOND), ("OPTION NV_vertex_program2;", THIRD)] {
        for &(statement, expected) in statements {
            let is_missing = options.is_empty() && statement.starts_with("RCC") || statement.contains("+63");
            if is_missing || statement.contains("ARL") || statement.contains("ARR") {
                continue;
            }
            let text = format!("!!ARBvp1.0\n{options}\nTEMP R0, R1; MOV R0, program.env[2];\n{statement}\nEND")
                .replace("o[COL0]", "result.color")
                .replace("v[1]", "vertex.weight")
                .replace("c[4]", "{0, 0, 0, 0}")
                .replace("c[1]", "program.local[1]");
            assert_is(result(&text, ARB_INPUTS, "result.color"), expected, &text);
        }
    }
}

#[test]
fn saturation_and_two_condition_registers_belong_to_the_third_option() {
    let header = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEMP t; PARAM b = program.local[1];";
    let cases: &[(&str, [f32; 4])] = &[
        ("ADD_SAT result.color, vertex.weight, b;", [1.0, 0.0, 1.0, 1.0]),
        ("MOVC1 t, vertex.weight; MOV result.color, b; MOV result.color (LT1), 9.0;", [4.0, 9.0, -1.0, 2.0]),
        ("MOVC0 t, vertex.weight; MOV result.color, b; MOV result.color (LT1), 9.0;", [4.0, 0.25, -1.0, 2.0]),
        // CC1 is written where CC0 passes: y is the only negative component of a; b.y is positive there.
        (
            "MOVC0 t, vertex.weight; MOV result.color, 7.0; MOVC1 t (LT0), b; MOV result.color (GT1), t;",
            [7.0, 0.25, 7.0, 7.0],
        ),
        // The other components of CC1 keep their values: x and w are greater, z is less.
        (
            "MOVC1 t, b; MOVC0 t, vertex.weight; SUBC1 t.y (LT0), t, t; MOV result.color, 7.0;
             MOV result.color (EQ1), 1.0; MOV result.color (LT1), 2.0; MOV result.color (GT1), 3.0;",
            [3.0, 1.0, 2.0, 3.0],
        ),
        ("SIN t.x, 0.0; COS result.color, 0; MOV result.color.x, t;", [0.0, 1.0, 1.0, 1.0]),
    ];
    for (statements, expected) in cases {
        let text = format!("{header}\n{statements}\nEND");
        assert_eq!(result(&text, ARB_INPUTS, "result.color"), *expected, "{text}");
    }
}

#[test]
fn fog_size_and_clip_distances_share_registers_without_harm() {
    let text = "!!VP2.0\nMOV o[HPOS], v[0];\nMOV o[FOGC], v[1];\nDP4 o[CLP1].x, v[1], c[1];\nMOV o[CLP2], -v[1].zyxw;
        EXP o[CLP3], v[1].z;\nMOVC o[PSIZ], v[1];\nMOV o[COL0], c[4];\nMOV o[COL0] (LT), c[1];\nEND";
    let found = results(text, INPUTS);
    let value = |name: &str| found.iter().find(|(known, _)| known == name).unwrap().1.map(f32::from_bits);
    assert_eq!(value("o[FOGC]"), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(value("o[CLP1]"), [1.5, 0.0, 0.0, 1.0]);
    assert_eq!(value("o[CLP2]"), [-3.0, 0.0, 0.0, 1.0]);
    assert_eq!(value("o[CLP3]"), [8.0, 0.0, 0.0, 1.0]);
    assert_eq!(value("o[PSIZ]"), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(value("o[COL0]"), [0.0, 0.25, 0.0, 0.0]);
    // FOGC, PSIZ, clip distances 1, 2, 3, and the front color.
    assert_eq!(vertex(text).results, 1 << 4 | 1 << 5 | 0b1110 << 6 | 1);
}

#[test]
fn indexed_attributes_and_results_follow_the_address() {
    let text = "!!ARBvp1.0\nOPTION NV_vertex_program3;\nADDRESS A;\nARL A.x, {2, 0, 0, 0};
        MOV result.texcoord[A.x+1], vertex.texcoord[A.x-1];\nMOV result.color, vertex.attrib[A.x+7];\nEND";
    let inputs = "vertex.texcoord[1]=1,2,3,4";
    assert_eq!(result(text, inputs, "result.texcoord[3]"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(result(text, inputs, "result.color"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(result(text, inputs, "result.texcoord[0]"), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(vertex(text).attributes, u16::MAX);
}

#[test]
fn an_invariant_position_is_the_product_with_the_matrix() {
    let inputs = "vertex.position=1,2,3,1 state.matrix.mvp.row[0]=1,0,0,5 state.matrix.mvp.row[1]=0,2,0,0 \
        state.matrix.mvp.row[2]=0,0,-1,0 state.matrix.mvp.row[3]=0,0,0,1";
    for option in ["ARB_position_invariant", "NV_position_invariant"] {
        let text = format!("!!ARBvp1.0\nOPTION {option};\nMOV result.color, vertex.color;\nEND");
        let assembly = vertex(&text);
        assert!(assembly.is_position_invariant && assembly.attributes == 0b1001);
        let program = format!("{text}\n");
        let element = parse_inputs(inputs, Some(&Assembly::Vertex(assembly.clone()))).unwrap();
        let constants = assembly.constants.iter().map(|constant| element.parameter(constant.source)[3]);
        assert_eq!(constants.map(f32::from_bits).collect::<Vec<_>>(), [5.0, 0.0, 0.0, 1.0], "{program}");
        assert_eq!(assembly.instructions.len(), 5);
    }
}

#[test]
fn state_programs_put_out_the_parameters_that_they_write() {
    let text = "!!VSP1.0\nMUL R0, v[0], c[1];\nMOV c[5].xy, R0;\nADD c[7], c[5], c[5];\nEND";
    let inputs = "v[0]=2,3,4,5 c[1]=10,10,10,10 c[5]=1,1,1,1";
    assert_eq!(result(text, inputs, "c[5]"), [20.0, 30.0, 1.0, 1.0]);
    assert_eq!(result(text, inputs, "c[7]"), [40.0, 60.0, 2.0, 2.0]);
}

#[test]
fn words_are_those_that_the_field_layout_gives() {
    // Mesa's blit program.
    let blit = vertex("!!VP1.0\nMOV o[HPOS], v[OPOS];\nMOV o[TEX0], v[TEX0];\nEND").instructions;
    assert_eq!(
        blit,
        [[0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff80], [0x401f_9c6c, 0x0040_080d, 0x8106_c083, 0x6041_ff9d]]
    );
    // DP4 is 7 in bits 26:22 of word 1, constant 3 in 21:12; source 1 has type 3; the mask x is bit 16 of word 3.
    let product = vertex("!!VP1.0\nDP4 o[HPOS].x, v[0], c[3];\nEND").instructions;
    assert_eq!(product, [[0x401f_9c6c, 0x01c0_300d, 0x8106_c0c3, 0x6041_1f81]]);
    // RCP is 2 in bits 31:27 of word 1; source 2 is v with yyyy; the mask y is bit 19 of word 3.
    let reciprocal = vertex("!!VP1.0\nRCP o[HPOS].y, v[0].y;\nEND").instructions;
    assert_eq!(reciprocal, [[0x001f_9c6c, 0x1000_000d, 0x8106_c08a, 0xa048_1f81]]);
}
