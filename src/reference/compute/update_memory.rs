//! Atomic operations on global memory.

use super::access_memory::{access, words_of};
use super::block::BlockContext;
use super::warp::{Lanes, Warp, ZEROS};
use crate::pipeline::launch::AccessKind;
use crate::shader::simt::{AtomicOperation, ElementType, MemoryOperand};

/// Updates memory in ascending order of lanes and returns the words before.
pub(super) fn update(
    context: &mut BlockContext<'_>,
    warp: &Warp,
    at: u32,
    operand: &MemoryOperand,
    threads: u32,
    (operation, element): (AtomicOperation, ElementType),
    [value, swap]: &[[Lanes; 4]; 2],
) -> [Lanes; 4] {
    let mut before = [ZEROS; 4];
    access(context, warp, at, (operand, AccessKind::Update), threads, |lane, bytes| {
        let old = words_of(bytes, operand.access);
        let wide = |words: [u32; 4]| u64::from(words[1]) << 32 | u64::from(words[0]);
        let lane_of = |values: &[Lanes; 4]| wide([values[0][lane], values[1][lane], 0, 0]);
        let new = updated(operation, element, wide(old), lane_of(value), lane_of(swap));
        let size = bytes.len();
        bytes.copy_from_slice(&new.to_le_bytes()[..size]);
        for (word, value) in before.iter_mut().zip(old) {
            word[lane] = value;
        }
    });
    before
}

/// The new value of memory; of 32-bit elements only the low word counts.
///
/// Source: envytools `hwtest/g80_atom32.cc`.
#[expect(clippy::cast_possible_truncation, reason = "32-bit elements are the low words")]
fn updated(operation: AtomicOperation, element: ElementType, old: u64, value: u64, swap: u64) -> u64 {
    let is_wide = matches!(element, ElementType::B64 | ElementType::U64);
    let word = |new: u32| u64::from(new);
    let (old32, value32) = (old as u32, value as u32);
    let signed = (old32.cast_signed(), value32.cast_signed());
    match operation {
        AtomicOperation::Exchange => value,
        AtomicOperation::CompareAndSwap if is_wide => {
            if old == value {
                swap
            } else {
                old
            }
        }
        AtomicOperation::CompareAndSwap => {
            if old32 == value32 {
                swap
            } else {
                old
            }
        }
        AtomicOperation::Add if is_wide => old.wrapping_add(value),
        AtomicOperation::Add => word(old32.wrapping_add(value32)),
        AtomicOperation::Increment => word(if old32 >= value32 { 0 } else { old32 + 1 }),
        AtomicOperation::Decrement => word(if old32 == 0 || old32 > value32 { value32 } else { old32 - 1 }),
        AtomicOperation::Max if element == ElementType::S32 => word(signed.0.max(signed.1).cast_unsigned()),
        AtomicOperation::Max => word(old32.max(value32)),
        AtomicOperation::Min if element == ElementType::S32 => word(signed.0.min(signed.1).cast_unsigned()),
        AtomicOperation::Min => word(old32.min(value32)),
        AtomicOperation::And => old & value,
        AtomicOperation::Or => old | value,
        AtomicOperation::Xor => old ^ value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_follow_the_chips_test() {
        use AtomicOperation::{Add, CompareAndSwap, Decrement, Exchange, Increment, Max, Min, Xor};
        let [u32, s32, b32] = [ElementType::U32, ElementType::S32, ElementType::B32];
        let [ones, two] = [0xffff_ffff, 2];
        for (operation, element, old, value, expected) in [
            (Add, u32, ones, two, 1),
            (Exchange, b32, 5, 9, 9),
            (Increment, u32, 3, 5, 4),
            (Increment, u32, 5, 5, 0),
            (Increment, u32, ones, ones, 0),
            (Decrement, u32, 3, 5, 2),
            (Decrement, u32, 0, 5, 5),
            (Decrement, u32, 9, 5, 5),
            (Decrement, u32, 6, 5, 5),
            (Max, u32, ones, two, ones),
            (Max, s32, ones, two, two),
            (Min, u32, ones, two, two),
            (Min, s32, ones, two, ones),
            (Xor, b32, 6, 3, 5),
        ] {
            let found = updated(operation, element, old, value, 0) & 0xffff_ffff;
            assert_eq!(found, expected, "{operation:?} {element:?} {old} {value}");
        }
        assert_eq!(updated(CompareAndSwap, b32, 4, 4, 7), 7);
        assert_eq!(updated(CompareAndSwap, b32, 4, 5, 7), 4);
        let wide = ElementType::B64;
        assert_eq!(updated(CompareAndSwap, wide, 1 << 32 | 4, 4, 7), 1 << 32 | 4, "the high words differ");
        assert_eq!(updated(Add, ElementType::U64, 0xffff_ffff, 1, 0), 1 << 32);
    }
}
