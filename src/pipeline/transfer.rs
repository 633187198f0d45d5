//! Defines clears, memory copies and scaled image copies.

use super::{PixelOperation, Rect, SurfaceLayout, Targets};
use crate::format::ImageFormat;
use crate::memory::MemoryWindow;

/// Fills the bound surfaces inside a rectangle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clear {
    /// The surfaces; all color targets are cleared.
    pub targets: Targets,
    /// The texels to clear: all samples of targets ∩ scissor ∩ clear rectangle.
    pub rect: Rect,
    /// The words of a raw pixel of every color target; a shorter pixel is in the low bits of the first.
    pub color: [u32; 4],
    /// The words of a raw pixel of the zeta format.
    pub zeta: [u32; 2],
    /// Color channels to write: bit 0 red, 1 green, 2 blue, 3 alpha.
    pub color_mask: u8,
    /// Whether depth is cleared.
    pub clears_depth: bool,
    /// Whether stencil is cleared.
    pub clears_stencil: bool,
    /// Stencil bits that may be written.
    pub stencil_mask: u8,
}

/// Copies lines of elements of one byte each.
///
/// Element x of line y is read at `y * source_pitch + x * source_increment` and written at
/// `y * destination_pitch + x * destination_increment`, lines in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryCopy {
    /// The start of the source.
    pub source: MemoryWindow,
    /// The start of the destination.
    pub destination: MemoryWindow,
    /// Bytes between lines of the source.
    pub source_pitch: u32,
    /// Bytes between lines of the destination.
    pub destination_pitch: u32,
    /// Elements per line.
    pub line_length: u32,
    /// Lines.
    pub line_count: u32,
    /// Bytes between elements of the source: 1, 2 or 4.
    pub source_increment: u32,
    /// Bytes between elements of the destination: 1, 2 or 4.
    pub destination_increment: u32,
}

/// The source of an image's pixels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSource {
    /// Guest memory.
    Memory(MemoryWindow),
    /// Words sent in the stream itself.
    Words(Vec<u32>),
}

/// Copies an image into a surface, converting, scaling and combining it: scaled images, images from the processor,
/// blits and solid rectangles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScaledImage {
    /// The source image.
    pub source: ImageSource,
    /// Bytes between rows of the source.
    pub source_pitch: u32,
    /// Its format.
    pub source_format: ImageFormat,
    /// Width and height of the source in pixels.
    pub source_size: [u32; 2],
    /// Whether sample positions are relative to pixel corners instead of centers.
    pub origin_is_corner: bool,
    /// Bilinear instead of point sampling.
    pub is_bilinear: bool,
    /// First source position (u, v), 12.4 fixed point.
    pub source_point: [u32; 2],
    /// Step of u per destination column and of v per row, 12.20 fixed point.
    pub step: [i32; 2],
    /// The destination surface.
    pub destination: MemoryWindow,
    /// Its layout.
    pub destination_layout: SurfaceLayout,
    /// Its format.
    pub destination_format: ImageFormat,
    /// First destination pixel, signed.
    pub out_point: [i32; 2],
    /// Destination size.
    pub out_size: [u32; 2],
    /// First pixel of the clip rectangle, signed.
    pub clip_point: [i32; 2],
    /// Size of the clip rectangle.
    pub clip_size: [u32; 2],
    /// How pixels are combined with surface pixels.
    pub operation: PixelOperation,
}
