//! Turns registers of vertex arrays into [`VertexInput`].

use super::ThreeD;
use crate::chip::bits::{bit, field, field8};
use crate::command::methods::three_d::{draw, program, sync, vertex as methods};
use crate::format::{AttributeFormat, VertexFormat};
use crate::memory::MemoryWindow;
use crate::pipeline::{Elements, IndexType, VertexAttribute, VertexInput};

/// Address bits of `VTXBUF`.
const OFFSET_MASK: u32 = 0x1fff_ffff;

impl ThreeD {
    /// The format of an array; `None` if the array is disabled.
    pub(super) fn array_format(&self, attribute: usize) -> Option<(VertexFormat, u8)> {
        let format = self.registers.element(methods::VTXFMT, 4, attribute);
        let size = field8(format, 7, 4);
        if size == 0 {
            return None;
        }
        Some((VertexFormat::from_code(field(format, 2, 0))?, size))
    }

    /// The sources of attributes for these elements.
    pub(super) fn vertex_input(&self, elements: &Elements) -> VertexInput {
        let registers = &self.registers;
        let read = registers.get(program::VP_ATTRIB_EN);
        let has_arrays = !matches!(elements, Elements::Immediate(_));
        let attributes = std::array::from_fn(|index| {
            let constant = VertexAttribute::Constant(self.attributes.values[index]);
            if read >> index & 1 == 0 || !has_arrays {
                return constant;
            }
            let Some((components, size)) = self.array_format(index) else { return constant };
            let word = registers.element(methods::VTXFMT, 4, index);
            VertexAttribute::Array {
                window: self.array_window(registers.element(methods::VTXBUF, 4, index)),
                format: AttributeFormat::Nv40 { components, size },
                stride: field(word, 15, 8),
                divider: (word >> 16) as u16,
                is_modulo: registers.get(methods::FREQUENCY_DIVIDER_OPERATION) >> index & 1 != 0,
            }
        });
        let is_indexed = matches!(elements, Elements::Inline(_) | Elements::Buffer { .. });
        VertexInput {
            attributes,
            // Unverified: the base is added to indices only, not to the first vertex of a batch.
            base_index: if is_indexed { registers.get(methods::VB_ELEMENT_BASE) } else { 0 },
            restart_index: if is_indexed { self.restart_index() } else { None },
        }
    }

    /// The index that restarts the primitive, if enabled.
    pub(super) fn restart_index(&self) -> Option<u32> {
        let is_enabled = self.registers.is_set(draw::PRIMITIVE_RESTART_ENABLE);
        is_enabled.then(|| self.registers.get(draw::PRIMITIVE_RESTART_INDEX))
    }

    fn array_window(&self, offset: u32) -> MemoryWindow {
        let slot = if bit(offset, 31) { sync::DMA_VTXBUF1 } else { sync::DMA_VTXBUF0 };
        let base = self.registers.get(methods::VERTEX_DATA_BASE_OFFSET);
        self.window(slot, (offset & OFFSET_MASK).saturating_add(base))
    }

    /// The index buffer.
    pub(super) fn index_buffer(&self) -> (MemoryWindow, IndexType) {
        let format = self.registers.get(draw::IDXBUF_FORMAT);
        let slot = if bit(format, 0) { sync::DMA_VTXBUF1 } else { sync::DMA_VTXBUF0 };
        let index_type = if field(format, 7, 4) == 1 { IndexType::U16 } else { IndexType::U32 };
        // A PlayStation 3 reads from the multiple of an index's size below (RPCS3, `RSXDrawCommands.cpp`, from a test).
        let offset = self.registers.get(draw::IDXBUF_OFFSET);
        (self.window(slot, offset - offset % index_type.bytes()), index_type)
    }
}
