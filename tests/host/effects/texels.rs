//! Texture formats: what the channels of a texel are.

use curie::command::methods::three_d::targets;

use super::{COLOR, SIDE, Scene, TEXTURES};

/// Repeats nothing: both coordinates are clamped to the edge.
pub(super) const CLAMPED: u32 = 0x0003_0303;
/// Every channel from itself.
pub(super) const IN_PLACE: u32 = 0xaae4;
/// The nearest texel of level 0.
pub(super) const NEAREST: u32 = 0x0101_2000;
/// Enabled, without limits to the level.
pub(super) const ENABLED: u32 = 0x8007_ff80;

const fn byte(value: u32) -> f32 {
    value as f32 / 255.0
}

/// Five and six bits are expanded to eight as RPCS3 expands them for filtering: (527v + 23) / 64, (259v + 33) / 64.
const fn five(value: u32) -> f32 {
    byte((value * 527 + 23) >> 6)
}
const fn six(value: u32) -> f32 {
    byte((value * 259 + 33) >> 6)
}
const fn four(value: u32) -> f32 {
    value as f32 / 15.0
}

/// Formats of colors: number, bytes of two texels, and red, green, blue and alpha of the second.
#[rustfmt::skip]
const COLORS: [(u32, &[u8], [f32; 4]); 20] = [
    (0x01, &[1, 0x5a], [byte(0x5a), byte(0x5a), byte(0x5a), 1.0]),
    // 1, 10, 20, 30; 2, 4, 8, 12; 10, 20, 30.
    (0x02, &[0, 0, 0x9e, 0xaa], [five(10), five(20), five(30), 1.0]),
    (0x03, &[0, 0, 0x8c, 0x24], [four(4), four(8), four(12), four(2)]),
    (0x04, &[0, 0, 0x9e, 0x52], [five(10), six(20), five(30), 1.0]),
    (0x05, &[0, 0, 0, 0, 0x10, 0x20, 0x40, 0x80], [byte(0x40), byte(0x20), byte(0x10), byte(0x80)]),
    (0x0b, &[0, 0, 0x20, 0x40], [byte(0x20), byte(0x40), byte(0x20), byte(0x40)]),
    // A pair shares green and blue: R0 B R1 G, and B R0 G R1.
    (0x0d, &[0x10, 0x20, 0x40, 0x80], [byte(0x40), byte(0x80), byte(0x20), 1.0]),
    (0x0e, &[0x10, 0x20, 0x40, 0x80], [byte(0x80), byte(0x40), byte(0x10), 1.0]),
    // 20 of six bits, 10 and 30 of five.
    (0x0f, &[0, 0, 0x5e, 0x51], [six(20), five(10), five(30), 1.0]),
    (0x14, &[0, 0, 0x40, 0x40], [1.0, byte(0x40), 1.0, byte(0x40)]),
    (0x15, &[0, 0, 0, 0, 0x40, 0x40, 0x80, 0x80], [byte(0x40), byte(0x80), byte(0x40), byte(0x80)]),
    // 10, 20, 30 and 0 in the lowest bit.
    (0x17, &[0, 0, 0x3c, 0x55], [five(10), five(20), five(30), 0.0]),
    (0x18, &[0, 0, 0x20, 0x40], [byte(0x40), byte(0x20), byte(0x40), byte(0x20)]),
    (0x19, &[0, 0, 0x81, 0x7f], [1.0, -1.0, 1.0, -1.0]),
    (0x1a, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0x34, 0, 0x38, 0, 0xbc, 0, 0x40], [0.25, 0.5, -1.0, 2.0]),
    (
        0x1b,
        &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3e, 0, 0, 0, 0x3f, 0, 0, 0x80, 0xbf, 0, 0, 0, 0x40],
        [0.25, 0.5, -1.0, 2.0],
    ),
    (0x1c, &[0, 0, 0, 0, 0, 0, 0x80, 0xbe], [-0.25; 4]),
    (0x1d, &[0, 0, 0x9e, 0x2a], [five(10), five(20), five(30), 1.0]),
    (0x1e, &[0, 0, 0, 0, 0x10, 0x20, 0x40, 0x80], [byte(0x40), byte(0x20), byte(0x10), 1.0]),
    (0x1f, &[0, 0, 0, 0, 0, 0x34, 0, 0x38], [0.25, 0.5, 0.25, 0.5]),
];

/// A scene with a target of single floats that fetches from unit 0.
pub(super) fn scene() -> Scene {
    let mut scene = Scene::new();
    scene.set(targets::RT_FORMAT, &[0x14c, SIDE * 16]);
    scene.fetches();
    scene
}

/// Pixels of a target of single floats, by row.
pub(super) fn floats(scene: Scene, count: u32) -> Vec<[f32; 4]> {
    let words = scene.run().words(COLOR, 4 * count);
    words.as_chunks::<4>().0.iter().map(|pixel| pixel.map(f32::from_bits)).collect()
}

/// Every value is exact but for the rounding of single precision.
fn assert_close(found: [f32; 4], expected: [f32; 4], name: &str) {
    let is_close = |(found, expected): (f32, f32)| (found - expected).abs() <= expected.abs() / f32::from(1u16 << 15);
    assert!(found.into_iter().zip(expected).all(is_close), "{name}: {found:?} instead of {expected:?}");
}

#[test]
fn every_color_format_has_its_channels() {
    for (format, bytes, expected) in COLORS {
        let mut scene = scene();
        scene.put(TEXTURES, bytes);
        // Linear, two-dimensional, without border texels; two texels of one row.
        let word = format << 8 | 0x0001_a029;
        scene.texture(1 << 20 | 64, [TEXTURES, word, CLAMPED, ENABLED, IN_PLACE, NEAREST, 2 << 16 | 1, 0]);
        scene.pixel(0, 0.5, [0.75, 0.5, 0.0, 1.0]);
        assert_close(floats(scene, 1)[0], expected, &format!("format {format:#x}"));
    }
}

/// The second texel of a block between red and blue: two parts of red and one of blue, rounded to nearest.
#[test]
fn compressed_blocks_mix_their_ends() {
    let color = [0x00, 0xf8, 0x1f, 0x00, 0b1000, 0, 0, 0];
    // A nibble of alpha per texel; ends of 200 and 100 with index 2: (6·200 + 100) / 7 = 185.7.
    let nibbles = [0x90, 0, 0, 0, 0, 0, 0, 0];
    let ends = [200, 100, 0b1_0000, 0, 0, 0, 0, 0];
    let cases = [
        (0x06, color.to_vec(), 1.0),
        (0x07, [nibbles, color].concat(), four(9)),
        (0x08, [ends, color].concat(), byte(186)),
    ];
    for (format, block, alpha) in cases {
        let mut scene = scene();
        scene.put(TEXTURES, &block);
        let word = format << 8 | 0x0001_8029;
        scene.texture(1 << 20, [TEXTURES, word, CLAMPED, ENABLED, IN_PLACE, NEAREST, 4 << 16 | 4, 0]);
        scene.pixel(0, 0.5, [1.5 / 4.0, 0.5 / 4.0, 0.0, 1.0]);
        assert_close(floats(scene, 1)[0], [byte(170), 0.0, byte(85), alpha], &format!("format {format:#x}"));
    }
}

/// Depth formats compare: the reference is in front of a texel of one half, or behind it.
#[test]
fn every_depth_format_is_compared() {
    // A half of 24 bits and of 16; the exponent and mantissa of 0.5 with 24 bits, and as a half float.
    let cases: [(u32, &[u8]); 4] = [
        (0x10, &[0, 0, 0, 0, 0xff, 0, 0, 0x80]),
        (0x11, &[0, 0, 0, 0, 0xff, 0, 0, 0x7e]),
        (0x12, &[0, 0, 0, 0x80]),
        (0x13, &[0, 0, 0, 0x38]),
    ];
    for (format, bytes) in cases {
        let mut scene = scene();
        scene.put(TEXTURES, bytes);
        let word = format << 8 | 0x0001_a029;
        // LEQUAL: the reference is at most the texel.
        let wrap = 6 << 28 | CLAMPED;
        scene.texture(1 << 20 | 64, [TEXTURES, word, wrap, ENABLED, IN_PLACE, NEAREST, 2 << 16 | 1, 0]);
        scene.pixel(0, 0.5, [0.75, 0.5, 0.49, 1.0]);
        scene.pixel(1, 0.5, [0.75, 0.5, 0.51, 1.0]);
        let found = floats(scene, 2);
        assert_eq!([found[0][0], found[1][0]], [1.0, 0.0], "format {format:#x}");
    }
}
