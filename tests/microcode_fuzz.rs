//! Words from a generator with a fixed seed as programs: nothing that decodes may panic or hang on the reference.
//!
//! The fuzz targets in `fuzz/` do the same with an unbounded supply.

use curie::isa::nv40_fragment::{FragmentField, FragmentOpcode, FragmentWord};
use curie::isa::nv40_vertex::{VertexField, VertexWord};
use curie::numeric::vertex::Rules;
use curie::program::fragment::FragmentProgram;
use curie::program::inputs::ElementInputs;
use curie::program::vertex::VertexProgram;
use curie::reference::run_fragment_program::{NoTextures, run_fragment_program};
use curie::reference::run_program::quad_inputs;
use curie::reference::run_vertex_program::{VertexContext, run_vertex_program};

/// Marsaglia's xorshift of 32 bits.
struct Generator(u32);

impl Generator {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }

    /// Bits of a float, with the values that arithmetic treats in their own way over-represented.
    fn float(&mut self) -> u32 {
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

    fn vector(&mut self) -> [u32; 4] {
        [self.float(), self.float(), self.float(), self.float()]
    }
}

/// Random words, made likely to decode: known opcodes, source types and targets inside of the program.
fn vertex_slots(random: &mut Generator) -> Vec<[u32; 4]> {
    let count = 1 + random.below(24);
    let slots = (0..count).map(|slot| {
        let words = [random.next(), random.next(), random.next(), random.next()];
        let scalar = if random.below(3) == 0 { 8 + random.below(13) } else { random.below(0x11) };
        let mut word = VertexWord::new(words)
            .with(VertexField::OP_VEC, random.below(0x19))
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

#[test]
fn random_vertex_programs_end() {
    let mut random = Generator(0x5eed_0001);
    let mut executed = 0;
    for round in 0..3000 {
        let slots = vertex_slots(&mut random);
        let Ok(program) = VertexProgram::decode(&slots, 0) else { continue };
        assert!(program.to_string().contains(';'), "round {round}");
        assert_eq!(
            program.blocks().iter().map(|block| block.instructions.len()).sum::<usize>(),
            program.instructions.len()
        );
        if program.unsupported().is_some() {
            continue;
        }
        let constants: Vec<[u32; 4]> = (0..544).map(|_| random.vector()).collect();
        let context = VertexContext {
            constants: &constants,
            rules: if round % 2 == 0 { Rules::Modern } else { Rules::Legacy },
            booleans: random.next(),
            instruction_limit: if round % 64 == 0 { 0xffff } else { random.below(2000) },
            indexed_constants: (0, 543),
        };
        let inputs = std::array::from_fn(|_| random.vector());
        let first = run_vertex_program(&program, &context, &inputs);
        assert_eq!(first, run_vertex_program(&program, &context, &inputs), "round {round} is not repeatable");
        executed += 1;
    }
    assert!(executed > 1000, "only {executed} programs were executed");
}

#[test]
fn random_words_are_decoded_or_refused() {
    let mut random = Generator(0x5eed_0002);
    for _ in 0..3000 {
        let slots: Vec<[u32; 4]> =
            (0..random.below(8)).map(|_| [random.next(), random.next(), random.next(), random.next()]).collect();
        let start = u16::try_from(random.below(9)).unwrap();
        if let Ok(program) = VertexProgram::decode(&slots, start) {
            assert!(!program.instructions.is_empty());
        }
        let words: Vec<u32> = slots.iter().flatten().copied().collect();
        if let Ok(program) = FragmentProgram::decode(&words) {
            assert!(program.words as usize <= words.len());
        }
    }
}

/// Appends a block of up to `length` random instructions with nested flow; `depth` bounds IF, `loops` LOOP and REP.
fn fragment_block(random: &mut Generator, words: &mut Vec<u32>, length: u32, depth: u32, loops: u32) {
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

/// A random instruction that is not flow, with registers and sources that exist.
fn operation(random: &mut Generator, raw: FragmentWord) -> FragmentWord {
    let settled: Vec<FragmentOpcode> = FragmentOpcode::ALL
        .iter()
        .copied()
        .filter(|opcode| opcode.code() < 0x40 && !matches!(opcode.code(), 0x33..=0x35 | 0x37))
        .collect();
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

#[test]
fn random_fragment_programs_end() {
    let mut random = Generator(0x5eed_0003);
    let mut executed = 0;
    for round in 0..3000 {
        let mut words = Vec::new();
        let loops = if round % 16 == 0 { 3 } else { 1 };
        fragment_block(&mut random, &mut words, 5, 3, loops);
        words.extend([1, 0x1c9c_0000, 0, 0]);
        let program = match FragmentProgram::decode(&words) {
            Ok(program) => program,
            Err(error) => {
                assert!(error.to_string().contains("BRK outside of a loop"), "round {round}: {error}");
                continue;
            }
        };
        assert!(program.to_string().ends_with("END\n"));
        let needed = FragmentProgram::words_needed(&mut |offset| words.get(offset as usize).copied().unwrap_or(0));
        assert_eq!(needed, Ok(program.words));
        let interpolants = std::array::from_fn(|_| random.vector());
        let element = ElementInputs { interpolants, ..ElementInputs::default() };
        let mut inputs = quad_inputs(&element);
        for lane in 0..4 {
            inputs.texture_coordinates[0][lane] = random.vector();
        }
        let full = run_fragment_program(&program, true, &inputs, &mut NoTextures).unwrap();
        assert_eq!(full.coverage & !inputs.coverage, 0);
        executed += 1;
    }
    assert!(executed > 1000, "only {executed} programs were executed");
}
