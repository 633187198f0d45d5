//! Turns the counters, the trace and the models of a draw into the load that it puts on each unit.

use super::lookup_loads::texture_loads;
use super::programs::ModelledPrograms;
use super::traffic::Traffic;
use super::zcull::DrawRejection;
use crate::counters::Counter;
use crate::counters::trace::TracedDraw;
use crate::format::{ColorFormat, PixelStorage};
use crate::machine::DrawingMachine;
use crate::pipeline::{AttributeWord, Draw, VertexStage};
use crate::statistics::memory_partitions::{ACCESS_BYTES, Client};
use crate::statistics::time::{Loads, MemoryBytes};

/// Bytes of a pixel that a ROP finishes at the full rate.
const PIXEL_BYTES: u32 = 4;
/// Bytes of a pixel of four half floats.
const HALF_FLOAT_BYTES: u32 = 8;

/// Returns the load of a draw on the units.
pub(super) fn draw_loads(
    traced: &TracedDraw,
    machine: DrawingMachine<'_>,
    programs: &ModelledPrograms,
    rejection: &DrawRejection,
    traffic: &Traffic,
) -> Loads {
    let counters = &traced.counters;
    let total = |counter| counters.total(counter);
    let targets = &traced.draw.targets;
    let written = total(Counter::ColorWritten);
    let samples = u64::from(targets.samples.count());
    let lookups = traced.trace.lookups.iter().map(|lookup| texture_loads(&traced.draw, lookup));
    let mut loads = Loads {
        indices: total(Counter::Indices),
        assembled: assembled(traced),
        attributes: total(Counter::CacheMisses) * attribute_components(&traced.draw),
        triangles: total(Counter::SetUp),
        culled_triangles: total(Counter::Culled) + total(Counter::Rejected),
        zcull_pixels: rejection.counts.fragments_rejected,
        early_quads: if traced.tests_early { total(Counter::Quads) - rejection.counts.quads_rejected } else { 0 },
        texture: lookups.sum(),
        ..memory_loads(traffic)
    };
    match programs {
        ModelledPrograms::Staged { vertices, shading } => {
            loads.vertex_clocks = if vertices.is_of_machine { vertices.clocks.total() } else { 0 };
            if let DrawingMachine::Staged(machine) = machine {
                loads.other_vertex_clocks = vertices.clocks_on(machine);
            }
            loads.vertex_lookups = traced.vec4().map_or(0, |programs| programs.vertex_instructions.lookups);
            loads.quad_clocks = shading.clocks + shading.divergence_clocks;
        }
        ModelledPrograms::Unified(warps) => loads.processor_clocks = warps.issue_clocks(),
    }
    if written > 0 {
        let formats = targets.color.iter().zip(counters.elements(Counter::ColorWritten));
        let colors: Vec<_> =
            formats.filter_map(|(target, written)| Some((target.as_ref()?.format, *written))).collect();
        for colors in colors.chunk_by(|left, right| left.0 == right.0) {
            let written: u64 = colors.iter().map(|(_, written)| written).sum();
            color_loads(&mut loads, colors[0].0, written / samples, samples);
        }
        let blended = targets.color.iter().zip(counters.elements(Counter::ColorBlended));
        let blended = blended.filter_map(|(target, blended)| {
            let words = target.as_ref()?.format.bytes().div_ceil(PIXEL_BYTES);
            Some(blended / samples * u64::from(words))
        });
        loads.blended_pixels = blended.sum();
    } else {
        depth_loads(&mut loads, total(Counter::Passed) / samples, samples);
    }
    loads
}

/// The primitives that a draw assembles: those that a geometry program reads, if it has one.
fn assembled(traced: &TracedDraw) -> u64 {
    match traced.draw.geometry {
        Some(_) => traced.counters.elements(Counter::Threads).get(1).copied().unwrap_or(0),
        None => traced.counters.total(Counter::Assembled),
    }
}

/// The components of attributes that a SIMT vertex program reads.
fn attribute_components(draw: &Draw) -> u64 {
    let VertexStage::Simt(stage) = &draw.vertex else { return 0 };
    let components = stage.attributes.iter().filter(|word| matches!(word, AttributeWord::Component { .. }));
    components.count() as u64
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
