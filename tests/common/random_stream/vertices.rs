//! Random vertices, and draws of them: arrays, indices in the stream and in memory, immediate vertices.

use curie::command::builder::StreamBuilder;

use super::crowd::Data;
use super::programs::Vertex;
use super::settled::Settled;
use super::{ARRAY_BYTES, ARRAYS, INDEX_BYTES, INDICES, MEMORY_START, THREE_D};
use crate::common::random::Random;

/// Bytes from one vertex to the next.
const STRIDE: u32 = 16;

/// A coordinate in or near the view, occasionally far outside or NaN.
pub(crate) fn coordinate(random: &mut Random) -> f32 {
    match random.below(24) {
        0 => f32::from_bits(random.word()),
        1 => random.pick(&[0.0, -1.0, 1.0, 1e9, -1e9, f32::NAN, f32::INFINITY]),
        _ => random.below(4096) as f32 / 1500.0 - 1.4,
    }
}

/// One position for each vertex in the first array; the other arrays keep random bytes or become small floats.
pub(crate) fn arrays(data: Data, random: &mut Random, contents: &mut Random) -> Vec<u8> {
    let positions = data.positions(random);
    let mut bytes: Vec<u8> = positions.iter().flatten().flat_map(|value| value.to_bits().to_le_bytes()).collect();
    bytes.resize(position_bytes(data) as usize, 0);
    while bytes.len() < ARRAY_BYTES as usize {
        bytes.extend(data.array_word(contents).to_le_bytes());
    }
    bytes
}

/// The bytes before the arrays of the other attributes.
const fn position_bytes(data: Data) -> u32 {
    (data.vertices() * STRIDE).next_multiple_of(0x200)
}

/// 16-bit indices.
pub(crate) fn indices(data: Data, random: &mut Random) -> Vec<u8> {
    let count = match data {
        Data::Sparse => 512,
        Data::Crowd { .. } => INDEX_BYTES / 2,
    };
    (0..count).flat_map(|element| data.index(random, element).to_le_bytes()[..2].to_vec()).collect()
}

/// Draws a random primitive with the arrays of a vertex program.
pub(crate) fn draw(
    stream: &mut StreamBuilder,
    vertex: &Vertex,
    settled: Option<&Settled>,
    data: Data,
    random: &mut Random,
) {
    for (attribute, format) in (0u16..).zip(vertex.formats) {
        let place = |random: &mut Random| match settled {
            Some(settled) => (random.below(0x5000) & !7) + (settled.odd_arrays >> attribute & 1) * 4,
            None => random.below(0x6000) & !3,
        };
        let offset = if attribute == 0 { 0 } else { position_bytes(data) + place(random) };
        stream.method(THREE_D, 0x1680 + 4 * attribute, MEMORY_START + ARRAYS + offset);
        let divider = if vertex.divided >> attribute & 1 != 0 { 2 + random.below(4) } else { random.below(2) };
        stream.method(THREE_D, 0x1740 + 4 * attribute, format | STRIDE << 8 | divider << 16);
        let constant: Vec<f32> = (0..4).map(|_| data.number(random)).collect();
        stream.floats(THREE_D, 0x1c00 + 16 * attribute, &constant);
    }
    stream.method(THREE_D, 0x1fc0, vertex.modulo);
    stream.method(THREE_D, 0x1710, 0);
    let restart = u32::from(random.below(3) == 0);
    stream.methods(THREE_D, 0x1dac, &[restart, random.below(data.vertices())]);
    stream.method(THREE_D, 0x173c, 0);

    let primitive =
        if settled.is_some_and(|settled| settled.fills) { 5 + random.below(6) } else { 1 + random.below(10) };
    let count = data.elements(random);
    let first = |random: &mut Random| random.below(data.vertices() - count);
    stream.method(THREE_D, 0x1808, primitive);
    let is_immediate = vertex.formats.iter().all(|format| format & 0xf0 == 0);
    match random.below(4) {
        _ if is_immediate => {
            let positions = match data {
                Data::Sparse => Vec::new(),
                Data::Crowd { .. } => data.positions(random),
            };
            for vertex in 0..count as usize {
                stream.floats(THREE_D, 0x1c10, &[data.number(random); 4]);
                let position = positions.get(vertex).copied();
                let position = position.unwrap_or_else(|| {
                    let [x, y, z] = [(); 3].map(|()| data.number(random));
                    [x, y, z, 1.0]
                });
                stream.floats(THREE_D, 0x1c00, &position);
            }
        }
        0 => {
            stream.repeated(THREE_D, 0x1814, &batches(first(random), count));
        }
        1 => {
            let start = data.start(random);
            let mut index = |element| data.index(random, start + element);
            let words = if start == 0 { count } else { count.div_ceil(2) };
            let pairs: Vec<u32> = (0..words).map(|pair| index(2 * pair) | index(2 * pair + 1) << 16).collect();
            stream.repeated(THREE_D, 0x180c, &pairs);
        }
        2 => {
            let start = data.start(random);
            let indices: Vec<u32> = (0..count).map(|element| data.index(random, start + element)).collect();
            stream.repeated(THREE_D, 0x1810, &indices);
        }
        _ => {
            // Read as 32-bit indices, most reach beyond the arrays and fetch other memory.
            stream.method(THREE_D, 0x1808, 0);
            stream.methods(THREE_D, 0x181c, &[MEMORY_START + INDICES, random.pick(&[0, 0x10, 0x10, 0x10])]);
            stream.method(THREE_D, 0x1808, primitive);
            stream.repeated(THREE_D, 0x1824, &batches(random.below(64), count));
        }
    }
    stream.method(THREE_D, 0x1808, 0);
}

/// The words that draw a range of elements, at most 256 each.
fn batches(first: u32, count: u32) -> Vec<u32> {
    (0..count).step_by(256).map(|done| ((count - done).min(256) - 1) << 24 | (first + done)).collect()
}
