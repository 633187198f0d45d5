//! Vertex programs: straight-line, branching, and the fetch of every format.

use std::time::Instant;

use curie::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use curie::kernels::run_program::run_vertex_program;
use curie::numeric::vertex::Rules;
use curie::program::condition::{ConditionTest, Relation, Swizzle, WriteMask};
use curie::program::vertex::{
    AddressComponent, Branch, ConditionUpdate, OutputWrite, Unit, VertexInstruction, VertexProgram, VertexSource,
    VertexSourceKind,
};
use curie::recompiler::vertex::{VertexFetch, VertexKernelKey, source};
use curie::reference::run_vertex_program::{self as reference, VertexContext};

use crate::common;
use crate::random::{Random, assert_valid};

const FLOW: [ScalarOpcode; 8] = [
    ScalarOpcode::Bra,
    ScalarOpcode::Bra,
    ScalarOpcode::Cal,
    ScalarOpcode::Ret,
    ScalarOpcode::Brb,
    ScalarOpcode::Clb,
    ScalarOpcode::PushA,
    ScalarOpcode::PopA,
];

fn is_flow(opcode: ScalarOpcode) -> bool {
    FLOW.contains(&opcode) || matches!(opcode, ScalarOpcode::CalIndirect | ScalarOpcode::BraIndirect)
}

fn random_source(random: &mut Random) -> VertexSource {
    VertexSource {
        kind: match random.below(4) {
            0 | 1 => VertexSourceKind::Temporary(random.below(4) as u8),
            2 => VertexSourceKind::Input,
            _ => VertexSourceKind::Constant,
        },
        swizzle: if random.one_in(2) {
            Swizzle::IDENTITY
        } else {
            Swizzle(std::array::from_fn(|_| random.below(4) as u8))
        },
        absolute: random.one_in(4),
        negate: random.one_in(4),
    }
}

fn random_condition(random: &mut Random) -> ConditionTest {
    ConditionTest {
        register: random.below(2) as u8,
        relation: Relation::from_bits(random.below(8)),
        swizzle: Swizzle(std::array::from_fn(|_| random.below(4) as u8)),
    }
}

fn random_instruction(random: &mut Random, slot: u16, slots: u16, has_flow: bool) -> VertexInstruction {
    let vectors: Vec<_> = VectorOpcode::ALL.iter().copied().filter(|opcode| *opcode != VectorOpcode::Txl).collect();
    let scalars: Vec<_> = ScalarOpcode::ALL.iter().copied().filter(|opcode| !is_flow(*opcode)).collect();
    let scalar = if has_flow && random.one_in(3) { random.choose(&FLOW) } else { random.choose(&scalars) };
    let unit = |random: &mut Random| if random.one_in(2) { Unit::Vector } else { Unit::Scalar };
    let mask = |random: &mut Random| WriteMask(if random.one_in(2) { 15 } else { random.below(16) as u8 });
    VertexInstruction {
        slot,
        vector: random.choose(&vectors),
        scalar,
        sources: std::array::from_fn(|_| random_source(random)),
        input_index: random.below(16) as u8,
        is_input_indexed: random.one_in(8),
        constant_index: random.below(24) as u16,
        is_constant_indexed: random.one_in(4),
        address: AddressComponent { register: random.below(2) as u8, component: random.below(4) as u8 },
        condition: random.one_in(2).then(|| random_condition(random)),
        condition_update: random
            .one_in(2)
            .then(|| ConditionUpdate { register: random.below(2) as u8, unit: unit(random) }),
        saturate: random.one_in(8),
        vector_mask: mask(random),
        scalar_mask: mask(random),
        vector_destination: (!random.one_in(4)).then(|| random.below(4) as u8),
        scalar_destination: (!random.one_in(4)).then(|| random.below(4) as u8),
        output: (!random.one_in(3)).then(|| OutputWrite {
            index: random.below(16) as u8,
            is_indexed: random.one_in(6),
            unit: unit(random),
        }),
        branch: Branch {
            target: random.below(u32::from(slots)) as u16,
            boolean: random.below(32) as u8,
            polarity: random.one_in(2),
        },
        texture_unit: 0,
        is_last: slot + 1 == slots,
    }
}

fn random_program(random: &mut Random, slots: u16, has_flow: bool) -> VertexProgram {
    let start = if has_flow { random.below(u32::from(slots)) as u16 } else { 0 };
    let instructions = (0..slots).map(|slot| random_instruction(random, slot, slots, has_flow)).collect();
    VertexProgram { start, instructions }
}

fn random_inputs(random: &mut Random, count: usize) -> Vec<[[u32; 4]; 16]> {
    (0..count).map(|_| std::array::from_fn(|_| random.vector())).collect()
}

/// Runs programs on both engines; returns how many results were compared.
fn compare(seeds: std::ops::Range<u64>, slots: u16, has_flow: bool) -> usize {
    let gpu = common::gpu();
    let mut compared = 0;
    for seed in seeds {
        let mut random = Random::new(seed);
        let program = random_program(&mut random, slots, has_flow);
        let rules = if random.one_in(3) { Rules::Legacy } else { Rules::Modern };
        let key = VertexKernelKey {
            program: program.clone(),
            modern_rules: rules == Rules::Modern,
            fetch: VertexFetch::Immediate,
            outputs: u16::MAX,
        };
        assert_valid(&source(&key).unwrap());
        let Some(gpu) = &gpu else { continue };
        let constants: Vec<_> = (0..544).map(|_| random.vector()).collect();
        let context = VertexContext {
            constants: &constants,
            rules,
            booleans: random.next(),
            instruction_limit: 150,
            indexed_constants: (3, 500),
        };
        let inputs = random_inputs(&mut random, 200);
        let clock = Instant::now();
        let results = run_vertex_program(gpu, &program, &context, &inputs).unwrap();
        eprintln!("seed {seed}: {} ms", clock.elapsed().as_millis());
        for (input, result) in inputs.iter().zip(&results) {
            let expected = reference::run_vertex_program(&program, &context, input);
            assert_eq!(expected, *result, "seed {seed}\n{program:#x?}\ninputs {input:x?}\n{}", source(&key).unwrap());
            compared += 1;
        }
    }
    compared
}

#[test]
fn straight_line_programs_give_the_same_bits() {
    compare(0..10, 12, false);
}

#[test]
fn branching_programs_give_the_same_bits() {
    compare(100..108, 10, true);
}
