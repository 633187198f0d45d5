//! The statements that the vertex languages share: labels, opcodes, destinations, operands.

use std::collections::HashMap;

use super::arb::ArbRegisters;
use super::nv::{NvRegisters, texture};
use super::opcodes::{Kind, Mnemonic, TABLE, languages_of, mnemonic};
use super::profile::{Profile, TEXTURE_UNITS};
use super::statement::{Element, ParameterUse, Register, Source, Statement, Target, Text};
use crate::asm::assembly::TextureTarget;
use crate::asm::cursor::{Cursor, Parsed, shortened};
use crate::asm::diagnostic::{Diagnostic, Span};
use crate::asm::operand::{ComponentLetters, condition_test, selection, write_mask};
use crate::asm::token::Token;
use crate::shader::condition::{Swizzle, WriteMask};

const LETTERS: ComponentLetters = ComponentLetters::Position;

/// Most labels of a text.
const MOST_LABELS: usize = 2048;
/// Most errors that are collected before reading stops.
const MOST_ERRORS: usize = 20;

/// How a language names registers.
#[derive(Debug)]
pub(super) enum Registers {
    /// By fixed names.
    Nv(NvRegisters),
    /// By declared names.
    Arb(Box<ArbRegisters>),
}

/// Reads the statements of a text.
pub(super) struct Grammar<'text> {
    pub(super) cursor: Cursor<'text>,
    pub(super) profile: Profile,
    pub(super) registers: Registers,
    pub(super) is_position_invariant: bool,
    statements: Vec<Statement>,
    labels: HashMap<String, usize>,
    textures: Vec<(u8, TextureTarget)>,
    errors: Vec<Diagnostic>,
}

impl<'text> Grammar<'text> {
    pub(super) fn new(cursor: Cursor<'text>, profile: Profile, registers: Registers, is_invariant: bool) -> Self {
        Self {
            cursor,
            profile,
            registers,
            is_position_invariant: is_invariant,
            statements: Vec::new(),
            labels: HashMap::new(),
            textures: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Reads up to END.
    ///
    /// # Errors
    /// All that is wrong.
    pub(super) fn read(mut self) -> Result<Text, Vec<Diagnostic>> {
        loop {
            if self.cursor.accept_word("END") {
                break;
            }
            if self.cursor.peek().is_none() || self.errors.len() >= MOST_ERRORS {
                if self.errors.is_empty() {
                    self.errors.push(self.cursor.unexpected("END"));
                }
                return Err(self.errors);
            }
            if let Err(error) = self.step() {
                self.errors.push(error);
                self.cursor.recover();
            }
            let limit = self.profile.instructions;
            if let Some(first) = self.statements.get(limit.most) {
                let (span, count) = (first.span.clone(), self.statements.len());
                self.errors.push(Diagnostic::over_limit(span, "instructions", count, limit.most, limit.name));
                return Err(self.errors);
            }
        }
        if self.cursor.peek().is_some() {
            self.errors.push(self.cursor.unexpected("the end of the text behind END"));
        }
        self.check();
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let (arrays, temporaries) = match &self.registers {
            // Parameters that a state program writes are temporaries too.
            Registers::Nv(registers) => {
                let parameters = if registers.is_state_program { u32::from(self.profile.parameters) } else { 0 };
                (vec![registers.array()], u32::from(self.profile.temporaries) + parameters)
            }
            Registers::Arb(registers) => {
                let parameters = &registers.declarations.parameters;
                let arrays = parameters.iter().map(|parameter| parameter.elements.clone()).collect();
                (arrays, registers.declarations.temporaries())
            }
        };
        Ok(Text {
            statements: self.statements,
            labels: self.labels,
            temporaries,
            arrays,
            textures: self.textures,
            is_position_invariant: self.is_position_invariant,
        })
    }

    /// What holds for the text as a whole.
    fn check(&mut self) {
        for statement in &self.statements {
            let Some((name, span)) = &statement.label else { continue };
            if !self.labels.contains_key(name) {
                let labels = self.labels.keys().map(String::as_str);
                self.errors.push(super::native::unknown_label(name, span.clone(), labels));
            }
        }
        let position = self.statements.iter().find(|statement| match statement.target {
            Target::Output(output) => output.register == 0 && output.address.is_none(),
            _ => false,
        });
        match position {
            Some(statement) if self.is_position_invariant => self.errors.push(
                Diagnostic::new(statement.span.clone(), "the position is written")
                    .label("a position-invariant program cannot write it")
                    .note("the option computes the position as the fixed pipeline does"),
            ),
            None if self.profile.needs_position && self.errors.is_empty() => {
                self.errors.push(
                    Diagnostic::new(self.cursor.last_span(), "the program does not write the position o[HPOS]")
                        .label("ends here without a position"),
                );
            }
            _ => {}
        }
    }

    fn step(&mut self) -> Parsed<()> {
        if self.cursor.peek() == Some(Token::Name) && self.cursor.peek_at(1) == Some(Token::Colon) {
            return self.label();
        }
        if let Registers::Arb(registers) = &mut self.registers
            && registers.declarations.read(&mut self.cursor)?
        {
            return Ok(());
        }
        let start = self.cursor.span();
        if self.cursor.peek_text() == "OPTION" {
            return Err(Diagnostic::new(start, "OPTION behind the first statement")
                .label("options stand directly behind the header"));
        }
        let mut statement = self.statement()?;
        statement.span = self.cursor.span_from(&start);
        self.check_statement(&statement)?;
        self.cursor.expect(Token::Semicolon)?;
        self.statements.push(statement);
        Ok(())
    }

    fn label(&mut self) -> Parsed<()> {
        let (name, span) = self.cursor.name("a label")?;
        self.cursor.advance();
        if self.profile.conditions == 0 {
            return Err(Diagnostic::new(span, "this language has no labels").label("a label"));
        }
        if self.labels.len() >= MOST_LABELS {
            return Err(Diagnostic::over_limit(span, "labels", self.labels.len() + 1, MOST_LABELS, "labels of a text"));
        }
        if self.labels.insert(name.to_owned(), self.statements.len()).is_some() {
            return Err(Diagnostic::new(span, format!("label `{}` stands twice", shortened(name))));
        }
        Ok(())
    }

    fn opcode(&mut self) -> Parsed<Mnemonic> {
        let (word, span) = self.cursor.name("an opcode")?;
        mnemonic(word, self.profile.sets).ok_or_else(|| {
            let error = Diagnostic::new(span, format!("unknown opcode `{}`", shortened(word)))
                .label("not an opcode of this language");
            match languages_of(word) {
                Some(reason) => error.note(reason),
                None => {
                    let known = TABLE.iter().filter(|row| row.sets.meets(self.profile.sets));
                    error.suggest(word, known.map(|row| row.name))
                }
            }
        })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let Mnemonic { kind, update, saturate } = self.opcode()?;
        let mut statement = Statement {
            kind,
            span: 0..0,
            target: Target::Nothing,
            mask: WriteMask::ALL,
            condition: None,
            update,
            saturate,
            sources: Vec::new(),
            elements: [(Element::Zero, false); 4],
            label: None,
            texture: 0,
            address: 0,
        };
        match kind {
            Kind::Branch(_) => {
                let (name, span) = self.cursor.name("a label")?;
                statement.label = Some((name.to_owned(), span));
                statement.condition = self.test()?;
            }
            Kind::Return => statement.condition = self.test()?,
            Kind::Stack(_) => statement.address = self.address()?,
            Kind::Address(_) | Kind::AddressAdd => {
                statement.target = Target::Address(self.address()?);
                self.address_mask(&mut statement)?;
            }
            _ => {
                statement.target = self.target()?;
                statement.mask = write_mask(&mut self.cursor, LETTERS)?;
                statement.condition = self.test()?;
            }
        }
        self.operands(&mut statement)?;
        Ok(statement)
    }

    fn address_mask(&mut self, statement: &mut Statement) -> Parsed<()> {
        statement.mask = write_mask(&mut self.cursor, LETTERS)?;
        if self.profile.has_address_vectors {
            statement.condition = self.test()?;
        } else if statement.mask != WriteMask(1) {
            return Err(Diagnostic::new(self.cursor.last_span(), "address registers have the component x alone")
                .label("needs `.x`"));
        }
        Ok(())
    }

    fn operands(&mut self, statement: &mut Statement) -> Parsed<()> {
        match statement.kind {
            Kind::Constant(_) => {
                // The operands do not matter; the documents list two.
                if self.cursor.accept(Token::Comma) {
                    self.operand(false)?;
                    self.cursor.expect(Token::Comma)?;
                    self.operand(false)?;
                }
            }
            Kind::AddressAdd => {
                self.cursor.expect(Token::Comma)?;
                statement.address = self.address()?;
            }
            Kind::Swizzle => {
                self.cursor.expect(Token::Comma)?;
                let register = self.source_register()?.0;
                statement.sources.push(Source::plain(register));
                for element in &mut statement.elements {
                    self.cursor.expect(Token::Comma)?;
                    *element = swizzle_element(&mut self.cursor)?;
                }
            }
            kind => {
                let is_scalar = match kind {
                    Kind::Scalar(_) | Kind::Power => true,
                    Kind::Address(_) => !self.profile.has_address_vectors,
                    _ => false,
                };
                for _ in 0..kind.operands() {
                    self.cursor.expect(Token::Comma)?;
                    let source = self.operand(is_scalar)?;
                    statement.sources.push(source);
                }
                if matches!(kind, Kind::Texture(_)) {
                    self.cursor.expect(Token::Comma)?;
                    statement.texture = self.texture()?;
                }
            }
        }
        Ok(())
    }

    fn texture(&mut self) -> Parsed<u8> {
        let start = self.cursor.span();
        let (unit, target) = texture(&mut self.cursor)?;
        match self.textures.iter().find(|(known, _)| *known == unit) {
            Some((_, known)) if *known != target => {
                return Err(Diagnostic::new(
                    self.cursor.span_from(&start),
                    "the unit is used with another target before",
                )
                .label("all lookups of a unit have one target"));
            }
            Some(_) => {}
            None => self.textures.push((unit, target)),
        }
        let (count, most) = (self.textures.len(), TEXTURE_UNITS.most);
        if count > most {
            let span = self.cursor.span_from(&start);
            return Err(Diagnostic::over_limit(span, "texture units", count, most, TEXTURE_UNITS.name));
        }
        Ok(unit)
    }

    fn test(&mut self) -> Parsed<Option<crate::shader::condition::ConditionTest>> {
        if self.profile.conditions == 0 {
            return Ok(None);
        }
        condition_test(&mut self.cursor, self.profile.conditions, LETTERS)
    }

    fn address(&mut self) -> Parsed<u8> {
        match &self.registers {
            Registers::Nv(registers) => registers.address(&mut self.cursor),
            Registers::Arb(registers) => registers.address(&mut self.cursor),
        }
    }

    fn target(&mut self) -> Parsed<Target> {
        match &self.registers {
            Registers::Nv(registers) => registers.target(&mut self.cursor),
            Registers::Arb(registers) => registers.target(&mut self.cursor),
        }
    }

    /// Reads a source register; whether it is a number that needs no component.
    fn source_register(&mut self) -> Parsed<(Register, bool)> {
        match &self.registers {
            Registers::Nv(registers) => registers.source(&mut self.cursor).map(|register| (register, false)),
            Registers::Arb(registers) => registers.source(&mut self.cursor),
        }
    }

    fn sign(&mut self) -> Parsed<bool> {
        if self.cursor.accept(Token::Minus) {
            return Ok(true);
        }
        let span = self.cursor.span();
        if self.cursor.accept(Token::Plus) && !self.profile.has_plus {
            return Err(
                Diagnostic::new(span, "`+` before an operand").label("it belongs to !!VP1.1 and later languages")
            );
        }
        Ok(false)
    }

    fn operand(&mut self, is_scalar: bool) -> Parsed<Source> {
        let negate = self.sign()?;
        let bar = self.cursor.span();
        let absolute = self.cursor.accept(Token::Bar);
        if absolute {
            if !self.profile.has_absolute {
                return Err(Diagnostic::new(bar, "this language has no magnitudes of operands").label("`|`"));
            }
            self.sign()?;
        }
        let (register, is_number) = self.source_register()?;
        let selection = selection(&mut self.cursor, LETTERS)?;
        if absolute {
            self.cursor.expect(Token::Bar)?;
        }
        let swizzle = match selection.letters {
            1 => selection.swizzle,
            0 if is_scalar && is_number && self.profile.has_bare_scalars => Swizzle([0; 4]),
            _ if is_scalar => {
                let span = if selection.letters == 0 { self.cursor.last_span() } else { selection.span };
                return Err(Diagnostic::new(span, "a scalar operand has exactly one component")
                    .label("needs one of .x .y .z .w"));
            }
            _ => selection.swizzle,
        };
        Ok(Source { register, swizzle, absolute, negate })
    }

    /// What holds for each statement.
    fn check_statement(&self, statement: &Statement) -> Parsed<()> {
        if self.profile.has_single_operands {
            let registers = || statement.sources.iter().map(|source| source.register);
            single(
                registers().filter(|register| matches!(register, Register::Parameter(_))),
                &statement.span,
                "parameter",
            )?;
            single(
                registers().filter(|register| matches!(register, Register::Attribute(..))),
                &statement.span,
                "attribute",
            )?;
        }
        let is_relative =
            |source: &Source| matches!(source.register, Register::Parameter(ParameterUse::Element { .. }));
        let is_first_generation = self.profile.has_single_operands && self.profile.addresses == 1;
        if self.is_position_invariant && is_first_generation && statement.sources.iter().any(is_relative) {
            return Err(Diagnostic::new(statement.span.clone(), "relative addressing in a position-invariant program")
                .label("NV_position_invariant of !!VP1.1 excludes it"));
        }
        Ok(())
    }
}

fn single(mut registers: impl Iterator<Item = Register>, span: &Span, what: &str) -> Parsed<()> {
    let Some(first) = registers.next() else { return Ok(()) };
    if registers.all(|register| register == first) {
        return Ok(());
    }
    Err(Diagnostic::new(span.clone(), format!("the instruction reads two different {what} registers"))
        .label(format!("more than one {what} register"))
        .note(format!("limit: {what} registers of an instruction = 1; move one into a temporary before")))
}

/// Reads 0, 1 or a component, with a sign.
fn swizzle_element(cursor: &mut Cursor<'_>) -> Parsed<(Element, bool)> {
    let negative = crate::asm::operand::sign(cursor);
    let element = match cursor.peek_text() {
        "0" => Element::Zero,
        "1" => Element::One,
        "x" => Element::Component(0),
        "y" => Element::Component(1),
        "z" => Element::Component(2),
        "w" => Element::Component(3),
        _ => return Err(cursor.unexpected("0, 1, x, y, z or w")),
    };
    cursor.advance();
    Ok((element, negative))
}
