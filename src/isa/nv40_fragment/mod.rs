//! The opcodes of the NV40 fragment processor.
//!
//! The code is word 0 bits 29:24; bit 6 (0x40) is word 2 bit 31 and marks flow instructions. Source: Mesa
//! `nvfx_shader.h`, RPCS3 `FPOpcodes.h` for the numbers, `NV_fragment_program`/`NV_fragment_program2` for the meaning.

use super::table::opcodes;

pub mod decode;
pub(crate) mod decode_operation;
pub(crate) mod disassemble;
pub mod encode;
pub(crate) mod loop_end;
mod word;

pub use word::{FragmentField, FragmentWord};

opcodes! {
    /// Operations of the fragment processor.
    FragmentOpcode {
        /// Does nothing.
        Nop = 0x00 "NOP" [];
        /// Copies.
        Mov = 0x01 "MOV" [S0];
        /// Multiplies per component.
        Mul = 0x02 "MUL" [S0, S1];
        /// Adds per component.
        Add = 0x03 "ADD" [S0, S1];
        /// Multiplies the first two sources and adds the third.
        Mad = 0x04 "MAD" [S0, S1, S2];
        /// Dot product of x, y, z, replicated.
        Dp3 = 0x05 "DP3" [S0, S1];
        /// Dot product of all four components, replicated.
        Dp4 = 0x06 "DP4" [S0, S1];
        /// Distance vector (1, y0·y1, z0, w1).
        Dst = 0x07 "DST" [S0, S1];
        /// Smaller of both per component.
        Min = 0x08 "MIN" [S0, S1];
        /// Larger of both per component.
        Max = 0x09 "MAX" [S0, S1];
        /// 1 where the first source is less, else 0.
        Slt = 0x0a "SLT" [S0, S1];
        /// 1 where the first source is greater or equal, else 0.
        Sge = 0x0b "SGE" [S0, S1];
        /// 1 where the first source is less or equal, else 0.
        Sle = 0x0c "SLE" [S0, S1];
        /// 1 where the first source is greater, else 0.
        Sgt = 0x0d "SGT" [S0, S1];
        /// 1 where they differ, else 0.
        Sne = 0x0e "SNE" [S0, S1];
        /// 1 where both are equal, else 0.
        Seq = 0x0f "SEQ" [S0, S1];
        /// Fraction above the floor.
        Frc = 0x10 "FRC" [S0];
        /// Largest integer not above.
        Flr = 0x11 "FLR" [S0];
        /// Discards the fragment if any tested condition holds.
        Kil = 0x12 "KIL" [];
        /// Packs four signed bytes.
        Pk4b = 0x13 "PK4B" [S0];
        /// Unpacks four signed bytes.
        Up4b = 0x14 "UP4B" [S0];
        /// Derivative along window x.
        Ddx = 0x15 "DDX" [S0];
        /// Derivative along window y.
        Ddy = 0x16 "DDY" [S0];
        /// Samples a texture.
        Tex = 0x17 "TEX" [S0];
        /// Samples a texture, coordinates divided by w.
        Txp = 0x18 "TXP" [S0];
        /// Samples a texture with explicit derivatives.
        Txd = 0x19 "TXD" [S0, S1, S2];
        /// Reciprocal, replicated.
        Rcp = 0x1a "RCP" [S0];
        /// Reciprocal square root of the magnitude, replicated.
        Rsq = 0x1b "RSQ" [S0];
        /// Base-2 exponential, replicated.
        Ex2 = 0x1c "EX2" [S0];
        /// Base-2 logarithm, replicated.
        Lg2 = 0x1d "LG2" [S0];
        /// Lighting coefficients.
        Lit = 0x1e "LIT" [S0];
        /// Interpolates linearly: s0·s1 + (1−s0)·s2.
        Lrp = 0x1f "LRP" [S0, S1, S2];
        /// Sets 1.
        Str = 0x20 "STR" [];
        /// Sets 0.
        Sfl = 0x21 "SFL" [];
        /// Cosine of an angle in radians, replicated.
        Cos = 0x22 "COS" [S0];
        /// Sine of an angle in radians, replicated.
        Sin = 0x23 "SIN" [S0];
        /// Packs two half floats.
        Pk2h = 0x24 "PK2H" [S0];
        /// Unpacks two half floats.
        Up2h = 0x25 "UP2H" [S0];
        /// Power, replicated.
        Pow = 0x26 "POW" [S0, S1];
        /// Packs four unsigned bytes.
        Pk4ub = 0x27 "PK4UB" [S0];
        /// Unpacks four unsigned bytes.
        Up4ub = 0x28 "UP4UB" [S0];
        /// Packs two unsigned 16-bit values.
        Pk2us = 0x29 "PK2US" [S0];
        /// Unpacks two unsigned 16-bit values.
        Up2us = 0x2a "UP2US" [S0];
        /// Transforms a 2D coordinate: s0.xyxy + s1.xxxx·s2.xzxz + s1.yyyy·s2.ywyw.
        X2d = 0x2b "X2D" [S0, S1, S2];
        /// Packs four unsigned bytes with gamma.
        Pk4ubg = 0x2c "PK4UBG" [S0];
        /// Unpacks four unsigned bytes with gamma.
        Up4ubg = 0x2d "UP4UBG" [S0];
        /// Dot product of x, y plus the x of the third source, replicated.
        Dp2a = 0x2e "DP2A" [S0, S1, S2];
        /// Samples a texture at an explicit level of detail.
        Txl = 0x2f "TXL" [S0];
        /// Samples a texture with a level-of-detail bias.
        Txb = 0x31 "TXB" [S0];
        /// Samples a texture with a bumped coordinate.
        TexBem = 0x33 "TEXBEM" [S0, S1, S2];
        /// Samples a texture with a bumped projective coordinate.
        TxpBem = 0x34 "TXPBEM" [S0, S1, S2];
        /// Scales by a bump environment's luminance: s0·(s1.z·s2.x + s2.y).
        BemLum = 0x35 "BEMLUM" [S0, S1, S2];
        /// Reflects the second source about the first.
        Rfl = 0x36 "RFL" [S0, S1];
        /// Samples a texture, coordinates multiplied with w.
        TimesWTex = 0x37 "TIMESWTEX" [S0];
        /// Dot product of x, y, replicated.
        Dp2 = 0x38 "DP2" [S0, S1];
        /// Normalises x, y, z.
        Nrm = 0x39 "NRM" [S0];
        /// Divides by the x of the second source.
        Div = 0x3a "DIV" [S0, S1];
        /// Divides by the square root of the x of the second source.
        DivSq = 0x3b "DIVSQ" [S0, S1];
        /// Lighting coefficients from a base-2 exponent.
        LitEx2 = 0x3c "LITEX2" [S0];
        /// Scheduling fence; no effect.
        FencT = 0x3d "FENCT" [];
        /// Scheduling fence; no effect.
        FencB = 0x3e "FENCB" [];
        /// Leaves the innermost loop if the condition holds.
        Brk = 0x40 "BRK" [];
        /// Calls a subroutine if the condition holds.
        Cal = 0x41 "CAL" [];
        /// Executes one of two blocks.
        If = 0x42 "IF" [];
        /// Repeats a block with an index register.
        Loop = 0x43 "LOOP" [];
        /// Repeats a block.
        Rep = 0x44 "REP" [];
        /// Returns from a subroutine if the condition holds.
        Ret = 0x45 "RET" [];
    }
}

impl FragmentOpcode {
    /// Whether the result is packed bits rather than numbers.
    #[must_use]
    pub const fn is_pack(self) -> bool {
        matches!(self, Self::Pk4b | Self::Pk2h | Self::Pk4ub | Self::Pk2us | Self::Pk4ubg)
    }

    /// Whether it fetches from a texture unit.
    #[must_use]
    pub const fn is_texture(self) -> bool {
        matches!(
            self,
            Self::Tex | Self::Txp | Self::Txd | Self::Txl | Self::Txb | Self::TexBem | Self::TxpBem | Self::TimesWTex
        )
    }
}
