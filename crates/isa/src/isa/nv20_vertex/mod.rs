//! The opcodes of the NV20 vertex processor (GeForce 3): a multiply–accumulate unit (MAC) and an inverse logic unit
//! (ILU) in each instruction.
//!
//! The ILU reads source C only, which the MAC may read too. Programs are straight lines through the 136 slots of the
//! store, and end at the first instruction with the bit `FINAL`.
//!
//! Operations that are shared with NV40 take [`VertexRuleSet::Nv40Legacy`], whose compares are NV20's.
//!
//! Source: envytools `docs/hw/graph/xf/isa.rst` and `nvhw/xf.c` for the numbers, `NV_vertex_program` and
//! `NV_vertex_program1_1` for the meaning.
//!
//! [`VertexRuleSet::Nv40Legacy`]: crate::arith::vertex::VertexRuleSet::Nv40Legacy

use super::table::opcodes_with_effects;
use crate::arith::vertex_functions as functions;
use crate::shader::vertex::OperationKind;
use OperationKind::{Arithmetic, Idle, LoadAddress, Move};

pub mod decode;
pub mod disassemble;
pub mod encode;
mod instruction;
mod lower;
mod word;

pub use crate::isa::vertex_word::VertexSourceKind;
pub use instruction::{Nv20Instruction, Nv20Microprogram, Nv20OutputRegister, Nv20OutputWrite, Nv20Source};
pub use word::Nv20Field;

/// Slots in the instruction store.
pub const INSTRUCTION_SLOTS: usize = 136;
/// The last constant of the store.
pub const LAST_CONSTANT: u8 = 191;
/// Temporaries that can be written, R0..R11.
pub const TEMPORARIES: u8 = 12;
/// The temporary that reads the position output.
pub const POSITION_TEMPORARY: u8 = 12;

opcodes_with_effects! {
    /// Operations of the multiply–accumulate unit (field `MAC`). Sources A, B, C are S0, S1, S2.
    MacOpcode -> OperationKind {
        /// Does nothing.
        Nop = 0x0 "NOP" [] => Idle;
        /// Copies A.
        Mov = 0x1 "MOV" [S0] => Move;
        /// Multiplies per component.
        Mul = 0x2 "MUL" [S0, S1] => Arithmetic(&functions::MUL_V2);
        /// Adds A and C per component.
        Add = 0x3 "ADD" [S0, S2] => Arithmetic(&functions::ADD_V2);
        /// Multiplies A and B and adds C.
        Mad = 0x4 "MAD" [S0, S1, S2] => Arithmetic(&functions::MAD_V2);
        /// Dot product of x, y, z, replicated.
        Dp3 = 0x5 "DP3" [S0, S1] => Arithmetic(&functions::DP3_V2);
        /// Dot product of x, y, z plus the w of B, replicated.
        Dph = 0x6 "DPH" [S0, S1] => Arithmetic(&functions::DPH_V2);
        /// Dot product of all four components, replicated.
        Dp4 = 0x7 "DP4" [S0, S1] => Arithmetic(&functions::DP4_V2);
        /// Distance vector (1, yA·yB, zA, wB).
        Dst = 0x8 "DST" [S0, S1] => Arithmetic(&functions::DST_V2);
        /// Smaller of both per component.
        Min = 0x9 "MIN" [S0, S1] => Arithmetic(&functions::MIN);
        /// Larger of both per component.
        Max = 0xa "MAX" [S0, S1] => Arithmetic(&functions::MAX);
        /// 1 where A is less, else 0.
        Slt = 0xb "SLT" [S0, S1] => Arithmetic(&functions::SLT);
        /// 1 where A is greater or equal, else 0.
        Sge = 0xc "SGE" [S0, S1] => Arithmetic(&functions::SGE);
        /// Loads the address register with the floor of component x.
        Arl = 0xd "ARL" [S0] => LoadAddress(&functions::ADDRESS_FLOOR_V2);
    }
}

opcodes_with_effects! {
    /// Operations of the inverse logic unit (field `ILU`), which read source C.
    IluOpcode -> OperationKind {
        /// Does nothing.
        Nop = 0x0 "NOP" [] => Idle;
        /// Copies C.
        Mov = 0x1 "MOV" [S2] => Move;
        /// Reciprocal.
        Rcp = 0x2 "RCP" [S2] => Arithmetic(&functions::RCP);
        /// Reciprocal, its magnitude clamped to 2^±64.
        Rcc = 0x3 "RCC" [S2] => Arithmetic(&functions::RCC);
        /// Reciprocal square root.
        Rsq = 0x4 "RSQ" [S2] => Arithmetic(&functions::RSQ_V2);
        /// Base-2 exponential of 11 bits with its parts.
        Exp = 0x5 "EXP" [S2] => Arithmetic(&functions::EXP_V2);
        /// Base-2 logarithm of 11 bits with its parts.
        Log = 0x6 "LOG" [S2] => Arithmetic(&functions::LOG_V2);
        /// Lighting coefficients.
        Lit = 0x7 "LIT" [S2] => Arithmetic(&functions::LIT);
    }
}

impl IluOpcode {
    /// Whether the operation only reads component x of its source.
    #[must_use]
    pub const fn reads_scalar(self) -> bool {
        matches!(self.effect(), Arithmetic(function) if function.is_scalar())
    }
}
