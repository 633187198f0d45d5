//! The guest memory that the vertices of a draw come from.

use crate::memory::MemoryWindow;
use crate::pipeline::{Draw, Elements, VertexAttribute, VertexTexture};

/// The memory that the vertices of a draw may come from, and that geometry programs read.
pub(in crate::kernels) fn vertex_windows<'a>(
    draw: &'a Draw,
    vertices: &[u32],
) -> impl Iterator<Item = MemoryWindow> + use<'a> {
    let last = vertices.iter().map(|vertex| vertex.wrapping_add(draw.input.base_index)).max().unwrap_or(0);
    let arrays = draw.input.attributes.iter().filter_map(move |attribute| match *attribute {
        VertexAttribute::Constant(_) => None,
        // A divider only moves the element closer to the first.
        VertexAttribute::Array { window, format, stride, .. } => {
            let end = u64::from(last) * u64::from(stride) + u64::from(format.bytes());
            Some(window.truncated(u32::try_from(end).unwrap_or(u32::MAX)))
        }
    });
    let textures = draw.vertex.vec4().into_iter().flat_map(|stage| stage.textures.iter().flatten());
    arrays.chain(textures.map(VertexTexture::sampled_window)).chain(draw.stage_windows())
}

/// The part of the index buffer that a draw reads.
pub(in crate::kernels) fn reached_indices(elements: &Elements) -> Option<MemoryWindow> {
    let Elements::Buffer { window, index_type, ranges } = elements else { return None };
    let bytes = u64::from(index_type.bytes());
    let ends = ranges.iter().map(|&(first, count)| (u64::from(first) + u64::from(count)) * bytes);
    Some(window.truncated(u32::try_from(ends.max().unwrap_or(0)).unwrap_or(u32::MAX)))
}
