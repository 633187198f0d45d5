//! Turns registers of the scaled image from memory, class 0x3089, into [`ScaledImage`].

use super::slots::{Slot, Slots};
use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::{field, signed_high, signed_low};
use crate::chip::class::{Class, Context};
use crate::command::methods::scaled_image as methods;
use crate::format::ImageFormat;
use crate::memory::MemoryWindow;
use crate::pipeline::{GpuCommand, ImageSource, ScaledImage};

/// The greatest width and height of a destination.
const MAX_OUT_SIZE: u32 = 4096;

/// Bits of a width and height that the chip rejects: both have eleven bits, and the width is even.
const ILLEGAL_SIZE_BITS: u32 = 0xf800_f801;

/// State of the scaled image class.
#[derive(Debug, Default)]
pub(super) struct ScaledImages {
    dma: MemoryWindow,
    slots: Slots,
    color_format: u32,
    clip_point: u32,
    clip_size: u32,
    out_point: u32,
    out_size: u32,
    step: [i32; 2],
    size: u32,
    format: u32,
    offset: u32,
}

impl Class for ScaledImages {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let value = context.value;
        let is_legal = match context.method {
            methods::COLOR_FORMAT => (1..=13).contains(&value),
            methods::SIZE => value & ILLEGAL_SIZE_BITS == 0 && value & 0xffff != 0 && value >> 16 != 0,
            methods::FORMAT => (1..=2).contains(&field(value, 23, 16)) && field(value, 31, 24) <= 1,
            _ => true,
        };
        if !is_legal {
            return context.anomaly(Reason::IllegalValue);
        }
        match context.method {
            methods::NOP | methods::WAIT_FOR_IDLE => {}
            methods::DMA_IMAGE => self.dma = context.dma()?,
            methods::PATTERN => return self.slots.bind(Slot::Pattern, context),
            methods::ROP => return self.slots.bind(Slot::Rop, context),
            methods::BETA => return self.slots.bind(Slot::Beta, context),
            methods::BETA4 => return self.slots.bind(Slot::Beta4, context),
            methods::SURFACE => return self.slots.bind(Slot::Surface, context),
            methods::COLOR_CONVERSION => return self.slots.set_conversion(context),
            methods::OPERATION => return self.slots.set_operation(context),
            methods::COLOR_FORMAT => self.color_format = value,
            methods::CLIP_POINT => self.clip_point = value,
            methods::CLIP_SIZE => self.clip_size = value,
            methods::OUT_POINT => self.out_point = value,
            methods::OUT_SIZE => self.out_size = value,
            methods::DU_DX => self.step[0] = value.cast_signed(),
            methods::DV_DY => self.step[1] = value.cast_signed(),
            methods::SIZE => self.size = value,
            methods::FORMAT => self.format = value,
            methods::OFFSET => self.offset = value,
            methods::POINT => return self.start(context),
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

impl ScaledImages {
    fn start(&self, context: &mut Context<'_>) -> Result<(), ChipError> {
        let surface = match self.slots.destination(context) {
            Ok(surface) => surface,
            Err(reason) => return context.anomaly(reason),
        };
        let Some(source_format) = ImageFormat::from_source_code(self.color_format) else {
            // The register database lists formats 0xa and 0xb, but not what they are.
            return context.anomaly(Reason::Unsupported("a source image format without a public name"));
        };
        let pair = |value: u32| [value & 0xffff, value >> 16];
        let signed_pair = |value: u32| [signed_low(value), signed_high(value)];
        let image = ScaledImage {
            source: ImageSource::Memory(self.dma.from_offset(self.offset)),
            source_pitch: field(self.format, 15, 0),
            source_format,
            source_size: pair(self.size),
            origin_is_corner: field(self.format, 23, 16) == 2,
            is_bilinear: field(self.format, 31, 24) == 1,
            source_point: pair(context.value),
            step: self.step,
            destination: surface.window,
            destination_layout: surface.layout,
            destination_format: surface.format,
            out_point: signed_pair(self.out_point),
            out_size: pair(self.out_size),
            clip_point: signed_pair(self.clip_point),
            clip_size: pair(self.clip_size),
            operation: self.slots.pixel_operation(context),
        };
        if image.out_size.iter().any(|size| *size > MAX_OUT_SIZE) {
            return context.anomaly(Reason::DroppedDraw("the image is larger than 4096 pixels"));
        }
        let is_empty = [image.source_size, image.out_size, image.clip_size].iter().flatten().any(|size| *size == 0);
        if is_empty {
            return Ok(());
        }
        context.execute(&GpuCommand::ScaleImage(image))
    }
}
