//! Scaling against exact rational positions, and the averages that resolve multisampled surfaces.

use curie::command::builder::handles;
use curie::command::methods::{scaled_image, surfaces};
use curie::memory::layout::swizzled_offset;

use super::formats::decode;
use super::stream::{IMAGE, SWIZZLED, Scene, pixels};
use crate::common::random::Random;

/// One source position and weight in 1/256 for destination pixel `index`, from exact numbers.
fn tap(index: u32, step: f64, is_corner: bool, is_bilinear: bool, size: u32) -> (usize, usize, u32) {
    let mut position = f64::from(index) * step;
    if is_corner {
        position += step / 2.0 - if is_bilinear { 0.5 } else { 0.0 };
    }
    let last = f64::from(size - 1);
    if position < 0.0 {
        return (0, 0, 0);
    }
    let first = position.floor().min(last);
    let weight = if is_bilinear && position < last { ((position - first) * 256.0).floor() } else { 0.0 };
    (first as usize, (first + 1.0).min(last) as usize, weight as u32)
}

#[test]
fn every_scale_samples_where_the_fixed_point_says() {
    let mut random = Random::new(5);
    let size = [16u32, 10];
    let source: Vec<u8> = (0..size[0] * size[1] * 4).map(|_| random.word() as u8).collect();
    let texels = pixels(&source, 4);
    // Enlarged, reduced, odd sizes.
    for (out, step) in
        [([32, 20], [0.5, 0.5]), ([5, 3], [3.125, 3.25]), ([16, 10], [1.0, 1.0]), ([37, 7], [0.4375, 1.4375])]
    {
        for (origin, filter) in [(1, 0), (2, 0), (1, 1), (2, 1)] {
            let mut scene = Scene::new(&source, &[0; 64 * 64 * 4]);
            scene.surface(10, 256).scaled_image(3, 3);
            let fixed = step.map(|step: f64| (step * f64::from(1 << 20)) as u32);
            scene.scaled(size, 4, out, fixed, origin, filter);
            let drawn = pixels(&scene.run(), 4);
            for y in 0..out[1] {
                for x in 0..out[0] {
                    let (left, right, column) = tap(x, step[0], origin == 2, filter == 1, size[0]);
                    let (above, below, row) = tap(y, step[1], origin == 2, filter == 1, size[1]);
                    let texel = |x: usize, y: usize| texels[y * size[0] as usize + x].to_le_bytes();
                    let mixed: [u8; 4] = std::array::from_fn(|channel| {
                        let at = |x, y| u32::from(texel(x, y)[channel]);
                        let line = |y| at(left, y) * (256 - column) + at(right, y) * column;
                        ((line(above) * (256 - row) + line(below) * row + 0x8000) >> 16) as u8
                    });
                    assert_eq!(drawn[(y * 64 + x) as usize].to_le_bytes(), mixed, "{out:?} {origin} {filter}: {x} {y}");
                }
            }
        }
    }
}

#[test]
fn halving_averages_two_or_four_samples_exactly() {
    let mut random = Random::new(6);
    let source: Vec<u8> = (0..64 * 64 * 4).map(|_| random.word() as u8).collect();
    let texels = pixels(&source, 4);
    for (scale, format, name) in
        [([2u32, 2], 3, "A8R8G8B8"), ([2, 1], 3, "A8R8G8B8"), ([2, 2], 12, "A8B8G8R8"), ([1, 2], 3, "A8R8G8B8")]
    {
        let out = [64 / scale[0], 64 / scale[1]];
        let mut scene = Scene::new(&source, &[0; 64 * 64 * 4]);
        scene.surface(10, 256).scaled_image(format, 3);
        // Like a driver's resolve: positions count from corners, bilinear.
        scene.scaled([64, 64], 4, out, scale.map(|scale| scale << 20), 2, 1);
        let drawn = pixels(&scene.run(), 4);
        for y in 0..out[1] {
            for x in 0..out[0] {
                let samples = (0..scale[0] * scale[1]).map(|index| {
                    let (column, row) = (x * scale[0] + index % scale[0], y * scale[1] + index / scale[0]);
                    decode(name, texels[(row * 64 + column) as usize])
                });
                let count = scale[0] * scale[1];
                let sums = samples.fold([0; 4], |sums: [u32; 4], color| std::array::from_fn(|at| sums[at] + color[at]));
                // Halves round up.
                let mean = sums.map(|sum| (2 * sum + count) / (2 * count));
                assert_eq!(decode("A8R8G8B8", drawn[(y * 64 + x) as usize]), mean, "{scale:?}: {x} {y}");
            }
        }
    }
}

#[test]
fn halving_sixteen_bit_samples_averages_expanded_channels() {
    let mut random = Random::new(7);
    let source: Vec<u8> = (0..32 * 32 * 2).map(|_| random.word() as u8).collect();
    let texels = pixels(&source, 2);
    let mut scene = Scene::new(&source, &[0; 4096]);
    scene.surface(4, 64).scaled_image(7, 3).scaled([32, 32], 2, [16, 16], [2 << 20; 2], 2, 1);
    let drawn = pixels(&scene.run(), 2);
    for (index, &pixel) in drawn.iter().take(16).enumerate() {
        let samples = [0, 1, 32, 33].map(|offset| decode("R5G6B5", texels[index * 2 + offset]));
        let mean: [u32; 3] = std::array::from_fn(|at| (samples.iter().map(|color| color[at]).sum::<u32>() + 2) / 4);
        assert_eq!(pixel, mean[0] >> 3 << 11 | mean[1] >> 2 << 5 | mean[2] >> 3);
    }
}

#[test]
fn clip_rectangles_and_negative_points_on_linear_and_swizzled_surfaces() {
    let mut random = Random::new(8);
    let source: Vec<u8> = (0..32 * 32 * 4).map(|_| random.word() as u8).collect();
    let texels = pixels(&source, 4);
    for is_swizzled in [false, true] {
        let filler = vec![0xee; 32 * 16 * 4];
        let mut scene = Scene::new(&source, &filler);
        scene.surface(10, 128).scaled_image(3, 3);
        if is_swizzled {
            scene.stream.bind(SWIZZLED, 0x309e, handles::object(0x309e));
            scene.stream.method(SWIZZLED, surfaces::swizzled::DMA_IMAGE, handles::VRAM);
            let format = 0x0405_000a;
            scene.stream.methods(SWIZZLED, surfaces::swizzled::FORMAT, &[format, scene.destination.offset as u32]);
            scene.stream.method(IMAGE, scaled_image::SURFACE, handles::object(0x309e));
        }
        let point = |x: i16, y: i16| u32::from(x.cast_unsigned()) | u32::from(y.cast_unsigned()) << 16;
        scene.stream.methods(
            IMAGE,
            scaled_image::CLIP_POINT,
            &[point(-3, 2), point(20, 30), point(-2, -5), point(27, 18), 1 << 20, 1 << 20],
        );
        scene.stream.methods(IMAGE, scaled_image::SIZE, &[32 | 32 << 16, 128 | 1 << 16, scene.source.offset as u32, 0]);
        let drawn = scene.run();
        for y in 0..16i32 {
            for x in 0..32i32 {
                let offset = if is_swizzled {
                    swizzled_offset(x as u32, y as u32, 5, 4, 4)
                } else {
                    y as u32 * 128 + x as u32 * 4
                };
                // Clip: columns -3..17 and rows 2..32. Image: columns -2..25 and rows -5..13.
                let is_inside = x < 17 && (2..13).contains(&y);
                let expected = if is_inside { texels[((y + 5) * 32 + x + 2) as usize] } else { 0xeeee_eeee };
                let pixel = &drawn[offset as usize..][..4];
                assert_eq!(pixel, expected.to_le_bytes(), "{is_swizzled}: {x} {y}");
            }
        }
    }
}

#[test]
fn illegal_values_are_dropped_and_counted() {
    use curie::chip::Reason;
    let mut scene = Scene::new(&[1; 64], &[7; 64]);
    scene.surface(10, 64).scaled_image(3, 3).whole([4, 4], 4);
    for (method, value) in [
        (scaled_image::COLOR_FORMAT, 14),
        (scaled_image::COLOR_FORMAT, 0),
        (scaled_image::OPERATION, 6),
        (scaled_image::COLOR_CONVERSION, 3),
        (scaled_image::SIZE, 3 | 4 << 16),
        (scaled_image::SIZE, 4),
        (scaled_image::SIZE, 4 | 0x800 << 16),
        (scaled_image::FORMAT, 64 | 3 << 16),
        (scaled_image::FORMAT, 64 | 1 << 16 | 2 << 24),
    ] {
        scene.stream.method(IMAGE, method, value);
    }
    scene.stream.method(IMAGE, scaled_image::COLOR_FORMAT, 10);
    scene.stream.method(IMAGE, scaled_image::POINT, 0);
    let (_, reasons) = scene.run_with_anomalies();
    let illegal = [
        scaled_image::COLOR_CONVERSION,
        scaled_image::COLOR_FORMAT,
        scaled_image::OPERATION,
        scaled_image::SIZE,
        scaled_image::FORMAT,
    ];
    let mut expected: Vec<_> = illegal.map(|method| (0x3089, method, Reason::IllegalValue)).to_vec();
    expected.push((0x3089, scaled_image::POINT, Reason::Unsupported("a source image format without a public name")));
    assert_eq!(reasons, expected);
}
