//! Fragment programs: instructions of the NV40 fragment processor as typed values, with structured control flow.
//!
//! Flow instructions carry word offsets in the microcode; decoding turns them into a tree of blocks, so that neither
//! engine ever jumps.

use super::condition::{ConditionTest, Swizzle, WriteMask};
pub use crate::arith::{Precision, Scale, SourcePrecision};
use crate::isa::nv40_fragment::FragmentOpcode;

/// Full registers of the processor.
pub const FULL_REGISTERS: u8 = 48;

/// A decoded program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentProgram {
    /// The main block.
    pub body: Block,
    /// Subroutine bodies, each called through [`FragmentNode::Call`]; a call never names its own caller.
    pub subroutines: Vec<Block>,
    /// The inline constants in program order, as bits; data, not part of the program's shape.
    pub constants: Vec<[u32; 4]>,
    /// Length of the microcode in 32-bit words, constants included.
    pub words: u32,
}

/// A sequence of operations and nested flow.
pub type Block = Vec<FragmentNode>;

/// One step of a block.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FragmentNode {
    /// An arithmetic, texture or KIL instruction.
    Operation(FragmentOperation),
    /// IF, ELSE, ENDIF.
    If {
        /// A fragment takes `then` if any tested component passes.
        condition: ConditionTest,
        /// The block for fragments that pass.
        then: Block,
        /// The block for the others.
        otherwise: Block,
    },
    /// LOOP or REP.
    Loop {
        /// How often the body runs, 0..255.
        count: u8,
        /// First value of the index register, for LOOP.
        initial: u8,
        /// What each round adds to the index register, for LOOP.
        increment: i8,
        /// Whether the index register is set (LOOP) or left alone (REP).
        has_index: bool,
        /// Fragments enter only if any tested component passes.
        condition: ConditionTest,
        /// What is repeated.
        body: Block,
    },
    /// CAL: runs a subroutine.
    Call {
        /// A fragment calls if any tested component passes.
        condition: ConditionTest,
        /// Index into [`FragmentProgram::subroutines`].
        subroutine: usize,
    },
    /// BRK: leaves the innermost loop.
    Break {
        /// A fragment leaves if any tested component passes.
        condition: ConditionTest,
    },
    /// RET: leaves the subroutine, or ends the program outside of one.
    Return {
        /// A fragment returns if any tested component passes.
        condition: ConditionTest,
    },
}

/// One instruction that is not flow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FragmentOperation {
    /// What it computes.
    pub opcode: FragmentOpcode,
    /// Offset of its first word in the microcode.
    pub word_offset: u32,
    /// The register it writes; `None` with the no-destination bit.
    pub destination: Option<FragmentRegister>,
    /// Components it writes.
    pub mask: WriteMask,
    /// The condition register it updates, if any.
    pub condition_update: Option<u8>,
    /// Predicates writes per component; for KIL, any passing component discards.
    pub condition: ConditionTest,
    /// Precision that results are rounded to.
    pub precision: Precision,
    /// Factor applied to the result before saturation.
    pub scale: Scale,
    /// Clamps the result to 0..1.
    pub saturate: bool,
    /// Expands a fetched texel to 2v−1.
    pub expand_texel: bool,
    /// The texture unit of texture operations.
    pub texture_unit: u8,
    /// The interpolant that input sources read.
    pub input: FragmentInput,
    /// Whether the input is TEX0 plus the loop index plus `input_displacement`.
    pub is_input_indexed: bool,
    /// Displacement of an indexed input, relative to TEX0.
    pub input_displacement: i16,
    /// Multiplies texture coordinates by 1/w (word 3 bit 31).
    pub divides_by_w: bool,
    /// Sources 0, 1, 2.
    pub sources: [FragmentSource; 3],
}

/// A full (R) or half (H) register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentRegister {
    /// The register number: 0..47 for R, 0..63 for H.
    pub index: u8,
    /// Whether it is a half register; R(n) holds H(2n) and H(2n+1).
    pub is_half: bool,
}

/// Where a source operand comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FragmentSourceKind {
    /// A temporary register.
    Register(FragmentRegister),
    /// The instruction's interpolant.
    Input,
    /// Index into [`FragmentProgram::constants`].
    Constant(u16),
}

/// A source operand: swizzle, absolute value, precision clamp, negation, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentSource {
    /// The register file and index.
    pub kind: FragmentSourceKind,
    /// Which component each component reads.
    pub swizzle: Swizzle,
    /// Takes the magnitude.
    pub absolute: bool,
    /// Precision that the operand is clamped to.
    pub precision: SourcePrecision,
    /// Changes the sign.
    pub negate: bool,
}

impl FragmentSource {
    /// What the place of a source holds that an operation does not read.
    pub const UNREAD: Self = Self {
        kind: FragmentSourceKind::Register(FragmentRegister { index: 0, is_half: false }),
        swizzle: Swizzle::IDENTITY,
        absolute: false,
        precision: SourcePrecision::Full,
        negate: false,
    };
}

/// The interpolants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FragmentInput {
    /// Window position (x, y, depth, 1/w).
    WindowPosition,
    /// Primary colour.
    Color0,
    /// Secondary colour.
    Color1,
    /// Fog coordinate and factor.
    Fog,
    /// Texture coordinate 0..9.
    TexCoord(u8),
    /// +1 on front faces, −1 on back faces, in x.
    Facing,
}

/// After this many executed instructions a quad ends at the next round of a loop or the next call.
pub const EXECUTION_LIMIT: u32 = 65_535;

/// The registers of color targets 0..3.
#[must_use]
pub const fn output_registers(has_full_outputs: bool) -> [FragmentRegister; 4] {
    let indices = if has_full_outputs { [0, 2, 3, 4] } else { [0, 4, 6, 8] };
    let [a, b, c, d] = indices;
    let is_half = !has_full_outputs;
    [
        FragmentRegister { index: a, is_half },
        FragmentRegister { index: b, is_half },
        FragmentRegister { index: c, is_half },
        FragmentRegister { index: d, is_half },
    ]
}
