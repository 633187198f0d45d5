//! State of texture units: wrap modes, comparisons, remapping, filters, anisotropy, places of texels.

use curie::command::methods::three_d::{program, texture};
use curie::memory::MemorySpace;

use super::texels::{CLAMPED, ENABLED, IN_PLACE, NEAREST, floats, scene};
use super::{Scene, TEXTURES};

/// Linear B8 of one row, two-dimensional, without border texels.
const ROW: u32 = 0x0001_a129;
/// Four texels by their distance.
const LINEAR: u32 = 0x0202_2000;

/// Red, in steps of 255.
fn reds(scene: Scene, count: u32) -> Vec<f32> {
    floats(scene, count).iter().map(|pixel| pixel[0] * 255.0).collect()
}

/// Weights have eight bits, so that a mean of bytes is at most 255/256 of a step away.
fn assert_steps(found: &[f32], expected: &[f32], name: &str) {
    let is_close = |(found, expected): (&f32, &f32)| (found - expected).abs() < 1.0;
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(is_close), "{name}: {found:?} instead of {expected:?}");
}

/// OpenGL 2.1, section 3.8.7, and `EXT_texture_mirror_clamp`, at −0.6 and 1.6 of four texels 10, 20, 30, 40 with border 99.
#[test]
fn every_wrap_mode_finds_its_texels() {
    let cases = [
        // Texel coordinates 1.1 and 1.9, counted from centers.
        (1, [21.0, 29.0]),
        (2, [29.0, 21.0]),
        (3, [10.0, 40.0]),
        (4, [99.0, 99.0]),
        // Half of the edge, half of the border.
        (5, [54.5, 69.5]),
        (6, [29.0, 40.0]),
        (7, [29.0, 99.0]),
        (8, [29.0, 69.5]),
    ];
    for (mode, expected) in cases {
        let mut scene = scene();
        scene.put(TEXTURES, &[10, 20, 30, 40]);
        let border = 99 << 16 | 99 << 8 | 99;
        scene
            .texture(1 << 20 | 64, [TEXTURES, ROW, 0x0003_0300 | mode, ENABLED, IN_PLACE, LINEAR, 4 << 16 | 1, border]);
        for (pixel, place) in [(0, -0.6), (1, 1.6)] {
            scene.pixel(pixel, 0.5, [place, 0.5, 0.0, 1.0]);
        }
        assert_steps(&reds(scene, 2), &expected, &format!("mode {mode}"));
    }
}

/// The reference of a comparison is on its left.
#[test]
fn every_comparison_of_depth() {
    let comparisons: [fn(&f32, &f32) -> bool; 8] =
        [|_, _| false, f32::gt, f32::eq, f32::ge, f32::lt, f32::ne, f32::le, |_, _| true];
    for (number, compare) in (0u32..).zip(comparisons) {
        let mut scene = scene();
        // Two texels of 16 bits, 0 and 1.
        scene.put(TEXTURES, &[0, 0, 0xff, 0xff]);
        let registers = [TEXTURES, 0x0001_b229, number << 28 | CLAMPED, ENABLED, IN_PLACE, NEAREST, 2 << 16 | 1, 0];
        scene.texture(1 << 20 | 64, registers);
        let cases = [(0.25, 0.5, 0.0), (0.75, 0.5, 1.0), (0.75, 1.0, 1.0)];
        for (pixel, (place, reference, _)) in (0u32..).zip(cases) {
            scene.pixel(pixel, 0.5, [place, 0.5, reference, 1.0]);
        }
        let found = floats(scene, 3);
        for ((_, reference, texel), found) in cases.into_iter().zip(found) {
            assert_eq!(found[0], f32::from(u8::from(compare(&reference, &texel))), "{number}: {reference} {texel}");
        }
    }
}

#[test]
fn channels_come_from_others_or_are_constants() {
    // Sources of alpha: alpha, red, green, blue; then zero and one for each channel in turn.
    let sources = [(0, 0x80), (1, 0x40), (2, 0x20), (3, 0x10)].map(|(source, value)| (0xaae4 & !3 | source, 3, value));
    let constants = [(0x0200, 3), (0x0800, 0), (0x2000, 1), (0x8000, 2)].map(|(bits, channel)| {
        let zero = 0xaae4 & !(bits | bits >> 1);
        [(zero, channel, 0), (zero | bits >> 1, channel, 0xff)]
    });
    for (swizzle, channel, expected) in sources.into_iter().chain(constants.into_iter().flatten()) {
        let mut scene = scene();
        scene.put_words(TEXTURES, &[0x8040_2010]);
        scene.texture(1 << 20 | 64, [TEXTURES, 0x0001_a529, CLAMPED, ENABLED, swizzle, NEAREST, 1 << 16 | 1, 0]);
        scene.pixel(0, 0.5, [0.5, 0.5, 0.0, 1.0]);
        let natural = [0x40, 0x20, 0x10, 0x80];
        let expected: [u32; 4] = std::array::from_fn(|c| if c == channel { expected } else { natural[c] });
        let found = floats(scene, 1)[0].map(|value| (value * 255.0).round() as u32);
        assert_eq!(found, expected, "{swizzle:#x}");
    }
}

/// Three levels of 4×4, 2×2 and 1 texels, whose rows are equal: 0 100 0 100, then 120 220, then 250.
fn levels(filter: u32, bias: f32) -> Scene {
    let mut scene = scene();
    let texels: Vec<u8> = [[0, 100, 0, 100].as_slice(), &[0, 100, 0, 100]].concat().repeat(2);
    scene.put(TEXTURES, &texels);
    scene.put(TEXTURES + 16, &[120, 220, 120, 220, 250]);
    let bias = (bias * 256.0) as i32 as u32 & 0x1fff;
    // Swizzled B8 with three levels.
    scene.texture(1 << 20, [TEXTURES, 0x0003_8129, CLAMPED, ENABLED, IN_PLACE, filter | bias, 4 << 16 | 4, 0]);
    // A texel per pixel: the level of detail is the bias. Pixel 1 is at texel coordinate 1.75.
    let corner = |x: f32, y: f32| ([x, y], 0.5, [(x + 0.25) / 4.0, 0.5, 0.0, 1.0]);
    scene.draw(8, &[corner(0.0, 0.0), corner(4.0, 0.0), corner(4.0, 4.0), corner(0.0, 4.0)]);
    scene
}

#[test]
fn every_minification_filter_mixes_texels_and_levels() {
    // Level 0: the nearest texel has 100, four have a quarter less. Level 1, at 0.875: 120, and 120·5/8 + 220·3/8.
    let cases = [
        (1, 100.0),
        (2, 75.0),
        (3, 120.0),
        (4, 157.5),
        (5, 100.0 / 4.0 + 120.0 * 3.0 / 4.0),
        (6, 75.0 / 4.0 + 157.5 * 3.0 / 4.0),
        // Quincunx around texel 1: half of it, and an eighth of each of four others, none of which is above 100.
        (7, 50.0),
    ];
    for (filter, expected) in cases {
        let found = reds(levels(0x0100_2000 | filter << 16, 0.75), 2)[1];
        assert_steps(&[found], &[expected], &format!("filter {filter}"));
    }
}

#[test]
fn every_magnification_filter_mixes_texels() {
    for (filter, expected) in [(1, 100.0), (2, 75.0), (4, 50.0)] {
        let found = reds(levels(0x0001_2000 | filter << 24, -1.0), 2)[1];
        assert_steps(&[found], &[expected], &format!("filter {filter}"));
    }
}

/// The kernels around texel (1, 1) of rows 0 16 32, 64 80 96, 128 144 160, as known unknowns state them. Quincunx weighs the
/// texel by 4 of 8, and its neighbors at the sides and in the row below by 1 each. The Gaussian weighs it by 4 of 16, sides by 2 and
/// corners by 1. The alternative quincunx takes the corners above instead.
#[test]
fn every_convolution_has_its_kernel() {
    let cases = [
        (1, (64.0 + 4.0 * 80.0 + 96.0 + 128.0 + 160.0) / 8.0),
        (2, 80.0),
        (3, (0.0 + 32.0 + 64.0 + 4.0 * 80.0 + 96.0) / 8.0),
    ];
    for (kernel, expected) in cases {
        let mut scene = scene();
        for row in 0..3 {
            scene.put(TEXTURES + 64 * row, &[0, 16, 32].map(|value| value + 64 * row as u8));
        }
        let filter = 0x0407_0000 | kernel << 13;
        scene.texture(1 << 20 | 64, [TEXTURES, ROW, CLAMPED, ENABLED, IN_PLACE, filter, 3 << 16 | 3, 0]);
        scene.pixel(0, 0.5, [0.5, 0.5, 0.0, 1.0]);
        assert_steps(&reds(scene, 1), &[expected], &format!("kernel {kernel}"));
    }
}

/// `EXT_texture_filter_anisotropic`: with n samples along a footprint of sixteen texels by one, the level is that of
/// 16/n texels. Level l of seven has 40·l everywhere.
#[test]
fn every_anisotropy_takes_a_finer_level() {
    for (code, samples) in (0u32..).zip([1.0f32, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0]) {
        let mut scene = scene();
        let mut offset = TEXTURES;
        for level in 0..7u32 {
            let texels = (64u32 >> level).pow(2) as usize;
            scene.put(offset, &vec![40 * level as u8; texels]);
            offset += texels as u32;
        }
        let registers =
            [TEXTURES, 0x0007_8129, 0x0001_0101, ENABLED | code << 4, IN_PLACE, 0x0206_2000, 64 << 16 | 64, 0];
        scene.texture(1 << 20, registers);
        let corner = |x: f32, y: f32| ([x, y], 0.5, [x * 16.0 / 64.0, y / 64.0, 0.0, 1.0]);
        scene.draw(8, &[corner(0.0, 0.0), corner(4.0, 0.0), corner(4.0, 4.0), corner(0.0, 4.0)]);
        let expected = 40.0 * (16.0 / samples).log2();
        assert_steps(&reds(scene, 1), &[expected], &format!("code {code}"));
    }
}

/// A unit's registers are 32 bytes apart; rows are a pitch apart; slices of a volume follow each other.
#[test]
fn texels_lie_by_pitch_and_depth() {
    let mut scene = scene();
    scene.put(TEXTURES + 192, &[50]);
    scene.texture(1 << 20 | 192, [TEXTURES, ROW, CLAMPED, ENABLED, IN_PLACE, NEAREST, 1 << 16 | 2, 0]);
    scene.pixel(0, 0.5, [0.5, 0.75, 0.0, 1.0]);
    // Four slices of one texel each; the second half of the third coordinate.
    scene.put(TEXTURES + 512, &[1, 2, 3, 4]);
    let registers = [TEXTURES + 512, 0x0001_8139, CLAMPED, ENABLED, IN_PLACE, NEAREST, 1 << 16 | 1, 0];
    scene.texture(4 << 20, registers);
    scene.pixel(1, 0.5, [0.5, 0.5, 0.7, 1.0]);
    assert_steps(&reds(scene, 2), &[50.0, 3.0], "texels");
}

/// The window of a unit: video memory by the first, system memory by the second.
#[test]
fn both_windows_hold_textures() {
    let mut scene = scene();
    let buffer = scene.capture.buffer(MemorySpace::Gart, 4096);
    scene.capture.write(&buffer, &[70; 64]);
    scene.put(TEXTURES, &[30]);
    scene.texture(1 << 20 | 64, [TEXTURES, ROW, CLAMPED, ENABLED, IN_PLACE, NEAREST, 1 << 16 | 1, 0]);
    scene.pixel(0, 0.5, [0.5, 0.5, 0.0, 1.0]);
    let address = u32::try_from(buffer.offset).unwrap();
    scene.set(texture::TEX_OFFSET, &[address, ROW & !3 | 2]);
    scene.pixel(1, 0.5, [0.5, 0.5, 0.0, 1.0]);
    assert_steps(&reds(scene, 2), &[30.0, 70.0], "windows");
}

#[test]
fn both_windows_hold_programs() {
    let mut scene = scene();
    let buffer = scene.capture.buffer(MemorySpace::Gart, 4096);
    let bytes: Vec<u8> = super::COPY_COORDINATE.iter().flat_map(|word| word.to_le_bytes()).collect();
    scene.capture.write(&buffer, &bytes);
    scene.set(program::FP_ACTIVE_PROGRAM, &[u32::try_from(buffer.offset).unwrap() | 2]);
    scene.pixel(0, 0.5, [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(floats(scene, 1)[0], [0.25, 0.5, 0.75, 1.0]);
}
