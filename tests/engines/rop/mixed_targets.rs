//! Targets of different formats and blends in one draw: against calculations, and both engines against each other.

use super::pixels::{random_float, random_rop};
use crate::common;
use crate::common::memory::{random_memory, words_of};
use crate::common::merging::{REPLACE, SIDE, color_targets, merge, plain_rop, quads};
use crate::common::nightly::cases;
use crate::common::random::Random;
use curie::format::{ColorFormat, ZetaFormat};
use curie::memory::block_linear::BlockLinear;
use curie::memory::{MemorySpace, MemoryWindow};
use curie::pipeline::{
    Blend, BlendEquation, BlendFactor, ColorTarget, LayoutKind, Rect, RopState, SampleMode, SurfaceLayout, Targets,
    ZetaTarget,
};

/// Bytes of each surface: those of the largest pixels.
const SURFACE: u32 = SIDE * SIDE * 16;
const LAYOUTS: [LayoutKind; 3] = [LayoutKind::Linear, LayoutKind::Swizzled, LayoutKind::BlockLinear];
const RECT: Rect = Rect { x: 0, y: 0, width: SIDE, height: SIDE };

fn target(number: u32, format: ColorFormat, kind: LayoutKind) -> ColorTarget {
    let layout = match kind {
        LayoutKind::Linear => SurfaceLayout::Linear { pitch_bytes: SIDE * format.bytes() },
        LayoutKind::Swizzled => SurfaceLayout::swizzled(5, 5),
        LayoutKind::BlockLinear => {
            let blocks = BlockLinear { size: [SIDE * format.bytes(), SIDE, 1], log2_block: [0, 1, 0] };
            SurfaceLayout::BlockLinear { blocks, slice: 0 }
        }
    };
    let window = MemoryWindow { space: MemorySpace::Vram, start: number * SURFACE, bytes: SURFACE };
    ColorTarget { window, layout, format }
}

#[test]
fn each_target_has_its_own_equation_and_constant() {
    let formats =
        [ColorFormat::A8R8G8B8, ColorFormat::R5G6B5, ColorFormat::A16B16G16R16F, ColorFormat::R32F].into_iter();
    let targets: Vec<_> =
        (0..).zip(formats).map(|(number, format)| target(number, format, LayoutKind::Linear)).collect();
    let targets = Targets { color: color_targets(&targets), zeta: None, samples: SampleMode::One, rect: RECT };
    let over = Blend {
        source: [BlendFactor::SourceAlpha; 2],
        destination: [BlendFactor::OneMinusSourceAlpha; 2],
        equation: [BlendEquation::Add; 2],
    };
    let sum = Blend { source: [BlendFactor::ConstantColor; 2], destination: [BlendFactor::One; 2], ..REPLACE };
    let difference = Blend { equation: [BlendEquation::Subtract; 2], ..sum };
    let mut rop = RopState {
        blend_color: [255, 51, 0, 9],
        float_blend_color: [2.0f32, 0.5, 1.0, 4.0].map(f32::to_bits),
        ..plain_rop()
    };
    rop.blend[..4].copy_from_slice(&[Some(over), Some(sum), Some(difference), Some(over)]);
    let mut memory = random_memory(&mut Random::new(1));
    // Bytes 200, 0, 255, 100 of alpha, red, green, blue; fields 3, 10, 31; halves 0.5, 1, −2, 0.25.
    let stored: [(u32, &[u8]); 4] = [
        (0, &[100, 255, 0, 200]),
        (SURFACE, &(3u16 << 11 | 10 << 5 | 31).to_le_bytes()),
        (2 * SURFACE, &[0x00, 0x38, 0x00, 0x3c, 0x00, 0xc0, 0x00, 0x34]),
        (3 * SURFACE, &2f32.to_le_bytes()),
    ];
    for (start, bytes) in stored {
        memory.bytes_mut(MemorySpace::Vram)[start as usize..][..bytes.len()].copy_from_slice(bytes);
    }
    let mut quad = quads(|_| [0; 4]).swap_remove(0);
    quad.coverage = 1;
    let sources = [[1.0f32, 0.2, 0.0, 0.2], [1.0, 1.0, 1.0, 0.0], [1.0, 3.0, -1.5, 0.5], [7.25, 0.0, 0.0, 0.5]];
    for (color, source) in quad.colors.iter_mut().zip(sources) {
        color[0] = source.map(f32::to_bits);
    }
    merge(common::gpu().as_ref(), &mut memory, &rop, &targets, &[quad]);
    let words = words_of(&memory);
    let word = |start: u32| words[start as usize / 4];
    // A fifth of (255, 51, 0, 51) and four fifths of what was stored: 51, 10.2 + 204, 80, 10.2 + 160.
    assert_eq!(word(0), 170 << 24 | 51 << 16 | 214 << 8 | 80);
    // The constant and what was stored, as bytes (25, 40, 255): 255, 51 + 40 = 91 of 255, which is 22 of 63, and 255.
    assert_eq!(word(SURFACE) & 0xffff, 31 << 11 | 22 << 5 | 31);
    // 2 − 0.5 = 1.5, 1.5 − 1 = 0.5, −1.5 + 2 = 0.5, 2 − 0.25 = 1.75.
    assert_eq!([word(2 * SURFACE), word(2 * SURFACE + 4)], [0x3800_3e00, 0x3f00_3800]);
    assert_eq!(word(3 * SURFACE), 4.625f32.to_bits(), "halves of 7.25 and 2");
}

#[test]
fn targets_of_random_formats_and_blends_agree() {
    let gpu = common::gpu();
    let mut mixed = 0;
    let states = cases(24, 64);
    for seed in 0..states {
        let mut random = Random::new(seed);
        let mut memory = random_memory(&mut random);
        let colors: [ColorTarget; 3] = std::array::from_fn(|index| {
            target(u32::try_from(index).unwrap(), random.pick(ColorFormat::ALL), random.pick(&LAYOUTS))
        });
        let window = MemoryWindow { space: MemorySpace::Vram, start: 3 * SURFACE, bytes: SURFACE };
        let format = random.pick(ZetaFormat::ALL);
        let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * format.bytes() };
        let zeta = ZetaTarget { window, layout, format, is_float: random.flag() };
        let targets = Targets {
            color: color_targets(&colors),
            zeta: random.flag().then_some(zeta),
            samples: SampleMode::One,
            rect: RECT,
        };
        let rop = random_rop(&mut random);
        let mut quads = quads(|_| [0; 4]);
        for quad in &mut quads {
            quad.depth = [(); 4].map(|()| random_float(&mut random));
            quad.colors.as_flattened_mut().as_flattened_mut().fill_with(|| random_float(&mut random));
        }
        let before = words_of(&memory);
        merge(gpu.as_ref(), &mut memory, &rop, &targets, &quads);
        let differs = |a: usize, b: usize| colors[a].format != colors[b].format && rop.blend[a] != rop.blend[b];
        let is_mixed = differs(0, 1) || differs(1, 2) || differs(0, 2);
        mixed += u64::from(is_mixed && before != words_of(&memory));
    }
    assert!(mixed > states / 2, "only {mixed} draws have different formats and blends");
}
