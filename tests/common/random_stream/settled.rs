//! Choices that kernels depend on, although a draw could make them anew: the members of a family make them together.

use crate::common::random::Random;

/// The choices of a family.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settled {
    /// No state is on that kernels for tiles leave to separate stages, or their fast path to the exact one.
    pub(crate) suits_tiles: bool,
    /// `FOG_MODE`.
    pub(crate) fog: u32,
    /// Sides of the drawn area may be odd.
    pub(crate) cuts_quads: bool,
    /// All primitives are filled polygons.
    pub(crate) fills: bool,
    /// Lines are stippled.
    pub(crate) stipples_lines: bool,
    /// Bit i: the array of attribute i starts in the middle of a 64-bit word.
    pub(crate) odd_arrays: u32,
    /// The seed of the last instructions of the fragment program.
    pub(crate) last_instructions: u32,
}

/// Every `FOG_MODE`.
pub(crate) const FOG_MODES: [u32; 6] = [0x2601, 0x800, 0x801, 0x802, 0x803, 0x804];

impl Settled {
    /// The choices of one pipeline.
    pub(crate) fn new(random: &mut Random) -> Self {
        let fills = random.flag();
        let suits_tiles = random.below(4) > 0;
        Self {
            suits_tiles,
            fog: random.pick(&FOG_MODES),
            cuts_quads: random.flag(),
            fills,
            stipples_lines: !fills && !suits_tiles && random.below(3) == 0,
            odd_arrays: random.word(),
            last_instructions: random.word(),
        }
    }

    /// Whether this state is off.
    pub(crate) fn is_for_tiles(settled: Option<&Self>) -> bool {
        settled.is_some_and(|settled| settled.suits_tiles)
    }

    /// A side or a position of a rectangle.
    pub(crate) fn edge(settled: Option<&Self>, pixels: u32) -> u32 {
        if settled.is_some_and(|settled| !settled.cuts_quads) { pixels & !1 } else { pixels }
    }
}
