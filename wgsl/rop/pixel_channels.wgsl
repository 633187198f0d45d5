// Converts colors to the channels of pixels and back; the twin of `crates/isa/src/format/pixel.rs`.
import package::arith::bits::{BITS_SIGN, BITS_MAGNITUDE, BITS_INFINITY};
import package::arith::bits::{bits_exponent, bits_is_nan, bits_significand};
import package::arith::convert::{fp_float_to_unorm, fp_unorm_to_float};

// The nearest signed fractions of `width` bits, halves away from zero; NaN is 0.
fn snorm_bits(values: vec4u, width: u32) -> vec4u {
    let magnitude = fp_float_to_unorm(values & vec4u(BITS_MAGNITUDE), width - 1u);
    let full = vec4u(0xffffffffu >> (32u - width));
    return select(magnitude, ~magnitude + vec4u(1u), values >= vec4u(BITS_SIGN)) & full;
}

// The values of signed fractions of `width` bits, at least −1.
fn snorm_values(bits: vec4u, width: u32) -> vec4u {
    let number = (vec4i(bits) << vec4u(32u - width)) >> vec4u(32u - width);
    let most = vec4u((1u << (width - 1u)) - 1u);
    let value = fp_unorm_to_float(min(vec4u(abs(number)), most), width - 1u);
    return select(value, value | vec4u(BITS_SIGN), number < vec4i(0));
}

// The bits of unsigned floats with 5 bits of exponent: toward zero, at most the largest finite number unless the value is
// infinite; negative values are 0, NaN has all bits set.
fn unsigned_float_bits(a: vec4u, fraction_bits: u32) -> vec4u {
    let infinity = 31u << fraction_bits;
    let exponent = bits_exponent(a) - vec4i(112);
    let is_normal = exponent >= vec4i(1);
    let below = select(vec4i(1) - exponent, vec4i(0), is_normal);
    let shift = vec4u(min(vec4i(i32(23u - fraction_bits)) + below, vec4i(25)));
    let base = select(vec4u(0u), vec4u(exponent - vec4i(1)) << vec4u(fraction_bits), is_normal);
    // The implicit one adds 1 to the exponent field.
    let finite = base + (bits_significand(a) >> shift);
    let large = select(vec4u(infinity - 1u), vec4u(infinity), a == vec4u(BITS_INFINITY));
    let number = select(select(finite, large, exponent >= vec4i(31)), vec4u(0u), a >= vec4u(BITS_SIGN));
    return select(number, vec4u((32u << fraction_bits) - 1u), bits_is_nan(a));
}
