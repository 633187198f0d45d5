//! The texture unit: coordinates of a quad into filtered, remapped values.
//!
//! Formats of unsigned fractions are filtered as 16-bit integers with 8-bit weights: a bilinear sum is rounded once, each
//! further interpolation (slices, then levels) once more. All other formats are filtered as floats, each interpolation
//! being `a·(1−w) + b·w` in single precision; a weight of zero leaves the second value out.
//! Unverified: the chip's precision of both.

use super::run_fragment_program::{LodMode, TextureUnits};
use super::texture_addressing::{AxisTaps, axis_taps, cube_coordinates, cube_face};
use super::texture_ellipse::{Ellipse, ellipse_center, ellipse_coordinate};
use super::texture_gamma::linear_fraction;
use super::texture_lod::{Footprint, ellipse_level, fixed_lod, footprint, level_taps};
use crate::format::{TexelStorage, signed_byte};
use crate::memory::GuestMemory;
use crate::memory::layout::swizzled_index;
use crate::numeric::fragment;
use crate::work::{Dimensions, EngineError, MipLevel, RemappedChannel, TextureState, Wrap};

const ONE: u32 = 0x3f80_0000;

/// The texture units of a draw over guest memory.
#[derive(Debug, Clone, Copy)]
pub struct BoundTextures<'a> {
    memory: &'a GuestMemory,
    textures: &'a [Option<TextureState>; 16],
}

impl<'a> BoundTextures<'a> {
    /// The units of a draw.
    #[must_use]
    pub const fn new(memory: &'a GuestMemory, textures: &'a [Option<TextureState>; 16]) -> Self {
        Self { memory, textures }
    }
}

impl TextureUnits for BoundTextures<'_> {
    fn sample(&mut self, unit: u8, coordinates: &[[u32; 4]; 4], mode: LodMode) -> Result<[[u32; 4]; 4], EngineError> {
        // Unverified: what the chip returns for a disabled unit.
        let Some(state) = self.textures.get(usize::from(unit)).and_then(Option::as_ref) else {
            return Ok([[0, 0, 0, ONE]; 4]);
        };
        if let Some(what) = state.unsupported() {
            return Err(EngineError::Unsupported { what });
        }
        Ok(sample(self.memory, state, coordinates, mode))
    }
}

/// Samples a texture for the four pixels of a quad; `coordinates` and the result are indexed by pixel, then component.
#[must_use]
pub fn sample(memory: &GuestMemory, state: &TextureState, coordinates: &[[u32; 4]; 4], mode: LodMode) -> [[u32; 4]; 4] {
    let footprints = footprints(state, coordinates, mode);
    let (levels, face_bytes) = state.level_layout();
    let fetcher = Fetcher { memory, state, levels: &levels, face_offset: 0 };
    std::array::from_fn(|pixel| {
        let [x, y, z, _] = coordinates[pixel];
        let (position, fetcher) = if state.dimensions == Dimensions::Cube {
            let face = cube_face([x, y, z]);
            let [s, t] = cube_coordinates([x, y, z], face);
            ([s, t, 0], Fetcher { face_offset: face_bytes.wrapping_mul(face), ..fetcher })
        } else {
            ([x, y, z], fetcher)
        };
        let filtered = fetcher.filter_footprint(position, z, &footprints[pixel]);
        finish(state, filtered)
    })
}

/// The footprint of each pixel, biases included.
fn footprints(state: &TextureState, coordinates: &[[u32; 4]; 4], mode: LodMode) -> [Footprint; 4] {
    let biased = |found: Footprint, bias: i32| Footprint { lod: found.lod + bias, ..found };
    let difference = |to: [u32; 3], from: [u32; 3]| std::array::from_fn(|axis| fragment::sub(to[axis], from[axis]));
    let position = |pixel: usize, face: u32| {
        let [x, y, z, _] = coordinates[pixel];
        on_face(state, [x, y, z], face)
    };
    match mode {
        LodMode::Implicit { bias } => {
            // Derivatives on a cube are taken on the face of the first pixel.
            let face = cube_face([coordinates[0][0], coordinates[0][1], coordinates[0][2]]);
            let first = position(0, face);
            let along_x = difference(position(1, face), first);
            let along_y = difference(position(2, face), first);
            let found = footprint(state, along_x, along_y);
            bias.map(|bias| biased(found, fixed_lod(bias) + state.limited_lod_bias()))
        }
        // Unverified: the unit's own bias is not added to an explicit level.
        LodMode::Explicit(lod) => lod.map(|lod| Footprint::point(fixed_lod(lod))),
        LodMode::Gradient { x, y } => std::array::from_fn(|pixel| {
            let origin = [coordinates[pixel][0], coordinates[pixel][1], coordinates[pixel][2]];
            let face = cube_face(origin);
            let derivative = |step: [u32; 4]| {
                let step = [step[0], step[1], step[2]];
                if state.dimensions != Dimensions::Cube {
                    return step;
                }
                let moved = std::array::from_fn(|axis| fragment::add(origin[axis], step[axis]));
                difference(on_face(state, moved, face), on_face(state, origin, face))
            };
            biased(footprint(state, derivative(x[pixel]), derivative(y[pixel])), state.limited_lod_bias())
        }),
    }
}

fn on_face(state: &TextureState, position: [u32; 3], face: u32) -> [u32; 3] {
    if state.dimensions != Dimensions::Cube {
        return position;
    }
    let [s, t] = cube_coordinates(position, face);
    [s, t, 0]
}

/// Reads texels of one image and interpolates between them.
#[derive(Clone, Copy)]
struct Fetcher<'a> {
    memory: &'a GuestMemory,
    state: &'a TextureState,
    levels: &'a [MipLevel],
    face_offset: u32,
}

impl Fetcher<'_> {
    fn filter_footprint(&self, position: [u32; 3], reference: u32, footprint: &Footprint) -> [u32; 4] {
        match footprint.derivatives {
            Some(derivatives) if footprint.lod > 0 => {
                let level = &self.levels[ellipse_level(self.state, footprint.lod) as usize];
                self.filter_ellipse(level, position, reference, derivatives)
            }
            _ => self.filter_levels(position, reference, footprint.lod),
        }
    }

    /// The weighted mean of an ellipse of texels.
    fn filter_ellipse(
        &self,
        level: &MipLevel,
        position: [u32; 3],
        reference: u32,
        derivatives: [[u32; 2]; 2],
    ) -> [u32; 4] {
        let state = self.state;
        let in_texels = |axis: usize, step: u32| match state.is_unnormalized {
            true => step,
            false => fragment::mul(step, fragment::int_to_float(level.size[axis].cast_signed())),
        };
        let [along_x, along_y] = derivatives.map(|[s, t]| [in_texels(0, s), in_texels(1, t)]);
        let center = [0, 1].map(|axis| ellipse_center(position[axis], level.size[axis], state.is_unnormalized));
        Ellipse::new(along_x, along_y).mean(center, state.filters_integers(), |column, row| {
            let texel = |axis: usize, texel: i32| {
                let size = level.size[axis];
                let coordinate = ellipse_coordinate(texel, size, state.is_unnormalized);
                axis_taps(coordinate, size, state.wrap[axis], false, state.is_unnormalized).texels[0]
            };
            match (texel(0, column), texel(1, row)) {
                (Some(x), Some(y)) => self.texel(level, x, y, 0, reference),
                _ => self.border(reference),
            }
        })
    }

    fn filter_levels(&self, position: [u32; 3], reference: u32, lod: i32) -> [u32; 4] {
        let taps = level_taps(self.state, lod);
        let (minifies, magnifies) = self.state.filters_linearly();
        let is_linear = if taps.is_magnified { magnifies } else { minifies };
        let first = self.filter_level(taps.levels[0], position, reference, is_linear);
        if taps.weight == 0 {
            return first;
        }
        let second = self.filter_level(taps.levels[1], position, reference, is_linear);
        self.interpolate(first, second, taps.weight)
    }

    fn filter_level(&self, level: u32, position: [u32; 3], reference: u32, is_linear: bool) -> [u32; 4] {
        let level = &self.levels[level as usize];
        let axis = |axis: usize| {
            let wrap =
                if self.state.dimensions == Dimensions::Cube { Wrap::ClampToEdge } else { self.state.wrap[axis] };
            axis_taps(position[axis], level.size[axis], wrap, is_linear, self.state.is_unnormalized)
        };
        let (x, y) = (axis(0), axis(1));
        let slice = |z: Option<u32>| self.filter_slice(level, x, y, z, reference);
        if self.state.dimensions != Dimensions::Three {
            return slice(Some(0));
        }
        let z = axis(2);
        if z.weight == 0 {
            return slice(z.texels[0]);
        }
        self.interpolate(slice(z.texels[0]), slice(z.texels[1]), z.weight)
    }

    fn filter_slice(&self, level: &MipLevel, x: AxisTaps, y: AxisTaps, z: Option<u32>, reference: u32) -> [u32; 4] {
        let texel = |column: usize, row: usize| match (x.texels[column], y.texels[row], z) {
            (Some(x), Some(y), Some(z)) => self.texel(level, x, y, z, reference),
            _ => self.border(reference),
        };
        if self.state.filters_integers() {
            let [a, b, c, d] = [texel(0, 0), texel(1, 0), texel(0, 1), texel(1, 1)];
            return std::array::from_fn(|channel| {
                let upper = a[channel] * (256 - x.weight) + b[channel] * x.weight;
                let lower = c[channel] * (256 - x.weight) + d[channel] * x.weight;
                (upper * (256 - y.weight) + lower * y.weight + 0x8000) >> 16
            });
        }
        let upper = self.interpolate(texel(0, 0), texel(1, 0), x.weight);
        let lower = self.interpolate(texel(0, 1), texel(1, 1), x.weight);
        self.interpolate(upper, lower, y.weight)
    }

    fn interpolate(&self, first: [u32; 4], second: [u32; 4], weight: u32) -> [u32; 4] {
        if weight == 0 {
            return first;
        }
        if self.state.filters_integers() {
            return std::array::from_fn(|channel| {
                (first[channel] * (256 - weight) + second[channel] * weight + 128) >> 8
            });
        }
        // Weights of 8 bits are exact.
        let [kept, taken] = [256 - weight, weight].map(|weight| {
            let weight = fragment::int_to_float(weight.cast_signed());
            fragment::mul(weight, 0x3b80_0000)
        });
        std::array::from_fn(|channel| {
            fragment::add(fragment::mul(first[channel], kept), fragment::mul(second[channel], taken))
        })
    }

    fn texel(&self, level: &MipLevel, x: u32, y: u32, z: u32, reference: u32) -> [u32; 4] {
        let state = self.state;
        let bytes = state.format.element_bytes();
        let offset = match (state.format.storage(), state.is_linear) {
            (TexelStorage::Block(_), _) => level
                .slice_bytes(true)
                .wrapping_mul(z)
                .wrapping_add(y / 4 * level.pitch_bytes)
                .wrapping_add(x / 4 * bytes),
            (_, false) => swizzled_index([x, y, z], level.size.map(u32::ilog2)).wrapping_mul(bytes),
            (storage, true) => {
                let column = if matches!(storage, TexelStorage::Pair(_)) { x / 2 } else { x };
                let slice = level.slice_bytes(false).wrapping_mul(z);
                slice.wrapping_add(y.wrapping_mul(level.pitch_bytes)).wrapping_add(column * bytes)
            }
        };
        let element = self.element(self.face_offset.wrapping_add(level.offset).wrapping_add(offset), bytes);
        if let TexelStorage::Depth { shift, width } = state.format.storage() {
            let depth = (element[0] >> shift) & (u32::MAX >> (32 - width));
            return self.compare(reference, depth, width);
        }
        if state.filters_integers() {
            return state.format.decode_unorm16(element, x, y).unwrap_or_default();
        }
        self.decode_float(element, x, y)
    }

    /// Reads an element of up to 16 bytes; zeros unless all of it lies in the window.
    fn element(&self, offset: u32, bytes: u32) -> [u32; 4] {
        match bytes {
            1 => [u32::from(self.memory.read::<1>(self.state.window, offset)[0]), 0, 0, 0],
            2 => [u32::from(u16::from_le_bytes(self.memory.read(self.state.window, offset))), 0, 0, 0],
            4 => [self.memory.read_u32(self.state.window, offset), 0, 0, 0],
            8 => words_of(&self.memory.read::<8>(self.state.window, offset)),
            _ => words_of(&self.memory.read::<16>(self.state.window, offset)),
        }
    }

    /// Decodes with the signed and expanding rules of the unit.
    fn decode_float(&self, element: [u32; 4], x: u32, y: u32) -> [u32; 4] {
        let state = self.state;
        let Some(fractions) = state.format.decode_unorm16(element, x, y) else {
            return state.format.decode(element, x, y);
        };
        std::array::from_fn(|channel| {
            // Flags count blue, green, red, alpha.
            if (state.signed >> [2, 1, 0, 3][channel]) & 1 != 0 {
                signed_byte(fractions[channel] >> 8)
            } else if state.expand_normal {
                signed_byte((fractions[channel] >> 8) ^ 0x80)
            } else {
                fragment::unorm_to_float(fractions[channel], 16)
            }
        })
    }

    fn border(&self, reference: u32) -> [u32; 4] {
        let channel = |shift: u32| (self.state.border_color >> shift) & 0xff;
        if let TexelStorage::Depth { width, .. } = self.state.format.storage() {
            // Unverified: the border's depth is its red channel.
            return self.compare(reference, channel(16) * (0x01_0101 >> (24 - width)), width);
        }
        let fractions = [16, 8, 0, 24].map(|shift| channel(shift) * 0x101);
        if self.state.filters_integers() {
            return fractions;
        }
        fractions.map(|value| fragment::unorm_to_float(value, 16))
    }

    /// Compares the reference, clamped and rounded to the depth's width, with a stored depth: all ones or all zeros.
    fn compare(&self, reference: u32, depth: u32, width: u8) -> [u32; 4] {
        let reference = fragment::float_to_unorm(reference, u32::from(width));
        let passes = match self.state.shadow_compare & 7 {
            0 => false,
            1 => reference > depth,
            2 => reference == depth,
            3 => reference >= depth,
            4 => reference < depth,
            5 => reference != depth,
            6 => reference <= depth,
            _ => true,
        };
        [if passes { 0xffff } else { 0 }; 4]
    }
}

/// Remaps the channels of a filtered value and removes gamma.
fn finish(state: &TextureState, filtered: [u32; 4]) -> [u32; 4] {
    let channels = state.remapped_channels();
    std::array::from_fn(|channel| {
        let source = match channels[channel] {
            RemappedChannel::Zero => return 0,
            RemappedChannel::One => return ONE,
            RemappedChannel::Source(source) => filtered[usize::from(source)],
        };
        if !state.filters_integers() {
            source
        } else if state.removes_gamma() && (state.gamma >> channel) & 1 != 0 {
            fragment::unorm_to_float(linear_fraction(source), 24)
        } else {
            fragment::unorm_to_float(source, 16)
        }
    })
}

/// Little-endian words, filled up with zeros.
fn words_of(bytes: &[u8]) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}
