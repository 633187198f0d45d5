//! Loads and stores of the lanes of a warp, and the faults of their addresses.

use super::block::BlockContext;
use super::races::Accessor;
use super::warp::{Lanes, Warp, ZEROS, lanes_of};
use crate::pipeline::launch::{AccessKind, FaultKind, MemoryKind, VERTEX_STRIDE, WarpAccess};
use crate::shader::simt::{Access, Address, MemoryOperand, Space};

/// An address register as words; those that a program cannot write are zero.
// Unverified: what $a7 holds.
pub(super) fn address_register(warp: &Warp, number: u8) -> Lanes {
    let register = usize::from(number).checked_sub(1).and_then(|index| warp.addresses.get(index));
    register.map_or(ZEROS, |values| values.map(u32::from))
}

/// The addresses of a memory operand. Those of spaces other than global memory have 16 bits.
// Unverified: that a sum beyond 16 bits wraps.
pub(super) fn addresses(warp: &Warp, memory: &MemoryOperand) -> Lanes {
    match memory.address {
        Address::Register(number) => warp.register(number),
        Address::Offset { base, offset } => {
            let offset = if memory.space == Space::Primitive { offset * VERTEX_STRIDE } else { offset };
            address_register(warp, base).map(|base| (base + offset) & 0xffff)
        }
        Address::PostIncrement { base, .. } => address_register(warp, base),
    }
}

/// Loads words into the lanes of these threads, lowest word first; smaller values are extended to the first word. A lane
/// whose access is a fault gets zeros.
pub(super) fn load(
    context: &mut BlockContext<'_>,
    warp: &Warp,
    at: u32,
    operand: &MemoryOperand,
    threads: u32,
) -> [Lanes; 4] {
    let mut loaded = [ZEROS; 4];
    access(context, warp, at, (operand, AccessKind::Read), threads, |lane, bytes| {
        for (word, value) in loaded.iter_mut().zip(words_of(bytes, operand.access)) {
            word[lane] = value;
        }
    });
    loaded
}

/// Stores the low bytes of words from the lanes of these threads, in ascending order of lanes. A lane whose access is a
/// fault stores nothing.
pub(super) fn store(
    context: &mut BlockContext<'_>,
    warp: &Warp,
    at: u32,
    operand: &MemoryOperand,
    threads: u32,
    values: &[Lanes; 4],
) {
    access(context, warp, at, (operand, AccessKind::Write), threads, |lane, bytes| {
        for (part, word) in bytes.chunks_mut(4).zip(values) {
            part.copy_from_slice(&word[lane].to_le_bytes()[..part.len()]);
        }
    });
}

/// Runs a function over the bytes of each lane whose access is none of the faults.
pub(super) fn access(
    context: &mut BlockContext<'_>,
    warp: &Warp,
    at: u32,
    (operand, kind): (&MemoryOperand, AccessKind),
    threads: u32,
    mut visit: impl FnMut(usize, &mut [u8]),
) {
    let (memory, size) = (MemoryKind::of(operand.space), operand.access.bytes());
    // No access to the vertices of a primitive is a fault.
    let mask = if memory == MemoryKind::Primitive { !(size - 1) } else { u32::MAX };
    let addresses = addresses(warp, operand).map(|address| address & mask);
    if let Some(traced) = &mut context.accesses {
        traced.push(WarpAccess { memory, kind, bytes: size, threads, addresses });
    }
    for lane in lanes_of(threads) {
        let address = addresses[lane];
        #[expect(clippy::cast_possible_truncation, reason = "there are 32 lanes")]
        let thread = warp.thread(lane as u32);
        let bytes = if address.is_multiple_of(size) { context.bytes(memory, thread, address, size) } else { None };
        match bytes {
            Some(bytes) => visit(lane, bytes),
            None => {
                let fault = if address.is_multiple_of(size) { FaultKind::OutOfRange } else { FaultKind::Misaligned };
                context.fault(at, fault(memory), warp, 1 << lane, Some(address));
                continue;
            }
        }
        if let (Some(races), MemoryKind::Shared | MemoryKind::Global(_)) = (&mut context.races, memory) {
            let accessor = Accessor { warp: warp.number, epoch: warp.epoch, instruction: at };
            let place = || context.launch.place(context.block, thread);
            races.note((memory, address, size), kind, accessor, place);
        }
    }
}

/// The words of a value in memory.
pub(super) fn words_of(bytes: &[u8], access: Access) -> [u32; 4] {
    let word = |part: usize| {
        bytes.get(4 * part..4 * part + 4).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    };
    match access {
        Access::U8 => [bytes[0].into(), 0, 0, 0],
        Access::S8 => [i32::from(bytes[0].cast_signed()).cast_unsigned(), 0, 0, 0],
        Access::U16 => [u16::from_le_bytes([bytes[0], bytes[1]]).into(), 0, 0, 0],
        Access::S16 => [i32::from(i16::from_le_bytes([bytes[0], bytes[1]])).cast_unsigned(), 0, 0, 0],
        Access::B32 | Access::B64 | Access::B128 => [0, 1, 2, 3].map(word),
    }
}
