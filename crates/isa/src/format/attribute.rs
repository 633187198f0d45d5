//! Formats of vertex attributes in memory, of all generations.

use super::vertex_decode::{decode_element, element_bytes};
use super::{TeslaVertexFormat, VertexFormat};

/// The format of a vertex attribute's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AttributeFormat {
    /// One of the NV40.
    Nv40 {
        /// The component type.
        components: VertexFormat,
        /// How many, 1..4.
        size: u8,
    },
    /// One of the Tesla generation.
    Tesla(TeslaVertexFormat),
}

impl AttributeFormat {
    /// Bytes of an element.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::Nv40 { components, size } => element_bytes(components, size),
            Self::Tesla(format) => format.sizes.bytes(),
        }
    }

    /// The four words of an element with these bytes.
    #[must_use]
    pub fn decode(self, bytes: [u8; 16]) -> [u32; 4] {
        match self {
            Self::Nv40 { components, size } => decode_element(components, size, bytes),
            Self::Tesla(format) => format.decode(bytes),
        }
    }

    /// The four words of an element that lies partly or wholly outside its window: the NV40 reads zero bytes, the Tesla
    /// generation a vector of zeros.
    #[must_use]
    pub fn run_out(self) -> [u32; 4] {
        match self {
            Self::Nv40 { .. } => self.decode([0; 16]),
            // Unverified: that the vector is not converted, and replaces the components that elements lack.
            Self::Tesla(_) => [0; 4],
        }
    }
}
