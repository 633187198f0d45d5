//! The bit fields of a 128-bit NV40 vertex instruction word.
//!
//! Source: envytools `docs/hw/graph/xf/isa.rst`, whose numbers of bits these are.
#![expect(clippy::cast_possible_truncation, reason = "a branch target has ten bits")]

use crate::isa::vertex_word::field;
pub use crate::isa::vertex_word::{VertexField, VertexWord};

impl VertexField {
    /// Last instruction.
    pub const END: Self = field("END", 0, 0);
    /// The constant index adds an address register.
    pub const CONST_INDEXED: Self = field("CONST_INDEXED", 1, 1);
    /// Output register; 31 for none.
    pub const OUT_ADDR: Self = field("OUT_ADDR", 6, 2);
    /// Temporary that the scalar unit writes; 63 for none.
    pub const DST_SCA: Self = field("DST_SCA", 12, 7);
    /// Write mask of the vector unit: w in bit 0 … x in bit 3.
    pub const WM_VEC: Self = field("WM_VEC", 16, 13);
    /// Write mask of the scalar unit: w in bit 0 … x in bit 3.
    pub const WM_SCA: Self = field("WM_SCA", 20, 17);
    /// Source 2.
    pub const SRC2: Self = field("SRC2", 37, 21);
    /// Source 1.
    pub const SRC1: Self = field("SRC1", 54, 38);
    /// Source 0.
    pub const SRC0: Self = field("SRC0", 71, 55);
    /// Vertex attribute.
    pub const INPUT_ADDR: Self = field("INPUT_ADDR", 75, 72);
    /// Constant.
    pub const CONST_ADDR: Self = field("CONST_ADDR", 85, 76);
    /// Operation of the vector unit.
    pub const OP_VEC: Self = field("OP_VEC", 90, 86);
    /// Operation of the scalar unit.
    pub const OP_SCA: Self = field("OP_SCA", 95, 91);
    /// Component of the address register.
    pub const ADDR_SWZ: Self = field("ADDR_SWZ", 97, 96);
    /// Swizzle of the tested condition register: w in bits 1:0 … x in bits 7:6.
    pub const COND_SWZ: Self = field("COND_SWZ", 105, 98);
    /// Tested relation: LT, EQ, GT.
    pub const COND: Self = field("COND", 108, 106);
    /// The condition applies.
    pub const COND_TEST: Self = field("COND_TEST", 109, 109);
    /// The condition register is written.
    pub const COND_UPDATE: Self = field("COND_UPDATE", 110, 110);
    /// Temporary that the vector unit writes; 63 for none.
    pub const DST_VEC: Self = field("DST_VEC", 116, 111);
    /// Magnitude of source 0.
    pub const ABS0: Self = field("ABS0", 117, 117);
    /// Magnitude of source 1.
    pub const ABS1: Self = field("ABS1", 118, 118);
    /// Magnitude of source 2.
    pub const ABS2: Self = field("ABS2", 119, 119);
    /// Address register, 0 or 1.
    pub const ADDR_SEL: Self = field("ADDR_SEL", 120, 120);
    /// Condition register, 0 or 1, for test and update.
    pub const COND_SEL: Self = field("COND_SEL", 121, 121);
    /// Results are clamped to 0..1.
    pub const SATURATE: Self = field("SATURATE", 122, 122);
    /// The attribute index adds an address register.
    pub const INPUT_INDEXED: Self = field("INPUT_INDEXED", 123, 123);
    /// The output index adds an address register.
    pub const OUT_INDEXED: Self = field("OUT_INDEXED", 124, 124);
    /// The condition register takes the vector unit's result.
    pub const COND_FROM_VEC: Self = field("COND_FROM_VEC", 125, 125);
    /// The output takes the vector unit's result.
    pub const OUT_FROM_VEC: Self = field("OUT_FROM_VEC", 126, 126);
    /// The bit that the user instruction set does not use.
    pub const UNUSED: Self = field("UNUSED", 127, 127);
    /// Bits 2:0 of a branch target.
    pub const TARGET_LOW: Self = field("TARGET_LOW", 31, 29);
    /// Bits 8:3 of a branch target.
    pub const TARGET_MIDDLE: Self = field("TARGET_MIDDLE", 37, 32);
    /// Bit 9 of a branch target; shares the bit of `ABS2`.
    pub const TARGET_HIGH: Self = field("TARGET_HIGH", 119, 119);
    /// The boolean that BRB and CLB test.
    pub const BRANCH_BOOLEAN: Self = field("BRANCH_BOOLEAN", 27, 23);
    /// BRB and CLB are taken if the boolean is set (1) or clear (0).
    pub const BRANCH_POLARITY: Self = field("BRANCH_POLARITY", 28, 28);
    /// The texture unit of TXL.
    pub const TEXTURE_UNIT: Self = field("TEXTURE_UNIT", 41, 40);

    /// Register file within a source: 1 temporary, 2 input, 3 constant.
    pub const SOURCE_TYPE: Self = field("type", 1, 0);
    /// Temporary within a source.
    pub const SOURCE_TEMPORARY: Self = field("temporary", 7, 2);
    /// Swizzle within a source: w in bits 1:0 … x in bits 7:6.
    pub const SOURCE_SWIZZLE: Self = field("swizzle", 15, 8);
    /// Negation within a source.
    pub const SOURCE_NEGATE: Self = field("negate", 16, 16);

    /// Fields that cover every bit once.
    pub const ALL: [Self; 30] = [
        Self::END,
        Self::CONST_INDEXED,
        Self::OUT_ADDR,
        Self::DST_SCA,
        Self::WM_VEC,
        Self::WM_SCA,
        Self::SRC2,
        Self::SRC1,
        Self::SRC0,
        Self::INPUT_ADDR,
        Self::CONST_ADDR,
        Self::OP_VEC,
        Self::OP_SCA,
        Self::ADDR_SWZ,
        Self::COND_SWZ,
        Self::COND,
        Self::COND_TEST,
        Self::COND_UPDATE,
        Self::DST_VEC,
        Self::ABS0,
        Self::ABS1,
        Self::ABS2,
        Self::ADDR_SEL,
        Self::COND_SEL,
        Self::SATURATE,
        Self::INPUT_INDEXED,
        Self::OUT_INDEXED,
        Self::COND_FROM_VEC,
        Self::OUT_FROM_VEC,
        Self::UNUSED,
    ];
}

impl VertexWord {
    /// The target slot of a branch or call.
    #[must_use]
    pub const fn branch_target(self) -> u16 {
        (self.get(VertexField::TARGET_HIGH) << 9
            | self.get(VertexField::TARGET_MIDDLE) << 3
            | self.get(VertexField::TARGET_LOW)) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::{VertexField, VertexWord};
    use crate::isa::test_words::BLIT;

    #[test]
    fn fields_of_the_blit_program_are_in_their_documented_places() {
        // MOV o[TEX0], v[8]; END.
        let word = VertexWord::new(BLIT[1]);
        assert_eq!(word.get(VertexField::OP_VEC), 1);
        assert_eq!(word.get(VertexField::OP_SCA), 0);
        assert_eq!(word.get(VertexField::INPUT_ADDR), 8);
        assert_eq!(word.get(VertexField::OUT_ADDR), 7);
        assert_eq!(word.get(VertexField::WM_VEC), 0xf);
        assert_eq!(word.get(VertexField::DST_SCA), 0x3f);
        assert_eq!(word.get(VertexField::DST_VEC), 0x3f);
        assert!(word.is_set(VertexField::END) && word.is_set(VertexField::OUT_FROM_VEC));
        assert_eq!(VertexField::SOURCE_TYPE.of(word.get(VertexField::SRC0)), 2);
        assert_eq!(VertexField::SOURCE_SWIZZLE.of(word.get(VertexField::SRC0)), 0b00_01_10_11);
    }

    #[test]
    fn a_target_is_put_together_from_its_three_places() {
        // 0x2a5 = 1 010100 101.
        let word = VertexWord::new([1 << 23, 0, 0b01_0100, 0b101 << 29]);
        assert_eq!(word.branch_target(), 0x2a5);
    }

    #[test]
    fn a_written_field_reads_back_and_leaves_the_rest_alone() {
        let word = VertexWord::new([!0; 4]).with(VertexField::SRC0, 0x0_1234);
        assert_eq!(word.get(VertexField::SRC0), 0x0_1234);
        assert_eq!(word.with(VertexField::SRC0, !0).words(), [!0; 4]);
    }
}
