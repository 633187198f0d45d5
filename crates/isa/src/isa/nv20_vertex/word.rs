//! The bit fields of a 128-bit NV20 vertex instruction word.
//!
//! Fields are numbered 0..127: the first uploaded word holds bits 127:96 and is 0, the last one bits 31:0.
//! Source: envytools `docs/hw/graph/xf/isa.rst`, and the field names of the Xbox tools (`XboxDev/nxdk`
//! `lib/pbkit/nv20_shader.h`).

use crate::isa::vertex_word::{VertexField, field};

/// Names the fields of an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nv20Field;

impl Nv20Field {
    /// Last instruction.
    pub const FINAL: VertexField = field("FINAL", 0, 0);
    /// The constant index adds the address register.
    pub const A0X: VertexField = field("A0X", 1, 1);
    /// The unit whose result the output takes: 0 MAC, 1 ILU.
    pub const OUT_MUX: VertexField = field("OUT_MUX", 2, 2);
    /// Output register, or constant.
    pub const OUT_ADDRESS: VertexField = field("OUT_ADDRESS", 10, 3);
    /// The output is an output register (1) or a constant (0).
    pub const OUT_ORB: VertexField = field("OUT_ORB", 11, 11);
    /// Write mask of the output: w in bit 0 … x in bit 3.
    pub const OUT_MASK: VertexField = field("OUT_MASK", 15, 12);
    /// Write mask of the ILU's temporary: w in bit 0 … x in bit 3.
    pub const ILU_MASK: VertexField = field("ILU_MASK", 19, 16);
    /// Temporary that is written.
    pub const OUT_R: VertexField = field("OUT_R", 23, 20);
    /// Write mask of the MAC's temporary: w in bit 0 … x in bit 3.
    pub const MAC_MASK: VertexField = field("MAC_MASK", 27, 24);
    /// Source C.
    pub const C: VertexField = field("C", 42, 28);
    /// Source B.
    pub const B: VertexField = field("B", 57, 43);
    /// Source A.
    pub const A: VertexField = field("A", 72, 58);
    /// Vertex attribute.
    pub const V: VertexField = field("V", 76, 73);
    /// Constant.
    pub const CONST: VertexField = field("CONST", 84, 77);
    /// Operation of the multiply–accumulate unit.
    pub const MAC: VertexField = field("MAC", 88, 85);
    /// Operation of the inverse logic unit.
    pub const ILU: VertexField = field("ILU", 91, 89);
    /// The bits that hold nothing.
    pub const UNUSED: VertexField = field("UNUSED", 127, 92);

    /// Register file within a source: 1 temporary, 2 input, 3 constant.
    pub const SOURCE_MUX: VertexField = field("mux", 1, 0);
    /// Temporary within a source.
    pub const SOURCE_TEMPORARY: VertexField = field("temporary", 5, 2);
    /// Swizzle within a source: w in bits 1:0 … x in bits 7:6.
    pub const SOURCE_SWIZZLE: VertexField = field("swizzle", 13, 6);
    /// Negation within a source, after the swizzle.
    pub const SOURCE_NEGATE: VertexField = field("negate", 14, 14);

    /// Fields that cover every bit once.
    pub const ALL: [VertexField; 17] = [
        Self::FINAL,
        Self::A0X,
        Self::OUT_MUX,
        Self::OUT_ADDRESS,
        Self::OUT_ORB,
        Self::OUT_MASK,
        Self::ILU_MASK,
        Self::OUT_R,
        Self::MAC_MASK,
        Self::C,
        Self::B,
        Self::A,
        Self::V,
        Self::CONST,
        Self::MAC,
        Self::ILU,
        Self::UNUSED,
    ];

    /// The fields of sources A, B, C.
    pub const SOURCES: [VertexField; 3] = [Self::A, Self::B, Self::C];
}

#[cfg(test)]
mod tests {
    use super::Nv20Field;
    use crate::isa::vertex_word::VertexWord;

    #[test]
    fn fields_of_an_assembled_instruction_are_in_their_documented_places() {
        // MAD R11.xyw, -R1.yzxw, R7.zxyw, R10, as nv2a_vsh_asm assembles it.
        let word = VertexWord::new([0, 0x0080_0163, 0x150e_e86e, 0x9db0_0ff8]);
        assert_eq!(word.get(Nv20Field::MAC), 4);
        assert_eq!(word.get(Nv20Field::ILU), 0);
        assert_eq!(word.get(Nv20Field::OUT_R), 11);
        assert_eq!(word.get(Nv20Field::MAC_MASK), 0b1101);
        let registers = Nv20Field::SOURCES.map(|field| Nv20Field::SOURCE_TEMPORARY.of(word.get(field)));
        assert_eq!(registers, [1, 7, 10]);
        let negations = Nv20Field::SOURCES.map(|field| Nv20Field::SOURCE_NEGATE.of(word.get(field)));
        assert_eq!(negations, [1, 0, 0]);
        let swizzles = Nv20Field::SOURCES.map(|field| Nv20Field::SOURCE_SWIZZLE.of(word.get(field)));
        assert_eq!(swizzles, [0b01_10_00_11, 0b10_00_01_11, 0b00_01_10_11]);
    }
}
