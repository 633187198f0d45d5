//! Kernels process more tiles, primitives and quads than some adapters allow loop iterations per invocation: 65,535.

use curie::kernels::geometry::GeometryOptions;
use curie::pipeline::{ClipPlane, MAX_CLIP_DISTANCES, ShadedVertex};
use curie::pipeline::{PolygonMode, Rect, WindowClip};

use super::kernels::{SMALL, compare};
use super::scene::{Random, plain_draw, vertex};
use crate::common;

/// Side of the surface in pixels; it has 4096 tiles of size 8.
const SIDE: u32 = 512;

/// Number of triangles in a draw: more than the host culls at once, and few enough for a fast reference.
const TRIANGLES: u32 = 256;

/// Triangles, the first `large` of them along a diagonal of the surface, so that they cover little around it, and the
/// others anywhere; the large ones start at this depth.
fn triangles(large: u32, depth: f32) -> Vec<ShadedVertex> {
    let mut random = Random(31);
    let side = SIDE as f32;
    (0..TRIANGLES)
        .flat_map(|index| {
            let [x, y] = [random.float(0.0, side - 8.0), random.float(0.0, side - 8.0)];
            let shift = index as f32 / 8.0;
            match index < large {
                true => [[shift, 0.0, depth], [side, side - shift, 0.5], [shift, 3.0, 0.5]],
                false => [[x, y, 0.2], [x + 8.0, y, 0.3], [x, y + 8.0, 0.4]],
            }
        })
        .map(|[x, y, z]| vertex([x, y, z, 1.0]))
        .collect()
}

#[test]
fn triangles_over_many_tiles_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut draw = plain_draw();
    draw.raster.clip = Rect { x: 0, y: 0, width: SIDE, height: SIDE };
    // 32 in a word of the bins, and some in the next.
    let options = GeometryOptions { tile_size: 8, ..SMALL };
    for run_triangles in [None, Some(1), Some(32)] {
        let options = GeometryOptions { run_triangles, ..options };
        let what = format!("plain triangles, runs of {run_triangles:?}");
        assert!(compare(&gpu, &what, &draw, &triangles(40, 0.5), options) > 10_000);
        let what = format!("clipped triangles, runs of {run_triangles:?}");
        assert!(compare(&gpu, &what, &draw, &triangles(40, -1.5), options) > 10_000);
    }
    draw.raster.polygon_mode = [PolygonMode::Line; 2];
    assert!(compare(&gpu, "outlines", &draw, &triangles(20, 0.5), options) > 10_000);
}

#[test]
fn triangles_agree_without_words_of_64_bits() {
    let Some(gpu) = common::gpu() else { return };
    let gpu = gpu.without_wide_words();
    let mut draw = plain_draw();
    draw.raster.clip = Rect { x: 0, y: 0, width: SIDE, height: SIDE };
    let options = GeometryOptions { tile_size: 8, run_triangles: Some(32), ..SMALL };
    for least_culled in [0, u32::MAX] {
        let options = GeometryOptions { least_culled, ..options };
        assert!(compare(&gpu, "plain triangles", &draw, &triangles(40, 0.5), options) > 10_000);
        assert!(compare(&gpu, "clipped triangles", &draw, &triangles(40, -1.5), options) > 10_000);
    }
}

#[test]
fn how_many_tiles_are_many_does_not_matter() {
    let Some(gpu) = common::gpu() else { return };
    let mut draw = plain_draw();
    draw.raster.clip = Rect { x: 21, y: 9, width: 90, height: 77 };
    for large_tiles in [Some(0), Some(1), Some(30)] {
        for (least_culled, run_triangles) in [(0, Some(1)), (0, Some(32)), (u32::MAX, None)] {
            // Tiles without a large primitive, words with both kinds, and summaries of more than one word.
            let options = GeometryOptions { tile_size: 8, large_tiles, least_culled, run_triangles, ..SMALL };
            let mut random = Random(33);
            let vertices: Vec<_> = (0..1500)
                .flat_map(|index| {
                    let reach = if index % 50 < 2 { 80.0 } else { 2.0 };
                    let [x, y] = [random.float(0.0, 120.0), random.float(0.0, 100.0)];
                    let around = [[-reach, -reach], [reach, -1.0], [reach, 1.0]];
                    around.map(|[dx, dy]| vertex([x + dx, y + dy, random.float(-0.2, 1.0), 1.0]))
                })
                .collect();
            assert!(compare(&gpu, &format!("{options:?}"), &draw, &vertices, options) > 1000);
        }
    }
}

#[test]
fn bounds_of_rounds_do_not_matter() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(34);
    let vertices = super::kernels::flat_positions(&mut random, 180);
    let draw = plain_draw();
    for max_loop_iterations in [140, 300, 1000] {
        let options = GeometryOptions { max_loop_iterations: Some(max_loop_iterations), ..SMALL };
        compare(&gpu, &format!("{max_loop_iterations} rounds"), &draw, &vertices, options);
    }
}

#[test]
fn tests_of_pixels_agree_over_many_records() {
    let Some(gpu) = common::gpu() else { return };
    let mut draw = plain_draw();
    draw.raster.clip = Rect { x: 0, y: 0, width: 16, height: 16 };
    let rects = std::array::from_fn(|i| Rect { x: i as u32, y: 0, width: 9, height: 16 });
    draw.raster.window_clip = Some(WindowClip { rects, is_exclusive: false });
    draw.viewport.clip_planes = [ClipPlane::KeepsNonNegative; MAX_CLIP_DISTANCES];
    let covering = [[0.0, 0.0], [40.0, 0.0], [0.0, 40.0]].map(|[x, y]| vertex([x, y, 0.5, 1.0]));
    let vertices: Vec<_> = covering.iter().cycle().take(3 * 300).cloned().collect();
    // Some adapters draw this in several batches anyway.
    let options = GeometryOptions { batch_primitives: 299, ..SMALL };
    assert_eq!(compare(&gpu, "tests of pixels", &draw, &vertices, options), 300 * 64);
}
