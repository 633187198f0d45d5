//! The opcodes of the NV40 vertex processor: a four-wide vector unit (VEC) and a scalar unit (SCA) in each instruction.
//!
//! Source: envytools `docs/hw/graph/xf/isa.rst` and Mesa `nv40_vertprog.h` for the numbers, `NV_vertex_program2` and
//! `NV_vertex_program3` for the meaning.

use super::table::opcodes;

pub mod decode;
pub(crate) mod disassemble;
pub mod encode;
mod word;

pub use word::{VertexField, VertexWord};

opcodes! {
    /// Operations of the vector unit (field `OP_VEC`).
    VectorOpcode {
        /// Does nothing.
        Nop = 0x00 "NOP" [];
        /// Copies the first source.
        Mov = 0x01 "MOV" [S0];
        /// Multiplies per component.
        Mul = 0x02 "MUL" [S0, S1];
        /// Adds the first and the third source per component.
        Add = 0x03 "ADD" [S0, S2];
        /// Multiplies the first two sources and adds the third.
        Mad = 0x04 "MAD" [S0, S1, S2];
        /// Dot product of x, y, z, replicated.
        Dp3 = 0x05 "DP3" [S0, S1];
        /// Dot product of x, y, z plus the w of the second source, replicated.
        Dph = 0x06 "DPH" [S0, S1];
        /// Dot product of all four components, replicated.
        Dp4 = 0x07 "DP4" [S0, S1];
        /// Distance vector (1, y0·y1, z0, w1).
        Dst = 0x08 "DST" [S0, S1];
        /// Smaller of both per component.
        Min = 0x09 "MIN" [S0, S1];
        /// Larger of both per component.
        Max = 0x0a "MAX" [S0, S1];
        /// 1 where the first source is less, else 0.
        Slt = 0x0b "SLT" [S0, S1];
        /// 1 where the first source is greater or equal, else 0.
        Sge = 0x0c "SGE" [S0, S1];
        /// Loads an address register with the floor.
        Arl = 0x0d "ARL" [S0];
        /// Fraction above the floor.
        Frc = 0x0e "FRC" [S0];
        /// Largest integer not above.
        Flr = 0x0f "FLR" [S0];
        /// 1 where both are equal, else 0.
        Seq = 0x10 "SEQ" [S0, S1];
        /// Sets 0.
        Sfl = 0x11 "SFL" [];
        /// 1 where the first source is greater, else 0.
        Sgt = 0x12 "SGT" [S0, S1];
        /// 1 where the first source is less or equal, else 0.
        Sle = 0x13 "SLE" [S0, S1];
        /// 1 where they differ, else 0.
        Sne = 0x14 "SNE" [S0, S1];
        /// Sets 1.
        Str = 0x15 "STR" [];
        /// Sign: −1, 0 or +1.
        Ssg = 0x16 "SSG" [S0];
        /// Loads an address register, rounding to nearest even.
        Arr = 0x17 "ARR" [S0];
        /// Adds components of an address register: (x+z, y+w, x+z, y+w).
        Ara = 0x18 "ARA" [S0];
        /// Fetches a vertex texture at an explicit level of detail.
        Txl = 0x19 "TXL" [S0];
    }
}

opcodes! {
    /// Operations of the scalar unit (field `OP_SCA`); scalar sources are component x of the swizzled third source.
    ScalarOpcode {
        /// Does nothing.
        Nop = 0x00 "NOP" [];
        /// Copies the third source, all components.
        Mov = 0x01 "MOV" [S2];
        /// Reciprocal.
        Rcp = 0x02 "RCP" [S2];
        /// Reciprocal, its magnitude clamped to 2^±64.
        Rcc = 0x03 "RCC" [S2];
        /// Reciprocal square root.
        Rsq = 0x04 "RSQ" [S2];
        /// Base-2 exponential of 11 bits with its parts.
        Exp = 0x05 "EXP" [S2];
        /// Base-2 logarithm of 11 bits with its parts.
        Log = 0x06 "LOG" [S2];
        /// Lighting coefficients.
        Lit = 0x07 "LIT" [S2];
        /// Branches to the address in an address register.
        BraIndirect = 0x08 "BRA" [];
        /// Branches to an immediate target.
        Bra = 0x09 "BRI" [];
        /// Calls; seen with an immediate target.
        CalIndirect = 0x0a "CAL" [];
        /// Calls an immediate target.
        Cal = 0x0b "CLI" [];
        /// Returns from a call.
        Ret = 0x0c "RET" [];
        /// Base-2 logarithm of 22 bits.
        Lg2 = 0x0d "LG2" [S2];
        /// Base-2 exponential of 22 bits.
        Ex2 = 0x0e "EX2" [S2];
        /// Sine of an angle in radians.
        Sin = 0x0f "SIN" [S2];
        /// Cosine of an angle in radians.
        Cos = 0x10 "COS" [S2];
        /// Branches on a boolean constant.
        Brb = 0x11 "BRB" [];
        /// Calls on a boolean constant.
        Clb = 0x12 "CLB" [];
        /// Pushes an address register.
        PushA = 0x13 "PUSHA" [];
        /// Pops an address register.
        PopA = 0x14 "POPA" [];
    }
}

impl ScalarOpcode {
    /// Whether it is flow: a branch, call or return, or an operation of their stack.
    #[must_use]
    pub const fn is_flow(self) -> bool {
        matches!(
            self,
            Self::BraIndirect
                | Self::Bra
                | Self::CalIndirect
                | Self::Cal
                | Self::Ret
                | Self::Brb
                | Self::Clb
                | Self::PushA
                | Self::PopA
        )
    }
}
