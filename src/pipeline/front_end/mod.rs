//! Prepares a draw on the host for either engine: validation, index fetch, primitive assembly, batches, raster parameters.

pub mod assemble_primitives;
pub(crate) mod check_draw;
pub(crate) mod decode_programs;
pub mod fetch_indices;
pub mod raster_parameters;
pub mod vertex_batches;
