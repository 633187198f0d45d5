//! The layout of a draw's counts in the counter buffer, and the same as WGSL constants.

use crate::counters::StageCount;

/// Counts that a stripe of the buffer holds before they are read back; even the longest programs have fewer blocks.
pub(in crate::kernels) const CAPACITY: u32 = 1 << 16;
/// Number of stripes of the buffer; their sum is the count. Distant tiles add to different stripes, because atomic
/// additions of several processors to the same memory are slow.
pub(in crate::kernels) const STRIPES: u32 = 8;

/// The location of a draw's counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::kernels) struct CountPlace {
    /// Index of the first count.
    pub(in crate::kernels) first: u32,
    /// Number of counts of the draw.
    pub(in crate::kernels) stride: u32,
    /// Whether a quad counts as shaded only if one of its pixels passed all tests.
    pub(in crate::kernels) tests_early: bool,
}

impl CountPlace {
    /// Whether the counts of another draw, as many as those of the draw at this place, fit behind the first `next`.
    pub(in crate::kernels) const fn has_room(self, next: u32) -> bool {
        next + self.stride <= CAPACITY
    }

    /// The number of the draw at this place, relative to the draw at `first`.
    pub(in crate::kernels) const fn number_from(self, first: Self) -> u32 {
        (self.first - first.first) / first.stride
    }
}

/// The text that a set-up kernel counts primitives with; it follows the kernel's own text.
pub(in crate::kernels) fn primitive_counts(counts: bool) -> String {
    if counts {
        format!("\n{}\nimport package::setup::primitive_counts::count_primitives;\n", places())
    } else {
        "\nimport package::setup::no_primitive_counts::count_primitives;\n".to_owned()
    }
}

/// The count numbers as WGSL constants.
pub(in crate::kernels) fn places() -> String {
    use StageCount::{
        Clipped, Culled, Fragments, Killed, PassingFragments, PassingQuads, Quads, Rejected, Samples, ScissorRejects,
        SetUp, UniformTaken, WindowClipRejects,
    };
    let places = [
        ("CULLED", Culled),
        ("REJECTED", Rejected),
        ("SET_UP", SetUp),
        ("CLIPPED", Clipped),
        ("QUADS", Quads),
        ("FRAGMENTS", Fragments),
        ("SAMPLES", Samples),
        ("KILLED", Killed),
        ("PASSING_QUADS", PassingQuads),
        ("PASSING_FRAGMENTS", PassingFragments),
        ("SCISSOR_REJECTS", ScissorRejects),
        ("WINDOW_CLIP_REJECTS", WindowClipRejects),
        ("FLOW", UniformTaken),
    ];
    places.iter().map(|(name, count)| format!("const {name}: u32 = {}u; ", *count as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_draws_are_numbered_by_their_places() {
        let place = |first| CountPlace { first, stride: 40, tests_early: false };
        assert_eq!([120, 160, 240].map(|first| place(first).number_from(place(120))), [0, 1, 3]);
        assert!(place(0).has_room(CAPACITY - 40) && !place(0).has_room(CAPACITY - 39));
    }
}
