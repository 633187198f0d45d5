//! Parses the registers of `!!ARBvp1.0`: declared names, `vertex.…`, `result.…`, `program.…`, `state.…`, numbers.

use std::cell::Cell;

use super::nv::{address_component, address_offset, clip_distance, negative_offset};
use super::opcodes::TABLE;
use super::profile::Profile;
use super::register_name::numbered;
use super::statement::{Output, ParameterUse, Register, Target};
use crate::constants::ConstantSource;
use crate::cursor::{Cursor, Parsed, shortened};
use crate::declarations::{Bindings, DeclarationLimits, Declarations, Symbol};
use crate::diagnostic::{Diagnostic, Span};
use crate::shader::vertex::AddressComponent;
use crate::token::Token;

/// Texture coordinates of a vertex.
const ATTRIBUTE_COORDINATES: u32 = 8;
/// Texture coordinates that the chip interpolates.
const RESULT_COORDINATES: u32 = 10;

/// What the vertex stage binds names to.
#[derive(Debug)]
pub(super) struct VertexBindings {
    profile: Profile,
    limits: DeclarationLimits,
    /// Attributes that are bound as `vertex.attrib[n]`.
    generic: Cell<u16>,
    /// Attributes that are bound by another name.
    conventional: Cell<u16>,
}

impl Bindings for VertexBindings {
    type Attribute = u8;
    type Output = Output;

    fn attribute(&self, cursor: &mut Cursor<'_>) -> Parsed<u8> {
        let start = cursor.span();
        if !cursor.accept_word("vertex") {
            return Err(cursor.unexpected("an attribute `vertex.…`"));
        }
        cursor.expect(Token::Dot)?;
        let (name, span) = cursor.name("an attribute")?;
        let index = match name {
            "attrib" => {
                let index = cursor.bracketed("an attribute", 16)?;
                return self.bound(index, &self.generic, &self.conventional, cursor.span_from(&start));
            }
            "position" => 0,
            "weight" => {
                if cursor.peek() == Some(Token::OpenBracket) {
                    cursor.bracketed("a weight", 4)?;
                }
                1
            }
            "normal" => 2,
            "color" if cursor.accept_member("secondary") => 4,
            "color" => {
                cursor.accept_member("primary");
                3
            }
            "fogcoord" => 5,
            "texcoord" if cursor.peek() == Some(Token::OpenBracket) => {
                8 + cursor.bracketed("a texture coordinate", ATTRIBUTE_COORDINATES)?
            }
            "texcoord" => 8,
            "matrixindex" => {
                return Err(Diagnostic::new(span, "matrix indices are no attribute of this processor")
                    .label("there is no matrix palette"));
            }
            _ => {
                let known = ["attrib", "position", "weight", "normal", "color", "fogcoord", "texcoord", "matrixindex"];
                return Err(Diagnostic::new(span, format!("there is no attribute `vertex.{}`", shortened(name)))
                    .label("not an attribute")
                    .suggest(name, known));
            }
        };
        self.bound(index, &self.conventional, &self.generic, cursor.span_from(&start))
    }

    fn output(&self, cursor: &mut Cursor<'_>) -> Parsed<Output> {
        let start = cursor.span();
        if !cursor.accept_word("result") {
            return Err(cursor.unexpected("a result `result.…`"));
        }
        cursor.expect(Token::Dot)?;
        let (name, span) = cursor.name("a result")?;
        let mut component = None;
        let (register, enable) = match name {
            "position" => (0, 0),
            "color" => {
                let is_back = cursor.accept_member("back");
                if !is_back {
                    cursor.accept_member("front");
                }
                let is_secondary = cursor.accept_member("secondary");
                if !is_secondary {
                    cursor.accept_member("primary");
                }
                let number = 2 * u8::from(is_back) + u8::from(is_secondary);
                (1 + number, 1 << number)
            }
            "fogcoord" => (5, 1 << 4),
            "pointsize" => (6, 1 << 5),
            "texcoord" if cursor.peek() == Some(Token::OpenBracket) => {
                texture_coordinate(cursor.bracketed("a texture coordinate", RESULT_COORDINATES)?)
            }
            "texcoord" => texture_coordinate(0),
            "clip" if self.profile.has_clip_distances => {
                let number = cursor.bracketed("a clip distance", 6)?.to_le_bytes()[0];
                let (register, place, enable) = clip_distance(number);
                component = Some(place);
                (register, enable)
            }
            _ => {
                let known = ["position", "color", "fogcoord", "pointsize", "texcoord", "clip"];
                let mut error = Diagnostic::new(span, format!("there is no result `result.{}`", shortened(name)))
                    .label("not a result");
                if name == "clip" {
                    error = error.note("it needs OPTION NV_vertex_program2");
                }
                return Err(error.suggest(name, known.into_iter().filter(|known| *known != name)));
            }
        };
        let name = cursor.span_from(&start);
        Ok(Output { register, component, enable, address: None, name: (name.start, name.end) })
    }

    fn is_reserved(&self, word: &str) -> bool {
        const WORDS: [&str; 13] = [
            "ADDRESS", "ALIAS", "ATTRIB", "END", "OPTION", "OUTPUT", "PARAM", "TEMP", "program", "result", "state",
            "vertex", "texture",
        ];
        TABLE.iter().any(|row| row.name == word && row.sets.meets(self.profile.sets))
            || WORDS.contains(&word) && (word != "texture" || self.profile.has_indexed_attributes)
    }

    fn limits(&self) -> &DeclarationLimits {
        &self.limits
    }
}

/// The register and enable bit of texture coordinate n.
fn texture_coordinate(number: u32) -> (u8, u32) {
    match number {
        9 => (6, 1 << 13),
        8 => (15, 1 << 12),
        _ => (7 + number.to_le_bytes()[0], 1 << (14 + number)),
    }
}

impl VertexBindings {
    /// Records a binding. An attribute cannot be bound by both kinds of names.
    fn bound(&self, index: u32, bound: &Cell<u16>, other: &Cell<u16>, span: Span) -> Parsed<u8> {
        if other.get() >> index & 1 != 0 {
            return Err(Diagnostic::new(span, format!("attribute {index} is bound by two names"))
                .label("the same register as another binding")
                .note("a conventional attribute and the generic attribute of its number cannot both be bound"));
        }
        bound.set(bound.get() | 1 << index);
        Ok(index.to_le_bytes()[0])
    }
}

/// The names of a text, and the arrays that addresses reach into.
#[derive(Debug)]
pub(super) struct ArbRegisters {
    profile: Profile,
    /// What the text declares.
    pub(super) declarations: Declarations<VertexBindings>,
}

impl ArbRegisters {
    /// No names yet.
    pub(super) fn new(profile: Profile) -> Self {
        let limits = DeclarationLimits {
            program_parameters: 468,
            array: 468,
            temporaries: 1024,
            addresses: usize::from(profile.addresses),
            has_sizes: false,
        };
        let bindings = VertexBindings { profile, limits, generic: Cell::new(0), conventional: Cell::new(0) };
        Self { profile, declarations: Declarations::new(bindings) }
    }

    /// Reads a declared address register.
    pub(super) fn address(&self, cursor: &mut Cursor<'_>) -> Parsed<u8> {
        let (name, span) = cursor.name("an address register")?;
        match self.declarations.symbol(name) {
            Some(Symbol::Address(number)) => Ok(number.to_le_bytes()[0]),
            Some(_) => Err(Diagnostic::new(span, format!("`{}` is not an address register", shortened(name)))
                .label("declared as something else")),
            None => Err(self.declarations.unknown_name(name, span)),
        }
    }

    /// Reads a destination.
    pub(super) fn target(&self, cursor: &mut Cursor<'_>) -> Parsed<Target> {
        if cursor.peek_text() == "result" {
            if let Some(output) = self.indexed_result(cursor)? {
                return Ok(Target::Output(output));
            }
            return self.declarations.bindings.output(cursor).map(Target::Output);
        }
        let (name, span) = cursor.name("a destination register")?;
        match self.declarations.symbol(name) {
            Some(Symbol::Temporary(number, _)) => Ok(Target::Temporary(number)),
            Some(Symbol::Output(output, _)) => Ok(Target::Output(output)),
            Some(_) => {
                Err(Diagnostic::new(span, format!("`{}` cannot be written", shortened(name))).label("read only"))
            }
            // An example in the documents writes only conditions with CC, although their grammar has no such register.
            None if name == "CC" && self.profile.conditions > 0 => Ok(Target::Nothing),
            None if matches!(name, "vertex" | "program" | "state") => {
                Err(Diagnostic::new(span, format!("`{name}.…` cannot be written")).label("read only"))
            }
            None => Err(self.declarations.unknown_name(name, span)),
        }
    }

    /// Reads `result.texcoord[A0.x+n]`.
    fn indexed_result(&self, cursor: &mut Cursor<'_>) -> Parsed<Option<Output>> {
        let is_indexed = self.profile.has_indexed_attributes
            && cursor.peek_text_at(2) == "texcoord"
            && cursor.peek_at(3) == Some(Token::OpenBracket)
            && cursor.peek_at(4) == Some(Token::Name);
        if !is_indexed {
            return Ok(None);
        }
        let start = cursor.span();
        let mark = cursor.mark();
        for _ in 0..3 {
            cursor.advance();
        }
        let end = cursor.last_span().end;
        let (address, offset) = self.relative(cursor)?;
        let span = cursor.span_from(&start);
        let register = u8::try_from(7 + offset).map_err(|_| negative_offset(span.clone()))?;
        if register > 15 {
            cursor.rewind(mark);
            return Err(Diagnostic::new(span, "the index reaches beyond the last texture coordinate"));
        }
        let enable = 0xff << 14 | 1 << 12;
        Ok(Some(Output { register, component: None, enable, address: Some(address), name: (start.start, end) }))
    }

    /// Reads `[A0.x+n]`.
    fn relative(&self, cursor: &mut Cursor<'_>) -> Parsed<(AddressComponent, i32)> {
        cursor.expect(Token::OpenBracket)?;
        let register = self.address(cursor)?;
        let component = address_component(cursor, self.profile.has_address_vectors)?;
        let offset = address_offset(cursor, self.profile.offsets)?;
        cursor.expect(Token::CloseBracket)?;
        Ok((AddressComponent { register, component }, offset))
    }

    /// Reads a source register, and returns whether it is a number without components.
    pub(super) fn source(&self, cursor: &mut Cursor<'_>) -> Parsed<(Register, bool)> {
        match cursor.peek_text() {
            "vertex" => {
                if let Some(register) = self.indexed_attribute(cursor)? {
                    return Ok((register, false));
                }
                let index = self.declarations.bindings.attribute(cursor)?;
                return Ok((Register::Attribute(index, None), false));
            }
            "result" => {
                let span = cursor.span();
                return Err(Diagnostic::new(span, "`result.…` cannot be read").label("results are write only"));
            }
            "program" | "state" | "{" => return self.single_parameter(cursor),
            _ if matches!(cursor.peek(), Some(Token::Number | Token::Bits)) => return self.single_parameter(cursor),
            _ => {}
        }
        let (name, span) = cursor.name("a source register")?;
        match self.declarations.symbol(name) {
            Some(Symbol::Attribute(index)) => Ok((Register::Attribute(index, None), false)),
            Some(Symbol::Temporary(number, _)) => Ok((Register::Temporary(number), false)),
            Some(Symbol::Parameter(index)) => self.declared_parameter(cursor, index, &span),
            Some(Symbol::Output(..)) => {
                Err(Diagnostic::new(span, format!("`{}` cannot be read", shortened(name)))
                    .label("results are write only"))
            }
            Some(Symbol::Address(_)) => Err(Diagnostic::new(span, format!("`{}` cannot be read", shortened(name)))
                .label("address registers only index")),
            None => {
                let error = self.declarations.unknown_name(name, span);
                let hint = numbered(name, "R", u8::MAX).is_some();
                Err(if hint { error.note("temporaries are declared with TEMP") } else { error })
            }
        }
    }

    fn single_parameter(&self, cursor: &mut Cursor<'_>) -> Parsed<(Register, bool)> {
        let start = cursor.span();
        let (elements, is_scalar) = self.declarations.parameter_item(cursor)?;
        match elements.as_slice() {
            &[source] => Ok((Register::Parameter(ParameterUse::Single(source)), is_scalar)),
            _ => Err(Diagnostic::new(cursor.span_from(&start), "several vectors where one is expected")
                .label("needs a single row or parameter")),
        }
    }

    fn declared_parameter(&self, cursor: &mut Cursor<'_>, index: usize, span: &Span) -> Parsed<(Register, bool)> {
        let parameter = &self.declarations.parameters[index];
        if !parameter.is_array {
            let source = parameter.elements.first().copied().unwrap_or(ConstantSource::Literal([0; 4]));
            return Ok((Register::Parameter(ParameterUse::Single(source)), parameter.is_scalar));
        }
        if cursor.peek() != Some(Token::OpenBracket) {
            return Err(Diagnostic::new(span.clone(), "an array where a vector is expected").label("needs an index"));
        }
        if cursor.peek_at(1) == Some(Token::Name) {
            let (address, offset) = self.relative(cursor)?;
            return Ok((Register::Parameter(ParameterUse::Element { array: index, offset, address }), false));
        }
        let count = u32::try_from(parameter.elements.len()).unwrap_or(u32::MAX);
        let element = cursor.bracketed("an index of the array", count)?;
        Ok((Register::Parameter(ParameterUse::Single(parameter.elements[element as usize])), false))
    }

    /// Reads `vertex.attrib[A0.x+n]` and `vertex.texcoord[A0.x+n]`.
    fn indexed_attribute(&self, cursor: &mut Cursor<'_>) -> Parsed<Option<Register>> {
        let is_indexed = self.profile.has_indexed_attributes
            && cursor.peek_at(3) == Some(Token::OpenBracket)
            && cursor.peek_at(4) == Some(Token::Name);
        let base = match cursor.peek_text_at(2) {
            "attrib" if is_indexed => 0,
            "texcoord" if is_indexed => 8,
            _ => return Ok(None),
        };
        let start = cursor.span();
        for _ in 0..3 {
            cursor.advance();
        }
        let (address, offset) = self.relative(cursor)?;
        let span = cursor.span_from(&start);
        let index = u8::try_from(base + offset).map_err(|_| negative_offset(span.clone()))?;
        if index > 15 {
            return Err(Diagnostic::new(span, "the index reaches beyond the last attribute"));
        }
        Ok(Some(Register::Attribute(index, Some(address))))
    }
}
