//! The vertex texture units: turn the coordinate and level of detail of TXL into a texel.
//!
//! Units read the nearest texel of the nearest level, regardless of the filter state, without remap.

use crate::arith::ONE;
use crate::memory::GuestMemory;
use crate::pipeline::{VertexTexture, VertexTextureFormat};
use crate::reference::texture::addressing::{TapFilter, axis_taps};
use crate::reference::texture::lod::fixed_lod;

/// The texture units that a vertex program fetches from.
pub trait VertexTextureUnits {
    /// Samples a unit at s, t and a level of detail in w.
    fn sample(&self, unit: u8, coordinate: [u32; 4]) -> [u32; 4];
}

/// Units without textures: every fetch returns (0, 0, 0, 1).
#[derive(Debug, Clone, Copy, Default)]
pub struct NoVertexTextures;

impl VertexTextureUnits for NoVertexTextures {
    fn sample(&self, _: u8, _: [u32; 4]) -> [u32; 4] {
        [0, 0, 0, ONE]
    }
}

/// The vertex texture units of a draw over guest memory.
#[derive(Debug, Clone, Copy)]
pub struct BoundVertexTextures<'a> {
    memory: &'a GuestMemory,
    textures: &'a [Option<VertexTexture>; 4],
}

impl<'a> BoundVertexTextures<'a> {
    /// The units of a draw.
    #[must_use]
    pub const fn new(memory: &'a GuestMemory, textures: &'a [Option<VertexTexture>; 4]) -> Self {
        Self { memory, textures }
    }
}

impl VertexTextureUnits for BoundVertexTextures<'_> {
    fn sample(&self, unit: u8, coordinate: [u32; 4]) -> [u32; 4] {
        // Unverified: a disabled unit returns the same value as one of the fragment stage.
        match &self.textures[usize::from(unit) & 3] {
            Some(texture) => sample_vertex_texture(self.memory, texture, coordinate),
            None => [0, 0, 0, ONE],
        }
    }
}

/// Samples a texture at s, t and the level of detail in w.
///
/// The unit's bias is added to the level and its limits apply. Then the nearest level is read, the lower-numbered one
/// in a tie. Texels outside the window read zero.
// Unverified: that one-channel texels are replicated to all four components, as in the fragment units.
#[must_use]
pub fn sample_vertex_texture(memory: &GuestMemory, texture: &VertexTexture, coordinate: [u32; 4]) -> [u32; 4] {
    let [s, t, _, lod] = coordinate;
    let [bias, min_lod, max_lod] = texture.lod_limits();
    let limited = (fixed_lod(lod) + bias).max(min_lod).min(max_lod).max(0);
    let level = texture.level((limited.unsigned_abs() + 127) >> 8);
    let nearest = |axis: usize, coordinate: u32| {
        axis_taps(coordinate, level.size[axis], texture.wrap[axis], TapFilter::Nearest, false).texels[0]
    };
    let (Some(x), Some(y)) = (nearest(0, s), nearest(1, t)) else { return texture.border() };
    let bytes = 4 * texture.format.channels();
    let offset = texture.pitch_bytes.wrapping_mul(level.first_row + y).wrapping_add(x * bytes);
    match texture.format {
        VertexTextureFormat::X32F => [memory.read_u32(texture.window, offset); 4],
        VertexTextureFormat::W32Z32Y32X32F => {
            let bytes = memory.read::<16>(texture.window, offset);
            let words = bytes.as_chunks::<4>().0;
            std::array::from_fn(|channel| u32::from_le_bytes(words[channel]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{MemorySpace, MemoryWindow};
    use crate::pipeline::Wrap;

    const PITCH: u32 = 48;

    /// Four levels of a 5×9 texture; texel (x, y) of level l holds 100·l + 10·y + x.
    fn filled(format: VertexTextureFormat) -> (GuestMemory, VertexTexture) {
        let mut memory = GuestMemory::new(1 << 16, 0).unwrap();
        memory.grow(MemorySpace::Vram, 8192).unwrap();
        let texture = VertexTexture {
            window: MemoryWindow { space: MemorySpace::Vram, start: 128, bytes: 4096 },
            format,
            size: [5, 9],
            pitch_bytes: PITCH * format.channels(),
            levels: 4,
            wrap: [Wrap::Repeat, Wrap::ClampToEdge],
            lod_bias: 0,
            min_lod: 0,
            max_lod: 0xfff,
            border_color: 0x33_66_ff_00,
        };
        let mut row = 0;
        // 5×9 halves to 2×4, 1×2, 1×1.
        for (level, [width, height]) in [[5u16, 9], [2, 4], [1, 2], [1, 1]].into_iter().enumerate() {
            for y in 0..height {
                for x in 0..width {
                    let value = 100.0 * level as f32 + 10.0 * f32::from(y) + f32::from(x);
                    let at = row * PITCH * format.channels() + u32::from(x) * 4 * format.channels();
                    for channel in 0..format.channels() {
                        let bits = (value + 0.125 * channel as f32).to_bits();
                        assert!(memory.write(texture.window, at + 4 * channel, &bits.to_le_bytes()));
                    }
                }
                row += 1;
            }
        }
        (memory, texture)
    }

    fn at(memory: &GuestMemory, texture: &VertexTexture, s: f32, t: f32, lod: f32) -> [f32; 4] {
        sample_vertex_texture(memory, texture, [s, t, 0.0, lod].map(f32::to_bits)).map(f32::from_bits)
    }

    #[test]
    fn levels_and_texels_are_the_nearest() {
        let (memory, texture) = filled(VertexTextureFormat::X32F);
        assert_eq!(at(&memory, &texture, 0.5, 0.5, 0.0), [42.0; 4]);
        assert_eq!(at(&memory, &texture, 1.7, 3.0, 0.0), [83.0; 4], "s repeats, t clamps");
        assert_eq!(at(&memory, &texture, 0.5, 0.5, 0.5), [42.0; 4], "half way stays at the larger level");
        assert_eq!(at(&memory, &texture, 0.5, 0.5, 0.51), [121.0; 4]);
        assert_eq!(at(&memory, &texture, 0.0, 0.0, 2.0), [200.0; 4]);
        assert_eq!(at(&memory, &texture, 0.0, 0.0, 99.0), [300.0; 4]);
        assert_eq!(at(&memory, &texture, 0.0, 0.0, f32::NAN), [0.0; 4]);
    }

    #[test]
    fn bias_and_limits_apply() {
        let (memory, mut texture) = filled(VertexTextureFormat::X32F);
        texture.lod_bias = 256;
        assert_eq!(at(&memory, &texture, 0.0, 0.0, 0.0), [100.0; 4]);
        assert_eq!(at(&memory, &texture, 0.0, 0.0, -5.0), [0.0; 4]);
        (texture.min_lod, texture.max_lod) = (0x200, 0x200);
        assert_eq!(at(&memory, &texture, 0.0, 0.0, -5.0), [200.0; 4]);
        assert_eq!(at(&memory, &texture, 0.0, 0.0, 9.0), [200.0; 4]);
    }

    #[test]
    fn borders_four_channels_and_missing_memory() {
        let (memory, mut texture) = filled(VertexTextureFormat::W32Z32Y32X32F);
        assert_eq!(at(&memory, &texture, 0.9, 0.99, 0.0), [84.0, 84.125, 84.25, 84.375]);
        texture.wrap = [Wrap::ClampToBorder, Wrap::MirrorClampToBorder];
        let border = [0x66, 0xff, 0, 0x33].map(|byte: u8| f32::from(byte) / 255.0);
        assert_eq!(at(&memory, &texture, -0.1, 0.5, 0.0), border);
        assert_eq!(at(&memory, &texture, 0.5, -1.1, 0.0), border);
        assert_eq!(at(&memory, &texture, 0.5, -0.5, 0.0), [42.0, 42.125, 42.25, 42.375]);
        texture.window.bytes = PITCH * 4 + 15;
        assert_eq!(at(&memory, &texture, 0.1, 0.15, 0.0), [0.0; 4], "the first texel of row 1 is cut off");
    }
}
