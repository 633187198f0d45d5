//! Draws solid rectangles and bitmaps of one or two colors, class 0x004a.

use super::pixel_context::little_endian_bits;
use super::slots::{EVERYTHING, Slot, Slots, clip_between};
use super::unscaled_image::{DrawnRect, ONE_PIXEL, PixelSource, draw};
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{signed_high, signed_low};
use crate::chip::class::{Class, Context};
use crate::command::methods::rectangles as methods;
use crate::format::ImageFormat;
use crate::pipeline::ImageSource;

/// The most pixels of a bitmap; further ones are dropped, so that a stream cannot fill memory.
const MAX_BITMAP_PIXELS: u64 = 1 << 22;

/// The bitmaps: one color, or two.
const ONE_COLOR: usize = 0;
const TWO_COLORS: usize = 1;

/// State of the class.
#[derive(Debug, Default)]
pub(super) struct Rectangles {
    slots: Slots,
    color_format: u32,
    bitmap_format: u32,
    colors: [u32; 2],
    point: u32,
    clip: [u32; 2],
    bitmaps: [Bitmap; 2],
}

/// A bitmap sent in the stream.
#[derive(Debug, Default)]
struct Bitmap {
    clip: [u32; 2],
    colors: [u32; 2],
    size_in: u32,
    size_out: u32,
    point: u32,
    words: Vec<u32>,
    is_drawn: bool,
}

fn corner(value: u32) -> [i32; 2] {
    [signed_low(value), signed_high(value)]
}

/// Whether a method is an element of an array of pairs; if so, whether it is the second of its pair.
fn pair_of(method: u16, first: u16, count: u16) -> Option<bool> {
    (first..first + 8 * count).contains(&method).then(|| (method - first) & 4 != 0)
}

impl Class for Rectangles {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let [one, two] = &mut self.bitmaps;
        match context.method {
            methods::NOP => {}
            methods::DMA_FONTS => {
                context.dma()?;
            }
            methods::PATTERN => return self.slots.bind(Slot::Pattern, context),
            methods::ROP => return self.slots.bind(Slot::Rop, context),
            methods::BETA => return self.slots.bind(Slot::Beta, context),
            methods::BETA4 => return self.slots.bind(Slot::Beta4, context),
            methods::SURFACE => return self.slots.bind(Slot::LinearSurface, context),
            methods::OPERATION => return self.slots.set_operation(context),
            methods::COLOR_FORMAT if ImageFormat::from_solid_code(value).is_some() => self.color_format = value,
            methods::MONOCHROME_FORMAT if (1..=2).contains(&value) => self.bitmap_format = value,
            methods::COLOR_FORMAT | methods::MONOCHROME_FORMAT => return context.anomaly(Reason::IllegalValue),
            methods::COLOR1_A => self.colors[0] = value,
            methods::CLIP_B_POINT0 => self.clip[0] = value,
            methods::CLIP_B_POINT1 => self.clip[1] = value,
            methods::COLOR1_B => self.colors[1] = value,
            methods::CLIP_C_POINT0 => one.clip[0] = value,
            methods::CLIP_C_POINT1 => one.clip[1] = value,
            methods::COLOR1_C => one.colors[1] = value,
            methods::SIZE_C => (one.size_in, one.size_out) = (value, value),
            methods::POINT_C => one.restart(value),
            methods::CLIP_E_POINT0 => two.clip[0] = value,
            methods::CLIP_E_POINT1 => two.clip[1] = value,
            methods::COLOR0_E => two.colors[0] = value,
            methods::COLOR1_E => two.colors[1] = value,
            methods::SIZE_IN_E => two.size_in = value,
            methods::SIZE_OUT_E => two.size_out = value,
            methods::POINT_E => two.restart(value),
            method => return self.array_method(method, context),
        }
        Ok(())
    }
}

impl Rectangles {
    fn array_method(&mut self, method: u16, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        if let Some(is_size) = pair_of(method, methods::UNCLIPPED_RECTANGLE_POINT, 32) {
            if !is_size {
                self.point = value;
                return Ok(());
            }
            // These methods have y and height in the low halves.
            let rect = DrawnRect {
                point: [signed_high(self.point), signed_low(self.point)],
                size: [value >> 16, value & 0xffff],
                clip: EVERYTHING,
            };
            return self.fill(self.colors[0], rect, context);
        }
        if let Some(is_end) = pair_of(method, methods::CLIPPED_RECTANGLE_POINT_0, 32) {
            if !is_end {
                self.point = value;
                return Ok(());
            }
            let (point, size) = clip_between(corner(self.point), corner(value));
            let clip = clip_between(corner(self.clip[0]), corner(self.clip[1]));
            return self.fill(self.colors[1], DrawnRect { point, size, clip }, context);
        }
        let bitmap = [(methods::MONOCHROME_COLOR1_C, ONE_COLOR), (methods::MONOCHROME_COLOR01_E, TWO_COLORS)];
        let bitmap = bitmap.into_iter().find(|(first, _)| (*first..first + 4 * 128).contains(&method));
        match bitmap {
            Some((_, index)) => self.take(index, context),
            // The layout of fonts in memory is not public.
            None if (methods::FONT_F..).contains(&method) => {
                context.anomaly(Reason::Unsupported("text of fonts in memory, whose layout is not public,"))
            }
            None => context.anomaly(Reason::UnknownMethod),
        }
    }

    fn format(&self, context: &mut Context<'_>) -> Result<Option<ImageFormat>, ChipError> {
        let format = ImageFormat::from_solid_code(self.color_format);
        if format.is_none() {
            context.anomaly(Reason::DroppedDraw("the color has no format"))?;
        }
        Ok(format)
    }

    fn fill(&self, color: u32, rect: DrawnRect, context: &mut Context<'_>) -> Result<(), ChipError> {
        let Some(format) = self.format(context)? else { return Ok(()) };
        let source = PixelSource {
            source: ImageSource::Words(vec![with_alpha(color, format)]),
            pitch: 4,
            format,
            size: [1; 2],
            step: 0,
        };
        let surface = self.slots.destination(context);
        draw(source, surface, rect, self.slots.pixel_operation(context), context)
    }

    /// Receives a word of a bitmap; draws the bitmap once it is complete.
    fn take(&mut self, index: usize, context: &mut Context<'_>) -> Result<(), ChipError> {
        let Some(format) = self.format(context)? else { return Ok(()) };
        let bitmap = &mut self.bitmaps[index];
        let size = [bitmap.size_in & 0xffff, bitmap.size_in >> 16];
        let count = u64::from(size[0]) * u64::from(size[1]);
        if bitmap.is_drawn || count == 0 || count > MAX_BITMAP_PIXELS {
            return context.anomaly(Reason::DroppedDraw("more pixels than the bitmap has, or too many"));
        }
        bitmap.words.push(little_endian_bits(context.value, self.bitmap_format));
        if (bitmap.words.len() as u64) * 32 < count {
            return Ok(());
        }
        bitmap.is_drawn = true;
        // Rows follow each other without padding; with one color, zero bits leave pixels unchanged.
        let words = std::mem::take(&mut bitmap.words);
        let (format, zero) = match index {
            ONE_COLOR => (opaque(format), 0),
            _ => (opaque(format), with_alpha(bitmap.colors[0], opaque(format))),
        };
        let colors = [zero, with_alpha(bitmap.colors[1], format)];
        let color = |pixel: u64| colors[(words[(pixel / 32) as usize] >> (pixel % 32) & 1) as usize];
        let source = PixelSource {
            source: ImageSource::Words((0..count).map(color).collect()),
            pitch: size[0] * 4,
            format,
            size,
            step: ONE_PIXEL,
        };
        let rect = DrawnRect {
            point: corner(bitmap.point),
            size: [size[0].min(bitmap.size_out & 0xffff), size[1].min(bitmap.size_out >> 16)],
            clip: clip_between(corner(bitmap.clip[0]), corner(bitmap.clip[1])),
        };
        let mut operation = self.slots.pixel_operation(context);
        operation.skips_transparent = index == ONE_COLOR;
        draw(source, self.slots.destination(context), rect, operation, context)
    }
}

impl Bitmap {
    fn restart(&mut self, point: u32) {
        self.point = point;
        self.words.clear();
        self.is_drawn = false;
    }
}

/// The format with the same colors in which pixels can be transparent.
const fn opaque(format: ImageFormat) -> ImageFormat {
    match format {
        ImageFormat::X8R8G8B8 => ImageFormat::A8R8G8B8,
        ImageFormat::X8B8G8R8 => ImageFormat::A8B8G8R8,
        other => other,
    }
}

/// A solid color with alpha one.
fn with_alpha(color: u32, format: ImageFormat) -> u32 {
    match format {
        ImageFormat::X8R8G8B8 | ImageFormat::X8B8G8R8 => color,
        _ => color & 0x00ff_ffff | 0xff00_0000,
    }
}
