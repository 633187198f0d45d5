//! The family of the GeForce 6800: the GeForce 6 and 7 series.

use super::family::{Family, VertexPipeline, VertexStage};
use crate::chip::nv40;
use crate::isa::{NvVertexIsa, VertexIsa};

/// The default machine.
pub const DEFAULT_MACHINE: &str = "geforce-6800-ultra";

/// The GeForce 6 and 7 series.
pub(super) static NV40: Family = Family {
    name: "nv40",
    title: "GeForce 6 and 7",
    // The chips that nouveau's 3D driver initializes as NV40 (`nv30_screen_create` of Mesa 22.3), and MCP68.
    chipsets: &[0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x49, 0x4a, 0x4b, 0x4c, 0x4e, 0x63, 0x67, 0x68],
    default_machine: DEFAULT_MACHINE,
    classes: nv40::CLASSES,
    has_virtual_memory: false,
    vertex_stage: Some(VertexStage {
        isa: VertexIsa::Nv(NvVertexIsa::Nv40),
        pipeline: VertexPipeline::Interleaved,
        cache_needs_indices: false,
    }),
};
