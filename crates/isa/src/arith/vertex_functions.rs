//! The functions of vertex processors as rows: the Rust function, its WGSL twin, and facts about its results.
//!
//! The reference evaluates a row and the recompiler emits a call of it; neither depends on the opcode that names
//! the row. Every row has all columns, so a missing one does not compile; a test calls each row in WGSL.

use std::fmt::{self, Debug, Formatter};

use super::vertex::{self, VertexRuleSet};
use super::vertex_v2;
use Call::{Free, Ruled};
use VertexShape::{Component, ComponentPair, ComponentTriple, DotProduct, Scalar, ScalarToVector, Vector, VectorPair};

/// Lets rows be equal where their names are, which are unique.
macro_rules! equal_by_name {
    ($row:ty) => {
        impl PartialEq for $row {
            fn eq(&self, other: &Self) -> bool {
                self.name == other.name
            }
        }

        impl Eq for $row {}

        impl std::hash::Hash for $row {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.name.hash(state);
            }
        }
    };
}

pub(crate) use equal_by_name;

/// The bits of four components.
type Bits4 = [u32; 4];

/// A Rust function that ignores the rule set, or takes it as its first parameter.
#[derive(Debug, Clone, Copy)]
pub enum Call<F, R> {
    /// Computes the same under all rule sets.
    Free(F),
    /// Depends on the rule set; its WGSL twin takes it as the last argument.
    Ruled(R),
}

/// The operands and results of a function, with the Rust function of that signature.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::type_complexity, reason = "each variant spells out the signature that it stands for")]
pub enum VertexShape {
    /// Each component of one source separately.
    Component(Call<fn(u32) -> u32, fn(VertexRuleSet, u32) -> u32>),
    /// Each component of two sources separately.
    ComponentPair(Call<fn(u32, u32) -> u32, fn(VertexRuleSet, u32, u32) -> u32>),
    /// Each component of three sources separately.
    ComponentTriple(Call<fn(u32, u32, u32) -> u32, fn(VertexRuleSet, u32, u32, u32) -> u32>),
    /// Two vectors into one replicated value.
    DotProduct {
        /// Bit i of entry n: component i of source n is multiplied.
        reads: [u8; 2],
        /// The function.
        call: Call<fn(Bits4, Bits4) -> u32, fn(VertexRuleSet, Bits4, Bits4) -> u32>,
    },
    /// A vector into a vector.
    Vector(Call<fn(Bits4) -> Bits4, fn(VertexRuleSet, Bits4) -> Bits4>),
    /// Two vectors into a vector.
    VectorPair(Call<fn(Bits4, Bits4) -> Bits4, fn(VertexRuleSet, Bits4, Bits4) -> Bits4>),
    /// Component x of one source into one replicated value.
    Scalar(Call<fn(u32) -> u32, fn(VertexRuleSet, u32) -> u32>),
    /// Component x of one source into a vector.
    ScalarToVector(Call<fn(u32) -> Bits4, fn(VertexRuleSet, u32) -> Bits4>),
}

/// What is known about the range of a function's results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultRange {
    /// One of the operands, as for MIN.
    Operand,
    /// Never denormal; often infinite or tiny if an operand is.
    Product,
    /// Never denormal.
    Normal,
    /// Never denormal, often infinite or tiny: powers, and logarithms of zeros.
    Extreme,
    /// Any value.
    Any,
}

/// What a normal-range function multiplies and adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NormalRangeForm {
    /// A product: exact if both factors are in the normal range.
    Product,
    /// A sum of products: exact if no factor is denormal and the largest term is in range.
    SumOfProducts,
    /// A sum: exact if the largest term is in range.
    Sum,
}

/// The function of `wgsl/software/vertex_normal_range.wgsl` that computes the same at lower cost if its checks hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NormalRangeTwin {
    /// Its name in WGSL.
    pub name: &'static str,
    /// The required checks.
    pub form: NormalRangeForm,
}

/// A function of a vertex processor.
#[derive(Clone, Copy)]
pub struct VertexFunction {
    /// Its unique name in WGSL.
    pub name: &'static str,
    /// The WGSL module that declares it.
    pub module: &'static str,
    /// Its signature and its Rust function.
    pub shape: VertexShape,
    /// What is known about its results.
    pub range: ResultRange,
    /// Its cheaper normal-range function.
    pub normal_range: Option<NormalRangeTwin>,
}

impl VertexFunction {
    /// How many sources it reads.
    #[must_use]
    pub const fn source_count(&self) -> usize {
        match self.shape {
            Component(_) | Vector(_) | Scalar(_) | ScalarToVector(_) => 1,
            ComponentPair(_) | DotProduct { .. } | VectorPair(_) => 2,
            ComponentTriple(_) => 3,
        }
    }

    /// Whether it only reads component x.
    #[must_use]
    pub const fn is_scalar(&self) -> bool {
        matches!(self.shape, Scalar(_) | ScalarToVector(_))
    }

    /// Whether its result is one value for all components.
    #[must_use]
    pub const fn is_replicated(&self) -> bool {
        matches!(self.shape, DotProduct { .. } | Scalar(_))
    }

    /// Whether it depends on the rule set.
    #[must_use]
    pub const fn takes_rules(&self) -> bool {
        match self.shape {
            Component(call) | Scalar(call) => matches!(call, Ruled(_)),
            ComponentPair(call) => matches!(call, Ruled(_)),
            ComponentTriple(call) => matches!(call, Ruled(_)),
            DotProduct { call, .. } => matches!(call, Ruled(_)),
            Vector(call) => matches!(call, Ruled(_)),
            VectorPair(call) => matches!(call, Ruled(_)),
            ScalarToVector(call) => matches!(call, Ruled(_)),
        }
    }

    /// Bit i: component i of source `source` is read when the components of `mask` are written.
    #[must_use]
    pub const fn components_read(&self, source: usize, mask: u8) -> u8 {
        match self.shape {
            Component(_) | ComponentPair(_) | ComponentTriple(_) => mask & 15,
            DotProduct { reads, .. } => reads[source & 1],
            Vector(_) | VectorPair(_) => 15,
            Scalar(_) | ScalarToVector(_) => 1,
        }
    }

    /// Computes the four components of the result; sources beyond [`Self::source_count`] are ignored.
    #[must_use]
    pub fn evaluate(&self, rules: VertexRuleSet, sources: &[Bits4; 3]) -> Bits4 {
        let [a, b, c] = *sources;
        macro_rules! call {
            ($call:expr, $($argument:expr),+) => {
                match $call {
                    Free(function) => function($($argument),+),
                    Ruled(function) => function(rules, $($argument),+),
                }
            };
        }
        match self.shape {
            Component(function) => std::array::from_fn(|i| call!(function, a[i])),
            ComponentPair(function) => std::array::from_fn(|i| call!(function, a[i], b[i])),
            ComponentTriple(function) => std::array::from_fn(|i| call!(function, a[i], b[i], c[i])),
            DotProduct { call, .. } => [call!(call, a, b); 4],
            Vector(function) => call!(function, a),
            VectorPair(function) => call!(function, a, b),
            Scalar(function) => [call!(function, a[0]); 4],
            ScalarToVector(function) => call!(function, a[0]),
        }
    }
}

impl Debug for VertexFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

equal_by_name!(VertexFunction);

/// A conversion of each component to an address register's integer.
#[derive(Clone, Copy)]
pub struct AddressFunction {
    /// Its unique name in WGSL.
    pub name: &'static str,
    /// The WGSL module that declares it.
    pub module: &'static str,
    /// The Rust function of one component.
    pub evaluate: fn(u32) -> i32,
}

impl Debug for AddressFunction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

equal_by_name!(AddressFunction);

const VERTEX: &str = "arith::vertex";
const APPROXIMATE: &str = "arith::vertex_approximate";
const VERTEX_V2: &str = "arith::vertex_v2";

const fn function(
    name: &'static str,
    module: &'static str,
    shape: VertexShape,
    range: ResultRange,
    normal_range: Option<NormalRangeTwin>,
) -> VertexFunction {
    VertexFunction { name, module, shape, range, normal_range }
}

const fn twin(name: &'static str, form: NormalRangeForm) -> Option<NormalRangeTwin> {
    Some(NormalRangeTwin { name, form })
}

macro_rules! rows {
    ($(#[$meta:meta])* $list:ident: $type:ty { $( #[doc = $doc:literal] $name:ident = $row:expr; )* }) => {
        $( #[doc = $doc] pub static $name: $type = $row; )*
        $(#[$meta])*
        pub static $list: &[&$type] = &[$( &$name, )*];
    };
}

// Below the macro, which it uses. Its rows are lists of their own, because no opcode of NV40 names them.
pub mod pica;

use NormalRangeForm as Form;
use ResultRange as Range;

rows! {
    /// Every function.
    FUNCTIONS: VertexFunction {
        /// Multiplies per component.
        MUL = function("xf_mul", VERTEX, ComponentPair(Ruled(vertex::mul)), Range::Product,
            twin("normal_range_mul", Form::Product));
        /// Adds per component.
        ADD = function("xf_add", VERTEX, ComponentPair(Free(vertex::add)), Range::Normal,
            twin("normal_range_add", Form::Sum));
        /// Multiplies two sources and adds the third.
        MAD = function("xf_mad", VERTEX, ComponentTriple(Ruled(vertex::mad)), Range::Normal,
            twin("normal_range_mad", Form::SumOfProducts));
        /// Dot product of x, y, z.
        DP3 = function("xf_dp3", VERTEX, DotProduct { reads: [7, 7], call: Ruled(vertex::dp3) }, Range::Normal,
            twin("normal_range_dp3", Form::SumOfProducts));
        /// Dot product of x, y, z plus the w of the second source.
        DPH = function("xf_dph", VERTEX, DotProduct { reads: [7, 15], call: Ruled(vertex::dph) }, Range::Normal,
            twin("normal_range_dph", Form::SumOfProducts));
        /// Dot product of all four components.
        DP4 = function("xf_dp4", VERTEX, DotProduct { reads: [15, 15], call: Ruled(vertex::dp4) }, Range::Normal,
            twin("normal_range_dp4", Form::SumOfProducts));
        /// Distance vector; two of its components are copies.
        DST = function("xf_dst", VERTEX, VectorPair(Ruled(vertex::dst)), Range::Any, None);
        /// The lesser of two.
        MIN = function("xf_min", VERTEX, ComponentPair(Ruled(vertex::min)), Range::Operand, None);
        /// The greater of two.
        MAX = function("xf_max", VERTEX, ComponentPair(Ruled(vertex::max)), Range::Operand, None);
        /// 1 where less.
        SLT = function("xf_slt", VERTEX, ComponentPair(Ruled(vertex::slt)), Range::Normal, None);
        /// 1 where greater or equal.
        SGE = function("xf_sge", VERTEX, ComponentPair(Ruled(vertex::sge)), Range::Normal, None);
        /// 1 where equal.
        SEQ = function("xf_seq", VERTEX, ComponentPair(Ruled(vertex::seq)), Range::Normal, None);
        /// 1 where greater.
        SGT = function("xf_sgt", VERTEX, ComponentPair(Ruled(vertex::sgt)), Range::Normal, None);
        /// 1 where less or equal.
        SLE = function("xf_sle", VERTEX, ComponentPair(Ruled(vertex::sle)), Range::Normal, None);
        /// 1 where different.
        SNE = function("xf_sne", VERTEX, ComponentPair(Ruled(vertex::sne)), Range::Normal, None);
        /// The sign.
        SSG = function("xf_ssg", VERTEX, Component(Ruled(vertex::ssg)), Range::Normal, None);
        /// The fraction above the floor.
        FRC = function("xf_frc", VERTEX, Component(Free(vertex::frc)), Range::Normal, None);
        /// The floor.
        FLR = function("xf_flr", VERTEX, Component(Free(vertex::flr)), Range::Normal, None);
        /// Reciprocal.
        RCP = function("xf_rcp", VERTEX, Scalar(Free(vertex::rcp)), Range::Normal, None);
        /// Reciprocal, its magnitude clamped.
        RCC = function("xf_rcc", VERTEX, Scalar(Free(vertex::rcc)), Range::Normal, None);
        /// Reciprocal square root.
        RSQ = function("xf_rsq", VERTEX, Scalar(Ruled(vertex::rsq)), Range::Normal, None);
        /// Base-2 logarithm.
        LG2 = function("xf_lg2", VERTEX, Scalar(Free(vertex::lg2)), Range::Extreme, None);
        /// Base-2 exponential.
        EX2 = function("xf_ex2", VERTEX, Scalar(Free(vertex::ex2)), Range::Extreme, None);
        /// Sine.
        SIN = function("xf_sin", VERTEX, Scalar(Free(vertex::sin)), Range::Normal, None);
        /// Cosine.
        COS = function("xf_cos", VERTEX, Scalar(Free(vertex::cos)), Range::Normal, None);
        /// Approximate base-2 exponential with its parts.
        EXP = function("xf_exp", APPROXIMATE, ScalarToVector(Free(vertex::exp)), Range::Any, None);
        /// Approximate base-2 logarithm with its parts.
        LOG = function("xf_log", APPROXIMATE, ScalarToVector(Ruled(vertex::log)), Range::Any, None);
        /// Lighting coefficients.
        LIT = function("xf_lit", APPROXIMATE, Vector(Free(vertex::lit)), Range::Any, None);
        /// Multiplies per component on NV20.
        MUL_V2 = function("xf2_mul", VERTEX_V2, ComponentPair(Free(vertex_v2::mul)), Range::Product,
            twin("normal_range_mul", Form::Product));
        /// Adds per component on NV20.
        ADD_V2 = function("xf2_add", VERTEX_V2, ComponentPair(Free(vertex_v2::add)), Range::Normal,
            twin("normal_range_add", Form::Sum));
        /// Multiplies two sources and adds the third on NV20.
        MAD_V2 = function("xf2_mad", VERTEX_V2, ComponentTriple(Free(vertex_v2::mad)), Range::Normal,
            twin("normal_range_mad", Form::SumOfProducts));
        /// Dot product of x, y, z on NV20.
        DP3_V2 = function("xf2_dp3", VERTEX_V2, DotProduct { reads: [7, 7], call: Free(vertex_v2::dp3) },
            Range::Normal, twin("normal_range_dp3_v2", Form::SumOfProducts));
        /// Dot product of x, y, z plus the w of the second source on NV20.
        DPH_V2 = function("xf2_dph", VERTEX_V2, DotProduct { reads: [7, 15], call: Free(vertex_v2::dph) },
            Range::Normal, twin("normal_range_dph_v2", Form::SumOfProducts));
        /// Dot product of all four components on NV20.
        DP4_V2 = function("xf2_dp4", VERTEX_V2, DotProduct { reads: [15, 15], call: Free(vertex_v2::dp4) },
            Range::Normal, twin("normal_range_dp4_v2", Form::SumOfProducts));
        /// Distance vector on NV20; two of its components are copies.
        DST_V2 = function("xf2_dst", VERTEX_V2, VectorPair(Free(vertex_v2::dst)), Range::Any, None);
        /// Reciprocal square root on NV20.
        RSQ_V2 = function("xf2_rsq", VERTEX_V2, Scalar(Free(vertex_v2::rsq)), Range::Normal, None);
        /// Approximate base-2 exponential with its parts on NV20.
        EXP_V2 = function("xf2_exp", VERTEX_V2, ScalarToVector(Free(vertex_v2::exp)), Range::Any, None);
        /// Approximate base-2 logarithm with its parts on NV20.
        LOG_V2 = function("xf2_log", VERTEX_V2, ScalarToVector(Free(vertex_v2::log)), Range::Any, None);
    }
}

rows! {
    /// Every conversion to an address.
    ADDRESS_FUNCTIONS: AddressFunction {
        /// The floor, clamped.
        ADDRESS_FLOOR = AddressFunction { name: "xf_arl", module: VERTEX, evaluate: vertex::arl };
        /// The nearest integer, clamped.
        ADDRESS_NEAREST = AddressFunction { name: "xf_arr", module: VERTEX, evaluate: vertex::arr };
        /// The floor on NV20.
        ADDRESS_FLOOR_V2 = AddressFunction { name: "xf2_arl", module: VERTEX_V2, evaluate: vertex_v2::arl };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::{INFINITY, NAN, ONE};

    const TWO: u32 = 0x4000_0000;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = FUNCTIONS.iter().chain(pica::FUNCTIONS).map(|row| row.name).collect();
        names.extend(ADDRESS_FUNCTIONS.iter().chain(pica::ADDRESS_FUNCTIONS).map(|row| row.name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "rows are equal where their names are");
    }

    #[test]
    fn shapes_decide_which_components_are_taken() {
        let sources = [[ONE, TWO, 0, 0], [TWO, TWO, 0, 0], [ONE; 4]];
        let evaluate = |row: &VertexFunction| row.evaluate(VertexRuleSet::Nv40Modern, &sources);
        assert_eq!(evaluate(&MAD)[..2], [0x4040_0000, 0x40a0_0000]);
        assert_eq!(evaluate(&DP3), [0x40c0_0000; 4]);
        assert_eq!(evaluate(&RCP), [ONE; 4]);
        assert_eq!(evaluate(&DST), [ONE, 0x4080_0000, 0, 0]);
    }

    #[test]
    fn rules_reach_the_function() {
        let sources = [[0; 4], [INFINITY; 4], [0; 4]];
        assert_eq!(MUL.evaluate(VertexRuleSet::Nv40Legacy, &sources), [0; 4]);
        assert_eq!(MUL.evaluate(VertexRuleSet::Nv40Modern, &sources), [NAN; 4]);
        assert!(MUL.takes_rules() && !ADD.takes_rules());
    }
}
