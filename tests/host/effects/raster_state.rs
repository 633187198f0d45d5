//! Depth ranges and offsets, smooth edges, points and coordinates.

use curie::command::methods::three_d::{raster, rop, targets};

use super::texels::floats;
use super::{SIDE, Scene};

const WHITE: [f32; 4] = [1.0; 4];

/// A depth of 24 bits, rounded, above a stencil of zero.
fn stored(depth: f64) -> u32 {
    ((depth * f64::from((1 << 24) - 1)).round() as u32) << 8
}

/// Three pixels in front of the range 0.25 to 0.75, inside and behind.
fn in_range(control: u32) -> Vec<u32> {
    let mut scene = Scene::new();
    scene.stream.floats(super::THREE_D, raster::DEPTH_RANGE_NEAR, &[0.25, 0.75]);
    scene.set(raster::DEPTH_CONTROL, &[control]);
    scene.set(rop::DEPTH_FUNC, &[0x207, 1, 1]);
    for (pixel, depth) in [(0, 0.125), (1, 0.5), (2, 0.875)] {
        scene.pixel(pixel, depth, WHITE);
    }
    let outcome = scene.run();
    (0..3).map(|pixel| outcome.zeta(pixel)).collect()
}

#[test]
fn depth_is_clipped_or_clamped_to_its_range() {
    assert_eq!(in_range(1), [0, stored(0.5), 0]);
    assert_eq!(in_range(0x10), [0.25, 0.5, 0.75].map(stored));
}

/// Steps of 2⁻²⁴ of the range, in the mode that a face is drawn in; and the depth slope times the factor.
#[test]
fn polygons_are_offset_in_the_enabled_mode() {
    let modes = [
        (0x1b00, raster::POLYGON_OFFSET_POINT_ENABLE),
        (0x1b01, raster::POLYGON_OFFSET_LINE_ENABLE),
        (0x1b02, raster::POLYGON_OFFSET_FILL_ENABLE),
    ];
    for (mode, enable) in modes {
        for (_, other) in modes {
            let mut scene = Scene::new();
            scene.set(raster::POLYGON_MODE_FRONT, &[mode, mode]);
            scene.set(other, &[1]);
            scene.stream.floats(super::THREE_D, raster::POLYGON_OFFSET_FACTOR, &[0.0, 100.0]);
            scene.set(rop::DEPTH_FUNC, &[0x207, 1, 1]);
            scene.draw(5, &[[4.5, 4.5], [12.5, 4.5], [4.5, 12.5]].map(|point| (point, 0.25, WHITE)));
            let found = scene.run().zeta(4 * SIDE + 4) >> 8;
            let expected = (stored(0.25) >> 8) + if other == enable { 100 } else { 0 };
            assert!(found.abs_diff(expected) <= 1, "mode {mode:#x}, {other:#x}: {found:#x} not {expected:#x}");
        }
    }
}

/// A line between two rows of pixels, and a rectangle that ends in the middle of a column, cover half of each pixel.
#[test]
fn smooth_edges_have_the_alpha_of_their_coverage() {
    let alpha = |outcome: &super::Outcome, x: u32, y: u32| outcome.color(y * SIDE + x) >> 24;
    for (is_smooth, expected) in [(0, 255), (1, 128)] {
        let mut scene = Scene::new();
        scene.set(raster::LINE_SMOOTH_ENABLE, &[is_smooth]);
        scene.draw(2, &[[2.0, 6.0], [10.0, 6.0]].map(|point| (point, 0.5, WHITE)));
        let outcome = scene.run();
        let found = alpha(&outcome, 5, 5).max(alpha(&outcome, 5, 6));
        assert!(found.abs_diff(expected) <= 8, "line: {found}");
        let mut scene = Scene::new();
        scene.set(raster::POLYGON_SMOOTH_ENABLE, &[is_smooth]);
        scene.draw(8, &[[2.0, 2.0], [8.5, 2.0], [8.5, 9.0], [2.0, 9.0]].map(|point| (point, 0.5, WHITE)));
        let outcome = scene.run();
        assert_eq!(alpha(&outcome, 5, 5), 255);
        // Without smooth edges, the center on the edge is outside.
        let found = alpha(&outcome, 8, 5);
        assert!(if is_smooth == 1 { found.abs_diff(128) <= 8 } else { found == 0 }, "polygon: {found}");
    }
}

/// OpenGL 2.1, section 3.3.1: a size of 2.4 is rounded to 2, and covers two pixels on each side of a corner; the exact
/// square from 4.3 to 6.7 has three centers.
#[test]
fn points_are_centered_by_either_rule() {
    for (mode, side) in [(0, 2), (1, 3)] {
        let mut scene = Scene::new();
        scene.stream.floats(super::THREE_D, raster::POINT_SIZE, &[2.4]);
        scene.set(raster::POINT_CENTER_MODE, &[mode]);
        scene.draw(1, &[([5.5, 5.5], 0.5, WHITE)]);
        assert_eq!(scene.run().drawn().len(), side * side, "mode {mode}");
    }
}

/// From 0.9 to 0.1, the shorter way leads through 1.
#[test]
fn wrapped_coordinates_take_the_shorter_way() {
    for (wraps, middle) in [(0, 0.5), (1, 1.0)] {
        let mut scene = Scene::new();
        scene.set(targets::RT_FORMAT, &[0x14c, SIDE * 16]);
        scene.set(raster::CYLINDRICAL_WRAP, &[wraps]);
        let vertex = |x: f32, y: f32, s: f32| ([x, y], 0.5, [s, 0.0, 0.0, 1.0]);
        // The center of pixel 4 is in the middle.
        scene.draw(8, &[vertex(0.0, 0.0, 0.9), vertex(9.0, 0.0, 0.1), vertex(9.0, 2.0, 0.1), vertex(0.0, 2.0, 0.9)]);
        let found = floats(scene, 9)[4][0];
        assert!((found - middle).abs() < 1e-5, "{wraps}: {found}");
    }
}
