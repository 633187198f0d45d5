//! Instructions of the PICA200 shader processor by their meaning: the result of decoding, and the input of encoding.
//!
//! An instruction has its operands in the order of the operation. Which source is wide, and so the format, follows from
//! the operands. Swizzles of components that the operation does not read are canonical
//! ([`ComponentReads::canonical`](super::ComponentReads::canonical)).

use super::{ComponentReads, PicaOpcode};
use crate::shader::condition::{Swizzle, WriteMask};

/// A program store and the operand descriptors that its words name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct PicaShader {
    /// The words of the program store, at most [`STORE_WORDS`](super::STORE_WORDS).
    pub code: Vec<u32>,
    /// The operand descriptors, at most [`DESCRIPTORS`](super::DESCRIPTORS).
    pub descriptors: Vec<u32>,
}

/// A register that sources read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PicaRegister {
    /// An input register v.
    Input(u8),
    /// A temporary register r.
    Temporary(u8),
    /// A constant register c.
    Constant(u8),
}

/// A register that is added to the number of a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PicaIndex {
    /// The x component of the address register.
    AddressX,
    /// The y component of the address register.
    AddressY,
    /// The loop counter.
    Loop,
}

/// A source operand: swizzle, then sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PicaSource {
    /// The register.
    pub register: PicaRegister,
    /// What is added to the number of a constant.
    pub index: Option<PicaIndex>,
    /// The component that each component reads.
    pub swizzle: Swizzle,
    /// Changes the sign of all components.
    pub negate: bool,
}

/// A register that operations write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PicaDestination {
    /// An output register o.
    Output(u8),
    /// A temporary register r.
    Temporary(u8),
}

/// A comparison of CMP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum PicaComparison {
    /// Equal.
    Equal = 0,
    /// Not equal.
    NotEqual = 1,
    /// Less.
    Less = 2,
    /// Less or equal.
    LessEqual = 3,
    /// Greater.
    Greater = 4,
    /// Greater or equal.
    GreaterEqual = 5,
}

/// A condition over cmp.x and cmp.y: the values that they must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PicaCondition {
    /// At least one has its value.
    Either([bool; 2]),
    /// Both have their values.
    Both([bool; 2]),
    /// cmp.x has this value.
    X(bool),
    /// cmp.y has this value.
    Y(bool),
}

/// What decides whether a flow instruction acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PicaTest {
    /// It always acts.
    Always,
    /// A condition over the results of CMP.
    Condition(PicaCondition),
    /// A boolean uniform.
    Boolean {
        /// The register b.
        register: u8,
        /// The value that acts; only jumps act on a clear boolean.
        value: bool,
    },
}

/// An operation that reads sources and writes a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PicaArithmetic {
    /// The operation, never an inverted format.
    pub operation: PicaOpcode,
    /// The written register.
    pub destination: PicaDestination,
    /// The components that are written.
    pub mask: WriteMask,
    /// The sources; the operation reads the first ones and ignores the rest.
    pub sources: [PicaSource; 3],
}

/// One instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PicaInstruction {
    /// Does nothing.
    Nop,
    /// Ends the program.
    End,
    /// Computes.
    Arithmetic(PicaArithmetic),
    /// Loads components of the address register.
    LoadAddress {
        /// The components x and y that are written.
        mask: WriteMask,
        /// The source.
        source: PicaSource,
    },
    /// Sets cmp.x and cmp.y.
    Compare {
        /// The comparisons of the x and of the y components.
        comparisons: [PicaComparison; 2],
        /// Both sources.
        sources: [PicaSource; 2],
    },
    /// Executes the words up to `otherwise`, or the `count` words from there.
    If {
        /// What selects the first part.
        test: PicaTest,
        /// The address of the else part.
        otherwise: u16,
        /// The words of the else part.
        count: u8,
    },
    /// Executes `count` words from `target`, then the next word.
    Call {
        /// What decides the call.
        test: PicaTest,
        /// The address of the procedure.
        target: u16,
        /// Its words.
        count: u8,
    },
    /// Repeats the words up to `last`.
    Loop {
        /// The integer register i with count, start and step.
        register: u8,
        /// The address of the body's last word.
        last: u16,
    },
    /// Leaves the innermost loop.
    Break {
        /// What decides; not a boolean.
        test: PicaTest,
    },
    /// Goes to another address.
    Jump {
        /// What decides the jump; not `Always`.
        test: PicaTest,
        /// The address.
        target: u16,
    },
    /// Emits a vertex.
    Emit,
    /// Selects the vertex that is emitted next.
    SetEmit {
        /// Its slot.
        vertex: u8,
        /// Whether it completes a primitive.
        is_primitive: bool,
        /// Whether the primitive has the other winding.
        is_inverted: bool,
    },
}

impl PicaSource {
    /// The unchanged components of a register.
    #[must_use]
    pub const fn of(register: PicaRegister) -> Self {
        Self { register, index: None, swizzle: Swizzle::IDENTITY, negate: false }
    }

    /// What stands where an operation reads no source.
    pub const UNREAD: Self = Self::of(PicaRegister::Input(0));

    /// Whether only a wide source can read it.
    #[must_use]
    pub const fn is_constant(&self) -> bool {
        matches!(self.register, PicaRegister::Constant(_))
    }
}

impl PicaIndex {
    /// Every index, in the order of their codes from 1.
    pub const ALL: [Self; 3] = [Self::AddressX, Self::AddressY, Self::Loop];

    /// The register's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AddressX => "a0.x",
            Self::AddressY => "a0.y",
            Self::Loop => "aL",
        }
    }
}

impl PicaComparison {
    /// Every comparison, in the order of their codes.
    pub const ALL: [Self; 6] =
        [Self::Equal, Self::NotEqual, Self::Less, Self::LessEqual, Self::Greater, Self::GreaterEqual];

    /// The two letters of the assembly language.
    #[must_use]
    pub const fn mnemonic(self) -> &'static str {
        match self {
            Self::Equal => "eq",
            Self::NotEqual => "ne",
            Self::Less => "lt",
            Self::LessEqual => "le",
            Self::Greater => "gt",
            Self::GreaterEqual => "ge",
        }
    }
}

impl PicaArithmetic {
    /// An operation with the sources that it reads.
    #[must_use]
    pub fn new(operation: PicaOpcode, destination: PicaDestination, mask: WriteMask, read: &[PicaSource]) -> Self {
        let mut sources = [PicaSource::UNREAD; 3];
        for (source, read) in sources.iter_mut().zip(read) {
            *source = *read;
        }
        Self { operation, destination, mask, sources }
    }

    /// The sources that the operation reads.
    #[must_use]
    pub fn read_sources(&self) -> &[PicaSource] {
        &self.sources[..self.operation.row().sources.len()]
    }
}

impl PicaInstruction {
    /// The opcode, that of the format with the usual wide source; `None` if no opcode has this test.
    #[must_use]
    pub const fn opcode(&self) -> Option<PicaOpcode> {
        Some(match self {
            Self::Nop => PicaOpcode::Nop,
            Self::End => PicaOpcode::End,
            Self::Arithmetic(arithmetic) => arithmetic.operation,
            Self::LoadAddress { .. } => PicaOpcode::Mova,
            Self::Compare { .. } => PicaOpcode::Cmp,
            Self::If { test: PicaTest::Condition(_), .. } => PicaOpcode::Ifc,
            Self::If { test: PicaTest::Boolean { value: true, .. }, .. } => PicaOpcode::Ifu,
            Self::Call { test: PicaTest::Always, .. } => PicaOpcode::Call,
            Self::Call { test: PicaTest::Condition(_), .. } => PicaOpcode::Callc,
            Self::Call { test: PicaTest::Boolean { value: true, .. }, .. } => PicaOpcode::Callu,
            Self::Loop { .. } => PicaOpcode::Loop,
            Self::Break { test: PicaTest::Always } => PicaOpcode::Break,
            Self::Break { test: PicaTest::Condition(_) } => PicaOpcode::Breakc,
            Self::Jump { test: PicaTest::Condition(_), .. } => PicaOpcode::Jmpc,
            Self::Jump { test: PicaTest::Boolean { .. }, .. } => PicaOpcode::Jmpu,
            Self::Emit => PicaOpcode::Emit,
            Self::SetEmit { .. } => PicaOpcode::Setemit,
            Self::If { .. } | Self::Call { .. } | Self::Break { .. } | Self::Jump { .. } => return None,
        })
    }

    /// The sources that it reads, in order.
    #[must_use]
    pub fn sources(&self) -> &[PicaSource] {
        match self {
            Self::Arithmetic(arithmetic) => arithmetic.read_sources(),
            Self::LoadAddress { source, .. } => std::slice::from_ref(source),
            Self::Compare { sources, .. } => sources,
            _ => &[],
        }
    }

    /// The components of the register or address register that it writes.
    #[must_use]
    pub const fn mask(&self) -> WriteMask {
        match self {
            Self::Arithmetic(arithmetic) => arithmetic.mask,
            Self::LoadAddress { mask, .. } => *mask,
            _ => WriteMask(0),
        }
    }

    /// The same instruction with canonical swizzles where it does not read components.
    #[must_use]
    pub fn canonical(mut self) -> Self {
        let (mask, rows) = (self.mask(), self.opcode().map_or(&[][..], |opcode| opcode.row().sources));
        let canonical = |sources: &mut [PicaSource], rows: &[ComponentReads]| {
            for (source, reads) in sources.iter_mut().zip(rows) {
                source.swizzle = reads.canonical(source.swizzle, mask);
            }
        };
        match &mut self {
            Self::Arithmetic(arithmetic) => {
                canonical(&mut arithmetic.sources, rows);
                arithmetic.sources[rows.len()..].fill(PicaSource::UNREAD);
            }
            Self::LoadAddress { source, .. } => canonical(std::slice::from_mut(source), rows),
            Self::Compare { sources, .. } => canonical(sources, rows),
            _ => {}
        }
        self
    }
}
