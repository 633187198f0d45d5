//! Colors that the recompiler proves to be in 0..1, and others that only seem so: both engines round and pack them alike.

use super::interpolation::program;
use super::stage::{Stage, THREE_D, to_output};
use crate::common::random::Random;
use curie::command::methods::three_d::{program as methods, targets};
use curie::isa::nv40_vertex::VectorOpcode;

const QUADS: u32 = 8;
/// `RT_FORMAT` of four singles, and of four bytes, a pixel.
const FORMATS: [u32; 2] = [0x14c, 0x148];

/// Programs that leave a color in a half register.
const PROGRAMS: [&str; 10] = [
    "MOVH o[COLH], f[COL0];",
    "MULH o[COLH], f[COL0], f[COL0].wzyx;",
    "MINH H1, f[COL0], f[COL0].yzwx;\nMAXH o[COLH], H1, f[COL0].wxyz;",
    "LRPH o[COLH], f[COL0], f[COL0].yzwx, f[COL0].wxyz;",
    "MADH_SAT o[COLH], f[TEX0], f[TEX0].yzwx, f[TEX0].wxyz;",
    "ADDH o[COLH], f[COL0], f[COL0].yzwx;",
    "ADDH o[COLH], f[COL0], -f[COL0].yzwx;",
    "MULH o[COLH], f[COL0], -f[COL0].wzyx;",
    "MOVH H1, f[TEX0];\nMULH o[COLH], f[COL0], H1;",
    "MOVH H1, f[TEX0];\nMOVH H1.xy, f[COL0];\nMOVH o[COLH], H1;",
];

/// Draws adjacent quads with colors and coordinates in and outside 0..1.
fn draws(text: &str, format: u32) -> usize {
    let mut random = Random::new(5);
    let mut stage = Stage::new();
    stage.stream.method(THREE_D, targets::RT_FORMAT, format);
    stage.stream.method(THREE_D, methods::VP_RESULT_EN, 1 | 1 << 14);
    let moves = [(0, 0), (3, 1), (8, 7)].map(|(input, output)| to_output(VectorOpcode::Mov, input, output));
    stage.vertex_program(&moves);
    program(&mut stage, &format!("!!FP1.0\n{text}\nEND\n"));
    let (mut points, mut colors, mut texcoords) = (Vec::new(), Vec::new(), Vec::new());
    for quad in 0..16u32 {
        let (left, top) = ((quad % 4 * 16) as f32, (quad / 4 * 16) as f32);
        points.extend([left, top, left + 16.0, top, left + 16.0, top + 16.0, left, top + 16.0]);
        colors.extend((0..16).map(|_| random.below(200) as f32 / 100.0 - 0.5));
        texcoords.extend((0..16).map(|_| random.below(400) as f32 / 100.0 - 2.0));
    }
    stage.put_floats(0, &points);
    stage.array(0, 0, 0x0822);
    stage.put_floats(0x4000, &colors);
    stage.array(3, 0x4000, 0x1042);
    stage.put_floats(0x8000, &texcoords);
    stage.array(8, 0x8000, 0x1042);
    stage.draw_arrays(QUADS, 0, 64);
    stage.run().drawn().len()
}

#[test]
fn colors_within_and_beyond_the_unit_range_are_rounded_and_packed_alike() {
    for text in PROGRAMS {
        let [floats, _] = FORMATS.map(|format| draws(text, format));
        // Negative colors become zero bytes.
        assert!(floats > 500, "{text}");
    }
}
