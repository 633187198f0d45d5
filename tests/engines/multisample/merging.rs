//! The output merger's treatment of samples: masks, alpha, tests, counts, clears, several targets.

use super::scene::{HEIGHT, INPUT, QUADS, Scene, Surfaces, WHITE, WIDTH, fragment, rectangle, show};
use curie::command::methods::three_d::{program, raster, rop, sync, targets};
use curie::isa::nv40_fragment::{FragmentField, FragmentOpcode};

const MODES: [u32; 3] = [3, 4, 5];

fn everything(color: [f32; 4]) -> Vec<super::scene::Vertex> {
    rectangle([0.0, 0.0], [32.0, 32.0], 0.5, color)
}

/// The number of a texel's sample: row by row within the pixel.
const fn sample(mode: u32, x: u32, y: u32) -> u32 {
    let [columns, rows] = Surfaces::plain(mode).scale();
    y % rows * columns + x % columns
}

fn for_texels(mode: u32, mut check: impl FnMut(u32, u32)) {
    let [columns, rows] = Surfaces::plain(mode).scale();
    for y in 0..HEIGHT * rows {
        for x in 0..WIDTH * columns {
            check(x, y);
        }
    }
}

#[test]
fn the_mask_keeps_samples_from_being_written_and_counted() {
    for mode in MODES {
        for mask in [0b0000, 0b0001, 0b0110, 0b1010, 0b1111] {
            let mut scene = Scene::new(Surfaces::plain(mode));
            scene.control(1, mask).clear(0x1234_5678, 0xffff_ff00);
            scene.set(rop::DEPTH_TEST_ENABLE, 1).set(sync::QUERY_ENABLE, 1).set(sync::QUERY_RESET, 1);
            scene.draw(QUADS, &everything(WHITE)).set(sync::QUERY_GET, 0x0100_0000);
            let memory = scene.run();
            let mut written = 0;
            for_texels(mode, |x, y| {
                let is_written = mask >> sample(mode, x, y) & 1 != 0;
                written += u32::from(is_written);
                assert_eq!(memory.color(0, x, y), if is_written { u32::MAX } else { 0x1234_5678 });
                assert_eq!(memory.zeta(x, y) == 0xffff_ff00, !is_written);
            });
            assert_eq!(memory.samples(), written, "mode {mode}, mask {mask:#b}");
        }
    }
}

#[test]
fn alpha_covers_as_many_samples_as_it_is_large() {
    for mode in MODES {
        let count = if mode == 3 { 2 } else { 4 };
        for eighths in 0..=8 {
            let mut scene = Scene::new(Surfaces::plain(mode));
            scene.control(0x11, 0xffff);
            scene.draw(QUADS, &everything([1.0, 1.0, 1.0, eighths as f32 / 8.0]));
            let memory = scene.run();
            // Rounded to nearest; alpha is 8 bits, so that odd eighths are 32, 96, 159 and 223 of 255.
            let alpha = (f64::from(eighths) / 8.0 * 255.0).round();
            let covered = (alpha * f64::from(count) / 255.0).round() as u32;
            for_texels(mode, |x, y| {
                let is_written = sample(mode, x, y) < covered;
                assert_eq!(memory.color(0, x, y) != 0, is_written, "mode {mode}, {eighths}/8 at {x}, {y}");
            });
        }
    }
}

#[test]
fn alpha_to_one_makes_colours_opaque_after_it_made_coverage() {
    for mode in MODES {
        let mut scene = Scene::new(Surfaces::plain(mode));
        scene.control(0x111, 0xffff);
        // The alpha test sees the new alpha: 1 passes GREATER 0.9.
        scene.stream.methods(7, rop::ALPHA_FUNC_ENABLE, &[1, 0x204, 230]);
        scene.draw(QUADS, &everything([0.0, 1.0, 0.0, 0.5]));
        let memory = scene.run();
        let half = if mode == 3 { 1 } else { 2 };
        for_texels(mode, |x, y| {
            let expected = if sample(mode, x, y) < half { 0xff00_ff00 } else { 0 };
            assert_eq!(memory.color(0, x, y), expected, "mode {mode}: {x}, {y}");
        });
    }
}

#[test]
fn stencil_blending_and_logic_work_on_every_sample() {
    for mode in MODES {
        let mut scene = Scene::new(Surfaces::plain(mode));
        scene.control(1, 0xffff).clear(0x4000_0000, 0xffff_ff02);
        // The left half of pixel 10 is marked first.
        scene.stream.methods(7, rop::STENCIL_ENABLE, &[1, 0xff, 0x207, 7, 0xff, 0x1e00, 0x1e00, 0x1e01]);
        scene.draw(QUADS, &rectangle([0.0, 0.0], [10.5, 32.0], 0.5, [0.0; 4]));
        scene.stream.methods(7, rop::STENCIL_FUNC_FUNC, &[0x202]);
        scene.stream.methods(7, rop::BLEND_FUNC_ENABLE, &[1, 0x1_0001, 0x1_0001]);
        scene.draw(QUADS, &everything([64.0 / 255.0; 4]));
        scene.set(rop::BLEND_FUNC_ENABLE, 0).set(rop::COLOR_LOGIC_OP_ENABLE, 1).set(rop::COLOR_LOGIC_OP_OP, 0x1506);
        scene.draw(QUADS, &everything([1.0 / 255.0; 4]));
        let memory = scene.run();
        let [columns, _] = Surfaces::plain(mode).scale();
        for_texels(mode, |x, y| {
            let is_marked = if x / columns == 10 {
                // Samples left of the center: the first of two, and the first of every row; rotated ones 6 and 2.
                x % columns == 0
            } else {
                x / columns < 10
            };
            let expected = if is_marked { 0x4141_4141 } else { 0x4000_0000 };
            assert_eq!(memory.color(0, x, y), expected, "mode {mode}: {x}, {y}");
            assert_eq!(memory.zeta(x, y) & 0xff, if is_marked { 7 } else { 2 });
        });
    }
}

#[test]
fn clears_fill_all_samples_of_their_pixels() {
    for mode in MODES {
        let mut scene = Scene::new(Surfaces::plain(mode));
        scene.control(0, 0);
        scene.stream.methods(7, raster::SCISSOR_HORIZ, &[3 | 20 << 16, 2 | 15 << 16]);
        scene.stream.methods(7, targets::CLEAR_RECT_HORIZ, &[5 | 30 << 16, 22 << 16]);
        scene.clear(0xaabb_ccdd, 0x1234_5678);
        let memory = scene.run();
        let [columns, rows] = Surfaces::plain(mode).scale();
        for_texels(mode, |x, y| {
            let is_inside = (5..23).contains(&(x / columns)) && (2..17).contains(&(y / rows));
            let expected = if is_inside { (0xaabb_ccdd, 0x1234_5678) } else { (0, 0) };
            assert_eq!((memory.color(0, x, y), memory.zeta(x, y)), expected, "mode {mode}: {x}, {y}");
        });
    }
}

#[test]
fn several_targets_are_written_at_the_same_samples() {
    for mode in MODES {
        let mut scene = Scene::new(Surfaces { enabled: 0x17, ..Surfaces::plain(mode) });
        scene.control(1, 0xffff);
        scene.draw(5, &[([1.0, 1.0, 0.5, 1.0], WHITE), ([30.0, 4.0, 0.5, 1.0], WHITE), ([6.0, 23.0, 0.5, 1.0], WHITE)]);
        let memory = scene.run();
        let mut covered = 0;
        for_texels(mode, |x, y| {
            let first = memory.color(0, x, y);
            covered += u32::from(first != 0);
            assert_eq!([memory.color(1, x, y), memory.color(2, x, y)], [first; 2], "mode {mode}: {x}, {y}");
        });
        assert!(covered > 200);
    }
}

#[test]
fn discarded_pixels_lose_all_samples_and_exported_depth_is_for_all() {
    for mode in MODES {
        let mut scene = Scene::new(Surfaces::plain(mode));
        scene.control(1, 0xffff).clear(0, 0xffff_ff00).set(rop::DEPTH_TEST_ENABLE, 1);
        // The condition register receives the input; pixels with negative green are discarded. Depth comes from the
        // input as well.
        let mut test = fragment(FragmentOpcode::Mov, 0, [INPUT, 0, 0]).with(FragmentField::INPUT, 4);
        test = test.with(FragmentField::CONDITION_UPDATE, 1);
        let kill = fragment(FragmentOpcode::Kil, 0, [0; 3])
            .with(FragmentField::CONDITION, 1)
            .with(FragmentField::CONDITION_SWIZZLE, 0b01_01_01_01)
            .with(FragmentField::NO_DESTINATION, 1);
        let depth = fragment(FragmentOpcode::Mov, 1, [INPUT, 0, 0]).with(FragmentField::INPUT, 4);
        scene.program(vec![test, kill, depth]).set(program::FP_CONTROL, 0x0400_00ce);
        let vertices: Vec<_> =
            everything(WHITE).into_iter().map(|(at, _)| (at, [1.0, at[0] - 10.25, at[0] / 64.0, 1.0])).collect();
        scene.draw(QUADS, &vertices);
        let memory = scene.run();
        let [columns, _] = Surfaces::plain(mode).scale();
        for_texels(mode, |x, y| {
            // At the pixel's center, 0.25 beyond the border in pixel 10.
            let column = x / columns;
            assert_eq!(memory.color(0, x, y) != 0, column >= 10, "mode {mode}: {x}, {y}");
            let expected = (f64::from(column) + 0.5) / 64.0 * f64::from((1 << 24) - 1);
            if column >= 10 {
                assert!((f64::from(memory.zeta(x, y) >> 8) - expected).abs() <= 2.0, "mode {mode}: {x}, {y}");
            }
        });
    }
}

#[test]
fn centroid_coordinates_stay_inside_the_primitive() {
    for mode in MODES {
        let run = |control| {
            let mut scene = Scene::new(Surfaces::plain(mode));
            scene.control(1, 0xffff).set(raster::TEX_COORD_CONTROL, control).program(show(4));
            // Red is the column in 1/32; the edge at 10.3 leaves the center of pixel 10 outside.
            let vertices: Vec<_> = rectangle([0.0, 0.0], [10.3, 32.0], 0.5, WHITE)
                .into_iter()
                .map(|(at, _)| (at, [at[0] / 32.0, 0.0, 0.0, 1.0]))
                .collect();
            scene.draw(QUADS, &vertices);
            scene.run()
        };
        let red = |column: f64| (column / 32.0 * 255.0).round() as u32;
        let (center, centroid) = (run(0), run(0x10));
        let [columns, _] = Surfaces::plain(mode).scale();
        // Sample columns left of 10.3: 4/16 in the first texel of each row; rotated 2/16 in the second row only.
        let (row, place) = if mode == 5 { (1, 2.0 / 16.0) } else { (0, 4.0 / 16.0) };
        assert_eq!(center.color(0, 10 * columns, row) >> 16 & 0xff, red(10.5), "mode {mode}");
        assert_eq!(centroid.color(0, 10 * columns, row) >> 16 & 0xff, red(10.0 + place), "mode {mode}");
        assert_eq!(centroid.color(0, 10 * columns + 1, row), 0, "the sample on the right is not covered");
        // Fully covered pixels are sampled at their center.
        for memory in [&center, &centroid] {
            assert_eq!(memory.color(0, 5 * columns, 0) >> 16 & 0xff, red(5.5), "mode {mode}");
        }
    }
}
