//! Copies an image into a surface, scaling and converting it (class 0x3089).
//!
//! Destination pixel i of a row takes source position `u0 + i·du`; sampling positions that count from pixel corners add
//! half a step, and half a pixel less for bilinear weights. Point sampling takes the floor. Weights have 8 bits.
//! Unverified: all of this rounding; 1:1 copies do not depend on it.

use super::pixel_operation::{PixelEncoding, channels, combine, yuv_channels};
use crate::format::ImageFormat;
use crate::memory::GuestMemory;
use crate::memory::layout::linear_offset;
use crate::pipeline::{ImageSource, ScaledImage, SurfaceLayout};

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

    /// Bytes from the first to behind the last pixel of the source.
    pub(crate) fn source_span(&self) -> u64 {
        let [width, height] = self.source_size;
        let width = if self.source_format.is_yuv() { width.next_multiple_of(2) } else { width };
        let rows = SurfaceLayout::Linear { pitch_bytes: self.source_pitch };
        rows.span_bytes(width, height, self.source_format.bytes())
    }

    /// Says what of this copy is decoded but not executed; `None` when everything is.
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
        let rect = crate::pipeline::Rect { x: 0, y: 0, width: right, height: bottom };
        self.destination_layout.unsupported(self.destination.start, rect, bytes, bytes)
    }
}

/// The pixels of a source image.
struct SourcePixels<'a> {
    bytes: &'a [u8],
    pitch: u32,
    format: ImageFormat,
}

impl SourcePixels<'_> {
    /// The little-endian word of some bytes; zero unless all of them lie in the source.
    fn word(&self, offset: u32, bytes: u32) -> u32 {
        let rest = self.bytes.get(offset as usize..);
        let Some(pixel) = rest.and_then(|rest| rest.get(..bytes as usize)) else { return 0 };
        pixel.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    }

    fn pixel(&self, x: u32, y: u32) -> u32 {
        let bytes = self.format.bytes();
        self.word(linear_offset(x, y, self.pitch, bytes), bytes)
    }

    fn channels(&self, x: u32, y: u32) -> [u32; 4] {
        if self.format.is_yuv() {
            let pair = self.word(linear_offset(x & !1, y, self.pitch, 2), 4);
            return yuv_channels(pair, x & 1 != 0, self.format);
        }
        channels(self.pixel(x, y), &self.format.fields())
    }
}

/// Carries out a copy that is not [unsupported](ScaledImage::unsupported).
///
/// All of the source is read before anything is written.
pub fn scale_image(memory: &mut GuestMemory, image: &ScaledImage) {
    let [columns, rows] = [0, 1].map(|axis| image.destination_range(axis));
    let bytes = image.destination_format.bytes();
    let source = match &image.source {
        ImageSource::Memory(window) => {
            let span = u32::try_from(image.source_span()).unwrap_or(u32::MAX);
            memory.slice(window.truncated(span)).to_vec()
        }
        ImageSource::Words(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
    };
    let source = SourcePixels { bytes: &source, pitch: image.source_pitch, format: image.source_format };
    let encoding = PixelEncoding::new(image);
    for y in rows.first..rows.first + rows.count {
        let row = image.source_tap(1, y);
        for x in columns.first..columns.first + columns.count {
            let column = image.source_tap(0, x);
            let offset = image.destination_layout.pixel_offset(x, y, bytes);
            let value = if image.moves_bits() {
                Some(source.pixel(column.first, row.first))
            } else {
                let mut surface = [0; 4];
                memory.load(image.destination.from_offset(offset), &mut surface[..bytes as usize]);
                let color = filtered(&source, column, row);
                combine(&image.operation, &encoding, color, u32::from_le_bytes(surface), [x, y])
            };
            if let Some(value) = value {
                memory.write(image.destination, offset, &value.to_le_bytes()[..bytes as usize]);
            }
        }
    }
}

/// Red, green, blue, alpha of four source pixels, weighted and rounded once.
fn filtered(source: &SourcePixels<'_>, column: SourceTap, row: SourceTap) -> [u32; 4] {
    let right = column.first + u32::from(column.weight != 0);
    let below = row.first + u32::from(row.weight != 0);
    let a = source.channels(column.first, row.first);
    let b = source.channels(right, row.first);
    let c = source.channels(column.first, below);
    let d = source.channels(right, below);
    [0, 1, 2, 3].map(|channel| {
        let upper = a[channel] * (256 - column.weight) + b[channel] * column.weight;
        let lower = c[channel] * (256 - column.weight) + d[channel] * column.weight;
        (upper * (256 - row.weight) + lower * row.weight + 0x8000) >> 16
    })
}
