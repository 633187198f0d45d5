//! The intermediate form of a fragment program: the chip's opcodes over virtual registers.

use crate::arith::Precision;
use crate::constants::ConstantSource;
use crate::diagnostic::Span;
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::operand;
use crate::shader::condition::{ConditionTest, WriteMask};
use crate::shader::fragment::{FragmentInput, FragmentRegister};

/// How a result is clamped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clamp {
    None,
    /// To 0..1.
    Unsigned,
    /// To −1..1.
    Signed,
}

/// A register by its index in [`FragmentCode::registers`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Register(pub(super) u32);

/// What is known about a register before allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RegisterRow {
    /// Half precision.
    pub(super) is_half: bool,
    /// The place of a result.
    pub(super) place: Option<FragmentRegister>,
}

/// An interpolant, and if it is indexed, the displacement after `A0.x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InputRead {
    pub(super) input: FragmentInput,
    pub(super) displacement: Option<i16>,
}

/// Where an operand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceKind {
    Register(Register),
    Input(InputRead),
    Constant(ConstantSource),
}

/// An operand of a fragment instruction.
pub(super) type Source = operand::Source<SourceKind>;

impl Source {
    pub(super) const fn of_register(register: Register) -> Self {
        Self::new(SourceKind::Register(register))
    }

    pub(super) const fn literal(value: [u32; 4]) -> Self {
        Self::new(SourceKind::Constant(ConstantSource::Literal(value)))
    }
}

/// One instruction of the chip that is not flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) opcode: FragmentOpcode,
    /// `None`: only the condition register is written.
    pub(super) destination: Option<Register>,
    pub(super) mask: WriteMask,
    pub(super) condition_update: Option<u8>,
    pub(super) condition: ConditionTest,
    pub(super) precision: Precision,
    pub(super) saturate: bool,
    pub(super) texture_unit: u8,
    pub(super) sources: Vec<Source>,
    /// Per source, the positions of its swizzle that the result depends on.
    pub(super) reads: [WriteMask; 3],
    /// The statement that it comes from.
    pub(super) span: Span,
}

/// One step of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Instruction(Instruction),
    If { condition: ConditionTest, then: Vec<Self>, otherwise: Vec<Self> },
    Loop { parameters: ConstantSource, has_index: bool, body: Vec<Self> },
    Call { condition: ConditionTest, routine: usize },
    Break { condition: ConditionTest },
    Return { condition: ConditionTest },
}

/// A whole program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FragmentCode {
    pub(super) registers: Vec<RegisterRow>,
    pub(super) body: Vec<Node>,
    pub(super) routines: Vec<Vec<Node>>,
}

impl FragmentCode {
    /// A new register.
    pub(super) fn register(&mut self, row: RegisterRow) -> Register {
        self.registers.push(row);
        Register(u32::try_from(self.registers.len() - 1).expect("texts are short"))
    }

    /// What is known about a register.
    pub(super) fn row(&self, register: Register) -> &RegisterRow {
        &self.registers[register.0 as usize]
    }
}
