//! Defines the fragment programs of draws, one variant for each kind of program.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{MAX_COLOR_TARGETS, OutputComponent, SampleMode, SimtStage, WindowOrigin};
use crate::memory::MemoryWindow;

/// The fragment program of a draw.
#[derive(Debug, Clone, PartialEq)]
pub enum FragmentStage {
    /// Over registers of four components.
    Vec4(Vec4FragmentStage),
    /// Over the threads of warps.
    Simt(SimtFragmentStage),
}

/// A fragment program over registers of four components.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vec4FragmentStage {
    /// Where the microcode starts.
    pub program: MemoryWindow,
    /// It computes depth.
    pub exports_depth: bool,
    /// Its results are full registers instead of half ones.
    pub has_full_outputs: bool,
    /// The program may discard fragments.
    pub uses_kill: bool,
}

/// A SIMT fragment program; four threads run each quad.
#[derive(Debug, Clone, PartialEq)]
pub struct SimtFragmentStage {
    /// The program and what it reads besides interpolants.
    pub stage: SimtStage,
    /// The words of `v[]` by number; the others are zero.
    pub interpolants: BTreeMap<u8, Interpolant>,
    /// The numbers of the texture and of the sampler that each unit of the draw is, in the order of units.
    pub units: Vec<[u8; 2]>,
    /// Where it leaves its results.
    pub results: ResultRegisters,
    /// The samples of a pixel that it runs for one by one.
    pub samples: ShadedSamples,
}

/// The samples of a pixel that a fragment program runs for one by one, instead of once for all that are covered. It then
/// interpolates centroids at the sample's place in all pixels of a quad.
// Unverified: the centroid of pixels whose sample is not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ShadedSamples {
    /// None: it runs for pixels.
    #[default]
    Together,
    /// Each.
    Each,
    /// This one alone. Others are not drawn.
    Only(u8),
}

impl ShadedSamples {
    /// The samples of a mode, if the program runs for them one by one.
    #[must_use]
    pub fn one_by_one(self, mode: SampleMode) -> Option<Range<u8>> {
        let [count, ..] = mode.count().to_le_bytes();
        match self {
            Self::Together => None,
            Self::Each => Some(0..count),
            Self::Only(sample) => Some(sample..(sample + 1).min(count)),
        }
    }
}

/// An interpolant of a SIMT fragment program: one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interpolant {
    /// What it is at the vertices.
    pub source: InterpolantSource,
    /// How it changes between them.
    pub mode: InterpolantMode,
    /// Outputs are clamped to 0..1 before it is interpolated; NaN becomes 0.
    pub is_clamped: bool,
    /// What it is on points instead, if they are sprites.
    pub sprite: Option<SpriteValue>,
}

impl Interpolant {
    /// One that is not clamped and that points do not replace.
    #[must_use]
    pub const fn new(source: InterpolantSource, mode: InterpolantMode) -> Self {
        Self { source, mode, is_clamped: false, sprite: None }
    }
}

/// What an interpolant is on points that are sprites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpriteValue {
    /// 0 at the left side of the point, 1 at the right one.
    S,
    /// 0 at the side that rows count from, 1 at the other one.
    T(WindowOrigin),
    /// 0.
    Zero,
    /// 1.
    One,
}

/// What an interpolant is at the vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InterpolantSource {
    /// The window position: column, row, depth before the offset of polygons, 1/w (0..3). Only flat ones have a mode.
    WindowPosition(u8),
    /// An output of the vertex program.
    Output {
        /// The output.
        front: OutputComponent,
        /// That of back faces while colors have two sides.
        back: Option<OutputComponent>,
    },
    /// All bits set on front faces, none on back faces.
    Facing,
    /// The number of the primitive in the draw, an integer.
    PrimitiveNumber,
}

/// How an interpolant changes between the vertices of a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InterpolantMode {
    /// The value divided by w is linear in the window; the program divides by the 1/w that it reads.
    Perspective,
    /// The value is linear in the window.
    Linear,
    /// The value is that of the provoking vertex.
    Flat,
    /// The value of the provoking vertex divided by w is linear in the window; the program divides by the 1/w that it reads.
    FlatPerspective,
}

/// The registers of a SIMT fragment program that hold its results when a thread ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ResultRegisters {
    /// The first of four registers of each target's color: red, green, blue, alpha.
    pub colors: [Option<u8>; MAX_COLOR_TARGETS],
    /// The register of the depth, if the program computes it.
    pub depth: Option<u8>,
    /// The register with a bit for each sample that is kept, of programs that run for samples one by one.
    pub sample_mask: Option<u8>,
}

impl ResultRegisters {
    /// How many registers from 0 hold them all.
    #[must_use]
    pub fn count(&self) -> u32 {
        let colors = self.colors.iter().flatten().map(|first| u32::from(*first) + 4);
        let others = [self.depth, self.sample_mask].into_iter().flatten().map(|register| u32::from(register) + 1);
        colors.chain(others).max().unwrap_or(0)
    }
}

impl SimtFragmentStage {
    /// Whether it reads the number of the primitive.
    #[must_use]
    pub fn reads_primitive_number(&self) -> bool {
        self.interpolants.values().any(|interpolant| interpolant.source == InterpolantSource::PrimitiveNumber)
    }

    /// How many words `v[]` has, up to the last interpolant.
    #[must_use]
    pub fn input_words(&self) -> u32 {
        self.interpolants.last_key_value().map_or(0, |(word, _)| u32::from(*word) + 1)
    }
}

impl FragmentStage {
    /// The program over registers of four components, if it is one.
    #[must_use]
    pub const fn vec4(&self) -> Option<&Vec4FragmentStage> {
        match self {
            Self::Vec4(stage) => Some(stage),
            Self::Simt(_) => None,
        }
    }

    /// Whether it reads the number of the primitive.
    #[must_use]
    pub fn reads_primitive_number(&self) -> bool {
        matches!(self, Self::Simt(stage) if stage.reads_primitive_number())
    }

    /// Whether it computes depth.
    #[must_use]
    pub const fn exports_depth(&self) -> bool {
        match self {
            Self::Vec4(stage) => stage.exports_depth,
            Self::Simt(stage) => stage.results.depth.is_some(),
        }
    }

    /// How many inputs of four components are interpolated before it runs. A SIMT program has plane equations instead.
    #[must_use]
    pub const fn input_slots(&self) -> usize {
        match self {
            Self::Vec4(_) => VEC4_INPUTS,
            Self::Simt(_) => 0,
        }
    }
}

/// The inputs of programs over registers of four components: window position, two colors, fog, ten texture coordinates.
pub const VEC4_INPUTS: usize = 14;
