//! Defines stream output: vertices of primitives that a draw writes to memory before they are rasterized.

use super::VertexWord;
use crate::memory::MemoryWindow;

/// The maximum number of buffers of stream output.
pub const MAX_STREAM_BUFFERS: usize = 4;

/// The maximum number of words of a vertex in all buffers.
pub const MAX_STREAM_WORDS: usize = 128;

/// Writes the vertices of primitives to buffers, primitive by primitive in their order. Strips, fans and polygons are separate
/// points, lines and triangles, whatever polygons are drawn as; adjacent vertices are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamOut {
    /// The buffers, at most [`MAX_STREAM_BUFFERS`]. A primitive is written if all of them have room for its vertices.
    pub buffers: Vec<StreamBuffer>,
    /// Whether vertices follow those of the last draw with stream output, instead of beginning the buffers.
    pub continues: bool,
    /// Whether the primitives are also rasterized, after all are written.
    pub rasterizes: bool,
}

/// A buffer of stream output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamBuffer {
    /// Where its first vertex begins, a multiple of 4.
    pub window: MemoryWindow,
    /// Bytes from a vertex to the next one, a multiple of 4.
    pub stride: u32,
    /// The words of a vertex, in order; `None` leaves memory as it is.
    pub words: Vec<Option<VertexWord>>,
}

/// What draws with stream output have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StreamCounts {
    /// The vertices in the buffers.
    pub vertices: u32,
    /// The primitives of all draws.
    pub generated: u32,
    /// Those that the buffers had room for.
    pub written: u32,
}

impl StreamOut {
    /// How many vertices all buffers have room for.
    #[must_use]
    pub fn capacity(&self) -> u32 {
        let room = |buffer: &StreamBuffer| buffer.window.bytes.checked_div(buffer.stride).unwrap_or(u32::MAX);
        self.buffers.iter().map(room).min().unwrap_or(0)
    }

    /// Why engines cannot write it, in words.
    #[must_use]
    pub fn unsupported(&self) -> Option<String> {
        let is_crooked = |buffer: &StreamBuffer| {
            let is_aligned = buffer.window.start.is_multiple_of(4) && buffer.stride.is_multiple_of(4);
            !is_aligned || 4 * buffer.words.len() as u64 > u64::from(buffer.stride)
        };
        let words: usize = self.buffers.iter().map(|buffer| buffer.words.len()).sum();
        if self.buffers.len() > MAX_STREAM_BUFFERS || words > MAX_STREAM_WORDS {
            let buffers = self.buffers.len();
            return Some(format!("stream output of {words} words to {buffers} buffers"));
        }
        let crooked = self.buffers.iter().find(|buffer| is_crooked(buffer))?;
        let (start, stride, words) = (crooked.window.start, crooked.stride, crooked.words.len());
        Some(format!("a buffer of stream output at {start:#x} with {words} words in {stride} bytes"))
    }

    /// Bit i: output slot i is written to memory.
    #[must_use]
    pub fn slots_read(&self) -> u16 {
        let words = self.buffers.iter().flat_map(|buffer| buffer.words.iter().flatten());
        VertexWord::outputs(words).fold(0, |read, output| read | 1 << (output.slot & 15))
    }
}
