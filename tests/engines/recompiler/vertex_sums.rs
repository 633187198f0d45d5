//! Vertex programs of products and sums over normal-range values, with some vertices that have others.

use curie::arith::vertex::VertexRuleSet;
use curie::isa::nv40_vertex::{OutputWrite, ScalarOpcode, VectorOpcode, VertexInstruction, VertexMicroprogram};
use curie::kernels::run_program::run_vertex_program;
use curie::pipeline::VertexContext;
use curie::recompiler::vertex::run_and_workgroup;
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program as reference;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::vertex::VertexProgram;

use super::random::{Random, seeds};
use super::vertex::random_program;
use crate::common;

const VECTORS: [VectorOpcode; 10] = [
    VectorOpcode::Mul,
    VectorOpcode::Mad,
    VectorOpcode::Mad,
    VectorOpcode::Add,
    VectorOpcode::Dp3,
    VectorOpcode::Dph,
    VectorOpcode::Dp4,
    VectorOpcode::Mov,
    VectorOpcode::Max,
    VectorOpcode::Dst,
];
const SCALARS: [ScalarOpcode; 9] = [
    ScalarOpcode::Nop,
    ScalarOpcode::Nop,
    ScalarOpcode::Nop,
    ScalarOpcode::Mov,
    ScalarOpcode::Rcp,
    ScalarOpcode::Rsq,
    ScalarOpcode::Lg2,
    ScalarOpcode::Ex2,
    ScalarOpcode::Lit,
];

fn program(random: &mut Random) -> VertexProgram {
    let program = random_program(random, 14, false);
    let plain = |instruction: VertexInstruction| VertexInstruction {
        vector: random.choose(&VECTORS),
        scalar: random.choose(&SCALARS),
        is_input_indexed: false,
        is_constant_indexed: false,
        condition: instruction.condition.filter(|_| random.one_in(2)),
        output: instruction.output.map(|output| OutputWrite { is_indexed: false, ..output }),
        ..instruction
    };
    VertexMicroprogram { instructions: program.instructions.into_iter().map(plain).collect(), ..program }.lower()
}

/// Mostly small numbers; some zeros and numbers with products or powers outside the range.
fn float(random: &mut Random) -> u32 {
    match random.below(24) {
        0 | 1 => random.below(2) << 31,
        2 => random.choose(&[0x0080_0000, 0x1f80_0000, 0x2000_0000, 0x5f00_0000, 0x7f00_0000]),
        _ => ((random.next() as f32 / u32::MAX as f32 - 0.5) * 8.0).to_bits(),
    }
}

#[test]
fn vertices_of_normal_range_and_other_values_give_the_same_bits() {
    let Some(gpu) = common::gpu() else { return };
    let mut short = 0;
    for seed in seeds(20_000, 8) {
        let mut random = Random::new(seed);
        let program = program(&mut random);
        short += usize::from(run_and_workgroup(&program, true) != run_and_workgroup(&program, false));
        // Constants outside the normal range send all vertices to the exact path.
        let are_in_range = seed % 4 != 0;
        let constants: Vec<[u32; 4]> = (0..544)
            .map(|_| {
                if are_in_range {
                    std::array::from_fn(|_| (random.float() & 0x807f_ffff) | 0x3f80_0000)
                } else {
                    random.vector()
                }
            })
            .collect();
        let rules = if random.one_in(3) { VertexRuleSet::Nv40Legacy } else { VertexRuleSet::Nv40Modern };
        let context = VertexContext {
            constants: &constants,
            rules,
            booleans: 0,
            instruction_limit: 150,
            indexed_constants: (0, 543),
        };
        // More than one workgroup, and not a whole number of them.
        let inputs: Vec<[[u32; 4]; 16]> = (0..999)
            .map(|vertex| {
                std::array::from_fn(|_| {
                    if vertex % 37 == 0 { random.vector() } else { std::array::from_fn(|_| float(&mut random)) }
                })
            })
            .collect();
        let results = run_vertex_program(&gpu, &program, &context, &inputs).unwrap();
        for (vertex, (input, result)) in inputs.iter().zip(&results).enumerate() {
            let expected = reference::run_vertex_program(&program, &context, input, &NoVertexTextures, &Unobserved);
            assert_eq!(expected, *result, "seed {seed}, vertex {vertex}\n{program:#x?}\ninputs {input:x?}");
        }
    }
    assert!(short > 4, "{short} programs had two ways");
}
