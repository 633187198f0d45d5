//! Consecutive draws: merged if only vertices differ, separate if merging would show.

use curie::command::methods::three_d::{draw, program, raster, rop, sync, targets, texture, vertex};
use curie::isa::nv40_vertex::{VectorOpcode, VertexField as Field};
use curie::kernels::KernelPath;

use super::stage::{COPY_TEX0, NOP, SIZE, Stage, THREE_D, source, to_output};

const POINTS: u32 = 1;
const LINES: u32 = 2;
const QUADS: u32 = 8;
/// Bytes per row of the target, and per pixel.
const PITCH: u32 = SIZE * 16;
const PIXEL: u32 = 16;

/// o0 = v0 + c0, o7 = c1.
fn moved_and_colored(stage: &mut Stage) {
    let moved = to_output(VectorOpcode::Add, 0, 0).with(Field::SRC2, source(3, 0)).with(Field::CONST_ADDR, 0);
    let colored = to_output(VectorOpcode::Mov, 0, 7).with(Field::SRC0, source(3, 0)).with(Field::CONST_ADDR, 1);
    stage.vertex_program(&[moved, colored]);
}

fn constants(stage: &mut Stage, values: [[f32; 4]; 2]) {
    for (slot, value) in (0..).zip(values) {
        stage.stream.method(THREE_D, program::VP_UPLOAD_CONST_ID, slot);
        stage.stream.floats(THREE_D, program::VP_UPLOAD_CONST, &value);
    }
}

/// Sets the color in attribute 8 for the following points.
fn color(stage: &mut Stage, value: [f32; 4]) {
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * 8, &value);
}

/// Runs the stage made by `make` on both paths; the kernels take `passes` primitive setup passes.
fn run(make: impl Fn() -> Stage, passes: u64, check: impl Fn(&super::stage::Picture)) {
    for path in [KernelPath::Invocations, KernelPath::Workgroups, KernelPath::Stages] {
        let picture = make().run_on(path);
        check(&picture);
        assert!(picture.geometry_passes.is_none_or(|found| found == passes), "{path:?}: {:?}", picture.geometry_passes);
    }
}

#[test]
fn draws_that_differ_in_vertices_only_are_set_up_together() {
    let make = || {
        let mut stage = Stage::new();
        stage.put_floats(0, &[0.5, 0.5, 8.5, 0.5, 8.5, 8.5, 0.5, 8.5]);
        stage.put_words(0x100, &[3, 2, 1, 0]);
        stage.array(0, 0, 0x0822);
        moved_and_colored(&mut stage);
        let indices = stage.address(0x100);
        stage.stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[indices, 0]);
        // Later draws lie over earlier ones; the last two share all state.
        for layer in 0..4u8 {
            let place = 4.0 * f32::from(layer.min(2));
            constants(&mut stage, [[place, place, 0.0, 0.0], [f32::from(layer + 1); 4]]);
            if layer == 1 {
                stage.begin(QUADS);
                stage.stream.method(THREE_D, draw::VB_INDEX_BATCH, 3 << 24);
                stage.end();
            } else {
                stage.draw_arrays(QUADS, 0, 4);
            }
        }
        // Another program without END at the same address, from the next slot on.
        constants(&mut stage, [[40.0, 0.0, 0.0, 0.0], [9.0; 4]]);
        let colored = to_output(VectorOpcode::Mov, 0, 7).with(Field::SRC0, source(3, 0)).with(Field::CONST_ADDR, 0);
        stage.vertex_program(&[to_output(VectorOpcode::Mov, 0, 0), colored]);
        stage.draw_arrays(QUADS, 0, 4);
        stage
    };
    run(make, 1, |picture| {
        assert_eq!([picture.at(1, 1)[0], picture.at(5, 5)[0], picture.at(9, 9)[0]], [40.0, 40.0, 4.0]);
        assert_eq!([picture.at(15, 15)[0], picture.at(11, 6)[0]], [4.0, 2.0]);
        assert_eq!(picture.vertices_run, 20);
    });
}

#[test]
fn state_of_pixels_keeps_draws_apart() {
    // Blending, a mask, a scissor, depth, another primitive, another result: each between two points.
    let make = || {
        let mut stage = Stage::new();
        stage.positions(0, 8);
        color(&mut stage, [1.0; 4]);
        stage.stream.method(THREE_D, rop::DEPTH_FUNC, 0x207);
        stage.draw_arrays(POINTS, 0, 1);
        let changes: [(u16, u32); 6] = [
            (rop::COLOR_MASK, 0x0001_0101),
            (raster::SCISSOR_HORIZ, 32 << 16),
            (raster::POINT_SIZE, 2.0f32.to_bits()),
            (rop::DEPTH_TEST_ENABLE, 1),
            (program::VP_RESULT_EN, 1 << 14 | 1),
            (program::FOG_MODE, 0x801),
        ];
        for (number, (method, value)) in (1..).zip(changes) {
            stage.enable(method, value);
            stage.draw_arrays(POINTS, number, 1);
        }
        stage.draw_arrays(LINES, 6, 2);
        stage
    };
    run(make, 8, |picture| assert!(picture.drawn().len() >= 7));
}

#[test]
fn stipples_begin_anew() {
    let make = || {
        let mut stage = Stage::new();
        stage.put_floats(0, &[0.5, 0.5, 13.5, 0.5, 0.5, 8.5, 13.5, 8.5]);
        stage.array(0, 0, 0x0822);
        color(&mut stage, [1.0; 4]);
        stage.enable(raster::LINE_STIPPLE_ENABLE, 1);
        stage.enable(raster::LINE_STIPPLE_PATTERN, 0x0f1f_0001);
        // Strips with a stipple that continues within a draw, but must not continue across draws.
        stage.draw_arrays(4, 0, 2);
        stage.draw_arrays(4, 2, 2);
        stage
    };
    run(make, 2, |picture| {
        let rows = [0, 8].map(|y| (0..SIZE).filter(|x| picture.at(*x, y)[0] != 0.0).collect::<Vec<_>>());
        assert_eq!(rows[0], rows[1]);
        assert!(rows[0].len() < 13);
    });
}

#[test]
fn vertices_come_from_pixels_of_the_draw_before() {
    let make = || {
        let mut stage = Stage::new();
        stage.positions(0, 8);
        color(&mut stage, [20.5, 30.5, 0.0, 1.0]);
        stage.draw_arrays(POINTS, 0, 1);
        let target = stage.target_address();
        stage.stream.method(THREE_D, vertex::VTXBUF, target);
        stage.draw_arrays(POINTS, 0, 1);
        stage
    };
    run(make, 2, |picture| assert_eq!(picture.drawn(), [(0, 0), (20, 30)]));
}

#[test]
fn indices_come_from_pixels_of_the_draw_before() {
    let make = || {
        let mut stage = Stage::new();
        stage.positions(0, 8);
        // The low half of the first word is 5.
        color(&mut stage, [f32::from_bits(0x3f80_0005), 1.0, 1.0, 1.0]);
        stage.draw_arrays(POINTS, 0, 1);
        let target = stage.target_address();
        stage.stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[target, 0x10]);
        stage.begin(POINTS);
        stage.stream.method(THREE_D, draw::VB_INDEX_BATCH, 0);
        stage.end();
        stage
    };
    run(make, 2, |picture| assert_eq!(picture.drawn(), [(0, 0), (5, 0)]));
}

#[test]
fn vertex_textures_are_pixels_of_the_draw_before() {
    // o0 = v0; o0.y = texel of unit 0 + v0.y; the texel is the target's first pixel.
    let make = || {
        let mut stage = Stage::new();
        stage.positions(0, 8);
        let address = stage.target_address();
        stage.enable(texture::VERTEX_TEX_OFFSET, address);
        // One row of floats.
        stage.enable(texture::VERTEX_TEX_FORMAT, 0x0001_bc21);
        stage.enable(texture::VERTEX_TEX_WRAP, 0x0303);
        stage.enable(texture::VERTEX_TEX_PITCH, 0x100);
        stage.enable(texture::VERTEX_TEX_SIZE, 4 << 16 | 1);
        stage.enable(texture::VERTEX_TEX_ENABLE, 1 << 31);
        let fetch = NOP
            .with(Field::OP_VEC, u32::from(VectorOpcode::Txl.code()))
            .with(Field::INPUT_ADDR, 1)
            .with(Field::SRC0, source(2, 0))
            .with(Field::WM_VEC, 15)
            .with(Field::DST_VEC, 0);
        let add = to_output(VectorOpcode::Add, 0, 0).with(Field::SRC2, source(1, 0)).with(Field::WM_VEC, 0b0100);
        let moves = [to_output(VectorOpcode::Mov, 0, 0), add, to_output(VectorOpcode::Mov, 8, 7)];
        stage.vertex_program(&[&[fetch], &moves[..]].concat());
        color(&mut stage, [24.0, 1.0, 1.0, 1.0]);
        stage.draw_arrays(POINTS, 0, 1);
        stage.draw_arrays(POINTS, 3, 1);
        stage
    };
    run(make, 2, |picture| assert_eq!(picture.drawn(), [(0, 0), (3, 24)]));
}

#[test]
fn microcode_is_changed_by_pixels_of_the_draw_before() {
    // ADD R0, f[TEX0], constant: the microcode starts in row 32 of a target over the data buffer, so that pixel (1, 32)
    // is the constant.
    let make = || {
        let mut stage = Stage::new();
        stage.positions(0, 8);
        let place = 32 * PITCH;
        let mut add = COPY_TEX0;
        add[0] = add[0] & !(0x3f00_0000) | 0x0300_0000;
        add[2] = 2 | 0b11_10_01_00 << 9;
        stage.fragment_program(place as usize, &[add, [0; 4]].concat(), 0x0200_0040);
        stage.put_floats((place + PIXEL) as usize, &[2.0; 4]);
        stage.put_floats(0x100, &[1.5, 32.5, 5.5, 32.5]);
        stage.array(0, 0x100, 0x0822);
        let data = stage.address(0);
        stage.stream.method(THREE_D, targets::COLOR0_OFFSET, data);
        stage.stream.methods(THREE_D, raster::SCISSOR_HORIZ, &[SIZE << 16, 1 << 16 | 32]);
        color(&mut stage, [1.0; 4]);
        stage.draw_arrays(POINTS, 0, 1);
        stage.draw_arrays(POINTS, 1, 1);
        stage
    };
    for path in [KernelPath::Invocations, KernelPath::Workgroups, KernelPath::Stages] {
        let picture = make().run_on(path);
        let words = picture.data((32 * PITCH) as usize..(32 * PITCH + 6 * PIXEL) as usize);
        let float = |pixel: u32| f32::from_bits(words[(pixel * 4) as usize]);
        assert_eq!([float(1), float(5)], [3.0, 4.0]);
    }
}

#[test]
fn reports_and_reads_find_what_was_drawn_before() {
    let make = || {
        let mut stage = Stage::new();
        stage.positions(0, 8);
        color(&mut stage, [1.0; 4]);
        stage.stream.method(THREE_D, sync::QUERY_ENABLE, 1);
        stage.stream.method(THREE_D, sync::QUERY_RESET, 1);
        stage.draw_arrays(POINTS, 0, 3);
        stage.draw_arrays(POINTS, 3, 2);
        stage.stream.method(THREE_D, sync::QUERY_GET, 0x0100_0000);
        stage.draw_arrays(POINTS, 5, 1);
        stage.stream.method(THREE_D, sync::QUERY_GET, 0x0100_0020);
        // The client changes a position between two draws.
        stage.rewrite(0, &[50.5f32.to_bits()]);
        stage.draw_arrays(POINTS, 0, 1);
        stage
    };
    run(make, 3, |picture| {
        let mut drawn: Vec<_> = (0..6).map(|x| (x, 0)).collect();
        drawn.push((50, 0));
        assert_eq!(picture.drawn(), drawn);
        assert_eq!(picture.reports(2), [5, 6]);
    });
}
