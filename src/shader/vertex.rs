//! Vertex programs as typed values: the operations that a vertex processor issues together, without opcodes or encodings.
//!
//! Every instruction set lowers to this form. A bundle is one instruction of the store: it issues an operation of the
//! vector unit and one of the scalar unit, which both read all their sources before either writes.

use super::condition::{ConditionTest, Swizzle, WriteMask};
use crate::arith::vertex_functions::{AddressFunction, VertexFunction};

/// Slots in the instruction store of the vertex processor.
pub const INSTRUCTION_SLOTS: usize = 544;
/// Vectors in the constant store of the vertex processor.
pub const CONSTANT_SLOTS: usize = 544;
/// The last constant of the store.
pub const LAST_CONSTANT: u16 = 543;
const _: () = assert!(LAST_CONSTANT as usize + 1 == CONSTANT_SLOTS);

/// A program: the bundles that execution can reach.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VertexProgram {
    /// The slot at which execution starts.
    pub start: u16,
    /// Reachable bundles, in slot order.
    pub bundles: Vec<VertexBundle>,
}

/// The operations that one instruction issues.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VertexBundle {
    /// Its slot in the instruction store.
    pub slot: u16,
    /// The operation of the vector unit.
    pub vector: VertexOperation,
    /// The operation of the scalar unit.
    pub scalar: VertexOperation,
    /// The test that predicates writes and decides flow.
    pub condition: Option<ConditionTest>,
    /// Which condition register is updated, and from which unit's result.
    pub condition_update: Option<ConditionUpdate>,
    /// Whether results are clamped to 0..1.
    pub saturate: bool,
    /// The output register that one of the operations writes.
    pub output: Option<VertexOutput>,
    /// How execution leaves the bundle, other than to the next slot.
    pub flow: Option<VertexFlow>,
    /// Whether this is the last bundle.
    pub is_last: bool,
}

/// What one unit computes, and where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexOperation {
    /// What is computed.
    pub kind: OperationKind,
    /// The sources in the operation's order; those beyond [`OperationKind::source_count`] are [`VertexOperand::UNREAD`].
    pub sources: [VertexOperand; 3],
    /// The temporary that is written, or the address register where [`OperationKind::writes_address`] holds.
    pub destination: Option<u8>,
    /// Components of the destination, and of a condition register that takes the result, that are written.
    pub mask: WriteMask,
}

/// What an operation computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// Nothing.
    Idle,
    /// The source.
    Move,
    /// These bits in every component.
    Constant(u32),
    /// A function of its sources.
    Arithmetic(&'static VertexFunction),
    /// Integers for an address register.
    LoadAddress(&'static AddressFunction),
    /// (x+z, y+w, x+z, y+w) of an address register, for an address register.
    AddAddress {
        /// The register that is read.
        register: u8,
    },
    /// A texel at the source's coordinate and level of detail.
    FetchTexture {
        /// The vertex texture unit.
        unit: u8,
    },
}

impl OperationKind {
    /// How many sources are read.
    #[must_use]
    pub const fn source_count(self) -> usize {
        match self {
            Self::Idle | Self::Constant(_) | Self::AddAddress { .. } => 0,
            Self::Move | Self::LoadAddress(_) | Self::FetchTexture { .. } => 1,
            Self::Arithmetic(function) => function.source_count(),
        }
    }

    /// Whether the destination is an address register.
    #[must_use]
    pub const fn writes_address(self) -> bool {
        matches!(self, Self::LoadAddress(_) | Self::AddAddress { .. })
    }
}

impl VertexOperation {
    /// The sources that are read.
    #[must_use]
    pub fn read_sources(&self) -> &[VertexOperand] {
        &self.sources[..self.kind.source_count()]
    }
}

/// A source operand: swizzle, then absolute value, then negation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexOperand {
    /// The register.
    pub register: VertexRegister,
    /// Which component each component reads.
    pub swizzle: Swizzle,
    /// Takes the magnitude.
    pub absolute: bool,
    /// Changes the sign.
    pub negate: bool,
}

impl VertexOperand {
    /// A place that no operation reads.
    pub const UNREAD: Self = Self {
        register: VertexRegister::Attribute { index: 0, relative: None },
        swizzle: Swizzle::IDENTITY,
        absolute: false,
        negate: false,
    };
}

/// A register that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VertexRegister {
    /// A temporary.
    Temporary(u8),
    /// A vertex attribute.
    Attribute {
        /// Its number.
        index: u8,
        /// What is added to the number.
        relative: Option<AddressComponent>,
    },
    /// A vector of the constant store.
    Constant {
        /// Its number.
        index: u16,
        /// What is added to the number.
        relative: Option<AddressComponent>,
    },
}

impl VertexRegister {
    /// The address register component that is added to the number.
    #[must_use]
    pub const fn relative(self) -> Option<AddressComponent> {
        match self {
            Self::Temporary(_) => None,
            Self::Attribute { relative, .. } | Self::Constant { relative, .. } => relative,
        }
    }
}

/// One component of one of the two address registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressComponent {
    /// 0 for A0, 1 for A1.
    pub register: u8,
    /// 0 x … 3 w.
    pub component: u8,
}

/// The unit whose result is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The vector unit.
    Vector,
    /// The scalar unit.
    Scalar,
}

/// A write of a condition register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConditionUpdate {
    /// 0 for CC0, 1 for CC1.
    pub register: u8,
    /// The unit whose result is compared with zero.
    pub unit: Unit,
}

/// A write of an output register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexOutput {
    /// The output register; those beyond 15 are not written.
    pub index: u8,
    /// What is added to the number.
    pub relative: Option<AddressComponent>,
    /// The unit whose result is written.
    pub unit: Unit,
    /// Components that are written.
    pub mask: WriteMask,
}

/// A branch, call or return, or an operation of their stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexFlow {
    /// What happens when it is taken.
    pub action: FlowAction,
    /// What decides whether it is taken.
    pub test: FlowTest,
}

/// What flow does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowAction {
    /// Goes to a slot.
    Branch {
        /// The slot.
        target: u16,
    },
    /// Goes to the slot that an address register holds.
    BranchToAddress(AddressComponent),
    /// Pushes the next slot and goes to a slot.
    Call {
        /// The slot.
        target: u16,
    },
    /// Pops the slot to go to.
    Return,
    /// Pushes an address register, whatever the test says.
    PushAddress {
        /// 0 for A0, 1 for A1.
        register: u8,
    },
    /// Pops an address register, whatever the test says.
    PopAddress {
        /// 0 for A0, 1 for A1.
        register: u8,
    },
}

/// What decides whether flow is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowTest {
    /// The bundle's condition passes in any component.
    Condition,
    /// A boolean constant has a value.
    Boolean {
        /// The boolean.
        index: u8,
        /// The value that takes the branch.
        value: bool,
    },
}

impl VertexBundle {
    /// Both operations, the vector unit's first.
    #[must_use]
    pub const fn operations(&self) -> [&VertexOperation; 2] {
        [&self.vector, &self.scalar]
    }

    /// Components of the vector unit's result that any register takes.
    #[must_use]
    pub fn vector_components(&self) -> WriteMask {
        let output = self.output.filter(|output| output.unit == Unit::Vector);
        WriteMask(self.vector.mask.0 | output.map_or(0, |output| output.mask.0))
    }

    /// The slot that flow names.
    #[must_use]
    pub const fn target(&self) -> Option<u16> {
        match self.flow {
            Some(VertexFlow { action: FlowAction::Branch { target } | FlowAction::Call { target }, .. }) => {
                Some(target)
            }
            _ => None,
        }
    }
}

impl VertexProgram {
    /// Whether execution can come to a bundle twice, other than by calls.
    #[must_use]
    pub fn can_loop(&self) -> bool {
        self.branches_to_addresses()
            || self.bundles.iter().any(|from| from.target().is_some_and(|target| target <= from.slot))
    }

    /// Whether a branch takes its target from an address register, so that any slot may be one.
    #[must_use]
    pub fn branches_to_addresses(&self) -> bool {
        let action = |bundle: &VertexBundle| bundle.flow.map(|flow| flow.action);
        self.bundles.iter().any(|bundle| matches!(action(bundle), Some(FlowAction::BranchToAddress(_))))
    }
}
