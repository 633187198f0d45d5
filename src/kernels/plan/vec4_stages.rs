//! The programs of draws over registers of four components: such draws merge, and their work is counted.

use crate::pipeline::{Draw, Vec4FragmentStage, Vec4VertexStage};

/// Whether all programs of a draw are of this kind, and their vertices only rasterized.
#[must_use]
pub(in crate::kernels) const fn has_vec4_programs(draw: &Draw) -> bool {
    draw.vertex.vec4().is_some()
        && draw.geometry.is_none()
        && draw.stream_out.is_none()
        && draw.fragment.vec4().is_some()
}

/// The vertex program of a draw that has one of this kind.
#[must_use]
pub(in crate::kernels) const fn vertex_stage(draw: &Draw) -> &Vec4VertexStage {
    draw.vertex.vec4().expect("the kind of the program was asked before")
}

/// The fragment program of a draw that has one of this kind.
#[must_use]
pub(in crate::kernels) const fn fragment_stage(draw: &Draw) -> &Vec4FragmentStage {
    draw.fragment.vec4().expect("the kind of the program was asked before")
}
