//! Defines the color and depth targets of a draw or clear.

use super::{Rect, SampleMode};
pub use crate::format::MAX_COLOR_TARGETS;
use crate::format::{ColorFormat, ZetaFormat};
use crate::memory::MemoryWindow;
use crate::memory::block_linear::BlockLinear;

/// The order of an image's elements in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SurfaceLayout {
    /// Rows of `pitch_bytes`.
    Linear {
        /// Bytes from one row to the next.
        pitch_bytes: u32,
    },
    /// Morton order over power-of-two sizes.
    Swizzled {
        /// Base-2 logarithms of width, height and depth.
        log2_size: [u8; 3],
    },
    /// Blocks of gobs.
    BlockLinear {
        /// All of the image.
        blocks: BlockLinear,
        /// The slice that drawing reaches.
        slice: u32,
    },
}

/// The kinds of layouts; the kernels take their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LayoutKind {
    /// Rows with a pitch.
    Linear,
    /// Morton order.
    Swizzled,
    /// Blocks of gobs.
    BlockLinear,
}

/// One color surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColorTarget {
    /// The start and extent of its memory.
    pub window: MemoryWindow,
    /// Its layout.
    pub layout: SurfaceLayout,
    /// Its format.
    pub format: ColorFormat,
}

/// The depth and stencil surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZetaTarget {
    /// The start and extent of its memory.
    pub window: MemoryWindow,
    /// Its layout.
    pub layout: SurfaceLayout,
    /// Its format.
    pub format: ZetaFormat,
    /// Whether depth is stored as floating point.
    pub is_float: bool,
}

/// All surfaces that drawing writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// The color targets; `None` if disabled or without memory.
    pub color: [Option<ColorTarget>; MAX_COLOR_TARGETS],
    /// The depth and stencil surface; `None` if no memory is bound.
    pub zeta: Option<ZetaTarget>,
    /// The samples per pixel of all surfaces.
    pub samples: SampleMode,
    /// The pixels that drawing can reach.
    pub rect: Rect,
}
