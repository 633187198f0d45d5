// Converts four values at once to and from narrow formats; the twin of `crates/isa/src/arith/fragment/{round,convert}.rs`.
import package::arith::bits::{BITS_SIGN, BITS_ONE, BITS_INFINITY, BITS_NAN, BITS_FRACTION, BITS_MAGNITUDE};
import package::arith::bits::{bits_is_nan, bits_is_zero, bits_exponent, bits_significand, bits_nearest_even_shift};
import package::arith::fragment::{fp_saturate, fp_less, fp_scale, fp_flush};
import package::arith::bits::bits_flush;
import package::arith::optimization_barrier::opaque4;

// Converts to half bits: rounds to nearest even, keeps denormals; NaN is 0x7fff.
fn fp_half_bits_from(a: vec4u) -> vec4u {
    let sign = (a >> vec4u(16u)) & vec4u(0x8000u);
    let exponent = bits_exponent(a) - vec4i(112);
    let is_normal = exponent >= vec4i(1);
    let shift = vec4u(select(min(vec4i(14) - exponent, vec4i(25)), vec4i(13), is_normal));
    let rounded = bits_nearest_even_shift(bits_significand(a), shift);
    let base = select(vec4u(0u), vec4u(exponent - vec4i(1)) << vec4u(10u), is_normal);
    let magnitude = select(base + rounded, vec4u(0x7c00u), exponent >= vec4i(31));
    return select(sign | magnitude, vec4u(0x7fffu), bits_is_nan(a));
}

fn fp_half_bits_to(half: vec4u) -> vec4u {
    let sign = (half & vec4u(0x8000u)) << vec4u(16u);
    let exponent = half & vec4u(0x7c00u);
    let fraction = half & vec4u(0x3ffu);
    let normal = ((half & vec4u(0x7fffu)) << vec4u(13u)) + vec4u(112u << 23u);
    // The conversion of such a small integer is exact. The integer is in units of 2⁻²⁴.
    let denormal = select(bitcast<vec4u>(vec4f(fraction)) - vec4u(24u << 23u), vec4u(0u), fraction == vec4u(0u));
    let special = select(vec4u(BITS_NAN), sign | vec4u(BITS_INFINITY), fraction == vec4u(0u));
    let finite = sign | select(normal, denormal, exponent == vec4u(0u));
    return select(finite, special, exponent == vec4u(0x7c00u));
}

// Rounds to the nearest half. Halves below 2⁻¹⁴ are multiples of 2⁻²⁴, the unit of sums with 1/2.
fn fp_round_to_half(a: vec4u) -> vec4u {
    let magnitude = a & vec4u(BITS_MAGNITUDE);
    let normal = (magnitude + vec4u(0xfffu) + ((magnitude >> vec4u(13u)) & vec4u(1u))) & vec4u(0xffffe000u);
    let sum = opaque4(opaque4(bitcast<vec4f>(magnitude)) + vec4f(0.5));
    let small = bitcast<vec4u>(opaque4(sum - vec4f(0.5)));
    let finite = select(normal, small, magnitude < vec4u(0x38800000u));
    let rounded = select(finite, vec4u(BITS_INFINITY), finite >= vec4u(0x47800000u)) | (a & vec4u(BITS_SIGN));
    return select(rounded, vec4u(BITS_NAN), magnitude > vec4u(BITS_INFINITY));
}

// `fp_round_to_half` for values in 0..1 without −0.
fn fp_round_unit_to_half(a: vec4u) -> vec4u {
    let normal = (a + vec4u(0xfffu) + ((a >> vec4u(13u)) & vec4u(1u))) & vec4u(0xffffe000u);
    let sum = opaque4(opaque4(bitcast<vec4f>(a)) + vec4f(0.5));
    let small = bitcast<vec4u>(opaque4(sum - vec4f(0.5)));
    return select(normal, small, vec4i(a) < vec4i(0x38800000));
}

// Rounds to the nearest multiple of 2^−bits and clamps to −limit..limit − 1 units; NaN is 0.
fn fp_round_to_units(a: vec4u, bits: i32, limit: i32) -> vec4u {
    let shift = vec4i(150 - bits) - bits_exponent(a);
    let rounded = vec4i(bits_nearest_even_shift(bits_significand(a), vec4u(clamp(shift, vec4i(2), vec4i(25)))));
    let magnitude = select(rounded, vec4i(limit), shift < vec4i(2));
    let is_negative = a >= vec4u(BITS_SIGN);
    let units = select(min(magnitude, vec4i(limit - 1)), -min(magnitude, vec4i(limit)), is_negative);
    let result = bitcast<vec4u>(vec4f(units)) - vec4u(u32(bits) << 23u);
    return select(result, vec4u(0u), (units == vec4i(0)) | bits_is_nan(a));
}

fn fp_round_to_fx12(a: vec4u) -> vec4u {
    return fp_round_to_units(a, 10, 2048);
}

fn fp_round_to_fx9(a: vec4u) -> vec4u {
    return fp_round_to_units(a, 8, 256);
}

fn fp_clamp(a: vec4u, low: u32, high: u32) -> vec4u {
    var result = bits_flush(a);
    result = select(result, vec4u(low), fp_less(a, vec4u(low)));
    result = select(result, vec4u(high), fp_less(vec4u(high), a));
    return select(result, vec4u(0u), bits_is_nan(a));
}

fn fp_clamp_fx12(a: vec4u) -> vec4u {
    return fp_clamp(a, 0xc0000000u, 0x3fffe000u);
}

fn fp_clamp_fx9(a: vec4u) -> vec4u {
    return fp_clamp(a, 0xbf800000u, 0x3f7f0000u);
}

fn fp_clamp_half(a: vec4u) -> vec4u {
    return fp_round_to_half(a);
}

// ⌊v·(2ⁿ − 1) + ½⌋ for v clamped to 0..1 and n of 1..=24 bits; NaN is 0.
fn fp_float_to_unorm(value: vec4u, bits: u32) -> vec4u {
    return fp_saturated_to_unorm(fp_saturate(value), bits);
}

// `fp_float_to_unorm` for results of `fp_saturate`. v·2ⁿ is exact, and so are its floor and the remainder r. What
// remains is to test whether r − v reaches ½ or is below −½. Where r − ½ or v − ½ is rounded, it is negative. The
// compiler may fuse exact operations with those that follow.
fn fp_saturated_to_unorm(value: vec4u, bits: u32) -> vec4u {
    let v = bitcast<vec4f>(value);
    let scaled = v * f32(1u << clamp(bits, 1u, 24u));
    let whole = vec4i(scaled);
    let rest = scaled - vec4f(whole);
    let up = select(vec4i(0), vec4i(1), opaque4(rest - vec4f(0.5)) >= v);
    let down = select(vec4i(0), vec4i(1), opaque4(v - vec4f(0.5)) > rest);
    return vec4u(whole + up - down);
}

// ⌊v·(2ⁿ − 1) + ½⌋ for halves clamped to 0..1 and n of 2..=12 bits; NaN is 0.
fn fp_half_to_unorm(value: vec4u, bits: u32) -> vec4u {
    let unit = clamp(vec4i(value), vec4i(0), vec4i(i32(BITS_ONE)));
    return fp_unit_half_to_unorm(vec4u(select(unit, vec4i(0), vec4i(value) > vec4i(i32(BITS_INFINITY)))), bits);
}

// `fp_half_to_unorm` for halves in 0..1. The product is exact, so the compiler may fuse it with the sum. Adding
// 2²³ rounds to an integer; the only tie is ½, whose upper neighbor is even.
fn fp_unit_half_to_unorm(value: vec4u, bits: u32) -> vec4u {
    let most = f32((1u << clamp(bits, 2u, 12u)) - 1u);
    return bitcast<vec4u>(bitcast<vec4f>(value) * most + vec4f(0x1p23)) & vec4u(0xfffu);
}

// v/65535 to nearest, for 16 bits: the exact v/2¹⁶ plus the rest of the quotient. The rest is rounded first, which
// changes no sum.
fn fp_fraction_to_float(v: vec4u) -> vec4u {
    let value = vec4f(vec4i(v & vec4u(0xffffu)));
    let rest = opaque4(value * vec4f(0x1.0001p-32));
    return bitcast<vec4u>(value * vec4f(0x1.0p-16) + rest);
}

// value/(2ⁿ − 1) to nearest, for n of 1..=24 bits. The binary digits of the quotient repeat those of the value.
fn fp_unorm_to_float(value: vec4u, bits: u32) -> vec4u {
    let n = clamp(bits, 1u, 24u);
    let most = (1u << n) - 1u;
    let v = value & vec4u(most);
    // The digits from 32 on start within a period.
    let phase = 32u % n;
    let rotated = ((v << vec4u(phase)) | (v >> vec4u(n - phase))) & vec4u(most);
    let high = fp_repeated(v, n);
    let low = fp_repeated(rotated, n);
    let zeros = countLeadingZeros(high) & vec4u(31u);
    let digits = (high << zeros) | ((low >> vec4u(1u)) >> (vec4u(31u) - zeros));
    let rounded = (digits >> vec4u(8u)) + ((digits >> vec4u(7u)) & vec4u(1u));
    return select(((vec4u(125u) - zeros) << vec4u(23u)) + rounded, vec4u(0u), v == vec4u(0u));
}

// The first 32 binary digits of an n-bit value that repeats forever.
fn fp_repeated(v: vec4u, n: u32) -> vec4u {
    var digits = v << vec4u(32u - n);
    digits |= digits >> vec4u(n);
    digits |= select(vec4u(0u), digits >> vec4u((2u * n) & 31u), 2u * n < 32u);
    digits |= select(vec4u(0u), digits >> vec4u((4u * n) & 31u), 4u * n < 32u);
    digits |= select(vec4u(0u), digits >> vec4u((8u * n) & 31u), 8u * n < 32u);
    digits |= select(vec4u(0u), digits >> vec4u((16u * n) & 31u), 16u * n < 32u);
    return digits;
}

// ⌊a·2^bits + halves/2⌋, clamped to the range of i32; NaN is 0.
fn fp_floor_of_scaled(a: vec4u, bits: u32, halves: i32) -> vec4i {
    let shift = vec4i(150 - i32(bits)) - bits_exponent(a);
    let significand = vec4i(bits_significand(a));
    let is_negative = a >= vec4u(BITS_SIGN);
    let value = select(significand, -significand, is_negative);
    let left = value << vec4u(clamp(-shift, vec4i(0), vec4i(7)));
    // Keeps one bit more than the result, then rounds without overflow.
    let doubled = (value << vec4u(1u)) >> vec4u(clamp(shift, vec4i(0), vec4i(31)));
    var result = select((doubled + vec4i(halves)) >> vec4u(1u), left, shift <= vec4i(0));
    let end = select(vec4i(0x7fffffff), vec4i(-0x7fffffff - 1), is_negative);
    result = select(result, end, shift < vec4i(-7));
    return select(result, vec4i(0), bits_is_zero(a) | bits_is_nan(a));
}

fn fp_float_to_int_floor(a: vec4u) -> vec4i {
    return fp_floor_of_scaled(a, 0u, 0);
}

// ⌊a·2^bits + ½⌋ for at most 24 fraction bits.
fn fp_float_to_fixed(a: vec4u, fraction_bits: u32) -> vec4i {
    return fp_floor_of_scaled(a, min(fraction_bits, 24u), 1);
}

// ⌊a·2^bits + ½⌋, clamped to −2²³..2²³; NaN is 0. Floors of floats and products with powers of two are exact.
fn fp_float_to_short_fixed(a: vec4u, bits: u32) -> vec4i {
    let number = select(fp_flush(a), vec4u(0u), bits_is_nan(a));
    let doubled = opaque4(opaque4(bitcast<vec4f>(number)) * vec4f(f32(2u << min(bits, 24u))));
    return (vec4i(clamp(floor(doubled), vec4f(-16777216.0), vec4f(16777216.0))) + vec4i(1)) >> vec4u(1u);
}

// Converts integers below 2²⁴.
fn fp_short_to_float(value: vec4i) -> vec4u {
    return bitcast<vec4u>(vec4f(value));
}

fn fp_int_to_float(value: vec4i) -> vec4u {
    let magnitude = vec4u(abs(value));
    let zeros = countLeadingZeros(magnitude) & vec4u(31u);
    let normal = magnitude << zeros;
    let kept = normal >> vec4u(8u);
    let up = select(vec4u(0u), vec4u(1u), (normal & vec4u(0xffu)) + (kept & vec4u(1u)) > vec4u(128u));
    let result = ((vec4u(157u) - zeros) << vec4u(23u)) + kept + up;
    return select(result | (vec4u(value) & vec4u(BITS_SIGN)), vec4u(0u), value == vec4i(0));
}
