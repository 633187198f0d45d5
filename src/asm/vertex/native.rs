//! `!!NV40vp1.0`: one statement per slot, for everything that NV40 vertex microcode can say.
//!
//! The operations of both units are joined by `+`, the vector unit's first. `WITH FIELD=value, …` behind them gives fields
//! values that the operations do not imply; `WORDS a b c d` is a slot that no operation describes. The last statement has the
//! bit END.

use std::collections::HashMap;

use super::native_operations::read_operations;
use crate::asm::cursor::{Cursor, Parsed, shortened};
use crate::asm::diagnostic::{Diagnostic, Span};
use crate::asm::token::Token;
use crate::isa::nv40_vertex::{
    Branch, ScalarOpcode, VectorOpcode, VertexField, VertexInstruction, VertexSource, VertexSourceKind, VertexWord,
};
use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::{AddressComponent, INSTRUCTION_SLOTS};

/// Most errors that are collected before reading stops.
const MOST_ERRORS: usize = 20;
/// Most labels of a text.
const MOST_LABELS: usize = 2048;

/// The slots of a text and where execution starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeProgram {
    /// The instruction store from slot 0.
    pub slots: Vec<[u32; 4]>,
    /// The slot of the label `main`; 0 without one.
    pub start: u16,
}

/// One statement: a word, and the label that a branch goes to.
struct Slot<'text> {
    instruction: VertexInstruction,
    target: Option<(&'text str, Span)>,
    fields: Vec<(VertexField, u32)>,
    words: Option<[u32; 4]>,
}

impl Slot<'_> {
    fn word(&self) -> VertexWord {
        match self.words {
            Some(words) => VertexWord::new(words),
            None => {
                self.fields.iter().fold(self.instruction.encode(), |word, (field, value)| word.with(*field, *value))
            }
        }
    }
}

/// Assembles a text behind its header.
///
/// # Errors
/// All that is wrong with it.
pub fn assemble(text: &str, header: usize) -> Result<NativeProgram, Vec<Diagnostic>> {
    let mut cursor = Cursor::new(text, header).map_err(|error| vec![error])?;
    let mut errors = Vec::new();
    let mut slots: Vec<Slot<'_>> = Vec::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    while !cursor.accept_word("END") {
        let result = if cursor.peek() == Some(Token::Name) && cursor.peek_at(1) == Some(Token::Colon) {
            label(&mut cursor, slots.len(), &mut labels)
        } else {
            slot(&mut cursor).and_then(|slot| cursor.expect(Token::Semicolon).map(|_| slots.push(slot)))
        };
        if slots.len() > INSTRUCTION_SLOTS {
            let limit = "slots of the instruction store";
            let span = cursor.last_span();
            errors.push(Diagnostic::over_limit(span, "slots", slots.len(), INSTRUCTION_SLOTS, limit));
            return Err(errors);
        }
        if let Err(error) = result {
            let is_end = cursor.peek().is_none();
            errors.push(error);
            if is_end || errors.len() >= MOST_ERRORS {
                return Err(errors);
            }
            cursor.recover();
        }
    }
    if cursor.peek().is_some() {
        errors.push(cursor.unexpected("nothing behind END"));
    }
    if slots.is_empty() && errors.is_empty() {
        errors.push(Diagnostic::new(cursor.last_span(), "the program has no instructions"));
    }
    if let Some(last) = slots.last_mut() {
        last.instruction.is_last = true;
    }
    for slot in &mut slots {
        let Some((name, span)) = slot.target.clone() else { continue };
        match labels.get(name).and_then(|&target| u16::try_from(target).ok()) {
            Some(target) => slot.instruction.branch.target = target,
            None => errors.push(unknown_label(name, span, labels.keys().copied())),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let start = labels.get("main").and_then(|&start| u16::try_from(start).ok()).unwrap_or(0);
    Ok(NativeProgram { slots: slots.iter().map(|slot| slot.word().words()).collect(), start })
}

/// The word that one statement becomes, for a disassembler that wants to know what its text leaves out. A branch goes to
/// `target`; the last statement of a text ends the program.
#[must_use]
pub fn word_of(statement: &str, target: u16, is_last: bool) -> Option<VertexWord> {
    let mut cursor = Cursor::new(statement, 0).ok()?;
    let mut slot = slot(&mut cursor).ok()?;
    slot.instruction.branch.target = target;
    slot.instruction.is_last = is_last;
    cursor.peek().is_none().then(|| slot.word())
}

/// The error that no label has a name.
pub(super) fn unknown_label<'name>(name: &str, span: Span, labels: impl IntoIterator<Item = &'name str>) -> Diagnostic {
    let mut labels: Vec<&str> = labels.into_iter().collect();
    labels.sort_unstable();
    Diagnostic::new(span, format!("there is no label `{}`", shortened(name)))
        .label("goes nowhere")
        .suggest(name, labels)
}

fn label<'text>(cursor: &mut Cursor<'text>, slot: usize, labels: &mut HashMap<&'text str, usize>) -> Parsed<()> {
    let (name, span) = cursor.name("a label")?;
    cursor.expect(Token::Colon)?;
    if labels.len() >= MOST_LABELS {
        return Err(Diagnostic::over_limit(span, "labels", labels.len() + 1, MOST_LABELS, "labels of a text"));
    }
    if labels.insert(name, slot).is_some() {
        return Err(Diagnostic::new(span, format!("label `{}` stands twice", shortened(name))));
    }
    Ok(())
}

/// An instruction that does nothing.
pub(super) const fn nothing() -> VertexInstruction {
    let source =
        VertexSource { kind: VertexSourceKind::Input, swizzle: Swizzle::IDENTITY, absolute: false, negate: false };
    VertexInstruction {
        slot: 0,
        vector: VectorOpcode::Nop,
        scalar: ScalarOpcode::Nop,
        sources: [source; 3],
        input_index: 0,
        is_input_indexed: false,
        constant_index: 0,
        is_constant_indexed: false,
        address: AddressComponent { register: 0, component: 0 },
        condition: None,
        condition_update: None,
        saturate: false,
        vector_mask: WriteMask(0),
        scalar_mask: WriteMask(0),
        vector_destination: None,
        scalar_destination: None,
        output: None,
        branch: Branch { target: 0, boolean: 0, polarity: false },
        texture_unit: 0,
        is_last: false,
    }
}

fn slot<'text>(cursor: &mut Cursor<'text>) -> Parsed<Slot<'text>> {
    let mut slot = Slot { instruction: nothing(), target: None, fields: Vec::new(), words: None };
    if cursor.accept_word("WORDS") {
        let mut words = [0; 4];
        for word in &mut words {
            if cursor.peek() != Some(Token::Bits) {
                return Err(cursor.unexpected("four words after 0x"));
            }
            *word = cursor.number()?;
        }
        slot.words = Some(words);
        return Ok(slot);
    }
    slot.target = read_operations(cursor, &mut slot.instruction)?;
    if cursor.accept_word("WITH") {
        loop {
            let (name, span) = cursor.name("a field")?;
            let field = VertexField::ALL.into_iter().find(|field| field.name == name).ok_or_else(|| {
                Diagnostic::new(span.clone(), format!("there is no field `{}`", shortened(name)))
                    .label("not a field of the instruction word")
                    .suggest(name, VertexField::ALL.map(|field| field.name))
            })?;
            cursor.expect(Token::Equals)?;
            if cursor.peek() != Some(Token::Bits) {
                return Err(cursor.unexpected("a value after 0x"));
            }
            let value = cursor.number()?;
            if !field.holds(value) {
                return Err(Diagnostic::new(cursor.last_span(), format!("the value does not fit {name}")));
            }
            slot.fields.push((field, value));
            if !cursor.accept(Token::Comma) {
                break;
            }
        }
    }
    Ok(slot)
}

/// The n of `R12`, below a limit, without leading zeros.
pub(super) fn numbered(name: &str, prefix: &str, limit: u8) -> Option<u8> {
    let digits = name.strip_prefix(prefix)?;
    let is_plain = digits == "0" || !digits.starts_with(['0', '+']);
    digits.parse().ok().filter(|&number| is_plain && number < limit)
}
