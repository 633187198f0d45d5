//! Cubins, the forms in which CUDA stores compiled kernels of the Tesla processor: text of CUDA 1.x and 2.x, and
//! [ELF files](read_elf_cubin) since 3.0.
//!
//! ```text
//! architecture {sm_10}  abiversion {0}  modname {cubin}
//! consts   variables in constant memory
//! reloc    variables in global memory, and where their addresses are
//! sampler  textures
//! code     name, sizes, bincode { words }, const { literals }
//! ```
//!
//! The reader of texts accepts the sections in any order and drops `abiversion` and `modname`. The writer puts them in the order of
//! this list.
//!
//! Source: the compiled kernels of decuda's tests, made by CUDA 1.0 and 1.1.

mod elf;
mod read;
mod sections;
#[cfg(test)]
mod tests;
mod token;
mod write;

pub use elf::{MAGIC, read_elf_cubin};
pub use read::read_cubin;
#[cfg(test)]
pub(super) use token::is_name;
pub use write::write_cubin;

/// Words in little-endian order; zeros follow the last byte.
pub(super) fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    bytes.chunks(4).map(word).collect()
}

/// What a cubin text begins with.
pub const FIRST_WORD: &str = "architecture";

/// The most registers of a thread: instructions have seven bits for one.
pub const MAX_REGISTERS: u32 = 128;

/// The shared memory of a multiprocessor, in bytes.
pub const SHARED_BYTES: u32 = 0x4000;

/// The largest local memory of a thread: addresses have 16 bits.
pub const LOCAL_BYTES: u32 = 0x1_0000;

/// The size of a constant space: addresses have 16 bits.
pub const CONSTANT_BYTES: u32 = 0x1_0000;

/// The barriers of a block.
pub const BARRIERS: u32 = 16;

/// The textures that instructions can name.
pub const TEXTURES: u32 = 128;

/// The alignment of variables in global memory, which the text does not tell: that of the widest access.
// Unverified: how CUDA aligns them.
pub const GLOBAL_ALIGNMENT: u32 = 16;

/// The alignment of variables in global memory at most: that of an allocation.
pub const MAX_ALIGNMENT: u32 = 0x1000;

/// The ABI versions of CUDA 1.x and 2.x.
// Unverified: what version 1 changes; the compiled kernels at hand all have version 0.
const ABI_VERSIONS: u32 = 2;

/// The names of segments.
const CONSTANT_SEGMENT: &str = "const";
const RELOCATION_SEGMENT: &str = "reloc";
