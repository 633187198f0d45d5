//! The texts that instructions can have, for assemblers: a pattern for each variant of each row.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::codec::Codec;
use super::table::{ConditionUse, kind_bit};
use super::{TeslaInstruction, TeslaRow, TeslaTextPart, blank, transfer};
use crate::shader::simt::{Instruction, ProgramKind};

/// The text of the instructions of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TeslaPattern {
    /// An instruction of the operation: it tells the kinds and sizes of the operands.
    pub example: Instruction,
    /// The parts of the text behind the predicate.
    pub parts: Vec<TeslaTextPart>,
}

impl TeslaPattern {
    /// The patterns of a kind of program, in the order of the rows.
    #[must_use]
    pub fn all(kind: ProgramKind) -> &'static [Self] {
        static VERTEX: LazyLock<Vec<TeslaPattern>> = LazyLock::new(|| patterns(ProgramKind::Vertex));
        static GEOMETRY: LazyLock<Vec<TeslaPattern>> = LazyLock::new(|| patterns(ProgramKind::Geometry));
        static FRAGMENT: LazyLock<Vec<TeslaPattern>> = LazyLock::new(|| patterns(ProgramKind::Fragment));
        static COMPUTE: LazyLock<Vec<TeslaPattern>> = LazyLock::new(|| patterns(ProgramKind::Compute));
        match kind {
            ProgramKind::Vertex => &VERTEX,
            ProgramKind::Geometry => &GEOMETRY,
            ProgramKind::Fragment => &FRAGMENT,
            ProgramKind::Compute => &COMPUTE,
        }
    }

    /// The name of the operation. The lanes that it writes may be before it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        let words = |part: &TeslaTextPart| if let TeslaTextPart::Word(word) = part { Some(*word) } else { None };
        let mut words = self.parts.iter().filter_map(words);
        match words.next() {
            Some("(") => words.nth(2),
            name => name,
        }
        .unwrap_or("")
    }
}

fn patterns(kind: ProgramKind) -> Vec<TeslaPattern> {
    let mut seen = HashSet::new();
    let rows = TeslaRow::all().filter(|row| row.kinds & kind_bit(kind) != 0);
    let found = rows.flat_map(|row| {
        let mut operations = HashSet::new();
        let codes = (0..=row.variants.max()).filter(move |code| {
            let operation = (row.operation)(*code);
            operation.is_some_and(|operation| operations.insert(operation))
        });
        codes.filter_map(move |code| pattern(row, code, kind))
    });
    found.filter(|pattern| seen.insert(pattern.clone())).collect()
}

/// The pattern of a variant.
fn pattern(row: &TeslaRow, code: u32, kind: ProgramKind) -> Option<TeslaPattern> {
    let word = row.bits | row.variants.place(code);
    let mut reader = Codec { word, covered: row.mask, form: row.form, kind, writes: false };
    let instruction = transfer(row, &mut reader, &blank(0))?;
    let plain = TeslaInstruction { instruction, form: row.form, generation: row.generation, unknown: 0, ignored: 0 };
    let mut parts = plain.text_parts();
    if row.condition == ConditionUse::Never {
        parts.retain(|part| *part != TeslaTextPart::ConditionWrite);
    }
    Some(TeslaPattern { example: plain.instruction, parts })
}
