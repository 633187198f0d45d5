//! How well rows of the instruction set hold an instruction, to explain why none does.

use super::codec::Codec;
use super::table::{DestinationPlace, SourcePlace, kind_bit};
use super::{TeslaField as Field, TeslaForm, TeslaRow, transfer};
use crate::shader::simt::{Address, Instruction, MemoryOperand, Operand, Operation, ProgramKind, Width};

/// A part of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TeslaPlace {
    /// The condition register that is written.
    ConditionWrite,
    /// The destination.
    Destination,
    /// A source's value.
    Source(usize),
    /// A source's modifiers.
    Modifiers(usize),
    /// The predicate.
    Predicate,
    /// The flags for exit and join.
    Flags,
}

/// A row with an instruction's operation.
#[derive(Debug, Clone)]
pub struct TeslaFit {
    /// The row.
    pub row: &'static TeslaRow,
    /// What of the instruction has no place in the row.
    pub misfits: Vec<TeslaPlace>,
    /// The nearest instruction of the row.
    pub nearest: Instruction,
}

/// The rows with an instruction's operation, the ones first that hold most of it, and of these the longest ones.
#[must_use]
pub fn fits(instruction: &Instruction, kind: ProgramKind) -> Vec<TeslaFit> {
    let rows = rows_with(instruction.operation, kind);
    let mut found: Vec<_> = rows
        .filter_map(|row| {
            let mut writer = Codec { word: row.bits, covered: row.mask, form: row.form, kind, writes: true };
            let nearest = transfer(row, &mut writer, instruction)?;
            Some(TeslaFit { row, misfits: misfits(instruction, &nearest), nearest })
        })
        .collect();
    found.sort_by_key(|fit| (fit.misfits.len(), std::cmp::Reverse(fit.row.form.bytes())));
    found
}

/// The rows that have an operation.
fn rows_with(operation: Operation, kind: ProgramKind) -> impl Iterator<Item = &'static TeslaRow> {
    TeslaRow::all().filter(move |row| row.kinds & kind_bit(kind) != 0 && row.variant(operation).is_some())
}

fn misfits(wanted: &Instruction, nearest: &Instruction) -> Vec<TeslaPlace> {
    let mut found = Vec::new();
    let mut check = |differs: bool, place| found.extend(differs.then_some(place));
    check(wanted.condition_write != nearest.condition_write, TeslaPlace::ConditionWrite);
    check(wanted.destination != nearest.destination, TeslaPlace::Destination);
    for (position, source) in wanted.sources.iter().enumerate() {
        let other = nearest.sources.get(position);
        check(other.is_none_or(|other| other.operand != source.operand), TeslaPlace::Source(position));
        let modifiers = |source: &crate::shader::simt::Source| (source.negate, source.absolute, source.invert);
        let is_other = other.is_some_and(|other| modifiers(other) != modifiers(source));
        check(is_other, TeslaPlace::Modifiers(position));
    }
    check(wanted.predicate != nearest.predicate, TeslaPlace::Predicate);
    check((wanted.exits, wanted.joins) != (nearest.exits, nearest.joins), TeslaPlace::Flags);
    found
}

/// Describes the forms that an operation has, one a line: the destination, then the sources.
#[must_use]
pub fn describe_forms(operation: Operation, kind: ProgramKind) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for row in rows_with(operation, kind) {
        let destination = destination(row, row.destination_width.unwrap_or_else(|| operation.destination_width()));
        let sources = row.sources.iter().enumerate().map(|(position, source)| {
            let width = source.width.unwrap_or_else(|| operation.source_width(position));
            let carries = source.place == SourcePlace::Condition(Field::NONE);
            if carries { "$c0".to_owned() } else { describe(source.place, width, row.form, kind) }
        });
        let operands: Vec<_> = destination.into_iter().chain(sources).collect();
        let text = format!("{}: {}", name(row.form), operands.join(", "));
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// What texts call a form.
const fn name(form: TeslaForm) -> &'static str {
    match form {
        TeslaForm::Short | TeslaForm::ShortControl => "one word",
        TeslaForm::Long | TeslaForm::Control => "two words",
        TeslaForm::Immediate => "two words with a number",
    }
}

/// The registers of a width that a field can name.
fn registers(width: Width, field: Field) -> String {
    let most = field.max();
    match width {
        Width::Half => format!("$r0l to $r{}h", most / 2),
        Width::Word => format!("$r0 to $r{most}"),
        Width::Double => format!("$r0d to $r{most}d"),
        Width::Quad => format!("$r0q to $r{most}q"),
    }
}

fn destination(row: &TeslaRow, width: Width) -> Option<String> {
    Some(match row.destination {
        DestinationPlace::None => return None,
        DestinationPlace::Register(field) => registers(width, field),
        DestinationPlace::RegisterOrOutput => format!("{}, o[] or #", registers(width, Field::DESTINATION)),
        DestinationPlace::Loaded => "a half, a word, o[] or #".to_owned(),
        DestinationPlace::Address => "$a1 to $a7".to_owned(),
        DestinationPlace::Condition => "$c0 to $c3".to_owned(),
        DestinationPlace::ShortTexture => "four registers".to_owned(),
        DestinationPlace::Texture => "four registers or #".to_owned(),
        DestinationPlace::Output => "o[]".to_owned(),
        DestinationPlace::Shared(_) => "s[]".to_owned(),
        DestinationPlace::Local(_) => "l[]".to_owned(),
        DestinationPlace::Global(_) => "g[]".to_owned(),
    })
}

fn describe(place: SourcePlace, width: Width, form: TeslaForm, kind: ProgramKind) -> String {
    let is_short = matches!(form, TeslaForm::Short | TeslaForm::Immediate);
    match place {
        SourcePlace::First => {
            let field = if is_short { Field::SHORT_SOURCE1 } else { Field::SOURCE1 };
            let memory = match kind {
                ProgramKind::Compute => " or s[]",
                ProgramKind::Vertex => " or a[]",
                ProgramKind::Geometry => ", a[] or p[]",
                ProgramKind::Fragment => "",
            };
            format!("{}{memory}", registers(width, field))
        }
        SourcePlace::Second if is_short => format!("{}, c0[] or c1[]", registers(width, Field::SHORT_SOURCE2)),
        SourcePlace::Second | SourcePlace::Third => format!("{} or c[]", registers(width, Field::SOURCE2)),
        SourcePlace::SecondOrCount => format!("{}, c[] or a number below 128", registers(width, Field::SOURCE2)),
        SourcePlace::Register(Field::SHORT_DESTINATION) => "the destination".to_owned(),
        SourcePlace::Register(field) => registers(width, field),
        SourcePlace::Stored => "a half or a word".to_owned(),
        SourcePlace::Number(field) => format!("a number of {} bits", field.width()),
        SourcePlace::Address => "$a1 to $a7 or 0".to_owned(),
        SourcePlace::Condition(_) => "$c0 to $c3".to_owned(),
        SourcePlace::Attribute => "a[]".to_owned(),
        SourcePlace::Constant | SourcePlace::ConstantTarget => "c[]".to_owned(),
        SourcePlace::Shared => "s[]".to_owned(),
        SourcePlace::Local(_) => "l[]".to_owned(),
        SourcePlace::Global(_) | SourcePlace::Atomic(_) => "g[]".to_owned(),
        SourcePlace::Interpolant => "v[]".to_owned(),
        SourcePlace::Texture => "a texture and a sampler".to_owned(),
        SourcePlace::Coordinates => "one to four registers from the destination on".to_owned(),
        SourcePlace::TexelOffset => "three offsets of -8 to 7".to_owned(),
        SourcePlace::Target => "a label or a multiple of 4".to_owned(),
    }
}

impl TeslaFit {
    /// The largest offset of memory that the row holds as a source of an instruction.
    #[must_use]
    pub fn largest_offset(&self, instruction: &Instruction, position: usize, kind: ProgramKind) -> Option<u32> {
        let mut farthest = instruction.clone();
        let Operand::Memory(memory) = &mut farthest.sources.get_mut(position)?.operand else { return None };
        let Address::Offset { base, .. } = memory.address else { return None };
        memory.address = Address::Offset { base, offset: u32::MAX };
        let wanted = (memory.space, memory.access);
        let mut writer = Codec { word: self.row.bits, covered: self.row.mask, form: self.row.form, kind, writes: true };
        let held = transfer(self.row, &mut writer, &farthest)?;
        match held.sources.get(position)?.operand {
            Operand::Memory(MemoryOperand { space, access, address: Address::Offset { base: held, offset } })
                if held == base && (space, access) == wanted =>
            {
                Some(offset)
            }
            _ => None,
        }
    }

    /// The largest number that the row holds as a source.
    #[must_use]
    pub fn largest(&self, position: usize) -> Option<u32> {
        match (self.row.sources.get(position)?.place, self.nearest.sources.get(position)?.operand) {
            (SourcePlace::Number(field), Operand::Immediate(_)) => Some(field.max()),
            (SourcePlace::SecondOrCount, Operand::Immediate(_)) => Some(0x7f),
            (SourcePlace::Target, Operand::CodeAddress(_)) => Some(Field::TARGET.max() << 2),
            _ => None,
        }
    }
}
