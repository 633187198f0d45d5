//! What the arithmetic operations compute for each lane, by the functions of [`arith::tesla`](crate::arith::tesla).

use super::warp::{Lanes, ZEROS, lanes_of};
use crate::arith::tesla::convert::{Conversion, ConversionFormat, convert};
use crate::arith::tesla::{Comparison, Flags, Rounding, float, integer, special};
use crate::pipeline::launch::WARP_THREADS;
use crate::shader::simt::{
    Convert, FloatType, IntegerType, LogicOperation, NumberFormat, Operation, Product, Relations, Source,
    SpecialFunction, Width,
};

/// The results of an operation.
pub(super) struct Results {
    /// The values.
    pub(super) values: Lanes,
    /// Their flags; those of operations without flags, and where none are wanted, have no meaning.
    pub(super) flags: [Flags; WARP_THREADS as usize],
}

/// The lanes that compute, and whether their flags are wanted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) threads: u32,
    pub(super) flags: bool,
}

impl Wanted {
    /// Values whose flags follow from them.
    fn values(self, value: impl Fn(usize) -> u32, flags: impl Fn(u32) -> Flags) -> Results {
        let mut results = Results { values: ZEROS, flags: [Flags::default(); WARP_THREADS as usize] };
        for lane in lanes_of(self.threads) {
            results.values[lane] = value(lane);
        }
        if self.flags {
            for lane in lanes_of(self.threads) {
                results.flags[lane] = flags(results.values[lane]);
            }
        }
        results
    }

    /// Values with flags of their own.
    fn flagged(self, value: impl Fn(usize) -> (u32, Flags)) -> Results {
        let mut results = Results { values: ZEROS, flags: [Flags::default(); WARP_THREADS as usize] };
        for lane in lanes_of(self.threads) {
            (results.values[lane], results.flags[lane]) = value(lane);
        }
        results
    }

    fn floats(self, saturates: bool, value: impl Fn(usize) -> u32) -> Results {
        let value = |lane| if saturates { float::saturate(value(lane)) } else { value(lane) };
        self.values(value, float::float_flags)
    }

    fn integers(self, bits: u32, value: impl Fn(usize) -> u32) -> Results {
        self.values(value, |result| integer::integer_flags(result, bits))
    }
}

/// Computes an operation for lanes. `sources` are the operands with the modifiers of floats, `modifiers` the sources
/// with those of other operations, `carry` the flags of the condition register that a sum with carry reads. `None` for
/// operations that are not emulated.
pub(super) fn operate(
    operation: Operation,
    wanted: Wanted,
    [a, b, c]: &[Lanes; 3],
    modifiers: &[Source],
    carry: &[u8; WARP_THREADS as usize],
) -> Option<Results> {
    let carries = |lane: usize| Flags::from_bits(carry[lane].into()).carry();
    Some(match operation {
        Operation::Move { .. } => wanted.integers(32, |lane| a[lane]),
        Operation::AddInteger { sum, width, saturates } => {
            let bits = bits(width);
            wanted.flagged(|lane| integer::sum(a[lane], b[lane], sum, carries(lane), bits, saturates))
        }
        Operation::SetInteger { relations, operands: IntegerType { width, is_signed } } => {
            let bits = bits(width);
            let holds = |lane: usize| holds(relations, integer::compare(a[lane], b[lane], bits, is_signed));
            wanted.integers(bits, |lane| if holds(lane) { u32::MAX } else { 0 })
        }
        Operation::MaxInteger(IntegerType { width, is_signed }) => {
            let bits = bits(width);
            wanted.integers(bits, |lane| integer::maximum(a[lane], b[lane], bits, is_signed))
        }
        Operation::MinInteger(IntegerType { width, is_signed }) => {
            let bits = bits(width);
            wanted.integers(bits, |lane| integer::minimum(a[lane], b[lane], bits, is_signed))
        }
        Operation::ShiftLeft(width) => wanted.flagged(|lane| integer::shift_left(a[lane], b[lane], bits(width))),
        Operation::ShiftRight(IntegerType { width, is_signed }) => {
            wanted.flagged(|lane| integer::shift_right(a[lane], b[lane], bits(width), is_signed))
        }
        Operation::MultiplyInteger(product) => wanted.integers(32, |lane| multiply(product, a[lane], b[lane])),
        Operation::SumAbsoluteDifference(IntegerType { width, is_signed }) => {
            let bits = bits(width);
            wanted.flagged(|lane| integer::sum_absolute_difference(a[lane], b[lane], c[lane], bits, is_signed))
        }
        Operation::MultiplyAddInteger { sum, product, saturates } => wanted.flagged(|lane| {
            let product = multiply(product, a[lane], b[lane]);
            integer::sum(product, c[lane], sum, carries(lane), 32, saturates)
        }),
        Operation::Logic { operation, width } => {
            let inverted = |source: usize, value: u32| {
                if modifiers.get(source).is_some_and(|source| source.invert) { !value } else { value }
            };
            wanted.integers(bits(width), |lane| combine(operation, inverted(0, a[lane]), inverted(1, b[lane])))
        }
        Operation::Convert(conversion) => {
            let conversion = conversion_of(conversion, modifiers.first()?)?;
            wanted.flagged(|lane| convert(a[lane], &conversion))
        }
        _ => return operate_on_floats(operation, wanted, [a, b, c]),
    })
}

/// The same for operations on floats.
fn operate_on_floats(operation: Operation, wanted: Wanted, [a, b, c]: [&Lanes; 3]) -> Option<Results> {
    Some(match operation {
        Operation::AddFloat { format: FloatType::F32, rounding, saturates } => {
            wanted.floats(saturates, |lane| float::add(a[lane], b[lane], rounding))
        }
        Operation::MultiplyFloat { format: FloatType::F32, rounding, saturates } => {
            wanted.floats(saturates, |lane| float::multiply(a[lane], b[lane], rounding))
        }
        Operation::MultiplyAddFloat { saturates } => {
            wanted.floats(saturates, |lane| float::multiply_add(a[lane], b[lane], c[lane]))
        }
        Operation::SetFloat { relations, format: FloatType::F32 } => {
            let holds = |lane: usize| holds(relations, float::compare(a[lane], b[lane]));
            wanted.integers(32, |lane| if holds(lane) { u32::MAX } else { 0 })
        }
        Operation::MaxFloat(FloatType::F32) => wanted.floats(false, |lane| float::maximum(a[lane], b[lane])),
        Operation::MinFloat(FloatType::F32) => wanted.floats(false, |lane| float::minimum(a[lane], b[lane])),
        Operation::Select => wanted.values(|lane| float::select(a[lane], b[lane], c[lane]), float::select_flags),
        Operation::Special(function) => {
            let (function, saturates): (fn(u32) -> u32, bool) = match function {
                SpecialFunction::Reciprocal => (special::reciprocal, false),
                SpecialFunction::ReciprocalSquareRoot => (special::reciprocal_square_root, false),
                SpecialFunction::Log2 => (special::log2, false),
                SpecialFunction::Sine => (special::sine, false),
                SpecialFunction::Cosine => (special::cosine, false),
                SpecialFunction::Exp2 { saturates } => (special::exp2, saturates),
            };
            wanted.floats(saturates, |lane| function(a[lane]))
        }
        Operation::PrepareSine => wanted.floats(false, |lane| special::prepare_sine(a[lane])),
        Operation::PrepareExponential => wanted.floats(false, |lane| special::prepare_exponential(a[lane])),
        _ => return None,
    })
}

/// The bits of an integer operand.
const fn bits(width: Width) -> u32 {
    match width {
        Width::Half => 16,
        Width::Word | Width::Double | Width::Quad => 32,
    }
}

const fn multiply(product: Product, a: u32, b: u32) -> u32 {
    match product {
        Product::Bits16 { is_first_signed, is_second_signed } => {
            integer::multiply_16(a, b, is_first_signed, is_second_signed)
        }
        Product::Bits24 { is_signed, is_high } => integer::multiply_24(a, b, is_signed, is_high),
    }
}

const fn combine(operation: LogicOperation, a: u32, b: u32) -> u32 {
    match operation {
        LogicOperation::And => a & b,
        LogicOperation::Or => a | b,
        LogicOperation::Xor => a ^ b,
        LogicOperation::Second => b,
    }
}

/// Whether a comparison has one of the relations.
const fn holds(relations: Relations, comparison: Comparison) -> bool {
    match comparison {
        Comparison::Less => relations.less,
        Comparison::Equal => relations.equal,
        Comparison::Greater => relations.greater,
        Comparison::Unordered => relations.unordered,
    }
}

/// The conversion with the modifiers of its source; `None` for 64-bit numbers.
fn conversion_of(conversion: Convert, source: &Source) -> Option<Conversion> {
    let format = |format: NumberFormat| match format {
        NumberFormat::Unsigned(bits @ (8 | 16 | 32)) => {
            Some(ConversionFormat::Integer { bits: bits.into(), is_signed: false })
        }
        NumberFormat::Signed(bits @ (8 | 16 | 32)) => {
            Some(ConversionFormat::Integer { bits: bits.into(), is_signed: true })
        }
        NumberFormat::Float(16) => Some(ConversionFormat::F16),
        NumberFormat::Float(32) => Some(ConversionFormat::F32),
        _ => None,
    };
    Some(Conversion {
        from: format(conversion.from)?,
        to: format(conversion.to)?,
        absolute: source.absolute,
        negate: source.negate,
        rounding: conversion.rounding.unwrap_or(Rounding::NearestEven),
        rounds_to_integer: conversion.rounds_to_integer,
        saturates: conversion.saturates,
    })
}
