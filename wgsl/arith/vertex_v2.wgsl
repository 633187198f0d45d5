// Computes the operations of NV20's vertex processor that differ from NV40's; the twin of `crates/isa/src/arith/vertex_v2.rs`.
import package::arith::bits::{BITS_ONE, BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE};
import package::arith::bits::{BITS_MIN_NORMAL, bits_is_nan, bits_is_zero, bits_exponent};
import package::arith::vertex::{xf_mul, xf_assembled, xf_rsq};
import package::arith::vertex_approximate::{approximate_fixed_from_float, xf_exp, xf_log};

// An infinite result of finite operands becomes the largest finite number.
fn xf2_saturated(result: vec4u) -> vec4u {
    return result - select(vec4u(0u), vec4u(1u), (result & vec4u(BITS_MAGNITUDE)) == vec4u(BITS_INFINITY));
}

fn xf2_mul(a: vec4u, b: vec4u) -> vec4u {
    let product = xf_mul(a, b, false);
    let greater = max(a & vec4u(BITS_MAGNITUDE), b & vec4u(BITS_MAGNITUDE));
    return select(product, xf2_saturated(product), greater < vec4u(BITS_INFINITY));
}

// Aligns the significand to exponent `top` with seven guard bits; signed. A denormal has no leading one.
fn xf2_aligned(a: vec4u, top: vec4i) -> vec4i {
    let significand = (a & vec4u(BITS_FRACTION)) | select(vec4u(BITS_MIN_NORMAL), vec4u(0u), bits_is_zero(a));
    let shift = top - bits_exponent(a) - vec4i(2);
    // Shifts left by five bits where the exponent is the greatest, so no shift is negative.
    let aligned = vec4i((significand << vec4u(5u)) >> vec4u(min(shift, vec4i(31))));
    return select(aligned, -aligned, a >= vec4u(BITS_SIGN));
}

fn xf2_add(a: vec4u, b: vec4u) -> vec4u {
    let top = max(bits_exponent(a), bits_exponent(b)) + vec4i(2);
    var result = xf2_saturated(xf_assembled(xf2_aligned(a, top) + xf2_aligned(b, top), top));
    let greater = max(a & vec4u(BITS_MAGNITUDE), b & vec4u(BITS_MAGNITUDE));
    let infinite = select(b, a, (a & vec4u(BITS_MAGNITUDE)) == vec4u(BITS_INFINITY));
    let cancels = ((a ^ b) == vec4u(BITS_SIGN)) & (greater == vec4u(BITS_INFINITY));
    result = select(result, infinite, greater == vec4u(BITS_INFINITY));
    return select(result, vec4u(BITS_NAN), cancels | (greater > vec4u(BITS_INFINITY)));
}

fn xf2_mad(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return xf2_add(xf2_mul(a, b), c);
}

// Adds all four components at once.
fn xf2_sum4(a: vec4u) -> u32 {
    let exponents = bits_exponent(a);
    let top = max(max(exponents.x, exponents.y), max(exponents.z, exponents.w)) + 2;
    let aligned = xf2_aligned(a, vec4i(top));
    let total = aligned.x + aligned.y + aligned.z + aligned.w;
    let result = xf2_saturated(xf_assembled(vec4i(total), vec4i(top))).x;
    let has_plus = any(a == vec4u(BITS_INFINITY));
    let has_minus = any(a == vec4u(BITS_SIGN | BITS_INFINITY));
    let finite_or_infinite = select(select(result, BITS_SIGN | BITS_INFINITY, has_minus), BITS_INFINITY, has_plus);
    return select(finite_or_infinite, BITS_NAN, any(bits_is_nan(a)) | (has_plus & has_minus));
}

fn xf2_dp3(a: vec4u, b: vec4u) -> u32 {
    return xf2_sum4(vec4u(xf2_mul(a, b).xyz, 0u));
}

fn xf2_dph(a: vec4u, b: vec4u) -> u32 {
    return xf2_sum4(xf2_mul(vec4u(a.xyz, BITS_ONE), b));
}

fn xf2_dp4(a: vec4u, b: vec4u) -> u32 {
    return xf2_sum4(xf2_mul(a, b));
}

fn xf2_dst(a: vec4u, b: vec4u) -> vec4u {
    return vec4u(BITS_ONE, xf2_mul(a, b).y, a.z, b.w);
}

// The steps give one unit less than NV40's exact result for powers of four.
fn xf2_rsq(a: u32) -> u32 {
    let exponent = (a >> 23u) & 0xffu;
    let is_power_of_four = ((exponent & 1u) != 0u) & (exponent != 0xffu) & ((a & BITS_FRACTION) == 0u);
    return xf_rsq(a, false) - select(0u, 1u, is_power_of_four);
}

fn xf2_exp(a: u32) -> vec4u {
    let result = xf_exp(a);
    return vec4u(result.x, select(result.y, a, (a & BITS_MAGNITUDE) > BITS_INFINITY), result.zw);
}

fn xf2_log(a: u32) -> vec4u {
    let magnitude = a & BITS_MAGNITUDE;
    return select(xf_log(a, false), vec4u(vec3u(magnitude), BITS_ONE), vec4<bool>(magnitude > BITS_INFINITY));
}

// The conversion of EXP, without its fraction.
fn xf2_arl(a: vec4u) -> vec4i {
    let fixed = vec4i(approximate_fixed_from_float(a.x), approximate_fixed_from_float(a.y), approximate_fixed_from_float(a.z), approximate_fixed_from_float(a.w));
    return fixed >> vec4u(13u);
}
