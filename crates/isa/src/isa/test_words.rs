//! Builds instruction words for tests, field by field.

use super::nv40_fragment::{FragmentField as Field, FragmentOpcode, FragmentWord};
use super::nv40_vertex::{VertexField, VertexWord};

/// A source operand of a fragment instruction: its bits 17:0.
#[derive(Debug, Clone, Copy)]
pub struct Source(pub u32);

/// Swizzle bits of the identity.
const IN_PLACE: u32 = 0b11_10_01_00;

/// R(n).
pub const fn full(register: u32) -> Source {
    Source(register << 2 | IN_PLACE << 9)
}

/// H(n).
pub const fn half(register: u32) -> Source {
    Source(register << 2 | 1 << 8 | IN_PLACE << 9)
}

/// The instruction's input.
pub const INPUT: Source = Source(1 | IN_PLACE << 9);
/// The instruction's constant.
pub const CONSTANT: Source = Source(2 | IN_PLACE << 9);

impl Source {
    /// The source with every component reading this one.
    pub const fn splat(self, component: u32) -> Self {
        Self(self.0 & !(0xff << 9) | (component * 0b01_01_01_01) << 9)
    }

    /// The negated source.
    pub const fn negated(self) -> Self {
        Self(self.0 | 1 << 17)
    }
}

/// A fragment instruction that writes all of R(destination), unconditionally.
pub fn fragment(opcode: FragmentOpcode, destination: u32, sources: &[Source]) -> FragmentWord {
    let code = u32::from(opcode.code());
    let mut words = [0, full(0).0, full(0).0, full(0).0];
    for (word, source) in words[1..].iter_mut().zip(sources) {
        *word = source.0;
    }
    FragmentWord(words)
        .with(Field::OPCODE, code)
        .with(Field::FLOW, code >> 6)
        .with(Field::DESTINATION, destination)
        .with(Field::WRITE_MASK, 15)
        .with(Field::CONDITION, 7)
        .with(Field::CONDITION_SWIZZLE, IN_PLACE)
}

/// A flow instruction that every fragment executes, with raw words 2 and 3.
pub fn flow(opcode: FragmentOpcode, second: u32, third: u32) -> FragmentWord {
    let mut word = fragment(opcode, 0, &[]).with(Field::NO_DESTINATION, 1);
    word.0[2] = second | 1 << 31;
    word.0[3] = third;
    word
}

/// The words of a fragment program whose last instruction ends it.
pub fn ended(mut program: Vec<FragmentWord>) -> Vec<u32> {
    if let Some(last) = program.last_mut() {
        *last = last.with(Field::END, 1);
    }
    words(&program)
}

/// The words of instructions.
pub fn words(program: &[FragmentWord]) -> Vec<u32> {
    program.iter().flat_map(|word| word.0).collect()
}

/// A vertex instruction that does nothing.
pub const VERTEX_NOP: VertexWord = VertexWord::new([0x001f_9c6c, 0x0000_000d, 0x8106_c083, 0x6041_fffc]);

/// Mesa's blit program for NV40: `MOV o[0], v[0]; MOV o[7], v[8]; END`.
pub const BLIT: [[u32; 4]; 2] =
    [[0x401f_9c6c, 0x0040_000d, 0x8106_c083, 0x6041_ff80], [0x401f_9c6c, 0x0040_080d, 0x8106_c083, 0x6041_ff9d]];

/// A source operand of a vertex instruction: type 1 temporary, 2 input, 3 constant.
pub const fn vertex_source(kind: u32, temporary: u32, swizzle: [u32; 4]) -> u32 {
    let [x, y, z, w] = swizzle;
    kind | temporary << 2 | x << 14 | y << 12 | z << 10 | w << 8
}

/// A vertex instruction with a target.
pub const fn vertex_branch(opcode: u32, target: u32) -> VertexWord {
    VERTEX_NOP
        .with(VertexField::OP_SCA, opcode)
        .with(VertexField::TARGET_LOW, target)
        .with(VertexField::TARGET_MIDDLE, target >> 3)
        .with(VertexField::TARGET_HIGH, target >> 9)
}

/// A generator of random bits for tests: xorshift64 from a seed other than 0.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        (self.word() >> 32) as u32
    }

    /// The next 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
