//! The textures of a launch: what each unit samples.

use std::collections::BTreeMap;

use super::{LaunchMemory, LaunchTextureError};
use crate::format::{TexelStorage, TextureFormat};
use crate::pipeline::{Dimensions, Filter, RemappedChannel, Sampler, TextureLayout, TextureState, TextureView};

/// The most textures that a program reads. The chip has more units; this is how many the kernels bind.
pub const MAX_TEXTURES: usize = 16;

/// The longest side of a texture that is sampled. Weights are exact up to it.
// Unverified: whether weights of longer sides have all eight bits; the chip's limit is more in linear memory.
pub const SAMPLED_SIDE: u32 = 8192;

/// The longest sides of textures of one, two and three dimensions.
///
/// Source: the CUDA Programming Guide 2.3, appendix A: linear memory, linear memory, an array.
const MAX_SIDES: [[u32; 3]; 3] = [[1 << 27, 1, 1], [0x1_0000, 0x8000, 1], [2048; 3]];

/// The smallest level of detail, −4096 as bits of a float: derivatives that are zero have none.
pub const MIN_LOD: u32 = 0xc580_0000;

/// Sides in the form `4×4`.
fn sides(size: [u32; 3], axes: usize) -> String {
    size[..axes].iter().map(u32::to_string).collect::<Vec<_>>().join("×")
}

/// How many coordinates name a place in a texture.
#[must_use]
pub const fn texture_axes(dimensions: Dimensions) -> usize {
    match dimensions {
        Dimensions::One => 1,
        Dimensions::Two => 2,
        Dimensions::Three | Dimensions::Cube => 3,
    }
}

/// Where the registers of a texture instruction have what follows the coordinates: the layer of an array, the depth that is
/// compared, and the level of detail or bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CoordinatePlaces {
    /// The dimensions of the texture, which has so many coordinates.
    pub dimensions: Dimensions,
    /// The layer of an array.
    pub layer: Option<usize>,
    /// The depth that is compared.
    pub reference: Option<usize>,
    /// The level of detail or bias of an instruction that samples.
    pub lod: usize,
}

impl CoordinatePlaces {
    /// The places for a texture.
    #[must_use]
    pub fn of(state: &TextureState) -> Self {
        let (dimensions, is_array, compares) =
            (state.view.dimensions, state.view.layers.is_some(), state.view.compares_depth());
        let layer = texture_axes(dimensions);
        let reference = layer + usize::from(is_array);
        let lod = reference + usize::from(compares);
        Self { dimensions, layer: is_array.then_some(layer), reference: compares.then_some(reference), lod }
    }

    /// The places for an instruction, whose coordinates are those of a cube map or not. Others name the faces of an array of cube
    /// maps as layers, with coordinates that an instruction has prepared.
    #[must_use]
    pub fn of_coordinates(&self, are_of_cube: bool) -> Self {
        if !self.is_cube_array() || are_of_cube {
            return *self;
        }
        let compares = self.reference.is_some();
        Self {
            dimensions: Dimensions::Two,
            layer: Some(2),
            reference: compares.then_some(3),
            lod: 3 + usize::from(compares),
        }
    }

    /// Whether the texture is an array of cube maps.
    #[must_use]
    pub const fn is_cube_array(&self) -> bool {
        matches!(self.dimensions, Dimensions::Cube) && self.layer.is_some()
    }

    /// How many coordinates of a sampled place the offsets of an instruction move.
    #[must_use]
    pub const fn moved_axes(&self) -> usize {
        if matches!(self.dimensions, Dimensions::Cube) { 0 } else { texture_axes(self.dimensions) }
    }

    /// The level of an instruction that reads a texel, which compares nothing.
    #[must_use]
    pub fn texel_level(&self) -> usize {
        self.reference.unwrap_or(self.lod)
    }
}

/// A view of rows without gaps, whose coordinates are texels, and whose components are read in place.
#[must_use]
pub fn rows_of_texels(format: TextureFormat, dimensions: Dimensions, size: [u32; 3]) -> TextureView {
    TextureView {
        layout: TextureLayout::Linear { pitch_bytes: size[0].wrapping_mul(format.bytes()) },
        is_unnormalized: true,
        remap: missing_components(format),
        ..TextureView::plain(format, dimensions, size)
    }
}

/// Checks that compute programs can read a view, and that `found` bytes hold its texels.
fn check_view(view: &TextureView, found: usize) -> Result<(), LaunchTextureError> {
    if !view.format.is_of_tesla() {
        return Err(LaunchTextureError::Format { format: view.format.name() });
    }
    let axes = texture_axes(view.dimensions);
    let longest = MAX_SIDES[axes - 1];
    let size = sides(view.size, axes);
    if view.size.iter().zip(longest).any(|(side, longest)| *side == 0 || *side > longest) {
        return Err(LaunchTextureError::Size { size, longest: sides(longest, axes) });
    }
    let (needed, found) = (view.reached_bytes(), found as u64);
    if needed == found { Ok(()) } else { Err(LaunchTextureError::Bytes { size, needed, found }) }
}

/// Whether compute programs can sample as a sampler tells.
const fn check_sampler(sampler: &Sampler) -> Result<(), LaunchTextureError> {
    match (sampler.min_filter, sampler.mag_filter) {
        (Filter::Convolution(_), _) | (_, Filter::Convolution(_)) => Err(LaunchTextureError::Kind),
        _ => Ok(()),
    }
}

/// The components of a format; of those that it does not store, the last one is 1 and the others 0.
///
/// The texture entries of Tesla name these constants, an integer and a float 1 (envytools `g80_texture.xml`,
/// `G80_TIC_SOURCE`).
// Unverified: that CUDA's driver chooses them; its compiler drops the components.
fn missing_components(format: TextureFormat) -> [RemappedChannel; 4] {
    let count = match format.storage() {
        TexelStorage::Components(components) => components.count,
        _ => 4,
    };
    let one = if format.holds_integers() { RemappedChannel::OneInteger } else { RemappedChannel::One };
    [0, 1, 2, 3].map(|channel| match channel {
        channel if channel < count => RemappedChannel::Source(channel),
        3 => one,
        _ => RemappedChannel::Zero,
    })
}

/// The textures and the samplers of a launch by unit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LaunchTextures {
    textures: BTreeMap<u8, TextureView>,
    samplers: BTreeMap<u8, Sampler>,
    /// The textures with their samplers that are bound together.
    states: BTreeMap<[u8; 2], TextureState>,
}

impl LaunchTextures {
    /// Binds a texture, whose texels are in the view's window of memory, to a unit.
    ///
    /// # Errors
    /// When the texture has a format or size that compute programs do not read, or its window another number of bytes than
    /// its texels.
    pub fn bind(&mut self, unit: u8, view: &TextureView) -> Result<(), LaunchTextureError> {
        check_view(view, view.window.bytes as usize)?;
        self.textures.insert(unit, *view);
        Ok(())
    }

    /// Binds a texture to a unit. Its bytes, up to the last texel, are added to the memory of the launch.
    ///
    /// # Errors
    /// As for [`Self::bind`], and when there is no room.
    pub fn bind_texels(
        &mut self,
        unit: u8,
        view: &TextureView,
        texels: &[u8],
        memory: &mut LaunchMemory,
    ) -> Result<(), LaunchTextureError> {
        check_view(view, texels.len())?;
        let no_room = LaunchTextureError::OutOfMemory { bytes: texels.len() as u64 };
        let window = memory.add_texels(texels).ok_or(no_room)?;
        self.textures.insert(unit, TextureView { window, ..*view });
        Ok(())
    }

    /// Binds a sampler to a unit.
    ///
    /// # Errors
    /// When its filter is none of those that compute programs use.
    pub fn bind_sampler(&mut self, unit: u8, sampler: &Sampler) -> Result<(), LaunchTextureError> {
        check_sampler(sampler)?;
        self.samplers.insert(unit, *sampler);
        Ok(())
    }

    /// Binds a texture, whose texels are in the view's window of memory, and a sampler to their units. Other textures may have
    /// the same sampler in another state.
    ///
    /// # Errors
    /// As for [`Self::bind`] and [`Self::bind_sampler`].
    pub fn bind_state(&mut self, units: [u8; 2], state: &TextureState) -> Result<(), LaunchTextureError> {
        check_view(&state.view, state.view.window.bytes as usize)?;
        check_sampler(&state.sampler)?;
        self.states.insert(units, state.clone());
        Ok(())
    }

    /// The textures of a draw's units, whose texels are in guest memory; `units` are the numbers of each unit's texture and
    /// sampler.
    #[must_use]
    pub fn of_units(units: &[[u8; 2]], states: &[Option<TextureState>]) -> Self {
        let bound = units.iter().zip(states).filter_map(|(units, state)| Some((*units, state.clone()?)));
        Self { states: bound.collect(), ..Self::default() }
    }

    /// The textures of a stage with the numbers of each texture and of its sampler, whose texels are in guest memory.
    #[must_use]
    pub fn of_stage(textures: &[([u8; 2], TextureState)]) -> Self {
        Self { states: textures.iter().cloned().collect(), ..Self::default() }
    }

    /// The units of textures that have a sampler too.
    pub fn units(&self) -> impl Iterator<Item = u8> {
        self.textures.keys().copied().filter(|unit| self.samplers.contains_key(unit))
    }

    /// A texture, sampled as a sampler tells; `None` unless both are bound.
    #[must_use]
    pub fn state(&self, texture: u8, sampler: u8) -> Option<TextureState> {
        if let Some(state) = self.states.get(&[texture, sampler]) {
            return Some(state.clone());
        }
        Some(TextureState { view: *self.textures.get(&texture)?, sampler: *self.samplers.get(&sampler)? })
    }
}
