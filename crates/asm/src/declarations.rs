//! Parses the declarations of the ARB languages (ATTRIB, PARAM, TEMP, ADDRESS, OUTPUT, ALIAS) into a symbol table.

use std::collections::HashMap;

use super::constants::ConstantSource;
use super::cursor::{Cursor, Parsed, shortened};
use super::diagnostic::{Diagnostic, Span};
use super::operand::vector_literal;
use super::state::state_binding;
use super::token::Token;

/// The attributes, results and limits of a stage.
pub trait Bindings {
    /// An attribute of the stage.
    type Attribute: Copy;
    /// A result of the stage.
    type Output: Copy;

    /// Reads an attribute binding; the cursor is at `vertex` or `fragment`.
    ///
    /// # Errors
    /// When there is no such attribute.
    fn attribute(&self, cursor: &mut Cursor<'_>) -> Parsed<Self::Attribute>;

    /// Reads a result binding; the cursor is at `result`.
    ///
    /// # Errors
    /// When there is no such result.
    fn output(&self, cursor: &mut Cursor<'_>) -> Parsed<Self::Output>;

    /// Whether a word may not be declared as a name.
    fn is_reserved(&self, word: &str) -> bool;

    /// Limits on parameters and declared names.
    fn limits(&self) -> &DeclarationLimits;
}

/// How much a text may declare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeclarationLimits {
    /// `program.local[n]` and `program.env[n]` have n below this.
    pub program_parameters: u32,
    /// Most vectors of a parameter array.
    pub array: usize,
    /// Most TEMP names.
    pub temporaries: usize,
    /// Most ADDRESS names.
    pub addresses: usize,
    /// Whether SHORT and LONG may precede TEMP and OUTPUT.
    pub has_sizes: bool,
}

/// SHORT or LONG before a TEMP or OUTPUT declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterSize {
    /// Half precision.
    Short,
    /// Full precision.
    Long,
}

/// A parameter or an array of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// What each vector holds.
    pub elements: Vec<ConstantSource>,
    /// Declared with brackets.
    pub is_array: bool,
    /// A number without braces, whose components are all the same.
    pub is_scalar: bool,
}

/// The meaning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol<Attribute, Output> {
    /// An attribute.
    Attribute(Attribute),
    /// Index into [`Declarations::parameters`].
    Parameter(usize),
    /// A temporary, numbered in order of declaration.
    Temporary(u32, Option<RegisterSize>),
    /// An address register, numbered in order of declaration.
    Address(u32),
    /// A result.
    Output(Output, Option<RegisterSize>),
}

/// The names that a text declares.
#[derive(Debug)]
pub struct Declarations<B: Bindings> {
    /// The rules of the stage.
    pub bindings: B,
    /// Parameters in order of declaration.
    pub parameters: Vec<Parameter>,
    symbols: HashMap<String, Symbol<B::Attribute, B::Output>>,
    temporaries: u32,
    addresses: u32,
    /// Vectors of all parameters.
    vectors: usize,
}

/// Most vectors that all parameters of a text have together, used or not.
const MAX_VECTORS: usize = 1 << 16;

impl<B: Bindings> Declarations<B> {
    /// An empty symbol table.
    #[must_use]
    pub fn new(bindings: B) -> Self {
        Self { bindings, parameters: Vec::new(), symbols: HashMap::new(), temporaries: 0, addresses: 0, vectors: 0 }
    }

    /// The meaning of a name.
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<Symbol<B::Attribute, B::Output>> {
        self.symbols.get(name).copied()
    }

    /// The declared names, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(String::as_str)
    }

    /// How many temporaries are declared.
    #[must_use]
    pub const fn temporaries(&self) -> u32 {
        self.temporaries
    }

    /// Reads a declaration if one comes next, and returns whether it did.
    ///
    /// # Errors
    /// When the declaration does not fit the grammar or breaks a limit.
    pub fn read(&mut self, cursor: &mut Cursor<'_>) -> Parsed<bool> {
        let size = match (cursor.peek_text(), self.bindings.limits().has_sizes) {
            ("SHORT", true) => Some(RegisterSize::Short),
            ("LONG", true) => Some(RegisterSize::Long),
            _ => None,
        };
        if size.is_some() {
            cursor.advance();
            if !matches!(cursor.peek_text(), "TEMP" | "OUTPUT") {
                return Err(cursor.unexpected("TEMP or OUTPUT"));
            }
        }
        let keyword = cursor.peek_text();
        if !matches!(keyword, "ATTRIB" | "PARAM" | "TEMP" | "ADDRESS" | "OUTPUT" | "ALIAS") {
            return Ok(false);
        }
        let start = cursor.mark();
        if cursor.peek_at(1) != Some(Token::Name) {
            cursor.advance();
            return Err(cursor.unexpected("a name"));
        }
        let declared = match keyword {
            "ATTRIB" => self.attribute(cursor),
            "PARAM" => self.parameter(cursor),
            "TEMP" => self.temporary(cursor, size),
            "ADDRESS" => self.address(cursor),
            "OUTPUT" => self.output(cursor, size),
            _ => self.alias(cursor),
        };
        let declared = declared.and_then(|()| cursor.expect(Token::Semicolon));
        declared.map_err(|error| self.refused(error, cursor, start, matches!(keyword, "TEMP" | "ADDRESS")))?;
        Ok(true)
    }

    /// The error of the declaration that begins at a mark, with the names that it leaves without a meaning.
    fn refused(&self, mut error: Diagnostic, cursor: &mut Cursor<'_>, start: usize, is_list: bool) -> Diagnostic {
        let end = cursor.mark();
        cursor.rewind(start + 1);
        loop {
            let name = cursor.peek_text();
            if cursor.peek() == Some(Token::Name) && self.symbol(name).is_none() {
                error = error.refuse(name);
            }
            cursor.advance();
            if !is_list || !cursor.accept(Token::Comma) {
                cursor.rewind(end);
                return error;
            }
        }
    }

    /// Takes a name that is not in use.
    fn new_name(&self, cursor: &mut Cursor<'_>) -> Parsed<String> {
        let (name, span) = cursor.name("a name")?;
        if self.bindings.is_reserved(name) {
            return Err(Diagnostic::new(span, format!("`{name}` is a reserved word")).label("cannot be declared"));
        }
        if self.symbols.contains_key(name) {
            return Err(Diagnostic::new(span, format!("`{}` is declared twice", shortened(name)))
                .label("already has a meaning"));
        }
        Ok(name.to_owned())
    }

    /// Reads `NAME = …` after ATTRIB, OUTPUT or ALIAS; `symbol` reads the meaning of the name.
    fn binding(
        &mut self,
        cursor: &mut Cursor<'_>,
        symbol: impl FnOnce(&Self, &mut Cursor<'_>) -> Parsed<Symbol<B::Attribute, B::Output>>,
    ) -> Parsed<()> {
        cursor.advance();
        let name = self.new_name(cursor)?;
        cursor.expect(Token::Equals)?;
        let symbol = symbol(self, cursor)?;
        self.symbols.insert(name, symbol);
        Ok(())
    }

    fn attribute(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        self.binding(cursor, |known, cursor| known.bindings.attribute(cursor).map(Symbol::Attribute))
    }

    fn output(&mut self, cursor: &mut Cursor<'_>, size: Option<RegisterSize>) -> Parsed<()> {
        self.binding(cursor, |known, cursor| Ok(Symbol::Output(known.bindings.output(cursor)?, size)))
    }

    /// Reads another name for a declared one. A binding in its place declares the name, as some drivers accept it.
    fn alias(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let is_parameter = matches!(cursor.peek_text_at(3), "program" | "state" | "{" | "-" | "+")
            || matches!(cursor.peek_at(3), Some(Token::Number | Token::Bits));
        if is_parameter && cursor.peek_at(2) == Some(Token::Equals) {
            return self.parameter(cursor);
        }
        self.binding(cursor, |known, cursor| match cursor.peek_text() {
            "result" => Ok(Symbol::Output(known.bindings.output(cursor)?, None)),
            "vertex" | "fragment" => known.bindings.attribute(cursor).map(Symbol::Attribute),
            _ => {
                let (old, span) = cursor.name("a declared name or a binding")?;
                known.symbol(old).ok_or_else(|| known.unknown_name(old, span))
            }
        })
    }

    fn temporary(&mut self, cursor: &mut Cursor<'_>, size: Option<RegisterSize>) -> Parsed<()> {
        let limit = (self.bindings.limits().temporaries, "TEMP declarations");
        let symbol = |number| Symbol::Temporary(number, size);
        self.registers(cursor, |known| &mut known.temporaries, symbol, "temporaries", limit)
    }

    fn address(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let limit = (self.bindings.limits().addresses, "MAX_PROGRAM_ADDRESS_REGISTERS");
        self.registers(cursor, |known| &mut known.addresses, Symbol::Address, "address registers", limit)
    }

    /// Reads the names after TEMP or ADDRESS, which are numbered in the order of declaration.
    fn registers(
        &mut self,
        cursor: &mut Cursor<'_>,
        counter: fn(&mut Self) -> &mut u32,
        symbol: impl Fn(u32) -> Symbol<B::Attribute, B::Output>,
        what: &str,
        (most, limit): (usize, &str),
    ) -> Parsed<()> {
        cursor.advance();
        loop {
            let name = self.new_name(cursor)?;
            let number = *counter(self);
            if number as usize >= most {
                return Err(Diagnostic::over_limit(cursor.last_span(), what, number as usize + 1, most, limit));
            }
            *counter(self) += 1;
            self.symbols.insert(name, symbol(number));
            if !cursor.accept(Token::Comma) {
                return Ok(());
            }
        }
    }

    fn parameter(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        cursor.advance();
        let name = self.new_name(cursor)?;
        let start = cursor.last_span();
        let most = self.bindings.limits().array;
        let max_u32 = u32::try_from(most).unwrap_or(u32::MAX);
        let mut parameter = Parameter { elements: Vec::new(), is_array: false, is_scalar: false };
        if cursor.accept(Token::OpenBracket) {
            parameter.is_array = true;
            let size = if cursor.peek() == Some(Token::CloseBracket) {
                None
            } else {
                Some(cursor.integer("the size of the array", max_u32.saturating_add(1))?)
            };
            cursor.expect(Token::CloseBracket)?;
            cursor.expect(Token::Equals)?;
            cursor.expect(Token::OpenBrace)?;
            loop {
                let (mut elements, _) = self.parameter_item(cursor)?;
                parameter.elements.append(&mut elements);
                if parameter.elements.len() > most {
                    let (count, limit) = (parameter.elements.len(), "MAX_PROGRAM_PARAMETERS");
                    return Err(Diagnostic::over_limit(cursor.span_from(&start), "parameters", count, most, limit));
                }
                if !cursor.accept(Token::Comma) {
                    break;
                }
            }
            cursor.expect(Token::CloseBrace)?;
            if let Some(size) = size.filter(|&size| size as usize != parameter.elements.len()) {
                let count = parameter.elements.len();
                return Err(Diagnostic::new(
                    start,
                    format!("the array has {count} elements where {size} are declared"),
                )
                .label("the size does not fit"));
            }
        } else {
            cursor.expect(Token::Equals)?;
            let item = cursor.span();
            (parameter.elements, parameter.is_scalar) = self.parameter_item(cursor)?;
            if parameter.elements.len() != 1 {
                let span = cursor.span_from(&item);
                return Err(Diagnostic::new(span, "several vectors where one is expected")
                    .label("needs an array, or a single row"));
            }
        }
        self.vectors += parameter.elements.len();
        if self.vectors > MAX_VECTORS {
            let span = cursor.span_from(&start);
            let limit = "vectors in PARAM declarations";
            return Err(Diagnostic::over_limit(span, "parameters", self.vectors, MAX_VECTORS, limit));
        }
        self.symbols.insert(name, Symbol::Parameter(self.parameters.len()));
        self.parameters.push(parameter);
        Ok(())
    }

    /// Reads a parameter binding: `program…`, `state…`, a vector or a number. Returns whether it is a number without braces.
    ///
    /// # Errors
    /// When it is none of these.
    pub fn parameter_item(&self, cursor: &mut Cursor<'_>) -> Parsed<(Vec<ConstantSource>, bool)> {
        match cursor.peek_text() {
            "program" => Ok((self.program_parameters(cursor)?, false)),
            "state" => {
                cursor.advance();
                Ok((state_binding(cursor)?.into_iter().map(ConstantSource::State).collect(), false))
            }
            "{" => Ok((vec![ConstantSource::Literal(vector_literal(cursor)?)], false)),
            _ => {
                let bits = cursor.signed_number()?;
                Ok((vec![ConstantSource::Literal([bits; 4])], true))
            }
        }
    }

    fn program_parameters(&self, cursor: &mut Cursor<'_>) -> Parsed<Vec<ConstantSource>> {
        cursor.advance();
        cursor.expect(Token::Dot)?;
        let (kind, span) = cursor.name("`env` or `local`")?;
        let source: fn(u32) -> ConstantSource = match kind {
            "env" => ConstantSource::Environment,
            "local" => ConstantSource::Local,
            _ => {
                return Err(Diagnostic::new(span, format!("there is no `program.{}`", shortened(kind)))
                    .label("`env` or `local`")
                    .suggest(kind, ["env", "local"]));
            }
        };
        let most = self.bindings.limits().program_parameters;
        let range = cursor.bracketed_range("a program parameter", "parameters", most)?;
        Ok(range.map(source).collect())
    }

    /// The error that a name is not declared.
    #[must_use]
    pub fn unknown_name(&self, name: &str, span: Span) -> Diagnostic {
        let mut names: Vec<&str> = self.names().collect();
        names.sort_unstable();
        Diagnostic::new(span, format!("unknown name `{}`", shortened(name)))
            .refuse(name)
            .label("not declared")
            .suggest(name, names)
    }
}
