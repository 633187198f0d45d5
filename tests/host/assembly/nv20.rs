//! Tests texts for the GeForce 3: the instructions of each opcode, which texts are rejected and why, and round trips.

use curie::arith::vertex::VertexRuleSet;
use curie::asm::inputs::parse_inputs;
use curie::asm::object::write_object;
use curie::asm::program_file::{FileOptions, MicrocodeFileError, read_program_file};
use curie::asm::vertex::listing::listing_of;
use curie::asm::{Assembly, Language, Microcode, ProgramStage, VertexAssembly, assemble_for};
use curie::isa::{NvVertexIsa, VertexIsa};
use curie::pipeline::program_run::RunSettings;
use curie::reference::run_program::run_program;

/// Assembles a valid text for NV20.
fn vertex(text: &str) -> VertexAssembly {
    match assemble_for("test", text, NvVertexIsa::Nv20) {
        Ok(Assembly::Vertex(vertex)) => vertex,
        Ok(Assembly::Fragment(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}\n{text}"),
    }
}

/// The errors of a text that is invalid on NV20, as users see them.
fn errors(text: &str) -> String {
    match assemble_for("test", text, NvVertexIsa::Nv20) {
        Ok(_) => panic!("assembles:\n{text}"),
        Err(errors) => errors.to_string(),
    }
}

/// The instructions of a text, in the native language.
fn lines(text: &str) -> Vec<String> {
    let listed = listing_of(&vertex(text).microcode());
    let lines = listed.lines().filter_map(|line| line.strip_prefix("    ")?.strip_suffix(';'));
    lines.map(str::to_owned).collect()
}

/// Each opcode of `NV_vertex_program1_1`, and the operation that envytools' tables and the Xbox tools give it.
const OPCODES: &[(&str, &str)] = &[
    ("ABS R0, v[OPOS];", "MAX R0, v0, -v0"),
    ("ADD R0.xy, v[WGHT], -c[1];", "ADD R0.xy, v1, -c[97]"),
    ("ARL A0.x, R3.y;", "ARL A0, R3.y"),
    ("DP3 o[COL0].x, v[NRML], R2;", "DP3 oD0.x, v2, R2"),
    ("DP4 o[COL1], v[COL0], c[95];", "DP4 oD1, v3, c[191]"),
    ("DPH o[BFC0], R1, c[0];", "DPH oB0, R1, c[96]"),
    ("DST o[BFC1].yz, v[COL1], R1;", "DST oB1.yz, v4, R1"),
    ("EXP R2.y, -v[FOGC].z;", "EXP R2.y, -v5.z"),
    ("LIT R7, v[6].wzyx;", "LIT R7, v6.wzyx"),
    ("LOG R11, v[TEX7].w;", "LOG R11, v15.w"),
    ("MAD o[TEX0], v[TEX0], c[2].x, v[TEX0];", "MAD oT0, v8, c[98].x, v8"),
    ("MAX R4, R1, R2;", "MAX R4, R1, R2"),
    ("MIN R4, R1, -R1;", "MIN R4, R1, -R1"),
    ("MOV o[FOGC].x, v[5];", "MOV oFog.x, v5"),
    ("MUL o[PSIZ].x, R3, c[9];", "MUL oPts.x, R3, c[105]"),
    ("RCC R1.x, R5.w;", "RCC R1.x, R5.w"),
    ("RCP o[TEX1], c[7].y;", "RCP oT1, c[103].y"),
    ("RSQ o[TEX2].w, R0.w;", "RSQ oT2.w, R0.w"),
    ("SGE R6, R1, c[3];", "SGE R6, R1, c[99]"),
    ("SLT o[TEX3], R1, R2;", "SLT oT3, R1, R2"),
    ("SUB R6, R1, -R2.wzyx;", "ADD R6, R1, R2.wzyx"),
];

#[test]
fn every_opcode_has_its_operation() {
    for (statement, expected) in OPCODES {
        let text = format!("!!VP1.1\n{statement}\nMOV o[HPOS], v[0];\nEND");
        let lines = lines(&text);
        let parts = || lines.iter().flat_map(|line| line.split(" + "));
        assert!(parts().any(|part| part == *expected), "{statement}: {lines:?}");
    }
    let mut names: Vec<&str> = OPCODES.iter().map(|(statement, _)| &statement[..3]).collect();
    names.dedup();
    assert_eq!(names.len(), 21, "NV_vertex_program1_1 has 21 operations");
}

#[test]
fn addresses_are_relative_to_the_first_parameter() {
    let text = "!!VP1.0\nARL A0.x, v[0].x;\nMOV o[HPOS], c[A0.x-64];\nMOV o[COL0], c[A0.x+63];\nEND";
    assert_eq!(lines(text), ["ARL A0, v0.x", "MOV oPos, c[A0+32]", "MOV oD0, c[A0+159]"]);
    let assembly = vertex(text);
    assert_eq!(assembly.indexed_constants, Some((96, 191)));
    assert_eq!((assembly.constants[0].slot, assembly.constants.len()), (96, 96));
    assert_eq!(assembly.rules, VertexRuleSet::Nv40Legacy);
}

#[test]
fn a_position_invariant_program_reads_the_matrix_of_the_fixed_pipeline() {
    let text = "!!VP1.1\nOPTION NV_position_invariant;\nMOV o[COL0], c[0];\nEND";
    let assembly = vertex(text);
    assert_eq!(
        lines(text),
        [
            "DP4 oPos.x, v0, c[0]",
            "DP4 oPos.y, v0, c[1]",
            "DP4 oPos.z, v0, c[2]",
            "DP4 oPos.w, v0, c[3]",
            "MOV oD0, c[96]"
        ]
    );
    assert!(assembly.is_position_invariant);
    let slots: Vec<u32> = assembly.constants.iter().map(|constant| constant.slot).collect();
    assert_eq!(slots, [0, 1, 2, 3, 96]);
    assert_eq!(assembly.constants[3].source.to_string(), "state.matrix.mvp.row[3]");
}

#[test]
fn a_state_program_writes_constants() {
    let text = "!!VSP1.0\nDP4 R0.x, v[0], c[4];\nMUL c[5].xy, R0.x, c[6];\nMOV c[7], c[5];\nMOV c[6], c[4];\nEND";
    let lines = lines(text);
    let place = |line: &str| lines.iter().position(|found| found.split(" + ").any(|part| part == line)).unwrap();
    assert!(place("MUL c[101].xy, R0.x, c[102]") < place("MOV c[103], c[101]"), "{lines:?}");
    assert!(place("MUL c[101].xy, R0.x, c[102]") <= place("MOV c[102], c[100]"), "{lines:?}");
    // A relative read may reach what was written.
    let text = "!!VSP1.0\nARL A0.x, v[0].x;\nMOV c[0], v[0];\nMOV R1, c[A0.x+3];\nMOV c[1], R1;\nEND";
    // ARL has no result that the write beside it would exclude.
    assert_eq!(self::lines(text), ["ARL A0, v0.x + MOV c[96], v0", "MOV R1, c[A0+99]", "MOV c[97], R1"]);
}

#[test]
fn outputs_have_the_names_of_the_language() {
    let text = "!!VP1.0\nMOV o[TEX3], v[0];\nMOV o[HPOS], v[0];\nMOV o[BFC1], v[0];\nMOV o[FOGC], v[0];\nEND";
    let outputs: Vec<(String, u8)> =
        vertex(text).outputs.into_iter().map(|output| (output.name, output.register)).collect();
    let expected = [("o[HPOS]", 0), ("o[FOGC]", 5), ("o[BFC1]", 8), ("o[TEX3]", 12)];
    assert_eq!(outputs, expected.map(|(name, register)| (name.to_owned(), register)));
}

/// The results of a text for one vertex, by name.
fn results(text: &str, inputs: &str) -> Vec<(String, [f32; 4])> {
    let file = read_program_file("test", text.as_bytes(), for_nv20(None)).unwrap();
    let mut element = parse_inputs(inputs, file.assembly.as_ref()).unwrap();
    let Some(Assembly::Vertex(assembly)) = &file.assembly else { panic!("a vertex program") };
    element.bind_constants(assembly);
    let result = run_program(&file.program, &RunSettings::of_file(&file), &element).unwrap();
    let named = result.named_as(&Assembly::Vertex(assembly.clone())).registers;
    named.into_iter().map(|(name, value)| (name, value.map(f32::from_bits))).collect()
}

#[test]
fn programs_run_on_the_parameters_that_they_name() {
    let text = "!!VP1.1\nARL A0.x, v[1].x;\nMAD o[HPOS], v[OPOS], c[A0.x-1], v[OPOS];\nRCP R3.x, v[1].x;\n\
                ABS o[COL0].xy, -v[OPOS];\nMUL o[TEX3], R3.x, c[7];\nEND";
    let found = results(text, "v[0]=1,2,-3,4 v[1]=4,0,0,0 c[3]=10,20,30,40 c[7]=1,2,4,8");
    let expected = [
        ("o[HPOS]", [11.0, 42.0, -93.0, 164.0]),
        ("o[COL0]", [1.0, 2.0, 0.0, 1.0]),
        ("o[TEX3]", [0.25, 0.5, 1.0, 2.0]),
    ];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value)));
    let state = "!!VSP1.0\nMUL c[5].xy, v[0], c[6];\nADD c[0], c[5], c[5];\nEND";
    let found = results(state, "v[0]=1,10,0,0 c[5]=9,9,9,9 c[6]=2,3,4,5");
    let expected = [("c[0]", [4.0, 60.0, 18.0, 18.0]), ("c[5]", [2.0, 30.0, 9.0, 9.0])];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value)));
}

/// A text, and words that its error must contain.
const REFUSED: &[(&str, &str)] = &[
    ("!!VP2.0\nMOV o[HPOS], v[0];\nEND", "NV20 has no programs in !!VP2.0"),
    ("!!VP3.0\nMOV o[HPOS], v[0];\nEND", "NV20 has no programs in !!VP3.0"),
    ("!!ARBvp1.0\nMOV result.position, vertex.position;\nEND", "languages of NV20: !!VP1.0, !!VP1.1, !!VSP1.0"),
    ("!!ARBfp1.0\nMOV result.color, fragment.color;\nEND", "NV20 has no programs in !!ARBfp1.0"),
    ("!!FP1.0\nMOV o[COLR], f[COL0];\nEND", "not a language of NV20"),
    ("!!NV40vp1.0\nMOV R0, v[0];\nEND", "NV20 has no programs in !!NV40vp1.0"),
    ("!!NV40fp1.0\nEND", "NV20 has no programs in !!NV40fp1.0"),
    ("!!VP1.0\nMOV o[HPOS], v[0];\nMOV o[TEX4], v[0];\nEND", "test:3:1"),
    ("!!VP1.0\nMOV o[HPOS], v[0];\nMOV o[TEX7], v[0];\nEND", "limit: texture coordinates of the GeForce 3 = 4"),
    ("!!VP1.0\nMAD o[HPOS], c[0], v[0], c[1];\nEND", "limit: parameter registers of an instruction = 1"),
    ("!!VP1.0\nMOV R12, v[0];\nEND", "limit: temporaries = 12"),
    ("!!VP1.0\nDPH o[HPOS], v[0], c[0];\nEND", "it belongs to !!VP1.1"),
    ("!!NV20vp1.0\nMOW R0, v0;\nEND", "did you mean `MOV`?"),
    ("!!NV20vp1.0\nMUL R0, v0, v1;\nEND", "the instruction has one attribute"),
    ("!!NV20vp1.0\nMUL R0, c[0], c[A0+0];\nEND", "the instruction has one constant"),
    ("!!NV20vp1.0\nMOV oPos, v0 + RCP oD0, v0.x;\nEND", "the instruction has one output"),
    ("!!NV20vp1.0\nADD R0, v0, R1 + RCP R1.x, R2.x;\nEND", "the instruction has one operand C"),
    ("!!NV20vp1.0\nADD R0, v0, R1 + RCP R1.x, -R1.x;\nEND", "the instruction has one operand C"),
    ("!!NV20vp1.0\nADD R0, v0, R1 + MOV R1, R1.x;\nEND", "the instruction has one operand C"),
    ("!!NV20vp1.0\nMOV oPos, v0 + RCP R2.x, v0.x;\nEND", "cannot write R2"),
    ("!!NV20vp1.0\nRCP R1.x, v0.x + MOV oPos, v0;\nEND", "where `;` is expected"),
    ("!!NV20vp1.0\nMOV R0, v0 + MUL R1, v0, v0;\nEND", "not an operation of this unit"),
    ("!!NV20vp1.0\nMOV {R0, R1}, v0;\nEND", "one temporary and one output"),
    ("!!NV20vp1.0\nMOV R12, v0;\nEND", "`R12` is not a destination"),
    ("!!NV20vp1.0\nMOV R0, R13;\nEND", "`R13` is not a source"),
    ("!!NV20vp1.0\nMOV R0, v16;\nEND", "`v16` is not a source"),
    ("!!NV20vp1.0\nMOV R0, c[192];\nEND", "must be at most 191"),
    ("!!NV20vp1.0\nMOV c[192], v0;\nEND", "must be at most 191"),
    ("!!NV20vp1.0\nMOV R0, c[A0+256];\nEND", "must be at most 255"),
    ("!!NV20vp1.0\nMOV oT4, v0;\nEND", "did you mean `oT"),
    ("!!NV20vp1.0\nRCP R0, v0;\nEND", "exactly one component"),
    ("!!NV20vp1.0\nARL A1, v0.x;\nEND", "where A0 is expected"),
    ("!!NV20vp1.0\nMOV R0, v0 WITH FINEL=0x1;\nEND", "did you mean `FINAL`?"),
    ("!!NV20vp1.0\nMOV R0, v0 WITH MAC=0x10;\nEND", "does not fit MAC"),
    ("!!NV20vp1.0\nhere: MOV R0, v0;\nEND", "the only label is `main`"),
    ("!!NV20vp1.0\nMOV R0, v0;", "the text ends"),
    ("!!NV20vp1.0\nEND", "no instructions"),
];

#[test]
fn every_rule_has_an_error_that_names_it() {
    for (text, words) in REFUSED {
        let shown = errors(text);
        assert!(shown.contains(words), "{shown}\nfor\n{text}");
    }
    insta::assert_snapshot!(errors("!!VP1.0\nMOV o[HPOS], v[0];\nADD o[TEX5].xy, v[0], c[3];\nEND"), @"
    error: the result does not exist on the GeForce 3
      ┌─ test:3:1
      │
    3 │ ADD o[TEX5].xy, v[0], c[3];
      │ ^^^^^^^^^^^^^^^^^^^^^^^^^^ no output register
      │
      = limit: texture coordinates of the GeForce 3 = 4, o[TEX0] to o[TEX3]
    ");
    // NV40 runs all that NV20 does, but not its native language.
    let error = assemble_for("test", "!!NV20vp1.0\nNOP;\nEND", NvVertexIsa::Nv40).unwrap_err().to_string();
    assert!(error.contains("NV40 has no programs in !!NV20vp1.0"), "{error}");
}

#[test]
fn limits_are_those_of_language_and_chip() {
    let program = |count: usize| format!("!!VP1.0\n{}END", "MOV o[HPOS], v[0];\n".repeat(count));
    assert_eq!(vertex(&program(128)).instructions.len(), 128);
    assert!(errors(&program(129)).contains("instructions of NV_vertex_program = 128"));
    let native = |count: usize| format!("!!NV20vp1.0\n{}END", "NOP;\n".repeat(count));
    assert_eq!(vertex(&native(136)).instructions.len(), 136);
    assert!(errors(&native(137)).contains("slots of the instruction store = 136"));
    let words = |count: usize| {
        format!("!!NV20vp\n{}00000000 0000001b 0836106c 20700ff9\n", "0 1b 836106c 20700ff8\n".repeat(count))
    };
    assert!(read_program_file("a", words(135).as_bytes(), FileOptions::default()).is_ok());
    let error = read_program_file("a", words(136).as_bytes(), FileOptions::default()).unwrap_err();
    assert_eq!(error, MicrocodeFileError::TooLong { slots: 137, isa: NvVertexIsa::Nv20 });
    let much = "NOP;".repeat((1 << 20) / 4 - 10);
    assert!(!errors(&format!("!!NV20vp1.0\n{much}")).is_empty());
}

#[test]
fn a_program_comes_back_with_all_that_was_known() {
    for text in [
        "!!VP1.0\nARL A0.x, v[3].x;\nMUL o[HPOS], v[NRML], c[A0.x-3].wzyx;\nEND",
        "!!VSP1.0\nMUL c[95], v[0], c[0];\nEND",
        "!!VP1.1\nOPTION NV_position_invariant;\nRCC R1.x, v[1].x;\nMUL o[COL0], R1.x, c[4];\nEND",
        "!!NV20vp1.0\nNOP;\nmain: DP4 {oPos.z, R0.x}, R6, c[98] + LIT R1, v3;\nMOV oFog.x, R12.w;\nEND",
    ] {
        let assembly = Assembly::Vertex(vertex(text));
        let file = write_object(&assembly);
        assert!(file.starts_with("!!NV20vp\n.language "), "{file}");
        let read = read_program_file("b", file.as_bytes(), FileOptions::default()).unwrap();
        assert_eq!(read.assembly.as_ref(), Some(&assembly));
        let Microcode::Vertex(microcode) = &read.microcode else { panic!("a vertex program") };
        let again = vertex(&listing_of(microcode));
        assert_eq!((again.isa, again.start), (NvVertexIsa::Nv20, microcode.start));
        assert_eq!(again.instructions, *microcode.slots);
        assert_eq!(again.language, Language::NativeNv20Vertex);
    }
    let error = read_program_file("a", b"!!NV20vp\n.language !!VP2.0\n0 1b 836106c 20700ff9\n", FileOptions::default())
        .unwrap_err();
    assert_eq!(error.to_string(), "line 2: !!VP2.0 is no language of this processor");
}

#[test]
fn a_planted_difference_is_found() {
    let text = "!!VP1.0\nMOV o[HPOS], v[0];\nEND";
    let listed = listing_of(&vertex(text).microcode()).replace("v0", "v1");
    assert_ne!(vertex(&listed).instructions, vertex(text).instructions);
}

fn options(stage: Option<ProgramStage>, isa: Option<NvVertexIsa>) -> FileOptions {
    FileOptions { stage, isa: isa.map(VertexIsa::Nv), ..FileOptions::default() }
}

fn for_nv20(stage: Option<ProgramStage>) -> FileOptions {
    options(stage, Some(NvVertexIsa::Nv20))
}

#[test]
fn files_name_their_processor() {
    // MOV oT2, v11 with the last bit, as nv2a_vsh_asm's tests expect it.
    let words = "0x00000000, 0x0020161b, 0x0836106c, 0x2070f859,\n";
    let listed = format!("//vertex shader\n\n{words}");
    let stage = Some(ProgramStage::Vertex);
    let headed = format!("!!NV20vp\n{listed}");
    let raw: Vec<u8> =
        [0u32, 0x0020_161b, 0x0836_106c, 0x2070_f859].iter().flat_map(|word| word.to_le_bytes()).collect();
    let expected = read_program_file("a", headed.as_bytes(), FileOptions::default()).unwrap();
    assert!(expected.assembly.is_none());
    for bytes in [listed.as_bytes(), raw.as_slice()] {
        assert_eq!(read_program_file("a", bytes, for_nv20(stage)), Ok(expected.clone()));
        assert_eq!(read_program_file("a", bytes, for_nv20(None)), Err(MicrocodeFileError::UnknownStage));
    }
    let error = read_program_file("a", headed.as_bytes(), options(None, Some(NvVertexIsa::Nv40))).unwrap_err();
    assert_eq!(error.to_string(), "line 1: !!NV20vp has words of NV20 where a program for NV40 is asked for");
    let error = read_program_file("a", b"!!NV40vp\n1 2 3 4", for_nv20(None)).unwrap_err();
    assert_eq!(error.to_string(), "line 1: !!NV40vp has words of NV40 where a program for NV20 is asked for");
    let error = read_program_file("a", b"// words\n0x1, 0x2 0xg,\n", for_nv20(stage)).unwrap_err();
    assert_eq!(error, MicrocodeFileError::BadWord { line: 2, found: "0xg".to_owned() });
    // A text in a language of several processors is for the one that is asked for, one in a native language for its own.
    let text = "!!VP1.0\nMOV o[HPOS], v[0];\nEND";
    let isa_of = |text: &str, isa| match read_program_file("a", text.as_bytes(), options(None, isa)).unwrap().microcode
    {
        Microcode::Vertex(microcode) => microcode.isa,
        Microcode::Fragment { .. } | Microcode::Pica(_) => panic!("a vertex program of NVIDIA"),
    };
    assert_eq!([isa_of(text, None), isa_of(text, Some(NvVertexIsa::Nv20))], [NvVertexIsa::Nv40, NvVertexIsa::Nv20]);
    assert_eq!(isa_of("!!NV20vp1.0\nNOP;\nEND", None), NvVertexIsa::Nv20);
}
