//! The functions of the PICA200's vertex processors as rows.
//!
//! None depends on a rule set. SLT, SGE and the six relations of CMP share rows; LITP's flags are [`SGE`] with zero.

use super::Call::Free;
use super::VertexShape::{Component, ComponentPair, ComponentTriple, DotProduct, Scalar, Vector, VectorPair};
use super::{AddressFunction, Range, VertexFunction, function};
use crate::arith::pica;

const PICA: &str = "arith::pica";

rows! {
    /// Every function.
    FUNCTIONS: VertexFunction {
        /// Adds per component.
        ADD = function("pica_add", PICA, ComponentPair(Free(pica::add)), Range::Normal, None);
        /// Multiplies per component.
        MUL = function("pica_mul", PICA, ComponentPair(Free(pica::mul)), Range::Product, None);
        /// Multiplies two sources and adds the third.
        MAD = function("pica_mad", PICA, ComponentTriple(Free(pica::mad)), Range::Normal, None);
        /// Dot product of x, y, z.
        DP3 = function("pica_dp3", PICA, DotProduct { reads: [7, 7], call: Free(pica::dp3) }, Range::Normal, None);
        /// Dot product of all four components.
        DP4 = function("pica_dp4", PICA, DotProduct { reads: [15, 15], call: Free(pica::dp4) }, Range::Normal, None);
        /// Dot product of x, y, z plus the w of the second source.
        DPH = function("pica_dph", PICA, DotProduct { reads: [7, 15], call: Free(pica::dph) }, Range::Normal, None);
        /// Distance vector; two of its components are copies.
        DST = function("pica_dst", PICA, VectorPair(Free(pica::dst)), Range::Any, None);
        /// Vector of lighting coefficients.
        LITP = function("pica_litp", PICA, Vector(Free(pica::litp)), Range::Operand, None);
        /// The greater of two.
        MAX = function("pica_max", PICA, ComponentPair(Free(pica::max)), Range::Operand, None);
        /// The lesser of two.
        MIN = function("pica_min", PICA, ComponentPair(Free(pica::min)), Range::Operand, None);
        /// 1 where equal.
        SEQ = function("pica_seq", PICA, ComponentPair(Free(pica::seq)), Range::Normal, None);
        /// 1 where different.
        SNE = function("pica_sne", PICA, ComponentPair(Free(pica::sne)), Range::Normal, None);
        /// 1 where less.
        SLT = function("pica_slt", PICA, ComponentPair(Free(pica::slt)), Range::Normal, None);
        /// 1 where less or equal.
        SLE = function("pica_sle", PICA, ComponentPair(Free(pica::sle)), Range::Normal, None);
        /// 1 where greater.
        SGT = function("pica_sgt", PICA, ComponentPair(Free(pica::sgt)), Range::Normal, None);
        /// 1 where greater or equal.
        SGE = function("pica_sge", PICA, ComponentPair(Free(pica::sge)), Range::Normal, None);
        /// The floor.
        FLR = function("pica_flr", PICA, Component(Free(pica::flr)), Range::Normal, None);
        /// Reciprocal.
        RCP = function("pica_rcp", PICA, Scalar(Free(pica::rcp)), Range::Normal, None);
        /// Reciprocal square root.
        RSQ = function("pica_rsq", PICA, Scalar(Free(pica::rsq)), Range::Normal, None);
        /// Base-2 exponential.
        EX2 = function("pica_ex2", PICA, Scalar(Free(pica::ex2)), Range::Extreme, None);
        /// Base-2 logarithm.
        LG2 = function("pica_lg2", PICA, Scalar(Free(pica::lg2)), Range::Extreme, None);
    }
}

rows! {
    /// Every conversion to an address.
    ADDRESS_FUNCTIONS: AddressFunction {
        /// The integer part.
        ADDRESS_TRUNCATED = AddressFunction { name: "pica_address", module: PICA, evaluate: pica::address };
    }
}
