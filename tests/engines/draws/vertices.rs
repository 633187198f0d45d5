//! Sources of vertices: formats, immediate and packed attributes, dividers, bases, indices, and large draws.

use curie::command::methods::three_d::{draw, program, texture, vertex};
use curie::isa::nv40_vertex::{VectorOpcode, VertexField as Field};

use super::stage::{NOP, Stage, THREE_D, source, to_output};

const POINTS: u32 = 1;

/// The value of a stored component, by the table of the formats.
fn component(format: u32, bytes: &[u8], index: usize) -> f64 {
    let word = |width: usize| -> u32 {
        bytes[index * width..(index + 1) * width].iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
    };
    match format {
        0 | 4 => f64::from(word(1)) / 255.0,
        1 => (2.0 * f64::from(word(2) as u16 as i16) + 1.0) / 65535.0,
        2 => f64::from(f32::from_bits(word(4))),
        3 => {
            let half = word(2);
            let (exponent, fraction) = (half >> 10 & 31, f64::from(half & 0x3ff));
            let magnitude = match exponent {
                0 => fraction * 2.0f64.powi(-24),
                _ => (1024.0 + fraction) * 2.0f64.powi(exponent as i32 - 25),
            };
            if half >> 15 != 0 { -magnitude } else { magnitude }
        }
        5 => f64::from(word(2) as u16 as i16),
        6 => {
            let packed = u32::from_le_bytes(bytes[..4].try_into().unwrap());
            let (shift, width) = [(0, 11), (11, 11), (22, 10)][index];
            let field = ((packed >> shift) << (32 - width)).cast_signed() >> (32 - width);
            f64::from(field << (16 - width)) / 32767.0
        }
        _ => f64::from(word(1)),
    }
}

#[test]
fn every_format_and_size_is_converted() {
    let mut stage = Stage::new();
    stage.positions(0, 64);
    let raw = [
        0x00, 0x80, 0xff, 0x3f, 0x01, 0x3c, 0x33, 0xc2, 0x00, 0x00, 0x80, 0xbf, 0x12, 0x34, 0xa1, 0x40, 0x00, 0x00,
        0x40, 0x41,
    ];
    let mut cases = Vec::new();
    for format in 0..8u32 {
        for size in 1..=4u32 {
            let is_legal = match format {
                0 => size >= 3,
                6 => size == 1,
                _ => true,
            };
            // Offsets with every alignment, and strides that are no multiple of four.
            let offset = 0x1000 + 0x40 * cases.len() + cases.len() % 4;
            let offset = if format == 2 { offset & !3 } else { offset };
            if is_legal {
                stage.put(offset, &raw);
                cases.push((format, size, offset));
            }
        }
    }
    for (index, (format, size, offset)) in cases.iter().enumerate() {
        stage.array(8, *offset, format | size << 4);
        stage.draw_arrays(POINTS, index as u32, 1);
    }
    let picture = stage.run();
    for (index, (format, size, _)) in cases.iter().enumerate() {
        let found = picture.at(index as u32 % 8, index as u32 / 8);
        let mut expected = [0.0, 0.0, 0.0, 1.0];
        let components = if *format == 6 { 3 } else { *size as usize };
        for (place, value) in expected.iter_mut().enumerate().take(components) {
            *value = component(*format, &raw, place);
        }
        if *format == 0 {
            expected.swap(0, 2);
        }
        for (found, expected) in found.iter().zip(expected) {
            // U8 and S16 are truncated to 24 bits, the others exact or rounded.
            let error = (f64::from(*found) - expected).abs();
            assert!(error <= expected.abs() * 2.0f64.powi(-23), "format {format}, size {size}: {found} not {expected}");
        }
    }
    assert_eq!(cases.len(), 2 + 1 + 6 * 4);
}

#[test]
fn attributes_are_sent_in_every_way() {
    let mut stage = Stage::new();
    stage.positions(0, 16);
    let attribute = 8u16;
    let words = |values: &[f32]| -> Vec<u32> { values.iter().map(|value| value.to_bits()).collect() };
    let ways: [(u16, Vec<u32>, [f32; 4]); 8] = [
        (vertex::VTX_ATTR_4F_X + 16 * attribute, words(&[1.5, -2.0, 3.0, 4.0]), [1.5, -2.0, 3.0, 4.0]),
        (vertex::VTX_ATTR_3F_X + 16 * attribute, words(&[5.0, 6.0, 7.0]), [5.0, 6.0, 7.0, 1.0]),
        (vertex::VTX_ATTR_2F_X + 8 * attribute, words(&[8.0, 9.0]), [8.0, 9.0, 0.0, 1.0]),
        (vertex::VTX_ATTR_1F + 4 * attribute, words(&[10.0]), [10.0, 0.0, 0.0, 1.0]),
        (vertex::VTX_ATTR_2I + 4 * attribute, vec![0xfffe_0003], [3.0, -2.0, 0.0, 1.0]),
        (vertex::VTX_ATTR_4I_XY + 8 * attribute, vec![0x0002_ffff, 0x8000_7fff], [-1.0, 2.0, 32767.0, -32768.0]),
        (
            vertex::VTX_ATTR_4NS_XY + 8 * attribute,
            vec![0x8000_7fff, 0xffff_0000],
            [1.0, -1.0, 1.0 / 65535.0, -1.0 / 65535.0],
        ),
        (vertex::VTX_ATTR_4UB + 4 * attribute, vec![0xff33_0066], [0.4, 0.0, 0.2, 1.0]),
    ];
    for (index, (method, values, _)) in ways.iter().enumerate() {
        stage.stream.methods(THREE_D, *method, values);
        stage.draw_arrays(POINTS, index as u32, 1);
    }
    let picture = stage.run();
    for (index, (method, _, expected)) in ways.iter().enumerate() {
        let found = picture.at(index as u32, 0);
        let near =
            found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() <= expected.abs() * 2e-7);
        assert!(near, "{method:#x}: {found:?} not {expected:?}");
    }
}

#[test]
fn attribute_zero_of_every_kind_makes_a_vertex() {
    let mut stage = Stage::new();
    stage.begin(POINTS);
    let bits = f32::to_bits;
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X + 16 * 8, &[1.0, 0.0, 0.0, 0.0]);
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_2F_X, &[0.5, 0.5]);
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_1F + 4 * 8, &[2.0]);
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_3F_X, &[1.5, 0.5, 0.25]);
    stage.stream.method(THREE_D, vertex::VTX_ATTR_1F + 4 * 8, bits(3.0));
    stage.stream.floats(THREE_D, vertex::VTX_ATTR_4F_X, &[2.5, 0.5, 0.25, 1.0]);
    stage.stream.method(THREE_D, vertex::VTX_ATTR_1F + 4 * 8, bits(4.0));
    stage.stream.method(THREE_D, vertex::VTX_ATTR_2I, 0x0002_0004);
    stage.stream.method(THREE_D, vertex::VTX_ATTR_1F + 4 * 8, bits(5.0));
    stage.stream.methods(THREE_D, vertex::VTX_ATTR_4I_XY, &[0x0002_0006, 0x0001_0000]);
    stage.end();
    let picture = stage.run();
    // Points at integer coordinates cover the pixel to their upper right.
    let expected = [(0, 0, 1.0), (1, 0, 2.0), (2, 0, 3.0), (4, 1, 4.0), (6, 1, 5.0)];
    assert_eq!(picture.drawn(), expected.map(|(x, y, _)| (x, y)));
    for (x, y, value) in expected {
        assert_eq!(picture.at(x, y)[0], value);
    }
    assert_eq!(picture.vertices_run, 5);
}

#[test]
fn packed_vertices_fill_words_attribute_by_attribute() {
    let mut stage = Stage::new();
    // Position as two shorts, then three bytes that fill a word.
    stage.enable(vertex::VTXFMT, 0x25);
    stage.enable(vertex::VTXFMT + 32, 0x37);
    stage.begin(POINTS);
    let words = [3 | 1 << 16, 0x0003_0201, 5 | 2 << 16, 0xff09_0807];
    stage.stream.repeated(THREE_D, draw::VERTEX_DATA, &words);
    stage.end();
    let picture = stage.run();
    assert_eq!(picture.drawn(), [(3, 0), (5, 1)]);
    assert_eq!(picture.at(3, 0), [1.0, 2.0, 3.0, 1.0]);
    assert_eq!(picture.at(5, 1), [7.0, 8.0, 9.0, 1.0]);
}

#[test]
fn dividers_repeat_or_cycle_elements() {
    let mut stage = Stage::new();
    stage.positions(0, 16);
    stage.put_floats(0x1000, &[10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0]);
    // Elements index / 3, then index mod 3.
    stage.array(8, 0x1000, 3 << 16 | 4 << 8 | 0x12);
    stage.draw_arrays(POINTS, 0, 8);
    stage.enable(vertex::FREQUENCY_DIVIDER_OPERATION, 1 << 8);
    stage.draw_arrays(POINTS, 8, 8);
    let picture = stage.run();
    let row = |y: u32| -> Vec<f32> { (0..8).map(|x| picture.at(x, y)[0]).collect() };
    assert_eq!(row(0), [10.0, 10.0, 10.0, 20.0, 20.0, 20.0, 30.0, 30.0]);
    assert_eq!(row(1), [30.0, 10.0, 20.0, 30.0, 10.0, 20.0, 30.0, 10.0], "8 mod 3 = 2");
}

#[test]
fn bases_are_added_to_arrays_and_indices() {
    let mut stage = Stage::new();
    stage.positions(0, 16);
    stage.put_floats(0x1000, &(0..40u8).map(f32::from).collect::<Vec<_>>());
    stage.array(8, 0x1000, 0x0412);
    stage.begin(POINTS);
    stage.enable(vertex::VB_ELEMENT_BASE, 4);
    stage.stream.methods(THREE_D, draw::VB_ELEMENT_U32, &[1]);
    stage.stream.method(THREE_D, draw::VB_ELEMENT_U16, 0x0003_0002);
    stage.end();
    // Array addresses move by 12 bytes: positions by a point and a half, so the position array is set again.
    stage.enable(vertex::VERTEX_DATA_BASE_OFFSET, 16);
    stage.draw_arrays(POINTS, 8, 2);
    let picture = stage.run();
    assert_eq!(picture.drawn(), [(5, 0), (6, 0), (7, 0), (2, 1), (3, 1)]);
    assert_eq!([5, 6, 7].map(|x| picture.at(x, 0)[0]), [5.0, 6.0, 7.0]);
    // 16 bytes are two positions and four values.
    assert_eq!([2, 3].map(|x| picture.at(x, 1)[0]), [12.0, 13.0]);
}

#[test]
fn a_repeated_index_is_not_run_again() {
    let mut stage = Stage::new();
    stage.positions(0, 64);
    stage.begin(5);
    let fan = [0u32, 1, 8, 1, 9, 8, 8, 9, 16, 9, 17, 16, 0, 1, 8];
    stage.stream.repeated(THREE_D, draw::VB_ELEMENT_U32, &fan);
    stage.end();
    assert_eq!(stage.run().vertices_run, 6, "of 15 indices");
}

#[test]
fn rewritten_indices_are_read_again() {
    let mut stage = Stage::new();
    stage.positions(0, 64);
    stage.enable(vertex::VTX_ATTR_1F + 4 * 8, 1.0f32.to_bits());
    let address = stage.address(0x4000);
    stage.stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[address, 0]);
    let draw_indices = |stage: &mut Stage| {
        stage.begin(POINTS);
        stage.stream.method(THREE_D, draw::VB_INDEX_BATCH, 63 << 24);
        stage.end();
    };
    let row = |row: u32| -> Vec<u32> { (0..64).map(|index| row * 8 + index % 8).collect() };
    stage.put_words(0x4000, &row(1));
    // The second draw finds the indices that the first fetched in the cache, the third does not.
    draw_indices(&mut stage);
    draw_indices(&mut stage);
    stage.rewrite(0x4000, &row(3));
    draw_indices(&mut stage);
    draw_indices(&mut stage);
    let picture = stage.run();
    let rows = [1, 3].map(|y| (0..8).map(move |x| (x, y)));
    assert_eq!(picture.drawn(), rows.into_iter().flatten().collect::<Vec<_>>());
    assert_eq!(picture.vertices_run, 32);
}

#[test]
fn restart_indices_of_both_widths_begin_new_primitives() {
    for (is_short, restart) in [(true, 0xffffu32), (false, 0xffff_ffff), (true, 7), (false, 0x1_0000)] {
        let mut stage = Stage::new();
        stage.put_floats(0, &[0.5, 0.5, 4.5, 0.5, 0.5, 4.5, 10.5, 10.5, 14.5, 10.5, 10.5, 14.5]);
        stage.array(0, 0, 0x0822);
        stage.enable(vertex::VTX_ATTR_1F + 4 * 8, 1.0f32.to_bits());
        stage.stream.methods(THREE_D, draw::PRIMITIVE_RESTART_ENABLE, &[1, restart]);
        let indices = [0, 1, 2, restart, 3, 4, 5];
        if is_short {
            let shorts: Vec<u8> = indices.iter().flat_map(|index| (*index as u16).to_le_bytes()).collect();
            stage.put(0x800, &shorts);
        } else {
            stage.put_words(0x800, &indices);
        }
        let address = stage.address(0x800);
        stage.stream.methods(THREE_D, draw::IDXBUF_OFFSET, &[address, u32::from(is_short) << 4]);
        stage.begin(6);
        stage.stream.method(THREE_D, draw::VB_INDEX_BATCH, 6 << 24);
        stage.end();
        let picture = stage.run();
        let drawn = picture.drawn();
        assert!(drawn.contains(&(1, 1)) && drawn.contains(&(11, 11)), "{restart:#x}");
        assert!(!drawn.contains(&(7, 7)), "no triangle lies between the two, {restart:#x}");
    }
}

#[test]
fn draws_beyond_one_binding_are_split() {
    // 2^18 vertices fill half a binding of the smallest adapter; this line strip has more, with one vertex in 1000
    // inside the target. The stipple continues across the batches.
    let mut stage = Stage::new();
    let count = (1u32 << 18) + 3000;
    stage.put(0x2000, &[0; 4]);
    // Positions come from the index alone: v0 has stride 0, v1 advances with a divider of 1000 over an array of steps.
    let steps: Vec<f32> = (0..300u16).map(|step| f32::from(step % 61) + 1.5).collect();
    stage.put_floats(0x1000, &steps);
    stage.put_floats(0x2000, &[20.5, 1.0, 0.25, 1.0]);
    stage.array(0, 0x2000, 0x0042);
    stage.array(1, 0x1000, 1000 << 16 | 0x0412);
    stage.enable(vertex::VTX_ATTR_4F_X + 16 * 8, 1.0f32.to_bits());
    let mut program = vec![to_output(VectorOpcode::Mov, 0, 0)];
    program.push(to_output(VectorOpcode::Mov, 1, 0).with(Field::WM_VEC, 0b1000));
    program.push(to_output(VectorOpcode::Mov, 8, 7));
    stage.vertex_program(&program);
    stage.enable(curie::command::methods::three_d::raster::LINE_STIPPLE_ENABLE, 1);
    stage.enable(curie::command::methods::three_d::raster::LINE_STIPPLE_PATTERN, 0x5a3c_0001);
    stage.draw_arrays(4, 0, count);
    let picture = stage.run();
    // The last vertex of the first batch starts the second, and is run again.
    assert_eq!(picture.vertices_run, u64::from(count) + 1);
    assert!(picture.drawn().len() > 20);
}

#[test]
fn vertex_programs_displace_by_textures() {
    // A 4×2 texture of heights; vertices read their row from it.
    let mut stage = Stage::new();
    stage.positions(0, 8);
    let heights = [3.0, 9.0, 27.0, 40.0, 1.0, 2.0, 4.0, 8.0];
    stage.put_floats(0x1000, &heights[..4]);
    stage.put_floats(0x1100, &heights[4..]);
    // s, t and level of detail of each vertex.
    let coordinates: Vec<f32> =
        (0..8u8).flat_map(|i| [f32::from(i % 4) / 4.0 + 0.1, f32::from(i / 4) / 2.0 + 0.2, 0.0, 0.0]).collect();
    stage.put_floats(0x2000, &coordinates);
    stage.array(1, 0x2000, 0x1042);
    let unit = 0x20 * 2;
    let address = stage.address(0x1000);
    stage.enable(texture::VERTEX_TEX_OFFSET + unit, address);
    stage.enable(texture::VERTEX_TEX_FORMAT + unit, 0x0001_bc21);
    stage.enable(texture::VERTEX_TEX_WRAP + unit, 0x0303);
    stage.enable(texture::VERTEX_TEX_PITCH + unit, 0x100);
    stage.enable(texture::VERTEX_TEX_SIZE + unit, 4 << 16 | 2);
    stage.enable(texture::VERTEX_TEX_ENABLE + unit, 1 << 31);
    stage.enable(vertex::VTX_ATTR_1F + 4 * 8, 1.0f32.to_bits());
    // R0 = TXL(v1); o0 = v0; o0.y = R0 + v0.y.
    let fetch = NOP
        .with(Field::OP_VEC, u32::from(VectorOpcode::Txl.code()))
        .with(Field::INPUT_ADDR, 1)
        .with(Field::SRC0, source(2, 0))
        .with(Field::WM_VEC, 15)
        .with(Field::DST_VEC, 0)
        .with(Field::TEXTURE_UNIT, 2);
    let add = to_output(VectorOpcode::Add, 0, 0).with(Field::SRC2, source(1, 0)).with(Field::WM_VEC, 0b0100);
    stage.vertex_program(&[fetch, to_output(VectorOpcode::Mov, 0, 0), add, to_output(VectorOpcode::Mov, 8, 7)]);
    stage.draw_arrays(POINTS, 0, 8);
    let picture = stage.run();
    let mut expected: Vec<(u32, u32)> = (0..8u32).map(|x| (x, heights[x as usize] as u32)).collect();
    expected.sort_unstable_by_key(|(x, y)| (*y, *x));
    assert_eq!(picture.drawn(), expected);
}

#[test]
fn endless_vertex_programs_end_at_the_timeout() {
    // A loop that adds 1 to R0.x until the timeout: three instructions per iteration.
    let mut stage = Stage::new();
    stage.positions(0, 8);
    stage.enable(program::TRANSFORM_TIMEOUT, 0x0020_0000 | 3000);
    let count = NOP
        .with(Field::OP_VEC, u32::from(VectorOpcode::Add.code()))
        .with(Field::INPUT_ADDR, 8)
        .with(Field::SRC0, source(1, 0))
        .with(Field::SRC2, source(2, 0))
        .with(Field::WM_VEC, 15)
        .with(Field::DST_VEC, 0);
    let copy = to_output(VectorOpcode::Mov, 0, 7).with(Field::SRC0, source(1, 0));
    let again = NOP.with(Field::OP_SCA, 9).with(Field::TARGET_LOW, 1).with(Field::TARGET_MIDDLE, 0);
    stage.enable(vertex::VTX_ATTR_1F + 4 * 8, 1.0f32.to_bits());
    stage.vertex_program(&[to_output(VectorOpcode::Mov, 0, 0), count, copy, again, NOP]);
    stage.draw_arrays(POINTS, 0, 1);
    // One instruction, then whole iterations of three as long as fewer than 3000 are executed.
    assert_eq!(stage.run().at(0, 0)[0], 1000.0);
}
