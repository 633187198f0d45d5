//! The values of constants: 24-bit floats, bytes and booleans, and arrays of them.

use crate::arith::pica::F24;
use crate::cursor::{Cursor, Parsed};
use crate::diagnostic::{Diagnostic, Span};
use crate::token::Token;

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

/// The single of a 24-bit float, if the assembler reads that back.
pub(super) fn number_of(bits: u32) -> Option<f32> {
    let single = F24.decode(bits);
    let number = f32::from_bits(single);
    (number.is_finite() && F24.encode(single) == bits).then_some(number)
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
        return cursor.signed_number().map(|single| F24.encode(single));
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
