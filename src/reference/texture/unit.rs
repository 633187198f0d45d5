//! The texture unit: turns the coordinates of a quad into filtered, remapped values.
//!
//! Unsigned normalized formats are filtered as 16-bit integers with 8-bit weights: a bilinear sum is rounded once, and
//! each further interpolation (slices, then levels) once more. All other formats are filtered as floats, where each
//! interpolation is `a·(1−w) + b·w` in single precision; a weight of zero omits the second value.
//! Unverified: the chip's precision for both.

use super::addressing::{AxisTaps, axis_neighbors, cube_coordinates, cube_face};
use super::convolution::weighted;
use super::lod::{Footprint, accessed_level, fixed_lod, footprint, level_taps};
use super::probes::{mean, probe};
use super::texel::Fetcher;
use crate::arith::{ONE, fragment};
use crate::counters::LookupCounts;
use crate::format::srgb_decode::linear_fraction;
use crate::memory::GuestMemory;
use crate::pipeline::{ColorKeyMode, Dimensions, EngineError, Filter, MipLevel, RemappedChannel, TextureState};
use crate::pipeline::{ConvolutionKernel, kernel_texels};
use crate::reference::observer::{DrawObserver, Unobserved};

/// The source of a texture fetch's level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LodMode {
    /// Computed from the differences of the coordinates over the quad, plus a bias per fragment.
    Implicit {
        /// Float bits.
        bias: [u32; 4],
    },
    /// Given per fragment, as float bits.
    Explicit([u32; 4]),
    /// Computed from given derivatives of the coordinates, per fragment.
    Gradient {
        /// Along window x.
        x: [[u32; 4]; 4],
        /// Along window y.
        y: [[u32; 4]; 4],
    },
}

/// The texture units that a program fetches from.
pub trait TextureUnits {
    /// Samples a unit at the coordinates of four fragments.
    ///
    /// # Errors
    /// When the unit's state asks for something that is not executed.
    fn sample(&mut self, unit: u8, coordinates: &[[u32; 4]; 4], mode: LodMode) -> Result<[[u32; 4]; 4], EngineError>;

    /// Takes the mask of fragments that fetches since the last call discard, by alpha kill or a color key.
    fn take_discarded(&mut self) -> u8 {
        0
    }
}

/// Units without textures: every fetch returns (0, 0, 0, 1).
#[derive(Debug, Clone, Copy, Default)]
pub struct NoTextures;

impl TextureUnits for NoTextures {
    fn sample(&mut self, _: u8, _: &[[u32; 4]; 4], _: LodMode) -> Result<[[u32; 4]; 4], EngineError> {
        Ok([[0, 0, 0, ONE]; 4])
    }
}

/// The texture units of a draw, over guest memory.
#[derive(Debug, Clone)]
pub struct BoundTextures<'a> {
    memory: &'a GuestMemory,
    textures: &'a [Option<TextureState>; 16],
    discarded: u8,
    observer: &'a dyn DrawObserver,
}

impl<'a> BoundTextures<'a> {
    /// The units of a draw.
    #[must_use]
    pub const fn new(memory: &'a GuestMemory, textures: &'a [Option<TextureState>; 16]) -> Self {
        Self { memory, textures, discarded: 0, observer: &Unobserved }
    }

    /// The same units, which report their fetches to an observer.
    #[must_use]
    pub const fn observed(self, observer: &'a dyn DrawObserver) -> Self {
        Self { observer, ..self }
    }
}

impl TextureUnits for BoundTextures<'_> {
    fn sample(&mut self, unit: u8, coordinates: &[[u32; 4]; 4], mode: LodMode) -> Result<[[u32; 4]; 4], EngineError> {
        // Unverified: what the chip returns for a disabled unit.
        let Some(state) = self.textures.get(usize::from(unit)).and_then(Option::as_ref) else {
            return Ok([[0, 0, 0, ONE]; 4]);
        };
        if let Some(what) = state.view.unsupported() {
            return Err(EngineError::Unsupported { what });
        }
        let sampled = sample(self.memory, state, coordinates, mode, self.observer);
        self.discarded |= sampled.discarded;
        self.observer.finish_fetch(unit);
        Ok(sampled.values)
    }

    fn take_discarded(&mut self) -> u8 {
        std::mem::take(&mut self.discarded)
    }
}

/// The result of sampling a texture at the four pixels of a quad.
struct Sampled {
    /// By pixel, then component.
    values: [[u32; 4]; 4],
    /// The discarded pixels.
    discarded: u8,
}

/// Samples a texture for the four pixels of a quad; `coordinates` are indexed by pixel, then component.
fn sample(
    memory: &GuestMemory,
    state: &TextureState,
    coordinates: &[[u32; 4]; 4],
    mode: LodMode,
    observer: &dyn DrawObserver,
) -> Sampled {
    let footprints = footprints(state, coordinates, mode, state.view.dimensions == Dimensions::Cube);
    let layout = state.view.level_layout();
    let mut sampler = Sampler::new(memory, state, &layout, observer);
    let mut discarded = 0;
    let values = std::array::from_fn(|pixel| {
        let (value, is_discarded) = sampler.sample(coordinates[pixel], &footprints[pixel]);
        discarded |= u8::from(is_discarded) << pixel;
        value
    });
    Sampled { values, discarded }
}

/// A texture with what its samples have in common.
pub(crate) struct Sampler<'a> {
    fetcher: Fetcher<'a>,
    ending: Ending<'a>,
    /// Whether coordinates are directions.
    is_cube: bool,
}

impl<'a> Sampler<'a> {
    /// A sampler of the levels of a state, and of faces at this distance.
    pub(crate) fn new(
        memory: &'a GuestMemory,
        state: &'a TextureState,
        layout: &'a (Vec<MipLevel>, u32),
        observer: &'a dyn DrawObserver,
    ) -> Self {
        let fetcher = Fetcher::new(memory, state, layout, observer);
        let is_cube = state.view.dimensions == Dimensions::Cube;
        Self { fetcher, ending: Ending::new(state), is_cube }
    }

    /// The same at places that these texels are added to.
    pub(crate) fn with_offsets(mut self, offsets: [i8; 3]) -> Self {
        self.fetcher.offsets = offsets;
        self
    }

    /// The same, whose layers are the faces of an array of cube maps.
    pub(crate) const fn over_faces(self) -> Self {
        Self { is_cube: false, ..self }
    }

    /// Samples at one place. The level of detail is a float, to which the sampler's bias is added.
    pub(crate) fn sample_at(&mut self, coordinates: [u32; 4], lod: u32) -> [u32; 4] {
        let bias = self.fetcher.state.sampler.limited_lod_bias();
        self.sample(coordinates, &Footprint::point(fixed_lod(lod) + bias)).0
    }

    /// Samples at the place of one pixel of a quad. The level of detail comes from the differences of the coordinates over the
    /// quad, plus a bias.
    pub(crate) fn sample_in_quad(&mut self, coordinates: &[[u32; 4]; 4], bias: u32, pixel: usize) -> [u32; 4] {
        self.sample(coordinates[pixel], &self.implicit(coordinates, bias)[pixel]).0
    }

    fn implicit(&self, coordinates: &[[u32; 4]; 4], bias: u32) -> [Footprint; 4] {
        footprints(self.fetcher.state, coordinates, LodMode::Implicit { bias: [bias; 4] }, self.is_cube)
    }

    /// The level that a sample at the place of one pixel of a quad reads, and its level of detail, both in 1/256.
    // Unverified: that both include the sampler's bias. OpenGL 4.0, section 3.8.11, asks for it.
    pub(crate) fn query_in_quad(&self, coordinates: &[[u32; 4]; 4], pixel: usize) -> [u32; 4] {
        self.queried(self.implicit(coordinates, 0)[pixel].lod)
    }

    /// The same at a level of detail, a float.
    pub(crate) fn query_at(&self, lod: u32) -> [u32; 4] {
        self.queried(fixed_lod(lod) + self.fetcher.state.sampler.limited_lod_bias())
    }

    fn queried(&self, lod: i32) -> [u32; 4] {
        [accessed_level(self.fetcher.state, lod), lod.cast_unsigned(), 0, 0]
    }

    /// The coordinates of a direction and a layer of an array of cube maps as those of its faces: s, t, and the number of the face.
    // Unverified: what the instruction computes. Mesa's driver samples what it returns as an array of two dimensions.
    pub(crate) fn prepare_cube(&self, [x, y, z, layer]: [u32; 4]) -> [u32; 4] {
        let face = cube_face([x, y, z]);
        let [s, t] = cube_coordinates([x, y, z], face);
        let last = self.last_face() / 6;
        [s, t, layer.min(last) * 6 + face, 0]
    }

    /// Reads the first component of the four texels around a place in the first level: those of the next row, then those of the
    /// row itself, both counterclockwise, as OpenGL 4.0 numbers them (section 3.8.8).
    // Unverified: that neither limits of the level of detail nor biases choose another level, that the component is the first one
    // that programs read, and the slice of a volume.
    pub(crate) fn gather(&mut self, coordinates: [u32; 4]) -> [u32; 4] {
        let (position, reference) = self.enter_face(coordinates);
        let Some(level) = self.fetcher.levels.first() else { return [0; 4] };
        self.fetcher.observer.sample_texture(LookupCounts::first_level(1));
        self.fetcher.observer.filter_steps(1);
        let [columns, rows, slices] =
            std::array::from_fn(|axis| self.fetcher.axis(level, position[axis], axis, true).texels);
        let is_volume = self.fetcher.state.view.dimensions == Dimensions::Three;
        let slice = if is_volume { slices[0] } else { Some(0) };
        let texels = [[0, 1], [1, 1], [1, 0], [0, 0]].map(|[column, row]| {
            let texel = self.fetcher.texel(level, [columns[column], rows[row], slice], reference);
            self.ending.finish(texel).0[0]
        });
        self.fetcher.observer.finish_pixel();
        texels
    }

    fn last_face(&self) -> u32 {
        self.fetcher.state.view.faces().saturating_sub(1)
    }

    /// Reads the texel at integer coordinates x, y and z of a level; of arrays, z is the layer. Zeros if there is none.
    // Unverified: that places outside the level give zeros in all components.
    pub(crate) fn fetch(&mut self, position: [u32; 3], level: u32) -> [u32; 4] {
        let texel = self.fetch_texel(position, level);
        self.fetcher.observer.finish_pixel();
        texel
    }

    fn fetch_texel(&mut self, [x, y, z]: [u32; 3], level: u32) -> [u32; 4] {
        let Some(level) = self.fetcher.levels.get(level as usize) else { return [0; 4] };
        let (position, layer) = if self.fetcher.state.view.layers.is_some() {
            if z > self.last_face() {
                return [0; 4];
            }
            ([x, y, 0], z)
        } else {
            ([x, y, z], 0)
        };
        if position.iter().zip(level.size).any(|(texel, side)| *texel >= side) {
            return [0; 4];
        }
        self.fetcher.face = layer;
        self.fetcher.observer.sample_texture(LookupCounts::first_level(1));
        self.fetcher.observer.filter_steps(1);
        let border = self.fetcher.state.view.border_texels();
        let stored = std::array::from_fn(|axis| Some(position[axis] + border[axis]));
        self.ending.finish(self.fetcher.texel(level, stored, 0)).0
    }

    /// The value at the coordinates of one pixel, and whether it discards the fragment. The fourth coordinate of arrays is the
    /// number of the layer, an integer.
    fn sample(&mut self, coordinates: [u32; 4], footprint: &Footprint) -> ([u32; 4], bool) {
        let (position, reference) = self.enter_face(coordinates);
        let filtered = self.fetcher.filter_footprint(position, reference, footprint);
        self.fetcher.observer.finish_pixel();
        self.ending.finish(filtered)
    }

    /// Turns to the face or layer of coordinates; returns the place in it, and what is compared with depths there.
    fn enter_face(&mut self, [x, y, z, w]: [u32; 4]) -> ([u32; 3], u32) {
        let is_array = self.fetcher.state.view.layers.is_some();
        let (position, reference, face) = match (self.is_cube, is_array) {
            // Unverified: cube faces compare the fourth component, the only one that the direction does not use.
            (true, false) => {
                let face = cube_face([x, y, z]);
                let [s, t] = cube_coordinates([x, y, z], face);
                ([s, t, 0], w, face)
            }
            (true, true) => {
                let [s, t, face, _] = self.prepare_cube([x, y, z, w]);
                ([s, t, 0], 0, face)
            }
            (false, true) => ([x, y, z], z, w.min(self.last_face())),
            (false, false) => ([x, y, z], z, 0),
        };
        self.fetcher.face = face;
        (position, reference)
    }
}

/// The footprint of each pixel, including biases.
fn footprints(state: &TextureState, coordinates: &[[u32; 4]; 4], mode: LodMode, is_cube: bool) -> [Footprint; 4] {
    let biased = |found: Footprint, bias: i32| Footprint { lod: found.lod + bias, ..found };
    let difference = |to: [u32; 3], from: [u32; 3]| std::array::from_fn(|axis| fragment::sub(to[axis], from[axis]));
    let origin = |pixel: usize| [coordinates[pixel][0], coordinates[pixel][1], coordinates[pixel][2]];
    match mode {
        LodMode::Implicit { bias } => {
            let implicit = |face: u32| {
                let [first, right, below] = [0, 1, 2].map(|pixel| on_face(is_cube, origin(pixel), face));
                footprint(state, difference(right, first), difference(below, first))
            };
            // OpenGL 2.1, section 3.8.6: each fragment selects its face. Section 3.8.8 then applies to that face's image,
            // so the coordinates whose differences count are those on the fragment's own face.
            let found: [Footprint; 4] = match is_cube {
                true => std::array::from_fn(|pixel| implicit(cube_face(origin(pixel)))),
                false => [implicit(0); 4],
            };
            std::array::from_fn(|pixel| biased(found[pixel], fixed_lod(bias[pixel]) + state.sampler.limited_lod_bias()))
        }
        // NV_fragment_program2, section 3.11.6.6: OpenGL 2.1, section 3.8.8, which adds the unit's bias, with ρ = 2^w.
        LodMode::Explicit(lod) => lod.map(|lod| Footprint::point(fixed_lod(lod) + state.sampler.limited_lod_bias())),
        LodMode::Gradient { x, y } => std::array::from_fn(|pixel| {
            let origin = origin(pixel);
            let face = cube_face(origin);
            let derivative = |step: [u32; 4]| {
                let step = [step[0], step[1], step[2]];
                if !is_cube {
                    return step;
                }
                let moved = std::array::from_fn(|axis| fragment::add(origin[axis], step[axis]));
                difference(on_face(is_cube, moved, face), on_face(is_cube, origin, face))
            };
            biased(footprint(state, derivative(x[pixel]), derivative(y[pixel])), state.sampler.limited_lod_bias())
        }),
    }
}

fn on_face(is_cube: bool, position: [u32; 3], face: u32) -> [u32; 3] {
    if !is_cube {
        return position;
    }
    let [s, t] = cube_coordinates(position, face);
    [s, t, 0]
}

impl Fetcher<'_> {
    fn filter_footprint(&self, position: [u32; 3], reference: u32, footprint: &Footprint) -> [u32; 4] {
        let taps = level_taps(self.state, footprint.lod);
        let (minification, magnification) = self.state.filters();
        let filter = if taps.is_magnified { magnification } else { minification };
        let sample = |level| self.filter_samples(level, position, reference, filter, footprint);
        let [first, second] = taps.levels;
        self.observer.sample_texture(LookupCounts::first_level(footprint.samples(first)));
        let fine = sample(first);
        if taps.weight == 0 {
            return fine;
        }
        self.observer.sample_texture(LookupCounts::second_level(footprint.samples(second)));
        self.interpolate(fine, sample(second), taps.weight)
    }

    /// The mean of the samples of a level, which lie evenly along the footprint's longer side.
    fn filter_samples(
        &self,
        level: u32,
        position: [u32; 3],
        reference: u32,
        filter: Filter,
        footprint: &Footprint,
    ) -> [u32; 4] {
        let samples = footprint.samples(level);
        let Some(axis) = footprint.axis.filter(|_| samples > 1) else {
            return self.filter_level(level, position, reference, filter);
        };
        let values: Vec<_> = (0..samples)
            .map(|number| {
                let [x, y, z] = position;
                let [x, y] = [(x, axis.step[0]), (y, axis.step[1])].map(|(at, step)| probe(at, step, number, samples));
                self.filter_level(level, [x, y, z], reference, filter)
            })
            .collect();
        mean(&values, self.filters_integers)
    }

    fn filter_level(&self, level: u32, position: [u32; 3], reference: u32, filter: Filter) -> [u32; 4] {
        let level = &self.levels[level as usize];
        if let Filter::Convolution(kernel) = filter {
            return self.convolve(level, position, reference, kernel);
        }
        let axis = |axis: usize| self.axis(level, position[axis], axis, filter == Filter::Linear);
        let (x, y) = (axis(0), axis(1));
        let slice = |z: Option<u32>| {
            self.observer.filter_steps(1);
            match filter {
                Filter::Linear => self.filter_slice(level, x, y, z, reference),
                _ => self.texel(level, [x.texels[0], y.texels[0], z], reference),
            }
        };
        if self.state.view.dimensions != Dimensions::Three {
            return slice(Some(0));
        }
        let z = axis(2);
        if z.weight == 0 {
            return slice(z.texels[0]);
        }
        self.interpolate(slice(z.texels[0]), slice(z.texels[1]), z.weight)
    }

    /// The convolution of the nearest texel and its neighbours in the nearest slice.
    fn convolve(&self, level: &MipLevel, position: [u32; 3], reference: u32, kernel: ConvolutionKernel) -> [u32; 4] {
        let neighbors = |axis: usize| {
            let found =
                axis_neighbors(position[axis], level.size[axis], self.wrap(axis), self.state.view.is_unnormalized);
            self.stored(axis, found.texels, found.with_border)
        };
        let (columns, rows) = (neighbors(0), neighbors(1));
        let slice = match self.state.view.dimensions {
            Dimensions::Three => self.axis(level, position[2], 2, false).texels[0],
            Dimensions::One | Dimensions::Two | Dimensions::Cube => Some(0),
        };
        self.observer.filter_steps(kernel_texels(kernel).div_ceil(4));
        weighted(kernel, self.filters_integers, |column, row| {
            self.texel(level, [columns[column], rows[row], slice], reference)
        })
    }

    fn filter_slice(&self, level: &MipLevel, x: AxisTaps, y: AxisTaps, z: Option<u32>, reference: u32) -> [u32; 4] {
        let texel = |column: usize, row: usize| self.texel(level, [x.texels[column], y.texels[row], z], reference);
        if self.filters_integers {
            let [a, b, c, d] = [texel(0, 0), texel(1, 0), texel(0, 1), texel(1, 1)];
            // Bytes are rounded after each step, 16-bit fractions once.
            let [half, places, last_half, last_places] =
                if self.filters_bytes { [128, 8, 128, 8] } else { [0, 0, 0x8000, 16] };
            return std::array::from_fn(|channel| {
                let upper = (a[channel] * (256 - x.weight) + b[channel] * x.weight + half) >> places;
                let lower = (c[channel] * (256 - x.weight) + d[channel] * x.weight + half) >> places;
                (upper * (256 - y.weight) + lower * y.weight + last_half) >> last_places
            });
        }
        let upper = self.interpolate(texel(0, 0), texel(1, 0), x.weight);
        let lower = self.interpolate(texel(0, 1), texel(1, 1), x.weight);
        self.interpolate(upper, lower, y.weight)
    }
}

/// The steps after filtering: the color key, the remap, gamma and alpha kill.
struct Ending<'a> {
    state: &'a TextureState,
    color_key: ColorKeyMode,
    channels: [RemappedChannel; 4],
    gamma: u8,
    is_integer: bool,
    is_byte: bool,
}

impl<'a> Ending<'a> {
    fn new(state: &'a TextureState) -> Self {
        Self {
            state,
            color_key: state.effective_color_key(),
            channels: if state.remaps_texels() { RemappedChannel::IDENTITY } else { state.view.remap },
            gamma: state.view.gamma_channels(),
            is_integer: state.view.filters_integers(),
            is_byte: state.view.filters_bytes(),
        }
    }

    /// The value that the program receives, and whether the fragment is discarded.
    ///
    /// Unverified: the color key compares the upper 8 bits of the filtered value before the remap, and alpha kill tests
    /// the value that the program receives.
    fn finish(&self, mut filtered: [u32; 4]) -> ([u32; 4], bool) {
        if self.is_byte {
            filtered = filtered.map(|byte| byte * 0x101);
        }
        let [red, green, blue, alpha] = filtered.map(|fraction| fraction >> 8);
        let color = alpha << 24 | red << 16 | green << 8 | blue;
        let is_keyed = self.color_key != ColorKeyMode::Off
            && (color ^ self.state.sampler.color_key) & self.state.view.color_key_mask() == 0;
        match self.color_key {
            ColorKeyMode::ClearAlpha if is_keyed => filtered[3] = 0,
            ColorKeyMode::ClearColor if is_keyed => filtered = [0; 4],
            _ => {}
        }
        let value = self.remapped(filtered);
        let is_killed = self.state.sampler.alpha_kill && value[3] & 0x7fff_ffff == 0;
        (value, is_killed || is_keyed && self.color_key == ColorKeyMode::Discard)
    }

    fn remapped(&self, filtered: [u32; 4]) -> [u32; 4] {
        std::array::from_fn(|channel| {
            let source = match self.channels[channel] {
                RemappedChannel::Zero => return 0,
                RemappedChannel::One => return ONE,
                RemappedChannel::OneInteger => return 1,
                RemappedChannel::Source(source) => filtered[usize::from(source)],
            };
            match (self.gamma >> channel & 1 != 0, self.is_integer) {
                (true, true) => fragment::unorm_to_float(linear_fraction(source), 24),
                (true, false) => fragment::unorm_to_float(linear_fraction(fragment::float_to_unorm(source, 16)), 24),
                (false, true) => fragment::unorm_to_float(source, 16),
                (false, false) => source,
            }
        })
    }
}
