//! Assembles `!!NV40vp1.0`, which can express any NV40 vertex microcode: one statement per slot.
//!
//! `+` joins the operations of both units, the vector unit's first. `WITH FIELD=value, …` after them sets fields that the
//! operations do not imply. `WORDS a b c d` is a slot that no operation describes. The last statement sets the bit END.

use super::grammar::MAX_LABELS;
use super::native_operations::read_operations;
use crate::cursor::{Cursor, Parsed};
use crate::diagnostic::{Diagnostic, ErrorList, Span};
use crate::isa::nv40_vertex::{
    Branch, ScalarOpcode, VectorOpcode, VertexField, VertexInstruction, VertexSource, VertexSourceKind, VertexWord,
};
use crate::labels::{Labels, accept_label};
use crate::native_words::{raw_words, vertex_field, with_fields};
use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::{AddressComponent, INSTRUCTION_SLOTS};
use crate::statements::{ReadStatement, read_statements};
use crate::token::Token;

/// The slots of a text and where execution starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeProgram {
    /// The instruction store from slot 0.
    pub slots: Vec<[u32; 4]>,
    /// The slot of the label `main`; 0 without one.
    pub start: u16,
}

/// One statement: its instruction or words, and its branch target.
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

/// The slots and labels that have been read.
struct Reader<'text> {
    slots: Vec<Slot<'text>>,
    labels: Labels,
    /// Whether the last statement was cut off by the end of the text, which its error says.
    is_cut_off: bool,
}

impl<'text> ReadStatement<'text> for Reader<'text> {
    fn read_statement(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        if let Some((name, span)) = accept_label(cursor) {
            return self.labels.insert(name, span, self.slots.len());
        }
        let slot = slot(cursor).and_then(|slot| cursor.expect(Token::Semicolon).map(|_| slot));
        self.is_cut_off = slot.is_err() && cursor.peek().is_none();
        self.slots.push(slot?);
        Ok(())
    }

    fn over_limit(&self, cursor: &Cursor<'text>) -> Option<Diagnostic> {
        let (count, limit) = (self.slots.len(), "slots of the instruction store");
        let error = || Diagnostic::over_limit(cursor.last_span(), "slots", count, INSTRUCTION_SLOTS, limit);
        (count > INSTRUCTION_SLOTS).then(error)
    }

    fn missing_end(&self, cursor: &Cursor<'text>, _: &ErrorList) -> Option<Diagnostic> {
        (!self.is_cut_off).then(|| cursor.unexpected("an operation"))
    }
}

/// Assembles the text after its header of `header` bytes.
///
/// # Errors
/// All that is wrong with it.
pub fn assemble(text: &str, header: usize) -> Result<NativeProgram, Vec<Diagnostic>> {
    let mut cursor = Cursor::new(text, header).map_err(|error| vec![error])?;
    let mut errors = ErrorList::default();
    let mut reader = Reader { slots: Vec::new(), labels: Labels::with_limit(MAX_LABELS), is_cut_off: false };
    if !read_statements(&mut cursor, &mut reader, &mut errors) {
        return Err(errors.into_errors());
    }
    let Reader { mut slots, labels, .. } = reader;
    match slots.last_mut() {
        Some(last) => last.instruction.is_last = true,
        None if errors.is_empty() => {
            errors.push(Diagnostic::new(cursor.last_span(), "the program has no instructions"));
        }
        None => {}
    }
    let place_of = |name: &str| labels.get(name).and_then(|place| u16::try_from(place).ok());
    for slot in &mut slots {
        let Some((name, span)) = slot.target.clone() else { continue };
        match place_of(name) {
            Some(target) => slot.instruction.branch.target = target,
            None => errors.push(labels.unknown(name, span).label("goes nowhere")),
        }
    }
    errors.or(())?;
    let start = labels.start(slots.len(), cursor.last_span()).map_err(|error| vec![error])?;
    Ok(NativeProgram { slots: slots.iter().map(|slot| slot.word().words()).collect(), start })
}

/// Assembles one statement, so that a disassembler can tell which fields its text does not imply. A branch goes to
/// `target`. The last statement of a text ends the program.
#[must_use]
pub fn word_of(statement: &str, target: u16, is_last: bool) -> Option<VertexWord> {
    let mut cursor = Cursor::new(statement, 0).ok()?;
    let mut slot = slot(&mut cursor).ok()?;
    slot.instruction.branch.target = target;
    slot.instruction.is_last = is_last;
    cursor.peek().is_none().then(|| slot.word())
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
        slot.words = Some(raw_words(cursor)?);
        return Ok(slot);
    }
    slot.target = read_operations(cursor, &mut slot.instruction)?;
    slot.fields = with_fields(cursor, |cursor| vertex_field(cursor, &VertexField::ALL))?;
    Ok(slot)
}
