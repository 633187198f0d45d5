//! Operations, factors, patterns and color keys against a calculation pixel by pixel.

use curie::command::builder::handles;
use curie::command::methods::pixel_context::{beta, beta4, pattern, rop};
use curie::command::methods::scaled_image;

use super::formats::decode;
use super::stream::{IMAGE, Scene, pixels};
use crate::common::random::Random;

const CONTEXT: u8 = 5;

/// Sets a method of a context object and binds the object to the scaled image.
fn context(scene: &mut Scene, class: u32, slot: u16, methods: &[(u16, u32)]) {
    scene.stream.bind(CONTEXT, class, handles::object(class));
    for &(method, value) in methods {
        scene.stream.method(CONTEXT, method, value);
    }
    scene.stream.method(IMAGE, slot, handles::object(class));
}

/// 32×32 random pixels and the pixels below them; some alphas are 0 and 255.
fn random_pixels(seed: u64) -> (Vec<u32>, Vec<u32>) {
    let mut random = Random::new(seed);
    let mut pixel = || match random.below(4) {
        0 => random.word() & 0x00ff_ffff,
        1 => random.word() | 0xff00_0000,
        _ => random.word(),
    };
    ((0..1024).map(|_| pixel()).collect(), (0..1024).map(|_| pixel()).collect())
}

fn bytes(pixels: &[u32]) -> Vec<u8> {
    pixels.iter().flat_map(|pixel| pixel.to_le_bytes()).collect()
}

/// Draws random pixels over random pixels with an operation; calls `check` with source, surface and result.
fn drawn(operation: u32, set_up: impl FnOnce(&mut Scene), mut check: impl FnMut(usize, u32, u32, u32)) {
    let (source, below) = random_pixels(u64::from(operation) + 40);
    let mut scene = Scene::new(&bytes(&source), &bytes(&below));
    scene.surface(10, 128).scaled_image(3, operation);
    set_up(&mut scene);
    scene.whole([32, 32], 4);
    for (index, drawn) in pixels(&scene.run(), 4).into_iter().take(1024).enumerate() {
        check(index, source[index], below[index], drawn);
    }
}

/// Rounds a fraction of 255 to nearest.
fn nearest(value: f64) -> u32 {
    (value + 1e-9).round() as u32
}

fn per_channel(function: impl Fn(usize) -> u32) -> u32 {
    let color: [u32; 4] = std::array::from_fn(function);
    color[3] << 24 | color[0] << 16 | color[1] << 8 | color[2]
}

#[test]
fn source_copy_and_leaves_out_transparent_pixels() {
    // The table of another operation has no part in it.
    let set_up = |scene: &mut Scene| context(scene, 0x43, scaled_image::ROP, &[(rop::ROP, 0x55)]);
    drawn(0, set_up, |at, source, below, drawn| {
        assert_eq!(drawn, if source >> 24 == 0 { below } else { source }, "{at}");
    });
}

#[test]
fn rop_and_with_every_truth_table() {
    // The GDI names: black, not (source or surface), invert, xor, and, copy, or, pattern copy, pattern invert, white.
    type Operation = fn(u32, u32, u32) -> u32;
    let tables: [(u32, Operation); 10] = [
        (0x00, |_, _, _| 0),
        (0x11, |_, s, d| !(s | d)),
        (0x55, |_, _, d| !d),
        (0x66, |_, s, d| s ^ d),
        (0x88, |_, s, d| s & d),
        (0xcc, |_, s, _| s),
        (0xee, |_, s, d| s | d),
        (0xf0, |p, _, _| p),
        (0x5a, |p, _, d| p ^ d),
        (0xff, |_, _, _| u32::MAX),
    ];
    for (table, function) in tables {
        let set_up = |scene: &mut Scene| {
            context(scene, 0x43, scaled_image::ROP, &[(rop::ROP, table)]);
            let color = (0..64u32).map(|cell| (pattern::COLOR_X8R8G8B8 + 4 * cell as u16, cell * 0x03_0201));
            context(scene, 0x44, scaled_image::PATTERN, &color.chain([(pattern::SELECT, 2)]).collect::<Vec<_>>());
        };
        drawn(1, set_up, |at, source, below, drawn| {
            let cell = ((at as u32 / 32) & 7) << 3 | (at as u32 & 7);
            let pattern = 0xff00_0000 | (cell * 0x03_0201);
            let expected = if source >> 24 == 0 { below } else { function(pattern, source, below) };
            assert_eq!(drawn, expected, "table {table:#x} pixel {at}");
        });
    }
}

#[test]
fn patterns_of_bits_in_every_shape_and_order() {
    let bits = [0x8421_0ff1u32, 0x1357_9bdf];
    for (shape, order) in [(0, 2), (1, 2), (2, 2), (0, 1)] {
        let set_up = |scene: &mut Scene| {
            context(scene, 0x43, scaled_image::ROP, &[(rop::ROP, 0xf0)]);
            let methods = [
                (pattern::COLOR_FORMAT, 1),
                (pattern::BITMAP_FORMAT, order),
                (pattern::BITMAP_SHAPE, shape),
                (pattern::SELECT, 1),
                (pattern::BITMAP_COLOR, 0x00ff_0000 | 17 << 11),
                (pattern::BITMAP_COLOR + 4, 0x0000_ffff),
                (pattern::BITMAP, bits[0]),
                (pattern::BITMAP + 4, bits[1]),
            ];
            context(scene, 0x44, scaled_image::PATTERN, &methods);
        };
        drawn(1, set_up, |at, source, below, drawn| {
            let (x, y) = (at % 32, at / 32);
            let bit = [(y & 7) * 8 + (x & 7), x & 63, y & 63][shape as usize];
            // The other order counts the bits of a byte from the highest.
            let bit = if order == 1 { bit ^ 7 } else { bit };
            let is_set = bits[bit / 32] >> (bit % 32) & 1 != 0;
            // Set bits have a color without alpha: nothing is written there.
            let expected = if source >> 24 == 0 || is_set { below } else { 0xff8c_0000 };
            assert_eq!(drawn, expected, "shape {shape} order {order} pixel {at}");
        });
    }
}

/// Formats of the two colors of a pattern: 10, 20 and 30 of 31 or 63 expand to eight bits by repeating their high bits.
#[test]
fn patterns_have_two_colours_in_every_format() {
    let colors = [
        (1, 0x00ff_0000 | 10 << 11 | 20 << 5 | 30, 0xff52_51f7),
        (2, 0x8000 | 10 << 10 | 20 << 5 | 30, 0xff52_a5f7),
        (3, 0xff12_3456, 0xff12_3456),
    ];
    for (format, word, expected) in colors {
        let set_up = |scene: &mut Scene| {
            context(scene, 0x43, scaled_image::ROP, &[(rop::ROP, 0xf0)]);
            let methods =
                [(pattern::COLOR_FORMAT, format), (pattern::BITMAP_COLOR, word), (pattern::BITMAP_COLOR + 4, word)];
            context(scene, 0x44, scaled_image::PATTERN, &methods);
        };
        drawn(1, set_up, |at, source, below, drawn| {
            assert_eq!(drawn, if source >> 24 == 0 { below } else { expected }, "format {format} pixel {at}");
        });
    }
}

#[test]
fn patterns_take_colours_in_every_format() {
    for (method, word, expected) in [
        (pattern::COLOR_Y8, 0x4433_2211, [0xff11_1111u32, 0xff22_2222, 0xff33_3333, 0xff44_4444]),
        (pattern::COLOR_R5G6B5, 0x07e0_8400, [0xff84_8200, 0xff00_ff00, 0xff00_0000, 0xff00_0000]),
        (pattern::COLOR_X1R5G5B5, 0x83e0_4200, [0xff84_8400, 0xff00_ff00, 0xff00_0000, 0xff00_0000]),
        (pattern::COLOR_X8R8G8B8, 0x1212_3456, [0xff12_3456, 0xff00_0000, 0xff00_0000, 0xff00_0000]),
    ] {
        let set_up = |scene: &mut Scene| {
            context(scene, 0x43, scaled_image::ROP, &[(rop::ROP, 0xf0)]);
            context(scene, 0x44, scaled_image::PATTERN, &[(pattern::SELECT, 2), (method, word)]);
        };
        drawn(1, set_up, |at, source, _, drawn| {
            if at < 4 && source >> 24 != 0 {
                assert_eq!(drawn, expected[at], "{method:#x} cell {at}");
            }
        });
    }
}

#[test]
fn blend_and_by_alpha_times_beta() {
    for (fixed, factor) in [(0x4000_0000u32, 128u32), (0x7fff_ffff, 255), (0x8000_0000, 0), (0x2aaa_aaaa, 85)] {
        let set_up = |scene: &mut Scene| context(scene, 0x12, scaled_image::BETA, &[(beta::BETA_1D31, fixed)]);
        drawn(2, set_up, |at, source, below, drawn| {
            let (s, d) = (decode("A8R8G8B8", source), decode("A8R8G8B8", below));
            let weight = nearest(f64::from(s[3]) * f64::from(factor) / 255.0);
            let mix = |at: usize| f64::from(s[at] * weight + d[at] * (255 - weight)) / 255.0;
            assert_eq!(drawn, per_channel(|at| nearest(mix(at))), "beta {factor} pixel {at}: {source:x} {below:x}");
        });
    }
}

#[test]
fn premultiplied_operations_by_four_factors() {
    for factors in [0x80ff_4000u32, 0xffff_ffff, 0x0000_0000, 0x7f10_c8fe] {
        for operation in [4, 5] {
            let set_up =
                |scene: &mut Scene| context(scene, 0x72, scaled_image::BETA4, &[(beta4::BETA_FACTOR, factors)]);
            drawn(operation, set_up, |at, source, below, drawn| {
                let [s, d, f] = [source, below, factors].map(|color| decode("A8R8G8B8", color));
                let scaled = |at: usize| nearest(f64::from(s[at] * f[at]) / 255.0);
                let rest = 255 - scaled(3);
                let expected = per_channel(|at| match operation {
                    4 => scaled(at),
                    _ => (scaled(at) + nearest(f64::from(d[at] * rest) / 255.0)).min(255),
                });
                assert_eq!(drawn, expected, "{operation} {factors:#x} pixel {at}");
            });
        }
    }
}

#[test]
fn a_null_object_switches_a_factor_off() {
    let set_up = |scene: &mut Scene| {
        context(scene, 0x72, scaled_image::BETA4, &[(beta4::BETA_FACTOR, 0)]);
        scene.stream.method(IMAGE, scaled_image::BETA4, 0);
    };
    drawn(4, set_up, |_, source, _, drawn| assert_eq!(drawn, source));
}

#[test]
fn blending_without_channels_is_refused() {
    use curie::chip::Reason;
    let mut scene = Scene::new(&[1; 64], &[7; 64]);
    scene.surface(11, 16).scaled_image(3, 2).whole([4, 4], 4);
    let (_, reasons) = scene.run_with_anomalies();
    let [(0x3089, scaled_image::POINT, Reason::Engine(message))] = &reasons[..] else { panic!("{reasons:?}") };
    assert!(message.contains("no public source"), "{message}");
}
