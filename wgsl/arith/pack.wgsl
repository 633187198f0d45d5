// Packs several small numbers of a quad into 32 bits and unpacks them (PK and UP); the twin of
// `crates/isa/src/arith/fragment/pack.rs`.
import package::fragment::quad::QuadVector;
import package::arith::bits::{BITS_SIGN, bits_is_nan, bits_is_zero, bits_exponent, bits_significand};
import package::arith::fragment::{fp_add, fp_sub, fp_mul, fp_pow, fp_less, fp_saturate};
import package::arith::convert::{fp_half_bits_from, fp_half_bits_to, fp_float_to_unorm, fp_unorm_to_float};

fn fp_packed_bytes(x: vec4u, y: vec4u, z: vec4u, w: vec4u) -> vec4u {
    return x | (y << vec4u(8u)) | (z << vec4u(16u)) | (w << vec4u(24u));
}

fn fp_pk2h(a: QuadVector) -> vec4u {
    return fp_half_bits_from(a.x) | (fp_half_bits_from(a.y) << vec4u(16u));
}

fn fp_up2h(a: vec4u) -> QuadVector {
    let low = fp_half_bits_to(a & vec4u(0xffffu));
    let high = fp_half_bits_to(a >> vec4u(16u));
    return QuadVector(low, high, low, high);
}

fn fp_pk2us(a: QuadVector) -> vec4u {
    return fp_float_to_unorm(a.x, 16u) | (fp_float_to_unorm(a.y, 16u) << vec4u(16u));
}

fn fp_up2us(a: vec4u) -> QuadVector {
    let low = fp_unorm_to_float(a & vec4u(0xffffu), 16u);
    let high = fp_unorm_to_float(a >> vec4u(16u), 16u);
    return QuadVector(low, high, low, high);
}

fn fp_pk4ub(a: QuadVector) -> vec4u {
    let x = fp_float_to_unorm(a.x, 8u);
    let y = fp_float_to_unorm(a.y, 8u);
    return fp_packed_bytes(x, y, fp_float_to_unorm(a.z, 8u), fp_float_to_unorm(a.w, 8u));
}

fn fp_up4ub(a: vec4u) -> QuadVector {
    let x = fp_unorm_to_float(a & vec4u(0xffu), 8u);
    let y = fp_unorm_to_float((a >> vec4u(8u)) & vec4u(0xffu), 8u);
    let z = fp_unorm_to_float((a >> vec4u(16u)) & vec4u(0xffu), 8u);
    return QuadVector(x, y, z, fp_unorm_to_float(a >> vec4u(24u), 8u));
}

fn fp_biased_byte(a: vec4u) -> vec4u {
    let exponent = bits_exponent(a);
    let is_negative = a >= vec4u(BITS_SIGN);
    let product = vec4i(bits_significand(a)) * vec4i(127);
    let signed_product = select(product, -product, is_negative);
    let doubled = signed_product >> vec4u(clamp(vec4i(149) - exponent, vec4i(0), vec4i(31)));
    let rounded = clamp((doubled + vec4i(1)) >> vec4u(1u), vec4i(-128), vec4i(127));
    let bounded = select(rounded, select(vec4i(127), vec4i(-128), is_negative), exponent >= vec4i(128));
    return vec4u(select(bounded, vec4i(0), bits_is_zero(a) | bits_is_nan(a)) + vec4i(128));
}

fn fp_pk4b(a: QuadVector) -> vec4u {
    return fp_packed_bytes(fp_biased_byte(a.x), fp_biased_byte(a.y), fp_biased_byte(a.z), fp_biased_byte(a.w));
}

// (byte − 128)/127.
fn fp_unbiased(byte: vec4u) -> vec4u {
    let is_negative = byte < vec4u(128u);
    let magnitude = select(byte - vec4u(128u), vec4u(128u) - byte, is_negative);
    let quotient = fp_unorm_to_float(magnitude, 7u) | select(vec4u(0u), vec4u(BITS_SIGN), is_negative);
    return select(quotient, vec4u(0xbf810204u), byte == vec4u(0u));
}

fn fp_up4b(a: vec4u) -> QuadVector {
    let x = fp_unbiased(a & vec4u(0xffu));
    let y = fp_unbiased((a >> vec4u(8u)) & vec4u(0xffu));
    return QuadVector(x, y, fp_unbiased((a >> vec4u(16u)) & vec4u(0xffu)), fp_unbiased(a >> vec4u(24u)));
}

// The sRGB curve of a value in 0..1.
fn fp_srgb_encoded(linear: vec4u) -> vec4u {
    let curved = fp_sub(fp_mul(vec4u(0x3f870a3du), fp_pow(linear, vec4u(0x3ed55555u))), vec4u(0x3d6147aeu));
    return select(fp_mul(linear, vec4u(0x414eb852u)), curved, fp_less(vec4u(0x3b4d2e1cu), linear));
}

fn fp_srgb_decoded(encoded: vec4u) -> vec4u {
    let base = fp_mul(fp_add(encoded, vec4u(0x3d6147aeu)), vec4u(0x3f72a76eu));
    let curved = fp_pow(base, vec4u(0x4019999au));
    return select(fp_mul(encoded, vec4u(0x3d9e8391u)), curved, fp_less(vec4u(0x3d25aee6u), encoded));
}

fn fp_srgb_byte(a: vec4u) -> vec4u {
    return fp_float_to_unorm(fp_srgb_encoded(fp_saturate(a)), 8u);
}

fn fp_pk4ubg(a: QuadVector) -> vec4u {
    return fp_packed_bytes(fp_srgb_byte(a.x), fp_srgb_byte(a.y), fp_srgb_byte(a.z), fp_srgb_byte(a.w));
}

fn fp_up4ubg(a: vec4u) -> QuadVector {
    let bytes = fp_up4ub(a);
    return QuadVector(fp_srgb_decoded(bytes.x), fp_srgb_decoded(bytes.y), fp_srgb_decoded(bytes.z), fp_srgb_decoded(bytes.w));
}
