//! Assembles `!!NV20vp1.0`, which can express any NV20 vertex microcode: one statement per slot, in the form of
//! [`Nv20Instruction`]'s text.
//!
//! `WITH FIELD=value, …` after the operations sets fields that they do not imply. `WORDS a b c d` is a slot that no
//! operation describes. The last statement sets the bit FINAL. Execution starts at the label `main`, or at slot 0.

use super::native_operations::read_operations;
use crate::assembly::{NamedOutput, VertexAssembly};
use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, ErrorList};
use crate::isa::NvVertexIsa;
use crate::isa::nv20_vertex::decode::decode_instruction;
use crate::isa::nv20_vertex::{INSTRUCTION_SLOTS, Nv20Field, Nv20Instruction, Nv20OutputRegister};
use crate::isa::vertex_word::{VertexField, VertexWord};
use crate::labels::{Labels, accept_label};
use crate::native_words::{raw_words, vertex_field, with_fields};
use crate::statements::{ReadStatement, read_statements};
use crate::token::Token;

/// One statement: its instruction or words.
struct Slot {
    instruction: Nv20Instruction,
    fields: Vec<(VertexField, u32)>,
    words: Option<[u32; 4]>,
}

impl Slot {
    fn word(&self) -> VertexWord {
        match self.words {
            Some(words) => VertexWord::new(words),
            None => {
                let encoded = VertexWord::new(self.instruction.encode());
                self.fields.iter().fold(encoded, |word, (field, value)| word.with(*field, *value))
            }
        }
    }
}

/// The slots that have been read, and the label `main`.
struct Reader {
    slots: Vec<Slot>,
    labels: Labels,
}

impl<'text> ReadStatement<'text> for Reader {
    fn read_statement(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        if let Some((name, span)) = accept_label(cursor) {
            if name != "main" {
                let error = Diagnostic::new(span, format!("nothing branches to `{}`", shortened(name)));
                return Err(error.label("the only label is `main`"));
            }
            return self.labels.insert(name, span, self.slots.len());
        }
        let slot = slot(cursor)?;
        cursor.expect(Token::Semicolon)?;
        self.slots.push(slot);
        Ok(())
    }

    fn over_limit(&self, cursor: &Cursor<'text>) -> Option<Diagnostic> {
        let (count, limit) = (self.slots.len(), "slots of the instruction store");
        let error = || Diagnostic::over_limit(cursor.last_span(), "slots", count, INSTRUCTION_SLOTS, limit);
        (count > INSTRUCTION_SLOTS).then(error)
    }

    fn missing_end(&self, cursor: &Cursor<'text>, errors: &ErrorList) -> Option<Diagnostic> {
        errors.is_empty().then(|| cursor.unexpected("an operation"))
    }
}

/// Assembles the text after its header of `header` bytes.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn assemble(text: &str, header: usize) -> Result<VertexAssembly, Vec<Diagnostic>> {
    let mut cursor = Cursor::new(text, header).map_err(|error| vec![error])?;
    let mut errors = ErrorList::default();
    let mut reader = Reader { slots: Vec::new(), labels: Labels::with_limit(1) };
    if !read_statements(&mut cursor, &mut reader, &mut errors) {
        return Err(errors.into_errors());
    }
    match reader.slots.last_mut() {
        Some(last) => last.instruction.is_last = true,
        None if errors.is_empty() => {
            errors.push(Diagnostic::new(cursor.last_span(), "the program has no instructions"));
        }
        None => {}
    }
    errors.or(())?;
    let start = reader.labels.start(reader.slots.len(), cursor.last_span()).map_err(|error| vec![error])?;
    Ok(assembly(reader.slots.iter().map(|slot| slot.word().words()).collect(), start))
}

/// Describes a native program by its words.
fn assembly(slots: Vec<[u32; 4]>, start: u16) -> VertexAssembly {
    let instructions = slots.iter().filter_map(|slot| decode_instruction(0, VertexWord::new(*slot)).ok());
    let written: Vec<_> = instructions.filter_map(|instruction| Some(instruction.output?.register)).collect();
    let outputs = Nv20OutputRegister::OUTPUT_NAMES.into_iter();
    let outputs = outputs
        .filter(|(register, _)| written.contains(&Nv20OutputRegister::Output(*register)))
        .map(|(register, name)| NamedOutput { name: name.to_owned(), register, component: None })
        .collect();
    VertexAssembly { outputs, ..VertexAssembly::native(NvVertexIsa::Nv20, slots, start) }
}

/// Assembles one statement, so that a disassembler can tell which fields its text does not imply. The last statement of a
/// text ends the program.
pub(super) fn word_of(statement: &str, is_last: bool) -> Option<VertexWord> {
    let mut cursor = Cursor::new(statement, 0).ok()?;
    let mut slot = slot(&mut cursor).ok()?;
    slot.instruction.is_last = is_last;
    cursor.peek().is_none().then(|| slot.word())
}

fn slot(cursor: &mut Cursor<'_>) -> Parsed<Slot> {
    let mut slot = Slot { instruction: Nv20Instruction::NOP, fields: Vec::new(), words: None };
    if cursor.accept_word("WORDS") {
        slot.words = Some(raw_words(cursor)?);
        return Ok(slot);
    }
    slot.instruction = read_operations(cursor)?;
    slot.fields = with_fields(cursor, |cursor| vertex_field(cursor, &Nv20Field::ALL))?;
    Ok(slot)
}
