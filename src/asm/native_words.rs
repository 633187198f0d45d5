//! What the native languages share: raw words, and fields that statements do not imply, read and written.

use std::fmt::Write as _;

use super::cursor::{Cursor, Parsed};
use super::token::Token;

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

/// Writes ` WITH FIELD=value, …`; nothing without fields.
pub(super) fn with_text(fields: impl IntoIterator<Item = (impl AsRef<str>, u32)>) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        let separator = if text.is_empty() { " WITH " } else { ", " };
        let _ = write!(text, "{separator}{}={value:#x}", name.as_ref());
    }
    text
}
