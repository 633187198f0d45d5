//! Lowers NV20 vertex instructions to the machine-neutral [`VertexProgram`] that engines execute.

use super::decode::Nv20DecodeError;
use super::{MacOpcode, Nv20Instruction, Nv20Microprogram, Nv20OutputRegister, POSITION_TEMPORARY, VertexSourceKind};
use crate::isa::Operand;
use crate::shader::condition::WriteMask;
use crate::shader::vertex::{
    AddressComponent, OperationKind, VertexBundle, VertexConstantWrite, VertexOperand, VertexOperation, VertexOutput,
    VertexProgram, VertexRegister,
};

/// The output that R12 reads.
const POSITION_OUTPUT: u8 = 0;
/// A0.x, the only component of the address register.
const ADDRESS: AddressComponent = AddressComponent { register: 0, component: 0 };

impl Nv20Microprogram {
    /// The program without its encoding: one bundle per instruction.
    #[must_use]
    pub fn lower(&self) -> VertexProgram {
        VertexProgram { start: self.start, bundles: self.instructions.iter().map(Nv20Instruction::lower).collect() }
    }

    /// The program for draws, which run many vertices at once.
    ///
    /// # Errors
    /// When an instruction writes a constant: the result would depend on the order of the vertices.
    pub fn lower_for_draws(&self) -> Result<VertexProgram, Nv20DecodeError> {
        for instruction in &self.instructions {
            if let Some(Nv20OutputRegister::Constant(index)) = instruction.output.map(|output| output.register) {
                return Err(Nv20DecodeError::ConstantWrite { slot: instruction.slot, index });
            }
        }
        Ok(self.lower())
    }
}

impl Nv20Instruction {
    fn lower(&self) -> VertexBundle {
        let instruction = self.canonical();
        let (mut output, mut constant_write) = (None, None);
        if let Some(write) = instruction.output {
            let (unit, mask) = (write.unit, write.mask);
            match write.register {
                Nv20OutputRegister::Output(index) => {
                    output = Some(VertexOutput { index, relative: None, unit, mask });
                }
                // Unverified: the address register is not added to the constant that is written.
                Nv20OutputRegister::Constant(index) => {
                    constant_write = Some(VertexConstantWrite { index: u16::from(index), unit, mask });
                }
            }
        }
        VertexBundle {
            vector: instruction.mac_operation(),
            // Unverified: where both units of a pair write R1, the components of the ILU win, as in nv2a_vsh_cpu; xemu
            // drops all that the MAC writes.
            scalar: instruction.operation(
                instruction.ilu.effect(),
                instruction.ilu.row().operands,
                instruction.ilu_destination(),
                instruction.ilu_mask,
            ),
            output,
            constant_write,
            is_last: instruction.is_last,
            ..VertexBundle::idle(instruction.slot)
        }
    }

    fn mac_operation(&self) -> VertexOperation {
        let (destination, mask) = match self.mac {
            MacOpcode::Arl => (Some(ADDRESS.register), WriteMask(1)),
            _ => (self.mac_destination(), self.mac_mask),
        };
        self.operation(self.mac.effect(), self.mac.row().operands, destination, mask)
    }

    fn operation(
        &self,
        kind: OperationKind,
        operands: &[Operand],
        destination: Option<u8>,
        mask: WriteMask,
    ) -> VertexOperation {
        VertexOperation::new(kind, operands.iter().map(|operand| self.operand(*operand)), destination, mask)
    }

    /// A source with the attribute or constant that all sources of the instruction share.
    fn operand(&self, operand: Operand) -> VertexOperand {
        let source = self.sources[operand.index()];
        let register = match source.kind {
            // Unverified: the number of the register that reads the position is that of two tools for the Xbox.
            VertexSourceKind::Temporary(POSITION_TEMPORARY) => VertexRegister::Output(POSITION_OUTPUT),
            VertexSourceKind::Temporary(index) => VertexRegister::Temporary(index),
            VertexSourceKind::Input => VertexRegister::Attribute { index: self.input_index, relative: None },
            VertexSourceKind::Constant => VertexRegister::Constant {
                index: u16::from(self.constant_index),
                relative: self.is_constant_indexed.then_some(ADDRESS),
            },
        };
        VertexOperand { register, swizzle: source.swizzle, absolute: false, negate: source.negate }
    }
}

#[cfg(test)]
mod tests {
    use crate::arith::vertex_functions::{ADD_V2, ADDRESS_FLOOR_V2, RCP};
    use crate::isa::nv20_vertex::decode::Nv20DecodeError;
    use crate::isa::nv20_vertex::{MacOpcode, Nv20Field, Nv20Microprogram};
    use crate::isa::vertex_word::VertexWord;
    use crate::shader::condition::WriteMask;
    use crate::shader::vertex::{AddressComponent, OperationKind, Unit, VertexBundle, VertexRegister};

    /// ADD oT2, v11, v11 + RCP R1.x, v11.x
    const PAIR: VertexWord = VertexWord::new([0, 0x0460_161b, 0x0836_106c, 0x2078_f858]);

    fn lowered(word: VertexWord) -> VertexBundle {
        let program = Nv20Microprogram::decode(&[word.with(Nv20Field::FINAL, 1).words()], 0).unwrap();
        program.lower().bundles.remove(0)
    }

    #[test]
    fn sources_are_in_the_order_of_the_operation() {
        // ADD reads A and C.
        let pair = lowered(PAIR.with(Nv20Field::C, 1 | 9 << 2 | 1 << 14));
        assert_eq!(pair.vector.kind, OperationKind::Arithmetic(&ADD_V2));
        let registers: Vec<_> = pair.vector.read_sources().iter().map(|source| source.register).collect();
        assert_eq!(registers, [VertexRegister::Attribute { index: 11, relative: None }, VertexRegister::Temporary(9)]);
        assert_eq!(pair.scalar.kind, OperationKind::Arithmetic(&RCP));
        assert_eq!((pair.scalar.destination, pair.scalar.mask), (Some(1), WriteMask(1)));
        assert!(pair.scalar.sources[0].negate);
        let output = pair.output.unwrap();
        assert_eq!((output.index, output.unit, output.mask), (11, Unit::Vector, WriteMask::ALL));
        assert_eq!((pair.vector.destination, pair.constant_write), (None, None));
    }

    #[test]
    fn twelve_is_the_position_and_indices_add_the_address() {
        let word = PAIR.with(Nv20Field::A, 1 | 12 << 2).with(Nv20Field::C, 3);
        let pair = lowered(word.with(Nv20Field::CONST, 200).with(Nv20Field::A0X, 1));
        assert_eq!(pair.vector.sources[0].register, VertexRegister::Output(0));
        let relative = Some(AddressComponent { register: 0, component: 0 });
        assert_eq!(pair.vector.sources[1].register, VertexRegister::Constant { index: 200, relative });
    }

    #[test]
    fn arl_writes_one_component() {
        let word = PAIR.with(Nv20Field::MAC, u32::from(MacOpcode::Arl.code())).with(Nv20Field::OUT_MUX, 1);
        let pair = lowered(word.with(Nv20Field::MAC_MASK, 15));
        assert_eq!(pair.vector.kind, OperationKind::LoadAddress(&ADDRESS_FLOOR_V2));
        assert_eq!((pair.vector.destination, pair.vector.mask), (Some(0), WriteMask(1)));
        assert_eq!(pair.scalar.destination, Some(1), "ARL and an operation are a pair");
    }

    #[test]
    fn a_write_of_a_constant_is_no_output() {
        let write = lowered(PAIR.with(Nv20Field::OUT_ORB, 0).with(Nv20Field::OUT_ADDRESS, 190));
        assert!(write.output.is_none());
        let constant = write.constant_write.unwrap();
        assert_eq!((constant.index, constant.unit, constant.mask), (190, Unit::Vector, WriteMask::ALL));
        let words = PAIR.with(Nv20Field::OUT_ORB, 0).with(Nv20Field::OUT_ADDRESS, 190).with(Nv20Field::FINAL, 1);
        let error = Nv20Microprogram::decode(&[words.words()], 0).unwrap().lower_for_draws().unwrap_err();
        assert_eq!(error, Nv20DecodeError::ConstantWrite { slot: 0, index: 190 });
    }
}
