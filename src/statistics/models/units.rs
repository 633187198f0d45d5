//! The parameters that a machine gives its models, and what a draw asks of its units.

use super::super::memory_partitions::{ACCESS_BYTES, Client, MemoryAccess, MemoryParameters};
use super::super::prefetch::PrefetchParameters;
use super::super::shader_units::{FlowCycles, ShaderUnits};
use super::super::texture_cache::{CacheParameters, TextureCacheParameters};
use super::super::time::{Loads, MemoryBytes};
use super::shader::DrawShading;
use super::zcull::DrawRejection;
use crate::counters::trace::TracedDraw;
use crate::counters::{Counter, CountingOptions, tests_early};
use crate::format::PixelStorage;
use crate::machine::{Machine, Replacement};

/// How draws are counted for a machine.
#[must_use]
pub const fn counting_options(machine: &Machine) -> CountingOptions {
    let vertex = &machine.vertex;
    CountingOptions {
        vertex_cache_entries: vertex.cache_entries.saturating_sub(vertex.vertices_in_flight),
        hits_renew: matches!(vertex.cache_replacement, Replacement::Lru),
    }
}

/// Its texture caches.
#[must_use]
pub const fn texture_cache_parameters(machine: &Machine) -> TextureCacheParameters {
    let texture = &machine.texture;
    TextureCacheParameters {
        pipes: machine.fragment.quad_pipes,
        first: CacheParameters {
            size_bytes: texture.l1_bytes,
            line_bytes: texture.l1_line_bytes,
            ways: texture.l1_ways,
        },
        second: Some(CacheParameters {
            size_bytes: texture.l2_bytes,
            line_bytes: texture.l2_line_bytes,
            ways: texture.l2_ways,
        }),
    }
}

/// Its prefetching pipes, each with its share of the memory.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rates of machines are far below")]
pub fn prefetch_parameters(machine: &Machine) -> PrefetchParameters {
    let prefetch = &machine.prefetch;
    let share = machine.memory_bytes_per_second() / f64::from(machine.fragment.quad_pipes);
    let per_clock = share / (machine.clocks.core_mhz * 1e6);
    PrefetchParameters {
        fragment_fifo: prefetch.fragment_fifo,
        request_fifo: prefetch.request_fifo,
        reorder_slots: prefetch.reorder_buffer,
        latency: prefetch.memory_latency,
        jitter: 0,
        line_bytes: machine.texture.l1_line_bytes,
        memory_bytes: ((per_clock * 64.0).round() as u32).clamp(1, 0xffff),
        memory_clocks: 64,
    }
}

/// Its memory.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clocks of machines are far below")]
pub fn memory_parameters(machine: &Machine) -> MemoryParameters {
    let memory = &machine.memory;
    let bytes_per_clock = memory.partition_bits / 8 * machine.clocks.memory_transfers_per_clock;
    MemoryParameters {
        partitions: memory.partitions,
        interleave_bytes: 1 << memory.partition_shift,
        column_bits: memory.column_bits,
        banks: 1 << memory.bank_bits,
        queue_depth: memory.queue_accesses,
        access_clocks: ACCESS_BYTES.div_ceil(bytes_per_clock.max(1)).clamp(1, 255),
        activate_clocks: memory.activate_clocks,
        precharge_clocks: memory.precharge_clocks,
        activate_spacing: memory.activate_to_activate_clocks,
        write_recovery: memory.write_recovery_clocks,
        read_to_write: memory.read_to_write_clocks,
        write_to_read: memory.write_to_read_clocks,
        clock_mhz: (machine.clocks.memory_mhz.round() as u32).max(1),
        regions: Vec::new(),
    }
}

/// Its shader units.
#[must_use]
pub const fn shader_units(machine: &Machine) -> ShaderUnits {
    let (fragment, vertex) = (&machine.fragment, &machine.vertex);
    ShaderUnits {
        quad_pipes: fragment.quad_pipes,
        quads_in_flight: fragment.quads_in_flight,
        free_registers: fragment.full_rate_registers,
        register_reads: fragment.register_reads,
        flow: FlowCycles {
            if_endif: fragment.if_clocks,
            if_else_endif: fragment.if_else_clocks,
            call: fragment.call_clocks,
            ret: fragment.return_clocks,
            loop_endloop: fragment.loop_clocks,
            further_round: fragment.round_clocks,
            brk: fragment.break_clocks,
        },
        vertex_units: vertex.units,
        vertex_branch: vertex.branch_clocks,
    }
}

/// What a draw asks of the units.
pub(super) fn loads(
    traced: &TracedDraw,
    machine: &Machine,
    shading: &DrawShading,
    rejection: &DrawRejection,
    accesses: &[MemoryAccess],
) -> Loads {
    let counters = &traced.counters;
    let total = |counter| counters.total(counter);
    let targets = &traced.draw.targets;
    let written = total(Counter::ColorWritten);
    let samples = u64::from(targets.samples.count());
    let is_half_float = matches!(targets.color_format.storage(), PixelStorage::Half);
    let depth_only = if written == 0 { total(Counter::Passed) } else { 0 };
    let pixels = written / samples;
    let lookups = texture_lookups(traced);
    let mut memory = MemoryBytes::default();
    for access in accesses {
        let bytes = u64::from(ACCESS_BYTES);
        match access.client() {
            Some(Client::Texture) => memory.texture += bytes,
            Some(Client::Color) => memory.colour += bytes,
            Some(Client::Zeta) => memory.depth += bytes,
            Some(Client::Vertex) => memory.vertex += bytes,
            Some(Client::Index) => memory.index += bytes,
            Some(Client::Copy) => memory.copy += bytes,
            Some(Client::ScanOut) => memory.scan_out += bytes,
            None => {}
        }
    }
    let has_early_test = tests_early(&traced.draw, &traced.fragment_program);
    let tested = if has_early_test { total(Counter::Quads) - rejection.quads_rejected } else { 0 };
    Loads {
        methods: 0,
        indices: total(Counter::Indices),
        bus_bytes: 0,
        vertex_clocks: total(Counter::VertexInstructions)
            + u64::from(machine.vertex.branch_clocks) * total(Counter::VertexFlow),
        triangles: total(Counter::SetUp),
        culled_triangles: total(Counter::Culled) + total(Counter::Rejected),
        zcull_pixels: rejection.fragments_rejected,
        early_quads: tested,
        quad_clocks: shading.clocks,
        lookups,
        half_float_lookups: 0,
        single_float_lookups: 0,
        pixels: if is_half_float { 0 } else { pixels },
        half_float_pixels: if is_half_float { pixels } else { 0 },
        samples: written,
        depth_only_pixels: depth_only / samples,
        depth_only_samples: depth_only,
        memory,
        partition_clocks: 0,
    }
}

/// Bilinear lookups: of each traced lookup the texels by fours, at least one for each pixel.
fn texture_lookups(traced: &TracedDraw) -> u64 {
    traced.trace.lookups.iter().map(|lookup| u64::from(lookup.texels).div_ceil(4).max(4)).sum()
}
