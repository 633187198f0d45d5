//! Operations of the vertex processor for which the two rule sets differ, on both engines.

use curie::arith::vertex::VertexRuleSet;
use curie::isa::nv40_vertex::{
    OutputWrite, ScalarOpcode, VectorOpcode, VertexMicroprogram, VertexSource, VertexSourceKind,
};
use curie::kernels::run_program::run_vertex_program;
use curie::pipeline::VertexContext;
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program as reference;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::condition::WriteMask;
use curie::shader::vertex::Unit;

use super::vertex::copying_program;
use crate::common;

const ONE: u32 = 0x3f80_0000;
const MINUS_ONE: u32 = 0xbf80_0000;
const MINUS_ZERO: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const MINUS_INFINITY: u32 = 0xff80_0000;
const NAN: u32 = 0x7fff_ffff;
const MINUS_NAN: u32 = 0xffff_ffff;
const TWO: u32 = 0x4000_0000;
const DENORMAL: u32 = 0x0000_1234;

/// Operation, operands, results under the legacy and the modern rules (arithmetic notes, sections 1, 2 and 4; vertex
/// program notes, section 9).
const VECTOR_ROWS: [(VectorOpcode, u32, u32, u32, u32); 25] = [
    (VectorOpcode::Mul, 0, INFINITY, 0, NAN),
    (VectorOpcode::Mul, NAN, MINUS_ZERO, 0, NAN),
    (VectorOpcode::Mul, MINUS_ZERO, TWO, 0, 0),
    (VectorOpcode::Mul, DENORMAL, INFINITY, 0, NAN),
    (VectorOpcode::Mul, TWO, MINUS_INFINITY, MINUS_INFINITY, MINUS_INFINITY),
    (VectorOpcode::Mul, 0x7f00_0000, TWO, INFINITY, INFINITY),
    (VectorOpcode::Dp3, 0, INFINITY, 0, NAN),
    (VectorOpcode::Dp4, 0, INFINITY, 0, NAN),
    (VectorOpcode::Add, INFINITY, MINUS_INFINITY, NAN, NAN),
    (VectorOpcode::Add, ONE, MINUS_ONE, 0, 0),
    (VectorOpcode::Slt, MINUS_ZERO, 0, ONE, 0),
    (VectorOpcode::Seq, MINUS_ZERO, 0, 0, ONE),
    (VectorOpcode::Sne, MINUS_ZERO, 0, ONE, 0),
    (VectorOpcode::Sge, MINUS_ZERO, 0, 0, ONE),
    (VectorOpcode::Seq, 0, DENORMAL, 0, ONE),
    (VectorOpcode::Slt, MINUS_NAN, MINUS_INFINITY, ONE, NAN),
    (VectorOpcode::Sgt, NAN, INFINITY, ONE, NAN),
    (VectorOpcode::Sle, NAN, INFINITY, 0, NAN),
    (VectorOpcode::Sne, NAN, NAN, 0, NAN),
    (VectorOpcode::Min, NAN, ONE, ONE, NAN),
    (VectorOpcode::Max, MINUS_NAN, ONE, ONE, NAN),
    (VectorOpcode::Max, MINUS_ZERO, 0, 0, MINUS_ZERO),
    (VectorOpcode::Min, TWO, ONE, ONE, ONE),
    (VectorOpcode::Ssg, NAN, 0, ONE, NAN),
    (VectorOpcode::Ssg, MINUS_INFINITY, 0, MINUS_ONE, MINUS_ONE),
];

const SCALAR_ROWS: [(ScalarOpcode, u32, u32, u32); 12] = [
    (ScalarOpcode::Rcp, MINUS_ZERO, MINUS_INFINITY, MINUS_INFINITY),
    (ScalarOpcode::Rcp, MINUS_INFINITY, MINUS_ZERO, MINUS_ZERO),
    (ScalarOpcode::Rcc, 0, 0x5f80_0000, 0x5f80_0000),
    (ScalarOpcode::Rcc, MINUS_INFINITY, 0x9f80_0000, 0x9f80_0000),
    (ScalarOpcode::Rsq, 0xc080_0000, 0x3f00_0000, NAN),
    (ScalarOpcode::Rsq, MINUS_ZERO, INFINITY, MINUS_INFINITY),
    (ScalarOpcode::Rsq, INFINITY, 0, 0),
    (ScalarOpcode::Log, 0xc100_0000, 0x4040_0000, NAN),
    (ScalarOpcode::Log, 0, MINUS_INFINITY, MINUS_INFINITY),
    (ScalarOpcode::Lg2, MINUS_ONE, NAN, NAN),
    (ScalarOpcode::Sin, INFINITY, NAN, NAN),
    (ScalarOpcode::Ex2, MINUS_INFINITY, 0, 0),
];

fn source(kind: VertexSourceKind) -> VertexSource {
    VertexSource { kind, ..copying_program().instructions[0].sources[0] }
}

/// o[n] = operation n of v0.x and c0.x, one program for all.
fn check(rules: VertexRuleSet) {
    let gpu = common::gpu();
    let copy = copying_program().instructions[0].clone();
    let (input, temporary) = (source(VertexSourceKind::Input), source(VertexSourceKind::Temporary(1)));
    let rows = VECTOR_ROWS
        .iter()
        .map(|(opcode, a, b, legacy, modern)| {
            let mut instruction = copy.clone();
            (instruction.vector, instruction.sources) = (*opcode, [input, temporary, temporary]);
            (instruction, *a, *b, if rules == VertexRuleSet::Nv40Legacy { *legacy } else { *modern })
        })
        .chain(SCALAR_ROWS.iter().map(|(opcode, a, legacy, modern)| {
            let mut instruction = copy.clone();
            (instruction.vector, instruction.scalar) = (VectorOpcode::Nop, *opcode);
            (instruction.vector_mask, instruction.scalar_mask) = (WriteMask(0), WriteMask::ALL);
            instruction.sources = [input; 3];
            instruction.output = instruction.output.map(|output| OutputWrite { unit: Unit::Scalar, ..output });
            (instruction, *a, 0, if rules == VertexRuleSet::Nv40Legacy { *legacy } else { *modern })
        }));
    let rows: Vec<_> = rows.collect();
    for rows in rows.chunks(8) {
        // Row n reads attributes 2n and 2n + 1, the second through R1.
        let mut instructions = Vec::new();
        let mut attributes = [[0; 4]; 16];
        for (row, (instruction, a, b, _)) in (0u8..).zip(rows) {
            (attributes[2 * usize::from(row)], attributes[2 * usize::from(row) + 1]) = ([*a, 0, 0, 0], [*b, 0, 0, 0]);
            let mut load = copy.clone();
            (load.input_index, load.output, load.vector_destination) = (2 * row + 1, None, Some(1));
            let mut compute = instruction.clone();
            compute.input_index = 2 * row;
            compute.output = compute.output.map(|output| OutputWrite { index: row, ..output });
            instructions.extend([load, compute]);
        }
        let count = instructions.len();
        for (slot, instruction) in instructions.iter_mut().enumerate() {
            (instruction.slot, instruction.is_last) = (slot as u16, slot + 1 == count);
        }
        let program = VertexMicroprogram { start: 0, instructions }.lower();
        let context =
            VertexContext { constants: &[], rules, booleans: 0, instruction_limit: 100, indexed_constants: (0, 0) };
        let result = reference::run_vertex_program(&program, &context, &attributes, &NoVertexTextures, &Unobserved);
        for ((instruction, a, b, expected), output) in rows.iter().zip(&result.outputs) {
            let (vector, scalar) = (instruction.vector, instruction.scalar);
            assert_eq!(output[0], *expected, "{rules:?} {vector:?} {scalar:?} of {a:08x} {b:08x}: {:08x}", output[0]);
        }
        if let Some(gpu) = &gpu {
            assert_eq!(run_vertex_program(gpu, &program, &context, &[attributes]).unwrap(), [result]);
        }
    }
}

#[test]
fn legacy_rules_let_zero_win_and_order_all_bits() {
    check(VertexRuleSet::Nv40Legacy);
}

#[test]
fn modern_rules_are_those_of_ieee_but_for_zeros() {
    check(VertexRuleSet::Nv40Modern);
}
