//! The opcodes of the PICA200 shader processor, whose words of 32 bits take swizzles from a table of operand descriptors.
//!
//! Source: 3dbrew, GPU/Shader Instruction Set; nihstro `shader_bytecode.h`; the encoder of picasso.

use super::table::opcode_enum;
use crate::shader::condition::WriteMask;

mod decode;
mod descriptor;
mod disassemble;
mod encode;
mod instruction;
mod lower;
#[cfg(test)]
mod tests;
mod word;

pub use decode::PicaDecodeError;
pub use descriptor::{DescriptorTable, OperandDescriptor};
pub use disassemble::Selection;
pub use encode::{PicaEncodeError, PicaEncodeProblem};
pub use instruction::{
    PicaArithmetic, PicaComparison, PicaCondition, PicaDestination, PicaIndex, PicaInstruction, PicaRegister,
    PicaShader, PicaSource, PicaTest,
};
pub use lower::FIRST_INTEGER;
pub use word::{OperandFields, PicaField, PicaFormat, PicaWord};

/// Words of the program store that a vertex shader can use.
// Unverified: the size of the store. libctru loads 512 words, azahar keeps 4096, and the target field holds 12 bits.
pub const STORE_WORDS: usize = 512;

/// Entries of the table of operand descriptors.
pub const DESCRIPTORS: usize = 128;

/// The input registers v.
pub const INPUTS: u8 = 16;
/// The temporary registers r.
pub const TEMPORARIES: u8 = 16;
/// The constant registers c.
pub const CONSTANTS: u8 = 96;
/// The output registers o.
pub const OUTPUTS: u8 = 16;
/// The boolean registers b.
pub const BOOLEANS: u8 = 16;
/// The integer registers i.
pub const INTEGERS: u8 = 4;

/// The components of one source that an operation reads, before its swizzle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentReads {
    always: u8,
    if_written: u8,
}

impl ComponentReads {
    const fn always(components: u8) -> Self {
        Self { always: components, if_written: 0 }
    }

    const fn if_written(components: u8) -> Self {
        Self { always: 0, if_written: components }
    }

    /// The components that are read where the operation writes `mask`.
    #[must_use]
    pub const fn of(self, mask: WriteMask) -> WriteMask {
        WriteMask(self.always | self.if_written & mask.0)
    }
}

/// Each component that is written.
const EACH: ComponentReads = ComponentReads::if_written(0b1111);
const X: ComponentReads = ComponentReads::always(0b0001);
const XY: ComponentReads = ComponentReads::always(0b0011);
const XYZ: ComponentReads = ComponentReads::always(0b0111);
const XYZW: ComponentReads = ComponentReads::always(0b1111);
/// The sources of DST, whose result is (1, y·y, z of the first, w of the second).
const DISTANCE: [ComponentReads; 2] = [ComponentReads::if_written(0b0110), ComponentReads::if_written(0b1010)];
/// The source of LITP, which sets cmp.x and cmp.y from x and w whatever it writes.
const LIGHTING: ComponentReads = ComponentReads { always: 0b1001, if_written: 0b0010 };
const ADDRESS: ComponentReads = ComponentReads::if_written(0b0011);

/// One opcode as its documents list it.
#[derive(Debug, Clone, Copy)]
pub struct PicaOpcodeRow {
    /// The lowest number in the opcode field.
    pub code: u8,
    /// The highest number in the opcode field; formats 1c and 5 use its low bits for other fields.
    pub last_code: u8,
    /// The documented spelling.
    pub mnemonic: &'static str,
    /// The fields of the word.
    pub format: PicaFormat,
    /// The components that it reads of each source.
    pub sources: &'static [ComponentReads],
    /// The operation; another opcode for an inverted format.
    pub operation: PicaOpcode,
    /// What it does, from the enum's documentation.
    pub summary: &'static str,
}

/// The last of some values.
macro_rules! last {
    ($only:tt) => {
        $only
    };
    ($first:tt $last:tt) => {
        $last
    };
}

/// The operation of an opcode: its own, or the one that its format inverts.
macro_rules! operation {
    ($own:ident) => {
        PicaOpcode::$own
    };
    ($own:ident $inverted:ident) => {
        PicaOpcode::$inverted
    };
}

/// Declares the opcode table: code or range of codes, mnemonic, format, sources, and the operation of an inverted format.
macro_rules! pica_opcodes {
    (
        $(#[$meta:meta])*
        $name:ident {
            $(
                #[doc = $doc:literal]
                $variant:ident = $code:literal $(to $last:literal)? $mnemonic:literal $format:ident $sources:expr
                $(, inverts $operation:ident)?;
            )*
        }
    ) => {
        opcode_enum! {
            $(#[$meta])*
            $name: PicaOpcodeRow {
                $(
                    #[doc = $doc] $variant = $code => PicaOpcodeRow {
                        code: $code,
                        last_code: last!($code $($last)?),
                        mnemonic: $mnemonic,
                        format: PicaFormat::$format,
                        sources: &$sources,
                        operation: operation!($variant $($operation)?),
                        summary: $doc.trim_ascii(),
                    };
                )*
            }
        }
    };
}

pica_opcodes! {
    /// Operations of the shader processor.
    PicaOpcode {
        /// Adds per component.
        Add = 0x00 "ADD" TwoSources [EACH, EACH];
        /// Dot product of x, y, z, replicated.
        Dp3 = 0x01 "DP3" TwoSources [XYZ, XYZ];
        /// Dot product of all four components, replicated.
        Dp4 = 0x02 "DP4" TwoSources [XYZW, XYZW];
        /// Dot product with 1 for the w of the first source, replicated.
        Dph = 0x03 "DPH" TwoSources [XYZ, XYZW];
        /// Distance vector (1, y0·y1, z0, w1).
        Dst = 0x04 "DST" TwoSources DISTANCE;
        /// 2 to the power of x, replicated.
        Ex2 = 0x05 "EX2" OneSource [X];
        /// Base-2 logarithm of x, replicated.
        Lg2 = 0x06 "LG2" OneSource [X];
        /// Clamps lighting coefficients, and compares x and w to 0.
        Litp = 0x07 "LITP" OneSource [LIGHTING];
        /// Multiplies per component.
        Mul = 0x08 "MUL" TwoSources [EACH, EACH];
        /// 1 where the first source is greater or equal, else 0.
        Sge = 0x09 "SGE" TwoSources [EACH, EACH];
        /// 1 where the first source is less, else 0.
        Slt = 0x0a "SLT" TwoSources [EACH, EACH];
        /// Largest integer not above.
        Flr = 0x0b "FLR" OneSource [EACH];
        /// Larger of both per component.
        Max = 0x0c "MAX" TwoSources [EACH, EACH];
        /// Smaller of both per component.
        Min = 0x0d "MIN" TwoSources [EACH, EACH];
        /// Reciprocal of x, replicated.
        Rcp = 0x0e "RCP" OneSource [X];
        /// Reciprocal square root of x, replicated.
        Rsq = 0x0f "RSQ" OneSource [X];
        /// Loads components of the address register, rounding toward zero.
        Mova = 0x12 "MOVA" Address [ADDRESS];
        /// Copies the source.
        Mov = 0x13 "MOV" OneSource [EACH];
        /// DPH with a wide second source.
        Dphi = 0x18 "DPHI" TwoSourcesInverted [XYZ, XYZW], inverts Dph;
        /// DST with a wide second source.
        Dsti = 0x19 "DSTI" TwoSourcesInverted DISTANCE, inverts Dst;
        /// SGE with a wide second source.
        Sgei = 0x1a "SGEI" TwoSourcesInverted [EACH, EACH], inverts Sge;
        /// SLT with a wide second source.
        Slti = 0x1b "SLTI" TwoSourcesInverted [EACH, EACH], inverts Slt;
        /// Leaves the innermost loop.
        Break = 0x20 "BREAK" Plain [];
        /// Does nothing.
        Nop = 0x21 "NOP" Plain [];
        /// Ends the program.
        End = 0x22 "END" Plain [];
        /// Leaves the innermost loop on a condition.
        Breakc = 0x23 "BREAKC" Condition [];
        /// Calls a procedure.
        Call = 0x24 "CALL" Condition [];
        /// Calls a procedure on a condition.
        Callc = 0x25 "CALLC" Condition [];
        /// Calls a procedure if a boolean uniform is set.
        Callu = 0x26 "CALLU" Boolean [];
        /// Executes one of two parts by a boolean uniform.
        Ifu = 0x27 "IFU" Boolean [];
        /// Executes one of two parts by a condition.
        Ifc = 0x28 "IFC" Condition [];
        /// Repeats a body as an integer uniform says.
        Loop = 0x29 "LOOP" Integer [];
        /// Emits a vertex; geometry shaders only.
        Emit = 0x2a "EMIT" Plain [];
        /// Selects the vertex to emit; geometry shaders only.
        Setemit = 0x2b "SETEMIT" SetEmit [];
        /// Jumps on a condition.
        Jmpc = 0x2c "JMPC" Condition [];
        /// Jumps if a boolean uniform is set, or if it is clear.
        Jmpu = 0x2d "JMPU" Boolean [];
        /// Compares x to cmp.x and y to cmp.y.
        Cmp = 0x2e to 0x2f "CMP" Compare [XY, XY];
        /// MAD with a wide third source.
        Madi = 0x30 to 0x37 "MADI" ThreeSourcesInverted [EACH, EACH, EACH], inverts Mad;
        /// Multiplies the first two sources and adds the third.
        Mad = 0x38 to 0x3f "MAD" ThreeSources [EACH, EACH, EACH];
    }
}

impl PicaOpcode {
    /// The opcode of a word; `None` if the number in its opcode field is unused.
    #[must_use]
    pub fn of_word(word: PicaWord) -> Option<Self> {
        let code = word.get(PicaField::OPCODE);
        let has_code =
            |opcode: &&Self| (u32::from(opcode.row().code)..=u32::from(opcode.row().last_code)).contains(&code);
        Self::ALL.iter().find(has_code).copied()
    }

    /// The opcode with the same operation and another wide source.
    #[must_use]
    pub fn inverted(self) -> Option<Self> {
        let is_other = |other: &&Self| **other != self && other.row().operation == self.row().operation;
        Self::ALL.iter().find(is_other).copied()
    }

    /// Whether it reads sources and writes a register.
    #[must_use]
    pub fn is_arithmetic(self) -> bool {
        self.row().format.operands().is_some_and(|fields| fields.destination.is_some())
    }
}
