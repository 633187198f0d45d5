//! The table of all parameters of a machine, section by section: types, units, legal ranges and meaning.
//!
//! One row makes a field of a section's struct, a key that files may and must give, and a line of `docs/machines.md`.

use super::Parameter;
use super::legal::Legal::{Choice, Flag, Number, PowerOfTwo, Whole};
use super::legal::{Field, Legal};

/// A row of the table of parameters.
#[derive(Debug, PartialEq)]
pub struct ParameterRow {
    /// The section.
    pub section: &'static str,
    /// The key within the section.
    pub key: &'static str,
    /// What it means, a sentence.
    pub summary: &'static str,
    /// The unit, or empty.
    pub unit: &'static str,
    /// What is legal.
    pub legal: Legal,
}

/// A section of the table of parameters.
#[derive(Debug, PartialEq, Eq)]
pub struct SectionRow {
    /// The name.
    pub name: &'static str,
    /// What it describes, a sentence.
    pub summary: &'static str,
}

macro_rules! sections {
    ($(
        #[doc = $about:literal]
        $section:ident: $Section:ident {
            $( #[doc = $summary:literal] $key:ident: $kind:ty = $legal:expr, $unit:literal; )+
        }
    )+) => {
        $(
            #[doc = $about]
            #[derive(Debug, Clone, Copy, PartialEq)]
            pub struct $Section {
                $( #[doc = $summary] pub $key: $kind, )+
            }
        )+

        /// A graphics chip on its board, in numbers: what the models of the statistics are run with.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Machine {
            /// The name by which `--machine` finds it, or the path of its file.
            pub name: String,
            /// The product.
            pub title: String,
            /// The chip.
            pub chip: String,
            /// What was chosen in describing it, or empty.
            pub about: String,
            $( #[doc = $about] pub $section: $Section, )+
            pub(super) parameters: Vec<Parameter>,
        }

        /// The sections, in the order of the table.
        pub const SECTIONS: &[SectionRow] = &[
            $( SectionRow { name: stringify!($section), summary: $about.trim_ascii() }, )+
        ];

        /// All parameters, section by section.
        pub const PARAMETERS: &[ParameterRow] = &[
            $($( ParameterRow {
                section: stringify!($section),
                key: stringify!($key),
                summary: $summary.trim_ascii(),
                unit: $unit,
                legal: $legal,
            }, )+)+
        ];

        /// Makes a machine of its parameters, which are in the order of the table, one for each row.
        pub(super) fn machine_from([name, title, chip, about]: [String; 4], parameters: Vec<Parameter>) -> Machine {
            let mut values = parameters.iter().map(|parameter| parameter.value);
            $(
                let $section = $Section {
                    $( $key: next_field(&mut values), )+
                };
            )+
            Machine { name, title, chip, about, $( $section, )+ parameters }
        }
    };
}

/// The next field; its value was checked against the same row that gives the field its type.
fn next_field<T: Field>(values: &mut impl Iterator<Item = super::Value>) -> T {
    let value = values.next().expect("there is a parameter for each row");
    T::from_value(value).expect("the legal range of a row is one of its type")
}

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

/// Which entry makes room for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// The one that came first; a hit does not keep it.
    Fifo,
    /// The one that was not used for the longest time.
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
    /// Clocks of the chip and of its memory.
    clocks: Clocks {
        /// Clock of the chip; every "per clock" below means this one unless it says otherwise.
        core_mhz: f64 = Number(1.0, 10_000.0), "MHz";
        /// Clock of the memory, not doubled.
        memory_mhz: f64 = Number(1.0, 10_000.0), "MHz";
        /// Transfers over each line of the memory bus per memory clock; 2 with double data rate.
        memory_transfers_per_clock: u32 = Whole(1, 8), "transfers";
    }

    /// The bus to the host.
    bus: Bus {
        /// What bus it is.
        kind: BusKind = Choice(BusKind::NAMES), "";
        /// Peak rate from the host to the chip, 1 MB being 1,000,000 bytes.
        to_chip: f64 = Number(1.0, 1_000_000.0), "MB/s";
        /// Peak rate from the chip to the host.
        from_chip: f64 = Number(1.0, 1_000_000.0), "MB/s";
    }

    /// Reading of commands and indices.
    front_end: FrontEnd {
        /// Words of the push buffer taken per clock: packets and methods.
        methods_per_clock: f64 = Number(0.01, 64.0), "words";
        /// Indices taken per clock.
        indices_per_clock: f64 = Number(0.01, 64.0), "indices";
    }

    /// The vertex units and the caches around them.
    vertex: Vertex {
        /// Vertex units; each runs a vertex of its own.
        units: u32 = Whole(1, 256), "units";
        /// Clocks of a vector operation; a scalar one may run beside it.
        vector_clocks: f64 = Number(0.01, 64.0), "clocks";
        /// Clocks that a taken branch, call or return costs.
        branch_clocks: u32 = Whole(0, 64), "clocks";
        /// Clocks of the shortest transform, which the peak rate of vertices stands on: four dot products.
        transform_clocks: f64 = Number(0.01, 64.0), "clocks";
        /// Vertices that a unit works on in turns while fetches from vertex textures are under way.
        threads_per_unit: u32 = Whole(1, 1024), "vertices";
        /// Entries of the post-transform cache.
        cache_entries: u32 = Whole(1, 4096), "vertices";
        /// Which entry of the post-transform cache makes room.
        cache_replacement: Replacement = Choice(Replacement::NAMES), "";
        /// Entries of the post-transform cache that hold vertices under way, which cannot be hit.
        vertices_in_flight: u32 = Whole(0, 4095), "vertices";
        /// Bytes that vertex fetch reads at once.
        fetch_line_bytes: u32 = PowerOfTwo(4, 4096), "bytes";
    }

    /// Culling, clipping and set-up of primitives.
    setup: Setup {
        /// Triangles set up per clock.
        triangles_per_clock: f64 = Number(0.001, 64.0), "triangles";
        /// Triangles culled per clock.
        culled_per_clock: f64 = Number(0.001, 64.0), "triangles";
    }

    /// Coarse and early depth tests.
    zcull: Zcull {
        /// Pixels that the coarse test rejects per clock.
        pixels_per_clock: f64 = Number(0.1, 65_536.0), "pixels";
        /// Width of a tile of the coarse test.
        tile_width: u32 = PowerOfTwo(2, 64), "pixels";
        /// Height of a tile of the coarse test.
        tile_height: u32 = PowerOfTwo(2, 64), "pixels";
        /// Quads that the early depth test takes per clock.
        early_quads_per_clock: f64 = Number(0.1, 16_384.0), "quads";
    }

    /// The fragment pipelines.
    fragment: Fragment {
        /// Quad pipelines; each runs fragment programs on quads of 2×2 pixels.
        quad_pipes: u32 = Whole(1, 16), "pipes";
        /// Pixels that a quad pipeline works on per clock.
        pixels_per_pipe: u32 = Whole(1, 64), "pixels";
        /// Quads in flight per quad pipeline, where registers suffice.
        quads_in_flight: u32 = Whole(1, 65_536), "quads";
        /// Registers of four single floats that a program may use with all quads in flight.
        full_rate_registers: u32 = Whole(1, 256), "registers";
        /// Quads of a batch, which take a branch together or go both ways.
        batch_quads: u32 = Whole(1, 65_536), "quads";
        /// Half registers (of four half floats) of different numbers that a pass may read; a single register is two.
        register_reads: u32 = Whole(1, 64), "half registers";
        /// Clocks of IF … ENDIF.
        if_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of IF … ELSE … ENDIF.
        if_else_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of a call.
        call_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of a return.
        return_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of LOOP … ENDLOOP, once for the loop.
        loop_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of each further round of a loop.
        round_clocks: u32 = Whole(0, 1024), "clocks";
        /// Clocks of a break.
        break_clocks: u32 = Whole(0, 1024), "clocks";
    }

    /// The texture units and their caches.
    texture: Texture {
        /// Bilinear lookups per clock, of all quad pipelines together.
        lookups_per_clock: u32 = Whole(1, 1024), "lookups";
        /// Clocks of a bilinear lookup in a format of four half floats.
        half_float_clocks: f64 = Number(1.0, 64.0), "clocks";
        /// Clocks of a lookup in a format of four single floats.
        single_float_clocks: f64 = Number(1.0, 64.0), "clocks";
        /// Bytes of the first-level cache of each quad pipeline.
        l1_bytes: u32 = Whole(16, 1 << 24), "bytes";
        /// Bytes of a line of the first level.
        l1_line_bytes: u32 = PowerOfTwo(16, 4096), "bytes";
        /// Lines of a set of the first level.
        l1_ways: u32 = Whole(1, 4096), "lines";
        /// Bytes of the second-level cache, which all quad pipelines and the vertex units share.
        l2_bytes: u32 = Whole(16, 1 << 28), "bytes";
        /// Bytes of a line of the second level; not less than of the first.
        l2_line_bytes: u32 = PowerOfTwo(16, 4096), "bytes";
        /// Lines of a set of the second level.
        l2_ways: u32 = Whole(1, 4096), "lines";
    }

    /// The queues that hide the latency of texture memory, of each quad pipeline.
    prefetch: Prefetch {
        /// Quads that wait for their texels.
        fragment_fifo: u32 = Whole(1, 65_536), "quads";
        /// Requests that wait for the memory.
        request_fifo: u32 = Whole(1, 65_536), "requests";
        /// Lines that are under way or wait for their turn to enter the cache.
        reorder_buffer: u32 = Whole(1, 65_536), "lines";
        /// Core clocks from a request to its line.
        memory_latency: u32 = Whole(0, 65_535), "clocks";
    }

    /// The output merger.
    rop: Rop {
        /// ROPs; each finishes a pixel of 32 bits with colour and depth per clock.
        units: u32 = Whole(1, 256), "ROPs";
        /// Pixels that a ROP finishes per clock where no colour is written.
        depth_only_pixels: u32 = Whole(1, 64), "pixels";
        /// Samples of one pixel that a ROP finishes per clock, colour and depth.
        samples_per_clock: u32 = Whole(1, 64), "samples";
        /// Clocks of a pixel of four half floats.
        half_float_clocks: f64 = Number(1.0, 64.0), "clocks";
    }

    /// The memory of the board, behind partitions that work independently.
    memory: Memory {
        /// Partitions.
        partitions: u32 = PowerOfTwo(1, 4), "partitions";
        /// Lines of a partition's bus.
        partition_bits: u32 = PowerOfTwo(8, 1024), "bits";
        /// Base-2 logarithm of the bytes that lie in one partition before the next one follows.
        partition_shift: u32 = Whole(7, 8), "bits";
        /// Bits of a column's address within a row; a column holds one transfer of a partition.
        column_bits: u32 = Whole(7, 12), "bits";
        /// Bits of a bank's address.
        bank_bits: u32 = Whole(2, 3), "bits";
        /// Transfers of a burst; an access of 32 bytes takes whole bursts.
        burst_transfers: u32 = PowerOfTwo(1, 64), "transfers";
        /// Accesses that a partition looks at ahead of the one under way, to open their rows.
        queue_accesses: u32 = Whole(1, 64), "accesses";
        /// Activating a row until its first access (tRCD), in memory clocks.
        activate_clocks: u32 = Whole(0, 255), "clocks";
        /// Closing a row until the next can be activated (tRP), in memory clocks.
        precharge_clocks: u32 = Whole(0, 255), "clocks";
        /// Activating a row until one of another bank (tRRD), in memory clocks.
        activate_to_activate_clocks: u32 = Whole(0, 255), "clocks";
        /// Asking for a read until its first transfer (CAS latency), in memory clocks.
        read_clocks: u32 = Whole(0, 255), "clocks";
        /// Asking for a write until its first transfer (WL), in memory clocks.
        write_clocks: u32 = Whole(0, 255), "clocks";
        /// The last transfer of a write until a read (tWTR), in memory clocks.
        write_to_read_clocks: u32 = Whole(0, 255), "clocks";
        /// A read until a write (tRTW), in memory clocks.
        read_to_write_clocks: u32 = Whole(0, 255), "clocks";
        /// The last transfer of a write until its row may be closed (tWR), in memory clocks.
        write_recovery_clocks: u32 = Whole(0, 255), "clocks";
        /// Memory on the board, 1 MiB being 1,048,576 bytes.
        capacity: u32 = Whole(1, 65_536), "MiB";
    }

    /// Compression of surfaces on their way to memory.
    compression: Compression {
        /// Whether depth surfaces are compressed.
        depth: bool = Flag, "";
        /// Whether multisampled colour surfaces are compressed.
        colour: bool = Flag, "";
        /// How many times smaller textures, colour and depth are assumed to get, for the effective bandwidth.
        assumed_ratio: f64 = Number(1.0, 64.0), "";
        /// Bytes moved to clear a tile of 128 bytes quickly, besides its tag and, of depth, stencil.
        fast_clear_bytes: u32 = Whole(0, 96), "bytes";
    }
}
