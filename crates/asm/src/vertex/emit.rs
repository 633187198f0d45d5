//! Encodes operations with allocated registers as instruction words.

use super::native_operations::NOTHING;
use super::statement::{Operation, Placed, Register, Source, Target, UnitOperation};
use crate::isa::OpcodeRow;
use crate::isa::nv40_vertex::{
    OutputWrite, ScalarOpcode, VectorOpcode, VertexInstruction, VertexSource, VertexSourceKind,
};
use crate::shader::vertex::{AddressComponent, ConditionUpdate, Unit};

/// Encodes every operation into a slot of its own.
pub(super) fn emit(placed: &Placed) -> Vec<[u32; 4]> {
    let count = placed.operations.len();
    let slots = placed.operations.iter().zip(&placed.targets).enumerate();
    slots
        .map(|(index, (operation, target))| {
            let mut instruction = instruction(operation);
            instruction.branch.target = target.and_then(|target| u16::try_from(target).ok()).unwrap_or(0);
            instruction.is_last = index + 1 == count;
            instruction.encode().words()
        })
        .collect()
}

fn instruction(operation: &Operation) -> VertexInstruction {
    let mut instruction = NOTHING;
    let (unit, row) = match operation.unit {
        UnitOperation::Vector(opcode) => {
            instruction.vector = opcode;
            instruction.vector_mask = operation.mask;
            (Unit::Vector, opcode.row())
        }
        UnitOperation::Scalar(opcode) => {
            instruction.scalar = opcode;
            instruction.scalar_mask = operation.mask;
            (Unit::Scalar, opcode.row())
        }
    };
    instruction.saturate = operation.saturate;
    instruction.condition = operation.condition;
    instruction.condition_update = operation.update.map(|register| ConditionUpdate { register, unit: Some(unit) });
    instruction.texture_unit = operation.texture;
    match operation.target {
        Target::Nothing => {}
        Target::Temporary(number) => {
            let register = Some(number.to_le_bytes()[0]);
            match unit {
                Unit::Vector => instruction.vector_destination = register,
                Unit::Scalar => instruction.scalar_destination = register,
            }
        }
        Target::Address(register) => instruction.vector_destination = Some(register),
        Target::Output(output) => {
            instruction.output =
                Some(OutputWrite { index: output.register, is_indexed: output.address.is_some(), unit });
            instruction.address = output.address.unwrap_or(instruction.address);
        }
    }
    if matches!(operation.unit, UnitOperation::Scalar(ScalarOpcode::PushA | ScalarOpcode::PopA)) {
        instruction.vector_destination = Some(operation.address);
    }
    sources(&mut instruction, row, &operation.sources);
    if operation.unit == UnitOperation::Vector(VectorOpcode::Ara) {
        instruction.address = AddressComponent { register: operation.address, component: 0 };
    }
    instruction
}

fn sources(instruction: &mut VertexInstruction, row: &OpcodeRow, sources: &[Source]) {
    for (operand, source) in row.operands.iter().zip(sources) {
        let kind = match source.register {
            Register::Temporary(number) => VertexSourceKind::Temporary(number.to_le_bytes()[0]),
            Register::Attribute(index, address) => {
                instruction.input_index = index;
                instruction.is_input_indexed = address.is_some();
                instruction.address = address.unwrap_or(instruction.address);
                VertexSourceKind::Input
            }
            Register::Constant(slot, address) => {
                instruction.constant_index = slot;
                instruction.is_constant_indexed = address.is_some();
                instruction.address = address.unwrap_or(instruction.address);
                VertexSourceKind::Constant
            }
            // Placing the constants leaves no parameter.
            Register::Parameter(_) => VertexSourceKind::Constant,
        };
        instruction.sources[operand.index()] =
            VertexSource { kind, swizzle: source.swizzle, absolute: source.absolute, negate: source.negate };
    }
}
