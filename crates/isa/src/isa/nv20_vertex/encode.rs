//! Encodes a typed NV20 vertex instruction as its 128-bit word, the inverse of decoding.
//!
//! Unused fields hold what `abaire/nv2a_vsh_asm` writes there: unread sources are unswizzled input operands, the
//! temporary is R7 and the output register 255.

use super::{Nv20Field, Nv20Instruction, Nv20OutputRegister, Nv20Source};
use crate::isa::Operand;
use crate::isa::vertex_word::VertexWord;
use crate::isa::x_high;
use crate::shader::vertex::Unit;

/// The instruction that does nothing, with default values in every field.
pub const AT_REST: VertexWord = VertexWord::new([0, 0x0000_001b, 0x0836_106c, 0x2070_0ff8]);

impl Nv20Instruction {
    /// The words of this instruction, which is taken as [`canonical`](Self::canonical).
    #[must_use]
    pub fn encode(&self) -> [u32; 4] {
        let instruction = self.canonical();
        let mut word = AT_REST
            .with(Nv20Field::MAC, u32::from(instruction.mac.code()))
            .with(Nv20Field::ILU, u32::from(instruction.ilu.code()))
            .with(Nv20Field::V, u32::from(instruction.input_index))
            .with(Nv20Field::CONST, u32::from(instruction.constant_index))
            .with(Nv20Field::A0X, u32::from(instruction.is_constant_indexed))
            .with(Nv20Field::OUT_R, u32::from(instruction.temporary))
            .with(Nv20Field::MAC_MASK, x_high::mask_bits(instruction.mac_mask))
            .with(Nv20Field::ILU_MASK, x_high::mask_bits(instruction.ilu_mask))
            .with(Nv20Field::FINAL, u32::from(instruction.is_last));
        for ((source, field), operand) in instruction.sources.into_iter().zip(Nv20Field::SOURCES).zip(Operand::ALL) {
            if instruction.reads(operand) {
                word = word.with(field, source_bits(source));
            }
        }
        if let Some(output) = instruction.output {
            let (kind, address) = match output.register {
                Nv20OutputRegister::Output(index) => (1, index),
                Nv20OutputRegister::Constant(index) => (0, index),
            };
            word = word
                .with(Nv20Field::OUT_ORB, kind)
                .with(Nv20Field::OUT_ADDRESS, u32::from(address))
                .with(Nv20Field::OUT_MUX, u32::from(output.unit == Unit::Scalar))
                .with(Nv20Field::OUT_MASK, x_high::mask_bits(output.mask));
        }
        word.words()
    }
}

fn source_bits(source: Nv20Source) -> u32 {
    // Temporaries have four bits.
    source.kind.bits() & 0x3f | x_high::swizzle_bits(source.swizzle) << 6 | u32::from(source.negate) << 14
}

#[cfg(test)]
mod tests {
    use super::AT_REST;
    use crate::isa::nv20_vertex::decode::decode_instruction;
    use crate::isa::nv20_vertex::{IluOpcode, MacOpcode, Nv20Field, Nv20Instruction};
    use crate::isa::test_words::Random;
    use crate::isa::vertex_word::VertexWord;

    /// Instructions as the tests of `abaire/nv2a_vsh_asm` expect them of its assembler.
    const ASSEMBLED: &[[u32; 4]] = &[
        // MOV oT0.xy, v0.zw
        [0, 0x0020_00bf, 0x0836_106c, 0x2070_c848],
        // DPH oT0.x, v4, c[15]
        [0, 0x00c1_e81b, 0x0836_186c, 0x2070_8848],
        // ADD R6.xyz, c[17], -R10
        [0, 0x0062_201b, 0x0c36_146e, 0x9e60_0ff8],
        // MAD R11.xyw, -R1.yzxw, R7.zxyw, R10
        [0, 0x0080_0163, 0x150e_e86e, 0x9db0_0ff8],
        // DP3 R7.z, R0, -c[23]
        [0, 0x00a2_e01b, 0x0636_186c, 0x2270_0ff8],
        // MUL R3.xyzw, v6.x, c[A0+60]
        [0, 0x0047_8c00, 0x0836_186c, 0x2f30_0ffa],
        // DPH c[15].xy, v4, c[10]
        [0, 0x00c1_481b, 0x0836_186c, 0x2070_c078],
        // MUL R2.xyzw, R1, c[0] + MOV oD1.xyzw, v4
        [0, 0x0240_081b, 0x1436_186c, 0x2f20_f824],
        // ARL A0, R0.x
        [0, 0x01a0_0000, 0x0436_106c, 0x2070_0ff8],
        // RCP oFog.xyzw, v0.w
        [0, 0x0400_001b, 0x0836_13fc, 0x2070_f82c],
        // MUL oPos.xyz, R12.xyz, c[58].xyz
        [0, 0x0047_401a, 0xc434_186c, 0x2070_e800],
        // DP4 oPos.z and R0.x, R6, c[98]
        [0, 0x00ec_401b, 0x6436_186c, 0x2800_2800],
        // DP4 oPos.x, R6, c[96] + RSQ R1.x, R2.x
        [0, 0x08ec_001b, 0x6436_1800, 0x9018_8800],
        // MOV oD0.xyzw, v3 + RCP R1.w, R1.w
        [0, 0x0420_061b, 0x0836_13fc, 0x5011_f818],
    ];

    #[test]
    fn instructions_are_encoded_as_an_independent_assembler_does() {
        for words in ASSEMBLED {
            let instruction = decode_instruction(0, VertexWord::new(*words)).unwrap();
            assert_eq!(instruction.encode(), *words, "{instruction:?}");
        }
        assert_eq!(Nv20Instruction::NOP.encode(), AT_REST.words());
    }

    /// Decodes, and checks that encoding and decoding are inverse; whether the word is an instruction.
    fn comes_back(word: VertexWord) -> bool {
        let Ok(instruction) = decode_instruction(0, word) else { return false };
        assert_eq!(instruction.canonical(), instruction);
        let words = instruction.encode();
        let again = decode_instruction(0, VertexWord::new(words)).unwrap();
        assert_eq!(again, instruction, "{:08x?}", word.words());
        assert_eq!(again.encode(), words, "{:08x?}", word.words());
        true
    }

    #[test]
    fn random_words_come_back_or_are_errors() {
        let mut random = Random(0x4000_0020);
        let count = (0..200_000).filter(|_| comes_back(VertexWord::new([(); 4].map(|()| random.bits())))).count();
        assert!((100..100_000).contains(&count), "{count} of 200,000 random words are instructions");
    }

    #[test]
    fn every_pair_of_opcodes_comes_back() {
        let mut random = Random(0x4000_0020);
        for mac in MacOpcode::ALL {
            for ilu in IluOpcode::ALL {
                for _ in 0..200 {
                    let mut word = VertexWord::new([(); 4].map(|()| random.bits()))
                        .with(Nv20Field::MAC, u32::from(mac.code()))
                        .with(Nv20Field::ILU, u32::from(ilu.code()))
                        .with(Nv20Field::CONST, random.bits() % 192)
                        .with(Nv20Field::OUT_R, random.bits() % 12)
                        .with(Nv20Field::OUT_ADDRESS, 3 + random.bits() % 10);
                    for field in Nv20Field::SOURCES {
                        word = word
                            .with(field, word.get(field) & !0x3f | (random.bits() % 13) << 2 | (1 + random.bits() % 3));
                    }
                    if *mac == MacOpcode::Arl {
                        word = word.with(Nv20Field::OUT_MUX, 1);
                    }
                    assert!(comes_back(word), "{:?}", decode_instruction(0, word));
                    let instruction = decode_instruction(0, word).unwrap();
                    assert_eq!((instruction.mac, instruction.ilu), (*mac, *ilu));
                }
            }
        }
    }
}
