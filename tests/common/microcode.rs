//! Generates microcode that is likely to decode, from a fixed seed.

use curie::isa::nv20_vertex::Nv20Field;
use curie::isa::nv40_fragment::{FragmentField, FragmentOpcode, FragmentWord};
use curie::isa::nv40_vertex::{VertexField, VertexWord};

/// Marsaglia's xorshift of 32 bits.
pub(crate) struct Generator(pub(crate) u32);

impl Generator {
    pub(crate) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }

    /// Random float bits, with values that arithmetic treats specially over-represented.
    pub(crate) fn float(&mut self) -> u32 {
        const CORNERS: [u32; 12] = [
            0,
            0x8000_0000,
            1,
            0x007f_ffff,
            0x0080_0000,
            0x3f80_0000,
            0xbf80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0xff80_0000,
            0x7fff_ffff,
            0x4f00_0000,
        ];
        if self.below(2) == 0 { CORNERS[self.below(12) as usize] } else { self.next() }
    }

    pub(crate) fn vector(&mut self) -> [u32; 4] {
        [self.float(), self.float(), self.float(), self.float()]
    }
}

/// Random words that are likely to decode: known opcodes, source types, and targets inside the program.
pub(crate) fn vertex_slots(random: &mut Generator) -> Vec<[u32; 4]> {
    let count = 1 + random.below(24);
    let slots = (0..count).map(|slot| {
        let words = [random.next(), random.next(), random.next(), random.next()];
        // Branches to addresses (8) make every slot a block, which is expensive for a device compiler.
        let scalar = match random.below(48) {
            0 => 8,
            1..16 => 9 + random.below(12),
            _ => random.below(8),
        };
        let mut word = VertexWord::new(words)
            .with(VertexField::OP_VEC, random.below(0x1a))
            .with(VertexField::OP_SCA, scalar)
            .with(VertexField::END, u32::from(slot + 1 == count || random.below(16) == 0));
        for field in [VertexField::SRC0, VertexField::SRC1] {
            word = word.with(field, word.get(field) & !3 | (1 + random.below(3)));
        }
        let source = word.get(VertexField::SRC2) & !3 | (1 + random.below(3));
        let target = random.below(count);
        word.with(VertexField::SRC2, source)
            .with(VertexField::TARGET_LOW, target)
            .with(VertexField::TARGET_MIDDLE, target >> 3)
            .with(VertexField::TARGET_HIGH, target >> 9)
            .words()
    });
    slots.collect()
}

/// Random words of NV20 that decode: known opcodes, registers that exist, and the end at the last slot. Constants are
/// written if `writes_constants`.
pub(crate) fn nv20_slots(random: &mut Generator, writes_constants: bool) -> Vec<[u32; 4]> {
    const OUTPUTS: [u32; 11] = [0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let count = 1 + random.below(24);
    let slots = (0..count).map(|slot| {
        let mut word = VertexWord::new([random.next(), random.next(), random.next(), random.next()]);
        // ARL has no result for an output.
        let mac = random.below(14);
        let out_mux = if mac == 13 { 1 } else { random.below(2) };
        for field in Nv20Field::SOURCES {
            // Few temporaries, so that one instruction reads what another wrote.
            let temporary = if random.below(6) == 0 { 12 } else { random.below(5) };
            word = word.with(field, word.get(field) & !0x3f | temporary << 2 | (1 + random.below(3)));
            if random.below(2) == 0 {
                word = word.with(field, word.get(field) & !(0xff << 6) | 0b00_01_10_11 << 6);
            }
        }
        let is_constant = writes_constants && random.below(2) == 0;
        let output = if is_constant { random.below(192) } else { OUTPUTS[random.below(11) as usize] };
        word.with(Nv20Field::MAC, mac)
            .with(Nv20Field::OUT_MUX, out_mux)
            .with(Nv20Field::OUT_R, random.below(5))
            .with(Nv20Field::OUT_ORB, u32::from(!is_constant))
            .with(Nv20Field::OUT_ADDRESS, output)
            .with(Nv20Field::CONST, random.below(192))
            .with(Nv20Field::FINAL, u32::from(slot + 1 == count))
            .words()
    });
    slots.collect()
}

/// Appends a block of up to `length` random instructions with nested flow; `depth` bounds IF, `loops` LOOP and REP.
pub(crate) fn fragment_block(random: &mut Generator, words: &mut Vec<u32>, length: u32, depth: u32, loops: u32) {
    for _ in 0..=random.below(length) {
        let start = words.len();
        let raw = FragmentWord([random.next(), random.next(), random.next(), random.next()]);
        let raw = raw.with(FragmentField::END, 0);
        match random.below(8) {
            0 if depth > 0 => {
                let word = raw.with(FragmentField::OPCODE, 2).with(FragmentField::NO_DESTINATION, 1);
                words.extend(word.0);
                fragment_block(random, words, length, depth - 1, loops);
                words[start + 2] = 1 << 31 | offset_of_end(words);
                if random.below(2) == 0 {
                    fragment_block(random, words, length, depth - 1, loops);
                }
                words[start + 3] = offset_of_end(words);
            }
            1 if loops > 0 => {
                words.extend(raw.with(FragmentField::OPCODE, 3 + random.below(2)).0);
                words[start + 2] = 1 << 31 | (random.next() & 0x07ff_fffc);
                fragment_block(random, words, length, depth.min(1), loops - 1);
                words[start + 3] = offset_of_end(words);
            }
            2 if loops < 3 => words.extend(flow(raw, FragmentOpcode::Brk).0),
            3 if random.below(4) == 0 => words.extend(flow(raw, FragmentOpcode::Ret).0),
            _ => {
                let mut word = operation(random, raw);
                if random.below(3) > 0 {
                    word = word.with(FragmentField::CONDITION, 7);
                }
                words.extend(word.0);
                if word.has_constant() {
                    words.extend(random.vector());
                }
            }
        }
    }
}

fn offset_of_end(words: &[u32]) -> u32 {
    u32::try_from(words.len()).expect("generated programs are short")
}

fn flow(raw: FragmentWord, opcode: FragmentOpcode) -> FragmentWord {
    let mut word = raw.with(FragmentField::OPCODE, u32::from(opcode.code()));
    word.0[2] = 1 << 31;
    word
}

/// A random non-flow instruction with existing registers and sources.
fn operation(random: &mut Generator, raw: FragmentWord) -> FragmentWord {
    let settled: Vec<FragmentOpcode> =
        FragmentOpcode::ALL.iter().copied().filter(|opcode| opcode.code() < 0x40).collect();
    let opcode =
        settled[random.below(u32::from(u8::try_from(settled.len()).expect("opcodes have seven bits"))) as usize];
    let mut word = raw
        .with(FragmentField::OPCODE, u32::from(opcode.code()))
        .with(FragmentField::FLOW, 0)
        .with(FragmentField::DESTINATION, random.below(12))
        .with(FragmentField::INPUT, random.below(15));
    for source in 0..3 {
        word = word
            .with(FragmentField::source_type(source), random.below(3))
            .with(FragmentField::source_register(source), random.below(12));
    }
    word
}
