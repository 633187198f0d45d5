//! The key of a tile kernel, which draws whole tiles: everything that is baked into it.

use crate::pipeline::SampleMode;
use crate::recompiler::quad_inputs::{QuadInput, QuadKey};
use crate::recompiler::quad_program::ProgramFacts;
use crate::recompiler::raster_block::{
    CLAMPS_DEPTH, CLIPS_DEPTH, IS_FLAT, LINE_SMOOTH, LINE_STIPPLE, NO_REGISTER, POLYGON_SMOOTH, POLYGON_STIPPLE,
    RasterBlock, SPRITE_R_SHIFT, TEXCOORD_SPRITE, TWO_SIDED, WINDOW_CLIP, WINDOW_CLIP_EXCLUSIVE,
};
use crate::recompiler::rop::counts::Tallying;
use crate::recompiler::rop::key::MergeKey;
use crate::recompiler::software::iteration_budget::{ENTER_ITERATIONS, QuadIterations};

/// How a tile kernel divides its work among invocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileWork {
    /// An invocation draws a tile, quad by quad, for processors, which run few invocations at a time.
    Invocation,
    /// A workgroup draws a tile, and each invocation one of its quads, for GPUs, which run many.
    Workgroup {
        /// Quads of a tile.
        quads: u32,
    },
}

impl TileWork {
    /// Tiles that a workgroup draws.
    #[must_use]
    pub const fn tiles_per_group(self) -> u32 {
        match self {
            Self::Invocation => 16,
            Self::Workgroup { .. } => 1,
        }
    }

    /// The same for tiles of this many columns and rows.
    #[must_use]
    pub const fn of_tiles(self, tile_size: u32) -> Self {
        match self {
            Self::Invocation => self,
            Self::Workgroup { .. } => Self::Workgroup { quads: tile_size.pow(2) / 4 },
        }
    }

    /// Invocations per workgroup.
    #[must_use]
    pub const fn group_size(self) -> u32 {
        match self {
            Self::Invocation => self.tiles_per_group(),
            Self::Workgroup { quads } => quads,
        }
    }
}

/// The baked part of [`RasterBlock`]: only what the current inputs depend on, so that draws share kernels.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RasterKey {
    pub(crate) flags: u32,
    pub(crate) colors: [u32; 4],
    pub(crate) fog: [u32; 2],
    pub(crate) texcoords: [u32; 12],
    /// Whether all primitives are filled triangles; unclipped ones take their edges from their weights.
    pub(crate) is_triangles: bool,
    /// Whether the clip rectangle may cut through a quad.
    pub(crate) cuts_quads: bool,
}

/// Everything that is baked into one kernel, except the program and the state of texture units.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TileKernelKey {
    /// How the work is divided.
    pub work: TileWork,
    /// The quads that the program shades.
    pub quads: QuadKey,
    /// The rasterizer and the interpolants.
    pub raster: RasterKey,
    /// The output merger.
    pub merge: MergeKey,
    /// Maximum numbers of loop iterations for shading a quad.
    pub rounds: QuadIterations,
    /// Maximum number of fraction bits in the program's constants, if there is a fast path.
    pub constant_fraction_bits: Option<u8>,
}

impl TileKernelKey {
    /// Whether there is a fast path.
    #[must_use]
    pub const fn has_fast_path(&self) -> bool {
        self.rounds.clip_planes == 0 && self.constant_fraction_bits.is_some()
    }

    /// Maximum number of primitives that a workgroup may draw in a dispatch, if the adapter ends loops after `limit`
    /// iterations of an invocation; 0 if one is too many.
    #[must_use]
    pub fn max_primitives(&self, limit: u32) -> u64 {
        // A loop over clip planes runs for each sample of the rasterizer, and one over samples in the output merger.
        let samples = u64::from(self.quads.samples.count());
        let merging = match self.merge.multisampling {
            Some(multisampling) => 2 + u64::from(multisampling.mode.count()),
            None => 0,
        };
        self.rounds.max_primitives(limit, merging + (samples - 1) * self.rounds.of_step())
    }

    /// Whether the kernel leaves counts to [`finish_kernels`](crate::counters::DrawCounting::finish_kernels).
    #[must_use]
    pub fn counts_partly(&self) -> bool {
        self.tallying() == Tallying::Tile
    }

    /// The key of a draw; `None` if the draw needs the split path.
    #[must_use]
    pub fn new(
        work: TileWork,
        program: &ProgramFacts,
        raster: &RasterBlock,
        merge: MergeKey,
        is_triangles: bool,
    ) -> Option<Self> {
        let quads = program.quads;
        let has_samples = quads.samples != SampleMode::One || merge.multisampling.is_some();
        let has_shares = raster.flags & (LINE_SMOOTH | POLYGON_SMOOTH) != 0;
        let clip_planes = raster.user_clip_planes();
        let counting = if merge.counting.is_some() { ENTER_ITERATIONS } else { 0 };
        let rounds = QuadIterations { clip_planes, counting, ..program.rounds };
        let supports = match work {
            TileWork::Invocation => {
                let has_stipple = raster.flags & LINE_STIPPLE != 0;
                !has_samples && !has_shares && !has_stipple && !merge.encodes_srgb() && rounds.are_few()
            }
            TileWork::Workgroup { .. } => true,
        };
        if !supports {
            return None;
        }
        let (is_triangles, constant_fraction_bits) = match work {
            TileWork::Invocation => (is_triangles, program.constant_fraction_bits),
            TileWork::Workgroup { .. } => (false, None),
        };
        let raster = RasterKey { is_triangles, ..RasterKey::new(work, program, raster) };
        Some(Self { work, quads, raster, merge, rounds, constant_fraction_bits })
    }
}

impl RasterKey {
    fn new(work: TileWork, program: &ProgramFacts, raster: &RasterBlock) -> Self {
        let reads = |input| program.inputs.contains(&input);
        let reads_color = [0, 1].map(|index| reads(QuadInput::Color(index)));
        let mut flags = CLIPS_DEPTH | CLAMPS_DEPTH | POLYGON_STIPPLE | WINDOW_CLIP | WINDOW_CLIP_EXCLUSIVE;
        if work != TileWork::Invocation {
            flags |= LINE_SMOOTH | LINE_STIPPLE | POLYGON_SMOOTH;
        }
        if reads_color.contains(&true) {
            flags |= IS_FLAT | TWO_SIDED;
        }
        if program.shows_sides {
            flags |= TWO_SIDED;
        }
        let mut texcoords = [NO_REGISTER; 12];
        for (index, texcoord) in (0..10u8).zip(&mut texcoords) {
            if reads(QuadInput::TexCoord(index)) {
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
        let cuts_quads = program.quads.selects_viewports || raster.clip.iter().any(|edge| !edge.is_multiple_of(2));
        let fog = if reads(QuadInput::Fog) { [raster.scalars[0], raster.scalars[2]] } else { [NO_REGISTER, 0] };
        Self { flags, colors: [0, 1, 2, 3].map(color), fog, texcoords, is_triangles: false, cuts_quads }
    }
}
