//! Depth, stencil, layouts and several targets of the output merger, against calculations in this file; and the same
//! bytes from the kernels.
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "values are rounded and in range")]

use crate::common;
use crate::common::memory::{difference, random_memory, words_of};
use crate::common::merging::{REPLACE, SIDE, color_targets, merge, plain_rop, quads};
use crate::common::random::Random;
use curie::format::{ColorFormat, ZetaFormat};
use curie::memory::{GuestMemory, MemorySpace, MemoryWindow};
use curie::pipeline::{
    AlphaReference, AlphaTest, Blend, BlendFactor, Clear, ColorTarget, Compare, DepthTest, MAX_COLOR_TARGETS, Rect,
    RopState, SampleMode, StencilFace, StencilOp, SurfaceLayout, Targets, ZetaTarget,
};
use curie::reference::blit::clear_surface::clear_surfaces;
use curie::reference::rop::merge_pixels::merge_quad;

/// Bytes of each surface.
const SURFACE: u32 = 0x4000;
const RECT: Rect = Rect { x: 0, y: 0, width: SIDE, height: SIDE };

fn window(number: u32) -> MemoryWindow {
    MemoryWindow { space: MemorySpace::Vram, start: number * SURFACE, bytes: SURFACE }
}

fn zeta_targets(format: ZetaFormat, is_float: bool) -> Targets {
    let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * format.bytes() };
    let zeta = ZetaTarget { window: window(0), layout, format, is_float };
    Targets { color: [None; MAX_COLOR_TARGETS], zeta: Some(zeta), samples: SampleMode::One, rect: RECT }
}

fn words(memory: &GuestMemory, start: u32, bytes: u32) -> u32 {
    let stored = &memory.bytes(MemorySpace::Vram)[start as usize..(start + bytes) as usize];
    stored.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

/// The depth pixel with this number.
fn zeta_pixel(memory: &GuestMemory, format: ZetaFormat, index: u32) -> u64 {
    let [start, bytes] = [index, 1].map(|count| (count * format.bytes()) as usize);
    let stored = &memory.bytes(MemorySpace::Vram)[start..start + bytes];
    stored.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The lowest bit and the number of bits of depth, and the lowest bit of stencil.
fn zeta_places(format: ZetaFormat) -> (u32, u32, Option<u32>) {
    match format {
        ZetaFormat::Z16 => (0, 16, None),
        ZetaFormat::Z24S8 => (8, 24, Some(0)),
        ZetaFormat::X8Z24 => (0, 24, None),
        ZetaFormat::S8Z24 => (0, 24, Some(24)),
        ZetaFormat::Z32F => (0, 32, None),
        ZetaFormat::Z32FS8 => (0, 32, Some(32)),
    }
}

/// The stored value of a depth in 0..1 for each surface, by arithmetic on the value.
fn encoded(depth: f64, format: ZetaFormat, is_float: bool) -> u32 {
    let float = |exponent_bits: u32, fraction_bits: u32| {
        let bias = (1 << (exponent_bits - 1)) - 1;
        let exponent = (depth.log2().floor() as i32).max(1 - bias);
        let steps = (depth / 2f64.powi(exponent - fraction_bits as i32)).round_ties_even() as u32;
        if depth == 0.0 { 0 } else { ((exponent + bias) as u32 * (1 << fraction_bits)) + steps - (1 << fraction_bits) }
    };
    match (format, is_float) {
        (ZetaFormat::Z16, false) => (depth * 65_535.0).round() as u32,
        (ZetaFormat::Z24S8 | ZetaFormat::X8Z24 | ZetaFormat::S8Z24, false) => (depth * 16_777_215.0).round() as u32,
        (ZetaFormat::Z16, true) => float(5, 10),
        (ZetaFormat::Z24S8 | ZetaFormat::X8Z24 | ZetaFormat::S8Z24, true) => float(8, 16),
        (ZetaFormat::Z32F | ZetaFormat::Z32FS8, _) => float(8, 23),
    }
}

const COMPARES: [(Compare, [bool; 3]); 8] = [
    (Compare::Never, [false, false, false]),
    (Compare::Less, [true, false, false]),
    (Compare::Equal, [false, true, false]),
    (Compare::LessEqual, [true, true, false]),
    (Compare::Greater, [false, false, true]),
    (Compare::NotEqual, [true, false, true]),
    (Compare::GreaterEqual, [false, true, true]),
    (Compare::Always, [true, true, true]),
];

#[test]
fn depth_is_tested_and_written_in_all_formats() {
    let gpu = common::gpu();
    let mut random = Random::new(1);
    let floats = [ZetaFormat::Z16, ZetaFormat::Z24S8].map(|format| (format, true));
    for (format, is_float) in ZetaFormat::ALL.iter().map(|format| (*format, false)).chain(floats) {
        let (shift, width, _) = zeta_places(format);
        let most = u32::MAX >> (32 - width);
        for (number, (compare, outcomes)) in COMPARES.into_iter().enumerate() {
            for writes in [false, true] {
                let targets = zeta_targets(format, is_float);
                let mut memory = random_memory(&mut random);
                let count = SIDE * SIDE;
                let depths: Vec<f32> = (0..count).map(|_| random.below(1 << 12) as f32 / 4095.0).collect();
                let bounds = (0.25, 0.75);
                // Stored depths lie around the new ones, so every outcome is common.
                let stored: Vec<u32> = depths
                    .iter()
                    .map(|depth| {
                        let near = encoded(f64::from(*depth), format, is_float);
                        [near.saturating_sub(1), near, (near + 1).min(most)][random.below(3) as usize]
                    })
                    .collect();
                let before: Vec<u64> = (0..count)
                    .zip(&stored)
                    .map(|(index, value)| {
                        let other = zeta_pixel(&memory, format, index) & !(u64::from(most) << shift);
                        let pixel = other | u64::from(*value) << shift;
                        let bytes = format.bytes() as usize;
                        memory.bytes_mut(MemorySpace::Vram)[index as usize * bytes..][..bytes]
                            .copy_from_slice(&pixel.to_le_bytes()[..bytes]);
                        pixel
                    })
                    .collect();
                let rop = RopState {
                    depth_test: Some(DepthTest { compare, writes }),
                    depth_bounds: Some((0.25f32.to_bits(), 0.75f32.to_bits())),
                    counts_samples: true,
                    ..plain_rop()
                };
                let mut quads = quads(|_| [0; 4]);
                for quad in &mut quads {
                    quad.depth = [0u32, 1, 2, 3]
                        .map(|pixel| depths[((quad.y + pixel / 2) * SIDE + quad.x + pixel % 2) as usize].to_bits());
                }
                let gpu = gpu.as_ref().filter(|_| number % 3 == usize::from(writes));
                merge(gpu, &mut memory, &rop, &targets, &quads);
                for index in 0..count {
                    let old = stored[index as usize];
                    let new = encoded(f64::from(depths[index as usize]), format, is_float);
                    let is_within =
                        (encoded(bounds.0, format, is_float)..=encoded(bounds.1, format, is_float)).contains(&old);
                    let passes = is_within && outcomes[(new.cmp(&old) as i8 + 1) as usize];
                    let expected = if passes && writes { new } else { old };
                    // Stencil and unused bits stay.
                    let kept = before[index as usize] & !(u64::from(most) << shift);
                    assert_eq!(
                        zeta_pixel(&memory, format, index),
                        kept | u64::from(expected) << shift,
                        "{format:?} {is_float} {compare:?} {index} {new:x} {old:x}"
                    );
                }
            }
        }
    }
}

#[test]
fn depth_is_written_only_by_the_test_and_not_without_it() {
    let targets = zeta_targets(ZetaFormat::Z24S8, false);
    let mut memory = random_memory(&mut Random::new(9));
    let before = words_of(&memory);
    let rop = RopState { depth_bounds: Some((0, 1.0f32.to_bits())), ..plain_rop() };
    merge(None, &mut memory, &rop, &targets, &quads(|_| [0; 4]));
    assert_eq!(difference(&before, &words_of(&memory)), None);
    // The comparer detects a change of a single pixel.
    let writes = DepthTest { compare: Compare::Always, writes: true };
    let mut quad = quads(|_| [0; 4]).swap_remove(0);
    quad.coverage = 2;
    merge_quad(&mut memory, &RopState { depth_test: Some(writes), ..rop }, &targets, &quad);
    assert_eq!(difference(&before, &words_of(&memory)).map(|(byte, ..)| byte), Some(4));
}

#[test]
fn two_sided_stencil_applies_all_operations() {
    use StencilOp::{DecrementSaturate, DecrementWrap, IncrementSaturate, IncrementWrap, Invert, Keep, Replace, Zero};
    let gpu = common::gpu();
    let operations = [Keep, Zero, Replace, IncrementSaturate, DecrementSaturate, Invert, IncrementWrap, DecrementWrap];
    let result = |op, stored: i32, reference: i32| match op {
        Keep => stored,
        Zero => 0,
        Replace => reference,
        IncrementSaturate => (stored + 1).min(255),
        DecrementSaturate => (stored - 1).max(0),
        Invert => 255 - stored,
        IncrementWrap => (stored + 1) % 256,
        DecrementWrap => (stored + 255) % 256,
    };
    let mut random = Random::new(2);
    for (number, fail) in operations.into_iter().enumerate() {
        let face = |offset: usize, compare, reference, masks: [u8; 2]| StencilFace {
            compare,
            reference,
            compare_mask: masks[0],
            write_mask: masks[1],
            fail: operations[(number + offset) % 8],
            depth_fail: operations[(number + offset + 3) % 8],
            pass: operations[(number + offset + 5) % 8],
        };
        let faces = [face(0, Compare::Less, 0x35, [0xf7, 0xff]), face(1, Compare::NotEqual, 0xc2, [0x0f, 0x7e])];
        assert_eq!(faces[0].fail, fail);
        let format = [ZetaFormat::Z24S8, ZetaFormat::S8Z24, ZetaFormat::Z32FS8][number % 3];
        let (shift, width, stencil_shift) = zeta_places(format);
        let stencil_shift = stencil_shift.unwrap();
        let half = encoded(0.5, format, false);
        let targets = zeta_targets(format, false);
        let mut memory = random_memory(&mut random);
        let before: Vec<u64> = (0..SIDE * SIDE).map(|index| zeta_pixel(&memory, format, index)).collect();
        let rop = RopState {
            stencil: Some(faces),
            depth_test: Some(DepthTest { compare: Compare::GreaterEqual, writes: true }),
            ..plain_rop()
        };
        let mut quads = quads(|_| [0; 4]);
        for quad in &mut quads {
            quad.depth = [0.5f32.to_bits(); 4];
            quad.is_front_facing = (quad.x / 2 + quad.y / 2) % 2 == 0;
        }
        merge(gpu.as_ref(), &mut memory, &rop, &targets, &quads);
        for (index, old) in (0..).zip(before) {
            let is_front = (index % SIDE / 2 + index / SIDE / 2).is_multiple_of(2);
            let face = faces[usize::from(!is_front)];
            let old_depth = (old >> shift) as u32 & (u32::MAX >> (32 - width));
            let (stored, mask) = ((old >> stencil_shift) as u32 & 0xff, u32::from(face.compare_mask));
            let reference = u32::from(face.reference);
            let stencil_passes = match is_front {
                true => reference & mask < stored & mask,
                false => reference & mask != stored & mask,
            };
            let depth_passes = half >= old_depth;
            let op = match (stencil_passes, depth_passes) {
                (false, _) => face.fail,
                (true, false) => face.depth_fail,
                (true, true) => face.pass,
            };
            let value = result(op, stored as i32, reference as i32) as u32;
            let write = u32::from(face.write_mask);
            let depth = if stencil_passes && depth_passes { half } else { old_depth };
            let others = !(0xff << stencil_shift | u64::from(u32::MAX >> (32 - width)) << shift);
            let stencil = u64::from(stored & !write | value & write) << stencil_shift;
            let expected = old & others | u64::from(depth) << shift | stencil;
            assert_eq!(zeta_pixel(&memory, format, index), expected, "{number} {index} {old:x}");
        }
    }
}

#[test]
fn clears_keep_what_masks_protect() {
    for &format in ZetaFormat::ALL {
        let (shift, width, stencil_shift) = zeta_places(format);
        let mut memory = random_memory(&mut Random::new(4));
        let before = zeta_pixel(&memory, format, 0);
        let clear = Clear {
            targets: zeta_targets(format, true),
            rect: Rect { x: 0, y: 0, width: 1, height: 1 },
            color: [0; 4],
            zeta: format.pack(0x12_3456, 0xa5),
            color_mask: 0,
            clears_depth: false,
            clears_stencil: true,
            stencil_mask: 0x3c,
        };
        clear_surfaces(&mut memory, &clear);
        let stencil = |shift: Option<u32>| shift.map_or([0; 2], |shift| [0x3c, 0x24].map(|bits| bits << shift));
        let [mask, value] = stencil(stencil_shift);
        assert_eq!(zeta_pixel(&memory, format, 0), before & !mask | value, "{format:?}");
        clear_surfaces(&mut memory, &Clear { clears_depth: true, ..clear });
        let all = u64::from(u32::MAX >> (32 - width));
        let expected = before & !mask & !(all << shift) | value | (0x12_3456 & all) << shift;
        assert_eq!(zeta_pixel(&memory, format, 0), expected, "{format:?}");
    }
}

/// Interleaves the bits of two numbers, lowest first; the remaining bits of the longer number follow.
fn interleaved(x: u32, y: u32, log2: [u32; 2]) -> u32 {
    let pairs = (0..16).flat_map(|bit| [(x, 0, bit), (y, 1, bit)]);
    let bits = pairs.filter(|(_, axis, bit)| *bit < log2[*axis]).map(|(value, _, bit)| value >> bit & 1);
    bits.enumerate().fold(0, |index, (place, bit)| index | bit << place)
}

#[test]
fn swizzled_surfaces_of_all_formats() {
    let gpu = common::gpu();
    for &format in ColorFormat::ALL {
        for log2 in [[5, 4], [3, 5]] {
            let [log2_width, log2_height] = log2.map(|log2| log2 as u8);
            let layout = SurfaceLayout::swizzled(log2_width, log2_height);
            let color = color_targets(&[ColorTarget { window: window(0), layout, format }]);
            let targets = Targets { color, zeta: None, samples: SampleMode::One, rect: RECT };
            let mut memory = random_memory(&mut Random::new(8));
            let before = words_of(&memory);
            // A value that differs by pixel; blue for the formats that keep little else.
            let color = |index: u32| {
                [index as f32, index as f32 + 0.5, (index % 251) as f32 / 255.0, 3.0 * index as f32].map(f32::to_bits)
            };
            let gpu = gpu.as_ref().filter(|_| log2[0] == 3);
            merge(gpu, &mut memory, &plain_rop(), &targets, &quads(color));
            let words_per_pixel = format.bytes().div_ceil(4);
            let extra = words_per_pixel.trailing_zeros();
            let mut written = 0;
            for y in 0..1 << log2[1] {
                for x in 0..1 << log2[0] {
                    let index = y * SIDE + x;
                    for word in 0..words_per_pixel {
                        let place = interleaved(x * words_per_pixel + word, y, [log2[0] + extra, log2[1]]);
                        let value = words(&memory, place * format.bytes().min(4), format.bytes().min(4));
                        match format {
                            ColorFormat::A32B32G32R32F => assert_eq!(value, color(index)[word as usize]),
                            ColorFormat::R32F => assert_eq!(value, color(index)[0]),
                            ColorFormat::A8R8G8B8 | ColorFormat::B8 | ColorFormat::G8B8 => {
                                assert_eq!(value & 0xff, index % 251, "{} {x} {y}", format.name());
                            }
                            ColorFormat::A8B8G8R8 => assert_eq!(value >> 16 & 0xff, index % 251),
                            ColorFormat::A16B16G16R16F if word == 0 && index > 0 => {
                                assert_eq!(value & 0x7c00, (14 + 32 - index.leading_zeros()) << 10);
                            }
                            _ => {}
                        }
                    }
                    written += format.bytes();
                }
            }
            // Nothing is written behind the surface, although pixels outside its size were drawn.
            let first = written as usize / 4;
            assert_eq!(before[first..], words_of(&memory)[first..], "{}", format.name());
        }
    }
}

#[test]
fn four_targets_have_their_own_masks_and_blend_enables() {
    let gpu = common::gpu();
    let layout = SurfaceLayout::Linear { pitch_bytes: SIDE * 4 };
    let format = ColorFormat::A8R8G8B8;
    let color = color_targets(&[0, 1, 2, 3].map(|number| ColorTarget { window: window(number), layout, format }));
    let targets = Targets { color, zeta: None, samples: SampleMode::One, rect: RECT };
    let sum = Blend { destination: [BlendFactor::One; 2], ..REPLACE };
    let mut rop = RopState {
        alpha_test: Some(AlphaTest { compare: Compare::GreaterEqual, reference: AlphaReference::Byte(0x80) }),
        ..plain_rop()
    };
    rop.blend[..4].copy_from_slice(&[None, Some(sum), None, Some(sum)]);
    rop.color_mask[..4].copy_from_slice(&[0b1111, 0b0001, 0b0000, 0b1010]);
    let mut random = Random::new(6);
    let mut memory = random_memory(&mut random);
    let before = words_of(&memory);
    let bytes: Vec<[[u8; 4]; 4]> =
        (0..SIDE * SIDE).map(|_| std::array::from_fn(|_| random.word().to_le_bytes())).collect();
    let mut quads = quads(|_| [0; 4]);
    for quad in &mut quads {
        for (target, color) in quad.colors.iter_mut().take(4).enumerate() {
            *color = [0u32, 1, 2, 3].map(|pixel| {
                let index = ((quad.y + pixel / 2) * SIDE + quad.x + pixel % 2) as usize;
                bytes[index][target].map(|byte| (f32::from(byte) / 255.0).to_bits())
            });
        }
    }
    merge(gpu.as_ref(), &mut memory, &rop, &targets, &quads);
    let after = words_of(&memory);
    for target in 0..4 {
        for (index, colors) in bytes.iter().enumerate() {
            let place = target * (SURFACE as usize / 4) + index;
            let old = before[place].to_le_bytes();
            // In memory blue comes first.
            let mut expected = old;
            for (channel, place) in [2, 1, 0, 3].into_iter().enumerate() {
                let source = colors[target][channel];
                let value = if rop.blend[target].is_some() { source.saturating_add(old[place]) } else { source };
                // The alpha test of all targets reads the first color.
                if rop.color_mask[target] >> channel & 1 != 0 && colors[0][3] >= 0x80 {
                    expected[place] = value;
                }
            }
            assert_eq!(after[place].to_le_bytes(), expected, "target {target}, pixel {index}");
        }
    }
}
