//! Reads the instructions of picasso's language.

use super::Assembler;
use super::code::{Target, unresolved};
use super::registers::{File, read_swizzle};
use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::Diagnostic;
use crate::isa::pica_vertex::{
    PicaArithmetic, PicaComparison, PicaCondition, PicaDestination, PicaInstruction, PicaOpcode, PicaTest,
};
use crate::shader::condition::{Swizzle, WriteMask};
use crate::token::Token;

/// The registers of a geometry shader that programs can write.
const GEOMETRY_OUTPUTS: u8 = 7;

/// The opcode with a mnemonic.
fn opcode_of(mnemonic: &str) -> Option<PicaOpcode> {
    if mnemonic.eq_ignore_ascii_case("for") {
        return Some(PicaOpcode::Loop);
    }
    let has_name = |opcode: &&PicaOpcode| opcode.mnemonic().eq_ignore_ascii_case(mnemonic);
    PicaOpcode::ALL.iter().find(has_name).copied().filter(|opcode| *opcode != PicaOpcode::Loop)
}

impl<'text> Assembler<'text> {
    /// Reads one instruction.
    pub(super) fn instruction(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        let (mnemonic, start) = cursor.name("an instruction or directive")?;
        let opcode = opcode_of(mnemonic).ok_or_else(|| {
            let known: Vec<String> = PicaOpcode::ALL.iter().map(|opcode| opcode.mnemonic().to_lowercase()).collect();
            Diagnostic::new(start.clone(), format!("unknown instruction `{}`", shortened(mnemonic)))
                .refuse(mnemonic)
                .suggest(mnemonic, known.iter().map(String::as_str))
        })?;
        let (mut target, mut opens_scope) = (None, false);
        let instruction = match opcode {
            PicaOpcode::Nop => PicaInstruction::Nop,
            PicaOpcode::End => PicaInstruction::End,
            PicaOpcode::Emit => PicaInstruction::Emit,
            PicaOpcode::Setemit => {
                self.share_registers();
                read_set_emit(cursor)?
            }
            PicaOpcode::Break => PicaInstruction::Break { test: PicaTest::Always },
            PicaOpcode::Breakc => PicaInstruction::Break { test: read_condition(cursor)? },
            PicaOpcode::Mova => self.load_address(cursor)?,
            PicaOpcode::Cmp => self.compare(cursor)?,
            PicaOpcode::Ifc | PicaOpcode::Ifu | PicaOpcode::Loop => {
                opens_scope = true;
                self.scope(opcode, cursor)?
            }
            PicaOpcode::Call | PicaOpcode::Callc | PicaOpcode::Callu | PicaOpcode::Jmpc | PicaOpcode::Jmpu => {
                let test = match opcode {
                    PicaOpcode::Call => PicaTest::Always,
                    PicaOpcode::Callc | PicaOpcode::Jmpc => read_condition(cursor)?,
                    _ => self.boolean(cursor, opcode == PicaOpcode::Jmpu)?,
                };
                if test != PicaTest::Always {
                    cursor.expect(Token::Comma)?;
                }
                let is_call = !matches!(opcode, PicaOpcode::Jmpc | PicaOpcode::Jmpu);
                let (name, span) = cursor.name(if is_call { "a procedure" } else { "a label" })?;
                target = Some(Target { name, span });
                unresolved(is_call, test)
            }
            _ => self.arithmetic(opcode.row().operation, cursor)?,
        };
        let span = cursor.span_from(&start);
        if opens_scope {
            return self.code.push_scope(instruction, span);
        }
        self.code.push(instruction, span, target)
    }

    fn arithmetic(&self, operation: PicaOpcode, cursor: &mut Cursor<'text>) -> Parsed<PicaInstruction> {
        let written = self.registers.operand(cursor)?;
        let number = written.register.number;
        let is_output = written.register.file == File::Output;
        let destination = match written.register.file {
            File::Output => PicaDestination::Output(number),
            File::Temporary => PicaDestination::Temporary(number),
            _ => return Err(Diagnostic::new(written.span, "this register cannot be written").label("expected o or r")),
        };
        if written.negate || written.index.is_some() {
            return Err(Diagnostic::new(written.span, "a destination has neither sign nor index"));
        }
        if is_output && self.is_geometry() && number >= GEOMETRY_OUTPUTS {
            return Err(Diagnostic::new(written.span, "a geometry shader has no such output").label("o0 to o6"));
        }
        let mut sources = Vec::new();
        for _ in operation.row().sources {
            cursor.expect(Token::Comma)?;
            sources.push(self.registers.source(cursor)?);
        }
        Ok(PicaInstruction::Arithmetic(PicaArithmetic::new(operation, destination, written.mask, &sources)))
    }

    fn load_address(&self, cursor: &mut Cursor<'text>) -> Parsed<PicaInstruction> {
        let (name, span) = cursor.name("a0.x, a0.y or a0.xy")?;
        let has_components = cursor.peek() == Some(Token::Dot);
        let (swizzle, is_empty) = read_swizzle(cursor)?;
        let mask = match (name, has_components) {
            // The names without components are those of older versions of picasso.
            ("a0", false) => Some(0b01),
            ("a1", false) => Some(0b10),
            ("a01", false) => Some(0b11),
            ("a0", true) if is_empty => Some(0),
            ("a0", true) => match swizzle {
                Swizzle([0, 0, 0, 0]) => Some(0b01),
                Swizzle([1, 1, 1, 1]) => Some(0b10),
                Swizzle([0, 1, 1, 1]) => Some(0b11),
                _ => None,
            },
            _ => None,
        };
        let unknown =
            || Diagnostic::new(cursor.span_from(&span), "not an address register").label("a0.x, a0.y or a0.xy");
        let mask = WriteMask(mask.ok_or_else(unknown)?);
        cursor.expect(Token::Comma)?;
        Ok(PicaInstruction::LoadAddress { mask, source: self.registers.source(cursor)? })
    }

    fn compare(&self, cursor: &mut Cursor<'text>) -> Parsed<PicaInstruction> {
        let first = self.registers.source(cursor)?;
        cursor.expect(Token::Comma)?;
        let x = read_comparison(cursor)?;
        cursor.expect(Token::Comma)?;
        let y = read_comparison(cursor)?;
        cursor.expect(Token::Comma)?;
        let second = self.registers.source(cursor)?;
        Ok(PicaInstruction::Compare { comparisons: [x, y], sources: [first, second] })
    }

    fn scope(&self, opcode: PicaOpcode, cursor: &mut Cursor<'text>) -> Parsed<PicaInstruction> {
        let test = match opcode {
            PicaOpcode::Ifc => read_condition(cursor)?,
            PicaOpcode::Ifu => self.boolean(cursor, false)?,
            _ => {
                let register = self.registers.operand(cursor)?.plain(File::Integer)?;
                return Ok(PicaInstruction::Loop { register, last: 0 });
            }
        };
        Ok(PicaInstruction::If { test, otherwise: 0, count: 0 })
    }

    /// Reads a boolean register; `!` is possible for jumps only.
    fn boolean(&self, cursor: &mut Cursor<'text>, can_be_clear: bool) -> Parsed<PicaTest> {
        let span = cursor.span();
        let value = !cursor.accept(Token::Not);
        if !value && !can_be_clear {
            return Err(Diagnostic::new(span, "only jmpu can test for a clear boolean"));
        }
        Ok(PicaTest::Boolean { register: self.registers.operand(cursor)?.plain(File::Boolean)?, value })
    }
}

fn read_comparison(cursor: &mut Cursor<'_>) -> Parsed<PicaComparison> {
    let (name, span) = cursor.name("eq, ne, lt, le, gt or ge")?;
    let known = PicaComparison::ALL.into_iter().find(|known| known.mnemonic().eq_ignore_ascii_case(name));
    known.ok_or_else(|| {
        Diagnostic::new(span, format!("unknown comparison `{}`", shortened(name)))
            .label("expected eq, ne, lt, le, gt or ge")
    })
}

/// Reads `cmp.x`, `!cmp.y` and so on: whether it is y, and the value that it must have.
fn read_flag(cursor: &mut Cursor<'_>) -> Parsed<(bool, bool)> {
    let mut value = true;
    while cursor.accept(Token::Not) {
        value = !value;
    }
    if !cursor.accept_word("cmp") {
        return Err(cursor.unexpected("cmp.x or cmp.y"));
    }
    let is_y = cursor.accept_member("y");
    if is_y || cursor.accept_member("x") { Ok((is_y, value)) } else { Err(cursor.unexpected("`.x` or `.y`")) }
}

/// Reads a condition over the flags.
fn read_condition(cursor: &mut Cursor<'_>) -> Parsed<PicaTest> {
    let start = cursor.span();
    let (first_is_y, first) = read_flag(cursor)?;
    let combination = [Token::And, Token::Bar].into_iter().find(|&token| cursor.accept(token));
    let Some(combination) = combination else {
        let condition = if first_is_y { PicaCondition::Y(first) } else { PicaCondition::X(first) };
        return Ok(PicaTest::Condition(condition));
    };
    // One sign means the same as two.
    cursor.accept(combination);
    let (second_is_y, second) = read_flag(cursor)?;
    if first_is_y == second_is_y {
        return Err(Diagnostic::new(cursor.span_from(&start), "one flag is tested twice"));
    }
    let flags = if first_is_y { [second, first] } else { [first, second] };
    let is_both = combination == Token::And;
    Ok(PicaTest::Condition(if is_both { PicaCondition::Both(flags) } else { PicaCondition::Either(flags) }))
}

fn read_set_emit(cursor: &mut Cursor<'_>) -> Parsed<PicaInstruction> {
    let vertex = u8::try_from(cursor.integer("a vertex", 4)?).unwrap_or(0);
    let (mut is_primitive, mut is_inverted) = (false, false);
    if cursor.accept(Token::Comma) {
        while cursor.peek().is_some() {
            let (flag, span) = cursor.name("prim or inv")?;
            match flag.to_ascii_lowercase().as_str() {
                "prim" | "primitive" => is_primitive = true,
                "inv" | "invert" => is_inverted = true,
                _ => {
                    let message = format!("unknown flag `{}`", shortened(flag));
                    return Err(Diagnostic::new(span, message).label("expected prim or inv"));
                }
            }
        }
    }
    Ok(PicaInstruction::SetEmit { vertex, is_primitive, is_inverted })
}
