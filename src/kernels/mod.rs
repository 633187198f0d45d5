//! The kernels engine: turns commands into compute dispatches over guest memory on the device.
//!
//! A command passes these files from top to bottom; each imports only those below it:
//!
//! ```text
//! engine            order of commands
//! draw_merger       holds draws back that may merge, flushes them before everything else; draw_profile
//! executor          one command
//! draw_pipeline     the stages of draws in their order; draw_counting, merged_draws, run_on_host
//! pipeline_cache    compiled kernels by key; geometry_cache: assembled geometry by key
//! stages/           one struct a stage: its buffers, its typed bindings, its dispatches
//! tiles/            the same for kernels that draw whole tiles; software/: what serves only software adapters
//! context           device, open recording, memory_mirror, resident_pages
//! plan/             pure values: which kernels, which parameters, why
//! ```

mod bindings;
mod context;
mod draw_counting;
mod draw_merger;
mod draw_pipeline;
mod draw_profile;
mod engine;
mod executor;
mod geometry_cache;
mod memory_mirror;
mod merged_draws;
mod pipeline_cache;
mod plan;
mod resident_pages;
pub mod run_elements;
pub mod run_launch;
mod run_on_host;
pub mod run_program;
pub mod self_test;
mod software;
mod stages;
mod tiles;
mod workgroups;

pub use draw_profile::ProfiledDraw;
pub use engine::{KernelOptions, KernelPath, Kernels};
pub use memory_mirror::{Locate, MemoryMirror, MirrorWindow, Reached};
pub use plan::draw_path::SplitReason;
pub use plan::merging::Separation;
pub use plan::path_taken::{DrawPath, ExactReason};
pub use plan::{
    draw_sources, merge_pixels, outputs_read, run_vertex_programs, scale_image, shade_quads, surface_layout,
    texture_parameters, transfer,
};
pub use software::adapter_choices::AdapterChoices;
pub use software::{texel_image, wide_fills};
pub use stages::{geometry, scan_out};
pub use workgroups::linear_workgroups;
