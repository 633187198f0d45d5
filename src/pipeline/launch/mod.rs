//! A kernel launch as plain data: what an engine is asked to run, in which memory, and what it reports.

mod fault_summary;
mod guest_launch;
mod limits;
mod memory;
mod options;
mod processor;
mod report;
mod simt_launch;
mod texture_error;
mod textures;
mod threads;
mod unit;

pub use fault_summary::FaultSummary;
pub use guest_launch::{ComputeLaunch, GuestAccess, without_faults};
pub use limits::{LaunchLimits, LaunchSizeError};
pub use memory::{LaunchBuffer, LaunchMemory, OutOfMemory};
pub use options::{LaunchError, LaunchOptions, MAX_QUAD_BLOCKS};
pub use processor::{
    CLUSTER_MULTIPROCESSORS, CLUSTERS, CONSTANT_STEP, GLOBAL_STEP, ISSUE_CLOCKS, STACK_ENTRIES, TURN_INSTRUCTIONS,
    WARP_THREADS,
};
pub use report::{
    AccessKind, EmittedVertex, Fault, FaultKind, InstructionCount, LaunchReport, MemoryKind, Race, ThreadPlace,
    TraceStep, WarpAccess, Written,
};
pub use simt_launch::{BoundTexture, GlobalSpace, Launch};
pub use texture_error::LaunchTextureError;
pub use textures::{
    CoordinatePlaces, LaunchTextures, MAX_TEXTURES, MIN_LOD, SAMPLED_SIDE, rows_of_texels, texture_axes,
};
pub use threads::{
    FragmentQuad, Fragments, Interpolants, LaunchThreads, PRIMITIVE_VERTICES, Plane, Primitives, QUAD_THREADS,
    VERTEX_STRIDE, Vertices,
};
pub use unit::{Unit, is_far};
