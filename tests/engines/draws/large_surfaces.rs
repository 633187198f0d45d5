//! Surfaces of 8192 pixels along a side, and triangles beyond them: pixels by calculation, on both engines.

use super::simt::{COLOR, draw, linear, memory, word};
use curie::memory::MemoryWindow;
use curie::pipeline::{ColorTarget, Rect, SurfaceLayout};

const LONG: u32 = 8192;
const SHORT: u32 = 8;

/// Drivers copy images by one triangle of 16,384 pixels, whatever their size. Red grows with the column and green with the row, to
/// one at the end of the longest side.
#[test]
fn a_triangle_covers_the_longest_sides() {
    let at = |x: f32, y: f32| ([x, y, 0.5, 1.0], [x / LONG as f32, y / LONG as f32, 1.0, 1.0]);
    let vertices = [at(0.0, 0.0), at(16384.0, 0.0), at(0.0, 16384.0)];
    for [width, height] in [[LONG, SHORT], [SHORT, LONG]] {
        let pitch = (width * 4).max(64);
        let mut draw = draw(&vertices, COLOR);
        let target = linear(0);
        let rect = Rect { x: 0, y: 0, width, height };
        draw.targets.color[0] = Some(ColorTarget {
            window: MemoryWindow { bytes: pitch * height, ..target.window },
            layout: SurfaceLayout::Linear { pitch_bytes: pitch },
            ..target
        });
        (draw.targets.rect, draw.raster.surface, draw.raster.clip) = (rect, rect, rect);
        let memory = memory(&[draw]);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let [blue, green, red, alpha] = word(&memory, y * pitch + x * 4).to_le_bytes();
            let is_near = |found: u8, place: u32| {
                let exact = (f64::from(place) + 0.5) / f64::from(LONG) * 255.0;
                (f64::from(found) - exact).abs() < 0.51
            };
            assert!(is_near(red, x) && is_near(green, y) && [blue, alpha] == [255; 2], "{x}, {y}: {red}, {green}");
        }
    }
}
