//! The surfaces that 2D objects read and write: linear (class 0x0062) and swizzled (class 0x309e).

use crate::chip::anomalies::Reason;
use crate::chip::bits::field8;
use crate::chip::context::Context;
use crate::chip::{CLASS_SURFACE, CLASS_SWIZZLED_SURFACE, ChipError};
use crate::command::methods::surfaces::{linear, swizzled};
use crate::format::ImageFormat;
use crate::memory::MemoryWindow;
use crate::pipeline::SurfaceLayout;

/// Largest logarithm of a swizzled surface's size.
const MAX_LOG2_SIZE: u8 = 12;

/// State of both surface classes.
#[derive(Debug)]
pub(crate) struct Surfaces {
    linear: Linear,
    swizzled: Swizzled,
}

#[derive(Debug)]
struct Linear {
    /// Source and destination.
    dma: [MemoryWindow; 2],
    offsets: [u32; 2],
    format: u32,
    pitch: u32,
}

#[derive(Debug)]
struct Swizzled {
    dma: MemoryWindow,
    format: u32,
    offset: u32,
}

/// A surface as an object sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoundImage {
    pub(crate) window: MemoryWindow,
    pub(crate) layout: SurfaceLayout,
    pub(crate) format: ImageFormat,
}

impl Default for Surfaces {
    fn default() -> Self {
        Self {
            linear: Linear { dma: [MemoryWindow::EMPTY; 2], offsets: [0; 2], format: 0, pitch: 0 },
            swizzled: Swizzled { dma: MemoryWindow::EMPTY, format: 0, offset: 0 },
        }
    }
}

impl Surfaces {
    pub(crate) fn linear_method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            linear::NOP => {}
            linear::DMA_IMAGE_SOURCE => self.linear.dma[0] = context.dma()?,
            linear::DMA_IMAGE_DESTIN => self.linear.dma[1] = context.dma()?,
            linear::FORMAT => self.linear.format = context.value,
            linear::PITCH => self.linear.pitch = context.value,
            linear::OFFSET_SOURCE => self.linear.offsets[0] = context.value,
            linear::OFFSET_DESTIN => self.linear.offsets[1] = context.value,
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }

    pub(crate) fn swizzled_method(&mut self, context: &mut Context<'_>) -> Result<(), ChipError> {
        match context.method {
            swizzled::NOP => {}
            swizzled::DMA_IMAGE => self.swizzled.dma = context.dma()?,
            swizzled::FORMAT => self.swizzled.format = context.value,
            swizzled::OFFSET => self.swizzled.offset = context.value,
            _ => return context.anomaly(Reason::UnknownMethod),
        }
        Ok(())
    }

    /// The surface that an object of class `class` stands for as a destination.
    pub(crate) fn destination(&self, class: Option<u32>) -> Result<BoundImage, Reason> {
        match class {
            Some(CLASS_SURFACE) => self.linear_image(1),
            Some(CLASS_SWIZZLED_SURFACE) => {
                let Swizzled { dma, format, offset } = &self.swizzled;
                let [log2_width, log2_height] = [field8(*format, 23, 16), field8(*format, 31, 24)];
                if log2_width > MAX_LOG2_SIZE || log2_height > MAX_LOG2_SIZE {
                    return Err(Reason::DroppedDraw("the surface is too large"));
                }
                let layout = SurfaceLayout::Swizzled { log2_width, log2_height };
                Ok(BoundImage { window: dma.from_offset(*offset), layout, format: image_format(format & 0xff)? })
            }
            _ => Err(Reason::DroppedDraw("no surface is bound")),
        }
    }

    /// The linear surface as the source of a blit.
    pub(crate) fn source(&self) -> Result<BoundImage, Reason> {
        self.linear_image(0)
    }

    fn linear_image(&self, side: usize) -> Result<BoundImage, Reason> {
        let Linear { dma, offsets, format, pitch } = &self.linear;
        let pitch_bytes = if side == 0 { pitch & 0xffff } else { pitch >> 16 };
        Ok(BoundImage {
            window: dma[side].from_offset(offsets[side]),
            layout: SurfaceLayout::Linear { pitch_bytes },
            format: image_format(*format)?,
        })
    }
}

fn image_format(code: u32) -> Result<ImageFormat, Reason> {
    ImageFormat::from_surface_code(code).ok_or(Reason::DroppedDraw("the surface has no legal format"))
}
