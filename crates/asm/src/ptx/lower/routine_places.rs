//! Which routines kernels call, and where they are in a program.

/// A calculation with two integers of 64 bits and two results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Routine {
    /// Quotient and remainder of unsigned integers.
    Divide,
    /// The low and the high half of the product of unsigned integers.
    Multiply,
}

/// A routine in the program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    /// Its first block.
    pub(super) entry: usize,
    /// The registers of its arguments.
    pub(super) arguments: [u32; 2],
    /// The registers of its results.
    pub(super) results: [u32; 2],
}
