// Computes the fragment processor's scalar operations on four pixels at once; the twin of `crates/isa/src/arith/fragment/scalar.rs`.
//
// Functions whose names end in `_ftz` take flushed operands and return flushed results: no denormals, and a NaN of
// any bits. A native operation on flushed values rounds to nearest. Adapters may treat denormal results as they
// like, because these become zero. (An adapter that flushed products before rounding would lose those that round
// up to 2⁻¹²⁶: the self-test has such a pair.) `opaque4` keeps operations apart from their neighbors and from
// constants that an optimizer would fold.
import package::arith::optimization_barrier::opaque4;
import package::arith::bits::{BITS_ONE, BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE, BITS_ONES};
import package::arith::bits::BITS_MIN_NORMAL;
import package::arith::bits::{bits_is_nan, bits_is_zero, bits_exponent, bits_flush, bits_floor_of_large};
import package::arith::special::{special_rsq, special_lg2, special_ex2, special_sin, special_cos};

// Flushes denormals.
fn fp_flush(a: vec4u) -> vec4u {
    return select(a, a & vec4u(BITS_SIGN), vec4i(a & vec4u(BITS_MAGNITUDE)) < vec4i(i32(BITS_MIN_NORMAL)));
}

// Replaces any NaN with the one NaN that results have.
fn fp_canonical(a: vec4u) -> vec4u {
    return select(a, vec4u(BITS_NAN), vec4i(a & vec4u(BITS_MAGNITUDE)) > vec4i(i32(BITS_INFINITY)));
}

fn fp_add_ftz(a: vec4u, b: vec4u) -> vec4u {
    return fp_flush(bitcast<vec4u>(opaque4(opaque4(bitcast<vec4f>(a)) + opaque4(bitcast<vec4f>(b)))));
}

fn fp_sub_ftz(a: vec4u, b: vec4u) -> vec4u {
    return fp_add_ftz(a, b ^ vec4u(BITS_SIGN));
}

// Products are flushed when they are below 2⁻¹²⁶ after rounding to 24 bits. In that range the product itself is
// rounded to fewer bits, so the test uses the product of 2²⁴·a.
fn fp_mul_ftz(a: vec4u, b: vec4u) -> vec4u {
    let left = opaque4(bitcast<vec4f>(a));
    let right = opaque4(bitcast<vec4f>(b));
    let product = bitcast<vec4u>(opaque4(left * right));
    let greater = bitcast<vec4u>(opaque4(opaque4(left * vec4f(16777216.0)) * right));
    let is_small = vec4i(greater & vec4u(BITS_MAGNITUDE)) < vec4i(0x0c800000);
    return select(product, product & vec4u(BITS_SIGN), is_small);
}

fn fp_mad_ftz(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return fp_add_ftz(fp_mul_ftz(a, b), c);
}

fn fp_less_ftz(a: vec4u, b: vec4u) -> vec4<bool> {
    return opaque4(bitcast<vec4f>(a)) < opaque4(bitcast<vec4f>(b));
}

fn fp_less_equal_ftz(a: vec4u, b: vec4u) -> vec4<bool> {
    return opaque4(bitcast<vec4f>(a)) <= opaque4(bitcast<vec4f>(b));
}

fn fp_equal_ftz(a: vec4u, b: vec4u) -> vec4<bool> {
    return opaque4(bitcast<vec4f>(a)) == opaque4(bitcast<vec4f>(b));
}

// A NaN in `b` needs no test: every comparison with it is false.
fn fp_min_ftz(a: vec4u, b: vec4u) -> vec4u {
    return select(b, a, fp_less_ftz(a, b) | bits_is_nan(a));
}

fn fp_max_ftz(a: vec4u, b: vec4u) -> vec4u {
    return select(select(a, b, fp_less_ftz(a, b)), b, bits_is_nan(b));
}

fn fp_slt_ftz(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_less_ftz(a, b));
}

fn fp_sge_ftz(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_less_equal_ftz(b, a));
}

fn fp_sle_ftz(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_less_equal_ftz(a, b));
}

fn fp_sgt_ftz(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_less_ftz(b, a));
}

fn fp_sne_ftz(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(!fp_equal_ftz(a, b));
}

fn fp_seq_ftz(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_equal_ftz(a, b));
}

fn fp_flr_ftz(a: vec4u) -> vec4u {
    return bitcast<vec4u>(opaque4(floor(opaque4(bitcast<vec4f>(a)))));
}

// The difference is never denormal: a fraction is the number itself or a multiple of the number's last bit.
fn fp_frc_ftz(a: vec4u) -> vec4u {
    let value = opaque4(bitcast<vec4f>(a));
    return bitcast<vec4u>(opaque4(value + bitcast<vec4f>(fp_flr_ftz(a) ^ vec4u(BITS_SIGN))));
}

fn fp_add(a: vec4u, b: vec4u) -> vec4u {
    return fp_canonical(fp_add_ftz(fp_flush(a), fp_flush(b)));
}

fn fp_sub(a: vec4u, b: vec4u) -> vec4u {
    return fp_add(a, b ^ vec4u(BITS_SIGN));
}

fn fp_mul(a: vec4u, b: vec4u) -> vec4u {
    return fp_canonical(fp_mul_ftz(fp_flush(a), fp_flush(b)));
}

fn fp_mad(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return fp_canonical(fp_mad_ftz(fp_flush(a), fp_flush(b), fp_flush(c)));
}

fn fp_less(a: vec4u, b: vec4u) -> vec4<bool> {
    return fp_less_ftz(fp_flush(a), fp_flush(b));
}

fn fp_equal(a: vec4u, b: vec4u) -> vec4<bool> {
    return fp_equal_ftz(fp_flush(a), fp_flush(b));
}

fn fp_less_equal(a: vec4u, b: vec4u) -> vec4<bool> {
    return fp_less_equal_ftz(fp_flush(a), fp_flush(b));
}

fn fp_min(a: vec4u, b: vec4u) -> vec4u {
    return fp_canonical(fp_min_ftz(fp_flush(a), fp_flush(b)));
}

fn fp_max(a: vec4u, b: vec4u) -> vec4u {
    return fp_canonical(fp_max_ftz(fp_flush(a), fp_flush(b)));
}

fn fp_one_if(condition: vec4<bool>) -> vec4u {
    return select(vec4u(0u), BITS_ONES, condition);
}

fn fp_slt(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_less(a, b));
}

fn fp_sge(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_less_equal(b, a));
}

fn fp_sle(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_less_equal(a, b));
}

fn fp_sgt(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_less(b, a));
}

fn fp_sne(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(!fp_equal(a, b));
}

fn fp_seq(a: vec4u, b: vec4u) -> vec4u {
    return fp_one_if(fp_equal(a, b));
}

fn fp_flr(a: vec4u) -> vec4u {
    return fp_canonical(fp_flr_ftz(fp_flush(a)));
}

fn fp_frc(a: vec4u) -> vec4u {
    return fp_canonical(fp_frc_ftz(fp_flush(a)));
}

// Moves a quotient of 2⁴⁷/m by one if that brings it nearer; m is a significand of 24 bits. No quotient is halfway
// between two integers.
fn fp_nearer_quotient(m: vec4u, quotient: vec4u) -> vec4u {
    // 2⁴⁷ is 0 in 32 bits, and the remainder is less than 3·2²⁴.
    let twice_remainder = vec4i((vec4u(0u) - quotient * m) << vec4u(1u));
    let raised = quotient + select(vec4u(0u), vec4u(1u), twice_remainder > vec4i(m));
    return raised - select(vec4u(0u), vec4u(1u), twice_remainder < -vec4i(m));
}

// An adapter's division is off by 2.5 units in the last place or less, so the quotient is off by two or less.
fn fp_rcp(a: vec4u) -> vec4u {
    let fraction = a & vec4u(BITS_FRACTION);
    let estimate = vec4f(1.0) / bitcast<vec4f>(fraction | vec4u(BITS_ONE));
    let m = fraction | vec4u(BITS_MIN_NORMAL);
    let quotient = fp_nearer_quotient(m, fp_nearer_quotient(m, vec4u(vec4i(estimate * vec4f(16777216.0)))));
    // The quotient's leading bit adds one to the exponent; a quotient of 2²⁴ adds two.
    var magnitude = vec4i(0x7e000000) - vec4i(a & vec4u(BITS_INFINITY)) + vec4i(quotient);
    magnitude = select(magnitude, vec4i(0), magnitude < vec4i(i32(BITS_MIN_NORMAL)));
    magnitude = select(magnitude, vec4i(i32(BITS_INFINITY)), bits_is_zero(a));
    return select(vec4u(magnitude) | (a & vec4u(BITS_SIGN)), vec4u(BITS_NAN), bits_is_nan(a));
}

fn fp_rsq(a: vec4u) -> vec4u {
    return special_rsq(a);
}

fn fp_ex2(a: vec4u) -> vec4u {
    return special_ex2(a);
}

fn fp_lg2(a: vec4u) -> vec4u {
    return special_lg2(a);
}

fn fp_sin(a: vec4u) -> vec4u {
    return special_sin(a);
}

fn fp_cos(a: vec4u) -> vec4u {
    return special_cos(a);
}

fn fp_div(a: vec4u, b: vec4u) -> vec4u {
    return fp_mul(a, fp_rcp(b));
}

fn fp_div_sqrt(a: vec4u, b: vec4u) -> vec4u {
    return select(fp_mul(a, fp_rsq(b)), vec4u(0u), bits_is_zero(a));
}

fn fp_pow(a: vec4u, b: vec4u) -> vec4u {
    let power = fp_ex2(fp_mul(fp_lg2(a), b));
    return select(power, BITS_ONES, bits_is_zero(b) & !bits_is_nan(a));
}

fn fp_absolute(a: vec4u) -> vec4u {
    return a & vec4u(BITS_MAGNITUDE);
}

// Negative values and NaN become zero.
fn fp_saturate(a: vec4u) -> vec4u {
    return select(min(a, BITS_ONES), vec4u(0u), (a > vec4u(BITS_INFINITY)) | bits_is_zero(a));
}

// a·2^exponent for exponents of −100..100.
fn fp_scale(a: vec4u, exponent: i32) -> vec4u {
    let sign = a & vec4u(BITS_SIGN);
    let step = clamp(exponent, -100, 100);
    let scaled = bits_exponent(a) + vec4i(step);
    var result = a + vec4u(bitcast<u32>(step) << 23u);
    result = select(result, sign, bits_is_zero(a) | (scaled <= vec4i(0)));
    result = select(result, sign | vec4u(BITS_INFINITY), scaled >= vec4i(255));
    let is_special = (a & vec4u(BITS_MAGNITUDE)) >= vec4u(BITS_INFINITY);
    return select(result, select(a, vec4u(BITS_NAN), bits_is_nan(a)), is_special);
}
