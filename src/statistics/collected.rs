//! The counters of a run: per draw, and summed per target, per frame and over the run.

use crate::counters::Counters;
use crate::memory::{MemorySpace, MemoryWindow};
use crate::pipeline::{Draw, PrimitiveType};

/// A draw and its counters.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawStatistics {
    /// The primitives that it assembles.
    pub primitive: PrimitiveType,
    /// The surfaces that it draws to: an index into [`Statistics::targets`].
    pub target: usize,
    /// Its counters; of the stream's counters only the draw itself, the others belong to frames and the run.
    pub counters: Counters,
}

/// Consecutive draws, and what the stream did between them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameStatistics {
    /// The number of the preceding mark, from 0; `None` before the first mark.
    pub number: Option<u32>,
    /// Its first draw.
    pub first_draw: usize,
    /// How many draws it has.
    pub draws: usize,
    /// The sum of its draws, and the counters of the stream.
    pub counters: Counters,
}

/// Surfaces that draws bound together.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetStatistics {
    /// The surfaces, each as `color0 A8R8G8B8 256x256 at vram+0x100000`.
    pub surfaces: Vec<String>,
    /// How many draws had them bound.
    pub draws: usize,
    /// The sum of these draws.
    pub counters: Counters,
}

/// The counters of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statistics {
    /// Draws, in the order of the stream.
    pub draws: Vec<DrawStatistics>,
    /// Frames in order. The part before the first mark is a frame only if it does something.
    pub frames: Vec<FrameStatistics>,
    /// Targets, in the order of their first use.
    pub targets: Vec<TargetStatistics>,
}

impl Statistics {
    /// The sum over all frames.
    #[must_use]
    pub fn total(&self) -> Counters {
        let mut total = Counters::default();
        self.frames.iter().for_each(|frame| total += &frame.counters);
        total
    }
}

/// Describes the surfaces that a draw has bound, one text for each.
pub(super) fn surfaces(draw: &Draw) -> Vec<String> {
    let targets = &draw.targets;
    let place = |name: &str, format: &str, window: MemoryWindow| {
        let (width, height) = (targets.rect.width, targets.rect.height);
        let space = match window.space {
            MemorySpace::Vram => "vram",
            MemorySpace::Gart => "gart",
        };
        format!("{name} {format} {width}x{height} at {space}+{:#x}", window.start)
    };
    let colors = targets.color.iter().enumerate().filter_map(|(index, target)| {
        let target = target.as_ref()?;
        Some(place(&format!("color{index}"), target.format.name(), target.window))
    });
    let zeta = targets.zeta.iter().map(|zeta| place("zeta", zeta.format.name(), zeta.window));
    colors.chain(zeta).collect()
}
