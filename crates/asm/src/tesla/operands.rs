//! Reads numbers, registers, memory and the other operands of an instruction.

use std::collections::BTreeMap;

use super::super::cursor::{Cursor, Parsed, shortened};
use super::super::diagnostic::{Diagnostic, Span};
use super::token::TeslaToken as Token;
use crate::isa::tesla::{access_named, space_named};
use crate::shader::simt::{Access, Address, Destination, MemoryOperand, Operand, Operation, Register, Space, Width};

/// A position in a line.
pub(super) type Line<'text> = Cursor<'text, Token>;

/// Names for addresses: parameters in shared memory, and constants.
#[derive(Debug, Default)]
pub(super) struct Symbols<'text> {
    places: BTreeMap<&'text str, (Space, u32)>,
    /// The names in their order.
    names: Vec<&'text str>,
}

impl<'text> Symbols<'text> {
    /// Names an address.
    ///
    /// # Errors
    /// When the name has an address already.
    pub(super) fn insert(&mut self, name: &'text str, span: Span, space: Space, offset: u32) -> Parsed<()> {
        if self.places.contains_key(name) {
            let error = Diagnostic::new(span, format!("a second variable `{}`", shortened(name)));
            return Err(error.label("the name is taken"));
        }
        self.places.insert(name, (space, offset));
        self.names.push(name);
        Ok(())
    }

    /// Forgets all names but the first ones.
    pub(super) fn truncate(&mut self, count: usize) {
        for name in self.names.split_off(count.min(self.names.len())) {
            self.places.remove(name);
        }
    }

    /// How many names there are.
    pub(super) const fn count(&self) -> usize {
        self.names.len()
    }

    /// The address of a name in a space.
    fn get(&self, name: &str, span: Span, space: Space) -> Parsed<u32> {
        let found = self.places.get(name).filter(|(other, _)| *other == space);
        found.map(|(_, offset)| *offset).ok_or_else(|| {
            let known = self.names.iter().copied().filter(|name| self.places[name].0 == space);
            Diagnostic::new(span, format!("no variable `{}` in this space", shortened(name)))
                .refuse(&format!("variable {name}"))
                .label("not the name of a parameter or constant there")
                .suggest(name, known)
        })
    }
}

/// A number of 32 bits: decimal, hexadecimal, or the bits of a float.
pub(super) fn number(line: &mut Line<'_>) -> Parsed<u32> {
    let start = line.span();
    let is_negative = line.accept(Token::Minus);
    let (token, text) = (line.peek(), line.peek_text());
    let value = match token {
        Some(Token::Bits) => u32::from_str_radix(&text[2..], 16).ok(),
        Some(Token::Number) => text.parse().ok(),
        Some(Token::Float) => text.parse().ok().map(f32::to_bits),
        _ => return Err(line.unexpected("a number")),
    };
    line.advance();
    let value = match value {
        Some(bits) if token == Some(Token::Float) => Some(bits ^ u32::from(is_negative) << 31),
        Some(value) if is_negative => (value <= 1 << 31).then_some(value.wrapping_neg()),
        value => value,
    };
    value.ok_or_else(|| {
        let error = Diagnostic::new(line.span_from(&start), format!("`{}` does not fit 32 bits", shortened(text)));
        error.label("out of range")
    })
}

/// A number up to a limit.
pub(super) fn number_up_to(line: &mut Line<'_>, what: &str, most: u32) -> Parsed<u32> {
    let start = line.span();
    let value = number(line)?;
    if value <= most {
        return Ok(value);
    }
    let error = Diagnostic::new(line.span_from(&start), format!("{what} is {value}"));
    Err(error.label(format!("must be at most {most}")))
}

/// A signed number of a few bits.
#[expect(clippy::cast_possible_wrap, reason = "numbers are two's complement")]
fn signed(line: &mut Line<'_>) -> Parsed<i32> {
    Ok(number(line)? as i32)
}

/// A register of a kind by its number, `$t3`.
fn numbered(line: &mut Line<'_>, prefix: &str, what: &str, most: u8) -> Parsed<u8> {
    let digits = line.peek_text().strip_prefix(prefix).filter(|rest| is_number(rest));
    let Some(digits) = digits.filter(|_| line.peek() == Some(Token::Register)) else {
        return Err(line.unexpected(what));
    };
    let found = digits.parse().ok().filter(|number| *number <= most);
    let number = found.ok_or_else(|| no_register(line, &format!("{prefix}0 to {prefix}{most}")))?;
    line.advance();
    Ok(number)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn no_register(line: &Line<'_>, known: &str) -> Diagnostic {
    let error = Diagnostic::new(line.span(), format!("there is no register `{}`", shortened(line.peek_text())));
    error.label(format!("registers are {known}"))
}

/// A condition register.
pub(super) fn condition(line: &mut Line<'_>) -> Parsed<u8> {
    numbered(line, "$c", "a condition register", 3)
}

/// Whether a condition register comes next.
pub(super) fn is_condition(line: &Line<'_>) -> bool {
    line.peek() == Some(Token::Register) && line.peek_text().strip_prefix("$c").is_some_and(is_number)
}

/// An address register, or 0 for none.
fn address_register(line: &mut Line<'_>) -> Parsed<u8> {
    if matches!(line.peek(), Some(Token::Bits | Token::Number)) {
        let start = line.mark();
        if number(line)? == 0 {
            return Ok(0);
        }
        line.rewind(start);
    }
    numbered(line, "$a", "an address register", 7)
}

/// A general register.
fn register(line: &mut Line<'_>) -> Parsed<Register> {
    let rest = line.peek_text().strip_prefix("$r").filter(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
    let Some(rest) = rest.filter(|_| line.peek() == Some(Token::Register)) else {
        return Err(line.unexpected("a register"));
    };
    let digits = rest.trim_end_matches(|next: char| next.is_ascii_alphabetic());
    let number: Option<u8> = digits.parse().ok();
    let known = match (number, &rest[digits.len()..]) {
        (Some(number @ 0..128), "") => Some(Register::Word(number)),
        (Some(number @ 0..128), "d") => Some(Register::Double(number)),
        (Some(number @ 0..128), "q") => Some(Register::Quad(number)),
        (Some(number @ 0..64), half @ ("l" | "h")) => Some(Register::Half { number, is_high: half == "h" }),
        _ => None,
    };
    let found =
        known.ok_or_else(|| no_register(line, "$r0 to $r127, $r0l to $r63h, $r0d to $r127d, $r0q to $r127q"))?;
    line.advance();
    Ok(found)
}

/// A whole register.
fn word(line: &mut Line<'_>) -> Parsed<u8> {
    numbered(line, "$r", "a register", 127)
}

/// An offset: a number, or a name and perhaps a number.
fn offset(line: &mut Line<'_>, space: Space, symbols: &Symbols<'_>) -> Parsed<u32> {
    if line.peek() != Some(Token::Name) {
        return number(line);
    }
    let base = symbols.get(line.peek_text(), line.span(), space)?;
    line.advance();
    let more = if line.accept(Token::Plus) { number(line)? } else { 0 };
    Ok(base.wrapping_add(more))
}

fn address(line: &mut Line<'_>, space: Space, symbols: &Symbols<'_>) -> Parsed<Address> {
    if line.peek_text().starts_with("$r") {
        return Ok(Address::Register(word(line)?));
    }
    if line.peek() == Some(Token::Register) {
        let base = numbered(line, "$a", "an address register", 7)?;
        if line.accept(Token::PlusPlus) {
            return Ok(Address::PostIncrement { base, step: signed(line)? });
        }
        let offset = if line.accept(Token::Plus) { offset(line, space, symbols)? } else { 0 };
        return Ok(Address::Offset { base, offset });
    }
    let offset = offset(line, space, symbols)?;
    if offset == 0 && line.accept(Token::PlusPlus) {
        return Ok(Address::PostIncrement { base: 0, step: signed(line)? });
    }
    Ok(Address::Offset { base: 0, offset })
}

/// Memory such as `c1[$a2+0x10]`.
fn memory(line: &mut Line<'_>, access: Access, symbols: &Symbols<'_>) -> Parsed<MemoryOperand> {
    let space = space_named(line.peek_text()).filter(|_| line.peek_at(1) == Some(Token::OpenBracket));
    let space = space.ok_or_else(|| line.unexpected("an operand"))?;
    line.advance();
    line.advance();
    let address = address(line, space, symbols)?;
    line.expect(Token::CloseBracket)?;
    Ok(MemoryOperand { space, access, address })
}

/// Memory as a source. The size of the access is in the text for shared memory, and for loads of constants; otherwise the
/// instruction tells it.
fn memory_source(
    line: &mut Line<'_>,
    example: Operand,
    is_sized: bool,
    symbols: &Symbols<'_>,
) -> Parsed<MemoryOperand> {
    let size = access_named(line.peek_text());
    let named = if size.is_some() { line.peek_text_at(1) } else { line.peek_text() };
    let space = space_named(named);
    let needs_size = match space {
        Some(Space::Shared) => true,
        Some(Space::Constant(_)) => is_sized,
        _ => false,
    };
    let access = match (size, example) {
        (Some(size), _) if needs_size => {
            line.advance();
            size
        }
        (None, _) if needs_size => return Err(line.unexpected("the size of the access, such as `b32`")),
        (_, Operand::Memory(memory)) => memory.access,
        // Only constants are read in halves.
        (_, Operand::Register(register))
            if register.width() == Width::Half && matches!(space, Some(Space::Constant(_))) =>
        {
            Access::U16
        }
        _ => Access::B32,
    };
    memory(line, access, symbols)
}

/// Registers that follow each other, separated by colons.
fn consecutive(line: &mut Line<'_>, first: u8, number: u8) -> Parsed<u8> {
    let span = line.span();
    let found = word(line)?;
    if u32::from(found) == u32::from(first) + u32::from(number) {
        return Ok(found);
    }
    let error = Diagnostic::new(span, format!("`$r{found}` does not follow"));
    Err(error.label(format!("expected `$r{}`", u32::from(first) + u32::from(number))))
}

fn coordinates(line: &mut Line<'_>) -> Parsed<Operand> {
    let first = word(line)?;
    let mut count = 1;
    while count < 4 && line.accept(Token::Colon) {
        consecutive(line, first, count)?;
        count += 1;
    }
    Ok(Operand::Coordinates { first, count })
}

/// The four components of a texture fetch.
fn components(line: &mut Line<'_>) -> Parsed<Destination> {
    let (mut first, mut mask) = (0, 0u8);
    for component in 0..4 {
        if component > 0 {
            line.expect(Token::Colon)?;
        }
        if line.accept(Token::Hash) {
            continue;
        }
        #[expect(clippy::cast_possible_truncation, reason = "at most four bits are set")]
        let before = mask.count_ones() as u8;
        if before == 0 {
            first = word(line)?;
        } else {
            consecutive(line, first, before)?;
        }
        mask |= 1 << component;
    }
    Ok(Destination::Texture { first, mask })
}

fn texel_offset(line: &mut Line<'_>) -> Parsed<i8> {
    let start = line.span();
    let value = signed(line)?;
    let fits = i8::try_from(value).ok().filter(|value| (-8..8).contains(value));
    fits.ok_or_else(|| {
        Diagnostic::new(line.span_from(&start), format!("the texel offset is {value}")).label("must be -8 to 7")
    })
}

/// A source like the one of an example; of a label, the place is 0.
pub(super) fn source(line: &mut Line<'_>, example: Operand, is_sized: bool, symbols: &Symbols<'_>) -> Parsed<Operand> {
    Ok(match example {
        Operand::CodeAddress(_) if line.accept(Token::Name) => Operand::CodeAddress(0),
        Operand::CodeAddress(_) => Operand::CodeAddress(number(line)?),
        Operand::Texture { .. } => {
            let texture = numbered(line, "$t", "a texture", 255)?;
            Operand::Texture { texture, sampler: numbered(line, "$s", "a sampler", 31)? }
        }
        Operand::TexelOffset(_) => {
            Operand::TexelOffset([texel_offset(line)?, texel_offset(line)?, texel_offset(line)?])
        }
        Operand::Coordinates { .. } => coordinates(line)?,
        Operand::Address(_) => Operand::Address(address_register(line)?),
        Operand::Condition(_) => Operand::Condition(condition(line)?),
        Operand::Register(_) | Operand::Immediate(_) | Operand::Memory(_) => match line.peek() {
            Some(Token::Register) => Operand::Register(register(line)?),
            Some(Token::Bits | Token::Number | Token::Float | Token::Minus) => Operand::Immediate(number(line)?),
            _ => Operand::Memory(memory_source(line, example, is_sized, symbols)?),
        },
    })
}

/// A destination like the one of an example.
pub(super) fn destination(
    line: &mut Line<'_>,
    example: Destination,
    operation: Operation,
    symbols: &Symbols<'_>,
) -> Parsed<Destination> {
    Ok(match example {
        Destination::Texture { .. } => components(line)?,
        Destination::Address(_) => Destination::Address(address_register(line)?),
        Destination::Condition(_) => Destination::Condition(condition(line)?),
        Destination::Memory(of) => Destination::Memory(memory(line, of.access, symbols)?),
        Destination::None | Destination::Register(_) | Destination::Output { .. } => match line.peek() {
            Some(Token::Hash) => {
                line.advance();
                Destination::None
            }
            Some(Token::Register) => Destination::Register(register(line)?),
            _ => output(line, example, operation, symbols)?,
        },
    })
}

/// An output; loads write words, other operations what they write to registers.
fn output(
    line: &mut Line<'_>,
    example: Destination,
    operation: Operation,
    symbols: &Symbols<'_>,
) -> Parsed<Destination> {
    let span = line.span();
    let width = match example {
        Destination::Register(of) if !matches!(operation, Operation::Load { .. }) => of.width(),
        _ => Width::Word,
    };
    let place = memory(line, Access::B32, symbols)?;
    match (place.space, place.address) {
        (Space::Output, Address::Offset { base: 0, offset }) if offset <= u32::from(u16::MAX) => {
            #[expect(clippy::cast_possible_truncation, reason = "the guard tells")]
            let offset = offset as u16;
            Ok(Destination::Output { offset, width })
        }
        _ => Err(Diagnostic::new(line.span_from(&span), "this memory cannot be the destination")
            .label("expected a register, `o[offset]` or `#`")),
    }
}
