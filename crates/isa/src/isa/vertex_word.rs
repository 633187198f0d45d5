//! The 128-bit word of a vertex instruction and its bit fields, for every vertex processor that has such words.
//!
//! Bits are numbered 0..127 as envytools `docs/hw/graph/xf/isa.rst` does: the first uploaded word holds bits 127:96,
//! the last one bits 31:0.
#![expect(clippy::cast_possible_truncation, reason = "fields are masked to their width before they are narrowed")]

/// A range of bits in a vertex instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexField {
    /// Its documented name.
    pub name: &'static str,
    pub(super) low: u8,
    width: u8,
}

pub(super) const fn field(name: &'static str, high: u8, low: u8) -> VertexField {
    VertexField { name, low, width: high - low + 1 }
}

impl VertexField {
    /// Whether a value fits the field.
    #[must_use]
    pub const fn holds(self, value: u32) -> bool {
        value as u128 <= self.mask()
    }

    pub(super) const fn mask(self) -> u128 {
        (1 << self.width) - 1
    }

    /// Extracts a field from a source operand.
    #[must_use]
    pub const fn of(self, value: u32) -> u32 {
        (value as u128 >> self.low & self.mask()) as u32
    }
}

/// The register file of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VertexSourceKind {
    /// A temporary register.
    Temporary(u8),
    /// The instruction's vertex attribute.
    Input,
    /// The instruction's constant.
    Constant,
}

impl VertexSourceKind {
    /// The low bits of a source: the file, and the temporary, which is 0 in other files.
    pub(super) const fn bits(self) -> u32 {
        match self {
            Self::Temporary(index) => 1 | (index as u32) << 2,
            Self::Input => 2,
            Self::Constant => 3,
        }
    }
}

/// One vertex instruction as its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VertexWord(u128);

impl VertexWord {
    /// Joins the four words of an instruction, first uploaded word first.
    #[must_use]
    pub const fn new(words: [u32; 4]) -> Self {
        Self((words[0] as u128) << 96 | (words[1] as u128) << 64 | (words[2] as u128) << 32 | words[3] as u128)
    }

    /// The four words, first uploaded word first.
    #[must_use]
    pub const fn words(self) -> [u32; 4] {
        [(self.0 >> 96) as u32, (self.0 >> 64) as u32, (self.0 >> 32) as u32, self.0 as u32]
    }

    /// The value of a field.
    #[must_use]
    pub const fn get(self, field: VertexField) -> u32 {
        (self.0 >> field.low & field.mask()) as u32
    }

    /// Whether a one-bit field is set.
    #[must_use]
    pub const fn is_set(self, field: VertexField) -> bool {
        self.get(field) != 0
    }

    /// The same instruction with another value in a field; bits beyond the field's width are dropped.
    #[must_use]
    pub const fn with(self, field: VertexField, value: u32) -> Self {
        Self(self.0 & !(field.mask() << field.low) | (value as u128 & field.mask()) << field.low)
    }
}

#[cfg(test)]
mod tests {
    use crate::isa::nv20_vertex::Nv20Field;
    use crate::isa::nv40_vertex::VertexField;

    #[test]
    fn the_lists_of_fields_cover_every_bit_once() {
        for fields in [Nv20Field::ALL.as_slice(), VertexField::ALL.as_slice()] {
            let covered = fields.iter().fold(0u128, |covered, field| {
                let bits = field.mask() << field.low;
                assert_eq!(covered & bits, 0, "{}", field.name);
                covered | bits
            });
            assert_eq!(covered, u128::MAX);
        }
    }
}
