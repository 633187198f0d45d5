//! The reference engine: every stage on the host, one file per stage, written to be read as the specification.
//!
//! Nothing but the choice of an engine, tests, and models that count with it imports this module.

pub mod blit;
pub(crate) mod counted_draw;
pub(crate) mod engine;
pub mod fragment;
pub mod interp;
pub mod raster;
pub mod rop;
pub mod run_program;
pub mod setup;
pub mod texture;
pub mod vertex;

pub use engine::Reference;
