//! Combines a source pixel of the 2D classes with the surface: format conversion, dither, bitwise operations, blending.
//!
//! Sources: the register database for names; the envytools project's tests of older chips for the dither thresholds and
//! the bit order of truth table and patterns; its documentation of 2D objects for the meaning of operations.
//! Unverified on this chip: all rounding.

use crate::format::ImageFormat;
use crate::pipeline::pixel_encoding::{ChannelField, PixelEncoding};
use crate::pipeline::{ColorConversion, ImageOperation, PixelOperation};

/// Expands a channel of `width` bits to eight by repeating its high bits below, as the chip does for pattern colors.
fn expand(value: u32, width: u32) -> u32 {
    match width {
        0 => 255,
        1 => value * 255,
        _ => value << (8 - width) | value >> (2 * width - 8),
    }
}

/// Unpacks red, green, blue, alpha of a pixel, eight bits each.
pub(crate) fn channels(pixel: u32, fields: &[(u32, u32); 4]) -> [u32; 4] {
    fields.map(|(shift, width)| expand(pixel >> shift & ((1 << width) - 1), width))
}

/// Unpacks red, green, blue, alpha of one of the two pixels in a word of packed YUV.
///
/// Unverified: the ITU-R 601 conversion with eight fractional bits, and that both pixels use the same chroma.
pub(crate) fn yuv_channels(word: u32, is_right: bool, format: ImageFormat) -> [u32; 4] {
    let [b0, b1, b2, b3] = word.to_le_bytes().map(i32::from);
    let (left, right, u, v) = match format {
        ImageFormat::V8YB8U8YA8 => (b0, b2, b1, b3),
        _ => (b1, b3, b0, b2),
    };
    let luminance = 298 * (if is_right { right } else { left } - 16) + 128;
    let (u, v) = (u - 128, v - 128);
    let channel = |value: i32| ((luminance + value) >> 8).clamp(0, 255).cast_unsigned();
    [channel(409 * v), channel(-100 * u - 208 * v), channel(516 * u), 255]
}

/// Whether the dither adds one at a position, given a remainder in eighths.
///
/// The thresholds are those found for five bits by tests of the first chips of the family.
fn dither(eighths: u32, x: u32, y: u32, is_green: bool) -> bool {
    // Row y, column x of a 4×4 grid of 4×4 pixels.
    const GRID: [u32; 4] = [0b0110, 0b0100, 0b1100, 0b1111];
    let mut flips = (GRID[(y >> 2 & 3) as usize] >> (x >> 2 & 3) & 1 != 0) != is_green;
    if eighths & 1 != 0 {
        flips ^= (x ^ y) >> 1 & 1 != 0;
    }
    let (column, row) = (x & 1 != 0, y & 1 != 0);
    let on_diagonal = column == row;
    match eighths {
        0 => false,
        1 => !column && !row && flips,
        2 => on_diagonal && column != flips,
        3 => on_diagonal && (!column || flips),
        4 => on_diagonal,
        5 => on_diagonal || (column && !row && flips),
        6 => on_diagonal || row != flips,
        _ => column || !row || flips,
    }
}

/// Converts eight bits to the bits of a channel at pixel (x, y).
fn reduce(value: u32, field: ChannelField, position: [u32; 2], is_green: bool) -> u32 {
    let width = field.width;
    if width == 0 {
        return 0;
    }
    match field.conversion {
        ColorConversion::Truncate => value >> (8 - width),
        // Unverified: what is subtracted. Channels that were expanded from `width` bits are restored exactly.
        ColorConversion::SubtractTruncate => (value - (value >> width)) >> (8 - width),
        ColorConversion::Dither => {
            let kept = value >> (8 - width);
            // Unverified for six and seven bits, whose remainder has fewer bits.
            let eighths = (value << (width - 5)) & 7;
            let one_more = u32::from(dither(eighths, position[0], position[1], is_green));
            (kept + one_more).min((1 << width) - 1)
        }
    }
}

/// Encodes red, green, blue, alpha for pixel (x, y) of the surface.
pub(crate) fn encode(color: [u32; 4], fields: &[ChannelField; 4], position: [u32; 2]) -> u32 {
    let mut pixel = 0;
    for (index, (value, field)) in color.into_iter().zip(fields).enumerate() {
        pixel |= reduce(value, *field, position, index == 1) << field.shift;
    }
    pixel
}

/// Encodes an A8R8G8B8 color by dropping low bits.
fn encode_plainly(color: u32, fields: &[(u32, u32); 4]) -> u32 {
    let plain = |&(shift, width): &(u32, u32)| ChannelField { shift, width, conversion: ColorConversion::Truncate };
    encode(channels(color, &ImageFormat::A8R8G8B8.fields()), &[0, 1, 2, 3].map(|index| plain(&fields[index])), [0; 2])
}

/// Applies the bitwise operation of a truth table.
fn bitwise(table: u8, pattern: u32, source: u32, surface: u32) -> u32 {
    let mut result = 0;
    for row in (0..8).filter(|row| table >> row & 1 != 0) {
        let chosen = |value: u32, bit: u32| if row >> bit & 1 != 0 { value } else { !value };
        result |= chosen(pattern, 2) & chosen(source, 1) & chosen(surface, 0);
    }
    result
}

/// Multiplies two fractions of 255 and rounds.
const fn product(a: u32, b: u32) -> u32 {
    (a * b + 127) / 255
}

/// Splits a word into its bytes, lowest first: red, green, blue, alpha.
const fn factors(beta4: u32) -> [u32; 4] {
    [beta4 >> 16 & 255, beta4 >> 8 & 255, beta4 & 255, beta4 >> 24]
}

/// Computes the pixel to write at (x, y) of the surface; `None` if the surface pixel stays unchanged.
pub(crate) fn combine(
    operation: &PixelOperation,
    encoding: &PixelEncoding,
    source: [u32; 4],
    surface: u32,
    position: [u32; 2],
) -> Option<u32> {
    use ImageOperation::{BlendAnd, BlendPremultiplied, RopAnd, SourceCopy, SourceCopyAnd, SourceCopyPremultiplied};
    let kind = operation.operation;
    let needs_alpha = operation.skips_transparent || matches!(kind, SourceCopyAnd | RopAnd | BlendAnd);
    if needs_alpha && source[3] == 0 {
        return None;
    }
    let below = channels(surface, &encoding.read_fields);
    let by_channel = |function: &dyn Fn(usize) -> u32| {
        let color = [0, 1, 2, 3].map(function);
        Some(encode(color, &encoding.fields, position) & encoding.written_mask)
    };
    let factors = factors(operation.beta4);
    match kind {
        BlendAnd => {
            let factor = product(source[3], operation.beta.into());
            by_channel(&|index| (source[index] * factor + below[index] * (255 - factor) + 127) / 255)
        }
        SourceCopyPremultiplied => by_channel(&|index| product(source[index], factors[index])),
        BlendPremultiplied => {
            let rest = 255 - product(source[3], factors[3]);
            by_channel(&|index| (product(source[index], factors[index]) + product(below[index], rest)).min(255))
        }
        SourceCopy | SourceCopyAnd | RopAnd => {
            let mut result = encode(source, &encoding.fields, position);
            if kind == RopAnd {
                let mut pattern_bits = u32::MAX;
                if let Some(pattern) = &operation.pattern {
                    let color = pattern.color(position[0], position[1]);
                    if color >> 24 == 0 {
                        return None;
                    }
                    pattern_bits = encode_plainly(color, &encoding.pattern_fields);
                }
                result = bitwise(operation.rop, pattern_bits, result, surface);
            }
            result &= encoding.written_mask;
            let is_keyed = |key: u32| {
                let key_bits = encode_plainly(key, &encoding.pattern_fields);
                key >> 24 != 0 && (key_bits ^ result) & encoding.key_mask == 0
            };
            if operation.color_key.is_some_and(is_keyed) { None } else { Some(result) }
        }
    }
}
