//! Turns a surface into an RGB picture.

use crate::format::{ShownFields, SurfaceFormat};
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
        let shown = shown_fields(surface.format, channel)?;
        let pixels = surface.rows.chunks_exact(surface.format.bytes() as usize);
        let rgb = pixels.flat_map(|bytes| shown.rgb(words_of(bytes))).collect();
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

/// The part of a pixel that a channel of a picture shows; `None` if there is none.
pub(crate) const fn shown_fields(format: SurfaceFormat, channel: Channel) -> Option<ShownFields> {
    match (format, channel) {
        (SurfaceFormat::Color(format), Channel::Color) => Some(format.shown_colors()),
        (SurfaceFormat::Zeta(format), Channel::Depth) => Some(format.shown_depth()),
        (SurfaceFormat::Zeta(format), Channel::Stencil) => format.shown_stencil(),
        _ => None,
    }
}

/// The words of a pixel.
fn words_of(bytes: &[u8]) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.chunks(4)) {
        *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    words
}

impl Surface {
    /// Red, green and blue of a pixel of a color surface, from the left upper one, as its [`Picture`] shows them; `None`
    /// outside, and if the surface holds depth.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        let shown = shown_fields(self.format, Channel::Color)?;
        let [columns, rows] = self.samples.log2_size();
        if x >= self.width >> columns || y >= self.height >> rows {
            return None;
        }
        let texels = (0..self.samples.count()).map(|sample| self.samples.texel(x, y, sample));
        let texels: Option<Vec<_>> = texels.map(|[x, y]| Some(shown.rgb(words_of(self.texel(x, y)?)))).collect();
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
    use crate::format::{ColorFormat, ZetaFormat};

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
