//! Copies an image into a surface, scaling and converting it (class 0x3089).
//!
//! Destination pixel i of a row takes source position `u0 + i·du`; sampling positions that count from pixel corners add
//! half a step, and half a pixel less for bilinear weights. Point sampling takes the floor. Weights have 8 bits.
//! Unverified: all of this rounding; 1:1 copies do not depend on it.

use crate::format::texel::expand_to_16;
use crate::memory::GuestMemory;
use crate::memory::layout::linear_offset;
use crate::work::{ScaledImage, ScaledImageFormat, SurfaceLayout};

/// Half a pixel and a whole one in 12.20 fixed point.
const HALF: i64 = 1 << 19;

/// The source pixels of a destination column or row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceTap {
    /// The first pixel; the second one follows it, where there is one.
    pub first: u32,
    /// Weight of the second in 1/256.
    pub weight: u32,
}

/// A range of destination pixels along one axis: the first, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DestinationRange {
    /// The first pixel.
    pub first: u32,
    /// How many.
    pub count: u32,
}

impl ScaledImage {
    /// The destination pixels of an axis: output ∩ clip ∩ what the surface can hold.
    #[must_use]
    pub fn destination_range(&self, axis: usize) -> DestinationRange {
        let limit = match self.destination_layout {
            SurfaceLayout::Swizzled { log2_width, log2_height } => 1i64 << [log2_width, log2_height][axis].min(16),
            SurfaceLayout::Linear { .. } => 1 << 12,
        };
        let end = |point: i32, size: u32| i64::from(point) + i64::from(size);
        let first = i64::from(self.out_point[axis]).max(i64::from(self.clip_point[axis])).max(0);
        let last = end(self.out_point[axis], self.out_size[axis]);
        let last = last.min(end(self.clip_point[axis], self.clip_size[axis])).min(limit);
        let narrow = |value: i64| u32::try_from(value).unwrap_or(0);
        DestinationRange { first: narrow(first), count: narrow(last - first) }
    }

    /// The source pixels of destination pixel `destination` (absolute) along an axis.
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

    /// Whether pixels are moved without looking at their channels.
    #[must_use]
    pub fn moves_bits(&self) -> bool {
        !self.is_bilinear && self.source_format == self.destination_format
    }

    /// Says what of this copy is decoded but not executed; `None` when everything is.
    #[must_use]
    pub fn unsupported(&self) -> Option<String> {
        let (source, destination) = (self.source_format, self.destination_format);
        if source != destination && (fields(source).is_none() || fields(destination).is_none()) {
            return Some(format!("a scaled image from {source:?} to {destination:?}"));
        }
        if self.is_bilinear && source == ScaledImageFormat::Y32 {
            return Some("a bilinear scaled image of Y32".to_owned());
        }
        if self.source_size.iter().any(|size| !(1..=1 << 16).contains(size)) {
            return Some(format!("a scaled image of {}×{} pixels", self.source_size[0], self.source_size[1]));
        }
        let [columns, rows] = [0, 1].map(|axis| self.destination_range(axis));
        let bytes = destination.bytes();
        let (right, bottom) = (columns.first + columns.count, rows.first + rows.count);
        let rect = crate::work::Rect { x: 0, y: 0, width: right, height: bottom };
        self.destination_layout.unsupported(self.destination.start, rect, bytes, bytes)
    }
}

/// Shift and width of red, green, blue, alpha; `None` for single-channel formats. A width of 0 reads 1, writes nothing.
pub(crate) const fn fields(format: ScaledImageFormat) -> Option<[(u32, u8); 4]> {
    match format {
        ScaledImageFormat::A1R5G5B5 => Some([(10, 5), (5, 5), (0, 5), (15, 1)]),
        ScaledImageFormat::X1R5G5B5 => Some([(10, 5), (5, 5), (0, 5), (0, 0)]),
        ScaledImageFormat::A8R8G8B8 => Some([(16, 8), (8, 8), (0, 8), (24, 8)]),
        ScaledImageFormat::X8R8G8B8 => Some([(16, 8), (8, 8), (0, 8), (0, 0)]),
        ScaledImageFormat::R5G6B5 => Some([(11, 5), (5, 6), (0, 5), (0, 0)]),
        ScaledImageFormat::Y8 | ScaledImageFormat::Y16 | ScaledImageFormat::Y32 => None,
    }
}

/// Carries out a copy that is not [unsupported](ScaledImage::unsupported).
///
/// All of the source is read before anything is written.
pub fn scale_image(memory: &mut GuestMemory, image: &ScaledImage) {
    let [columns, rows] = [0, 1].map(|axis| image.destination_range(axis));
    let (source_bytes, bytes) = (image.source_format.bytes(), image.destination_format.bytes());
    let source_rows = SurfaceLayout::Linear { pitch_bytes: image.source_pitch };
    let source_span = source_rows.span_bytes(image.source_size[0], image.source_size[1], source_bytes);
    let source = image.source.truncated(u32::try_from(source_span).unwrap_or(u32::MAX));
    let source = memory.slice(source).to_vec();
    let load = |x: u32, y: u32| {
        let offset = linear_offset(x, y, image.source_pitch, source_bytes) as usize;
        let Some(pixel) = source.get(offset..).and_then(|rest| rest.get(..source_bytes as usize)) else { return 0 };
        pixel.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    };
    for y in rows.first..rows.first + rows.count {
        let row = image.source_tap(1, y);
        for x in columns.first..columns.first + columns.count {
            let column = image.source_tap(0, x);
            let value = if image.moves_bits() {
                load(column.first, row.first)
            } else {
                let right = column.first + u32::from(column.weight != 0);
                let below = row.first + u32::from(row.weight != 0);
                let texels = [
                    load(column.first, row.first),
                    load(right, row.first),
                    load(column.first, below),
                    load(right, below),
                ];
                converted(image, texels, column.weight, row.weight)
            };
            let offset = image.destination_layout.pixel_offset(x, y, bytes);
            memory.write(image.destination, offset, &value.to_le_bytes()[..bytes as usize]);
        }
    }
}

/// Interpolates four source pixels and encodes the result.
fn converted(image: &ScaledImage, texels: [u32; 4], column_weight: u32, row_weight: u32) -> u32 {
    let weighted = |[a, b, c, d]: [u32; 4]| {
        let upper = a * (256 - column_weight) + b * column_weight;
        let lower = c * (256 - column_weight) + d * column_weight;
        (upper * (256 - row_weight) + lower * row_weight + 0x8000) >> 16
    };
    let (Some(from), Some(to)) = (fields(image.source_format), fields(image.destination_format)) else {
        return weighted(texels);
    };
    let mut packed = 0;
    for ((source_shift, source_width), (shift, width)) in from.into_iter().zip(to) {
        if width == 0 {
            continue;
        }
        let byte = |word: u32| match source_width {
            0 => 255,
            width => expand_to_16((word >> source_shift) & ((1 << width) - 1), width) >> 8,
        };
        let value = weighted(texels.map(byte));
        packed |= ((value * ((1 << width) - 1) + 127) / 255) << shift;
    }
    packed
}
