//! The table of all parameters of a machine with the Tesla processor, which runs compute kernels and all programs of draws.

use super::family::Family;
use super::legal::Field;
use super::legal::Legal::{Choice, Number, PowerOfTwo, Whole};
use super::parameter::Parameter;
use super::sections::{ParameterRow, SectionRow, next_field, sections};
use crate::isa::tesla::TeslaGeneration;

impl Field for TeslaGeneration {
    fn from_value(value: super::Value) -> Option<Self> {
        if let super::Value::Choice(name) = value { Self::from_name(name) } else { None }
    }
}

/// The names of the generations.
const GENERATIONS: &[&str] = &["sm_10", "sm_11", "sm_12", "sm_13", "gt215"];

sections! {
    /// A chip with the Tesla processor on its board, in the numbers that models of kernels and draws need.
    TeslaMachine {
        /// The family whose streams it runs.
        family: &'static Family,
    }
    /// The sections of unified machines, in the order of the table.
    TESLA_SECTIONS,
    /// All parameters of unified machines, section by section.
    TESLA_PARAMETERS,
    tesla_machine_from;

    /// Clock rates of the processor, the rest of the chip, and the memory.
    clocks: TeslaClocks {
        /// Clock rate of the scalar processors; "clock" below means this clock.
        processor_mhz: f64 = Number(1.0, 10_000.0), "MHz";
        /// Clock rate of the rest of the chip.
        core_mhz: f64 = Number(1.0, 10_000.0), "MHz";
        /// Clock rate of the memory, not doubled.
        memory_mhz: f64 = Number(1.0, 10_000.0), "MHz";
        /// Transfers per memory clock on each line of the memory bus; 2 with double data rate.
        memory_transfers_per_clock: u32 = Whole(1, 8), "transfers";
    }

    /// The units of the processor.
    processor: TeslaProcessor {
        /// The generation, which decides the instructions that exist.
        generation: TeslaGeneration = Choice(GENERATIONS), "";
        /// Clusters of multiprocessors, each with a texture unit.
        clusters: u32 = Whole(1, 64), "clusters";
        /// Multiprocessors of a cluster.
        cluster_multiprocessors: u32 = Whole(1, 16), "multiprocessors";
        /// Scalar processors of a multiprocessor; each does an operation of a thread per clock.
        scalar_units: u32 = PowerOfTwo(1, 32), "units";
        /// Special function units of a multiprocessor; each computes a function of a thread per clock.
        special_units: u32 = PowerOfTwo(1, 32), "units";
        /// Threads for which a special function unit interpolates an attribute per clock.
        interpolated_threads: u32 = PowerOfTwo(1, 32), "threads";
    }

    /// The bus to the host.
    bus: TeslaBus {
        /// Peak rate of each direction; 1 MB is 1,000,000 bytes.
        megabytes_per_second: f64 = Number(1.0, 1_000_000.0), "MB/s";
    }

    /// Command fetch and the input assembler.
    front_end: TeslaFrontEnd {
        /// Push buffer words (packets and methods) processed per core clock.
        methods_per_clock: f64 = Number(0.01, 64.0), "words";
        /// Primitives assembled per core clock.
        primitives_per_clock: f64 = Number(0.01, 64.0), "primitives";
        /// Components of vertex attributes fetched per core clock.
        attributes_per_clock: f64 = Number(0.01, 64.0), "components";
        /// Entries of the post-transform cache.
        cache_entries: u32 = Whole(1, 4096), "vertices";
        /// Bytes that a fetch of attributes reads at least.
        fetch_line_bytes: u32 = PowerOfTwo(32, 4096), "bytes";
    }

    /// Culling and triangle setup.
    setup: TeslaSetup {
        /// Triangles set up per core clock.
        triangles_per_clock: f64 = Number(0.001, 64.0), "triangles";
        /// Triangles culled per core clock.
        culled_per_clock: f64 = Number(0.001, 64.0), "triangles";
    }

    /// Zcull (hierarchical Z) and the distribution of pixels to clusters.
    zcull: TeslaZcull {
        /// Pixels that zcull rejects per core clock.
        pixels_per_clock: f64 = Number(0.1, 65_536.0), "pixels";
        /// Side of a square zcull tile.
        tile: u32 = PowerOfTwo(2, 64), "pixels";
        /// Side of the square tiles of the screen whose pixels one cluster shades.
        cluster_tile: u32 = PowerOfTwo(2, 256), "pixels";
    }

    /// The texture unit of each cluster.
    texture: TeslaTexture {
        /// Threads whose addresses are generated per core clock.
        address_units: u32 = Whole(1, 64), "threads";
        /// Bilinear samples filtered per core clock.
        filter_units: u32 = Whole(1, 64), "samples";
        /// Core clocks of a filter unit for a bilinear sample of four half floats.
        half_float_clocks: f64 = Number(1.0, 64.0), "clocks";
        /// Core clocks of a filter unit for a bilinear sample of four single floats.
        single_float_clocks: f64 = Number(1.0, 64.0), "clocks";
        /// Clocks of the processor from the issue of a fetch to that of an operation that needs its result.
        latency: u32 = Whole(1, 65_535), "clocks";
        /// Size of the cache of each texture unit.
        l1_bytes: u32 = Whole(16, 1 << 24), "bytes";
        /// Line size of these caches.
        l1_line_bytes: u32 = PowerOfTwo(16, 4096), "bytes";
        /// Lines per set of these caches.
        l1_ways: u32 = Whole(1, 4096), "lines";
        /// Size of the second-level cache, all partitions together.
        l2_bytes: u32 = Whole(16, 1 << 28), "bytes";
        /// Line size of the second level; at least that of the first.
        l2_line_bytes: u32 = PowerOfTwo(16, 4096), "bytes";
        /// Lines per set of the second level.
        l2_ways: u32 = Whole(1, 4096), "lines";
    }

    /// The ROP of each memory partition.
    rop: TeslaRop {
        /// Pixels of 32 bits, with color and depth, that a ROP finishes per core clock.
        pixels: u32 = Whole(1, 64), "pixels";
        /// Pixels that it tests per core clock if no color is written.
        depth_only_pixels: u32 = Whole(1, 256), "pixels";
        /// Samples of pixels with color that it finishes per core clock.
        color_samples: u32 = Whole(1, 256), "samples";
        /// Times that blending a pixel takes as long as writing it.
        blend_clocks: f64 = Number(1.0, 64.0), "clocks";
        /// Times that a pixel of four half floats takes as long as one of 32 bits.
        half_float_clocks: f64 = Number(1.0, 64.0), "clocks";
    }

    /// What a multiprocessor can hold at a time.
    multiprocessor: TeslaMultiprocessor {
        /// Warps.
        warps: u32 = Whole(1, 256), "warps";
        /// Blocks.
        blocks: u32 = Whole(1, 64), "blocks";
        /// Threads of one block.
        block_threads: u32 = Whole(1, 512), "threads";
        /// Registers of 32 bits.
        registers: u32 = Whole(1, 1_048_576), "registers";
        /// Registers are reserved for a block in steps of this number.
        register_step: u32 = PowerOfTwo(1, 4096), "registers";
        /// Registers are reserved for a multiple of this number of warps.
        warp_step: u32 = PowerOfTwo(1, 16), "warps";
        /// Registers of one thread.
        thread_registers: u32 = Whole(1, 128), "registers";
        /// Shared memory.
        shared_bytes: u32 = Whole(16, 16_384), "bytes";
        /// Shared memory is reserved for a block in steps of this size.
        shared_step: u32 = PowerOfTwo(64, 4096), "bytes";
    }

    /// How instructions of warps are issued, and when others can use their results.
    issue: TeslaIssue {
        /// Clocks from the issue of an instruction to the next, of any warp, in another unit.
        slot_clocks: u32 = Whole(1, 64), "clocks";
        /// Clocks from the issue of an operation of the scalar processors to that of one that needs its result.
        scalar_latency: u32 = Whole(1, 4096), "clocks";
        /// The same for operations of the special function units.
        special_latency: u32 = Whole(1, 4096), "clocks";
        /// The same for operations with an operand in shared memory, without conflicts.
        shared_latency: u32 = Whole(1, 4096), "clocks";
        /// Clocks from the issue of a branch, call or return to the warp's next instruction.
        branch_latency: u32 = Whole(1, 4096), "clocks";
        /// Clocks from the last arrival at a barrier to the next instruction of the warps that wait.
        barrier_latency: u32 = Whole(1, 4096), "clocks";
    }

    /// The banks of shared memory.
    shared: TeslaShared {
        /// Banks.
        banks: u32 = PowerOfTwo(1, 64), "banks";
        /// Bytes of a bank that follow each other.
        bank_bytes: u32 = PowerOfTwo(1, 16), "bytes";
        /// Clocks in which the banks serve once; a half-warp without conflicts is served at once.
        pass_clocks: u32 = Whole(1, 64), "clocks";
    }

    /// The cache of constants of each multiprocessor.
    constant: TeslaConstant {
        /// Size.
        bytes: u32 = Whole(16, 1_048_576), "bytes";
        /// Line size.
        line_bytes: u32 = PowerOfTwo(4, 4096), "bytes";
        /// Lines of a set.
        ways: u32 = Whole(1, 4096), "lines";
        /// Clocks in which the cache serves one address of a half-warp.
        pass_clocks: u32 = Whole(1, 64), "clocks";
        /// Clocks from the issue of an operation with a constant that is not in the cache to its result.
        miss_latency: u32 = Whole(1, 65_535), "clocks";
    }

    /// The board's memory, behind independent partitions.
    memory: TeslaMemory {
        /// Memory partitions.
        partitions: u32 = Whole(1, 8), "partitions";
        /// Width of a partition's bus.
        partition_bits: u32 = PowerOfTwo(8, 1024), "bits";
        /// Bytes in one partition before the next follows.
        block_bytes: u32 = PowerOfTwo(32, 65_536), "bytes";
        /// The smallest transaction.
        transaction_bytes: u32 = PowerOfTwo(4, 128), "bytes";
        /// Clocks from the issue of a load to that of an operation that needs its result, if the memory is idle.
        latency: u32 = Whole(1, 65_535), "clocks";
        /// Memory on the board; 1 MiB is 1,048,576 bytes.
        capacity: u32 = Whole(1, 65_536), "MiB";
    }
}
