//! The rows of the instruction set: the bits that tell an instruction, what it computes, and where its operands are.
//!
//! A row covers the variants of an instruction that differ in some bits only: `operation` gives the operation of each
//! value of `variants`, and `None` where none is known. Decoding takes the first row that matches; encoding takes the
//! first row and variant with the operation whose places can hold the operands.
//!
//! Source: envytools `docs/hw/graph/tesla/cuda/*.rst` and `envydis/g80.c` for the numbers.

use super::word::{TeslaField as Field, TeslaForm, field};
use crate::shader::simt::{Access, Operation, ProgramKind, TeslaGeneration, Width};

/// Where a destination is in the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DestinationPlace {
    None,
    /// A register of the operation's width.
    Register(Field),
    /// A register, an output, or nothing.
    RegisterOrOutput,
    /// The same, with its width in bit 58.
    Loaded,
    Address,
    Condition,
    ShortTexture,
    Texture,
    Output,
    Shared(Access),
    Local(Access),
    Global(Access),
}

/// Where a source is in the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourcePlace {
    /// The first source, or memory.
    First,
    /// The second source, or a constant.
    Second,
    /// The third source, or a constant.
    Third,
    /// The second source, or a number of seven bits if bit 52 is set.
    SecondOrCount,
    /// A register.
    Register(Field),
    /// The third source as a half or a word, as bit 53 says.
    Stored,
    /// A number.
    Number(Field),
    Address,
    /// A condition register.
    Condition(Field),
    Attribute,
    Constant,
    ConstantTarget,
    Shared,
    Local(Access),
    Global(Access),
    Atomic(Access),
    Interpolant,
    Texture,
    Coordinates,
    TexelOffset,
    Target,
}

/// A source and the bits of its modifiers.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceRow {
    pub(super) place: SourcePlace,
    /// The register's width, if it is not the operation's.
    pub(super) width: Option<Width>,
    pub(super) negate: Field,
    pub(super) absolute: Field,
    pub(super) invert: Field,
}

pub(super) const fn at(place: SourcePlace) -> SourceRow {
    SourceRow { place, width: None, negate: Field::NONE, absolute: Field::NONE, invert: Field::NONE }
}

/// The first source, or memory.
pub(super) const FIRST: SourceRow = at(SourcePlace::First);
/// The second source, or a constant.
pub(super) const SECOND: SourceRow = at(SourcePlace::Second);
/// The first source of a long instruction, a register only.
pub(super) const REGISTER1: SourceRow = at(SourcePlace::Register(Field::SOURCE1));

impl SourceRow {
    pub(super) const fn neg(self, bit: u8) -> Self {
        Self { negate: field(bit, 1), ..self }
    }

    pub(super) const fn abs(self, bit: u8) -> Self {
        Self { absolute: field(bit, 1), ..self }
    }

    pub(super) const fn not(self, bit: u8) -> Self {
        Self { invert: field(bit, 1), ..self }
    }

    pub(super) const fn wide(self, width: Width) -> Self {
        Self { width: Some(width), ..self }
    }
}

/// Whether a condition register is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConditionUse {
    Never,
    IfEnabled,
    Always,
}

/// An instruction of the set.
#[derive(Debug, Clone, Copy)]
pub struct TeslaRow {
    /// The form.
    pub form: TeslaForm,
    /// The values of the bits in `mask`.
    pub bits: u64,
    /// The bits that tell the instruction from others.
    pub mask: u64,
    /// The first generation that has it.
    pub generation: TeslaGeneration,
    pub(super) kinds: u8,
    pub(super) variants: Field,
    pub(super) operation: fn(u32) -> Option<Operation>,
    pub(super) condition: ConditionUse,
    pub(super) is_predicated: bool,
    pub(super) destination: DestinationPlace,
    pub(super) destination_width: Option<Width>,
    pub(super) sources: &'static [SourceRow],
    /// Bits without an effect that compilers set.
    pub(super) ignored: u64,
}

/// A set of program kinds.
pub(super) const fn kind_bit(kind: ProgramKind) -> u8 {
    1 << kind as u8
}
pub(super) const COMPUTE: u8 = kind_bit(ProgramKind::Compute);
pub(super) const FRAGMENT: u8 = kind_bit(ProgramKind::Fragment);
pub(super) const GEOMETRY: u8 = kind_bit(ProgramKind::Geometry);
pub(super) const VERTEX_OR_GEOMETRY: u8 = GEOMETRY | kind_bit(ProgramKind::Vertex);

/// A row of the instructions with an opcode.
pub(super) const fn row(form: TeslaForm, opcode: u8, operation: fn(u32) -> Option<Operation>) -> TeslaRow {
    let (mask, bits) = form.bits();
    TeslaRow {
        form,
        bits: bits | (opcode as u64) << 28,
        mask: mask | Field::OPCODE.mask(),
        generation: TeslaGeneration::Sm10,
        kinds: !0,
        variants: Field::NONE,
        operation,
        condition: ConditionUse::Never,
        is_predicated: matches!(form, TeslaForm::Long),
        destination: DestinationPlace::None,
        destination_width: None,
        sources: &[],
        ignored: 0,
    }
}

impl TeslaRow {
    /// With a field that has a value.
    pub(super) const fn with(self, field: Field, value: u32) -> Self {
        Self { bits: self.bits & !field.mask() | field.place(value), mask: self.mask | field.mask(), ..self }
    }

    /// With a secondary opcode.
    pub(super) const fn sec(self, code: u32) -> Self {
        self.with(Field::SECONDARY, code)
    }

    /// With variants, whose bits do not tell the row.
    pub(super) const fn var(self, variants: Field) -> Self {
        let mask = self.mask & !variants.mask();
        Self { variants, mask, bits: self.bits & mask, ..self }
    }

    pub(super) const fn to(self, destination: DestinationPlace) -> Self {
        Self { destination, ..self }
    }

    pub(super) const fn from(self, sources: &'static [SourceRow]) -> Self {
        Self { sources, ..self }
    }

    pub(super) const fn cond(self) -> Self {
        Self { condition: ConditionUse::IfEnabled, ..self }
    }

    pub(super) const fn only(self, kinds: u8) -> Self {
        Self { kinds, ..self }
    }

    pub(super) const fn since(self, generation: TeslaGeneration) -> Self {
        Self { generation, ..self }
    }

    pub(super) const fn ignoring(self, field: Field) -> Self {
        Self { ignored: self.ignored | field.mask(), ..self }
    }

    /// Whether an instruction is one of the row.
    pub(super) const fn matches(&self, word: u64, kind: ProgramKind) -> bool {
        word & self.mask == self.bits && self.kinds & kind_bit(kind) != 0
    }

    /// The value of the variants' bits that gives an operation.
    pub(super) fn variant(&self, operation: Operation) -> Option<u32> {
        let mut variants = (0..=self.variants.max()).filter_map(|value| Some((value, (self.operation)(value)?)));
        let (first, example) = variants.next()?;
        // The variants of a row differ in the operation's fields only.
        if std::mem::discriminant(&example) != std::mem::discriminant(&operation) {
            return None;
        }
        std::iter::once((first, example))
            .chain(variants)
            .find_map(|(value, found)| (found == operation).then_some(value))
    }
}
