//! Any words as a vertex program: decoded, written as text, split into blocks and run on the reference.
#![no_main]

use curie::arith::vertex::Rules;
use curie::shader::vertex::VertexProgram;
use curie::reference::vertex::run_vertex_program::{VertexContext, run_vertex_program};

libfuzzer_sys::fuzz_target!(|words: Vec<[u32; 4]>| {
    let Ok(program) = VertexProgram::decode(&words, 0) else { return };
    let _ = program.to_string();
    let constants: Vec<[u32; 4]> = words.iter().copied().cycle().take(544).collect();
    for rules in [Rules::Legacy, Rules::Modern] {
        let context = VertexContext {
            constants: &constants,
            rules,
            booleans: words[0][3],
            instruction_limit: 0xffff,
            indexed_constants: (0, 543),
        };
        let inputs = std::array::from_fn(|index| constants[index]);
        let _ = run_vertex_program(&program, &context, &inputs);
    }
});
