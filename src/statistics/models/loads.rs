//! Turns the counters, the trace and the models of a draw into the load that it puts on each unit.

use super::shader::DrawShading;
use super::traffic::Traffic;
use super::vertices::DrawVertices;
use super::zcull::DrawRejection;
use crate::counters::trace::{TracedDraw, TracedLookup};
use crate::counters::{Counter, tests_early};
use crate::format::{ColorFormat, PixelStorage, TextureFormat};
use crate::machine::Machine;
use crate::pipeline::Draw;
use crate::statistics::memory_partitions::{ACCESS_BYTES, Client};
use crate::statistics::time::{Loads, MemoryBytes, TextureLoads};

/// Bytes of a pixel that a ROP finishes at the full rate.
const PIXEL_BYTES: u32 = 4;
/// Bytes of a pixel of four half floats.
const HALF_FLOAT_BYTES: u32 = 8;

/// Returns the load of a draw on the units.
pub(super) fn draw_loads(
    traced: &TracedDraw,
    machine: &Machine,
    vertices: &DrawVertices,
    shading: &DrawShading,
    rejection: &DrawRejection,
    traffic: &Traffic,
) -> Loads {
    let counters = &traced.counters;
    let total = |counter| counters.total(counter);
    let targets = &traced.draw.targets;
    let written = total(Counter::ColorWritten);
    let samples = u64::from(targets.samples.count());
    let has_early_test = tests_early(&traced.draw, &traced.fragment_program);
    let lookups = traced.trace.lookups.iter().map(|lookup| texture_loads(&traced.draw, lookup));
    let mut loads = Loads {
        indices: total(Counter::Indices),
        vertex_clocks: if vertices.is_of_machine { vertices.clocks.total() } else { 0 },
        other_vertex_clocks: vertices.clocks_on(machine),
        vertex_lookups: traced.vertex_instructions.lookups,
        triangles: total(Counter::SetUp),
        culled_triangles: total(Counter::Culled) + total(Counter::Rejected),
        zcull_pixels: rejection.counts.fragments_rejected,
        early_quads: if has_early_test { total(Counter::Quads) - rejection.counts.quads_rejected } else { 0 },
        quad_clocks: shading.clocks + shading.divergence_clocks,
        texture: lookups.sum(),
        ..memory_loads(traffic)
    };
    if written > 0 {
        let formats = targets.color.iter().zip(counters.elements(Counter::ColorWritten));
        let colors: Vec<_> =
            formats.filter_map(|(target, written)| Some((target.as_ref()?.format, *written))).collect();
        for colors in colors.chunk_by(|left, right| left.0 == right.0) {
            let written: u64 = colors.iter().map(|(_, written)| written).sum();
            color_loads(&mut loads, colors[0].0, written / samples, samples);
        }
    } else {
        depth_loads(&mut loads, total(Counter::Passed) / samples, samples);
    }
    loads
}

/// Returns the load of traffic on the memory and the bus.
pub(super) fn memory_loads(traffic: &Traffic) -> Loads {
    let mut memory = MemoryBytes::default();
    for access in &traffic.accesses {
        let bytes = match access.client() {
            Some(Client::Texture) => &mut memory.texture,
            Some(Client::Color) => &mut memory.color,
            Some(Client::Zeta) => &mut memory.depth,
            Some(Client::Vertex) => &mut memory.vertex,
            Some(Client::Index) => &mut memory.index,
            Some(Client::Copy) => &mut memory.copy,
            Some(Client::ScanOut) => &mut memory.scan_out,
            Some(Client::Host) => &mut memory.host,
            None => continue,
        };
        *bytes += u64::from(ACCESS_BYTES);
    }
    Loads { memory, bus_bytes: traffic.from_host, host_bytes: traffic.to_host, ..Loads::default() }
}

/// Adds pixels, once per target, with their samples.
// Unverified: that pixels of four single floats take twice as long as those of four half floats.
pub(super) fn color_loads(loads: &mut Loads, format: ColorFormat, pixels: u64, samples: u64) {
    let is_wide = matches!(format.storage(), PixelStorage::Channels(_)) && format.bytes() > PIXEL_BYTES;
    if is_wide {
        loads.half_float_pixels += pixels * u64::from(format.bytes() / HALF_FLOAT_BYTES);
    } else {
        loads.pixels += pixels;
    }
    loads.samples += pixels * samples;
}

/// Adds pixels that write only depth or stencil.
pub(super) fn depth_loads(loads: &mut Loads, pixels: u64, samples: u64) {
    loads.depth_only_pixels += pixels;
    loads.depth_only_samples += pixels * samples;
}

/// The load of a quad's lookup on the texture units. The units of its four pixels are busy until the last one is
/// done: the fragment units process squares of four pixels at a time (GPU Gems 2, section 30.2.1), so no pixel
/// continues alone.
pub(super) fn texture_loads(draw: &Draw, lookup: &TracedLookup) -> TextureLoads {
    let bilinear = 4 * u64::from(lookup.filtered.steps);
    let format = draw.textures[usize::from(lookup.unit & 15)].as_ref().map(|unit| unit.view.format);
    match format {
        Some(TextureFormat::W16Z16Y16X16F) => TextureLoads { half_floats: bilinear, ..TextureLoads::default() },
        Some(TextureFormat::W32Z32Y32X32F) => TextureLoads { single_floats: bilinear, ..TextureLoads::default() },
        _ => TextureLoads { others: bilinear, ..TextureLoads::default() },
    }
}
