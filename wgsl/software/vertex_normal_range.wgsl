// Computes products and sums of the vertex processor for values far from the ends of the range: the bits of
// `vertex.wgsl` and `vertex_v2.wgsl` at lower cost, if no check fails.
//
// Factors of sums must not be denormal. The largest term of a sum must be zero, or at least 2⁻⁹⁷ and below 2¹²⁷:
// then products that a native multiplication rounds too coarsely are below the bits that a sum keeps, and sums are
// normal or zero. Factors of single products must be zero, or at least 2⁻⁶³ and below 2⁶⁴, so that products are
// normal or zero.
import package::arith::bits::{BITS_ONE, BITS_SIGN, BITS_INFINITY, BITS_MAGNITUDE, bits_significand};

// The sum of two exponent fields: the largest term's, and that of the factor that scales it to 2²⁸; then the
// inverse.
const NORMAL_RANGE_SCALE: u32 = 0x8d000000u;
const NORMAL_RANGE_UNSCALE: u32 = 0x0e000000u;
const NORMAL_RANGE_LEAST_TERM: u32 = 0x0f000000u;

fn normal_range_is_denormal(a: u32) -> bool {
    return (a & BITS_MAGNITUDE) - 1u < 0x007fffffu;
}

fn normal_range_is_wrong_factor(a: u32) -> bool {
    let magnitude = a & BITS_MAGNITUDE;
    return (magnitude != 0u) & (magnitude - 0x20000000u >= 0x3f800000u);
}

fn normal_range_is_wrong_term(magnitude: u32) -> bool {
    return (magnitude != 0u) & (magnitude - NORMAL_RANGE_LEAST_TERM >= 0x70000000u);
}

// Sums, and the magnitudes of their largest terms.
struct NormalRangeSums {
    value: vec4u,
    largest: vec4u,
}

// Truncated products; a product with a zero factor is a zero of any sign. The native product is off by at most one
// unit. The low words of the exact product and of this one show whether it was rounded up.
fn normal_range_product(a: vec4u, b: vec4u) -> vec4u {
    let rounded = bitcast<vec4u>(bitcast<vec4f>(a) * bitcast<vec4f>(b));
    let magnitude = rounded & vec4u(BITS_MAGNITUDE);
    let exponents = ((a & vec4u(BITS_MAGNITUDE)) >> vec4u(23u)) + ((b & vec4u(BITS_MAGNITUDE)) >> vec4u(23u));
    // Shifts of 23 and 24 remove sign and exponent.
    let shift = (magnitude >> vec4u(23u)) + vec4u(150u) - exponents;
    let excess = (rounded << shift) - bits_significand(a) * bits_significand(b);
    return rounded - min(magnitude, select(vec4u(0u), vec4u(1u), vec4i(excess) > vec4i(0)));
}

fn normal_range_mul(a: vec4u, b: vec4u) -> vec4u {
    let product = normal_range_product(a, b);
    return select(product, vec4u(0u), (product & vec4u(BITS_MAGNITUDE)) == vec4u(0u));
}

// The terms in units of 2⁻²⁸ of the largest term's power of two, truncated.
fn normal_range_units(a: vec4u, largest: vec4u) -> vec4i {
    let scale = vec4u(NORMAL_RANGE_SCALE) - max(largest & vec4u(BITS_INFINITY), vec4u(NORMAL_RANGE_LEAST_TERM));
    return vec4i(bitcast<vec4f>(a) * bitcast<vec4f>(scale));
}

// Converts these units to floats; truncates. Fewer than 2³¹ − 2⁶ units never round to 2³¹.
fn normal_range_assembled(total: vec4i, largest: vec4u) -> vec4u {
    let magnitude = abs(total);
    let nearest = vec4f(magnitude);
    let truncated = bitcast<vec4u>(nearest) - select(vec4u(0u), vec4u(1u), vec4i(nearest) > magnitude);
    let unscale = max(largest & vec4u(BITS_INFINITY), vec4u(NORMAL_RANGE_LEAST_TERM)) - vec4u(NORMAL_RANGE_UNSCALE);
    return bitcast<vec4u>(bitcast<vec4f>(truncated) * bitcast<vec4f>(unscale)) | (vec4u(total) & vec4u(BITS_SIGN));
}

fn normal_range_add(a: vec4u, b: vec4u) -> NormalRangeSums {
    let largest = max(a & vec4u(BITS_MAGNITUDE), b & vec4u(BITS_MAGNITUDE));
    let total = normal_range_units(a, largest) + normal_range_units(b, largest);
    return NormalRangeSums(normal_range_assembled(total, largest), largest);
}

fn normal_range_mad(a: vec4u, b: vec4u, c: vec4u) -> NormalRangeSums {
    return normal_range_add(normal_range_product(a, b), c);
}

fn normal_range_dp3(a: vec4u, b: vec4u) -> NormalRangeSums {
    let product = normal_range_product(a, b);
    let magnitude = product & vec4u(BITS_MAGNITUDE);
    let largest = max(max(magnitude.x, magnitude.y), magnitude.z);
    let units = normal_range_units(product, vec4u(largest));
    return NormalRangeSums(normal_range_assembled(vec4i(units.x + units.y + units.z), vec4u(largest)), vec4u(largest));
}

fn normal_range_dph(a: vec4u, b: vec4u) -> NormalRangeSums {
    return normal_range_dp4(vec4u(a.xyz, BITS_ONE), b);
}

fn normal_range_dp4(a: vec4u, b: vec4u) -> NormalRangeSums {
    let product = normal_range_product(a, b);
    let magnitude = product & vec4u(BITS_MAGNITUDE);
    let largest = max(max(magnitude.x, magnitude.y), max(magnitude.z, magnitude.w));
    let units = normal_range_units(product, vec4u(largest));
    let total = units.x + units.y + units.z + units.w;
    return NormalRangeSums(normal_range_assembled(vec4i(total), vec4u(largest)), vec4u(largest));
}

// On NV20, three or more terms that overflow give the largest finite number; two terms in range do not overflow.
fn normal_range_saturated(sums: NormalRangeSums) -> NormalRangeSums {
    let overflows = (sums.value & vec4u(BITS_MAGNITUDE)) == vec4u(BITS_INFINITY);
    return NormalRangeSums(sums.value - select(vec4u(0u), vec4u(1u), overflows), sums.largest);
}

fn normal_range_dp3_v2(a: vec4u, b: vec4u) -> NormalRangeSums {
    return normal_range_saturated(normal_range_dp3(a, b));
}

fn normal_range_dph_v2(a: vec4u, b: vec4u) -> NormalRangeSums {
    return normal_range_saturated(normal_range_dph(a, b));
}

fn normal_range_dp4_v2(a: vec4u, b: vec4u) -> NormalRangeSums {
    return normal_range_saturated(normal_range_dp4(a, b));
}
