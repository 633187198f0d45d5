//! Any words as a fragment program: decoded, written as text that gives the same words, and run on the reference.
#![no_main]

use curie::shader::fragment::FragmentProgram;
use curie::asm::inputs::ElementInputs;
use curie::asm::fragment::listing::listing;
use curie::asm::{Assembly, assemble};
use curie::reference::fragment::run_fragment_program::{NoTextures, run_fragment_program};
use curie::reference::run_program::quad_inputs;

libfuzzer_sys::fuzz_target!(|words: Vec<u32>| {
    let Ok(program) = FragmentProgram::decode(&words) else { return };
    let _ = program.to_string();
    let words = &words[..program.words as usize];
    match assemble("listing", &listing(words, None)) {
        Ok(Assembly::Fragment(assembly)) => assert_eq!(assembly.words, words),
        Ok(Assembly::Vertex(_)) => panic!("a fragment program"),
        Err(errors) => panic!("{errors}"),
    }
    let mut element = ElementInputs::default();
    for (interpolant, value) in element.interpolants.iter_mut().zip(words.as_chunks::<4>().0) {
        *interpolant = *value;
    }
    for has_full_outputs in [false, true] {
        let _ = run_fragment_program(&program, has_full_outputs, &quad_inputs(&element), &mut NoTextures);
    }
});
