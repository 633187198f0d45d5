//! Turns a traced draw into its memory accesses, and determines which pixels of its surfaces each quad reads and
//! writes.
//!
//! Indices and vertices come first, then the lines of texels, then depth and color. For each tile that the
//! rasterizer traverses in a primitive, each surface access is read at most once and written at most once, as if
//! caches of a few tiles sat in front of the memory.
// Unverified: the caches of the ROP, and how reads of textures and surfaces are ordered.

use std::collections::BTreeSet;

use super::traffic::Traffic;
use super::zcull::DrawRejection;
use crate::counters::trace::{TracedDraw, TracedQuad, WALK_TILE, trace_address};
use crate::memory::MemoryWindow;
use crate::pipeline::{Elements, StencilOp, SurfaceLayout, VertexAttribute};
use crate::statistics::memory_partitions::{ACCESS_BYTES, Client};
use crate::statistics::texture_cache::TextureCacheParameters;

/// The traffic of a draw. `fills` are the lines of texels fetched from memory, `fetch_line_bytes` the size of a
/// vertex fetch.
pub fn draw_traffic(
    traced: &TracedDraw,
    fills: impl Iterator<Item = u32>,
    caches: &TextureCacheParameters,
    fetch_line_bytes: u32,
    rejection: &DrawRejection,
) -> Traffic {
    let mut traffic = Traffic::default();
    index_traffic(traced, &mut traffic);
    vertex_traffic(traced, fetch_line_bytes, &mut traffic);
    let line_bytes = caches.second.unwrap_or(caches.first).line_bytes;
    for line in fills {
        traffic.bytes_at(line, line_bytes, Client::Texture, false);
    }
    let surfaces = draw_surfaces(traced);
    for quads in walked_tiles(traced, rejection) {
        for surface in &surfaces {
            surface_traffic(traced, surface, &quads, &mut traffic);
        }
    }
    traffic
}

fn index_traffic(traced: &TracedDraw, traffic: &mut Traffic) {
    let Elements::Buffer { window, index_type, ranges } = &traced.draw.elements else { return };
    let bytes = index_type.bytes();
    for (first, count) in ranges {
        let range = window.from_offset(first.saturating_mul(bytes)).truncated(count.saturating_mul(bytes));
        traffic.window(range, Client::Index, false);
    }
}

/// Each vertex missing in the post-transform cache is read in lines, each line once for all its attributes. The
/// lines of the previous vertex are still there.
// Unverified: how much is cached in front of the vertex units; no document gives the size of a cache.
fn vertex_traffic(traced: &TracedDraw, line_bytes: u32, traffic: &mut Traffic) {
    let draw = &traced.draw;
    if matches!(draw.elements, Elements::Immediate(_)) {
        return;
    }
    let mut held: Vec<u32> = Vec::new();
    let mut lines: Vec<u32> = Vec::new();
    for vertex in &traced.trace.vertices {
        let index = vertex.wrapping_add(draw.input.base_index);
        for attribute in &draw.input.attributes {
            let VertexAttribute::Array { window, format, stride, divider, is_modulo } = *attribute else {
                continue;
            };
            let element = match (divider, is_modulo) {
                (0 | 1, _) => index,
                (divider, true) => index % u32::from(divider),
                (divider, false) => index / u32::from(divider),
            };
            let first = u64::from(element) * u64::from(stride);
            let end = first + u64::from(format.bytes());
            // Data outside the window is not read.
            if end > u64::from(window.bytes) || end == first {
                continue;
            }
            let line =
                |offset: u64| trace_address(window, u32::try_from(offset).expect("a window is that long")) / line_bytes;
            for line in line(first)..=line(end - 1) {
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        for line in lines.iter().filter(|line| !held.contains(line)) {
            traffic.bytes_at(line * line_bytes, line_bytes, Client::Vertex, false);
        }
        std::mem::swap(&mut held, &mut lines);
        lines.clear();
    }
}

/// The accesses of the quads of a tile to a surface, reads before writes.
fn surface_traffic(traced: &TracedDraw, surface: &DrawSurface, quads: &[TracedQuad], traffic: &mut Traffic) {
    let samples = traced.draw.targets.samples;
    let mut units = [BTreeSet::new(), BTreeSet::new()];
    for quad in quads {
        let pixels = surface.pixels(quad);
        for pixel in (0..4u32).filter(|pixel| (pixels[0] | pixels[1]) >> pixel & 1 != 0) {
            let [x, y] = [u32::from(quad.x) + pixel % 2, u32::from(quad.y) + pixel / 2];
            for sample in 0..samples.count() {
                let [column, row] = samples.texel(x, y, sample);
                let offset = surface.layout.pixel_offset(column, row, surface.bytes);
                if offset >= surface.window.bytes {
                    continue;
                }
                let unit = trace_address(surface.window, offset) / ACCESS_BYTES;
                for (units, pixels) in units.iter_mut().zip(pixels) {
                    if pixels >> pixel & 1 != 0 {
                        units.insert(unit);
                    }
                }
            }
        }
    }
    for (units, is_write) in units.into_iter().zip([false, true]) {
        units.into_iter().for_each(|unit| traffic.unit(unit, surface.client, is_write));
    }
}

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
    /// Whether pixels that fail tests are written.
    writes_tested: bool,
}

impl DrawSurface {
    /// The pixels of a quad that are read, and those that are written, one bit each. Depth is read for all covered
    /// pixels, color for those that pass.
    pub(super) fn pixels(&self, quad: &TracedQuad) -> [u8; 2] {
        let read = if self.client == Client::Zeta { quad.covered } else { quad.passed };
        let written = if self.writes_tested { quad.covered } else { quad.passed };
        [if self.reads { read } else { 0 }, if self.writes { written } else { 0 }]
    }
}

/// The surfaces of a draw: depth, then colors.
pub(super) fn draw_surfaces(traced: &TracedDraw) -> Vec<DrawSurface> {
    let (rop, targets) = (&traced.draw.rop, &traced.draw.targets);
    let mut surfaces = Vec::new();
    if let Some(zeta) = rop.used_zeta(targets) {
        let faces = rop.stencil.as_ref().filter(|_| zeta.format.has_stencil());
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
        surfaces.push(DrawSurface {
            window: color.window,
            layout: color.layout,
            bytes: color.format.bytes(),
            client: Client::Color,
            stencil: [false; 2],
            reads: rop.reads_color(index, color.format),
            writes: true,
            writes_tested: false,
        });
    }
    surfaces
}

/// The quads of each tile that the rasterizer traverses in a primitive, without those rejected by the z-cull test.
pub(super) fn walked_tiles(traced: &TracedDraw, rejection: &DrawRejection) -> impl Iterator<Item = Vec<TracedQuad>> {
    let tile = |quad: &TracedQuad| (quad.primitive, u32::from(quad.y) / WALK_TILE, u32::from(quad.x) / WALK_TILE);
    let mut next = 0;
    traced.trace.quads.chunk_by(move |left, right| tile(left) == tile(right)).map(move |quads| {
        let rejected = &rejection.rejected[next..next + quads.len()];
        next += quads.len();
        quads.iter().zip(rejected).filter(|(_, is_rejected)| !**is_rejected).map(|(quad, _)| *quad).collect()
    })
}
