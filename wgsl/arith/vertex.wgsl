// Computes the vertex processor's operations on the four components of one vertex; the twin of
// `crates/isa/src/arith/vertex.rs`.
//
// `modern` is the rule set, bit 4 of method 0x1e94. Callers pass a literal.
import package::arith::optimization_barrier::opaque4;
import package::arith::bits::{BITS_ONE, BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE, BITS_ONES};
import package::arith::bits::{BITS_MIN_NORMAL, bits_minus_one_if};
import package::arith::bits::{bits_is_nan, bits_is_zero, bits_exponent, bits_significand, bits_flush};
import package::arith::bits::{bits_floor_of_large, bits_nearest_even_shift};
import package::arith::special::{special_rcp, special_rcc, special_rsq, special_lg2, special_ex2, special_sin, special_cos};

fn xf_mul(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    let magnitude_a = a & vec4u(BITS_MAGNITUDE);
    let magnitude_b = b & vec4u(BITS_MAGNITUDE);
    let greater = max(magnitude_a, magnitude_b);
    let sign = (a ^ b) & vec4u(BITS_SIGN);
    let has_zero = min(magnitude_a, magnitude_b) < vec4u(BITS_MIN_NORMAL);
    let significand_a = bits_significand(a);
    let significand_b = bits_significand(b);
    // The native product of two numbers in [1, 2) is off by at most one unit. The low words of the exact product
    // and of this one show whether it was rounded up.
    let one_to_two = bitcast<vec4f>((a & vec4u(BITS_FRACTION)) | vec4u(BITS_ONE));
    let rounded = bitcast<vec4u>(opaque4(opaque4(one_to_two) * bitcast<vec4f>((b & vec4u(BITS_FRACTION)) | vec4u(BITS_ONE))));
    let excess = (bits_significand(rounded) << ((rounded >> vec4u(23u)) - vec4u(104u))) - significand_a * significand_b;
    let product = rounded - select(vec4u(0u), vec4u(1u), vec4i(excess) > vec4i(0));
    let exponents = (magnitude_a >> vec4u(23u)) + (magnitude_b >> vec4u(23u));
    let exponent = exponents + (product >> vec4u(23u));
    var magnitude = product + ((exponents - vec4u(254u)) << vec4u(23u));
    magnitude = select(magnitude, vec4u(0u), exponent <= vec4u(254u));
    magnitude = select(magnitude, vec4u(BITS_INFINITY), (exponent >= vec4u(509u)) | (greater >= vec4u(BITS_INFINITY)));
    var result = select(magnitude | sign, vec4u(BITS_NAN), greater > vec4u(BITS_INFINITY));
    let zero_product = select(vec4u(0u), vec4u(BITS_NAN), (greater >= vec4u(BITS_INFINITY)) & vec4<bool>(modern));
    return select(result, zero_product, has_zero);
}

// Aligns the significand to exponent `top` with seven guard bits; signed.
fn xf_aligned(a: vec4u, top: vec4i) -> vec4i {
    let shift = top - bits_exponent(a) - vec4i(2);
    // Shifts left by five bits where the exponent is the greatest, so no shift is negative.
    let aligned = vec4i((bits_significand(a) << vec4u(5u)) >> vec4u(min(shift, vec4i(31))));
    return select(select(aligned, -aligned, a >= vec4u(BITS_SIGN)), vec4i(0), bits_is_zero(a));
}

// Converts a sum aligned to exponent `top` to a float.
fn xf_assembled(total: vec4i, top: vec4i) -> vec4u {
    let magnitude = vec4u(abs(total));
    let shift = (countLeadingZeros(magnitude) - vec4u(1u)) & vec4u(31u);
    let exponent = top - vec4i(shift);
    let fraction = ((magnitude << shift) >> vec4u(7u)) & vec4u(BITS_FRACTION);
    var result = (vec4u(exponent) << vec4u(23u)) | fraction;
    result = select(result, vec4u(0u), exponent <= vec4i(0));
    result = select(result, vec4u(BITS_INFINITY), exponent >= vec4i(255));
    return select(result | (vec4u(total) & vec4u(BITS_SIGN)), vec4u(0u), total == vec4i(0));
}

fn xf_add(a: vec4u, b: vec4u) -> vec4u {
    let top = max(bits_exponent(a), bits_exponent(b)) + vec4i(2);
    var result = xf_assembled(xf_aligned(a, top) + xf_aligned(b, top), top);
    let greater = max(a & vec4u(BITS_MAGNITUDE), b & vec4u(BITS_MAGNITUDE));
    let infinite = select(b, a, (a & vec4u(BITS_MAGNITUDE)) == vec4u(BITS_INFINITY));
    let cancels = ((a ^ b) == vec4u(BITS_SIGN)) & (greater == vec4u(BITS_INFINITY));
    result = select(result, infinite, greater == vec4u(BITS_INFINITY));
    return select(result, vec4u(BITS_NAN), cancels | (greater > vec4u(BITS_INFINITY)));
}

fn xf_mad(a: vec4u, b: vec4u, c: vec4u, modern: bool) -> vec4u {
    return xf_add(xf_mul(a, b, modern), c);
}

// Adds all four components at once.
fn xf_sum4(a: vec4u) -> u32 {
    let exponents = bits_exponent(a);
    let top = max(max(exponents.x, exponents.y), max(exponents.z, exponents.w)) + 2;
    let aligned = xf_aligned(a, vec4i(top));
    let total = aligned.x + aligned.y + aligned.z + aligned.w;
    let result = xf_assembled(vec4i(total), vec4i(top)).x;
    let has_plus = any(a == vec4u(BITS_INFINITY));
    let has_minus = any(a == vec4u(BITS_SIGN | BITS_INFINITY));
    let finite_or_infinite = select(select(result, BITS_SIGN | BITS_INFINITY, has_minus), BITS_INFINITY, has_plus);
    return select(finite_or_infinite, BITS_NAN, any(bits_is_nan(a)) | (has_plus & has_minus));
}

fn xf_dp3(a: vec4u, b: vec4u, modern: bool) -> u32 {
    return xf_sum4(vec4u(xf_mul(a, b, modern).xyz, 0u));
}

fn xf_dph(a: vec4u, b: vec4u, modern: bool) -> u32 {
    return xf_sum4(xf_mul(vec4u(a.xyz, BITS_ONE), b, modern));
}

fn xf_dp4(a: vec4u, b: vec4u, modern: bool) -> u32 {
    return xf_sum4(xf_mul(a, b, modern));
}

fn xf_dst(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    return vec4u(BITS_ONE, xf_mul(a, b, modern).y, a.z, b.w);
}

// A key whose unsigned order is the total order of the bits; the modern rules treat all zeros as equal.
fn xf_order_key(a: vec4u, modern: bool) -> vec4u {
    let value = select(a, vec4u(0u), bits_is_zero(a) & vec4<bool>(modern));
    return select(value ^ vec4u(BITS_SIGN), ~value, value >= vec4u(BITS_SIGN));
}

fn xf_is_unordered(a: vec4u, b: vec4u, modern: bool) -> vec4<bool> {
    return (bits_is_nan(a) | bits_is_nan(b)) & vec4<bool>(modern);
}

fn xf_min(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    let lesser = select(b, a, xf_order_key(a, modern) < xf_order_key(b, modern));
    return select(lesser, vec4u(BITS_NAN), xf_is_unordered(a, b, modern));
}

fn xf_max(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    let greater = select(a, b, xf_order_key(a, modern) < xf_order_key(b, modern));
    return select(greater, vec4u(BITS_NAN), xf_is_unordered(a, b, modern));
}

fn xf_set(passes: vec4<bool>, is_unordered: vec4<bool>) -> vec4u {
    return select(select(vec4u(0u), BITS_ONES, passes), vec4u(BITS_NAN), is_unordered);
}

fn xf_slt(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    return xf_set(xf_order_key(a, modern) < xf_order_key(b, modern), xf_is_unordered(a, b, modern));
}

fn xf_sge(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    return xf_set(xf_order_key(a, modern) >= xf_order_key(b, modern), xf_is_unordered(a, b, modern));
}

fn xf_seq(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    return xf_set(xf_order_key(a, modern) == xf_order_key(b, modern), xf_is_unordered(a, b, modern));
}

fn xf_sgt(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    return xf_set(xf_order_key(a, modern) > xf_order_key(b, modern), xf_is_unordered(a, b, modern));
}

fn xf_sle(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    return xf_set(xf_order_key(a, modern) <= xf_order_key(b, modern), xf_is_unordered(a, b, modern));
}

fn xf_sne(a: vec4u, b: vec4u, modern: bool) -> vec4u {
    return xf_set(xf_order_key(a, modern) != xf_order_key(b, modern), xf_is_unordered(a, b, modern));
}

fn xf_ssg(a: vec4u, modern: bool) -> vec4u {
    let key = xf_order_key(a, modern);
    let zero = vec4u(BITS_SIGN);
    let sign = select(vec4u(0u), vec4u(BITS_SIGN), key < zero);
    let result = select(vec4u(0u), BITS_ONES, key != zero) | sign;
    return select(result, vec4u(BITS_NAN), xf_is_unordered(a, vec4u(0u), modern));
}

fn xf_flr(a: vec4u) -> vec4u {
    let exponent = bits_exponent(a);
    let small = bits_minus_one_if((a >= vec4u(BITS_SIGN)) & (exponent != vec4i(0)));
    let result = select(bits_floor_of_large(a), small, exponent < vec4i(127));
    return select(result, vec4u(BITS_NAN), bits_is_nan(a));
}

fn xf_frc(a: vec4u) -> vec4u {
    return xf_add(a, xf_flr(a) ^ vec4u(BITS_SIGN));
}

// Negative values and NaN become zero.
fn xf_saturate(a: vec4u) -> vec4u {
    return select(min(a, BITS_ONES), vec4u(0u), (a > vec4u(BITS_INFINITY)) | bits_is_zero(a));
}

fn xf_rcp(a: u32) -> u32 {
    return special_rcp(vec4u(a)).x;
}

fn xf_rcc(a: u32) -> u32 {
    return special_rcc(vec4u(a)).x;
}

fn xf_rsq(a: u32, modern: bool) -> u32 {
    let result = special_rsq(vec4u(a)).x;
    let is_zero = (a & BITS_INFINITY) == 0u;
    return select(result, select(BITS_NAN, BITS_SIGN | BITS_INFINITY, is_zero), modern & (a >= BITS_SIGN));
}

fn xf_lg2(a: u32) -> u32 {
    return special_lg2(vec4u(a)).x;
}

fn xf_ex2(a: u32) -> u32 {
    return special_ex2(vec4u(a)).x;
}

fn xf_sin(a: u32) -> u32 {
    return special_sin(vec4u(a)).x;
}

fn xf_cos(a: u32) -> u32 {
    return special_cos(vec4u(a)).x;
}

// The integer part of a magnitude below 2⁹, else 512.
fn xf_address_magnitude(a: vec4u) -> vec4i {
    let exponent = bits_exponent(a);
    let integer = vec4i(bits_significand(a) >> vec4u(clamp(vec4i(150) - exponent, vec4i(0), vec4i(31))));
    return select(integer, vec4i(512), exponent >= vec4i(136));
}

// Converts an integral float to an address, clamped to −512..511; NaN is 0.
fn xf_address(a: vec4u) -> vec4i {
    let magnitude = xf_address_magnitude(a);
    let address = select(min(magnitude, vec4i(511)), -magnitude, a >= vec4u(BITS_SIGN));
    return select(address, vec4i(0), bits_is_zero(a) | bits_is_nan(a));
}

fn xf_arl(a: vec4u) -> vec4i {
    return xf_address(xf_flr(a));
}

// Rounds to the nearest integer, ties to even.
fn xf_arr(a: vec4u) -> vec4i {
    let exponent = bits_exponent(a);
    let shift = vec4u(clamp(vec4i(150) - exponent, vec4i(1), vec4i(25)));
    let rounded = vec4i(bits_nearest_even_shift(bits_significand(a), shift));
    let magnitude = select(min(rounded, vec4i(512)), vec4i(512), exponent >= vec4i(136));
    let address = select(min(magnitude, vec4i(511)), -magnitude, a >= vec4u(BITS_SIGN));
    return select(address, vec4i(0), bits_is_zero(a) | bits_is_nan(a));
}
