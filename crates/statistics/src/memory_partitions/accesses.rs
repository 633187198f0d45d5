//! Accesses of video memory, the parameters of its partitions, and what a simulation of them counts.

use bytemuck::{Pod, Zeroable};
use curie_isa::named_enum;

use crate::ParameterError;

/// Bytes of an access (GPU Gems 2, chapter 30: the size for which memory reads are efficient).
pub const ACCESS_BYTES: u32 = 32;

/// Most tile regions; this chip has 8, later ones of the family up to 15 (envytools, hardware-tested).
pub const MAX_REGIONS: usize = 15;

/// The number of [`Client`] kinds.
pub const CLIENTS: usize = 8;

named_enum! {
    /// The part of the chip that accesses memory.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Client {
        /// Texture units.
        Texture = "texture",
        /// Color surfaces.
        Color = "color",
        /// The depth and stencil surface.
        Zeta = "zeta",
        /// Vertex attributes.
        Vertex = "vertex",
        /// Indices.
        Index = "index",
        /// Copies, images and fills.
        Copy = "copy",
        /// The display.
        ScanOut = "scan-out",
        /// The host, over the bus.
        Host = "host",
    }
}

/// An access of a trace: address / 32 in bits 26:0, the client's code in bits 29:27, and whether it writes in bit
/// 30. If bit 31 is set, it is not an access but the end of a segment, whose number is in bits 26:0, or, all ones,
/// nothing.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct MemoryAccess(pub u32);

impl MemoryAccess {
    /// A trace entry without an access.
    pub const NONE: Self = Self(u32::MAX);

    /// The end of a segment of the trace; segments are numbered from 0, in order.
    #[must_use]
    pub const fn segment_end(number: u32) -> Self {
        Self(number | 1 << 31)
    }

    /// Whether a segment ends here.
    #[must_use]
    pub const fn is_segment_end(self) -> bool {
        self.0 >> 31 == 1 && self.0 != Self::NONE.0
    }

    /// The access that touches a byte of video memory.
    #[must_use]
    pub const fn new(address: u32, client: Client, is_write: bool) -> Self {
        Self((address / ACCESS_BYTES) | (client as u32) << 27 | (is_write as u32) << 30)
    }

    /// The accesses that touch a range of bytes of video memory, truncated at the end of the address space.
    pub fn of_range(start: u32, bytes: u32, client: Client, is_write: bool) -> impl Iterator<Item = Self> {
        let end = (u64::from(start) + u64::from(bytes)).min(1 << 32).div_ceil(ACCESS_BYTES.into());
        let first = u64::from(start / ACCESS_BYTES);
        let units = if bytes == 0 { 0..0 } else { first..end };
        let code = (client as u32) << 27 | u32::from(is_write) << 30;
        units.map(move |unit| Self(u32::try_from(unit).expect("addresses have 27 bits of units") | code))
    }

    /// Its first byte.
    #[must_use]
    pub const fn address(self) -> u32 {
        self.0 << 5
    }

    /// Its client; `None` without an access.
    #[must_use]
    pub fn client(self) -> Option<Client> {
        if self.0 >> 31 == 1 { None } else { Client::ALL.get((self.0 >> 27 & 7) as usize).copied() }
    }

    /// Whether it writes.
    #[must_use]
    pub const fn is_write(self) -> bool {
        self.0 >> 30 & 1 == 1
    }
}

/// A range of video memory whose surface is tiled.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct TileRegion {
    /// Its first byte, a multiple of four blocks.
    pub start: u32,
    /// Its size in bytes.
    pub bytes: u32,
    /// Bytes of a row of its surface: 256 · 2ⁿ · {1, 3, 5, 7, 13}, from 512 to 65536.
    pub pitch_bytes: u32,
    /// Added to the bank number, 0 to 3.
    pub bank_offset: u32,
}

/// Parameters of video memory. Clocks are memory clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryParameters {
    /// Partitions of 64 bits: 1, 2 or 4.
    pub partitions: u32,
    /// Bytes from one partition to the next in linear order: 128 or 256.
    pub interleave_bytes: u32,
    /// Bits of a column number, 7 to 12; a column has eight bytes.
    pub column_bits: u32,
    /// Banks: 4 or 8.
    pub banks: u32,
    /// How many accesses ahead a partition opens rows, 1 to 64.
    pub queue_depth: u32,
    /// Clocks of an access's data transfer, 1 to 255.
    pub access_clocks: u32,
    /// Clocks from the activation of a row until it can be accessed, 0 to 255 (tRCD).
    pub activate_clocks: u32,
    /// Clocks to close a row, 0 to 255 (tRP).
    pub precharge_clocks: u32,
    /// The least number of clocks between activations, 0 to 255 (tRRD).
    pub activate_spacing: u32,
    /// Clocks after a write until its row can be closed, 0 to 255 (tWR).
    pub write_recovery: u32,
    /// Clocks without data between a read and a write, 0 to 255.
    pub read_to_write: u32,
    /// Clocks from the data of a write until a read can be issued, 0 to 255 (tWTR).
    pub write_to_read: u32,
    /// Clocks from issuing a read to its data, 0 to 255 (CAS latency).
    pub read_latency: u32,
    /// Clocks from issuing a write to its data, at most those of a read (WL).
    pub write_latency: u32,
    /// Clock rate in MHz, at least 1.
    pub clock_mhz: u32,
    /// Regions whose surfaces are tiled; they do not overlap.
    pub regions: Vec<TileRegion>,
}

impl Default for MemoryParameters {
    fn default() -> Self {
        // Four partitions of 64 bits at 550 MHz and double data rate: 35.2 GB/s (GPU Gems 2, chapter 30). The interleave:
        // envytools, hardware-tested. Unverified: columns and banks of 256 Mbit GDDR3; clocks of a GDDR3-600 as the
        // simulator ATTILA has them, scaled to 550 MHz where they are times; how far ahead a partition looks.
        Self {
            partitions: 4,
            interleave_bytes: 256,
            column_bits: 9,
            banks: 4,
            queue_depth: 8,
            access_clocks: 2,
            activate_clocks: 12,
            precharge_clocks: 13,
            activate_spacing: 9,
            write_recovery: 10,
            read_to_write: 2,
            write_to_read: 5,
            read_latency: 10,
            write_latency: 5,
            clock_mhz: 550,
            regions: Vec::new(),
        }
    }
}

impl MemoryParameters {
    /// Checks every field.
    ///
    /// # Errors
    /// With the first field that is out of its range.
    pub fn check(&self) -> Result<(), ParameterError> {
        ParameterError::unless([1, 2, 4].contains(&self.partitions), "partitions", self.partitions, "1, 2 or 4")?;
        let holds = [128, 256].contains(&self.interleave_bytes);
        ParameterError::unless(holds, "interleave_bytes", self.interleave_bytes, "128 or 256")?;
        ParameterError::unless((7..=12).contains(&self.column_bits), "column_bits", self.column_bits, "from 7 to 12")?;
        ParameterError::unless([4, 8].contains(&self.banks), "banks", self.banks, "4 or 8")?;
        ParameterError::unless((1..=64).contains(&self.queue_depth), "queue_depth", self.queue_depth, "from 1 to 64")?;
        let holds = (1..=255).contains(&self.access_clocks);
        ParameterError::unless(holds, "access_clocks", self.access_clocks, "from 1 to 255")?;
        let clocks = [
            ("activate_clocks", self.activate_clocks),
            ("precharge_clocks", self.precharge_clocks),
            ("activate_spacing", self.activate_spacing),
            ("write_recovery", self.write_recovery),
            ("read_to_write", self.read_to_write),
            ("write_to_read", self.write_to_read),
            ("read_latency", self.read_latency),
            ("write_latency", self.write_latency),
        ];
        for (field, clocks) in clocks {
            ParameterError::unless(clocks <= 255, field, clocks, "at most 255")?;
        }
        // Otherwise a write would be issued before the read that it follows.
        let holds = self.write_latency <= self.read_latency;
        ParameterError::unless(holds, "write_latency", self.write_latency, "at most the latency of reads")?;
        ParameterError::unless(self.clock_mhz > 0, "clock_mhz", self.clock_mhz, "above 0")?;
        self.check_regions()
    }

    /// An upper bound of an access's clocks.
    #[must_use]
    pub fn max_clocks(&self) -> u64 {
        let turn = self.read_to_write.max(self.write_to_read + self.read_latency) + self.write_latency;
        let row = self.activate_clocks + self.precharge_clocks + self.activate_spacing + self.write_recovery;
        u64::from(self.access_clocks + turn + row)
    }
}

/// Accesses of a bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BankCounts {
    /// Accesses to the open row.
    pub hits: u64,
    /// Accesses that opened their row.
    pub misses: u64,
}

/// Counts of a partition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartitionResult {
    /// Reads and writes of each client, in the order of [`Client::ALL`].
    pub accesses: [[u64; 2]; CLIENTS],
    /// Rows of each bank.
    pub banks: Vec<BankCounts>,
    /// Turnarounds between reads and writes.
    pub turns: u64,
    /// Clocks until its last data.
    pub clocks: u64,
}

/// Results of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryResult {
    /// The memory.
    pub parameters: MemoryParameters,
    /// Its partitions.
    pub partitions: Vec<PartitionResult>,
    /// Clocks until each partition's last data, at the end of each segment of the trace.
    pub segment_ends: Vec<Vec<u64>>,
}

impl MemoryResult {
    /// Bytes that were read and written for a client.
    #[must_use]
    pub fn bytes_of(&self, client: Client) -> [u64; 2] {
        let count = |direction: usize| -> u64 {
            self.partitions.iter().map(|partition| partition.accesses[client as usize][direction]).sum()
        };
        [0, 1].map(|direction| count(direction) * u64::from(ACCESS_BYTES))
    }

    /// Clocks until the last data of all partitions.
    #[must_use]
    pub fn clocks(&self) -> u64 {
        self.partitions.iter().map(|partition| partition.clocks).max().unwrap_or(0)
    }

    /// Clocks of the busiest partition in each segment.
    #[must_use]
    pub fn segment_clocks(&self) -> Vec<u64> {
        let zeros = vec![0; self.partitions.len()];
        let before = std::iter::once(&zeros).chain(&self.segment_ends);
        let clocks = |(before, end): (&Vec<u64>, &Vec<u64>)| {
            end.iter().zip(before).map(|(end, before)| end - before).max().unwrap_or(0)
        };
        before.zip(&self.segment_ends).map(clocks).collect()
    }
}
