//! Defines the color and depth targets of a draw or clear.

use super::{Rect, SampleMode};
use crate::format::{ColorFormat, ZetaFormat};
use crate::memory::MemoryWindow;

/// The order of a surface's pixels in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SurfaceLayout {
    /// Rows of `pitch_bytes`.
    Linear {
        /// Bytes from one row to the next.
        pitch_bytes: u32,
    },
    /// Morton order over power-of-two sizes.
    Swizzled {
        /// Base-2 logarithm of the width.
        log2_width: u8,
        /// Base-2 logarithm of the height.
        log2_height: u8,
    },
}

/// One color surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColorTarget {
    /// The start and extent of its memory.
    pub window: MemoryWindow,
    /// Its layout.
    pub layout: SurfaceLayout,
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

/// All surfaces that drawing writes; color targets share one format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Targets {
    /// The format of every color target.
    pub color_format: ColorFormat,
    /// Color targets 0..3; `None` if disabled or without memory.
    pub color: [Option<ColorTarget>; 4],
    /// The depth and stencil surface; `None` if no memory is bound.
    pub zeta: Option<ZetaTarget>,
    /// The samples per pixel of all surfaces.
    pub samples: SampleMode,
    /// The pixels that drawing can reach.
    pub rect: Rect,
}
