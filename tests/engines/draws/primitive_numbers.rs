//! Numbers of primitives in fragment programs: pixels by calculation, on both engines.

use std::collections::BTreeMap;

use super::simt::{draw, pixel, rectangle, run};
use curie::kernels::DrawPath;
use curie::pipeline::{FragmentStage, Interpolant, InterpolantMode, InterpolantSource, PrimitiveType};

/// Red is the number over 255.
const NUMBER: &str =
    ".kind fragment\n    interp $r0 flat v[0x0]\n    cvt rn f32 $r0 u32 $r0\n    mov b32 $r1 0x3b808081
    mul rn f32 $r0 $r0 $r1\n    mov b32 $r1 0x0\n    mov b32 $r2 0x0\n    mov b32 $r3 0x0\n    exit nop\n";

/// The number in each column of rectangles beside each other.
fn numbers(primitive: PrimitiveType, corners: &[usize]) -> [u8; 4] {
    let rectangles = (0..4u8).flat_map(|column| {
        let left = f32::from(column) * 16.0;
        let vertices = rectangle([left, 0.0, left + 16.0, 64.0], 0.5, [0.0; 4]);
        corners.iter().map(|corner| vertices[*corner]).collect::<Vec<_>>()
    });
    let mut draw = draw(&rectangles.collect::<Vec<_>>(), NUMBER);
    draw.primitive = primitive;
    let FragmentStage::Simt(stage) = &mut draw.fragment else { unreachable!() };
    stage.interpolants =
        BTreeMap::from([(0, Interpolant::new(InterpolantSource::PrimitiveNumber, InterpolantMode::Flat))]);
    let (memory, paths) = run(&[draw]);
    assert!(paths.iter().all(|path| *path == DrawPath::Host), "{paths:?}");
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
