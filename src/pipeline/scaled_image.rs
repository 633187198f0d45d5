//! Turns a scaled image copy into ranges of destination pixels and the source pixels of each.

use super::{Rect, ScaledImage, SurfaceLayout};
use crate::format::ImageFormat;

/// Half a pixel and a whole one in 12.20 fixed point.
const HALF: i64 = 1 << 19;

/// The source pixels of a destination column or row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceTap {
    /// The first pixel; the second one follows it, if there is one.
    pub first: u32,
    /// Weight of the second in 1/256.
    pub weight: u32,
}

/// A range of destination pixels along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DestinationRange {
    /// The first pixel.
    pub first: u32,
    /// The number of pixels.
    pub count: u32,
}

impl ScaledImage {
    /// Whether pixels are copied without decoding their channels.
    #[must_use]
    pub fn moves_bits(&self) -> bool {
        let writes_zero = self.destination_format.name().ends_with("_Z");
        let is_same = self.source_format == self.destination_format && !writes_zero;
        let takes_bits = self.destination_format.takes_bits() && !self.source_format.is_yuv();
        !self.is_bilinear && self.operation.is_copy() && (is_same || takes_bits)
    }

    /// The destination pixels of an axis: output ∩ clip ∩ what the surface can hold.
    #[must_use]
    pub fn destination_range(&self, axis: usize) -> DestinationRange {
        let limit = match self.destination_layout {
            SurfaceLayout::Swizzled { log2_size } => 1i64 << log2_size[axis].min(16),
            SurfaceLayout::Linear { .. } | SurfaceLayout::BlockLinear { .. } => 1 << 12,
        };
        let end = |point: i32, size: u32| i64::from(point) + i64::from(size);
        let first = i64::from(self.out_point[axis]).max(i64::from(self.clip_point[axis])).max(0);
        let last = end(self.out_point[axis], self.out_size[axis]);
        let last = last.min(end(self.clip_point[axis], self.clip_size[axis])).min(limit);
        let narrow = |value: i64| u32::try_from(value).unwrap_or(0);
        DestinationRange { first: narrow(first), count: narrow(last - first) }
    }

    /// The source pixels for destination pixel `destination` (absolute) along an axis.
    #[must_use]
    pub fn source_tap(&self, axis: usize, destination: u32) -> SourceTap {
        let step = i64::from(self.step[axis]);
        let index = i64::from(destination) - i64::from(self.out_point[axis]);
        let mut position = (i64::from(self.source_point[axis]) << 16) + index * step;
        if self.origin_is_corner {
            position += step >> 1;
            if self.is_bilinear {
                position -= HALF;
            }
        }
        let last = i64::from(self.source_size[axis].clamp(1, 1 << 16)) - 1;
        let pixel = position >> 20;
        let clamped = pixel.clamp(0, last);
        let weight = if self.is_bilinear && clamped == pixel { (position >> 12) & 255 } else { 0 };
        let narrow = |value: i64| u32::try_from(value).unwrap_or(0);
        SourceTap { first: narrow(clamped), weight: if pixel == last { 0 } else { narrow(weight) } }
    }

    /// The number of bytes from the first to past the last pixel of the source.
    pub(crate) fn source_span(&self) -> u64 {
        let [width, height] = self.source_size;
        let width = if self.source_format.is_yuv() { width.next_multiple_of(2) } else { width };
        let rows = SurfaceLayout::Linear { pitch_bytes: self.source_pitch };
        rows.span_bytes(width, height, self.source_format.bytes())
    }

    /// Returns what is decoded but not executed in this copy; `None` if everything is executed.
    #[must_use]
    pub fn unsupported(&self) -> Option<String> {
        let destination = self.destination_format;
        let has_no_channels = matches!(destination, ImageFormat::Y16 | ImageFormat::Y32);
        if self.operation.operation.is_arithmetic() && has_no_channels {
            return Some(format!("blending into {}, which no public source describes", destination.name()));
        }
        if destination.is_yuv() {
            return Some(format!("a surface of {}", destination.name()));
        }
        if self.source_size.iter().any(|size| !(1..=1 << 16).contains(size)) {
            return Some(format!("a scaled image of {}×{} pixels", self.source_size[0], self.source_size[1]));
        }
        let [columns, rows] = [0, 1].map(|axis| self.destination_range(axis));
        let bytes = destination.bytes();
        let (right, bottom) = (columns.first + columns.count, rows.first + rows.count);
        let rect = Rect { x: 0, y: 0, width: right, height: bottom };
        self.destination_layout.unsupported(self.destination.start, rect, bytes, bytes)
    }
}
