//! What both engines do with a draw before its first stage: fetch indices, assemble primitives, split into batches, gather parameters.

pub mod assemble_primitives;
pub mod fetch_indices;
pub mod raster_parameters;
pub mod vertex_batches;
