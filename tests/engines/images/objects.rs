//! Images from the processor, blits, rectangles, bitmaps, clip rectangles, color keys, notifiers.

use curie::chip::Reason;
use curie::command::builder::handles;
use curie::command::methods::pixel_context::{beta, beta4, clip, color_key, pattern, rop};
use curie::command::methods::{blit, image_upload, rectangles, scaled_image, surfaces, texture_upload};
use curie::memory::layout::swizzled_offset;

use super::stream::{IMAGE, SWIZZLED, Scene, pixels};
use crate::common::random::Random;

const CONTEXT: u8 = 5;
const OBJECT: u8 = 6;

fn point(x: i16, y: i16) -> u32 {
    u32::from(x.cast_unsigned()) | u32::from(y.cast_unsigned()) << 16
}

fn size(width: u32, height: u32) -> u32 {
    width | height << 16
}

/// A scene with a 32×32 destination surface of A8R8G8B8 filled with 0xee, and an object of a class on it.
fn scene(class: u32, surface_slot: u16) -> Scene {
    let mut scene = Scene::new(&[0; 4], &[0xee; 4096]);
    scene.surface(10, 128);
    scene.stream.bind(OBJECT, class, handles::object(class));
    scene.stream.method(OBJECT, surface_slot, handles::object(0x62));
    scene
}

fn assert_pixels(drawn: &[u8], expected: impl Fn(i32, i32) -> Option<u32>) {
    for (index, pixel) in pixels(drawn, 4).into_iter().take(1024).enumerate() {
        let (x, y) = (index as i32 % 32, index as i32 / 32);
        assert_eq!(pixel, expected(x, y).unwrap_or(0xeeee_eeee), "{x} {y}");
    }
}

#[test]
fn images_from_the_processor_in_every_format() {
    let mut random = Random::new(9);
    for (code, bytes) in [(1, 2u32), (2, 2), (3, 2), (4, 4), (5, 4), (6, 4), (7, 4)] {
        // An odd width: rows of two bytes end in half a word.
        let (width, height) = (7, 5);
        let row_words = (width * bytes).div_ceil(4);
        let words: Vec<u32> = (0..row_words * height).map(|_| random.word()).collect();
        let mut scene = scene(0x308a, image_upload::SURFACE);
        scene.stream.methods(
            OBJECT,
            image_upload::COLOR_FORMAT,
            &[code, point(-2, 3), size(6, 4), size(width, height)],
        );
        scene.stream.methods(OBJECT, image_upload::COLOR, &words);
        assert_pixels(&scene.run(), |x, y| {
            let (column, row) = (x + 2, y - 3);
            // Of seven columns and five rows, six and four are drawn.
            if !(0..6).contains(&column) || !(0..4).contains(&row) {
                return None;
            }
            let byte = column as u32 * bytes;
            let word = words[(row as u32 * row_words + byte / 4) as usize] >> (byte % 4 * 8);
            let name =
                ["", "R5G6B5", "A1R5G5B5", "X1R5G5B5", "A8R8G8B8", "X8R8G8B8", "A8B8G8R8", "X8B8G8R8"][code as usize];
            Some(super::formats::encode("A8R8G8B8", super::formats::decode(name, word)))
        });
    }
}

#[test]
fn long_images_from_the_processor_are_drawn_in_parts_through_one_method() {
    let mut scene = Scene::new(&[0; 4], &vec![0; 512 * 300 * 4]);
    scene.surface(10, 2048);
    scene.stream.bind(OBJECT, 0x8a, handles::object(0x8a));
    scene.stream.method(OBJECT, image_upload::SURFACE, handles::object(0x62));
    scene.stream.methods(OBJECT, image_upload::COLOR_FORMAT, &[4, 0, size(512, 300), size(512, 300)]);
    let words: Vec<u32> = (0..512 * 300).collect();
    scene.stream.repeated(OBJECT, image_upload::COLOR, &words);
    scene.stream.method(OBJECT, image_upload::COLOR, 1);
    let (drawn, reasons) = scene.run_with_anomalies();
    assert_eq!(pixels(&drawn, 4)[..words.len()], words);
    let more = Reason::DroppedDraw("more pixels than the image has");
    assert_eq!(reasons, [(0x8a, image_upload::COLOR, more)]);
}

#[test]
fn clip_objects_take_two_corners_or_a_corner_and_a_size() {
    for second in [(clip::POINT, point(9, 6)), (clip::SIZE, size(6, 8))] {
        let mut scene = scene(0x308a, image_upload::SURFACE);
        scene.stream.bind(CONTEXT, 0x19, handles::object(0x19));
        scene.stream.method(CONTEXT, clip::POINT, point(3, -2)).method(CONTEXT, second.0, second.1);
        scene.stream.method(OBJECT, image_upload::CLIP, handles::object(0x19));
        scene.stream.methods(OBJECT, image_upload::COLOR_FORMAT, &[4, 0, size(16, 16), size(16, 16)]);
        scene.stream.methods(OBJECT, image_upload::COLOR, &(0..256).collect::<Vec<_>>());
        assert_pixels(&scene.run(), |x, y| ((3..9).contains(&x) && y < 6).then_some((y * 16 + x) as u32));
    }
}

#[test]
fn keyed_colours_are_not_written() {
    let mut scene = scene(0x308a, image_upload::SURFACE);
    scene.stream.bind(CONTEXT, 0x57, handles::object(0x57));
    scene.stream.methods(CONTEXT, color_key::COLOR_FORMAT, &[2, 0x8000 | 31 << 10]);
    scene.stream.method(OBJECT, image_upload::COLOR_KEY, handles::object(0x57));
    scene.stream.methods(OBJECT, image_upload::COLOR_FORMAT, &[4, 0, size(4, 1), size(4, 1)]);
    // The key is opaque red; alpha is not compared.
    scene.stream.methods(OBJECT, image_upload::COLOR, &[0x00ff_0000, 0x00ff_0001, 0x7fff_0000, 0]);
    assert_pixels(&scene.run(), |x, y| match (x, y) {
        (1, 0) => Some(0x00ff_0001),
        (3, 0) => Some(0),
        _ => None,
    });
}

#[test]
fn textures_from_the_processor_into_swizzled_surfaces() {
    let mut scene = Scene::new(&[0; 4], &[0xee; 4096]);
    scene.stream.bind(SWIZZLED, 0x9e, handles::object(0x9e));
    scene.stream.method(SWIZZLED, surfaces::swizzled::DMA_IMAGE, handles::VRAM);
    let offset = scene.destination.offset as u32;
    scene.stream.methods(SWIZZLED, surfaces::swizzled::FORMAT, &[0x0304_0004, offset]);
    scene.stream.bind(OBJECT, 0x307b, handles::object(0x307b));
    scene.stream.method(OBJECT, texture_upload::SURFACE, handles::object(0x9e));
    scene.stream.methods(OBJECT, texture_upload::COLOR_FORMAT, &[1, point(1, 0), size(16, 8), size(2, 9), size(1, 5)]);
    let words: Vec<u32> = (0..64).map(|word| word * 0x0203_0405).collect();
    scene.stream.methods(OBJECT, texture_upload::COLOR, &words);
    let drawn = scene.run();
    for y in 0..8u32 {
        for x in 0..16u32 {
            let pixel = &drawn[swizzled_offset(x, y, 4, 3, 2) as usize..][..2];
            // The image starts in column 1.
            let column = x.wrapping_sub(1) % 16;
            let source = words[(y * 8 + column / 2) as usize] >> (column % 2 * 16);
            let is_inside = (2..11).contains(&x) && (1..6).contains(&y);
            let expected = if is_inside { source & 0xffff } else { 0xeeee };
            assert_eq!(u32::from(pixel[0]) | u32::from(pixel[1]) << 8, expected, "{x} {y}");
        }
    }
}

#[test]
fn blits_move_overlapping_rectangles() {
    let source: Vec<u8> = (0..1024u32).flat_map(u32::to_le_bytes).collect();
    for (from, to) in [((2, 3), (5, 4)), ((5, 4), (2, 3)), ((-3, 2), (6, 6))] {
        let mut scene = Scene::new(&[0; 4], &source);
        scene.surface(10, 128);
        let start = scene.destination.offset as u32;
        scene.stream.method(2, surfaces::linear::OFFSET_SOURCE, start);
        scene.stream.bind(OBJECT, 0x9f, handles::object(0x9f));
        scene.stream.method(OBJECT, blit::SURFACE, handles::object(0x62));
        scene.stream.methods(OBJECT, blit::POINT_IN, &[point(from.0, from.1), point(to.0, to.1), size(17, 13)]);
        let drawn = pixels(&scene.run(), 4);
        for y in 0..32i32 {
            for x in 0..32i32 {
                let (column, row) = (x - i32::from(to.0), y - i32::from(to.1));
                let from = (column + i32::from(from.0), row + i32::from(from.1));
                let is_drawn = (0..17).contains(&column) && (0..13).contains(&row) && from.0 >= 0;
                let (sx, sy) = if is_drawn { from } else { (x, y) };
                assert_eq!(drawn[(y * 32 + x) as usize], (sy * 32 + sx) as u32, "{x} {y}");
            }
        }
    }
}

#[test]
fn solid_rectangles_with_and_without_clip() {
    for (format, color, pixel) in [
        (1, 0xffff_f81fu32, 0xffff_00ffu32),
        (2, 0x7c1f, 0xffff_00ff),
        (3, 0x0012_3456, 0xff12_3456),
        (4, 0x0056_3412, 0xff12_3456),
    ] {
        let mut scene = scene(0x4a, rectangles::SURFACE);
        scene.stream.method(OBJECT, rectangles::COLOR_FORMAT, format);
        scene.stream.method(OBJECT, rectangles::COLOR1_A, color);
        // y and height come first.
        scene.stream.methods(OBJECT, rectangles::UNCLIPPED_RECTANGLE_POINT, &[point(1, -2), point(4, 6)]);
        scene.stream.methods(OBJECT, rectangles::UNCLIPPED_RECTANGLE_POINT + 8, &[point(9, 9), point(1, 2)]);
        scene.stream.methods(OBJECT, rectangles::CLIP_B_POINT0, &[point(10, 20), point(20, 24), color]);
        scene.stream.methods(OBJECT, rectangles::CLIPPED_RECTANGLE_POINT_0, &[point(12, 18), point(30, 22)]);
        assert_pixels(&scene.run(), |x, y| {
            let first = x < 4 && (1..5).contains(&y);
            let second = (9..11).contains(&x) && y == 9;
            let third = (12..20).contains(&x) && (20..22).contains(&y);
            (first || second || third).then_some(pixel)
        });
    }
}

#[test]
fn bitmaps_of_one_and_two_colours() {
    let bits = [0xa5f0_137fu32, 0x1122_3344];
    for order in [2u32, 1] {
        let mut scene = scene(0x4a, rectangles::SURFACE);
        scene.stream.methods(OBJECT, rectangles::COLOR_FORMAT, &[3, order]);
        scene.stream.methods(OBJECT, rectangles::CLIP_C_POINT0, &[point(4, 3), point(10, 32)]);
        scene.stream.methods(OBJECT, rectangles::COLOR1_C, &[0x11_2233, size(8, 8), point(3, 2)]);
        scene.stream.methods(OBJECT, rectangles::MONOCHROME_COLOR1_C, &bits);
        scene.stream.methods(OBJECT, rectangles::CLIP_E_POINT0, &[point(6, 0), point(32, 32)]);
        scene.stream.methods(
            OBJECT,
            rectangles::COLOR0_E,
            &[0x44_5566, 0x77_8899, size(32, 2), size(20, 2), point(4, 20)],
        );
        scene.stream.methods(OBJECT, rectangles::MONOCHROME_COLOR01_E, &bits);
        let bit = |index: i32| {
            let index = if order == 1 { index ^ 7 } else { index };
            bits[index as usize / 32] >> (index % 32) & 1 != 0
        };
        assert_pixels(&scene.run(), |x, y| {
            let (column, row) = (x - 3, y - 2);
            if (1..7).contains(&column) && (1..8).contains(&row) && bit(row * 8 + column) {
                return Some(0xff11_2233);
            }
            let (column, row) = (x - 4, y - 20);
            let is_inside = (2..20).contains(&column) && (0..2).contains(&row);
            is_inside.then(|| if bit(row * 32 + column) { 0xff77_8899 } else { 0xff44_5566 })
        });
    }
}

#[test]
fn text_of_fonts_in_memory_is_counted() {
    let mut scene = scene(0x4a, rectangles::SURFACE);
    scene.stream.method(OBJECT, rectangles::CHARACTER_COLOR1_F, 1);
    let (_, reasons) = scene.run_with_anomalies();
    assert!(
        matches!(&reasons[..], [(0x4a, rectangles::CHARACTER_COLOR1_F, Reason::Unsupported(why))] if why.contains("not public"))
    );
}

#[test]
fn slots_take_objects_of_their_class_only() {
    let mut scene = scene(0x4a, rectangles::SURFACE);
    scene.stream.method(OBJECT, rectangles::PATTERN, handles::object(0x43));
    scene.stream.method(OBJECT, rectangles::ROP, 0x1234);
    scene.stream.method(OBJECT, rectangles::BETA, handles::object(0x12));
    let (_, reasons) = scene.run_with_anomalies();
    assert_eq!(
        reasons,
        [(0x4a, rectangles::PATTERN, Reason::IllegalValue), (0x4a, rectangles::ROP, Reason::UnknownHandle)]
    );
}

#[test]
fn notifiers_are_written_after_the_next_method() {
    // The notifier is a DMA object over VRAM itself, so that the test can read it.
    let mut scene = Scene::new(&[0; 4], &[0xee; 4096]);
    scene.surface(10, 128).scaled_image(3, 3);
    scene.stream.method(IMAGE, scaled_image::NOTIFY, 2);
    scene.stream.method(IMAGE, scaled_image::NOTIFY, 0);
    scene.stream.method(IMAGE, scaled_image::DMA_NOTIFY, handles::NOTIFIER);
    scene.stream.method(IMAGE, scaled_image::NOP, 0);
    scene.stream.bind(OBJECT, 0x39, handles::object(0x39));
    scene.stream.methods(OBJECT, 0x184, &[handles::NOTIFIER, handles::VRAM]);
    let destination = scene.destination.offset as u32;
    scene.stream.methods(OBJECT, 0x30c, &[0, destination, 16, 16, 16, 1, 0x101, 0]);
    let (drawn, reasons) = scene.run_with_anomalies();
    assert_eq!(reasons, [(0x3089, scaled_image::NOTIFY, Reason::IllegalValue)]);
    // Virtual time, in tens of nanoseconds; no information; status 0: done.
    let words = pixels(&drawn[..20], 4);
    assert!(words[0] > 0 && words[0].is_multiple_of(10), "{words:?}");
    assert_eq!(words[1..], [0, 0, 0, 0xeeee_eeee]);
}

/// A class that draws, and the slots of its context objects: pattern, operation table, factor, four factors.
type Drawing = (u32, [u16; 4], u16);
const DRAWING: [Drawing; 3] = [
    (
        0x308a,
        [image_upload::PATTERN, image_upload::ROP, image_upload::BETA, image_upload::BETA4],
        image_upload::OPERATION,
    ),
    (0x009f, [blit::PATTERN, blit::ROP, blit::BETA, blit::BETA4], blit::OPERATION),
    (0x004a, [rectangles::PATTERN, rectangles::ROP, rectangles::BETA, rectangles::BETA4], rectangles::OPERATION),
];

/// A pixel of the source, and of the pattern.
const INK: u32 = 0xc064_32c8;
const PATTERN: u32 = 0xff12_3456;

/// A scene in which a class draws one pixel of [`INK`] to (1, 1), after `set_up`.
fn one_pixel(class: u32, set_up: impl FnOnce(&mut Scene)) -> u32 {
    let mut scene = Scene::new(&INK.to_le_bytes(), &[0xee; 4096]);
    scene.surface(10, 128);
    scene.stream.bind(OBJECT, class, handles::object(class));
    let slot = match class {
        0x308a => image_upload::SURFACE,
        0x009f => blit::SURFACE,
        _ => rectangles::SURFACE,
    };
    scene.stream.method(OBJECT, slot, handles::object(0x62));
    set_up(&mut scene);
    match class {
        0x308a => {
            scene.stream.methods(OBJECT, image_upload::COLOR_FORMAT, &[4, point(1, 1), size(1, 1), size(1, 1)]);
            scene.stream.method(OBJECT, image_upload::COLOR, INK);
        }
        0x009f => {
            scene.stream.methods(OBJECT, blit::POINT_IN, &[0, point(1, 1), size(1, 1)]);
        }
        _ => {
            scene.stream.method(OBJECT, rectangles::COLOR_FORMAT, 3);
            scene.stream.method(OBJECT, rectangles::COLOR1_A, INK);
            scene.stream.methods(OBJECT, rectangles::UNCLIPPED_RECTANGLE_POINT, &[point(1, 1), point(1, 1)]);
        }
    }
    pixels(&scene.run(), 4)[33]
}

/// The operations have the formulas of the scaled image, in every class that draws.
#[test]
fn every_class_draws_by_its_contexts() {
    // Solid colors are opaque: their format has no alpha.
    let inks = [INK, INK, INK | 0xff00_0000];
    for ((class, [patterns, tables, factor, factors], operation), ink) in DRAWING.into_iter().zip(inks) {
        let context = |scene: &mut Scene, context: u32, slot: u16, methods: &[(u16, u32)]| {
            scene.stream.bind(CONTEXT, context, handles::object(context));
            for (method, value) in methods {
                scene.stream.method(CONTEXT, *method, *value);
            }
            scene.stream.method(OBJECT, slot, handles::object(context));
        };
        // Pattern exclusive or surface.
        let found = one_pixel(class, |scene| {
            context(scene, 0x43, tables, &[(rop::ROP, 0x5a)]);
            let color = (0..64).map(|cell| (pattern::COLOR_X8R8G8B8 + 4 * cell, PATTERN)).chain([(pattern::SELECT, 2)]);
            context(scene, 0x44, patterns, &color.collect::<Vec<_>>());
            scene.stream.method(OBJECT, operation, 1);
        });
        assert_eq!(found, PATTERN ^ 0xeeee_eeee, "{class:#x}");
        let bytes = |color: u32| [16, 8, 0, 24].map(|shift| f64::from(color >> shift & 0xff));
        let word = |color: [f64; 4]| {
            let [red, green, blue, alpha] = color.map(|value| (value + 1e-9).round() as u32);
            alpha << 24 | red << 16 | green << 8 | blue
        };
        // A factor of 128 of 255, times alpha.
        let found = one_pixel(class, |scene| {
            context(scene, 0x12, factor, &[(beta::BETA_1D31, 0x4000_0000)]);
            scene.stream.method(OBJECT, operation, 2);
        });
        let weight = (bytes(ink)[3] * 128.0 / 255.0).round();
        let expected = bytes(ink).map(|source| (source * weight + 238.0 * (255.0 - weight)) / 255.0);
        assert_eq!(found, word(expected), "{class:#x}");
        // Four factors.
        let found = one_pixel(class, |scene| {
            context(scene, 0x72, factors, &[(beta4::BETA_FACTOR, 0x80ff_4000)]);
            scene.stream.method(OBJECT, operation, 4);
        });
        let [ink, factors] = [ink, 0x80ff_4000].map(bytes);
        assert_eq!(found, word(std::array::from_fn(|channel| ink[channel] * factors[channel] / 255.0)), "{class:#x}");
    }
}

#[test]
fn blits_are_clipped_and_leave_out_the_key() {
    let clipped = |left| {
        one_pixel(0x9f, |scene| {
            scene.stream.bind(CONTEXT, 0x19, handles::object(0x19));
            scene.stream.methods(CONTEXT, clip::POINT, &[point(left, 0), size(8, 8)]);
            scene.stream.method(OBJECT, blit::CLIP, handles::object(0x19));
        })
    };
    assert_eq!([clipped(1), clipped(2)], [INK, 0xeeee_eeee]);
    let keyed = |key| {
        one_pixel(0x9f, |scene| {
            scene.stream.bind(CONTEXT, 0x57, handles::object(0x57));
            scene.stream.methods(CONTEXT, color_key::COLOR_FORMAT, &[3, 0xff00_0000 | key]);
            scene.stream.method(OBJECT, blit::COLOR_KEY, handles::object(0x57));
        })
    };
    assert_eq!([keyed(INK & 0xff_ffff), keyed(0)], [0xeeee_eeee, INK]);
}

/// 132 of 255 is 16.06 of 31: dithering mixes both neighbors, truncation takes the lower one.
#[test]
fn uploads_are_dithered_or_truncated() {
    let reds = |class: u32, conversion: Option<u32>| {
        let mut scene = Scene::new(&[0; 4], &[0; 4096]);
        scene.stream.bind(OBJECT, class, handles::object(class));
        if class == 0x307b {
            scene.stream.bind(SWIZZLED, 0x9e, handles::object(0x9e));
            scene.stream.method(SWIZZLED, surfaces::swizzled::DMA_IMAGE, handles::VRAM);
            let offset = scene.destination.offset as u32;
            scene.stream.methods(SWIZZLED, surfaces::swizzled::FORMAT, &[0x0304_0004, offset]);
            scene.stream.method(OBJECT, texture_upload::SURFACE, handles::object(0x9e));
        } else {
            scene.surface(4, 128);
            scene.stream.method(OBJECT, image_upload::SURFACE, handles::object(0x62));
        }
        let method = if class == 0x307b { texture_upload::COLOR_CONVERSION } else { image_upload::COLOR_CONVERSION };
        conversion.into_iter().for_each(|conversion| {
            scene.stream.method(OBJECT, method, conversion);
        });
        if class == 0x307b {
            scene.stream.methods(OBJECT, texture_upload::COLOR_FORMAT, &[5, 0, size(16, 8), size(0, 16), size(0, 8)]);
        } else {
            scene.stream.methods(OBJECT, image_upload::COLOR_FORMAT, &[5, 0, size(16, 8), size(16, 8)]);
        }
        let color = if class == 0x307b { texture_upload::COLOR } else { image_upload::COLOR };
        scene.stream.methods(OBJECT, color, &[0x0084_0000; 128]);
        let drawn = pixels(&scene.run(), 2);
        let reds: std::collections::BTreeSet<u32> =
            drawn.into_iter().filter(|pixel| *pixel != 0).map(|pixel| pixel >> 11).collect();
        reds.into_iter().collect::<Vec<_>>()
    };
    for class in [0x307b, 0x308a] {
        assert_eq!(reds(class, None), [16], "{class:#x}");
        assert_eq!(reds(class, Some(0)), [16, 17], "{class:#x}");
    }
}
