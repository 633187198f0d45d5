//! Reads the directives of a text: target, variables, kernels, functions and their registers.

use super::ast::{Function, InitialAddress, Module, Statement, Variable};
use super::operands::{constant, mismatch, offset};
use super::scope::{Locals, Named, Scopes};
use super::statements::{Context, Signature, read_instruction};
use super::target::needs_doubles;
use super::token::{Cursor, Token};
use super::types::{SPACES, StateSpace, TYPES, Type, U32};
use crate::cubin::MAX_REGISTERS;
use crate::cursor::{Parsed, shortened};
use crate::diagnostic::{Diagnostic, ErrorList, Span};
use crate::isa::tesla::TeslaGeneration;

/// The versions of the language, up to those that name no later target.
const VERSIONS: [&str; 10] = ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "2.0", "2.1", "2.2", "2.3"];

/// Most bytes of a variable.
const MAX_BYTES: u64 = 1 << 28;
/// Most braces in braces of an initial value.
const MAX_NESTING: usize = 16;
/// The registers of a multiprocessor.
const MULTIPROCESSOR_REGISTERS: u32 = 8192;
/// Most threads of a block.
const MAX_THREADS: u32 = 512;

/// A text while it is read.
#[derive(Debug)]
struct Parser<'text> {
    cursor: Cursor<'text>,
    scopes: Scopes<'text>,
    module: Module,
    signatures: Vec<Signature>,
    demotes_doubles: bool,
    errors: ErrorList,
}

/// Reads a text.
///
/// # Errors
/// Every statement that does not fit the language.
pub(super) fn parse(text: &str) -> Result<Module, Vec<Diagnostic>> {
    let cursor = Cursor::split(text, 0).map_err(|error| vec![error])?;
    let module = Module { generation: TeslaGeneration::Sm10, variables: Vec::new(), functions: Vec::new() };
    let scopes = Scopes::new();
    let (signatures, errors) = (Vec::new(), ErrorList::default());
    let mut parser = Parser { cursor, scopes, module, signatures, demotes_doubles: false, errors };
    if let Err(error) = parser.header() {
        return Err(vec![error]);
    }
    while parser.cursor.peek().is_some() && !parser.errors.is_full() {
        if let Err(error) = parser.directive() {
            parser.errors.push(error);
            parser.cursor.recover();
            // A brace that nothing opened.
            parser.cursor.accept(Token::CloseBrace);
            let _ = parser.scopes.end_function();
        }
    }
    parser.errors.or(parser.module)
}

impl<'text> Parser<'text> {
    /// Reads `.version` and `.target`.
    fn header(&mut self) -> Parsed<()> {
        self.skip_debugging();
        if !self.cursor.accept_dotted(".version") {
            return Err(self.cursor.unexpected("`.version`"));
        }
        let (text, span) = self.cursor.take(Token::Float, "a version")?;
        if !VERSIONS.contains(&text) {
            let message = format!("version {} of the language is not known", shortened(text));
            return Err(Diagnostic::new(span, message).label("1.0 to 1.5, 2.0 to 2.3"));
        }
        self.skip_debugging();
        if !self.cursor.accept_dotted(".target") {
            return Err(self.cursor.unexpected("`.target`"));
        }
        loop {
            let (name, span) = self.cursor.name("a target")?;
            match name {
                "sm_10" | "compute_10" => self.module.generation = TeslaGeneration::Sm10,
                "sm_11" | "compute_11" => self.module.generation = TeslaGeneration::Sm11,
                "sm_12" | "compute_12" => self.module.generation = TeslaGeneration::Sm12,
                "sm_13" | "compute_13" => self.module.generation = TeslaGeneration::Sm13,
                "map_f64_to_f32" => self.demotes_doubles = true,
                "debug" | "texmode_unified" | "texmode_independent" => {}
                _ => {
                    return Err(Diagnostic::new(span, format!("the target `{}` is not supported", shortened(name)))
                        .label("sm_10 to sm_13")
                        .note("options: map_f64_to_f32"));
                }
            }
            if !self.cursor.accept(Token::Comma) {
                break;
            }
        }
        self.scopes.has_doubles = self.demotes_doubles;
        if self.cursor.accept_dotted(".address_size") {
            self.cursor.integer_up_to("a number of bits", 64)?;
        }
        Ok(())
    }

    /// Skips `.pragma "…";`, which only advises a compiler.
    fn skip_pragma(&mut self) -> Parsed<bool> {
        if !self.cursor.accept_dotted(".pragma") {
            return Ok(false);
        }
        while self.cursor.accept(Token::Text) || self.cursor.accept(Token::Comma) {}
        self.cursor.expect(Token::Semicolon)?;
        Ok(true)
    }

    /// Skips `.file` and `.loc`.
    fn skip_debugging(&mut self) -> bool {
        let mut has_skipped = false;
        while matches!(self.cursor.peek_text(), ".file" | ".loc") && self.cursor.peek() == Some(Token::Dotted) {
            self.cursor.advance();
            while matches!(self.cursor.peek(), Some(Token::Integer | Token::Text | Token::Comma)) {
                self.cursor.advance();
            }
            has_skipped = true;
        }
        has_skipped
    }

    /// Skips `.section name { … }`.
    fn skip_section(&mut self) -> bool {
        if !self.cursor.accept_dotted(".section") {
            return false;
        }
        while !matches!(self.cursor.peek(), None | Some(Token::CloseBrace)) {
            self.cursor.advance();
        }
        self.cursor.accept(Token::CloseBrace);
        true
    }

    /// Reads a directive of the module.
    fn directive(&mut self) -> Parsed<()> {
        if self.skip_debugging() || self.skip_section() || self.skip_pragma()? {
            return Ok(());
        }
        let is_extern = self.cursor.accept_dotted(".extern");
        self.cursor.accept_dotted(".visible");
        match self.cursor.peek_text() {
            ".entry" => self.function(true, is_extern),
            ".func" => self.function(false, is_extern),
            ".reg" => self.register_declaration(),
            text => match SPACES.iter().find(|(name, _)| *name == text) {
                Some((_, StateSpace::Parameter)) | None => {
                    let known = [".entry", ".func"].into_iter().chain(SPACES.iter().map(|(name, _)| *name));
                    Err(self.cursor.unexpected("a directive").suggest(text, known))
                }
                Some((_, space)) => self.variables(*space, is_extern).map(|_| ()),
            },
        }
    }

    /// Reads variables of a space up to and with the `;`.
    fn variables(&mut self, space: StateSpace, is_extern: bool) -> Parsed<Vec<usize>> {
        let start = self.cursor.mark();
        self.variables_of(space, is_extern).map_err(|error| self.refused(error, start))
    }

    /// The error of the declaration that begins at a mark, with the names that it leaves without a meaning.
    fn refused(&mut self, mut error: Diagnostic, start: usize) -> Diagnostic {
        let end = self.cursor.mark();
        self.cursor.rewind(start);
        let mut before = None;
        while let Some(token) = self.cursor.peek() {
            if matches!(token, Token::Semicolon | Token::OpenBrace | Token::CloseParenthesis) {
                break;
            }
            if token == Token::Name && matches!(before, Some(Token::Dotted | Token::Comma)) {
                let name = self.cursor.peek_text();
                self.scopes.refuse(name);
                error = error.refuse(name);
            }
            before = Some(token);
            self.cursor.advance();
        }
        self.cursor.rewind(end);
        error
    }

    fn variables_of(&mut self, space: StateSpace, is_extern: bool) -> Parsed<Vec<usize>> {
        self.cursor.advance();
        let mut declared = Vec::new();
        if space == StateSpace::Constant && self.cursor.accept(Token::OpenBracket) {
            self.cursor.integer_up_to("a bank", 10)?;
            self.cursor.expect(Token::CloseBracket)?;
        }
        // NVIDIA's documents call this the same as a variable in the space of textures.
        let is_texture = space == StateSpace::Global && self.cursor.accept_dotted(".texref");
        let space = if is_texture { StateSpace::Texture } else { space };
        let (alignment, element, count) = if is_texture { (None, U32, 1) } else { self.variable_type()? };
        loop {
            declared.push(self.variable(space, (alignment, element, count), is_extern)?);
            if !self.cursor.accept(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::Semicolon)?;
        Ok(declared)
    }

    /// Reads alignment, vector size and type; they may stand in any order.
    fn variable_type(&mut self) -> Parsed<(Option<u32>, Type, u32)> {
        let (mut alignment, mut count) = (None, 1);
        loop {
            let span = self.cursor.span();
            if self.cursor.accept_dotted(".align") {
                let value = self.cursor.integer_up_to("an alignment", 1 << 16)?;
                if !value.is_power_of_two() {
                    return Err(Diagnostic::new(self.cursor.span_from(&span), "an alignment is a power of two"));
                }
                alignment = Some(value);
            } else if self.cursor.accept_dotted(".v2") {
                count = 2;
            } else if self.cursor.accept_dotted(".v4") {
                count = 4;
            } else {
                let element = self.type_name()?;
                return Ok((alignment, element, count));
            }
        }
    }

    fn type_name(&mut self) -> Parsed<Type> {
        let (text, span) = (self.cursor.peek_text(), self.cursor.span());
        let Some(found) = Type::of(text) else {
            return Err(self.cursor.unexpected("a type").suggest(text, TYPES.iter().map(|(name, _)| *name)));
        };
        self.cursor.advance();
        if found.is_double() && !self.demotes_doubles {
            return Err(needs_doubles(span, self.module.generation));
        }
        Ok(found)
    }

    /// Reads the type of registers. Those of double precision may be there for `sm_13`, as long as none is used.
    fn register_type(&mut self) -> Parsed<Type> {
        match Type::of(self.cursor.peek_text()) {
            Some(found) if found.is_double() && self.module.generation >= TeslaGeneration::Sm13 => {
                self.cursor.advance();
                Ok(found)
            }
            _ => self.type_name(),
        }
    }

    /// Reads the name of a variable, its dimensions and its initial values.
    fn variable(
        &mut self,
        space: StateSpace,
        (alignment, element, vector): (Option<u32>, Type, u32),
        is_extern: bool,
    ) -> Parsed<usize> {
        let (name, span) = self.cursor.name("a variable")?;
        if element.is_predicate() {
            return Err(Diagnostic::new(span, "predicates are registers only"));
        }
        let size = element.bytes() * vector;
        let mut bytes = u64::from(size);
        let mut is_open = false;
        while self.cursor.accept(Token::OpenBracket) {
            if self.cursor.accept(Token::CloseBracket) {
                is_open = true;
                continue;
            }
            let count = self.cursor.integer("a size")?;
            self.cursor.expect(Token::CloseBracket)?;
            bytes = bytes.saturating_mul(count);
        }
        let (mut initial, mut addresses) = (Vec::new(), Vec::new());
        if self.cursor.accept(Token::Equals) {
            if !matches!(space, StateSpace::Constant | StateSpace::Global) {
                return Err(Diagnostic::new(span, "only .const and .global variables have initial values"));
            }
            self.initializer(element, MAX_NESTING, (&mut initial, &mut addresses))?;
        }
        let length = initial.len() as u64;
        if is_open {
            bytes = length;
        }
        if bytes > MAX_BYTES || length > bytes {
            let message = format!("`{}` has {bytes} bytes, and initial values for {length}", shortened(name));
            return Err(Diagnostic::new(span, message).note(format!("limit: {MAX_BYTES} bytes of a variable")));
        }
        if is_open && bytes == 0 && !(is_extern && space == StateSpace::Shared) {
            return Err(Diagnostic::new(span, "only .extern .shared variables have no size"));
        }
        let bytes = u32::try_from(bytes).unwrap_or(0);
        let alignment = alignment.unwrap_or(size).max(element.bytes());
        let variable = Variable {
            name: name.to_owned(),
            span: span.clone(),
            space,
            element,
            alignment,
            bytes,
            initial,
            addresses,
        };
        self.module.variables.push(variable);
        let index = self.module.variables.len() - 1;
        self.scopes.declare(name, span, Named::Variable(index))?;
        Ok(index)
    }

    /// Reads a constant, the address of a variable, or several in braces.
    fn initializer(
        &mut self,
        element: Type,
        depth: usize,
        (bytes, addresses): (&mut Vec<u8>, &mut Vec<InitialAddress>),
    ) -> Parsed<()> {
        if !self.cursor.accept(Token::OpenBrace) {
            let value = if self.cursor.peek() == Some(Token::Name) {
                addresses.push(InitialAddress { offset: bytes.len(), variable: self.initial_address(element)? });
                offset(&mut self.cursor)?
            } else {
                constant(&mut self.cursor, element)?
            };
            // The half of a double that is not used is zero.
            bytes.extend_from_slice(&value.to_le_bytes()[..element.bytes() as usize]);
            return Ok(());
        }
        if depth == 0 {
            return Err(self.cursor.unexpected("a constant"));
        }
        while self.cursor.peek() != Some(Token::CloseBrace) {
            self.initializer(element, depth - 1, (&mut *bytes, &mut *addresses))?;
            if !self.cursor.accept(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::CloseBrace)?;
        Ok(())
    }

    /// Reads the name of a variable whose address is an initial value.
    fn initial_address(&mut self, element: Type) -> Parsed<usize> {
        let (name, span) = self.cursor.name("a variable")?;
        let Named::Variable(variable) = self.scopes.find(name, &span)? else {
            return Err(Diagnostic::new(span, format!("`{}` is not a variable", shortened(name))));
        };
        if element.is_float() || element.bits < 16 {
            return Err(mismatch(&span, "an address", element));
        }
        match self.module.variables[variable].space {
            StateSpace::Constant => Ok(variable),
            StateSpace::Global => Err(Diagnostic::new(span, "the address is not known before the launch")
                .label("not the address of a variable in .const")
                .note("kernels know the addresses of variables in .global")),
            _ => Err(Diagnostic::new(span, "each kernel has another address for the variable")
                .label("not the address of a variable in .const")),
        }
    }

    /// Reads a kernel or a function.
    fn function(&mut self, is_kernel: bool, is_extern: bool) -> Parsed<()> {
        self.cursor.advance();
        self.scopes.open();
        let results = if !is_kernel && self.cursor.peek() == Some(Token::OpenParenthesis) {
            self.arguments()?
        } else {
            Vec::new()
        };
        let (name, span) = self.cursor.name("a name")?;
        let (mut arguments, mut parameters) = (Vec::new(), Vec::new());
        if self.cursor.peek() == Some(Token::OpenParenthesis) {
            if is_kernel {
                parameters = self.kernel_parameters()?;
            } else {
                arguments = self.arguments()?;
            }
        }
        let max_registers = self.performance()?;
        let types = |registers: &[usize]| registers.iter().map(|index| self.scopes.registers[*index]).collect();
        let signature = Signature { results: types(&results), arguments: types(&arguments), is_kernel };
        if is_extern {
            return Err(Diagnostic::new(span, format!("the function `{}` has no body", shortened(name)))
                .label("functions of other texts cannot be called"));
        }
        let index = self.declare_function(name, &span, signature)?;
        if !is_kernel && self.cursor.peek() != Some(Token::OpenBrace) {
            // The body follows behind functions that call it.
            self.cursor.accept(Token::Semicolon);
            return self.scopes.end_function().map(|_| ());
        }
        self.cursor.expect(Token::OpenBrace)?;
        if self.module.functions[index].has_body {
            return Err(Diagnostic::new(span, format!("`{}` is declared twice", shortened(name))));
        }
        let mut body = Vec::new();
        self.block(&mut body, &mut parameters)?;
        let Locals { registers, shared, labels } = self.scopes.end_function().unwrap_or_else(|error| {
            self.errors.push(error);
            Locals::default()
        });
        self.module.functions[index] = Function {
            name: name.to_owned(),
            is_kernel,
            has_body: true,
            results,
            arguments,
            parameters,
            registers,
            shared,
            labels,
            body,
            max_registers,
        };
        Ok(())
    }

    /// The index of a function, which may be declared before its body.
    fn declare_function(&mut self, name: &'text str, span: &Span, signature: Signature) -> Parsed<usize> {
        if let Some(&index) = self.scopes.functions.get(name) {
            if self.signatures[index] == signature {
                return Ok(index);
            }
            let message = format!("`{}` was declared with other results or arguments", shortened(name));
            return Err(Diagnostic::new(span.clone(), message));
        }
        let index = self.module.functions.len();
        self.scopes.functions.insert(name, index);
        self.signatures.push(signature);
        self.module.functions.push(Function { name: name.to_owned(), ..Function::default() });
        Ok(index)
    }

    /// Reads `(.reg .u32 a, .reg .f32 b)`.
    fn arguments(&mut self) -> Parsed<Vec<usize>> {
        self.cursor.expect(Token::OpenParenthesis)?;
        let mut registers = Vec::new();
        while self.cursor.peek() != Some(Token::CloseParenthesis) {
            let span = self.cursor.span();
            if !self.cursor.accept_dotted(".reg") {
                return Err(self.cursor.unexpected("`.reg`").note("arguments are passed in registers"));
            }
            let of = self.type_name()?;
            let (name, name_span) = self.cursor.name("a register")?;
            let register = self.scopes.register(of, &span)?;
            self.scopes.declare(name, name_span, Named::Register(register))?;
            registers.push(register);
            if !self.cursor.accept(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::CloseParenthesis)?;
        Ok(registers)
    }

    /// Reads `(.param .u32 a, .param .align 4 .b8 b[16])`.
    fn kernel_parameters(&mut self) -> Parsed<Vec<usize>> {
        self.cursor.expect(Token::OpenParenthesis)?;
        let mut parameters = Vec::new();
        while self.cursor.peek() != Some(Token::CloseParenthesis) {
            if !self.cursor.accept_dotted(".param") {
                return Err(self.cursor.unexpected("`.param`"));
            }
            let of = self.variable_type()?;
            self.skip_pointer()?;
            parameters.push(self.variable(StateSpace::Parameter, of, false)?);
            if !self.cursor.accept(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::CloseParenthesis)?;
        Ok(parameters)
    }

    /// Skips `.ptr .global .align 4`: what a parameter points to.
    fn skip_pointer(&mut self) -> Parsed<()> {
        if self.cursor.accept_dotted(".ptr") {
            if SPACES.iter().any(|(name, _)| *name == self.cursor.peek_text()) {
                self.cursor.advance();
            }
            if self.cursor.accept_dotted(".align") {
                self.cursor.integer_up_to("an alignment", 1 << 16)?;
            }
        }
        Ok(())
    }

    /// Reads the directives that limit registers, and returns the most registers of a thread.
    fn performance(&mut self) -> Parsed<u32> {
        let mut most = MAX_REGISTERS;
        loop {
            self.skip_debugging();
            if self.cursor.accept_dotted(".maxnreg") {
                most = most.min(self.cursor.integer_up_to("a count", MAX_REGISTERS)?);
            } else if matches!(self.cursor.peek_text(), ".maxntid" | ".reqntid") {
                let span = self.cursor.span();
                self.cursor.advance();
                let mut threads = 1u64;
                loop {
                    threads = threads.saturating_mul(self.cursor.integer_up_to("a size", MAX_THREADS)?.into());
                    if !self.cursor.accept(Token::Comma) {
                        break;
                    }
                }
                let Some(threads) = u32::try_from(threads).ok().filter(|threads| (1..=MAX_THREADS).contains(threads))
                else {
                    return Err(Diagnostic::new(self.cursor.span_from(&span), format!("a block of {threads} threads"))
                        .note(format!("limit: {MAX_THREADS} threads of a block")));
                };
                // Registers are allocated for an even number of warps.
                most = most.min(MULTIPROCESSOR_REGISTERS / threads.next_multiple_of(64));
            } else if self.cursor.accept_dotted(".minnctapersm") || self.cursor.accept_dotted(".maxnctapersm") {
                self.cursor.integer_up_to("a count", 8)?;
            } else {
                return Ok(most);
            }
        }
    }

    /// Reads statements up to and with the closing brace.
    fn block(&mut self, body: &mut Vec<Statement>, parameters: &mut Vec<usize>) -> Parsed<()> {
        let mut depth = 0;
        loop {
            match self.cursor.peek() {
                None => return Err(self.cursor.unexpected("`}`")),
                Some(Token::CloseBrace) => {
                    self.cursor.advance();
                    if depth == 0 {
                        return Ok(());
                    }
                    depth -= 1;
                    self.scopes.close();
                }
                Some(Token::OpenBrace) => {
                    self.cursor.advance();
                    depth += 1;
                    self.scopes.open();
                }
                Some(_) => {
                    if let Err(error) = self.statement(body, parameters) {
                        self.errors.push(error);
                        self.cursor.recover();
                        if self.errors.is_full() {
                            return Ok(());
                        }
                    }
                }
            }
        }
    }

    /// Reads a declaration, a label or an instruction.
    fn statement(&mut self, body: &mut Vec<Statement>, parameters: &mut Vec<usize>) -> Parsed<()> {
        if self.skip_debugging() || self.skip_section() || self.skip_pragma()? {
            return Ok(());
        }
        if self.cursor.peek() == Some(Token::Name) && self.cursor.peek_at(1) == Some(Token::Colon) {
            let (name, span) = self.cursor.name("a label")?;
            self.cursor.advance();
            body.push(Statement::Label(self.scopes.label(name, span, true)?));
            return Ok(());
        }
        if self.cursor.peek() == Some(Token::Dotted) {
            return self.declaration(parameters);
        }
        let variables = &self.module.variables;
        let (functions, generation) = (&self.signatures, self.module.generation);
        let context = Context { variables, functions, generation, demotes_doubles: self.demotes_doubles };
        body.push(Statement::Instruction(read_instruction(&mut self.cursor, &mut self.scopes, context)?));
        Ok(())
    }

    fn declaration(&mut self, parameters: &mut Vec<usize>) -> Parsed<()> {
        let is_extern = self.cursor.accept_dotted(".extern");
        let text = self.cursor.peek_text();
        if text == ".reg" {
            return self.register_declaration();
        }
        if matches!(text, ".maxnreg" | ".maxntid") {
            return Err(self.cursor.unexpected("a statement"));
        }
        match SPACES.iter().find(|(name, _)| *name == text) {
            None => {
                let known = [".reg"].into_iter().chain(SPACES.iter().map(|(name, _)| *name));
                Err(self.cursor.unexpected("a statement").suggest(text, known))
            }
            Some((_, StateSpace::Texture)) => {
                Err(Diagnostic::new(self.cursor.span(), "textures are declared outside of functions"))
            }
            Some((_, space)) => {
                // Kernels of the first versions of the language declare their parameters in the body.
                let declared = self.variables(*space, is_extern)?;
                if *space == StateSpace::Parameter {
                    parameters.extend(declared);
                }
                Ok(())
            }
        }
    }

    /// Reads `.reg .u32 a, %r<10>;`.
    fn register_declaration(&mut self) -> Parsed<()> {
        let start = self.cursor.mark();
        self.registers().map_err(|error| self.refused(error, start))
    }

    fn registers(&mut self) -> Parsed<()> {
        self.cursor.advance();
        let components = if self.cursor.accept_dotted(".v4") {
            4
        } else if self.cursor.accept_dotted(".v2") {
            2
        } else {
            1
        };
        let of = self.register_type()?;
        loop {
            let (name, span) = self.cursor.name("a register")?;
            if self.cursor.accept(Token::Less) {
                let count = self.cursor.integer("a count")?;
                self.cursor.expect(Token::Greater)?;
                self.scopes.declare_range(name, span, of, count)?;
            } else if components > 1 {
                let registers: Parsed<Vec<_>> = (0..components).map(|_| self.scopes.register(of, &span)).collect();
                self.scopes.declare(name, span, Named::Vector(registers?))?;
            } else {
                let register = self.scopes.register(of, &span)?;
                self.scopes.declare(name, span, Named::Register(register))?;
            }
            if !self.cursor.accept(Token::Comma) {
                break;
            }
        }
        self.cursor.expect(Token::Semicolon)?;
        Ok(())
    }
}
