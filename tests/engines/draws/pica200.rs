//! Draws whose vertices the PICA200's vertex processor transforms.

use curie::asm::pica::{PicaOptions, assemble};
use curie::asm::shbin::ShbinValue;
use curie::command::methods::pica200_vertex as pica;
use curie::command::methods::three_d::vertex;

use super::interpolation::program as fragment_program;
use super::stage::{PICA200, Picture, SIZE, Stage, THREE_D};
use crate::common::random::Random;

const POINTS: u32 = 1;
const TRIANGLES: u32 = 5;

/// The word of `SH_OUTMAP` for a position.
const POSITION: u32 = 0x0302_0100;
/// Components without semantics.
const UNUSED: u32 = 0x1f1f_1f1f;

/// Uploads a shader and its constants as drivers do, and enters drawing mode. Attributes 0 and 8 are v0 and v1.
fn select(stage: &mut Stage, text: &str) {
    let binary = assemble("test.v.pica", text, PicaOptions::default()).unwrap_or_else(|errors| panic!("{errors}"));
    let (shader, executable) = (binary.shader(), &binary.executables[0]);
    stage.bind_class(PICA200, pica::CLASS.class);
    let stream = &mut stage.stream;
    stream.method(PICA200, pica::START_DRAW_FUNC0, 1);
    stream.method(PICA200, pica::VSH_CODETRANSFER_INDEX, 0);
    stream.repeated(PICA200, pica::VSH_CODETRANSFER_DATA, &shader.code);
    stream.method(PICA200, pica::VSH_CODETRANSFER_END, 1);
    stream.method(PICA200, pica::VSH_OPDESCS_INDEX, 0);
    stream.repeated(PICA200, pica::VSH_OPDESCS_DATA, &shader.descriptors);
    for constant in &executable.constants {
        let ShbinValue::Float([x, y, z, w]) = constant.value else { panic!("a float") };
        let packed = [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x];
        stream.method(PICA200, pica::VSH_FLOATUNIFORM_INDEX, constant.register.into());
        stream.methods(PICA200, pica::VSH_FLOATUNIFORM_DATA, &packed);
    }
    stream.method(PICA200, pica::VSH_ENTRYPOINT, 0x7fff_0000 | executable.entry);
    stream.method(PICA200, pica::VSH_INPUTBUFFER_CONFIG, 0xa000_0008);
    stream.methods(PICA200, pica::VSH_ATTRIBUTES_PERMUTATION_LOW, &[0xffff_fff0, 1]);
    stream.method(PICA200, pica::START_DRAW_FUNC0, 0);
}

/// Exports the registers of a mask with these semantics.
fn export(stage: &mut Stage, registers: u32, semantics: &[u32]) {
    stage.stream.method(PICA200, pica::VSH_OUTMAP_MASK, registers);
    stage.stream.method(PICA200, pica::SH_OUTMAP_TOTAL, semantics.len() as u32);
    stage.stream.methods(PICA200, pica::SH_OUTMAP, semantics);
}

/// A triangle over the upper left half of the target. Its second attribute is (x, y, x − y, 0.75) in pixels, and the
/// shader scales that by (0.5, 2, −1, 1) into o4.
fn triangle(semantics: u32) -> Picture {
    let mut stage = Stage::new();
    let size = SIZE as f32;
    stage.put_floats(0, &[0.0, 0.0, size, 0.0, 0.0, size]);
    stage.array(0, 0, 0x0822);
    stage.put_floats(0x1000, &[0.0, 0.0, 0.0, 0.75, size, 0.0, size, 0.75, 0.0, size, -size, 0.75]);
    stage.array(8, 0x1000, 0x1042);
    select(&mut stage, ".constf scale(0.5, 2.0, -1.0, 1.0)\n.proc main\nmov o0, v0\nmul o4, scale, v1\nend\n.end\n");
    export(&mut stage, 1 | 1 << 4, &[POSITION, semantics]);
    stage.draw_arrays(TRIANGLES, 0, 3);
    stage.run()
}

/// The pixels of the triangle that no edge touches, with the coordinates of their centers.
fn inside() -> impl Iterator<Item = (u32, u32, [f32; 2])> {
    let all = (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
    all.filter(|(x, y)| x + y < SIZE - 1).map(|(x, y)| (x, y, [x as f32 + 0.5, y as f32 + 0.5]))
}

/// Whether the target, which is texture coordinate 0, has these values inside the triangle.
fn shows(picture: &Picture, expected: impl Fn([f32; 2]) -> [f32; 4]) -> bool {
    inside().all(|(x, y, center)| {
        let pairs = picture.at(x, y).into_iter().zip(expected(center));
        pairs.into_iter().all(|(found, expected)| (found - expected).abs() < 1e-3)
    })
}

#[test]
fn a_triangle_through_a_swizzling_output_map() {
    // o4.x is v, o4.y is u, o4.z is w, and o4.w is nothing.
    let picture = triangle(0x1f10_0c0d);
    assert!(shows(&picture, |[x, y]| [2.0 * y, 0.5 * x, y - x, y - x]));
    assert_eq!(picture.at(60, 60), [0.0; 4], "outside of the triangle");
    assert_eq!(picture.at(10, 20)[..2].iter().map(|value| value.round()).collect::<Vec<_>>(), [41.0, 5.0]);
}

#[test]
fn a_changed_output_map_is_noticed() {
    // o4.w is u, and v has no source.
    let picture = triangle(0x0c1f_1f1f);
    assert!(shows(&picture, |_| [0.75, 1.0, 1.0, 1.0]));
    assert!(!shows(&picture, |[x, y]| [2.0 * y, 0.5 * x, y - x, y - x]));
}

/// Three points; the shader gives each its second attribute in o1.
fn points(values: &[f32; 12]) -> Stage {
    let mut stage = Stage::new();
    stage.positions(0, 3);
    stage.put_floats(0x1000, values);
    stage.array(8, 0x1000, 0x1042);
    select(&mut stage, ".proc main\nmov o0, v0\nmov o1, v1\nend\n.end\n");
    stage
}

/// Expected: min(|c|, 1); the component without a source is 1.
#[test]
fn colors_are_magnitudes_of_at_most_one() {
    let mut stage = points(&[-0.25, 3.0, 0.5, 0.0, 0.0, -1.0, -0.75, 0.0, f32::NEG_INFINITY, f32::NAN, -0.0, 0.0]);
    fragment_program(&mut stage, "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND");
    // Blue, red, green.
    export(&mut stage, 3, &[POSITION, 0x1f09_080a]);
    stage.draw_arrays(POINTS, 0, 3);
    let picture = stage.run();
    assert_eq!(
        [0, 1, 2].map(|x| picture.at(x, 0)),
        [[1.0, 0.5, 0.25, 1.0], [1.0, 0.75, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0]]
    );
}

#[test]
fn every_semantic_reaches_its_stage() {
    // A register's components are multiples of 1/16 from its own on.
    let value = |register: u32, component: u32| (4 * (register - 1) + component) as f32 / 32.0;
    let mut text = String::new();
    for register in 1..6 {
        let components = [0, 1, 2, 3].map(|component| value(register, component).to_string());
        text += &format!(".constf value{register}({})\n", components.join(", "));
    }
    // The position is backward in o0.
    text += ".proc main\nmov o0, v0.wzyx\n";
    for register in 1..6 {
        text += &format!("mov o{register}, value{register}\n");
    }
    text += "end\n.end\n";
    let semantics = [0x0001_0203, 0x0706_0504, 0x0b0a_0908, 0x0f0e_0d0c, 0x1413_1210, 0x1f1f_1716];
    let [one, three, four] = [value(1, 0), value(3, 0), value(4, 0)];
    let step = |first: f32, count: f32| first + count / 32.0;
    for (input, expected) in [
        ("color", [0.0, 1.0, 2.0, 3.0].map(|count| step(value(2, 0), count))),
        ("texcoord[0]", [three, step(three, 1.0), four, four]),
        ("texcoord[1]", [step(three, 2.0), step(three, 3.0), 1.0, 1.0]),
        ("texcoord[2]", [value(5, 0), value(5, 1), 1.0, 1.0]),
        ("texcoord[3]", [0.0, 1.0, 2.0, 3.0].map(|count| step(one, count))),
        ("texcoord[4]", [step(four, 1.0), step(four, 2.0), step(four, 3.0), 1.0]),
    ] {
        let mut stage = Stage::new();
        stage.positions(0, 3);
        select(&mut stage, &text);
        fragment_program(&mut stage, &format!("!!ARBfp1.0\nMOV result.color, fragment.{input};\nEND"));
        export(&mut stage, 0x3f, &semantics);
        stage.draw_arrays(POINTS, 2, 1);
        let picture = stage.run();
        assert_eq!((picture.at(2, 0), picture.drawn()), (expected, vec![(2, 0)]), "{input}");
    }
}

/// Expected: 1 + 127·2⁻²³ is 1, and 2⁶⁴ is infinite, as 24-bit floats.
#[test]
fn attributes_are_24_bit_floats_wherever_they_come_from() {
    let singles = [0x3f80_007f, 0xbfff_ffff, 0x5f80_0000, 0x207f_ffff].map(f32::from_bits);
    let expected = [0x3f80_0000, 0xbfff_ff80, 0x7f80_0000, 0];
    let mut stage = points(&[singles, singles, singles].concat().try_into().unwrap());
    export(&mut stage, 3, &[POSITION, 0x1f10_0d0c]);
    // From an array, from a value for all vertices, and with the vertex.
    stage.draw_arrays(POINTS, 0, 1);
    stage.stream.method(THREE_D, vertex::VTXFMT + 4 * 8, 0x1002);
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * 8, &singles);
    stage.draw_arrays(POINTS, 1, 1);
    stage.begin(POINTS);
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X, &[2.5, 0.5, 0.0, 1.0]);
    stage.end();
    let picture = stage.run();
    for x in 0..3 {
        assert_eq!(picture.bits(x, 0)[..2], expected[..2], "{x}");
        assert!(picture.at(x, 0)[2].is_nan() || picture.bits(x, 0)[2] == expected[2], "{x}");
    }
}

/// The same shader in small draws, which the kernels may join.
#[test]
fn draws_have_the_map_of_their_own_registers() {
    let mut stage = points(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    for (point, semantics) in [(0, 0x1f1f_0d0c), (1, 0x0d0c_1f1f), (2, UNUSED)] {
        export(&mut stage, 3, &[POSITION, semantics]);
        stage.draw_arrays(POINTS, point, 1);
    }
    // The 3D class's own program copies TEX0 over the first point.
    stage.stream.method(PICA200, pica::START_DRAW_FUNC0, 1);
    stage.draw_arrays(POINTS, 0, 1);
    let picture = stage.run();
    assert_eq!([0, 1, 2].map(|x| picture.at(x, 0)), [[1.0, 2.0, 3.0, 4.0], [7.0, 8.0, 1.0, 1.0], [1.0; 4]]);
}

#[test]
fn random_output_maps_give_the_same_bytes() {
    for seed in 0..3 {
        let mut random = Random::new(seed);
        let mut stage = Stage::new();
        stage.positions(0, 64);
        let words: Vec<u32> = (0..256).map(|_| random.word()).collect();
        stage.put_words(0x1000, &words);
        stage.array(8, 0x1000, 0x1042);
        let registers: String = (1..16).map(|register| format!("add o{register}, v1, r{}\n", register % 3)).collect();
        select(
            &mut stage,
            &format!(".proc main\nmov o0, v0\nmov r1, v1.yzwx\nmov r2, v1.wzyx\n{registers}end\n.end\n"),
        );
        for row in 0..8 {
            let mut semantics = [POSITION; 7];
            for word in &mut semantics[1..] {
                // No further position.
                let mut component = || random.pick(&[4, 8, 10, 12, 13, 14, 15, 16, 18, 22, 23, 31]);
                *word = u32::from_le_bytes(std::array::from_fn(|_| component()));
            }
            let registers = 1 | random.word() & 0xffff;
            export(&mut stage, registers, &semantics);
            stage.draw_arrays(POINTS, 8 * row, 8);
        }
        assert!(stage.run().drawn().len() > 32, "seed {seed}");
    }
}
