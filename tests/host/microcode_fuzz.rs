//! Random words with a fixed seed as programs: no program that decodes may panic or hang on the reference.
//!
//! The fuzz targets in `fuzz/` do the same with unlimited input.

use curie::arith::vertex::VertexRuleSet;
use curie::asm::fragment::listing::listing;
use curie::asm::inputs::ElementInputs;
use curie::asm::{Assembly, assemble};
use curie::isa::nv40_vertex::VertexMicroprogram;
use curie::pipeline::VertexContext;
use curie::pipeline::program_run::quad_inputs;
use curie::reference::fragment::run_fragment_program::{NoTextures, run_fragment_program};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program::run_vertex_program;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::fragment::FragmentProgram;

use crate::common::microcode::{Generator, fragment_block, vertex_slots};

#[test]
fn random_vertex_programs_end() {
    let mut random = Generator(0x5eed_0001);
    let mut executed = 0;
    for round in 0..3000 {
        let slots = vertex_slots(&mut random);
        let Ok(program) = VertexMicroprogram::decode(&slots, 0) else { continue };
        assert!(program.to_string().contains(';'), "round {round}");
        let program = program.lower();
        assert_eq!(program.blocks().iter().map(|block| block.bundles.len()).sum::<usize>(), program.bundles.len());
        let constants: Vec<[u32; 4]> = (0..544).map(|_| random.vector()).collect();
        let context = VertexContext {
            constants: &constants,
            rules: if round % 2 == 0 { VertexRuleSet::Nv40Modern } else { VertexRuleSet::Nv40Legacy },
            booleans: random.next(),
            instruction_limit: if round % 64 == 0 { 0xffff } else { random.below(2000) },
            indexed_constants: (0, 543),
        };
        let inputs = std::array::from_fn(|_| random.vector());
        let first = run_vertex_program(&program, &context, &inputs, &NoVertexTextures, &Unobserved);
        assert_eq!(
            first,
            run_vertex_program(&program, &context, &inputs, &NoVertexTextures, &Unobserved),
            "round {round} is not repeatable"
        );
        executed += 1;
    }
    assert!(executed > 1000, "only {executed} programs were executed");
}

/// Assembles the text of microcode; returns the resulting words.
fn through_text(words: &[u32]) -> Vec<u32> {
    let text = listing(words, None);
    match assemble("listing", &text) {
        Ok(Assembly::Fragment(assembly)) => assembly.words,
        Ok(Assembly::Vertex(_)) => panic!("a fragment program:\n{text}"),
        Err(errors) => panic!("{errors}\n{text}"),
    }
}

#[test]
fn random_fragment_microcode_survives_as_text() {
    let mut random = Generator(0x5eed_0004);
    let mut compared = 0;
    for round in 0..1500 {
        let mut words = Vec::new();
        fragment_block(&mut random, &mut words, 6, 2, 2);
        words.extend([
            0x0100_0001 | random.next() & 0x00ff_fffe,
            random.next() & !3,
            random.next() & !(1 << 31 | 3),
            random.next() & !3,
        ]);
        let Ok(program) = FragmentProgram::decode(&words) else { continue };
        let words = &words[..program.words as usize];
        assert_eq!(through_text(words), words, "round {round}\n{}", listing(words, None));
        // The typed program's own microcode has the same meaning.
        let encoded = program.encode().unwrap().words;
        assert_eq!(FragmentProgram::decode(&encoded).unwrap().constants, program.constants, "round {round}");
        compared += 1;
    }
    assert!(compared > 500, "only {compared} programs were compared");
}

#[test]
fn random_words_are_decoded_or_refused() {
    let mut random = Generator(0x5eed_0002);
    for _ in 0..3000 {
        let slots: Vec<[u32; 4]> =
            (0..random.below(8)).map(|_| [random.next(), random.next(), random.next(), random.next()]).collect();
        let start = u16::try_from(random.below(9)).unwrap();
        if let Ok(program) = VertexMicroprogram::decode(&slots, start) {
            assert!(!program.instructions.is_empty());
        }
        let words: Vec<u32> = slots.iter().flatten().copied().collect();
        if let Ok(program) = FragmentProgram::decode(&words) {
            assert!(program.words as usize <= words.len());
        }
    }
}

#[test]
fn random_fragment_programs_end() {
    let mut random = Generator(0x5eed_0003);
    let mut executed = 0;
    for round in 0..3000 {
        let mut words = Vec::new();
        let loops = if round % 16 == 0 { 3 } else { 1 };
        fragment_block(&mut random, &mut words, 5, 3, loops);
        words.extend([1, 0x1c9c_0000, 0, 0]);
        let program = match FragmentProgram::decode(&words) {
            Ok(program) => program,
            Err(error) => {
                assert!(error.to_string().contains("BRK outside of a loop"), "round {round}: {error}");
                continue;
            }
        };
        assert!(program.to_string().ends_with("END\n"));
        let endless = &mut |offset: u32| Some(words.get(offset as usize).copied().unwrap_or(0));
        assert_eq!(FragmentProgram::decode_from(endless).as_ref(), Ok(&program));
        let interpolants = std::array::from_fn(|_| random.vector());
        let element = ElementInputs { interpolants, ..ElementInputs::default() };
        let mut inputs = quad_inputs(&element);
        for lane in 0..4 {
            inputs.slots[4][lane] = random.vector();
        }
        let full = run_fragment_program(&program, true, &inputs, &mut NoTextures, &Unobserved).unwrap();
        assert_eq!(full.coverage & !inputs.coverage, 0);
        executed += 1;
    }
    assert!(executed > 1000, "only {executed} programs were executed");
}
