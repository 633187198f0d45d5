//! Programs of a SIMT machine as typed values: scalar instructions with operands, predicates and flow, without opcodes
//! or encodings.
//!
//! An instruction is executed by every active thread of a warp. [`Operation`] holds what is computed; the rest of an
//! [`Instruction`] says with which operands, and under which predicate. Control flow is unstructured, as the machine
//! executes it: branches, a stack of join points, and the [`Instruction::joins`] and [`Instruction::exits`] flags.

mod condition;
mod generation;
mod instruction;
mod operation;
mod program;
mod texture_fetch;
mod widths;

pub use crate::arith::tesla::{IntegerSum, Rounding};
pub use condition::{Condition, Relations};
pub use generation::TeslaGeneration;
pub use instruction::Instruction;
pub use operation::{
    AtomicOperation, BarrierThreads, Convert, ElementType, FloatType, IntegerType, InterpolationMode, LogicOperation,
    NumberFormat, Operation, Product, QuadLane, QuadStep, QuadSteps, SpecialFunction, SpecialRegister, TextureSample,
    TextureSource, VoteMode,
};
pub use program::{CodeError, ProgramInstruction, SimtProgram};
pub use texture_fetch::TextureFetch;

/// The kind of program that the machine runs. The address spaces depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ProgramKind {
    /// A vertex program.
    Vertex,
    /// A geometry program.
    Geometry,
    /// A fragment program.
    Fragment,
    /// A compute program.
    #[default]
    Compute,
}

/// How wide a register operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Width {
    /// Half a register, 16 bits.
    Half,
    /// One register.
    Word,
    /// Two registers; the first one is even.
    Double,
    /// Four registers; the number of the first one is a multiple of four.
    Quad,
}

/// A general register, or a part or group of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Register {
    /// A 16-bit half.
    Half {
        /// The register.
        number: u8,
        /// Whether it is the high half.
        is_high: bool,
    },
    /// A 32-bit register.
    Word(u8),
    /// The register of this number and the next one, as 64 bits.
    Double(u8),
    /// The register of this number and the next three, as 128 bits.
    Quad(u8),
}

impl Register {
    /// The register or group of a width; for halves the number counts halves.
    #[must_use]
    pub const fn of(width: Width, number: u8) -> Self {
        match width {
            Width::Half => Self::Half { number: number >> 1, is_high: number & 1 != 0 },
            Width::Word => Self::Word(number),
            Width::Double => Self::Double(number),
            Width::Quad => Self::Quad(number),
        }
    }

    /// Its width.
    #[must_use]
    pub const fn width(self) -> Width {
        match self {
            Self::Half { .. } => Width::Half,
            Self::Word(_) => Width::Word,
            Self::Double(_) => Width::Double,
            Self::Quad(_) => Width::Quad,
        }
    }
}

/// What receives a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Destination {
    /// Nothing.
    None,
    /// A general register.
    Register(Register),
    /// An output of a graphics program.
    Output {
        /// Its address in bytes.
        offset: u16,
        /// Its size: a half or a word.
        width: Width,
    },
    /// An address register; 0 is none.
    Address(u8),
    /// A condition register.
    Condition(u8),
    /// The components of a texture fetch, the written ones in consecutive registers.
    Texture {
        /// The first register.
        first: u8,
        /// The components that are written, x in bit 0.
        mask: u8,
    },
    /// Memory.
    Memory(MemoryOperand),
}

impl Destination {
    /// How many registers it has; outputs, conditions and the like count as one.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            Self::Register(Register::Quad(_)) => 4,
            Self::Register(Register::Double(_)) => 2,
            Self::Texture { mask, .. } => (mask & 15).count_ones() as usize,
            _ => 1,
        }
    }
}

/// A source operand: magnitude, then negation, or inversion of all bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source {
    /// The value.
    pub operand: Operand,
    /// Takes the magnitude.
    pub absolute: bool,
    /// Changes the sign; for the first two sources of a multiply-add, that of the product.
    pub negate: bool,
    /// Inverts all bits.
    pub invert: bool,
}

impl Source {
    /// A source without modifiers.
    #[must_use]
    pub const fn of(operand: Operand) -> Self {
        Self { operand, absolute: false, negate: false, invert: false }
    }
}

/// A value that an operation reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A general register.
    Register(Register),
    /// A constant of the instruction.
    Immediate(u32),
    /// Memory.
    Memory(MemoryOperand),
    /// An address register; 0 is the constant zero.
    Address(u8),
    /// A condition register.
    Condition(u8),
    /// An instruction's address in bytes.
    CodeAddress(u32),
    /// Consecutive registers with the coordinates of a texture fetch.
    Coordinates {
        /// The first register.
        first: u8,
        /// How many, 1 to 4.
        count: u8,
    },
    /// A texture and its sampler.
    Texture {
        /// The texture.
        texture: u8,
        /// The sampler.
        sampler: u8,
    },
    /// What is added to the texel coordinates x, y and z, −8 to 7.
    TexelOffset([i8; 3]),
}

/// An address space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// One of the 16 constant spaces.
    Constant(u8),
    /// Shared memory of a thread block.
    Shared,
    /// Memory of a thread.
    Local,
    /// One of the 16 global spaces.
    Global(u8),
    /// Inputs of vertex and geometry programs.
    Attribute,
    /// Vertices of the primitive of a geometry program.
    Primitive,
    /// Interpolants of a fragment program.
    Interpolant,
    /// Outputs of vertex and geometry programs.
    Output,
}

/// The size of a memory access and how it fills the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// 8 bits, extended with zeros.
    U8,
    /// 8 bits, extended with the sign.
    S8,
    /// 16 bits, extended with zeros.
    U16,
    /// 16 bits, extended with the sign.
    S16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
    /// 128 bits.
    B128,
}

impl Access {
    /// Its size in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
            Self::B32 => 4,
            Self::B64 => 8,
            Self::B128 => 16,
        }
    }
}

/// An operand in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoryOperand {
    /// The address space.
    pub space: Space,
    /// The size.
    pub access: Access,
    /// Where.
    pub address: Address,
}

impl MemoryOperand {
    /// How many registers an access fills.
    #[must_use]
    pub const fn words(&self) -> usize {
        self.access.bytes().div_ceil(4) as usize
    }
}

/// How the address of a memory operand is formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Address {
    /// A constant plus an address register.
    Offset {
        /// The address register; 0 is the constant zero.
        base: u8,
        /// The constant, in bytes.
        offset: u32,
    },
    /// An address register, to which a constant is added afterwards.
    PostIncrement {
        /// The address register; 0 is the constant zero.
        base: u8,
        /// The constant, in bytes.
        step: i32,
    },
    /// A general register.
    Register(u8),
}

/// The threads that execute an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Predicate {
    /// All active threads.
    Always,
    /// None.
    Never,
    /// Those whose condition register has flags of this kind.
    If {
        /// The condition register.
        register: u8,
        /// The flags.
        condition: Condition,
    },
}
