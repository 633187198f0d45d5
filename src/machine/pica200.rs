//! The family of the PICA200, the graphics chip of the Nintendo 3DS. `curie` emulates its shader processors alone.

use super::family::{Family, VertexPipeline, VertexStage};
use crate::isa::VertexIsa;

/// The PICA200. Its shader programs are assembled, explained and run; it has no chipsets, as no capture is of it.
pub(super) static PICA200: Family = Family {
    name: "pica200",
    title: "PICA200",
    chipsets: &[],
    default_machine: "pica200",
    classes: &[],
    has_virtual_memory: false,
    vertex_stage: Some(VertexStage {
        isa: VertexIsa::Pica200,
        pipeline: VertexPipeline::InOrder,
        // The vendor's hardware specifications describe the cache for vertex buffers with vertex indices.
        cache_needs_indices: true,
    }),
};
