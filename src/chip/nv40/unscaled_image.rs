//! Draws images pixel by pixel: from the processor (classes 0x308a and 0x307b), and blits (class 0x009f).

use super::slots::{EVERYTHING, Slot, Slots};
use super::surfaces::{BoundImage, LinearSurfaces};
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{signed_high, signed_low};
use crate::chip::class::{Class, Context};
use crate::command::methods::{blit, image_upload as upload, texture_upload as texture};
use crate::format::ImageFormat;
use crate::memory::MemoryWindow;
use crate::pipeline::{GpuCommand, ImageSource, PixelOperation, ScaledImage, SurfaceLayout};

/// The step of one pixel in 12.20 fixed point.
pub(super) const ONE_PIXEL: i32 = 1 << 20;
/// Words of an image from the processor after which its complete rows are drawn.
const MAX_WORDS: usize = 1 << 16;

/// The pixels of an unscaled image.
#[derive(Debug)]
pub(super) struct PixelSource {
    pub(super) source: ImageSource,
    pub(super) pitch: u32,
    pub(super) format: ImageFormat,
    pub(super) size: [u32; 2],
    /// The step in 12.20 fixed point; zero repeats a single pixel.
    pub(super) step: i32,
}

/// A rectangle of a surface, and the part of it that may be written.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawnRect {
    pub(super) point: [i32; 2],
    pub(super) size: [u32; 2],
    pub(super) clip: ([i32; 2], [u32; 2]),
}

/// Draws pixels one by one.
pub(super) fn draw(
    source: PixelSource,
    surface: Result<BoundImage, Reason>,
    rect: DrawnRect,
    operation: PixelOperation,
    context: &mut Context<'_>,
) -> Result<(), ChipError> {
    let surface = match surface {
        Ok(surface) => surface,
        Err(reason) => return context.anomaly(reason),
    };
    if source.size.iter().chain(&rect.size).chain(&rect.clip.1).any(|size| *size == 0) {
        return Ok(());
    }
    context.execute(&GpuCommand::ScaleImage(ScaledImage {
        source: source.source,
        source_pitch: source.pitch,
        source_format: source.format,
        source_size: source.size,
        origin_is_corner: false,
        is_bilinear: false,
        source_point: [0; 2],
        step: [source.step; 2],
        destination: surface.window,
        destination_layout: surface.layout,
        destination_format: surface.format,
        out_point: rect.point,
        out_size: rect.size,
        clip_point: rect.clip.0,
        clip_size: rect.clip.1,
        operation,
    }))
}

/// State of an image sent in the stream.
#[derive(Debug, Default)]
struct Uploads {
    slots: Slots,
    color_format: u32,
    point: u32,
    size_out: u32,
    size_in: u32,
    /// The texture class's own clip: columns and rows, first | count << 16.
    clip: Option<[u32; 2]>,
    words: Vec<u32>,
    rows_drawn: u32,
}

/// State of the image from the processor, class 0x308a.
#[derive(Debug, Default)]
pub(super) struct ImageUpload(Uploads);

impl Class for ImageUpload {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            upload::NOP | upload::WAIT_FOR_IDLE => {}
            upload::COLOR_KEY => return self.0.slots.bind(Slot::ColorKey, context),
            upload::CLIP => return self.0.slots.bind(Slot::Clip, context),
            upload::PATTERN => return self.0.slots.bind(Slot::Pattern, context),
            upload::ROP => return self.0.slots.bind(Slot::Rop, context),
            upload::BETA => return self.0.slots.bind(Slot::Beta, context),
            upload::BETA4 => return self.0.slots.bind(Slot::Beta4, context),
            upload::SURFACE => return self.0.slots.bind(Slot::LinearSurface, context),
            upload::COLOR_CONVERSION => return self.0.slots.set_conversion(context),
            upload::OPERATION => return self.0.slots.set_operation(context),
            upload::COLOR_FORMAT => return self.0.set_format(context),
            upload::POINT => self.0.restart().point = context.value,
            upload::SIZE_OUT => self.0.restart().size_out = context.value,
            upload::SIZE_IN => self.0.restart().size_in = context.value,
            upload::COLOR.. => return self.0.take(context),
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

/// State of the texture from the processor, class 0x307b.
#[derive(Debug, Default)]
pub(super) struct TextureUpload(Uploads);

impl Class for TextureUpload {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        match context.method {
            texture::NOP | texture::WAIT_FOR_IDLE => {}
            texture::SURFACE => return self.0.slots.bind(Slot::Surface, context),
            texture::COLOR_CONVERSION => return self.0.slots.set_conversion(context),
            texture::COLOR_FORMAT => return self.0.set_format(context),
            texture::POINT => self.0.restart().point = value,
            texture::SIZE => {
                let state = self.0.restart();
                (state.size_in, state.size_out) = (value, value);
            }
            texture::CLIP_HORIZONTAL => self.0.clip.get_or_insert_default()[0] = value,
            texture::CLIP_VERTICAL => self.0.clip.get_or_insert_default()[1] = value,
            texture::COLOR.. => return self.0.take(context),
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

impl Uploads {
    fn set_format(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        if ImageFormat::from_upload_code(context.value).is_none() {
            return context.anomaly(Reason::IllegalValue);
        }
        self.restart().color_format = context.value;
        Ok(())
    }

    /// Drops the words of an image that was never completed.
    fn restart(&mut self) -> &mut Self {
        self.words.clear();
        self.rows_drawn = 0;
        self
    }

    /// Receives a word of pixels; draws once the image is complete, or many rows are.
    fn take(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let Some(format) = ImageFormat::from_upload_code(self.color_format) else {
            return context.anomaly(Reason::DroppedDraw("the image has no format"));
        };
        let [width, height] = [self.size_in & 0xffff, self.size_in >> 16];
        if width == 0 || self.rows_drawn >= height {
            return context.anomaly(Reason::DroppedDraw("more pixels than the image has"));
        }
        // Rows start at whole words.
        let pitch = (width * format.bytes()).next_multiple_of(4);
        self.words.push(context.value);
        let rows = u32::try_from(self.words.len() * 4 / pitch as usize).unwrap_or(u32::MAX);
        let is_complete = self.rows_drawn + rows == height;
        if !is_complete && self.words.len() < MAX_WORDS {
            return Ok(());
        }
        let first = self.rows_drawn;
        self.rows_drawn += rows;
        let mut words = std::mem::take(&mut self.words);
        self.words = words.split_off((rows * pitch / 4) as usize);
        let [out_width, out_height] = [self.size_out & 0xffff, self.size_out >> 16];
        let source =
            PixelSource { source: ImageSource::Words(words), pitch, format, size: [width, rows], step: ONE_PIXEL };
        let rect = DrawnRect {
            point: [signed_low(self.point), signed_high(self.point) + first.cast_signed()],
            size: [width.min(out_width), rows.min(out_height.saturating_sub(first))],
            clip: self.clip_rect(context),
        };
        let surface = self.slots.destination(context);
        draw(source, surface, rect, self.slots.pixel_operation(context), context)
    }

    fn clip_rect(&self, context: &Context<'_>) -> ([i32; 2], [u32; 2]) {
        match self.clip {
            Some(clip) => (clip.map(signed_low), clip.map(|edge| edge >> 16)),
            None => self.slots.clip(context),
        }
    }
}

/// State of the blit class.
#[derive(Debug, Default)]
pub(super) struct Blits {
    slots: Slots,
    point_in: u32,
    point_out: u32,
}

impl Class for Blits {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            blit::NOP | blit::WAIT_FOR_IDLE => {}
            // Only one buffer is shown at a time, and there is no display to wait for.
            blit::FLIP_SET_READ..=blit::FLIP_HEAD_INCR_READ => {}
            blit::COLOR_KEY => return self.slots.bind(Slot::ColorKey, context),
            blit::CLIP => return self.slots.bind(Slot::Clip, context),
            blit::PATTERN => return self.slots.bind(Slot::Pattern, context),
            blit::ROP => return self.slots.bind(Slot::Rop, context),
            blit::BETA => return self.slots.bind(Slot::Beta, context),
            blit::BETA4 => return self.slots.bind(Slot::Beta4, context),
            blit::SURFACE => return self.slots.bind(Slot::LinearSurface, context),
            blit::OPERATION => return self.slots.set_operation(context),
            blit::POINT_IN => self.point_in = context.value,
            blit::POINT_OUT => self.point_out = context.value,
            blit::SIZE => return self.start(context),
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

impl Blits {
    fn start(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let size = [context.value & 0xffff, context.value >> 16];
        let source = context.peer().map_or(Err(Reason::DroppedDraw("no surface is bound")), LinearSurfaces::source);
        let source = match source {
            Ok(source) => source,
            Err(reason) => return context.anomaly(reason),
        };
        let SurfaceLayout::Linear { pitch_bytes } = source.layout else {
            return context.anomaly(Reason::DroppedDraw("the source is swizzled"));
        };
        // Pixels left of and above the source surface do not exist; the destination pixels that would read them
        // are not drawn.
        let start = [signed_low(self.point_in), signed_high(self.point_in)];
        let skipped = start.map(|edge| edge.min(0).unsigned_abs());
        let first = start.map(|edge| edge.max(0).unsigned_abs());
        let point = [signed_low(self.point_out), signed_high(self.point_out)];
        let rect = DrawnRect {
            point: [0, 1].map(|axis| point[axis] + skipped[axis].cast_signed()),
            size: [0, 1].map(|axis| size[axis].saturating_sub(skipped[axis]).min(MAX_COORDINATE)),
            clip: self.slots.clip(context),
        };
        // A source position has twelve integer bits, so the window starts at the first pixel.
        let offset = u64::from(first[1]) * u64::from(pitch_bytes) + u64::from(first[0] * source.format.bytes());
        let window = u32::try_from(offset).map_or(MemoryWindow::EMPTY, |offset| source.window.from_offset(offset));
        let pixel_source = PixelSource {
            source: ImageSource::Memory(window),
            pitch: pitch_bytes,
            format: source.format,
            size: rect.size,
            step: ONE_PIXEL,
        };
        let surface = self.slots.destination(context);
        draw(pixel_source, surface, rect, self.slots.pixel_operation(context), context)
    }
}

/// One more than the largest coordinate of a surface.
const MAX_COORDINATE: u32 = 1 << 15;

const _: () = assert!(EVERYTHING.0[0] <= -(1 << 15));
