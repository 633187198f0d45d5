//! Assembles `!!NV40fp1.0`, which can express any NV40 fragment microcode: one statement per instruction.
//!
//! Statements are those of `NV_fragment_program2` on the chip's own registers. If an instruction has offsets that no block
//! describes, labels or word offsets follow it: `IF GT.x, 12, label_24;` opens no block. `WITH FIELD=value, …` sets fields
//! that the statement does not imply. `WORDS a b c d` is a slot that no statement describes. `CONTROL value` is the control
//! word. The last instruction sets the bit END unless a statement says `WITH END`.

use super::native_fields::{flow_field, operation_field};
use super::native_statement::{CONDITION_REGISTERS, LETTERS, operation};
use super::native_summary::summarized;
use crate::assembly::FragmentAssembly;
use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, ErrorList, Span};
use crate::isa::nv40_fragment::decode::{FragmentDecodeError, SLOT_LIMIT, SLOT_WORDS};
use crate::isa::nv40_fragment::encode::{encode_operation, flow};
use crate::isa::nv40_fragment::{FragmentField as Field, FragmentOpcode, FragmentWord};
use crate::labels::{Labels, accept_label};
use crate::language::Language;
use crate::native_words::{raw_words, with_fields};
use crate::operand::{condition_rule, condition_test, vector_literal};
use crate::shader::condition::ConditionTest;
use crate::statements::{ReadStatement, read_statements};
use crate::token::Token;

/// Where a flow instruction goes.
#[derive(Debug, Clone)]
enum Place<'text> {
    Offset(u32),
    Label(&'text str, Span),
}

/// One instruction before its offsets are resolved.
#[derive(Debug, Default)]
struct Statement<'text> {
    word: FragmentWord,
    /// The inline constant, which takes a slot of its own.
    constant: Option<[u32; 4]>,
    /// Offsets in [`Field::FLOW_OFFSET`] and [`Field::FLOW_END`].
    targets: [Option<Place<'text>>; 2],
    /// Fields that WITH gives.
    fields: Vec<(Field, u32)>,
    is_raw: bool,
}

/// An open block: the statement that opened it, and for IF whether ELSE was read.
struct Frame {
    statement: usize,
    opcode: FragmentOpcode,
    has_else: bool,
    span: Span,
}

#[derive(Default)]
struct Reader<'text> {
    statements: Vec<Statement<'text>>,
    /// The offset of the next slot.
    offset: u32,
    frames: Vec<Frame>,
    labels: Labels,
    control: Option<u32>,
}

/// Assembles the text after its header.
///
/// # Errors
/// All that is wrong with it.
pub(super) fn assemble_native(cursor: &mut Cursor<'_>) -> Result<FragmentAssembly, Vec<Diagnostic>> {
    let mut reader = Reader::default();
    let mut errors = ErrorList::default();
    read_statements(cursor, &mut reader, &mut errors);
    if let Some(frame) = reader.frames.pop() {
        errors.push(Diagnostic::new(frame.span, format!("{} is not closed", frame.opcode.mnemonic())));
    }
    errors.or(())?;
    let control = reader.control;
    let words = reader.words().map_err(|error| vec![error])?;
    let end = cursor.last_span();
    let refuse =
        |error: FragmentDecodeError| vec![Diagnostic::new(end, format!("the microcode is no program: {error}"))];
    summarized(Language::NativeFragment, words, control).map_err(refuse)
}

/// Assembles one operation, so that a disassembler can tell which fields its text does not imply.
pub(super) fn word_of(text: &str) -> Option<FragmentWord> {
    let mut cursor = Cursor::new(text, 0).ok()?;
    let (operation, _) = operation(&mut cursor).ok()?;
    (cursor.accept(Token::Semicolon) && cursor.peek().is_none()).then(|| encode_operation(&operation))
}

impl<'text> ReadStatement<'text> for Reader<'text> {
    fn read_statement(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        let start = cursor.span();
        if let Some((name, span)) = accept_label(cursor) {
            return self.labels.insert(name, span, self.offset as usize);
        }
        if cursor.accept_word("CONTROL") {
            self.control = Some(bits(cursor, "the control word")?);
            cursor.expect(Token::Semicolon)?;
            return Ok(());
        }
        match cursor.peek_text() {
            "ELSE" => self.otherwise(cursor)?,
            "ENDIF" => self.close(cursor, FragmentOpcode::If)?,
            "ENDLOOP" => self.close(cursor, FragmentOpcode::Loop)?,
            "ENDREP" => self.close(cursor, FragmentOpcode::Rep)?,
            _ => {
                let statement = self.instruction(cursor, &start)?;
                let slots = if statement.constant.is_some() { 2 } else { 1 };
                self.statements.push(statement);
                self.offset += slots * SLOT_WORDS;
                if self.offset > SLOT_LIMIT * SLOT_WORDS {
                    let (count, limit) = ((self.offset / SLOT_WORDS) as usize, SLOT_LIMIT as usize);
                    return Err(Diagnostic::over_limit(start, "slots", count, limit, "instruction slots"));
                }
            }
        }
        cursor.expect(Token::Semicolon)?;
        Ok(())
    }
}

impl<'text> Reader<'text> {
    fn instruction(&mut self, cursor: &mut Cursor<'text>, start: &Span) -> Parsed<Statement<'text>> {
        let mut statement = match cursor.peek_text() {
            "WORDS" => return raw(cursor),
            "IF" | "LOOP" | "REP" => self.opening(cursor, start)?,
            "BRK" => plain_flow(cursor, FragmentOpcode::Brk)?,
            "RET" => plain_flow(cursor, FragmentOpcode::Ret)?,
            "CAL" => {
                cursor.advance();
                let target = place(cursor)?;
                let mut statement =
                    Statement { word: flow(FragmentOpcode::Cal, test(cursor)?), ..Statement::default() };
                statement.targets[0] = Some(target);
                statement
            }
            _ => {
                let (operation, constant) = operation(cursor)?;
                Statement { word: encode_operation(&operation), constant, ..Statement::default() }
            }
        };
        let is_flow = statement.word.is_set(Field::FLOW);
        statement.fields = with_fields(cursor, |cursor| {
            let (name, span) = cursor.name("a field")?;
            let field = if is_flow { flow_field(name) } else { operation_field(name) };
            let field = field.ok_or_else(|| Diagnostic::new(span, format!("unknown field `{}`", shortened(name))))?;
            cursor.expect(Token::Equals)?;
            Ok((field, bits(cursor, "the value of a field")?))
        })?;
        Ok(statement)
    }

    /// Reads IF, LOOP or REP, which has offsets or opens a block.
    fn opening(&mut self, cursor: &mut Cursor<'text>, start: &Span) -> Parsed<Statement<'text>> {
        let opcode = match cursor.peek_text() {
            "IF" => FragmentOpcode::If,
            "LOOP" => FragmentOpcode::Loop,
            _ => FragmentOpcode::Rep,
        };
        cursor.advance();
        let word = if opcode == FragmentOpcode::If {
            flow(opcode, condition_rule(cursor, CONDITION_REGISTERS, LETTERS)?)
        } else {
            let span = cursor.span();
            let [count, initial, increment, _] = vector_literal(cursor)?.map(f32::from_bits);
            let field = |value: f32, low: f32, high: f32| {
                let is_whole = value.fract() == 0.0 && (low..=high).contains(&value);
                let error = || Diagnostic::new(span.clone(), format!("{value} does not fit the instruction"));
                is_whole.then(|| whole(value)).ok_or_else(error)
            };
            let (count, initial) = (field(count, 0.0, 255.0)?, field(initial, 0.0, 255.0)?);
            let increment = field(increment, -128.0, 127.0)?;
            flow(opcode, test(cursor)?)
                .with(Field::LOOP_COUNT, count)
                .with(Field::LOOP_INITIAL, initial)
                .with(Field::LOOP_INCREMENT, increment)
        };
        let mut statement = Statement { word, ..Statement::default() };
        if cursor.accept(Token::Comma) {
            if opcode == FragmentOpcode::If {
                statement.targets[0] = Some(place(cursor)?);
                cursor.expect(Token::Comma)?;
            }
            statement.targets[1] = Some(place(cursor)?);
        } else {
            self.frames.push(Frame { statement: self.statements.len(), opcode, has_else: false, span: start.clone() });
        }
        Ok(statement)
    }

    fn otherwise(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let span = cursor.span();
        cursor.advance();
        match self.frames.last_mut() {
            Some(frame) if frame.opcode == FragmentOpcode::If && !frame.has_else => {
                frame.has_else = true;
                if let Some(opening) = self.statements.get_mut(frame.statement) {
                    opening.targets[0] = Some(Place::Offset(self.offset));
                }
                Ok(())
            }
            _ => Err(Diagnostic::new(span, "ELSE without IF").label("belongs to no open IF")),
        }
    }

    fn close(&mut self, cursor: &mut Cursor<'_>, opcode: FragmentOpcode) -> Parsed<()> {
        let (text, span) = (cursor.peek_text().to_owned(), cursor.span());
        cursor.advance();
        let Some(frame) = self.frames.pop_if(|frame| frame.opcode == opcode) else {
            return Err(Diagnostic::new(span, format!("{text} without {}", opcode.mnemonic())));
        };
        if let Some(opening) = self.statements.get_mut(frame.statement) {
            opening.targets[1] = Some(Place::Offset(self.offset));
            if opcode == FragmentOpcode::If && !frame.has_else {
                opening.targets[0] = Some(Place::Offset(self.offset));
            }
        }
        Ok(())
    }

    fn words(self) -> Parsed<Vec<u32>> {
        let says_end =
            self.statements.iter().any(|statement| statement.fields.iter().any(|(field, _)| *field == Field::END));
        let last = self.statements.iter().rposition(|statement| !statement.is_raw);
        let mut words = Vec::with_capacity(self.offset as usize);
        for (index, statement) in self.statements.into_iter().enumerate() {
            let mut word = statement.word;
            for (field, target) in [Field::FLOW_OFFSET, Field::FLOW_END].into_iter().zip(statement.targets) {
                match target {
                    None => {}
                    Some(Place::Offset(offset)) => word = word.with(field, offset),
                    Some(Place::Label(name, span)) => {
                        let offset = self.labels.get(name).ok_or_else(|| self.labels.unknown(name, span))?;
                        word = word.with(field, u32::try_from(offset).unwrap_or(u32::MAX));
                    }
                }
            }
            if !says_end && last == Some(index) {
                word = word.with(Field::END, 1);
            }
            words.extend(statement.fields.iter().fold(word, |word, (field, value)| word.with(*field, *value)).0);
            words.extend(statement.constant.iter().flatten());
        }
        Ok(words)
    }
}

/// The bits of a whole number of −128..255.
#[expect(clippy::cast_possible_truncation, reason = "the caller has checked the range")]
const fn whole(value: f32) -> u32 {
    (value as i32).cast_unsigned()
}

fn raw<'text>(cursor: &mut Cursor<'_>) -> Parsed<Statement<'text>> {
    cursor.advance();
    Ok(Statement { word: FragmentWord(raw_words(cursor)?), is_raw: true, ..Statement::default() })
}

fn plain_flow<'text>(cursor: &mut Cursor<'_>, opcode: FragmentOpcode) -> Parsed<Statement<'text>> {
    cursor.advance();
    Ok(Statement { word: flow(opcode, test(cursor)?), ..Statement::default() })
}

fn test(cursor: &mut Cursor<'_>) -> Parsed<ConditionTest> {
    Ok(condition_test(cursor, CONDITION_REGISTERS, LETTERS)?.unwrap_or(ConditionTest::ALWAYS))
}

/// A label, or an offset in words.
fn place<'text>(cursor: &mut Cursor<'text>) -> Parsed<Place<'text>> {
    if cursor.peek() == Some(Token::Number) {
        return cursor.integer("a word offset", 1 << 31).map(Place::Offset);
    }
    cursor.name("a label or a word offset").map(|(name, span)| Place::Label(name, span))
}

/// A number or bits in hexadecimal.
fn bits(cursor: &mut Cursor<'_>, what: &str) -> Parsed<u32> {
    if cursor.peek() == Some(Token::Bits) { cursor.number() } else { cursor.integer(what, u32::MAX) }
}
