//! Shader binaries of the Nintendo 3DS (SHBIN): program store, operand descriptors and what a driver must set for them.
//!
//! ```text
//! DVLB  number of executables, offset of each
//! DVLP  code, operand descriptors              one for all executables
//! DVLE  stage, entry, constants, labels,       one for each executable
//!       outputs, uniforms, names
//! ```
//!
//! Numbers are little-endian. The writer puts everything in the order of this list, as picasso does. The reader accepts
//! other places within each block, and drops debugging data and padding.
//!
//! Source: 3dbrew, SHBIN; nihstro `shader_binary.h`; libctru `shbin.c`; the writer of picasso.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::isa::pica_vertex::{BOOLEANS, CONSTANTS, INPUTS, INTEGERS, PicaShader};
use crate::shader::condition::WriteMask;

pub use read::ShbinError;
pub use write::ShbinWriteError;

/// What a shader binary begins with.
pub const MAGIC: &[u8] = b"DVLB";

/// The version that executables have.
pub const EXECUTABLE_VERSION: u16 = 0x1002;

/// Longest name, in bytes. Many entries may point to one name, so a limit bounds the memory of all.
pub const MAX_NAME_LENGTH: usize = 255;

/// A shader binary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shbin {
    /// The version of the program block.
    pub version: u32,
    /// The words of the program store.
    pub code: Vec<u32>,
    /// The operand descriptors.
    pub descriptors: Vec<ShbinDescriptor>,
    /// What runs in the code.
    pub executables: Vec<Executable>,
}

/// An operand descriptor of the container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ShbinDescriptor {
    /// The descriptor.
    pub word: u32,
    /// A mask of used operands, which the hardware ignores.
    // Unverified: the meaning of the bits. picasso writes 0.
    pub operands: u32,
}

/// One shader in the code of a binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// The version of the format.
    pub version: u16,
    /// The stage that it is for.
    pub stage: ShbinStage,
    /// Whether outputs of the geometry stage are merged with those of the vertex stage.
    pub merges_outputs: bool,
    /// The address of the first word.
    pub entry: u32,
    /// The address behind the last word of the main procedure.
    pub end: u32,
    /// The input registers in use, bit 0 for v0.
    pub input_mask: u16,
    /// The output registers in use, bit 0 for o0.
    pub output_mask: u16,
    /// Registers with values to load before execution.
    pub constants: Vec<ShbinConstant>,
    /// Names of addresses.
    pub labels: Vec<ShbinLabel>,
    /// Meanings of output registers.
    pub outputs: Vec<ShbinOutput>,
    /// Names of input and uniform registers.
    pub uniforms: Vec<ShbinUniform>,
}

/// The stage of an executable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShbinStage {
    /// A vertex shader.
    Vertex,
    /// A geometry shader.
    Geometry {
        /// How it receives vertices.
        mode: GeometryMode,
        /// The first constant register of vertices in mode `Fixed`.
        fixed_start: u8,
        /// The vertices with all attributes in mode `Variable`.
        variable_count: u8,
        /// The vertices of a primitive in mode `Fixed`.
        fixed_count: u8,
    },
}

/// How a geometry shader receives vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum GeometryMode {
    /// In input registers.
    Point = 0,
    /// A varying number, in constant registers.
    Variable = 1,
    /// A fixed number, in constant registers.
    Fixed = 2,
}

impl GeometryMode {
    /// Every mode, in the order of their codes.
    pub const ALL: [Self; 3] = [Self::Point, Self::Variable, Self::Fixed];
}

/// A register with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShbinConstant {
    /// The number in the register file that the value's type tells.
    pub register: u8,
    /// The value.
    pub value: ShbinValue,
}

/// The value of a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShbinValue {
    /// For a register b.
    Boolean(bool),
    /// For a register i: x, y, z, w.
    Integer([u8; 4]),
    /// For a register c: x, y, z, w as 24-bit floats.
    Float([u32; 4]),
}

/// The name of an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShbinLabel {
    /// Its number.
    pub id: u8,
    /// The address.
    pub address: u32,
    /// The words from there.
    pub words: u32,
    /// The name.
    pub name: String,
}

/// What an output register means to the rasterizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ShbinOutput {
    /// The meaning.
    pub semantic: OutputSemantic,
    /// The output register.
    pub register: u8,
    /// The components with this meaning.
    pub mask: WriteMask,
}

/// The meaning of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum OutputSemantic {
    /// Clip coordinates.
    Position = 0,
    /// The quaternion of the normal vector.
    NormalQuaternion = 1,
    /// The color.
    Color = 2,
    /// u and v of the first texture coordinate.
    Texcoord0 = 3,
    /// The third component of the first texture coordinate.
    Texcoord0W = 4,
    /// The second texture coordinate.
    Texcoord1 = 5,
    /// The third texture coordinate.
    Texcoord2 = 6,
    /// The view vector.
    View = 8,
    /// No meaning to the rasterizer; passed to a geometry shader.
    Dummy = 9,
}

impl OutputSemantic {
    /// Every meaning, with the names of picasso: the long one first.
    pub const TABLE: [(Self, &'static str, &'static str); 9] = [
        (Self::Position, "position", "pos"),
        (Self::NormalQuaternion, "normalquat", "nquat"),
        (Self::Color, "color", "clr"),
        (Self::Texcoord0, "texcoord0", "tcoord0"),
        (Self::Texcoord0W, "texcoord0w", "tcoord0w"),
        (Self::Texcoord1, "texcoord1", "tcoord1"),
        (Self::Texcoord2, "texcoord2", "tcoord2"),
        (Self::View, "view", "view"),
        (Self::Dummy, "dummy", "dummy"),
    ];

    /// Finds a meaning by its code.
    #[must_use]
    pub fn from_code(code: u16) -> Option<Self> {
        Self::TABLE.into_iter().map(|(semantic, ..)| semantic).find(|semantic| *semantic as u16 == code)
    }

    /// The long name of picasso.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::TABLE.iter().find(|(semantic, ..)| *semantic == self).map_or("", |(_, name, _)| name)
    }
}

/// The name of registers.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ShbinUniform {
    /// The name.
    pub name: String,
    /// The register file.
    pub file: RegisterFile,
    /// The first register.
    pub first: u8,
    /// The last register.
    pub last: u8,
}

/// The files of named registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegisterFile {
    /// Registers v.
    Input,
    /// Registers c.
    Float,
    /// Registers i.
    Integer,
    /// Registers b.
    Boolean,
}

impl RegisterFile {
    /// Every file, with the container's number of its first register and the count of its registers.
    pub const TABLE: [(Self, u16, u8); 4] = [
        (Self::Input, 0x00, INPUTS),
        (Self::Float, 0x10, CONSTANTS),
        (Self::Integer, 0x70, INTEGERS),
        (Self::Boolean, 0x78, BOOLEANS),
    ];

    /// The file and register of a number of the container.
    #[must_use]
    pub fn from_number(number: u16) -> Option<(Self, u8)> {
        Self::TABLE.into_iter().find_map(|(file, base, count)| {
            let register = u8::try_from(number.checked_sub(base)?).ok()?;
            (register < count).then_some((file, register))
        })
    }

    /// The container's number of the first register, and the count of registers.
    #[must_use]
    pub fn range(self) -> (u16, u8) {
        Self::TABLE.into_iter().find(|(file, ..)| *file == self).map_or((0, 0), |(_, base, count)| (base, count))
    }
}

impl ShbinValue {
    /// The code of the type, and the register file.
    #[must_use]
    pub const fn kind(self) -> (u16, RegisterFile) {
        match self {
            Self::Boolean(_) => (0, RegisterFile::Boolean),
            Self::Integer(_) => (1, RegisterFile::Integer),
            Self::Float(_) => (2, RegisterFile::Float),
        }
    }
}

impl Default for Executable {
    /// A vertex shader at address 0 without registers.
    fn default() -> Self {
        Self {
            version: EXECUTABLE_VERSION,
            stage: ShbinStage::Vertex,
            merges_outputs: false,
            entry: 0,
            end: 0,
            input_mask: 0,
            output_mask: 0,
            constants: Vec::new(),
            labels: Vec::new(),
            outputs: Vec::new(),
            uniforms: Vec::new(),
        }
    }
}

impl Shbin {
    /// A binary with one executable.
    #[must_use]
    pub fn new(shader: &PicaShader, executable: Executable) -> Self {
        let descriptors = shader.descriptors.iter().map(|&word| ShbinDescriptor { word, operands: 0 });
        Self {
            version: 0,
            code: shader.code.clone(),
            descriptors: descriptors.collect(),
            executables: vec![executable],
        }
    }

    /// The program store and the operand descriptors.
    #[must_use]
    pub fn shader(&self) -> PicaShader {
        let descriptors = self.descriptors.iter().map(|descriptor| descriptor.word).collect();
        PicaShader { code: self.code.clone(), descriptors }
    }
}

/// Sizes of the container's structures in bytes.
mod bytes {
    /// DVLB without its offsets.
    pub(super) const HEADER: usize = 8;
    /// The part of a DVLP header that is read.
    pub(super) const PROGRAM_HEADER: usize = 0x20;
    /// The DVLP header that picasso writes.
    pub(super) const WRITTEN_PROGRAM_HEADER: usize = 0x28;
    /// A DVLE header.
    pub(super) const EXECUTABLE_HEADER: usize = 0x40;
    /// An operand descriptor.
    pub(super) const DESCRIPTOR: usize = 8;
    /// A constant.
    pub(super) const CONSTANT: usize = 20;
    /// A label.
    pub(super) const LABEL: usize = 16;
    /// An output.
    pub(super) const OUTPUT: usize = 8;
    /// A uniform.
    pub(super) const UNIFORM: usize = 8;
}
