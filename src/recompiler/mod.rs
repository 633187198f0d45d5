//! Translates programs and state into WGSL text.
//!
//! A key determines what is baked into a kernel; buffers supply everything else.

pub mod compute;
mod condition;
pub mod emitted_vertices;
pub mod fragment;
pub mod quad_inputs;
pub mod quad_program;
pub mod quad_program_key;
pub mod raster_block;
pub mod rop;
pub mod sample_positions;
pub mod selection_block;
pub mod software;
mod text;
pub mod texture;
pub mod tiles;
pub mod vertex;
