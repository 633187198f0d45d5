//! Programs of the NV20 vertex processor: random ones, state programs, and the registers that only they read and write.

use std::collections::HashSet;
use std::sync::Arc;

use curie::arith::vertex::VertexRuleSet;
use curie::isa::nv20_vertex::{
    IluOpcode, MacOpcode, Nv20Instruction, Nv20Microprogram, Nv20OutputRegister, Nv20OutputWrite, Nv20Source,
    VertexSourceKind,
};
use curie::isa::{NvMicrocode, NvVertexIsa, VertexMicrocode};
use curie::kernels::run_program::{run_state_program, run_vertex_program};
use curie::pipeline::VertexContext;
use curie::recompiler::vertex::{VertexFetch, VertexKernelKey, source};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program as reference;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::condition::{Swizzle, WriteMask};
use curie::shader::vertex::{AddressComponent, CONSTANT_SLOTS, Unit, VertexProgram, VertexRegister};

use super::random::{assert_valid, seeds};
use super::vertex::copying_program;
use crate::common;
use crate::common::microcode::{Generator, nv20_slots};

/// Constants of the store.
const CONSTANTS: usize = 192;
/// Vertices that each random program runs over.
const VERTICES: usize = 32;

fn context(constants: &[[u32; 4]]) -> VertexContext<'_> {
    VertexContext {
        constants,
        rules: VertexRuleSet::Nv40Legacy,
        booleans: 0,
        instruction_limit: 0xffff,
        indexed_constants: (0, 191),
    }
}

/// The generator for a seed; its state must not be 0.
fn generator(seed: u64) -> Generator {
    let mut generator = Generator((seed as u32).wrapping_mul(0x9e37_79b9) | 1);
    generator.next();
    generator
}

/// The kernel of a program, for the message of a failure.
fn kernel(program: &VertexProgram) -> String {
    source(&VertexKernelKey {
        program: program.clone(),
        rules: VertexRuleSet::Nv40Legacy,
        fetch: VertexFetch::Immediate,
        outputs: u16::MAX,
        output_map: None,
        has_runs: false,
    })
}

/// The outputs of a vertex on the reference.
fn expected(program: &VertexProgram, constants: &[[u32; 4]], inputs: &[[u32; 4]; 16]) -> Vec<[u32; 4]> {
    let context = context(constants);
    reference::run_vertex_program(program, &context, inputs, &NoVertexTextures, &Unobserved).outputs
}

#[test]
fn random_programs_give_the_same_bits() {
    let gpu = common::gpu();
    let mut distinct = HashSet::new();
    let seeds = seeds(70_000, 40);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let mut random = generator(seed);
        let slots = nv20_slots(&mut random, false);
        assert!(distinct.insert(slots.clone()), "seed {seed} repeats a program");
        let microcode = VertexMicrocode::Nv(NvMicrocode { isa: NvVertexIsa::Nv20, slots: Arc::new(slots), start: 0 });
        let program = microcode.decode().unwrap();
        let text = microcode.disassemble().unwrap();
        let Some(gpu) = &gpu else {
            assert_valid(&kernel(&program));
            continue;
        };
        let constants: Vec<_> = (0..CONSTANTS).map(|_| random.vector()).collect();
        let inputs: Vec<_> = (0..VERTICES).map(|_| std::array::from_fn(|_| random.vector())).collect();
        let results = run_vertex_program(gpu, &program, &context(&constants), &inputs).unwrap();
        for (input, result) in inputs.iter().zip(&results) {
            let expected = expected(&program, &constants, input);
            assert_eq!(result.outputs, expected, "seed {seed}\n{text}\ninputs {input:x?}\n{}", kernel(&program));
        }
    }
    assert_eq!(distinct.len() as u64, count);
}

#[test]
fn random_state_programs_leave_the_same_constants() {
    let gpu = common::gpu();
    let mut changed = 0;
    let seeds = seeds(90_000, 12);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let mut random = generator(seed);
        let microprogram = Nv20Microprogram::decode(&nv20_slots(&mut random, true), 0).unwrap();
        let program = microprogram.lower();
        assert_valid(&kernel(&program));
        let constants: Vec<_> = (0..CONSTANTS).map(|_| random.vector()).collect();
        let inputs = std::array::from_fn(|_| random.vector());
        let expected = reference::run_state_program(&program, &context(&constants), &inputs);
        changed += u64::from(expected[..CONSTANTS] != constants);
        let Some(gpu) = &gpu else { continue };
        let found = run_state_program(gpu, &program, &context(&constants), &inputs).unwrap();
        assert!(found == expected, "seed {seed}\n{microprogram}\n{}", kernel(&program));
    }
    assert!(changed * 2 > count, "{changed} of {count} programs write a constant");
}

/// An operation of the MAC on these sources, which writes all of an output.
fn mac(opcode: MacOpcode, kinds: [VertexSourceKind; 3], register: Nv20OutputRegister) -> Nv20Instruction {
    let read = |kind| Nv20Source { kind, swizzle: Swizzle::IDENTITY, negate: false };
    Nv20Instruction {
        mac: opcode,
        sources: kinds.map(read),
        output: Some(Nv20OutputWrite { register, unit: Unit::Vector, mask: WriteMask::ALL }),
        ..Nv20Instruction::NOP
    }
}

/// Numbers the slots and ends the program.
fn program(mut instructions: Vec<Nv20Instruction>) -> Nv20Microprogram {
    for (slot, instruction) in (0u16..).zip(&mut instructions) {
        instruction.slot = slot;
    }
    instructions.last_mut().unwrap().is_last = true;
    let words: Vec<_> = instructions.iter().map(Nv20Instruction::encode).collect();
    Nv20Microprogram::decode(&words, 0).unwrap()
}

const fn bits(value: f32) -> u32 {
    value.to_bits()
}

#[test]
fn a_pair_reads_before_it_writes_and_the_position_is_read_back() {
    let Some(gpu) = common::gpu() else { return };
    // MUL {oPos, R1}, v1, c[5] + RCP R1.w, v1.x
    let mut pair = mac(MacOpcode::Mul, [VertexSourceKind::Input; 3], Nv20OutputRegister::Output(0));
    pair.sources[1].kind = VertexSourceKind::Constant;
    (pair.input_index, pair.constant_index) = (1, 5);
    (pair.temporary, pair.mac_mask) = (1, WriteMask::ALL);
    (pair.ilu, pair.ilu_mask) = (IluOpcode::Rcp, WriteMask(8));
    // MOV oT0, R1; ADD oPos.x, R12, R12; MOV oT1, R12
    let temporary = mac(MacOpcode::Mov, [VertexSourceKind::Temporary(1); 3], Nv20OutputRegister::Output(9));
    let mut twice = mac(MacOpcode::Add, [VertexSourceKind::Temporary(12); 3], Nv20OutputRegister::Output(0));
    twice.output.as_mut().unwrap().mask = WriteMask(1);
    let position = mac(MacOpcode::Mov, [VertexSourceKind::Temporary(12); 3], Nv20OutputRegister::Output(10));
    let program = program(vec![pair, temporary, twice, position]).lower();
    let mut constants = vec![[0; 4]; CONSTANTS];
    constants[5] = [2.0, -4.0, 0.5, 8.0].map(bits);
    let inputs = [[[bits(4.0), 0x7f00_0000, bits(f32::INFINITY), 1]; 16]];
    let [result] = run_vertex_program(&gpu, &program, &context(&constants), &inputs).unwrap().try_into().unwrap();
    // y overflows to the largest finite number, infinity stays, and the denormal is zero.
    let product = [bits(8.0), 0xff7f_ffff, bits(f32::INFINITY), 0];
    assert_eq!(result.outputs[9], [product[0], product[1], product[2], bits(0.25)], "the ILU wins w of R1");
    assert_eq!(result.outputs[0], [bits(16.0), product[1], product[2], product[3]]);
    assert_eq!(result.outputs[10], result.outputs[0]);
    assert_eq!(result.outputs, expected(&program, &constants, &inputs[0]));
}

#[test]
fn a_written_constant_is_read_by_number_and_by_address() {
    let Some(gpu) = common::gpu() else { return };
    // MUL c[7].xy, v0, c[7]; ARL A0, v0.x; ADD c[8], c[A0+3], c[A0+3]; MOV c[9], c[7]
    let mut write = mac(
        MacOpcode::Mul,
        [VertexSourceKind::Input, VertexSourceKind::Constant, VertexSourceKind::Input],
        constant(7),
    );
    write.constant_index = 7;
    write.output.as_mut().unwrap().mask = WriteMask(3);
    let mut address = mac(MacOpcode::Arl, [VertexSourceKind::Input; 3], constant(0));
    address.output = None;
    let mut relative = mac(MacOpcode::Add, [VertexSourceKind::Constant; 3], constant(8));
    (relative.constant_index, relative.is_constant_indexed) = (3, true);
    let mut copy = mac(MacOpcode::Mov, [VertexSourceKind::Constant; 3], constant(9));
    copy.constant_index = 7;
    let microprogram = program(vec![write, address, relative, copy]);
    assert!(microprogram.lower_for_draws().is_err());
    let program = microprogram.lower();
    let mut constants = vec![[0; 4]; CONSTANTS];
    constants[7] = [1.0, 2.0, 3.0, 4.0].map(bits);
    let inputs = std::array::from_fn(|_| [4.5, 10.0, 100.0, 1000.0].map(bits));
    let expected = reference::run_state_program(&program, &context(&constants), &inputs);
    assert_eq!(expected.len(), CONSTANT_SLOTS);
    assert_eq!(expected[7], [4.5, 20.0, 3.0, 4.0].map(bits));
    assert_eq!(expected[8], [9.0, 40.0, 6.0, 8.0].map(bits), "c[4 + 3]");
    assert_eq!(expected[9], expected[7]);
    let found = run_state_program(&gpu, &program, &context(&constants), &inputs).unwrap();
    assert_eq!(found, expected);
}

const fn constant(index: u8) -> Nv20OutputRegister {
    Nv20OutputRegister::Constant(index)
}

#[test]
fn outputs_are_read_back_after_indexed_writes() {
    let Some(gpu) = common::gpu() else { return };
    // No instruction set has both; o[A0.x+1] = v1, then o[3] = o[1].
    let mut program = copying_program().lower();
    program.bundles.drain(..1);
    program.bundles.truncate(2);
    program.start = program.bundles[0].slot;
    let [first, second] = program.bundles.as_mut_slice() else { panic!("two are left") };
    first.output.as_mut().unwrap().relative = Some(AddressComponent { register: 0, component: 0 });
    second.vector.sources[0].register = VertexRegister::Output(1);
    second.output.as_mut().unwrap().index = 3;
    second.is_last = true;
    let inputs = [std::array::from_fn(|index| [index as u32 + 1; 4])];
    let [result] = run_vertex_program(&gpu, &program, &context(&[]), &inputs).unwrap().try_into().unwrap();
    assert_eq!(result.outputs[1..4], [[2; 4], [0, 0, 0, bits(1.0)], [2; 4]]);
    assert_eq!(result.outputs, expected(&program, &[], &inputs[0]));
}

#[test]
fn a_changed_program_is_noticed() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = generator(3);
    let mut copy = mac(MacOpcode::Mov, [VertexSourceKind::Input; 3], Nv20OutputRegister::Output(3));
    let original = program(vec![copy]).lower();
    copy.sources[0].negate = true;
    let changed = program(vec![copy]).lower();
    let inputs = [std::array::from_fn(|_| random.vector())];
    let results = run_vertex_program(&gpu, &original, &context(&[]), &inputs).unwrap();
    assert_eq!(results[0].outputs, expected(&original, &[], &inputs[0]));
    assert_ne!(results[0].outputs, expected(&changed, &[], &inputs[0]));
}
