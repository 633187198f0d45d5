//! The WGSL functions that kernels of fragment programs call: where each is declared and what the fast path calls instead.
//!
//! Three variants of an operation differ in what they take and give:
//!
//! | Variant | Takes | Gives | Where |
//! |---|---|---|---|
//! | `fp_mul` | any bits | the chip's result: no denormals, one NaN | outside of programs, and where operands are any bits |
//! | `clean_mul` | no denormals, any NaN | no denormals, any NaN | exact path, where the analysis finds such operands |
//! | `plain_mul` | multiples of 2⁻¹²⁶, infinities, NaN | the same; notes products below 2⁻¹⁰³ | fast path |
//! | `narrow_mul` | the same | the same; notes products below 2⁻⁴⁰ | fast path, where further products are made of the result |
//! | `sure_mul` | the same | the same; notes nothing | fast path, where the analysis finds that no product can underflow |
//!
//! What the fast path computes is dropped where a product was noted, and the exact path computes it again.

/// A function of a WGSL module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WgslFunction {
    /// The module that declares it.
    pub module: &'static str,
    /// Its name.
    pub name: &'static str,
}

/// A function on each path of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelFunction {
    /// What the exact path calls.
    pub exact: WgslFunction,
    /// What the fast path calls.
    pub fast: WgslFunction,
}

const SCALAR: &str = "arith::fragment";
const VECTOR: &str = "arith::fragment_vector";
const CONVERT: &str = "arith::convert";
const PACK: &str = "arith::pack";
const FAST: &str = "arith::fragment_fast";

/// A function that both paths call.
const fn shared(module: &'static str, name: &'static str) -> KernelFunction {
    let function = WgslFunction { module, name };
    KernelFunction { exact: function, fast: function }
}

/// A function of the exact path and the one of the fast path.
const fn pair(module: &'static str, exact: &'static str, fast: &'static str) -> KernelFunction {
    KernelFunction { exact: WgslFunction { module, name: exact }, fast: WgslFunction { module: FAST, name: fast } }
}

macro_rules! kernel_functions {
    ($( #[doc = $doc:literal] $name:ident = $function:expr; )*) => {
        $( #[doc = $doc] pub static $name: KernelFunction = $function; )*

        /// All of them.
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
    /// Takes denormals away; the fast path notes values that are none of its own.
    FLUSH = pair(SCALAR, "fp_clean", "coarse");
    /// Gives every NaN the bits of a result.
    CANONICAL = shared(SCALAR, "fp_canonical");
    /// Adds flushed values.
    ADD_FTZ = pair(SCALAR, "clean_add", "plain_add");
    /// Subtracts flushed values.
    SUB_FTZ = pair(SCALAR, "clean_sub", "plain_sub");
    /// Multiplies flushed values; the fast path notes small products.
    MUL_FTZ = pair(SCALAR, "clean_mul", "plain_mul");
    /// Multiplies on the fast path; notes products below 2⁻⁴⁰.
    MUL_CHECKED_NARROW = shared(FAST, "narrow_mul");
    /// Multiplies on the fast path; notes nothing.
    MUL_UNCHECKED = shared(FAST, "sure_mul");
    /// Hides a value from the compiler.
    OPAQUE_BITS = shared(FAST, "opaque_bits");
    /// Multiplies and adds flushed values.
    MAD_FTZ = shared(SCALAR, "clean_mad");
    /// The lesser of flushed values.
    MIN_FTZ = shared(SCALAR, "clean_min");
    /// The greater of flushed values.
    MAX_FTZ = shared(SCALAR, "clean_max");
    /// Less than.
    SLT_FTZ = shared(SCALAR, "clean_slt");
    /// Greater than or equal.
    SGE_FTZ = shared(SCALAR, "clean_sge");
    /// Less than or equal.
    SLE_FTZ = shared(SCALAR, "clean_sle");
    /// Greater than.
    SGT_FTZ = shared(SCALAR, "clean_sgt");
    /// Not equal.
    SNE_FTZ = shared(SCALAR, "clean_sne");
    /// Equal.
    SEQ_FTZ = shared(SCALAR, "clean_seq");
    /// The floor of flushed values.
    FLR_FTZ = pair(SCALAR, "clean_flr", "plain_flr");
    /// The fraction of flushed values.
    FRC_FTZ = pair(SCALAR, "clean_frc", "plain_frc");
    /// Interpolates flushed values.
    LRP_FTZ = shared(VECTOR, "clean_lrp");
    /// Dot product of two components.
    DP2_FTZ = shared(VECTOR, "clean_dp2");
    /// Dot product of two components, and an addend.
    DP2A_FTZ = shared(VECTOR, "clean_dp2a");
    /// Dot product of three components.
    DP3_FTZ = shared(VECTOR, "clean_dp3");
    /// Dot product of four components.
    DP4_FTZ = shared(VECTOR, "clean_dp4");
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
    /// Multiplies with a power of two.
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
    /// Clamps to what a half holds.
    CLAMP_HALF = shared(CONVERT, "fp_clamp_half");
    /// Clamps to what fx12 holds.
    CLAMP_FX12 = shared(CONVERT, "fp_clamp_fx12");
    /// Clamps to what fx9 holds.
    CLAMP_FX9 = shared(CONVERT, "fp_clamp_fx9");
    /// A value as half bits.
    HALF_BITS_FROM = shared(CONVERT, "fp_half_bits_from");
    /// The value of half bits.
    HALF_BITS_TO = pair(CONVERT, "fp_half_bits_to", "plain_half_bits_to");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a module below `wgsl/`.
    fn module_text(module: &str) -> String {
        let path = format!("{}/wgsl/{}.wgsl", env!("CARGO_MANIFEST_DIR"), module.replace("::", "/"));
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
