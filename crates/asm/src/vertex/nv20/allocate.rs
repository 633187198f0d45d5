//! Assigns the live ranges of scheduled operations to components of the chip's twelve temporaries.

use super::live_ranges::LiveRanges;
use super::operation::{Operation, Slot};
use crate::isa::nv20_vertex::TEMPORARIES;
use crate::register_allocation::{Access, BasicBlock, Units, assign, interference};

/// The register that the ILU of a pair writes.
const ILU_REGISTER: u32 = 1;

/// The operations with registers in place of live ranges, which keep the numbers of the text where they can. `None` when
/// the registers do not suffice.
pub(super) fn allocate(ranges: &LiveRanges, slots: &[Slot]) -> Option<Vec<Operation>> {
    let block =
        BasicBlock { accesses: slots.iter().flat_map(|slot| accesses(ranges, *slot)).collect(), ..Default::default() };
    let mut found = interference(&[block], 0, usize::MAX).ok()?;
    // Temporaries start as 0.
    found.separate_at_entry();
    found.neighbors.resize(ranges.ranges.len(), Default::default());
    let mut places = vec![None; ranges.ranges.len()];
    for slot in slots.iter().filter(|slot| slot.is_paired()) {
        let written = |place: Option<usize>| ranges.operations[place?].temporary_written();
        let Some(ilu) = written(slot.ilu) else { continue };
        places[ilu as usize] = Some(place(ranges, ilu, ILU_REGISTER));
        // Neither result of a pair may take the other one's register, even if nothing reads it.
        if let Some(mac) = written(slot.mac) {
            found.neighbors[mac as usize].insert(ilu);
            found.neighbors[ilu as usize].insert(mac);
        }
    }
    let candidates = |range: u32| {
        let kept = ranges.ranges[range as usize].temporary;
        std::iter::once(kept).chain(0..u32::from(TEMPORARIES)).map(move |register| place(ranges, range, register))
    };
    let order = found.first_uses.iter().map(|&(range, _)| range);
    assign(&found.neighbors, &mut places, order, candidates).ok()?;
    let register_of = |range: u32| places[range as usize].map_or(0, |place| place.trailing_zeros() / 4);
    let mut operations = ranges.operations.clone();
    operations.iter_mut().for_each(|operation| operation.rename_temporaries(register_of));
    Some(operations)
}

/// The components of a register, four bits each, that a live range takes.
fn place(ranges: &LiveRanges, range: u32, register: u32) -> Units {
    Units::from(ranges.ranges[range as usize].components.0) << (4 * register)
}

/// An instruction reads everything first, so its second write is an access without reads.
fn accesses(ranges: &LiveRanges, slot: Slot) -> Vec<Access> {
    let operations: Vec<&Operation> = slot.places().map(|place| &ranges.operations[place]).collect();
    let mut reads: Vec<_> = operations.iter().flat_map(|operation| operation.temporaries_read()).collect();
    let accesses = operations.iter().map(|operation| Access {
        reads: std::mem::take(&mut reads),
        write: operation.temporary_written().map(|range| (range, operation.mask)),
        is_conditional: false,
        span: 0..0,
    });
    accesses.collect()
}
