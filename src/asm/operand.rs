//! The pieces of operands that all languages share: write masks, swizzles, signs, absolute values, condition tests.

use super::cursor::{Cursor, Parsed};
use super::diagnostic::{Diagnostic, Span};
use super::token::Token;
use crate::shader::condition::{ConditionTest, Relation, Swizzle, WriteMask};

/// Letters that name components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComponentLetters {
    /// x, y, z, w.
    Position,
    /// x, y, z, w or r, g, b, a, not mixed.
    PositionOrColor,
}

impl ComponentLetters {
    /// The components that the letters of a word name; `None` when one is no component or both alphabets are mixed.
    fn components(self, word: &str) -> Option<Vec<u8>> {
        let find = |letters: &str| -> Option<Vec<u8>> {
            word.chars().map(|letter| u8::try_from(letters.find(letter)?).ok()).collect()
        };
        find("xyzw").or_else(|| (self == Self::PositionOrColor).then(|| find("rgba")).flatten())
    }
}

/// The selection behind a source register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Which component each component reads.
    pub swizzle: Swizzle,
    /// How many letters are written: 0, 1 or 4.
    pub letters: usize,
    /// Where they are.
    pub span: Span,
}

/// Reads `.xyz` behind a destination; all components where there is none.
///
/// # Errors
/// When the letters are no mask.
pub fn write_mask(cursor: &mut Cursor<'_>, letters: ComponentLetters) -> Parsed<WriteMask> {
    if !cursor.accept(Token::Dot) {
        return Ok(WriteMask::ALL);
    }
    let (word, span) = cursor.name("a write mask")?;
    let components = letters.components(word).filter(|components| components.is_sorted_by(|a, b| a < b));
    let components = components.ok_or_else(|| {
        Diagnostic::new(span, format!("`{}` is not a write mask", super::cursor::shortened(word)))
            .label("some of x, y, z, w, in this order")
    })?;
    Ok(WriteMask(components.iter().fold(0, |mask, component| mask | 1 << component)))
}

/// Reads `.x` or `.wzyx` behind a source.
///
/// # Errors
/// When the letters are neither one nor four components.
pub fn selection(cursor: &mut Cursor<'_>, letters: ComponentLetters) -> Parsed<Selection> {
    if !cursor.accept(Token::Dot) {
        let end = cursor.last_span().end;
        return Ok(Selection { swizzle: Swizzle::IDENTITY, letters: 0, span: end..end });
    }
    let (word, span) = cursor.name("a swizzle")?;
    match letters.components(word).as_deref() {
        Some(&[component]) => Ok(Selection { swizzle: Swizzle([component; 4]), letters: 1, span }),
        Some(&[x, y, z, w]) => Ok(Selection { swizzle: Swizzle([x, y, z, w]), letters: 4, span }),
        _ => Err(Diagnostic::new(span, format!("`{}` is not a swizzle", super::cursor::shortened(word)))
            .label("one or four of x, y, z, w")),
    }
}

/// Reads a single component behind its dot, 0 x … 3 w.
///
/// # Errors
/// When exactly one letter does not follow.
pub fn component(cursor: &mut Cursor<'_>, letters: ComponentLetters) -> Parsed<u8> {
    cursor.expect(Token::Dot)?;
    let (word, span) = cursor.name("a component")?;
    match letters.components(word).as_deref() {
        Some(&[component]) => Ok(component),
        _ => Err(Diagnostic::new(span, format!("`{}` is not one component", super::cursor::shortened(word)))
            .label("one of x, y, z, w")),
    }
}

/// Reads `+` or `-`; whether it changes the sign.
pub fn sign(cursor: &mut Cursor<'_>) -> bool {
    let negative = cursor.accept(Token::Minus);
    if !negative {
        cursor.accept(Token::Plus);
    }
    negative
}

/// A source with its modifiers. The sign inside of the bars does not matter, as the magnitude is taken behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Modified<T> {
    /// Changes the sign, last.
    pub negate: bool,
    /// Takes the magnitude.
    pub absolute: bool,
    /// What stands between them.
    pub inner: T,
}

/// Reads `[sign] source` or `[sign] | [sign] source |`, where `source` reads register and swizzle.
///
/// # Errors
/// When the source does not fit, or a bar is missing.
pub fn modified<'text, T>(
    cursor: &mut Cursor<'text>,
    source: impl FnOnce(&mut Cursor<'text>) -> Parsed<T>,
) -> Parsed<Modified<T>> {
    let negate = sign(cursor);
    let absolute = cursor.accept(Token::Bar);
    if absolute {
        sign(cursor);
    }
    let inner = source(cursor)?;
    if absolute {
        cursor.expect(Token::Bar)?;
    }
    Ok(Modified { negate, absolute, inner })
}

/// Every relation, by its bits.
const RELATIONS: [Relation; 8] = [
    Relation::Never,
    Relation::Less,
    Relation::Equal,
    Relation::LessEqual,
    Relation::Greater,
    Relation::NotEqual,
    Relation::GreaterEqual,
    Relation::Always,
];

/// Reads `GT.x`; with two condition registers also `GT0.x` and `GT1.x`.
///
/// # Errors
/// When the word is no rule, or its swizzle is none.
pub fn condition_rule(cursor: &mut Cursor<'_>, registers: u8, letters: ComponentLetters) -> Parsed<ConditionTest> {
    let (word, span) = cursor.name("a condition")?;
    let (name, register) = match word.as_bytes() {
        [_, _, b'0'] if registers > 1 => (&word[..2], 0),
        [_, _, b'1'] if registers > 1 => (&word[..2], 1),
        _ => (word, 0),
    };
    let relation = RELATIONS.into_iter().find(|relation| relation.mnemonic() == name).ok_or_else(|| {
        Diagnostic::new(span, format!("`{}` is not a condition", super::cursor::shortened(word)))
            .label("one of EQ, GE, GT, LE, LT, NE, TR, FL")
            .suggest(word, RELATIONS.iter().map(|relation| relation.mnemonic()))
    })?;
    let swizzle = selection(cursor, letters)?.swizzle;
    Ok(ConditionTest { register, relation, swizzle })
}

/// Reads `(GT.x)` if a parenthesis comes next.
///
/// # Errors
/// When what is in the parentheses is no condition.
pub fn condition_test(
    cursor: &mut Cursor<'_>,
    registers: u8,
    letters: ComponentLetters,
) -> Parsed<Option<ConditionTest>> {
    if !cursor.accept(Token::OpenParenthesis) {
        return Ok(None);
    }
    let test = condition_rule(cursor, registers, letters)?;
    cursor.expect(Token::CloseParenthesis)?;
    Ok(Some(test))
}

/// Reads `{x, y, z, w}`; missing components are 0, 0, 1.
///
/// # Errors
/// When there are none, more than four, or something is not a number.
pub fn vector_literal(cursor: &mut Cursor<'_>) -> Parsed<[u32; 4]> {
    cursor.expect(Token::OpenBrace)?;
    let mut vector = [0, 0, 0, 1.0f32.to_bits()];
    for component in &mut vector {
        *component = cursor.signed_number()?;
        if !cursor.accept(Token::Comma) {
            cursor.expect(Token::CloseBrace)?;
            return Ok(vector);
        }
    }
    Err(cursor.unexpected("`}` behind four components"))
}

#[cfg(test)]
mod tests {
    use super::{ComponentLetters, condition_test, modified, selection, write_mask};
    use crate::asm::cursor::Cursor;
    use crate::shader::condition::{Relation, Swizzle, WriteMask};

    const XYZW: ComponentLetters = ComponentLetters::Position;

    #[test]
    fn masks_are_in_order() {
        let mask = |text: &str| write_mask(&mut Cursor::new(text, 0).unwrap(), XYZW);
        assert_eq!(mask(".xz").unwrap(), WriteMask(5));
        assert_eq!(mask("").unwrap(), WriteMask::ALL);
        for wrong in [".zx", ".xx", ".rg", ".q"] {
            assert!(mask(wrong).is_err(), "{wrong}");
        }
        let color = write_mask(&mut Cursor::new(".ga", 0).unwrap(), ComponentLetters::PositionOrColor);
        assert_eq!(color.unwrap(), WriteMask(10));
    }

    #[test]
    fn swizzles_have_one_or_four_letters_of_one_alphabet() {
        let select = |text: &str| selection(&mut Cursor::new(text, 0).unwrap(), ComponentLetters::PositionOrColor);
        assert_eq!(select(".y").unwrap().swizzle, Swizzle([1; 4]));
        assert_eq!(select(".abgr").unwrap().swizzle, Swizzle([3, 2, 1, 0]));
        assert_eq!(select(";").unwrap().letters, 0);
        for wrong in [".xy", ".xyzr", ".xyzwx"] {
            assert!(select(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_sign_inside_of_bars_is_lost() {
        let mut cursor = Cursor::new("-|-R0|", 0).unwrap();
        let source = modified(&mut cursor, |cursor| cursor.name("a register").map(|(name, _)| name)).unwrap();
        assert!(source.negate && source.absolute && source.inner == "R0");
        let mut cursor = Cursor::new("|R0", 0).unwrap();
        assert!(modified(&mut cursor, |cursor| cursor.name("a register").map(|(name, _)| name)).is_err());
    }

    #[test]
    fn conditions_name_their_register_where_there_are_two() {
        let test = |text: &str, registers| condition_test(&mut Cursor::new(text, 0).unwrap(), registers, XYZW);
        let found = test("(NE1.w)", 2).unwrap().unwrap();
        assert_eq!((found.relation, found.register, found.swizzle), (Relation::NotEqual, 1, Swizzle([3; 4])));
        assert!(test("(NE1.w)", 1).is_err());
        assert_eq!(test("R0", 1).unwrap(), None);
        assert!(test("(GQ)", 1).unwrap_err().notes[0].contains("did you mean"));
    }
}
