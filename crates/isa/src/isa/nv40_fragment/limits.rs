//! The limits of a fragment program, and the size of its slots.

/// The most instruction slots of a program, including inline constants.
pub const SLOT_LIMIT: u32 = 65_535;
/// The deepest nesting of IF, across calls.
pub const IF_LIMIT: u32 = 48;
/// The deepest nesting of LOOP and REP, across calls.
pub const LOOP_LIMIT: u32 = 4;
/// The deepest nesting of calls.
pub const CALL_LIMIT: u32 = 4;

/// Words of an instruction, and of an inline constant.
pub const SLOT_WORDS: u32 = 4;
