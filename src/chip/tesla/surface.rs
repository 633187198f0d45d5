//! How the rows of a surface are stored.

use std::ops::Range;

use crate::memory::block_linear::BlockLinear;

/// How the rows of a surface are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// So many bytes from one row to the next.
    Pitch(u32),
    /// In blocks.
    Blocks(BlockLinear),
}

impl Layout {
    /// Where bytes of a row are, from byte x of row y of slice z on. Surfaces with a pitch have one slice.
    pub(super) fn pieces(self, place: [u32; 3], count: u32) -> Vec<Range<usize>> {
        match self {
            Self::Pitch(pitch) => {
                let start = u64::from(place[1]) * u64::from(pitch) + u64::from(place[0]);
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                std::iter::once(start..start.saturating_add(count as usize)).collect()
            }
            Self::Blocks(blocks) => blocks.pieces(place, count).collect(),
        }
    }
}
