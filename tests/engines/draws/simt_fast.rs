//! The fast path of SIMT programs: the bits of the reference, whatever the magnitudes of values.
#![expect(clippy::cast_possible_truncation, reason = "seeds are small")]

use curie::format::ColorFormat;
use curie::kernels::DrawPath;
use curie::pipeline::{ColorTarget, FragmentStage, Interpolant, InterpolantMode, PrimitiveType, VertexStage};
use curie::recompiler::compute::{SimtPrograms, SimtVertexKey};
use curie::recompiler::vertex::VertexFetch;
use curie::shader::simt::SimtProgram;
use std::sync::Arc;

use super::simt::{TARGET, draw, interpolants, linear, output, run, stage, wide};
use crate::common::nightly::cases;
use crate::common::random::Random;

/// Values around the limits of native operations.
const LIMITS: [f32; 28] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MAX,
    -f32::MAX,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1.0e-40,
    -1.0e-42,
    7.888_609e-31,
    -7.888_608e-31,
    1.577_722e-30,
    4.440_892e-16,
    -4.440_891_8e-16,
    1.0e-9,
    -6.0e-8,
    1.0e-20,
    -3.0e-19,
    2.0e19,
    1.844_674_4e19,
    16_777_216.0,
    0.333_333_34,
    -0.999_999_94,
    1.000_000_1,
];

fn value(random: &mut Random, is_wild: bool) -> f32 {
    if is_wild && random.below(3) != 0 {
        return LIMITS[random.below(LIMITS.len() as u32) as usize];
    }
    (random.below(1 << 24) as f32 - 8_388_608.0) / 1_048_576.0
}

/// An operation on registers 0 to 7 and the constants.
fn line(random: &mut Random) -> String {
    let mut operand = || {
        let register = random.below(8);
        if random.below(6) == 0 { format!("neg $r{register}") } else { format!("$r{register}") }
    };
    let [a, b, c] = [operand(), operand(), operand()];
    let to = random.below(8);
    let constant = 4 * random.below(8);
    let register = random.below(8);
    let predicate = if random.below(5) == 0 { "(l $c0) " } else { "" };
    let text = match random.below(14) {
        0 | 1 => format!("add rn f32 $r{to} {a} {b}"),
        2 | 3 => format!("mul rn f32 $r{to} {a} {b}"),
        4 => format!("add f32 $r{to} (mul $r{register} $r{}) {c}", random.below(8)),
        5 => format!("add f32 $r{to} (mul $r{register} c0[{constant:#x}]) $r{}", random.below(8)),
        6 => format!("mul rn f32 $r{to} $r{register} c0[{constant:#x}]"),
        7 => format!("add rn f32 $r{to} $r{register} c0[{constant:#x}]"),
        8 => format!("min f32 $r{to} abs $r{register} {b}"),
        9 => format!("max f32 $r{to} {a} {b}"),
        10 => format!("cvt rmi f32 $r{to} f32 $r{register}"),
        11 => format!("cvt sat f32 $r{to} f32 $r{register}"),
        12 => format!("rcp f32 $r{to} $r{register}"),
        _ => format!("mov b32 $r{to} $r{register}"),
    };
    format!("    {predicate}{text}\n")
}

#[test]
fn random_arithmetic_is_the_same_on_the_fast_path() {
    let (mut fast, mut drawn) = (0, 0);
    for seed in 0..cases(12, 160) {
        let mut random = Random::new(seed);
        let is_wild = seed % 3 == 0;
        let begin = match seed % 2 {
            0 => "    interp $r7 v[0x0]\n    rcp f32 $r7 $r7\n",
            _ => "    mov b32 $r7 0x3f800000\n",
        };
        let factor = if seed % 2 == 0 { " $r7" } else { "" };
        let inputs: String =
            (0..4).map(|word| format!("    interp $r{word} v[{:#x}]{factor}\n", 4 + 4 * word)).collect();
        let rest = "    ld $r4 b32 c0[0x0]\n    ld $r5 b32 c0[0x4]\n    set $c0 # l f32 $r1 $r2\n";
        let body: String = (0..4 + random.below(12)).map(|_| line(&mut random)).collect();
        let end = if seed % 5 == 0 { "    (l $c0) ret\n    add rn f32 $r0 $r0 $r1\n" } else { "" };
        let text = format!(".kind fragment\n{begin}{inputs}{rest}{body}{end}    exit nop\n");
        let mut float = |low: f32, high: f32| low + (high - low) * random.below(1 << 16) as f32 / 65_536.0;
        let places: Vec<_> =
            (0..6).map(|_| [float(-20.0, 84.0), float(-20.0, 84.0), float(0.0, 1.0), float(0.5, 3.0)]).collect();
        let corners: Vec<_> =
            places.iter().map(|place| (*place, [(); 4].map(|()| value(&mut random, is_wild)))).collect();
        let mut draw = draw(&corners, &text);
        draw.targets.color[0] = Some(ColorTarget { format: ColorFormat::A32B32G32R32F, layout: wide(), ..linear(0) });
        let constants: Vec<f32> = (0..8).map(|_| value(&mut random, seed % 7 == 0)).collect();
        let FragmentStage::Simt(own) = &mut draw.fragment else { unreachable!() };
        own.stage = stage(&text, &constants);
        own.stage.program = Arc::new(SimtProgram::clone(&own.stage.program).with_zero_wins(seed % 4 == 1));
        let modes = [
            InterpolantMode::Perspective,
            InterpolantMode::Linear,
            InterpolantMode::Perspective,
            InterpolantMode::FlatPerspective,
            InterpolantMode::Flat,
        ];
        own.interpolants = interpolants(modes[seed as usize % modes.len()]);
        if seed % 6 == 5 {
            own.interpolants.insert(3, Interpolant::new(output(1, 2), InterpolantMode::Flat));
        }
        assert!(matches!(draw.vertex, VertexStage::Simt(_)));
        let (memory, paths) = run(&[draw]);
        assert!(!paths.contains(&DrawPath::Host), "seed {seed}: {paths:?}\n{text}");
        fast += u64::from(paths.iter().any(|path| matches!(path, DrawPath::Fused { fast: Ok(_) })));
        drawn += u64::from(memory[..TARGET as usize].iter().any(|byte| *byte != 0));
    }
    assert!(drawn >= cases(8, 120), "{drawn} drew something");
    assert_eq!(fast, cases(12, 160), "all take the fast path first");
}

/// Each vertex is a pixel, so that all bits of its results are seen.
#[test]
fn random_arithmetic_of_vertices_is_the_same_on_the_fast_path() {
    let (mut fast, mut drawn) = (0, 0);
    for seed in 0..cases(12, 160) {
        let mut random = Random::new(seed);
        let is_wild = seed % 3 == 0;
        let position: String = (0..4).map(|word| format!("    mov b32 o[{0:#x}] a[{0:#x}]\n", 4 * word)).collect();
        let inputs: String = (0..4).map(|word| format!("    mov b32 $r{word} a[{:#x}]\n", 16 + 4 * word)).collect();
        let rest = "    ld $r4 b32 c0[0x0]\n    ld $r5 b32 c0[0x4]\n    set $c0 # l f32 $r1 $r2\n    mov b32 $r6 $r0
    mov b32 $r7 $r3\n";
        let body: String = (0..14 + random.below(12)).map(|_| line(&mut random)).collect();
        let end = if seed % 5 == 0 { "    (l $c0) ret\n    add rn f32 $r0 $r0 $r1\n" } else { "" };
        // Results of operations, of a conditional one, and registers.
        let results = "    mul rn f32 o[0x10] $r0 $r1\n    add rn f32 o[0x14] a[0x18] $r2
    (l $c0) add rn f32 o[0x18] $r3 $r4\n    mov b32 o[0x1c] $r5\n";
        let text = format!(".kind vertex\n{position}{inputs}{rest}{body}{end}{results}    exit nop\n");
        let vertices: Vec<_> = (0..600_u16)
            .map(|number| {
                let place = [f32::from(number % 64) + 0.5, f32::from(number / 64) + 0.5, 0.5, 1.0];
                // Most vertices take the fast path, where the others are wild.
                let is_wild = is_wild && random.below(4) == 0;
                (place, [(); 4].map(|()| value(&mut random, is_wild)))
            })
            .collect();
        let mut draw = draw(&vertices, super::simt::COLOR);
        draw.primitive = PrimitiveType::Points;
        draw.targets.color[0] = Some(ColorTarget { format: ColorFormat::A32B32G32R32F, layout: wide(), ..linear(0) });
        let FragmentStage::Simt(fragment) = &mut draw.fragment else { unreachable!() };
        fragment.interpolants = interpolants(InterpolantMode::Flat);
        let constants: Vec<f32> = (0..8).map(|_| value(&mut random, seed % 7 == 0)).collect();
        let VertexStage::Simt(own) = &mut draw.vertex else { unreachable!() };
        own.stage = stage(&text, &constants);
        own.stage.program = Arc::new(SimtProgram::clone(&own.stage.program).with_zero_wins(seed % 4 == 1));
        let mut programs = SimtPrograms::default();
        let key = SimtVertexKey::new(&mut programs, own, &draw.elements, VertexFetch::Immediate, 3, true).unwrap();
        fast += u64::from(key.run_and_workgroup()[0] > 1 && key.source().contains("floats_are_exact"));
        let (memory, paths) = run(&[draw]);
        assert!(!paths.contains(&DrawPath::Host), "seed {seed}: {paths:?}\n{text}");
        drawn += u64::from(memory[..TARGET as usize].iter().any(|byte| *byte != 0));
    }
    assert!(drawn >= cases(11, 150), "{drawn} drew something");
    assert!(fast >= cases(10, 130), "{fast} take the fast path first");
}
