//! Render targets: formats, layouts and places; the viewport.

use curie::command::methods::three_d::{raster, rop, targets};

use super::{COLOR, SIDE, Scene, ZETA, viewport};

/// Formats of color targets: number, bytes of a pixel, and the pixel of (0.2, 0.4, 0.6, 0.8): 51, 102, 153 and 204 of
/// 255; 6.2, 12.4 and 18.6 of 31; 25.2 of 63. Float formats get (0.25, 0.5, 1.5, -2).
const FORMATS: [(u32, u32, u128); 14] = [
    (1, 2, 6 << 10 | 12 << 5 | 19),
    (2, 2, 1 << 15 | 6 << 10 | 12 << 5 | 19),
    (3, 2, 6 << 11 | 25 << 5 | 19),
    (4, 4, 0x0033_6699),
    (5, 4, 0xff33_6699),
    (8, 4, 0xcc33_6699),
    (9, 1, 0x99),
    (10, 2, 0x6699),
    (11, 8, 0xc000_3e00_3800_3400),
    (12, 16, 0xc000_0000_3fc0_0000_3f00_0000_3e80_0000),
    (13, 4, 0x3e80_0000),
    (14, 4, 0x0099_6633),
    (15, 4, 0xff99_6633),
    (16, 4, 0xcc99_6633),
];

#[test]
fn every_color_format_stores_its_channels() {
    for (format, bytes, expected) in FORMATS {
        let mut scene = Scene::new();
        let zeta = if bytes < 4 { 1 } else { 2 };
        scene.set(targets::RT_FORMAT, &[format | zeta << 5 | 1 << 8, SIDE * bytes]);
        let is_float = matches!(format, 11..=13);
        scene.rectangle([3, 2, 4, 3], 0.5, if is_float { [0.25, 0.5, 1.5, -2.0] } else { [0.2, 0.4, 0.6, 0.8] });
        let outcome = scene.run();
        let start = (COLOR + (2 * SIDE + 3) * bytes) as usize;
        let mut pixel = [0; 16];
        pixel[..bytes as usize].copy_from_slice(&outcome.memory[start..][..bytes as usize]);
        assert_eq!(u128::from_le_bytes(pixel), expected, "format {format}");
        let around = outcome.memory[..start].iter().chain(&outcome.memory[start + bytes as usize..ZETA as usize]);
        assert!(around.copied().all(|byte| byte == 0), "format {format} beside the pixel");
    }
}

/// A quarter of 2¹⁶ − 1 and of 2²⁴ − 1, rounded; stencil is in the low byte.
#[test]
fn both_depth_formats_store_a_quarter() {
    for (format, pitch, expected) in [(0x123, 2, 0x4000), (0x148, 4, 0x40_0000 << 8)] {
        let mut scene = Scene::new();
        scene.set(targets::RT_FORMAT, &[format, SIDE * if format == 0x123 { 2 } else { 4 }]);
        scene.set(targets::ZETA_PITCH, &[SIDE * pitch + 64]);
        scene.set(rop::DEPTH_FUNC, &[0x207, 1, 1]);
        scene.rectangle([5, 1, 6, 2], 0.25, [1.0; 4]);
        let outcome = scene.run();
        let start = (ZETA + SIDE * pitch + 64 + 5 * pitch) as usize;
        let mut pixel = [0; 4];
        pixel[..pitch as usize].copy_from_slice(&outcome.memory[start..][..pitch as usize]);
        assert_eq!(u32::from_le_bytes(pixel), expected, "{format:#x}");
    }
}

/// Pixels lie by row, or interleave the bits of column and row, the column first.
#[test]
fn both_layouts_place_pixels() {
    for (format, expected) in [(0x148, 13 * SIDE + 10), (0x0505_0248, 0b1110_0110)] {
        let mut scene = Scene::new();
        scene.set(targets::RT_FORMAT, &[format, SIDE * 4]);
        // Column 1010, row 1101 in binary.
        scene.rectangle([10, 13, 11, 14], 0.5, [1.0; 4]);
        let outcome = scene.run();
        let found: Vec<u32> = (0..SIDE * SIDE).filter(|number| outcome.color(*number) != 0).collect();
        assert_eq!(found, [expected], "{format:#x}");
    }
}

#[test]
fn the_depth_surface_has_an_offset_and_a_pitch() {
    let mut scene = Scene::new();
    let address = scene.address(0x8000);
    scene.set(targets::ZETA_OFFSET, &[address]);
    scene.set(targets::ZETA_PITCH, &[256]);
    scene.set(rop::DEPTH_FUNC, &[0x207, 1, 1]);
    scene.rectangle([0, 1, 1, 2], 0.25, [1.0; 4]);
    let outcome = scene.run();
    assert_eq!(outcome.words(0x8000 + 256, 1), [0x40_0000 << 8]);
    assert_eq!(outcome.zeta(SIDE), 0);
}

/// Window coordinates are those of the vertex over w, times the scale, plus the translation.
#[test]
fn the_viewport_scales_and_moves_vertices() {
    let mut scene = Scene::new();
    viewport(&mut scene, [10.0, 20.0, 0.25, 0.0], [4.0, 8.0, 0.25, 0.0]);
    scene.set(rop::DEPTH_FUNC, &[0x207, 1, 1]);
    // The whole of clip space, at depth 0 of −1 to 1.
    scene.rectangle([0, 0, SIDE, SIDE], 0.5, [1.0; 4]);
    // A second one at depth 1: 0.25 + 0.25.
    viewport(&mut scene, [26.0, 20.0, 0.25, 0.0], [4.0, 8.0, 0.25, 0.0]);
    scene.rectangle([0, 0, SIDE, SIDE], 1.0, [1.0; 4]);
    let outcome = scene.run();
    let inside = |[x, y]: &[u32; 2]| ((6..14).contains(x) || (22..30).contains(x)) && (12..28).contains(y);
    assert_eq!(outcome.drawn().len(), 2 * 8 * 16);
    assert!(outcome.drawn().iter().all(inside));
    assert_eq!([outcome.zeta(12 * SIDE + 6), outcome.zeta(12 * SIDE + 22)], [0x40_0000 << 8, 0x80_0000 << 8]);
}

#[test]
fn the_viewport_rectangle_cuts_and_moves() {
    let mut scene = Scene::new();
    scene.set(raster::VIEWPORT_HORIZ, &[6 << 16 | 2, 5 << 16 | 3]);
    scene.rectangle([0, 0, SIDE, SIDE], 0.5, [1.0; 4]);
    let outcome = scene.run();
    assert_eq!(outcome.drawn().len(), 6 * 5);
    assert!(outcome.drawn().iter().all(|[x, y]| (2..8).contains(x) && (3..8).contains(y)));
}

#[test]
fn the_window_origin_moves_the_picture() {
    let mut scene = Scene::new();
    // Five to the right and two up.
    scene.set(targets::VIEWPORT_TX_ORIGIN, &[0xfffe_0005]);
    scene.rectangle([4, 8, 6, 9], 0.5, [1.0; 4]);
    assert_eq!(scene.run().drawn(), [[9, 6], [10, 6]]);
}
