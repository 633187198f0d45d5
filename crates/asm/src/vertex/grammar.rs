//! Parses the statements of the vertex languages: labels, opcodes, destinations, operands.

use std::collections::HashSet;

use super::arb::ArbRegisters;
use super::nv::{NvRegisters, texture};
use super::opcodes::{Kind, Mnemonic, TABLE, languages_of, mnemonic};
use super::profile::{Profile, TEXTURE_UNITS};
use super::statement::{ParameterUse, Register, Source, Statement, Target, Text};
use crate::assembly::TextureTarget;
use crate::constants::ConstantSource;
use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, ErrorList, Span};
use crate::isa::nv40_vertex::ScalarOpcode;
use crate::labels::{Labels, accept_label};
use crate::operand::{
    ComponentLetters, ModifierRules, Selector, SwizzleElement, condition_test, modified, selection, selector,
    write_mask,
};
use crate::shader::condition::{ConditionTest, Swizzle, WriteMask};
use crate::statements::{ReadStatement, read_statements};
use crate::token::Token;

const LETTERS: ComponentLetters = ComponentLetters::Position;

/// Most labels of a text.
pub(super) const MAX_LABELS: usize = 2048;

/// How a language names registers.
#[derive(Debug)]
pub(super) enum Registers {
    /// By fixed names.
    Nv(NvRegisters),
    /// By declared names.
    Arb(Box<ArbRegisters>),
}

/// Reads the statements of a text.
pub(super) struct Grammar {
    pub(super) profile: Profile,
    pub(super) registers: Registers,
    pub(super) is_position_invariant: bool,
    statements: Vec<Statement>,
    labels: Labels,
    textures: Vec<(u8, TextureTarget)>,
}

impl Grammar {
    pub(super) fn new(profile: Profile, registers: Registers, is_invariant: bool) -> Self {
        Self {
            profile,
            registers,
            is_position_invariant: is_invariant,
            statements: Vec::new(),
            labels: Labels::with_limit(MAX_LABELS),
            textures: Vec::new(),
        }
    }

    /// Reads up to END.
    ///
    /// # Errors
    /// All that is wrong.
    pub(super) fn read(mut self, cursor: &mut Cursor<'_>) -> Result<Text, Vec<Diagnostic>> {
        let mut errors = ErrorList::default();
        if read_statements(cursor, &mut self, &mut errors) {
            self.check(cursor, &mut errors);
        }
        errors.or(())?;
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

    /// Checks the rules about the text as a whole.
    fn check(&self, cursor: &Cursor<'_>, errors: &mut ErrorList) {
        for (name, span) in self.statements.iter().filter_map(|statement| statement.label.as_ref()) {
            if self.labels.get(name).is_none() {
                errors.push(self.labels.unknown(name, span.clone()).label("goes nowhere"));
            }
        }
        let position = self.statements.iter().find(|statement| match statement.target {
            Target::Output(output) => output.register == 0 && output.address.is_none(),
            _ => false,
        });
        match position {
            Some(statement) if self.is_position_invariant => errors.push(
                Diagnostic::new(statement.span.clone(), "the position is written")
                    .label("a position-invariant program cannot write it")
                    .note("the option computes the position as the fixed pipeline does"),
            ),
            None if self.profile.needs_position && errors.is_empty() => {
                errors.push(
                    Diagnostic::new(cursor.last_span(), "the program does not write the position o[HPOS]")
                        .label("ends here without a position"),
                );
            }
            _ => {}
        }
        if let Registers::Arb(registers) = &self.registers {
            errors.extend(self.twice_bound(registers));
        }
    }

    /// Finds a state vector with two places in the arrays that addresses reach into: it has one binding
    /// (`ARB_vertex_program`, 2.14.3.2).
    fn twice_bound(&self, registers: &ArbRegisters) -> Option<Diagnostic> {
        let (mut arrays, mut bound) = (HashSet::new(), HashSet::new());
        for statement in &self.statements {
            for source in &statement.sources {
                let Register::Parameter(ParameterUse::Element { array, .. }) = source.register else { continue };
                if !arrays.insert(array) {
                    continue;
                }
                let elements = &registers.declarations.parameters[array].elements;
                let mut states = elements.iter().filter(|element| !matches!(element, ConstantSource::Literal(_)));
                if let Some(twice) = states.find(|element| !bound.insert(**element)) {
                    return Some(
                        Diagnostic::new(statement.span.clone(), format!("`{twice}` is bound twice"))
                            .label("reaches into an array with an address")
                            .note("such arrays bind each parameter and each state vector once"),
                    );
                }
            }
        }
        None
    }

    fn opcode(&self, cursor: &mut Cursor<'_>) -> Parsed<Mnemonic> {
        let (word, span) = cursor.name("an opcode")?;
        mnemonic(word, self.profile.sets).ok_or_else(|| {
            let error = Diagnostic::new(span, format!("unknown opcode `{}`", shortened(word)))
                .refuse(word)
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

    fn statement(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Statement> {
        let Mnemonic { kind, update, saturate } = self.opcode(cursor)?;
        let mut statement = Statement {
            kind,
            span: 0..0,
            target: Target::Nothing,
            mask: WriteMask::ALL,
            condition: None,
            update,
            saturate,
            sources: Vec::new(),
            elements: [SwizzleElement { selector: Selector::Zero, negate: false }; 4],
            label: None,
            texture: 0,
            address: 0,
        };
        match kind {
            Kind::Branch(_) => {
                let (name, span) = cursor.name("a label")?;
                statement.label = Some((name.to_owned(), span));
                statement.condition = self.test(cursor)?;
            }
            Kind::Return => statement.condition = self.test(cursor)?,
            Kind::Stack(opcode) => {
                statement.address = self.address(cursor)?;
                if opcode == ScalarOpcode::PopA {
                    self.popped(cursor)?;
                }
            }
            Kind::Address(_) | Kind::AddressAdd => {
                statement.target = Target::Address(self.address(cursor)?);
                self.address_mask(cursor, &mut statement)?;
            }
            _ => {
                statement.target = self.target(cursor)?;
                statement.mask = write_mask(cursor, LETTERS)?;
                statement.condition = self.test(cursor)?;
            }
        }
        self.operands(cursor, &mut statement)?;
        Ok(statement)
    }

    /// Reads the mask and the test of POPA, which has those of a destination (`NV_vertex_program3`).
    fn popped(&self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let start = cursor.span();
        let mask = write_mask(cursor, LETTERS)?;
        // Unverified: how the chip's code holds a part of the components.
        if self.test(cursor)?.is_some() || mask != WriteMask::ALL {
            return Err(Diagnostic::new(cursor.span_from(&start), "POPA of a part of the register")
                .label("only all components, without a test"));
        }
        Ok(())
    }

    fn address_mask(&self, cursor: &mut Cursor<'_>, statement: &mut Statement) -> Parsed<()> {
        statement.mask = write_mask(cursor, LETTERS)?;
        if self.profile.has_address_vectors {
            statement.condition = self.test(cursor)?;
        } else if statement.mask != WriteMask(1) {
            return Err(
                Diagnostic::new(cursor.last_span(), "address registers have the component x alone").label("needs `.x`")
            );
        }
        Ok(())
    }

    fn operands(&mut self, cursor: &mut Cursor<'_>, statement: &mut Statement) -> Parsed<()> {
        match statement.kind {
            Kind::Constant(_) => {
                // The operands do not matter; the documents list two.
                if cursor.accept(Token::Comma) {
                    self.operand(cursor, false)?;
                    cursor.expect(Token::Comma)?;
                    self.operand(cursor, false)?;
                }
            }
            Kind::AddressAdd => {
                cursor.expect(Token::Comma)?;
                statement.address = self.address(cursor)?;
            }
            Kind::Swizzle => {
                cursor.expect(Token::Comma)?;
                let register = self.source_register(cursor)?.0;
                statement.sources.push(Source::new(register));
                for element in &mut statement.elements {
                    cursor.expect(Token::Comma)?;
                    let negate = cursor.sign();
                    *element = SwizzleElement { selector: selector(cursor, LETTERS)?, negate };
                }
            }
            kind => {
                let is_scalar = match kind {
                    Kind::Scalar(_) | Kind::Power => true,
                    Kind::Address(_) => !self.profile.has_address_vectors,
                    _ => false,
                };
                for _ in 0..kind.operands() {
                    cursor.expect(Token::Comma)?;
                    let source = self.operand(cursor, is_scalar)?;
                    statement.sources.push(source);
                }
                if matches!(kind, Kind::Texture(_)) {
                    cursor.expect(Token::Comma)?;
                    statement.texture = self.texture(cursor)?;
                }
            }
        }
        Ok(())
    }

    fn texture(&mut self, cursor: &mut Cursor<'_>) -> Parsed<u8> {
        let start = cursor.span();
        let (unit, target) = texture(cursor)?;
        match self.textures.iter().find(|(known, _)| *known == unit) {
            Some((_, known)) if *known != target => {
                return Err(Diagnostic::new(cursor.span_from(&start), "the unit is used with another target before")
                    .label("all lookups of a unit have one target"));
            }
            Some(_) => {}
            None => self.textures.push((unit, target)),
        }
        let (count, most) = (self.textures.len(), TEXTURE_UNITS.most);
        if count > most {
            let span = cursor.span_from(&start);
            return Err(Diagnostic::over_limit(span, "texture units", count, most, TEXTURE_UNITS.name));
        }
        Ok(unit)
    }

    fn test(&self, cursor: &mut Cursor<'_>) -> Parsed<Option<ConditionTest>> {
        if self.profile.conditions == 0 {
            return Ok(None);
        }
        condition_test(cursor, self.profile.conditions, LETTERS)
    }

    fn address(&self, cursor: &mut Cursor<'_>) -> Parsed<u8> {
        match &self.registers {
            Registers::Nv(registers) => registers.address(cursor),
            Registers::Arb(registers) => registers.address(cursor),
        }
    }

    fn target(&self, cursor: &mut Cursor<'_>) -> Parsed<Target> {
        match &self.registers {
            Registers::Nv(registers) => registers.target(cursor),
            Registers::Arb(registers) => registers.target(cursor),
        }
    }

    /// Reads a source register, and returns whether it is a number that needs no component.
    fn source_register(&self, cursor: &mut Cursor<'_>) -> Parsed<(Register, bool)> {
        match &self.registers {
            Registers::Nv(registers) => registers.source(cursor).map(|register| (register, false)),
            Registers::Arb(registers) => registers.source(cursor),
        }
    }

    fn operand(&self, cursor: &mut Cursor<'_>, is_scalar: bool) -> Parsed<Source> {
        let has_bars = self.profile.has_absolute;
        let rules = ModifierRules { has_plus: self.profile.has_plus, has_bars, has_inner_sign: true };
        let read = modified(cursor, rules, |cursor| Ok((self.source_register(cursor)?, selection(cursor, LETTERS)?)))?;
        let ((register, is_number), selection) = read.register;
        let swizzle = match selection.letters {
            1 => selection.swizzle,
            0 if is_scalar && is_number && self.profile.has_bare_scalars => Swizzle([0; 4]),
            _ if is_scalar => {
                let span = if selection.letters == 0 { cursor.last_span() } else { selection.span };
                return Err(Diagnostic::new(span, "a scalar operand has exactly one component")
                    .label("needs one of .x .y .z .w"));
            }
            _ => selection.swizzle,
        };
        Ok(Source { register, swizzle, absolute: read.absolute, negate: read.negate })
    }

    /// Checks the rules about each statement.
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

impl<'text> ReadStatement<'text> for Grammar {
    const NOTHING_AFTER_END: &'static str = "the end of the text behind END";

    fn read_statement(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        if let Some((name, span)) = accept_label(cursor) {
            if self.profile.conditions == 0 {
                return Err(Diagnostic::new(span, "this language has no labels").label("a label"));
            }
            return self.labels.insert(name, span, self.statements.len());
        }
        if let Registers::Arb(registers) = &mut self.registers
            && registers.declarations.read(cursor)?
        {
            return Ok(());
        }
        let start = cursor.span();
        if cursor.peek_text() == "OPTION" {
            return Err(Diagnostic::new(start, "OPTION behind the first statement")
                .label("options stand directly behind the header"));
        }
        let mut statement = self.statement(cursor)?;
        statement.span = cursor.span_from(&start);
        self.check_statement(&statement)?;
        cursor.expect(Token::Semicolon)?;
        self.statements.push(statement);
        Ok(())
    }

    fn over_limit(&self, _: &Cursor<'text>) -> Option<Diagnostic> {
        let limit = self.profile.instructions;
        let (span, count) = (self.statements.get(limit.most)?.span.clone(), self.statements.len());
        Some(Diagnostic::over_limit(span, "instructions", count, limit.most, limit.name))
    }

    fn missing_end(&self, cursor: &Cursor<'text>, errors: &ErrorList) -> Option<Diagnostic> {
        errors.is_empty().then(|| cursor.unexpected("END"))
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
