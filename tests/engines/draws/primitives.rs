//! Primitives in whole streams: provoking vertices, edge flags, clip rectangles, depth ranges, sprites.

use curie::command::methods::three_d::{program, raster, rop, targets, vertex};
use curie::isa::nv40_vertex::VectorOpcode;

use super::stage::{COPY_TEX0, SIZE, Stage, THREE_D, to_output};

/// Color 0 from attribute 3 instead of TEX0.
fn colored(stage: &mut Stage) {
    stage.vertex_program(&[to_output(VectorOpcode::Mov, 0, 0), to_output(VectorOpcode::Mov, 3, 1)]);
    stage.enable(program::VP_RESULT_EN, 1);
    let mut copy = COPY_TEX0;
    copy[0] = copy[0] & !(15 << 13) | 1 << 13;
    stage.fragment_program(0x8000, &copy, 0x0200_0040);
}

/// Vertices with positions in pixels, and color n/16 for vertex n.
fn numbered(stage: &mut Stage, points: &[[f32; 2]]) {
    let values: Vec<f32> = points.iter().flatten().copied().collect();
    stage.put_floats(0, &values);
    stage.array(0, 0, 0x0822);
    let colors: Vec<f32> = (1..=points.len() as u8).map(|number| f32::from(number) / 16.0).collect();
    stage.put_floats(0x1000, &colors);
    stage.array(3, 0x1000, 0x0412);
}

/// Primitive, vertices, a pixel, and the numbers of its provoking vertex under the last-vertex and first-vertex conventions.
type Provoking<'a> = (u32, &'a [[f32; 2]], (u32, u32), u32, u32);

#[test]
fn the_provoking_vertex_of_all_ten_primitives() {
    // Six vertices in two columns: 1 3 5 above, 2 4 6 below.
    let strip: Vec<[f32; 2]> =
        (0..6u8).map(|i| [f32::from(i / 2) * 20.0 + 4.5, f32::from(i % 2) * 20.0 + 4.5]).collect();
    // The same as a ring, for loops, fans, quadrilaterals and polygons. Quadrilaterals and polygons have one convention.
    let ring: Vec<[f32; 2]> = [0, 1, 3, 5, 4, 2].iter().map(|i: &usize| strip[*i]).collect();
    let cases: [Provoking<'_>; 12] = [
        (1, &strip, (4, 24), 2, 2),
        (2, &strip, (4, 14), 2, 1),
        (3, &ring, (14, 4), 1, 6),
        (4, &ring, (14, 24), 3, 2),
        (5, &strip, (10, 8), 3, 1),
        (5, &strip, (40, 18), 6, 4),
        (6, &strip, (18, 20), 4, 2),
        (7, &ring, (8, 20), 3, 2),
        (8, &ring, (10, 20), 4, 4),
        (9, &strip, (10, 8), 4, 4),
        (9, &strip, (40, 20), 6, 6),
        (10, &ring, (40, 20), 1, 1),
    ];
    for (primitive, points, (x, y), last, first) in cases {
        let mut stage = Stage::new();
        colored(&mut stage);
        stage.enable(raster::SHADE_MODEL, 0x1d00);
        // In the lower half of the target, the first vertex provokes.
        let lower: Vec<[f32; 2]> = points.iter().map(|[x, y]| [*x, *y + 32.0]).collect();
        numbered(&mut stage, &[points, &lower].concat());
        stage.draw_arrays(primitive, 0, 6);
        stage.enable(raster::FLATSHADE_FIRST, 1);
        stage.draw_arrays(primitive, 6, 6);
        let picture = stage.run();
        let found = [picture.at(x, y)[0] * 16.0, picture.at(x, y + 32)[0] * 16.0 - 6.0];
        assert_eq!(found, [last as f32, first as f32], "primitive {primitive} at ({x}, {y})");
    }
}

#[test]
fn edge_flags_between_vertices_leave_out_edges() {
    // Two triangles in line mode, sent vertex by vertex; the flag is off for two edges of the first.
    let mut stage = Stage::new();
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 4 * 8, &[1.0]);
    stage.enable(raster::POLYGON_MODE_FRONT, 0x1b01);
    stage.enable(raster::POLYGON_MODE_BACK, 0x1b01);
    stage.begin(5);
    let vertices = [
        (false, [4.5, 4.5]),
        (false, [24.5, 4.5]),
        (true, [4.5, 24.5]),
        (true, [34.5, 4.5]),
        (true, [54.5, 4.5]),
        (true, [34.5, 24.5]),
    ];
    for (is_edge, position) in vertices {
        stage.enable(raster::EDGEFLAG, u32::from(is_edge));
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_2F_X, &position);
    }
    stage.end();
    let picture = stage.run();
    let is_drawn = |x: u32, y: u32| picture.at(x, y)[0] == 1.0;
    assert!(!is_drawn(14, 4), "the edge from vertex 0");
    assert!(!is_drawn(14, 14), "the edge from vertex 1");
    assert!(is_drawn(4, 14), "the edge from vertex 2");
    assert!(is_drawn(44, 4) && is_drawn(44, 14) && is_drawn(34, 14), "all of the other triangle");
}

#[test]
fn an_edge_flag_that_is_off_hides_arrays_in_outline() {
    for is_edge in [false, true] {
        let mut stage = Stage::new();
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 4 * 8, &[1.0]);
        stage.put_floats(0, &[4.5, 4.5, 24.5, 4.5, 4.5, 24.5]);
        stage.array(0, 0, 0x0822);
        stage.enable(raster::POLYGON_MODE_FRONT, 0x1b00);
        stage.enable(raster::POLYGON_MODE_BACK, 0x1b01);
        stage.enable(raster::EDGEFLAG, u32::from(is_edge));
        stage.draw_arrays(5, 0, 3);
        assert_eq!(stage.run().drawn().is_empty(), !is_edge);
    }
}

#[test]
fn window_clip_rectangles_keep_inside_or_outside() {
    for is_exclusive in [false, true] {
        let mut stage = Stage::new();
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 4 * 8, &[1.0]);
        stage.put_floats(0, &[0.0, 0.0, 64.0, 0.0, 64.0, 64.0, 0.0, 64.0]);
        stage.array(0, 0, 0x0822);
        stage.enable(targets::VIEWPORT_CLIP_MODE, u32::from(is_exclusive));
        for index in 0..8 {
            // Limits are inclusive: columns 8i to 8i + 3, rows 10 to 20.
            let first = 8 * u32::from(index);
            let columns = first | (first + 3) << 16;
            stage.stream.methods(THREE_D, targets::VIEWPORT_CLIP_HORIZ + 8 * index, &[columns, 10 | 20 << 16]);
        }
        stage.draw_arrays(8, 0, 4);
        let picture = stage.run();
        for y in 0..SIZE {
            for x in 0..SIZE {
                let is_inside = x % 8 <= 3 && (10..=20).contains(&y);
                assert_eq!(picture.at(x, y)[0] == 1.0, is_inside != is_exclusive, "({x}, {y})");
            }
        }
    }
}

#[test]
fn depth_is_clipped_or_clamped_to_its_range() {
    // z grows from −1/4 to 5/4 across the target; the depth range is 1/4 to 3/4.
    for control in [0x1u32, 0x10, 0x00, 0x11] {
        let mut stage = Stage::new();
        stage.put_floats(0, &[0.0, 0.0, -0.25, 64.0, 0.0, 1.25, 64.0, 64.0, 1.25, 0.0, 64.0, -0.25]);
        stage.array(0, 0, 0x0c32);
        stage.stream.floats(THREE_D, raster::DEPTH_RANGE_NEAR, &[0.25, 0.75]);
        stage.enable(raster::DEPTH_CONTROL, control);
        // The picture is the window position.
        let mut copy = COPY_TEX0;
        copy[0] &= !(15 << 13);
        stage.fragment_program(0x8000, &copy, 0x0200_0040);
        stage.draw_arrays(8, 0, 4);
        let picture = stage.run();
        for x in 0..SIZE {
            let depth = -0.25 + 1.5 * (x as f32 + 0.5) / 64.0;
            let [_, _, found, w] = picture.at(x, 30);
            let is_clipped = control & 1 != 0 && !(0.25..=0.75).contains(&depth);
            assert_eq!(w == 0.0, is_clipped, "column {x}, control {control:#x}");
            if !is_clipped {
                let expected = if control & 0x10 != 0 { depth.clamp(0.25, 0.75) } else { depth.clamp(0.0, 1.0) };
                assert!((found - expected).abs() < 1e-6, "column {x}, control {control:#x}: {found} not {expected}");
            }
        }
    }
}

#[test]
fn polygon_offset_moves_each_mode_by_slope_and_steps() {
    // Depth rises by 1/128 a column; the offset is 2 slopes plus 4096 steps of 24 bits.
    for (mode, method) in [
        (0x1b00, raster::POLYGON_OFFSET_POINT_ENABLE),
        (0x1b01, raster::POLYGON_OFFSET_LINE_ENABLE),
        (0x1b02, raster::POLYGON_OFFSET_FILL_ENABLE),
    ] {
        let mut stage = Stage::new();
        stage.put_floats(0, &[0.5, 0.5, 0.25, 32.5, 0.5, 0.5, 0.5, 32.5, 0.25]);
        stage.array(0, 0, 0x0c32);
        stage.enable(raster::POLYGON_MODE_FRONT, mode);
        stage.enable(raster::POLYGON_MODE_BACK, mode);
        stage.enable(method, 1);
        stage.stream.floats(THREE_D, raster::POLYGON_OFFSET_FACTOR, &[2.0, 4096.0]);
        stage.enable(rop::DEPTH_FUNC, 0x207);
        let mut copy = COPY_TEX0;
        copy[0] &= !(15 << 13);
        stage.fragment_program(0x8000, &copy, 0x0200_0040);
        stage.draw_arrays(5, 0, 3);
        let depth = stage.run().at(0, 0)[2];
        let expected = 0.25 + 2.0 / 128.0 + 4096.0 * 2.0f32.powi(-24);
        assert!((depth - expected).abs() < 1e-6, "mode {mode:#x}: {depth} not {expected}");
    }
}

#[test]
fn sprites_replace_any_of_ten_coordinates() {
    for coordinate in 0..10u32 {
        let r_mode = coordinate % 3;
        let mut stage = Stage::new();
        stage.put_floats(0, &[32.0, 32.0]);
        stage.array(0, 0, 0x0822);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * 8, &[0.1, 0.2, 0.3, 0.4]);
        // Every texture coordinate comes from o7, and is enabled.
        stage.stream.methods(THREE_D, program::ATTRIB_TEX_COORD, &[0x7777_7777, 0x77]);
        stage.enable(program::VP_RESULT_EN, 0x3f_f000);
        stage.stream.floats(THREE_D, raster::POINT_SIZE, &[16.0]);
        stage.enable(raster::POINT_SPRITE, 1 | r_mode << 1 | 1 << (8 + coordinate));
        let copy_of = |coordinate: u32| {
            let mut copy = COPY_TEX0;
            copy[0] = copy[0] & !(15 << 13) | (4 + coordinate) << 13;
            copy
        };
        stage.fragment_program(0x8000, &copy_of(coordinate), 0x0200_0040);
        stage.draw_arrays(1, 0, 1);
        // A second point above shows the next coordinate, which is not replaced.
        stage.put_floats(0x100, &[32.0, 8.0]);
        stage.array(0, 0x100, 0x0822);
        stage.fragment_program(0x8100, &copy_of((coordinate + 1) % 10), 0x0200_0040);
        stage.draw_arrays(1, 0, 1);
        // A third point has the bit of its coordinate, but is no sprite.
        stage.put_floats(0x200, &[32.0, 56.0]);
        stage.array(0, 0x200, 0x0822);
        stage.enable(raster::POINT_SPRITE, r_mode << 1 | 1 << (8 + coordinate));
        stage.fragment_program(0x8200, &copy_of(coordinate), 0x0200_0040);
        stage.draw_arrays(1, 0, 1);
        let picture = stage.run();
        assert_eq!(picture.drawn().len(), 3 * 256);
        assert_eq!(picture.at(27, 12), [0.1, 0.2, 0.3, 0.4], "beside coordinate {coordinate}");
        assert_eq!(picture.at(27, 60), [0.1, 0.2, 0.3, 0.4], "coordinate {coordinate} of a point");
        // The sprite extends from 24 to 40; this pixel is 3.5 and 12.5 pixels inside.
        // NV_point_sprite, section 3.3: r and s are those before the replacement.
        let third = [0.0, 0.3, 0.1][r_mode as usize];
        let expected = [3.5 / 16.0, 12.5 / 16.0, third, 1.0];
        for (found, expected) in picture.at(27, 36).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "coordinate {coordinate}, R mode {r_mode}");
        }
    }
}

#[test]
fn point_sizes_come_from_the_register_or_the_program() {
    for (is_program, register, output, side) in [
        (false, 5.0, 9.0, 5),
        (true, 5.0, 9.0, 9),
        (false, 0.25, 9.0, 1),
        (true, 5.0, -3.0, 1),
        (false, 5000.0, 9.0, 64),
    ] {
        let mut stage = Stage::new();
        stage.put_floats(0, &[32.5, 32.5]);
        stage.array(0, 0, 0x0822);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 4 * 8, &[1.0]);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 4 * 6, &[output]);
        stage.vertex_program(&[
            to_output(VectorOpcode::Mov, 0, 0),
            to_output(VectorOpcode::Mov, 8, 7),
            to_output(VectorOpcode::Mov, 6, 6),
        ]);
        stage.enable(program::VP_RESULT_EN, 1 << 14 | u32::from(is_program) << 5);
        stage.stream.floats(THREE_D, raster::POINT_SIZE, &[register]);
        stage.draw_arrays(1, 0, 1);
        assert_eq!(stage.run().drawn().len(), side * side, "{register} and {output}");
    }
}

#[test]
fn a_tile_takes_more_layers_than_one_dispatch_walks() {
    // Layers over one tile take more loop iterations than an invocation may run; the last quadrilateral lies elsewhere.
    const LAYERS: u16 = 1100;
    let mut stage = Stage::new();
    let corners = |x: f32, y: f32| [x, y, x + 16.0, y, x + 16.0, y + 16.0, x, y + 16.0];
    let mut points = corners(0.0, 0.0).repeat(usize::from(LAYERS));
    points.extend(corners(40.0, 32.0));
    stage.put_floats(0, &points);
    stage.array(0, 0, 0x0822);
    let colors: Vec<f32> = (1..=LAYERS + 1).flat_map(|layer| [f32::from(layer); 4]).collect();
    stage.put_floats(0xa000, &colors);
    stage.array(8, 0xa000, 0x0412);
    stage.draw_arrays(8, 0, 4 * (u32::from(LAYERS) + 1));
    let picture = stage.run();
    assert_eq!(picture.drawn().len(), 2 * 16 * 16);
    for place in 0..16 {
        assert_eq!(picture.at(place, 15 - place)[0], f32::from(LAYERS));
        assert_eq!(picture.at(40 + place, 32 + place)[0], f32::from(LAYERS + 1));
    }
}

#[test]
fn later_layers_hide_what_they_cover() {
    // Layers of one draw, by x, y, width, height and depth; the last that covers a pixel is visible. A layer outside
    // the depth range hides nothing; layers with a slope, or that skip pixels of a tile, hide in part.
    const LAYERS: [[f32; 5]; 8] = [
        [0.0, 0.0, 64.0, 64.0, 0.5],
        [3.0, 5.0, 40.0, 33.0, 0.25],
        [0.0, 0.0, 64.0, 64.0, 0.0],
        [16.0, 16.0, 16.0, 16.0, 1.0],
        [0.0, 32.0, 33.0, 32.0, 0.5],
        [0.0, 0.0, 64.0, 64.0, 1.5],
        [15.0, 0.0, 17.0, 16.0, 0.75],
        [32.0, 32.0, 31.0, 32.0, 0.75],
    ];
    for slope in [0.0, 0.125] {
        let mut stage = Stage::new();
        // Pixels outside the depth range are skipped.
        stage.stream.method(THREE_D, raster::DEPTH_CONTROL, 1);
        let mut points = Vec::new();
        for [x, y, width, height, depth] in LAYERS {
            for (dx, dy) in [(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)] {
                points.extend([x + dx, y + dy, depth + slope * dx / 64.0]);
            }
        }
        stage.put_floats(0, &points);
        stage.array(0, 0, 0x0c32);
        let colors: Vec<f32> = (1..=LAYERS.len()).flat_map(|layer| [layer as f32; 4]).collect();
        stage.put_floats(0xa000, &colors);
        stage.array(8, 0xa000, 0x0412);
        stage.draw_arrays(8, 0, 4 * LAYERS.len() as u32);
        let picture = stage.run();
        for (x, y) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))) {
            let (fx, fy) = (x as f32 + 0.5, y as f32 + 0.5);
            let shows = |&[left, top, width, height, depth]: &[f32; 5]| {
                let depth = depth + slope * (fx - left) / 64.0;
                (left..left + width).contains(&fx) && (top..top + height).contains(&fy) && depth <= 1.0
            };
            let expected = LAYERS.iter().rposition(shows).map_or(0.0, |layer| (layer + 1) as f32);
            assert_eq!(picture.at(x, y)[0], expected, "pixel {x}, {y} with slope {slope}");
        }
    }
}
