//! The rows of long instructions.

use super::table::{
    COMPUTE, ConditionUse, DestinationPlace as To, FIRST, FRAGMENT, GEOMETRY, REGISTER1, SECOND, SourcePlace as From,
    SourceRow, TeslaRow, VERTEX_OR_GEOMETRY, at, row,
};
use super::variants::{
    ACCESSES, LOGIC, ROUNDINGS, STEPS, SUMS, atomic, bit, integer, product, relations, special_register, width,
};
use super::word::{TeslaField as Field, TeslaForm, field};
use crate::shader::simt::{
    Access, FloatType, InterpolationMode, Operation, Product, QuadLane, SpecialFunction, TeslaGeneration as Generation,
    TextureSample, TextureSource, VoteMode, Width,
};

/// The tables in the order in which they are tried.
pub(super) const TABLES: &[&[TeslaRow]] = &[
    MOVES,
    INTEGERS,
    INTERPOLATION,
    SPECIAL,
    super::rows_convert::TABLE,
    FLOATS,
    LOGIC_AND_ADDRESS,
    &memory_rows(2, true, true),
    &memory_rows(3, true, false),
    &memory_rows(4, false, true),
    &memory_rows(5, false, false),
    ATOMICS,
    DOUBLES,
    TEXTURES,
    OTHERS,
];

const THIRD: SourceRow = at(From::Third);
const REGISTER2: SourceRow = at(From::Register(Field::SOURCE2));
const REGISTER3: SourceRow = at(From::Register(Field::SOURCE3));
/// The carry of long instructions is that of the predicate's condition register.
const CARRY: SourceRow = at(From::Condition(Field::CONDITION));

pub(super) const fn long(opcode: u8, secondary: u32, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    row(TeslaForm::Long, opcode, operation).sec(secondary).to(To::RegisterOrOutput)
}

/// Whether operands are words.
const SIZE: Field = field(58, 1);
const LANES: Field = field(46, 4);
const REGISTER: To = To::Register(Field::DESTINATION);

#[expect(clippy::cast_possible_truncation, reason = "a lane mask has four bits")]
fn load(lanes: u32) -> Option<Operation> {
    Some(Operation::Load { lanes: lanes as u8 })
}

fn load_all(_: u32) -> Option<Operation> {
    load(15)
}

fn store(_: u32) -> Option<Operation> {
    Some(Operation::Store { unlocks: false })
}

#[expect(clippy::cast_possible_truncation, reason = "a lane mask has four bits")]
fn moved(value: u32) -> Option<Operation> {
    Some(Operation::Move { lanes: value as u8 & 15, width: width(bit(value, 4)), uses_sfu: bit(value, 5) })
}

const MOVES: &[TeslaRow] = &[
    long(0, 0, load)
        .with(field(53, 1), 1)
        .with(SIZE, 1)
        .var(LANES)
        .from(&[at(From::Attribute)])
        .only(VERTEX_OR_GEOMETRY),
    long(0, 1, |_| Some(Operation::ReadCondition)).to(REGISTER).from(&[CARRY]),
    long(0, 2, |_| Some(Operation::ReadAddress)).to(REGISTER).from(&[at(From::Address)]),
    long(0, 3, |value| Some(Operation::ReadSpecial(special_register(value)))).var(LANES).to(REGISTER),
    long(0, 4, store).with(field(54, 2), 3).to(To::Output).from(&[REGISTER3]),
    long(0, 5, |_| Some(Operation::WriteCondition))
        .to(To::Condition)
        .from(&[REGISTER1])
        .ignoring(Field::WRITES_CONDITION),
    long(0, 6, |_| Some(Operation::ShiftIntoAddress)).to(To::Address).from(&[FIRST, at(From::Number(field(16, 4)))]),
    long(0, 7, store).with(field(54, 1), 1).to(To::Shared(Access::U8)).from(&[at(From::Stored)]).only(COMPUTE),
    long(0, 7, store)
        .with(field(54, 1), 0)
        .with(SIZE, 0)
        .to(To::Shared(Access::U16))
        .from(&[at(From::Stored)])
        .only(COMPUTE),
    long(0, 7, store)
        .with(field(54, 2), 0)
        .with(SIZE, 1)
        .to(To::Shared(Access::B32))
        .from(&[at(From::Stored)])
        .only(COMPUTE),
    long(0, 7, |_| Some(Operation::Store { unlocks: true }))
        .with(field(54, 2), 2)
        .with(SIZE, 1)
        .to(To::Shared(Access::B32))
        .from(&[at(From::Stored)])
        .only(COMPUTE)
        .since(Generation::Sm12),
    long(1, 0, moved).var(LANES.and(58, 1).and(57, 1)).from(&[FIRST]),
    long(1, 1, load_all).to(To::Loaded).from(&[at(From::Constant)]),
    TeslaRow {
        condition: ConditionUse::Always,
        ..long(1, 2, |_| Some(Operation::LoadAndLock))
            .with(field(55, 1), 1)
            .with(field(46, 2), 3)
            .to(To::Loaded)
            .from(&[at(From::Shared)])
            .only(COMPUTE)
            .since(Generation::Sm12)
            .ignoring(Field::WRITES_CONDITION)
    },
    long(1, 2, load_all).to(To::Loaded).from(&[at(From::Shared)]).only(COMPUTE).since(Generation::Sm11),
    long(1, 3, |_| Some(Operation::Vote(VoteMode::Any)))
        .with(field(9, 2), 1)
        .to(To::Condition)
        .since(Generation::Sm12)
        .ignoring(Field::WRITES_CONDITION),
    long(1, 3, |_| Some(Operation::Vote(VoteMode::All)))
        .with(field(9, 2), 2)
        .to(To::Condition)
        .since(Generation::Sm12)
        .ignoring(Field::WRITES_CONDITION),
];

/// Variants: the terms that are subtracted, width, saturation.
fn add(value: u32) -> Option<Operation> {
    let (sum, width, saturates) = (SUMS[value as usize & 3], width(bit(value, 2)), bit(value, 3));
    Some(Operation::AddInteger { sum, width, saturates })
}

/// Variants: width, saturation.
fn add_with_carry(value: u32) -> Option<Operation> {
    add(value << 2 | 3)
}

/// Variants: relations, width, signedness.
fn set(value: u32) -> Option<Operation> {
    let operands = integer(bit(value, 3), bit(value, 4));
    Some(Operation::SetInteger { relations: relations(value & 7), operands })
}

fn maximum(value: u32) -> Option<Operation> {
    Some(Operation::MaxInteger(integer(bit(value, 0), bit(value, 1))))
}

fn minimum(value: u32) -> Option<Operation> {
    Some(Operation::MinInteger(integer(bit(value, 0), bit(value, 1))))
}

fn multiply16(value: u32) -> Option<Operation> {
    let product = Product::Bits16 { is_second_signed: bit(value, 0), is_first_signed: bit(value, 1) };
    Some(Operation::MultiplyInteger(product))
}

fn multiply24(value: u32) -> Option<Operation> {
    Some(Operation::MultiplyInteger(Product::Bits24 { is_high: bit(value, 0), is_signed: bit(value, 1) }))
}

/// Variants: the product in three bits and bit 28, the terms that are subtracted.
fn multiply_add(value: u32) -> Option<Operation> {
    let (product, saturates) = product(value & 15)?;
    Some(Operation::MultiplyAddInteger { sum: SUMS[value as usize >> 4], product, saturates })
}

fn multiply_add_with_carry(value: u32) -> Option<Operation> {
    multiply_add(value | 3 << 4)
}

const NOT_CARRY: Field = field(22, 1).and(28, 1);
const SIZE_AND_SIGN: Field = SIZE.and(59, 1);
/// The product of a multiply-add.
const PRODUCT: Field = field(61, 3).and(28, 1);
const SHIFT: SourceRow = at(From::SecondOrCount);

const INTEGERS: &[TeslaRow] = &[
    long(3, 0, add_with_carry).with(field(22, 1), 1).var(SIZE_AND_SIGN).cond().from(&[FIRST, THIRD, CARRY]),
    long(2, 0, add).var(NOT_CARRY.and(58, 2)).cond().from(&[FIRST, THIRD]),
    long(3, 3, set).var(field(46, 3).and(58, 2)).cond().from(&[FIRST, SECOND]),
    long(3, 4, maximum).var(SIZE_AND_SIGN).cond().from(&[FIRST, SECOND]),
    long(3, 5, minimum).var(SIZE_AND_SIGN).cond().from(&[FIRST, SECOND]),
    long(3, 6, |value| Some(Operation::ShiftLeft(width(bit(value, 0))))).var(SIZE).cond().from(&[FIRST, SHIFT]),
    long(3, 7, |value| Some(Operation::ShiftRight(integer(bit(value, 0), bit(value, 1)))))
        .var(SIZE_AND_SIGN)
        .cond()
        .from(&[FIRST, SHIFT]),
    long(4, 0, multiply16).with(field(48, 1), 0).var(field(46, 2)).cond().from(&[FIRST, SECOND]),
    long(4, 0, multiply24).with(field(48, 1), 1).var(field(46, 2)).cond().from(&[FIRST, SECOND]),
    long(5, 0, |value| Some(Operation::SumAbsoluteDifference(integer(bit(value, 0), bit(value, 1)))))
        .var(SIZE_AND_SIGN)
        .cond()
        .from(&[FIRST, SECOND, THIRD]),
    long(6, 0, multiply_add_with_carry).with(field(58, 2), 3).var(PRODUCT).cond().from(&[FIRST, SECOND, THIRD, CARRY]),
    long(6, 0, multiply_add).var(PRODUCT.and(58, 2)).cond().from(&[FIRST, SECOND, THIRD]),
];

const INTERPOLANT: &[SourceRow] = &[at(From::Interpolant)];
const INTERPOLANT_TIMES: &[SourceRow] = &[at(From::Interpolant), REGISTER1.neg(58)];

const fn interpolate(code: u32, operation: fn(u32) -> Option<Operation>, sources: &'static [SourceRow]) -> TeslaRow {
    row(TeslaForm::Long, 8, operation).with(field(48, 3), code).to(REGISTER).from(sources).only(FRAGMENT)
}

const fn center(_: u32) -> Option<Operation> {
    Some(Operation::Interpolate(InterpolationMode::Center))
}

const fn centroid(_: u32) -> Option<Operation> {
    Some(Operation::Interpolate(InterpolationMode::Centroid))
}

const INTERPOLATION: &[TeslaRow] = &[
    interpolate(0, center, INTERPOLANT),
    interpolate(1, centroid, INTERPOLANT),
    interpolate(2, center, INTERPOLANT_TIMES),
    interpolate(3, centroid, INTERPOLANT_TIMES),
    interpolate(4, |_| Some(Operation::Interpolate(InterpolationMode::Flat)), INTERPOLANT),
];

/// The modifiers of the first float operand.
const FLOAT1: SourceRow = FIRST.neg(58).abs(52);
/// The modifiers of the second float operand.
const FLOAT2: SourceRow = SECOND.neg(59).abs(51);

const SPECIAL: &[TeslaRow] = &[
    long(9, 0, |_| Some(Operation::Special(SpecialFunction::Reciprocal))).from(&[REGISTER1.neg(58).abs(52)]),
    long(9, 2, |_| Some(Operation::Special(SpecialFunction::ReciprocalSquareRoot))).from(&[REGISTER1.neg(58).abs(52)]),
    long(9, 3, |_| Some(Operation::Special(SpecialFunction::Log2))).from(&[REGISTER1.neg(58).abs(52)]),
    long(9, 4, |_| Some(Operation::Special(SpecialFunction::Sine))).from(&[REGISTER1]),
    long(9, 5, |_| Some(Operation::Special(SpecialFunction::Cosine))).from(&[REGISTER1]),
    long(9, 6, |value| Some(Operation::Special(SpecialFunction::Exp2 { saturates: bit(value, 0) })))
        .var(field(59, 1))
        .from(&[REGISTER1]),
];

/// Variants: rounding, whose two bits compilers write both or not at all; saturation.
fn add_float(value: u32) -> Option<Operation> {
    let saturates = bit(value, 2);
    // envytools knows no other modes here.
    matches!(value & 3, 0 | 3).then_some(())?;
    Some(Operation::AddFloat { format: FloatType::F32, rounding: ROUNDINGS[value as usize & 3], saturates })
}

fn multiply_float(value: u32) -> Option<Operation> {
    matches!(value & 3, 0 | 3).then_some(())?;
    let (rounding, saturates) = (ROUNDINGS[value as usize & 3], bit(value, 2));
    Some(Operation::MultiplyFloat { format: FloatType::F32, rounding, saturates })
}

const fn set_float(value: u32, format: FloatType) -> Option<Operation> {
    Some(Operation::SetFloat { relations: relations(value), format })
}

/// Variants: the lane in three bits, the steps of lanes 3, 2, 1 and 0.
#[expect(clippy::cast_possible_truncation, reason = "a lane has two bits")]
fn quad(value: u32) -> Option<Operation> {
    let lane = match value & 7 {
        4 | 6 => QuadLane::NeighborX,
        5 | 7 => QuadLane::NeighborY,
        number => QuadLane::Number(number as u8),
    };
    let step = |shift: u32| STEPS[value as usize >> shift & 3];
    Some(Operation::Quad { lane, steps: [step(9), step(7), step(5), step(3)] })
}

const FLOATS: &[TeslaRow] = &[
    long(0xb, 0, add_float).var(field(16, 2).and(61, 1)).cond().from(&[FIRST.neg(58), THIRD.neg(59)]),
    long(0xb, 3, |value| set_float(value, FloatType::F32)).var(field(46, 4)).cond().from(&[FLOAT1, FLOAT2]),
    long(0xb, 4, |_| Some(Operation::MaxFloat(FloatType::F32))).cond().from(&[FLOAT1, FLOAT2]),
    long(0xb, 5, |_| Some(Operation::MinFloat(FloatType::F32))).cond().from(&[FLOAT1, FLOAT2]),
    long(0xb, 6, |_| Some(Operation::PrepareSine)).with(field(46, 1), 0).from(&[FLOAT1]),
    long(0xb, 6, |_| Some(Operation::PrepareExponential)).with(field(46, 1), 1).from(&[FLOAT1]),
    long(0xc, 0, |value| multiply_float(value | 4))
        .with(field(52, 1), 1)
        .var(field(46, 2))
        .cond()
        .from(&[FIRST.neg(58), SECOND.neg(59)])
        .since(Generation::Sm12),
    long(0xc, 0, multiply_float).with(field(52, 1), 0).var(field(46, 2)).cond().from(&[FIRST.neg(58), SECOND.neg(59)]),
    row(TeslaForm::Long, 0xc, |_| Some(Operation::Select))
        .with(field(62, 2), 1)
        .to(To::RegisterOrOutput)
        .cond()
        .from(&[FIRST, SECOND, THIRD.neg(61)]),
    long(0xc, 4, quad).var(field(16, 3).and(20, 2).and(54, 6)).cond().from(&[REGISTER1, REGISTER3]),
    long(0xe, 0, |value| Some(Operation::MultiplyAddFloat { saturates: bit(value, 0) }))
        .var(field(61, 1))
        .cond()
        .from(&[FIRST.neg(58), SECOND, THIRD.neg(59)]),
];

const LOGIC_AND_ADDRESS: &[TeslaRow] = &[
    long(0xd, 0, |value| Some(Operation::Logic { operation: LOGIC[value as usize & 3], width: width(bit(value, 2)) }))
        .var(field(46, 2).and(58, 1))
        .cond()
        .from(&[FIRST.not(48), SECOND.not(49)]),
    long(0xd, 1, |_| Some(Operation::AddAddress))
        .to(To::Address)
        .from(&[at(From::Address), at(From::Number(field(9, 16)))]),
];

/// The rows of loads and stores of local or global memory.
const fn memory_rows(secondary: u32, is_local: bool, is_load: bool) -> [TeslaRow; 7] {
    let mut rows = [long(0xd, secondary, if is_load { load_all } else { store }); 7];
    let mut code = 0;
    while code < 7 {
        let (destination, sources) = places(ACCESSES[code as usize], is_local, is_load);
        rows[code as usize] = TeslaRow {
            destination,
            sources,
            destination_width: Some(wide(ACCESSES[code as usize])),
            kinds: if is_local { !0 } else { COMPUTE },
            ..rows[code as usize].with(field(53, 3), code)
        };
        code += 1;
    }
    rows
}

/// The width of the register that an access fills.
const fn wide(access: Access) -> Width {
    match access {
        Access::B64 => Width::Double,
        Access::B128 => Width::Quad,
        Access::U8 | Access::S8 | Access::U16 | Access::S16 | Access::B32 => Width::Word,
    }
}

const fn places(access: Access, is_local: bool, is_load: bool) -> (To, &'static [SourceRow]) {
    macro_rules! sources {
        ($place:ident: $($access:ident),*) => {
            match access { $( Access::$access => const { &[at(From::$place(Access::$access))] }, )* }
        };
    }
    let stored: &[SourceRow] = match wide(access) {
        Width::Double => const { &[VALUE.wide(Width::Double)] },
        Width::Quad => const { &[VALUE.wide(Width::Quad)] },
        Width::Word | Width::Half => &[VALUE],
    };
    match (is_local, is_load) {
        (true, true) => (REGISTER, sources!(Local: U8, S8, U16, S16, B32, B64, B128)),
        (false, true) => (REGISTER, sources!(Global: U8, S8, U16, S16, B32, B64, B128)),
        (true, false) => (To::Local(access), stored),
        (false, false) => (To::Global(access), stored),
    }
}

/// Variants: the update, the size.
fn reduce(value: u32) -> Option<Operation> {
    use crate::shader::simt::AtomicOperation::{CompareAndSwap, Exchange};
    let (operation, element) = atomic(value & 15, value >> 4)?;
    (!matches!(operation, Exchange | CompareAndSwap)).then_some(Operation::Reduce { operation, element })
}

fn update(value: u32) -> Option<Operation> {
    let (operation, element) = atomic(value & 15, value >> 4)?;
    Some(Operation::Atomic { operation, element })
}

const UPDATE: Field = field(34, 4);
/// Compare and swap.
const SWAP: u32 = 2;
const VALUE: SourceRow = at(From::Register(Field::DESTINATION));

const ATOMICS: &[TeslaRow] = &[
    long(0xd, 6, |value| reduce(value | 4 << 4))
        .with(field(53, 3), 4)
        .var(UPDATE)
        .to(To::Global(Access::B64))
        .from(&[VALUE])
        .only(COMPUTE)
        .since(Generation::Sm12),
    long(0xd, 6, |value| reduce(value + (6 << 4)))
        .with(field(54, 2), 3)
        .var(UPDATE.and(53, 1))
        .to(To::Global(Access::B32))
        .from(&[VALUE])
        .only(COMPUTE)
        .since(Generation::Sm11),
    long(0xd, 7, |_| update(SWAP | 4 << 4))
        .with(field(53, 3), 4)
        .with(UPDATE, SWAP)
        .to(REGISTER)
        .from(&[at(From::Atomic(Access::B64)), REGISTER2, REGISTER3])
        .only(COMPUTE)
        .since(Generation::Sm12),
    long(0xd, 7, |value| update(value | 4 << 4))
        .with(field(53, 3), 4)
        .var(UPDATE)
        .to(REGISTER)
        .from(&[at(From::Atomic(Access::B64)), REGISTER2])
        .only(COMPUTE)
        .since(Generation::Sm12),
    long(0xd, 7, |_| update(SWAP | 6 << 4))
        .with(field(53, 3), 6)
        .with(UPDATE, SWAP)
        .to(REGISTER)
        .from(&[at(From::Atomic(Access::B32)), REGISTER2, REGISTER3])
        .only(COMPUTE)
        .since(Generation::Sm11),
    long(0xd, 7, |value| update(value + (6 << 4)))
        .with(field(54, 2), 3)
        .var(UPDATE.and(53, 1))
        .to(REGISTER)
        .from(&[at(From::Atomic(Access::B32)), REGISTER2])
        .only(COMPUTE)
        .since(Generation::Sm11),
];

const DOUBLES: &[TeslaRow] = &[
    long(0xe, 2, |value| Some(Operation::FusedMultiplyAdd(ROUNDINGS[value as usize])))
        .var(field(54, 2))
        .from(&[REGISTER1.neg(58), REGISTER2, REGISTER3.neg(59)])
        .cond()
        .since(Generation::Sm13),
    long(0xe, 3, |value| {
        let rounding = ROUNDINGS[value as usize];
        Some(Operation::AddFloat { format: FloatType::F64, rounding, saturates: false })
    })
    .var(field(16, 2))
    .from(&[REGISTER1.neg(58), REGISTER3.neg(59)])
    .cond()
    .since(Generation::Sm13),
    long(0xe, 4, |value| {
        let rounding = ROUNDINGS[value as usize];
        Some(Operation::MultiplyFloat { format: FloatType::F64, rounding, saturates: false })
    })
    .var(field(49, 2))
    .from(&[REGISTER1.neg(58), REGISTER2])
    .cond()
    .since(Generation::Sm13),
    long(0xe, 5, |_| Some(Operation::MinFloat(FloatType::F64))).from(DOUBLE_SOURCES).cond().since(Generation::Sm13),
    long(0xe, 6, |_| Some(Operation::MaxFloat(FloatType::F64))).from(DOUBLE_SOURCES).cond().since(Generation::Sm13),
    long(0xe, 7, |value| set_float(value, FloatType::F64))
        .var(field(46, 4))
        .from(DOUBLE_SOURCES)
        .cond()
        .since(Generation::Sm13),
];

const DOUBLE_SOURCES: &[SourceRow] = &[REGISTER1.neg(58).abs(52), REGISTER2.neg(59).abs(51)];

const FETCH: &[SourceRow] = &[at(From::Texture), at(From::Coordinates)];
const FETCH_WITH_OFFSETS: &[SourceRow] = &[at(From::Texture), at(From::Coordinates), at(From::TexelOffset)];

/// Variants: whether results of helper threads are not needed, derivatives.
const fn sampled(value: u32, source: TextureSource, is_cube: bool) -> Option<Operation> {
    let (is_live_only, uses_derivatives) = (bit(value, 0), bit(value, 1));
    Some(Operation::Texture(TextureSample { source, is_cube, is_live_only, uses_derivatives }))
}

const fn texture(secondary: u32, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    row(TeslaForm::Long, 0xf, operation)
        .with(field(60, 4), secondary << 1)
        .var(field(34, 2))
        .to(To::Texture)
        .from(FETCH_WITH_OFFSETS)
}

const fn cube(secondary: u32, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    texture(secondary, operation).with(field(27, 1), 1).from(FETCH)
}

const NOT_CUBE: Field = field(27, 1);
const ALTERNATIVE: Field = field(24, 1);
const QUERY: Field = field(48, 4);

const TEXTURES: &[TeslaRow] = &[
    texture(0, |value| sampled(value, TextureSource::Automatic, false)).with(NOT_CUBE, 0).with(ALTERNATIVE, 0),
    cube(0, |value| sampled(value, TextureSource::Automatic, true)).with(ALTERNATIVE, 0),
    texture(0, |value| sampled(value, TextureSource::Texel, false)).with(ALTERNATIVE, 1),
    texture(1, |value| sampled(value, TextureSource::Bias, false)).with(NOT_CUBE, 0),
    cube(1, |value| sampled(value, TextureSource::Bias, true)),
    texture(2, |value| sampled(value, TextureSource::Lod, false)).with(NOT_CUBE, 0),
    cube(2, |value| sampled(value, TextureSource::Lod, true)),
    texture(3, |value| sampled(value, TextureSource::Size, false))
        .with(QUERY, 0)
        .from(&[at(From::Texture), at(From::Register(Field::DESTINATION))]),
    cube(3, |value| sampled(value, TextureSource::PrepareCube, true)).with(QUERY, 1).since(Generation::Gt215),
    texture(3, |value| sampled(value, TextureSource::QueryLod, false))
        .with(QUERY, 2)
        .with(NOT_CUBE, 0)
        .from(FETCH)
        .since(Generation::Gt215),
    cube(3, |value| sampled(value, TextureSource::QueryLod, true)).with(QUERY, 2).since(Generation::Gt215),
    texture(4, |value| sampled(value, TextureSource::Coverage, false)).with(ALTERNATIVE, 0),
    texture(4, |value| sampled(value, TextureSource::Gather, false))
        .with(NOT_CUBE, 0)
        .with(ALTERNATIVE, 1)
        .since(Generation::Gt215),
    cube(4, |value| sampled(value, TextureSource::Gather, true)).with(ALTERNATIVE, 1).since(Generation::Gt215),
];

const OTHERS: &[TeslaRow] = &[
    long(0xf, 6, |_| Some(Operation::Emit)).with(field(9, 2), 1).to(To::None).only(GEOMETRY),
    long(0xf, 6, |_| Some(Operation::RestartStrip)).with(field(9, 2), 2).to(To::None).only(GEOMETRY),
    long(0xf, 7, |_| Some(Operation::Nothing)).with(field(34, 1), 0).to(To::None),
    long(0xf, 7, |_| Some(Operation::PerformanceEvent))
        .with(field(34, 1), 1)
        .to(To::None)
        .from(&[at(From::Number(field(10, 4)))]),
];
