//! Writes the vertices of primitives to the buffers of stream output.
//!
//! Source: OpenGL 3.2, section 2.16 (transform feedback).

use crate::memory::GuestMemory;
use crate::pipeline::front_end::assemble_primitives::{Primitive, first_streamed_corner};
use crate::pipeline::{ShadedVertex, StreamCounts, StreamOut, VertexWord};

/// Writes the primitives that fit, each of this many vertices, behind the vertices that are there; adds to the counts. Each
/// begins with its provoking vertex if the first one provokes.
pub fn write_primitives(
    memory: &mut GuestMemory,
    stream_out: &StreamOut,
    (corners, first_provokes): (u32, bool),
    (vertices, primitives): (&[ShadedVertex], &[Primitive]),
    counts: &mut StreamCounts,
) {
    let capacity = stream_out.capacity();
    for primitive in primitives {
        counts.generated = counts.generated.wrapping_add(1);
        if capacity.checked_sub(counts.vertices).is_none_or(|room| room < corners) {
            continue;
        }
        counts.written = counts.written.wrapping_add(1);
        let first = first_streamed_corner(primitive, corners, first_provokes);
        for corner in first..first + corners as usize {
            let vertex = primitive.vertices[corner % corners as usize];
            let outputs = vertices.get(vertex as usize).map_or(&[][..], |vertex| &vertex.outputs);
            for buffer in &stream_out.buffers {
                for (word, offset) in buffer.words.iter().zip((counts.vertices * buffer.stride..).step_by(4)) {
                    let value = match word {
                        Some(VertexWord::Output(output)) => output.of(outputs),
                        Some(VertexWord::Word(value)) => *value,
                        None => continue,
                    };
                    memory.store(buffer.window.from_offset(offset).truncated(4), &value.to_le_bytes());
                }
            }
            counts.vertices += 1;
        }
    }
}
