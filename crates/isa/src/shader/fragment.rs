//! Fragment programs: typed operations with structured control flow, independent of any machine's opcodes.
//!
//! Decoding turns jumps into a tree of blocks and each opcode into a [`FragmentOperationKind`], so engines never
//! see a jump or an opcode.

use super::condition::{ConditionTest, Relation, Swizzle, WriteMask};
use super::fragment_function::FragmentFunction;
pub use crate::arith::{Precision, Scale, SourcePrecision};

/// Full registers of the processor.
pub const FULL_REGISTERS: u8 = 48;

/// The number of executed instructions after which a quad ends at the next loop iteration or call.
pub const EXECUTION_LIMIT: u32 = 65_535;

/// The attribute number of texture coordinate 0.
pub const TEXCOORD0: u8 = FragmentInput::TexCoord(0).attribute();

/// The number of input attributes.
const ATTRIBUTES: u8 = 15;

/// A decoded program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentProgram {
    /// The main block.
    pub body: Block,
    /// Subroutine bodies, each called through [`FragmentNode::Call`]; a call never names its own caller.
    pub subroutines: Vec<Block>,
    /// The inline constants in program order, as bits; data, not part of the program's shape.
    pub constants: Vec<[u32; 4]>,
    /// Length of the microcode in 32-bit words, including constants.
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
        /// Iterations of the body, 0..255.
        count: u8,
        /// First value of the index register, for LOOP.
        initial: u8,
        /// Increment of the index register per iteration, for LOOP.
        increment: i8,
        /// Whether the index register is set (LOOP) or kept (REP).
        has_index: bool,
        /// Fragments enter only if any tested component passes.
        condition: ConditionTest,
        /// The repeated block.
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
    /// RET: leaves the subroutine; outside a subroutine, ends the program.
    Return {
        /// A fragment returns if any tested component passes.
        condition: ConditionTest,
    },
}

/// One instruction other than flow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FragmentOperation {
    /// The operation.
    pub kind: FragmentOperationKind,
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

/// What an operation does with its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FragmentOperationKind {
    /// Evaluates a function of its sources.
    Compute(&'static FragmentFunction),
    /// Copies its source.
    Move,
    /// Takes the difference between neighboring fragments of the quad.
    Derivative(Axis),
    /// Samples its texture unit.
    Sample(TextureFetch),
    /// Discards the fragments that pass its condition in any component.
    Kill,
    /// Separates the preceding from the following operations; has no effect on results.
    Fence(Fence),
    /// Does nothing.
    Nothing,
}

/// A window axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// To the right.
    X,
    /// Down the rows.
    Y,
}

/// How a texture fetch computes its coordinate and its level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextureFetch {
    /// Whether a bump environment offsets x and y by the function X2D of all three sources.
    pub bump: bool,
    /// The projection of x, y and z after that.
    pub projection: Projection,
    /// The source of the level of detail.
    pub lod: LodSource,
}

/// How a fetch uses the coordinate's w.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Projection {
    /// x, y and z are unchanged.
    None,
    /// x, y and z are multiplied by the reciprocal of w.
    DivideByW,
    /// x, y and z are multiplied by w.
    MultiplyByW,
}

/// The source of a fetch's level of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LodSource {
    /// The coordinates' differences over the quad.
    Implicit,
    /// The coordinates' differences over the quad, plus the coordinate's w.
    Bias,
    /// The coordinate's w.
    Explicit,
    /// Sources 1 and 2, the derivatives along x and y.
    Gradient,
}

/// A scheduling fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fence {
    /// FENCT.
    T,
    /// FENCB.
    B,
}

impl TextureFetch {
    /// A fetch at the unmodified coordinate and the level of the quad's differences.
    pub const PLAIN: Self = Self { bump: false, projection: Projection::None, lod: LodSource::Implicit };
}

impl FragmentOperationKind {
    /// How many sources it reads, starting with the first.
    #[must_use]
    pub const fn source_count(&self) -> usize {
        match self {
            Self::Compute(function) => function.shape.operand_count(),
            Self::Sample(TextureFetch { bump: true, .. } | TextureFetch { lod: LodSource::Gradient, .. }) => 3,
            Self::Move | Self::Derivative(_) | Self::Sample(_) => 1,
            Self::Kill | Self::Fence(_) | Self::Nothing => 0,
        }
    }

    /// Whether the result is packed bits rather than numbers.
    #[must_use]
    pub const fn packs(&self) -> bool {
        matches!(self, Self::Compute(function) if matches!(function.facts.bits, super::fragment_function::BitUse::Packs))
    }

    /// Whether it samples a texture unit.
    #[must_use]
    pub const fn samples(&self) -> bool {
        matches!(self, Self::Sample(_))
    }
}

/// The outputs of a program to the ROP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FragmentOutputs {
    /// Results are R0, R2, R3, R4 instead of H0, H4, H6, H8.
    pub has_full_outputs: bool,
    /// R1.z is the depth.
    pub exports_depth: bool,
    /// Color targets, by bit.
    pub targets: u8,
}

impl FragmentOutputs {
    /// The register whose z is the exported depth.
    pub const DEPTH: FragmentRegister = FragmentRegister { index: 1, is_half: false };

    /// The registers of the stored color targets.
    pub fn color_registers(self) -> impl Iterator<Item = FragmentRegister> {
        let targets = (0..4u8).filter(move |target| self.targets >> target & 1 != 0);
        targets.map(move |target| color_register(target, self.has_full_outputs))
    }
}

/// The register with the color of a target at the end of a program.
#[must_use]
pub const fn color_register(target: u8, has_full_outputs: bool) -> FragmentRegister {
    let index = if target == 0 { 0 } else { target + 1 };
    FragmentRegister { index: if has_full_outputs { index } else { index * 2 }, is_half: !has_full_outputs }
}

/// The registers of color targets 0..3.
#[must_use]
pub const fn output_registers(has_full_outputs: bool) -> [FragmentRegister; 4] {
    [
        color_register(0, has_full_outputs),
        color_register(1, has_full_outputs),
        color_register(2, has_full_outputs),
        color_register(3, has_full_outputs),
    ]
}

/// A full (R) or half (H) register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentRegister {
    /// The register number: 0..47 for R, 0..63 for H.
    pub index: u8,
    /// Whether it is a half register; R(n) holds H(2n) and H(2n+1).
    pub is_half: bool,
}

impl FragmentRegister {
    /// Whether the register file contains it. Other registers read zero and ignore writes.
    #[must_use]
    pub const fn exists(self) -> bool {
        self.full_index() < FULL_REGISTERS
    }

    /// The number of the full register that it is or belongs to.
    #[must_use]
    pub const fn full_index(self) -> u8 {
        if self.is_half { self.index / 2 } else { self.index }
    }

    /// Whether two registers share bits.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        if self.is_half == other.is_half { self.index == other.index } else { self.full_index() == other.full_index() }
    }
}

/// The kind of a source operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FragmentSourceKind {
    /// A temporary register.
    Register(FragmentRegister),
    /// The instruction's interpolant.
    Input,
    /// Index into [`FragmentProgram::constants`].
    Constant(u16),
}

/// A source operand: swizzle, precision clamp, magnitude, sign, in this order.
///
/// A `PlayStation` 3 saturates before it takes the magnitude (RPCS3, pull request 19326), and changes the sign after the
/// clamp (RPCS3, `FragmentProgramDecompiler.cpp`, from a game). Unverified: that the other clamps stand where
/// saturation stands; those to fx12 and fx9 are not symmetric.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FragmentSource {
    /// The register file and index.
    pub kind: FragmentSourceKind,
    /// The component that each component reads.
    pub swizzle: Swizzle,
    /// Precision that the operand is clamped to.
    pub precision: SourcePrecision,
    /// Takes the magnitude.
    pub absolute: bool,
    /// Changes the sign.
    pub negate: bool,
}

impl FragmentSource {
    /// The placeholder for a source that an operation does not read.
    pub const UNREAD: Self = Self {
        kind: FragmentSourceKind::Register(FragmentRegister { index: 0, is_half: false }),
        swizzle: Swizzle::IDENTITY,
        precision: SourcePrecision::Full,
        absolute: false,
        negate: false,
    };
}

/// The interpolants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FragmentInput {
    /// Window position (x, y, depth, 1/w).
    WindowPosition,
    /// Primary color.
    Color0,
    /// Secondary color.
    Color1,
    /// Fog coordinate and factor.
    Fog,
    /// Texture coordinate 0..9.
    TexCoord(u8),
    /// +1 on front faces, −1 on back faces, in x.
    Facing,
}

impl FragmentInput {
    /// The input with this attribute number.
    #[must_use]
    pub const fn from_attribute(attribute: u8) -> Option<Self> {
        match attribute {
            0 => Some(Self::WindowPosition),
            1 => Some(Self::Color0),
            2 => Some(Self::Color1),
            3 => Some(Self::Fog),
            4..=13 => Some(Self::TexCoord(attribute - 4)),
            14 => Some(Self::Facing),
            _ => None,
        }
    }

    /// All inputs, in the order of their attribute numbers.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..ATTRIBUTES).filter_map(Self::from_attribute)
    }

    /// The attribute number.
    #[must_use]
    pub const fn attribute(self) -> u8 {
        match self {
            Self::WindowPosition => 0,
            Self::Color0 => 1,
            Self::Color1 => 2,
            Self::Fog => 3,
            Self::TexCoord(index) => 4 + index,
            Self::Facing => 14,
        }
    }
}

impl FragmentOperation {
    /// The sources that it reads, in order.
    #[must_use]
    pub fn read_sources(&self) -> &[FragmentSource] {
        &self.sources[..self.kind.source_count()]
    }

    /// The input that is read while the loop index is `index`; `None` if there is none, which reads zero.
    #[must_use]
    pub fn input_at(&self, index: i32) -> Option<FragmentInput> {
        if !self.is_input_indexed {
            return Some(self.input);
        }
        // Unverified: displacement and index may leave the texture coordinates for the other attributes.
        let attribute = i32::from(TEXCOORD0) + i32::from(self.input_displacement) + index;
        u8::try_from(attribute).ok().and_then(FragmentInput::from_attribute)
    }

    /// Whether writes depend on a condition.
    #[must_use]
    pub fn is_predicated(&self) -> bool {
        self.condition.relation != Relation::Always
    }

    /// Whether some pixel may write its result to a register or to a condition register.
    #[must_use]
    pub fn writes(&self) -> bool {
        let has_result = match self.kind {
            FragmentOperationKind::Compute(_)
            | FragmentOperationKind::Move
            | FragmentOperationKind::Derivative(_)
            | FragmentOperationKind::Sample(_) => true,
            FragmentOperationKind::Kill | FragmentOperationKind::Fence(_) | FragmentOperationKind::Nothing => false,
        };
        let has_target = self.destination.is_some() || self.condition_update.is_some();
        has_result && has_target && self.mask.0 & 15 != 0 && self.condition.relation != Relation::Never
    }

    /// The register that some pixel may write.
    #[must_use]
    pub fn written_register(&self) -> Option<FragmentRegister> {
        self.destination.filter(|_| self.writes())
    }

    /// Whether the result is scaled, saturated or rounded, which leaves no denormals and one NaN.
    #[must_use]
    pub fn is_rounded(&self) -> bool {
        let is_half = self.destination.is_some_and(|register| register.is_half);
        let changes = self.scale != Scale::One || self.saturate || self.precision != Precision::Fp32;
        is_half || changes && !self.kind.packs()
    }
}

#[cfg(test)]
mod tests {
    use super::{FragmentInput, FragmentRegister, color_register};

    #[test]
    fn attribute_numbers_and_inputs_are_the_same_list() {
        let numbers: Vec<u8> = FragmentInput::all().map(FragmentInput::attribute).collect();
        assert_eq!(numbers, (0..15).collect::<Vec<u8>>());
    }

    #[test]
    fn targets_have_registers_of_their_own() {
        let indices = |is_full| [0, 1, 2, 3].map(|target| color_register(target, is_full).index);
        assert_eq!((indices(true), indices(false)), ([0, 2, 3, 4], [0, 4, 6, 8]));
        assert!(color_register(0, false).is_half && !color_register(0, true).is_half);
        let exists = |index, is_half| FragmentRegister { index, is_half }.exists();
        assert!(exists(47, false) && !exists(48, false) && exists(95, true) && !exists(96, true));
    }
}
