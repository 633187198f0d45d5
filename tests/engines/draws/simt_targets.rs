//! Draws with programs of the Tesla processor into up to eight targets of its formats, on all paths.

use super::simt::{SIDE, TARGET, draw, memory, rectangle, window, word};
use curie::format::{ColorFormat, ZetaFormat};
use curie::pipeline::{
    Blend, BlendEquation, BlendFactor, ColorTarget, Compare, DepthTest, Draw, FragmentStage, ResultRegisters,
    StencilFace, StencilOp, SurfaceLayout, ZetaTarget,
};

const FORMATS: [ColorFormat; 8] = [
    ColorFormat::A8R8G8B8,
    ColorFormat::Rgba32Uint,
    ColorFormat::Rgba16Unorm,
    ColorFormat::Rgb10A2Unorm,
    ColorFormat::R11G11B10Float,
    ColorFormat::Rg8Snorm,
    ColorFormat::Rgba8Srgb,
    ColorFormat::R32F,
];

/// A program that writes colors with these bits, from register 0 on.
fn colors(values: &[[u32; 4]]) -> String {
    let moves = values.as_flattened().iter().enumerate();
    let moves: String = moves.map(|(register, value)| format!("    mov b32 $r{register} {value:#x}\n")).collect();
    format!(".kind fragment\n{moves}    exit nop\n")
}

/// A draw over a rectangle with these colors, one for each target.
fn colored(place: [f32; 4], z: f32, values: &[[u32; 4]]) -> Draw {
    let mut draw = draw(&rectangle(place, z, [0.0; 4]), &colors(values));
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    let register = |target: usize| u8::try_from(4 * target).unwrap();
    stage.results = ResultRegisters {
        colors: std::array::from_fn(|target| (target < values.len()).then(|| register(target))),
        ..ResultRegisters::default()
    };
    stage.interpolants.clear();
    draw
}

fn target(number: u32, format: ColorFormat) -> ColorTarget {
    let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * format.bytes() };
    ColorTarget { window: window(number), layout, format }
}

fn floats(color: [f32; 4]) -> [u32; 4] {
    color.map(f32::to_bits)
}

#[test]
fn a_program_writes_eight_targets_of_their_own_formats() {
    let first = floats([1.0, 0.5, 0.25, 0.5]);
    let values = [first, [1, 2, 0xffff_fffe, 9], first, first, floats([2.0, 0.5, -1.0, 0.0]), first, first, first];
    let mut draws = [[0.0, 0.0, 64.0, 64.0], [8.0, 0.0, 16.0, 64.0]].map(|place| colored(place, 0.5, &values));
    let sum =
        Blend { source: [BlendFactor::One; 2], destination: [BlendFactor::One; 2], equation: [BlendEquation::Add; 2] };
    for draw in &mut draws {
        draw.targets.color =
            std::array::from_fn(|number| Some(target(u32::try_from(number).unwrap(), FORMATS[number])));
    }
    // The second draw adds to what the first one wrote; integers do not blend.
    draws[1].rop.blend = [Some(sum); 8];
    draws[1].rop.color_mask[7] = 0;
    let memory = memory(&draws);
    let stored = |number: u32, x: u32| {
        let format = FORMATS[number as usize];
        let start = number * TARGET + (5 * SIDE + x) * format.bytes();
        let word = |index: u32| word(&memory, start + 4 * index);
        match format.bytes() {
            2 => vec![word(0) & 0xffff],
            bytes => (0..bytes / 4).map(word).collect(),
        }
    };
    let once: [&[u32]; 8] = [
        &[0x80ff_8040],
        &[1, 2, 0xffff_fffe, 9],
        &[0x8000_ffff, 0x8000_4000],
        &[2 << 30 | 256 << 20 | 512 << 10 | 1023],
        &[14 << 6 << 11 | 16 << 6],
        &[0x407f],
        // The curve takes 1/2 to 188 and 1/4 to 137.
        &[0x8089_bcff],
        &[0x3f80_0000],
    ];
    let twice: [&[u32]; 8] = [
        &[0xffff_ff80],
        once[1],
        &[0xffff_ffff, 0xffff_8000],
        &[3 << 30 | 512 << 20 | 1023 << 10 | 1023],
        &[15 << 6 << 11 | 17 << 6],
        &[0x7f7f],
        &[0xffbc_ffff],
        once[7],
    ];
    for number in 0..8 {
        for (x, expected) in [(0, once), (7, once), (8, twice), (15, twice), (16, once), (63, once)] {
            assert_eq!(stored(number, x), expected[number as usize], "{} {x}", FORMATS[number as usize].name());
        }
    }
}

#[test]
fn every_depth_format_hides_and_counts_stencil() {
    for (number, &format) in ZetaFormat::ALL.iter().enumerate() {
        let face = StencilFace {
            compare: Compare::Always,
            reference: 7,
            compare_mask: 0xff,
            write_mask: 0xff,
            fail: StencilOp::Keep,
            depth_fail: StencilOp::Replace,
            pass: StencilOp::IncrementWrap,
        };
        // Depths that 24 bits do not tell apart, but singles do.
        let near = f32::from_bits(0x3d00_0000);
        let draws = [([0.0, 0.0, 64.0, 64.0], near), ([0.0, 0.0, 32.0, 64.0], f32::from_bits(0x3cff_ffff))];
        let draws = draws.map(|(place, z)| {
            let mut draw = colored(place, z, &[floats([z, 1.0, 0.0, 1.0])]);
            draw.targets.color[0] = Some(target(0, ColorFormat::A8R8G8B8));
            let layout = match number % 2 {
                0 => SurfaceLayout::Linear { pitch_bytes: SIDE * format.bytes() },
                _ => SurfaceLayout::swizzled(6, 6),
            };
            draw.targets.zeta = Some(ZetaTarget { window: window(1), layout, format, is_float: false });
            draw.rop.depth_test = Some(DepthTest { compare: Compare::GreaterEqual, writes: true });
            draw.rop.stencil = Some([face; 2]);
            draw
        });
        let memory = memory(&draws);
        let encode = |depth: f32| match format {
            ZetaFormat::Z32F | ZetaFormat::Z32FS8 => depth.to_bits(),
            ZetaFormat::Z16 => (f64::from(depth) * 65_535.0).round() as u32,
            _ => (f64::from(depth) * 16_777_215.0).round() as u32,
        };
        // Memory is zeros. The second draw is as near as the first one, or a step of singles behind it.
        let is_single = matches!(format, ZetaFormat::Z32F | ZetaFormat::Z32FS8);
        let left = if is_single { 7 } else { 2 };
        for (x, stencil) in [(0, left), (31, left), (32, 1), (63, 1)] {
            let layout = draws[0].targets.zeta.unwrap().layout;
            let start = TARGET + layout.word_offset(x, 3, format.bytes(), 0);
            let depth = encode(near);
            let expected = match format {
                ZetaFormat::Z16 => depth,
                ZetaFormat::Z24S8 => depth << 8 | stencil,
                ZetaFormat::S8Z24 => stencil << 24 | depth,
                ZetaFormat::X8Z24 | ZetaFormat::Z32F | ZetaFormat::Z32FS8 => depth,
            };
            let mask = if format == ZetaFormat::Z16 { 0xffff } else { u32::MAX };
            assert_eq!(word(&memory, start) & mask, expected, "{format:?} {x}");
            if format == ZetaFormat::Z32FS8 {
                let start = TARGET + layout.word_offset(x, 3, format.bytes(), 1);
                assert_eq!(word(&memory, start), stencil, "{x}");
            }
        }
    }
}

#[test]
fn the_second_color_is_a_factor() {
    let blend = Blend {
        source: [BlendFactor::One, BlendFactor::OneMinusSecondAlpha],
        destination: [BlendFactor::SecondColor, BlendFactor::SecondAlpha],
        equation: [BlendEquation::Add; 2],
    };
    let first = floats([0.25, 0.0, 0.5, 0.5]);
    let second = floats([0.5, 1.0, 0.0, 0.25]);
    // Red 1/4 + 1/8, green 0 + 1/4, blue 1/2, alpha 3/8 + 1/8: what was stored is 1/4, 1/4, 1/4, 1/2.
    let cases: [(ColorFormat, &[u32]); 3] = [
        // 64 + 32 bytes, 64, 128; alpha 128 · (255 − 64) + 128 · 64 of 255.
        (ColorFormat::A8R8G8B8, &[128 << 24 | 96 << 16 | 64 << 8 | 128]),
        (ColorFormat::A16B16G16R16F, &[0x3400_3600, 0x3800_3800]),
        (ColorFormat::A32B32G32R32F, &[0x3ec0_0000, 0x3e80_0000, 0x3f00_0000, 0x3f00_0000]),
    ];
    for (format, expected) in cases {
        let place = [0.0, 0.0, 64.0, 64.0];
        let mut draws =
            [colored(place, 0.5, &[floats([0.25, 0.25, 0.25, 0.5])]), colored(place, 0.5, &[first, second])];
        for draw in &mut draws {
            draw.targets.color[0] = Some(target(0, format));
        }
        draws[1].rop.blend = [Some(blend); 8];
        let memory = memory(&draws);
        let start = (9 * SIDE + 11) * format.bytes();
        let found: Vec<_> = (0..format.bytes() / 4).map(|index| word(&memory, start + 4 * index)).collect();
        assert_eq!(found, expected, "{}", format.name());
    }
}

/// Blending of each target, as chips from GT215 on have it.
#[test]
fn each_target_blends_by_its_own_functions() {
    let blend = |equation, source, destination| {
        Some(Blend { source: [source; 2], destination: [destination; 2], equation: [equation; 2] })
    };
    let (first, second) = (floats([0.5, 0.25, 0.75, 1.0]), floats([0.25, 0.75, 0.25, 0.5]));
    let format = ColorFormat::A32B32G32R32F;
    let mut draws = [first, second].map(|color| colored([0.0, 0.0, 64.0, 64.0], 0.5, &[color; 5]));
    for draw in &mut draws {
        draw.targets.color = std::array::from_fn(|number| {
            let number = u32::try_from(number).unwrap();
            (number < 5).then(|| target(number, format))
        });
    }
    draws[1].rop.blend = [
        blend(BlendEquation::Add, BlendFactor::One, BlendFactor::One),
        None,
        blend(BlendEquation::Min, BlendFactor::Zero, BlendFactor::Zero),
        blend(BlendEquation::ReverseSubtract, BlendFactor::SourceAlpha, BlendFactor::One),
        blend(BlendEquation::Add, BlendFactor::DestinationColor, BlendFactor::Zero),
        None,
        None,
        None,
    ];
    let memory = memory(&draws);
    let expected = [
        [0.75, 1.0, 1.0, 1.5],
        [0.25, 0.75, 0.25, 0.5],
        [0.25, 0.25, 0.25, 0.5],
        [0.375, -0.125, 0.625, 0.75],
        [0.125, 0.1875, 0.1875, 0.5],
    ];
    for (number, expected) in (0..).zip(expected) {
        let start = number * TARGET + (7 * SIDE + 5) * format.bytes();
        assert_eq!([0, 1, 2, 3].map(|index| word(&memory, start + 4 * index)), floats(expected), "target {number}");
    }
}

#[test]
fn chosen_colors_are_clamped_where_formats_do_not() {
    let wide = floats([2.0, -1.0, 0.5, 1.5]);
    let mut draw = colored([0.0, 0.0, 64.0, 64.0], 0.5, &[wide, wide, [0x4000_0000; 4], wide]);
    let formats =
        [ColorFormat::A32B32G32R32F, ColorFormat::A16B16G16R16F, ColorFormat::Rgba32Uint, ColorFormat::Rgba8Snorm];
    draw.targets.color =
        std::array::from_fn(|number| Some(target(u32::try_from(number).unwrap(), *formats.get(number)?)));
    draw.rop.clamped_colors = 0b1101;
    let memory = memory(&[draw]);
    let words = |number: u32, count: u32| (0..count).map(|index| word(&memory, number * TARGET + 4 * index)).collect();
    let found: [Vec<u32>; 4] = [words(0, 4), words(1, 2), words(2, 4), words(3, 1)];
    assert_eq!(found[0], [0x3f80_0000, 0, 0x3f00_0000, 0x3f80_0000]);
    assert_eq!(found[1], [0xbc00_4000, 0x3e00_3800]);
    assert_eq!(found[2], [0x4000_0000; 4]);
    assert_eq!(found[3], [0x7f40_007f]);
}
