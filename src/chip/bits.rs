//! Extracts fields of register values.

/// Bits `high..=low` of a value, shifted down.
pub(crate) const fn field(value: u32, high: u32, low: u32) -> u32 {
    value >> low & (u32::MAX >> (31 - (high - low)))
}

/// One bit of a value.
pub(crate) const fn bit(value: u32, position: u32) -> bool {
    value >> position & 1 != 0
}

/// The low half as a signed number.
pub(crate) fn signed_low(value: u32) -> i32 {
    i32::from((value & 0xffff) as u16 as i16)
}

/// The high half as a signed number.
pub(crate) fn signed_high(value: u32) -> i32 {
    i32::from((value >> 16) as u16 as i16)
}

/// At most eight bits of a value.
pub(crate) const fn field8(value: u32, high: u32, low: u32) -> u8 {
    (field(value, high, low) & 0xff) as u8
}

/// At most sixteen bits of a value.
pub(crate) const fn field16(value: u32, high: u32, low: u32) -> u16 {
    (field(value, high, low) & 0xffff) as u16
}
