//! The WGSL functions that fragment kernels call: where each is declared, and its replacement on the fast path.
//!
//! Variants of an operation differ in their operands and results:
//!
//! | Variant | Operands | Results | Used |
//! |---|---|---|---|
//! | `fp_mul` | any bits | the chip's result: no denormals, one NaN | outside of programs, and for operands of any bits |
//! | `fp_mul_ftz` | no denormals, any NaN | no denormals, any NaN | exact path, if the analysis proves such operands |
//! | `fp_mul_checked` | multiples of 2⁻¹²⁶, infinities, NaN | the same; checks for products below 2⁻¹⁰³ | fast path |
//! | `fp_mul_checked_narrow` | the same | the same; checks for products below 2⁻⁴⁰ | fast path, for factors of products |
//! | `fp_mul_unchecked` | the same | the same; no check | fast path, if the analysis proves that no product underflows |
//!
//! If a check fails, the fast path's results are dropped and the exact path recomputes them.

/// A function of a WGSL module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WgslFunction {
    /// The module that declares it.
    pub module: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// The functions of both paths for one operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelFunction {
    /// The function of the exact path.
    pub exact: WgslFunction,
    /// The function of the fast path.
    pub fast: WgslFunction,
}

const SCALAR: &str = "arith::fragment";
const VECTOR: &str = "arith::fragment_vector";
const CONVERT: &str = "arith::convert";
const PACK: &str = "arith::pack";
const FAST: &str = "software::fragment_fast";

/// A function that both paths call.
const fn shared(module: &'static str, name: &'static str) -> KernelFunction {
    let function = WgslFunction { module, name };
    KernelFunction { exact: function, fast: function }
}

/// A function of the exact path and its replacement on the fast path.
const fn pair(module: &'static str, exact: &'static str, fast: &'static str) -> KernelFunction {
    KernelFunction { exact: WgslFunction { module, name: exact }, fast: WgslFunction { module: FAST, name: fast } }
}

macro_rules! kernel_functions {
    ($( #[doc = $doc:literal] $name:ident = $function:expr; )*) => {
        $( #[doc = $doc] pub static $name: KernelFunction = $function; )*

        /// All functions.
        pub static ALL: &[&KernelFunction] = &[$( &$name ),*];
    };
}

kernel_functions! {
    /// Adds any bits.
    ADD = shared(SCALAR, "fp_add");
    /// Subtracts any bits.
    SUB = shared(SCALAR, "fp_sub");
    /// Multiplies any bits.
    MUL = shared(SCALAR, "fp_mul");
    /// Flushes denormals; the fast path checks external values.
    FLUSH = pair(SCALAR, "fp_flush", "fp_checked");
    /// Gives every NaN the bits of the result NaN.
    CANONICAL = shared(SCALAR, "fp_canonical");
    /// Adds flushed values.
    ADD_FTZ = pair(SCALAR, "fp_add_ftz", "fp_add_unchecked");
    /// Subtracts flushed values.
    SUB_FTZ = pair(SCALAR, "fp_sub_ftz", "fp_sub_unchecked");
    /// Multiplies flushed values; the fast path checks for products below 2⁻¹⁰³.
    MUL_FTZ = pair(SCALAR, "fp_mul_ftz", "fp_mul_checked");
    /// Multiplies on the fast path; checks for products below 2⁻⁴⁰.
    MUL_CHECKED_NARROW = shared(FAST, "fp_mul_checked_narrow");
    /// Multiplies on the fast path without a check.
    MUL_UNCHECKED = shared(FAST, "fp_mul_unchecked");
    /// Hides a value from the compiler.
    OPAQUE_BITS = shared(FAST, "opaque_bits");
    /// Multiplies and adds flushed values.
    MAD_FTZ = shared(SCALAR, "fp_mad_ftz");
    /// The lesser of flushed values.
    MIN_FTZ = shared(SCALAR, "fp_min_ftz");
    /// The greater of flushed values.
    MAX_FTZ = shared(SCALAR, "fp_max_ftz");
    /// Less than.
    SLT_FTZ = shared(SCALAR, "fp_slt_ftz");
    /// Greater than or equal.
    SGE_FTZ = shared(SCALAR, "fp_sge_ftz");
    /// Less than or equal.
    SLE_FTZ = shared(SCALAR, "fp_sle_ftz");
    /// Greater than.
    SGT_FTZ = shared(SCALAR, "fp_sgt_ftz");
    /// Not equal.
    SNE_FTZ = shared(SCALAR, "fp_sne_ftz");
    /// Equal.
    SEQ_FTZ = shared(SCALAR, "fp_seq_ftz");
    /// The floor of flushed values.
    FLR_FTZ = pair(SCALAR, "fp_flr_ftz", "fp_flr_unchecked");
    /// The fraction of flushed values.
    FRC_FTZ = pair(SCALAR, "fp_frc_ftz", "fp_frc_unchecked");
    /// Interpolates flushed values.
    LRP_FTZ = shared(VECTOR, "fp_lrp_ftz");
    /// Dot product of two components.
    DP2_FTZ = shared(VECTOR, "fp_dp2_ftz");
    /// Dot product of two components plus an addend.
    DP2A_FTZ = shared(VECTOR, "fp_dp2a_ftz");
    /// Dot product of three components.
    DP3_FTZ = shared(VECTOR, "fp_dp3_ftz");
    /// Dot product of four components.
    DP4_FTZ = shared(VECTOR, "fp_dp4_ftz");
    /// Reciprocal.
    RCP = shared(SCALAR, "fp_rcp");
    /// Reciprocal square root.
    RSQ = shared(SCALAR, "fp_rsq");
    /// Base-2 exponential.
    EX2 = shared(SCALAR, "fp_ex2");
    /// Base-2 logarithm.
    LG2 = shared(SCALAR, "fp_lg2");
    /// Cosine.
    COS = shared(SCALAR, "fp_cos");
    /// Sine.
    SIN = shared(SCALAR, "fp_sin");
    /// Power.
    POW = shared(SCALAR, "fp_pow");
    /// Quotient.
    DIV = shared(SCALAR, "fp_div");
    /// Quotient by a square root.
    DIV_SQRT = shared(SCALAR, "fp_div_sqrt");
    /// Lighting coefficients.
    LIT = shared(VECTOR, "fp_lit");
    /// Lighting coefficients from an exponent.
    LIT_EX2 = shared(VECTOR, "fp_lit_ex2");
    /// Normalization.
    NRM = shared(VECTOR, "fp_nrm");
    /// Reflection.
    RFL = shared(VECTOR, "fp_rfl");
    /// Packs two halves.
    PK2H = shared(PACK, "fp_pk2h");
    /// Packs two unsigned 16-bit values.
    PK2US = shared(PACK, "fp_pk2us");
    /// Packs four signed bytes.
    PK4B = shared(PACK, "fp_pk4b");
    /// Packs four unsigned bytes.
    PK4UB = shared(PACK, "fp_pk4ub");
    /// Packs four unsigned bytes with gamma.
    PK4UBG = shared(PACK, "fp_pk4ubg");
    /// Unpacks two halves.
    UP2H = shared(PACK, "fp_up2h");
    /// Unpacks two unsigned 16-bit values.
    UP2US = shared(PACK, "fp_up2us");
    /// Unpacks four signed bytes.
    UP4B = shared(PACK, "fp_up4b");
    /// Unpacks four unsigned bytes.
    UP4UB = shared(PACK, "fp_up4ub");
    /// Unpacks four unsigned bytes with gamma.
    UP4UBG = shared(PACK, "fp_up4ubg");
    /// Multiplies by a power of two.
    SCALE = shared(SCALAR, "fp_scale");
    /// Clamps to 0..1.
    SATURATE = shared(SCALAR, "fp_saturate");
    /// Rounds to half.
    ROUND_TO_HALF = shared(CONVERT, "fp_round_to_half");
    /// Rounds a value of 0..1 to half.
    ROUND_UNIT_TO_HALF = shared(CONVERT, "fp_round_unit_to_half");
    /// Rounds to twelve bits of fixed point.
    ROUND_TO_FX12 = shared(CONVERT, "fp_round_to_fx12");
    /// Rounds to nine bits of fixed point.
    ROUND_TO_FX9 = shared(CONVERT, "fp_round_to_fx9");
    /// Clamps to the range of half.
    CLAMP_HALF = shared(CONVERT, "fp_clamp_half");
    /// Clamps to the range of fx12.
    CLAMP_FX12 = shared(CONVERT, "fp_clamp_fx12");
    /// Clamps to the range of fx9.
    CLAMP_FX9 = shared(CONVERT, "fp_clamp_fx9");
    /// A value as half bits.
    HALF_BITS_FROM = shared(CONVERT, "fp_half_bits_from");
    /// The value of half bits.
    HALF_BITS_TO = pair(CONVERT, "fp_half_bits_to", "fp_half_bits_to_opaque");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a module below `wgsl/`.
    fn module_text(module: &str) -> String {
        let path = format!("{}/../../wgsl/{}.wgsl", env!("CARGO_MANIFEST_DIR"), module.replace("::", "/"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    #[test]
    fn every_function_is_declared_by_its_module() {
        assert!(ALL.len() > 40, "{}", ALL.len());
        let is_declared = |function: &WgslFunction| {
            module_text(function.module).lines().any(|line| line.starts_with(&format!("fn {}(", function.name)))
        };
        for function in ALL.iter().flat_map(|row| [&row.exact, &row.fast]) {
            assert!(is_declared(function), "{} declares no {}", function.module, function.name);
        }
        assert!(!is_declared(&WgslFunction { module: SCALAR, name: "fp_ad" }), "a planted name is not found");
    }
}
