//! Derives the encoding and combination of pixels from the formats and the operation of an image copy.

use super::{ColorConversion, ScaledImage};
use crate::format::ImageFormat;

/// Shift and width of a channel, and how it loses bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChannelField {
    pub(crate) shift: u32,
    pub(crate) width: u32,
    pub(crate) conversion: ColorConversion,
}

/// How the pixels of an image are encoded and combined; both engines use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelEncoding {
    /// Red, green, blue, alpha of the written pixel.
    pub(crate) fields: [ChannelField; 4],
    /// Red, green, blue, alpha of a surface pixel as blending reads it.
    pub(crate) read_fields: [(u32, u32); 4],
    /// Red, green, blue, alpha of patterns and color keys.
    pub(crate) pattern_fields: [(u32, u32); 4],
    /// Bits that a bitwise operation writes; the others become zero.
    pub(crate) written_mask: u32,
    /// Bits that a color key compares.
    pub(crate) key_mask: u32,
}

/// The bits that channels occupy.
fn mask_of(fields: &[(u32, u32)]) -> u32 {
    fields.iter().fold(0, |mask, &(shift, width)| mask | ((1u32 << width) - 1) << shift)
}

impl PixelEncoding {
    pub(crate) fn new(image: &ScaledImage) -> Self {
        let destination = image.destination_format;
        let operation = image.operation.operation;
        let pixel_mask = u32::MAX >> (32 - 8 * destination.bytes());
        let source_fields = image.source_format.fields();
        let (fields, pattern_fields, written_mask, key_mask) = if !destination.takes_bits() {
            let fields = destination.fields();
            (fields, fields, mask_of(&fields), mask_of(&fields[..3]))
        } else if operation.is_arithmetic() {
            // A single byte is the blue channel.
            let fields = [(0, 0), (0, 0), (0, 8), (0, 0)];
            (fields, fields, pixel_mask, pixel_mask)
        } else {
            // The low bits of the source pixel in its own format, and of an A8R8G8B8 pattern.
            (source_fields, ImageFormat::A8R8G8B8.fields(), pixel_mask, pixel_mask)
        };
        let field = |index: usize| {
            let ((shift, width), (_, source_width)) = (fields[index], source_fields[index]);
            let loses_bits = image.is_bilinear || operation.is_arithmetic() || source_width > width;
            let is_color = index < 3 && (5..8).contains(&width);
            let conversion =
                if loses_bits && is_color { image.operation.conversion } else { ColorConversion::Truncate };
            ChannelField { shift, width, conversion }
        };
        Self {
            fields: [field(0), field(1), field(2), field(3)],
            read_fields: if destination.takes_bits() { ImageFormat::Y8.fields() } else { destination.fields() },
            pattern_fields,
            written_mask,
            key_mask,
        }
    }
}
