//! Fragment programs: straight-line code over both register views, nested flow, and texture operations.

use curie::asm::{Assembly, assemble};
use curie::isa::nv40_fragment::FragmentOpcode;
use curie::kernels::run_program::run_fragment_program_with;
use curie::pipeline::EngineError;
use curie::pipeline::{QuadInputs, VEC4_INPUTS};
use curie::recompiler::fragment::{FragmentKernelKey, source};
use curie::recompiler::quad_inputs::QuadSource;
use curie::reference::fragment::run_fragment_program::{LodMode, TextureUnits, run_fragment_program};
use curie::reference::observer::Unobserved;
use curie::shader::condition::{ConditionTest, Relation, Swizzle, WriteMask};
use curie::shader::fragment::{
    Block, FragmentInput, FragmentNode, FragmentOperation, FragmentProgram, FragmentRegister, FragmentSource,
    FragmentSourceKind, Precision, Scale, SourcePrecision,
};

use super::random::{Random, assert_valid, seeds};
use crate::common;

const CONSTANTS: u32 = 6;

/// Texture units that mix the bits of their operands, so that every operand shows in the result.
struct MixingUnits;

impl TextureUnits for MixingUnits {
    fn sample(&mut self, unit: u8, coordinates: &[[u32; 4]; 4], mode: LodMode) -> Result<[[u32; 4]; 4], EngineError> {
        Ok(std::array::from_fn(|lane| {
            let [x, y, z, w] = coordinates[lane];
            match mode {
                LodMode::Implicit { bias } => [x ^ bias[lane], y, z, w ^ u32::from(unit)],
                LodMode::Explicit(lod) => [x, y ^ lod[lane], z, w ^ u32::from(unit)],
                LodMode::Gradient { x: ddx, y: ddy } => {
                    [x ^ ddx[lane][0], y ^ ddy[lane][1], ddx[lane][2], ddy[lane][3]]
                }
            }
        }))
    }
}

/// The same in WGSL.
fn mixing_unit(unit: u8) -> Result<String, EngineError> {
    Ok(format!(
        "fn load_texture_unit_{unit}() {{}}
        fn sample_texture_{unit}(c: QuadVector, bias: vec4u) -> QuadVector {{
            return QuadVector(c.x ^ bias, c.y, c.z, c.w ^ vec4u({unit}u));
        }}
        fn sample_texture_lod_{unit}(c: QuadVector, lod: vec4u) -> QuadVector {{
            return QuadVector(c.x, c.y ^ lod, c.z, c.w ^ vec4u({unit}u));
        }}
        fn sample_texture_gradient_{unit}(c: QuadVector, ddx: QuadVector, ddy: QuadVector) -> QuadVector {{
            return QuadVector(c.x ^ ddx.x, c.y ^ ddy.y, ddx.z, ddy.w);
        }}"
    ))
}

/// The parameters of random programs.
#[derive(Clone, Copy)]
struct Shape {
    operations: u32,
    /// Nesting depth of flow; 0 for none.
    depth: u32,
    /// Whether full and half registers overlap.
    overlaps: bool,
}

fn is_arithmetic(opcode: FragmentOpcode) -> bool {
    !matches!(
        opcode,
        FragmentOpcode::Brk
            | FragmentOpcode::Cal
            | FragmentOpcode::If
            | FragmentOpcode::Loop
            | FragmentOpcode::Rep
            | FragmentOpcode::Ret
    )
}

fn random_register(random: &mut Random, shape: Shape) -> FragmentRegister {
    match (random.one_in(2), shape.overlaps) {
        (false, _) => FragmentRegister { index: random.below(3) as u8, is_half: false },
        (true, true) => FragmentRegister { index: random.below(6) as u8, is_half: true },
        (true, false) => FragmentRegister { index: 10 + random.below(3) as u8, is_half: true },
    }
}

fn random_swizzle(random: &mut Random) -> Swizzle {
    if random.one_in(2) { Swizzle::IDENTITY } else { Swizzle(std::array::from_fn(|_| random.below(4) as u8)) }
}

fn random_source(random: &mut Random, shape: Shape) -> FragmentSource {
    FragmentSource {
        kind: match random.below(5) {
            0 => FragmentSourceKind::Input,
            1 => FragmentSourceKind::Constant(random.below(CONSTANTS) as u16),
            _ => FragmentSourceKind::Register(random_register(random, shape)),
        },
        swizzle: random_swizzle(random),
        absolute: random.one_in(4),
        precision: if random.one_in(2) {
            SourcePrecision::Full
        } else {
            random.choose(&[
                SourcePrecision::Half,
                SourcePrecision::Fx12,
                SourcePrecision::Fx9,
                SourcePrecision::Saturate,
            ])
        },
        negate: random.one_in(4),
    }
}

fn random_condition(random: &mut Random) -> ConditionTest {
    ConditionTest {
        register: random.below(2) as u8,
        relation: if random.one_in(2) { Relation::Always } else { Relation::from_bits(random.below(8)) },
        swizzle: random_swizzle(random),
    }
}

fn random_operation(random: &mut Random, shape: Shape) -> FragmentOperation {
    let opcodes: Vec<_> = FragmentOpcode::ALL.iter().copied().filter(|opcode| is_arithmetic(*opcode)).collect();
    let inputs: Vec<_> = FragmentInput::all().collect();
    FragmentOperation {
        kind: random.choose(&opcodes).operation().unwrap(),
        word_offset: 0,
        destination: (!random.one_in(8)).then(|| random_register(random, shape)),
        mask: WriteMask(if random.one_in(2) { 15 } else { random.below(16) as u8 }),
        condition_update: random.one_in(3).then(|| random.below(2) as u8),
        condition: random_condition(random),
        precision: random.choose(&[Precision::Fp32, Precision::Fp32, Precision::Fp16, Precision::Fx12, Precision::Fx9]),
        scale: if random.one_in(2) {
            Scale::One
        } else {
            random.choose(&[Scale::Two, Scale::Four, Scale::Eight, Scale::Half, Scale::Quarter, Scale::Eighth])
        },
        saturate: random.one_in(6),
        expand_texel: random.one_in(4),
        texture_unit: random.below(4) as u8,
        input: random.choose(&inputs),
        is_input_indexed: shape.depth > 0 && random.one_in(4),
        input_displacement: random.below(8) as i16 - 6,
        divides_by_w: random.one_in(4),
        sources: std::array::from_fn(|_| random_source(random, shape)),
    }
}

/// The context of a block: how deep it may nest, whether it may contain BRK, which subroutines it may call.
#[derive(Clone, Copy)]
struct Place {
    depth: u32,
    in_loop: bool,
    callable: usize,
}

fn random_block(random: &mut Random, shape: Shape, place: Place, operations: u32) -> Block {
    let mut block = Block::new();
    let inner = Place { depth: place.depth.saturating_sub(1), ..place };
    for _ in 0..operations {
        if place.depth == 0 || !random.one_in(2) {
            block.push(FragmentNode::Operation(random_operation(random, shape)));
            continue;
        }
        let condition = random_condition(random);
        let count = 1 + random.below(2);
        match random.below(6) {
            0 | 1 => block.push(FragmentNode::If {
                condition,
                then: random_block(random, shape, inner, count),
                otherwise: if random.one_in(2) { random_block(random, shape, inner, count) } else { Block::new() },
            }),
            2 | 3 => block.push(FragmentNode::Loop {
                count: random.below(4) as u8,
                initial: random.below(4) as u8,
                increment: random.below(5) as i8 - 2,
                has_index: random.one_in(2),
                condition,
                body: random_block(random, shape, Place { in_loop: true, ..inner }, count),
            }),
            4 if place.callable > 0 => {
                block.push(FragmentNode::Call { condition, subroutine: random.below(place.callable as u32) as usize });
            }
            4 => {}
            _ if place.in_loop && random.one_in(2) => block.push(FragmentNode::Break { condition }),
            _ => block.push(FragmentNode::Return { condition }),
        }
    }
    block
}

fn random_program(random: &mut Random, shape: Shape) -> FragmentProgram {
    let mut subroutines: Vec<Block> = Vec::new();
    if shape.depth > 0 {
        for callable in 0..2 {
            let place = Place { depth: 1, in_loop: false, callable };
            subroutines.push(random_block(random, shape, place, 2));
        }
    }
    let place = Place { depth: shape.depth, in_loop: false, callable: subroutines.len() };
    let body = random_block(random, shape, place, shape.operations);
    let constants = (0..CONSTANTS).map(|_| random.vector()).collect();
    FragmentProgram { body, subroutines, constants, words: 0 }
}

pub(crate) fn random_quad(random: &mut Random) -> QuadInputs {
    let mut pixels = || std::array::from_fn(|_| random.vector());
    let slots = (0..VEC4_INPUTS).map(|_| pixels()).collect();
    QuadInputs {
        x: random.below(2048) * 2,
        y: random.below(2048) * 2,
        coverage: random.below(16) as u8,
        samples: None,
        alpha_coverage: None,
        is_front_facing: random.one_in(2),
        depth: random.vector(),
        slots,
    }
}

fn compare(seeds: std::ops::Range<u64>, shape: Shape) {
    let gpu = common::gpu();
    for seed in seeds {
        let mut random = Random::new(seed);
        let program = random_program(&mut random, shape);
        let has_full_outputs = random.one_in(2);
        let key = FragmentKernelKey::new(&program, true, has_full_outputs, 15, QuadSource::Given);
        let text = source(&key, &mixing_unit).unwrap();
        assert_valid(&text);
        let Some(gpu) = &gpu else { continue };
        let quads: Vec<_> = (0..100).map(|_| random_quad(&mut random)).collect();
        let results = run_fragment_program_with(gpu, &program, has_full_outputs, &quads, &mixing_unit).unwrap();
        for (number, (quad, result)) in quads.iter().zip(&results).enumerate() {
            let expected =
                run_fragment_program(&program, has_full_outputs, quad, &mut MixingUnits, &Unobserved).unwrap();
            assert!(
                expected == *result,
                "seed {seed}, quad {number}\n{text}\ninputs {quad:x?}\nconstants {:x?}\nreference {expected:x?}\nkernels   {result:x?}",
                program.constants
            );
        }
    }
}

#[test]
fn straight_line_programs_give_the_same_bits() {
    compare(seeds(0, 6), Shape { operations: 10, depth: 0, overlaps: false });
}

#[test]
fn overlapping_registers_give_the_same_bits() {
    compare(seeds(10_000, 4), Shape { operations: 8, depth: 0, overlaps: true });
}

#[test]
fn overlapping_registers_in_flow_give_the_same_bits() {
    compare(seeds(40_000, 4), Shape { operations: 6, depth: 2, overlaps: true });
}

#[test]
fn given_colors_are_rounded_whatever_they_are() {
    let text = "!!FP1.0\nMOVH o[COLH], f[COL0];\nEND\n";
    let Ok(Assembly::Fragment(assembly)) = assemble("test", text) else { panic!("it assembles") };
    let program = FragmentProgram::decode(&assembly.words).unwrap();
    let mut random = Random::new(3);
    let quads: Vec<_> = (0..400).map(|_| random_quad(&mut random)).collect();
    let Some(gpu) = common::gpu() else { return };
    let results = run_fragment_program_with(&gpu, &program, false, &quads, &mixing_unit).unwrap();
    for (quad, result) in quads.iter().zip(&results) {
        assert_eq!(
            *result,
            run_fragment_program(&program, false, quad, &mut MixingUnits, &Unobserved).unwrap(),
            "{:x?}",
            quad.slots[1]
        );
    }
}

/// Adds a constant to R0 in nested loops that would run far beyond the limit of executed instructions.
#[test]
fn programs_end_at_the_instruction_limit() {
    let mut random = Random::new(7);
    let shape = Shape { operations: 1, depth: 0, overlaps: false };
    let register = FragmentRegister { index: 0, is_half: false };
    let plain = |kind| FragmentSource {
        kind,
        swizzle: Swizzle::IDENTITY,
        absolute: false,
        precision: SourcePrecision::Full,
        negate: false,
    };
    let add = FragmentOperation {
        kind: FragmentOpcode::Add.operation().unwrap(),
        destination: Some(register),
        mask: WriteMask::ALL,
        condition_update: None,
        condition: ConditionTest::ALWAYS,
        precision: Precision::Fp32,
        scale: Scale::One,
        saturate: false,
        sources: [
            plain(FragmentSourceKind::Register(register)),
            plain(FragmentSourceKind::Constant(0)),
            plain(FragmentSourceKind::Input),
        ],
        ..random_operation(&mut random, shape)
    };
    let repeat = |body: Block| FragmentNode::Loop {
        count: 255,
        initial: 0,
        increment: 0,
        has_index: false,
        condition: ConditionTest::ALWAYS,
        body,
    };
    let add = FragmentNode::Operation(add);
    let program = FragmentProgram {
        body: vec![repeat(vec![repeat(vec![add.clone(), add.clone()])]), add],
        subroutines: Vec::new(),
        constants: vec![[0x3f80_0000; 4]],
        words: 0,
    };
    let quad = random_quad(&mut random);
    let expected = run_fragment_program(&program, true, &quad, &mut MixingUnits, &Unobserved).unwrap();
    let sum = f32::from_bits(expected.colors[0][0][0]);
    assert!((60_000.0..70_000.0).contains(&sum), "{sum} additions were executed");
    let Some(gpu) = common::gpu() else { return };
    let results = run_fragment_program_with(&gpu, &program, true, &[quad], &mixing_unit).unwrap();
    assert_eq!(results[0], expected);
}

#[test]
fn nested_flow_gives_the_same_bits() {
    compare(seeds(20_000, 8), Shape { operations: 6, depth: 3, overlaps: false });
}
