//! Converts a machine to the parameters of its models.

use crate::counters::VertexCacheOptions;
use crate::machine::{DrawingMachine, Machine, Replacement};
use crate::statistics::memory_partitions::{ACCESS_BYTES, MemoryParameters};
use crate::statistics::prefetch::PrefetchParameters;
use crate::statistics::shader_units::{FlowCycles, ShaderUnits};
use crate::statistics::texture_cache::{CacheParameters, TextureCacheParameters};
use crate::statistics::vertex_timetable::{FILL_CLOCKS, TimetableParameters};
use crate::statistics::zcull::ZcullParameters;

/// Its post-transform cache.
pub(super) const fn vertex_cache(machine: &Machine) -> VertexCacheOptions {
    let vertex = &machine.vertex;
    VertexCacheOptions {
        entries: vertex.cache_entries.saturating_sub(vertex.vertices_in_flight),
        hits_renew: matches!(vertex.cache_replacement, Replacement::Lru),
        needs_indices: machine.vertex_stage.cache_needs_indices,
    }
}

/// Its texture caches: one for each quad pipeline, or for each cluster of a unified processor, and one behind them.
#[must_use]
pub fn texture_cache_parameters<'machine>(machine: impl Into<DrawingMachine<'machine>>) -> TextureCacheParameters {
    macro_rules! caches {
        ($pipes:expr, $texture:expr) => {{
            let texture = $texture;
            TextureCacheParameters {
                pipes: $pipes,
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
        }};
    }
    match machine.into() {
        DrawingMachine::Staged(machine) => caches!(machine.fragment.quad_pipes, &machine.texture),
        DrawingMachine::Unified(machine) => caches!(machine.processor.clusters, &machine.texture),
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
    // An access takes whole bursts.
    let burst_bytes = memory.burst_transfers * memory.partition_bits / 8;
    let transfers = ACCESS_BYTES.div_ceil(burst_bytes.max(1)) * memory.burst_transfers;
    MemoryParameters {
        partitions: memory.partitions,
        interleave_bytes: 1 << memory.partition_shift,
        column_bits: memory.column_bits,
        banks: 1 << memory.bank_bits,
        queue_depth: memory.queue_accesses,
        access_clocks: transfers.div_ceil(machine.clocks.memory_transfers_per_clock).clamp(1, 255),
        activate_clocks: memory.activate_clocks,
        precharge_clocks: memory.precharge_clocks,
        activate_spacing: memory.activate_to_activate_clocks,
        write_recovery: memory.write_recovery_clocks,
        read_to_write: memory.read_to_write_clocks,
        write_to_read: memory.write_to_read_clocks,
        read_latency: memory.read_clocks,
        write_latency: memory.write_clocks,
        clock_mhz: (machine.clocks.memory_mhz.round() as u32).max(1),
        regions: Vec::new(),
    }
}

/// Its z-cull test.
#[must_use]
pub fn zcull_parameters<'machine>(machine: impl Into<DrawingMachine<'machine>>) -> ZcullParameters {
    let (tile_width, tile_height) = match machine.into() {
        DrawingMachine::Staged(machine) => (machine.zcull.tile_width, machine.zcull.tile_height),
        DrawingMachine::Unified(machine) => (machine.zcull.tile, machine.zcull.tile),
    };
    ZcullParameters { tile_width, tile_height }
}

/// Bytes that a fetch of vertices reads at least.
pub(super) const fn fetch_line_bytes(machine: DrawingMachine<'_>) -> u32 {
    match machine {
        DrawingMachine::Staged(machine) => machine.vertex.fetch_line_bytes,
        DrawingMachine::Unified(machine) => machine.front_end.fetch_line_bytes,
    }
}

/// Its vertex processors, if they execute in program order.
#[must_use]
pub const fn timetable_parameters(machine: &Machine) -> TimetableParameters {
    let vertex = &machine.vertex;
    TimetableParameters { vertex_units: vertex.units, fill: FILL_CLOCKS, refetch: vertex.branch_clocks }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::open;

    #[test]
    fn the_default_shader_units_are_those_of_the_machines() {
        assert_eq!(shader_units(&Machine::default()), ShaderUnits::default());
        let small = shader_units(&open("geforce-6600-gt").unwrap());
        assert_eq!((small.quad_pipes, small.vertex_units, small.pixels_per_clock(1)), (2, 3, 8.0));
    }
}
