//! Turns registers of render targets into [`Targets`].

use super::Processor;
use crate::chip::BoundSurface;
use crate::chip::bits::{bit, field, field8};
use crate::chip::objects::Objects;
use crate::chip::tesla::address::Address;
use crate::command::methods::tesla::three_d::{below_1400 as methods, from_1400 as late};
use crate::format::{ColorFormat, SurfaceFormat, ZetaFormat};
use crate::memory::MemoryWindow;
use crate::memory::block_linear::BlockLinear;
use crate::pipeline::{
    ColorTarget, LayerStep, MAX_COLOR_TARGETS, Rect, SampleMode, SurfaceLayout, Targets, ZetaTarget,
};

/// The greatest width and height of a target.
const MAX_SIZE: u32 = 8192;

/// The names of bound color targets.
const NAMES: [&str; 8] = ["color0", "color1", "color2", "color3", "color4", "color5", "color6", "color7"];

/// Where and how large a surface is, in texels, before its format is known.
pub(super) struct Surface {
    address: Address,
    /// Width and height; of rows with a pitch the width is that in bytes.
    size: [u32; 2],
    has_rows: bool,
    block: u32,
    layer_stride: u32,
    /// The layers, or the slices of a volume.
    layers: u32,
    is_volume: bool,
}

impl Surface {
    /// The way from a layer to the next one.
    pub(super) const fn step(&self) -> LayerStep {
        if self.is_volume { LayerStep::Slice } else { LayerStep::Bytes(self.layer_stride) }
    }

    /// The memory and the layout of a layer, with the columns and rows, for texels of this size.
    fn layer(
        &self,
        layer: u32,
        texel_bytes: u32,
        objects: &Objects,
    ) -> Result<(MemoryWindow, SurfaceLayout, [u32; 2]), &'static str> {
        let [width, height] = self.size;
        let window = objects.virtual_window(self.address.value());
        if window.bytes == 0 {
            return Err("a render target is in no buffer");
        }
        if self.has_rows {
            let offset = layer.saturating_mul(self.layer_stride);
            let layout = SurfaceLayout::Linear { pitch_bytes: width };
            return Ok((window.from_offset(offset), layout, [width / texel_bytes, height]));
        }
        let row_bytes = width.checked_mul(texel_bytes).ok_or("a render target is larger than its memory")?;
        let log2_block = [3, 7, 11].map(|high| field8(self.block, high, high - 3));
        let depth = if self.is_volume { self.layers.max(1) } else { 1 };
        let blocks = BlockLinear { size: [row_bytes, height, depth], log2_block };
        let (offset, slice) = match self.is_volume {
            true => (0, layer),
            false => (layer.saturating_mul(self.layer_stride), 0),
        };
        Ok((window.from_offset(offset), SurfaceLayout::BlockLinear { blocks, slice }, [width, height]))
    }
}

impl Processor {
    /// The screen scissor, which is the size of the targets together.
    fn screen(&self) -> Rect {
        let registers = &self.registers;
        rect(registers.get(methods::SCREEN_SCISSOR_HORIZ), registers.get(methods::SCREEN_SCISSOR_VERT))
    }

    /// How many colors the fragment program has for targets.
    fn color_count(&self) -> usize {
        (field(self.registers.get(methods::RT_CONTROL), 3, 0) as usize).min(MAX_COLOR_TARGETS)
    }

    /// The number of the target that receives a color of the fragment program.
    pub(super) fn target_of(&self, color: usize) -> usize {
        (self.registers.get(methods::RT_CONTROL) >> (4 + 3 * color)) as usize & 7
    }

    pub(super) fn color_surface(&self, target: usize) -> Surface {
        let register = |method| self.registers.element(method, methods::RT_FORMAT::STRIDE, target);
        let array = self.registers.get(methods::RT_ARRAY_MODE);
        let horizontal = self.registers.element(methods::RT_HORIZ, methods::RT_HORIZ::STRIDE, target);
        Surface {
            address: Address { high: register(methods::RT_ADDRESS_HIGH), low: register(methods::RT_ADDRESS_LOW) },
            size: [
                field(horizontal, 27, 0),
                self.registers.element(methods::RT_VERT, methods::RT_VERT::STRIDE, target),
            ],
            has_rows: bit(horizontal, 31),
            block: register(methods::RT_BLOCK_DIMENSIONS),
            layer_stride: register(methods::RT_LAYER_STRIDE) << 2,
            layers: field(array, 15, 0),
            is_volume: bit(array, 16),
        }
    }

    pub(super) fn zeta_surface(&self) -> Surface {
        let registers = &self.registers;
        let array = registers.get(methods::ZETA_ARRAY_MODE);
        Surface {
            address: Address {
                high: registers.get(methods::ZETA_ADDRESS_HIGH),
                low: registers.get(methods::ZETA_ADDRESS_LOW),
            },
            size: [methods::ZETA_HORIZ, methods::ZETA_VERT].map(|method| registers.get(method)),
            has_rows: false,
            block: registers.get(methods::ZETA_BLOCK_DIMENSIONS),
            layer_stride: registers.get(methods::ZETA_LAYER_STRIDE) << 2,
            // Unverified: what the bit beside the layers says. Mesa's driver sets it for one layer and for volumes.
            layers: field(array, 15, 0),
            is_volume: bit(array, 16) && field(array, 15, 0) > 1,
        }
    }

    /// The target with this number and its format; `None` if it has none.
    fn color_target(
        &self,
        target: usize,
        layer: u32,
        objects: &Objects,
    ) -> Result<Option<(ColorTarget, [u32; 2])>, &'static str> {
        let code = self.registers.element(methods::RT_FORMAT, methods::RT_FORMAT::STRIDE, target);
        if code == 0 {
            return Ok(None);
        }
        let format = ColorFormat::from_tesla_code(code).ok_or("the color format is unknown")?;
        let (window, layout, size) = self.color_surface(target).layer(layer, format.bytes(), objects)?;
        Ok(Some((ColorTarget { window, layout, format }, size)))
    }

    /// The surfaces at a layer, or why nothing can be drawn to them. A color target has the number of the color that it
    /// receives.
    pub(super) fn targets(&self, layer: u32, objects: &Objects) -> Result<Targets, &'static str> {
        let mut color = [const { None }; MAX_COLOR_TARGETS];
        let mut sizes = Vec::new();
        for (number, slot) in color.iter_mut().enumerate().take(self.color_count()) {
            if let Some((target, size)) = self.color_target(self.target_of(number), layer, objects)? {
                *slot = Some(target);
                sizes.push(size);
            }
        }
        self.bounded(color, sizes, true, layer, objects)
    }

    /// The color target of this number alone, if there is one, and the depth surface if `clears_zeta`, as a clear takes them.
    pub(super) fn cleared_targets(
        &self,
        target: Option<usize>,
        clears_zeta: bool,
        layer: u32,
        objects: &Objects,
    ) -> Result<Targets, &'static str> {
        let mut color = [const { None }; MAX_COLOR_TARGETS];
        let target = target.map_or(Ok(None), |target| self.color_target(target & 7, layer, objects))?;
        let sizes = target.iter().map(|(_, size)| *size).collect();
        color[0] = target.map(|(target, _)| target);
        self.bounded(color, sizes, clears_zeta, layer, objects)
    }

    /// Targets with the depth surface, and the pixels that all of them have.
    fn bounded(
        &self,
        color: [Option<ColorTarget>; MAX_COLOR_TARGETS],
        mut sizes: Vec<[u32; 2]>,
        has_zeta: bool,
        layer: u32,
        objects: &Objects,
    ) -> Result<Targets, &'static str> {
        let mut zeta = None;
        if has_zeta && self.registers.is_set(late::ZETA_ENABLE) {
            let format = ZetaFormat::from_tesla_code(self.registers.get(methods::ZETA_FORMAT))
                .ok_or("the depth format is unknown")?;
            let (window, layout, size) = self.zeta_surface().layer(layer, format.bytes(), objects)?;
            zeta = Some(ZetaTarget { window, layout, format, is_float: false });
            sizes.push(size);
        }
        let samples = self.sample_mode()?;
        let [columns, rows] = samples.log2_size();
        let pixels = sizes.into_iter().map(|[width, height]| [width >> columns, height >> rows]);
        let all = pixels.map(|[width, height]| Rect { x: 0, y: 0, width, height });
        let rect = all.fold(self.screen(), Rect::intersection);
        if rect.is_empty() {
            return Err("the render target has no pixels");
        }
        if rect.right() > MAX_SIZE || rect.bottom() > MAX_SIZE {
            return Err("the render target is larger than 8192 pixels");
        }
        Ok(Targets { color, zeta, samples, rect })
    }

    /// The sample mode of the targets.
    fn sample_mode(&self) -> Result<SampleMode, &'static str> {
        match self.registers.get(late::MULTISAMPLE_MODE) {
            0 => Ok(SampleMode::One),
            1 => Ok(SampleMode::TwoDiagonal),
            2 => Ok(SampleMode::FourRotated),
            3 => Ok(SampleMode::Eight),
            4 | 5 => Err("samples in the order of Direct3D are not implemented"),
            8..=10 => Err("coverage samples are not implemented"),
            _ => Err("the sample mode is unknown"),
        }
    }

    /// The bound color targets, then the depth surface.
    pub(in crate::chip::tesla) fn target_surfaces(&self, objects: &Objects) -> Vec<BoundSurface> {
        let Ok(targets) = self.targets(self.layer(), objects) else { return Vec::new() };
        let (samples, rect) = (targets.samples, targets.texels());
        let colors = NAMES.into_iter().zip(targets.color).filter_map(|(name, target)| {
            let ColorTarget { window, layout, format } = target?;
            let format = SurfaceFormat::Color(format);
            Some(BoundSurface { name, width: rect.right(), height: rect.bottom(), samples, format, window, layout })
        });
        colors.chain(BoundSurface::zeta(&targets)).collect()
    }
}

/// A rectangle from two registers with the origin in the low and the size in the high half.
pub(super) const fn rect(horizontal: u32, vertical: u32) -> Rect {
    Rect { x: horizontal & 0xffff, y: vertical & 0xffff, width: horizontal >> 16, height: vertical >> 16 }
}
