//! Turns registers of stream output into [`StreamOut`].

use super::Processor;
use super::programs::slot;
use crate::chip::bits::{bit, field};
use crate::chip::objects::Objects;
use crate::chip::tesla::address::Address;
use crate::command::methods::tesla::three_d::{below_1400 as early, from_1400 as methods};
use crate::memory::MemoryWindow;
use crate::pipeline::{MAX_STREAM_BUFFERS, MAX_STREAM_WORDS, PrimitiveType, StreamBuffer, StreamOut, VertexWord};

/// The bit of a byte of the map that names a word; without it the slot is not written.
const NAMES_WORD: u8 = 0x80;

/// The slots of the map.
const SLOTS: u32 = 128;

impl Processor {
    /// Where primitives of a type are written, if anywhere. Whether they follow those before is up to `STRMOUT_PARAMS_LATCH`.
    pub(super) fn stream_out(&self, primitive: PrimitiveType, objects: &Objects) -> Option<StreamOut> {
        let registers = &self.registers;
        if !registers.is_set(methods::STRMOUT_ENABLE) {
            return None;
        }
        let control = registers.get(early::STRMOUT_BUFFERS_CTRL);
        let count = if bit(control, 0) { 1 } else { (control >> 4 & 0xf) as usize };
        let streamed = self.streamed_words();
        let mut first = 0;
        let mut buffers = Vec::new();
        for number in 0..count.min(MAX_STREAM_BUFFERS) {
            let words = self.stream_vertex_words(number);
            let own = first..(first + words as usize).min(MAX_STREAM_WORDS);
            buffers.push(StreamBuffer {
                window: self.stream_window(number, 4 * words, primitive, objects),
                stride: 4 * words,
                words: streamed.get(own).unwrap_or_default().to_vec(),
            });
            // Unverified: that the words of a buffer begin at a multiple of four. Mesa's driver numbers them so.
            first = (first + words as usize).next_multiple_of(4);
        }
        buffers.retain(|buffer| buffer.stride != 0);
        let rasterizes = registers.is_set(methods::RASTERIZE_ENABLE);
        (!buffers.is_empty()).then_some(StreamOut { buffers, continues: !self.begins_stream, rasterizes })
    }

    /// The slots of the result map by the number of the word that each of them is in the buffers. The map has a byte for each
    /// slot.
    fn streamed_words(&self) -> [Option<VertexWord>; MAX_STREAM_WORDS] {
        let mut words = [None; MAX_STREAM_WORDS];
        for number in 0..SLOTS {
            let entries = self.registers.element(methods::STRMOUT_MAP, 4, number as usize / 4).to_le_bytes();
            let entry = entries[number as usize % 4];
            if entry & NAMES_WORD != 0 {
                words[usize::from(entry & !NAMES_WORD)] = Some(VertexWord::Output(slot(number)));
            }
        }
        words
    }

    /// The words of a vertex in a buffer.
    pub(super) fn stream_vertex_words(&self, number: usize) -> u32 {
        field(self.registers.element(methods::STRMOUT_NUM_ATTRIBS, 16, number), 7, 0)
    }

    /// The address of a buffer.
    pub(super) fn stream_address(&self, number: usize) -> u64 {
        let [high, low] = [methods::STRMOUT_ADDRESS_HIGH, methods::STRMOUT_ADDRESS_LOW]
            .map(|method| self.registers.element(method, 16, number));
        Address { high, low }.value()
    }

    /// The memory of a buffer: up to a limit in bytes, or that of the number of primitives.
    fn stream_window(&self, number: usize, stride: u32, primitive: PrimitiveType, objects: &Objects) -> MemoryWindow {
        let window = objects.virtual_window(self.stream_address(number));
        if bit(self.registers.get(early::STRMOUT_BUFFERS_CTRL), 1) {
            let offset = self.registers.element(methods::STRMOUT_OFFSET, 4, number);
            return window
                .truncated(self.registers.element(methods::STRMOUT_OFFSET_LIMIT, 16, number))
                .from_offset(offset);
        }
        let vertices = self.registers.get(early::STRMOUT_PRIMITIVE_LIMIT).saturating_mul(primitive.corners());
        window.truncated(vertices.saturating_mul(stride))
    }
}
