//! Copies an image into a surface, scaling and converting it (class 0x3089).
//!
//! Destination pixel i of a row samples source position `u0 + i·du`. Sampling positions relative to pixel corners add
//! half a step, and subtract half a pixel for bilinear weights. Point sampling takes the floor. Weights have 8 bits.
//! Unverified: all of this rounding. It does not affect 1:1 copies.

use std::ops::Range;

use super::pixel_operation::{channels, combine, yuv_channels};
use crate::format::ImageFormat;
use crate::memory::GuestMemory;
use crate::memory::layout::{OUTSIDE, linear_offset};
use crate::pipeline::pixel_encoding::PixelEncoding;
use crate::pipeline::{ImageSource, ScaledImage, SourceTap};

/// The pixels of a source image.
struct SourcePixels<'a> {
    bytes: &'a [u8],
    pitch: u32,
    format: ImageFormat,
}

impl SourcePixels<'_> {
    /// Reads the little-endian word of some bytes; zero unless all of them lie in the source.
    fn word(&self, offset: u32, bytes: u32) -> u32 {
        let rest = self.bytes.get(offset as usize..);
        let Some(pixel) = rest.and_then(|rest| rest.get(..bytes as usize)) else { return 0 };
        pixel.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    }

    fn pixel(&self, x: u32, y: u32) -> u32 {
        let bytes = self.format.bytes();
        self.word(linear_offset(x, y, self.pitch, bytes), bytes)
    }

    /// The low `N` bytes of a pixel.
    fn low_bytes<const N: usize>(&self, x: u32, y: u32) -> [u8; N] {
        if self.format.bytes() as usize == N {
            let rest = self.bytes.get(linear_offset(x, y, self.pitch, self.format.bytes()) as usize..);
            return rest.and_then(<[u8]>::first_chunk).copied().unwrap_or([0; N]);
        }
        let word = self.pixel(x, y).to_le_bytes();
        std::array::from_fn(|byte| word[byte])
    }

    fn channels(&self, x: u32, y: u32) -> [u32; 4] {
        if self.format.is_yuv() {
            let pair = self.word(linear_offset(x & !1, y, self.pitch, 2), 4);
            return yuv_channels(pair, x & 1 != 0, self.format);
        }
        channels(self.pixel(x, y), &self.format.fields())
    }
}

/// Executes a copy that is not [unsupported](ScaledImage::unsupported).
///
/// The whole source is read before anything is written.
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
    let columns: Vec<_> = (columns.first..columns.first + columns.count).map(|x| (x, image.source_tap(0, x))).collect();
    let rows = rows.first..rows.first + rows.count;
    if image.moves_bits() {
        return match bytes {
            1 => move_pixels::<1>(memory, image, &source, &columns, rows),
            2 => move_pixels::<2>(memory, image, &source, &columns, rows),
            _ => move_pixels::<4>(memory, image, &source, &columns, rows),
        };
    }
    let encoding = PixelEncoding::new(image);
    for y in rows {
        let row = image.source_tap(1, y);
        for &(x, column) in &columns {
            let offset = image.destination_layout.pixel_offset(x, y, bytes);
            let mut surface = [0; 4];
            memory.load(image.destination.from_offset(offset), &mut surface[..bytes as usize]);
            let color = filtered(&source, column, row);
            let value = combine(&image.operation, &encoding, color, u32::from_le_bytes(surface), [x, y]);
            if let Some(value) = value {
                memory.write(image.destination, offset, &value.to_le_bytes()[..bytes as usize]);
            }
        }
    }
}

/// Copies pixels of `N` bytes as they are.
fn move_pixels<const N: usize>(
    memory: &mut GuestMemory,
    image: &ScaledImage,
    source: &SourcePixels<'_>,
    columns: &[(u32, SourceTap)],
    rows: Range<u32>,
) {
    let bytes = image.destination_format.bytes();
    let layout = image.destination_layout;
    // In both layouts, the offset of a pixel is the sum of those of its column and its row.
    let columns: Vec<_> = columns
        .iter()
        .map(|&(x, column)| (layout.pixel_offset(x, 0, bytes), column.first))
        .filter(|(offset, _)| *offset != OUTSIDE)
        .collect();
    let surface = memory.slice_mut(image.destination);
    for y in rows {
        let start = layout.pixel_offset(0, y, bytes);
        if start == OUTSIDE {
            continue;
        }
        let row = image.source_tap(1, y).first;
        for &(offset, column) in &columns {
            let target = surface.get_mut(start.wrapping_add(offset) as usize..);
            if let Some(target) = target.and_then(<[u8]>::first_chunk_mut) {
                *target = source.low_bytes::<N>(column, row);
            }
        }
    }
}

/// Blends red, green, blue, alpha of four source pixels by weight and rounds once.
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
