//! Spreads the accesses of a frame over the memory partitions of a chip with a unified processor: the bytes of each client and
//! partition, and the clocks in which its bus transfers them. Rows and banks are not modeled.
//!
//! Source: envytools `docs/hw/memory/g80-vram.rst`, the short partition cycle of linear and tiled storage.
// Unverified: that addresses of the stream are those of the board, and the short cycle on G80, whose pages may have the long one.

use crate::machine::TeslaMachine;
use crate::statistics::memory_partitions::{
    ACCESS_BYTES, CLIENTS, MemoryAccess, MemoryParameters, MemoryResult, PartitionResult, TileRegion,
};

/// Bytes in one partition before the next follows; a small tile of a tiled surface.
const BLOCK_BYTES: u32 = 256;

/// How the bytes of a page are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStorage {
    /// In their order.
    Linear,
    /// In the small tiles of a surface.
    Tiled,
}

/// The partition of a byte.
#[must_use]
pub fn partition_of(partitions: u32, address: u32, storage: PageStorage) -> u32 {
    let block = address / BLOCK_BYTES;
    let (first, adjust) = (block % partitions, (block / partitions) & 31);
    match (storage, partitions) {
        (PageStorage::Tiled, 2 | 6) => first ^ (adjust.count_ones() & 1),
        (PageStorage::Tiled, 4) => first.wrapping_sub((adjust & 3) + (adjust >> 2 & 3) + (adjust >> 4)) % 4,
        (PageStorage::Tiled, 8) => first.wrapping_sub((adjust & 7) + (adjust >> 3)) % 8,
        _ => first,
    }
}

/// Counts accesses by partition; `tiled` are the regions of tiled storage. Clocks are those of the memory.
#[must_use]
pub fn partition_loads(accesses: &[MemoryAccess], machine: &TeslaMachine, tiled: &[TileRegion]) -> MemoryResult {
    let memory = &machine.memory;
    let access_clocks = 8 * ACCESS_BYTES / memory.partition_bits / machine.clocks.memory_transfers_per_clock;
    let mut partitions = vec![PartitionResult::default(); memory.partitions as usize];
    let mut segment_ends = Vec::new();
    for access in accesses {
        if access.is_segment_end() {
            segment_ends.push(partitions.iter().map(|partition| partition.clocks).collect());
        }
        let Some(client) = access.client() else { continue };
        let storage = match tiled.iter().any(|region| access.address().wrapping_sub(region.start) < region.bytes) {
            true => PageStorage::Tiled,
            false => PageStorage::Linear,
        };
        let partition = &mut partitions[partition_of(memory.partitions, access.address(), storage) as usize];
        partition.accesses[(client as usize).min(CLIENTS - 1)][usize::from(access.is_write())] += 1;
        partition.clocks += u64::from(access_clocks.max(1));
    }
    let parameters = MemoryParameters {
        partitions: memory.partitions,
        interleave_bytes: BLOCK_BYTES,
        ..MemoryParameters::default()
    };
    MemoryResult { parameters, partitions, segment_ends }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::memory_partitions::Client;

    /// The rule of the document, written as it is there.
    fn documented(partitions: u32, block: u32) -> u32 {
        let (first, adjust) = (block % partitions, (block / partitions) & 0x1f);
        match partitions {
            2 | 6 => first ^ (0..5).fold(0, |bit, place| bit ^ (adjust >> place & 1)),
            4 => (4 + 4 + first - ((adjust & 3) + (adjust >> 2 & 3) + (adjust >> 4 & 1))) % 4,
            8 => (16 + first - ((adjust & 7) + (adjust >> 3 & 3))) % 8,
            _ => first,
        }
    }

    #[test]
    fn partitions_are_those_of_the_document() {
        for partitions in 1..=8 {
            for block in 0..4096 {
                let address = block * BLOCK_BYTES + block % BLOCK_BYTES;
                assert_eq!(
                    partition_of(partitions, address, PageStorage::Tiled),
                    documented(partitions, block),
                    "{partitions} {block}"
                );
                assert_eq!(partition_of(partitions, address, PageStorage::Linear), block % partitions);
            }
        }
    }

    #[test]
    fn accesses_are_counted_by_partition_client_and_segment() {
        let machine = TeslaMachine::default();
        let accesses = [
            MemoryAccess::new(0, Client::Color, true),
            MemoryAccess::new(32, Client::Color, false),
            MemoryAccess::segment_end(0),
            MemoryAccess::new(6 * 256, Client::Texture, false),
            MemoryAccess::new(0x1_0000 + 6 * 256, Client::Texture, false),
            MemoryAccess::segment_end(1),
        ];
        let region = TileRegion { start: 0x1_0000, bytes: 0x1_0000, ..TileRegion::default() };
        let found = partition_loads(&accesses, &machine, &[region]);
        // Two clocks move 32 bytes over 64 lines with two transfers a clock. Block 262 of tiled storage is at 4 in its row, and
        // row 43 has three of its low five bits set, so that it goes to 5.
        assert_eq!(found.partitions[0].clocks, 2 * 3);
        assert_eq!(found.partitions[5].clocks, 2);
        assert_eq!(found.segment_clocks(), [4, 2]);
        assert_eq!((found.bytes_of(Client::Color), found.bytes_of(Client::Texture)), ([32, 32], [64, 0]));
    }
}
