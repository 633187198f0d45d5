//! Vertex programs of products and sums over normal-range values, with some vertices that have others.

use curie::arith::vertex::VertexRuleSet;
use curie::arith::vertex_functions::{ADD, ADD_V2, DP3, DP3_V2, DP4, DP4_V2, DPH, DPH_V2, MAD, MAD_V2, MUL, MUL_V2};
use curie::asm::{Assembly, assemble_for};
use curie::isa::NvVertexIsa;
use curie::isa::nv40_vertex::{OutputWrite, ScalarOpcode, VectorOpcode, VertexInstruction, VertexMicroprogram};
use curie::kernels::run_program::run_vertex_program;
use curie::pipeline::VertexContext;
use curie::recompiler::vertex::run_and_workgroup;
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program as reference;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::vertex::{OperationKind, VertexProgram};

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

/// The program with the functions of NV20 in place of NV40's.
fn on_nv20(mut program: VertexProgram) -> VertexProgram {
    let twins = [(&MUL, &MUL_V2), (&ADD, &ADD_V2), (&MAD, &MAD_V2), (&DP3, &DP3_V2), (&DPH, &DPH_V2), (&DP4, &DP4_V2)];
    for bundle in &mut program.bundles {
        for operation in [&mut bundle.vector, &mut bundle.scalar] {
            if let OperationKind::Arithmetic(function) = &mut operation.kind
                && let Some((_, twin)) = twins.iter().find(|(nv40, _)| *nv40 == *function)
            {
                *function = twin;
            }
        }
    }
    program
}

/// Four squares of 1.2 · 2^63 are 1.44 · 2^128, and two are less than 2^128.
#[test]
fn sums_of_nv20_that_overflow_are_the_largest_number() {
    const TEXT: &str = "!!VP1.1\nDP4 o[HPOS].x, v[OPOS], v[OPOS];\nDP4 o[HPOS].y, -v[OPOS], v[OPOS];\n\
                        DP3 o[HPOS].z, v[OPOS], v[OPOS];\nDPH o[HPOS].w, v[OPOS], v[OPOS];\nEND";
    let Some(gpu) = common::gpu() else { return };
    let Ok(Assembly::Vertex(assembly)) = assemble_for("test.vp", TEXT, NvVertexIsa::Nv20) else {
        panic!("a vertex program")
    };
    let program = assembly.microcode().decode().unwrap();
    assert_ne!(run_and_workgroup(&program, true), run_and_workgroup(&program, false), "it has two ways");
    let context = VertexContext {
        constants: &[],
        rules: VertexRuleSet::Nv40Legacy,
        booleans: 0,
        instruction_limit: 150,
        indexed_constants: (0, 0),
    };
    let large = (1.2 * 2f32.powi(63)).to_bits();
    let inputs = [[[large; 4]; 16], [[large, large, 0, 0]; 16], [[large, large, large, 0]; 16]];
    let results = run_vertex_program(&gpu, &program, &context, &inputs).unwrap();
    let largest = f32::MAX.to_bits();
    let positions: Vec<_> = results.iter().map(|vertex| vertex.outputs[0]).collect();
    assert_eq!(positions[0][..3], [largest, largest | 1 << 31, largest]);
    let two = f32::from_bits(positions[1][0]);
    assert!(two < f32::MAX && two > 2f32.powi(127), "{two}");
    assert_eq!(positions[2][..3], [largest, largest | 1 << 31, largest], "1.08 · 2^128");
    for (input, result) in inputs.iter().zip(&results) {
        let expected = reference::run_vertex_program(&program, &context, input, &NoVertexTextures, &Unobserved);
        assert_eq!(expected, *result);
    }
}

#[test]
fn vertices_of_normal_range_and_other_values_give_the_same_bits() {
    let Some(gpu) = common::gpu() else { return };
    let mut short = 0;
    for seed in seeds(20_000, 16) {
        let mut random = Random::new(seed);
        let program = program(&mut random);
        let program = if seed % 2 == 0 { on_nv20(program) } else { program };
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
    assert!(short > 8, "{short} programs had two ways");
}
