//! A fragment program between its text and microcode: the chip's opcodes over registers that are not yet allocated.

use crate::arith::Precision;
use crate::asm::constants::ConstantSource;
use crate::asm::diagnostic::Span;
use crate::isa::nv40_fragment::FragmentOpcode;
use crate::shader::condition::{ConditionTest, Swizzle, WriteMask};
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

/// What is known about a register before it has a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RegisterRow {
    /// Half precision.
    pub(super) is_half: bool,
    /// The place of a result.
    pub(super) place: Option<FragmentRegister>,
}

/// An interpolant, with the displacement behind `A0.x` where it is indexed.
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

/// An operand: swizzle, magnitude, sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) kind: SourceKind,
    pub(super) swizzle: Swizzle,
    pub(super) absolute: bool,
    pub(super) negate: bool,
}

impl Source {
    pub(super) const fn new(kind: SourceKind) -> Self {
        Self { kind, swizzle: Swizzle::IDENTITY, absolute: false, negate: false }
    }

    pub(super) const fn register(register: Register) -> Self {
        Self::new(SourceKind::Register(register))
    }

    pub(super) const fn literal(value: [u32; 4]) -> Self {
        Self::new(SourceKind::Constant(ConstantSource::Literal(value)))
    }

    /// The operand whose components are those of `self` that `outer` selects.
    pub(super) fn swizzled(self, outer: [u8; 4]) -> Self {
        Self { swizzle: Swizzle(outer.map(|component| self.swizzle.0[usize::from(component & 3)])), ..self }
    }

    /// One component of `self` everywhere.
    pub(super) fn splat(self, component: u8) -> Self {
        self.swizzled([component; 4])
    }

    /// The operand with the other sign.
    pub(super) const fn negated(self) -> Self {
        Self { negate: !self.negate, ..self }
    }

    /// The components of the register or constant that are read when the components of `mask` are used.
    pub(super) fn components(self, mask: WriteMask) -> WriteMask {
        let used = (0..4).filter(|&position| mask.has(position));
        WriteMask(used.fold(0, |found, position| found | 1 << self.swizzle.0[position]))
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
    Loop { parameters: ConstantSource, has_index: bool, body: Vec<Self>, id: usize },
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
    /// How many loops there are; each has its number.
    pub(super) loops: usize,
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
