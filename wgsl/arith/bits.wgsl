// Bit patterns of floats, which every exact operation works on; the twin of `crates/isa/src/arith/mod.rs`.

const BITS_ONE: u32 = 0x3f800000u;
const BITS_SIGN: u32 = 0x80000000u;
const BITS_INFINITY: u32 = 0x7f800000u;
const BITS_NAN: u32 = 0x7fffffffu;
const BITS_MIN_NORMAL: u32 = 0x00800000u;
const BITS_FRACTION: u32 = 0x007fffffu;
const BITS_MAGNITUDE: u32 = 0x7fffffffu;

// 1.0 in four lanes.
const BITS_ONES: vec4u = vec4u(BITS_ONE);

fn bits_is_nan(a: vec4u) -> vec4<bool> {
    return (a & vec4u(BITS_MAGNITUDE)) > vec4u(BITS_INFINITY);
}

// Zeros and denormals.
fn bits_is_zero(a: vec4u) -> vec4<bool> {
    return (a & vec4u(BITS_INFINITY)) == vec4u(0u);
}

fn bits_exponent(a: vec4u) -> vec4i {
    return vec4i((a >> vec4u(23u)) & vec4u(0xffu));
}

fn bits_significand(a: vec4u) -> vec4u {
    return (a & vec4u(BITS_FRACTION)) | vec4u(BITS_MIN_NORMAL);
}

// A denormal becomes zero of its sign.
fn bits_flush(a: vec4u) -> vec4u {
    return select(a, a & vec4u(BITS_SIGN), bits_is_zero(a));
}

// The floor of a value of magnitude at least 1. Magnitudes of negative values round up, and the carry runs into
// the exponent.
fn bits_floor_of_large(a: vec4u) -> vec4u {
    let lost = (vec4u(1u) << vec4u(clamp(vec4i(150) - bits_exponent(a), vec4i(0), vec4i(23)))) - vec4u(1u);
    return (a + select(vec4u(0u), lost, a >= vec4u(BITS_SIGN))) & ~lost;
}

// Divides by 2^shift and rounds to nearest even, for shifts of 1..=31 and values below 2^31.
fn bits_nearest_even_shift(value: vec4u, shift: vec4u) -> vec4u {
    let below_half = (vec4u(1u) << (shift - vec4u(1u))) - vec4u(1u);
    return (value + below_half + ((value >> shift) & vec4u(1u))) >> shift;
}

// −1.0 or +0. Mesa's optimizer turns a select between these two constants into a negated float, which gives −0.
fn bits_minus_one_if(condition: vec4<bool>) -> vec4u {
    return select(vec4u(0u), BITS_ONES, condition) | select(vec4u(0u), vec4u(BITS_SIGN), condition);
}
