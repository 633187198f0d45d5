//! Checks what the files use together: every opcode has its own file, and files use every class of modifiers.

use curie::asm::{Assembly, Language, assemble};
use curie::isa::NvVertexIsa;
use curie::isa::nv40_fragment::{FragmentField as F, FragmentOpcode, FragmentWord};
use curie::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField as V, VertexWord};
use libtest_mimic::{Failed, Trial};

use super::file::ProgramTest;

/// The instructions of a file.
#[derive(Debug, Clone)]
enum Words {
    Vertex(Vec<VertexWord>),
    Fragment(Vec<FragmentWord>),
}

#[derive(Debug, Clone)]
struct Program {
    name: String,
    language: Language,
    words: Words,
}

/// Reads every file that assembles; the others fail in their own tests.
fn programs(files: &[(String, String)]) -> Vec<Program> {
    let program = |(name, text): &(String, String)| {
        let test = ProgramTest::parse(text).ok()?;
        let assembly = assemble(name, &test.program).ok()?;
        let language = assembly.language();
        let words = match assembly {
            Assembly::Vertex(vertex) => Words::Vertex(vertex.instructions.into_iter().map(VertexWord::new).collect()),
            Assembly::Fragment(fragment) => Words::Fragment(fragment_words(&fragment.words)),
        };
        Some(Program { name: name.clone(), language, words })
    };
    files.iter().filter_map(program).collect()
}

/// The instructions, without the constants between them.
fn fragment_words(words: &[u32]) -> Vec<FragmentWord> {
    let mut slots = words.as_chunks().0.iter();
    let mut instructions = Vec::new();
    while let Some(slot) = slots.next() {
        let word = FragmentWord(*slot);
        if word.has_constant() {
            slots.next();
        }
        instructions.push(word);
    }
    instructions
}

type VertexUse = fn(VertexWord) -> bool;
type FragmentUse = fn(FragmentWord) -> bool;

fn vertex_source(word: VertexWord, holds: fn(u32) -> bool) -> bool {
    [V::SRC0, V::SRC1, V::SRC2].into_iter().any(|source| holds(word.get(source)))
}

fn vector(opcode: VectorOpcode, word: VertexWord) -> bool {
    word.get(V::OP_VEC) == u32::from(opcode.code())
}

fn scalar(opcode: ScalarOpcode, word: VertexWord) -> bool {
    word.get(V::OP_SCA) == u32::from(opcode.code())
}

/// A class of modifiers, the prefix of its files' names, and a predicate for its instructions.
const VERTEX_CLASSES: [(&str, &str, VertexUse); 32] = [
    ("saturation", "saturate", |w| w.is_set(V::SATURATE)),
    ("magnitude of source 0", "absolute", |w| w.is_set(V::ABS0)),
    ("magnitude of source 1", "absolute", |w| w.is_set(V::ABS1)),
    ("magnitude of source 2", "absolute", |w| w.is_set(V::ABS2)),
    ("sign", "negate", |w| vertex_source(w, |source| V::SOURCE_NEGATE.of(source) != 0)),
    ("swizzle", "swizzle", |w| vertex_source(w, |source| !matches!(V::SOURCE_SWIZZLE.of(source), 0x1b))),
    ("mask of the vector unit", "mask", |w| !matches!(w.get(V::WM_VEC), 0 | 15)),
    ("mask of the scalar unit", "mask_scalar", |w| !matches!(w.get(V::WM_SCA), 0 | 15)),
    ("both units", "both_units", |w| w.get(V::OP_VEC) != 0 && w.get(V::OP_SCA) != 0),
    ("two destinations", "two_destinations", |w| w.get(V::DST_VEC) != 0x3f && w.get(V::OUT_ADDR) != 0x1f),
    ("update of condition register 0", "condition_0", |w| w.is_set(V::COND_UPDATE) && !w.is_set(V::COND_SEL)),
    ("update of condition register 1", "condition_1", |w| w.is_set(V::COND_UPDATE) && w.is_set(V::COND_SEL)),
    ("test of condition register 0", "condition_0", |w| w.is_set(V::COND_TEST) && !w.is_set(V::COND_SEL)),
    ("test of condition register 1", "condition_1", |w| w.is_set(V::COND_TEST) && w.is_set(V::COND_SEL)),
    ("swizzle of a condition", "condition_swizzle", |w| w.is_set(V::COND_TEST) && w.get(V::COND_SWZ) != 0x1b),
    ("condition of the scalar unit", "condition_scalar", |w| w.is_set(V::COND_UPDATE) && !w.is_set(V::COND_FROM_VEC)),
    ("test and update at once", "condition_mask", |w| w.is_set(V::COND_UPDATE) && w.is_set(V::COND_TEST)),
    ("condition of an address", "condition_address", |w| w.is_set(V::COND_UPDATE) && vector(VectorOpcode::Arl, w)),
    ("constant through A0", "indexed_constant", |w| w.is_set(V::CONST_INDEXED) && !w.is_set(V::ADDR_SEL)),
    ("constant through A1", "indexed_constant", |w| w.is_set(V::CONST_INDEXED) && w.is_set(V::ADDR_SEL)),
    ("attribute through an address", "indexed_input", |w| w.is_set(V::INPUT_INDEXED)),
    ("output through an address", "indexed_output", |w| w.is_set(V::OUT_INDEXED)),
    ("output of the scalar unit", "indexed_output", |w| w.is_set(V::OUT_INDEXED) && !w.is_set(V::OUT_FROM_VEC)),
    ("branch", "branch_", |w| scalar(ScalarOpcode::Bra, w)),
    ("conditional branch", "scalar_bri", |w| scalar(ScalarOpcode::Bra, w) && w.is_set(V::COND_TEST)),
    ("call", "call_depth", |w| scalar(ScalarOpcode::Cal, w)),
    ("conditional return", "scalar_ret", |w| scalar(ScalarOpcode::Ret, w) && w.is_set(V::COND_TEST)),
    ("branch on a boolean that is set", "scalar_brb", |w| scalar(ScalarOpcode::Brb, w) && w.is_set(V::BRANCH_POLARITY)),
    ("branch on one that is not", "scalar_brb", |w| scalar(ScalarOpcode::Brb, w) && !w.is_set(V::BRANCH_POLARITY)),
    ("stack of addresses", "scalar_pusha", |w| scalar(ScalarOpcode::PopA, w)),
    ("lookup without a texture", "vector_txl", |w| vector(VectorOpcode::Txl, w)),
    ("legacy rules", "rules_legacy", |_| true),
];

/// The same for fragment programs.
const FRAGMENT_CLASSES: [(&str, &str, FragmentUse); 57] = [
    ("saturation", "saturate", |w| w.is_set(F::SATURATE)),
    ("saturated lookup", "saturate_texture", |w| w.is_set(F::SATURATE) && is_opcode(w, FragmentOpcode::Tex)),
    ("magnitude of source 0", "absolute", |w| w.is_set(F::ABS0)),
    ("magnitude of source 1", "absolute", |w| w.is_set(F::ABS1)),
    ("magnitude of source 2", "absolute", |w| w.is_set(F::ABS2)),
    ("sign of source 0", "negate", |w| w.is_set(F::source_negate(0))),
    ("sign of source 1", "negate", |w| w.is_set(F::source_negate(1))),
    ("sign of source 2", "negate", |w| w.is_set(F::source_negate(2))),
    ("swizzle", "swizzle", |w| (0..3).any(|source| w.get(F::source_swizzle(source)) != 0xe4)),
    ("mask", "mask", |w| !matches!(w.get(F::WRITE_MASK), 0 | 15)),
    ("update of condition register 0", "condition_0", |w| updates(w) && !w.is_set(F::CONDITION_WRITTEN)),
    ("update of condition register 1", "condition_1", |w| updates(w) && w.is_set(F::CONDITION_WRITTEN)),
    ("test of condition register 0", "condition_0", |w| tests(w) && !w.is_set(F::CONDITION_TESTED)),
    ("test of condition register 1", "condition_1", |w| tests(w) && w.is_set(F::CONDITION_TESTED)),
    ("swizzle of a condition", "condition_both", |w| tests(w) && w.get(F::CONDITION_SWIZZLE) != 0xe4),
    ("test and update at once", "condition_mask", |w| tests(w) && updates(w)),
    ("single precision", "precision_full", |w| w.get(F::PRECISION) == 0),
    ("half precision", "precision_half", |w| w.get(F::PRECISION) == 1),
    ("twelve bits", "precision_fx12", |w| w.get(F::PRECISION) == 2),
    ("nine bits", "precision_fx9", |w| w.get(F::PRECISION) == 3),
    ("source as half", "precision_source", |w| w.get(F::PRECISION0) == 1),
    ("source of twelve bits", "precision_source", |w| w.get(F::PRECISION0) == 2),
    ("source of nine bits", "precision_source", |w| w.get(F::PRECISION0) == 3),
    ("source within 0..1", "precision_source", |w| w.get(F::PRECISION0) == 4),
    ("magnitude of a source as half", "precision_magnitude", |w| w.get(F::PRECISION0) == 1 && w.is_set(F::ABS0)),
    ("magnitude of a source of twelve bits", "precision_magnitude", |w| w.get(F::PRECISION0) == 2 && w.is_set(F::ABS0)),
    ("magnitude of a source of nine bits", "precision_magnitude", |w| w.get(F::PRECISION0) == 3 && w.is_set(F::ABS0)),
    ("magnitude of a source within 0..1", "precision_magnitude", |w| w.get(F::PRECISION0) == 4 && w.is_set(F::ABS0)),
    ("half destination", "precision_half_registers", |w| w.is_set(F::DESTINATION_HALF)),
    ("half source", "precision_half_registers", |w| w.is_set(F::source_half(0))),
    ("half outputs", "precision_half_outputs", |w| w.is_set(F::DESTINATION_HALF)),
    ("scale of 2", "scale_x2", |w| w.get(F::SCALE) == 1),
    ("scale of 4", "scale_x4", |w| w.get(F::SCALE) == 2),
    ("scale of 8", "scale_x8", |w| w.get(F::SCALE) == 3),
    ("scale of 1/2", "scale_d2", |w| w.get(F::SCALE) == 5),
    ("scale of 1/4", "scale_d4", |w| w.get(F::SCALE) == 6),
    ("scale of 1/8", "scale_d8", |w| w.get(F::SCALE) == 7),
    ("inline constant", "constant", FragmentWord::has_constant),
    ("attributes", "inputs", |w| w.get(F::INPUT) == 14),
    ("indexed attribute", "indexed_input", |w| w.is_set(F::INPUT_INDEXED)),
    ("attribute by w", "divide_by_w", |w| w.is_set(F::DIVIDES_BY_W) && !w.is_set(F::FLOW)),
    ("expanded texel", "expand_texel", |w| w.is_set(F::EXPAND_TEXEL)),
    ("IF", "opcode_if", |w| is_opcode(w, FragmentOpcode::If)),
    ("ELSE", "opcode_if", |w| is_opcode(w, FragmentOpcode::If) && w.get(F::FLOW_OFFSET) < w.get(F::FLOW_END)),
    ("LOOP", "opcode_loop", |w| is_opcode(w, FragmentOpcode::Loop)),
    ("LOOP that counts down", "opcode_loop", |w| is_opcode(w, FragmentOpcode::Loop) && w.get(F::LOOP_INCREMENT) > 127),
    ("REP under a condition", "opcode_rep", |w| is_opcode(w, FragmentOpcode::Rep) && tests(w)),
    ("BRK under a condition", "opcode_brk", |w| is_opcode(w, FragmentOpcode::Brk) && tests(w)),
    ("CAL under a condition", "opcode_cal", |w| is_opcode(w, FragmentOpcode::Cal) && tests(w)),
    ("RET under a condition", "opcode_ret", |w| is_opcode(w, FragmentOpcode::Ret) && tests(w)),
    ("flow within flow", "flow_nested", |w| w.is_set(F::FLOW) && w.is_set(F::CONDITION_TESTED)),
    ("flow by offsets", "offsets", |w| is_opcode(w, FragmentOpcode::If)),
    ("KIL of a condition", "opcode_kil", |w| is_opcode(w, FragmentOpcode::Kil)),
    ("KIL of a vector", "language_arbfp1_0_kil", |w| is_opcode(w, FragmentOpcode::Kil)),
    ("PK", "opcode_pk", |w| FragmentOpcode::from_code(w.opcode_bits()).is_some_and(FragmentOpcode::is_pack)),
    ("UP", "opcode_up", |w| is_opcode(w, FragmentOpcode::Up2h)),
    ("several results and depth", "outputs_depth", |w| w.get(F::DESTINATION) == 4),
];

fn is_opcode(word: FragmentWord, opcode: FragmentOpcode) -> bool {
    word.opcode_bits() == opcode.code()
}

fn updates(word: FragmentWord) -> bool {
    word.is_set(F::CONDITION_UPDATE)
}

/// Whether the condition is not TR.
fn tests(word: FragmentWord) -> bool {
    word.get(F::CONDITION) != 7
}

/// The features that no file uses.
fn missing(programs: &[Program]) -> Vec<String> {
    let vertex = |prefix: &str, holds: &dyn Fn(VertexWord) -> bool| {
        programs.iter().any(|program| match &program.words {
            Words::Vertex(words) => program.name.starts_with(prefix) && words.iter().any(|word| holds(*word)),
            Words::Fragment(_) => false,
        })
    };
    let fragment = |prefix: &str, holds: &dyn Fn(FragmentWord) -> bool| {
        programs.iter().any(|program| match &program.words {
            Words::Fragment(words) => program.name.starts_with(prefix) && words.iter().any(|word| holds(*word)),
            Words::Vertex(_) => false,
        })
    };
    let mut missing = Vec::new();
    let mut expect = |is_there: bool, what: String| missing.extend((!is_there).then_some(what));
    for &opcode in VectorOpcode::ALL {
        let name = format!("vector_{}.vp", opcode.mnemonic().to_lowercase());
        expect(vertex(&name, &|word| vector(opcode, word)), name);
    }
    for &opcode in ScalarOpcode::ALL {
        let name = format!("scalar_{}.vp", opcode.mnemonic().to_lowercase());
        expect(vertex(&name, &|word| scalar(opcode, word)), name);
    }
    for &opcode in FragmentOpcode::ALL {
        let name = format!("opcode_{}.fp", opcode.mnemonic().to_lowercase());
        expect(fragment(&name, &|word| is_opcode(word, opcode)), name);
    }
    for (class, prefix, holds) in VERTEX_CLASSES {
        expect(vertex(prefix, &holds), format!("{prefix}*.vp: {class}"));
    }
    for (class, prefix, holds) in FRAGMENT_CLASSES {
        expect(fragment(prefix, &holds), format!("{prefix}*.fp: {class}"));
    }
    for relation in 0..8 {
        let name = format!("condition_*: relation {relation}");
        expect(vertex("condition_0", &|word| word.is_set(V::COND_TEST) && word.get(V::COND) == relation), name.clone());
        expect(fragment("condition_0", &|word| word.get(F::CONDITION) == relation), name);
    }
    // Files are assembled for NV40; `tests/command_line/nv20.rs` has the program of NV20.
    for language in Language::ALL.into_iter().filter(|language| language.runs_on(NvVertexIsa::Nv40)) {
        expect(programs.iter().any(|program| program.language == language), language.header().to_owned());
    }
    missing
}

fn everything_is_used(programs: &[Program]) -> Result<(), Failed> {
    let missing = missing(programs);
    if missing.is_empty() { Ok(()) } else { Err(format!("no file uses: {}", missing.join(", ")).into()) }
}

/// Without a file, the feature that only this file shows is missing.
fn a_missing_file_is_noticed(programs: &[Program]) -> Result<(), Failed> {
    for (file, expected) in [
        ("vector_mad.vp", "vector_mad.vp"),
        ("opcode_nrm.fp", "opcode_nrm.fp"),
        ("scale_d8.fp", "scale_d8*.fp: scale of 1/8"),
        ("language_vsp1_0.vp", "!!VSP1.0"),
    ] {
        let rest: Vec<Program> = programs.iter().filter(|program| program.name != file).cloned().collect();
        let missing = missing(&rest);
        if missing != [expected] {
            return Err(format!("without {file}: {missing:?}").into());
        }
    }
    Ok(())
}

/// The tests.
pub(crate) fn trials(files: &[(String, String)]) -> Vec<Trial> {
    let programs = programs(files);
    let others = programs.clone();
    vec![
        Trial::test("everything_is_used", move || everything_is_used(&programs)),
        Trial::test("a_missing_file_is_noticed", move || a_missing_file_is_noticed(&others)),
    ]
}
