//! Turns registers of render targets into [`Targets`].

use super::raster::rect;
use super::{ThreeD, enums};
use crate::chip::BoundSurface;
use crate::chip::bits::{bit, field, field8};
use crate::command::methods::three_d::{sync, targets as methods};
use crate::format::{ColorFormat, SurfaceFormat, ZetaFormat};
use crate::pipeline::{ColorTarget, SampleMode, SurfaceLayout, Targets, ZetaTarget};

/// The greatest width and height of a target.
const MAX_SIZE: u32 = 4096;

/// The alignment to which target addresses are rounded down.
const OFFSET_ALIGNMENT: u32 = 64;

/// DMA slot, offset and pitch registers of the color targets.
const COLOR_REGISTERS: [[u16; 3]; 4] = [
    [sync::DMA_COLOR0, methods::COLOR0_OFFSET, methods::COLOR0_PITCH],
    [sync::DMA_COLOR1, methods::COLOR1_OFFSET, methods::COLOR1_PITCH],
    [sync::DMA_COLOR2, methods::COLOR2_OFFSET, methods::COLOR2_PITCH],
    [sync::DMA_COLOR3, methods::COLOR3_OFFSET, methods::COLOR3_PITCH],
];

impl ThreeD {
    /// The surfaces, or why nothing can be drawn to them.
    pub(super) fn targets(&self) -> Result<Targets, &'static str> {
        let registers = &self.registers;
        let format = registers.get(methods::RT_FORMAT);
        let rect = rect(registers.get(methods::RT_HORIZ), registers.get(methods::RT_VERT));
        if rect.is_empty() {
            return Err("the render target has no pixels");
        }
        if rect.x + rect.width > MAX_SIZE || rect.y + rect.height > MAX_SIZE {
            return Err("the render target is larger than 4096 pixels");
        }
        let color_format = self.color_format()?;
        let zeta_format = ZetaFormat::from_code(field(format, 7, 5)).ok_or("the depth format is unknown")?;
        let layout = |pitch| {
            if field(format, 11, 8) == 2 {
                SurfaceLayout::swizzled(field8(format, 23, 16), field8(format, 31, 24))
            } else {
                SurfaceLayout::Linear { pitch_bytes: registers.get(pitch) }
            }
        };
        let window = |slot, offset| self.window(slot, registers.get(offset) & !(OFFSET_ALIGNMENT - 1));
        let enabled = registers.get(methods::RT_ENABLE);
        let color = std::array::from_fn(|target| {
            let [slot, offset, pitch] = *COLOR_REGISTERS.get(target)?;
            let window = window(slot, offset);
            let is_bound = enabled >> target & 1 != 0 && window.bytes > 0;
            is_bound.then(|| ColorTarget { window, layout: layout(pitch), format: color_format })
        });
        let zeta_window = window(sync::DMA_ZETA, methods::ZETA_OFFSET);
        let zeta = (zeta_window.bytes > 0).then(|| ZetaTarget {
            window: zeta_window,
            layout: layout(methods::ZETA_PITCH),
            format: zeta_format,
            is_float: bit(registers.get(methods::CONTROL0), 12),
        });
        Ok(Targets { color, zeta, samples: self.sample_mode(), rect })
    }

    /// The format of all color targets, or that it is unknown.
    pub(super) fn color_format(&self) -> Result<ColorFormat, &'static str> {
        let code = field(self.registers.get(methods::RT_FORMAT), 4, 0);
        ColorFormat::from_code(code).ok_or("the color format is unknown")
    }

    /// The sample mode of the targets. A swizzled surface has one sample (others are illegal).
    pub(super) fn sample_mode(&self) -> SampleMode {
        enums::sample_mode(field8(self.registers.get(methods::RT_FORMAT), 15, 12)).unwrap_or_default()
    }

    /// The enabled color targets, then the depth surface: the bound one if a draw or clear used it, else the one used last.
    pub(super) fn target_surfaces(&self) -> Vec<BoundSurface> {
        let Ok(targets) = self.targets() else { return Vec::new() };
        let (samples, rect) = (targets.samples, targets.texels());
        let names = ["color0", "color1", "color2", "color3"];
        let colors = names.into_iter().zip(targets.color).filter_map(|(name, target)| {
            let ColorTarget { window, layout, format } = target?;
            let format = SurfaceFormat::Color(format);
            let (width, height) = (rect.x + rect.width, rect.y + rect.height);
            Some(BoundSurface { name, width, height, samples, format, window, layout })
        });
        colors.chain(self.used_zetas.current(BoundSurface::zeta(&targets))).collect()
    }
}
