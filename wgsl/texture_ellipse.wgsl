// Ellipses of texels around pixels and the weights in them, four pixels at once; the twin of
// `src/reference/texture_ellipse.rs`.
import package::opaque::opaque4;
import package::numeric_fragment::{fp_add, fp_sub, fp_mul, fp_div, fp_rsq};
import package::numeric_convert::{fp_short_to_float, fp_float_to_fixed, fp_float_to_int_floor};

const ELLIPSE_ONE: vec4u = vec4u(0x3f800000u);

// Texels with a·x² + b·x·y + c·y² < 1 count; columns and rows from the centre to the sides.
struct TextureEllipse {
    a: vec4u,
    b: vec4u,
    c: vec4u,
    columns: vec4i,
    rows: vec4i,
}

fn ellipse_sum(a: vec4u, b: vec4u, c: vec4u, d: vec4u) -> vec4u {
    return fp_add(fp_mul(a, b), fp_mul(c, d));
}

fn ellipse_extent(square: vec4u) -> vec4i {
    let root = fp_mul(square, fp_rsq(square));
    return clamp(fp_float_to_int_floor(root), vec4i(-1), vec4i(63)) + vec4i(1);
}

// The ellipses of the derivatives (ux, vx) along x and (uy, vy) along y, in texels.
fn texture_ellipse(ux: vec4u, vx: vec4u, uy: vec4u, vy: vec4u) -> TextureEllipse {
    let a = fp_add(ellipse_sum(vx, vx, vy, vy), ELLIPSE_ONE);
    let b = fp_mul(ellipse_sum(ux, vx, uy, vy), vec4u(0xc0000000u));
    let c = fp_add(ellipse_sum(ux, ux, uy, uy), ELLIPSE_ONE);
    let f = fp_sub(fp_mul(a, c), fp_mul(fp_mul(b, b), vec4u(0x3e800000u)));
    return TextureEllipse(fp_div(a, f), fp_div(b, f), fp_div(c, f), ellipse_extent(c), ellipse_extent(a));
}

// Weights 0..256 of texels at distances from the centre in 1/256 texel; 0 outside.
//
// Products are left as they come: one that is denormal, or flushed, changes no sum that is near a step of the weight.
fn ellipse_weights(ellipse: TextureEllipse, column: vec4i, row: vec4i) -> vec4u {
    let x = opaque4(vec4f(column) * vec4f(0x1p-8));
    let y = opaque4(vec4f(row) * vec4f(0x1p-8));
    let square = opaque4(opaque4(bitcast<vec4f>(ellipse.a) * x) * x);
    let product = opaque4(opaque4(bitcast<vec4f>(ellipse.b) * x) * y);
    let other = opaque4(opaque4(bitcast<vec4f>(ellipse.c) * y) * y);
    let q = opaque4(opaque4(square + product) + other);
    let is_inside = q < vec4f(1.0);
    let steps = vec4i(select(vec4f(0.0), q, is_inside & (q > vec4f(0.0))) * vec4f(2048.0));
    // (1 - q/16)^32.
    var power = vec4u(vec4i(32768) - steps);
    power = (power * power) >> vec4u(15u);
    power = (power * power) >> vec4u(15u);
    power = (power * power) >> vec4u(15u);
    power = (power * power) >> vec4u(15u);
    power = (power * power) >> vec4u(15u);
    return select(vec4u(0u), power >> vec4u(7u), is_inside);
}

// Consecutive columns.
struct EllipseSpan {
    first: vec4i,
    count: vec4i,
}

// Columns of a row outside of which all weights are 0; `first` is the distance of column 0 from the centre in 1/256 texel.
//
// The ends are estimates, so both are moved outwards; where they could be far off the row is taken whole.
fn ellipse_span(ellipse: TextureEllipse, row: vec4i, first: vec4i, columns: vec4i) -> EllipseSpan {
    let a = bitcast<vec4f>(ellipse.a);
    let b = bitcast<vec4f>(ellipse.b);
    let c = bitcast<vec4f>(ellipse.c);
    let y = vec4f(row) * vec4f(0x1p-8);
    let tilt = b * y;
    let height = c * y * y;
    let margin = (tilt * tilt + 4.0 * a * (height + vec4f(1.0))) * vec4f(0x1p-14);
    let square = tilt * tilt - 4.0 * a * (height - vec4f(1.0)) + margin;
    let scale = vec4f(0.5) / a;
    let middle = -tilt * scale;
    let reach = sqrt(max(square, vec4f(0.0))) * scale;
    let slack = vec4f(0.015625) + (abs(middle) + reach) * vec4f(0x1p-12);
    let origin = middle - vec4f(first) * vec4f(0x1p-8);
    let end = vec4f(columns);
    let left = vec4i(clamp(ceil(origin - reach - slack), vec4f(0.0), end));
    let right = vec4i(clamp(floor(origin + reach + slack) + vec4f(1.0), vec4f(0.0), end));
    let is_plain = (a > vec4f(0x1p-30)) & (a < vec4f(0x1p30)) & (abs(b) < vec4f(0x1p30)) & (abs(c) < vec4f(0x1p30));
    let count = select(max(right - left, vec4i(0)), vec4i(0), square < vec4f(0.0));
    return EllipseSpan(select(vec4i(0), left, is_plain), select(columns, count, is_plain));
}

// Adds a fraction of 16 bits times a weight, which is exact, to a sum.
fn ellipse_fraction_sum(sum: vec4u, fraction: vec4u, weight: vec4f) -> vec4u {
    return bitcast<vec4u>(opaque4(bitcast<vec4f>(sum) + vec4f(fraction) * weight));
}

// Texel numbers of a size that is a power of two, mirrored in every other period.
fn ellipse_mirrored(texel: vec4i, size: vec4u) -> vec4u {
    let place = vec4u(texel) & (size * 2u - vec4u(1u));
    return select(place, size * 2u - vec4u(1u) - place, place >= size);
}

// Centres in 1/256 texel from the middle of texel 0.
fn ellipse_center(scaled: vec4u) -> vec4i {
    let limit = vec4i(1 << 30u);
    return clamp(fp_float_to_fixed(scaled, 8u), -limit, limit) - vec4i(128);
}

// (texel + 1/2) / size for powers of two, else texel / size to nearest, for numbers below 2^23 and sizes up to 2^12.
//
// The estimate is a few units off. What is left over of texel * 2^places shows how many, in few enough bits to
// be computed modulo 2^32. No quotient lies half way, or so near a power of two that the unit changes.
fn ellipse_coordinate(texel: vec4i, size: vec4u) -> vec4u {
    // An odd number is never 0, so that its exponent can be lowered.
    let size_exponent = fp_short_to_float(vec4i(size)) - vec4u(126u << 23u);
    let middle = fp_short_to_float(texel * 2 + vec4i(1)) - size_exponent;
    let magnitude = vec4u(abs(texel));
    let estimate = fp_div(fp_short_to_float(vec4i(magnitude)), fp_short_to_float(vec4i(size)));
    let places = vec4u(150u) - (estimate >> vec4u(23u));
    let significand = (estimate & vec4u(0x7fffffu)) | vec4u(0x800000u);
    let shifted = select(magnitude << (places & vec4u(31u)), vec4u(0u), places > vec4u(31u));
    let twice_left = (shifted - significand * size) * 2u;
    // To nearest; 8 is added so that nothing is negative.
    let units = (twice_left + size * 17u) / (size * 2u);
    let sign = vec4u(texel) & vec4u(0x80000000u);
    let side = select((estimate + units - vec4u(8u)) | sign, vec4u(0u), texel == vec4i(0));
    return select(side, middle, (size & (size - vec4u(1u))) == vec4u(0u));
}
