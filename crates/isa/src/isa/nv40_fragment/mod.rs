//! The opcodes of the NV40 fragment processor: one row gives the code, mnemonic and meaning of each.
//!
//! Decoding turns an opcode into its meaning; encoding and disassembly find the opcode of a meaning. Only this
//! folder and the assemblers name opcodes.
//!
//! The code is word 0 bits 29:24; bit 6 (0x40) is word 2 bit 31 and marks flow instructions. Source: Mesa
//! `nvfx_shader.h`, RPCS3 `FPOpcodes.h` for the numbers, `NV_fragment_program`/`NV_fragment_program2` for the meaning.

use super::table::opcode_enum;
use crate::isa::Operand;
use crate::shader::fragment::FragmentOperationKind::{self, Compute, Derivative, Fence, Kill, Move, Nothing, Sample};
use crate::shader::fragment::{Axis, Fence as FenceKind, LodSource, Projection, TextureFetch};
use crate::shader::fragment_function::functions;
use OpcodeMeaning::{Flow, Operation};

pub mod decode;
mod decode_error;
pub mod decode_operation;
pub mod disassemble;
pub mod encode;
mod limits;
pub mod loop_end;
pub mod modifiers;
mod word;

pub use word::{FragmentField, FragmentWord};

/// The meaning of an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpcodeMeaning {
    /// An operation.
    Operation(FragmentOperationKind),
    /// A flow instruction.
    Flow(FlowOpcode),
}

/// A flow instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowOpcode {
    /// BRK.
    Break,
    /// CAL.
    Call,
    /// IF.
    If,
    /// LOOP.
    Loop,
    /// REP.
    Rep,
    /// RET.
    Return,
}

/// One opcode.
#[derive(Debug, Clone, Copy)]
pub struct FragmentOpcodeRow {
    /// Its variant.
    pub opcode: FragmentOpcode,
    /// The number in the opcode field, with bit 6 of flow instructions.
    pub code: u8,
    /// The documented spelling.
    pub mnemonic: &'static str,
    /// The source operands that are read, in order.
    pub operands: &'static [Operand],
    /// Its meaning.
    pub meaning: OpcodeMeaning,
    /// What it does, from the enum's documentation.
    pub summary: &'static str,
}

/// The operands that a meaning reads.
const fn operands_of(meaning: OpcodeMeaning) -> &'static [Operand] {
    match meaning {
        Operation(kind) => Operand::ALL.as_slice().split_at(kind.source_count()).0,
        Flow(_) => &[],
    }
}

macro_rules! fragment_opcodes {
    (
        $(#[$meta:meta])*
        $name:ident {
            $( #[doc = $doc:literal] $variant:ident = $code:literal $mnemonic:literal $meaning:expr; )*
        }
    ) => {
        opcode_enum! {
            $(#[$meta])*
            $name: FragmentOpcodeRow {
                $(
                    #[doc = $doc] $variant = $code => FragmentOpcodeRow {
                        opcode: Self::$variant,
                        code: $code,
                        mnemonic: $mnemonic,
                        operands: operands_of($meaning),
                        meaning: $meaning,
                        summary: $doc.trim_ascii(),
                    };
                )*
            }
        }
    };
}

fragment_opcodes! {
    /// Operations of the fragment processor.
    FragmentOpcode {
        /// Does nothing.
        Nop = 0x00 "NOP" Operation(Nothing);
        /// Copies.
        Mov = 0x01 "MOV" Operation(Move);
        /// Multiplies per component.
        Mul = 0x02 "MUL" Operation(Compute(&functions::MUL));
        /// Adds per component.
        Add = 0x03 "ADD" Operation(Compute(&functions::ADD));
        /// Multiplies the first two sources and adds the third.
        Mad = 0x04 "MAD" Operation(Compute(&functions::MAD));
        /// Dot product of x, y, z, replicated.
        Dp3 = 0x05 "DP3" Operation(Compute(&functions::DP3));
        /// Dot product of all four components, replicated.
        Dp4 = 0x06 "DP4" Operation(Compute(&functions::DP4));
        /// Distance vector (1, y0·y1, z0, w1).
        Dst = 0x07 "DST" Operation(Compute(&functions::DST));
        /// Smaller of both per component.
        Min = 0x08 "MIN" Operation(Compute(&functions::MIN));
        /// Larger of both per component.
        Max = 0x09 "MAX" Operation(Compute(&functions::MAX));
        /// 1 where the first source is less, else 0.
        Slt = 0x0a "SLT" Operation(Compute(&functions::SLT));
        /// 1 where the first source is greater or equal, else 0.
        Sge = 0x0b "SGE" Operation(Compute(&functions::SGE));
        /// 1 where the first source is less or equal, else 0.
        Sle = 0x0c "SLE" Operation(Compute(&functions::SLE));
        /// 1 where the first source is greater, else 0.
        Sgt = 0x0d "SGT" Operation(Compute(&functions::SGT));
        /// 1 where they differ, else 0.
        Sne = 0x0e "SNE" Operation(Compute(&functions::SNE));
        /// 1 where both are equal, else 0.
        Seq = 0x0f "SEQ" Operation(Compute(&functions::SEQ));
        /// Fraction above the floor.
        Frc = 0x10 "FRC" Operation(Compute(&functions::FRC));
        /// Largest integer not above.
        Flr = 0x11 "FLR" Operation(Compute(&functions::FLR));
        /// Discards the fragment if any tested condition holds.
        Kil = 0x12 "KIL" Operation(Kill);
        /// Packs four signed bytes.
        Pk4b = 0x13 "PK4B" Operation(Compute(&functions::PK4B));
        /// Unpacks four signed bytes.
        Up4b = 0x14 "UP4B" Operation(Compute(&functions::UP4B));
        /// Derivative along window x.
        Ddx = 0x15 "DDX" Operation(Derivative(Axis::X));
        /// Derivative along window y.
        Ddy = 0x16 "DDY" Operation(Derivative(Axis::Y));
        /// Samples a texture.
        Tex = 0x17 "TEX" Operation(Sample(TextureFetch::PLAIN));
        /// Samples a texture, coordinates divided by w.
        Txp = 0x18 "TXP" Operation(Sample(TextureFetch { projection: Projection::DivideByW, ..TextureFetch::PLAIN }));
        /// Samples a texture with explicit derivatives.
        Txd = 0x19 "TXD" Operation(Sample(TextureFetch { lod: LodSource::Gradient, ..TextureFetch::PLAIN }));
        /// Reciprocal, replicated.
        Rcp = 0x1a "RCP" Operation(Compute(&functions::RCP));
        /// Reciprocal square root of the magnitude, replicated.
        Rsq = 0x1b "RSQ" Operation(Compute(&functions::RSQ));
        /// Base-2 exponential, replicated.
        Ex2 = 0x1c "EX2" Operation(Compute(&functions::EX2));
        /// Base-2 logarithm, replicated.
        Lg2 = 0x1d "LG2" Operation(Compute(&functions::LG2));
        /// Lighting coefficients.
        Lit = 0x1e "LIT" Operation(Compute(&functions::LIT));
        /// Interpolates linearly: s0·s1 + (1−s0)·s2.
        Lrp = 0x1f "LRP" Operation(Compute(&functions::LRP));
        /// Sets 1.
        Str = 0x20 "STR" Operation(Compute(&functions::STR));
        /// Sets 0.
        Sfl = 0x21 "SFL" Operation(Compute(&functions::SFL));
        /// Cosine of an angle in radians, replicated.
        Cos = 0x22 "COS" Operation(Compute(&functions::COS));
        /// Sine of an angle in radians, replicated.
        Sin = 0x23 "SIN" Operation(Compute(&functions::SIN));
        /// Packs two half floats.
        Pk2h = 0x24 "PK2H" Operation(Compute(&functions::PK2H));
        /// Unpacks two half floats.
        Up2h = 0x25 "UP2H" Operation(Compute(&functions::UP2H));
        /// Power, replicated.
        Pow = 0x26 "POW" Operation(Compute(&functions::POW));
        /// Packs four unsigned bytes.
        Pk4ub = 0x27 "PK4UB" Operation(Compute(&functions::PK4UB));
        /// Unpacks four unsigned bytes.
        Up4ub = 0x28 "UP4UB" Operation(Compute(&functions::UP4UB));
        /// Packs two unsigned 16-bit values.
        Pk2us = 0x29 "PK2US" Operation(Compute(&functions::PK2US));
        /// Unpacks two unsigned 16-bit values.
        Up2us = 0x2a "UP2US" Operation(Compute(&functions::UP2US));
        /// Transforms a 2D coordinate: s0.xyxy + s1.xxxx·s2.xzxz + s1.yyyy·s2.ywyw.
        X2d = 0x2b "X2D" Operation(Compute(&functions::X2D));
        /// Packs four unsigned bytes with gamma.
        Pk4ubg = 0x2c "PK4UBG" Operation(Compute(&functions::PK4UBG));
        /// Unpacks four unsigned bytes with gamma.
        Up4ubg = 0x2d "UP4UBG" Operation(Compute(&functions::UP4UBG));
        /// Dot product of x, y plus the x of the third source, replicated.
        Dp2a = 0x2e "DP2A" Operation(Compute(&functions::DP2A));
        /// Samples a texture at an explicit level of detail.
        Txl = 0x2f "TXL" Operation(Sample(TextureFetch { lod: LodSource::Explicit, ..TextureFetch::PLAIN }));
        /// Samples a texture with a level-of-detail bias.
        Txb = 0x31 "TXB" Operation(Sample(TextureFetch { lod: LodSource::Bias, ..TextureFetch::PLAIN }));
        /// Samples a texture with a bumped coordinate.
        TexBem = 0x33 "TEXBEM" Operation(Sample(TextureFetch { bump: true, ..TextureFetch::PLAIN }));
        /// Samples a texture with a bumped projective coordinate.
        TxpBem = 0x34 "TXPBEM" Operation(Sample(TextureFetch { bump: true, projection: Projection::DivideByW, ..TextureFetch::PLAIN }));
        /// Scales by a bump environment's luminance: s0·(s1.z·s2.x + s2.y).
        BemLum = 0x35 "BEMLUM" Operation(Compute(&functions::BEM_LUM));
        /// Reflects the second source about the first.
        Rfl = 0x36 "RFL" Operation(Compute(&functions::RFL));
        /// Samples a texture, coordinates multiplied with w.
        TimesWTex = 0x37 "TIMESWTEX" Operation(Sample(TextureFetch { projection: Projection::MultiplyByW, ..TextureFetch::PLAIN }));
        /// Dot product of x, y, replicated.
        Dp2 = 0x38 "DP2" Operation(Compute(&functions::DP2));
        /// Normalizes x, y, z.
        Nrm = 0x39 "NRM" Operation(Compute(&functions::NRM));
        /// Divides by the x of the second source.
        Div = 0x3a "DIV" Operation(Compute(&functions::DIV));
        /// Divides by the square root of the x of the second source.
        DivSq = 0x3b "DIVSQ" Operation(Compute(&functions::DIV_SQRT));
        /// Lighting coefficients from a base-2 exponent.
        LitEx2 = 0x3c "LITEX2" Operation(Compute(&functions::LIT_EX2));
        /// Scheduling fence; no effect.
        FencT = 0x3d "FENCT" Operation(Fence(FenceKind::T));
        /// Scheduling fence; no effect.
        FencB = 0x3e "FENCB" Operation(Fence(FenceKind::B));
        /// Leaves the innermost loop if the condition holds.
        Brk = 0x40 "BRK" Flow(FlowOpcode::Break);
        /// Calls a subroutine if the condition holds.
        Cal = 0x41 "CAL" Flow(FlowOpcode::Call);
        /// Executes one of two blocks.
        If = 0x42 "IF" Flow(FlowOpcode::If);
        /// Repeats a block with an index register.
        Loop = 0x43 "LOOP" Flow(FlowOpcode::Loop);
        /// Repeats a block.
        Rep = 0x44 "REP" Flow(FlowOpcode::Rep);
        /// Returns from a subroutine if the condition holds.
        Ret = 0x45 "RET" Flow(FlowOpcode::Return);
    }
}

impl FragmentOpcode {
    /// The opcode of an operation.
    ///
    /// # Panics
    /// When no opcode has this meaning; decoders and assemblers never create such an operation.
    #[must_use]
    pub fn of(kind: FragmentOperationKind) -> Self {
        let row = Self::TABLE.iter().find(|row| row.meaning == Operation(kind));
        row.expect("every operation of this machine has a row").opcode
    }

    /// What it computes; `None` for flow.
    #[must_use]
    pub const fn operation(self) -> Option<FragmentOperationKind> {
        match self.row().meaning {
            Operation(kind) => Some(kind),
            Flow(_) => None,
        }
    }

    /// Whether the result is packed bits rather than numbers.
    #[must_use]
    pub const fn is_pack(self) -> bool {
        matches!(self.operation(), Some(kind) if kind.packs())
    }

    /// Whether it fetches from a texture unit.
    #[must_use]
    pub const fn is_texture(self) -> bool {
        matches!(self.operation(), Some(kind) if kind.samples())
    }
}

#[cfg(test)]
mod tests {
    use super::FragmentOpcode;
    use crate::shader::fragment_function::functions;
    use std::collections::HashSet;

    #[test]
    fn opcodes_and_meanings_are_one_to_one() {
        for &opcode in FragmentOpcode::ALL {
            assert_eq!(FragmentOpcode::from_code(opcode.code()), Some(opcode));
            if let Some(kind) = opcode.operation() {
                assert_eq!(FragmentOpcode::of(kind), opcode);
                assert_eq!(opcode.row().operands.len(), kind.source_count());
            }
        }
        let meanings: HashSet<_> = FragmentOpcode::TABLE.iter().map(|row| row.meaning).collect();
        assert_eq!(meanings.len(), FragmentOpcode::ALL.len());
        assert!(FragmentOpcode::TABLE.is_sorted_by_key(|row| row.code));
    }

    #[test]
    fn every_function_has_an_opcode_and_a_name_of_its_own() {
        let names: HashSet<_> = functions::TABLE.iter().map(|function| function.name).collect();
        assert_eq!(names.len(), functions::TABLE.len());
        for function in functions::TABLE {
            let opcode = FragmentOpcode::of(crate::shader::fragment::FragmentOperationKind::Compute(function));
            assert_eq!(opcode.row().operands.len(), function.shape.operand_count());
        }
    }
}
