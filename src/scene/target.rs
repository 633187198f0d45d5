//! Lays out a scene's targets.

use super::schema::{self, Surface};
use super::texture::PlacedTexture;
use crate::format::{ColorFormat, TextureFormat, ZetaFormat};
use crate::memory::block_linear::BlockLinear;
use crate::pipeline::{Dimensions, LayoutKind, SampleMode, TextureLayout};

/// The alignment of linear rows in bytes.
const PITCH_ALIGNMENT: u32 = 64;

/// The largest width and height.
const MAX_SIZE: u32 = 4096;

/// The base-2 logarithms of the largest blocks that drivers give surfaces of one slice.
const MAX_BLOCK: [u8; 3] = [0, 4, 0];

/// A target and the addresses of its surfaces.
#[derive(Debug, Clone)]
pub(super) struct PlacedTarget {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) color_format: Option<ColorFormat>,
    pub(super) zeta_format: Option<ZetaFormat>,
    pub(super) is_float_depth: bool,
    /// Rows, Morton order, or blocks.
    pub(super) layout: LayoutKind,
    pub(super) samples: SampleMode,
    /// Addresses in VRAM.
    pub(super) colors: Vec<u32>,
    pub(super) zeta: u32,
}

impl PlacedTarget {
    /// A target in this order, with at most this many colors; its surfaces have no addresses yet.
    pub(super) fn new(
        target: &schema::Target,
        picture: (u32, u32),
        layout: LayoutKind,
        most_colors: u32,
    ) -> Result<Self, String> {
        let (width, height) = target.size.unwrap_or(picture);
        let divide = target.divide.max(1);
        let (width, height) = ((width / divide).max(1), (height / divide).max(1));
        if width > MAX_SIZE || height > MAX_SIZE {
            return Err(format!("{width}×{height} pixels are more than {MAX_SIZE}×{MAX_SIZE}"));
        }
        let color_format = target.color.map(|format| format.0);
        let zeta_format = target.zeta.map(|format| format.0);
        if color_format.is_none() && zeta_format.is_none() {
            return Err("a target has a color, a zeta or both".to_owned());
        }
        if !(1..=most_colors).contains(&target.colors) {
            return Err(format!("a target has 1 to {most_colors} color surfaces"));
        }
        Ok(Self {
            width,
            height,
            color_format,
            zeta_format,
            is_float_depth: target.float_depth,
            layout,
            samples: target.samples.0,
            colors: vec![0; if color_format.is_some() { target.colors as usize } else { 0 }],
            zeta: 0,
        })
    }

    /// Width and height in texels: every sample is one.
    pub(super) const fn texels(&self) -> (u32, u32) {
        let [columns, rows] = self.samples.log2_size();
        (self.width << columns, self.height << rows)
    }

    /// Bytes from one row to the next, for pixels of this many bytes.
    pub(super) const fn pitch(&self, pixel_bytes: u32) -> u32 {
        let row = self.texels().0 * pixel_bytes;
        match self.layout {
            LayoutKind::Linear => row.next_multiple_of(PITCH_ALIGNMENT),
            LayoutKind::Swizzled | LayoutKind::BlockLinear => row,
        }
    }

    /// The blocks of a surface with pixels of this many bytes.
    pub(super) fn blocks(&self, pixel_bytes: u32) -> BlockLinear {
        let size = [self.pitch(pixel_bytes), self.texels().1, 1];
        BlockLinear { size, log2_block: MAX_BLOCK }.fitted()
    }

    /// Bytes of a surface with pixels of this many bytes.
    pub(super) fn surface_bytes(&self, pixel_bytes: u32) -> u64 {
        match self.layout {
            LayoutKind::BlockLinear => self.blocks(pixel_bytes).bytes(),
            LayoutKind::Linear | LayoutKind::Swizzled => {
                u64::from(self.pitch(pixel_bytes)) * u64::from(self.texels().1)
            }
        }
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
                LayoutKind::Swizzled => TextureLayout::Swizzled,
                LayoutKind::BlockLinear => {
                    let [_, height, depth] = self.blocks(pixel_bytes).log2_block;
                    TextureLayout::BlockLinear { log2_block: [height, depth] }
                }
            },
            size: [width, height, 1],
            levels: 1,
            offset,
        })
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
