//! Smooth polygons and cylindrical coordinates: values by hand, and kernels against the reference.

use std::collections::BTreeSet;

use curie::pipeline::front_end::assemble_primitives::assemble_primitives;
use curie::pipeline::front_end::raster_parameters::RasterParameters;
use curie::pipeline::{Draw, PointSprite, PolygonMode, PrimitiveType};
use curie::pipeline::{QuadInputs, ShadedVertex};
use curie::reference::interp::interpolate::interpolate;
use curie::reference::raster::rasterize_tiles::{QUAD_PIXELS, rasterize_tiles};
use curie::reference::setup::set_up_primitives::set_up_primitives;

use super::kernels::{SMALL, compare, flat_positions, perspective, perspective_draw};
use super::scene::{Random, plain_draw, vertex};
use crate::common;

/// The quads of a draw on the reference.
fn quads(draw: &Draw, vertices: &[ShadedVertex]) -> Vec<QuadInputs> {
    let elements: Vec<u32> = (0..vertices.len() as u32).collect();
    let primitives = assemble_primitives(draw.primitive, &elements, &draw.raster);
    let parameters = RasterParameters::new(draw);
    let records = set_up_primitives(&parameters, vertices, &primitives);
    let tiles = rasterize_tiles(&parameters, vertices, &records, 16);
    let quads = tiles.iter().flat_map(|tile| &tile.quads);
    quads.map(|quad| interpolate(&parameters, vertices, &records[quad.record as usize], *quad)).collect()
}

/// Each pixel's coverage, summed over primitives.
fn coverage(draw: &Draw, vertices: &[ShadedVertex]) -> [[f32; 64]; 64] {
    let mut sums = [[0.0; 64]; 64];
    for quad in quads(draw, vertices) {
        for (pixel, (dx, dy)) in QUAD_PIXELS.into_iter().enumerate() {
            let share = f32::from_bits(quad.alpha_coverage.unwrap()[pixel]);
            let is_covered = quad.coverage >> pixel & 1 != 0;
            assert!(!is_covered || share > 0.0, "pixels of coverage 0 are not drawn");
            if is_covered {
                sums[(quad.y + dy) as usize][(quad.x + dx) as usize] += share;
            }
        }
    }
    sums
}

fn smooth(primitive: PrimitiveType) -> Draw {
    let mut draw = plain_draw();
    draw.primitive = primitive;
    draw.raster.polygon_smooth = true;
    draw
}

fn corners(points: &[[f32; 2]]) -> Vec<ShadedVertex> {
    points.iter().map(|[x, y]| vertex([*x, *y, 0.5, 1.0])).collect()
}

#[test]
fn edges_of_smooth_polygons_fade_over_a_pixel() {
    // From x 10.25 to 20.5, y 8 to 12.75: the centers of column 10 are a quarter of a pixel inside.
    let square = corners(&[[10.25, 8.0], [20.5, 8.0], [20.5, 12.75], [10.25, 12.75]]);
    let found = coverage(&smooth(PrimitiveType::Quads), &square);
    let columns = [(9, 0.0), (10, 0.75), (11, 1.0), (19, 1.0), (20, 0.5), (21, 0.0)];
    for (column, expected) in columns {
        assert!((found[10][column] - expected).abs() < 1e-5, "column {column}: {}", found[10][column]);
    }
    // Row 8 is half a pixel inside, so it is fully covered; row 12 keeps three quarters, the corner what both leave.
    let rows = [(7, 0.0), (8, 1.0), (12, 0.75), (13, 0.0)];
    for (row, expected) in rows {
        assert!((found[row][15] - expected).abs() < 1e-5, "row {row}: {}", found[row][15]);
    }
    assert!((found[12][10] - 0.5).abs() < 1e-5 && (found[8][20] - 0.5).abs() < 1e-5);
    // No edge between the two triangles of the quadrilateral.
    assert!(found[9..12].iter().all(|row| row[11..20].iter().all(|share| *share == 1.0)));
}

#[test]
fn thin_polygons_cover_their_width_and_neighbours_add_up() {
    // A quarter of a pixel wide at its end, zero at its start.
    let splinter = corners(&[[5.0, 10.375], [40.0, 10.375], [40.0, 10.625]]);
    let found = coverage(&smooth(PrimitiveType::Triangles), &splinter);
    for column in 8..38u8 {
        let width = 0.25 * (f32::from(column) - 4.5) / 35.0;
        let share = found[10][usize::from(column)];
        assert!((share - width).abs() < 1e-4, "column {column}: {share}");
    }
    // Two triangles of a strip share a slanted edge: away from its ends their shares add up to 1.
    let pair = corners(&[[4.0, 4.0], [60.0, 9.0], [9.0, 50.0], [58.0, 61.0]]);
    let draw = smooth(PrimitiveType::TriangleStrip);
    let found = coverage(&draw, &pair);
    for step in 6..40u32 {
        let along = f64::from(step) / 46.0;
        let (x, y) = (60.0 - 51.0 * along, 9.0 + 41.0 * along);
        let sum = found[y as usize][x as usize];
        assert!((sum - 1.0).abs() < 1e-4, "({x}, {y}): {sum}");
    }
}

#[test]
fn outlines_of_smooth_polygons_are_not_softened() {
    let mut draw = smooth(PrimitiveType::Quads);
    draw.raster.polygon_mode = [PolygonMode::Line; 2];
    let square = corners(&[[10.25, 8.0], [20.5, 8.0], [20.5, 12.75], [10.25, 12.75]]);
    assert!(quads(&draw, &square).iter().all(|quad| quad.alpha_coverage.is_none()));
}

#[test]
fn smooth_polygons_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(21);
    for primitive in [PrimitiveType::Triangles, PrimitiveType::QuadStrip, PrimitiveType::Polygon] {
        let draw = smooth(primitive);
        assert!(compare(&gpu, "smooth", &draw, &flat_positions(&mut random, 40), SMALL) > 300);
        let mut draw = perspective_draw(primitive);
        draw.raster.polygon_smooth = true;
        for spread in [2.0, 3000.0] {
            compare(&gpu, "smooth and clipped", &draw, &perspective(&mut random, 80, spread), SMALL);
        }
    }
    let mut draw = smooth(PrimitiveType::Quads);
    draw.raster.line_smooth = true;
    draw.raster.polygon_mode = [PolygonMode::Fill, PolygonMode::Line];
    draw.raster.polygon_stipple = Some(Box::new(std::array::from_fn(|_| random.bits())));
    compare(&gpu, "smooth fills beside smooth outlines", &draw, &flat_positions(&mut random, 80), SMALL);
}

#[test]
fn wrapped_coordinates_take_the_shorter_way() {
    let mut draw = plain_draw();
    // Coordinate 1 wraps in x and w, coordinate 9 in y.
    draw.raster.cylindrical_wrap = 0b1001 << 4 | 0b0010 << 36;
    let mut vertices = corners(&[[0.0, 0.0], [64.0, 0.0], [0.0, 64.0]]);
    let values = [0.875f32, 0.125, 2.875];
    for (vertex, value) in vertices.iter_mut().zip(values) {
        for register in 1..16 {
            vertex.outputs[register] = [value.to_bits(); 4];
        }
    }
    let quads = quads(&draw, &vertices);
    for quad in &quads {
        // At a pixel center the weights of vertices 1 and 2 are x/64 and y/64.
        for (pixel, (dx, dy)) in QUAD_PIXELS.into_iter().enumerate() {
            let (x, y) = ((quad.x + dx) as f32 + 0.5, (quad.y + dy) as f32 + 0.5);
            let straight = 0.875 - 0.75 * x / 64.0 + 2.0 * y / 64.0;
            // 0.875 to 1.125 is a quarter turn; 2.875 is the same point as 0.875.
            let around = 0.875 + 0.25 * x / 64.0;
            let near = |found: u32, expected: f32| (f32::from_bits(found) - expected).abs() < 1e-5;
            let wrapped = quad.slots[5][pixel];
            assert!(near(wrapped[0], around) && near(wrapped[3], around), "{:?}", wrapped.map(f32::from_bits));
            assert!(near(wrapped[1], straight) && near(wrapped[2], straight));
            let wrapped = quad.slots[13][pixel];
            assert!(near(wrapped[1], around) && near(wrapped[0], straight));
            assert!(quad.slots[4][pixel].iter().all(|value| near(*value, straight)));
        }
    }
    assert!(quads.len() > 400);
}

#[test]
fn wrapped_coordinates_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut random = Random(22);
    for primitive in [PrimitiveType::Triangles, PrimitiveType::Lines, PrimitiveType::Points] {
        let mut draw = perspective_draw(primitive);
        draw.raster.cylindrical_wrap = u64::from(random.bits()) << 32 | u64::from(random.bits());
        draw.raster.flat_2d_coordinates = 0x111;
        draw.raster.point_sprite = PointSprite { enabled: true, replaced: 0x203, ..PointSprite::default() };
        draw.raster.point_size = 7.0f32.to_bits();
        compare(&gpu, "wrapped", &draw, &perspective(&mut random, 90, 2.0), SMALL);
    }
}

#[test]
fn exact_point_centers_agree() {
    let Some(gpu) = common::gpu() else { return };
    let mut draw = plain_draw();
    draw.primitive = PrimitiveType::Points;
    let place = |draw: &Draw| -> [Vec<u32>; 2] {
        let quads = quads(draw, &corners(&[[10.05, 20.0]]));
        let covered = quads.iter().flat_map(|quad| {
            let pixels = QUAD_PIXELS.into_iter().enumerate().filter(|(pixel, _)| quad.coverage >> pixel & 1 != 0);
            pixels.map(|(_, (dx, dy))| [quad.x + dx, quad.y + dy])
        });
        let pixels: Vec<[u32; 2]> = covered.collect();
        [0, 1].map(|axis| pixels.iter().map(|pixel| pixel[axis]).collect::<BTreeSet<_>>().into_iter().collect())
    };
    // OpenGL 2.1, section 3.3: the size is rounded, here to 3; odd sizes are centered on the pixel that contains the point,
    // between two rows on the upper one.
    draw.raster.point_size = 2.6f32.to_bits();
    assert_eq!(place(&draw), [[9, 10, 11], [18, 19, 20]]);
    // Exactly, 8.75 to 11.35 and 18.7 to 21.3 contain two centers each.
    draw.raster.has_exact_point_centers = true;
    assert_eq!(place(&draw), [[9, 10], [19, 20]]);
    compare(&gpu, "exact centres", &draw, &flat_positions(&mut Random(23), 60), SMALL);
}
