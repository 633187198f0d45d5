//! Random microcode produces the same bits on both engines.

use crate::common;
use curie::arith::vertex::VertexRuleSet;
use curie::asm::inputs::ElementInputs;
use curie::isa::nv40_vertex::VertexMicroprogram;
use curie::kernels::run_program::{run_fragment_program, run_vertex_program};
use curie::pipeline::VertexContext;
use curie::pipeline::program_run::quad_inputs;
use curie::reference::fragment::run_fragment_program::{self, NoTextures};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::fragment::FragmentProgram;

use crate::common::microcode::{Generator, fragment_block, vertex_slots};

/// Number of programs of each kind; most of the time goes into compiling a kernel for each.
const PROGRAMS: u32 = 24;
/// Elements that each program runs over.
const ELEMENTS: usize = 16;

#[test]
fn vertex_programs_give_the_same_bits() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Generator(0x5eed_0101);
    let mut compared = 0;
    while compared < PROGRAMS {
        let slots = vertex_slots(&mut random);
        let Ok(microprogram) = VertexMicroprogram::decode(&slots, 0) else { continue };
        let program = microprogram.lower();
        let constants: Vec<[u32; 4]> = (0..544).map(|_| random.vector()).collect();
        let context = VertexContext {
            constants: &constants,
            rules: if compared % 2 == 0 { VertexRuleSet::Nv40Modern } else { VertexRuleSet::Nv40Legacy },
            booleans: random.next(),
            instruction_limit: random.below(300),
            indexed_constants: (20, 500),
        };
        let inputs: Vec<_> = (0..ELEMENTS).map(|_| std::array::from_fn(|_| random.vector())).collect();
        let kernels = run_vertex_program(&gpu, &program, &context, &inputs).unwrap();
        for (element, result) in inputs.iter().zip(&kernels) {
            let expected =
                run_vertex_program::run_vertex_program(&program, &context, element, &NoVertexTextures, &Unobserved);
            assert_eq!(*result, expected, "program {compared}: {slots:08x?}\n{microprogram}");
        }
        compared += 1;
    }
}

#[test]
fn fragment_programs_give_the_same_bits() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Generator(0x5eed_0102);
    let mut compared = 0;
    while compared < PROGRAMS {
        let mut words = Vec::new();
        let loops = if compared % 8 == 7 { 3 } else { 1 };
        fragment_block(&mut random, &mut words, 4, 2, loops);
        words.extend([1, 0x1c9c_0000, 0, 0]);
        let Ok(program) = FragmentProgram::decode(&words) else { continue };
        let inputs: Vec<_> = (0..ELEMENTS)
            .map(|_| {
                let interpolants = std::array::from_fn(|_| random.vector());
                let mut inputs = quad_inputs(&ElementInputs { interpolants, ..ElementInputs::default() });
                for coordinate in &mut inputs.slots[4..] {
                    *coordinate = std::array::from_fn(|_| random.vector());
                }
                inputs
            })
            .collect();
        let has_full_outputs = compared % 2 == 0;
        let kernels = run_fragment_program(&gpu, &program, has_full_outputs, &inputs).unwrap();
        for (element, result) in inputs.iter().zip(&kernels) {
            let expected = run_fragment_program::run_fragment_program(
                &program,
                has_full_outputs,
                element,
                &mut NoTextures,
                &Unobserved,
            )
            .unwrap();
            assert_eq!(*result, expected, "program {compared}: {words:08x?}\n{program}");
        }
        compared += 1;
    }
}
