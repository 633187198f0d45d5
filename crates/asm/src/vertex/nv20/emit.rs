//! Encodes scheduled operations with allocated registers as instruction words.

use super::operation::{Operation, Register, Slot, Source, Target};
use crate::isa::Operand;
use crate::isa::nv20_vertex::{Nv20Instruction, Nv20OutputWrite, Nv20Source, VertexSourceKind};
use crate::shader::vertex::Unit;

/// Encodes each instruction; the last one ends the program.
#[must_use]
pub fn emit(operations: &[Operation], slots: &[Slot]) -> Vec<[u32; 4]> {
    let mut instructions: Vec<Nv20Instruction> = slots.iter().map(|slot| instruction(operations, *slot)).collect();
    if instructions.is_empty() {
        instructions.push(Nv20Instruction::NOP);
    }
    if let Some(last) = instructions.last_mut() {
        last.is_last = true;
    }
    instructions.iter().map(Nv20Instruction::encode).collect()
}

fn instruction(operations: &[Operation], slot: Slot) -> Nv20Instruction {
    let mut instruction = Nv20Instruction::NOP;
    // The MAC comes last, so that its temporary is the one of a pair.
    if let Some(operation) = slot.ilu.map(|place| &operations[place])
        && let Some(opcode) = operation.as_ilu()
    {
        instruction.ilu = opcode;
        add(&mut instruction, operation, Unit::Scalar, opcode.row().operands);
    }
    if let Some(operation) = slot.mac.map(|place| &operations[place])
        && let Some(opcode) = operation.as_mac()
    {
        instruction.mac = opcode;
        add(&mut instruction, operation, Unit::Vector, opcode.row().operands);
    }
    instruction
}

fn add(instruction: &mut Nv20Instruction, operation: &Operation, unit: Unit, operands: &[Operand]) {
    match operation.target {
        Target::Temporary(number) => {
            instruction.temporary = number.to_le_bytes()[0];
            match unit {
                Unit::Vector => instruction.mac_mask = operation.mask,
                Unit::Scalar => instruction.ilu_mask = operation.mask,
            }
        }
        Target::Output(register) => {
            instruction.output = Some(Nv20OutputWrite { register, unit, mask: operation.mask });
        }
        Target::Address => {}
    }
    for (operand, source) in operands.iter().zip(&operation.sources) {
        instruction.sources[operand.index()] = encoded(instruction, source);
    }
}

/// A source, and its index in the instruction.
fn encoded(instruction: &mut Nv20Instruction, source: &Source) -> Nv20Source {
    let kind = match source.register {
        Register::Temporary(number) => VertexSourceKind::Temporary(number.to_le_bytes()[0]),
        Register::Attribute(index) => {
            instruction.input_index = index;
            VertexSourceKind::Input
        }
        Register::Constant { index, is_indexed } => {
            instruction.constant_index = index;
            instruction.is_constant_indexed = is_indexed;
            VertexSourceKind::Constant
        }
    };
    Nv20Source { kind, swizzle: source.swizzle, negate: source.negate }
}
