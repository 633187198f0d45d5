//! The surfaces of a draw, and which of their pixels each quad reads and writes.

use super::zcull::DrawRejection;
use crate::counters::trace::{TracedDraw, TracedQuad, WALK_TILE};
use crate::format::ZetaFormat;
use crate::memory::MemoryWindow;
use crate::pipeline::{StencilOp, SurfaceLayout};
use crate::statistics::memory_partitions::Client;

/// A surface that a draw tests against, blends with or writes.
#[derive(Debug, Clone, Copy)]
pub(super) struct DrawSurface {
    pub(super) window: MemoryWindow,
    pub(super) layout: SurfaceLayout,
    /// Bytes of a sample.
    pub(super) bytes: u32,
    pub(super) client: Client,
    /// Whether stencil values are read, and whether they are written.
    pub(super) stencil: [bool; 2],
    reads: bool,
    writes: bool,
    /// Whether pixels are written that fail tests.
    writes_tested: bool,
}

impl DrawSurface {
    /// The pixels of a quad that are read, and those that are written: a bit for each. Depth is read of all that are
    /// covered, colour of those that pass.
    pub(super) fn pixels(&self, quad: &TracedQuad) -> [u8; 2] {
        let read = if self.client == Client::Zeta { quad.covered } else { quad.passed };
        let written = if self.writes_tested { quad.covered } else { quad.passed };
        [if self.reads { read } else { 0 }, if self.writes { written } else { 0 }]
    }
}

/// The surfaces of a draw: depth, then colours.
pub(super) fn draw_surfaces(traced: &TracedDraw) -> Vec<DrawSurface> {
    let (rop, targets) = (&traced.draw.rop, &traced.draw.targets);
    let mut surfaces = Vec::new();
    if let Some(zeta) = rop.used_zeta(targets) {
        let faces = rop.stencil.as_ref().filter(|_| zeta.format == ZetaFormat::Z24S8);
        let writes_stencil = faces.is_some_and(|faces| {
            let writes = |op: &StencilOp| *op != StencilOp::Keep;
            faces.iter().any(|face| face.write_mask != 0 && [face.fail, face.depth_fail, face.pass].iter().any(writes))
        });
        surfaces.push(DrawSurface {
            window: zeta.window,
            layout: zeta.layout,
            bytes: zeta.format.bytes(),
            client: Client::Zeta,
            stencil: [faces.is_some(), writes_stencil],
            reads: true,
            writes: writes_stencil || rop.depth_test.is_some_and(|test| test.writes),
            writes_tested: writes_stencil,
        });
    }
    for (index, color) in targets.written_colors(rop.color_mask) {
        let format = targets.color_format;
        surfaces.push(DrawSurface {
            window: color.window,
            layout: color.layout,
            bytes: format.bytes(),
            client: Client::Color,
            stencil: [false; 2],
            reads: rop.blends(index, format) || rop.used_logic_op(format).is_some(),
            writes: true,
            writes_tested: false,
        });
    }
    surfaces
}

/// The quads of each tile that the rasteriser walks over in a primitive, without those that the coarse test rejected.
pub(super) fn walked_tiles(traced: &TracedDraw, rejection: &DrawRejection) -> impl Iterator<Item = Vec<TracedQuad>> {
    let tile = |quad: &TracedQuad| (quad.primitive, u32::from(quad.y) / WALK_TILE, u32::from(quad.x) / WALK_TILE);
    let mut next = 0;
    traced.trace.quads.chunk_by(move |left, right| tile(left) == tile(right)).map(move |quads| {
        let rejected = &rejection.rejected[next..next + quads.len()];
        next += quads.len();
        quads.iter().zip(rejected).filter(|(_, is_rejected)| !**is_rejected).map(|(quad, _)| *quad).collect()
    })
}
