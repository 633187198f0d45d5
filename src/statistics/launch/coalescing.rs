//! The transactions with the board's memory that an access of a warp becomes, by half-warp.

use super::banks::{HALF_WARP, half_warps};
use crate::isa::tesla::TeslaGeneration;
use crate::machine::TeslaMachine;
use crate::pipeline::launch::{AccessKind, MemoryKind, WarpAccess};

/// A transaction with the board's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transaction {
    /// Where it begins; `None` for local memory, whose place on the board is not known.
    pub address: Option<u32>,
    /// Its bytes.
    pub bytes: u32,
}

/// What an access becomes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Coalesced {
    /// The half-warps that access memory.
    pub half_warps: u32,
    /// Those whose accesses are coalesced.
    pub coalesced: u32,
    /// The bytes that the threads access.
    pub asked: u32,
    /// The transactions.
    pub transactions: Vec<Transaction>,
}

/// The largest transaction.
const LARGEST: u32 = 128;

/// The transactions of an access to local or global memory.
///
/// Local memory is laid out so that threads of a half-warp that access the same offset access neighbors on the board.
///
/// Source: the CUDA Programming Guide 1.1 and 2.3, section 5.1.2.1.
// Unverified: that an atomic operation reads and writes the smallest transaction for each thread.
#[must_use]
pub fn coalesce(machine: &TeslaMachine, access: &WarpAccess) -> Coalesced {
    let mut found = Coalesced::default();
    let (bytes, smallest) = (access.bytes, machine.memory.transaction_bytes);
    let uses_segments = machine.processor.generation >= TeslaGeneration::Sm12;
    for lanes in half_warps(access) {
        found.half_warps += 1;
        found.asked += bytes * u32::try_from(lanes.len()).unwrap_or(HALF_WARP);
        let coalesced = match (access.kind, access.memory) {
            (AccessKind::Update, _) => None,
            (_, MemoryKind::Local) => neighbors(bytes, &lanes),
            _ if uses_segments => Some(segments(bytes, smallest, &lanes)),
            _ => elements(bytes, &lanes),
        };
        let Some(transactions) = coalesced else {
            let times = if access.kind == AccessKind::Update { 2 } else { 1 };
            for (_, address) in lanes {
                let transaction = Transaction {
                    address: (access.memory != MemoryKind::Local).then_some(address / smallest * smallest),
                    bytes: bytes.next_multiple_of(smallest),
                };
                found.transactions.extend(std::iter::repeat_n(transaction, times));
            }
            continue;
        };
        found.coalesced += u32::from(transactions.len() <= (bytes * HALF_WARP).div_ceil(LARGEST) as usize);
        found.transactions.extend(transactions);
    }
    found
}

/// The transactions of the elements of all threads of a half-warp.
fn whole(bytes: u32, base: Option<u32>) -> Vec<Transaction> {
    let segment = bytes * HALF_WARP;
    let parts = (0..segment).step_by(LARGEST as usize);
    let transaction =
        |part| Transaction { address: base.map(|base| base.saturating_add(part)), bytes: segment.min(LARGEST) };
    parts.map(transaction).collect()
}

/// Those of threads that access the same offset of local memory.
fn neighbors(bytes: u32, lanes: &[(u32, u32)]) -> Option<Vec<Transaction>> {
    let is_same = lanes.iter().all(|(_, address)| *address == lanes[0].1);
    (has_wide_elements(bytes) && is_same).then(|| whole(bytes, None))
}

/// Those of `sm_10` and `sm_11`: thread *n* accesses element *n*, the first one at a multiple of 16 elements; inactive
/// threads are allowed. `None` for all other accesses.
fn elements(bytes: u32, lanes: &[(u32, u32)]) -> Option<Vec<Transaction>> {
    let (lane, address) = lanes[0];
    let base = address.checked_sub(lane * bytes).filter(|base| base.is_multiple_of(bytes * HALF_WARP))?;
    let in_order = lanes.iter().all(|(lane, address)| base.checked_add(lane * bytes) == Some(*address));
    (has_wide_elements(bytes) && in_order).then(|| whole(bytes, Some(base)))
}

const fn has_wide_elements(bytes: u32) -> bool {
    matches!(bytes, 4 | 8 | 16)
}

/// Those of `sm_12` and later: the segment of the first thread serves all threads that access it, reduced to a half while
/// the other one is not used; then that of the next thread. Segments have 32 bytes for bytes, 64 for halves of words, else 128.
fn segments(bytes: u32, smallest: u32, lanes: &[(u32, u32)]) -> Vec<Transaction> {
    let segment = (bytes * smallest).clamp(smallest, LARGEST);
    let mut open = lanes.to_vec();
    let mut found = Vec::new();
    while let Some(&(_, first)) = open.first() {
        let base = first / segment * segment;
        let is_served = |address: u32| address / segment == base / segment;
        let served = open.iter().map(|(_, address)| *address).filter(|address| is_served(*address));
        let (lowest, end) = served
            .fold((u32::MAX, 0), |(lowest, end), address| (address.min(lowest), (address - base + bytes).max(end)));
        let (mut start, mut size) = (base, segment);
        while size > smallest {
            let half = size / 2;
            if lowest - start >= half {
                start += half;
            } else if end > start - base + half {
                break;
            }
            size = half;
        }
        found.push(Transaction { address: Some(start), bytes: size });
        open.retain(|(_, address)| !is_served(*address));
    }
    found
}

/// The memory partition of an address.
///
/// Source: envytools `docs/hw/memory/g80-vram.rst`, the short cycle of linear memory: each block is in the next partition.
// Unverified: that a launch's addresses are those of the board; drivers place pages of 64 KiB or less.
#[must_use]
pub const fn partition_of(machine: &TeslaMachine, address: u32) -> u32 {
    address / machine.memory.block_bytes % machine.memory.partitions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::open_tesla;
    use crate::statistics::launch::test_kernels::access;

    fn global(bytes: u32, kind: AccessKind, threads: u32, address: impl Fn(u32) -> u32) -> Coalesced {
        coalesce(&TeslaMachine::default(), &access(MemoryKind::Global(14), kind, bytes, threads, address))
    }

    /// Half-warps, those coalesced, transactions, bytes asked, bytes moved.
    fn counts(found: &Coalesced) -> [u32; 5] {
        let moved = found.transactions.iter().map(|transaction| transaction.bytes).sum();
        [found.half_warps, found.coalesced, u32::try_from(found.transactions.len()).unwrap(), found.asked, moved]
    }

    #[test]
    fn elements_in_order_are_coalesced() {
        let of = |bytes: u32| counts(&global(bytes, AccessKind::Read, u32::MAX, |lane| 0x1_0000 + bytes * lane));
        assert_eq!(of(4), [2, 2, 2, 128, 128], "a transaction of 64 bytes each");
        assert_eq!(of(8), [2, 2, 2, 256, 256], "of 128");
        assert_eq!(of(16), [2, 2, 4, 512, 512], "two of 128");
        assert_eq!(of(1), [2, 0, 32, 32, 1024], "bytes never are");
        assert_eq!(of(2), [2, 0, 32, 64, 1024]);
    }

    /// The examples of the programming guide: a divergent warp is coalesced; permuted threads, a wrong alignment and a stride are
    /// not.
    #[test]
    fn the_rules_of_the_first_generation_are_strict() {
        let of = |threads, address: fn(u32) -> u32| counts(&global(4, AccessKind::Write, threads, address));
        assert_eq!(of(0x0000_fff0, |lane| 0x1_0000 + 4 * lane), [1, 1, 1, 48, 64], "inactive threads");
        assert_eq!(of(0x0000_8000, |lane| 0x1_0000 + 4 * lane), [1, 1, 1, 4, 64], "one thread at its place");
        assert_eq!(of(0x0000_ffff, |lane| 0x1_0000 + 4 * (lane ^ 1)), [1, 0, 16, 64, 512], "permuted");
        assert_eq!(of(0x0000_ffff, |lane| 0x1_0004 + 4 * lane), [1, 0, 16, 64, 512], "misaligned");
        assert_eq!(of(0x0000_ffff, |lane| 0x1_0000 + 12 * lane), [1, 0, 16, 64, 512], "structures of 12 bytes");
        assert_eq!(of(0x0000_ffff, |_| 0x1_0000), [1, 0, 16, 64, 512], "one word for all");
        assert_eq!(of(u32::MAX, |lane| if lane < 16 { 4 * lane } else { 0 }), [2, 1, 17, 128, 576], "by half-warp");
        assert_eq!(of(0x0000_ffff, |lane| (4 * lane).wrapping_sub(60)), [1, 0, 16, 64, 512], "around address 0");
    }

    /// The same accesses by the protocol of the programming guide 2.3, section 5.1.2.1, for compute capability 1.2.
    #[test]
    fn later_generations_serve_segments() {
        let machine = open_tesla("geforce-gtx-280").unwrap();
        let of = |bytes, threads, address: fn(u32) -> u32| {
            counts(&coalesce(&machine, &access(MemoryKind::Global(14), AccessKind::Read, bytes, threads, address)))
        };
        assert_eq!(of(4, u32::MAX, |lane| 0x1_0000 + 4 * lane), [2, 2, 2, 128, 128], "in order, 64 bytes each");
        assert_eq!(of(4, 0xffff, |lane| 0x1_0000 + 4 * (lane ^ 1)), [1, 1, 1, 64, 64], "permuted");
        assert_eq!(of(4, 0xffff, |lane| 0x1_0004 + 4 * lane), [1, 1, 1, 64, 128], "misaligned in one segment");
        assert_eq!(of(4, 0xffff, |lane| 0x1_0060 + 4 * lane), [1, 0, 2, 64, 64], "across two, of 32 bytes each");
        assert_eq!(of(4, 0xffff, |_| 0x1_0000), [1, 1, 1, 64, 32], "one word for all");
        assert_eq!(of(4, 0xffff, |lane| 0x1_0000 + 12 * lane), [1, 0, 2, 64, 192], "structures of 12 bytes");
        assert_eq!(of(4, 0xffff, |lane| 0x1_0000 + 128 * lane), [1, 0, 16, 64, 512], "one segment for each thread");
        assert_eq!(of(1, 0xffff, |lane| 0x1_0000 + lane), [1, 1, 1, 16, 32], "bytes");
        assert_eq!(of(2, 0xffff, |lane| 0x1_0020 + 2 * lane), [1, 1, 1, 32, 32], "halves of words");
        assert_eq!(of(8, 0xffff, |lane| 0x1_0000 + 8 * lane), [1, 1, 1, 128, 128]);
        assert_eq!(of(16, 0xffff, |lane| 0x1_0000 + 16 * lane), [1, 1, 2, 256, 256]);
    }

    #[test]
    fn updates_read_and_write() {
        let found = global(4, AccessKind::Update, 0x3, |lane| 0x1_0000 + 4 * lane);
        assert_eq!(counts(&found), [1, 0, 4, 8, 128]);
    }

    #[test]
    fn local_memory_is_interleaved() {
        let local = |address: fn(u32) -> u32| {
            let access = access(MemoryKind::Local, AccessKind::Read, 4, u32::MAX, address);
            counts(&coalesce(&TeslaMachine::default(), &access))
        };
        assert_eq!(local(|_| 12), [2, 2, 2, 128, 128]);
        assert_eq!(local(|lane| 4 * lane), [2, 0, 32, 128, 1024]);
    }

    #[test]
    fn blocks_of_256_bytes_go_to_six_partitions_in_turn() {
        let machine = TeslaMachine::default();
        let found = [0, 255, 256, 5 * 256, 6 * 256, 0x1_0000].map(|address| partition_of(&machine, address));
        assert_eq!(found, [0, 0, 1, 5, 0, 256 % 6]);
    }
}
