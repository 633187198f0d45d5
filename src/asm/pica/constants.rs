//! The values of constants: 24-bit floats, bytes and booleans, and arrays of them.

use crate::asm::cursor::{Cursor, Parsed};
use crate::asm::diagnostic::{Diagnostic, Span};
use crate::asm::token::Token;

/// The array of constants that is being declared.
#[derive(Debug)]
pub(super) struct ConstantArray<'text> {
    pub(super) name: &'text str,
    pub(super) span: Span,
    /// The number of elements; those that are not given are 0.
    pub(super) size: Option<u8>,
    pub(super) elements: Vec<[u32; 4]>,
}

impl ConstantArray<'_> {
    /// The error that the array has no end.
    pub(super) fn unclosed(&self) -> Diagnostic {
        Diagnostic::new(self.span.clone(), "`.constfa` without `.end`")
    }
}

/// Converts the bits of a 32-bit float to those of a 24-bit float, as the tools for the PICA200 do: the mantissa is
/// truncated, what is too small becomes 0, and what is too large infinity.
pub(super) const fn float24(bits: u32) -> u32 {
    let (sign, exponent, mantissa) = (bits >> 31 << 23, bits >> 23 & 0xff, bits >> 7 & 0xffff);
    if exponent == 0xff {
        let is_nan = bits & 0x7f_ffff != 0;
        // A NaN keeps a mantissa.
        return sign | 0x7f << 16 | if is_nan && mantissa == 0 { 1 } else { mantissa };
    }
    match exponent {
        0..=64 => sign,
        65..=190 => sign | (exponent - 64) << 16 | mantissa,
        _ => sign | 0x7f << 16,
    }
}

/// Converts the bits of a 24-bit float that is a number, and not too small for arithmetic, to those of a 32-bit float.
pub(super) const fn float32(bits: u32) -> Option<u32> {
    let (sign, exponent) = (bits >> 23 << 31, bits >> 16 & 0x7f);
    match exponent {
        0 if bits & 0xffff == 0 => Some(sign),
        0 | 0x7f => None,
        _ => Some(sign | (exponent + 64) << 23 | (bits & 0xffff) << 7),
    }
}

/// Reads `(x, y, z, w)`.
pub(super) fn read_four<'text, T: Copy + Default>(
    cursor: &mut Cursor<'text>,
    read: impl Fn(&mut Cursor<'text>) -> Parsed<T>,
) -> Parsed<[T; 4]> {
    let mut values = [T::default(); 4];
    cursor.expect(Token::OpenParenthesis)?;
    for (position, value) in values.iter_mut().enumerate() {
        if position > 0 {
            cursor.expect(Token::Comma)?;
        }
        *value = read(cursor)?;
    }
    cursor.expect(Token::CloseParenthesis)?;
    Ok(values)
}

/// Reads a number, or the bits of a 24-bit float in hexadecimal.
pub(super) fn read_float(cursor: &mut Cursor<'_>) -> Parsed<u32> {
    if cursor.peek() != Some(Token::Bits) {
        return cursor.signed_number().map(float24);
    }
    let span = cursor.span();
    let bits = cursor.number()?;
    if bits >> 24 != 0 {
        return Err(Diagnostic::new(span, "more than 24 bits").label("the bits of a 24-bit float"));
    }
    Ok(bits)
}

/// Reads a number from −128 to 255 as a byte.
pub(super) fn read_byte(cursor: &mut Cursor<'_>) -> Parsed<u8> {
    let span = cursor.span();
    let negative = cursor.accept(Token::Minus);
    let value = cursor.integer("a number", 256)?;
    let value = u8::try_from(value).unwrap_or(u8::MAX);
    if negative && value > 128 {
        return Err(Diagnostic::new(cursor.span_from(&span), "a number is out of range").label("at least -128"));
    }
    Ok(if negative { value.wrapping_neg() } else { value })
}

/// Reads a boolean.
pub(super) fn read_boolean(cursor: &mut Cursor<'_>) -> Parsed<bool> {
    let value = match cursor.peek_text().to_ascii_lowercase().as_str() {
        "true" | "on" | "1" => true,
        "false" | "off" | "0" => false,
        _ => return Err(cursor.unexpected("true, false, on, off, 1 or 0")),
    };
    cursor.advance();
    Ok(value)
}
