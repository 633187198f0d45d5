//! Programs and state into WGSL text.
//!
//! A key value says what is baked into a kernel; everything else reaches it through buffers.

mod condition;
pub mod fragment;
pub mod raster_block;
pub mod rop;
pub mod sample_positions;
pub mod software;
mod text;
pub mod texture;
pub mod vertex;
