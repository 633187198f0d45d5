//! The surfaces that 2D objects read and write: linear (class 0x0062) and swizzled (class 0x309e).

use crate::chip::ChipError;
use crate::chip::anomalies::Reason;
use crate::chip::bits::field8;
use crate::chip::class::{Class, Context};
use crate::command::methods::surfaces::{linear, swizzled};
use crate::format::ImageFormat;
use crate::memory::MemoryWindow;
use crate::pipeline::SurfaceLayout;

/// The greatest base-2 logarithm of a swizzled surface's width and height.
const MAX_LOG2_SIZE: u8 = 12;

/// State of the linear class: a surface to read and one to write.
#[derive(Debug, Default)]
pub(super) struct LinearSurfaces {
    /// Source and destination.
    dma: [MemoryWindow; 2],
    offsets: [u32; 2],
    format: u32,
    pitch: u32,
}

/// State of the swizzled class.
#[derive(Debug, Default)]
pub(super) struct SwizzledSurface {
    dma: MemoryWindow,
    format: u32,
    offset: u32,
}

/// A surface in the form that objects use.
#[derive(Debug, Clone, Copy)]
pub(super) struct BoundImage {
    pub(super) window: MemoryWindow,
    pub(super) layout: SurfaceLayout,
    pub(super) format: ImageFormat,
}

impl Class for LinearSurfaces {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            linear::NOP => {}
            linear::DMA_IMAGE_SOURCE => self.dma[0] = context.dma()?,
            linear::DMA_IMAGE_DESTIN => self.dma[1] = context.dma()?,
            linear::FORMAT => self.format = context.value,
            linear::PITCH => self.pitch = context.value,
            linear::OFFSET_SOURCE => self.offsets[0] = context.value,
            linear::OFFSET_DESTIN => self.offsets[1] = context.value,
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

impl LinearSurfaces {
    /// The surface that a blit reads.
    pub(super) fn source(&self) -> Result<BoundImage, Reason> {
        self.image(0, self.pitch & 0xffff)
    }

    /// The surface that an object writes.
    pub(super) fn destination(&self) -> Result<BoundImage, Reason> {
        self.image(1, self.pitch >> 16)
    }

    fn image(&self, side: usize, pitch_bytes: u32) -> Result<BoundImage, Reason> {
        Ok(BoundImage {
            window: self.dma[side].from_offset(self.offsets[side]),
            layout: SurfaceLayout::Linear { pitch_bytes },
            format: image_format(self.format)?,
        })
    }
}

impl Class for SwizzledSurface {
    fn method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            swizzled::NOP => {}
            swizzled::DMA_IMAGE => self.dma = context.dma()?,
            swizzled::FORMAT => self.format = context.value,
            swizzled::OFFSET => self.offset = context.value,
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }
}

impl SwizzledSurface {
    /// The surface that an object writes.
    pub(super) fn destination(&self) -> Result<BoundImage, Reason> {
        let [log2_width, log2_height] = [field8(self.format, 23, 16), field8(self.format, 31, 24)];
        if log2_width > MAX_LOG2_SIZE || log2_height > MAX_LOG2_SIZE {
            return Err(Reason::DroppedDraw("the surface is too large"));
        }
        Ok(BoundImage {
            window: self.dma.from_offset(self.offset),
            layout: SurfaceLayout::swizzled(log2_width, log2_height),
            format: image_format(self.format & 0xff)?,
        })
    }
}

fn image_format(code: u32) -> Result<ImageFormat, Reason> {
    ImageFormat::from_surface_code(code).ok_or(Reason::DroppedDraw("the surface has no legal format"))
}
