//! A virtual address of two registers.

/// A virtual address of two registers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Address {
    pub(super) high: u32,
    pub(super) low: u32,
}

impl Address {
    /// The address, of 40 bits.
    pub(super) const fn value(self) -> u64 {
        ((self.high & 0xff) as u64) << 32 | self.low as u64
    }
}
