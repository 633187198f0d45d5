//! The kernels that a draw went through, and why not the faster ones.

use std::fmt;

use super::draw_path::SplitReason;

/// The kernels that a draw went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrawPath {
    /// None: the draw has no primitives, or no pixel lies inside its clip rectangle.
    Nothing,
    /// None: it reaches more memory than the device holds at once, or has programs that kernels do not run, and runs on the
    /// reference engine.
    Host,
    /// Those of an earlier draw, with which it merged.
    Merged {
        /// The number of the first of the merged draws.
        first: usize,
    },
    /// One kernel from rasterizer to output merger.
    Fused {
        /// The number of the fast path's kernel ([`Kernel::number`](crate::gpu::Kernel::number)), or why the draw takes
        /// the exact path only.
        fast: Result<u64, ExactReason>,
    },
    /// One kernel for each stage.
    Split(SplitReason),
}

/// Why a draw takes the exact path of the fused kernel only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExactReason {
    /// It has user clip planes.
    ClipPlanes,
    /// Constants of its fragment program are denormal.
    DenormalConstants,
    /// Its fragment program is a SIMT program with branches, loops or calls, or runs for single samples; these have no fast path.
    Threads,
    /// A workgroup draws a tile; such kernels have no fast path.
    Workgroups,
    /// Its kernel was not used often enough to compile the fast path.
    FewUses,
}

impl fmt::Display for ExactReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::ClipPlanes => "the draw has user clip planes",
            Self::DenormalConstants => "constants of its fragment program are denormal",
            Self::Threads => "SIMT programs with branches, or for single samples, have no fast path",
            Self::Workgroups => "kernels with a workgroup for each tile have no fast path",
            Self::FewUses => "its state was used too rarely to compile the fast path",
        })
    }
}

impl DrawPath {
    /// The path of a kernel that the draw dispatches, `fast` or `exact`, if the kernel has both.
    #[must_use]
    pub fn of_kernel(self, kernel: &str, number: u64) -> Option<&'static str> {
        match self {
            Self::Fused { fast } if kernel == "draw_tiles" => Some(if fast == Ok(number) { "fast" } else { "exact" }),
            Self::Fused { .. } | Self::Nothing | Self::Host | Self::Merged { .. } | Self::Split(_) => None,
        }
    }
}

impl fmt::Display for DrawPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => formatter.write_str("draws nothing"),
            Self::Host => formatter.write_str("reference engine: the adapter cannot bind the memory that it reaches, or kernels do not run its programs"),
            Self::Merged { first } => write!(formatter, "drawn together with draw {first}"),
            Self::Fused { fast: Ok(_) } => formatter.write_str("fused kernel, fast path"),
            Self::Fused { fast: Err(reason) } => write!(formatter, "fused kernel, exact path only: {reason}"),
            Self::Split(reason) => write!(formatter, "separate kernels: {reason}"),
        }
    }
}
