//! How often the banks of shared memory and the cache of constants must serve an instruction of a warp.

use crate::machine::TeslaMachine;
use crate::pipeline::launch::{AccessKind, MemoryKind, WARP_THREADS, WarpAccess};

/// The threads whose accesses to memory are served together.
pub const HALF_WARP: u32 = WARP_THREADS / 2;

/// How often a memory on the chip serves an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Passes {
    /// The half-warps that access it.
    pub half_warps: u32,
    /// How often it serves them; without conflicts once each.
    pub passes: u32,
}

impl Passes {
    /// The passes that conflicts add.
    #[must_use]
    pub const fn conflicts(self) -> u32 {
        self.passes - self.half_warps
    }
}

/// The addresses of the threads of each half-warp that accesses memory, in order of the lanes.
pub(super) fn half_warps(access: &WarpAccess) -> impl Iterator<Item = Vec<(u32, u32)>> + '_ {
    let halves = [0..HALF_WARP, HALF_WARP..WARP_THREADS];
    let active = halves.map(|half| -> Vec<_> {
        let lanes = half.filter(|lane| access.threads >> lane & 1 != 0);
        lanes.map(|lane| (lane % HALF_WARP, access.addresses[lane as usize])).collect()
    });
    active.into_iter().filter(|lanes| !lanes.is_empty())
}

/// How often the banks of shared memory serve an access.
///
/// In each pass of a read, one word is broadcast to all threads that read it, and every other bank serves one thread. Which
/// word that is, the programming guide leaves open; here it is one that most threads read.
///
/// Source: the CUDA Programming Guide 1.1, section 5.1.2.4.
// Unverified: which word is broadcast, and that writes of several threads to one word are served one by one.
#[must_use]
pub fn shared_passes(machine: &TeslaMachine, access: &WarpAccess) -> Passes {
    let (banks, bank_bytes) = (machine.shared.banks, machine.shared.bank_bytes);
    let mut found = Passes::default();
    for lanes in half_warps(access) {
        let words = lanes.iter().flat_map(|(_, address)| {
            let last = address.saturating_add(access.bytes.max(1) - 1);
            address / bank_bytes..=last / bank_bytes
        });
        let mut waiting: Vec<u32> = words.collect();
        waiting.sort_unstable();
        found.half_warps += 1;
        while !waiting.is_empty() {
            found.passes += 1;
            serve(&mut waiting, banks, access.kind == AccessKind::Read);
        }
    }
    found
}

/// Removes the words that one pass serves from a sorted list.
fn serve(waiting: &mut Vec<u32>, banks: u32, broadcasts: bool) {
    let most = waiting.chunk_by(PartialEq::eq).max_by_key(|same| same.len()).map(|same| same[0]);
    let broadcast = most.filter(|_| broadcasts);
    let mut served = vec![false; banks as usize];
    if let Some(word) = broadcast {
        served[(word % banks) as usize] = true;
    }
    waiting.retain(|word| {
        let bank = &mut served[(word % banks) as usize];
        Some(*word) != broadcast && std::mem::replace(bank, true)
    });
}

/// How often the cache of constants serves an access: once for each address of a half-warp.
///
/// Source: the CUDA Programming Guide 1.1, section 5.1.2.2.
#[must_use]
pub fn constant_passes(access: &WarpAccess) -> Passes {
    let mut found = Passes::default();
    for lanes in half_warps(access) {
        let mut addresses: Vec<u32> = lanes.iter().map(|(_, address)| *address).collect();
        addresses.sort_unstable();
        addresses.dedup();
        found.half_warps += 1;
        found.passes += u32::try_from(addresses.len()).unwrap_or(HALF_WARP);
    }
    found
}

/// The cache of constants of a multiprocessor: sets of lines, each ordered by last use.
#[derive(Debug, Clone)]
pub struct ConstantCache {
    line_bytes: u32,
    ways: usize,
    /// The lines of each set by space and number, the last used first.
    sets: Vec<Vec<(u8, u32)>>,
}

impl ConstantCache {
    /// An empty cache.
    #[must_use]
    pub fn new(machine: &TeslaMachine) -> Self {
        let constant = &machine.constant;
        let sets = constant.bytes / constant.line_bytes / constant.ways;
        Self {
            line_bytes: constant.line_bytes,
            ways: constant.ways as usize,
            sets: vec![Vec::new(); sets.max(1) as usize],
        }
    }

    /// Reads the lines of an access and returns how many of them were not in the cache.
    pub fn read(&mut self, access: &WarpAccess) -> u32 {
        let MemoryKind::Constant(space) = access.memory else { return 0 };
        let mut lines: Vec<u32> = half_warps(access).flatten().map(|(_, address)| address / self.line_bytes).collect();
        lines.sort_unstable();
        lines.dedup();
        let mut misses = 0;
        for line in lines {
            let count = self.sets.len();
            let set = &mut self.sets[line as usize % count];
            if let Some(place) = set.iter().position(|held| *held == (space, line)) {
                set.remove(place);
            } else {
                misses += 1;
                set.truncate(self.ways - 1);
            }
            set.insert(0, (space, line));
        }
        misses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::launch::test_kernels::access;

    fn shared(bytes: u32, kind: AccessKind, address: impl Fn(u32) -> u32) -> (u32, u32) {
        let access = access(MemoryKind::Shared, kind, bytes, u32::MAX, address);
        let passes = shared_passes(&TeslaMachine::default(), &access);
        (passes.half_warps, passes.passes)
    }

    /// The examples of the programming guide: words with strides, one word for all, bytes and halves.
    #[test]
    fn strides_conflict_by_their_common_factor_with_the_banks() {
        for (stride, passes) in [(1, 1), (2, 2), (3, 1), (4, 4), (6, 2), (8, 8), (16, 16), (17, 1), (32, 16)] {
            let found = shared(4, AccessKind::Read, |lane| 4 * stride * lane);
            assert_eq!(found, (2, 2 * passes), "a stride of {stride} words");
        }
        assert_eq!(shared(4, AccessKind::Read, |_| 64), (2, 2), "a broadcast");
        assert_eq!(shared(1, AccessKind::Read, |lane| lane), (2, 8), "four bytes of a bank");
        assert_eq!(shared(1, AccessKind::Read, |lane| 4 * lane), (2, 2));
        assert_eq!(shared(2, AccessKind::Read, |lane| 2 * lane), (2, 4), "two halves of a bank");
    }

    /// Lanes 0 to 7 read word 0; the others read words 8 to 15, which are in other banks: one pass. Two words of two threads
    /// each in different banks take two, as one pass broadcasts only one.
    #[test]
    fn a_pass_broadcasts_one_word() {
        assert_eq!(shared(4, AccessKind::Read, |lane| if lane % 16 < 8 { 0 } else { 4 * (lane % 16) }), (2, 2));
        assert_eq!(shared(4, AccessKind::Read, |lane| lane / 2 * 4), (2, 4));
        assert_eq!(shared(4, AccessKind::Write, |_| 64), (2, 32));
    }

    #[test]
    fn inactive_threads_do_not_count() {
        let access = access(MemoryKind::Shared, AccessKind::Read, 4, 0x0000_0003, |lane| 64 * lane);
        assert_eq!(shared_passes(&TeslaMachine::default(), &access), Passes { half_warps: 1, passes: 2 });
    }

    #[test]
    fn constants_are_served_by_address() {
        let of = |address: fn(u32) -> u32| {
            let access = access(MemoryKind::Constant(0), AccessKind::Read, 4, u32::MAX, address);
            (constant_passes(&access).passes, constant_passes(&access).conflicts())
        };
        assert_eq!(of(|_| 8), (2, 0));
        assert_eq!(of(|lane| 4 * lane), (32, 30));
        assert_eq!(of(|lane| lane / 8 * 4), (4, 2));
    }

    /// 64 sets of two lines of 64 bytes: three lines that are 4096 bytes apart share a set, so that the oldest leaves.
    #[test]
    fn the_cache_holds_two_lines_of_a_set() {
        let mut cache = ConstantCache::new(&TeslaMachine::default());
        let mut read =
            |space, address: u32| cache.read(&access(MemoryKind::Constant(space), AccessKind::Read, 4, 1, |_| address));
        assert_eq!([read(0, 0), read(0, 60), read(0, 4096), read(0, 0), read(0, 8192)], [1, 0, 1, 0, 1]);
        assert_eq!([read(0, 4096), read(1, 4096)], [1, 1], "replaced; another space");
        let spread = access(MemoryKind::Constant(2), AccessKind::Read, 4, u32::MAX, |lane| 16 * lane);
        assert_eq!((cache.read(&spread), cache.read(&spread)), (8, 0), "512 bytes are eight lines");
    }
}
