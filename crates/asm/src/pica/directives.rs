//! Reads the directives of picasso's language: scopes, names, uniforms, constants, inputs, outputs, and the stage.

use super::Assembler;
use super::constants::{ConstantArray, read_boolean, read_byte, read_float, read_four};
use super::registers::{File, Register, read_swizzle};
use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::pica_vertex::{CONSTANTS, INPUTS, OUTPUTS};
use crate::shader::condition::WriteMask;
use crate::shbin::MAX_NAME_LENGTH;
use crate::shbin::{
    GeometryMode, OutputSemantic, RegisterFile, ShbinConstant, ShbinOutput, ShbinStage, ShbinUniform, ShbinValue,
};
use crate::token::Token;

/// The first output register that carries no meaning to the rasterizer.
const FIRST_DUMMY_OUTPUT: u8 = 7;

/// The registers of a value type.
const fn file_of(file: RegisterFile) -> File {
    match file {
        RegisterFile::Input => File::Input,
        RegisterFile::Float => File::Constant,
        RegisterFile::Integer => File::Integer,
        RegisterFile::Boolean => File::Boolean,
    }
}

impl<'text> Assembler<'text> {
    /// Whether the text is a geometry shader.
    pub(super) const fn is_geometry(&self) -> bool {
        matches!(self.executable.stage, ShbinStage::Geometry { .. })
    }

    /// Reads a directive behind its dot.
    pub(super) fn directive(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        let (name, span) = cursor.name("a directive")?;
        if self.array.is_some() && name != "constfa" && name != "end" {
            return Err(Diagnostic::new(span, "an array of constants has `.constfa` and `.end` only"));
        }
        match name {
            "proc" => {
                let (name, span) = cursor.name("a procedure")?;
                self.code.begin_procedure(name, span)
            }
            "else" => self.code.begin_else(span),
            "end" => match self.array.take() {
                Some(array) => self.end_array(array),
                None => self.code.end(span),
            },
            "alias" => {
                let (name, span) = cursor.name("a name")?;
                let operand = self.registers.operand(cursor)?;
                self.registers.name_operand(name, span, &operand)
            }
            "fvec" => self.uniforms(cursor, RegisterFile::Float),
            "ivec" => self.uniforms(cursor, RegisterFile::Integer),
            "bool" => self.uniforms(cursor, RegisterFile::Boolean),
            "constf" => {
                let (name, span) = cursor.name("a name")?;
                let value = ShbinValue::Float(read_four(cursor, read_float)?);
                self.constant(name, span, &[value])
            }
            "consti" => {
                let (name, span) = cursor.name("a name")?;
                let value = ShbinValue::Integer(read_four(cursor, read_byte)?);
                self.constant(name, span, &[value])
            }
            "constfa" => self.constant_array(cursor),
            "setf" => self.set(cursor, File::Constant, |cursor| Ok(ShbinValue::Float(read_four(cursor, read_float)?))),
            "seti" => self.set(cursor, File::Integer, |cursor| Ok(ShbinValue::Integer(read_four(cursor, read_byte)?))),
            "setb" => self.set(cursor, File::Boolean, |cursor| Ok(ShbinValue::Boolean(read_boolean(cursor)?))),
            "in" => self.input(cursor),
            "out" => self.output(cursor),
            "entry" => {
                self.entry = Some(cursor.name("a procedure")?);
                Ok(())
            }
            "gsh" => self.geometry(cursor, span),
            _ => {
                let known = ["proc", "else", "end", "alias", "fvec", "ivec", "bool", "constf", "consti", "constfa"];
                let known = known.into_iter().chain(["setf", "seti", "setb", "in", "out", "entry", "gsh"]);
                Err(Diagnostic::new(span, format!("unknown directive `.{}`", shortened(name))).suggest(name, known))
            }
        }
    }

    /// Adds an entry to the table of uniforms, unless its name is private.
    fn expose(&mut self, name: &str, span: &Span, file: RegisterFile, first: u8, last: u8) -> Parsed<()> {
        if name.starts_with('_') && file != RegisterFile::Input {
            return Ok(());
        }
        if name.len() > MAX_NAME_LENGTH {
            let limit = "bytes of a name";
            return Err(Diagnostic::over_limit(span.clone(), "bytes", name.len(), MAX_NAME_LENGTH, limit));
        }
        // `$` stands for the point, which separates a register from its components.
        self.executable.uniforms.push(ShbinUniform { name: name.replace('$', "."), file, first, last });
        Ok(())
    }

    fn uniforms(&mut self, cursor: &mut Cursor<'text>, file: RegisterFile) -> Parsed<()> {
        loop {
            let (name, span) = cursor.name("the name of a uniform")?;
            let mut count = 1;
            if cursor.peek() == Some(Token::OpenBracket) {
                let size = cursor.span();
                let number = cursor.bracketed("the size of a uniform", u32::from(CONSTANTS) + 1)?;
                count = u8::try_from(number).unwrap_or(CONSTANTS);
                if count == 0 {
                    return Err(Diagnostic::new(cursor.span_from(&size), "an array without elements"));
                }
            }
            let first = self.registers.take_first(file_of(file), count, &span)?;
            self.registers.name(name, span.clone(), Register { file: file_of(file), number: first })?;
            self.expose(name, &span, file, first, first + count - 1)?;
            if !cursor.accept(Token::Comma) {
                return Ok(());
            }
        }
    }

    /// Reserves the last registers for values.
    fn constant(&mut self, name: &'text str, span: Span, values: &[ShbinValue]) -> Parsed<()> {
        let Some(value) = values.first() else {
            return Err(Diagnostic::new(span, "an array without elements"));
        };
        let file = file_of(value.kind().1);
        let count = u8::try_from(values.len()).unwrap_or(u8::MAX);
        let first = self.registers.take_last(file, count, &span)?;
        self.registers.name(name, span, Register { file, number: first })?;
        let numbered = (first..).zip(values);
        self.executable.constants.extend(numbered.map(|(register, value)| ShbinConstant { register, value: *value }));
        Ok(())
    }

    /// Begins an array, or adds an element to it.
    fn constant_array(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        if let Some(array) = &mut self.array {
            let span = cursor.span();
            let element = read_four(cursor, read_float)?;
            let most = usize::from(array.size.unwrap_or(CONSTANTS));
            if array.elements.len() == most {
                let span = cursor.span_from(&span);
                return Err(Diagnostic::over_limit(span, "elements", most + 1, most, "elements of the array"));
            }
            array.elements.push(element);
            return Ok(());
        }
        let (name, span) = cursor.name("the name of an array")?;
        cursor.expect(Token::OpenBracket)?;
        let mut size = None;
        if cursor.peek() != Some(Token::CloseBracket) {
            let number = cursor.integer("the size of an array", u32::from(CONSTANTS) + 1)?;
            size = u8::try_from(number).ok();
        }
        cursor.expect(Token::CloseBracket)?;
        self.array = Some(ConstantArray { name, span, size, elements: Vec::new() });
        Ok(())
    }

    fn end_array(&mut self, mut array: ConstantArray<'text>) -> Parsed<()> {
        if let Some(size) = array.size {
            array.elements.resize(usize::from(size), [0; 4]);
        }
        let values: Vec<_> = array.elements.into_iter().map(ShbinValue::Float).collect();
        self.constant(array.name, array.span, &values)
    }

    /// Gives a register a value.
    fn set(
        &mut self,
        cursor: &mut Cursor<'text>,
        file: File,
        read: impl Fn(&mut Cursor<'text>) -> Parsed<ShbinValue>,
    ) -> Parsed<()> {
        let register = self.registers.operand(cursor)?.plain(file)?;
        let value = read(cursor)?;
        self.executable.constants.push(ShbinConstant { register, value });
        Ok(())
    }

    fn input(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        let (name, span) = cursor.name("the name of an input")?;
        let number = match cursor.peek() {
            Some(_) => self.registers.operand(cursor)?.plain(File::Input)?,
            None => (0..INPUTS)
                .find(|&number| self.executable.input_mask >> number & 1 == 0)
                .ok_or_else(|| Diagnostic::new(span.clone(), "no input register is left"))?,
        };
        self.executable.input_mask |= 1 << number;
        self.registers.name(name, span.clone(), Register { file: File::Input, number })?;
        self.expose(name, &span, RegisterFile::Input, number, number)
    }

    fn output(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        let start = cursor.span();
        let name = if cursor.accept(Token::Minus) { None } else { Some(cursor.name("the name of an output, or `-`")?) };
        let (semantic, mut mask) = read_semantic(cursor)?;
        let number = if cursor.peek().is_some() {
            let operand = self.registers.operand(cursor)?;
            mask = operand.mask;
            operand.plain(File::Output)?
        } else {
            let outputs = if self.is_geometry() { FIRST_DUMMY_OUTPUT } else { OUTPUTS };
            (0..outputs)
                .find(|&number| self.executable.output_mask >> number & 1 == 0)
                .ok_or_else(|| Diagnostic::new(start.clone(), "no output register is left"))?
        };
        let span = cursor.span_from(&start);
        if number >= FIRST_DUMMY_OUTPUT && (semantic != OutputSemantic::Dummy || self.is_geometry()) {
            return Err(Diagnostic::new(span, format!("o{number} can be a dummy output of a vertex shader only")));
        }
        let used = &mut self.used_outputs[usize::from(number)];
        if *used & mask.0 != 0 {
            return Err(Diagnostic::new(span, format!("a component of o{number} has two meanings")));
        }
        *used |= mask.0;
        self.executable.output_mask |= 1 << number;
        self.executable.outputs.push(ShbinOutput { semantic, register: number, mask });
        let has_own_registers = self.is_geometry() && !self.shares_registers;
        self.executable.merges_outputs |= semantic == OutputSemantic::Dummy && has_own_registers;
        match name {
            Some((name, span)) => self.registers.name(name, span, Register { file: File::Output, number }),
            None => Ok(()),
        }
    }

    /// Makes the text a geometry shader as older versions of picasso did: it shares registers with the vertex shader.
    pub(super) const fn share_registers(&mut self) {
        if !self.is_geometry() {
            self.shares_registers = true;
            let mode = GeometryMode::Point;
            self.executable.stage = ShbinStage::Geometry { mode, fixed_start: 0, variable_count: 0, fixed_count: 0 };
        }
    }

    fn geometry(&mut self, cursor: &mut Cursor<'text>, span: Span) -> Parsed<()> {
        if cursor.peek().is_none() {
            self.share_registers();
            return Ok(());
        }
        let executable = &self.executable;
        let has_declarations =
            !executable.constants.is_empty() || !executable.uniforms.is_empty() || executable.output_mask != 0;
        if self.is_geometry() || has_declarations {
            return Err(Diagnostic::new(
                span,
                "`.gsh` with a mode stands once, before constants, uniforms and outputs",
            ));
        }
        let (name, name_span) = cursor.name("point, variable or fixed")?;
        let mode = match name {
            "point" => GeometryMode::Point,
            "variable" | "subdivision" => GeometryMode::Variable,
            "fixed" | "particle" => GeometryMode::Fixed,
            _ => {
                let message = format!("unknown mode `{}`", shortened(name));
                return Err(Diagnostic::new(name_span, message).label("expected point, variable or fixed"));
            }
        };
        let constant = |cursor: &mut Cursor<'text>| self.registers.operand(cursor)?.plain(File::Constant);
        let count = |cursor: &mut Cursor<'text>| {
            cursor.integer("a number of vertices", 256).map(|count| u8::try_from(count).unwrap_or(u8::MAX))
        };
        let first_free = constant(cursor)?;
        let (mut fixed_start, mut variable_count, mut fixed_count) = (0, 0, 0);
        match mode {
            GeometryMode::Point => {}
            GeometryMode::Variable => variable_count = count(cursor)?,
            GeometryMode::Fixed => {
                let span = cursor.span();
                fixed_start = constant(cursor)?;
                if fixed_start >= first_free {
                    return Err(Diagnostic::new(span, "the vertices overlap the registers of uniforms"));
                }
                fixed_count = count(cursor)?;
            }
        }
        self.registers.reserve_for_geometry(first_free);
        self.executable.stage = ShbinStage::Geometry { mode, fixed_start, variable_count, fixed_count };
        Ok(())
    }
}

/// Reads the meaning of an output with its mask.
fn read_semantic(cursor: &mut Cursor<'_>) -> Parsed<(OutputSemantic, WriteMask)> {
    let (name, span) = cursor.name("the meaning of an output")?;
    let rows = OutputSemantic::TABLE;
    let is_named =
        |row: &(OutputSemantic, &str, &str)| name.eq_ignore_ascii_case(row.1) || name.eq_ignore_ascii_case(row.2);
    let (semantic, ..) = rows.into_iter().find(is_named).ok_or_else(|| {
        Diagnostic::new(span, format!("unknown meaning `{}`", shortened(name)))
            .suggest(name, rows.iter().map(|row| row.1))
    })?;
    let (swizzle, is_empty) = read_swizzle(cursor)?;
    let mask = swizzle.0.iter().fold(0, |mask, component| mask | 1 << component);
    Ok((semantic, WriteMask(if is_empty { 0 } else { mask })))
}
