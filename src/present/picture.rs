//! Turns a surface into an RGB picture.

use crate::arith::fragment::{float_to_unorm, half_bits_to};
use crate::format::{ColorFormat, SurfaceFormat, ZetaFormat};
use crate::pipeline::SampleMode;
use crate::replay::Surface;

/// The part of a surface that a picture shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Red, green and blue of a color surface.
    Color,
    /// Depth, 0 black to 1 white.
    Depth,
    /// Stencil, 0 black to 255 white.
    Stencil,
}

/// Eight bits each of red, green and blue per pixel, first row first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `width * height * 3` bytes.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// The picture of one channel of a surface; `None` if the surface has no such channel. A pixel of several
    /// samples shows their average.
    #[must_use]
    pub fn of_surface(surface: &Surface, channel: Channel) -> Option<Self> {
        let to_rgb = |bytes: &[u8]| match (surface.format, channel) {
            (SurfaceFormat::Color(format), Channel::Color) => Some(color_rgb(format, bytes)),
            (SurfaceFormat::Zeta(ZetaFormat::Z24S8), Channel::Depth) => Some([bytes[3]; 3]),
            (SurfaceFormat::Zeta(ZetaFormat::Z24S8), Channel::Stencil) => Some([bytes[0]; 3]),
            (SurfaceFormat::Zeta(ZetaFormat::Z16), Channel::Depth) => Some([bytes[1]; 3]),
            _ => None,
        };
        let pixels = surface.rows.chunks_exact(surface.format.bytes() as usize).map(to_rgb);
        let rgb = pixels.collect::<Option<Vec<_>>>()?.into_flattened();
        let texels = Self { width: surface.width, height: surface.height, rgb };
        Some(if surface.samples == SampleMode::One { texels } else { texels.resolved(surface.samples) })
    }

    /// Red, green and blue of a pixel, from the left upper one; `None` outside.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let index = 3 * (y as usize * self.width as usize + x as usize);
        let rgb = self.rgb.get(index..index + 3).filter(|_| x < self.width && y < self.height)?;
        Some([rgb[0], rgb[1], rgb[2]])
    }

    /// The averages of the texels of each pixel, rounded to nearest.
    fn resolved(&self, mode: SampleMode) -> Self {
        let [columns, rows] = mode.log2_size();
        let (width, height, count) = (self.width >> columns, self.height >> rows, mode.count());
        let mut rgb = Vec::with_capacity((width * height) as usize * 3);
        for pixel in 0..width * height {
            for channel in 0..3 {
                let texels = (0..count).map(|sample| mode.texel(pixel % width, pixel / width, sample));
                rgb.push(average(texels.map(|[x, y]| self.rgb[(y * self.width + x) as usize * 3 + channel])));
            }
        }
        Self { width, height, rgb }
    }

    /// The picture with its last row first.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        let row = self.width as usize * 3;
        if row > 0 {
            self.rgb = self.rgb.chunks_exact(row).rev().flatten().copied().collect();
        }
        self
    }
}

/// Red, green and blue of one pixel; channels missing in the format are black.
fn color_rgb(format: ColorFormat, bytes: &[u8]) -> [u8; 3] {
    let half = |index: usize| unit(half_bits_to(u16::from_le_bytes([bytes[index], bytes[index + 1]])));
    let float =
        |index: usize| unit(u32::from_le_bytes([bytes[index], bytes[index + 1], bytes[index + 2], bytes[index + 3]]));
    match format {
        ColorFormat::X1R5G5B5Zero | ColorFormat::X1R5G5B5One => {
            let value = u16::from_le_bytes([bytes[0], bytes[1]]);
            [expand(value >> 10, 5), expand(value >> 5, 5), expand(value, 5)]
        }
        ColorFormat::R5G6B5 => {
            let value = u16::from_le_bytes([bytes[0], bytes[1]]);
            [expand(value >> 11, 5), expand(value >> 5, 6), expand(value, 5)]
        }
        ColorFormat::X8R8G8B8Zero | ColorFormat::X8R8G8B8One | ColorFormat::A8R8G8B8 => [bytes[2], bytes[1], bytes[0]],
        ColorFormat::X8B8G8R8Zero | ColorFormat::X8B8G8R8One | ColorFormat::A8B8G8R8 => [bytes[0], bytes[1], bytes[2]],
        ColorFormat::B8 => [bytes[0]; 3],
        ColorFormat::G8B8 => [0, bytes[1], bytes[0]],
        ColorFormat::A16B16G16R16F => [half(0), half(2), half(4)],
        ColorFormat::A32B32G32R32F => [float(0), float(4), float(8)],
        ColorFormat::R32F => [float(0); 3],
    }
}

/// The low `bits` bits of `value` as eight bits, rounded to nearest.
fn expand(value: u16, bits: u32) -> u8 {
    let full = (1 << bits) - 1;
    let value = u32::from(value) & full;
    u8::try_from((value * 255 + full / 2) / full).expect("at most 255")
}

/// A float 0..1, given as bits, as eight bits, rounded to nearest; NaN is 0.
fn unit(bits: u32) -> u8 {
    u8::try_from(float_to_unorm(bits, 8)).expect("eight bits")
}

impl Surface {
    /// Red, green and blue of a pixel of a color surface, from the left upper one, as its [`Picture`] shows them; `None`
    /// outside, and if the surface holds depth.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let SurfaceFormat::Color(format) = self.format else { return None };
        let [columns, rows] = self.samples.log2_size();
        if x >= self.width >> columns || y >= self.height >> rows {
            return None;
        }
        let texels = (0..self.samples.count()).map(|sample| self.samples.texel(x, y, sample));
        let texels: Option<Vec<_>> = texels.map(|[x, y]| Some(color_rgb(format, self.texel(x, y)?))).collect();
        let texels = texels?;
        Some([0, 1, 2].map(|channel| average(texels.iter().map(|rgb| rgb[channel]))))
    }
}

/// The mean, rounded to nearest.
fn average(bytes: impl ExactSizeIterator<Item = u8>) -> u8 {
    let count = u32::try_from(bytes.len()).unwrap_or(1).max(1);
    let sum: u32 = bytes.map(u32::from).sum();
    u8::try_from((sum + count / 2) / count).expect("an average of bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_come_from_their_bits() {
        assert_eq!(color_rgb(ColorFormat::A8R8G8B8, &[3, 2, 1, 9]), [1, 2, 3]);
        assert_eq!(color_rgb(ColorFormat::A8B8G8R8, &[3, 2, 1, 9]), [3, 2, 1]);
        assert_eq!(color_rgb(ColorFormat::R5G6B5, &0xf800u16.to_le_bytes()), [255, 0, 0]);
        assert_eq!(color_rgb(ColorFormat::X1R5G5B5Zero, &0x03e0u16.to_le_bytes()), [0, 255, 0]);
    }

    #[test]
    fn pixels_are_those_of_the_picture() {
        for samples in SampleMode::ALL {
            let rows = (0..4 * 4 * 4_u32).map(|byte| (byte.wrapping_mul(77) & 0xff) as u8).collect();
            let format = SurfaceFormat::Color(ColorFormat::A8R8G8B8);
            let surface = Surface { name: "color0".to_owned(), width: 4, height: 4, samples, format, rows };
            let picture = Picture::of_surface(&surface, Channel::Color).unwrap();
            for (x, y) in (0..5).flat_map(|x| (0..5).map(move |y| (x, y))) {
                assert_eq!(surface.pixel(x, y), picture.pixel(x, y), "{samples:?} {x} {y}");
            }
            let depth = Surface { format: SurfaceFormat::Zeta(ZetaFormat::Z24S8), ..surface };
            assert_eq!(depth.pixel(0, 0), None);
        }
        // The first of four texels has blue, green and red 0, 77 and 154; the mean of two is rounded.
        let rows = vec![0, 77, 154, 0, 1, 78, 155, 0];
        let format = SurfaceFormat::Color(ColorFormat::A8R8G8B8);
        let samples = SampleMode::TwoDiagonal;
        let surface = Surface { name: "color0".to_owned(), width: 2, height: 1, samples, format, rows };
        assert_eq!(surface.pixel(0, 0), Some([155, 78, 1]));
    }

    #[test]
    fn flipping_reverses_rows() {
        let picture = Picture { width: 1, height: 2, rgb: vec![1, 1, 1, 2, 2, 2] };
        assert_eq!(picture.flipped().rgb, [2, 2, 2, 1, 1, 1]);
    }
}
