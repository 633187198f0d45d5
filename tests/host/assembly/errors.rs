//! Tests which texts are rejected, and the messages.

use curie::asm::assemble;

use super::{errors, vertex};

#[test]
fn errors_show_the_text_and_a_suggestion() {
    insta::assert_snapshot!(errors("!!ARBvp1.0\nTEMP color;\nMOW colour, vertex.position;\nADD color, colour, 1.0;\nEND"), @"
    error: unknown opcode `MOW`
      ┌─ test:3:1
      │
    3 │ MOW colour, vertex.position;
      │ ^^^ not an opcode of this language
      │
      = did you mean `MOV`?

    error: unknown name `colour`
      ┌─ test:4:12
      │
    4 │ ADD color, colour, 1.0;
      │            ^^^^^^ not declared
      │
      = did you mean `color`?
    ");
    insta::assert_snapshot!(errors("!!VP1.0\nMOV o[HPOS], v[OPOS];\nMUL R12, c[1], c[2];\nEND"), @"
    error: `R12` is not a register
      ┌─ test:3:5
      │
    3 │ MUL R12, c[1], c[2];
      │     ^^^ temporaries are R0 to R11
      │
      = limit: temporaries = 12
    ");
}

/// A text, and words that its error must contain.
const REFUSED: &[(&str, &str)] = &[
    ("!!VP1.0\nMOV o[HPOS], v[0]\nEND", "`END` stands here where `;` is expected"),
    ("!!VP1.0\nMOV o[COL0], v[0];\nEND", "does not write the position o[HPOS]"),
    ("!!VP1.0\nMOV o[HPOS], v[0];", "the text ends where END is expected"),
    ("!!VP1.0\nMOV o[HPOS], v[0];\nEND MOV", "the end of the text behind END"),
    ("!!VP1.0\nMAD o[HPOS], c[0], v[0], c[1];\nEND", "limit: parameter registers of an instruction = 1"),
    ("!!VP2.0\nADD o[HPOS], v[0], v[1];\nEND", "limit: attribute registers of an instruction = 1"),
    ("!!VP1.0\nMOV o[HPOS], c[96];\nEND", "must be at most 95"),
    ("!!VP1.0\nARL A0.x, v[0].x; MOV o[HPOS], c[A0.x+64];\nEND", "must be at most 63"),
    ("!!VP1.0\nARL A0.x, v[0].x; MOV o[HPOS], c[A0.x-65];\nEND", "must be at most 64"),
    ("!!VP1.0\nARL A0.x, v[0]; MOV o[HPOS], v[0];\nEND", "exactly one component"),
    ("!!VP1.0\nARL A0.y, v[0].x;\nEND", "the component x alone"),
    ("!!VP1.0\nRCP o[HPOS], v[0];\nEND", "exactly one component"),
    ("!!VP1.0\nDPH o[HPOS], v[0], c[0];\nEND", "it belongs to !!VP1.1"),
    ("!!VP1.0\nMOV o[HPOS], +v[0];\nEND", "`+` before an operand"),
    ("!!VP1.1\nMOV o[HPOS], |v[0]|;\nEND", "no magnitudes"),
    ("!!VP1.1\nOPTION NV_position_invariant; MOV o[HPOS], v[0];\nEND", "position-invariant program cannot write it"),
    ("!!VP1.1\nOPTION NV_position_invariant; ARL A0.x, v[0].x; MOV o[COL0], c[A0.x];\nEND", "relative addressing"),
    ("!!VP1.0\nOPTION NV_position_invariant;\nEND", "unknown option"),
    ("!!VP1.0\nMOV v[0], o[HPOS];\nEND", "`v[…]` cannot be written"),
    ("!!VP1.0\nMOV o[HPOS], o[COL0];\nEND", "results are write only"),
    ("!!VP1.0\nMOV o[HPSO], v[0];\nEND", "did you mean `HPOS`?"),
    ("!!VP1.0\nMOV o[CLP0], v[0];\nEND", "there is no result `o[CLP0]`"),
    ("!!VP1.0\nMOVC o[HPOS], v[0];\nEND", "unknown opcode `MOVC`"),
    ("!!VP1.0\nhere: MOV o[HPOS], v[0];\nEND", "no labels"),
    ("!!VP2.0\nBRA there;\nhere: MOV o[HPOS], v[0];\nEND", "there is no label `there`"),
    ("!!VP2.0\nhere: here: MOV o[HPOS], v[0];\nEND", "stands twice"),
    ("!!VP2.0\nMOV o[HPOS] (GQ), v[0];\nEND", "`GQ` is not a condition"),
    ("!!VP2.0\nMOV_SAT o[HPOS], v[0];\nEND", "unknown opcode"),
    ("!!VP2.0\nMOV R0, v[0], v[1];\nEND", "where `;` is expected"),
    ("!!VP2.0\nPUSHA A0;\nEND", "it needs OPTION NV_vertex_program3"),
    ("!!VSP1.0\nMOV c[0], v[1];\nEND", "the attribute v[0] alone"),
    ("!!VSP1.0\nARL A0.x, v[0].x; MOV c[0], c[A0.x];\nEND", "a relative read in a state program"),
    ("!!ARBvp1.0\nOPTION NV_vertex_program4;\nEND", "did you mean `NV_vertex_program2`?"),
    ("!!ARBvp1.0\nTEMP a;\nOPTION NV_vertex_program2;\nEND", "OPTION behind the first statement"),
    ("!!ARBvp1.0\nTEMP MOV;\nEND", "`MOV` is a reserved word"),
    ("!!ARBvp1.0\nTEMP a, a;\nEND", "`a` is declared twice"),
    ("!!ARBvp1.0\nADDRESS a, b, c;\nEND", "MAX_PROGRAM_ADDRESS_REGISTERS = 2"),
    ("!!ARBvp1.0\nPARAM a[3] = { program.env[0..1] };\nEND", "the array has 2 elements where 3 are declared"),
    ("!!ARBvp1.0\nPARAM a = state.matrix.mvp;\nEND", "needs an array, or a single row"),
    ("!!ARBvp1.0\nPARAM a = program.local[468];\nEND", "must be at most 467"),
    ("!!ARBvp1.0\nPARAM a = state.light[0].colour;\nEND", "there is no state `colour`"),
    ("!!ARBvp1.0\nPARAM a = { 1, 2, 3, 4, 5 };\nEND", "where `}` behind four components is expected"),
    ("!!ARBvp1.0\nPARAM a[] = { 1 };\nMOV result.color, a;\nEND", "needs an index"),
    ("!!ARBvp1.0\nPARAM a[] = { 1 };\nMOV result.color, a[1];\nEND", "must be at most 0"),
    ("!!ARBvp1.0\nATTRIB a = vertex.attrib[8]; ATTRIB b = vertex.texcoord[0];\nEND", "bound by two names"),
    ("!!ARBvp1.0\nMOV result.color, vertex.colour;\nEND", "did you mean `color`?"),
    ("!!ARBvp1.0\nMOV result.color, result.color;\nEND", "cannot be read"),
    ("!!ARBvp1.0\nMOV result.clip[0], vertex.color;\nEND", "it needs OPTION NV_vertex_program2"),
    ("!!ARBvp1.0\nMOV result.color, vertex.color.r;\nEND", "`r` is not a swizzle"),
    ("!!ARBvp1.0\nMOV result.color.xx, vertex.color;\nEND", "`xx` is not a write mask"),
    ("!!ARBvp1.0\nRCP result.color, 2.0;\nEND", "exactly one component"),
    ("!!ARBvp1.0\nSWZ result.color, vertex.color, x, y, 2, w;\nEND", "0, 1, x, y, z or w"),
    (
        "!!ARBvp1.0\nADDRESS i; PARAM a[] = { program.env[0], 1, program.env[0] };\nARL i.x, vertex.color.x;\nMOV result.color, a[i.x];\nEND",
        "`program.env[0]` is bound twice",
    ),
    (
        "!!ARBvp1.0\nADDRESS i; PARAM a[] = { state.fog.color }; PARAM b[] = { state.fog.color };\nARL i.x, vertex.color.x;\nADD result.color, a[i.x], b[i.x];\nEND",
        "is bound twice",
    ),
    ("!!ARBvp1.0\nOPTION NV_vertex_program3;\nADDRESS i;\nPOPA i.xy;\nEND", "POPA of a part"),
    ("!!ARBvp1.0\nOPTION NV_vertex_program3;\nADDRESS i;\nPOPA i (EQ.x);\nEND", "POPA of a part"),
    ("!!ARBfp1.0\nSWZ result.color, fragment.color, r, g, 1, w;\nEND", "0, 1, r, g, b or a"),
    ("!!ARBfp1.0\nSWZ result.color, fragment.color, x, g, 0, w;\nEND", "0, 1, x, y, z or w"),
    ("!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.position, vertex.color;\nEND", "the position is written"),
    (
        "!!ARBvp1.0\nOPTION NV_vertex_program3;\nMOV result.pointsize, vertex.color;\nMOV result.texcoord[9], vertex.color;\nEND",
        "shares its output register",
    ),
    (
        "!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEMP t;\nTEX t, t, texture[0], 2D;\nTEX t, t, texture[0], 1D;\nEND",
        "one target",
    ),
    ("!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEMP t;\nTEX t, t, texture[0], 4D;\nEND", "a texture target"),
    ("!!NV40vp1.0\nMUL R0, v[0], v[1];\nEND", "the instruction has one attribute"),
    ("!!NV40vp1.0\nMOV R0, v[0] + MUL R1, v[0], v[0];\nEND", "not an operation of this unit"),
    ("!!NV40vp1.0\nMOV R0, v[0] WITH COMD=0x1;\nEND", "did you mean `COND`?"),
    ("!!NV40vp1.0\nMOV R0, v[0] WITH COND=0x8;\nEND", "does not fit COND"),
    ("!!NV40vp1.0\nBRA nowhere;\nEND", "there is no label"),
    ("!!NV40vp1.0\nEND", "no instructions"),
    ("!!NV40vp1.0\nMOV R0, v[0];\nmain:\nEND", "`main` has no instruction"),
    ("!!VP1.2\nEND", "is not a header"),
    ("", "is not a header"),
];

#[test]
fn every_rule_has_an_error_that_names_it() {
    for (text, words) in REFUSED {
        let shown = errors(text);
        assert!(shown.contains(words), "{shown}\nfor\n{text}");
    }
}

#[test]
fn the_rules_refuse_no_more() {
    for text in [
        "!!ARBfp1.0\nSWZ result.color, fragment.color, -r, 0, 1, a;\nEND",
        "!!ARBfp1.0\nSWZ result.color, fragment.color, x, 0, 1, -w;\nEND",
        "!!ARBvp1.0\nADDRESS i; PARAM a[] = { program.env[0..1], 1, 1 };\nARL i.x, vertex.color.x;\nMOV result.color, a[i.x];\nEND",
        "!!ARBvp1.0\nPARAM a[] = { program.env[0], program.env[0] };\nMOV result.color, a[1];\nEND",
        "!!ARBvp1.0\nOPTION NV_vertex_program3;\nADDRESS i;\nPUSHA i; POPA i.xyzw;\nEND",
    ] {
        assert!(assemble("test", text).is_ok(), "{text}");
    }
}

#[test]
fn limits_are_named() {
    let program = |header: &str, count: usize| format!("{header}\n{}END", "MOV o[HPOS], v[0];\n".repeat(count));
    for (header, most) in [("!!VP1.0", 128), ("!!VP1.1", 128), ("!!VP2.0", 256), ("!!VP3.0", 512)] {
        assert_eq!(vertex(&program(header, most)).instructions.len(), most);
        let shown = errors(&program(header, most + 1));
        assert!(shown.contains(&format!("= {most}")) && shown.contains("instructions where at most"), "{shown}");
    }
    let invariant =
        |count: usize| format!("!!VP1.1\nOPTION NV_position_invariant;\n{}END", "MOV o[COL0], v[0];\n".repeat(count));
    assert_eq!(vertex(&invariant(124)).instructions.len(), 128);
    assert!(errors(&invariant(125)).contains("= 124"));
    let arb = |count: usize| format!("!!ARBvp1.0\n{}END", "MOV result.color, vertex.color;\n".repeat(count));
    assert_eq!(vertex(&arb(512)).instructions.len(), 512);
    assert!(errors(&arb(513)).contains("MAX_PROGRAM_INSTRUCTIONS = 512"));
    // POW takes three instructions.
    let macros = format!("!!ARBvp1.0\nTEMP t;\n{}END", "POW t, t.x, t.y;\n".repeat(171));
    assert!(errors(&macros).contains("instructions of the vertex processor = 512"));
}

#[test]
fn constants_and_temporaries_have_limits() {
    let constants = |count: usize| {
        let moves: String = (0..count).map(|index| format!("MOV result.color, program.env[{index}];\n")).collect();
        format!("!!ARBvp1.0\n{moves}END")
    };
    assert_eq!(vertex(&constants(468)).constants.len(), 468);
    let mixed = constants(468).replace("END", "MOV result.color, program.local[0];\nEND");
    assert!(errors(&mixed).contains("constant vectors of the vertex processor = 468"));
    // Thirty-three values that are all live at the end.
    let names: Vec<String> = (0..33).map(|number| format!("t{number}")).collect();
    let mut text = format!("!!ARBvp1.0\nTEMP {};\n", names.join(", "));
    names.iter().for_each(|name| text.push_str(&format!("MOV {name}, vertex.color;\n")));
    names.iter().for_each(|name| text.push_str(&format!("ADD result.color, {name}, vertex.color;\n")));
    text.push_str("END");
    assert!(errors(&text).contains("temporaries of the vertex processor = 32"));
    let fewer = text.replace("t32, ", "t31, ").replace(", t32;", ", spare;");
    assert_eq!(vertex(&fewer).instructions.len(), 66);
    let lookups: String = (0..5).map(|unit| format!("TEX t, t, texture[{unit}], 2D;\n")).collect();
    let text = format!("!!ARBvp1.0\nOPTION NV_vertex_program3;\nTEMP t;\n{lookups}END");
    assert!(errors(&text).contains("MAX_VERTEX_TEXTURE_IMAGE_UNITS = 4"));
}

#[test]
fn hostile_texts_end_quickly() {
    let much = |piece: &str| piece.repeat((1 << 20) / piece.len() - 40);
    for text in [
        format!("!!VP2.0\n{}", much("a:")),
        format!("!!VP2.0\nMOV R0, {}v[0];", much("-")),
        format!("!!ARBvp1.0\n{}", much("PARAM a[]={program.env[0..467]};")),
        format!("!!ARBvp1.0\nTEMP {}", much("x,")),
        format!("!!ARBvp1.0\nPARAM a[] = {{{}", much("1,")),
        format!("!!ARBvp1.0\nMOV result.color.{}", much("x")),
        format!("!!ARBvp1.0\nMOV {}", much("é")),
        format!("!!NV40vp1.0\n{}", much("NOP;")),
        format!("!!NV40vp1.0\n{}", much("BRA q;")),
        format!("!!VP2.0\n{}", much("BRA q;")),
        "!!VP1.0\n".repeat(1 << 18),
    ] {
        assert!(!errors(&text).is_empty());
    }
}
