//! Assembles the languages that can express any microcode of their vertex processor, `!!NV40vp1.0` and `!!NV20vp1.0`: one
//! statement per slot.
//!
//! `WITH FIELD=value, …` after the operations of a statement sets fields that they do not imply. `WORDS a b c d` is a slot
//! that no operation describes. The last statement ends the program. Execution starts at the label `main`, or at slot 0.

use crate::cursor::{Cursor, Parsed, shortened};
use crate::diagnostic::{Diagnostic, ErrorList, Span};
use crate::isa::vertex_word::{VertexField, VertexWord};
use crate::labels::{Labels, accept_label};
use crate::language::Language;
use crate::native_words::{raw_words, vertex_field, with_fields};
use crate::statements::{ReadStatement, read_statements};
use crate::token::Token;

/// The label that a branch names.
pub(super) type Label<'text> = Option<(&'text str, Span)>;

/// An instruction of a vertex processor, as its native language has it.
pub(super) trait NativeInstruction: Sized {
    /// The language.
    const LANGUAGE: Language;
    /// The slots of the instruction store.
    const SLOTS: usize;
    /// The fields of the word.
    const FIELDS: &'static [VertexField];
    /// How many labels a text may have.
    const LABELS: usize;
    /// Whether there are branches; without them the only label is `main`.
    const HAS_BRANCHES: bool;
    /// An instruction that does nothing.
    const NOTHING: Self;

    /// Reads the operations of a statement.
    ///
    /// # Errors
    /// When the processor has no such instruction.
    fn read<'text>(cursor: &mut Cursor<'text>) -> Parsed<(Self, Label<'text>)>;

    /// The instruction of a slot among `slots`; `None` if the language has no text for it.
    fn decode(slot: u16, word: VertexWord, slots: usize) -> Option<Self>;

    /// Its word.
    fn word(&self) -> VertexWord;

    /// Its operations, as a statement has them.
    fn text(&self) -> String;

    /// The slot that it branches to.
    fn target(&self) -> Option<u16>;

    /// Lets it branch to a slot.
    fn set_target(&mut self, slot: u16);

    /// Lets it end the program, or not.
    fn set_last(&mut self, is_last: bool);
}

/// The error that an instruction has one field for what two operands need differently.
pub(super) fn disagreement(span: Span, what: &str) -> Diagnostic {
    Diagnostic::new(span, format!("the instruction has one {what}, and it is another one already"))
        .label(format!("a second {what}"))
}

/// A program of a native language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeProgram {
    /// The instruction store from slot 0.
    pub slots: Vec<[u32; 4]>,
    /// The slot of the label `main`; 0 without one.
    pub start: u16,
}

/// One statement: its instruction or words, and its branch target.
struct Slot<'text, I> {
    instruction: I,
    target: Label<'text>,
    fields: Vec<(VertexField, u32)>,
    words: Option<[u32; 4]>,
}

impl<'text, I: NativeInstruction> Slot<'text, I> {
    fn read(cursor: &mut Cursor<'text>) -> Parsed<Self> {
        if cursor.accept_word("WORDS") {
            let words = Some(raw_words(cursor)?);
            return Ok(Self { instruction: I::NOTHING, target: None, fields: Vec::new(), words });
        }
        let (instruction, target) = I::read(cursor)?;
        let fields = with_fields(cursor, |cursor| vertex_field(cursor, I::FIELDS))?;
        Ok(Self { instruction, target, fields, words: None })
    }

    fn word(&self) -> VertexWord {
        match self.words {
            Some(words) => VertexWord::new(words),
            None => self.fields.iter().fold(self.instruction.word(), |word, (field, value)| word.with(*field, *value)),
        }
    }
}

/// The slots and labels that have been read.
struct Reader<'text, I> {
    slots: Vec<Slot<'text, I>>,
    labels: Labels,
    /// Whether the last statement was cut off by the end of the text, which its error says.
    is_cut_off: bool,
}

impl<'text, I: NativeInstruction> ReadStatement<'text> for Reader<'text, I> {
    fn read_statement(&mut self, cursor: &mut Cursor<'text>) -> Parsed<()> {
        if let Some((name, span)) = accept_label(cursor) {
            if !I::HAS_BRANCHES && name != "main" {
                let error = Diagnostic::new(span, format!("nothing branches to `{}`", shortened(name)));
                return Err(error.label("the only label is `main`"));
            }
            return self.labels.insert(name, span, self.slots.len());
        }
        let slot = Slot::read(cursor).and_then(|slot| cursor.expect(Token::Semicolon).map(|_| slot));
        self.is_cut_off = slot.is_err() && cursor.peek().is_none();
        self.slots.push(slot?);
        Ok(())
    }

    fn over_limit(&self, cursor: &Cursor<'text>) -> Option<Diagnostic> {
        let (count, limit) = (self.slots.len(), "slots of the instruction store");
        let error = || Diagnostic::over_limit(cursor.last_span(), "slots", count, I::SLOTS, limit);
        (count > I::SLOTS).then(error)
    }

    fn missing_end(&self, cursor: &Cursor<'text>, _: &ErrorList) -> Option<Diagnostic> {
        (!self.is_cut_off).then(|| cursor.unexpected("an operation"))
    }
}

/// Assembles a text.
///
/// # Errors
/// All that is wrong with it.
pub(super) fn assemble<I: NativeInstruction>(text: &str) -> Result<NativeProgram, Vec<Diagnostic>> {
    let mut cursor = Cursor::new(text, I::LANGUAGE.header().len()).map_err(|error| vec![error])?;
    let mut errors = ErrorList::default();
    let mut reader: Reader<'_, I> =
        Reader { slots: Vec::new(), labels: Labels::with_limit(I::LABELS), is_cut_off: false };
    if !read_statements(&mut cursor, &mut reader, &mut errors) {
        return Err(errors.into_errors());
    }
    let Reader { mut slots, labels, .. } = reader;
    match slots.last_mut() {
        Some(last) => last.instruction.set_last(true),
        None if errors.is_empty() => {
            errors.push(Diagnostic::new(cursor.last_span(), "the program has no instructions"));
        }
        None => {}
    }
    let place_of = |name: &str| labels.get(name).and_then(|place| u16::try_from(place).ok());
    for slot in &mut slots {
        let Some((name, span)) = slot.target.clone() else { continue };
        match place_of(name) {
            Some(target) => slot.instruction.set_target(target),
            None => errors.push(labels.unknown(name, span).label("goes nowhere")),
        }
    }
    errors.or(())?;
    let start = labels.start(slots.len(), cursor.last_span()).map_err(|error| vec![error])?;
    Ok(NativeProgram { slots: slots.iter().map(|slot| slot.word().words()).collect(), start })
}

/// Assembles the statement of an instruction, so that a disassembler can tell which fields its text does not imply. The last
/// statement of a text ends the program.
pub(super) fn implied_word<I: NativeInstruction>(
    instruction: &I,
    statement: &str,
    is_last: bool,
) -> Option<VertexWord> {
    let mut cursor = Cursor::new(statement, 0).ok()?;
    let mut slot: Slot<'_, I> = Slot::read(&mut cursor).ok()?;
    if let Some(target) = instruction.target() {
        slot.instruction.set_target(target);
    }
    slot.instruction.set_last(is_last);
    cursor.peek().is_none().then(|| slot.word())
}
