//! Random but legal streams: all memory is equal on both engines.
//!
//! `CURIE_RANDOM_STREAMS=n` runs n times as many.

use curie::command::methods::three_d::{draw, program, raster, rop, targets, vertex};
use curie::isa::nv40_vertex::VectorOpcode;

use super::stage::{COPY_TEX0, SIZE, Stage, THREE_D, to_output};
use crate::common::random::Random;

/// True once in `n` times.
fn one_in(random: &mut Random, n: u32) -> bool {
    random.below(n) == 0
}

fn float(random: &mut Random, low: f32, high: f32) -> f32 {
    low + (high - low) * (random.word() >> 8) as f32 / 16_777_216.0
}

/// The offset of random floats in the data buffer.
const VALUES: usize = 0x1000;

fn arrays(stage: &mut Stage, random: &mut Random) {
    // Positions in pixels, some around w = 0.
    let positions: Vec<f32> = (0..96)
        .flat_map(|_| {
            let w = if one_in(random, 8) { float(random, -0.5, 0.5) } else { float(random, 0.5, 2.0) };
            [float(random, -20.0, 84.0) * w, float(random, -20.0, 84.0) * w, float(random, -0.2, 1.2) * w, w]
        })
        .collect();
    stage.put_floats(0, &positions);
    stage.array(0, 0, 0x1042);
    let values: Vec<f32> = (0..1024).map(|_| float(random, -1.0, 2.0)).collect();
    stage.put_floats(VALUES, &values);
    for attribute in 1..16u16 {
        if one_in(random, 4) {
            let value = [0; 4].map(|_| float(random, -1.0, 2.0));
            stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * attribute, &value);
            stage.enable(vertex::VTXFMT + 4 * attribute, 2);
            continue;
        }
        let format = random.pick(&[1, 2, 2, 2, 3, 4, 5, 6, 7]);
        let size = if format == 6 { 1 } else { 1 + random.below(4) };
        let divider = if one_in(random, 4) { random.below(5) } else { 0 };
        let offset = VALUES + 4 * random.below(100) as usize;
        stage.array(attribute, offset, format | size << 4 | (4 * random.below(8)) << 8 | divider << 16);
    }
    stage.enable(vertex::FREQUENCY_DIVIDER_OPERATION, random.below(0x1_0000));
    stage.enable(vertex::VB_ELEMENT_BASE, random.below(4));
}

fn programs(stage: &mut Stage, random: &mut Random, number: usize) {
    let mut code = vec![to_output(VectorOpcode::Mov, 0, 0)];
    code.extend((1..16).map(|output| to_output(VectorOpcode::Mov, random.below(16), output)));
    stage.vertex_program(&code);
    stage.enable(program::VP_RESULT_EN, if one_in(random, 2) { 0x3f_ffff } else { random.below(0x40_0000) });
    if one_in(random, 3) {
        stage.stream.methods(THREE_D, program::ATTRIB_TEX_COORD, &[random.word(), random.below(0x100)]);
    }
    stage.enable(program::FOG_MODE, random.pick(&[0x2601, 0x800, 0x801, 0x802, 0x803, 0x804]));
    stage.stream.floats(THREE_D, program::FOG_PARAMS, &[float(random, 0.5, 2.0), float(random, -1.0, 1.0)]);
    let input = random.below(15);
    let mut copy = COPY_TEX0;
    copy[0] = copy[0] & !(15 << 13) | input << 13;
    copy[3] |= if one_in(random, 4) { 1 << 31 } else { 0 };
    stage.fragment_program(0x8000 + 0x100 * number, &copy, 0x0200_0040);
    let conventions = SIZE | random.below(2) << 12 | random.below(2) << 16;
    stage.enable(targets::COORD_CONVENTIONS, conventions);
}

fn raster_state(stage: &mut Stage, random: &mut Random) {
    let flags = [
        raster::FLATSHADE_FIRST,
        raster::VERTEX_TWO_SIDE_ENABLE,
        raster::POLYGON_OFFSET_POINT_ENABLE,
        raster::POLYGON_OFFSET_LINE_ENABLE,
        raster::POLYGON_OFFSET_FILL_ENABLE,
        raster::POINT_CENTER_MODE,
        raster::EDGEFLAG,
    ];
    for method in flags {
        stage.enable(method, random.below(2));
    }
    for (method, chance) in [
        (raster::CULL_FACE_ENABLE, 4),
        (raster::LINE_SMOOTH_ENABLE, 3),
        (raster::LINE_STIPPLE_ENABLE, 3),
        (raster::POLYGON_SMOOTH_ENABLE, 3),
        (raster::POLYGON_STIPPLE_ENABLE, 4),
    ] {
        stage.enable(method, u32::from(one_in(random, chance)));
    }
    stage.enable(raster::SHADE_MODEL, 0x1d00 + random.below(2));
    stage.enable(raster::FRONT_FACE, 0x900 + random.below(2));
    stage.enable(raster::CULL_FACE, random.pick(&[0x404, 0x405]));
    for method in [raster::POLYGON_MODE_FRONT, raster::POLYGON_MODE_BACK] {
        stage.enable(method, random.pick(&[0x1b00, 0x1b01, 0x1b02, 0x1b02, 0x1b02]));
    }
    stage.stream.floats(THREE_D, raster::POLYGON_OFFSET_FACTOR, &[float(random, -2.0, 2.0), float(random, -9.0, 9.0)]);
    stage.enable(raster::LINE_WIDTH, random.below(60));
    stage.enable(raster::LINE_STIPPLE_PATTERN, random.word() & 0xffff_0007);
    let stipple: Vec<u32> = (0..32).map(|_| random.word()).collect();
    stage.stream.methods(THREE_D, raster::POLYGON_STIPPLE_PATTERN, &stipple);
    stage.stream.floats(THREE_D, raster::POINT_SIZE, &[float(random, 0.0, 12.0)]);
    let sprite = if one_in(random, 2) { random.below(2) | random.below(3) << 1 | random.below(1024) << 8 } else { 0 };
    stage.enable(raster::POINT_SPRITE, sprite);
    if one_in(random, 3) {
        stage.stream.methods(THREE_D, raster::CYLINDRICAL_WRAP, &[random.word(), random.below(0x100)]);
    }
    for index in 0..10 {
        stage.enable(raster::TEX_COORD_CONTROL + 4 * index, u32::from(one_in(random, 6)));
    }
    let planes = (0..6).fold(0, |planes, plane| planes | random.pick(&[0, 0, 0, 1, 2]) << (4 * plane));
    stage.enable(raster::VP_CLIP_PLANES_ENABLE, if one_in(random, 2) { planes } else { 0 });
    stage.enable(raster::DEPTH_CONTROL, random.pick(&[0, 1, 1, 0x10, 0x11]));
    stage.enable(targets::VIEWPORT_CLIP_MODE, random.below(2));
    for index in 0..8 {
        let [left, top] = [random.below(64), random.below(64)];
        let rect = [left | (left + random.below(40)) << 16, top | (top + random.below(40)) << 16];
        stage.stream.methods(THREE_D, targets::VIEWPORT_CLIP_HORIZ + 8 * index, &rect);
    }
    stage.enable(raster::SCISSOR_HORIZ, random.below(8) | (40 + random.below(30)) << 16);
    stage.stream.methods(THREE_D, rop::DEPTH_FUNC, &[0x200 + random.below(8), random.below(2), random.below(2)]);
}

fn elements(stage: &mut Stage, random: &mut Random) {
    let primitive = 1 + random.below(10);
    match random.below(4) {
        0 => {
            let first = random.below(20);
            let count = 3 + random.below(60);
            stage.draw_arrays(primitive, first, count);
        }
        1 => {
            stage.stream.methods(THREE_D, draw::PRIMITIVE_RESTART_ENABLE, &[random.below(2), random.below(40)]);
            let indices: Vec<u32> = (0..3 + random.below(60)).map(|_| random.below(80)).collect();
            stage.begin(primitive);
            let (front, back) = indices.split_at(indices.len() / 2);
            stage.stream.repeated(THREE_D, draw::VB_ELEMENT_U32, front);
            stage.enable(raster::EDGEFLAG, random.below(2));
            stage.stream.repeated(THREE_D, draw::VB_ELEMENT_U32, back);
            stage.end();
        }
        2 => {
            let indices: Vec<u32> = (0..40).map(|_| random.below(80) | random.below(80) << 16).collect();
            stage.put_words(0xc000, &indices);
            let address = stage.address(0xc000);
            stage.stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[address, 0x10]);
            stage.begin(primitive);
            stage.stream.method(THREE_D, draw::VB_INDEX_BATCH, random.below(20) | (3 + random.below(50)) << 24);
            stage.end();
        }
        _ => {
            stage.begin(primitive);
            for _ in 0..3 + random.below(20) {
                stage.enable(raster::EDGEFLAG, random.below(2));
                let attribute = random.below(16) as u16;
                stage.stream.method(THREE_D, vertex::VTX_ATTR_4UB + 4 * attribute.max(1), random.word());
                let position = [float(random, -5.0, 70.0), float(random, -5.0, 70.0), float(random, 0.0, 1.0)];
                stage.stream.floats(THREE_D, vertex::VTX_ATTR_3F_X, &position);
            }
            stage.end();
        }
    }
}

#[test]
fn random_streams_give_the_same_bytes() {
    let factor = std::env::var("CURIE_RANDOM_STREAMS").ok().and_then(|value| value.parse().ok()).unwrap_or(1u64);
    let mut drawn = 0;
    for seed in 1..=3 * factor {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let mut stage = Stage::new();
        for number in 0..3 {
            arrays(&mut stage, &mut random);
            programs(&mut stage, &mut random, number);
            raster_state(&mut stage, &mut random);
            let window = one_in(&mut random, 4);
            stage.enable(program::ENGINE, if window { 0x113 } else { 0x11 });
            stage.stream.floats(THREE_D, raster::VIEWPORT_TRANSLATE_X, &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0]);
            elements(&mut stage, &mut random);
        }
        drawn += stage.run().drawn().len();
    }
    assert!(drawn > 300, "{drawn} pixels");
}
