//! What the fragment languages accept and refuse: every opcode and suffix, limits by name, places and suggestions.

use super::opcodes::{FLOW, TABLE};
use crate::isa::nv40_fragment::decode::FragmentDecodeError;
use crate::isa::test_words::Random;
use crate::shader::fragment::FragmentProgram;
use crate::{Assembly, Diagnostic, Language, assemble};

fn errors(text: &str) -> Vec<Diagnostic> {
    match assemble("test", text) {
        Ok(_) => panic!("no error in\n{text}"),
        Err(errors) => errors.errors().to_vec(),
    }
}

fn words(text: &str) -> Vec<u32> {
    match assemble("test", text) {
        Ok(Assembly::Fragment(assembly)) => assembly.words,
        Ok(Assembly::Vertex(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}"),
    }
}

/// The first error of statements in `!!ARBfp1.0` with `NV_fragment_program2`, with the text that it is about.
fn nv2_error(statements: &str) -> (String, String, Vec<String>) {
    let text = format!("!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP t, u;\n{statements}\nEND");
    let error = errors(&text).remove(0);
    (error.message, text[error.span].to_owned(), error.notes)
}

#[test]
fn every_opcode_and_suffix_is_accepted() {
    let arb = "!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP t; SHORT TEMP h; LONG TEMP l;\n";
    let fp = "!!FP1.0\n";
    for row in TABLE {
        for (header, dialect) in [(arb, super::opcodes::Dialects::NV2), (fp, super::opcodes::Dialects::FP)] {
            let is_arb = header == arb;
            let dialects = if is_arb {
                super::opcodes::Dialects::ARB.with(super::opcodes::Dialects::NV).with(dialect)
            } else {
                dialect
            };
            if !row.is_in(dialects) {
                continue;
            }
            let (full, half, output) = if is_arb { ("l", "h", "result.color") } else { ("R1", "H1", "o[COLR]") };
            let mut accepted = 0;
            for precision in ["", "R", "H", "X"] {
                for suffix in ["", "C", "_SAT", "_SSAT", "C_SAT", "C_SSAT"] {
                    for destination in [full, half] {
                        let statement = statement(row, &format!("{precision}{suffix}"), destination, full, is_arb);
                        let text = format!("{header}{statement}\nMOV {output}, {full};\nEND");
                        if let Ok(Assembly::Fragment(assembly)) = assemble("row", &text) {
                            let decoded = FragmentProgram::decode(&assembly.words);
                            assert!(decoded.is_ok(), "{text}");
                            accepted += 1;
                        }
                    }
                }
            }
            // Each opcode goes at least without a suffix into a full register.
            assert!(accepted >= 1, "{} in {header}", row.mnemonic);
            if row.mnemonic == "MUL" {
                assert_eq!(accepted, if is_arb { 48 } else { 32 });
            }
        }
    }
}

fn statement(row: &super::opcodes::OpcodeRow, suffix: &str, destination: &str, full: &str, is_arb: bool) -> String {
    let mnemonic = row.mnemonic;
    match mnemonic {
        "KIL" if is_arb => return format!("KIL{suffix} -|{full}.wzyx|;"),
        "KIL" => return format!("KIL{suffix} LE.xyzz;"),
        "SWZ" => return format!("SWZ{suffix} {destination}.xz (NE.y), {full}, -x, 0, 1, +w;"),
        _ => {}
    }
    let mask = if mnemonic == "RFL" { ".xyz" } else { "" };
    let operands: Vec<String> = row
        .operands
        .chars()
        .map(|operand| if operand == 's' { format!("-|{full}.y|") } else { format!("|{full}|.wzyx") })
        .collect();
    let texture = match mnemonic {
        "TEX" | "TXP" | "TXB" | "TXL" | "TXD" if is_arb => ", texture[3], CUBE",
        "TEX" | "TXP" | "TXD" => ", TEX15, RECT",
        _ => "",
    };
    let operands = operands.join(", ").replace("|.wzyx", ".wzyx|");
    format!("{mnemonic}{suffix} {destination}{mask} (GE.xyzw), {operands}{texture};")
}

#[test]
fn errors_point_at_the_text_and_suggest() {
    let (message, place, notes) = nv2_error("MULL t, t, t;");
    assert_eq!((message.as_str(), place.as_str()), ("unknown opcode `MULL`", "MULL"));
    assert_eq!(notes, ["did you mean `MUL`?"]);
    let (message, place, notes) = nv2_error("TEMP coordinate; MOV t, coordinat;");
    assert_eq!((message.as_str(), place.as_str()), ("unknown name `coordinat`", "coordinat"));
    assert_eq!(notes, ["did you mean `coordinate`?"]);
    assert_eq!(nv2_error("MOV t, result.color;").1, "result");
    assert_eq!(nv2_error("MOV fragment.position, t;").0, "not a destination");
    assert_eq!(nv2_error("RCP t, u;").0, "a vector where one component is expected");
    assert_eq!(nv2_error("MOV t, fragment.texcord[0];").2, ["did you mean `texcoord`?"]);
    assert_eq!(nv2_error("TEX t, u, texture[1], 4D;").1, "4");
    assert_eq!(nv2_error("TEX t, u, texture[1], SHADOW2D;").2, ["add `OPTION ARB_fragment_program_shadow;`"]);
    assert_eq!(nv2_error("MOV result.color[1], t;").0, "several colors need an option");
    assert_eq!(nv2_error("MOV t, t").0, "`END` stands here where `;` is expected");
    assert_eq!(nv2_error("CAL nowhere; RET; nowher: RET;").2, ["did you mean `nowher`?"]);
    let unknown = errors("!!ARBfp1.0\nOPTION NV_fragment_program3;\nEND").remove(0);
    assert_eq!(unknown.notes, ["did you mean `NV_fragment_program`?"]);
    let several = errors("!!ARBfp1.0\nTEMP t;\nMOVE t, 1;\nMOV u, 1;\nMOV t.yx, 1;\nEND");
    assert_eq!(several.len(), 3);
    let shown = assemble("wave.fp", "!!FP1.0\nMOV o[COLX], f[TEX0];\nEND").unwrap_err().to_string();
    assert!(shown.contains("wave.fp:2:7") && shown.contains("did you mean `COLR`?"), "{shown}");
}

#[test]
fn a_language_refuses_what_others_have() {
    let message = |text: &str| errors(text)[0].message.clone();
    assert_eq!(
        message("!!ARBfp1.0\nTEMP t;\nMOVR t, 1;\nEND"),
        "`MOVR` has a suffix, which needs OPTION NV_fragment_program"
    );
    assert_eq!(message("!!ARBfp1.0\nTEMP t;\nMOV t, |t|;\nEND"), "a magnitude needs OPTION NV_fragment_program");
    assert_eq!(message("!!ARBfp1.0\nSHORT TEMP t;\nEND"), "unknown opcode `SHORT`");
    assert_eq!(message("!!ARBfp1.0\nTEMP t;\nRCP t, 2;\nEND"), "a vector where one component is expected");
    assert_eq!(message("!!ARBfp1.0\nTEMP t;\nIF GT; ENDIF;\nEND"), "`IF` needs OPTION NV_fragment_program2 or !!FP2.0");
    assert_eq!(
        message("!!ARBfp1.0\nTEMP t;\nMOV t, fragment.facing;\nEND"),
        "`fragment.facing` needs OPTION NV_fragment_program2"
    );
    assert_eq!(message("!!FP1.0\nCMP R0, R0, R0, R0;\nEND"), "`CMP` needs !!ARBfp1.0");
    assert_eq!(message("!!FP1.0\nRFL R0, R0, R0; MOV o[COLR], R0;\nEND"), "RFL has no w");
    assert_eq!(message("!!FP1.0\nMOV o[COLR], 1; MOV o[COLH], 1;\nEND"), "o[COLR] and o[COLH] in one program");
    assert_eq!(message("!!FP1.0\nMOV R0, 1;\nEND"), "the program writes no result");
    assert_eq!(message("!!FP1.0\nPK2H H0, R1; MOV o[COLR], 1;\nEND"), "PK2H writes a half register");
    assert_eq!(message("!!FP1.0\nUP2H R0, H1.x; MOV o[COLR], 1;\nEND"), "UP2H reads a half register");
    assert_eq!(message("!!FP1.0\nTEX R0, R0, TEX0, 2D; TEX R0, R0, TEX0, 3D;\nEND"), "texture unit 0 has two targets");
    assert_eq!(
        message("!!ARBfp1.0\nOPTION ARB_fog_exp; OPTION ARB_fog_linear;\nEND"),
        "2 fog options where at most 1 are possible"
    );
}

#[test]
fn flow_that_does_not_nest_is_refused() {
    let message = |statements: &str| nv2_error(statements).0;
    assert_eq!(message("IF GT.x;"), "IF without ENDIF");
    assert_eq!(message("ELSE;"), "ELSE without IF");
    assert_eq!(message("REP {2}; ENDLOOP; ENDREP;"), "ENDLOOP without LOOP");
    assert_eq!(message("IF GT.x; ENDREP; ENDIF;"), "ENDREP without REP");
    assert_eq!(message("BRK;"), "BRK outside of LOOP and REP");
    assert_eq!(message("IF GT.x; a: ENDIF;"), "a label inside of a block");
    assert_eq!(message("a: a: RET;"), "the label `a` is there twice");
    assert_eq!(message("CAL a; RET; a: CAL a; RET;"), "`a` calls itself");
    assert_eq!(message("CAL a; RET; a: MOV t, 1;"), "`a` reaches END without RET");
    assert_eq!(message("REP t; ENDREP;"), "not a program parameter or constant");
    assert_eq!(message("MOV t, fragment.texcoord[A0.x+1];"), "A0.x has no value here");
    assert_eq!(message("REP {2}; MOV t, fragment.texcoord[A0.x]; ENDREP;"), "A0.x has no value here");
}

/// The first error's notes, which name the limit.
fn limit(text: &str) -> String {
    errors(text)[0].notes.join(" ")
}

#[test]
fn limits_are_held_and_named() {
    let nv2 = |statements: String| format!("!!ARBfp1.0\nOPTION NV_fragment_program2;\nTEMP t;\n{statements}\nEND");
    let nested = |open: &str, close: &str, depth: usize| nv2(format!("{} {}", open.repeat(depth), close.repeat(depth)));
    words(&nested("IF GT.x; ", "ENDIF; ", 48));
    assert_eq!(limit(&nested("IF GT.x; ", "ENDIF; ", 49)), "limit: MAX_PROGRAM_IF_DEPTH_NV = 48");
    words(&nested("REP {2}; LOOP {2, 0, 1}; ", "ENDLOOP; ENDREP; ", 2));
    assert_eq!(limit(&nested("REP {2}; ", "ENDREP; ", 5)), "limit: MAX_PROGRAM_LOOP_DEPTH_NV = 4");
    let calls = |depth: usize| {
        let routines = (1..depth).map(|level| format!("s{level}: CAL s{}; RET;\n", level + 1)).collect::<String>();
        nv2(format!("CAL s1; RET;\n{routines}s{depth}: MOV t, 1; RET;"))
    };
    words(&calls(4));
    assert_eq!(limit(&calls(5)), "limit: MAX_PROGRAM_CALL_DEPTH_NV = 4");
    assert_eq!(limit(&calls(3000)), "limit: MAX_PROGRAM_CALL_DEPTH_NV = 4");
    let across =
        nv2("REP {2}; REP {2}; CAL a; ENDREP; ENDREP; RET; a: REP {1}; REP {1}; REP {1}; ENDREP; ENDREP; ENDREP; RET;"
            .to_owned());
    assert_eq!(limit(&across), "limit: MAX_PROGRAM_LOOP_DEPTH_NV = 4");
    words(&nv2("REP {255}; ENDREP;".to_owned()));
    assert_eq!(limit(&nv2("REP {256}; ENDREP;".to_owned())), "limit: 255 rounds (MAX_PROGRAM_LOOP_COUNT_NV)");

    let fp = |count: usize| format!("!!FP1.0\n{}END", "MOV o[COLR], f[TEX0];\n".repeat(count));
    words(&fp(1024));
    assert_eq!(limit(&fp(1025)), "limit: instructions of !!FP1.0 = 1024");
    let registers = |count: usize| {
        let writes = (0..count).map(|index| format!("MOV R{index}, 1;")).collect::<String>();
        format!("!!FP1.0\n{writes}MOV o[COLR], R0;\nEND")
    };
    words(&registers(31));
    assert!(limit(&registers(32)).contains("limit: half registers of !!FP1.0 = 64"));
    assert_eq!(limit("!!FP1.0\nMOV R32, 1;\nEND"), "limit: 32 registers R0..R31");
    assert!(limit("!!FP1.0\nADD o[COLR], f[TEX0], f[TEX1];\nEND").contains("limit: "));
    assert!(limit("!!FP1.0\nADD o[COLR], p[0], {1, 2, 3, 4};\nEND").contains("limit: "));
    let long = nv2("MOV t, program.local[1];\n".repeat(40_000));
    assert!(limit(&long).contains("limit: 65535 instruction slots"));
}

#[test]
fn values_that_are_alive_together_need_registers() {
    let text = |size: &str, count: usize| {
        let names: Vec<String> = (0..count).map(|index| format!("v{index}")).collect();
        let writes =
            names.iter().map(|name| format!("MUL {name}, fragment.texcoord[1], {name};\n")).collect::<String>();
        let sums = names.iter().map(|name| format!("ADD s, s, {name};\n")).collect::<String>();
        format!(
            "!!ARBfp1.0\nOPTION NV_fragment_program;\n{size} TEMP {};\nTEMP s;\nMOV s, 0;\n{writes}{sums}MOV result.color, s;\nEND",
            names.join(", ")
        )
    };
    words(&text("LONG", 47));
    assert!(limit(&text("LONG", 48)).contains("limit: 48 full (R) registers"));
    // 62 halves beside the sum in H0..H63, 16 more in R32..R47.
    words(&text("SHORT", 78));
    assert!(limit(&text("SHORT", 79)).contains("64 half (H) registers"));
    assert!(limit(&text("SHORT", 300)).contains("64 half (H) registers"));
}

#[test]
fn texts_that_are_damaged_give_errors() {
    const TEXTS: [&str; 4] = [
        "!!FP1.0\nDEFINE a = {1, 2, 3, 4};\nDECLARE b = 0.5;\nMADRC_SAT R1.xyz (GT.x), -|f[TEX1].wzyx|, a, R2;\nTEX H0, R1, TEX3, 2D;\nKIL LT;\nMOVX o[COLH], H0;\nMOV o[DEPR].z, R1;\nEND\n",
        "!!ARBfp1.0\nOPTION ARB_fog_exp2;\nOPTION ARB_fragment_program_shadow;\nATTRIB c = fragment.color.secondary;\nPARAM m[] = { state.matrix.mvp, program.env[0..2] };\nPARAM k = 2.5;\nTEMP t;\nOUTPUT o = result.color;\nTXP t, fragment.texcoord[2], texture[1], SHADOW2D;\nDP4 t.x, m[1], c;\nSWZ t, t, -x, 0, 1, y;\nSCS t.xy, t.x;\nXPD o.xyz, t, k;\nKIL -t;\nEND\n",
        "!!ARBfp1.0\nOPTION NV_fragment_program2;\nSHORT TEMP h;\nLONG TEMP l;\nmain: MOVC RC.x, fragment.facing;\nLOOP {3, 1, -1};\nIF LT.x;\nMAD h, h, fragment.texcoord[A0.x+1], 1;\nELSE;\nBRK (EQ.y);\nENDIF;\nENDLOOP;\nCAL sub (NE);\nREP program.local[2];\nENDREP;\nMOV result.color, h;\nRET;\nsub: DIVH_SSAT h, l, 2;\nRET;\nEND\n",
        "!!NV40fp1.0\nCONTROL 0x02000000;\n    IF GT1.x;\n        MADXC_x2_SAT R3.xyz (GT.x), -|R1|, fx12(H2.w), f[TEX[A0.x-3]]/w;\n    ELSE;\n        LOOP {3, 0, -1};\n            BRK;\n        ENDLOOP;\n    ENDIF;\n    CAL label_9 (NE);\n    MOVR R0, {1, 2, 3, 0x7fc00000} WITH TYPE1=2;\n    WORDS 0x0 0x1 0x2 0x3;\n    RET;\nlabel_9:\n    RET;\nEND\n",
    ];
    let mut random = Random(0x1234_5679);
    let mut next = |limit: usize| random.bits() as usize % limit;
    for text in TEXTS {
        for _ in 0..1500 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=next(3) {
                let place = next(bytes.len());
                match next(4) {
                    0 => bytes[place] = TEXTS[next(4)].as_bytes()[next(160)],
                    1 => drop(bytes.remove(place)),
                    2 => {
                        let length = next(24).min(bytes.len() - place);
                        let piece = bytes[place..place + length].to_vec();
                        let target = next(bytes.len());
                        bytes.splice(target..target, piece);
                    }
                    _ => bytes.truncate(place.max(4)),
                }
            }
            let damaged = String::from_utf8_lossy(&bytes);
            match assemble("damaged", &damaged) {
                Ok(Assembly::Fragment(assembly)) => assert!(FragmentProgram::decode(&assembly.words).is_ok()),
                Ok(Assembly::Vertex(_)) => {}
                Err(errors) => assert!(!errors.to_string().is_empty()),
            }
        }
    }
}

#[test]
fn reserved_words_are_no_names() {
    for word in ["MOV", "END", "fragment", "texture", FLOW[0]] {
        let (message, ..) = nv2_error(&format!("TEMP {word};"));
        assert!(message.contains("reserved"), "{message}");
    }
    assert_eq!(Language::of("!!FP1.0"), Some(Language::Fp1_0));
    let no_end = FragmentProgram::decode(&[0; 4]);
    assert!(matches!(no_end, Err(FragmentDecodeError::MissingEnd { .. })));
}
