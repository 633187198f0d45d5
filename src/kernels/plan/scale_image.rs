//! Turns images of the 2D classes into dispatches over guest memory: the baked state of the kernel, and its parameters.

use bytemuck::{Pod, Zeroable};

use super::surface_layout::LayoutParameters;
use super::transfer::{
    SourceCopy, TransferDispatch, TransferKernel, pixel_span, refuse, shortened, source_module, words_of,
};
use crate::format::ImageFormat;
use crate::kernels::memory_mirror::Locate;
use crate::pipeline::pixel_encoding::PixelEncoding;
use crate::pipeline::{
    ColorConversion, EngineError, ImageOperation, ImageSource, Pattern, PatternShape, PixelOperation, Rect, ScaledImage,
};

const SCALE_IMAGE: &str = include_str!("../../../wgsl/blit/scale_image.wgsl");

/// Parameters of `scale_image`, before the taps and the parameters of the operation.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct ScaleParameters {
    pub zero: u32,
    pub source_start: u32,
    pub source_bytes: u32,
    pub source_pitch: u32,
    pub destination_start: u32,
    pub destination_bytes: u32,
    pub first_word: u32,
    pub word_count: u32,
    pub order: LayoutParameters,
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
    pub source_fields: [u32; 4],
    pub destination_fields: [u32; 4],
}

fn field_words(fields: [(u32, u32); 4]) -> [u32; 4] {
    fields.map(|(shift, width)| shift | width << 8)
}

const fn conversion_word(conversion: ColorConversion) -> u32 {
    match conversion {
        ColorConversion::Dither => 1,
        ColorConversion::Truncate => 0,
        ColorConversion::SubtractTruncate => 2,
    }
}

/// Offsets of the words of an operation, behind the taps.
mod operation_words {
    pub(super) const FACTORS: u32 = 0;
    pub(super) const BETA4: u32 = 1;
    pub(super) const KEY: u32 = 2;
    pub(super) const KEY_MASK: u32 = 3;
    pub(super) const WRITTEN_MASK: u32 = 4;
    pub(super) const READ_FIELDS: u32 = 5;
    pub(super) const PATTERN_FIELDS: u32 = 9;
    pub(super) const BITMAP: u32 = 13;
    pub(super) const BITMAP_COLORS: u32 = 15;
    pub(super) const COLORS: u32 = 17;
}

const fn shape_word(shape: PatternShape) -> u32 {
    match shape {
        PatternShape::Square => 0,
        PatternShape::Row => 1,
        PatternShape::Column => 2,
        PatternShape::Colors => 3,
    }
}

/// The words behind the taps for an operation that is not a copy.
fn operation_parameters(operation: &PixelOperation, encoding: &PixelEncoding) -> Vec<u32> {
    let shape = operation.pattern.as_ref().map_or(4, |pattern| shape_word(pattern.shape));
    // A key with zero alpha keys nothing.
    let key = operation.color_key.filter(|key| key >> 24 != 0);
    let mut words = vec![
        u32::from(operation.rop) | u32::from(operation.beta) << 8 | shape << 16 | u32::from(key.is_some()) << 24,
        operation.beta4,
        key.unwrap_or(0),
        encoding.key_mask,
        encoding.written_mask,
    ];
    words.extend(field_words(encoding.read_fields));
    words.extend(field_words(encoding.pattern_fields));
    if let Some(pattern) = &operation.pattern {
        let Pattern { bitmap, bitmap_colors, colors, .. } = &**pattern;
        words.extend(bitmap.iter().chain(bitmap_colors).chain(colors));
    }
    words
}

/// The dispatch of an image; `None` if there is nothing to write.
///
/// # Errors
/// If the image is not supported.
pub fn scale_image(image: &ScaledImage, locate: Locate<'_>) -> Result<Option<TransferDispatch>, EngineError> {
    refuse(image.unsupported())?;
    let [columns, rows] = [0, 1].map(|axis| image.destination_range(axis));
    if columns.count == 0 || rows.count == 0 {
        return Ok(None);
    }
    let bytes = image.destination_format.bytes();
    let rect = Rect { x: columns.first, y: rows.first, width: columns.count, height: rows.count };
    let (first, end) = pixel_span(image.destination_layout, rect, bytes);
    let destination = shortened(locate(image.destination), end);
    let (first_word, word_count, workgroups) = words_of(destination, first, end);
    let (module, source_start, source_bytes, source_copy) = match &image.source {
        ImageSource::Memory(window) => {
            let source = shortened(locate(*window), image.source_span());
            let (module, start, copy) = source_module(source, destination);
            (module, start, source.bytes, copy)
        }
        ImageSource::Words(words) => {
            let bytes = u32::try_from(words.len() * 4).unwrap_or(u32::MAX);
            // A buffer holds at least one word, and unaligned reads touch the next word.
            let padded: Vec<_> = words.iter().copied().chain([0]).collect();
            ("blit::source_copy", 0, bytes, SourceCopy::Words(padded))
        }
    };
    let bottom = rect.y + rect.height;
    let encoding = PixelEncoding::new(image);
    let parameters = ScaleParameters {
        zero: 0,
        source_start,
        source_bytes,
        source_pitch: image.source_pitch,
        destination_start: destination.start,
        destination_bytes: destination.bytes,
        first_word,
        word_count,
        order: LayoutParameters::of_offsets(image.destination_layout, bottom),
        left: rect.x,
        top: rect.y,
        width: rect.width,
        height: rect.height,
        source_fields: field_words(image.source_format.fields()),
        destination_fields: encoding
            .fields
            .map(|field| field.shift | field.width << 8 | conversion_word(field.conversion) << 16),
    };
    let mut words = Vec::new();
    for (axis, range) in [(0, columns), (1, rows)] {
        for pixel in range.first..range.first + range.count {
            let tap = image.source_tap(axis, pixel);
            words.push(tap.first | tap.weight << 16);
        }
    }
    if !image.operation.is_copy() {
        words.extend(operation_parameters(&image.operation, &encoding));
    }
    let parameters = [bytemuck::bytes_of(&parameters), bytemuck::cast_slice(&words)].concat();
    let kernel = TransferKernel::ScaleImage(source(image, module, &encoding));
    Ok(Some(TransferDispatch { kernel, parameters, workgroups, source_copy }))
}

/// The kernel text for an image that reads its source through `module`.
fn source(image: &ScaledImage, module: &str, encoding: &PixelEncoding) -> String {
    let (source_bytes, bytes) = (image.source_format.bytes(), image.destination_format.bytes());
    let mut imports = format!("import package::{module}::{{load_source_u8, load_source_u32}};\n");
    let mut text = format!("const SOURCE_BYTES: u32 = {source_bytes}u;\nconst PIXEL_BYTES: u32 = {bytes}u;\n");
    if image.moves_bits() {
        text += MOVED_PIXEL;
    } else {
        text += source_color(image.source_format, &mut imports).as_str();
        text += FILTERED_COLOR;
        text += encoded_color(encoding, &mut imports);
        text += finished_pixel(&image.operation, &mut imports).as_str();
    }
    format!("{imports}{text}{SCALE_IMAGE}")
}

const MOVED_PIXEL: &str = "\
fn drawn_pixel(column: u32, row: u32, position: vec2u, address: u32) -> vec2u {
    return vec2u(source_pixel(column & 0xffffu, row & 0xffffu), 1u);
}
";

const FILTERED_COLOR: &str = "\
fn drawn_pixel(column: u32, row: u32, position: vec2u, address: u32) -> vec2u {
    let first = vec2u(column & 0xffffu, row & 0xffffu);
    let weight = vec2u(column >> 16u, row >> 16u);
    let last = first + select(vec2u(0u), vec2u(1u), weight != vec2u(0u));
    let color = image_weighted(source_color(first), source_color(vec2u(last.x, first.y)),
        source_color(vec2u(first.x, last.y)), source_color(last), weight.x, weight.y);
    return finished_pixel(color, position, address);
}
";

fn source_color(format: ImageFormat, imports: &mut String) -> String {
    let body = if format.is_yuv() {
        imports.push_str("import package::blit::yuv::yuv_color;\n");
        let is_u_first = format == ImageFormat::YB8V8YA8U8;
        format!(
            "    let offset = at.y * parameters.source_pitch + (at.x & ~1u) * 2u;
    var word = 0u;
    if offset < parameters.source_bytes && parameters.source_bytes - offset >= 4u {{
        word = load_source_u32(parameters.source_start + offset);
    }}
    return yuv_color(word, (at.x & 1u) != 0u, {is_u_first});\n"
        )
    } else {
        "    return image_channels(source_pixel(at.x, at.y), parameters.source_fields);\n".to_owned()
    };
    format!("fn source_color(at: vec2u) -> vec4u {{\n{body}}}\n")
}

fn encoded_color(encoding: &PixelEncoding, imports: &mut String) -> &'static str {
    if !encoding.fields.iter().any(|field| field.conversion == ColorConversion::Dither) {
        return "\
fn encoded_color(color: vec4u, position: vec2u) -> u32 {
    var pixel = 0u;
    for (var index = 0u; index < 4u; index++) {
        let field = parameters.destination_fields[index];
        pixel |= image_reduced(color[index], (field >> 8u) & 15u, field >> 16u) << (field & 31u);
    }
    return pixel;
}
";
    }
    imports.push_str("import package::blit::dither::image_dithered;\n");
    "\
fn encoded_color(color: vec4u, position: vec2u) -> u32 {
    var pixel = 0u;
    for (var index = 0u; index < 4u; index++) {
        let field = parameters.destination_fields[index];
        let width = (field >> 8u) & 15u;
        if (field >> 16u) == 1u {
            pixel |= image_dithered(color[index], width, position, index == 1u) << (field & 31u);
        } else {
            pixel |= image_reduced(color[index], width, 0u) << (field & 31u);
        }
    }
    return pixel;
}
"
}

/// The function that combines a color with the surface.
fn finished_pixel(operation: &PixelOperation, imports: &mut String) -> String {
    use ImageOperation::{BlendAnd, BlendPremultiplied, RopAnd, SourceCopy, SourceCopyAnd, SourceCopyPremultiplied};
    use operation_words as at;
    let mut body = String::new();
    let kind = operation.operation;
    if operation.is_copy() {
        return "\
fn finished_pixel(color: vec4u, position: vec2u, address: u32) -> vec2u {
    return vec2u(encoded_color(color, position), 1u);
}
"
        .to_owned();
    }
    if operation.skips_transparent || matches!(kind, SourceCopyAnd | RopAnd | BlendAnd) {
        body += "    if color.w == 0u { return vec2u(0u); }\n";
    }
    let words = |first: u32| {
        let word = |index| format!("operation_word({}u)", first + index);
        format!("vec4u({}, {}, {}, {})", word(0), word(1), word(2), word(3))
    };
    let surface_color = format!("image_channels(surface_pixel(address), {})", words(at::READ_FIELDS));
    let factors = format!(
        "    let packed = vec4u(operation_word({}u));
    let factors = (packed >> vec4u(16u, 8u, 0u, 24u)) & vec4u(255u);\n",
        at::BETA4
    );
    let bitwise = matches!(kind, SourceCopy | SourceCopyAnd | RopAnd);
    let import = match kind {
        BlendAnd => {
            body += &format!(
                "    let factor = image_product(color.wwww, vec4u((operation_word({}u) >> 8u) & 255u)).x;
    var pixel = encoded_color(image_blended(color, {surface_color}, factor), position);\n",
                at::FACTORS
            );
            "image_blended, image_product"
        }
        SourceCopyPremultiplied => {
            body += &factors;
            body += "    var pixel = encoded_color(image_product(color, factors), position);\n";
            "image_product"
        }
        BlendPremultiplied => {
            body += &factors;
            body += &format!(
                "    let below = vec4u(255u - image_product(color, factors).w);
    let sum = image_product(color, factors) + image_product({surface_color}, below);
    var pixel = encoded_color(min(sum, vec4u(255u)), position);\n"
            );
            "image_product"
        }
        RopAnd => {
            body += "    var pixel = encoded_color(color, position);\n";
            body += &pattern_bits(operation.pattern.as_deref(), &words(at::PATTERN_FIELDS));
            body += &format!(
                "    pixel = image_bitwise(operation_word({}u) & 255u, pattern, pixel, surface_pixel(address));\n",
                at::FACTORS
            );
            if operation.pattern.is_some() { "image_bitwise, image_pattern_index" } else { "image_bitwise" }
        }
        SourceCopy | SourceCopyAnd => {
            body += "    var pixel = encoded_color(color, position);\n";
            ""
        }
    };
    if !import.is_empty() {
        *imports += &format!("import package::blit::pixel_operation::{{{import}}};\n");
    }
    body += &format!("    pixel &= operation_word({}u);\n", at::WRITTEN_MASK);
    if bitwise && operation.color_key.is_some() {
        body += &format!(
            "    let key = plain_pixel(operation_word({}u), {});
    if (operation_word({}u) >> 24u) != 0u && ((key ^ pixel) & operation_word({}u)) == 0u {{ return vec2u(0u); }}\n",
            at::KEY,
            words(at::PATTERN_FIELDS),
            at::FACTORS,
            at::KEY_MASK
        );
    }
    format!(
        "{PLAIN_PIXEL}fn finished_pixel(color: vec4u, position: vec2u, address: u32) -> vec2u {{\n{body}    return vec2u(pixel, 1u);\n}}\n"
    )
}

const PLAIN_PIXEL: &str = "\
fn plain_pixel(color: u32, fields: vec4u) -> u32 {
    let channels = (vec4u(color) >> vec4u(16u, 8u, 0u, 24u)) & vec4u(255u);
    var pixel = 0u;
    for (var index = 0u; index < 4u; index++) {
        pixel |= image_reduced(channels[index], (fields[index] >> 8u) & 15u, 0u) << (fields[index] & 31u);
    }
    return pixel;
}
";

/// Declares `pattern`, the bits of the pattern in the surface's format; pixels outside the pattern are skipped.
fn pattern_bits(pattern: Option<&Pattern>, fields: &str) -> String {
    use operation_words as at;
    let Some(pattern) = pattern else { return "    let pattern = 0xffffffffu;\n".to_owned() };
    let index = format!("image_pattern_index({}u, position)", shape_word(pattern.shape));
    let color = if pattern.shape == PatternShape::Colors {
        format!("operation_word({}u + {index})", at::COLORS)
    } else {
        format!(
            "operation_word({}u + ((operation_word({}u + ({index} >> 5u)) >> ({index} & 31u)) & 1u))",
            at::BITMAP_COLORS,
            at::BITMAP
        )
    };
    format!(
        "    let pattern_color = {color};
    if (pattern_color >> 24u) == 0u {{ return vec2u(0u); }}
    let pattern = plain_pixel(pattern_color, {fields});\n"
    )
}
