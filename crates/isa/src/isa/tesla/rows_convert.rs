//! The rows of conversions, by the kinds of number of source and destination.

use super::table::{DestinationPlace as To, FIRST, REGISTER1, SourceRow, TeslaRow, row};
use super::variants::{ROUNDINGS, bit, width};
use super::word::{TeslaField as Field, TeslaForm, field};
use crate::shader::simt::{Convert, NumberFormat, Operation, Rounding, TeslaGeneration as Generation, Width};

/// Whether the source is of one kind and the destination of another.
#[derive(Debug, Clone, Copy)]
enum Kind {
    IntegerToInteger,
    IntegerToFloat,
    FloatToInteger,
    FloatToFloat,
}

/// Whether integers are signed, or floats are rounded to integers.
const SIGNED_OR_INTEGRAL: Field = field(59, 1);
const TO_WORD: Field = field(58, 1);
const DOUBLE: Field = field(54, 1);
const EIGHT_OR_SATURATE: Field = field(51, 1);
const ROUNDING: Field = field(49, 2);
const INTEGER_SOURCE: Field = field(46, 3);
/// Whether a float source is a word, or two with the bit for doubles.
const FLOAT_SOURCE: Field = field(46, 1);

const SOURCE: &[SourceRow] = &[FIRST.neg(61).abs(52)];
/// A double, or an 8-bit integer in a word: a register only.
const REGISTER_SOURCE: &[SourceRow] = &[REGISTER1.neg(61).abs(52)];

const fn convert(kind: Kind, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    row(TeslaForm::Long, 0xa, operation).with(field(62, 2), kind as u32).to(To::RegisterOrOutput).cond().from(SOURCE)
}

const fn float(bits: u8) -> (NumberFormat, Width) {
    (NumberFormat::Float(bits), width_of(bits))
}

const fn integer(bits: u8, is_signed: bool) -> (NumberFormat, Width) {
    let format = if is_signed { NumberFormat::Signed(bits) } else { NumberFormat::Unsigned(bits) };
    (format, width_of(bits))
}

const fn width_of(bits: u8) -> Width {
    match bits {
        16 => Width::Half,
        32 => Width::Word,
        _ => Width::Double,
    }
}

/// 16 or 32 bits.
const fn size(is_word: bool) -> u8 {
    if is_word { 32 } else { 16 }
}

const fn rounding(value: u32) -> Option<Rounding> {
    Some(ROUNDINGS[(value & 3) as usize])
}

const fn exact((from, from_width): (NumberFormat, Width), (to, to_width): (NumberFormat, Width)) -> Convert {
    Convert { to, to_width, from, from_width, rounding: None, rounds_to_integer: false, saturates: false }
}

/// The integer source of three bits; 8-bit integers are in halves or in words.
const fn integer_source(code: u32) -> (NumberFormat, Width) {
    let (bits, width) = match code & 3 {
        0 => (16, Width::Half),
        1 => (32, Width::Word),
        2 => (8, Width::Half),
        _ => (8, Width::Word),
    };
    (integer(bits, bit(code, 2)).0, width)
}

/// Variants: the integer source, whether the destination has 8 bits, is a word, is signed.
fn integer_to_integer(value: u32) -> Option<Operation> {
    let (is_byte, is_word, is_signed) = (bit(value, 3), bit(value, 4), bit(value, 5));
    let format = integer(if is_byte { 8 } else { size(is_word) }, is_signed).0;
    Some(Operation::Convert(exact(integer_source(value & 7), (format, width(is_word)))))
}

/// Variants: the integer source, rounding, saturation, whether the destination is a word.
fn integer_to_float(value: u32) -> Option<Operation> {
    let exact = exact(integer_source(value & 7), float(size(bit(value, 6))));
    Some(Operation::Convert(Convert { rounding: rounding(value >> 3), saturates: bit(value, 5), ..exact }))
}

/// Variants: whether the source is signed, rounding, saturation.
fn to_float(value: u32, from: u8, to: u8) -> Option<Operation> {
    let exact = exact(integer(from, bit(value, 0)), float(to));
    Some(Operation::Convert(Convert { rounding: rounding(value >> 1), saturates: bit(value, 3), ..exact }))
}

/// Variants: rounding, whether the destination is signed.
fn to_integer(value: u32, from: u8, to: u8) -> Option<Operation> {
    let exact = exact(float(from), integer(to, bit(value, 2)));
    Some(Operation::Convert(Convert { rounding: rounding(value), ..exact }))
}

/// Variants: rounding, whether the destination is signed, whether it is a word, whether the source is a word.
fn float_to_integer(value: u32) -> Option<Operation> {
    to_integer(value, size(bit(value, 4)), size(bit(value, 3)))
}

/// Variants: saturation.
fn float_to_float(value: u32, from: u8, to: u8) -> Option<Operation> {
    Some(Operation::Convert(Convert { saturates: bit(value, 0), ..exact(float(from), float(to)) }))
}

/// Variants: rounding, saturation.
fn float_to_integral(value: u32, bits: u8) -> Option<Operation> {
    let exact = exact(float(bits), float(bits));
    let saturates = bit(value, 2);
    Some(Operation::Convert(Convert { rounding: rounding(value), rounds_to_integer: true, saturates, ..exact }))
}

/// Variants: rounding, saturation.
fn narrow_float(value: u32, from: u8, to: u8) -> Option<Operation> {
    let exact = exact(float(from), float(to));
    Some(Operation::Convert(Convert { rounding: rounding(value), saturates: bit(value, 2), ..exact }))
}

const fn float_row(operation: fn(u32) -> Option<Operation>, to_word: u32, from_word: u32) -> TeslaRow {
    convert(Kind::FloatToFloat, operation).with(DOUBLE, 0).with(TO_WORD, to_word).with(FLOAT_SOURCE, from_word)
}

const fn double_row(kind: Kind, operation: fn(u32) -> Option<Operation>, to_word: u32, from_word: u32) -> TeslaRow {
    convert(kind, operation)
        .with(DOUBLE, 1)
        .with(TO_WORD, to_word)
        .with(FLOAT_SOURCE, from_word)
        .since(Generation::Sm13)
}

const ROUNDING_AND_SATURATION: Field = field(49, 3);
const ROUNDING_AND_SIGN: Field = ROUNDING.and(59, 1);
const SIGN_ROUNDING_AND_SATURATION: Field = field(48, 1).and(49, 3);

pub(super) const TABLE: &[TeslaRow] = &[
    float_row(|value| float_to_float(value, 16, 16), 0, 0).with(SIGNED_OR_INTEGRAL, 0).var(EIGHT_OR_SATURATE),
    float_row(|value| float_to_integral(value, 16), 0, 0).with(SIGNED_OR_INTEGRAL, 1).var(ROUNDING_AND_SATURATION),
    float_row(|value| narrow_float(value, 32, 16), 0, 1).var(ROUNDING_AND_SATURATION),
    float_row(|value| float_to_float(value, 32, 32), 1, 1).with(SIGNED_OR_INTEGRAL, 0).var(EIGHT_OR_SATURATE),
    float_row(|value| float_to_integral(value, 32), 1, 1).with(SIGNED_OR_INTEGRAL, 1).var(ROUNDING_AND_SATURATION),
    float_row(|value| float_to_float(value, 16, 32), 1, 0).var(EIGHT_OR_SATURATE),
    double_row(Kind::FloatToFloat, |value| narrow_float(value, 64, 32), 0, 1).var(ROUNDING).from(REGISTER_SOURCE),
    double_row(Kind::FloatToFloat, |value| float_to_float(value, 64, 64), 1, 1)
        .with(SIGNED_OR_INTEGRAL, 0)
        .from(REGISTER_SOURCE),
    double_row(Kind::FloatToFloat, |value| float_to_integral(value, 64), 1, 1)
        .with(SIGNED_OR_INTEGRAL, 1)
        .var(ROUNDING)
        .from(REGISTER_SOURCE),
    double_row(Kind::FloatToFloat, |value| float_to_float(value, 32, 64), 1, 0),
    convert(Kind::FloatToInteger, float_to_integer).with(DOUBLE, 0).var(ROUNDING_AND_SIGN.and(58, 1).and(46, 1)),
    double_row(Kind::FloatToInteger, |value| to_integer(value, 64, 32), 0, 1)
        .var(ROUNDING_AND_SIGN)
        .from(REGISTER_SOURCE),
    double_row(Kind::FloatToInteger, |value| to_integer(value, 32, 64), 1, 0).var(ROUNDING_AND_SIGN),
    double_row(Kind::FloatToInteger, |value| to_integer(value, 64, 64), 1, 1)
        .var(ROUNDING_AND_SIGN)
        .from(REGISTER_SOURCE),
    convert(Kind::IntegerToFloat, |value| byte_in_word(value, integer_to_float))
        .with(DOUBLE, 0)
        .with(field(46, 2), 3)
        .var(field(48, 1).and(49, 3).and(58, 1))
        .from(REGISTER_SOURCE),
    convert(Kind::IntegerToFloat, integer_to_float).with(DOUBLE, 0).var(INTEGER_SOURCE.and(49, 3).and(58, 1)),
    double_row(Kind::IntegerToFloat, |value| to_float(value, 32, 64), 1, 0).var(SIGN_ROUNDING_AND_SATURATION),
    double_row(Kind::IntegerToFloat, |value| to_float(value, 64, 32), 0, 1)
        .var(SIGN_ROUNDING_AND_SATURATION)
        .from(REGISTER_SOURCE),
    double_row(Kind::IntegerToFloat, |value| to_float(value, 64, 64), 1, 1)
        .var(SIGN_ROUNDING_AND_SATURATION)
        .from(REGISTER_SOURCE),
    convert(Kind::IntegerToInteger, |value| byte_in_word(value, integer_to_integer))
        .with(field(46, 2), 3)
        .var(field(48, 1).and(51, 1).and(58, 2))
        .from(REGISTER_SOURCE),
    convert(Kind::IntegerToInteger, integer_to_integer).var(INTEGER_SOURCE.and(51, 1).and(58, 2)),
];

/// The variant of a source that is an 8-bit integer in a word, without the two bits that say so.
fn byte_in_word(value: u32, operation: fn(u32) -> Option<Operation>) -> Option<Operation> {
    operation(value << 2 | 3)
}
