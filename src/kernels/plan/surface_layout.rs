//! How kernels address the pixels of a surface.

use bytemuck::{Pod, Zeroable};

use crate::pipeline::SurfaceLayout;

/// Maximum logarithm of a size of swizzled surfaces; coordinates have fewer bits.
const MAX_LOG2_SIZE: u8 = 16;

/// The layout of a surface; see `wgsl/memory/surface_layout.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct LayoutParameters {
    pub kind: u32,
    pub row: u32,
    pub log2_size: u32,
    pub first: u32,
}

impl LayoutParameters {
    /// The parameters of a layout.
    #[must_use]
    pub fn new(layout: SurfaceLayout) -> Self {
        let packed = |[x, y, z]: [u8; 3]| u32::from_le_bytes([x, y, z, 0]);
        let kind = layout.kind() as u32;
        match layout {
            SurfaceLayout::Linear { pitch_bytes } => Self { kind, row: pitch_bytes, ..Self::default() },
            SurfaceLayout::Swizzled { log2_size } => {
                Self { kind, log2_size: packed(log2_size.map(|log2| log2.min(MAX_LOG2_SIZE))), ..Self::default() }
            }
            SurfaceLayout::BlockLinear { blocks, .. } => Self {
                kind,
                row: blocks.blocks()[0],
                log2_size: packed(blocks.log2_block),
                first: layout.element_offset([0; 3], 1),
            },
        }
    }

    /// The same for a kernel that turns offsets into positions and reaches rows above `bottom`: a single row may have any
    /// pitch.
    pub(in crate::kernels) fn of_offsets(layout: SurfaceLayout, bottom: u32) -> Self {
        let parameters = Self::new(layout);
        match layout {
            SurfaceLayout::Linear { .. } if bottom <= 1 => Self { row: u32::MAX, ..parameters },
            _ => Self { row: parameters.row.max(1), ..parameters },
        }
    }
}
