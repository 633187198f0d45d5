//! Which threads execute an instruction: tests of the condition registers.

use super::warp::{Warp, lanes_of};
use crate::shader::simt::Predicate;

/// The active threads whose predicate holds.
pub(super) fn holding(warp: &Warp, predicate: Predicate) -> u32 {
    let Predicate::If { register, condition } = predicate else {
        return if predicate == Predicate::Always { warp.active } else { 0 };
    };
    let flags = &warp.conditions[usize::from(register) & 3];
    lanes_of(warp.active).filter(|lane| condition.holds(flags[*lane])).fold(0, |mask, lane| mask | 1 << lane)
}
