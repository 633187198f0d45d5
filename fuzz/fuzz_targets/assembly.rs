//! Any text as a program: assembled, decoded, listed and assembled again.
#![no_main]

use curie::asm::vertex::listing::listing;
use curie::asm::{Assembly, assemble, fragment};

libfuzzer_sys::fuzz_target!(|text: &str| {
    match assemble("fuzz", text) {
        Ok(Assembly::Vertex(vertex)) => {
            let listed = listing(&vertex.instructions, vertex.start);
            let Ok(Assembly::Vertex(again)) = assemble("again", &listed) else { panic!("{listed}") };
            assert_eq!((again.instructions, again.start), (vertex.instructions, vertex.start));
        }
        Ok(Assembly::Fragment(program)) => {
            let listed = fragment::listing::listing(&program.words, Some(program.control));
            let Ok(Assembly::Fragment(again)) = assemble("again", &listed) else { panic!("{listed}") };
            assert_eq!((again.words, again.control), (program.words, program.control));
        }
        Err(errors) => {
            let _ = errors.to_string();
        }
    }
});
