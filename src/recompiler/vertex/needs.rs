//! Which registers, attributes and constants a vertex program touches.

use std::collections::BTreeSet;

use super::operations;
use crate::isa::Operand;
use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use crate::shader::vertex::{CONSTANT_SLOTS, VertexInstruction, VertexProgram, VertexSourceKind};

/// What a program touches.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Bit i: attribute i is read.
    pub(super) attributes: u16,
    /// Temporaries that are read or written.
    pub(super) temporaries: BTreeSet<u8>,
    /// Constants that are read without an index.
    pub(super) constants: BTreeSet<u16>,
    /// Bit i: address register i is used.
    pub(super) addresses: u8,
    /// Bit i: condition register i is used.
    pub(super) conditions: u8,
    /// Bit i: output register i is written without an index.
    pub(super) outputs: u16,
    /// An attribute is read with an index.
    pub(super) has_indexed_inputs: bool,
    /// A constant is read with an index.
    pub(super) has_indexed_constants: bool,
    /// Bit i: texture unit i is sampled.
    pub(super) texture_units: u8,
    /// An output register is written with an index.
    pub(super) has_indexed_outputs: bool,
}

impl Needs {
    /// Looks through the instructions.
    pub(super) fn of(program: &VertexProgram) -> Self {
        let mut needs = Self::default();
        for instruction in &program.instructions {
            needs.add(instruction);
        }
        if needs.has_indexed_inputs {
            needs.attributes = u16::MAX;
        }
        needs
    }

    fn add(&mut self, instruction: &VertexInstruction) {
        for (source, is_read) in instruction.sources.iter().zip(read_sources(instruction)) {
            if !is_read {
                continue;
            }
            match source.kind {
                VertexSourceKind::Temporary(register) => {
                    self.temporaries.insert(register);
                }
                VertexSourceKind::Input => {
                    self.has_indexed_inputs |= instruction.is_input_indexed;
                    self.add_address_if(instruction.is_input_indexed, instruction.address.register);
                    self.attributes |= 1 << (instruction.input_index & 15);
                }
                VertexSourceKind::Constant if instruction.is_constant_indexed => {
                    self.has_indexed_constants = true;
                    self.add_address_if(true, instruction.address.register);
                }
                VertexSourceKind::Constant => {
                    if usize::from(instruction.constant_index) < CONSTANT_SLOTS {
                        self.constants.insert(instruction.constant_index);
                    }
                }
            }
        }
        if let Some(condition) = instruction.condition {
            self.conditions |= 1 << (condition.register & 1);
        }
        if let Some(update) = instruction.condition_update {
            self.conditions |= 1 << (update.register & 1);
        }
        if let Some(output) = instruction.output {
            // Registers beyond the last are not written.
            if output.index < 16 {
                self.outputs |= 1 << output.index;
            }
            self.has_indexed_outputs |= output.is_indexed;
            self.add_address_if(output.is_indexed, instruction.address.register);
        }
        if instruction.vector == VectorOpcode::Txl {
            self.texture_units |= 1 << (instruction.texture_unit & 3);
        }
        if operations::writes_address(instruction.vector) {
            // ARA and the stack use either register; declaring both costs nothing.
            self.addresses = 3;
        } else {
            self.temporaries.extend(instruction.vector_destination);
        }
        self.temporaries.extend(instruction.scalar_destination);
        if matches!(instruction.scalar, ScalarOpcode::BraIndirect | ScalarOpcode::PushA | ScalarOpcode::PopA) {
            self.addresses = 3;
        }
    }

    fn add_address_if(&mut self, is_used: bool, register: u8) {
        if is_used {
            self.addresses |= 1 << (register & 1);
        }
    }
}

/// Which of the three sources either unit reads.
pub(super) fn read_sources(instruction: &VertexInstruction) -> [bool; 3] {
    let mut read = [false; 3];
    let vector = if instruction.vector == VectorOpcode::Ara { &[] } else { instruction.vector.row().operands };
    for operand in vector.iter().chain(instruction.scalar.row().operands) {
        match operand {
            Operand::S0 => read[0] = true,
            Operand::S1 => read[1] = true,
            Operand::S2 => read[2] = true,
        }
    }
    read
}
