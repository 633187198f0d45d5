//! Numbers of primitives in fragment programs: pixels by calculation, on both engines.

use std::collections::BTreeMap;

use super::simt::{SIDE, draw, memory, pixel, rectangle};
use crate::common::nightly::cases;
use crate::common::random::Random;
use curie::pipeline::{
    Draw, FragmentStage, Interpolant, InterpolantMode, InterpolantSource, PolygonMode, PrimitiveType,
};

/// Red is the number over 255.
const NUMBER: &str =
    ".kind fragment\n    interp $r0 flat v[0x0]\n    cvt rn f32 $r0 u32 $r0\n    mov b32 $r1 0x3b808081
    mul rn f32 $r0 $r0 $r1\n    mov b32 $r1 0x0\n    mov b32 $r2 0x0\n    mov b32 $r3 0x0\n    exit nop\n";

/// A draw over these vertices whose program reads numbers with this mode.
fn numbered(vertices: &[([f32; 4], [f32; 4])], text: &str, primitive: PrimitiveType) -> Draw {
    let mut draw = draw(vertices, text);
    draw.primitive = primitive;
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    stage.interpolants =
        BTreeMap::from([(0, Interpolant::new(InterpolantSource::PrimitiveNumber, InterpolantMode::Flat))]);
    draw
}

/// The number in each column of rectangles beside each other.
fn numbers(primitive: PrimitiveType, corners: &[usize]) -> [u8; 4] {
    let rectangles = (0..4u8).flat_map(|column| {
        let left = f32::from(column) * 16.0;
        let vertices = rectangle([left, 0.0, left + 16.0, 64.0], 0.5, [0.0; 4]);
        corners.iter().map(|corner| vertices[*corner]).collect::<Vec<_>>()
    });
    let memory = memory(&[numbered(&rectangles.collect::<Vec<_>>(), NUMBER, primitive)]);
    // The upper left triangle of each, and the lower right one of the first.
    let found = [0, 1, 2, 3].map(|column| pixel(&memory, 0, 16 * column + 1, 1)[2]);
    let second = pixel(&memory, 0, 14, 62)[2];
    assert_eq!(second, found[0] + u8::from(primitive == PrimitiveType::Triangles));
    found
}

#[test]
fn a_program_reads_the_number_of_its_primitive() {
    assert_eq!(numbers(PrimitiveType::Triangles, &[0, 1, 2, 3, 4, 5]), [0, 2, 4, 6]);
    assert_eq!(numbers(PrimitiveType::Quads, &[0, 1, 5, 2]), [0, 1, 2, 3]);
}

/// Each draw begins with 0, also where draws become one: three draws of two triangles, beside each other.
#[test]
fn numbers_are_those_of_the_own_draw() {
    let column = |left: f32| rectangle([left, 0.0, left + 16.0, 64.0], 0.5, [0.0; 4]);
    let draws = [0.0, 16.0, 32.0].map(|left| numbered(&column(left), NUMBER, PrimitiveType::Triangles));
    let memory = memory(&draws);
    assert_eq!([0, 16, 32].map(|left| pixel(&memory, 0, left + 1, 1)[2]), [0; 3]);
    assert_eq!([0, 16, 32].map(|left| pixel(&memory, 0, left + 14, 62)[2]), [1; 3]);
}

/// Kinds of primitives, forms of polygons and flat or other interpolation, over places that may be clipped.
#[test]
fn numbers_are_the_same_on_both_engines() {
    let kinds = [
        PrimitiveType::Points,
        PrimitiveType::LineStrip,
        PrimitiveType::Triangles,
        PrimitiveType::TriangleStrip,
        PrimitiveType::Quads,
        PrimitiveType::Polygon,
    ];
    let modes = [PolygonMode::Point, PolygonMode::Line, PolygonMode::Fill];
    for seed in 0..cases(12, 300) {
        let mut random = Random::new(0x9d5e ^ seed);
        let count = 3 + random.below(120);
        let vertices: Vec<_> = (0..count)
            .map(|_| {
                let [x, y] = [0, 1].map(|_| random.below(12 * SIDE) as f32 / 8.0 - SIDE as f32 / 4.0);
                let (z, w) = (random.below(16) as f32 / 12.0 - 0.1, 1.0 - random.below(4) as f32 / 3.0 * 1.5);
                ([x, y, z, w], [0.0; 4])
            })
            .collect();
        let text = if random.flag() { NUMBER.to_owned() } else { NUMBER.replace("interp $r0 flat", "interp $r0") };
        let mut draw = numbered(&vertices, &text, kinds[random.below(6) as usize]);
        draw.raster.polygon_mode = [0, 1].map(|_| modes[random.below(3) as usize]);
        draw.raster.first_vertex_provokes = random.flag();
        memory(&[draw]);
    }
}
