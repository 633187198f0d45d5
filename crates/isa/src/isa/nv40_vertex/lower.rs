//! Lowers NV40 vertex instructions to the machine-neutral [`VertexProgram`] that engines execute.

use super::{Effect, FlowKind, VertexInstruction, VertexMicroprogram, VertexSourceKind};
use crate::isa::{OpcodeRow, Operand};
use crate::shader::condition::WriteMask;
use crate::shader::vertex::{
    AddressComponent, FlowAction, FlowTest, OperationKind, Unit, VertexBundle, VertexFlow, VertexOperand,
    VertexOperation, VertexOutput, VertexProgram, VertexRegister,
};

impl VertexMicroprogram {
    /// The program without its encoding: one bundle per instruction.
    #[must_use]
    pub fn lower(&self) -> VertexProgram {
        VertexProgram { start: self.start, bundles: self.instructions.iter().map(VertexInstruction::lower).collect() }
    }
}

impl VertexInstruction {
    fn lower(&self) -> VertexBundle {
        let output = self.output.map(|output| VertexOutput {
            index: output.index,
            relative: self.relative(output.is_indexed),
            unit: output.unit,
            mask: match output.unit {
                Unit::Vector => self.vector_mask,
                Unit::Scalar => self.scalar_mask,
            },
        });
        VertexBundle {
            slot: self.slot,
            vector: self.operation(
                (self.vector.effect(), self.vector.row()),
                self.vector_destination,
                self.vector_mask,
            ),
            scalar: self.operation(
                (self.scalar.effect(), self.scalar.row()),
                self.scalar_destination,
                self.scalar_mask,
            ),
            condition: self.condition,
            condition_update: self.condition_update,
            saturate: self.saturate,
            output,
            constant_write: None,
            emission: None,
            flow: self.flow().map(|kind| self.lower_flow(kind)),
            is_last: self.is_last,
        }
    }

    fn operation(
        &self,
        (effect, row): (Effect, &OpcodeRow),
        destination: Option<u8>,
        mask: WriteMask,
    ) -> VertexOperation {
        let kind = match effect {
            Effect::None | Effect::Flow(_) => OperationKind::Idle,
            Effect::Move => OperationKind::Move,
            Effect::Constant(bits) => OperationKind::Constant(bits),
            Effect::Arithmetic(function) => OperationKind::Arithmetic(function),
            Effect::LoadAddress(function) => OperationKind::LoadAddress(function),
            Effect::AddAddress => OperationKind::AddAddress { register: self.address.register & 1 },
            Effect::FetchTexture => OperationKind::FetchTexture { unit: self.texture_unit & 3 },
        };
        let read = row.operands.iter().take(kind.source_count());
        VertexOperation::new(kind, read.map(|operand| self.operand(*operand)), destination, mask)
    }

    /// A source with the attribute or constant that all sources of the instruction share.
    fn operand(&self, operand: Operand) -> VertexOperand {
        let source = self.sources[operand.index()];
        let register = match source.kind {
            VertexSourceKind::Temporary(index) => VertexRegister::Temporary(index),
            VertexSourceKind::Input => {
                VertexRegister::Attribute { index: self.input_index, relative: self.relative(self.is_input_indexed) }
            }
            VertexSourceKind::Constant => VertexRegister::Constant {
                index: self.constant_index,
                relative: self.relative(self.is_constant_indexed),
            },
        };
        VertexOperand { register, swizzle: source.swizzle, absolute: source.absolute, negate: source.negate }
    }

    fn relative(&self, is_indexed: bool) -> Option<AddressComponent> {
        is_indexed.then_some(self.address)
    }

    fn lower_flow(&self, kind: FlowKind) -> VertexFlow {
        let target = self.branch.target;
        // Unverified: PUSHA and POPA name their register in the vector destination and ignore the condition.
        let register = self.vector_destination.unwrap_or(self.address.register) & 1;
        // Unverified: only the boolean decides; the condition field has no effect.
        let boolean = FlowTest::Boolean { index: self.branch.boolean & 31, value: self.branch.polarity };
        let (action, test) = match kind {
            FlowKind::Branch => (FlowAction::Branch { target }, FlowTest::Condition),
            FlowKind::BranchOnBoolean => (FlowAction::Branch { target }, boolean),
            // Unverified: the component holds a slot, as in RPCS3; a slot that does not exist ends the program.
            FlowKind::BranchToAddress => (FlowAction::BranchToAddress(self.address), FlowTest::Condition),
            FlowKind::Call => (FlowAction::Call { target }, FlowTest::Condition),
            FlowKind::CallOnBoolean => (FlowAction::Call { target }, boolean),
            FlowKind::Return => (FlowAction::Return, FlowTest::Condition),
            FlowKind::PushAddress => (FlowAction::PushAddress { register }, FlowTest::Condition),
            FlowKind::PopAddress => (FlowAction::PopAddress { register }, FlowTest::Condition),
        };
        VertexFlow { action, test }
    }
}

#[cfg(test)]
mod tests {
    use crate::arith::vertex_functions;
    use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField, VertexMicroprogram, VertexWord};
    use crate::isa::test_words::{VERTEX_NOP, vertex_source};
    use crate::shader::vertex::{AddressComponent, OperationKind, VertexBundle, VertexRegister};

    fn lowered(word: VertexWord) -> VertexBundle {
        let program = VertexMicroprogram::decode(&[word.with(VertexField::END, 1).words()], 0).unwrap();
        program.lower().bundles.remove(0)
    }

    fn operation(opcode: VectorOpcode) -> VertexWord {
        VERTEX_NOP.with(VertexField::OP_VEC, u32::from(opcode.code()))
    }

    #[test]
    fn sources_are_in_the_order_of_the_operation() {
        // ADD reads sources 0 and 2 of the encoding.
        let word = operation(VectorOpcode::Add)
            .with(VertexField::SRC0, vertex_source(1, 4, [0, 1, 2, 3]))
            .with(VertexField::SRC2, vertex_source(1, 9, [0, 1, 2, 3]));
        let add = lowered(word).vector;
        assert_eq!(add.kind, OperationKind::Arithmetic(&vertex_functions::ADD));
        let registers: Vec<_> = add.read_sources().iter().map(|source| source.register).collect();
        assert_eq!(registers, [VertexRegister::Temporary(4), VertexRegister::Temporary(9)]);
    }

    #[test]
    fn operands_carry_the_index_that_their_instruction_shares() {
        let word = operation(VectorOpcode::Mov)
            .with(VertexField::SRC0, vertex_source(3, 0, [0, 1, 2, 3]))
            .with(VertexField::CONST_ADDR, 77)
            .with(VertexField::CONST_INDEXED, 1)
            .with(VertexField::ADDR_SEL, 1)
            .with(VertexField::ADDR_SWZ, 2);
        let relative = Some(AddressComponent { register: 1, component: 2 });
        assert_eq!(lowered(word).vector.sources[0].register, VertexRegister::Constant { index: 77, relative });
    }

    #[test]
    fn flow_is_no_operation_of_the_scalar_unit() {
        let bundle = lowered(VERTEX_NOP.with(VertexField::OP_SCA, u32::from(ScalarOpcode::Ret.code())));
        assert_eq!(bundle.scalar.kind, OperationKind::Idle);
        assert!(bundle.flow.is_some());
    }
}
