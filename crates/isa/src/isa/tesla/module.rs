//! Compiled kernels for the Tesla processor: code, what a launch must provide, and constants.
//!
//! Compilers of the time wrote the same facts as cubin text. Addresses are in bytes; words are little-endian in memory.

use super::{TeslaGeneration, decode_program};
use crate::shader::simt::ProgramKind;

/// Where the parameters of a kernel begin in shared memory. Before them, the chip writes the sizes of the grid and of the
/// block, and the block's coordinates.
pub const PARAMETERS_OFFSET: u32 = 0x10;

/// The global space that compiled kernels use, `g14[]`.
pub const KERNEL_GLOBAL_SPACE: u8 = 14;

/// The constant space of variables in constant memory, `c0[]`.
pub const USER_CONSTANT_SPACE: u8 = 0;

/// The constant space of the addresses of global variables, `c14[]`.
pub const RELOCATION_CONSTANT_SPACE: u8 = 14;

/// The kernels of one compilation, and the memory that they share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TeslaModule {
    /// The first generation that has all its instructions.
    pub generation: TeslaGeneration,
    /// The kernels, in the order of the text.
    pub kernels: Vec<TeslaKernel>,
    /// Variables in constant memory, which all kernels see.
    pub constants: Vec<TeslaConstants>,
    /// Variables in global memory. The launch places them and writes their addresses into a constant space.
    pub globals: Vec<TeslaGlobal>,
    /// The texture units that the module names for all kernels, by unit.
    pub textures: Vec<TeslaTexture>,
}

/// One kernel, or a program of the graphics pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TeslaKernel {
    /// Its name.
    pub name: String,
    /// The kind of program. Compilers of kernels make compute programs only.
    pub kind: ProgramKind,
    /// Its instructions as words; the first word of a long instruction comes first.
    pub code: Vec<u32>,
    /// The registers of a thread.
    pub registers: u8,
    /// The shared memory of a block, with [`PARAMETERS_OFFSET`] and the parameters. A launch may add more.
    pub shared_bytes: u32,
    /// The local memory of a thread.
    pub local_bytes: u32,
    /// The barriers that it uses.
    pub barriers: u8,
    /// Its own constants.
    pub constants: Vec<TeslaConstants>,
    /// The texture units that it names itself, by unit.
    pub textures: Vec<TeslaTexture>,
    /// Its parameters, if the file tells; cubin text does not.
    pub parameters: Option<Vec<TeslaParameter>>,
}

impl TeslaKernel {
    /// The first generation that has all its instructions.
    #[must_use]
    pub fn generation(&self) -> TeslaGeneration {
        let instructions = decode_program(&self.code, self.kind).flatten();
        instructions.map(|found| found.generation).max().unwrap_or(TeslaGeneration::Sm10)
    }
}

/// A named piece of a constant space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeslaConstants {
    /// Its name; compilers call the segment of literals `const`.
    pub name: String,
    /// The space, 0 to 15.
    pub space: u8,
    /// Where it begins.
    pub offset: u32,
    /// How many bytes it takes.
    pub bytes: u32,
    /// Its initial words. Bytes without a word are zero.
    pub words: Vec<u32>,
}

/// A variable in global memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeslaGlobal {
    /// Its name.
    pub name: String,
    /// How many bytes it takes.
    pub bytes: u32,
    /// The alignment of its address, a power of two.
    pub alignment: u32,
    /// Its initial words. Bytes without a word are zero.
    pub words: Vec<u32>,
    /// The offset in [`RELOCATION_CONSTANT_SPACE`] where kernels read its address.
    pub address_offset: u32,
}

/// A texture that kernels read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeslaTexture {
    /// Its name.
    pub name: String,
    /// The number that instructions use for the texture and its sampler.
    pub unit: u8,
}

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeslaParameter {
    /// Its name.
    pub name: String,
    /// Where it begins in shared memory.
    pub offset: u32,
    /// How many bytes it takes.
    pub bytes: u32,
    /// What it holds.
    pub kind: TeslaParameterKind,
}

/// What a parameter of a kernel holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TeslaParameterKind {
    /// What the file does not tell: a number of any kind, an address, or a structure.
    Bits,
    /// An unsigned integer; also an address.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A float.
    Float,
}
