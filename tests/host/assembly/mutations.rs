//! Texts with random damage: assembling never panics, and a text that assembles is a valid program.

use curie::asm::{Assembly, assemble, assemble_for};
use curie::isa::NvVertexIsa;
use curie::isa::nv20_vertex::Nv20Microprogram;
use curie::isa::nv40_vertex::VertexMicroprogram;

use crate::common::microcode::Generator;

const TEXTS: &[&str] = &[
    "!!VP1.1\nOPTION NV_position_invariant;\nMAD R1.xyz, v[NRML], c[3].wzyx, -R1;\nLIT o[COL0], R1;\nEND",
    "!!VP2.0\nmain: ARLC A1.xz (GT.y), |v[0]|;\nBRA b (NE.x);\nCAL s;\nRET;\ns: MULC o[CLP3], R1.x, -|c[A1.z+9]|;\nb: EXP CC, R0.w;\nEND",
    "!!ARBvp1.0\nOPTION NV_vertex_program3;\nPARAM a[3] = { program.env[0..1], {1, -2.5e3} };\nTEMP t, u; ADDRESS A;
        OUTPUT o = result.color.back; ATTRIB n = vertex.normal; ALIAS m = n;\nARL A.xw, m;\nSWZ t, n, x, -y, 0, 1;
        XPD u.xyz, n, t;\nPOW t.x, n.x, 2.0;\nADDC1_SAT o (LT0.x), a[A.w+1], state.fog.color;\nPUSHA A;\nPOPA A;
        TXP t, n, texture[3], CUBE;\nMOV result.texcoord[A.x+1], vertex.attrib[A.x+2];\nMOV result.clip[5], t;\nEND",
    "!!NV40vp1.0\nl: ADDC1_SAT {R3, o[A0.x+2]}.xz (GT1.yyzw), -|v[A0.x+3].x|, c[5] + RSQ R2.w, c[5].x WITH COND=0x3;\nWORDS 0x1 0x2 0x3 0x4;\nBRB l, !b[3];\nEND",
    "!!VP1.0\nARL A0.x, v[3].x;\nMUL o[HPOS], v[NRML], c[A0.x-3].wzyx;\nEND",
    "!!VSP1.0\nMUL R0, v[0], c[1];\nMOV c[5].xy, R0;\nEND",
];

/// Texts for NV20.
pub(crate) const NV20_TEXTS: &[&str] = &[
    "!!VP1.1\nOPTION NV_position_invariant;\nMAD R1.xyz, v[NRML], c[3].wzyx, -R1;\nLIT o[COL0], R1;\nEND",
    "!!VP1.1\nDP3 R0.w, v[2], v[2];\nRSQ R0.w, R0.w;\nMUL R0.xyz, R0.w, v[2];\nABS R1, R0;\nRCC R2.x, R1.y;\n
        SUB R3, R1, R2.x;\nDPH o[HPOS], R3, c[5];\nEXP R4, R3.x;\nMOV o[TEX3], R4;\nEND",
    "!!VP1.0\nARL A0.x, v[3].x;\nMUL o[HPOS], v[NRML], c[A0.x-3].wzyx;\nRCP R1.x, v[4].y;\nEND",
    "!!VSP1.0\nMUL R0, v[0], c[1];\nMOV c[5].xy, R0;\nADD c[6], c[5], R0;\nEND",
    "!!NV20vp1.0\nmain: ADD {oPos.xz, R3.w}, -v3.wzyx, c[A0+5] + RCP R1.x, c[A0+5].x WITH UNUSED=0x3;\nARL A0, R1.x;\nWORDS 0x1 0x2 0x3 0x4;\nMOV c[3], R12;\nEND",
];

const PIECES: &[&str] = &[
    "MOV",
    "R0",
    "R63",
    "c[",
    "v[",
    "o[",
    "A0.x",
    "]",
    "[",
    "{",
    "}",
    "(",
    ")",
    ".",
    "..",
    ",",
    ";",
    "|",
    "-",
    "+",
    "=",
    ":",
    "!",
    "END",
    "TEMP",
    "PARAM",
    "ALIAS",
    "OPTION",
    "999999999999",
    "0x",
    "0xffffffff",
    "1e99",
    "é",
    "\0",
    "#",
    "\n",
    "main:",
    "_SAT",
    "C1",
    "WITH",
    "WORDS",
    "state.matrix.mvp",
    "program.env[0..467]",
    "result.texcoord[9]",
    "texture",
];

/// One random change.
fn damage(random: &mut Generator, text: &mut String, tokens: &[&str]) {
    let boundary = |text: &str, mut place: usize| {
        while !text.is_char_boundary(place) {
            place -= 1;
        }
        place
    };
    let length = u32::try_from(text.len()).unwrap();
    let start = boundary(text, random.below(length + 1) as usize);
    let end = boundary(text, (start + random.below(12) as usize).min(text.len())).max(start);
    match random.below(5) {
        0 => text.replace_range(start..end, ""),
        1 => text.insert_str(start, PIECES[random.below(u32::try_from(PIECES.len()).unwrap()) as usize]),
        2 => text.insert_str(start, tokens[random.below(u32::try_from(tokens.len()).unwrap()) as usize]),
        3 => {
            let piece = text[start..end].to_owned();
            let place = boundary(text, random.below(length + 1) as usize);
            text.insert_str(place, &piece);
        }
        _ => text.truncate(if random.below(8) == 0 { start } else { text.len() }),
    }
}

#[test]
fn damaged_texts_are_refused_or_make_programs() {
    let mut random = Generator(0x5eed_0020);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..6000 {
        let original = TEXTS[round % TEXTS.len()];
        let tokens: Vec<&str> = original.split_whitespace().collect();
        let mut text = original.to_owned();
        for _ in 0..=random.below(4) {
            damage(&mut random, &mut text, &tokens);
        }
        match assemble("damaged", &text) {
            Ok(Assembly::Vertex(vertex)) => {
                accepted += 1;
                if !text.starts_with("!!NV40vp1.0") {
                    let program = VertexMicroprogram::decode(&vertex.instructions, vertex.start);
                    assert!(program.is_ok(), "{program:?}\n{text}");
                }
            }
            Ok(Assembly::Fragment(_)) => {}
            Err(errors) => {
                refused += 1;
                assert!(!errors.to_string().is_empty());
            }
        }
    }
    assert!(accepted > 200 && refused > 1000, "{accepted} accepted, {refused} refused");
}

#[test]
fn the_undamaged_texts_assemble() {
    for text in TEXTS {
        assert!(assemble("test", text).is_ok(), "{}", assemble("test", text).unwrap_err());
    }
}

#[test]
fn damaged_texts_for_nv20_are_refused_or_make_programs() {
    let mut random = Generator(0x5eed_0021);
    let (mut accepted, mut refused) = (0, 0);
    for round in 0..6000 {
        let original = NV20_TEXTS[round % NV20_TEXTS.len()];
        let tokens: Vec<&str> = original.split_whitespace().collect();
        let mut text = original.to_owned();
        for _ in 0..random.below(5) {
            damage(&mut random, &mut text, &tokens);
        }
        match assemble_for("damaged", &text, NvVertexIsa::Nv20) {
            Ok(Assembly::Vertex(vertex)) => {
                accepted += 1;
                if !text.starts_with("!!NV20vp1.0") {
                    let program = Nv20Microprogram::decode(&vertex.instructions, vertex.start);
                    assert!(program.is_ok(), "{program:?}\n{text}");
                }
            }
            Ok(Assembly::Fragment(_)) => panic!("NV20 has no fragment programs:\n{text}"),
            Err(errors) => {
                refused += 1;
                assert!(!errors.to_string().is_empty());
            }
        }
    }
    assert!(accepted > 1200 && refused > 1000, "{accepted} accepted, {refused} refused");
}
