//! Parses the parts of operands that all languages share: write masks, swizzles, modifiers, condition tests.

use super::cursor::{Cursor, Parsed, shortened};
use super::diagnostic::{Diagnostic, Span};
use super::texture_target::TextureTarget;
use super::token::Token;
use crate::shader::condition::{ConditionTest, Relation, Swizzle, WriteMask};

/// Letters that name components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComponentLetters {
    /// x, y, z, w.
    Position,
    /// r, g, b, a.
    Color,
    /// x, y, z, w or r, g, b, a, not mixed.
    PositionOrColor,
}

impl ComponentLetters {
    /// The components that the letters of a word name; `None` if a letter is not a component or both alphabets are mixed.
    fn components(self, word: &str) -> Option<Vec<u8>> {
        let find = |letters: &str| -> Option<Vec<u8>> {
            word.chars().map(|letter| u8::try_from(letters.find(letter)?).ok()).collect()
        };
        let position = (self != Self::Color).then(|| find("xyzw")).flatten();
        position.or_else(|| (self != Self::Position).then(|| find("rgba")).flatten())
    }

    /// The letters of the words that must keep to the alphabet of this one.
    #[must_use]
    pub fn kept_to(self, word: &str) -> Self {
        [Self::Position, Self::Color].into_iter().find(|alphabet| alphabet.components(word).is_some()).unwrap_or(self)
    }
}

/// The selection after a source register.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Which component each component reads.
    pub swizzle: Swizzle,
    /// How many letters are written: 0, 1 or 4.
    pub letters: usize,
    /// Where they are.
    pub span: Span,
}

/// Reads `.xyz` after a destination; without it, the mask has all components.
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
        Diagnostic::new(span, format!("`{}` is not a write mask", shortened(word)))
            .label("some of x, y, z, w, in this order")
    })?;
    Ok(WriteMask(components.iter().fold(0, |mask, component| mask | 1 << component)))
}

/// Reads `.x` or `.wzyx` after a source.
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
        _ => {
            Err(Diagnostic::new(span, format!("`{}` is not a swizzle", shortened(word)))
                .label("one or four of x, y, z, w"))
        }
    }
}

/// Reads a dot and one component: 0 is x, 3 is w.
///
/// # Errors
/// When exactly one letter does not follow.
pub fn component(cursor: &mut Cursor<'_>, letters: ComponentLetters) -> Parsed<u8> {
    cursor.expect(Token::Dot)?;
    let (word, span) = cursor.name("a component")?;
    match letters.components(word).as_deref() {
        Some(&[component]) => Ok(component),
        _ => {
            Err(Diagnostic::new(span, format!("`{}` is not one component", shortened(word))).label("one of x, y, z, w"))
        }
    }
}

/// A source operand: the chip swizzles the register, then takes the magnitude, then changes the sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Source<R> {
    /// What is read.
    pub register: R,
    /// Which component each component reads.
    pub swizzle: Swizzle,
    /// Takes the magnitude.
    pub absolute: bool,
    /// Changes the sign.
    pub negate: bool,
}

impl<R> Source<R> {
    /// A register without modifiers.
    #[must_use]
    pub const fn new(register: R) -> Self {
        Self { register, swizzle: Swizzle::IDENTITY, absolute: false, negate: false }
    }

    /// The operand with a second swizzle applied to its result.
    #[must_use]
    pub fn swizzled(self, outer: [u8; 4]) -> Self {
        Self { swizzle: Swizzle(outer.map(|component| self.swizzle.0[usize::from(component & 3)])), ..self }
    }

    /// One component of the operand in all four.
    #[must_use]
    pub fn splat(self, component: u8) -> Self {
        self.swizzled([component; 4])
    }

    /// The operand with the other sign.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { negate: !self.negate, ..self }
    }

    /// The magnitude of the operand.
    #[must_use]
    pub fn magnitude(self) -> Self {
        Self { absolute: true, negate: false, ..self }
    }

    /// The components of the register that are read when the positions of `mask` matter.
    #[must_use]
    pub fn components(&self, mask: WriteMask) -> WriteMask {
        let used = (0..4).filter(|&position| mask.has(position));
        WriteMask(used.fold(0, |found, position| found | 1 << (self.swizzle.0[position] & 3)))
    }
}

/// Which modifiers a source may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModifierRules {
    /// A source may begin with `+`.
    pub has_plus: bool,
    /// Bars take the magnitude.
    pub has_bars: bool,
    /// A sign may follow the first bar. It has no effect, because the magnitude is taken after it.
    pub has_inner_sign: bool,
}

impl ModifierRules {
    /// All modifiers.
    pub const ALL: Self = Self { has_plus: true, has_bars: true, has_inner_sign: true };

    fn sign(self, cursor: &mut Cursor<'_>) -> Parsed<bool> {
        if !self.has_plus && cursor.peek() == Some(Token::Plus) {
            return Err(Diagnostic::new(cursor.span(), "`+` before an operand")
                .label("it belongs to !!VP1.1 and later languages"));
        }
        Ok(cursor.sign())
    }
}

/// Reads `[sign] source` or `[sign] | [sign] source |`, where `source` reads register and swizzle. The result holds what
/// `source` returned, without a swizzle.
///
/// # Errors
/// When the source does not fit, the language lacks a modifier, or a bar is missing.
pub fn modified<'text, T>(
    cursor: &mut Cursor<'text>,
    rules: ModifierRules,
    source: impl FnOnce(&mut Cursor<'text>) -> Parsed<T>,
) -> Parsed<Source<T>> {
    let negate = rules.sign(cursor)?;
    let bar = cursor.span();
    let absolute = cursor.accept(Token::Bar);
    if absolute && !rules.has_bars {
        return Err(Diagnostic::new(bar, "this language has no magnitudes of operands").label("`|`"));
    }
    if absolute && rules.has_inner_sign {
        rules.sign(cursor)?;
    }
    let register = source(cursor)?;
    if absolute {
        cursor.expect(Token::Bar)?;
    }
    Ok(Source { negate, absolute, ..Source::new(register) })
}

/// What a component of an extended swizzle (SWZ) selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selector {
    /// A component of the operand.
    Component(u8),
    /// 0.
    Zero,
    /// 1.
    One,
}

/// A component of an extended swizzle with its sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SwizzleElement {
    /// What is selected.
    pub selector: Selector,
    /// Changes its sign.
    pub negate: bool,
}

/// Reads 0, 1 or a component without its sign.
///
/// # Errors
/// When none of them comes next.
pub fn selector(cursor: &mut Cursor<'_>, letters: ComponentLetters) -> Parsed<Selector> {
    let selector = match cursor.peek_text() {
        "0" => Selector::Zero,
        "1" => Selector::One,
        word => match letters.components(word).as_deref() {
            Some(&[component]) => Selector::Component(component),
            _ if letters == ComponentLetters::Position => return Err(cursor.unexpected("0, 1, x, y, z or w")),
            _ if letters == ComponentLetters::Color => return Err(cursor.unexpected("0, 1, r, g, b or a")),
            _ => return Err(cursor.unexpected("0, 1 or a component")),
        },
    };
    cursor.advance();
    Ok(selector)
}

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
    let relation = Relation::ALL.into_iter().find(|relation| relation.mnemonic() == name).ok_or_else(|| {
        Diagnostic::new(span, format!("`{}` is not a condition", shortened(word)))
            .label("one of EQ, GE, GT, LE, LT, NE, TR, FL")
            .suggest(word, Relation::ALL.iter().map(|relation| relation.mnemonic()))
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

/// Reads a texture target, one of a part of [`TextureTarget::TABLE`].
///
/// # Errors
/// When none of them comes next.
pub fn texture_target(cursor: &mut Cursor<'_>, table: &[(&str, TextureTarget)]) -> Parsed<TextureTarget> {
    let word = cursor.peek_text();
    let Some(&(_, target)) = table.iter().find(|(spelling, _)| *spelling == word) else {
        let spellings = table.iter().map(|(spelling, _)| *spelling);
        return Err(cursor.unexpected("a texture target").suggest(word, spellings));
    };
    cursor.advance();
    Ok(target)
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
    use super::{ComponentLetters, ModifierRules, condition_test, modified, selection, write_mask};
    use crate::cursor::Cursor;
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
        let source =
            modified(&mut cursor, ModifierRules::ALL, |cursor| cursor.name("a register").map(|(name, _)| name))
                .unwrap();
        assert!(source.negate && source.absolute && source.register == "R0");
        let mut cursor = Cursor::new("|R0", 0).unwrap();
        assert!(
            modified(&mut cursor, ModifierRules::ALL, |cursor| cursor.name("a register").map(|(name, _)| name))
                .is_err()
        );
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
