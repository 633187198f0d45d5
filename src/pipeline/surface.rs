//! Defines the color and depth targets of a draw or clear.

use super::{Rect, SampleMode};
use crate::format::{ColorFormat, ZetaFormat};
use crate::memory::MemoryWindow;

/// How a surface's pixels follow each other in memory.
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
    /// Where it starts, and how far its memory reaches.
    pub window: MemoryWindow,
    /// Its layout.
    pub layout: SurfaceLayout,
}

/// The depth and stencil surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZetaTarget {
    /// Where it starts, and how far its memory reaches.
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
    /// Color targets 0..3; `None` where disabled or without memory.
    pub color: [Option<ColorTarget>; 4],
    /// The depth and stencil surface; `None` when no memory is bound.
    pub zeta: Option<ZetaTarget>,
    /// The samples that each pixel has in all surfaces.
    pub samples: SampleMode,
    /// The pixels that drawing may reach.
    pub rect: Rect,
}
