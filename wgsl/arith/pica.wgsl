// Computes the operations of the PICA200's vertex processors on 24-bit floats; the twin of `crates/isa/src/arith/pica.rs`.
//
// A component is the bits of the single that equals the 24-bit value. Sums and products of normal 24-bit floats are
// zeros, normal singles, or beyond the range of both formats, so that no step depends on how an adapter treats
// denormals. Infinities and NaN are found by their bits.
import package::arith::optimization_barrier::opaque4;
import package::arith::bits::{BITS_ONE, BITS_SIGN, BITS_INFINITY, BITS_MAGNITUDE, BITS_FRACTION, BITS_ONES};
import package::arith::bits::{bits_is_nan, bits_exponent, bits_significand, bits_floor_of_large, bits_minus_one_if};
import package::arith::special::{special_rcp, special_rsq, special_lg2, special_ex2};

const PICA_NAN: u32 = 0x7fc00000u;
// 2⁻⁶², the least normal number, and 2⁶⁴, beyond the greatest.
const PICA_LEAST_NORMAL: u32 = 0x20800000u;
const PICA_LIMIT: u32 = 0x5f800000u;
// The fraction bits of a single that a 24-bit float lacks.
const PICA_DROPPED: u32 = 0x7fu;
const PICA_LIGHT_LIMIT: u32 = 0x42fffe00u;

// Converts singles to 24-bit floats: truncates, and keeps the signs of values that become zero.
fn pica_from_single(a: vec4u) -> vec4u {
    let magnitude = a & vec4u(BITS_MAGNITUDE);
    var truncated = magnitude & vec4u(~PICA_DROPPED);
    truncated = select(truncated, vec4u(0u), magnitude < vec4u(PICA_LEAST_NORMAL));
    truncated = select(truncated, vec4u(BITS_INFINITY), magnitude >= vec4u(PICA_LIMIT));
    return select(truncated | (a & vec4u(BITS_SIGN)), vec4u(PICA_NAN), magnitude > vec4u(BITS_INFINITY));
}

// Ends an arithmetic step: as `pica_from_single`, but zeros are positive.
fn pica_result(a: vec4u) -> vec4u {
    let truncated = pica_from_single(a);
    return select(truncated, vec4u(0u), truncated == vec4u(BITS_SIGN));
}

// Reads arithmetic operands: denormals are zero.
fn pica_operand(a: vec4u) -> vec4u {
    return select(a, vec4u(0u), (a & vec4u(BITS_MAGNITUDE)) < vec4u(PICA_LEAST_NORMAL));
}

fn pica_add(left: vec4u, right: vec4u) -> vec4u {
    let a = pica_operand(left);
    let b = pica_operand(right);
    let greater = max(a & vec4u(BITS_MAGNITUDE), b & vec4u(BITS_MAGNITUDE));
    let sum = pica_result(bitcast<vec4u>(opaque4(opaque4(bitcast<vec4f>(a)) + opaque4(bitcast<vec4f>(b)))));
    let infinite = select(b, a, (a & vec4u(BITS_MAGNITUDE)) == vec4u(BITS_INFINITY));
    let cancels = ((a ^ b) == vec4u(BITS_SIGN)) & (greater == vec4u(BITS_INFINITY));
    let result = select(sum, infinite, greater == vec4u(BITS_INFINITY));
    return select(result, vec4u(PICA_NAN), cancels | (greater > vec4u(BITS_INFINITY)));
}

fn pica_mul(left: vec4u, right: vec4u) -> vec4u {
    let a = pica_operand(left);
    let b = pica_operand(right);
    let greater = max(a & vec4u(BITS_MAGNITUDE), b & vec4u(BITS_MAGNITUDE));
    let product = pica_result(bitcast<vec4u>(opaque4(opaque4(bitcast<vec4f>(a)) * opaque4(bitcast<vec4f>(b)))));
    let infinite = ((a ^ b) & vec4u(BITS_SIGN)) | vec4u(BITS_INFINITY);
    var result = select(product, infinite, greater == vec4u(BITS_INFINITY));
    result = select(result, vec4u(0u), (a == vec4u(0u)) | (b == vec4u(0u)));
    return select(result, vec4u(PICA_NAN), greater > vec4u(BITS_INFINITY));
}

fn pica_mad(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return pica_add(pica_mul(a, b), c);
}

fn pica_dp3(a: vec4u, b: vec4u) -> u32 {
    let products = pica_mul(a, b);
    return pica_add(pica_add(products.xxxx, products.yyyy), products.zzzz).x;
}

fn pica_dp4(a: vec4u, b: vec4u) -> u32 {
    let products = pica_mul(a, b);
    let pairs = pica_add(products.xzxz, products.ywyw);
    return pica_add(pairs, pairs.yxyx).x;
}

fn pica_dph(a: vec4u, b: vec4u) -> u32 {
    return pica_dp4(vec4u(a.xyz, BITS_ONE), b);
}

fn pica_dst(a: vec4u, b: vec4u) -> vec4u {
    return vec4u(BITS_ONE, pica_mul(a, b).y, a.z, b.w);
}

// A key whose unsigned order is that of numbers; both zeros have the same.
fn pica_order_key(a: vec4u) -> vec4u {
    let magnitude = a & vec4u(BITS_MAGNITUDE);
    return vec4u(BITS_SIGN) + select(magnitude, vec4u(0u) - magnitude, a >= vec4u(BITS_SIGN));
}

fn pica_is_ordered(a: vec4u, b: vec4u) -> vec4<bool> {
    return !(bits_is_nan(a) | bits_is_nan(b));
}

fn pica_is_less(a: vec4u, b: vec4u) -> vec4<bool> {
    return (pica_order_key(a) < pica_order_key(b)) & pica_is_ordered(a, b);
}

fn pica_is_less_equal(a: vec4u, b: vec4u) -> vec4<bool> {
    return (pica_order_key(a) <= pica_order_key(b)) & pica_is_ordered(a, b);
}

fn pica_is_equal(a: vec4u, b: vec4u) -> vec4<bool> {
    return (pica_order_key(a) == pica_order_key(b)) & pica_is_ordered(a, b);
}

fn pica_max(a: vec4u, b: vec4u) -> vec4u {
    return select(b, a, pica_is_less(b, a));
}

fn pica_min(a: vec4u, b: vec4u) -> vec4u {
    return select(b, a, pica_is_less(a, b));
}

fn pica_one_if(condition: vec4<bool>) -> vec4u {
    return select(vec4u(0u), BITS_ONES, condition);
}

fn pica_seq(a: vec4u, b: vec4u) -> vec4u {
    return pica_one_if(pica_is_equal(a, b));
}

fn pica_sne(a: vec4u, b: vec4u) -> vec4u {
    return pica_one_if(!pica_is_equal(a, b));
}

fn pica_slt(a: vec4u, b: vec4u) -> vec4u {
    return pica_one_if(pica_is_less(a, b));
}

fn pica_sle(a: vec4u, b: vec4u) -> vec4u {
    return pica_one_if(pica_is_less_equal(a, b));
}

fn pica_sgt(a: vec4u, b: vec4u) -> vec4u {
    return pica_one_if(pica_is_less(b, a));
}

fn pica_sge(a: vec4u, b: vec4u) -> vec4u {
    return pica_one_if(pica_is_less_equal(b, a));
}

fn pica_flr(value: vec4u) -> vec4u {
    let a = pica_operand(value);
    let small = bits_minus_one_if(a >= vec4u(BITS_SIGN));
    return pica_result(select(bits_floor_of_large(a), small, bits_exponent(a) < vec4i(127)));
}

fn pica_rcp(a: u32) -> u32 {
    return pica_result(special_rcp(pica_operand(vec4u(a)))).x;
}

fn pica_rsq(value: u32) -> u32 {
    let a = pica_operand(vec4u(value));
    return select(pica_result(special_rsq(a)), vec4u(PICA_NAN), a >= vec4u(BITS_SIGN)).x;
}

// Negative results of `special_lg2` are complements, which are less by a unit, so powers of two are separate.
fn pica_lg2(value: u32) -> u32 {
    let a = pica_operand(vec4u(value));
    let is_special = (a == vec4u(0u)) | (a >= vec4u(BITS_INFINITY));
    let is_power_of_two = ((a & vec4u(BITS_FRACTION)) == vec4u(0u)) & !is_special;
    let exponent = bitcast<vec4u>(vec4f(bits_exponent(a) - vec4i(127)));
    return select(pica_result(special_lg2(a)), exponent, is_power_of_two).x;
}

// `special_ex2` also complements negative numbers, so whole ones are separate.
fn pica_ex2(value: u32) -> u32 {
    let a = pica_operand(vec4u(value));
    let whole = pica_address(a);
    let is_whole = (bitcast<vec4u>(vec4f(whole)) == a) & (whole >= vec4i(-62)) & (whole < vec4i(64));
    return select(pica_result(special_ex2(a)), vec4u(whole + vec4i(127)) << vec4u(23u), is_whole).x;
}

fn pica_litp(a: vec4u) -> vec4u {
    let positive = pica_max(a, vec4u(0u));
    let clamped = pica_min(pica_max(a, vec4u(PICA_LIGHT_LIMIT | BITS_SIGN)), vec4u(PICA_LIGHT_LIMIT));
    return vec4u(positive.x, clamped.y, 0u, positive.w);
}

// The integer part, clamped to the range of i32; NaN is 0.
fn pica_address(a: vec4u) -> vec4i {
    let exponent = bits_exponent(a);
    let is_negative = a >= vec4u(BITS_SIGN);
    let significand = bits_significand(a);
    let small = significand >> vec4u(clamp(vec4i(150) - exponent, vec4i(0), vec4i(31)));
    let large = significand << vec4u(clamp(exponent - vec4i(150), vec4i(0), vec4i(7)));
    let magnitude = vec4i(select(small, large, exponent > vec4i(150)));
    let end = select(vec4i(0x7fffffff), vec4i(-0x7fffffff - 1), is_negative);
    let result = select(select(magnitude, -magnitude, is_negative), end, exponent >= vec4i(158));
    return select(result, vec4i(0), bits_is_nan(a));
}

// The color that later stages receive: the magnitude, at most 1. Bits of magnitudes have their order; NaN become 1.
fn pica_color(a: u32) -> u32 {
    return min(a & BITS_MAGNITUDE, BITS_ONE);
}
