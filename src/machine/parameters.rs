//! The table of all parameters of a machine by section: types, units, legal ranges and meanings.
//!
//! One row defines a field of a section's struct, a required key of machine files, and a line of
//! `docs/machines.md`.

use super::family::{Family, VertexStage};
use super::legal::Field;
use super::legal::Legal::{Choice, Flag, Number, PowerOfTwo, Whole};
use super::parameter::Parameter;
use super::sections::{ParameterRow, SectionRow, next_field, sections};

/// The bus between the host and the chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BusKind {
    /// AGP.
    Agp,
    /// PCI Express.
    PciExpress,
}

impl BusKind {
    const NAMES: &[&'static str] = &["agp", "pci-express"];
}

impl Field for BusKind {
    fn from_value(value: super::Value) -> Option<Self> {
        match value {
            super::Value::Choice("agp") => Some(Self::Agp),
            super::Value::Choice("pci-express") => Some(Self::PciExpress),
            _ => None,
        }
    }
}

/// Which entry is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// The oldest entry, even if it was hit.
    Fifo,
    /// The least recently used entry.
    Lru,
}

impl Replacement {
    const NAMES: &[&'static str] = &["fifo", "lru"];
}

impl Field for Replacement {
    fn from_value(value: super::Value) -> Option<Self> {
        match value {
            super::Value::Choice("fifo") => Some(Self::Fifo),
            super::Value::Choice("lru") => Some(Self::Lru),
            _ => None,
        }
    }
}

sections! {
    /// A graphics chip on its board: the family whose streams it runs, and the numbers that models need.
    Machine {
        /// The family whose streams it runs.
        family: &'static Family,
        /// The vertex stage of its family.
        vertex_stage: VertexStage,
    }
    /// The sections, in the order of the table.
    SECTIONS,
    /// All parameters, section by section.
    PARAMETERS,
    machine_from;

    /// Clock rates of the chip and its memory.
    clocks: Clocks {
        /// Clock rate of the chip; "clock" below means this clock unless another is named.
        core_mhz: f64 = Number(1.0, 10_000.0), "MHz";
        /// Clock rate of the memory, not doubled.
        memory_mhz: f64 = Number(1.0, 10_000.0), "MHz";
        /// Transfers per memory clock on each line of the memory bus; 2 with double data rate.
        memory_transfers_per_clock: u32 = Whole(1, 8), "transfers";
    }

    /// The bus to the host.
    bus: Bus {
        /// Type of the bus.
        kind: BusKind = Choice(BusKind::NAMES), "";
        /// Peak rate from the host to the chip; 1 MB is 1,000,000 bytes.
        to_chip: f64 = Number(1.0, 1_000_000.0), "MB/s";
        /// Peak rate from the chip to the host.
        from_chip: f64 = Number(1.0, 1_000_000.0), "MB/s";
    }

    /// Command and index fetch.
    front_end: FrontEnd {
        /// Push buffer words (packets and methods) processed per clock.
        methods_per_clock: f64 = Number(0.01, 64.0), "words";
        /// Indices processed per clock.
        indices_per_clock: f64 = Number(0.01, 64.0), "indices";
    }

    /// The vertex units and the caches around them.
    vertex: Vertex {
        /// Vertex units; each processes a vertex of its own.
        units: u32 = Whole(1, 256), "units";
        /// Clocks of a vector operation; a scalar operation can run in parallel.
        vector_clocks: f64 = Number(0.01, 64.0), "clocks";
        /// Clocks of a taken branch, call or return.
        branch_clocks: u32 = Whole(0, 64), "clocks";
        /// Clocks of the shortest transform (four dot products), from which the peak vertex rate follows.
        transform_clocks: f64 = Number(0.01, 64.0), "clocks";
        /// Vertices that a unit alternates between while vertex texture fetches are pending.
        threads_per_unit: u32 = Whole(1, 1024), "vertices";
        /// Entries of the post-transform cache.
        cache_entries: u32 = Whole(1, 4096), "vertices";
        /// Replacement policy of the post-transform cache.
        cache_replacement: Replacement = Choice(Replacement::NAMES), "";
        /// Entries of the post-transform cache that hold vertices in flight and cannot be hit.
        vertices_in_flight: u32 = Whole(0, 4095), "vertices";
        /// Bytes that vertex fetch reads at a time.
        fetch_line_bytes: u32 = PowerOfTwo(4, 4096), "bytes";
    }

    /// Primitive culling, clipping and setup.
    setup: Setup {
        /// Triangles set up per clock.
        triangles_per_clock: f64 = Number(0.001, 64.0), "triangles";
        /// Triangles culled per clock.
        culled_per_clock: f64 = Number(0.001, 64.0), "triangles";
    }

    /// Zcull (hierarchical Z) and the early depth test.
    zcull: Zcull {
        /// Pixels that zcull rejects per clock.
        pixels_per_clock: f64 = Number(0.1, 65_536.0), "pixels";
        /// Width of a zcull tile.
        tile_width: u32 = PowerOfTwo(2, 64), "pixels";
        /// Height of a zcull tile.
        tile_height: u32 = PowerOfTwo(2, 64), "pixels";
        /// Quads that the early depth test processes per clock.
        early_quads_per_clock: f64 = Number(0.1, 16_384.0), "quads";
    }

    /// The fragment pipelines.
    fragment: Fragment {
        /// Quad pipelines; each runs fragment programs on quads of 2×2 pixels.
        quad_pipes: u32 = Whole(1, 16), "pipes";
        /// Pixels that a quad pipeline processes per clock.
        pixels_per_pipe: u32 = Whole(1, 64), "pixels";
        /// Quads in flight per quad pipeline if registers suffice.
        quads_in_flight: u32 = Whole(1, 65_536), "quads";
        /// Registers of four single floats that a program can use with all quads in flight.
        full_rate_registers: u32 = Whole(1, 256), "registers";
        /// Quads of a SIMD batch, which take a branch together or execute both sides.
        batch_quads: u32 = Whole(1, 65_536), "quads";
        /// Distinct half registers (of four half floats) that a pass can read; a full register counts as two.
        register_reads: u32 = Whole(1, 64), "half registers";
        /// Clocks of IF … ENDIF.
        if_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of IF … ELSE … ENDIF.
        if_else_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of a call.
        call_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of a return.
        return_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of LOOP … ENDLOOP, once per loop.
        loop_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of each further iteration of a loop.
        round_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of a break.
        break_clocks: u32 = Whole(0, 1024), "clocks";
    }

    /// The texture units and their caches.
    texture: Texture {
        /// Bilinear lookups per clock, over all quad pipelines.
        lookups_per_clock: u32 = Whole(1, 1024), "lookups";
        /// Clocks of a bilinear lookup in a format of four half floats.
        half_float_clocks: f64 = Number(1.0, 64.0), "clocks";
        /// Clocks of a bilinear lookup in a format of four single floats.
        single_float_clocks: f64 = Number(1.0, 64.0), "clocks";
        /// Size of the first-level cache of each quad pipeline.
        l1_bytes: u32 = Whole(16, 1 << 24), "bytes";
        /// Line size of the first level.
        l1_line_bytes: u32 = PowerOfTwo(16, 4096), "bytes";
        /// Lines per set of the first level.
        l1_ways: u32 = Whole(1, 4096), "lines";
        /// Size of the second-level cache, which all quad pipelines and the vertex units share.
        l2_bytes: u32 = Whole(16, 1 << 28), "bytes";
        /// Line size of the second level; at least that of the first.
        l2_line_bytes: u32 = PowerOfTwo(16, 4096), "bytes";
        /// Lines per set of the second level.
        l2_ways: u32 = Whole(1, 4096), "lines";
    }

    /// The queues of each quad pipeline that hide the latency of texture memory.
    prefetch: Prefetch {
        /// Quads that wait for their texels.
        fragment_fifo: u32 = Whole(1, 65_536), "quads";
        /// Requests that wait for memory.
        request_fifo: u32 = Whole(1, 65_536), "requests";
        /// Lines in flight or waiting to enter the cache in order.
        reorder_buffer: u32 = Whole(1, 65_536), "lines";
        /// Core clocks from a request to its line.
        memory_latency: u32 = Whole(0, 65_535), "clocks";
    }

    /// The ROPs (output merger).
    rop: Rop {
        /// ROPs; each finishes a 32-bit pixel with color and depth per clock.
        units: u32 = Whole(1, 256), "ROPs";
        /// Pixels that a ROP finishes per clock if no color is written.
        depth_only_pixels: u32 = Whole(1, 64), "pixels";
        /// Samples of a pixel, with color and depth, that a ROP finishes per clock.
        samples_per_clock: u32 = Whole(1, 64), "samples";
        /// Clocks of a pixel of four half floats.
        half_float_clocks: f64 = Number(1.0, 64.0), "clocks";
    }

    /// The board's memory, behind independent partitions.
    memory: Memory {
        /// Memory partitions.
        partitions: u32 = PowerOfTwo(1, 4), "partitions";
        /// Width of a partition's bus.
        partition_bits: u32 = PowerOfTwo(8, 1024), "bits";
        /// Base-2 logarithm of the interleave: bytes in one partition before the next follows.
        partition_shift: u32 = Whole(7, 8), "bits";
        /// Address bits of a column within a row; a column holds one transfer of a partition.
        column_bits: u32 = Whole(7, 12), "bits";
        /// Address bits of a bank.
        bank_bits: u32 = Whole(2, 3), "bits";
        /// Transfers per burst; an access of 32 bytes takes whole bursts.
        burst_transfers: u32 = PowerOfTwo(1, 64), "transfers";
        /// Accesses after the current one whose rows a partition opens ahead.
        queue_accesses: u32 = Whole(1, 64), "accesses";
        /// Memory clocks from activating a row to its first access (tRCD).
        activate_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory clocks from closing a row to activating the next (tRP).
        precharge_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory clocks from activating a row to activating one of another bank (tRRD).
        activate_to_activate_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory clocks from a read command to its first transfer (CAS latency).
        read_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory clocks from a write command to its first transfer (WL).
        write_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory clocks from the last transfer of a write to a read (tWTR).
        write_to_read_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory clocks from a read to a write (tRTW).
        read_to_write_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory clocks from the last transfer of a write to closing its row (tWR).
        write_recovery_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory on the board; 1 MiB is 1,048,576 bytes.
        capacity: u32 = Whole(1, 65_536), "MiB";
    }

    /// Compression of surfaces on their way to memory.
    compression: Compression {
        /// Whether depth surfaces are compressed.
        depth: bool = Flag, "";
        /// Whether multisampled color surfaces are compressed.
        color: bool = Flag, "";
        /// Assumed compression ratio of textures, color and depth, for the effective bandwidth.
        assumed_ratio: f64 = Number(1.0, 64.0), "";
        /// Bytes moved by a fast clear of a tile of 128 bytes, besides its tag and, for depth, stencil.
        fast_clear_bytes: u32 = Whole(0, 96), "bytes";
    }
}
