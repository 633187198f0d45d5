//! The programs of the draws that kernels run: those over registers of four components.

use crate::pipeline::{Draw, Vec4FragmentStage, Vec4VertexStage};

/// Whether kernels run a draw; the reference runs others.
#[must_use]
pub(in crate::kernels) const fn has_kernels(draw: &Draw) -> bool {
    draw.vertex.vec4().is_some() && draw.fragment.vec4().is_some()
}

/// The vertex program of a draw that kernels run.
#[must_use]
pub(in crate::kernels) const fn vertex_stage(draw: &Draw) -> &Vec4VertexStage {
    draw.vertex.vec4().expect("the reference runs draws with other programs")
}

/// The fragment program of a draw that kernels run.
#[must_use]
pub(in crate::kernels) const fn fragment_stage(draw: &Draw) -> &Vec4FragmentStage {
    draw.fragment.vec4().expect("the reference runs draws with other programs")
}
