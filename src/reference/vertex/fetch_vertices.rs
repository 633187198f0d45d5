//! The vertex fetch unit: reads vertex arrays in guest memory into the sixteen attributes of one vertex.

use crate::format::AttributeFormat;
use crate::memory::{GuestMemory, MemoryWindow};
use crate::pipeline::{Draw, Elements, VertexAttribute, VertexInput};

/// The attributes of a vertex: fetched by its index, or sent with the draw.
#[must_use]
pub fn fetch_inputs(memory: &GuestMemory, draw: &Draw, index: u32) -> [[u32; 4]; 16] {
    match &draw.elements {
        Elements::Immediate(vertices) => vertices[index as usize],
        _ => fetch_vertex(memory, &draw.input, index),
    }
}

/// Reads and converts all attributes of the vertex with this index.
///
/// An element that lies partly or wholly outside its window is [`AttributeFormat::run_out`]. Adding the base index wraps
/// around; the product of index and stride is exact.
#[must_use]
pub fn fetch_vertex(memory: &GuestMemory, input: &VertexInput, index: u32) -> [[u32; 4]; 16] {
    let index = index.wrapping_add(input.base_index);
    input.attributes.map(|attribute| match attribute {
        VertexAttribute::Constant(value) => value,
        VertexAttribute::Array { window, format, stride, divider, is_modulo } => {
            let element = match (divider, is_modulo) {
                (0 | 1, _) => index,
                (divider, true) => index % u32::from(divider),
                (divider, false) => index / u32::from(divider),
            };
            let bytes = read_element(memory, window, u64::from(element) * u64::from(stride), format);
            bytes.map_or_else(|| format.run_out(), |bytes| format.decode(bytes))
        }
    })
}

fn read_element(memory: &GuestMemory, window: MemoryWindow, offset: u64, format: AttributeFormat) -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    let count = format.bytes() as usize;
    bytes[..count].copy_from_slice(memory.slice(window).get(usize::try_from(offset).ok()?..)?.get(..count)?);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{MISSING_COMPONENTS, TeslaVertexFormat, VertexFormat};
    use crate::memory::MemorySpace;

    fn input(attribute: VertexAttribute, base_index: u32) -> VertexInput {
        let mut attributes = [VertexAttribute::Constant(MISSING_COMPONENTS); 16];
        attributes[3] = attribute;
        VertexInput { attributes, base_index, restart_index: None }
    }

    #[test]
    fn elements_are_found_by_stride_divider_and_base() {
        let mut memory = GuestMemory::new(1 << 16, 0).unwrap();
        memory.grow(MemorySpace::Vram, 4096).unwrap();
        let window = MemoryWindow { space: MemorySpace::Vram, start: 16, bytes: 30 };
        let all: Vec<u8> = (0..30).collect();
        assert!(memory.write(window, 0, &all));
        let array = |stride, divider, is_modulo| VertexAttribute::Array {
            window,
            format: AttributeFormat::Nv40 { components: VertexFormat::U8, size: 2 },
            stride,
            divider,
            is_modulo,
        };
        let at = |attribute, base, index| fetch_vertex(&memory, &input(attribute, base), index)[3].map(f32::from_bits);
        assert_eq!(at(array(3, 0, false), 0, 2), [6.0, 7.0, 0.0, 1.0]);
        assert_eq!(at(array(3, 1, true), 2, 3), [15.0, 16.0, 0.0, 1.0], "the base index is added");
        assert_eq!(at(array(3, 4, false), 0, 7), [3.0, 4.0, 0.0, 1.0], "7 / 4 = 1");
        assert_eq!(at(array(3, 4, true), 0, 7), [9.0, 10.0, 0.0, 1.0], "7 % 4 = 3");
        assert_eq!(at(array(0, 0, false), 0, u32::MAX), [0.0, 1.0, 0.0, 1.0], "stride 0 repeats the first");
        assert_eq!(at(array(29, 0, false), 0, 1), [0.0, 0.0, 0.0, 1.0], "half outside of the window");
        assert_eq!(at(array(255, 0, false), 1, u32::MAX), [0.0, 1.0, 0.0, 1.0], "the sum of indices wraps");
        assert_eq!(at(array(255, 0, false), 0, u32::MAX), [0.0, 0.0, 0.0, 1.0], "the product does not wrap");
    }

    #[test]
    fn a_vector_of_zeros_replaces_elements_of_tesla_outside_their_window() {
        let mut memory = GuestMemory::new(1 << 16, 0).unwrap();
        memory.grow(MemorySpace::Vram, 16384).unwrap();
        let window = MemoryWindow { space: MemorySpace::Vram, start: 0, bytes: 4095 + 4 };
        assert!(memory.write(window, 4095, &[1, 2, 3, 4]));
        let format = AttributeFormat::Tesla(TeslaVertexFormat::from_codes(0x18, 0x24).unwrap());
        let array = VertexAttribute::Array { window, format, stride: 4095, divider: 0, is_modulo: false };
        assert_eq!(fetch_vertex(&memory, &input(array, 0), 1)[3], [1, 2, 0, 1]);
        assert_eq!(fetch_vertex(&memory, &input(array, 0), 2)[3], [0; 4]);
    }
}
