//! Decides which draws merge: consecutive draws with the same pixel state become one.

use std::fmt;

use crate::pipeline::{Draw, Elements};

/// Maximum number of vertices, and of primitives, of draws that merge: larger ones are worth separate dispatches, and
/// the geometry cache holds their primitives on the device if they repeat.
const SMALL_DRAW: usize = 1 << 12;
/// Maximum number of vertices, and of primitives, of all merged draws.
const MERGED: usize = 1 << 15;
/// Maximum number of merged draws.
const MERGED_DRAWS: usize = 1 << 9;

/// Why a draw does not merge with the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separation {
    /// State behind the vertex stage differs.
    PixelState,
    /// The earlier draws write its indices or its vertices.
    WrittenGeometry,
    /// The device does not hold its vertices.
    AbsentGeometry,
    /// The draw is large.
    Large,
    /// The merged draws would be too many or too large.
    Full,
    /// No room is left for its counts.
    Counts,
    /// Kernels do not run its vertex program, or do not count it.
    Program,
}

impl fmt::Display for Separation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::PixelState => "its pixel state differs",
            Self::WrittenGeometry => "the draws before it write its indices or vertices",
            Self::AbsentGeometry => "the device does not hold its vertices",
            Self::Large => "it is large",
            Self::Full => "the merged draws are too many or too large",
            Self::Counts => "no room is left for its counts",
            Self::Program => "kernels do not run its vertex program, or do not count it",
        })
    }
}

/// Numbers of vertices and primitives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::kernels) struct DrawSize {
    pub(in crate::kernels) vertices: usize,
    pub(in crate::kernels) primitives: usize,
}

impl DrawSize {
    /// The sum of both sizes.
    pub(in crate::kernels) const fn with(self, other: Self) -> Self {
        Self { vertices: self.vertices + other.vertices, primitives: self.primitives + other.primitives }
    }

    /// Whether a draw of this size may merge.
    pub(in crate::kernels) const fn is_small(self) -> bool {
        self.vertices <= SMALL_DRAW && self.primitives <= SMALL_DRAW
    }

    /// Why a draw does not fit with this many draws of this total size, if it does not.
    pub(in crate::kernels) const fn separation(self, draws: usize, draw: Self) -> Option<Separation> {
        let sum = self.with(draw);
        if !draw.is_small() {
            Some(Separation::Large)
        } else if sum.vertices > MERGED || sum.primitives > MERGED || draws >= MERGED_DRAWS {
            Some(Separation::Full)
        } else {
            None
        }
    }
}

/// Whether both draws have the same state behind the vertex stage, and programs that merge.
pub(in crate::kernels) fn shares_pixel_state(first: &Draw, second: &Draw) -> bool {
    let Draw {
        primitive,
        elements,
        input: _,
        vertex: _,
        geometry,
        stream_out,
        outputs,
        viewport,
        selection,
        raster,
        interpolation,
        fragment,
        textures,
        rop,
        targets,
    } = first;
    let is_immediate = |elements: &Elements| matches!(elements, Elements::Immediate(_));
    second.vertex.vec4().is_some() == second.fragment.vec4().is_some()
        && [geometry, &second.geometry].iter().all(|geometry| geometry.is_none())
        && [stream_out, &second.stream_out].iter().all(|stream_out| stream_out.is_none())
        && *primitive == second.primitive
        && is_immediate(elements) == is_immediate(&second.elements)
        && *outputs == second.outputs
        && *viewport == second.viewport
        && *selection == second.selection
        && *raster == second.raster
        && *interpolation == second.interpolation
        && *fragment == second.fragment
        && *rop == second.rop
        && *targets == second.targets
        && *textures == second.textures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_merge_up_to_limits() {
        let size = |vertices, primitives| DrawSize { vertices, primitives };
        assert_eq!(size(0, 0).separation(1, size(SMALL_DRAW, SMALL_DRAW)), None);
        assert_eq!(size(0, 0).separation(1, size(SMALL_DRAW + 1, 1)), Some(Separation::Large));
        assert_eq!(size(MERGED - 3, 0).separation(1, size(3, 1)), None);
        assert_eq!(size(MERGED - 2, 0).separation(1, size(3, 1)), Some(Separation::Full));
        assert_eq!(size(0, MERGED).separation(1, size(3, 1)), Some(Separation::Full));
        assert_eq!(size(3, 1).separation(MERGED_DRAWS, size(3, 1)), Some(Separation::Full));
    }
}
