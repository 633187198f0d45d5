//! Turns registers of the texture units into [`TextureState`] and [`VertexTexture`].

use super::{ThreeD, enums};
use crate::chip::bits::{bit, field};
use crate::command::methods::three_d::texture as methods;
use crate::format::{TexelStorage, TextureFormat};
use crate::pipeline::{
    BorderColor, ColorKeyMode, ConvolutionKernel, Dimensions, Filter, MipFilter, RemappedChannel, Sampler,
    TextureLayout, TextureState, TextureView, VertexTexture, Wrap,
};

/// Bytes between the registers of neighboring units.
const STRIDE: u16 = 0x20;

/// The bits of `TEX_OFFSET` that a `PlayStation` 3 uses: all but the highest (RPCS3, pull request 5137).
const TEXTURE_OFFSET_MASK: u32 = 0x7fff_ffff;

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
        let kernel = enums::convolution_kernel(field(filter, 15, 13)).unwrap_or(ConvolutionKernel::Gaussian);
        let (min_filter, mip_filter) =
            enums::min_filter(field(filter, 19, 16), kernel).unwrap_or((Filter::Nearest, MipFilter::None));
        Ok(Some(TextureState {
            view: TextureView {
                window: self.texture_window(format & 3, register(methods::TEX_OFFSET) & TEXTURE_OFFSET_MASK),
                format: texel,
                dimensions,
                layout: match bit(format, 13) {
                    true => TextureLayout::Linear { pitch_bytes: field(size1, 17, 0) },
                    false => TextureLayout::Swizzled,
                },
                is_unnormalized: bit(format, 14),
                has_border_texels: !bit(format, 3),
                size: [size >> 16, size & 0xffff, depth],
                layers: None,
                face_bytes: None,
                levels: field(format, 19, 16).clamp(1, MAX_LEVELS),
                remap: remap(texel, field(register(methods::TEX_SWIZZLE), 16, 0)),
                // Bits 28 to 31 are alpha, red, green, blue.
                signed: [29, 30, 31, 28].map(|position| bit(filter, position)),
                is_signed_clamped: field(wrap, 25, 24) == 3,
                gamma: [20, 21, 22, 23].map(|position| bit(wrap, position)),
                expand_normal: bit(wrap, 12),
            },
            sampler: Sampler {
                wrap: [mode(3, 0), mode(11, 8), mode(19, 16)],
                min_filter,
                mip_filter,
                mag_filter: enums::mag_filter(field(filter, 27, 24), kernel).unwrap_or(Filter::Nearest),
                lod_bias: lod_bias(filter),
                min_lod: field(enable, 30, 19),
                max_lod: field(enable, 18, 7),
                max_anisotropy: ANISOTROPY[field(enable, 6, 4) as usize],
                border_color: BorderColor::Argb8(register(methods::TEX_BORDER_COLOR)),
                shadow_compare: enums::shadow_compare(field(wrap, 31, 28)),
                alpha_kill: bit(enable, 2),
                color_key_mode: [
                    ColorKeyMode::Off,
                    ColorKeyMode::ClearAlpha,
                    ColorKeyMode::ClearColor,
                    ColorKeyMode::Discard,
                ][field(enable, 1, 0) as usize],
                color_key: self.registers.element(methods::COLOR_KEY, 4, unit),
                is_seamless: false,
            },
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

/// Decodes `TEX_SWIZZLE`, 17 bits: sources and controls of alpha, red, green, blue.
fn remap(format: TextureFormat, word: u32) -> [RemappedChannel; 4] {
    let is_float = matches!(format.storage(), TexelStorage::Half(_) | TexelStorage::Float(_));
    let is_pair =
        matches!(format, TextureFormat::X16 | TextureFormat::Y16X16 | TextureFormat::HiLo8 | TextureFormat::HiLoS8);
    // Two-channel formats swap halves instead of channels.
    let sources = match (word & 0xff, (word >> 16) & 1) {
        _ if is_float => 0xe4,
        (0xe4, 0) if is_pair => 0x66,
        (0x4e, 0) if is_pair => 0x99,
        (0xe4, _) if is_pair => 0x56,
        (0x4e, _) if is_pair => 0xa9,
        (sources, _) => sources,
    };
    // Fields hold alpha, red, green, blue from the low end, and count the sources in that order.
    [1, 2, 3, 0].map(|field| match (word >> (8 + 2 * field)) & 3 {
        0 => RemappedChannel::Zero,
        1 => RemappedChannel::One,
        _ => RemappedChannel::Source([3, 0, 1, 2][(sources as usize >> (2 * field)) & 3]),
    })
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

    #[test]
    fn remap_selects_and_replaces() {
        use RemappedChannel::{One, Source, Zero};
        let natural = RemappedChannel::IDENTITY;
        assert_eq!(remap(TextureFormat::A8R8G8B8, 0xaae4), natural);
        // Red and blue exchanged, alpha one: sources A0 R3 G2 B1, controls A1 R2 G2 B2.
        let word = 0b10_10_10_01 << 8 | 0b01_10_11_00;
        assert_eq!(remap(TextureFormat::A8R8G8B8, word), [Source(2), Source(1), Source(0), One]);
        assert_eq!(remap(TextureFormat::A8R8G8B8, 0), [Zero; 4]);
        assert_eq!(remap(TextureFormat::Y16X16, 0xaa4e), [Source(1), Source(0), Source(1), Source(0)]);
        assert_eq!(remap(TextureFormat::X32F, 0xaa4e), natural);
    }
}
