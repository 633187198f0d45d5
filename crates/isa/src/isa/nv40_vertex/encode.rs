//! Encodes a typed vertex instruction as its 128-bit word, the inverse of decoding.
//!
//! Unused fields hold what Mesa writes there: unread sources are unswizzled input operands, absent destinations
//! and outputs are all ones, the condition is always true, masks are empty.

use super::{
    Effect, FlowKind, ScalarOpcode, VectorOpcode, VertexField, VertexInstruction, VertexSource, VertexSourceKind,
    VertexWord,
};
use crate::isa::{Operand, x_high};
use crate::shader::vertex::Unit;

/// The instruction that does nothing, with default values in every field.
pub const AT_REST: VertexWord = VertexWord::new([0x001f_9c6c, 0x0000_000d, 0x8106_c083, 0x6040_1ffc]);

impl VertexInstruction {
    /// The word of this instruction.
    #[must_use]
    pub fn encode(&self) -> VertexWord {
        let mut word = AT_REST
            .with(VertexField::OP_VEC, u32::from(self.vector.code()))
            .with(VertexField::OP_SCA, u32::from(self.scalar.code()))
            .with(VertexField::SATURATE, u32::from(self.saturate))
            .with(VertexField::END, u32::from(self.is_last));
        word = self.with_sources(word);
        word = self.with_destinations(word);
        if let Some(test) = self.condition {
            word = word
                .with(VertexField::COND_TEST, 1)
                .with(VertexField::COND, test.relation as u32)
                .with(VertexField::COND_SWZ, x_high::swizzle_bits(test.swizzle))
                .with(VertexField::COND_SEL, u32::from(test.register));
        }
        if let Some(update) = self.condition_update {
            word = word
                .with(VertexField::COND_UPDATE, 1)
                .with(VertexField::COND_FROM_VEC, u32::from(update.unit == Some(Unit::Vector)))
                .with(VertexField::COND_SEL, u32::from(update.register));
        }
        if self.has_target() {
            let target = u32::from(self.branch.target);
            word = word
                .with(VertexField::TARGET_LOW, target)
                .with(VertexField::TARGET_MIDDLE, target >> 3)
                .with(VertexField::TARGET_HIGH, target >> 9);
        }
        if matches!(self.flow(), Some(FlowKind::BranchOnBoolean | FlowKind::CallOnBoolean)) {
            word = word
                .with(VertexField::BRANCH_BOOLEAN, u32::from(self.branch.boolean))
                .with(VertexField::BRANCH_POLARITY, u32::from(self.branch.polarity));
        }
        if self.vector.effect() == Effect::FetchTexture {
            word = word.with(VertexField::TEXTURE_UNIT, u32::from(self.texture_unit));
        }
        word
    }

    fn with_sources(&self, mut word: VertexWord) -> VertexWord {
        let fields = [
            (Operand::S0, VertexField::SRC0, VertexField::ABS0),
            (Operand::S1, VertexField::SRC1, VertexField::ABS1),
            (Operand::S2, VertexField::SRC2, VertexField::ABS2),
        ];
        let (mut reads_input, mut reads_constant) = (false, false);
        for ((operand, field, absolute), source) in fields.into_iter().zip(self.sources) {
            if self.reads(operand) {
                word = word.with(field, source_bits(source)).with(absolute, u32::from(source.absolute));
                reads_input |= source.kind == VertexSourceKind::Input;
                reads_constant |= source.kind == VertexSourceKind::Constant;
            }
        }
        if reads_input {
            word = word
                .with(VertexField::INPUT_ADDR, u32::from(self.input_index))
                .with(VertexField::INPUT_INDEXED, u32::from(self.is_input_indexed));
        }
        if reads_constant {
            word = word
                .with(VertexField::CONST_ADDR, u32::from(self.constant_index))
                .with(VertexField::CONST_INDEXED, u32::from(self.is_constant_indexed));
        }
        let indexes_output = self.output.is_some_and(|output| output.is_indexed);
        let uses_component = reads_input && self.is_input_indexed
            || reads_constant && self.is_constant_indexed
            || indexes_output
            || self.flow() == Some(FlowKind::BranchToAddress);
        if uses_component || self.vector.effect() == Effect::AddAddress {
            word = word.with(VertexField::ADDR_SEL, u32::from(self.address.register));
        }
        if uses_component {
            word = word.with(VertexField::ADDR_SWZ, u32::from(self.address.component));
        }
        word
    }

    fn with_destinations(&self, mut word: VertexWord) -> VertexWord {
        if self.vector != VectorOpcode::Nop {
            word = word.with(VertexField::WM_VEC, x_high::mask_bits(self.vector_mask));
        }
        if let Some(register) = self.vector_destination {
            word = word.with(VertexField::DST_VEC, u32::from(register));
        }
        if self.scalar.has_result() {
            word = word.with(VertexField::WM_SCA, x_high::mask_bits(self.scalar_mask));
            if let Some(register) = self.scalar_destination {
                word = word.with(VertexField::DST_SCA, u32::from(register));
            }
        }
        if let Some(output) = self.output {
            word = word
                .with(VertexField::OUT_ADDR, u32::from(output.index))
                .with(VertexField::OUT_INDEXED, u32::from(output.is_indexed))
                .with(VertexField::OUT_FROM_VEC, u32::from(output.unit == Unit::Vector));
        }
        word
    }
}

impl ScalarOpcode {
    /// Whether the operation computes a value, as every operation that reads a source does.
    #[must_use]
    pub const fn has_result(self) -> bool {
        !self.row().operands.is_empty()
    }
}

fn source_bits(source: VertexSource) -> u32 {
    source.kind.bits() | x_high::swizzle_bits(source.swizzle) << 8 | u32::from(source.negate) << 16
}

#[cfg(test)]
mod tests {
    use super::AT_REST;
    use crate::isa::nv40_vertex::{VertexField, VertexMicroprogram, VertexWord};
    use crate::isa::test_words::{BLIT, VERTEX_NOP};

    #[test]
    fn the_blit_program_is_encoded_as_mesa_does() {
        let program = VertexMicroprogram::decode(&BLIT, 0).unwrap();
        let words: Vec<_> = program.instructions.iter().map(|instruction| instruction.encode().words()).collect();
        assert_eq!(words, BLIT);
        assert_eq!(AT_REST.with(VertexField::WM_VEC, 15), VERTEX_NOP);
    }

    #[test]
    fn fields_without_a_meaning_do_not_reach_the_word() {
        let word = VertexWord::new(BLIT[1])
            .with(VertexField::SRC1, 0x1_2345 & !3 | 2)
            .with(VertexField::COND, 3)
            .with(VertexField::WM_SCA, 5)
            .with(VertexField::CONST_ADDR, 77)
            .with(VertexField::ADDR_SEL, 1);
        let program = VertexMicroprogram::decode(&[word.words()], 0).unwrap();
        assert_eq!(program.instructions[0].encode().words(), BLIT[1]);
    }
}
