//! Points that are sprites, with SIMT fragment programs: what replaces interpolants by calculation, on both engines.

use super::simt::{COLOR, SIDE, corner_triangle, draw, interpolants, memory, pixel};
use curie::pipeline::{
    Draw, FragmentStage, InterpolantMode, PointSprite, PolygonMode, PrimitiveType, SpriteValue, WindowOrigin,
};

/// Pixels along a side of a point.
const SIZE: u32 = 8;

/// A draw with points of eight pixels, whose red, green, blue and alpha these values replace.
fn with_sprites(mut draw: Draw, mode: InterpolantMode, values: [SpriteValue; 4]) -> Draw {
    draw.raster.point_size = (SIZE as f32).to_bits();
    draw.raster.point_sprite = PointSprite { enabled: true, ..PointSprite::default() };
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    stage.interpolants = interpolants(mode);
    for (word, value) in (1..).zip(values) {
        stage.interpolants.entry(word).and_modify(|interpolant| interpolant.sprite = Some(value));
    }
    draw
}

/// A point around a place with this w.
fn point(x: f32, y: f32, w: f32, mode: InterpolantMode, values: [SpriteValue; 4], program: &str) -> Draw {
    let vertices = [([x, y, 0.5, w], [0.5; 4])];
    with_sprites(Draw { primitive: PrimitiveType::Points, ..draw(&vertices, program) }, mode, values)
}

/// The byte of (place + 1/2) / 8.
fn part(place: u32) -> u8 {
    ((f64::from(place) + 0.5) / f64::from(SIZE) * 255.0).round() as u8
}

const VALUES: [SpriteValue; 4] =
    [SpriteValue::S, SpriteValue::T(WindowOrigin::UpperLeft), SpriteValue::Zero, SpriteValue::One];

#[test]
fn coordinates_run_from_side_to_side() {
    let linear = COLOR.replace("] $r4", "]");
    for (mode, program) in [(InterpolantMode::Perspective, COLOR), (InterpolantMode::Linear, &linear)] {
        let memory = memory(&[point(16.0, 24.0, 2.0, mode, VALUES, program)]);
        for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
            let expected = match (x.checked_sub(12), y.checked_sub(20)) {
                (Some(s @ ..SIZE), Some(t @ ..SIZE)) => [0, part(t), part(s), 255],
                _ => [0; 4],
            };
            assert_eq!(pixel(&memory, 0, x, y), expected, "{mode:?}: {x}, {y}");
        }
    }
}

/// The center is a quarter to the right and below: every part is a quarter of a pixel less.
#[test]
fn rows_count_from_below() {
    let values = [SpriteValue::One, SpriteValue::T(WindowOrigin::LowerLeft), SpriteValue::S, SpriteValue::Zero];
    let memory = memory(&[point(16.25, 24.25, 2.0, InterpolantMode::Perspective, values, COLOR)]);
    let byte = |eighths: f64| (eighths / 8.0 * 255.0).round() as u8;
    for (s, t) in (0..SIZE).flat_map(|t| (0..SIZE).map(move |s| (s, t))) {
        let (column, row) = (f64::from(s) + 0.25, f64::from(t) + 0.25);
        let expected = [byte(column), byte(8.0 - row), 255, 0];
        assert_eq!(pixel(&memory, 0, 12 + s, 20 + t), expected, "{s}, {t}");
    }
}

/// A flat interpolant is that at the corner of the quad.
#[test]
fn flat_coordinates_are_those_of_the_quad() {
    let flat = COLOR.replace("interp $r0 v[0x4] $r4", "interp $r0 flat v[0x4]");
    let memory = memory(&[point(16.0, 24.0, 1.0, InterpolantMode::Linear, VALUES, &flat)]);
    for (s, t) in (0..SIZE).flat_map(|t| (0..SIZE).map(move |s| (s, t))) {
        let corner = (f64::from(s & !1) / 8.0 * 255.0).round() as u8;
        assert_eq!(pixel(&memory, 0, 12 + s, 20 + t), [0, part(t), corner, 255], "{s}, {t}");
    }
}

/// Filled triangles keep their color, the points of triangles do not.
#[test]
fn only_points_are_sprites() {
    let filled = draw(&corner_triangle(0.5, [1.0, 2.0, 4.0]), COLOR);
    let sprites = with_sprites(filled.clone(), InterpolantMode::Perspective, VALUES);
    assert_eq!(memory(std::slice::from_ref(&sprites)), memory(&[filled]));
    let mut outlined = sprites;
    outlined.raster.polygon_mode = [PolygonMode::Point; 2];
    let memory = memory(&[outlined]);
    // At the corner of the target, a quarter of the point is visible.
    for (x, y) in (0..4).flat_map(|y| (0..4).map(move |x| (x, y))) {
        assert_eq!(pixel(&memory, 0, x, y), [0, part(y + 4), part(x + 4), 255], "{x}, {y}");
    }
}
