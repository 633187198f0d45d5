//! Streams like those of an OpenGL driver that implements fixed functions with programs: lighting, user clip planes,
//! fog, two-sided colors; pixels as OpenGL computes them.

use curie::command::methods::three_d::{program, raster, targets, vertex};
use curie::isa::nv40_vertex::{ScalarOpcode, VectorOpcode, VertexField as Field, VertexWord};

use super::stage::{COPY_TEX0, NOP, SIZE, Stage, THREE_D, scalar, source, splat, to_output};

const TRIANGLES: u32 = 5;
const QUADS: u32 = 8;

/// A vector operation on temporaries, or on one attribute and one constant, into a temporary.
fn operation(opcode: VectorOpcode, sources: [u32; 3], destination: u32) -> VertexWord {
    NOP.with(Field::OP_VEC, u32::from(opcode.code()))
        .with(Field::SRC0, sources[0])
        .with(Field::SRC1, sources[1])
        .with(Field::SRC2, sources[2])
        .with(Field::WM_VEC, 15)
        .with(Field::DST_VEC, destination)
}

/// DP4 of attribute 0 and a constant into components of an output.
fn plane(constant: u32, output: u32, mask: u32) -> VertexWord {
    to_output(VectorOpcode::Dp4, 0, output)
        .with(Field::SRC1, source(3, 0))
        .with(Field::CONST_ADDR, constant)
        .with(Field::WM_VEC, mask)
}

fn constants(stage: &mut Stage, first: u32, values: &[[f32; 4]]) {
    for (slot, value) in (first..).zip(values) {
        stage.stream.method(THREE_D, program::VP_UPLOAD_CONST_ID, slot);
        stage.stream.floats(THREE_D, program::VP_UPLOAD_CONST, value);
    }
}

/// A quadrilateral over the whole target, with clip-space corners.
fn whole_target(stage: &mut Stage) {
    stage.put_floats(0, &[-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0]);
    stage.array(0, 0, 0x0822);
    stage.enable(vertex::VTX_ATTR_1F + 4 * 8, 1.0f32.to_bits());
    stage.viewport();
}

/// The clip-space coordinate of a pixel's center.
fn place(pixel: u32) -> f32 {
    (pixel as f32 + 0.5) / (SIZE as f32 / 2.0) - 1.0
}

const X: u32 = 0b1000;
const Y: u32 = 0b0100;
const Z: u32 = 0b0010;
const W: u32 = 0b0001;

#[test]
fn six_clip_planes_cut_in_both_modes() {
    // Distances go to o5.yzw and o6.yzw, where the driver's routing reads them.
    let planes = [
        [1.0, 0.0, 0.0, 0.75],
        [-1.0, 0.0, 0.0, 0.8],
        [0.0, 1.0, 0.0, 0.6],
        [0.0, -1.0, 0.0, 0.9],
        [1.0, 1.0, 0.0, 0.9],
        [-0.7, 0.7, 0.0, 0.2],
    ];
    let places = [(5, Y), (5, Z), (5, W), (6, Y), (6, Z), (6, W)];
    for modes in [[2, 2, 2, 2, 2, 2], [2, 1, 2, 2, 2, 1], [0, 0, 1, 2, 0, 1]] {
        let mut stage = Stage::new();
        whole_target(&mut stage);
        constants(&mut stage, 0, &planes);
        let mut code = vec![to_output(VectorOpcode::Mov, 0, 0), to_output(VectorOpcode::Mov, 8, 7)];
        code.extend((0..).zip(places).map(|(constant, (output, mask))| plane(constant, output, mask)));
        stage.vertex_program(&code);
        stage.enable(program::VP_RESULT_EN, 1 << 14 | 0x3f << 6);
        let word = modes.iter().enumerate().fold(0, |word, (index, mode)| word | mode << (4 * index));
        stage.enable(raster::VP_CLIP_PLANES_ENABLE, word);
        stage.draw_arrays(QUADS, 0, 4);
        let picture = stage.run();
        for y in 0..SIZE {
            for x in 0..SIZE {
                let distances = planes.map(|[a, b, _, d]| a * place(x) + b * place(y) + d);
                if distances.iter().any(|distance| distance.abs() < 1e-5) {
                    continue;
                }
                let is_kept = modes.iter().zip(distances).all(|(mode, distance)| match mode {
                    0 => true,
                    1 => distance < 0.0,
                    _ => distance >= 0.0,
                });
                assert_eq!(picture.at(x, y)[0] == 1.0, is_kept, "({x}, {y}) by {modes:?}");
            }
        }
        assert!(picture.drawn().len() > 20);
    }
}

#[test]
fn distances_and_colours_follow_the_routing() {
    let mut stage = Stage::new();
    whole_target(&mut stage);
    constants(&mut stage, 0, &[[1.0, 0.0, 0.0, 0.0]]);
    // The distance is in o9.w, and TEX0 comes from o3.
    let code = [to_output(VectorOpcode::Mov, 0, 0), plane(0, 9, W), to_output(VectorOpcode::Mov, 8, 3)];
    stage.vertex_program(&code);
    stage.enable(program::ATTRIB_UCLIP1, 9 * 4 + 3);
    stage.enable(program::ATTRIB_TEX_COORD, 3);
    stage.enable(program::VP_RESULT_EN, 1 << 14 | 1 << 9);
    stage.enable(raster::VP_CLIP_PLANES_ENABLE, 2 << 12);
    stage.draw_arrays(QUADS, 0, 4);
    let drawn = stage.run().drawn();
    assert_eq!(drawn.len(), (SIZE * SIZE / 2) as usize);
    assert!(drawn.iter().all(|(x, _)| *x >= SIZE / 2));
}

/// A fog mode, and the factor of a coordinate.
type FogMode = (u32, fn(f64) -> f64);

#[test]
fn fog_coordinates_make_factors_by_six_modes() {
    let modes: [FogMode; 6] = [
        (0x2601, |x| x * -0.5 + (1.9 - 1.0)),
        (0x800, |x| (11.084 * (x * -0.05 + (1.5 - 1.5))).exp()),
        (0x801, |x| (-(4.709 * (x * -0.08 + (1.5 - 1.5))).powi(2)).exp()),
        (0x802, |x| (11.084 * (x.abs() * -0.05 + (1.5 - 1.5))).exp()),
        (0x803, |x| (-(4.709 * (x.abs() * -0.08 + (1.5 - 1.5))).powi(2)).exp()),
        (0x804, |x| x.abs() * -0.5 + (1.9 - 1.0)),
    ];
    for (mode, factor) in modes {
        let mut stage = Stage::new();
        whole_target(&mut stage);
        // The fog coordinate is 2·x: from −2 to 2 across the target.
        constants(&mut stage, 0, &[[2.0, 0.0, 0.0, 0.0]]);
        stage.vertex_program(&[to_output(VectorOpcode::Mov, 0, 0), plane(0, 5, X)]);
        stage.enable(program::VP_RESULT_EN, 1 << 4);
        let parameters: [f32; 2] = match mode {
            0x2601 | 0x804 => [1.9, -0.5],
            0x800 | 0x802 => [1.5, -0.05],
            _ => [1.5, -0.08],
        };
        stage.enable(program::FOG_MODE, mode);
        stage.stream.floats(THREE_D, program::FOG_PARAMS, &parameters);
        // MOV R0, f[FOGC].
        let mut copy = COPY_TEX0;
        copy[0] = copy[0] & !(15 << 13) | 3 << 13;
        stage.fragment_program(0x8000, &copy, 0x0200_0040);
        stage.draw_arrays(QUADS, 0, 4);
        let picture = stage.run();
        for x in 0..SIZE {
            let coordinate = 2.0 * place(x);
            let [found, share, z, w] = picture.at(x, 40);
            assert!((found - coordinate).abs() < 1e-5, "{mode:#x} at {x}");
            let expected = factor(f64::from(coordinate)).clamp(0.0, 1.0);
            assert!((f64::from(share) - expected).abs() < 2e-5, "{mode:#x} of {coordinate}: {share} not {expected}");
            assert_eq!((z, w), (0.0, 0.0));
        }
    }
}

#[test]
fn lighting_by_a_program_is_that_of_opengl() {
    // c0..c3 model-view-projection, c4..c6 normal matrix, c8 light direction, c9 half vector, c10 material diffuse × light,
    // c11 material specular × light, c12 ambient and emission; shininess 20.
    let mut stage = Stage::new();
    let turn = 0.6f32;
    let (sine, cosine) = turn.sin_cos();
    let matrix = [[0.9, 0.0, 0.0, 0.05], [0.0, 0.8, 0.1, 0.0], [0.0, 0.0, 0.5, 0.1], [0.0, 0.0, 0.2, 1.3]];
    let normals = [[cosine, 0.0, sine, 0.0], [0.0, 1.0, 0.0, 0.0], [-sine, 0.0, cosine, 0.0]];
    let unit = |v: [f32; 3]| -> [f32; 4] {
        let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        [v[0] / length, v[1] / length, v[2] / length, 0.0]
    };
    let (light, half) = (unit([0.3, 0.5, 1.0]), unit([0.1, 0.3, 1.0]));
    let (diffuse, specular, ambient) = ([0.5, 0.25, 0.125, 0.0], [0.4, 0.4, 0.3, 0.0], [0.05, 0.1, 0.15, 1.0]);
    constants(&mut stage, 0, &matrix);
    constants(&mut stage, 4, &normals);
    constants(&mut stage, 8, &[light, half, diffuse, specular, ambient, [0.0, 0.0, 0.0, 20.0]]);
    let normal = [0.2f32, -0.1, 0.9];
    stage.put_floats(0, &[-0.9, -0.8, 0.1, 0.8, -0.7, 0.2, 0.0, 0.9, -0.3]);
    stage.array(0, 0, 0x0c32);
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_3F_X + 16 * 2, &normal);
    stage.viewport();
    let with_constant = |word: VertexWord, constant: u32| word.with(Field::CONST_ADDR, constant);
    let (input, constant, temporary) = (source(2, 0), source(3, 0), |register| source(1, register));
    let mut code: Vec<VertexWord> = (0..4).map(|row| plane(row, 0, [X, Y, Z, W][row as usize])).collect();
    // R0 = transformed normal.
    for row in 0..3u32 {
        let dot = operation(VectorOpcode::Dp3, [input, constant, input], 0).with(Field::INPUT_ADDR, 2);
        code.push(with_constant(dot, 4 + row).with(Field::WM_VEC, [X, Y, Z][row as usize]));
    }
    // R0 = R0 / |R0|.
    code.push(operation(VectorOpcode::Dp3, [temporary(0), temporary(0), input], 1).with(Field::WM_VEC, W));
    code.push(
        scalar(ScalarOpcode::Rsq, splat(1, 1, 3)).with(Field::DST_SCA, 1).with(Field::WM_SCA, W).with(Field::ABS2, 1),
    );
    code.push(operation(VectorOpcode::Mul, [temporary(0), splat(1, 1, 3), input], 0).with(Field::WM_VEC, X | Y | Z));
    // R1 = (N·L, N·H, 0, shininess), R2 = LIT(R1).
    code.push(
        with_constant(operation(VectorOpcode::Dp3, [temporary(0), constant, input], 1), 8).with(Field::WM_VEC, X),
    );
    code.push(
        with_constant(operation(VectorOpcode::Dp3, [temporary(0), constant, input], 1), 9).with(Field::WM_VEC, Y),
    );
    code.push(with_constant(operation(VectorOpcode::Mov, [constant, input, input], 1), 13).with(Field::WM_VEC, W));
    code.push(scalar(ScalarOpcode::Lit, temporary(1)).with(Field::DST_SCA, 2));
    // o7 = c12 + c10·R2.y + c11·R2.z.
    code.push(with_constant(operation(VectorOpcode::Mov, [constant, input, input], 3), 12));
    code.push(with_constant(operation(VectorOpcode::Mad, [constant, splat(1, 2, 1), temporary(3)], 3), 10));
    let last = operation(VectorOpcode::Mad, [constant, splat(1, 2, 2), temporary(3)], 0x3f);
    code.push(with_constant(last, 11).with(Field::OUT_ADDR, 7).with(Field::OUT_FROM_VEC, 1));
    stage.vertex_program(&code);
    stage.draw_arrays(TRIANGLES, 0, 3);
    let picture = stage.run();
    let dot = |a: [f64; 3], b: [f32; 4]| (0..3).map(|i| a[i] * f64::from(b[i])).sum::<f64>();
    let n = normal.map(f64::from);
    let turned = normals.map(|row| dot(n, row));
    let length = turned.iter().map(|v| v * v).sum::<f64>().sqrt();
    let turned = turned.map(|v| v / length);
    let (shade, shine) = (dot(turned, light).max(0.0), dot(turned, half).max(0.0).powi(20));
    let drawn = picture.drawn();
    assert!(drawn.len() > 300);
    for channel in 0..3 {
        let expected =
            f64::from(ambient[channel]) + f64::from(diffuse[channel]) * shade + f64::from(specular[channel]) * shine;
        let found = f64::from(picture.at(drawn[100].0, drawn[100].1)[channel]);
        // The power has eleven bits.
        assert!((found - expected).abs() < 2e-3, "channel {channel}: {found} not {expected}");
    }
}

#[test]
fn back_faces_show_the_back_colours() {
    for (is_two_sided, is_back) in [(true, false), (true, true), (false, true)] {
        let mut stage = Stage::new();
        // Front faces are counter-clockwise with the first row at the top.
        let corners = if is_back { [0.0, 0.0, 60.0, 0.0, 0.0, 60.0] } else { [0.0, 0.0, 0.0, 60.0, 60.0, 0.0] };
        stage.put_floats(0, &corners);
        stage.array(0, 0, 0x0822);
        // Front and back colors of both kinds, clamped to 0..1.
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * 3, &[0.25, 2.0, -1.0, 0.5]);
        stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * 4, &[0.75, 0.125, 3.0, 1.0]);
        let code = [
            to_output(VectorOpcode::Mov, 0, 0),
            to_output(VectorOpcode::Mov, 3, 1),
            to_output(VectorOpcode::Mov, 4, 3),
        ];
        stage.vertex_program(&code);
        stage.enable(program::VP_RESULT_EN, 0xf);
        stage.enable(raster::VERTEX_TWO_SIDE_ENABLE, u32::from(is_two_sided));
        let mut copy = COPY_TEX0;
        copy[0] = copy[0] & !(15 << 13) | 1 << 13;
        stage.fragment_program(0x8000, &copy, 0x0200_0040);
        stage.draw_arrays(TRIANGLES, 0, 3);
        let expected = if is_two_sided && is_back { [0.75, 0.125, 1.0, 1.0] } else { [0.25, 1.0, 0.0, 0.5] };
        assert_eq!(stage.run().at(10, 10), expected, "two-sided {is_two_sided}, back {is_back}");
    }
}

/// `COORD_CONVENTIONS`, and x and y of a pixel.
type Convention = (u32, fn(f32, f32) -> (f32, f32));

#[test]
fn window_positions_follow_the_conventions() {
    // Height, origin and pixel center of COORD_CONVENTIONS.
    let cases: [Convention; 4] = [
        (SIZE, |x, y| (x + 0.5, y + 0.5)),
        (SIZE | 1 << 12, |x, y| (x + 0.5, SIZE as f32 - y - 0.5)),
        (SIZE | 1 << 16, |x, y| (x, y)),
        (SIZE | 1 << 16 | 1 << 12, |x, y| (x, SIZE as f32 - 1.0 - y)),
    ];
    for (conventions, expected) in cases {
        let mut stage = Stage::new();
        whole_target(&mut stage);
        stage.enable(targets::COORD_CONVENTIONS, conventions);
        let mut copy = COPY_TEX0;
        copy[0] &= !(15 << 13);
        stage.fragment_program(0x8000, &copy, 0x0200_0040);
        stage.draw_arrays(QUADS, 0, 4);
        let picture = stage.run();
        for (x, y) in [(0, 0), (5, 0), (0, 7), (63, 63), (20, 41)] {
            let (column, row) = expected(x as f32, y as f32);
            // The depth of z = 0 is 1/2, and w is 1.
            assert_eq!(picture.at(x, y), [column, row, 0.5, 1.0], "{conventions:#x}");
        }
    }
}
