//! Instructions of the NV40 vertex processor by their fields: the result of decoding, and the input of encoding.

use super::{Effect, FlowKind, ScalarOpcode, VectorOpcode};
use crate::isa::Operand;
use crate::isa::vertex_word::VertexSourceKind;
use crate::shader::condition::{ConditionTest, Swizzle, WriteMask};
use crate::shader::vertex::{AddressComponent, ConditionUpdate, Unit};

/// A decoded program: the reachable instructions of the store from slot 0 on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VertexMicroprogram {
    /// The slot at which execution starts.
    pub start: u16,
    /// Reachable instructions, in slot order.
    pub instructions: Vec<VertexInstruction>,
}

/// One 128-bit instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VertexInstruction {
    /// Its slot in the instruction store.
    pub slot: u16,
    /// The vector operation.
    pub vector: VectorOpcode,
    /// The scalar operation.
    pub scalar: ScalarOpcode,
    /// Sources 0, 1, 2.
    pub sources: [VertexSource; 3],
    /// The attribute that input sources read.
    pub input_index: u8,
    /// Whether the address register is added to the attribute index.
    pub is_input_indexed: bool,
    /// The constant that constant sources read.
    pub constant_index: u16,
    /// Whether the address register is added to the constant index.
    pub is_constant_indexed: bool,
    /// The address register component that indexed operands add.
    pub address: AddressComponent,
    /// The test that predicates writes and decides branches; `None` when bit `COND_TEST` is clear.
    pub condition: Option<ConditionTest>,
    /// Which condition register is updated, and from which unit's result.
    pub condition_update: Option<ConditionUpdate>,
    /// Whether results are clamped to 0..1.
    pub saturate: bool,
    /// Components that the vector operation writes.
    pub vector_mask: WriteMask,
    /// Components that the scalar operation writes.
    pub scalar_mask: WriteMask,
    /// The temporary (or address register for ARL, ARR, ARA, …) that the vector operation writes.
    pub vector_destination: Option<u8>,
    /// The temporary that the scalar operation writes.
    pub scalar_destination: Option<u8>,
    /// The output register that one of the operations writes.
    pub output: Option<OutputWrite>,
    /// Target, boolean index and polarity, for the branch operations.
    pub branch: Branch,
    /// The vertex texture unit of TXL.
    pub texture_unit: u8,
    /// Whether this is the last instruction.
    pub is_last: bool,
}

/// A source operand: swizzle, then absolute value, then negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexSource {
    /// The register file and index.
    pub kind: VertexSourceKind,
    /// The component that each component reads.
    pub swizzle: Swizzle,
    /// Takes the magnitude.
    pub absolute: bool,
    /// Changes the sign.
    pub negate: bool,
}

/// A write of an output register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutputWrite {
    /// The output register, 0..15.
    pub index: u8,
    /// Whether the address register is added to the index.
    pub is_indexed: bool,
    /// The unit whose result is written.
    pub unit: Unit,
}

/// The operands of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Branch {
    /// The target slot.
    pub target: u16,
    /// The boolean constant that BRB and CLB test.
    pub boolean: u8,
    /// The value of the boolean that takes the branch.
    pub polarity: bool,
}

impl VertexMicroprogram {
    /// Whether a branch takes its target from an address register, so that any slot may be a target.
    #[must_use]
    pub fn branches_to_addresses(&self) -> bool {
        self.instructions.iter().any(|instruction| instruction.flow() == Some(FlowKind::BranchToAddress))
    }
}

impl VertexInstruction {
    /// The flow of the scalar operation.
    #[must_use]
    pub const fn flow(&self) -> Option<FlowKind> {
        match self.scalar.effect() {
            Effect::Flow(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether the scalar operation names a target slot.
    #[must_use]
    pub const fn has_target(&self) -> bool {
        matches!(
            self.flow(),
            Some(FlowKind::Branch | FlowKind::BranchOnBoolean | FlowKind::Call | FlowKind::CallOnBoolean)
        )
    }

    /// Whether an operation of this instruction reads a source.
    #[must_use]
    pub fn reads(&self, operand: Operand) -> bool {
        self.vector.row().operands.contains(&operand) || self.scalar.row().operands.contains(&operand)
    }
}
