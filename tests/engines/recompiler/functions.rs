//! The rows of vertex functions: the named WGSL module declares each, and a kernel that calls it is valid.

use curie::arith::vertex::VertexRuleSet;
use curie::arith::vertex_functions::{ADDRESS_FUNCTIONS, FUNCTIONS, pica};
use curie::gpu::module_source;
use curie::isa::nv20_vertex::{IluOpcode, MacOpcode};
use curie::isa::nv40_vertex::{Effect, ScalarOpcode, VectorOpcode};
use curie::recompiler::vertex::{VertexFetch, VertexKernelKey, source};
use curie::shader::vertex::{OperationKind, VertexProgram};

use super::random::assert_valid;
use super::vertex::copying_program;

/// One instruction with these opcodes whose result nothing overwrites.
fn program(vector: VectorOpcode, scalar: ScalarOpcode) -> VertexProgram {
    let mut program = copying_program();
    program.instructions.truncate(1);
    let instruction = &mut program.instructions[0];
    (instruction.vector, instruction.scalar, instruction.is_last) = (vector, scalar, true);
    (instruction.vector_destination, instruction.scalar_destination) = (Some(0), Some(1));
    instruction.scalar_mask = instruction.vector_mask;
    program.lower()
}

fn kernel(program: VertexProgram, rules: VertexRuleSet) -> String {
    source(&VertexKernelKey {
        program,
        rules,
        fetch: VertexFetch::Immediate,
        outputs: u16::MAX,
        output_map: None,
        has_runs: false,
    })
}

fn declares(module: &str, name: &str) -> bool {
    module_source(module).is_some_and(|text| text.contains(&format!("fn {name}(")))
}

#[test]
fn every_opcode_is_a_valid_kernel() {
    let pairs = VectorOpcode::ALL.iter().map(|opcode| (*opcode, ScalarOpcode::Nop));
    let pairs = pairs.chain(ScalarOpcode::ALL.iter().map(|opcode| (VectorOpcode::Nop, *opcode)));
    for (vector, scalar) in pairs {
        for rules in [VertexRuleSet::Nv40Legacy, VertexRuleSet::Nv40Modern] {
            let kernel = kernel(program(vector, scalar), rules);
            assert_valid(&kernel);
            for effect in [vector.effect(), scalar.effect()] {
                if let Effect::Arithmetic(function) = effect {
                    assert!(kernel.contains(&format!("{}(", function.name)), "{function:?} is not called\n{kernel}");
                }
            }
        }
    }
}

#[test]
fn every_row_is_declared_in_its_module() {
    for function in FUNCTIONS.iter().chain(pica::FUNCTIONS) {
        assert!(declares(function.module, function.name), "{function:?}");
        if let Some(twin) = function.normal_range {
            assert!(declares("software::vertex_normal_range", twin.name), "{}", twin.name);
        }
    }
    for function in ADDRESS_FUNCTIONS.iter().chain(pica::ADDRESS_FUNCTIONS) {
        assert!(declares(function.module, function.name), "{function:?}");
    }
    assert!(!declares("arith::vertex", "xf_none"));
}

#[test]
fn every_row_is_the_effect_of_an_opcode() {
    let nv40 = VectorOpcode::ALL.iter().map(|opcode| opcode.effect());
    let nv40 = nv40.chain(ScalarOpcode::ALL.iter().map(|opcode| opcode.effect())).filter_map(|effect| match effect {
        Effect::Arithmetic(function) => Some(OperationKind::Arithmetic(function)),
        Effect::LoadAddress(function) => Some(OperationKind::LoadAddress(function)),
        _ => None,
    });
    let nv20 = MacOpcode::ALL.iter().map(|opcode| opcode.effect());
    let nv20 = nv20.chain(IluOpcode::ALL.iter().map(|opcode| opcode.effect()));
    let effects: Vec<OperationKind> = nv40.chain(nv20).collect();
    for function in FUNCTIONS {
        assert!(effects.contains(&OperationKind::Arithmetic(function)), "no opcode computes {function:?}");
    }
    for function in ADDRESS_FUNCTIONS {
        assert!(effects.contains(&OperationKind::LoadAddress(function)), "no opcode loads {function:?}");
    }
}
