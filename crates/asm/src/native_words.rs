//! What the native languages share: raw words, and fields that statements do not imply, read and written.

use std::fmt::Write as _;

use super::cursor::{Cursor, Parsed, shortened};
use super::diagnostic::Diagnostic;
use super::token::Token;
use crate::isa::vertex_word::VertexField;

/// Reads the four words after WORDS.
///
/// # Errors
/// When four words after `0x` do not come next.
pub(super) fn raw_words(cursor: &mut Cursor<'_>) -> Parsed<[u32; 4]> {
    let mut words = [0; 4];
    for word in &mut words {
        if cursor.peek() != Some(Token::Bits) {
            return Err(cursor.unexpected("four words after 0x"));
        }
        *word = cursor.number()?;
    }
    Ok(words)
}

/// Writes a slot that no statement describes.
pub(super) fn raw_statement([a, b, c, d]: [u32; 4]) -> String {
    format!("WORDS {a:#010x} {b:#010x} {c:#010x} {d:#010x};")
}

/// Reads `WITH FIELD=value, …` if it comes next; `field` reads one `FIELD=value`.
///
/// # Errors
/// When a field does not fit.
pub(super) fn with_fields<'text, F>(
    cursor: &mut Cursor<'text>,
    field: impl Fn(&mut Cursor<'text>) -> Parsed<F>,
) -> Parsed<Vec<F>> {
    let mut fields = Vec::new();
    if cursor.accept_word("WITH") {
        fields.push(field(cursor)?);
        while cursor.accept(Token::Comma) {
            fields.push(field(cursor)?);
        }
    }
    Ok(fields)
}

/// Reads `FIELD=value` for a word of a vertex instruction with these fields.
///
/// # Errors
/// When there is no such field, or the value does not fit it.
pub(super) fn vertex_field(cursor: &mut Cursor<'_>, fields: &[VertexField]) -> Parsed<(VertexField, u32)> {
    let (name, span) = cursor.name("a field")?;
    let field = fields.iter().copied().find(|field| field.name == name).ok_or_else(|| {
        Diagnostic::new(span, format!("there is no field `{}`", shortened(name)))
            .label("not a field of the instruction word")
            .suggest(name, fields.iter().map(|field| field.name))
    })?;
    cursor.expect(Token::Equals)?;
    if cursor.peek() != Some(Token::Bits) {
        return Err(cursor.unexpected("a value after 0x"));
    }
    let value = cursor.number()?;
    if !field.holds(value) {
        return Err(Diagnostic::new(cursor.last_span(), format!("the value does not fit {name}")));
    }
    Ok((field, value))
}

/// Writes ` WITH FIELD=value, …`; nothing without fields.
pub(super) fn with_text(fields: impl IntoIterator<Item = (impl AsRef<str>, u32)>) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        let separator = if text.is_empty() { " WITH " } else { ", " };
        let _ = write!(text, "{separator}{}={value:#x}", name.as_ref());
    }
    text
}
