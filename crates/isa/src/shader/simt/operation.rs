//! What an instruction of a SIMT machine computes, and the types that tell its variants apart.

use super::{Relations, Width};
use crate::arith::tesla::{IntegerSum, Rounding};

/// What an instruction computes.
///
/// Operands are in the order of the text `name destination, sources`; a sum with carry has the condition register as its
/// last source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Copies.
    Move {
        /// The size.
        width: Width,
        /// The lanes of each quad that are written, lane 0 in bit 0.
        lanes: u8,
        /// Whether the special function unit copies.
        uses_sfu: bool,
    },
    /// Copies memory to a register.
    Load {
        /// The lanes of each quad that are written, lane 0 in bit 0.
        lanes: u8,
    },
    /// Copies shared memory to a register and tries to lock it; a condition register tells whether it did.
    LoadAndLock,
    /// Copies a register to memory.
    Store {
        /// Whether it unlocks the memory.
        unlocks: bool,
    },
    /// Copies a condition register to a register.
    ReadCondition,
    /// Copies an address register to a register.
    ReadAddress,
    /// Reads a special register.
    ReadSpecial(SpecialRegister),
    /// Copies a register to a condition register.
    WriteCondition,
    /// Shifts a register left into an address register.
    ShiftIntoAddress,
    /// Adds a constant to an address register.
    AddAddress,
    /// Tells in a condition register how the active threads' predicates turned out.
    Vote(VoteMode),
    /// Adds or subtracts integers.
    AddInteger {
        /// Which terms are subtracted.
        sum: IntegerSum,
        /// The size.
        width: Width,
        /// Whether overflow gives the largest or smallest value.
        saturates: bool,
    },
    /// All ones where a comparison holds, else 0.
    SetInteger {
        /// The relations that hold.
        relations: Relations,
        /// The operands.
        operands: IntegerType,
    },
    /// The larger integer.
    MaxInteger(IntegerType),
    /// The smaller integer.
    MinInteger(IntegerType),
    /// Shifts left.
    ShiftLeft(Width),
    /// Shifts right: arithmetically if signed.
    ShiftRight(IntegerType),
    /// Multiplies integers.
    MultiplyInteger(Product),
    /// The absolute difference of two integers plus a 32-bit one.
    SumAbsoluteDifference(IntegerType),
    /// The sum of a product and a 32-bit integer.
    MultiplyAddInteger {
        /// Which terms are subtracted.
        sum: IntegerSum,
        /// The product.
        product: Product,
        /// Whether overflow gives the largest or smallest value.
        saturates: bool,
    },
    /// An interpolant at the fragment, multiplied by the second source if there is one.
    Interpolate(InterpolationMode),
    /// A function of the special function unit, single precision.
    Special(SpecialFunction),
    /// Reduces the argument of sine and cosine.
    PrepareSine,
    /// Reduces the argument of the exponential.
    PrepareExponential,
    /// Converts between number formats.
    Convert(Convert),
    /// Adds floats.
    AddFloat {
        /// The format.
        format: FloatType,
        /// How the sum is rounded.
        rounding: Rounding,
        /// Whether the sum is clamped to 0..1.
        saturates: bool,
    },
    /// Multiplies floats.
    MultiplyFloat {
        /// The format.
        format: FloatType,
        /// How the product is rounded.
        rounding: Rounding,
        /// Whether the product is clamped to 0..1.
        saturates: bool,
    },
    /// Multiplies, rounds toward zero, then adds: single precision.
    MultiplyAddFloat {
        /// Whether the sum is clamped to 0..1.
        saturates: bool,
    },
    /// Multiplies and adds with one rounding: double precision.
    FusedMultiplyAdd(Rounding),
    /// All ones where a comparison holds, else 0.
    SetFloat {
        /// The relations that hold.
        relations: Relations,
        /// The format of the operands.
        format: FloatType,
    },
    /// The larger float.
    MaxFloat(FloatType),
    /// The smaller float.
    MinFloat(FloatType),
    /// The first source where the third one, a float, is at least zero, else the second.
    Select,
    /// Combines the first source of one lane of the quad with the second source of each lane.
    Quad {
        /// The lane that provides the first source.
        lane: QuadLane,
        /// How each lane combines them.
        steps: QuadSteps,
    },
    /// Combines bits.
    Logic {
        /// How.
        operation: LogicOperation,
        /// The size.
        width: Width,
    },
    /// Updates memory atomically without a result.
    Reduce {
        /// The update.
        operation: AtomicOperation,
        /// What the memory holds.
        element: ElementType,
    },
    /// Updates memory atomically; the result is the value before.
    Atomic {
        /// The update.
        operation: AtomicOperation,
        /// What the memory holds.
        element: ElementType,
    },
    /// Reads a texture or its properties.
    Texture(TextureSample),
    /// Emits a vertex.
    Emit,
    /// Ends the strip of emitted vertices.
    RestartStrip,
    /// Does nothing.
    Nothing,
    /// Raises the performance monitor's event of the source's number.
    PerformanceEvent,
    /// Kills the thread of a fragment.
    Discard,
    /// Continues at the source.
    Branch,
    /// Continues at the address in a constant.
    BranchIndirect {
        /// Whether it counts against the call limit.
        is_limited: bool,
    },
    /// Pushes the next instruction and continues at the source.
    Call {
        /// Whether it is ignored at the call limit.
        is_limited: bool,
    },
    /// Returns the threads from the innermost call.
    Return,
    /// Pushes the source as the place where threads that break continue.
    PushBreak,
    /// Takes the threads to the innermost break address.
    Break,
    /// Pushes the source as the place to which the innermost call returns.
    PushReturn {
        /// Whether it counts against the call limit.
        is_limited: bool,
    },
    /// Pushes the source as the place where diverged threads join.
    PushJoin,
    /// Makes all threads of quads with an active one active.
    EnterQuads,
    /// Makes the threads active that were before [`Self::EnterQuads`].
    LeaveQuads,
    /// Arrives at the barrier of the first source's number, or waits there.
    Barrier {
        /// Whether it counts the warp.
        arrives: bool,
        /// Whether the warp waits.
        waits: bool,
        /// The threads that the barrier waits for.
        threads: BarrierThreads,
    },
    /// Stops with an error.
    Trap,
    /// Stops for a debugger.
    Breakpoint,
}

impl Operation {
    /// Whether it changes which threads are active, or their stack.
    #[must_use]
    pub const fn changes_flow(self) -> bool {
        matches!(
            self,
            Self::Branch
                | Self::Call { .. }
                | Self::Return
                | Self::PushReturn { .. }
                | Self::PushBreak
                | Self::Break
                | Self::PushJoin
                | Self::EnterQuads
                | Self::LeaveQuads
                | Self::Discard
        )
    }

    /// Whether its first two operands are single-precision floats that it multiplies.
    #[must_use]
    pub const fn multiplies_singles(self) -> bool {
        matches!(self, Self::MultiplyFloat { format: FloatType::F32, .. } | Self::MultiplyAddFloat { .. })
    }

    /// Whether it writes some lanes of each quad only.
    #[must_use]
    pub const fn masks_lanes(self) -> bool {
        matches!(self, Self::Move { lanes, .. } | Self::Load { lanes } if lanes & 15 != 15)
    }
}

/// A 16-bit or 32-bit integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IntegerType {
    /// The size: a half or a word.
    pub width: Width,
    /// Whether it is signed.
    pub is_signed: bool,
}

/// An integer product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Product {
    /// Of two 16-bit integers.
    Bits16 {
        /// Whether the first one is signed.
        is_first_signed: bool,
        /// Whether the second one is signed.
        is_second_signed: bool,
    },
    /// Of the low 24 bits of two words.
    Bits24 {
        /// Whether they are signed.
        is_signed: bool,
        /// Whether the result is bits 47:16 instead of 31:0.
        is_high: bool,
    },
}

/// A floating-point format of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

/// A format of conversions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NumberFormat {
    /// An unsigned integer of these bits.
    Unsigned(u8),
    /// A signed integer of these bits.
    Signed(u8),
    /// A float of these bits.
    Float(u8),
}

/// A conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Convert {
    /// The format of the result.
    pub to: NumberFormat,
    /// The size of the destination register.
    pub to_width: Width,
    /// The format of the source.
    pub from: NumberFormat,
    /// The size of the source register.
    pub from_width: Width,
    /// How the result is rounded; `None` for conversions that are exact.
    pub rounding: Option<Rounding>,
    /// Whether a float result is rounded to an integer.
    pub rounds_to_integer: bool,
    /// Whether a float result is clamped to 0..1.
    pub saturates: bool,
}

/// Where an interpolant is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InterpolationMode {
    /// At the pixel's center.
    Center,
    /// At the centroid of the covered samples.
    Centroid,
    /// At the provoking vertex.
    Flat,
}

/// A function of the special function unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpecialFunction {
    /// Reciprocal.
    Reciprocal,
    /// Reciprocal square root.
    ReciprocalSquareRoot,
    /// Base-2 logarithm.
    Log2,
    /// Sine of a reduced argument.
    Sine,
    /// Cosine of a reduced argument.
    Cosine,
    /// Base-2 exponential of a reduced argument.
    Exp2 {
        /// Whether the result is clamped to 0..1.
        saturates: bool,
    },
}

/// The lane of a quad that an operation reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuadLane {
    /// The lane of this number.
    Number(u8),
    /// The lane's neighbor in x.
    NeighborX,
    /// The lane's neighbor in y.
    NeighborY,
}

/// How one lane of a quad combines its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QuadStep {
    /// a + b.
    Add,
    /// b − a.
    SubtractReversed,
    /// a − b.
    Subtract,
    /// b.
    Second,
}

/// How the four lanes of a quad combine their operands, lane 0 first.
pub type QuadSteps = [QuadStep; 4];

/// A combination of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogicOperation {
    /// a and b.
    And,
    /// a or b.
    Or,
    /// a exclusive-or b.
    Xor,
    /// b.
    Second,
}

/// An update of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOperation {
    /// Adds.
    Add,
    /// Replaces.
    Exchange,
    /// Replaces by the last source if the memory holds the one before.
    CompareAndSwap,
    /// Adds one, or sets 0 from the source's value on.
    Increment,
    /// Subtracts one, or sets the source's value at 0 and above it.
    Decrement,
    /// Keeps the larger one.
    Max,
    /// Keeps the smaller one.
    Min,
    /// And.
    And,
    /// Or.
    Or,
    /// Exclusive or.
    Xor,
}

/// What memory holds at the address of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// 32 bits.
    B32,
    /// An unsigned 32-bit integer.
    U32,
    /// A signed 32-bit integer.
    S32,
    /// 64 bits.
    B64,
    /// An unsigned 64-bit integer.
    U64,
}

/// What a texture operation reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextureSource {
    /// Samples with the level of detail of the derivatives.
    Automatic,
    /// Samples with a bias on the level of detail.
    Bias,
    /// Samples at a level of detail.
    Lod,
    /// Reads the texel at integer coordinates.
    Texel,
    /// Reads the size of a level.
    Size,
    /// Turns the coordinates of a cube map array into those of layers.
    PrepareCube,
    /// Computes the level of detail.
    QueryLod,
    /// Reads with a coverage sample mask.
    Coverage,
    /// Gathers one component of four texels.
    Gather,
}

/// A texture operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextureSample {
    /// What it reads.
    pub source: TextureSource,
    /// Whether coordinates are those of a cube map.
    pub is_cube: bool,
    /// Whether results of helper threads are not needed.
    pub is_live_only: bool,
    /// Whether programs other than fragment programs use derivatives.
    // Unverified: envytools suspects it.
    pub uses_derivatives: bool,
}

/// A special register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpecialRegister {
    /// Lane, warp, multiprocessor and cluster.
    PhysicalId,
    /// Clock cycles.
    Clock,
    /// The stride of attributes of geometry programs.
    VertexStride,
    /// A performance counter, 0 to 3.
    PerformanceCounter(u8),
    /// The sample of a fragment.
    SampleId,
    /// A register without a known meaning.
    Unknown(u8),
}

/// How a vote turned out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VoteMode {
    /// Any thread.
    Any,
    /// All threads.
    All,
}

/// The threads that a barrier waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BarrierThreads {
    /// Those of the thread block.
    All,
    /// The count in the second source.
    Count,
}
