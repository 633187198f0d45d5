//! The reference engine: every stage on the host, one file per stage, written to be read as the specification.
//!
//! A leaf: only the engine choice, models that replay its traces, and tests import it; `tests/host/tidy/` lists the rest.

pub mod blit;
pub mod compute;
mod count_threads;
mod counted_draw;
mod draw_coverage;
mod draw_programs;
mod engine;
pub mod fragment;
pub mod interp;
pub mod observer;
mod pipeline_statistics;
mod quad_flow;
pub mod raster;
pub mod rop;
pub mod run_program;
pub mod setup;
pub mod texture;
mod trace_warps;
pub mod vertex;
pub(crate) mod vertex_paths;

pub use engine::Reference;
