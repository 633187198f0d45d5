//! Maps addresses of video memory to partition, bank and row.
//!
//! The formulas are facts of envytools (`nvhw`, hardware-tested): memory consists of blocks, each one row of one
//! bank in all partitions. In a tile region a block is 256 bytes wide. `wgsl/models/locate_memory_accesses.wgsl`
//! implements the same.

use super::{MAX_REGIONS, MemoryParameters, TileRegion};
use crate::ParameterError;

/// Log2 of the bytes of a column.
const LOG2_COLUMN: u32 = 3;

/// The location of an access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The partition.
    pub partition: u32,
    /// The bank of the partition.
    pub bank: u32,
    /// The row of the bank.
    pub row: u32,
}

/// A bit of an address.
const fn bit(address: u32, number: u32) -> u32 {
    address >> number & 1
}

impl MemoryParameters {
    /// Log2 of the bytes of a block, one row of one bank in all partitions.
    #[must_use]
    pub const fn log2_block(&self) -> u32 {
        LOG2_COLUMN + self.partitions.trailing_zeros() + self.column_bits
    }

    /// The value whose exclusive or with the partition number is taken.
    const fn partition_swap(&self, address: u32) -> u32 {
        match self.partitions {
            4 => {
                let low = bit(address, 11) ^ bit(address, 12);
                let high = bit(address, 10) ^ bit(address, 11) ^ bit(address, 13) ^ bit(address, 14);
                low | high << 1
            }
            2 => {
                let swap = bit(address, 9) ^ bit(address, 10) ^ bit(address, 11) ^ bit(address, 12) ^ bit(address, 13);
                if self.interleave_bytes == 128 { swap ^ bit(address, 8) } else { swap }
            }
            _ => 0,
        }
    }

    /// Returns the location of a byte of linear memory.
    ///
    /// # Panics
    /// With parameters that [`MemoryParameters::check`] refuses.
    #[must_use]
    pub const fn linear_location(&self, address: u32) -> Location {
        let interleaved = address >> self.interleave_bytes.trailing_zeros() & (self.partitions - 1);
        let block = address >> self.log2_block();
        Location {
            partition: interleaved ^ self.partition_swap(address),
            bank: block % self.banks,
            row: block / self.banks,
        }
    }

    /// The address in linear memory of a byte of a tile region, relative to the region's start.
    ///
    /// # Panics
    /// With parameters or a region that [`MemoryParameters::check`] refuses.
    #[must_use]
    pub fn tiled_offset(&self, region: &TileRegion, offset: u32) -> u32 {
        let log2_block = self.log2_block();
        let partition_bits = self.partitions.trailing_zeros();
        let pitch_blocks = region.pitch_bytes >> 8;
        let log2_pitch = pitch_blocks.trailing_zeros();
        let (column, line) = (offset % region.pitch_bytes, offset / region.pitch_bytes);
        let (block_x, x) = (column >> 8, column & 255);
        let (block_y, y) = (line >> (log2_block - 8), line & ((1 << (log2_block - 8)) - 1));
        let partition = match self.partitions {
            4 => {
                let rows = bit(y, 3) | bit(y, 2) << 1;
                rows + (block_x << 1) + bit(x, 7) + if log2_pitch == 0 { block_y << 1 } else { 0 }
            }
            2 => y >> 2 ^ x >> 7,
            _ => 0,
        } & (self.partitions - 1);
        let low = (y & 3) << 5 | ((x >> 4 ^ x >> 5 ^ y) & 1) << 4 | x & 15;
        let middle = if self.interleave_bytes == 256 {
            partition << 1 | bit(x, 5)
        } else {
            bit(x, 5) << partition_bits | partition
        };
        let high = y >> (2 + partition_bits) << 2 | x >> 6;
        let inner = high << (8 + partition_bits) | middle << 7 | low;
        let block = block_y.wrapping_mul(pitch_blocks).wrapping_add(block_x);
        let bank = if log2_pitch == 0 { block } else { (bit(block_x, 1) | bit(block_x, 0) << 1).wrapping_add(block_y) };
        let bank = bank.wrapping_add(region.bank_offset) & 3;
        let address = ((block & !3) | bank).wrapping_shl(log2_block) | inner;
        // The swap of linear order is applied here as well, so that the partition is the one computed above.
        address ^ self.partition_swap(address) << self.interleave_bytes.trailing_zeros()
    }

    /// Returns the location of a byte of video memory.
    ///
    /// # Panics
    /// With parameters that [`MemoryParameters::check`] refuses.
    #[must_use]
    pub fn location(&self, address: u32) -> Location {
        let region = self.regions.iter().find(|region| address.wrapping_sub(region.start) < region.bytes);
        let linear = region.map(|region| region.start.wrapping_add(self.tiled_offset(region, address - region.start)));
        self.linear_location(linear.unwrap_or(address))
    }

    pub(super) fn check_regions(&self) -> Result<(), ParameterError> {
        let count = self.regions.len();
        ParameterError::unless(count <= MAX_REGIONS, "regions", count as u64, "at most 15 regions")?;
        for (number, region) in self.regions.iter().enumerate() {
            let TileRegion { start, bytes, pitch_bytes, bank_offset } = *region;
            let blocks = pitch_bytes >> 8;
            let factor = blocks >> blocks.trailing_zeros().min(31);
            let holds = pitch_bytes.is_multiple_of(256)
                && (512..=65_536).contains(&pitch_bytes)
                && [1, 3, 5, 7, 13].contains(&factor);
            let expected = "256 times a power of two times 1, 3, 5, 7 or 13, from 512 to 65536";
            ParameterError::unless(holds, "pitch_bytes", pitch_bytes, expected)?;
            let holds = start.is_multiple_of(4 << self.log2_block());
            ParameterError::unless(holds, "start", start, "a multiple of four blocks")?;
            ParameterError::unless(bank_offset < 4, "bank_offset", bank_offset, "from 0 to 3")?;
            let end = u64::from(start) + u64::from(bytes);
            ParameterError::unless(bytes > 0 && end <= 1 << 32, "bytes", bytes, "from 1 to the end of addresses")?;
            let overlaps = |other: &TileRegion| {
                u64::from(other.start) < end && u64::from(start) < u64::from(other.start) + u64::from(other.bytes)
            };
            let holds = !self.regions[..number].iter().any(overlaps);
            ParameterError::unless(holds, "start", start, "outside of other regions")?;
        }
        Ok(())
    }
}
