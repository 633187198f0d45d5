//! Resolves and copies of surfaces through the 2D classes.

use super::subchannels::{COPY, IMAGE, SURFACE};
use crate::command::builder::handles;
use crate::command::methods::memory_copy;
use crate::command::methods::scaled_image as image;
use crate::command::methods::surfaces::linear;
use crate::command::writer::StreamWriter;
use crate::format::ColorFormat;
use crate::pipeline::LayoutKind;
use crate::scene::schema::Surface;
use crate::scene::target::PlacedTarget;
use crate::scene::text::ImageFilter;

/// The most lines of one memory copy.
const MAX_LINES: u32 = 2047;

/// Binds the objects.
pub(super) fn first_state(writer: &mut StreamWriter) {
    writer.bind(COPY, 0x0039, handles::object(0x0039));
    writer.set(COPY, memory_copy::DMA_NOTIFY::object(handles::NOTIFIER));
    writer.set(COPY, memory_copy::DMA_BUFFER_IN::object(handles::VRAM));
    writer.set(COPY, memory_copy::DMA_BUFFER_OUT::object(handles::VRAM));
    writer.bind(SURFACE, 0x0062, handles::object(0x0062));
    writer.set(SURFACE, linear::DMA_IMAGE_SOURCE::object(handles::VRAM));
    writer.set(SURFACE, linear::DMA_IMAGE_DESTIN::object(handles::VRAM));
    writer.bind(IMAGE, 0x3089, handles::object(0x3089));
    writer.set(IMAGE, image::DMA_IMAGE::object(handles::VRAM));
    writer.set(IMAGE, image::SURFACE::object(handles::object(0x0062)));
    writer.set(IMAGE, image::OPERATION::operation(3u32));
}

/// Copies the first color surface of a target into that of another, scaled to its size.
pub(super) fn resolve(
    writer: &mut StreamWriter,
    [from, to]: [&PlacedTarget; 2],
    filter: ImageFilter,
) -> Result<(), String> {
    let (Some(from_format), Some(to_format)) = (from.color_format, to.color_format) else {
        return Err("both targets need a color".to_owned());
    };
    if [from, to].iter().any(|target| target.layout != LayoutKind::Linear) {
        return Err("both targets are to be LINEAR".to_owned());
    }
    let source_code =
        image_format(from_format).ok_or_else(|| format!("an image of {} cannot be scaled", from_format.name()))?;
    let surface_code =
        surface_format(to_format).ok_or_else(|| format!("an image cannot be scaled into {}", to_format.name()))?;
    let ((width, height), (out_width, out_height)) = (from.texels(), to.texels());
    if width > 2047 || height > 2047 {
        return Err(format!("an image of {width}×{height} texels; 2047×2047 are possible"));
    }
    writer.set(SURFACE, linear::FORMAT::format(surface_code));
    let pitch = to.pitch(to_format.bytes());
    writer.set(SURFACE, linear::PITCH::source(pitch) | linear::PITCH::destination(pitch));
    writer.set(SURFACE, linear::OFFSET_SOURCE::offset(to.colors[0]));
    writer.set(SURFACE, linear::OFFSET_DESTIN::offset(to.colors[0]));
    writer.set(IMAGE, image::COLOR_FORMAT::format(source_code));
    writer.set(IMAGE, image::CLIP_POINT::x(0i32));
    writer.set(IMAGE, image::CLIP_SIZE::width(out_width) | image::CLIP_SIZE::height(out_height));
    writer.set(IMAGE, image::OUT_POINT::x(0i32));
    writer.set(IMAGE, image::OUT_SIZE::width(out_width) | image::OUT_SIZE::height(out_height));
    let step = |texels: u32, pixels: u32| (u64::from(texels) << 20).div_euclid(u64::from(pixels.max(1)));
    let step = |texels: u32, pixels: u32| i32::try_from(step(texels, pixels)).unwrap_or(i32::MAX);
    writer.set(IMAGE, image::DU_DX::step_12_20(step(width, out_width)));
    writer.set(IMAGE, image::DV_DY::step_12_20(step(height, out_height)));
    let even = |texels: u32| texels.next_multiple_of(2);
    writer.set(IMAGE, image::SIZE::width(even(width)) | image::SIZE::height(even(height)));
    let format = image::FORMAT::pitch(from.pitch(from_format.bytes()))
        | image::FORMAT::origin(2u32)
        | image::FORMAT::filter(filter);
    writer.set(IMAGE, format);
    writer.set(IMAGE, image::OFFSET::offset(from.colors[0]));
    writer.act(IMAGE, image::POINT::u_12_4(0u32) | image::POINT::v_12_4(0u32));
    Ok(())
}

/// Copies the bytes of a surface into one of the same size.
pub(super) fn copy(writer: &mut StreamWriter, [from, to]: [(&PlacedTarget, Surface); 2]) -> Result<(), String> {
    let (Some((source, source_bytes)), Some((destination, bytes))) = (from.0.surface(from.1), to.0.surface(to.1))
    else {
        return Err("a target has no such surface".to_owned());
    };
    if source_bytes != bytes || from.0.texels() != to.0.texels() || from.0.layout != to.0.layout {
        return Err("both surfaces need the same size, layout and bytes per pixel".to_owned());
    }
    let pitch = to.0.pitch(bytes);
    let (width, height) = to.0.texels();
    for first in (0..height).step_by(MAX_LINES as usize) {
        let lines = (height - first).min(MAX_LINES);
        writer.set(COPY, memory_copy::OFFSET_IN::offset(source + first * pitch));
        writer.set(COPY, memory_copy::OFFSET_OUT::offset(destination + first * pitch));
        writer.set(COPY, memory_copy::PITCH_IN::pitch(i32::try_from(pitch).unwrap_or(0)));
        writer.set(COPY, memory_copy::PITCH_OUT::pitch(i32::try_from(pitch).unwrap_or(0)));
        writer.set(COPY, memory_copy::LINE_LENGTH_IN::elements(width * bytes));
        writer.set(COPY, memory_copy::LINE_COUNT::lines(lines));
        writer.set(COPY, memory_copy::FORMAT::input_increment(1u32) | memory_copy::FORMAT::output_increment(1u32));
        writer.act(COPY, memory_copy::BUF_NOTIFY::style(0u32));
    }
    Ok(())
}

/// The format of a source image.
const fn image_format(format: ColorFormat) -> Option<u32> {
    match format {
        ColorFormat::X1R5G5B5Zero | ColorFormat::X1R5G5B5One => Some(2),
        ColorFormat::A8R8G8B8 => Some(3),
        ColorFormat::X8R8G8B8Zero | ColorFormat::X8R8G8B8One => Some(4),
        ColorFormat::R5G6B5 => Some(7),
        _ => None,
    }
}

/// The format of a destination surface.
const fn surface_format(format: ColorFormat) -> Option<u32> {
    match format {
        ColorFormat::X1R5G5B5Zero => Some(2),
        ColorFormat::X1R5G5B5One => Some(3),
        ColorFormat::R5G6B5 => Some(4),
        ColorFormat::X8R8G8B8Zero => Some(6),
        ColorFormat::X8R8G8B8One => Some(7),
        ColorFormat::A8R8G8B8 => Some(10),
        _ => None,
    }
}
