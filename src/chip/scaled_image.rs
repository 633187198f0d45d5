//! The scaled image from memory, class 0x3089, and the surfaces it writes, classes 0x0062 and 0x309e.

use super::anomalies::Reason;
use super::bits::{field, field8, signed_high, signed_low};
use super::context::Context;
use super::{CLASS_SURFACE, CLASS_SWIZZLED_SURFACE, ChipError};
use crate::command::methods::scaled_image as methods;
use crate::command::methods::surfaces::{linear, swizzled};
use crate::memory::MemoryWindow;
use crate::work::{ScaledImage, ScaledImageFormat, SurfaceLayout, Work};

/// Largest logarithm of a swizzled surface's size.
const MAX_LOG2_SIZE: u8 = 12;

/// Largest width and height of a destination.
const MAX_OUT_SIZE: u32 = 4096;

/// A copy of the source as it is, the only operation that drivers use.
const OPERATION_SOURCE_COPY: u32 = 3;

/// State of both surface classes.
#[derive(Debug)]
pub(super) struct Surfaces {
    linear: Surface,
    swizzled: Surface,
}

#[derive(Debug)]
struct Surface {
    dma: MemoryWindow,
    format: u32,
    pitch: u32,
    offset: u32,
}

impl Default for Surfaces {
    fn default() -> Self {
        let surface = || Surface { dma: MemoryWindow::EMPTY, format: 0, pitch: 0, offset: 0 };
        Self { linear: surface(), swizzled: surface() }
    }
}

impl Surfaces {
    pub(super) fn linear_method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            linear::NOP | linear::NOTIFY | linear::OFFSET_SOURCE => {}
            linear::DMA_NOTIFY | linear::DMA_IMAGE_SOURCE => {
                context.dma()?;
            }
            linear::DMA_IMAGE_DESTIN => self.linear.dma = context.dma()?,
            linear::FORMAT => self.linear.format = context.value,
            linear::PITCH => self.linear.pitch = context.value >> 16,
            linear::OFFSET_DESTIN => self.linear.offset = context.value,
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }

    pub(super) fn swizzled_method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            swizzled::NOP | swizzled::NOTIFY => {}
            swizzled::DMA_NOTIFY => {
                context.dma()?;
            }
            swizzled::DMA_IMAGE => self.swizzled.dma = context.dma()?,
            swizzled::FORMAT => self.swizzled.format = context.value,
            swizzled::OFFSET => self.swizzled.offset = context.value,
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

/// State of the scaled image class.
#[derive(Debug)]
pub(super) struct ScaledImages {
    dma: MemoryWindow,
    surface_class: Option<u32>,
    color_format: u32,
    operation: u32,
    clip_point: u32,
    clip_size: u32,
    out_point: u32,
    out_size: u32,
    step: [i32; 2],
    size: u32,
    format: u32,
    offset: u32,
}

impl Default for ScaledImages {
    fn default() -> Self {
        Self {
            dma: MemoryWindow::EMPTY,
            surface_class: None,
            color_format: 0,
            operation: OPERATION_SOURCE_COPY,
            clip_point: 0,
            clip_size: 0,
            out_point: 0,
            out_size: 0,
            step: [0; 2],
            size: 0,
            format: 0,
            offset: 0,
        }
    }
}

impl ScaledImages {
    pub(super) fn method(&mut self, surfaces: &Surfaces, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        match context.method {
            methods::NOP | methods::NOTIFY | methods::COLOR_CONVERSION => {}
            methods::DMA_NOTIFY => {
                context.dma()?;
            }
            methods::PATTERN | methods::ROP | methods::BETA | methods::BETA4 => {}
            methods::DMA_IMAGE => self.dma = context.dma()?,
            methods::SURFACE => {
                self.surface_class = context.objects.class(value);
                if self.surface_class.is_none() {
                    return context.anomaly(Reason::UnknownHandle);
                }
            }
            methods::COLOR_FORMAT => self.color_format = value,
            methods::OPERATION => self.operation = value,
            methods::CLIP_POINT => self.clip_point = value,
            methods::CLIP_SIZE => self.clip_size = value,
            methods::OUT_POINT => self.out_point = value,
            methods::OUT_SIZE => self.out_size = value,
            methods::DU_DX => self.step[0] = value.cast_signed(),
            methods::DV_DY => self.step[1] = value.cast_signed(),
            methods::SIZE => self.size = value,
            methods::FORMAT => self.format = value,
            methods::OFFSET => self.offset = value,
            methods::POINT => return self.start(surfaces, context),
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }

    fn start(&self, surfaces: &Surfaces, context: &mut Context<'_>) -> Result<(), ChipError> {
        let (surface, layout) = match self.surface_class {
            Some(CLASS_SURFACE) => {
                let surface = &surfaces.linear;
                (surface, SurfaceLayout::Linear { pitch_bytes: surface.pitch })
            }
            Some(CLASS_SWIZZLED_SURFACE) => {
                let surface = &surfaces.swizzled;
                let [log2_width, log2_height] = [field8(surface.format, 23, 16), field8(surface.format, 31, 24)];
                if log2_width > MAX_LOG2_SIZE || log2_height > MAX_LOG2_SIZE {
                    return context.anomaly(Reason::DroppedDraw("the surface is too large"));
                }
                (surface, SurfaceLayout::Swizzled { log2_width, log2_height })
            }
            _ => return context.anomaly(Reason::DroppedDraw("no surface is bound")),
        };
        if self.operation != OPERATION_SOURCE_COPY {
            return context.anomaly(Reason::Unsupported("an image operation other than SRCCOPY"));
        }
        let Some(source_format) = source_format(self.color_format) else {
            return context.anomaly(Reason::Unsupported("the source image format"));
        };
        let Some(destination_format) = destination_format(surface.format & 0xff) else {
            return context.anomaly(Reason::Unsupported("the surface format"));
        };
        let pair = |value: u32| [value & 0xffff, value >> 16];
        let signed_pair = |value: u32| [signed_low(value), signed_high(value)];
        let image = ScaledImage {
            source: self.dma.from_offset(self.offset),
            source_pitch: field(self.format, 15, 0),
            source_format,
            source_size: pair(self.size),
            origin_is_corner: field(self.format, 23, 16) == 2,
            is_bilinear: field(self.format, 31, 24) == 1,
            source_point: pair(context.value),
            step: self.step,
            destination: surface.dma.from_offset(surface.offset),
            destination_layout: layout,
            destination_format,
            out_point: signed_pair(self.out_point),
            out_size: pair(self.out_size),
            clip_point: signed_pair(self.clip_point),
            clip_size: pair(self.clip_size),
        };
        if image.out_size.iter().any(|size| *size > MAX_OUT_SIZE) {
            return context.anomaly(Reason::DroppedDraw("the image is larger than 4096 pixels"));
        }
        let is_empty = [image.source_size, image.out_size, image.clip_size].iter().flatten().any(|size| *size == 0);
        if is_empty {
            return Ok(());
        }
        context.execute(&Work::ScaleImage(image))
    }
}

/// Formats of `COLOR_FORMAT`; the YUV and reversed ones are not implemented.
const fn source_format(code: u32) -> Option<ScaledImageFormat> {
    Some(match code {
        1 => ScaledImageFormat::A1R5G5B5,
        2 => ScaledImageFormat::X1R5G5B5,
        3 => ScaledImageFormat::A8R8G8B8,
        4 => ScaledImageFormat::X8R8G8B8,
        7 => ScaledImageFormat::R5G6B5,
        // Unverified: drivers copy single bytes as AY8, so it is read as one byte.
        8 | 9 => ScaledImageFormat::Y8,
        _ => return None,
    })
}

const fn destination_format(code: u32) -> Option<ScaledImageFormat> {
    Some(match code {
        1 => ScaledImageFormat::Y8,
        2 | 3 => ScaledImageFormat::X1R5G5B5,
        4 => ScaledImageFormat::R5G6B5,
        5 => ScaledImageFormat::Y16,
        6 | 7 => ScaledImageFormat::X8R8G8B8,
        10 => ScaledImageFormat::A8R8G8B8,
        11 => ScaledImageFormat::Y32,
        _ => return None,
    })
}
