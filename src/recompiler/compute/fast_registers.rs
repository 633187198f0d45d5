//! What the text of the fast path knows of a thread's registers.

use std::collections::BTreeSet;

/// What is known of a register's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Known {
    /// It has the bits of the exact path.
    #[default]
    Bits,
    /// Native operations take it; it may be infinite or NaN.
    Wide,
    /// The same, and it is finite, or the quad is left to the exact path.
    Finite,
}

/// What is known of the registers of a thread.
#[derive(Debug)]
pub(super) struct FastFloats {
    registers: [Known; 128],
    /// Threads may have ended before others.
    pub(super) may_have_ended: bool,
    /// The words of `v[]` that are planes with checked values.
    pub(super) planes: Vec<u8>,
    /// The words of constants that operations read without checks of their own.
    pub(super) constants: BTreeSet<(u8, u32)>,
}

impl FastFloats {
    pub(super) const fn new(planes: Vec<u8>) -> Self {
        Self { registers: [Known::Bits; 128], may_have_ended: false, planes, constants: BTreeSet::new() }
    }

    /// What is known of a register.
    pub(super) fn known(&self, number: u8) -> Known {
        self.registers.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// Notes what a register holds.
    pub(super) fn set(&mut self, number: u8, known: Known) {
        if let Some(register) = self.registers.get_mut(usize::from(number)) {
            *register = known;
        }
    }

    /// The registers whose values may be infinite or NaN with bits of their own.
    pub(super) fn unsettled(&self) -> Vec<u8> {
        (0..128).filter(|number| self.known(*number) == Known::Wide).collect()
    }
}
