//! Lists the opcodes of both units, and what each does.

use crate::arith::ONE;
use crate::arith::vertex_functions::{self as functions, AddressFunction, VertexFunction};
use crate::isa::table::opcodes_with_effects;

/// The effect of an opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// Copies its source.
    Move,
    /// Writes these bits to every component.
    Constant(u32),
    /// Computes a function.
    Arithmetic(&'static VertexFunction),
    /// Converts to an address register.
    LoadAddress(&'static AddressFunction),
    /// Adds components of an address register.
    AddAddress,
    /// Fetches a texel.
    FetchTexture,
    /// Changes the order of execution, or uses the stack.
    Flow(FlowKind),
}

/// A kind of flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowKind {
    /// A branch to a target on a condition.
    Branch,
    /// A branch to a target on a boolean constant.
    BranchOnBoolean,
    /// A branch to the slot in an address register on a condition.
    BranchToAddress,
    /// A call of a target on a condition.
    Call,
    /// A call of a target on a boolean constant.
    CallOnBoolean,
    /// A return from a call on a condition.
    Return,
    /// A push of an address register.
    PushAddress,
    /// A pop of an address register.
    PopAddress,
}

opcodes_with_effects! {
    /// Operations of the vector unit (field `OP_VEC`).
    VectorOpcode -> Effect {
        /// Does nothing.
        Nop = 0x00 "NOP" [] => Effect::None;
        /// Copies the first source.
        Mov = 0x01 "MOV" [S0] => Effect::Move;
        /// Multiplies per component.
        Mul = 0x02 "MUL" [S0, S1] => Effect::Arithmetic(&functions::MUL);
        /// Adds the first and the third source per component.
        Add = 0x03 "ADD" [S0, S2] => Effect::Arithmetic(&functions::ADD);
        /// Multiplies the first two sources and adds the third.
        Mad = 0x04 "MAD" [S0, S1, S2] => Effect::Arithmetic(&functions::MAD);
        /// Dot product of x, y, z, replicated.
        Dp3 = 0x05 "DP3" [S0, S1] => Effect::Arithmetic(&functions::DP3);
        /// Dot product of x, y, z plus the w of the second source, replicated.
        Dph = 0x06 "DPH" [S0, S1] => Effect::Arithmetic(&functions::DPH);
        /// Dot product of all four components, replicated.
        Dp4 = 0x07 "DP4" [S0, S1] => Effect::Arithmetic(&functions::DP4);
        /// Distance vector (1, y0·y1, z0, w1).
        Dst = 0x08 "DST" [S0, S1] => Effect::Arithmetic(&functions::DST);
        /// Smaller of both per component.
        Min = 0x09 "MIN" [S0, S1] => Effect::Arithmetic(&functions::MIN);
        /// Larger of both per component.
        Max = 0x0a "MAX" [S0, S1] => Effect::Arithmetic(&functions::MAX);
        /// 1 where the first source is less, else 0.
        Slt = 0x0b "SLT" [S0, S1] => Effect::Arithmetic(&functions::SLT);
        /// 1 where the first source is greater or equal, else 0.
        Sge = 0x0c "SGE" [S0, S1] => Effect::Arithmetic(&functions::SGE);
        /// Loads an address register with the floor.
        Arl = 0x0d "ARL" [S0] => Effect::LoadAddress(&functions::ADDRESS_FLOOR);
        /// Fraction above the floor.
        Frc = 0x0e "FRC" [S0] => Effect::Arithmetic(&functions::FRC);
        /// Largest integer not above.
        Flr = 0x0f "FLR" [S0] => Effect::Arithmetic(&functions::FLR);
        /// 1 where both are equal, else 0.
        Seq = 0x10 "SEQ" [S0, S1] => Effect::Arithmetic(&functions::SEQ);
        /// Sets 0.
        Sfl = 0x11 "SFL" [] => Effect::Constant(0);
        /// 1 where the first source is greater, else 0.
        Sgt = 0x12 "SGT" [S0, S1] => Effect::Arithmetic(&functions::SGT);
        /// 1 where the first source is less or equal, else 0.
        Sle = 0x13 "SLE" [S0, S1] => Effect::Arithmetic(&functions::SLE);
        /// 1 where they differ, else 0.
        Sne = 0x14 "SNE" [S0, S1] => Effect::Arithmetic(&functions::SNE);
        /// Sets 1.
        Str = 0x15 "STR" [] => Effect::Constant(ONE);
        /// Sign: −1, 0 or +1.
        Ssg = 0x16 "SSG" [S0] => Effect::Arithmetic(&functions::SSG);
        /// Loads an address register, rounding to nearest even.
        Arr = 0x17 "ARR" [S0] => Effect::LoadAddress(&functions::ADDRESS_NEAREST);
        /// Adds components of an address register: (x+z, y+w, x+z, y+w).
        Ara = 0x18 "ARA" [S0] => Effect::AddAddress;
        /// Fetches a vertex texture at an explicit level of detail.
        Txl = 0x19 "TXL" [S0] => Effect::FetchTexture;
    }
}

opcodes_with_effects! {
    /// Operations of the scalar unit (field `OP_SCA`); scalar sources are component x of the swizzled third source.
    ScalarOpcode -> Effect {
        /// Does nothing.
        Nop = 0x00 "NOP" [] => Effect::None;
        /// Copies the third source, all components.
        Mov = 0x01 "MOV" [S2] => Effect::Move;
        /// Reciprocal.
        Rcp = 0x02 "RCP" [S2] => Effect::Arithmetic(&functions::RCP);
        /// Reciprocal, its magnitude clamped to 2^±64.
        Rcc = 0x03 "RCC" [S2] => Effect::Arithmetic(&functions::RCC);
        /// Reciprocal square root.
        Rsq = 0x04 "RSQ" [S2] => Effect::Arithmetic(&functions::RSQ);
        /// Base-2 exponential of 11 bits with its parts.
        Exp = 0x05 "EXP" [S2] => Effect::Arithmetic(&functions::EXP);
        /// Base-2 logarithm of 11 bits with its parts.
        Log = 0x06 "LOG" [S2] => Effect::Arithmetic(&functions::LOG);
        /// Lighting coefficients.
        Lit = 0x07 "LIT" [S2] => Effect::Arithmetic(&functions::LIT);
        /// Branches to the address in an address register.
        BraIndirect = 0x08 "BRA" [] => Effect::Flow(FlowKind::BranchToAddress);
        /// Branches to an immediate target.
        Bra = 0x09 "BRI" [] => Effect::Flow(FlowKind::Branch);
        /// Calls; seen with an immediate target.
        CalIndirect = 0x0a "CAL" [] => Effect::Flow(FlowKind::Call);
        /// Calls an immediate target.
        Cal = 0x0b "CLI" [] => Effect::Flow(FlowKind::Call);
        /// Returns from a call.
        Ret = 0x0c "RET" [] => Effect::Flow(FlowKind::Return);
        /// Base-2 logarithm of 22 bits.
        Lg2 = 0x0d "LG2" [S2] => Effect::Arithmetic(&functions::LG2);
        /// Base-2 exponential of 22 bits.
        Ex2 = 0x0e "EX2" [S2] => Effect::Arithmetic(&functions::EX2);
        /// Sine of an angle in radians.
        Sin = 0x0f "SIN" [S2] => Effect::Arithmetic(&functions::SIN);
        /// Cosine of an angle in radians.
        Cos = 0x10 "COS" [S2] => Effect::Arithmetic(&functions::COS);
        /// Branches on a boolean constant.
        Brb = 0x11 "BRB" [] => Effect::Flow(FlowKind::BranchOnBoolean);
        /// Calls on a boolean constant.
        Clb = 0x12 "CLB" [] => Effect::Flow(FlowKind::CallOnBoolean);
        /// Pushes an address register.
        PushA = 0x13 "PUSHA" [] => Effect::Flow(FlowKind::PushAddress);
        /// Pops an address register.
        PopA = 0x14 "POPA" [] => Effect::Flow(FlowKind::PopAddress);
    }
}

impl ScalarOpcode {
    /// Whether the operation only reads component x of its source.
    #[must_use]
    pub const fn reads_scalar(self) -> bool {
        matches!(self.effect(), Effect::Arithmetic(function) if function.is_scalar())
    }
}
