//! The bit fields of a 32-bit PICA200 shader instruction word, and which of them each format uses.
//!
//! Source: 3dbrew, GPU/Shader Instruction Set; nihstro `shader_bytecode.h`.
#![expect(clippy::cast_possible_truncation, reason = "fields are masked to their width before they are narrowed")]

/// A range of bits in an instruction word or an operand descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PicaField {
    /// What it holds.
    pub name: &'static str,
    low: u8,
    width: u8,
}

const fn field(name: &'static str, high: u8, low: u8) -> PicaField {
    PicaField { name, low, width: high - low + 1 }
}

impl PicaField {
    /// The operation, in every format.
    pub const OPCODE: Self = field("OPCODE", 31, 26);
    /// Written register of one- and two-source operations.
    pub const DESTINATION: Self = field("DST", 25, 21);
    /// Register that is added to the constant index of the wide source.
    pub const INDEX: Self = field("IDX", 20, 19);
    /// First source, wide.
    pub const SOURCE1: Self = field("SRC1", 18, 12);
    /// Second source, narrow.
    pub const SOURCE2: Self = field("SRC2", 11, 7);
    /// First source of the inverted format, narrow.
    pub const SOURCE1_INVERTED: Self = field("SRC1", 18, 14);
    /// Second source of the inverted format, wide.
    pub const SOURCE2_INVERTED: Self = field("SRC2", 13, 7);
    /// Operand descriptor.
    pub const DESCRIPTOR: Self = field("DESC", 6, 0);
    /// Comparison of the x components; overlaps bit 0 of the opcode.
    pub const COMPARE_X: Self = field("CMPX", 26, 24);
    /// Comparison of the y components.
    pub const COMPARE_Y: Self = field("CMPY", 23, 21);
    /// How a condition combines cmp.x and cmp.y.
    pub const CONDITION: Self = field("CONDOP", 23, 22);
    /// The value of cmp.x that the condition requires.
    pub const REFERENCE_X: Self = field("REFX", 25, 25);
    /// The value of cmp.y that the condition requires.
    pub const REFERENCE_Y: Self = field("REFY", 24, 24);
    /// Target of a jump or call, else part of an if, last word of a loop.
    pub const TARGET: Self = field("DST", 21, 10);
    /// Number of words of a procedure or else part; bit 0 is the polarity of JMPU.
    pub const COUNT: Self = field("NUM", 7, 0);
    /// Boolean uniform.
    pub const BOOLEAN: Self = field("BOOL", 25, 22);
    /// Integer uniform.
    pub const INTEGER: Self = field("INT", 23, 22);
    /// Vertex slot of SETEMIT.
    pub const VERTEX: Self = field("VERTEX", 25, 24);
    /// SETEMIT: the vertex completes a primitive.
    pub const PRIMITIVE: Self = field("PRIM", 23, 23);
    /// SETEMIT: the primitive has the other winding.
    pub const INVERT: Self = field("INVERT", 22, 22);
    /// Written register of MAD.
    pub const MAD_DESTINATION: Self = field("DST", 28, 24);
    /// Register that is added to the constant index of MAD's wide source.
    pub const MAD_INDEX: Self = field("IDX", 23, 22);
    /// First source of MAD, narrow.
    pub const MAD_SOURCE1: Self = field("SRC1", 21, 17);
    /// Second source of MAD, wide.
    pub const MAD_SOURCE2: Self = field("SRC2", 16, 10);
    /// Third source of MAD, narrow.
    pub const MAD_SOURCE3: Self = field("SRC3", 9, 5);
    /// Second source of the inverted MAD, narrow.
    pub const MAD_SOURCE2_INVERTED: Self = field("SRC2", 16, 12);
    /// Third source of the inverted MAD, wide.
    pub const MAD_SOURCE3_INVERTED: Self = field("SRC3", 11, 5);
    /// Operand descriptor of MAD, the first 32 only.
    pub const MAD_DESCRIPTOR: Self = field("DESC", 4, 0);

    /// Written components within a descriptor: w in bit 0 … x in bit 3.
    pub const MASK: Self = field("mask", 3, 0);

    /// Negation of a source within a descriptor.
    #[must_use]
    pub const fn negation(source: usize) -> Self {
        let low = 4 + 9 * source as u8;
        field("negate", low, low)
    }

    /// Swizzle of a source within a descriptor: w in the two low bits … x in the two high bits.
    #[must_use]
    pub const fn swizzle(source: usize) -> Self {
        let low = 5 + 9 * source as u8;
        field("swizzle", low + 7, low)
    }

    /// The largest value.
    #[must_use]
    pub const fn max(self) -> u32 {
        (1 << self.width) - 1
    }

    /// Extracts the field.
    #[must_use]
    pub const fn of(self, word: u32) -> u32 {
        word >> self.low & self.max()
    }

    /// The value in the field's place; bits beyond the field's width are dropped.
    #[must_use]
    pub const fn place(self, value: u32) -> u32 {
        (value & self.max()) << self.low
    }
}

/// One instruction as its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PicaWord(pub u32);

impl PicaWord {
    /// The value of a field.
    #[must_use]
    pub const fn get(self, field: PicaField) -> u32 {
        field.of(self.0)
    }

    /// Whether a one-bit field is set.
    #[must_use]
    pub const fn is_set(self, field: PicaField) -> bool {
        self.get(field) != 0
    }

    /// The same instruction with another value in a field; bits beyond the field's width are dropped.
    #[must_use]
    pub const fn with(self, field: PicaField, value: u32) -> Self {
        Self(self.0 & !field.place(!0) | field.place(value))
    }
}

/// The formats of an instruction, by 3dbrew's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PicaFormat {
    /// Format 0: the opcode alone.
    Plain,
    /// Format 1: two sources, the first one wide.
    TwoSources,
    /// Format 1i: two sources, the second one wide.
    TwoSourcesInverted,
    /// Format 1u: one wide source.
    OneSource,
    /// Format 1u without a destination: the mask selects components of the address register.
    Address,
    /// Format 1c: two sources and two comparisons.
    Compare,
    /// Format 2: flow that a condition may decide.
    Condition,
    /// Format 3: flow that a boolean uniform decides.
    Boolean,
    /// Format 3: flow with an integer uniform.
    Integer,
    /// Format 4: the vertex to emit next.
    SetEmit,
    /// Format 5: three sources, the second one wide.
    ThreeSources,
    /// Format 5i: three sources, the third one wide.
    ThreeSourcesInverted,
}

/// The fields of a format that has operands.
#[derive(Debug, Clone, Copy)]
pub struct OperandFields {
    /// The written register, if the format names one.
    pub destination: Option<PicaField>,
    /// The sources, in the order of the operation.
    pub sources: &'static [PicaField],
    /// The source of seven bits, which can name a constant.
    pub wide: usize,
    /// The index of the wide source.
    pub index: PicaField,
    /// The operand descriptor.
    pub descriptor: PicaField,
}

impl PicaFormat {
    /// Every format.
    pub const ALL: [Self; 12] = [
        Self::Plain,
        Self::TwoSources,
        Self::TwoSourcesInverted,
        Self::OneSource,
        Self::Address,
        Self::Compare,
        Self::Condition,
        Self::Boolean,
        Self::Integer,
        Self::SetEmit,
        Self::ThreeSources,
        Self::ThreeSourcesInverted,
    ];

    /// The fields of the operands; `None` for a format without a descriptor.
    #[must_use]
    pub const fn operands(self) -> Option<OperandFields> {
        const ONE: &[PicaField] = &[PicaField::SOURCE1];
        const TWO: &[PicaField] = &[PicaField::SOURCE1, PicaField::SOURCE2];
        const TWO_INVERTED: &[PicaField] = &[PicaField::SOURCE1_INVERTED, PicaField::SOURCE2_INVERTED];
        const THREE: &[PicaField] = &[PicaField::MAD_SOURCE1, PicaField::MAD_SOURCE2, PicaField::MAD_SOURCE3];
        const THREE_INVERTED: &[PicaField] =
            &[PicaField::MAD_SOURCE1, PicaField::MAD_SOURCE2_INVERTED, PicaField::MAD_SOURCE3_INVERTED];
        let (sources, wide) = match self {
            Self::TwoSources | Self::Compare => (TWO, 0),
            Self::TwoSourcesInverted => (TWO_INVERTED, 1),
            Self::OneSource | Self::Address => (ONE, 0),
            Self::ThreeSources => (THREE, 1),
            Self::ThreeSourcesInverted => (THREE_INVERTED, 2),
            Self::Plain | Self::Condition | Self::Boolean | Self::Integer | Self::SetEmit => return None,
        };
        let (destination, index, descriptor) = match self {
            Self::ThreeSources | Self::ThreeSourcesInverted => {
                (Some(PicaField::MAD_DESTINATION), PicaField::MAD_INDEX, PicaField::MAD_DESCRIPTOR)
            }
            Self::Address | Self::Compare => (None, PicaField::INDEX, PicaField::DESCRIPTOR),
            _ => (Some(PicaField::DESTINATION), PicaField::INDEX, PicaField::DESCRIPTOR),
        };
        Some(OperandFields { destination, sources, wide, index, descriptor })
    }
}

#[cfg(test)]
mod tests {
    use super::{PicaField, PicaFormat, PicaWord};

    #[test]
    fn operands_of_a_format_do_not_overlap() {
        for fields in PicaFormat::ALL.into_iter().filter_map(PicaFormat::operands) {
            let all = fields.destination.into_iter().chain(fields.sources.iter().copied());
            let mut covered = 0u32;
            for field in all.chain([fields.index, fields.descriptor]) {
                assert_eq!(covered & field.place(!0), 0, "{}", field.name);
                covered |= field.place(!0);
            }
            for (position, source) in fields.sources.iter().enumerate() {
                assert_eq!(source.max(), if position == fields.wide { 0x7f } else { 0x1f }, "{}", source.name);
            }
            // Formats 5 have an opcode of three bits, the others one of six.
            let opcode = if fields.sources.len() == 3 { 0xe000_0000 } else { 0xfc00_0000 };
            assert_eq!(covered & opcode, 0);
            let is_full = fields.sources.len() > 1 && fields.destination.is_some();
            assert!(!is_full || covered | opcode == !0, "{covered:#x}");
        }
    }

    #[test]
    fn a_descriptor_has_31_bits() {
        let sources = (0..3).map(|source| PicaField::negation(source).place(1) | PicaField::swizzle(source).place(!0));
        assert_eq!(sources.sum::<u32>() | PicaField::MASK.place(!0), !0 >> 1);
    }

    #[test]
    fn a_written_field_reads_back_and_leaves_the_rest_alone() {
        let word = PicaWord(!0).with(PicaField::TARGET, 0x123);
        assert_eq!((word.get(PicaField::TARGET), word.0), (0x123, 0xffc4_8fff));
        assert_eq!(word.with(PicaField::TARGET, !0), PicaWord(!0));
    }
}
