//! Vertex programs as typed values: the operations that a vertex processor issues together, without opcodes or
//! encodings.
//!
//! Every instruction set lowers to this form. A bundle is one instruction of the store: it issues an operation of the
//! vector unit and one of the scalar unit, which both read all their sources before either writes.

use super::condition::{ConditionTest, Swizzle, WriteMask};
use crate::arith::ONE;
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

/// The constants that [`VertexRegister::WrappedConstant`] reaches.
pub const WRAPPED_CONSTANTS: u16 = 96;

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
    /// The constant that one of the operations writes, which only state programs do.
    pub constant_write: Option<VertexConstantWrite>,
    /// What it does to the emitted vertices once its results are written, regardless of the condition; only in geometry
    /// shaders.
    pub emission: Option<Emission>,
    /// How execution leaves the bundle, other than to the next slot.
    pub flow: Option<VertexFlow>,
    /// Whether this is the last bundle.
    pub is_last: bool,
}

/// What one unit computes, and its destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexOperation {
    /// The operation.
    pub kind: OperationKind,
    /// The sources in the operation's order; those beyond [`OperationKind::source_count`] are
    /// [`VertexOperand::UNREAD`].
    pub sources: [VertexOperand; 3],
    /// The temporary that is written, or the address register if [`OperationKind::writes_address`] holds.
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
    /// A function of the sources.
    Arithmetic(&'static VertexFunction),
    /// Converts to integers for an address register.
    LoadAddress(&'static AddressFunction),
    /// (x+z, y+w, x+z, y+w) of an address register, written to an address register.
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
    /// The operation that does nothing.
    pub const IDLE: Self =
        Self { kind: OperationKind::Idle, sources: [VertexOperand::UNREAD; 3], destination: None, mask: WriteMask(0) };

    /// An operation that reads these sources, in its order.
    #[must_use]
    pub fn new(
        kind: OperationKind,
        read: impl IntoIterator<Item = VertexOperand>,
        destination: Option<u8>,
        mask: WriteMask,
    ) -> Self {
        let mut sources = [VertexOperand::UNREAD; 3];
        for (source, operand) in sources.iter_mut().zip(read) {
            *source = operand;
        }
        Self { kind, sources, destination, mask }
    }

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
    /// The component that each component reads.
    pub swizzle: Swizzle,
    /// Takes the magnitude.
    pub absolute: bool,
    /// Changes the sign.
    pub negate: bool,
}

impl VertexOperand {
    /// Zero: a constant beyond the store.
    pub const ZERO: Self =
        Self { register: VertexRegister::Constant { index: u16::MAX, relative: None }, ..Self::UNREAD };
    /// The placeholder for an operand that is not read.
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
        /// The address added to the number.
        relative: Option<AddressComponent>,
    },
    /// A vector of the constant store.
    Constant {
        /// Its number.
        index: u16,
        /// The address added to the number; sums outside of the draw's limits and of the store read zero.
        relative: Option<AddressComponent>,
    },
    /// A vector of the constant store whose number wraps at 128.
    ///
    /// Source: tests on the PICA200, which azahar's `tests/video_core/shader.cpp` repeats.
    WrappedConstant {
        /// Its number.
        index: u8,
        /// The address added to the number; one of more than eight bits counts as 0, and sums from
        /// [`WRAPPED_CONSTANTS`] on read one.
        address: AddressComponent,
    },
    /// An output register, read back.
    Output(u8),
}

impl VertexRegister {
    /// The address register component added to the number.
    #[must_use]
    pub const fn relative(self) -> Option<AddressComponent> {
        match self {
            Self::Temporary(_) | Self::Output(_) => None,
            Self::Attribute { relative, .. } | Self::Constant { relative, .. } => relative,
            Self::WrappedConstant { address, .. } => Some(address),
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
    /// The unit whose result is compared with zero; `None` for both, each in the components that it writes.
    pub unit: Option<Unit>,
}

/// A write of an output register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexOutput {
    /// The output register; those beyond 15 are not written.
    pub index: u8,
    /// The address added to the number.
    pub relative: Option<AddressComponent>,
    /// The unit whose result is written.
    pub unit: Unit,
    /// Components that are written.
    pub mask: WriteMask,
}

/// A write of a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexConstantWrite {
    /// The constant; those beyond the store are not written.
    pub index: u16,
    /// The unit whose result is written.
    pub unit: Unit,
    /// Components that are written.
    pub mask: WriteMask,
}

/// What an output register holds before a program writes it: (0, 0, 0, 1).
pub const UNWRITTEN_OUTPUT: [u32; 4] = [0, 0, 0, ONE];
/// Slots for the vertices of the triangle that a geometry shader emits next.
pub const EMISSION_SLOTS: usize = 3;
/// Triangles of one invocation of a geometry shader that are kept; further ones are counted only. A loop repeats at most
/// 256 times, so that one of a triangle per repetition fits.
// Unverified: a limit of the hardware.
pub const KEPT_TRIANGLES: u32 = 256;

/// An operation on the vertices that a geometry shader emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Emission {
    /// Selects what [`Self::Emit`] does from now on.
    Select(EmissionTarget),
    /// Copies the output registers to the selected slot, completes a triangle of all slots if that is selected, and
    /// exchanges the output registers for those of the other bank.
    ///
    /// Source: tests on the PICA200 by azahar, whose `video_core/pica/shader_unit.h` describes the banks: a register that
    /// is not written between two emissions has the value that it had two emissions ago.
    Emit,
}

/// Where a geometry shader emits vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct EmissionTarget {
    /// The slot. Vertices for slots from [`EMISSION_SLOTS`] on are lost.
    pub vertex: u8,
    /// Whether the vertex completes a triangle.
    pub completes_triangle: bool,
    /// Whether that triangle has the vertices of slots 0 and 1 exchanged.
    pub is_inverted: bool,
}

/// A branch, call or return, or an operation on their stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VertexFlow {
    /// The effect if it is taken.
    pub action: FlowAction,
    /// The test that decides whether it is taken.
    pub test: FlowTest,
}

/// The effect of flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowAction {
    /// Continues at a slot.
    Branch {
        /// The slot.
        target: u16,
    },
    /// Continues at the slot in an address register.
    BranchToAddress(AddressComponent),
    /// Pushes the next slot and continues at a slot.
    Call {
        /// The slot.
        target: u16,
    },
    /// Pops a slot and continues there.
    Return,
    /// Pushes an address register, regardless of the test.
    PushAddress {
        /// 0 for A0, 1 for A1.
        register: u8,
    },
    /// Pops an address register, regardless of the test.
    PopAddress {
        /// 0 for A0, 1 for A1.
        register: u8,
    },
    /// Opens a scope that continues at `end` when execution passes the slot before `or_else`. If the test fails,
    /// continues at `or_else` instead.
    If {
        /// The first slot of the other side.
        or_else: u16,
        /// The first slot after both sides.
        end: u16,
    },
    /// Opens a scope that continues at the next slot when execution passes the slot before `end`, and continues at a
    /// slot.
    CallUntil {
        /// The slot.
        target: u16,
        /// The first slot after the called ones.
        end: u16,
    },
    /// Opens a scope that repeats from the next slot when execution passes the slot before `end`, regardless of the
    /// test.
    Loop {
        /// The constant whose x is the number of repetitions, y the first value of the loop counter and z what each
        /// repetition adds to it, as integers of 8 bits.
        parameters: u16,
        /// The first slot after the repeated ones.
        end: u16,
    },
    /// Closes the innermost loop and continues at its end.
    Break,
}

/// The test that decides whether flow is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowTest {
    /// Passes if the bundle's condition passes in any component.
    Condition,
    /// Passes if a boolean constant has a value.
    Boolean {
        /// The boolean.
        index: u8,
        /// The value that passes.
        value: bool,
    },
    /// Passes if components x and y of condition register 0 have these values, where 0 is false and the rest is true.
    Flags {
        /// The value of x; `None` if it is not tested.
        x: Option<bool>,
        /// The value of y; `None` if it is not tested.
        y: Option<bool>,
        /// Whether both must have their value, or one is enough.
        needs_both: bool,
    },
}

/// The address component that holds the counter of the innermost loop.
pub const LOOP_COUNTER: AddressComponent = AddressComponent { register: 1, component: 0 };

impl ConditionUpdate {
    /// Whether the result of a unit is compared with zero.
    #[must_use]
    pub fn takes(self, unit: Unit) -> bool {
        self.unit.is_none_or(|own| own == unit)
    }
}

impl VertexBundle {
    /// The bundle that does nothing.
    #[must_use]
    pub const fn idle(slot: u16) -> Self {
        Self {
            slot,
            vector: VertexOperation::IDLE,
            scalar: VertexOperation::IDLE,
            condition: None,
            condition_update: None,
            saturate: false,
            output: None,
            constant_write: None,
            emission: None,
            flow: None,
            is_last: false,
        }
    }

    /// Both operations, the vector unit's first.
    #[must_use]
    pub const fn operations(&self) -> [&VertexOperation; 2] {
        [&self.vector, &self.scalar]
    }

    /// Whether it emits a vertex.
    #[must_use]
    pub const fn emits_vertex(&self) -> bool {
        matches!(self.emission, Some(Emission::Emit))
    }

    /// Components of the vector unit's result that any register receives.
    #[must_use]
    pub fn vector_components(&self) -> WriteMask {
        let output = self.output.filter(|output| output.unit == Unit::Vector);
        let constant = self.constant_write.filter(|write| write.unit == Unit::Vector);
        let masks = [output.map(|output| output.mask), constant.map(|write| write.mask)];
        WriteMask(masks.into_iter().flatten().fold(self.vector.mask.0, |mask, written| mask | written.0))
    }

    /// The target slot, if it is fixed.
    #[must_use]
    pub const fn target(&self) -> Option<u16> {
        match self.flow {
            Some(VertexFlow {
                action:
                    FlowAction::Branch { target } | FlowAction::Call { target } | FlowAction::CallUntil { target, .. },
                ..
            }) => Some(target),
            Some(VertexFlow { action: FlowAction::If { or_else, .. }, .. }) => Some(or_else),
            _ => None,
        }
    }

    /// The slot that execution passes when the scope that this bundle opens ends.
    #[must_use]
    pub const fn scope_end(&self) -> Option<u16> {
        match self.flow {
            Some(VertexFlow { action: FlowAction::If { or_else: end, .. }, .. })
            | Some(VertexFlow { action: FlowAction::CallUntil { end, .. } | FlowAction::Loop { end, .. }, .. }) => {
                Some(end)
            }
            _ => None,
        }
    }
}

impl VertexProgram {
    /// Whether a bundle can execute twice other than through calls.
    #[must_use]
    pub fn can_loop(&self) -> bool {
        self.branches_to_addresses()
            || self
                .bundles
                .iter()
                .any(|bundle| matches!(bundle.flow, Some(VertexFlow { action: FlowAction::Loop { .. }, .. })))
            || self.bundles.iter().any(|from| from.target().is_some_and(|target| target <= from.slot))
    }

    /// Whether it emits vertices, as geometry shaders do.
    #[must_use]
    pub fn emits(&self) -> bool {
        self.bundles.iter().any(|bundle| bundle.emission.is_some())
    }

    /// Whether a branch takes its target from an address register, so that any slot may be a target.
    #[must_use]
    pub fn branches_to_addresses(&self) -> bool {
        let action = |bundle: &VertexBundle| bundle.flow.map(|flow| flow.action);
        self.bundles.iter().any(|bundle| matches!(action(bundle), Some(FlowAction::BranchToAddress(_))))
    }
}
