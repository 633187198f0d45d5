//! The samples that primitives cover, against positions written down by hand.

use super::scene::{HEIGHT, QUADS, Scene, Surfaces, Vertex, WHITE, WIDTH, rectangle};
use crate::common::random::Random;
use curie::command::methods::three_d::{raster, rop, targets};

/// Sample positions in sixteenths from the pixel's corner, by texel: row by row.
const POSITIONS: [(u32, &[[i32; 2]]); 4] = [
    (0, &[[8, 8]]),
    (3, &[[4, 4], [12, 12]]),
    (4, &[[4, 4], [12, 4], [4, 12], [12, 12]]),
    (5, &[[6, 2], [14, 6], [2, 10], [10, 14]]),
];

/// Every texel with its sample's position in sixteenths.
fn samples(mode: u32) -> Vec<([u32; 2], [i32; 2])> {
    let [columns, rows] = Surfaces::plain(mode).scale();
    let positions = POSITIONS.iter().find(|(code, _)| *code == mode).unwrap().1;
    let mut samples = Vec::new();
    for y in 0..HEIGHT * rows {
        for x in 0..WIDTH * columns {
            let [dx, dy] = positions[(y % rows * columns + x % columns) as usize];
            samples.push(([x, y], [(x / columns * 16) as i32 + dx, (y / rows * 16) as i32 + dy]));
        }
    }
    samples
}

fn multisampled(mode: u32) -> Scene {
    let mut scene = Scene::new(Surfaces::plain(mode));
    scene.control(1, 0xffff);
    scene
}

#[test]
fn half_planes_cover_the_samples_on_their_side() {
    for (mode, _) in POSITIONS {
        for sixteenths in 160..=176 {
            let edge = sixteenths as f32 / 16.0;
            for along in 0..2 {
                let high = if along == 0 { [edge, 50.0] } else { [50.0, edge] };
                let mut scene = multisampled(mode);
                scene.draw(QUADS, &rectangle([-5.0, -5.0], high, 0.5, WHITE));
                let memory = scene.run();
                for ([x, y], at) in samples(mode) {
                    // A sample on a right or lower edge is outside.
                    let expected = if at[along] < sixteenths { u32::MAX } else { 0 };
                    assert_eq!(memory.color(0, x, y), expected, "mode {mode}, {sixteenths}/16, texel {x}, {y}");
                }
            }
        }
    }
}

#[test]
fn slanted_triangles_cover_exactly_the_samples_inside() {
    let mut random = Random::new(3);
    for (mode, _) in POSITIONS {
        for _ in 0..12 {
            // Corners on the subpixel grid, so that the arithmetic is exact.
            let mut corner = || [random.below(700).cast_signed() - 60, random.below(560).cast_signed() - 60];
            let corners = [corner(), corner(), corner()];
            let vertices: Vec<Vertex> =
                corners.map(|[x, y]| ([x as f32 / 16.0, y as f32 / 16.0, 0.5, 1.0], WHITE)).to_vec();
            let mut scene = multisampled(mode);
            scene.draw(5, &vertices);
            let memory = scene.run();
            let side = |a: [i32; 2], b: [i32; 2], p: [i32; 2]| {
                i64::from(b[0] - a[0]) * i64::from(p[1] - a[1]) - i64::from(b[1] - a[1]) * i64::from(p[0] - a[0])
            };
            for ([x, y], at) in samples(mode) {
                let [a, b, c] = corners;
                let sides = [side(a, b, at), side(b, c, at), side(c, a, at)];
                let is_strictly_inside = sides.iter().all(|s| *s > 0) || sides.iter().all(|s| *s < 0);
                let is_outside = sides.iter().any(|s| *s > 0) && sides.iter().any(|s| *s < 0);
                let is_covered = memory.color(0, x, y) != 0;
                if is_strictly_inside || is_outside {
                    assert_eq!(is_covered, is_strictly_inside, "mode {mode}, {corners:?}, texel {x}, {y}");
                }
            }
        }
    }
}

#[test]
fn samples_of_a_fan_are_covered_exactly_once() {
    for (mode, _) in POSITIONS {
        for seed in 0..6 {
            let mut random = Random::new(seed);
            let mut point = |low: u32, high: u32| (low + random.below(high - low)) as f32 / 16.0;
            let center = [point(80, 400), point(80, 300)];
            let (right, bottom) = (WIDTH as f32 + 3.0, HEIGHT as f32 + 3.0);
            let ring = [
                [-3.0, -3.0],
                [point(100, 300), -3.0],
                [right, -3.0],
                [right, point(100, 300)],
                [right, bottom],
                [point(100, 300), bottom],
                [-3.0, bottom],
                [-3.0, point(100, 300)],
                [-3.0, -3.0],
            ];
            let vertices: Vec<Vertex> =
                [center].into_iter().chain(ring).map(|[x, y]| ([x, y, 0.5, 1.0], [1.0 / 255.0; 4])).collect();
            let mut scene = multisampled(mode);
            // Source plus destination.
            scene.stream.methods(7, rop::BLEND_FUNC_ENABLE, &[1, 0x1_0001, 0x1_0001]);
            scene.draw(7, &vertices);
            let memory = scene.run();
            for ([x, y], _) in samples(mode) {
                assert_eq!(memory.color(0, x, y), 0x0101_0101, "mode {mode}, seed {seed}, texel {x}, {y}");
            }
        }
    }
}

#[test]
fn without_the_enable_bit_all_samples_follow_the_centre() {
    for (mode, _) in POSITIONS {
        let surfaces = Surfaces::plain(mode);
        let triangle = [([2.3, 1.1, 0.25, 1.0], WHITE), ([28.7, 7.9, 0.5, 1.0], WHITE), ([9.2, 22.6, 1.0, 1.0], WHITE)];
        let scene = |surfaces| {
            let mut scene = Scene::new(surfaces);
            // Alpha to coverage and the mask do not count either.
            scene.control(0x110, 0).clear(0, 0xffff_ff00);
            scene.set(rop::DEPTH_TEST_ENABLE, 1).draw(5, &triangle).draw(1, &triangle).draw(3, &triangle);
            scene.run()
        };
        let (single, multiple) = (scene(Surfaces::plain(0)), scene(surfaces));
        let [columns, rows] = surfaces.scale();
        for y in 0..HEIGHT * rows {
            for x in 0..WIDTH * columns {
                assert_eq!(multiple.color(0, x, y), single.color(0, x / columns, y / rows), "mode {mode}: {x}, {y}");
                assert_eq!(multiple.zeta(x, y), single.zeta(x / columns, y / rows), "mode {mode}: depth of {x}, {y}");
            }
        }
    }
}

#[test]
fn lines_cover_the_rectangle_around_them_and_points_a_square() {
    for (mode, _) in POSITIONS.into_iter().skip(1) {
        let mut scene = multisampled(mode);
        // 2.5 pixels wide; smooth lines are the same.
        scene.set(raster::LINE_WIDTH, 20).set(raster::LINE_SMOOTH_ENABLE, 1);
        scene.draw(2, &[([3.0, 4.0, 0.5, 1.0], WHITE), ([15.0, 9.0, 0.5, 1.0], WHITE)]);
        scene.stream.floats(7, raster::POINT_SIZE, &[4.5]);
        scene.draw(1, &[([24.25, 16.5, 0.5, 1.0], WHITE)]);
        let memory = scene.run();
        for ([x, y], [column, row]) in samples(mode) {
            let (px, py) = (f64::from(column) / 16.0, f64::from(row) / 16.0);
            let (along, across) = ((px - 3.0) * 12.0 + (py - 4.0) * 5.0, (py - 4.0) * 12.0 - (px - 3.0) * 5.0);
            let distances = [along / 13.0, 13.0 - along / 13.0, 1.25 - (across / 13.0).abs()];
            let in_line = distances.into_iter().fold(f64::INFINITY, f64::min);
            let in_point = 2.25 - (px - 24.25).abs().max((py - 16.5).abs());
            let inside = in_line.max(in_point);
            // Half widths are rounded to the integers of the edge functions; the test skips ties.
            if inside.abs() > 0.01 {
                assert_eq!(memory.color(0, x, y) != 0, inside > 0.0, "mode {mode}, texel {x}, {y}: {inside}");
            }
        }
    }
}

#[test]
fn stipples_of_lines_count_units_of_length() {
    for (mode, _) in POSITIONS.into_iter().skip(1) {
        let mut scene = multisampled(mode);
        scene.set(raster::LINE_WIDTH, 16).set(raster::LINE_STIPPLE_ENABLE, 1);
        // Two steps on, one off, and so on: bits 110 repeated, each for two units.
        scene.set(raster::LINE_STIPPLE_PATTERN, 0b1011_0110_1101_1011 << 16 | 1);
        scene.draw(2, &[([2.0, 5.0, 0.5, 1.0], WHITE), ([30.0, 5.0, 0.5, 1.0], WHITE)]);
        let memory = scene.run();
        for ([x, y], [column, row]) in samples(mode) {
            let distance = column - 32;
            let is_on = (0..448).contains(&distance) && 0b1011_0110_1101_1011 >> (distance / 32 % 16) & 1 != 0;
            let is_covered = is_on && (64..96).contains(&row);
            assert_eq!(memory.color(0, x, y) != 0, is_covered, "mode {mode}, texel {x}, {y}");
        }
    }
}

#[test]
fn scissor_window_clip_and_stipple_take_whole_pixels_away() {
    for (mode, _) in POSITIONS {
        let mut scene = multisampled(mode);
        scene.stream.methods(7, raster::SCISSOR_HORIZ, &[3 | 20 << 16, 2 | 15 << 16]);
        for index in 0..8 {
            scene.stream.methods(7, targets::VIEWPORT_CLIP_HORIZ + index * 8, &[5 | 18 << 16, 0xfff << 16]);
        }
        scene.set(raster::POLYGON_STIPPLE_ENABLE, 1);
        scene.stream.methods(7, raster::POLYGON_STIPPLE_PATTERN, &[0xcccc_cccc; 32]);
        scene.draw(QUADS, &rectangle([-1.0, -1.0], [40.0, 40.0], 0.5, WHITE));
        let memory = scene.run();
        let [columns, rows] = Surfaces::plain(mode).scale();
        for ([x, y], _) in samples(mode) {
            let (px, py) = (x / columns, y / rows);
            let is_inside = (5..=18).contains(&px) && (2..17).contains(&py) && px % 4 < 2;
            assert_eq!(memory.color(0, x, y) != 0, is_inside, "mode {mode}, texel {x}, {y}");
        }
    }
}

#[test]
fn user_planes_clip_samples() {
    for (mode, _) in POSITIONS {
        let mut scene = multisampled(mode);
        // The distance of plane 0 is the y of the value: it grows along the row from −10.5 at column 0.
        scene.set(raster::VP_CLIP_PLANES_ENABLE, 2);
        let vertices: Vec<Vertex> = rectangle([0.0, 0.0], [32.0, 32.0], 0.5, WHITE)
            .into_iter()
            .map(|(at, _)| (at, [1.0, at[0] - 10.5, 0.0, 1.0]))
            .collect();
        scene.draw(QUADS, &vertices);
        let memory = scene.run();
        for ([x, y], [column, _]) in samples(mode) {
            assert_eq!(memory.color(0, x, y) != 0, column >= 168, "mode {mode}, texel {x}, {y}");
        }
    }
}

#[test]
fn depth_is_that_of_the_sample() {
    for (mode, _) in POSITIONS {
        let mut scene = multisampled(mode);
        scene.clear(0, 0xffff_ff05).set(rop::DEPTH_TEST_ENABLE, 1);
        // Depth is (x + 2 y) / 128 in pixels.
        let slope: Vec<Vertex> = rectangle([0.0, 0.0], [32.0, 32.0], 0.0, WHITE)
            .into_iter()
            .map(|([x, y, _, w], color)| ([x, y, (x + 2.0 * y) / 128.0, w], color))
            .collect();
        scene.draw(QUADS, &slope);
        let memory = scene.run();
        for ([x, y], [column, row]) in samples(mode) {
            let depth = f64::from(column + 2 * row) / 2048.0 * f64::from((1 << 24) - 1);
            let zeta = memory.zeta(x, y);
            assert!((f64::from(zeta >> 8) - depth).abs() <= 2.0, "mode {mode}, texel {x}, {y}: {zeta:#x}, not {depth}");
            assert_eq!(zeta & 0xff, 5, "the stencil stays");
        }
    }
}

#[test]
fn planes_meet_between_samples() {
    // A slope through a level plane at x = 10.825: each sample shows the nearer one.
    for (mode, _) in POSITIONS {
        let mut scene = multisampled(mode);
        scene.clear(0, 0xffff_ff00).set(rop::DEPTH_TEST_ENABLE, 1);
        scene.draw(QUADS, &rectangle([0.0, 0.0], [32.0, 32.0], 0.25, [0.0, 0.0, 1.0, 1.0]));
        let slope: Vec<Vertex> = rectangle([0.0, 0.0], [32.0, 32.0], 0.0, [1.0, 0.0, 0.0, 1.0])
            .into_iter()
            .map(|([x, y, _, w], color)| ([x, y, x / 43.3, w], color))
            .collect();
        scene.draw(QUADS, &slope);
        let memory = scene.run();
        for ([x, y], [column, _]) in samples(mode) {
            let expected = if column <= 173 { 0xffff_0000 } else { 0xff00_00ff };
            assert_eq!(memory.color(0, x, y), expected, "mode {mode}, texel {x}, {y}");
        }
    }
}
