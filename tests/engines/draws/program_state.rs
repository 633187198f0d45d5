//! State of vertex programs and of what follows them, whose effect shows in the picture.

use curie::command::methods::three_d::{program, raster, texture, vertex};
use curie::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField as Field};

use super::stage::{COPY_TEX0, NOP, SIZE, Stage, THREE_D, source, splat, to_output};

const POINTS: u32 = 1;
const TRIANGLE_STRIP: u32 = 6;
const QUADS: u32 = 8;

/// A stage whose one point, at pixel (4, 4), has TEX0 from what the instructions leave in o7.
fn point(stage: &mut Stage, instructions: &[curie::isa::nv40_vertex::VertexWord]) {
    stage.put_floats(0, &[4.5, 4.5]);
    stage.array(0, 0, 0x0822);
    stage.vertex_program(&[&[to_output(VectorOpcode::Mov, 0, 0)], instructions].concat());
    stage.draw_arrays(POINTS, 0, 1);
}

/// `o7 = c[A1.component + 10]`.
fn indexed(component: u32) -> curie::isa::nv40_vertex::VertexWord {
    to_output(VectorOpcode::Mov, 0, 7)
        .with(Field::SRC0, source(3, 0))
        .with(Field::CONST_ADDR, 10)
        .with(Field::CONST_INDEXED, 1)
        .with(Field::ADDR_SEL, 1)
        .with(Field::ADDR_SWZ, component)
}

#[test]
fn indexed_constants_are_zero_beyond_the_highest() {
    // Constant 101 is beyond 100. The field of the lowest, 3, has no effect: an open driver sets it too high.
    for (component, expected) in [(0, 12.0), (1, 3.0), (2, 2.0), (3, 0.0)] {
        let mut stage = Stage::new();
        stage.stream.method(THREE_D, program::VP_UPLOAD_CONST_ID, 0);
        for constant in 0..102u8 {
            stage.stream.method(THREE_D, program::VP_UPLOAD_CONST_ID, u32::from(constant));
            stage.stream.floats(THREE_D, program::VP_UPLOAD_CONST, &[f32::from(constant), 0.0, 0.0, 1.0]);
        }
        stage.enable(program::INDEXED_CONSTANT_READ_LIMITS, 100 << 16 | 3);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 8 * 16, &[2.9, -7.0, -8.0, 91.0]);
        let load = NOP
            .with(Field::OP_VEC, u32::from(VectorOpcode::Arl.code()))
            .with(Field::INPUT_ADDR, 8)
            .with(Field::SRC0, source(2, 0))
            .with(Field::WM_VEC, 15)
            .with(Field::DST_VEC, 1);
        point(&mut stage, &[load, indexed(component)]);
        assert_eq!(stage.run().at(4, 4)[0], expected, "component {component}");
    }
}

#[test]
fn branches_follow_their_bit() {
    for (booleans, expected) in [(1 << 5, 1.0), (!(1 << 5), 2.0)] {
        let mut stage = Stage::new();
        stage.enable(program::TRANSFORM_BRANCH_BITS, booleans);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 8 * 4, &[1.0]);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 9 * 4, &[2.0]);
        // Over the second move if bit 5 is set.
        let branch = NOP
            .with(Field::OP_SCA, u32::from(ScalarOpcode::Brb.code()))
            .with(Field::BRANCH_BOOLEAN, 5)
            .with(Field::BRANCH_POLARITY, 1)
            .with(Field::TARGET_LOW, 4)
            .with(Field::TARGET_MIDDLE, 0)
            .with(Field::TARGET_HIGH, 0);
        let (first, second) = (to_output(VectorOpcode::Mov, 8, 7), to_output(VectorOpcode::Mov, 9, 7));
        point(&mut stage, &[first, branch, second, NOP]);
        assert_eq!(stage.run().at(4, 4)[0], expected, "{booleans:#x}");
    }
}

/// Zero times infinity is zero by the old rules, and not a number by the new ones.
#[test]
fn the_rules_decide_what_zero_times_infinity_is() {
    for (rules, is_zero) in [(0, true), (1, false)] {
        let mut stage = Stage::new();
        stage.enable(program::ENGINE, 0x103 | rules << 4);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 8 * 16, &[0.0; 4]);
        stage.stream.method(THREE_D, program::VP_UPLOAD_CONST_ID, 0);
        stage.stream.floats(THREE_D, program::VP_UPLOAD_CONST, &[f32::INFINITY; 4]);
        point(&mut stage, &[to_output(VectorOpcode::Mul, 8, 7).with(Field::SRC1, source(3, 0))]);
        let found = stage.run().at(4, 4)[0];
        assert_eq!([found == 0.0, found.is_nan()], [is_zero, !is_zero], "rules {rules}: {found}");
    }
}

#[test]
fn colors_come_from_the_output_that_is_named() {
    let mut stage = Stage::new();
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 8 * 16, &[0.25, 0.5, 0.75, 1.0]);
    // Color 0 is output 5.
    stage.enable(program::ATTRIB_COLOR, 0x0614_4325);
    stage.enable(program::VP_RESULT_EN, 1);
    let mut copy = COPY_TEX0;
    copy[0] = copy[0] & !(15 << 13) | 1 << 13;
    stage.fragment_program(0x8000, &copy, 0x0200_0040);
    point(&mut stage, &[to_output(VectorOpcode::Mov, 8, 5)]);
    assert_eq!(stage.run().at(4, 4), [0.25, 0.5, 0.75, 1.0]);
}

#[test]
fn colors_are_flat_or_smooth() {
    for (model, middle) in [(0x1d00, 1.0), (0x1d01, 0.5)] {
        let mut stage = Stage::new();
        // Red is 0 on the left and 1 on the right, where the last vertex is.
        stage.put_floats(0, &[0.0, 0.0, 0.0, 9.0, 9.0, 0.0, 9.0, 9.0]);
        stage.array(0, 0, 0x0822);
        stage.put_floats(0x100, &[0.0, 0.0, 1.0, 1.0]);
        stage.array(8, 0x100, 0x0412);
        stage.enable(program::VP_RESULT_EN, 1);
        stage.enable(raster::SHADE_MODEL, model);
        let mut copy = COPY_TEX0;
        copy[0] = copy[0] & !(15 << 13) | 1 << 13;
        stage.fragment_program(0x8000, &copy, 0x0200_0040);
        stage.vertex_program(&[to_output(VectorOpcode::Mov, 0, 0), to_output(VectorOpcode::Mov, 8, 1)]);
        stage.draw_arrays(TRIANGLE_STRIP, 0, 4);
        let found = stage.run().at(4, 4)[0];
        assert!((found - middle).abs() < 1e-5, "{model:#x}: {found}");
    }
}

#[test]
fn the_first_planes_take_the_distances_that_are_named() {
    let mut stage = Stage::new();
    stage.put_floats(0, &[0.0, 0.0, 64.0, 0.0, 64.0, 64.0, 0.0, 64.0]);
    stage.array(0, 0, 0x0822);
    // Distances to the middle column, in o9.y.
    stage.put_floats(0x100, &[-32.0, 32.0, 32.0, -32.0]);
    stage.array(1, 0x100, 0x0412);
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 8 * 4, &[1.0]);
    let distance = to_output(VectorOpcode::Mov, 1, 9).with(Field::SRC0, splat(2, 0, 0));
    let code = [to_output(VectorOpcode::Mov, 0, 0), distance, to_output(VectorOpcode::Mov, 8, 7)];
    stage.vertex_program(&code);
    stage.enable(program::ATTRIB_UCLIP0, (9 * 4 + 1) << 8);
    stage.enable(program::VP_RESULT_EN, 1 << 14 | 1 << 7);
    stage.enable(raster::VP_CLIP_PLANES_ENABLE, 2 << 4);
    stage.draw_arrays(QUADS, 0, 4);
    let drawn = stage.run().drawn();
    assert_eq!(drawn.len(), (SIZE * SIZE / 2) as usize);
    assert!(drawn.iter().all(|(x, _)| *x >= SIZE / 2));
}

/// Level 0 has the heights 3 and 9, and level 1 the height 27. The border surrounds both.
#[test]
fn vertex_textures_have_borders_wraps_and_bias() {
    let place = |stage: &mut Stage, wrap: u32, bias: i32| {
        let address = stage.address(0x1000);
        stage.put_floats(0x1000, &[3.0, 9.0]);
        stage.put_floats(0x1040, &[27.0]);
        stage.enable(texture::VERTEX_TEX_OFFSET, address);
        // X32_FLOAT, linear, two-dimensional, two levels.
        stage.enable(texture::VERTEX_TEX_FORMAT, 0x0002_bc21);
        stage.enable(texture::VERTEX_TEX_WRAP, wrap);
        stage.enable(texture::VERTEX_TEX_PITCH, 64);
        stage.enable(texture::VERTEX_TEX_SIZE, 2 << 16 | 1);
        stage.enable(texture::VERTEX_TEX_FILTER, (bias * 256).cast_unsigned() & 0x1fff);
        stage.enable(texture::VERTEX_TEX_BORDER_COLOR, 0xff33_0000);
        stage.enable(texture::VERTEX_TEX_ENABLE, 1 << 31 | 0xfff << 7);
    };
    // At −0.25 and level 0: clamped, repeated, and the border, whose red is 0x33; at 0.75 of level 0 and of level 1.
    let cases = [
        (-0.25, 0x0303, 0, 3.0),
        (-0.25, 0x0301, 0, 9.0),
        (-0.25, 0x0304, 0, 0.2),
        (0.75, 0x0303, 0, 9.0),
        (0.75, 0x0303, 1, 27.0),
    ];
    for (coordinate, wrap, bias, expected) in cases {
        let mut stage = Stage::new();
        place(&mut stage, wrap, bias);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 8 * 16, &[coordinate, 0.5, 0.0, 0.0]);
        let fetch = NOP
            .with(Field::OP_VEC, u32::from(VectorOpcode::Txl.code()))
            .with(Field::INPUT_ADDR, 8)
            .with(Field::SRC0, source(2, 0))
            .with(Field::WM_VEC, 15)
            .with(Field::OUT_ADDR, 7)
            .with(Field::OUT_FROM_VEC, 1);
        point(&mut stage, &[fetch]);
        assert_eq!(stage.run().at(4, 4)[0], expected, "{coordinate}, wrap {wrap:#x}, bias {bias}");
    }
}
