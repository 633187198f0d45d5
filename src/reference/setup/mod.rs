//! Primitive setup: clipping, edge functions, plane equations.

pub(crate) mod clip_primitives;
pub(crate) mod set_up_lines;
pub mod set_up_primitives;
mod transform_vertices;
