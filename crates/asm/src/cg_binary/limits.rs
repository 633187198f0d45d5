//! The limits of compiled programs of Cg.

/// The most parameters of a program.
pub const MAX_PARAMETERS: u32 = 4096;

/// The most places in microcode that parameters name, together. Many lists may overlap, which a limit bounds.
pub const MAX_PLACES: usize = 1 << 16;

/// Longest name, in bytes.
pub const MAX_NAME_LENGTH: usize = 255;
