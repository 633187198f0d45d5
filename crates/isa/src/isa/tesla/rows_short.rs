//! The rows of short, immediate and control instructions.

use super::table::{
    DestinationPlace as To, FIRST, FRAGMENT, SECOND, SourcePlace as From, SourceRow, TeslaRow, at, row,
};
use super::variants::{LOGIC, SUMS, bit, integer, moved, short_product, width};
use super::word::{TeslaField as Field, TeslaForm, field};
use crate::shader::simt::{
    BarrierThreads, FloatType, InterpolationMode, Operation, Product, Rounding, SpecialFunction,
    TeslaGeneration as Generation, TextureSample, TextureSource, Width,
};

/// The tables in the order in which they are tried.
pub(super) const TABLES: &[&[TeslaRow]] = &[SHORT, IMMEDIATE, CONTROL];

const IMMEDIATE_SOURCE: SourceRow = at(From::Number(Field::IMMEDIATE));
/// The destination, read as the third source.
const THIRD: SourceRow = at(From::Register(Field::SHORT_DESTINATION));
/// The carry of short and immediate instructions is that of $c0.
const CARRY: SourceRow = at(From::Condition(Field::NONE));
const REGISTER: SourceRow = at(From::Register(Field::SHORT_SOURCE1));
const SHORT_TO: To = To::Register(Field::SHORT_DESTINATION);
const TEXTURE: &[SourceRow] = &[at(From::Texture), at(From::Coordinates)];

const fn short(opcode: u8, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    row(TeslaForm::Short, opcode, operation).to(SHORT_TO)
}

const fn immediate(opcode: u8, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    row(TeslaForm::Immediate, opcode, operation).to(SHORT_TO)
}

/// The bits of a sum: which terms are subtracted.
const SUM: Field = field(22, 1).and(28, 1);

/// Variants: width, saturation.
fn add_with_carry(value: u32) -> Option<Operation> {
    add(value << 2 | 3)
}

/// Variants: sum, width, saturation.
fn add(value: u32) -> Option<Operation> {
    let (sum, width, saturates) = (SUMS[value as usize & 3], width(bit(value, 2)), bit(value, 3));
    Some(Operation::AddInteger { sum, width, saturates })
}

/// Variants: whether each operand is signed.
fn multiply16(value: u32) -> Option<Operation> {
    let product = Product::Bits16 { is_first_signed: bit(value, 0), is_second_signed: bit(value, 1) };
    Some(Operation::MultiplyInteger(product))
}

/// Variants: signed, high.
fn multiply24(value: u32) -> Option<Operation> {
    Some(Operation::MultiplyInteger(Product::Bits24 { is_signed: bit(value, 0), is_high: bit(value, 1) }))
}

/// Variants: the product, the sum.
fn multiply_add(value: u32) -> Option<Operation> {
    let (product, saturates) = short_product(value & 3);
    Some(Operation::MultiplyAddInteger { sum: SUMS[value as usize >> 2], product, saturates })
}

/// Variants: the product.
fn multiply_add_with_carry(value: u32) -> Option<Operation> {
    multiply_add(value | 3 << 2)
}

const fn add_float(saturates: bool) -> Option<Operation> {
    Some(Operation::AddFloat { format: FloatType::F32, rounding: Rounding::NearestEven, saturates })
}

const fn multiply_float(saturates: bool) -> Option<Operation> {
    Some(Operation::MultiplyFloat { format: FloatType::F32, rounding: Rounding::NearestEven, saturates })
}

/// Variants: none, or whether results of helper threads are not needed.
fn texture(value: u32, source: TextureSource) -> Option<Operation> {
    let is_live_only = bit(value, 0);
    Some(Operation::Texture(TextureSample { source, is_cube: false, is_live_only, uses_derivatives: false }))
}

const SATURATION: Field = field(8, 1);
const SIZE: Field = field(15, 1);
/// The bits of a multiply-add: the product, then the sum.
const PRODUCT: Field = field(8, 1).and(15, 1).and(22, 1).and(28, 1);

const SHORT: &[TeslaRow] = &[
    short(1, |value| Some(moved(bit(value, 0), bit(value, 1)))).var(SIZE.and(17, 1)).from(&[FIRST]),
    short(3, add_with_carry).with(SUM, 3).var(SIZE.and(8, 1)).from(&[FIRST, SECOND, CARRY]),
    short(2, add).var(SUM.and(15, 1).and(8, 1)).from(&[FIRST, SECOND]),
    short(4, multiply16).with(field(22, 1), 0).var(SIZE.and(8, 1)).from(&[FIRST, SECOND]),
    short(4, multiply24).with(field(22, 1), 1).var(SIZE.and(8, 1)).from(&[FIRST, SECOND]),
    short(5, |value| Some(Operation::SumAbsoluteDifference(integer(bit(value, 0), bit(value, 1)))))
        .var(SIZE.and(8, 1))
        .from(&[REGISTER, at(From::Register(Field::SHORT_SOURCE2)), THIRD]),
    short(7, multiply_add_with_carry).with(SUM, 3).var(SATURATION.and(15, 1)).from(&[FIRST, SECOND, THIRD, CARRY]),
    short(6, multiply_add).var(PRODUCT).from(&[FIRST, SECOND, THIRD]),
    interpolate(0, InterpolationMode::Center, INTERPOLANT),
    interpolate(0x0100_0000, InterpolationMode::Centroid, INTERPOLANT),
    interpolate(0x0200_0000, InterpolationMode::Center, INTERPOLANT_TIMES),
    interpolate(0x0300_0000, InterpolationMode::Centroid, INTERPOLANT_TIMES),
    interpolate(0x0000_0100, InterpolationMode::Flat, INTERPOLANT),
    short(9, |_| Some(Operation::Special(SpecialFunction::Reciprocal))).from(&[REGISTER.neg(22).abs(15)]),
    short(0xb, |value| add_float(bit(value, 0))).var(SATURATION).from(&[FIRST.neg(15), SECOND.neg(22)]),
    short(0xc, |_| multiply_float(false)).with(SATURATION, 0).from(&[FIRST.neg(15), SECOND.neg(22)]),
    short(0xc, |_| multiply_float(true))
        .with(SATURATION, 1)
        .from(&[FIRST.neg(15), SECOND.neg(22)])
        .since(Generation::Sm12),
    short(0xe, |value| Some(Operation::MultiplyAddFloat { saturates: bit(value, 0) })).var(SATURATION).from(&[
        FIRST.neg(15),
        SECOND,
        THIRD.neg(22),
    ]),
    short(0xf, |value| texture(value, TextureSource::Automatic))
        .with(field(24, 1), 0)
        .var(SATURATION)
        .to(To::ShortTexture)
        .from(TEXTURE),
    short(0xf, |value| texture(value, TextureSource::Texel))
        .with(field(24, 1), 1)
        .var(SATURATION)
        .to(To::ShortTexture)
        .from(TEXTURE),
    row(TeslaForm::ShortControl, 9, |_| Some(Operation::Trap)),
    row(TeslaForm::ShortControl, 0xb, |_| Some(Operation::Breakpoint)).since(Generation::Sm11),
];

const INTERPOLANT: &[SourceRow] = &[at(From::Interpolant)];
const INTERPOLANT_TIMES: &[SourceRow] = &[at(From::Interpolant), REGISTER];

/// Interpolation; `bits` are values of bits 8, 24 and 25.
const fn interpolate(bits: u64, mode: InterpolationMode, sources: &'static [SourceRow]) -> TeslaRow {
    let operation: fn(u32) -> Option<Operation> = match mode {
        InterpolationMode::Center => |_| Some(Operation::Interpolate(InterpolationMode::Center)),
        InterpolationMode::Centroid => |_| Some(Operation::Interpolate(InterpolationMode::Centroid)),
        InterpolationMode::Flat => |_| Some(Operation::Interpolate(InterpolationMode::Flat)),
    };
    let selector = field(8, 1).and(24, 2);
    short(8, operation).with(selector, selector.get(bits)).from(sources).only(FRAGMENT)
}

const IMMEDIATE: &[TeslaRow] = &[
    immediate(1, |value| Some(moved(bit(value, 0), false)))
        .var(SIZE)
        .to(To::Register(Field::DESTINATION))
        .from(&[IMMEDIATE_SOURCE]),
    immediate(3, add_with_carry).with(SUM, 3).var(SIZE.and(8, 1)).from(&[FIRST, IMMEDIATE_SOURCE, CARRY]),
    immediate(2, add).var(SUM.and(15, 1).and(8, 1)).from(&[FIRST, IMMEDIATE_SOURCE]),
    immediate(4, multiply16).with(field(22, 1), 0).var(SIZE.and(8, 1)).from(&[FIRST, IMMEDIATE_SOURCE]),
    immediate(4, multiply24).with(field(22, 1), 1).var(SIZE.and(8, 1)).from(&[FIRST, IMMEDIATE_SOURCE]),
    immediate(7, multiply_add_with_carry).with(SUM, 3).var(SATURATION.and(15, 1)).from(&[
        FIRST,
        IMMEDIATE_SOURCE,
        THIRD,
        CARRY,
    ]),
    immediate(6, multiply_add).var(PRODUCT).from(&[FIRST, IMMEDIATE_SOURCE, THIRD]),
    immediate(0xb, |value| add_float(bit(value, 0))).var(SATURATION).from(&[FIRST.neg(15), IMMEDIATE_SOURCE.neg(22)]),
    immediate(0xc, |_| multiply_float(false)).with(SATURATION, 0).from(&[FIRST.neg(15), IMMEDIATE_SOURCE.neg(22)]),
    immediate(0xc, |_| multiply_float(true))
        .with(SATURATION, 1)
        .from(&[FIRST.neg(15), IMMEDIATE_SOURCE.neg(22)])
        .since(Generation::Sm12),
    immediate(0xd, |value| Some(Operation::Logic { operation: LOGIC[value as usize], width: Width::Word }))
        .var(SATURATION.and(15, 1))
        .from(&[FIRST.not(22), IMMEDIATE_SOURCE]),
    immediate(0xe, |value| Some(Operation::MultiplyAddFloat { saturates: bit(value, 0) })).var(SATURATION).from(&[
        FIRST.neg(15),
        IMMEDIATE_SOURCE,
        THIRD.neg(22),
    ]),
];

const fn control(opcode: u8, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    // Compilers write a predicate that is always true, which these do not have.
    row(TeslaForm::Control, opcode, operation).ignoring(Field::PREDICATE).ignoring(Field::CONDITION)
}

const fn predicated(opcode: u8, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    TeslaRow { is_predicated: true, ..row(TeslaForm::Control, opcode, operation) }
}

const LIMIT: Field = field(38, 1);
const TARGET: &[SourceRow] = &[at(From::Target)];
const BARRIER: SourceRow = at(From::Number(field(21, 4)));

/// Variants: arrival, waiting.
const fn barrier(value: u32, threads: BarrierThreads) -> Option<Operation> {
    Some(Operation::Barrier { arrives: bit(value, 0), waits: bit(value, 1), threads })
}

const CONTROL: &[TeslaRow] = &[
    predicated(0, |_| Some(Operation::Discard)).only(FRAGMENT),
    predicated(1, |_| Some(Operation::Branch)).from(TARGET),
    control(2, |value| Some(Operation::Call { is_limited: bit(value, 0) })).var(LIMIT).from(TARGET),
    predicated(3, |_| Some(Operation::Return)),
    control(4, |_| Some(Operation::PushBreak)).from(TARGET),
    predicated(5, |_| Some(Operation::Break)),
    control(6, |_| Some(Operation::EnterQuads)),
    control(7, |_| Some(Operation::LeaveQuads)),
    control(8, |value| barrier(value, BarrierThreads::Count))
        .with(field(46, 1), 0)
        .var(field(25, 2))
        .from(&[BARRIER, at(From::Number(field(9, 12)))]),
    control(8, |value| barrier(value, BarrierThreads::All)).with(field(46, 1), 1).var(field(25, 2)).from(&[BARRIER]),
    control(9, |_| Some(Operation::Trap)),
    control(0xa, |_| Some(Operation::PushJoin)).from(TARGET),
    predicated(0xb, |_| Some(Operation::Breakpoint)).since(Generation::Sm11),
    control(0xc, |value| Some(Operation::BranchIndirect { is_limited: bit(value, 0) }))
        .var(LIMIT)
        .from(&[at(From::ConstantTarget)])
        .since(Generation::Gt215),
    control(0xd, |value| Some(Operation::PushReturn { is_limited: bit(value, 0) }))
        .var(LIMIT)
        .from(TARGET)
        .since(Generation::Gt215),
];
