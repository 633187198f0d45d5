//! Register operands: names, aliases, offsets, index registers, swizzles and masks; and the allocation of registers.
#![expect(
    clippy::cast_possible_truncation,
    reason = "register numbers are compared with a limit before they are narrowed"
)]

use std::collections::BTreeMap;
use std::ops::Range;

use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::pica_vertex::{
    BOOLEANS, CONSTANTS, INPUTS, INTEGERS, OUTPUTS, PicaIndex, PicaRegister, PicaSource, TEMPORARIES,
};
use crate::shader::condition::{Swizzle, WriteMask};
use crate::token::Token;

/// The register files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum File {
    Output,
    Input,
    Temporary,
    Constant,
    Integer,
    Boolean,
}

impl File {
    /// Every file with the letter of its names, its size, and what errors call a register of it.
    const TABLE: [(Self, char, u8, &'static str); 6] = [
        (Self::Output, 'o', OUTPUTS, "an output register (o0 to o15)"),
        (Self::Input, 'v', INPUTS, "an input register (v0 to v15)"),
        (Self::Temporary, 'r', TEMPORARIES, "a temporary register (r0 to r15)"),
        (Self::Constant, 'c', CONSTANTS, "a constant register (c0 to c95)"),
        (Self::Integer, 'i', INTEGERS, "an integer register (i0 to i3)"),
        (Self::Boolean, 'b', BOOLEANS, "a boolean register (b0 to b15)"),
    ];

    fn size(self) -> u8 {
        Self::TABLE.into_iter().find(|row| row.0 == self).map_or(0, |row| row.2)
    }

    pub(super) fn description(self) -> &'static str {
        Self::TABLE.into_iter().find(|row| row.0 == self).map_or("", |row| row.3)
    }
}

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) file: File,
    pub(super) number: u8,
}

/// A register with its modifiers.
#[derive(Debug, Clone)]
pub(super) struct Operand {
    pub(super) register: Register,
    pub(super) index: Option<PicaIndex>,
    pub(super) swizzle: Swizzle,
    /// The components that the swizzle names.
    pub(super) mask: WriteMask,
    pub(super) negate: bool,
    pub(super) span: Span,
}

impl Operand {
    /// The operand as a source.
    pub(super) fn source(&self) -> Parsed<PicaSource> {
        let number = self.register.number;
        let register = match self.register.file {
            File::Input => PicaRegister::Input(number),
            File::Temporary => PicaRegister::Temporary(number),
            File::Constant => PicaRegister::Constant(number),
            File::Output | File::Integer | File::Boolean => {
                return Err(Diagnostic::new(self.span.clone(), "this register is not a source")
                    .label("expected an input, temporary or constant register"));
            }
        };
        if self.mask.0 == 0 {
            return Err(Diagnostic::new(self.span.clone(), "a source without components"));
        }
        Ok(PicaSource { register, index: self.index, swizzle: self.swizzle, negate: self.negate })
    }

    /// The number, if the operand is a register of a file without index and sign.
    pub(super) fn plain(&self, file: File) -> Parsed<u8> {
        if self.register.file == file && self.index.is_none() && !self.negate {
            return Ok(self.register.number);
        }
        let expected = file.description();
        Err(Diagnostic::new(self.span.clone(), format!("expected {expected}")).label(format!("not {expected}")))
    }
}

/// What a name stands for.
#[derive(Debug, Clone, Copy)]
struct Alias {
    register: Register,
    swizzle: Swizzle,
    negate: bool,
}

/// The aliases of a text, and the registers that no directive has taken.
#[derive(Debug)]
pub(super) struct Registers<'text> {
    aliases: BTreeMap<&'text str, Alias>,
    /// Free constant, integer and boolean registers: uniforms take the first ones, constants the last ones.
    free: [Range<u8>; 3],
}

impl Default for Registers<'_> {
    fn default() -> Self {
        Self { aliases: BTreeMap::new(), free: [0..CONSTANTS, 0..INTEGERS, 0..BOOLEANS] }
    }
}

impl<'text> Registers<'text> {
    /// Names a register.
    pub(super) fn name(&mut self, name: &'text str, span: Span, register: Register) -> Parsed<()> {
        self.alias(name, span, register, Swizzle::IDENTITY, false)
    }

    /// Names an operand.
    pub(super) fn name_operand(&mut self, name: &'text str, span: Span, operand: &Operand) -> Parsed<()> {
        if operand.mask.0 == 0 || operand.index.is_some() {
            return Err(Diagnostic::new(operand.span.clone(), "an alias has components and no index"));
        }
        self.alias(name, span, operand.register, operand.swizzle, operand.negate)
    }

    fn alias(
        &mut self,
        name: &'text str,
        span: Span,
        register: Register,
        swizzle: Swizzle,
        negate: bool,
    ) -> Parsed<()> {
        if is_register_name(name) {
            return Err(Diagnostic::new(span, format!("`{}` is the name of a register", shortened(name))));
        }
        if self.aliases.insert(name, Alias { register, swizzle, negate }).is_some() {
            return Err(Diagnostic::new(span, format!("`{}` is declared twice", shortened(name))));
        }
        Ok(())
    }

    fn free(&mut self, file: File) -> &mut Range<u8> {
        &mut self.free[match file {
            File::Integer => 1,
            File::Boolean => 2,
            _ => 0,
        }]
    }

    /// Takes the first free registers of a file, for uniforms.
    pub(super) fn take_first(&mut self, file: File, count: u8, span: &Span) -> Parsed<u8> {
        let free = self.free(file);
        let first = free.start;
        if count > free.end - first {
            return Err(out_of_registers(file, count, span));
        }
        free.start += count;
        Ok(first)
    }

    /// Takes the last free registers of a file, for constants.
    pub(super) fn take_last(&mut self, file: File, count: u8, span: &Span) -> Parsed<u8> {
        let free = self.free(file);
        if count > free.end - free.start {
            return Err(out_of_registers(file, count, span));
        }
        free.end -= count;
        Ok(free.end)
    }

    /// Leaves the registers of a geometry shader that its input does not fill: constants from `first` on, b0 to b14.
    pub(super) fn reserve_for_geometry(&mut self, first: u8) {
        // The hardware sets b15 after each run of a geometry shader.
        self.free = [first..CONSTANTS, 0..INTEGERS, 0..BOOLEANS - 1];
    }

    /// Reads a register with its modifiers.
    pub(super) fn operand(&self, cursor: &mut Cursor<'text>) -> Parsed<Operand> {
        let start = cursor.span();
        let mut negate = cursor.accept(Token::Minus);
        let (name, name_span) = cursor.name("a register")?;
        let alias = match self.aliases.get(name) {
            Some(alias) => *alias,
            None => Alias { register: self.register(name, name_span)?, swizzle: Swizzle::IDENTITY, negate: false },
        };
        let (mut register, mut index) = (alias.register, None);
        if cursor.accept(Token::OpenBracket) {
            let offset;
            (index, offset) = read_offset(cursor)?;
            let number = i64::from(register.number) + offset;
            let span = cursor.span_from(&start);
            if !(0..i64::from(register.file.size())).contains(&number) {
                let label = format!("expected {}", register.file.description());
                return Err(Diagnostic::new(span, format!("register {number} does not exist")).label(label));
            }
            if index.is_some() && register.file != File::Constant {
                return Err(Diagnostic::new(span, "only constant registers can have an index"));
            }
            register.number = number as u8;
        }
        let (letters, is_empty) = read_swizzle(cursor)?;
        let swizzle = Swizzle(letters.0.map(|component| alias.swizzle.0[usize::from(component)]));
        let mask = swizzle.0.iter().fold(0, |mask, component| mask | 1 << component);
        let mask = WriteMask(if is_empty { 0 } else { mask });
        negate ^= alias.negate;
        Ok(Operand { register, index, swizzle, mask, negate, span: cursor.span_from(&start) })
    }

    /// Reads a source.
    pub(super) fn source(&self, cursor: &mut Cursor<'text>) -> Parsed<PicaSource> {
        self.operand(cursor)?.source()
    }

    fn register(&self, name: &str, span: Span) -> Parsed<Register> {
        if !is_register_name(name) {
            let known = self.aliases.keys().copied();
            return Err(Diagnostic::new(span, format!("unknown register `{}`", shortened(name)))
                .refuse(name)
                .label("not a register or alias")
                .suggest(name, known));
        }
        let (letter, digits) = name.split_at(1);
        let row = File::TABLE.into_iter().find(|row| letter.starts_with(row.1));
        let number = digits.parse::<u8>().ok();
        match (row, number) {
            (Some((file, _, size, _)), Some(number)) if number < size => Ok(Register { file, number }),
            (row, _) => {
                let label = row.map_or_else(String::new, |row| format!("expected {}", row.3));
                Err(Diagnostic::new(span, format!("register {} does not exist", shortened(name))).label(label))
            }
        }
    }
}

fn out_of_registers(file: File, count: u8, span: &Span) -> Diagnostic {
    Diagnostic::new(span.clone(), format!("fewer than {count} registers are left"))
        .label(format!("needs {}", file.description()))
}

/// Whether a name is a file's letter and digits.
pub(super) fn is_register_name(name: &str) -> bool {
    let mut letters = name.chars();
    let is_file = letters.next().is_some_and(|letter| File::TABLE.iter().any(|row| row.1 == letter));
    is_file && name.len() > 1 && letters.all(|letter| letter.is_ascii_digit())
}

/// Reads `offset]`, `index]` or `index+offset]`.
fn read_offset(cursor: &mut Cursor<'_>) -> Parsed<(Option<PicaIndex>, i64)> {
    let index = if cursor.peek() == Some(Token::Name) { Some(read_index(cursor)?) } else { None };
    let mut offset = 0;
    let negative = if index.is_some() { false } else { cursor.accept(Token::Minus) };
    if index.is_none() || cursor.accept(Token::Plus) {
        offset = i64::from(cursor.integer("an offset", 256)?);
    }
    cursor.expect(Token::CloseBracket)?;
    Ok((index, if negative { -offset } else { offset }))
}

/// Reads an index register, by its name or one of older versions of picasso.
fn read_index(cursor: &mut Cursor<'_>) -> Parsed<PicaIndex> {
    let (name, span) = cursor.name("an index register")?;
    match name {
        "a0" if cursor.accept_member("y") => Ok(PicaIndex::AddressY),
        "a0" => {
            cursor.accept_member("x");
            Ok(PicaIndex::AddressX)
        }
        "a1" => Ok(PicaIndex::AddressY),
        "aL" | "a2" | "lcnt" => Ok(PicaIndex::Loop),
        _ => Err(Diagnostic::new(span, format!("unknown index register `{}`", shortened(name)))
            .label("expected a0.x, a0.y or aL")),
    }
}

/// The component of a letter.
fn component(letter: char) -> Option<u8> {
    match letter.to_ascii_lowercase() {
        'x' | 'r' | 's' => Some(0),
        'y' | 'g' | 't' => Some(1),
        'z' | 'b' | 'p' => Some(2),
        'w' | 'a' | 'q' => Some(3),
        _ => None,
    }
}

/// Reads `.xyz` if it comes next, and whether it is `._`. The last letter is repeated.
pub(super) fn read_swizzle(cursor: &mut Cursor<'_>) -> Parsed<(Swizzle, bool)> {
    if !cursor.accept(Token::Dot) {
        return Ok((Swizzle::IDENTITY, false));
    }
    let (letters, span) = cursor.name("components")?;
    if letters == "_" {
        return Ok((Swizzle::IDENTITY, true));
    }
    let components: Option<Vec<u8>> = letters.chars().map(component).collect();
    let components = components.filter(|components| components.len() <= 4).ok_or_else(|| {
        Diagnostic::new(span, format!("`{}` does not name components", shortened(letters)))
            .label("expected up to four of xyzw, rgba or stpq")
    })?;
    let at = |position: usize| components.get(position).or(components.last()).copied().unwrap_or(0);
    Ok((Swizzle([at(0), at(1), at(2), at(3)]), false))
}
