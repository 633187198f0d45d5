//! Finds accesses of two warps to one byte without a barrier between them, where one of them writes.

use std::collections::{BTreeMap, HashMap};

use crate::pipeline::launch::{AccessKind, MemoryKind, Race, ThreadPlace};

/// Whether the order of two accesses matters to the program.
const fn conflict(first: AccessKind, second: AccessKind) -> bool {
    use AccessKind::{Read, Update};
    !matches!((first, second), (Read, Read) | (Update, Update))
}

/// Who accesses memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accessor {
    /// The warp.
    pub(super) warp: u32,
    /// The last barrier that the warp has passed.
    pub(super) epoch: u32,
    /// The address of the instruction.
    pub(super) instruction: u32,
}

/// For each kind of access to a byte, the last two by different warps, the last one first.
type LastAccesses = [[Option<Accessor>; 2]; 3];

/// The last accesses to the bytes of a block's memory, and the races so far.
#[derive(Debug, Default)]
pub(super) struct Races {
    bytes: HashMap<(MemoryKind, u32), LastAccesses>,
    found: BTreeMap<(MemoryKind, [u32; 2]), Race>,
}

impl Races {
    /// Forgets the accesses of a block.
    pub(super) fn begin_block(&mut self) {
        self.bytes.clear();
    }

    /// The races in order of their instructions.
    pub(super) fn finish(self) -> Vec<Race> {
        self.found.into_values().collect()
    }

    /// Notes an access to a range of bytes.
    pub(super) fn note(
        &mut self,
        (memory, address, size): (MemoryKind, u32, u32),
        kind: AccessKind,
        accessor: Accessor,
        place: impl Fn() -> ThreadPlace,
    ) {
        const KINDS: [AccessKind; 3] = [AccessKind::Read, AccessKind::Write, AccessKind::Update];
        for byte in address..address + size {
            let last = self.bytes.entry((memory, byte)).or_default();
            let earlier = KINDS.iter().zip(last.iter()).filter(|(other, _)| conflict(kind, **other));
            let earlier = earlier.flat_map(|(_, accessors)| accessors.iter().flatten());
            let racing = earlier.copied().find(|other| other.warp != accessor.warp && other.epoch == accessor.epoch);
            if let Some(earlier) = racing {
                let instructions = [earlier.instruction, accessor.instruction];
                let race = self.found.entry((memory, instructions)).or_insert_with(|| Race {
                    memory,
                    instructions,
                    count: 0,
                    first: place(),
                    address: byte,
                });
                race.count += 1;
            }
            let slots = &mut last[kind as usize];
            if slots[0].is_none_or(|newest| newest.warp != accessor.warp) {
                slots[1] = slots[0];
            }
            slots[0] = Some(accessor);
        }
    }
}
