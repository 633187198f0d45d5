//! Random vertices, and draws of them: arrays, indices in the stream and in memory, immediate vertices.

use curie::command::builder::StreamBuilder;

use super::programs::Vertex;
use super::{ARRAY_BYTES, ARRAYS, INDICES, MEMORY_START, THREE_D};
use crate::common::random::Random;

/// Number of vertices in the arrays.
pub(crate) const VERTICES: u32 = 24;
/// Bytes from one vertex to the next.
const STRIDE: u32 = 16;

/// A coordinate in or near the view, occasionally far outside or NaN.
fn coordinate(random: &mut Random) -> f32 {
    match random.below(24) {
        0 => f32::from_bits(random.word()),
        1 => random.pick(&[0.0, -1.0, 1.0, 1e9, -1e9, f32::NAN, f32::INFINITY]),
        _ => random.below(4096) as f32 / 1500.0 - 1.4,
    }
}

/// One position for each vertex in the first array; the other arrays keep random bytes or become small floats.
pub(crate) fn arrays(random: &mut Random, contents: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..VERTICES {
        let w = match random.below(8) {
            0 => coordinate(random),
            1 => 0.25 + random.below(64) as f32 / 16.0,
            _ => 1.0,
        };
        let position = [coordinate(random), coordinate(random), coordinate(random), w];
        bytes.extend(position.iter().flat_map(|value| value.to_bits().to_le_bytes()));
    }
    bytes.resize(0x200, 0);
    while bytes.len() < ARRAY_BYTES as usize {
        let word = if contents.below(8) == 0 { contents.word() } else { coordinate(contents).to_bits() };
        bytes.extend(word.to_le_bytes());
    }
    bytes
}

/// 16-bit indices.
pub(crate) fn indices(random: &mut Random) -> Vec<u8> {
    (0..512).flat_map(|_| random.below(VERTICES).to_le_bytes()[..2].to_vec()).collect()
}

/// Draws a random primitive with the arrays of a vertex program.
pub(crate) fn draw(stream: &mut StreamBuilder, vertex: &Vertex, random: &mut Random) {
    for (attribute, format) in (0u16..).zip(vertex.formats) {
        let offset = if attribute == 0 { 0 } else { 0x200 + (random.below(0x6000) & !3) };
        stream.method(THREE_D, 0x1680 + 4 * attribute, MEMORY_START + ARRAYS + offset);
        let divider = if vertex.divided >> attribute & 1 != 0 { 2 + random.below(4) } else { random.below(2) };
        stream.method(THREE_D, 0x1740 + 4 * attribute, format | STRIDE << 8 | divider << 16);
        let constant: Vec<f32> = (0..4).map(|_| coordinate(random)).collect();
        stream.floats(THREE_D, 0x1c00 + 16 * attribute, &constant);
    }
    stream.method(THREE_D, 0x1fc0, vertex.modulo);
    stream.method(THREE_D, 0x1710, 0);
    let restart = u32::from(random.below(3) == 0);
    stream.methods(THREE_D, 0x1dac, &[restart, random.below(VERTICES)]);
    stream.method(THREE_D, 0x173c, 0);

    let primitive = 1 + random.below(10);
    let count = 1 + random.below(14);
    stream.method(THREE_D, 0x1808, primitive);
    let is_immediate = vertex.formats.iter().all(|format| format & 0xf0 == 0);
    match random.below(4) {
        _ if is_immediate => {
            for _ in 0..count {
                stream.floats(THREE_D, 0x1c10, &[coordinate(random); 4]);
                let position = [coordinate(random), coordinate(random), coordinate(random), 1.0];
                stream.floats(THREE_D, 0x1c00, &position);
            }
        }
        0 => {
            stream.method(THREE_D, 0x1814, (count - 1) << 24 | random.below(VERTICES - count));
        }
        1 => {
            let indices: Vec<u32> = (0..count).map(|_| random.below(VERTICES) | random.below(VERTICES) << 16).collect();
            stream.repeated(THREE_D, 0x180c, &indices);
        }
        2 => {
            let indices: Vec<u32> = (0..count).map(|_| random.below(VERTICES)).collect();
            stream.repeated(THREE_D, 0x1810, &indices);
        }
        _ => {
            // Read as 32-bit indices, most reach beyond the arrays and fetch other memory.
            stream.method(THREE_D, 0x1808, 0);
            stream.methods(THREE_D, 0x181c, &[MEMORY_START + INDICES, random.pick(&[0, 0x10, 0x10, 0x10])]);
            stream.method(THREE_D, 0x1808, primitive);
            stream.method(THREE_D, 0x1824, (count - 1) << 24 | random.below(64));
        }
    }
    stream.method(THREE_D, 0x1808, 0);
}
