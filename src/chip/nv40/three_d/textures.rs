//! Turns registers of the texture units into [`TextureState`] and [`VertexTexture`].

use super::{ThreeD, enums};
use crate::chip::bits::{bit, field, field8};
use crate::command::methods::three_d::texture as methods;
use crate::format::TextureFormat;
use crate::pipeline::{ColorKeyMode, Dimensions, Filter, MipFilter, TextureState, VertexTexture, Wrap};

/// Bytes between the registers of neighboring units.
const STRIDE: u16 = 0x20;

/// The greatest mip level count.
const MAX_LEVELS: u32 = 13;

/// Anisotropy by its code.
const ANISOTROPY: [u8; 8] = [1, 2, 4, 6, 8, 10, 12, 16];

impl ThreeD {
    /// The state of a unit; `None` if it is disabled, a reason if it cannot be used.
    pub(super) fn texture_state(&self, unit: usize) -> Result<Option<TextureState>, &'static str> {
        let register = |method| self.registers.element(method, STRIDE, unit);
        let enable = register(methods::TEX_ENABLE);
        if !bit(enable, 31) {
            return Ok(None);
        }
        let format = register(methods::TEX_FORMAT);
        let wrap = register(methods::TEX_WRAP);
        let filter = register(methods::TEX_FILTER);
        let size = register(methods::TEX_NPOT_SIZE);
        let size1 = self.registers.element(methods::TEX_SIZE1, 4, unit);
        let texel = TextureFormat::from_code(field(format, 12, 8)).ok_or("a texture format is unknown")?;
        let dimensions = match (field(format, 7, 4), bit(format, 2)) {
            (2, true) => Dimensions::Cube,
            (1, _) => Dimensions::One,
            (3, _) => Dimensions::Three,
            _ => Dimensions::Two,
        };
        let depth = if dimensions == Dimensions::Three { field(size1, 31, 20).max(1) } else { 1 };
        let mode = |high, low| enums::wrap(field(wrap, high, low)).unwrap_or(Wrap::Repeat);
        let kernel = field8(filter, 15, 13);
        let (min_filter, mip_filter) =
            enums::min_filter(field(filter, 19, 16), kernel).unwrap_or((Filter::Nearest, MipFilter::None));
        Ok(Some(TextureState {
            window: self.texture_window(format & 3, register(methods::TEX_OFFSET)),
            format: texel,
            dimensions,
            is_linear: bit(format, 13),
            is_unnormalized: bit(format, 14),
            has_border_texels: !bit(format, 3),
            size: [size >> 16, size & 0xffff, depth],
            pitch_bytes: field(size1, 17, 0),
            levels: field(format, 19, 16).clamp(1, MAX_LEVELS),
            wrap: [mode(3, 0), mode(11, 8), mode(19, 16)],
            min_filter,
            mip_filter,
            mag_filter: enums::mag_filter(field(filter, 27, 24), kernel).unwrap_or(Filter::Nearest),
            lod_bias: lod_bias(filter),
            min_lod: field(enable, 30, 19),
            max_lod: field(enable, 18, 7),
            max_anisotropy: ANISOTROPY[field(enable, 6, 4) as usize],
            border_color: register(methods::TEX_BORDER_COLOR),
            remap: field(register(methods::TEX_SWIZZLE), 16, 0),
            shadow_compare: field8(wrap, 31, 28),
            signed: field8(filter, 31, 28),
            is_signed_clamped: field(wrap, 25, 24) == 3,
            gamma: field8(wrap, 23, 20),
            expand_normal: bit(wrap, 12),
            alpha_kill: bit(enable, 2),
            color_key_mode: [
                ColorKeyMode::Off,
                ColorKeyMode::ClearAlpha,
                ColorKeyMode::ClearColor,
                ColorKeyMode::Discard,
            ][field(enable, 1, 0) as usize],
            color_key: self.registers.element(methods::COLOR_KEY, 4, unit),
        }))
    }
}

impl ThreeD {
    /// The state of a vertex texture unit; `None` if it is disabled, a reason if it cannot be used.
    pub(super) fn vertex_texture(&self, unit: usize) -> Result<Option<VertexTexture>, &'static str> {
        let register = |method| self.registers.element(method, STRIDE, unit);
        let enable = register(methods::VERTEX_TEX_ENABLE);
        if !bit(enable, 31) {
            return Ok(None);
        }
        let format = register(methods::VERTEX_TEX_FORMAT);
        let wrap = register(methods::VERTEX_TEX_WRAP);
        let size = register(methods::VERTEX_TEX_SIZE);
        let mode = |high, low| enums::wrap(field(wrap, high, low)).unwrap_or(Wrap::Repeat);
        let texel = enums::vertex_texture_format(field(format, 12, 8)).ok_or("a vertex texture without a format")?;
        Ok(Some(VertexTexture {
            window: self.texture_window(format & 3, register(methods::VERTEX_TEX_OFFSET)),
            format: texel,
            size: [size >> 16, size & 0xffff],
            pitch_bytes: field(register(methods::VERTEX_TEX_PITCH), 17, 0),
            levels: field(format, 19, 16).clamp(1, MAX_LEVELS),
            wrap: [mode(3, 0), mode(11, 8)],
            lod_bias: lod_bias(register(methods::VERTEX_TEX_FILTER)),
            min_lod: field(enable, 30, 19),
            max_lod: field(enable, 18, 7),
            border_color: register(methods::VERTEX_TEX_BORDER_COLOR),
        }))
    }
}

/// Bits 12:0 as a two's complement number.
const fn lod_bias(filter: u32) -> i32 {
    (filter << 19).cast_signed() >> 19
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lod_bias_is_signed() {
        assert_eq!(lod_bias(0x0206_2080), 0x80);
        assert_eq!(lod_bias(0x0206_3fff), -1);
        assert_eq!(lod_bias(0x1000), -4096);
    }
}
