//! Primitive setup: clipping, edge functions, plane equations.

pub(crate) mod clip_primitives;
pub(crate) mod set_up_lines;
pub mod set_up_primitives;
pub mod stream_out;
mod transform_vertices;
