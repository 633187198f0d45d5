//! The family of the GeForce 3. `curie` emulates its vertex processor alone.

use super::family::{Family, VertexPipeline, VertexStage};
use crate::isa::{NvVertexIsa, VertexIsa};

/// The GeForce 3. Its vertex programs are assembled, explained and run; it has no chipsets, so that captures of the
/// whole chip are refused by name.
pub(super) static NV20: Family = Family {
    name: "nv20",
    title: "GeForce 3",
    chipsets: &[],
    default_machine: "geforce-3",
    classes: &[],
    has_virtual_memory: false,
    vertex_stage: Some(VertexStage {
        isa: VertexIsa::Nv(NvVertexIsa::Nv20),
        pipeline: VertexPipeline::Interleaved,
        cache_needs_indices: false,
    }),
};
