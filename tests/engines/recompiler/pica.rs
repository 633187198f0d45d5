//! Programs of the PICA200 on both engines: results of the chip's tests, and the same bits for random programs.

use curie::arith::ONE;
use curie::arith::pica::F24;
use curie::arith::vertex::VertexRuleSet;
use curie::asm::pica::{PicaOptions, assemble};
use curie::gpu::Gpu;
use curie::isa::pica_vertex::{
    FIRST_INTEGER, PicaArithmetic, PicaComparison, PicaCondition, PicaDestination, PicaIndex, PicaInstruction,
    PicaOpcode, PicaRegister, PicaShader, PicaSource, PicaTest,
};
use curie::kernels::run_program::run_vertex_program;
use curie::pipeline::{ShadedVertex, VertexContext};
use curie::reference::observer::Unobserved;
use curie::reference::vertex::run_vertex_program as reference;
use curie::reference::vertex::sample_vertex_texture::NoVertexTextures;
use curie::shader::condition::{Swizzle, WriteMask};
use curie::shader::vertex::VertexProgram;

use super::random::Random;
use crate::common;

pub(super) type Inputs = [[u32; 4]; 16];

pub(super) fn context(constants: &[[u32; 4]], booleans: u32) -> VertexContext<'_> {
    VertexContext {
        constants,
        rules: VertexRuleSet::Nv40Modern,
        booleans,
        instruction_limit: 2000,
        indexed_constants: (0, 0),
    }
}

/// Runs a program on both engines, which must agree.
fn run(gpu: &Gpu, program: &VertexProgram, context: &VertexContext<'_>, inputs: &[Inputs]) -> Vec<ShadedVertex> {
    let results = run_vertex_program(gpu, program, context, inputs).unwrap();
    for (input, result) in inputs.iter().zip(&results) {
        let expected = reference::run_vertex_program(program, context, input, &NoVertexTextures, &Unobserved);
        assert_eq!(expected, *result, "{program:#x?}\ninputs {input:x?}");
    }
    results
}

/// Assembles a text; returns its words and its entry.
pub(super) fn assembled(text: &str) -> (PicaShader, u16) {
    let binary = assemble("test.v.pica", text, PicaOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    (binary.shader(), u16::try_from(binary.executables[0].entry).unwrap())
}

/// Assembles a text and lowers it from its entry.
fn lowered(text: &str) -> VertexProgram {
    let (shader, entry) = assembled(text);
    shader.lower(entry).unwrap()
}

/// Constants c[n] = (n, 0, 0, 0), then these integer registers.
pub(super) fn numbered(integers: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let registers = (0..FIRST_INTEGER).map(|index| [f32::from(index).to_bits(), 0, 0, 0]);
    registers.chain(integers.iter().copied()).collect()
}

pub(super) fn vertex(x: f32) -> Inputs {
    std::array::from_fn(|_| [x.to_bits(), 0, 0, ONE])
}

/// Expected: the test `Address Register Offset` of azahar's `tests/video_core/shader.cpp`, which ran on the chip.
#[test]
fn addresses_reach_what_the_chip_reads() {
    let Some(gpu) = common::gpu() else { return };
    let program = lowered(".proc main\nmova a0.x, v0.x\nmov o0, c40[a0.x]\nend\n.end\n");
    let one = |_: u16| [ONE; 4];
    let constant = |index: u16| [f32::from(index).to_bits(), 0, 0, 0];
    let rows: [(f32, [u32; 4]); 14] = [
        (0.0, constant(40)),
        (13.0, constant(53)),
        (50.0, constant(90)),
        (60.0, one(100)),
        (74.0, one(114)),
        (87.0, one(127)),
        (88.0, constant(0)),
        (128.0, constant(40)),
        (-40.0, constant(0)),
        (-42.0, one(126)),
        (-70.0, one(98)),
        (-73.0, constant(95)),
        (-127.0, constant(41)),
        (-129.0, constant(40)),
    ];
    let constants = numbered(&[]);
    let inputs: Vec<Inputs> = rows.iter().map(|(address, _)| vertex(*address)).collect();
    let results = run(&gpu, &program, &context(&constants, 0), &inputs);
    for ((address, expected), result) in rows.iter().zip(&results) {
        assert_eq!(result.outputs[0], *expected, "c40[{address}]");
    }
}

/// Expected: the test `Call` of azahar's `tests/video_core/shader.cpp`: 2 to the power of 0.
#[test]
fn a_call_inside_a_call_returns() {
    let Some(gpu) = common::gpu() else { return };
    let code = vec![0x9000_0801, 0x8800_0000, 0x9000_1001, 0x8800_0000, 0x1400_0000, 0x8800_0000];
    let shader = PicaShader { code, descriptors: vec![0x1b << 5 | 0x1b << 14 | 0x1b << 23 | 0xf] };
    let program = shader.lower(0).unwrap();
    let [result] = run(&gpu, &program, &context(&numbered(&[]), 0), &[vertex(0.0)]).try_into().unwrap();
    assert_eq!(result.outputs[0], [ONE; 4]);
}

/// Expected: the test `Nested Loop` of azahar's `tests/video_core/shader.cpp`, (n + 1)(m + 1) + 1.
#[test]
fn nested_loops_repeat_and_leave_the_counter() {
    let Some(gpu) = common::gpu() else { return };
    let program = lowered(
        ".constf one(1.0, 1.0, 1.0, 1.0)\n.proc main\nmov r0, one\nfor i0\nfor i1\nadd r0, one, r0\n.end\n.end\n\
         mov o0, r0\nmov o1, c1[aL]\nend\n.end\n",
    );
    for (n, m, step) in [(4, 4, 1), (4, 7, 2), (9, 4, 2), (9, 7, 1)] {
        let mut constants = numbered(&[[n, 0, step, 0], [m, 0, 1, 0]]);
        // The assembler allocates constants from the top.
        constants[95] = [ONE; 4];
        let [result] = run(&gpu, &program, &context(&constants, 0), &[vertex(0.0)]).try_into().unwrap();
        let expected = ((n + 1) * (m + 1) + 1) as f32;
        assert_eq!(result.outputs[0], [expected.to_bits(); 4]);
        assert_eq!(result.outputs[1][0], ((1 + (n + 1) * step) as f32).to_bits());
    }
}

/// Expected: the truth table of CONDOP, 3dbrew "GPU/Shader Instruction Set".
#[test]
fn conditions_follow_the_truth_table() {
    let Some(gpu) = common::gpu() else { return };
    let constants = numbered(&[]);
    for (text, holds) in [
        ("cmp.x || cmp.y", (|x, y| x || y) as fn(bool, bool) -> bool),
        ("cmp.x && !cmp.y", |x, y| x && !y),
        ("!cmp.x || cmp.y", |x, y| !x || y),
        ("!cmp.x", |x, _| !x),
        ("cmp.y", |_, y| y),
    ] {
        let text = format!(
            ".proc main\nmov r0, c1.xxxx\ncmp v0, ge, lt, r0\nifc {text}\nmov o0, c2\n.else\nmov o0, c3\n.end\nend\n.end\n"
        );
        let program = lowered(&text);
        let cases = [[0.0f32, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 2.0]];
        let inputs: Vec<Inputs> =
            cases.iter().map(|[x, y]| std::array::from_fn(|_| [x.to_bits(), y.to_bits(), 0, 0])).collect();
        let results = run(&gpu, &program, &context(&constants, 0), &inputs);
        for ([x, y], result) in cases.iter().zip(&results) {
            let expected = if holds(*x >= 1.0, *y < 1.0) { 2.0f32 } else { 3.0 };
            assert_eq!(result.outputs[0][0], expected.to_bits(), "{text} for {x}, {y}");
        }
    }
}

/// A source; only one of an instruction may be wide.
fn source(random: &mut Random, is_wide: bool) -> PicaSource {
    let register = match random.below(if is_wide { 3 } else { 2 }) {
        0 => PicaRegister::Temporary(random.below(4) as u8),
        // Two different inputs in one instruction are a matter of assemblers.
        1 => PicaRegister::Input(random.below(3) as u8),
        _ => PicaRegister::Constant(random.below(96) as u8),
    };
    let is_indexed = matches!(register, PicaRegister::Constant(_)) && random.one_in(2);
    PicaSource {
        register,
        index: is_indexed.then(|| random.choose(&PicaIndex::ALL)),
        swizzle: Swizzle(std::array::from_fn(|_| random.below(4) as u8)),
        negate: random.one_in(3),
    }
}

fn test(random: &mut Random, allows_always: bool) -> PicaTest {
    let values = [random.one_in(2), random.one_in(2)];
    match random.below(if allows_always { 4 } else { 3 }) {
        0 => PicaTest::Boolean { register: random.below(16) as u8, value: true },
        1 => PicaTest::Condition(if random.one_in(2) {
            PicaCondition::Either(values)
        } else {
            PicaCondition::Both(values)
        }),
        2 => PicaTest::Condition(if random.one_in(2) {
            PicaCondition::X(values[0])
        } else {
            PicaCondition::Y(values[1])
        }),
        _ => PicaTest::Always,
    }
}

pub(super) fn instruction(random: &mut Random, address: u16, words: u16) -> PicaInstruction {
    let operations: Vec<PicaOpcode> = PicaOpcode::ALL
        .iter()
        .copied()
        .filter(|opcode| opcode.is_arithmetic() && opcode.row().operation == *opcode)
        .collect();
    let later = |random: &mut Random| address + 1 + random.below(u32::from(words - address - 1)) as u16;
    match random.below(12) {
        0 => PicaInstruction::Compare {
            comparisons: [random.choose(&PicaComparison::ALL), random.choose(&PicaComparison::ALL)],
            sources: [source(random, true), source(random, false)],
        },
        1 => PicaInstruction::LoadAddress { mask: WriteMask(1 + random.below(3) as u8), source: source(random, true) },
        2 => {
            let otherwise = later(random);
            let count = random.below(u32::from(words - otherwise)) as u8;
            let test = match test(random, false) {
                PicaTest::Boolean { register, .. } => PicaTest::Boolean { register, value: true },
                test => test,
            };
            PicaInstruction::If { test, otherwise, count }
        }
        3 => {
            let target = random.below(u32::from(words)) as u16;
            let count = random.below(u32::from(words - target)) as u8;
            PicaInstruction::Call { test: test(random, true), target, count }
        }
        4 => PicaInstruction::Loop { register: random.below(4) as u8, last: later(random) },
        _ => {
            let operation = random.choose(&operations);
            let count = operation.row().sources.len();
            // Any source of these formats may be the wide one but for the first of three.
            let wide = if count == 3 { 1 + random.below(2) } else { 0 };
            let read: Vec<PicaSource> = (0..count as u32).map(|place| source(random, place == wide)).collect();
            let destination = if random.one_in(3) {
                PicaDestination::Output(random.below(4) as u8)
            } else {
                PicaDestination::Temporary(random.below(4) as u8)
            };
            let mask = WriteMask(1 + random.below(15) as u8);
            PicaInstruction::Arithmetic(PicaArithmetic::new(operation, destination, mask, &read))
        }
    }
}

/// A 24-bit float as its single.
pub(super) fn value(random: &mut Random) -> u32 {
    match random.below(3) {
        0 => F24.decode(random.next() & 0xff_ffff),
        1 => F24.decode(F24.encode(((random.below(401) as f32 - 200.0) / 4.0).to_bits())),
        _ => F24.decode(random.choose(&[0, 0x80_0000, 0x3f_0000, 0xbf_0000, 0x7f_0000, 0xff_0000, 0x7f_8000, 1])),
    }
}

/// Expected: the encoding of the assemblers picasso and nihstro, which truncates.
#[test]
fn attributes_are_truncated_to_24_bits() {
    let Some(gpu) = common::gpu() else { return };
    let program = lowered(".proc main\nmov o0, v0\nmov o3, v15.wzyx\nend\n.end\n");
    let mut random = Random::new(3);
    let mut inputs: Vec<Inputs> =
        (0..200).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| random.float()))).collect();
    inputs[0][0] = [0x3f80_007f, 0xbfff_ffff, 0x5f80_0000, 0x207f_ffff];
    let constants = numbered(&[]);
    let context = VertexContext { rules: VertexRuleSet::Pica200, ..context(&constants, 0) };
    let results = run(&gpu, &program, &context, &inputs);
    assert_eq!(results[0].outputs[0], [ONE, 0xbfff_ff80, 0x7f80_0000, 0]);
    for (input, result) in inputs.iter().zip(&results) {
        let truncated = |attribute: [u32; 4]| attribute.map(|bits| F24.decode(F24.encode(bits)));
        let [x, y, z, w] = truncated(input[15]);
        assert_eq!((result.outputs[0], result.outputs[3]), (truncated(input[0]), [w, z, y, x]));
    }
}

#[test]
fn random_programs_give_the_same_bits() {
    const WORDS: u16 = 16;
    let Some(gpu) = common::gpu() else { return };
    let mut distinct = 0;
    for seed in super::random::seeds(50_000, 24) {
        let mut random = Random::new(seed);
        let mut instructions: Vec<PicaInstruction> =
            (0..WORDS - 1).map(|address| instruction(&mut random, address, WORDS)).collect();
        instructions.push(PicaInstruction::End);
        let shader = PicaShader::encode(&instructions).unwrap();
        let program = shader.lower(0).unwrap();
        let mut constants: Vec<[u32; 4]> =
            (0..FIRST_INTEGER).map(|_| std::array::from_fn(|_| value(&mut random))).collect();
        constants.extend((0..4).map(|_| [random.below(4), random.below(256), random.below(256), 0]));
        let inputs: Vec<Inputs> =
            (0..32).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| value(&mut random)))).collect();
        let results = run(&gpu, &program, &context(&constants, random.next()), &inputs);
        let is_single = |outputs: &ShadedVertex| outputs.outputs.as_flattened().iter().all(|bits| bits & 0x7f == 0);
        assert!(results.iter().all(is_single), "seed {seed}: every result is a 24-bit float");
        distinct += usize::from(results.iter().any(|result| *result != results[0]));
    }
    assert!(distinct > 0, "programs depend on their inputs");
}
