//! What a draw reads from and writes to video memory, in accesses of 32 bytes.
//!
//! Indices and vertices come first, then the lines of texels, then depth and colour. Of the tiles in which the rasteriser
//! walks over a primitive, each access of a surface is read at most once and written at most once, as caches of a few
//! tiles in front of the memory would have it.
// Unverified: the caches of the output merger, and how reads of textures and surfaces follow each other.

use std::collections::BTreeSet;

use super::super::memory_partitions::{ACCESS_BYTES, Client, MemoryAccess};
use super::super::texture_cache::TextureCacheParameters;
use super::zcull::DrawRejection;
use crate::counters::Counter;
use crate::counters::trace::{GART_BASE, TracedDraw, TracedQuad, WALK_TILE, trace_address};
use crate::format::ZetaFormat;
use crate::memory::{MemorySpace, MemoryWindow};
use crate::work::{Elements, StencilOp, SurfaceLayout, VertexAttribute};

/// A surface and which pixels of quads read and write it.
struct Surface {
    window: MemoryWindow,
    layout: SurfaceLayout,
    bytes: u32,
    client: Client,
    reads: bool,
    writes: bool,
    /// Whether reads and writes are of all covered pixels instead of those that passed.
    is_tested: bool,
}

/// The accesses of a draw; `fills` are the lines of texels that came from memory.
pub fn draw_accesses(
    traced: &TracedDraw,
    fills: impl Iterator<Item = u32>,
    caches: &TextureCacheParameters,
    rejection: &DrawRejection,
) -> Vec<MemoryAccess> {
    let mut accesses = Vec::new();
    vertex_accesses(traced, &mut accesses);
    let line_bytes = caches.second.unwrap_or(caches.first).line_bytes;
    for line in fills.filter(|line| *line < GART_BASE) {
        accesses.extend(MemoryAccess::of_range(line, line_bytes, Client::Texture, false));
    }
    let surfaces = surfaces(traced);
    let tile = |quad: &TracedQuad| (quad.primitive, u32::from(quad.y) / WALK_TILE, u32::from(quad.x) / WALK_TILE);
    for quads in traced.trace.quads.chunk_by(|left, right| tile(left) == tile(right)) {
        if rejection.rejected.contains(&tile(&quads[0])) {
            continue;
        }
        for surface in &surfaces {
            tile_accesses(traced, surface, quads, &mut accesses);
        }
    }
    accesses
}

/// Indices, then the arrays of vertices, as much of each as all vertices that the cache did not hold; attributes that lie
/// in one stride are read together.
// Unverified: which vertices is not looked at: they are taken from the beginning of the array.
fn vertex_accesses(traced: &TracedDraw, accesses: &mut Vec<MemoryAccess>) {
    let draw = &traced.draw;
    if let Elements::Buffer { window, .. } = &draw.elements {
        let bytes = u32::try_from(traced.counters.total(Counter::IndexBytes)).unwrap_or(u32::MAX);
        push_range(accesses, window.truncated(bytes), Client::Index);
    }
    let mut read: Vec<(MemoryWindow, u8)> = Vec::new();
    for attribute in &draw.input.attributes {
        let VertexAttribute::Array { window, stride, .. } = attribute else { continue };
        let is_read = |(other, length): &(MemoryWindow, u8)| {
            other.space == window.space && length == stride && other.start.abs_diff(window.start) < u32::from(*stride)
        };
        if read.iter().any(is_read) {
            continue;
        }
        read.push((*window, *stride));
        let misses = traced.counters.total(Counter::CacheMisses);
        let bytes = misses.saturating_mul(u64::from((*stride).max(1)));
        push_range(accesses, window.truncated(u32::try_from(bytes).unwrap_or(u32::MAX)), Client::Vertex);
    }
}

fn push_range(accesses: &mut Vec<MemoryAccess>, window: MemoryWindow, client: Client) {
    if window.space == MemorySpace::Vram {
        accesses.extend(MemoryAccess::of_range(window.start, window.bytes, client, false));
    }
}

/// The surfaces of a draw: depth, then colours.
fn surfaces(traced: &TracedDraw) -> Vec<Surface> {
    let (rop, targets) = (&traced.draw.rop, &traced.draw.targets);
    let mut surfaces = Vec::new();
    if let Some(zeta) = rop.used_zeta(targets) {
        let faces = rop.stencil.as_ref().filter(|_| zeta.format == ZetaFormat::Z24S8);
        let writes_stencil = faces.is_some_and(|faces| {
            let writes = |op: &StencilOp| *op != StencilOp::Keep;
            faces.iter().any(|face| face.write_mask != 0 && [face.fail, face.depth_fail, face.pass].iter().any(writes))
        });
        surfaces.push(Surface {
            window: zeta.window,
            layout: zeta.layout,
            bytes: zeta.format.bytes(),
            client: Client::Zeta,
            reads: true,
            writes: writes_stencil || rop.depth_test.is_some_and(|test| test.writes),
            is_tested: writes_stencil,
        });
    }
    for (index, color) in targets.written_colors(rop.color_mask) {
        let format = targets.color_format;
        surfaces.push(Surface {
            window: color.window,
            layout: color.layout,
            bytes: format.bytes(),
            client: Client::Color,
            reads: rop.blends(index, format) || rop.used_logic_op(format).is_some(),
            writes: true,
            is_tested: false,
        });
    }
    surfaces
}

/// The accesses of the quads of a tile to a surface, reads before writes.
fn tile_accesses(traced: &TracedDraw, surface: &Surface, quads: &[TracedQuad], accesses: &mut Vec<MemoryAccess>) {
    let targets = &traced.draw.targets;
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    for quad in quads {
        let is_zeta = surface.client == Client::Zeta;
        let reads = if surface.reads { if is_zeta { quad.covered } else { quad.passed } } else { 0 };
        let writes = if surface.writes { if surface.is_tested { quad.covered } else { quad.passed } } else { 0 };
        for pixel in (0..4u32).filter(|pixel| (reads | writes) >> pixel & 1 != 0) {
            let [x, y] = [u32::from(quad.x) + pixel % 2, u32::from(quad.y) + pixel / 2];
            for sample in 0..targets.samples.count() {
                let [column, row] = targets.samples.texel(x, y, sample);
                let offset = surface.layout.pixel_offset(column, row, surface.bytes);
                if offset >= surface.window.bytes {
                    continue;
                }
                let unit = trace_address(surface.window, offset) / ACCESS_BYTES;
                if reads >> pixel & 1 != 0 {
                    read.insert(unit);
                }
                if writes >> pixel & 1 != 0 {
                    written.insert(unit);
                }
            }
        }
    }
    for (units, is_write) in [(read, false), (written, true)] {
        let in_memory = units.into_iter().filter(|unit| *unit < GART_BASE / ACCESS_BYTES);
        accesses.extend(in_memory.map(|unit| MemoryAccess::new(unit * ACCESS_BYTES, surface.client, is_write)));
    }
}
