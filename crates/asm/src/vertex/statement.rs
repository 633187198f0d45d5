//! The intermediate forms of a vertex program: statements as the text has them, then operations of the chip.

use super::opcodes::Kind;
use crate::assembly::TextureTarget;
use crate::constants::ConstantSource;
use crate::diagnostic::Span;
use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use crate::labels::Labels;
use crate::operand::{self, SwizzleElement};
use crate::shader::condition::{ConditionTest, WriteMask};
use crate::shader::vertex::AddressComponent;

/// A parameter that an operand reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ParameterUse {
    /// One vector.
    Single(ConstantSource),
    /// An element of an array: address component plus offset.
    Element {
        /// Index into [`Text::arrays`].
        array: usize,
        /// What is added to the address.
        offset: i32,
        /// The address.
        address: AddressComponent,
    },
}

/// Where an operand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Register {
    /// A temporary, by number.
    Temporary(u32),
    /// A vertex attribute, relative to an address or not.
    Attribute(u8, Option<AddressComponent>),
    /// A parameter without a slot yet.
    Parameter(ParameterUse),
    /// A slot of the constant store, relative to an address or not.
    Constant(u16, Option<AddressComponent>),
}

impl Register {
    /// The address component that the register is relative to.
    pub(super) const fn address(self) -> Option<AddressComponent> {
        match self {
            Self::Attribute(_, address) | Self::Constant(_, address) => address,
            Self::Parameter(ParameterUse::Element { address, .. }) => Some(address),
            Self::Temporary(_) | Self::Parameter(ParameterUse::Single(_)) => None,
        }
    }
}

/// An operand of a vertex operation.
pub(super) type Source = operand::Source<Register>;

impl Source {
    /// The same number in all components.
    pub(super) const fn number(value: f32) -> Self {
        Self::literal([value.to_bits(); 4])
    }

    /// A vector of numbers, as bits.
    pub(super) const fn literal(bits: [u32; 4]) -> Self {
        Self::parameter(ConstantSource::Literal(bits))
    }

    /// A parameter that is one vector.
    pub(super) const fn parameter(source: ConstantSource) -> Self {
        Self::new(Register::Parameter(ParameterUse::Single(source)))
    }

    /// A temporary.
    pub(super) const fn temporary(number: u32) -> Self {
        Self::new(Register::Temporary(number))
    }
}

/// A result of the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Output {
    /// The output register.
    pub(super) register: u8,
    /// The component that holds the x of results that share their register; `None` for whole vectors.
    pub(super) component: Option<u8>,
    /// Bits of `VP_RESULT_EN`.
    pub(super) enable: u32,
    /// The address component that the register is relative to.
    pub(super) address: Option<AddressComponent>,
    /// Where the text names it first.
    pub(super) name: (usize, usize),
}

/// Where a result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Target {
    /// Only a condition register.
    Nothing,
    /// A temporary.
    Temporary(u32),
    /// A result of the program.
    Output(Output),
    /// An address register.
    Address(u8),
}

/// One statement.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    /// What it does.
    pub(super) kind: Kind,
    /// Where it is in the text.
    pub(super) span: Span,
    /// Where its result goes.
    pub(super) target: Target,
    /// Components that it writes.
    pub(super) mask: WriteMask,
    /// Predicates writes, or decides a branch.
    pub(super) condition: Option<ConditionTest>,
    /// The condition register that it writes.
    pub(super) update: Option<u8>,
    /// Clamps the result to 0..1.
    pub(super) saturate: bool,
    /// The operands.
    pub(super) sources: Vec<Source>,
    /// The elements of SWZ.
    pub(super) elements: [SwizzleElement; 4],
    /// The label that a branch or call names.
    pub(super) label: Option<(String, Span)>,
    /// The unit that a lookup names.
    pub(super) texture: u8,
    /// The address register that ARA, PUSHA and POPA name.
    pub(super) address: u8,
}

/// A whole text.
#[derive(Debug)]
pub(super) struct Text {
    /// Its statements.
    pub(super) statements: Vec<Statement>,
    /// The statement after each label.
    pub(super) labels: Labels,
    /// Temporaries are numbered below this.
    pub(super) temporaries: u32,
    /// Parameter arrays that addresses reach into.
    pub(super) arrays: Vec<Vec<ConstantSource>>,
    /// Texture units and what is bound there, in order of appearance.
    pub(super) textures: Vec<(u8, TextureTarget)>,
    /// The position is that of the fixed pipeline.
    pub(super) is_position_invariant: bool,
}

/// The operation of either unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitOperation {
    /// Of the vector unit.
    Vector(VectorOpcode),
    /// Of the scalar unit.
    Scalar(ScalarOpcode),
}

/// One operation of the chip, which will fill one slot.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    /// What it computes.
    pub(super) unit: UnitOperation,
    /// Where its result goes.
    pub(super) target: Target,
    /// Components that it writes.
    pub(super) mask: WriteMask,
    /// Predicates writes, or decides a branch.
    pub(super) condition: Option<ConditionTest>,
    /// The condition register that it writes.
    pub(super) update: Option<u8>,
    /// Clamps the result to 0..1.
    pub(super) saturate: bool,
    /// Operands in the order of the opcode's row.
    pub(super) sources: Vec<Source>,
    /// The statement that a branch or call goes to.
    pub(super) branch: Option<usize>,
    /// The texture unit of a lookup.
    pub(super) texture: u8,
    /// The address register that ARA, PUSHA and POPA name.
    pub(super) address: u8,
    /// The statement that it comes from; the number of statements for operations after the last one.
    pub(super) statement: usize,
}

impl Operation {
    /// An unconditional operation.
    pub(super) const fn new(
        unit: UnitOperation,
        target: Target,
        mask: WriteMask,
        sources: Vec<Source>,
        statement: usize,
    ) -> Self {
        Self {
            unit,
            target,
            mask,
            condition: None,
            update: None,
            saturate: false,
            sources,
            branch: None,
            texture: 0,
            address: 0,
            statement,
        }
    }

    /// Gives every temporary another number.
    pub(super) fn rename_temporaries(&mut self, new: impl Fn(u32) -> u32) {
        if let Target::Temporary(number) = &mut self.target {
            *number = new(*number);
        }
        for source in &mut self.sources {
            if let Register::Temporary(number) = &mut source.register {
                *number = new(*number);
            }
        }
    }

    /// The positions of each operand's swizzle that the result depends on.
    pub(super) const fn reads(&self) -> [WriteMask; 3] {
        let all = match self.unit {
            UnitOperation::Vector(VectorOpcode::Dp3) => WriteMask(7),
            UnitOperation::Vector(VectorOpcode::Dph) => return [WriteMask(7), WriteMask::ALL, WriteMask::ALL],
            UnitOperation::Vector(VectorOpcode::Dp4 | VectorOpcode::Dst | VectorOpcode::Txl) => WriteMask::ALL,
            UnitOperation::Vector(_) | UnitOperation::Scalar(ScalarOpcode::Mov) => self.mask,
            UnitOperation::Scalar(ScalarOpcode::Lit) => WriteMask::ALL,
            UnitOperation::Scalar(_) => WriteMask(1),
        };
        [all; 3]
    }
}

/// Operations in the order of their slots, with the places that branches go to.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) operations: Vec<Operation>,
    /// The operation that each branch or call goes to.
    pub(super) targets: Vec<Option<usize>>,
    /// The operation with which execution starts.
    pub(super) start: usize,
}
