//! Resolves the names of a fragment text: registers, interpolants, results, parameters, texture units.

use std::collections::BTreeMap;

use super::bindings::{FragmentBindings, FragmentOutput};
use super::code::{FragmentCode, InputRead, Register, RegisterRow, Source, SourceKind};
use super::opcodes::Dialects;
use crate::assembly::TextureTarget;
use crate::constants::ConstantSource;
use crate::cursor::{Cursor, Parsed, shortened};
use crate::declarations::{Bindings as _, Declarations, RegisterSize, Symbol};
use crate::diagnostic::{Diagnostic, Span};
use crate::operand::{ComponentLetters, ModifierRules, modified, selection, texture_target, vector_literal};
use crate::shader::fragment::FragmentInput;
use crate::token::Token;

/// Texture units of the chip.
const TEXTURE_UNITS: u32 = 16;
/// Full and half registers that `!!FP1.0` names.
const FP_REGISTERS: (u32, u32) = (32, 64);
/// Parameters `p[n]` of `!!FP1.0`.
const FP_PARAMETERS: u32 = 1024;

/// A register that is written, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Destination {
    /// `None` for RC, HC and CC.
    pub(super) register: Option<Register>,
    /// Half precision.
    pub(super) is_half: bool,
}

/// The names of a text and their registers.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) dialects: Dialects,
    pub(super) declarations: Declarations<FragmentBindings>,
    /// Names of DECLARE and DEFINE, and whether the value is a number without braces.
    parameters: BTreeMap<String, (ConstantSource, bool)>,
    /// The names of DECLARE in their order, with their first values.
    pub(super) declared: Vec<(String, [u32; 4])>,
    /// Registers of temporaries, by size and number.
    pub(super) temporaries: BTreeMap<(bool, u32), Register>,
    /// Registers of results, with whether they are halves.
    pub(super) outputs: BTreeMap<FragmentOutput, (Register, bool)>,
    /// Whether registers without a declared size are halves.
    pub(super) is_half_default: bool,
    /// The targets that texture units are used with.
    pub(super) targets: BTreeMap<u8, TextureTarget>,
    /// Whether the shadow targets exist.
    pub(super) has_shadow: bool,
    /// The number of open LOOP blocks.
    pub(super) index_depth: usize,
}

impl Names {
    pub(super) fn new(bindings: FragmentBindings, is_half_default: bool, has_shadow: bool) -> Self {
        Self {
            dialects: bindings.dialects,
            declarations: Declarations::new(bindings),
            parameters: BTreeMap::new(),
            declared: Vec::new(),
            temporaries: BTreeMap::new(),
            outputs: BTreeMap::new(),
            is_half_default,
            targets: BTreeMap::new(),
            has_shadow,
            index_depth: 0,
        }
    }

    const fn is_fp(&self) -> bool {
        self.dialects.has(Dialects::FP)
    }

    /// Whether the language has suffixes, tests and magnitudes.
    pub(super) const fn has_tests(&self) -> bool {
        self.dialects.has(Dialects::FP.with(Dialects::NV))
    }

    pub(super) const fn letters(&self) -> ComponentLetters {
        if self.is_fp() { ComponentLetters::Position } else { ComponentLetters::PositionOrColor }
    }

    /// Whether a word is declared. If so, it is neither a condition nor a dummy register.
    pub(super) fn is_declared(&self, word: &str) -> bool {
        self.declarations.symbol(word).is_some() || self.parameters.contains_key(word)
    }

    /// Reads a declaration if one comes next, and returns whether it did.
    pub(super) fn declaration(&mut self, cursor: &mut Cursor<'_>) -> Parsed<bool> {
        if !self.is_fp() {
            return self.declarations.read(cursor);
        }
        let is_constant = match cursor.peek_text() {
            "DEFINE" => true,
            "DECLARE" => false,
            _ => return Ok(false),
        };
        cursor.advance();
        let (name, span) = cursor.name("a name")?;
        let is_register = fp_register(name).is_some() || matches!(name, "f" | "o" | "p" | "RC" | "HC");
        if is_register || self.declarations.bindings.is_reserved(name) {
            return Err(Diagnostic::new(span, format!("`{name}` is a reserved word")).label("cannot be declared"));
        }
        if self.parameters.contains_key(name) {
            return Err(Diagnostic::new(span, format!("`{}` is declared twice", shortened(name))));
        }
        let value = self.initial_value(cursor, is_constant).map_err(|error| error.refuse(name))?;
        let source = if is_constant {
            ConstantSource::Literal(value.0)
        } else {
            self.declared.push((name.to_owned(), value.0));
            ConstantSource::Named(u32::try_from(self.declared.len() - 1).unwrap_or(u32::MAX), value.0)
        };
        self.parameters.insert(name.to_owned(), (source, value.1));
        Ok(true)
    }

    /// Reads the rest of DEFINE or DECLARE: `= value;`, which may be the name of an earlier one, or `;`.
    fn initial_value(&self, cursor: &mut Cursor<'_>, is_constant: bool) -> Parsed<([u32; 4], bool)> {
        let mut value = ([0, 0, 0, 0], false);
        if !cursor.accept(Token::Equals) {
            if is_constant {
                return Err(cursor.unexpected("`=`"));
            }
        } else if cursor.peek() == Some(Token::Name) {
            let (name, span) = cursor.name("a name")?;
            let known = self.parameters.get(name).ok_or_else(|| self.unknown_name(name, span))?;
            value = match known.0 {
                ConstantSource::Literal(bits) | ConstantSource::Named(_, bits) => (bits, known.1),
                _ => value,
            };
        } else {
            value = literal(cursor)?;
        }
        cursor.expect(Token::Semicolon)?;
        Ok(value)
    }

    /// The error that a word of `!!FP1.0` is neither a register nor declared.
    fn unknown_name(&self, name: &str, span: Span) -> Diagnostic {
        let names = ["RC", "HC", "f", "o", "p"];
        Diagnostic::new(span, format!("unknown name `{}`", shortened(name)))
            .refuse(name)
            .label("neither a register nor declared")
            .suggest(name, self.parameters.keys().map(String::as_str).chain(names))
    }

    /// Reads a source operand with its modifiers.
    pub(super) fn source(
        &mut self,
        cursor: &mut Cursor<'_>,
        code: &mut FragmentCode,
        is_scalar: bool,
    ) -> Parsed<Source> {
        let start = cursor.span();
        let (has_tests, letters) = (self.has_tests(), self.letters());
        let read = modified(cursor, ModifierRules::ALL, |cursor| {
            let (kind, is_number) = self.primary(cursor, code)?;
            let selection = selection(cursor, letters)?;
            let has_component = selection.letters == 1 || (is_number && selection.letters == 0 && has_tests);
            if is_scalar && !has_component {
                let error = Diagnostic::new(cursor.span_from(&start), "a vector where one component is expected");
                return Err(error.label("add one of .x, .y, .z, .w"));
            }
            Ok(Source { swizzle: selection.swizzle, ..Source::new(kind) })
        })?;
        if read.absolute && !has_tests {
            return Err(Diagnostic::new(cursor.span_from(&start), "a magnitude needs OPTION NV_fragment_program"));
        }
        Ok(Source { absolute: read.absolute, negate: read.negate, ..read.register })
    }

    /// Reads a parameter without modifiers, for LOOP and REP.
    pub(super) fn parameter(&mut self, cursor: &mut Cursor<'_>, code: &mut FragmentCode) -> Parsed<ConstantSource> {
        let start = cursor.span();
        match self.primary(cursor, code)?.0 {
            SourceKind::Constant(constant) => {
                cursor.accept_member("x");
                Ok(constant)
            }
            SourceKind::Register(_) | SourceKind::Input(_) => {
                Err(Diagnostic::new(cursor.span_from(&start), "not a program parameter or constant")
                    .label("the operand of LOOP and REP is known before the program runs"))
            }
        }
    }

    /// Reads a register, interpolant or constant, and returns whether it is a number without braces.
    fn primary(&mut self, cursor: &mut Cursor<'_>, code: &mut FragmentCode) -> Parsed<(SourceKind, bool)> {
        if matches!(cursor.peek(), Some(Token::OpenBrace | Token::Number | Token::Bits)) {
            let (value, is_number) = literal(cursor)?;
            return Ok((SourceKind::Constant(ConstantSource::Literal(value)), is_number));
        }
        if self.is_fp() { self.fp_primary(cursor, code) } else { self.arb_primary(cursor, code) }
    }

    fn fp_primary(&mut self, cursor: &mut Cursor<'_>, code: &mut FragmentCode) -> Parsed<(SourceKind, bool)> {
        let (name, span) = cursor.name("a source operand")?;
        match name {
            "f" => {
                cursor.expect(Token::OpenBracket)?;
                let (name, span) = cursor.name("an attribute of the fragment")?;
                let input = fp_input(name, span)?;
                cursor.expect(Token::CloseBracket)?;
                return Ok((SourceKind::Input(InputRead { input, displacement: None }), false));
            }
            "p" => {
                let index = cursor.bracketed("a program parameter", FP_PARAMETERS)?;
                return Ok((SourceKind::Constant(ConstantSource::Register(index)), false));
            }
            "o" => return Err(Diagnostic::new(span, "a result cannot be read").label("only written")),
            _ => {}
        }
        if let Some(&(source, is_number)) = self.parameters.get(name) {
            return Ok((SourceKind::Constant(source), is_number));
        }
        let register = self.fp_temporary(name, &span, code)?;
        Ok((SourceKind::Register(register), false))
    }

    fn fp_temporary(&mut self, name: &str, span: &Span, code: &mut FragmentCode) -> Parsed<Register> {
        let Some((is_half, number)) = fp_register(name) else {
            return Err(self.unknown_name(name, span.clone()));
        };
        let limit = if is_half { FP_REGISTERS.1 } else { FP_REGISTERS.0 };
        if number >= limit {
            let (letter, last) = (if is_half { 'H' } else { 'R' }, limit - 1);
            return Err(Diagnostic::new(span.clone(), format!("there is no register {}", shortened(name)))
                .refuse(name)
                .label(format!("the last one is {letter}{last}"))
                .note(format!("limit: {limit} registers {letter}0..{letter}{last}")));
        }
        Ok(self.temporary((is_half, number), code))
    }

    fn temporary(&mut self, key: (bool, u32), code: &mut FragmentCode) -> Register {
        *self.temporaries.entry(key).or_insert_with(|| code.register(RegisterRow { is_half: key.0, place: None }))
    }

    fn arb_primary(&mut self, cursor: &mut Cursor<'_>, code: &mut FragmentCode) -> Parsed<(SourceKind, bool)> {
        let start = cursor.span();
        match cursor.peek_text() {
            "fragment" => {
                let read = self.declarations.bindings.attribute(cursor)?;
                return Ok((SourceKind::Input(self.indexable(read, cursor.span_from(&start))?), false));
            }
            "program" | "state" => {
                let (elements, _) = self.declarations.parameter_item(cursor)?;
                return match elements.as_slice() {
                    [element] => Ok((SourceKind::Constant(*element), false)),
                    _ => Err(Diagnostic::new(cursor.span_from(&start), "several vectors where one is expected")),
                };
            }
            "result" => return Err(Diagnostic::new(start, "a result cannot be read").label("only written")),
            _ => {}
        }
        let (name, span) = cursor.name("a source operand")?;
        match self.declarations.symbol(name) {
            Some(Symbol::Attribute(read)) => Ok((SourceKind::Input(self.indexable(read, span)?), false)),
            Some(Symbol::Temporary(number, size)) => {
                let key = (self.is_half(size), number);
                Ok((SourceKind::Register(self.temporary(key, code)), false))
            }
            Some(Symbol::Parameter(index)) => self.element(cursor, index, &span),
            Some(Symbol::Output(..)) => Err(Diagnostic::new(span, "a result cannot be read").label("only written")),
            Some(Symbol::Address(_)) => Err(Diagnostic::new(span, "an address register is no operand")),
            None => Err(self.declarations.unknown_name(name, span)),
        }
    }

    /// Checks that an indexed attribute is inside of a LOOP.
    fn indexable(&self, read: InputRead, span: Span) -> Parsed<InputRead> {
        if read.displacement.is_some() && self.index_depth == 0 {
            return Err(Diagnostic::new(span, "A0.x has no value here").label("only inside of LOOP"));
        }
        Ok(read)
    }

    /// The vector of a declared parameter; reads the index of an array after its name.
    fn element(&self, cursor: &mut Cursor<'_>, index: usize, span: &Span) -> Parsed<(SourceKind, bool)> {
        let parameter = &self.declarations.parameters[index];
        let element = if parameter.is_array {
            let most = u32::try_from(parameter.elements.len()).unwrap_or(u32::MAX);
            parameter.elements.get(cursor.bracketed("an element of the array", most)? as usize)
        } else {
            parameter.elements.first()
        };
        let element = element.ok_or_else(|| Diagnostic::new(span.clone(), "the array has no elements"))?;
        Ok((SourceKind::Constant(*element), parameter.is_scalar))
    }

    const fn is_half(&self, size: Option<RegisterSize>) -> bool {
        match size {
            Some(RegisterSize::Short) => true,
            Some(RegisterSize::Long) => false,
            None => self.is_half_default,
        }
    }

    /// Reads the destination of an instruction without mask and test.
    pub(super) fn destination(&mut self, cursor: &mut Cursor<'_>, code: &mut FragmentCode) -> Parsed<Destination> {
        let (name, span) = (cursor.peek_text(), cursor.span());
        if self.has_tests() && matches!(name, "RC" | "HC" | "CC") && !self.is_declared(name) {
            cursor.advance();
            return Ok(Destination { register: None, is_half: name == "HC" });
        }
        if self.is_fp() {
            let (name, span) = cursor.name("a destination register")?;
            if name == "o" {
                return self.fp_output(cursor, code);
            }
            if name == "f" || name == "p" || self.parameters.contains_key(name) {
                return Err(Diagnostic::new(span, "not a destination").label("can only be read"));
            }
            let register = self.fp_temporary(name, &span, code)?;
            return Ok(Destination { register: Some(register), is_half: name.starts_with('H') });
        }
        if name == "result" {
            let output = self.declarations.bindings.output(cursor)?;
            return Ok(self.output(output, None, code));
        }
        let (name, _) = cursor.name("a destination register")?;
        match self.declarations.symbol(name) {
            Some(Symbol::Temporary(number, size)) => {
                let is_half = self.is_half(size);
                Ok(Destination { register: Some(self.temporary((is_half, number), code)), is_half })
            }
            Some(Symbol::Output(output, size)) => Ok(self.output(output, size, code)),
            Some(Symbol::Attribute(_) | Symbol::Parameter(_) | Symbol::Address(_)) => {
                Err(Diagnostic::new(span, "not a destination").label("can only be read"))
            }
            None if name == "fragment" || name == "program" || name == "state" => {
                Err(Diagnostic::new(span, "not a destination").label("can only be read"))
            }
            None => Err(self.declarations.unknown_name(name, span)),
        }
    }

    fn output(&mut self, output: FragmentOutput, size: Option<RegisterSize>, code: &mut FragmentCode) -> Destination {
        // Depth has 24 bits, and its register is a full one.
        let is_half = output != FragmentOutput::Depth && self.is_half(size);
        self.sized_output(output, is_half, code)
    }

    fn sized_output(&mut self, output: FragmentOutput, is_half: bool, code: &mut FragmentCode) -> Destination {
        let (register, known_half) = self
            .outputs
            .entry(output)
            .or_insert_with(|| (code.register(RegisterRow { is_half, place: None }), is_half));
        *known_half &= is_half;
        Destination { register: Some(*register), is_half }
    }

    /// Reads `[COLR]` after `o`.
    fn fp_output(&mut self, cursor: &mut Cursor<'_>, code: &mut FragmentCode) -> Parsed<Destination> {
        const NAMES: [&str; 3] = ["COLR", "COLH", "DEPR"];
        cursor.expect(Token::OpenBracket)?;
        let (name, span) = cursor.name("a result")?;
        cursor.expect(Token::CloseBracket)?;
        let (output, is_half) = match name {
            "COLR" => (FragmentOutput::Color(0), false),
            "COLH" => (FragmentOutput::Color(0), true),
            "DEPR" => (FragmentOutput::Depth, false),
            _ => {
                return Err(Diagnostic::new(span, format!("there is no `o[{}]`", shortened(name))).suggest(name, NAMES));
            }
        };
        if self.outputs.get(&output).is_some_and(|&(_, known)| known != is_half) {
            return Err(
                Diagnostic::new(span, "o[COLR] and o[COLH] in one program").label("only one of them can be written")
            );
        }
        Ok(self.sized_output(output, is_half, code))
    }

    /// Reads the unit and the target of a texture operation.
    pub(super) fn texture(&mut self, cursor: &mut Cursor<'_>) -> Parsed<(u8, TextureTarget)> {
        let start = cursor.span();
        let unit = if self.is_fp() {
            let (name, span) = cursor.name("a texture unit")?;
            let unit = name.strip_prefix("TEX").and_then(|digits| digits.parse().ok());
            unit.filter(|&unit: &u32| unit < TEXTURE_UNITS).ok_or_else(|| {
                Diagnostic::new(span, format!("`{}` is not a texture unit", shortened(name)))
                    .label("one of TEX0..TEX15")
            })?
        } else {
            if !cursor.accept_word("texture") {
                return Err(cursor.unexpected("`texture[n]`"));
            }
            let has_index = cursor.peek() == Some(Token::OpenBracket);
            if has_index { cursor.bracketed("a texture unit", TEXTURE_UNITS)? } else { 0 }
        };
        let unit = u8::try_from(unit).unwrap_or(0);
        cursor.expect(Token::Comma)?;
        let (word, span) = (cursor.peek_text(), cursor.span());
        let target = texture_target(cursor, TextureTarget::TABLE)?;
        if word.starts_with("SHADOW") && !self.has_shadow {
            return Err(Diagnostic::new(span, format!("`{word}` needs an option"))
                .note("add `OPTION ARB_fragment_program_shadow;`"));
        }
        let known = *self.targets.entry(unit).or_insert(target);
        if known != target {
            return Err(Diagnostic::new(cursor.span_from(&start), format!("texture unit {unit} has two targets"))
                .label("was used with another target before"));
        }
        Ok((unit, target))
    }
}

/// Reads `{x, y, z, w}` or a number, which fills all components, and returns whether it is a number.
fn literal(cursor: &mut Cursor<'_>) -> Parsed<([u32; 4], bool)> {
    if cursor.peek() == Some(Token::OpenBrace) {
        return Ok((vector_literal(cursor)?, false));
    }
    Ok(([cursor.signed_number()?; 4], true))
}

/// Whether the register that a word of `!!FP1.0` names is a half, and its number.
fn fp_register(word: &str) -> Option<(bool, u32)> {
    let (is_half, digits) = word
        .strip_prefix('R')
        .map(|digits| (false, digits))
        .or_else(|| word.strip_prefix('H').map(|digits| (true, digits)))?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| (is_half, digits.parse().unwrap_or(u32::MAX)))
}

/// The interpolant in `f[…]`.
fn fp_input(name: &str, span: Span) -> Parsed<FragmentInput> {
    const NAMES: [&str; 12] =
        ["WPOS", "COL0", "COL1", "FOGC", "TEX0", "TEX1", "TEX2", "TEX3", "TEX4", "TEX5", "TEX6", "TEX7"];
    let inputs = FragmentInput::all().zip(NAMES);
    inputs.into_iter().find(|(_, known)| *known == name).map(|(input, _)| input).ok_or_else(|| {
        Diagnostic::new(span, format!("there is no `f[{}]`", shortened(name)))
            .label("one of WPOS, COL0, COL1, FOGC, TEX0..TEX7")
            .suggest(name, NAMES)
    })
}
