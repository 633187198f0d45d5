//! Lays out a scene's targets and writes the registers that bind them.

use super::image::Texel;
use super::schema::{self, Surface};
use super::subchannels::THREE_D;
use super::texel_encode::encode;
use super::texture::PlacedTexture;
use crate::asm::WindowConventions;
use crate::command::builder::handles;
use crate::command::methods::three_d::{sync, targets as methods};
use crate::command::writer::StreamWriter;
use crate::format::{ColorFormat, TextureFormat, ZetaFormat};
use crate::pipeline::{Dimensions, LayoutKind, TextureLayout};

/// The alignment of linear rows in bytes.
const PITCH_ALIGNMENT: u32 = 64;

/// The largest width and height.
const MAX_SIZE: u32 = 4096;

/// The layout number of swizzled surfaces.
const SWIZZLED: u32 = 2;

/// A target and the addresses of its surfaces.
#[derive(Debug, Clone)]
pub(super) struct PlacedTarget {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) color_format: Option<ColorFormat>,
    pub(super) zeta_format: Option<ZetaFormat>,
    pub(super) is_float_depth: bool,
    /// Rows, or Morton order.
    pub(super) layout: LayoutKind,
    /// Texels of a pixel in x and y.
    pub(super) samples: (u32, u32),
    pub(super) multisample: u32,
    /// Addresses in VRAM.
    pub(super) colors: Vec<u32>,
    pub(super) zeta: u32,
}

impl PlacedTarget {
    /// Checks a target; its surfaces have no addresses yet.
    pub(super) fn new(target: &schema::Target, picture: (u32, u32)) -> Result<Self, String> {
        let (width, height) = target.size.unwrap_or(picture);
        let divide = target.divide.max(1);
        let (width, height) = ((width / divide).max(1), (height / divide).max(1));
        if width > MAX_SIZE || height > MAX_SIZE {
            return Err(format!("{width}×{height} pixels are more than {MAX_SIZE}×{MAX_SIZE}"));
        }
        let layout = if target.layout.0 == SWIZZLED { LayoutKind::Swizzled } else { LayoutKind::Linear };
        let swizzles = layout == LayoutKind::Swizzled;
        if swizzles && !(width.is_power_of_two() && height.is_power_of_two()) {
            return Err(format!("a swizzled target has sizes that are powers of two, not {width}×{height}"));
        }
        if swizzles && target.samples.0 != 0 {
            return Err("a swizzled target has one sample".to_owned());
        }
        let color_format = target.color.and_then(|format| ColorFormat::from_code(format.0));
        let zeta_format = target.zeta.and_then(|format| ZetaFormat::from_code(format.0));
        if color_format.is_none() && zeta_format.is_none() {
            return Err("a target has a color, a zeta or both".to_owned());
        }
        let is_float = color_format.is_some_and(|format| format.bytes() > 4 || format == ColorFormat::R32F);
        if is_float && zeta_format == Some(ZetaFormat::Z16) {
            return Err("float colors go with Z24S8 only".to_owned());
        }
        if swizzles && color_format.is_some_and(|color| zeta_format.is_some_and(|zeta| !share_order(color, zeta))) {
            return Err("swizzled colors and depths have pixels of the same size".to_owned());
        }
        if !(1..=4).contains(&target.colors) {
            return Err("a target has 1 to 4 color surfaces".to_owned());
        }
        let samples = match target.samples.name() {
            "X2_DIAGONAL" => (2, 1),
            "X4_SQUARE" | "X4_ROTATED" => (2, 2),
            _ => (1, 1),
        };
        Ok(Self {
            width,
            height,
            color_format,
            zeta_format,
            is_float_depth: target.float_depth,
            layout,
            samples,
            multisample: target.samples.0,
            colors: vec![0; if color_format.is_some() { target.colors as usize } else { 0 }],
            zeta: 0,
        })
    }

    /// Width and height in texels: every sample is one.
    pub(super) const fn texels(&self) -> (u32, u32) {
        (self.width * self.samples.0, self.height * self.samples.1)
    }

    /// Bytes from one row to the next, for pixels of this many bytes.
    pub(super) const fn pitch(&self, pixel_bytes: u32) -> u32 {
        let row = self.texels().0 * pixel_bytes;
        match self.layout {
            LayoutKind::Linear => row.next_multiple_of(PITCH_ALIGNMENT),
            LayoutKind::Swizzled | LayoutKind::BlockLinear => row,
        }
    }

    /// Bytes of a surface with pixels of this many bytes.
    pub(super) fn surface_bytes(&self, pixel_bytes: u32) -> u64 {
        u64::from(self.pitch(pixel_bytes)) * u64::from(self.texels().1)
    }

    /// Address and bytes per pixel of a surface; `None` if the target has no such surface.
    pub(super) fn surface(&self, surface: Surface) -> Option<(u32, u32)> {
        match surface {
            Surface::Color(number) => Some((*self.colors.get(number as usize)?, self.color_format?.bytes())),
            Surface::Zeta => Some((self.zeta, self.zeta_format?.bytes())),
        }
    }

    /// The surface as a texture.
    pub(super) fn texture(&self, surface: Surface) -> Option<PlacedTexture> {
        let (offset, pixel_bytes) = self.surface(surface)?;
        let format = match surface {
            Surface::Color(_) => texture_format(self.color_format?)?,
            Surface::Zeta => match (self.zeta_format?, self.is_float_depth) {
                (ZetaFormat::Z16, false) => TextureFormat::Depth16,
                (ZetaFormat::Z16, true) => TextureFormat::Depth16Float,
                (ZetaFormat::Z24S8, false) => TextureFormat::Depth24D8,
                (ZetaFormat::Z24S8, true) => TextureFormat::Depth24D8Float,
                _ => return None,
            },
        };
        let (width, height) = self.texels();
        Some(PlacedTexture {
            format,
            dimensions: Dimensions::Two,
            layout: match self.layout {
                LayoutKind::Linear => TextureLayout::Linear { pitch_bytes: self.pitch(pixel_bytes) },
                LayoutKind::Swizzled | LayoutKind::BlockLinear => TextureLayout::Swizzled,
            },
            size: [width, height, 1],
            levels: 1,
            offset,
        })
    }

    /// Binds the surfaces.
    pub(super) fn bind(&self, writer: &mut StreamWriter) {
        let color = self.color_format.unwrap_or(match self.zeta_format {
            Some(ZetaFormat::Z16) => ColorFormat::R5G6B5,
            _ => ColorFormat::A8R8G8B8,
        });
        let zeta = self.zeta_format.unwrap_or(if color.bytes() == 2 { ZetaFormat::Z16 } else { ZetaFormat::Z24S8 });
        let (layout, log2_width, log2_height) = match self.layout {
            LayoutKind::Linear => (1u32, 0, 0),
            LayoutKind::Swizzled | LayoutKind::BlockLinear => (SWIZZLED, self.width.ilog2(), self.height.ilog2()),
        };
        let format = methods::RT_FORMAT::color(color.code().expect("NV40 has the formats of scenes"))
            | methods::RT_FORMAT::zeta(zeta.code().expect("NV40 has the formats of scenes"))
            | methods::RT_FORMAT::layout(layout)
            | methods::RT_FORMAT::multisample(self.multisample)
            | methods::RT_FORMAT::log2_width(log2_width)
            | methods::RT_FORMAT::log2_height(log2_height);
        writer.set(THREE_D, methods::RT_HORIZ::x(0u32) | methods::RT_HORIZ::width(self.width));
        writer.set(THREE_D, methods::RT_VERT::y(0u32) | methods::RT_VERT::height(self.height));
        writer.set(THREE_D, format);
        let handle = if self.zeta_format.is_some() { handles::VRAM } else { 0 };
        writer.set(THREE_D, sync::DMA_ZETA::object(handle));
        writer.set(THREE_D, methods::ZETA_OFFSET::offset(self.zeta));
        writer.set(THREE_D, methods::ZETA_PITCH::pitch(self.pitch(zeta.bytes())));
        let pitch = self.pitch(color.bytes());
        let address = |number: usize| self.colors.get(number).copied().unwrap_or(0);
        writer.set(THREE_D, methods::COLOR0_OFFSET::offset(address(0)));
        writer.set(THREE_D, methods::COLOR1_OFFSET::offset(address(1)));
        writer.set(THREE_D, methods::COLOR2_OFFSET::offset(address(2)));
        writer.set(THREE_D, methods::COLOR3_OFFSET::offset(address(3)));
        writer.set(THREE_D, methods::COLOR0_PITCH::pitch(pitch));
        writer.set(THREE_D, methods::COLOR1_PITCH::pitch(pitch));
        writer.set(THREE_D, methods::COLOR2_PITCH::pitch(pitch));
        writer.set(THREE_D, methods::COLOR3_PITCH::pitch(pitch));
        let count = self.colors.len();
        let enable = methods::RT_ENABLE::color0(count > 0)
            | methods::RT_ENABLE::color1(count > 1)
            | methods::RT_ENABLE::color2(count > 2)
            | methods::RT_ENABLE::color3(count > 3)
            | methods::RT_ENABLE::mrt(count > 1);
        writer.set(THREE_D, enable);
        let control = methods::CONTROL0::float_depth(self.is_float_depth) | methods::CONTROL0::mip_rounding_down(true);
        writer.set(THREE_D, control);
        self.count_positions(WindowConventions::default(), writer);
    }

    /// Lets window positions count as a fragment program asks for: from the lower left corner of the picture to the
    /// middle of a pixel, as the assembly languages define, or as an option says.
    pub(super) fn count_positions(&self, conventions: WindowConventions, writer: &mut StreamWriter) {
        let word = methods::COORD_CONVENTIONS::height(self.height & 0xfff)
            | methods::COORD_CONVENTIONS::inverted(!conventions.is_upper_left)
            | methods::COORD_CONVENTIONS::center_integer(conventions.has_integer_centers);
        writer.set(THREE_D, word);
    }

    /// The register value for a clear to this color; `None` if there is none.
    ///
    /// The register has 32 bits, which every word of a larger pixel receives.
    pub(super) fn clear_color(&self, color: Texel) -> Option<u32> {
        let format = self.color_format?;
        let words = format.encode(color.map(f32::to_bits));
        let used = &words[..format.bytes().div_ceil(4) as usize];
        used.iter().all(|word| *word == words[0]).then_some(words[0])
    }

    /// The raw value of a depth and a stencil value.
    pub(super) fn clear_zeta(&self, depth: f64, stencil: u8) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "depths are singles")]
        let texel = [depth.clamp(0.0, 1.0) as f32; 4];
        match (self.zeta_format, self.is_float_depth) {
            (Some(ZetaFormat::Z16), false) => encode(TextureFormat::Depth16, texel)[0],
            (Some(ZetaFormat::Z16), true) => encode(TextureFormat::Depth16Float, texel)[0],
            (_, false) => encode(TextureFormat::Depth24D8, texel)[0] | u32::from(stencil),
            (_, true) => encode(TextureFormat::Depth24D8Float, texel)[0] | u32::from(stencil),
        }
    }
}

const fn share_order(color: ColorFormat, zeta: ZetaFormat) -> bool {
    match color.bytes() {
        1 => true,
        2 => matches!(color, ColorFormat::G8B8) || matches!(zeta, ZetaFormat::Z16),
        _ => matches!(zeta, ZetaFormat::Z24S8),
    }
}

/// The texture format that reads a target's pixels (reversed channel orders need a remap).
const fn texture_format(format: ColorFormat) -> Option<TextureFormat> {
    Some(match format {
        ColorFormat::X1R5G5B5Zero | ColorFormat::X1R5G5B5One => TextureFormat::D1R5G5B5,
        ColorFormat::R5G6B5 => TextureFormat::R5G6B5,
        ColorFormat::X8R8G8B8Zero | ColorFormat::X8R8G8B8One => TextureFormat::D8R8G8B8,
        ColorFormat::A8R8G8B8 | ColorFormat::X8B8G8R8Zero | ColorFormat::X8B8G8R8One | ColorFormat::A8B8G8R8 => {
            TextureFormat::A8R8G8B8
        }
        ColorFormat::B8 => TextureFormat::B8,
        ColorFormat::G8B8 => TextureFormat::G8B8,
        ColorFormat::A16B16G16R16F => TextureFormat::W16Z16Y16X16F,
        ColorFormat::A32B32G32R32F => TextureFormat::W32Z32Y32X32F,
        ColorFormat::R32F => TextureFormat::X32F,
        _ => return None,
    })
}
