//! What is baked into a kernel of whole tiles, and how much such a kernel may do at once.

use super::{FragmentKernelKey, Needs};
use crate::program::fragment::FragmentInput;
use crate::recompiler::merge_pixels::MergeKey;
use crate::reference::raster_parameters::{
    CLAMPS_DEPTH, CLIPS_DEPTH, IS_FLAT, LINE_SMOOTH, LINE_STIPPLE, NO_REGISTER, POLYGON_SMOOTH, POLYGON_STIPPLE,
    RasterParameters, SPRITE_R_SHIFT, TEXCOORD_SPRITE, TWO_SIDED, USER_CLIP, WINDOW_CLIP, WINDOW_CLIP_EXCLUSIVE,
};
use crate::work::SampleMode;

/// Invocations per workgroup: one per tile.
pub const TILES_PER_GROUP: u32 = 16;

/// Most rounds of loops that an invocation runs before it leaves the rest of its tile to another dispatch.
///
/// Llvmpipe ends all loops of an invocation after 65,535 rounds (`LP_MAX_TGSI_LOOP_ITERATIONS` of Mesa's gallivm). It runs
/// eight invocations in lockstep and counts the rounds of any of them; each can count only its own.
const ROUND_LIMIT: u64 = 65_535 / 8;
/// Rounds between two looks at the limit, but for those of a quad: a bin's summary, a record, the quads of a tile, once to see
/// whether they are hidden.
const WALK_ROUNDS: u64 = 128 + 2 + 2 * 256;
/// Most rounds of loops that shading a quad may take in this kernel.
pub const MOST_QUAD_ROUNDS: u64 = 2048;
/// How a kernel interpolates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interpolation {
    /// By plain operations; leaves the tile to the next dispatch where these might not be exact.
    Plain,
    /// As the reference does, whatever the values.
    Exact,
}

/// Dispatches of a batch that take turns with one list of workgroup counts.
pub const CONTINUATIONS: u32 = 256;

/// Rounds after which an invocation stops, where shading a quad takes at most `quad_rounds`.
pub(super) const fn stopping_rounds(quad_rounds: u64) -> u64 {
    ROUND_LIMIT - WALK_ROUNDS - 1 - quad_rounds
}

/// How many dispatches are enough for any primitives; `quad_rounds` is at most [`MOST_QUAD_ROUNDS`].
///
/// They are plain and exact in turn; those that are exact stop for their rounds alone.
#[must_use]
pub const fn most_dispatches(primitives: u32, tile_quads: u32, quad_rounds: u64) -> u64 {
    let rounds = primitives as u64 * (2 + tile_quads as u64 * (3 + quad_rounds));
    // What stops begins its record again.
    2 * (1 + rounds / (stopping_rounds(quad_rounds) - 2))
}

/// What is baked of [`RasterParameters`]: only what the inputs at hand depend on, so that draws share kernels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RasterKey {
    pub(super) flags: u32,
    pub(super) colors: [u32; 4],
    pub(super) fog: [u32; 2],
    pub(super) texcoords: [u32; 12],
}

/// Everything that is baked into one kernel, but for the state of texture units.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TileKernelKey {
    /// The fragment program and its controls.
    pub fragment: FragmentKernelKey,
    /// The rasteriser and the interpolants.
    pub raster: RasterKey,
    /// The output merger.
    pub merge: MergeKey,
    /// Most rounds of loops that shading a quad takes.
    pub quad_rounds: u64,
}

impl TileKernelKey {
    /// The key of a draw, with the rounds of loops that a fetch from a unit takes; `None` where it must go through the
    /// separate stages.
    #[must_use]
    pub fn new(
        fragment: FragmentKernelKey,
        raster: &RasterParameters,
        merge: MergeKey,
        fetch_rounds: &dyn Fn(u8) -> u64,
    ) -> Option<Self> {
        const SEPARATE: u32 = LINE_SMOOTH | LINE_STIPPLE | POLYGON_SMOOTH | USER_CLIP;
        let is_plain = raster.flags & SEPARATE == 0
            && fragment.samples == SampleMode::One
            && merge.multisampling.is_none()
            && !merge.encodes_srgb;
        let quad_rounds = fragment.most_rounds(fetch_rounds);
        if !is_plain || quad_rounds > MOST_QUAD_ROUNDS {
            return None;
        }
        let raster = RasterKey::new(&fragment, raster);
        Some(Self { fragment, raster, merge, quad_rounds })
    }
}

impl RasterKey {
    fn new(fragment: &FragmentKernelKey, raster: &RasterParameters) -> Self {
        let needs = Needs::of(fragment);
        let reads = |input: FragmentInput| {
            needs.inputs.contains(&input) || needs.indexed_attributes.contains(&input.attribute())
        };
        let reads_color = [FragmentInput::Color0, FragmentInput::Color1].map(reads);
        let mut flags = CLIPS_DEPTH | CLAMPS_DEPTH | POLYGON_STIPPLE | WINDOW_CLIP | WINDOW_CLIP_EXCLUSIVE;
        if reads_color.contains(&true) {
            flags |= IS_FLAT | TWO_SIDED;
        }
        let mut texcoords = [NO_REGISTER; 12];
        for (index, texcoord) in (0..10u8).zip(&mut texcoords) {
            if reads(FragmentInput::TexCoord(index)) {
                *texcoord = raster.texcoords[usize::from(index)];
            }
            if *texcoord & TEXCOORD_SPRITE != 0 {
                flags |= 3 << SPRITE_R_SHIFT;
            }
        }
        let flags = flags & raster.flags;
        let color = |place: usize| {
            let is_read = reads_color[place & 1] && (place < 2 || flags & TWO_SIDED != 0);
            if is_read { raster.colors[place] } else { NO_REGISTER }
        };
        let fog = if reads(FragmentInput::Fog) { [raster.scalars[0], raster.scalars[2]] } else { [NO_REGISTER, 0] };
        Self { flags, colors: [0, 1, 2, 3].map(color), fog, texcoords }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_primitives_take_one_dispatch() {
        // 38 primitives × (2 + 64 × 3) rounds are 7372; between the dispatches lie 8191 - 642 - 1 rounds.
        assert_eq!([0, 1, 38, 39].map(|primitives| most_dispatches(primitives, 64, 0)), [2, 2, 2, 4]);
        assert_eq!(most_dispatches(1, 256, MOST_QUAD_ROUNDS), 2 * (1 + 256 * 2051 / 5498));
    }
}
