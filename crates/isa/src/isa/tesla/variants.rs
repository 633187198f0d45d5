//! The values of bits that select a variant of an operation.

use crate::shader::simt::{
    Access, AtomicOperation, Condition, ElementType, IntegerSum, IntegerType, LogicOperation, Operation, Product,
    QuadStep, Relations, Rounding, SpecialRegister, Width,
};

/// Bit `position` of a variant.
pub(super) const fn bit(value: u32, position: u32) -> bool {
    value >> position & 1 != 0
}

/// Integer sums by their two bits.
pub(super) const SUMS: [IntegerSum; 4] =
    [IntegerSum::Add, IntegerSum::Subtract, IntegerSum::SubtractReversed, IntegerSum::AddWithCarry];

/// Rounding modes by their two bits.
pub(super) const ROUNDINGS: [Rounding; 4] = [Rounding::NearestEven, Rounding::Down, Rounding::Up, Rounding::TowardZero];

/// Logic operations by their two bits.
pub(super) const LOGIC: [LogicOperation; 4] =
    [LogicOperation::And, LogicOperation::Or, LogicOperation::Xor, LogicOperation::Second];

/// Steps of quad operations by their two bits.
pub(super) const STEPS: [QuadStep; 4] =
    [QuadStep::Add, QuadStep::SubtractReversed, QuadStep::Subtract, QuadStep::Second];

/// Sizes of accesses to local and global memory by their three bits; the eighth is not one.
pub(super) const ACCESSES: [Access; 7] =
    [Access::U8, Access::S8, Access::U16, Access::S16, Access::B64, Access::B128, Access::B32];

/// Half or word by one bit.
pub(super) const fn width(is_word: bool) -> Width {
    if is_word { Width::Word } else { Width::Half }
}

/// An integer type.
pub(super) const fn integer(is_word: bool, is_signed: bool) -> IntegerType {
    IntegerType { width: width(is_word), is_signed }
}

/// Relations by their bits: less, equal, greater, unordered.
pub(super) const fn relations(code: u32) -> Relations {
    Relations { less: bit(code, 0), equal: bit(code, 1), greater: bit(code, 2), unordered: bit(code, 3) }
}

/// The code of relations.
pub(super) fn relations_code(relations: Relations) -> u32 {
    let Relations { less, equal, greater, unordered } = relations;
    [less, equal, greater, unordered].into_iter().rev().fold(0, |code, holds| code << 1 | u32::from(holds))
}

/// The conditions that are not relations, and their codes.
pub(super) const FLAG_CONDITIONS: [(u32, Condition); 8] = [
    (0x10, Condition::Overflow),
    (0x11, Condition::Carry),
    (0x12, Condition::Above),
    (0x13, Condition::Sign),
    (0x1c, Condition::NotSign),
    (0x1d, Condition::NotAbove),
    (0x1e, Condition::NotCarry),
    (0x1f, Condition::NotOverflow),
];

/// A special register by its number.
#[expect(clippy::cast_possible_truncation, reason = "the field has four bits")]
pub(super) const fn special_register(code: u32) -> SpecialRegister {
    match code {
        0 => SpecialRegister::PhysicalId,
        1 => SpecialRegister::Clock,
        3 => SpecialRegister::VertexStride,
        4..=7 => SpecialRegister::PerformanceCounter(code as u8 - 4),
        8 => SpecialRegister::SampleId,
        other => SpecialRegister::Unknown(other as u8),
    }
}

/// A product of halves that are both signed or both unsigned.
pub(super) const fn halves(is_signed: bool) -> Product {
    Product::Bits16 { is_first_signed: is_signed, is_second_signed: is_signed }
}

/// The product of a long multiply-add and whether the sum saturates, by bit 28 and the secondary opcode.
///
/// hwtest finds that codes 9 to 15 behave like 3; they are not decoded, as no compiler is known to use them.
pub(super) const fn product(code: u32) -> Option<(Product, bool)> {
    Some(match code {
        0 => (halves(false), false),
        1 => (halves(true), false),
        2 => (halves(true), true),
        3 => (Product::Bits24 { is_signed: false, is_high: false }, false),
        4 => (Product::Bits24 { is_signed: true, is_high: false }, false),
        5 => (Product::Bits24 { is_signed: true, is_high: false }, true),
        6 => (Product::Bits24 { is_signed: false, is_high: true }, false),
        7 => (Product::Bits24 { is_signed: true, is_high: true }, false),
        8 => (Product::Bits24 { is_signed: true, is_high: true }, true),
        _ => return None,
    })
}

/// The product of a short or immediate multiply-add and whether the sum saturates, by bits 15 and 8.
pub(super) const fn short_product(code: u32) -> (Product, bool) {
    match code {
        0 => (halves(false), false),
        1 => (halves(true), false),
        2 => (halves(true), true),
        _ => (Product::Bits24 { is_signed: false, is_high: false }, false),
    }
}

/// The update of an atomic operation by its four bits, and what memory holds by three bits.
pub(super) const fn atomic(code: u32, size: u32) -> Option<(AtomicOperation, ElementType)> {
    let operation = match code {
        0 => AtomicOperation::Add,
        1 => AtomicOperation::Exchange,
        2 => AtomicOperation::CompareAndSwap,
        4 => AtomicOperation::Increment,
        5 => AtomicOperation::Decrement,
        6 => AtomicOperation::Max,
        7 => AtomicOperation::Min,
        10 => AtomicOperation::And,
        11 => AtomicOperation::Or,
        12 => AtomicOperation::Xor,
        _ => return None,
    };
    let element = match (operation, size) {
        (AtomicOperation::Add, 4) => ElementType::U64,
        (AtomicOperation::Exchange | AtomicOperation::CompareAndSwap, 4) => ElementType::B64,
        (
            AtomicOperation::Exchange
            | AtomicOperation::CompareAndSwap
            | AtomicOperation::And
            | AtomicOperation::Or
            | AtomicOperation::Xor,
            6,
        ) => ElementType::B32,
        (
            AtomicOperation::Add
            | AtomicOperation::Increment
            | AtomicOperation::Decrement
            | AtomicOperation::Max
            | AtomicOperation::Min,
            6,
        ) => ElementType::U32,
        (AtomicOperation::Add | AtomicOperation::Max | AtomicOperation::Min, 7) => ElementType::S32,
        _ => return None,
    };
    Some((operation, element))
}

/// A move of all lanes.
pub(super) const fn moved(is_word: bool, uses_sfu: bool) -> Operation {
    Operation::Move { width: width(is_word), lanes: 15, uses_sfu }
}
