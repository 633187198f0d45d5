//! Reads the operands of an instruction and checks their types.

use super::ast::{Base, Modifiers, Operand, PredicateUse, Variable};
use super::opcodes::{ProductPart, Shape};
use super::scope::{Named, Scopes};
use super::token::{Cursor, Token};
use super::types::{B32, Dimension, Kind, PREDICATE, SPECIALS, Special, StateSpace, Type, U32};
use crate::cursor::{Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};

/// The components of a vector, in each of their two names.
const COMPONENTS: [[&str; 4]; 2] = [[".x", ".y", ".z", ".w"], [".r", ".g", ".b", ".a"]];

/// Reads operands of one instruction.
#[derive(Debug)]
pub(super) struct OperandReader<'a, 'text> {
    pub(super) cursor: &'a mut Cursor<'text>,
    pub(super) scopes: &'a mut Scopes<'text>,
    pub(super) variables: &'a [Variable],
    pub(super) modifiers: &'a Modifiers,
    pub(super) types: &'a [Type],
}

/// How the type of a register must fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    /// It has the same size and a compatible kind.
    Exact,
    /// It is at least as large.
    Loose,
}

impl<'text> OperandReader<'_, 'text> {
    /// The first type, doubled for wide products.
    fn product_type(&self) -> Type {
        let first = self.first();
        let is_wide = self.modifiers.product() == Some(ProductPart::Wide);
        if is_wide { first.with_bits(first.bits.saturating_mul(2)) } else { first }
    }

    fn first(&self) -> Type {
        self.types.first().copied().unwrap_or(B32)
    }

    fn second(&self) -> Type {
        self.types.get(1).copied().unwrap_or(B32)
    }

    /// Reads the operand of a shape.
    pub(super) fn read(&mut self, shape: Shape) -> Parsed<Operand> {
        match shape {
            Shape::Destination => self.destination(self.first(), Fit::Exact),
            Shape::ProductDestination => self.destination(self.product_type(), Fit::Exact),
            Shape::LooseDestination if self.modifiers.vector() > 1 => {
                self.vector(self.modifiers.vector().into(), self.first(), Fit::Loose, true)
            }
            Shape::LooseDestination => self.destination(self.first(), Fit::Loose),
            Shape::PackedDestination | Shape::PackedSource if self.is_vector() => {
                self.packed(shape == Shape::PackedDestination)
            }
            Shape::PackedDestination => self.destination(self.first(), Fit::Exact),
            Shape::PackedSource | Shape::Source => self.value(self.first(), Fit::Exact),
            Shape::ProductSource => self.value(self.product_type(), Fit::Exact),
            Shape::SecondSource => self.value(self.second(), Fit::Exact),
            Shape::LooseSource => self.value(self.second(), Fit::Loose),
            Shape::LooseSources if self.modifiers.vector() > 1 => {
                self.vector(self.modifiers.vector().into(), self.first(), Fit::Loose, false)
            }
            Shape::LooseSources => self.value(self.first(), Fit::Loose),
            Shape::Count => self.value(U32, Fit::Loose),
            Shape::Predicate | Shape::CombinedPredicate => Ok(Operand::Predicate(self.predicate_use()?)),
            Shape::PredicateDestinations => self.predicates(),
            Shape::Address => self.address(),
            Shape::Texel => self.vector(4, self.first(), Fit::Exact, true),
            Shape::Texture => self.texture(),
            Shape::Label => {
                let (name, span) = self.cursor.name("a label")?;
                Ok(Operand::Label(self.scopes.label(name, span, false)?))
            }
            Shape::Number => Ok(Operand::Constant(self.cursor.integer_up_to("a number", 15)?.into())),
            // Calls are read by the statement.
            Shape::Function => Err(self.cursor.unexpected("a function")),
        }
    }

    fn is_vector(&mut self) -> bool {
        if self.cursor.peek() == Some(Token::OpenBrace) {
            return true;
        }
        let (text, span) = (self.cursor.peek_text(), self.cursor.span());
        self.cursor.peek() == Some(Token::Name)
            && self.cursor.peek_at(1) != Some(Token::Dotted)
            && matches!(self.scopes.find(text, &span), Ok(Named::Vector(_)))
    }

    /// Reads a register that is written.
    fn destination(&mut self, wanted: Type, fit: Fit) -> Parsed<Operand> {
        let span = self.cursor.span();
        if self.accept_ignored() {
            return Ok(Operand::Ignored);
        }
        let (name, name_span) = self.cursor.name("a register")?;
        match self.named(name, &name_span)? {
            Operand::Register(register) => {
                self.check(register, wanted, fit, &self.cursor.span_from(&span))?;
                Ok(Operand::Register(register))
            }
            _ => Err(Diagnostic::new(name_span, format!("`{}` cannot be written", shortened(name)))
                .label("expected a register")),
        }
    }

    fn accept_ignored(&mut self) -> bool {
        self.cursor.accept_text(Token::Name, "_")
    }

    /// Reads a register, a constant, a special register or the address of a variable.
    fn value(&mut self, wanted: Type, fit: Fit) -> Parsed<Operand> {
        let start = self.cursor.span();
        match self.cursor.peek() {
            Some(Token::Integer | Token::Float | Token::FloatBits | Token::Minus | Token::Plus) => {
                constant(self.cursor, wanted).map(Operand::Constant)
            }
            Some(Token::Name) => {
                let (name, name_span) = self.cursor.name("a value")?;
                let operand = self.named(name, &name_span)?;
                let span = self.cursor.span_from(&start);
                match operand {
                    Operand::Register(register) => self.check(register, wanted, fit, &span)?,
                    Operand::Special(special) => check_special(special, wanted, &span)?,
                    Operand::VariableAddress { .. } if wanted.is_float() || wanted.bits < 16 => {
                        return Err(mismatch(&span, "an address", wanted));
                    }
                    _ => {}
                }
                if let Operand::VariableAddress { variable, .. } = operand {
                    return Ok(Operand::VariableAddress { variable, offset: offset(self.cursor)? });
                }
                Ok(operand)
            }
            _ => Err(self.cursor.unexpected("a register or a constant")),
        }
    }

    /// What a name and its component stand for, as an operand.
    fn named(&mut self, name: &'text str, span: &Span) -> Parsed<Operand> {
        if let Some((_, special)) = SPECIALS.iter().find(|(known, _)| *known == name) {
            return self.special(*special);
        }
        match self.scopes.find(name, span)? {
            Named::Register(register) => Ok(Operand::Register(register)),
            Named::Variable(variable) => Ok(Operand::VariableAddress { variable, offset: 0 }),
            Named::Vector(registers) => {
                let component = self.cursor.peek_text();
                let index = COMPONENTS.iter().find_map(|names| names.iter().position(|known| *known == component));
                let Some(register) = index.and_then(|index| registers.get(index)) else {
                    return Err(self.cursor.unexpected("a component of the vector"));
                };
                self.cursor.advance();
                Ok(Operand::Register(*register))
            }
        }
    }

    fn special(&mut self, special: Special) -> Parsed<Operand> {
        if special.with(Dimension::X).is_none() {
            return Ok(Operand::Special(special));
        }
        let dimension = Dimension::of(self.cursor.peek_text()).filter(|_| self.cursor.peek() == Some(Token::Dotted));
        let Some(special) = dimension.and_then(|dimension| special.with(dimension)) else {
            return Err(self.cursor.unexpected("`.x`, `.y` or `.z`"));
        };
        self.cursor.advance();
        Ok(Operand::Special(special))
    }

    fn check(&self, register: usize, wanted: Type, fit: Fit, span: &Span) -> Parsed<()> {
        let found = self.scopes.registers[register];
        let fits = match fit {
            Fit::Exact => wanted.accepts(found),
            // Loads, stores and conversions take wider registers, and bits for floats.
            Fit::Loose => {
                let are_alike = found.is_float() == wanted.is_float() || found.kind == Kind::Bits;
                let is_wide = found.bits >= wanted.bits && !found.is_predicate();
                wanted.accepts(found)
                    || is_wide && (are_alike || wanted.kind == Kind::Bits && found.bits == wanted.bits)
            }
        };
        if fits { Ok(()) } else { Err(mismatch(span, found.name(), wanted)) }
    }

    /// Reads registers in braces, or a vector register.
    fn vector(&mut self, count: usize, element: Type, fit: Fit, is_written: bool) -> Parsed<Operand> {
        let start = self.cursor.span();
        let mut elements = Vec::new();
        if self.cursor.peek() == Some(Token::OpenBrace) {
            elements = self.braced(element, fit, is_written)?;
        } else {
            let (name, span) = self.cursor.name("a vector")?;
            let Named::Vector(registers) = self.scopes.find(name, &span)? else {
                return Err(Diagnostic::new(span, format!("`{}` is not a vector", shortened(name))));
            };
            for register in registers {
                self.check(register, element, fit, &span)?;
                elements.push(Operand::Register(register));
            }
        }
        if elements.len() != count {
            let message = format!("a vector of {} elements where one of {count} is expected", elements.len());
            return Err(Diagnostic::new(self.cursor.span_from(&start), message));
        }
        Ok(Operand::Vector(elements))
    }

    /// Reads elements in braces.
    fn braced(&mut self, element: Type, fit: Fit, is_written: bool) -> Parsed<Vec<Operand>> {
        let mut elements = Vec::new();
        self.cursor.expect(Token::OpenBrace)?;
        loop {
            elements.push(match is_written {
                true => self.destination(element, fit)?,
                false if self.accept_ignored() => Operand::Ignored,
                false => self.value(element, fit)?,
            });
            if !self.cursor.accept(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::CloseBrace)?;
        Ok(elements)
    }

    /// Reads the parts of a value of the first type: two, or four.
    fn packed(&mut self, is_written: bool) -> Parsed<Operand> {
        let whole = self.first();
        let commas = (0..)
            .map_while(|ahead| self.cursor.peek_at(ahead))
            .take_while(|token| *token != Token::CloseBrace)
            .filter(|token| *token == Token::Comma)
            .count();
        let count = if commas == 3 { 4 } else { 2 };
        #[expect(clippy::cast_possible_truncation, reason = "two or four")]
        let element = whole.with_bits(whole.bits / count as u8);
        if element.bits < 8 {
            return Err(mismatch(&self.cursor.span(), "a vector", whole));
        }
        self.vector(count, element, Fit::Exact, is_written)
    }

    pub(super) fn predicate_use(&mut self) -> Parsed<PredicateUse> {
        let is_negated = self.cursor.accept(Token::Not);
        Ok(PredicateUse { register: self.predicate()?, is_negated })
    }

    fn predicate(&mut self) -> Parsed<usize> {
        let (name, span) = self.cursor.name("a predicate")?;
        match self.named(name, &span)? {
            Operand::Register(register) => {
                self.check(register, PREDICATE, Fit::Exact, &span)?;
                Ok(register)
            }
            _ => Err(Diagnostic::new(span, format!("`{}` is not a predicate", shortened(name)))),
        }
    }

    fn predicates(&mut self) -> Parsed<Operand> {
        let result = self.predicate()?;
        let opposite = if self.cursor.accept(Token::Bar) { Some(self.predicate()?) } else { None };
        Ok(Operand::Predicates { result, opposite })
    }

    /// Reads `[base+offset]`.
    fn address(&mut self) -> Parsed<Operand> {
        self.cursor.expect(Token::OpenBracket)?;
        let start = self.cursor.span();
        let base = if self.cursor.peek() == Some(Token::Name) {
            let (name, span) = self.cursor.name("an address")?;
            match self.named(name, &span)? {
                Operand::Register(register) => {
                    let found = self.scopes.registers[register];
                    if found.is_float() || found.is_predicate() || found.bits < 32 {
                        return Err(Diagnostic::new(span, format!("a register of {} holds no address", found.name()))
                            .label("expected 32 or 64 bits"));
                    }
                    Base::Register(register)
                }
                Operand::VariableAddress { variable, .. } => {
                    self.check_space(variable, &span)?;
                    Base::Variable(variable)
                }
                _ => return Err(Diagnostic::new(span, format!("`{}` is not an address", shortened(name)))),
            }
        } else {
            Base::Zero
        };
        let offset = match (base, self.cursor.peek()) {
            (Base::Zero, _) => constant(self.cursor, U32)?,
            _ => offset(self.cursor)?,
        };
        self.cursor.expect(Token::CloseBracket)?;
        if self.modifiers.space() == Some(StateSpace::Parameter) && !matches!(base, Base::Variable(_)) {
            let span = self.cursor.span_from(&start);
            return Err(Diagnostic::new(span, "parameters are read by their names").label("expected a parameter"));
        }
        Ok(Operand::Memory { base, offset })
    }

    fn check_space(&self, variable: usize, span: &Span) -> Parsed<()> {
        let found = &self.variables[variable];
        if self.modifiers.space().is_some_and(|space| space != found.space) {
            let (is, wanted) = (found.space.name(), self.modifiers.space().map_or("", StateSpace::name));
            return Err(Diagnostic::new(span.clone(), format!("`{}` is in {is}, not in {wanted}", found.name)));
        }
        Ok(())
    }

    /// Reads `[texture, {x, y}]`; the compilers of version 1.0 write no brackets.
    fn texture(&mut self) -> Parsed<Operand> {
        let is_bracketed = self.cursor.accept(Token::OpenBracket);
        let (name, span) = self.cursor.name("a texture")?;
        let variable = match self.scopes.find(name, &span)? {
            Named::Variable(variable) if self.variables[variable].space == StateSpace::Texture => variable,
            _ => return Err(Diagnostic::new(span, format!("`{}` is not a texture", shortened(name)))),
        };
        self.cursor.expect(Token::Comma)?;
        let (count, element) = (usize::from(self.modifiers.geometry()), self.second());
        let start = self.cursor.span();
        let mut coordinates = if self.cursor.peek() == Some(Token::OpenBrace) {
            self.braced(element, Fit::Exact, false)?
        } else if self.is_vector() {
            let Operand::Vector(elements) = self.vector(4, element, Fit::Exact, false)? else {
                return Ok(Operand::Ignored);
            };
            elements
        } else {
            vec![self.value(element, Fit::Exact)?]
        };
        if is_bracketed {
            self.cursor.expect(Token::CloseBracket)?;
        }
        if coordinates.len() < count {
            let message = format!("{} coordinates where {count} are expected", coordinates.len());
            return Err(Diagnostic::new(self.cursor.span_from(&start), message));
        }
        coordinates.truncate(count);
        Ok(Operand::Texture { variable, coordinates })
    }
}

/// Reads `+4` or `-4`, or nothing.
pub(super) fn offset(cursor: &mut Cursor<'_>) -> Parsed<u64> {
    let is_negative = match cursor.peek() {
        Some(Token::Plus) => false,
        Some(Token::Minus) => true,
        _ => return Ok(0),
    };
    cursor.advance();
    // `+-4` is possible.
    let is_negative = is_negative ^ cursor.accept(Token::Minus);
    let value = cursor.integer("an offset")?;
    Ok(if is_negative { value.wrapping_neg() } else { value })
}

pub(super) fn mismatch(span: &Span, found: &str, wanted: Type) -> Diagnostic {
    Diagnostic::new(span.clone(), format!("{found} where {} is expected", wanted.name()))
        .label(format!("expected {}", wanted.name()))
}

/// Special registers have 16 or 32 bits, by the version of the language.
fn check_special(special: Special, wanted: Type, span: &Span) -> Parsed<()> {
    if wanted.is_float() || wanted.is_predicate() || wanted.bits < 16 {
        let what = SPECIALS.iter().find(|(_, known)| known.with(Dimension::X) == special.with(Dimension::X));
        return Err(mismatch(span, what.map_or("a special register", |(name, _)| name), wanted));
    }
    Ok(())
}

/// Reads a constant of a type: an integer, or the bits of a float in single precision.
pub(super) fn constant(cursor: &mut Cursor<'_>, wanted: Type) -> Parsed<u64> {
    let start = cursor.span();
    let is_negative = cursor.accept(Token::Minus);
    if !is_negative {
        cursor.accept(Token::Plus);
    }
    let (token, text) = (cursor.peek(), cursor.peek_text());
    match token {
        Some(Token::Integer) if !wanted.is_float() => {
            let value = cursor.integer("an integer")?;
            let signed = if is_negative { value.wrapping_neg() } else { value };
            let is_in_range = match wanted.bits {
                64 => true,
                bits if is_negative => value <= 1 << (bits - 1),
                bits => value >> bits == 0 || value.cast_signed() < 0 && value.cast_signed() >> (bits - 1) == -1,
            };
            if !is_in_range && !wanted.is_predicate() {
                let message = format!("{} does not fit into {}", shortened(text), wanted.name());
                return Err(Diagnostic::new(cursor.span_from(&start), message));
            }
            Ok(signed)
        }
        Some(Token::Float | Token::FloatBits)
            if wanted.is_float() || wanted.kind == Kind::Bits && wanted.bits == 32 =>
        {
            cursor.advance();
            let bits = float_bits(text).ok_or_else(|| Diagnostic::new(cursor.span_from(&start), "not a number"))?;
            Ok(u64::from(bits ^ u32::from(is_negative) << 31))
        }
        Some(Token::Integer | Token::Float | Token::FloatBits) => {
            let found = if token == Some(Token::Integer) { "an integer" } else { "a float" };
            cursor.advance();
            Err(mismatch(&cursor.span_from(&start), found, wanted).note(if wanted.is_float() {
                "floats are written with a point, or as 0f and eight hexadecimal digits"
            } else {
                "integers are written without a point"
            }))
        }
        _ => Err(cursor.unexpected("a constant")),
    }
}

/// The bits of a float in single precision.
#[expect(clippy::cast_possible_truncation, reason = "double precision is demoted to single precision")]
fn float_bits(text: &str) -> Option<u32> {
    let lower = text.to_ascii_lowercase();
    if let Some(bits) = lower.strip_prefix("0f") {
        return u32::from_str_radix(bits, 16).ok();
    }
    if let Some(bits) = lower.strip_prefix("0d") {
        return u64::from_str_radix(bits, 16).ok().map(|bits| (f64::from_bits(bits) as f32).to_bits());
    }
    lower.parse::<f32>().ok().map(f32::to_bits)
}

#[cfg(test)]
mod tests {
    use super::constant;
    use crate::ptx::token::Cursor;
    use crate::ptx::types::{F32, Kind, Type, U32};

    fn read(text: &str, wanted: Type) -> Result<u64, String> {
        constant(&mut Cursor::split(text, 0).unwrap(), wanted).map_err(|error| error.message)
    }

    #[test]
    fn constants_are_read_by_type() {
        let s16 = Type { kind: Kind::Signed, bits: 16 };
        assert_eq!(read("0x10", U32), Ok(16));
        assert_eq!(read("017", U32), Ok(15));
        assert_eq!(read("0b101U", U32), Ok(5));
        assert_eq!(read("-1", U32), Ok(u64::MAX));
        assert_eq!(read("-32768", s16), Ok(u64::MAX - 0x7fff));
        assert!(read("-32769", s16).is_err() && read("0x10000", s16).is_err() && read("1.0", U32).is_err());
        assert_eq!(read("-1.5", F32), Ok(0xbfc0_0000));
        assert_eq!(read("0f3F800000", F32), Ok(0x3f80_0000));
        assert_eq!(read("0d3FF8000000000000", F32), Ok(0x3fc0_0000));
        assert!(read("1", F32).is_err());
    }
}
