//! Runs a kernel of a compiled module with arguments: places buffers and constants, launches, and keeps the buffers.
//! [`run_elements`] runs programs of the graphics pipeline.
//!
//! ```
//! use curie::asm::tesla::read_module;
//! use curie::pipeline::launch::LaunchOptions;
//! use curie::{ComputeEngine, KernelRequest, launch};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "!!Tesla1.0
//! .kernel squares
//! .param u32 out
//!     cvt u32 $r1 u16 $r0l
//!     mul $r2 u24 $r1 $r1
//!     shl b32 $r1 $r1 0x2
//!     add b32 $r1 b32 s[out] $r1
//!     exit st b32 g14[$r1] $r2
//! ";
//! let module = read_module("squares.tesla", text.as_bytes()).ok_or("a module begins with its header")??;
//! let request = KernelRequest {
//!     entry: None,
//!     grid: [1, 1, 1],
//!     block: [3, 1, 1],
//!     arguments: vec!["zeros:12".parse()?],
//!     more_shared_bytes: 0,
//!     pointer_bytes: 4,
//!     textures: Vec::new(),
//! };
//! let run = launch(&module, &request, &ComputeEngine::REFERENCE, &LaunchOptions::default())?;
//! assert_eq!(run.memory.buffers()[0].bytes, [0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0]);
//! # Ok(())
//! # }
//! ```

mod arguments;
mod elements;
mod module_file;
mod outcome;
mod prepare;
mod program_texture;
#[cfg(test)]
mod program_texture_tests;
mod table;
#[cfg(test)]
mod tests;
mod texture_argument;
#[cfg(test)]
mod texture_tests;

pub use arguments::{Argument, ArgumentError};
pub use elements::{ElementsRequest, ElementsRun, run_elements};
pub use module_file::{ModuleFileError, read_module};
pub use outcome::buffer_hash;
pub use prepare::{KernelError, KernelRequest, PreparedLaunch, find_kernel, prepare};
pub use program_texture::{ProgramTexture, ProgramTextureError, Sampling, TexelSource, bind_textures, sampled_units};
pub use table::{Column, Table, TableError};
pub use texture_argument::{TextureArgument, TextureArgumentError};

use crate::engine::{ComputeEngine, ComputeError};
use crate::isa::tesla::module::TeslaModule;
use crate::pipeline::launch::{LaunchMemory, LaunchOptions, LaunchReport, TraceStep};

/// What a kernel has left.
#[derive(Debug, Clone)]
pub struct KernelRun {
    /// Its buffers: the arguments that are buffers, named by their numbers from 0, and the module's global variables.
    pub memory: LaunchMemory,
    /// What happened.
    pub report: LaunchReport,
}

/// Why a kernel did not run to its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchKernelError {
    /// The request does not fit the module.
    #[error(transparent)]
    Request(#[from] KernelError),
    /// The engine did not run it.
    #[error(transparent)]
    Engine(#[from] ComputeError),
}

/// Runs a kernel.
///
/// # Errors
/// When the module has no such kernel, when the arguments or the sizes do not fit, or when it does not end.
pub fn launch(
    module: &TeslaModule,
    request: &KernelRequest,
    engine: &ComputeEngine,
    options: &LaunchOptions,
) -> Result<KernelRun, LaunchKernelError> {
    run(prepare(module, request)?, engine, options, &mut |_| ())
}

/// Runs a kernel that is prepared; `observer` receives the steps of the traced warp.
///
/// # Errors
/// When the sizes do not fit, or when it does not end.
pub fn run(
    prepared: PreparedLaunch,
    engine: &ComputeEngine,
    options: &LaunchOptions,
    observer: &mut dyn FnMut(TraceStep),
) -> Result<KernelRun, LaunchKernelError> {
    let PreparedLaunch { launch, limits, mut memory } = prepared;
    let report = engine.run(&launch, &limits, &mut memory, options, observer)?;
    Ok(KernelRun { memory, report })
}
