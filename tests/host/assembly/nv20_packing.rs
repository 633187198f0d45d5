//! Operations that are packed into instructions of the NV20 compute what they do one after another.

use curie::asm::vertex::nv20::operation::{Opcode, Operation, Register, Source, Target};
use curie::asm::vertex::nv20::{emit, in_order, pack};
use curie::isa::NvVertexIsa;
use curie::isa::nv20_vertex::{IluOpcode, MacOpcode, Nv20Microprogram, Nv20OutputRegister};
use curie::pipeline::VertexContext;
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program::{run_state_program, run_vertex_program};
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::condition::{Swizzle, WriteMask};

/// A generator of 32-bit numbers.
struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        ((u64::from(self.0) * u64::from(limit)) >> 32).try_into().unwrap_or(0)
    }

    fn byte(&mut self, limit: u32) -> u8 {
        self.below(limit).to_le_bytes()[0]
    }
}

/// A random operation that an instruction of its own can hold.
fn operation(random: &mut Random, temporaries: u32) -> Operation {
    let opcode = match random.below(8) {
        0..4 => Opcode::Mac(MacOpcode::ALL[2 + random.below(12) as usize]),
        4..7 => Opcode::Ilu(IluOpcode::ALL[2 + random.below(6) as usize]),
        _ => Opcode::Move,
    };
    let (attribute, constant) = (random.byte(2), random.byte(3));
    let is_indexed = random.below(4) == 0;
    let count = match opcode {
        Opcode::Mac(opcode) => opcode.row().operands.len(),
        Opcode::Ilu(_) | Opcode::Move => 1,
    };
    let is_scalar = match opcode {
        Opcode::Mac(opcode) => opcode == MacOpcode::Arl,
        Opcode::Ilu(opcode) => opcode.reads_scalar(),
        Opcode::Move => false,
    };
    let sources = (0..count).map(|_| {
        let register = match random.below(4) {
            0 => Register::Attribute(attribute),
            1 => Register::Constant { index: 100 + constant, is_indexed },
            _ => Register::Temporary(random.below(temporaries)),
        };
        let swizzle = [random.byte(4), random.byte(4), random.byte(4), random.byte(4)];
        let swizzle = Swizzle(if is_scalar { [swizzle[0]; 4] } else { swizzle });
        Source { register, swizzle, absolute: false, negate: random.below(3) == 0 }
    });
    let sources = sources.collect();
    let target = match random.below(8) {
        _ if opcode == Opcode::Mac(MacOpcode::Arl) => Target::Address,
        0 => Target::Output(Nv20OutputRegister::Output(3 + random.byte(2))),
        1 => Target::Output(Nv20OutputRegister::Constant(100 + random.byte(3))),
        _ => Target::Temporary(random.below(temporaries)),
    };
    let mask = WriteMask(1 + random.byte(15));
    Operation { opcode, target, mask: if target == Target::Address { WriteMask(1) } else { mask }, sources }
}

/// The outputs and constants that a program leaves.
fn outcome(words: &[[u32; 4]], random: &mut Random) -> (Vec<[u32; 4]>, Vec<[u32; 4]>) {
    let program = match Nv20Microprogram::decode(words, 0) {
        Ok(program) => program.lower(),
        Err(error) => panic!("{error}"),
    };
    let mut vector = || [(); 4].map(|()| (f32::from(random.byte(200)) * 0.125 - 12.0).to_bits());
    let constants: Vec<[u32; 4]> = (0..192).map(|_| vector()).collect();
    let inputs = [(); 16].map(|()| vector());
    let context = VertexContext {
        constants: &constants,
        rules: NvVertexIsa::Nv20.rules(),
        booleans: 0,
        instruction_limit: 0xffff,
        indexed_constants: (0, 191),
    };
    let outputs = run_vertex_program(&program, &context, &inputs, &NoVertexTextures, &Unobserved).outputs;
    (outputs.to_vec(), run_state_program(&program, &context, &inputs))
}

#[test]
fn packed_programs_compute_what_the_plain_ones_do() {
    let mut random = Random(0x1234_5679);
    let (mut plain_length, mut packed_length, mut different) = (0, 0, 0);
    for round in 0..1500u32 {
        let temporaries = [2, 4, 12][round as usize % 3];
        // The last operations show the temporaries.
        let mut operations: Vec<Operation> =
            (0..1 + random.below(30)).map(|_| operation(&mut random, temporaries)).collect();
        operations.extend((0..temporaries.min(3)).map(|number| Operation {
            opcode: Opcode::Move,
            target: Target::Output(Nv20OutputRegister::Output(9 + number.to_le_bytes()[0])),
            mask: WriteMask::ALL,
            sources: vec![Source::new(Register::Temporary(number))],
        }));
        let plain = emit(&operations, &in_order(&operations));
        let (packed, slots) = pack(operations.clone());
        let packed = emit(&packed, &slots);
        assert!(packed.len() <= plain.len());
        (plain_length, packed_length) = (plain_length + plain.len(), packed_length + packed.len());
        let [expected, found] = [&plain, &packed].map(|words| outcome(words, &mut Random(round + 1)));
        assert_eq!(found, expected, "{operations:#?}");
        // A planted difference: the program without its first operation.
        let other = emit(&operations, &in_order(&operations)[1..]);
        different += u32::from(outcome(&other, &mut Random(round + 1)) != expected);
    }
    assert!(packed_length * 10 < plain_length * 9, "{packed_length} instructions instead of {plain_length}");
    assert!(different > 300, "only {different} differences were found");
}
