//! Parses the registers of the NV vertex languages: R0, v[OPOS], c[A0.x+3], o[HPOS].

use super::profile::Profile;
use super::register_name::numbered;
use super::statement::{Output, ParameterUse, Register, Target};
use crate::assembly::TextureTarget;
use crate::constants::ConstantSource;
use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};
use crate::inputs::ATTRIBUTES;
use crate::operand::{ComponentLetters, component, texture_target};
use crate::shader::vertex::AddressComponent;
use crate::token::Token;

/// Names of results with output register and bit of `VP_RESULT_EN`.
const OUTPUTS: [(&str, u8, u32); 15] = [
    ("HPOS", 0, 0),
    ("COL0", 1, 1 << 0),
    ("COL1", 2, 1 << 1),
    ("BFC0", 3, 1 << 2),
    ("BFC1", 4, 1 << 3),
    ("FOGC", 5, 1 << 4),
    ("PSIZ", 6, 1 << 5),
    ("TEX0", 7, 1 << 14),
    ("TEX1", 8, 1 << 15),
    ("TEX2", 9, 1 << 16),
    ("TEX3", 10, 1 << 17),
    ("TEX4", 11, 1 << 18),
    ("TEX5", 12, 1 << 19),
    ("TEX6", 13, 1 << 20),
    ("TEX7", 14, 1 << 21),
];

/// Names of clip distances, by number.
const CLIP_DISTANCES: [&str; 6] = ["CLP0", "CLP1", "CLP2", "CLP3", "CLP4", "CLP5"];

/// The register, component and enable bit of clip distance n.
pub(super) const fn clip_distance(number: u8) -> (u8, u8, u32) {
    (5 + number / 3, 1 + number % 3, 1 << (6 + number))
}

/// The registers of a language, and the array that all its parameters are.
#[derive(Debug)]
pub(super) struct NvRegisters {
    pub(super) profile: Profile,
    /// State programs write parameters.
    pub(super) is_state_program: bool,
}

impl NvRegisters {
    /// The parameters as one array.
    pub(super) fn array(&self) -> Vec<ConstantSource> {
        (0..u32::from(self.profile.parameters)).map(ConstantSource::Register).collect()
    }

    /// Reads A0 or A1.
    pub(super) fn address(&self, cursor: &mut Cursor<'_>) -> Parsed<u8> {
        let (name, span) = cursor.name("an address register")?;
        numbered(name, "A", self.profile.addresses).ok_or_else(|| {
            let known = if self.profile.addresses > 1 { "A0 or A1" } else { "A0" };
            Diagnostic::new(span, format!("`{}` is not an address register", shortened(name))).label(known)
        })
    }

    /// Reads a destination.
    pub(super) fn target(&self, cursor: &mut Cursor<'_>) -> Parsed<Target> {
        let (name, span) = cursor.name("a destination register")?;
        match name {
            "o" => self.output(cursor, &span).map(Target::Output),
            "CC" if self.profile.conditions > 0 => Ok(Target::Nothing),
            "c" if self.is_state_program => {
                let index = cursor.bracketed("a parameter", u32::from(self.profile.parameters))?;
                // A parameter that a state program writes becomes a temporary, numbered after the R registers.
                Ok(Target::Temporary(u32::from(self.profile.temporaries) + index))
            }
            "v" | "c" => Err(Diagnostic::new(span, format!("`{name}[…]` cannot be written")).label(if name == "v" {
                "attributes are read only"
            } else {
                "parameters are read only"
            })),
            _ => self.temporary(name, span).map(Target::Temporary),
        }
    }

    fn temporary(&self, name: &str, span: Span) -> Parsed<u32> {
        if let Some(register) = numbered(name, "R", self.profile.temporaries) {
            return Ok(u32::from(register));
        }
        let error = Diagnostic::new(span, format!("`{}` is not a register", shortened(name)));
        let most = usize::from(self.profile.temporaries);
        Err(if numbered(name, "R", u8::MAX).is_some() {
            error.label(format!("temporaries are R0 to R{}", most - 1)).note(format!("limit: temporaries = {most}"))
        } else {
            error.label("not a register of this language").suggest(name, ["R0", "R1", "R2", "R3", "v", "c", "o"])
        })
    }

    fn output(&self, cursor: &mut Cursor<'_>, start: &Span) -> Parsed<Output> {
        cursor.expect(Token::OpenBracket)?;
        let (name, span) = cursor.name("the name of a result")?;
        let clip = CLIP_DISTANCES.iter().position(|known| self.profile.has_clip_distances && *known == name);
        let found = match clip.and_then(|number| u8::try_from(number).ok()) {
            Some(number) => {
                let (register, component, enable) = clip_distance(number);
                Some((register, Some(component), enable))
            }
            None => {
                OUTPUTS.iter().find(|(known, ..)| *known == name).map(|&(_, register, enable)| (register, None, enable))
            }
        };
        let Some((register, component, enable)) = found else {
            let known = OUTPUTS.iter().map(|(known, ..)| *known);
            let known = known.chain(CLIP_DISTANCES.into_iter().filter(|_| self.profile.has_clip_distances));
            return Err(Diagnostic::new(span, format!("there is no result `o[{}]`", shortened(name)))
                .label("not a result register")
                .suggest(name, known));
        };
        cursor.expect(Token::CloseBracket)?;
        let name = cursor.span_from(start);
        Ok(Output { register, component, enable, address: None, name: (name.start, name.end) })
    }

    /// Reads a source register.
    pub(super) fn source(&self, cursor: &mut Cursor<'_>) -> Parsed<Register> {
        let (name, span) = cursor.name("a source register")?;
        match name {
            "v" => self.attribute(cursor),
            "c" => self.parameter(cursor),
            "o" => Err(Diagnostic::new(span, "`o[…]` cannot be read").label("results are write only")),
            _ => self.temporary(name, span).map(Register::Temporary),
        }
    }

    fn attribute(&self, cursor: &mut Cursor<'_>) -> Parsed<Register> {
        cursor.expect(Token::OpenBracket)?;
        if self.profile.has_indexed_attributes && matches!(cursor.peek_text(), "A0" | "A1") {
            let start = cursor.span();
            let (address, offset) = self.relative(cursor, 15)?;
            cursor.expect(Token::CloseBracket)?;
            let index = u8::try_from(offset).map_err(|_| negative_offset(cursor.span_from(&start)))?;
            return Ok(Register::Attribute(index, Some(address)));
        }
        let span = cursor.span();
        let index = if cursor.peek() == Some(Token::Name) {
            let (name, span) = cursor.name("an attribute")?;
            ATTRIBUTES.iter().find(|(.., known)| *known == name).map(|(index, ..)| *index).ok_or_else(|| {
                Diagnostic::new(span, format!("there is no attribute `v[{}]`", shortened(name)))
                    .label("not an attribute register")
                    .suggest(name, ATTRIBUTES.map(|(.., known)| known))
            })?
        } else {
            cursor.integer("an attribute", 16)?.to_le_bytes()[0]
        };
        if self.is_state_program && index != 0 {
            return Err(Diagnostic::new(span, "a state program has the attribute v[0] alone").label("not v[0]"));
        }
        cursor.expect(Token::CloseBracket)?;
        Ok(Register::Attribute(index, None))
    }

    fn parameter(&self, cursor: &mut Cursor<'_>) -> Parsed<Register> {
        cursor.expect(Token::OpenBracket)?;
        let register = if cursor.peek() == Some(Token::Name) {
            let (address, offset) = self.relative(cursor, self.profile.offsets.0)?;
            Register::Parameter(ParameterUse::Element { array: 0, offset, address })
        } else {
            let index = cursor.integer("a parameter", u32::from(self.profile.parameters))?;
            Register::Parameter(ParameterUse::Single(ConstantSource::Register(index)))
        };
        cursor.expect(Token::CloseBracket)?;
        Ok(register)
    }

    /// Reads `A0.x`, `A0.x+3` or `A0.x-3`.
    fn relative(&self, cursor: &mut Cursor<'_>, most: u32) -> Parsed<(AddressComponent, i32)> {
        let register = self.address(cursor)?;
        let component = address_component(cursor, self.profile.has_address_vectors)?;
        let offset = address_offset(cursor, (most, self.profile.offsets.1))?;
        Ok((AddressComponent { register, component }, offset))
    }
}

/// The error that an index below the first register cannot be encoded.
pub(super) fn negative_offset(span: Span) -> Diagnostic {
    Diagnostic::new(span, "the index reaches below the first register").label("cannot be encoded")
}

/// Reads the component of an address register; only x where registers have one component.
pub(super) fn address_component(cursor: &mut Cursor<'_>, has_vectors: bool) -> Parsed<u8> {
    let component = component(cursor, ComponentLetters::Position)?;
    if component != 0 && !has_vectors {
        return Err(Diagnostic::new(cursor.last_span(), "address registers have the component x alone").label("not x"));
    }
    Ok(component)
}

/// Reads `+n`, `-n` or nothing, within the largest offsets up and down.
pub(super) fn address_offset(cursor: &mut Cursor<'_>, (up, down): (u32, u32)) -> Parsed<i32> {
    if cursor.accept(Token::Plus) {
        Ok(i32::try_from(cursor.integer("an offset", up + 1)?).unwrap_or(i32::MAX))
    } else if cursor.accept(Token::Minus) {
        Ok(-i32::try_from(cursor.integer("an offset", down + 1)?).unwrap_or(i32::MAX))
    } else {
        Ok(0)
    }
}

/// Reads `texture[n], target` of a lookup; the unit is 0 without an index.
pub(super) fn texture(cursor: &mut Cursor<'_>) -> Parsed<(u8, TextureTarget)> {
    if !cursor.accept_word("texture") {
        return Err(cursor.unexpected("`texture`"));
    }
    let unit = if cursor.peek() == Some(Token::OpenBracket) { cursor.bracketed("a texture unit", 16)? } else { 0 };
    cursor.expect(Token::Comma)?;
    // The last rows, the shadow targets, belong to fragment programs.
    let target = texture_target(cursor, &TextureTarget::TABLE[..5])?;
    Ok((unit.to_le_bytes()[0], target))
}
