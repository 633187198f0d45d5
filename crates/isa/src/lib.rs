//! The instruction sets of historic graphics chips as data and plain functions. Nothing here reads files or knows a device.
//!
//! Each module depends only on those above it:
//!
//! - [`plural`]: counts with their nouns
//! - [`names`]: enumerations of named values, by a macro
//! - [`arith`]: the chips' arithmetic, bit for bit
//! - [`format`](mod@format): texel, surface and vertex formats
//! - [`shader`]: typed programs with structured flow
//! - [`isa`]: opcode tables, word layouts, decode, encode, disassemble

pub mod arith;
pub mod format;
pub mod isa;
pub mod names;
pub mod plural;
pub mod shader;
