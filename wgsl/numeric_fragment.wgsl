// The fragment processor's scalar operations on four pixels at once. The twin of `src/numeric/fragment.rs`.
//
// A native add or multiply appears only where its operands are normal numbers and its result is rounded to nearest, so
// an adapter that flushes denormals gives the same bits as one that keeps them.
import package::opaque::opaque4;
import package::numeric_bits::{BITS_ONE, BITS_SIGN, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE, BITS_ONES};
import package::numeric_bits::BITS_MIN_NORMAL;
import package::numeric_bits::{bits_is_nan, bits_is_zero, bits_exponent, bits_flush, bits_floor_of_large};
import package::numeric_special::{special_rcp, special_rsq, special_lg2, special_ex2, special_sin, special_cos};

fn fp_add(left: vec4u, right: vec4u) -> vec4u {
    let a = bits_flush(left);
    let b = bits_flush(right);
    let magnitude_a = a & vec4u(BITS_MAGNITUDE);
    let magnitude_b = b & vec4u(BITS_MAGNITUDE);
    let greater = select(b, a, magnitude_a >= magnitude_b);
    let magnitude = max(magnitude_a, magnitude_b);
    let cancels = (a ^ b) == vec4u(BITS_SIGN);
    let sum = bitcast<vec4u>(opaque4(opaque4(bitcast<vec4f>(a)) + bitcast<vec4f>(b)));
    // A sum below the normal range is exact, so its sign is that of the greater operand whatever the adapter flushes.
    var result = select(sum, greater & vec4u(BITS_SIGN), (sum & vec4u(BITS_INFINITY)) == vec4u(0u));
    result = select(result, vec4u(0u), cancels);
    result = select(result, greater, magnitude >= vec4u(BITS_INFINITY));
    let is_nan = (magnitude > vec4u(BITS_INFINITY)) | (cancels & (magnitude == vec4u(BITS_INFINITY)));
    return select(result, vec4u(BITS_NAN), is_nan);
}

fn fp_sub(a: vec4u, b: vec4u) -> vec4u {
    return fp_add(a, b ^ vec4u(BITS_SIGN));
}

fn fp_mul(a: vec4u, b: vec4u) -> vec4u {
    let magnitude_a = a & vec4u(BITS_MAGNITUDE);
    let magnitude_b = b & vec4u(BITS_MAGNITUDE);
    let lesser = min(magnitude_a, magnitude_b);
    let greater = max(magnitude_a, magnitude_b);
    let sign = (a ^ b) & vec4u(BITS_SIGN);
    let has_zero = lesser < vec4u(BITS_MIN_NORMAL);
    // The significands as numbers in [1, 2), so that the product is normal; exponents are added as integers.
    let one_to_two = bitcast<vec4f>((a & vec4u(BITS_FRACTION)) | vec4u(BITS_ONE));
    let product = bitcast<vec4u>(opaque4(opaque4(one_to_two) * bitcast<vec4f>((b & vec4u(BITS_FRACTION)) | vec4u(BITS_ONE))));
    let exponents = (magnitude_a >> vec4u(23u)) + (magnitude_b >> vec4u(23u));
    let exponent = exponents + (product >> vec4u(23u));
    var magnitude = product + ((exponents - vec4u(254u)) << vec4u(23u));
    magnitude = select(magnitude, vec4u(0u), has_zero | (exponent <= vec4u(254u)));
    magnitude = select(magnitude, vec4u(BITS_INFINITY), (exponent >= vec4u(509u)) | (greater >= vec4u(BITS_INFINITY)));
    let is_nan = (greater > vec4u(BITS_INFINITY)) | (has_zero & (greater == vec4u(BITS_INFINITY)));
    return select(magnitude | sign, vec4u(BITS_NAN), is_nan);
}

fn fp_mad(a: vec4u, b: vec4u, c: vec4u) -> vec4u {
    return fp_add(fp_mul(a, b), c);
}

// A key whose signed order is that of the numbers; zeros and denormals are 0.
fn fp_order_key(a: vec4u) -> vec4i {
    let magnitude = vec4i(a & vec4u(BITS_MAGNITUDE));
    return select(select(magnitude, -magnitude, a >= vec4u(BITS_SIGN)), vec4i(0), bits_is_zero(a));
}

fn fp_is_unordered(a: vec4u, b: vec4u) -> vec4<bool> {
    return bits_is_nan(a) | bits_is_nan(b);
}

fn fp_less(a: vec4u, b: vec4u) -> vec4<bool> {
    return (fp_order_key(a) < fp_order_key(b)) & !fp_is_unordered(a, b);
}

fn fp_equal(a: vec4u, b: vec4u) -> vec4<bool> {
    return (fp_order_key(a) == fp_order_key(b)) & !fp_is_unordered(a, b);
}

fn fp_less_equal(a: vec4u, b: vec4u) -> vec4<bool> {
    return (fp_order_key(a) <= fp_order_key(b)) & !fp_is_unordered(a, b);
}

fn fp_min(a: vec4u, b: vec4u) -> vec4u {
    let lesser = bits_flush(select(b, a, fp_order_key(a) < fp_order_key(b)));
    return select(lesser, vec4u(BITS_NAN), fp_is_unordered(a, b));
}

fn fp_max(a: vec4u, b: vec4u) -> vec4u {
    let greater = bits_flush(select(a, b, fp_order_key(a) < fp_order_key(b)));
    return select(greater, vec4u(BITS_NAN), fp_is_unordered(a, b));
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
    let exponent = bits_exponent(a);
    let is_below_zero = (a > vec4u(BITS_SIGN)) & (exponent != vec4i(0));
    let small = (a & vec4u(BITS_SIGN)) | select(vec4u(0u), BITS_ONES, is_below_zero);
    let result = select(bits_floor_of_large(a), small, exponent < vec4i(127));
    return select(result, vec4u(BITS_NAN), bits_is_nan(a));
}

fn fp_frc(a: vec4u) -> vec4u {
    return fp_sub(a, fp_flr(a));
}

fn fp_rcp(a: vec4u) -> vec4u {
    return special_rcp(a);
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

// Negative numbers and NaN are zero.
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
