//! The bit fields of a Tesla instruction, one or two words read as one 64-bit number, first word low.
//!
//! Source: envytools `docs/hw/graph/tesla/cuda/isa.rst` and `envydis/g80.c`. Where they differ about the bits for exit
//! and join, and about branch targets, compiler output decides for the latter.
#![expect(clippy::cast_possible_truncation, reason = "fields are masked to their width of at most 32 bits")]

/// Up to four ranges of bits in an instruction, which form one number, lowest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeslaField {
    parts: [(u8, u8); 4],
}

/// A field of bits `low` to `low + width - 1`.
pub(super) const fn field(low: u8, width: u8) -> TeslaField {
    TeslaField { parts: [(low, width), (0, 0), (0, 0), (0, 0)] }
}

impl TeslaField {
    /// No bits.
    pub const NONE: Self = field(0, 0);
    /// Whether the instruction has two words.
    pub const IS_LONG: Self = field(0, 1);
    /// The kind of a long instruction: 0 plain, 1 exit, 2 join, 3 immediate.
    pub const MARKER: Self = field(32, 2);
    /// The primary opcode.
    pub const OPCODE: Self = field(28, 4);
    /// The secondary opcode.
    pub const SECONDARY: Self = field(61, 3);
    /// Destination register of short and immediate instructions.
    pub const SHORT_DESTINATION: Self = field(2, 6);
    /// Destination register of long instructions and immediate moves.
    pub const DESTINATION: Self = field(2, 7);
    /// Whether the destination is an output.
    pub const IS_OUTPUT: Self = field(35, 1);
    /// Destination address register.
    pub const ADDRESS_DESTINATION: Self = field(2, 3);
    /// First source register of short and immediate instructions.
    pub const SHORT_SOURCE1: Self = field(9, 6);
    /// First source register.
    pub const SOURCE1: Self = field(9, 7);
    /// Second source register of short instructions.
    pub const SHORT_SOURCE2: Self = field(16, 6);
    /// Second source register.
    pub const SOURCE2: Self = field(16, 7);
    /// Third source register.
    pub const SOURCE3: Self = field(46, 7);
    /// Whether the first source is memory, in short and immediate instructions.
    pub const SHORT_SOURCE1_IS_MEMORY: Self = field(24, 1);
    /// Whether the first source is memory.
    pub const SOURCE1_IS_MEMORY: Self = field(53, 1);
    /// Whether the second source is a constant.
    pub const SOURCE2_IS_CONSTANT: Self = field(23, 1);
    /// Whether the third source is a constant.
    pub const SOURCE3_IS_CONSTANT: Self = field(24, 1);
    /// Constant space of short instructions.
    pub const SHORT_CONSTANT_SPACE: Self = field(21, 1);
    /// Constant space.
    pub const CONSTANT_SPACE: Self = field(54, 4);
    /// Whether the address register is incremented afterwards.
    pub const POST_INCREMENT: Self = field(25, 1);
    /// Address register of short and immediate instructions.
    pub const SHORT_ADDRESS: Self = field(26, 2);
    /// Address register.
    pub const ADDRESS: Self = field(26, 2).and(34, 1);
    /// The immediate operand.
    pub const IMMEDIATE: Self = field(16, 6).and(34, 26);
    /// Condition register that is written.
    pub const CONDITION_WRITE: Self = field(36, 2);
    /// Whether a condition register is written.
    pub const WRITES_CONDITION: Self = field(38, 1);
    /// The predicate's condition.
    pub const PREDICATE: Self = field(39, 5);
    /// Condition register that is read.
    pub const CONDITION: Self = field(44, 2);
    /// Target of flow, in words.
    pub const TARGET: Self = field(11, 16).and(46, 6);
    /// Texture.
    pub const TEXTURE: Self = field(9, 8);
    /// Sampler.
    pub const SAMPLER: Self = field(17, 5);
    /// Number of texture coordinates, less one.
    pub const COORDINATES: Self = field(22, 2);
    /// Written components of a texture fetch.
    pub const TEXTURE_MASK: Self = field(25, 2).and(46, 2);
    /// Texel offsets x, y and z.
    pub const TEXEL_OFFSETS: [Self; 3] = [field(56, 4), field(52, 4), field(48, 4)];
    /// Global space of loads, stores and reductions.
    pub const GLOBAL_SPACE: Self = field(16, 4);
    /// Global space of atomic operations.
    pub const ATOMIC_SPACE: Self = field(23, 4);
    /// Interpolant, in words.
    pub const INTERPOLANT: Self = field(16, 8);

    /// The same field with further bits above.
    pub(super) const fn and(self, low: u8, width: u8) -> Self {
        let (mut parts, mut at) = (self.parts, 0);
        while parts[at].1 != 0 {
            at += 1;
        }
        parts[at] = (low, width);
        Self { parts }
    }

    /// The number of bits.
    #[must_use]
    pub const fn width(self) -> u8 {
        let [first, second, third, fourth] = self.parts;
        first.1 + second.1 + third.1 + fourth.1
    }

    /// The largest value.
    #[must_use]
    pub const fn max(self) -> u32 {
        ((1u64 << self.width()) - 1) as u32
    }

    /// Extracts the field.
    #[must_use]
    pub const fn get(self, word: u64) -> u32 {
        let (mut value, mut shift, mut at) = (0, 0, 0);
        while at < 4 {
            let (low, width) = self.parts[at];
            value |= (word >> low & ((1 << width) - 1)) << shift;
            shift += width;
            at += 1;
        }
        value as u32
    }

    /// The value in the field's place; bits beyond the field's width are dropped.
    #[must_use]
    pub const fn place(self, value: u32) -> u64 {
        let (mut word, mut rest, mut at) = (0, value as u64, 0);
        while at < 4 {
            let (low, width) = self.parts[at];
            word |= (rest & ((1 << width) - 1)) << low;
            rest >>= width;
            at += 1;
        }
        word
    }

    /// Its bits.
    #[must_use]
    pub const fn mask(self) -> u64 {
        self.place(!0)
    }
}

/// The form of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TeslaForm {
    /// One word.
    Short,
    /// One word that controls execution.
    ShortControl,
    /// Two words with three register operands.
    Long,
    /// Two words with an immediate operand.
    Immediate,
    /// Two words that control execution.
    Control,
}

impl TeslaForm {
    /// Every form.
    pub const ALL: [Self; 5] = [Self::Short, Self::ShortControl, Self::Long, Self::Immediate, Self::Control];

    /// The form of an instruction.
    #[must_use]
    pub const fn of(word: u64) -> Self {
        match (word & 3, TeslaField::MARKER.get(word)) {
            (0, _) => Self::Short,
            (2, _) => Self::ShortControl,
            (1, 3) => Self::Immediate,
            (1, _) => Self::Long,
            _ => Self::Control,
        }
    }

    /// The bits that tell the form, and their values.
    #[must_use]
    pub const fn bits(self) -> (u64, u64) {
        match self {
            Self::Short => (3, 0),
            Self::ShortControl => (3, 2),
            Self::Long => (3, 1),
            Self::Immediate => (3 | 3 << 32, 1 | 3 << 32),
            Self::Control => (3, 3),
        }
    }

    /// The length in bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Short | Self::ShortControl => 4,
            Self::Long | Self::Immediate | Self::Control => 8,
        }
    }
}
