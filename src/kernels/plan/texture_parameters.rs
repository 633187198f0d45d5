//! Turns the state of texture units into the parameters of the kernels that sample.

use bytemuck::{Pod, Zeroable};

use crate::format::srgb_decode::linear_fractions;
use crate::kernels::memory_mirror::{Locate, MirrorWindow};
use crate::pipeline::{MAX_LEVELS, SurfaceLayout, TextureState};
use crate::shader::simt::SimtProgram;

/// One unit; see `wgsl/texture/parameters.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct TextureParameters {
    pub start: u32,
    pub bytes: u32,
    pub face_bytes: u32,
    pub last_level: u32,
    pub lod_bias: i32,
    pub min_lod: i32,
    pub max_lod: i32,
    pub anisotropy_limit: i32,
    pub border: [u32; 4],
    pub color_key: [u32; 4],
    pub levels: [[u32; 4]; MAX_LEVELS as usize],
}

/// All parameters of the fragment stage (binding 11); see `wgsl/texture/parameters.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[expect(missing_docs, reason = "the WGSL twin describes the fields")]
pub struct ShadeParameters {
    pub zero: u32,
    pub targets: u32,
    pub padding: [u32; 2],
    pub spare: [[u32; 4]; 2],
    pub textures: [TextureParameters; 16],
    pub linear: [[u32; 4]; 65],
}

impl TextureParameters {
    /// The parameters of a unit's state.
    #[must_use]
    pub fn new(state: &TextureState, locate: Locate<'_>) -> Self {
        let MirrorWindow { start, bytes } = locate(state.view.window);
        let (levels, face_bytes) = state.view.level_layout();
        let mut table = [[0; 4]; MAX_LEVELS as usize];
        for (words, level) in table.iter_mut().zip(levels) {
            let [width, height, depth] = level.size;
            *words = [level.offset, width, height | depth << 16, row_word(level.layout)];
        }
        let lod = |value: u32| i32::try_from(value).unwrap_or(i32::MAX).min(1 << 20);
        Self {
            start,
            bytes,
            face_bytes,
            last_level: state.view.last_level(),
            lod_bias: state.sampler.limited_lod_bias(),
            min_lod: lod(state.sampler.min_lod),
            max_lod: lod(state.sampler.max_lod),
            anisotropy_limit: state.sampler.anisotropy_limit(),
            border: state.filtered_border(),
            color_key: [state.sampler.color_key, state.view.faces().saturating_sub(1), 0, 0],
            levels: table,
        }
    }
}

/// How a level's rows, or rows of blocks, follow each other.
fn row_word(layout: SurfaceLayout) -> u32 {
    match layout {
        SurfaceLayout::Linear { pitch_bytes } => pitch_bytes,
        SurfaceLayout::Swizzled { .. } => 0,
        SurfaceLayout::BlockLinear { blocks, .. } => {
            let [_, height, depth] = blocks.log2_block.map(u32::from);
            blocks.blocks()[0] | height << 24 | depth << 28
        }
    }
}

impl ShadeParameters {
    /// The parameters of the textures of a SIMT program, in the order of its key.
    #[must_use]
    pub fn of_program(program: &SimtProgram, textures: &[([u8; 2], TextureState)], locate: Locate<'_>) -> Self {
        let mut units = std::array::from_fn(|_| None);
        let states = program.texture_reads().into_keys().filter_map(|(texture, sampler)| {
            textures.iter().find(|(units, _)| *units == [texture, sampler]).map(|(_, state)| state.clone())
        });
        units.iter_mut().zip(states).for_each(|(unit, state)| *unit = Some(state));
        Self::new(&units, locate)
    }

    /// The parameters of a draw's texture units; disabled ones are zero.
    #[must_use]
    pub fn new(textures: &[Option<TextureState>; 16], locate: Locate<'_>) -> Self {
        let mut parameters = Self::zeroed();
        if textures.iter().flatten().any(|state| state.view.uses_srgb()) {
            for (slot, value) in parameters.linear.as_flattened_mut().iter_mut().zip(linear_fractions()) {
                *slot = *value;
            }
        }
        for (unit, state) in parameters.textures.iter_mut().zip(textures) {
            if let Some(state) = state {
                *unit = TextureParameters::new(state, locate);
            }
        }
        parameters
    }
}
