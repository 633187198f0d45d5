//! The instructions of PTX: names, modifiers, types and operands.
//!
//! An instruction with several forms has several rows; the first one that has the written types and modifiers counts.
//!
//! Source: NVIDIA's documents of PTX ISA 1.0 to 1.5 for names, modifiers and types.

use super::types::{SPACES, StateSpace, TYPES, Type};
use crate::shader::simt::{AtomicOperation, LogicOperation, Relations, Rounding};

/// What an instruction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Opcode {
    Add,
    AddCarry,
    Subtract,
    SubtractBorrow,
    Multiply,
    MultiplyAdd,
    Multiply24,
    MultiplyAdd24,
    SumAbsoluteDifference,
    Divide,
    Remainder,
    Absolute,
    Negate,
    Min,
    Max,
    Set,
    SetPredicate,
    SelectByPredicate,
    SelectBySign,
    Logic(LogicOperation),
    Not,
    LogicalNot,
    ShiftLeft,
    ShiftRight,
    Move,
    Load,
    Store,
    Convert,
    Reciprocal,
    SquareRoot,
    ReciprocalSquareRoot,
    Sine,
    Cosine,
    Log2,
    Exp2,
    Branch,
    Call,
    Exit,
    Barrier,
    Fence,
    Atomic,
    Reduce,
    Texture,
    Trap,
    Breakpoint,
    PerformanceEvent,
}

/// The part of a product that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProductPart {
    Low,
    High,
    Wide,
}

/// A relation, and the operands that it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) relations: Relations,
    pub(super) is_unsigned_only: bool,
}

/// A modifier of an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modifier {
    Product(ProductPart),
    Rounding(Rounding),
    RoundingToInteger(Rounding),
    Saturation,
    /// Fast and approximate.
    Approximation,
    /// Approximate over the full range.
    FullRange,
    Comparison(Comparison),
    Combination(LogicOperation),
    Carry,
    Uniform,
    Volatile,
    Space(StateSpace),
    Vector(u8),
    Geometry(u8),
    Update(AtomicOperation),
    Synchronize,
    Level,
}

/// A set of modifiers, by class.
pub(super) type Classes = u32;

pub(super) const PRODUCT: Classes = 1;
pub(super) const ROUNDING: Classes = 1 << 1;
pub(super) const TO_INTEGER: Classes = 1 << 2;
pub(super) const SATURATION: Classes = 1 << 3;
pub(super) const APPROXIMATION: Classes = 1 << 4;
pub(super) const FULL_RANGE: Classes = 1 << 5;
pub(super) const COMPARISON: Classes = 1 << 6;
pub(super) const COMBINATION: Classes = 1 << 7;
pub(super) const CARRY: Classes = 1 << 8;
pub(super) const UNIFORM: Classes = 1 << 9;
pub(super) const VOLATILE: Classes = 1 << 10;
pub(super) const SPACE: Classes = 1 << 11;
pub(super) const VECTOR: Classes = 1 << 12;
pub(super) const GEOMETRY: Classes = 1 << 13;
pub(super) const UPDATE: Classes = 1 << 14;
pub(super) const SYNCHRONIZE: Classes = 1 << 15;
pub(super) const LEVEL: Classes = 1 << 16;

impl Modifier {
    /// The set of its class.
    pub(super) const fn class(self) -> Classes {
        match self {
            Self::Product(_) => PRODUCT,
            Self::Rounding(_) => ROUNDING,
            Self::RoundingToInteger(_) => TO_INTEGER,
            Self::Saturation => SATURATION,
            Self::Approximation => APPROXIMATION,
            Self::FullRange => FULL_RANGE,
            Self::Comparison(_) => COMPARISON,
            Self::Combination(_) => COMBINATION,
            Self::Carry => CARRY,
            Self::Uniform => UNIFORM,
            Self::Volatile => VOLATILE,
            Self::Space(_) => SPACE,
            Self::Vector(_) => VECTOR,
            Self::Geometry(_) => GEOMETRY,
            Self::Update(_) => UPDATE,
            Self::Synchronize => SYNCHRONIZE,
            Self::Level => LEVEL,
        }
    }
}

const fn compare(less: bool, equal: bool, greater: bool, unordered: bool) -> Modifier {
    let relations = Relations { less, equal, greater, unordered };
    Modifier::Comparison(Comparison { relations, is_unsigned_only: false })
}

const fn compare_unsigned(less: bool, equal: bool, greater: bool) -> Modifier {
    let relations = Relations { less, equal, greater, unordered: false };
    Modifier::Comparison(Comparison { relations, is_unsigned_only: true })
}

/// The modifiers by their names; some names have several meanings.
const MODIFIERS: &[(&str, Modifier)] = &[
    (".lo", Modifier::Product(ProductPart::Low)),
    (".hi", Modifier::Product(ProductPart::High)),
    (".wide", Modifier::Product(ProductPart::Wide)),
    (".rn", Modifier::Rounding(Rounding::NearestEven)),
    (".rz", Modifier::Rounding(Rounding::TowardZero)),
    (".rm", Modifier::Rounding(Rounding::Down)),
    (".rp", Modifier::Rounding(Rounding::Up)),
    (".rni", Modifier::RoundingToInteger(Rounding::NearestEven)),
    (".rzi", Modifier::RoundingToInteger(Rounding::TowardZero)),
    (".rmi", Modifier::RoundingToInteger(Rounding::Down)),
    (".rpi", Modifier::RoundingToInteger(Rounding::Up)),
    (".sat", Modifier::Saturation),
    (".approx", Modifier::Approximation),
    (".full", Modifier::FullRange),
    (".eq", compare(false, true, false, false)),
    (".ne", compare(true, false, true, false)),
    (".lt", compare(true, false, false, false)),
    (".le", compare(true, true, false, false)),
    (".gt", compare(false, false, true, false)),
    (".ge", compare(false, true, true, false)),
    (".lo", compare_unsigned(true, false, false)),
    (".ls", compare_unsigned(true, true, false)),
    (".hi", compare_unsigned(false, false, true)),
    (".hs", compare_unsigned(false, true, true)),
    (".equ", compare(false, true, false, true)),
    (".neu", compare(true, false, true, true)),
    (".ltu", compare(true, false, false, true)),
    (".leu", compare(true, true, false, true)),
    (".gtu", compare(false, false, true, true)),
    (".geu", compare(false, true, true, true)),
    (".num", compare(true, true, true, false)),
    (".nan", compare(false, false, false, true)),
    (".and", Modifier::Combination(LogicOperation::And)),
    (".or", Modifier::Combination(LogicOperation::Or)),
    (".xor", Modifier::Combination(LogicOperation::Xor)),
    (".cc", Modifier::Carry),
    (".uni", Modifier::Uniform),
    (".volatile", Modifier::Volatile),
    (".v2", Modifier::Vector(2)),
    (".v4", Modifier::Vector(4)),
    (".1d", Modifier::Geometry(1)),
    (".2d", Modifier::Geometry(2)),
    (".3d", Modifier::Geometry(3)),
    (".add", Modifier::Update(AtomicOperation::Add)),
    (".exch", Modifier::Update(AtomicOperation::Exchange)),
    (".cas", Modifier::Update(AtomicOperation::CompareAndSwap)),
    (".inc", Modifier::Update(AtomicOperation::Increment)),
    (".dec", Modifier::Update(AtomicOperation::Decrement)),
    (".min", Modifier::Update(AtomicOperation::Min)),
    (".max", Modifier::Update(AtomicOperation::Max)),
    (".and", Modifier::Update(AtomicOperation::And)),
    (".or", Modifier::Update(AtomicOperation::Or)),
    (".xor", Modifier::Update(AtomicOperation::Xor)),
    (".sync", Modifier::Synchronize),
    (".gl", Modifier::Level),
    (".cta", Modifier::Level),
];

/// The modifier of a name that an instruction with these classes has.
pub(super) fn modifier(name: &str, classes: Classes) -> Option<Modifier> {
    let mut known = MODIFIERS.iter().filter(|(known, _)| *known == name).map(|(_, modifier)| *modifier);
    let space = SPACES.iter().find(|(known, _)| *known == name).map(|(_, space)| Modifier::Space(*space));
    known.find(|modifier| modifier.class() & classes != 0).or(space.filter(|_| classes & SPACE != 0))
}

/// The names of the modifiers of these classes.
pub(super) fn modifier_names(classes: Classes) -> impl Iterator<Item = &'static str> {
    MODIFIERS.iter().filter(move |(_, modifier)| modifier.class() & classes != 0).map(|(name, _)| *name)
}

/// An operand of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// A register of the first type that is written.
    Destination,
    /// The same, of twice the bits if the product is wide.
    ProductDestination,
    /// A register of at least the bits of the first type, or a vector of such ones, which is written.
    LooseDestination,
    /// A register of the first type, or a vector that makes up its bits.
    PackedDestination,
    /// A predicate, and another one that receives the opposite.
    PredicateDestinations,
    /// A value of the first type.
    Source,
    /// The same, of twice the bits if the product is wide.
    ProductSource,
    /// A value of the second type.
    SecondSource,
    /// A value of at least the bits of the second type.
    LooseSource,
    /// A value of at least the bits of the first type, or a vector of such ones.
    LooseSources,
    /// A value of the first type, or a vector that makes up its bits.
    PackedSource,
    /// A count of bits.
    Count,
    /// A predicate, possibly negated.
    Predicate,
    /// The same, where the instruction combines it.
    CombinedPredicate,
    /// A place in memory.
    Address,
    /// A vector of four registers of the first type.
    Texel,
    /// A texture with coordinates of the second type.
    Texture,
    /// A label.
    Label,
    /// A function with its arguments.
    Function,
    /// A number up to 15.
    Number,
}

/// A set of types: a bit for each, in the order of [`TYPES`].
pub(super) type TypeSet = u16;

const PRED: TypeSet = 1;
const B8: TypeSet = 1 << 1;
const B16: TypeSet = 1 << 2;
const B32: TypeSet = 1 << 3;
const B64: TypeSet = 1 << 4;
const U8: TypeSet = 1 << 5;
const U16: TypeSet = 1 << 6;
const U32: TypeSet = 1 << 7;
const U64: TypeSet = 1 << 8;
const S8: TypeSet = 1 << 9;
const S16: TypeSet = 1 << 10;
const S32: TypeSet = 1 << 11;
const S64: TypeSet = 1 << 12;
const F16: TypeSet = 1 << 13;
const F32: TypeSet = 1 << 14;
const F64: TypeSet = 1 << 15;
const WORDS: TypeSet = U32 | S32;
const HALVES: TypeSet = U16 | S16;
const INTEGERS: TypeSet = HALVES | WORDS | U64 | S64;
const BYTES: TypeSet = U8 | S8;
const FLOATS: TypeSet = F32 | F64;
const BITS: TypeSet = B16 | B32 | B64;
const MEMORY: TypeSet = BITS | B8 | BYTES | INTEGERS | FLOATS;
const COMPARED: TypeSet = BITS | INTEGERS | FLOATS;

/// Whether a set has a type.
pub(super) fn has_type(set: TypeSet, wanted: Type) -> bool {
    TYPES.iter().enumerate().any(|(index, (_, known))| *known == wanted && set >> index & 1 != 0)
}

/// A form of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OpcodeRow {
    /// Its name.
    pub(super) name: &'static str,
    /// What it does.
    pub(super) opcode: Opcode,
    /// The modifiers that it must have.
    pub(super) required: Classes,
    /// The modifiers that it may have besides.
    pub(super) optional: Classes,
    /// The types that each of its type suffixes may be.
    pub(super) types: &'static [TypeSet],
    /// Its operands.
    pub(super) operands: &'static [Shape],
}

const fn row(
    name: &'static str,
    opcode: Opcode,
    (required, optional): (Classes, Classes),
    types: &'static [TypeSet],
    operands: &'static [Shape],
) -> OpcodeRow {
    OpcodeRow { name, opcode, required, optional, types, operands }
}

use Shape::{
    Address, CombinedPredicate, Count, Destination, Function, Label, LooseDestination, LooseSource, LooseSources,
    Number, PackedDestination, PackedSource, Predicate, PredicateDestinations, ProductDestination, ProductSource,
    SecondSource, Source, Texel, Texture,
};

const NO: (Classes, Classes) = (0, 0);
const UNARY: &[Shape] = &[Destination, Source];
const BINARY: &[Shape] = &[Destination, Source, Source];
const TERNARY: &[Shape] = &[Destination, Source, Source, Source];
const PRODUCT_OF_TWO: &[Shape] = &[ProductDestination, Source, Source];
const PRODUCT_AND_SUM: &[Shape] = &[ProductDestination, Source, Source, ProductSource];
const SHIFT: &[Shape] = &[Destination, Source, Count];
const FUNCTION: (Classes, Classes) = (0, APPROXIMATION);

/// Every form of every instruction.
pub(super) const TABLE: &[OpcodeRow] = &[
    row("add", Opcode::Add, (CARRY, 0), &[WORDS], BINARY),
    row("add", Opcode::Add, NO, &[INTEGERS], BINARY),
    row("add", Opcode::Add, (SATURATION, 0), &[S32], BINARY),
    row("add", Opcode::Add, (0, ROUNDING | SATURATION), &[FLOATS], BINARY),
    row("addc", Opcode::AddCarry, (0, CARRY), &[WORDS], BINARY),
    row("sub", Opcode::Subtract, (CARRY, 0), &[WORDS], BINARY),
    row("sub", Opcode::Subtract, NO, &[INTEGERS], BINARY),
    row("sub", Opcode::Subtract, (SATURATION, 0), &[S32], BINARY),
    row("sub", Opcode::Subtract, (0, ROUNDING | SATURATION), &[FLOATS], BINARY),
    row("subc", Opcode::SubtractBorrow, (0, CARRY), &[WORDS], BINARY),
    row("mul", Opcode::Multiply, (PRODUCT, 0), &[INTEGERS], PRODUCT_OF_TWO),
    row("mul", Opcode::Multiply, (0, ROUNDING | SATURATION), &[FLOATS], BINARY),
    row("mad", Opcode::MultiplyAdd, (PRODUCT, 0), &[INTEGERS], PRODUCT_AND_SUM),
    row("mad", Opcode::MultiplyAdd, (PRODUCT | SATURATION, 0), &[S32], PRODUCT_AND_SUM),
    row("mad", Opcode::MultiplyAdd, (0, SATURATION), &[FLOATS], TERNARY),
    row("mad", Opcode::MultiplyAdd, (ROUNDING, 0), &[F64], TERNARY),
    row("mul24", Opcode::Multiply24, (PRODUCT, 0), &[WORDS], BINARY),
    row("mad24", Opcode::MultiplyAdd24, (PRODUCT, 0), &[WORDS], TERNARY),
    row("mad24", Opcode::MultiplyAdd24, (PRODUCT | SATURATION, 0), &[S32], TERNARY),
    row("sad", Opcode::SumAbsoluteDifference, NO, &[INTEGERS], TERNARY),
    row("div", Opcode::Divide, NO, &[INTEGERS], BINARY),
    row("div", Opcode::Divide, (0, APPROXIMATION | FULL_RANGE), &[F32], BINARY),
    // Demoted to single precision, correct rounding has no meaning.
    row("div", Opcode::Divide, (0, ROUNDING), &[F64], BINARY),
    row("rem", Opcode::Remainder, NO, &[INTEGERS], BINARY),
    row("abs", Opcode::Absolute, NO, &[S16 | S32 | S64 | FLOATS], UNARY),
    row("neg", Opcode::Negate, NO, &[S16 | S32 | S64 | FLOATS], UNARY),
    row("min", Opcode::Min, NO, &[INTEGERS | FLOATS], BINARY),
    row("max", Opcode::Max, NO, &[INTEGERS | FLOATS], BINARY),
    row(
        "set",
        Opcode::Set,
        (COMPARISON, COMBINATION),
        &[WORDS | F32, COMPARED],
        &[Destination, SecondSource, SecondSource, CombinedPredicate],
    ),
    row(
        "setp",
        Opcode::SetPredicate,
        (COMPARISON, COMBINATION),
        &[COMPARED],
        &[PredicateDestinations, Source, Source, CombinedPredicate],
    ),
    row("selp", Opcode::SelectByPredicate, NO, &[COMPARED], &[Destination, Source, Source, Predicate]),
    row("slct", Opcode::SelectBySign, NO, &[COMPARED, S32 | F32], &[Destination, Source, Source, SecondSource]),
    row("and", Opcode::Logic(LogicOperation::And), NO, &[BITS | PRED], BINARY),
    row("or", Opcode::Logic(LogicOperation::Or), NO, &[BITS | PRED], BINARY),
    row("xor", Opcode::Logic(LogicOperation::Xor), NO, &[BITS | PRED], BINARY),
    row("not", Opcode::Not, NO, &[BITS | PRED], UNARY),
    row("cnot", Opcode::LogicalNot, NO, &[BITS], UNARY),
    row("shl", Opcode::ShiftLeft, NO, &[BITS], SHIFT),
    row("shr", Opcode::ShiftRight, NO, &[BITS | INTEGERS], SHIFT),
    row("mov", Opcode::Move, NO, &[BITS], &[PackedDestination, PackedSource]),
    row("mov", Opcode::Move, NO, &[BYTES | B8 | INTEGERS | FLOATS | PRED], UNARY),
    row("ld", Opcode::Load, (SPACE, VOLATILE | VECTOR), &[MEMORY], &[LooseDestination, Address]),
    row("st", Opcode::Store, (SPACE, VOLATILE | VECTOR), &[MEMORY], &[Address, LooseSources]),
    row(
        "cvt",
        Opcode::Convert,
        (0, ROUNDING | TO_INTEGER | SATURATION),
        &[BYTES | INTEGERS | FLOATS | F16, BYTES | INTEGERS | FLOATS | F16],
        &[LooseDestination, LooseSource],
    ),
    row("rcp", Opcode::Reciprocal, (0, APPROXIMATION | ROUNDING), &[FLOATS], UNARY),
    row("sqrt", Opcode::SquareRoot, (0, APPROXIMATION | ROUNDING), &[FLOATS], UNARY),
    row("rsqrt", Opcode::ReciprocalSquareRoot, FUNCTION, &[FLOATS], UNARY),
    row("sin", Opcode::Sine, FUNCTION, &[F32], UNARY),
    row("cos", Opcode::Cosine, FUNCTION, &[F32], UNARY),
    row("lg2", Opcode::Log2, FUNCTION, &[F32], UNARY),
    row("ex2", Opcode::Exp2, FUNCTION, &[F32], UNARY),
    row("bra", Opcode::Branch, (0, UNIFORM), &[], &[Label]),
    row("call", Opcode::Call, (0, UNIFORM), &[], &[Function]),
    row("ret", Opcode::Exit, (0, UNIFORM), &[], &[]),
    row("exit", Opcode::Exit, NO, &[], &[]),
    row("bar", Opcode::Barrier, (SYNCHRONIZE, 0), &[], &[Number]),
    row("membar", Opcode::Fence, (LEVEL, 0), &[], &[]),
    row("atom", Opcode::Atomic, (SPACE | UPDATE, 0), &[B32 | WORDS], &[Destination, Address, Source, Source]),
    row("red", Opcode::Reduce, (SPACE | UPDATE, 0), &[B32 | WORDS], &[Address, Source]),
    row("tex", Opcode::Texture, (GEOMETRY | VECTOR, 0), &[WORDS | F32, S32 | F32], &[Texel, Texture]),
    row("trap", Opcode::Trap, NO, &[], &[]),
    row("brkpt", Opcode::Breakpoint, NO, &[], &[]),
    row("pmevent", Opcode::PerformanceEvent, NO, &[], &[Number]),
];

/// Instructions of later targets, and the first target that has each.
pub(super) const LATER: &[(&str, &str)] = &[
    ("vote", "sm_12"),
    ("fma", "sm_13"),
    ("cvta", "sm_20"),
    ("isspacep", "sm_20"),
    ("prefetch", "sm_20"),
    ("prefetchu", "sm_20"),
    ("brev", "sm_20"),
    ("bfe", "sm_20"),
    ("bfi", "sm_20"),
    ("bfind", "sm_20"),
    ("clz", "sm_20"),
    ("popc", "sm_20"),
    ("prmt", "sm_20"),
    ("copysign", "sm_20"),
    ("testp", "sm_20"),
];

impl OpcodeRow {
    /// Whether this form has the modifiers and types.
    pub(super) fn fits(&self, classes: Classes, types: &[Type]) -> bool {
        classes & self.required == self.required
            && classes & !(self.required | self.optional) == 0
            && self.has_types(types)
    }

    /// Whether this form has the types.
    pub(super) fn has_types(&self, types: &[Type]) -> bool {
        self.types.len() == types.len() && self.types.iter().zip(types).all(|(set, wanted)| has_type(*set, *wanted))
    }
}
