//! Programs whose scopes end where execution passes a slot, on both engines: the same bits however scopes overlap.

use curie::arith::vertex::VertexRuleSet;
use curie::arith::vertex_functions::{ADD, MAX};
use curie::kernels::run_program::run_vertex_program;
use curie::pipeline::VertexContext;
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program as reference;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::condition::{Swizzle, WriteMask};
use curie::shader::vertex::{
    ConditionUpdate, FlowAction, FlowTest, LOOP_COUNTER, OperationKind, Unit, VertexBundle, VertexFlow, VertexOperand,
    VertexOperation, VertexOutput, VertexProgram, VertexRegister,
};

use super::random::Random;
use crate::common;
use crate::common::nightly::cases;

const SLOTS: u16 = 14;

fn operand(register: VertexRegister) -> VertexOperand {
    VertexOperand { register, swizzle: Swizzle::IDENTITY, absolute: false, negate: false }
}

fn source(random: &mut Random) -> VertexOperand {
    let register = match random.below(5) {
        0 => VertexRegister::Temporary(random.below(3) as u8),
        1 => VertexRegister::Attribute { index: random.below(3) as u8, relative: None },
        2 => VertexRegister::Constant { index: random.below(16) as u16, relative: None },
        3 => VertexRegister::Constant { index: random.below(16) as u16, relative: Some(LOOP_COUNTER) },
        _ => VertexRegister::WrappedConstant { index: random.below(96) as u8, address: LOOP_COUNTER },
    };
    let swizzle = Swizzle(std::array::from_fn(|_| random.below(4) as u8));
    VertexOperand { swizzle, negate: random.one_in(3), ..operand(register) }
}

fn action(random: &mut Random, slot: u16) -> FlowAction {
    let mut later = || slot + 1 + random.below(u32::from(SLOTS - slot)) as u16;
    let (end, after) = (later(), later());
    match random.below(6) {
        0 | 1 => FlowAction::If { or_else: end.min(SLOTS - 1), end: end.max(after) },
        2 => FlowAction::CallUntil { target: random.below(u32::from(SLOTS)) as u16, end },
        3 => FlowAction::Loop { parameters: 16 + random.below(4) as u16, end },
        4 => FlowAction::Break,
        _ => FlowAction::Branch { target: after.min(SLOTS - 1) },
    }
}

fn program(random: &mut Random) -> VertexProgram {
    let bundles = (0..SLOTS).map(|slot| {
        let kind = if random.one_in(2) { OperationKind::Arithmetic(&ADD) } else { OperationKind::Arithmetic(&MAX) };
        let sources = [source(random), source(random)];
        let destination = Some(random.below(3) as u8);
        let flow = random.one_in(2).then(|| {
            let flag = |random: &mut Random| random.one_in(2).then(|| random.one_in(2));
            let test = match random.below(3) {
                0 => FlowTest::Boolean { index: random.below(4) as u8, value: random.one_in(2) },
                1 => FlowTest::Flags { x: flag(random), y: flag(random), needs_both: random.one_in(2) },
                _ => FlowTest::Condition,
            };
            VertexFlow { action: action(random, slot), test }
        });
        VertexBundle {
            vector: VertexOperation::new(kind, sources, destination, WriteMask(random.below(16) as u8)),
            condition_update: random.one_in(3).then_some(ConditionUpdate { register: 0, unit: Some(Unit::Vector) }),
            output: Some(VertexOutput {
                index: random.below(4) as u8,
                relative: None,
                unit: Unit::Vector,
                mask: WriteMask(random.below(16) as u8),
            }),
            flow,
            is_last: slot + 1 == SLOTS || random.one_in(20),
            ..VertexBundle::idle(slot)
        }
    });
    VertexProgram { start: 0, bundles: bundles.collect() }
}

#[test]
fn overlapping_scopes_give_the_same_bits() {
    let Some(gpu) = common::gpu() else { return };
    let (mut executed, mut distinct) = (0, 0);
    for seed in super::random::seeds(40_000, cases(12, 24)) {
        let mut random = Random::new(seed);
        let program = program(&mut random);
        let mut constants: Vec<[u32; 4]> = (0..544).map(|_| random.vector()).collect();
        for parameters in &mut constants[16..20] {
            *parameters = [random.below(4), random.below(256), random.below(256), 0];
        }
        let context = VertexContext {
            constants: &constants,
            rules: VertexRuleSet::Nv40Modern,
            booleans: random.next(),
            instruction_limit: 300,
            indexed_constants: (0, 255),
        };
        let inputs: Vec<[[u32; 4]; 16]> = (0..32).map(|_| std::array::from_fn(|_| random.vector())).collect();
        let results = run_vertex_program(&gpu, &program, &context, &inputs).unwrap();
        for (input, result) in inputs.iter().zip(&results) {
            let expected = reference::run_vertex_program(&program, &context, input, &NoVertexTextures, &Unobserved);
            assert_eq!(expected, *result, "seed {seed}\n{program:#x?}\ninputs {input:x?}");
            executed += 1;
        }
        distinct += usize::from(results.iter().any(|result| *result != results[0]));
    }
    assert!(executed > 0 && distinct > 0, "programs depend on their inputs");
}
