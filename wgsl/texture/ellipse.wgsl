// Computes anisotropic footprints (ellipses of texels) and their weights, four pixels at once; the twin of
// `src/reference/texture/ellipse.rs`.
import package::arith::optimization_barrier::opaque4;
import package::arith::fragment::{fp_mul, fp_div, fp_rcp, fp_rsq};
import package::arith::convert::{fp_short_to_float, fp_float_to_fixed, fp_float_to_int_floor};

// Texels with a·x² + b·x·y + c·y² < 1 lie inside; columns and rows are half extents from the center.
struct TextureEllipse {
    a: vec4f,
    b: vec4f,
    c: vec4f,
    columns: vec4i,
    rows: vec4i,
}

fn ellipse_sum(a: vec4f, b: vec4f, c: vec4f, d: vec4f) -> vec4f {
    return opaque4(opaque4(a * b) + opaque4(c * d));
}

fn ellipse_extent(square: vec4f) -> vec4i {
    let bits = bitcast<vec4u>(square);
    return clamp(fp_float_to_int_floor(fp_mul(bits, fp_rsq(bits))), vec4i(-1), vec4i(63)) + vec4i(1);
}

// The footprints for derivatives (ux, vx) along x and (uy, vy) along y, in texels.
//
// Operations are native: values that would be flushed are added to one, or are too small to change a weight.
fn texture_ellipse(ux: vec4u, vx: vec4u, uy: vec4u, vy: vec4u) -> TextureEllipse {
    let left = bitcast<vec4f>(ux);
    let top = bitcast<vec4f>(vx);
    let right = bitcast<vec4f>(uy);
    let bottom = bitcast<vec4f>(vy);
    let a = opaque4(ellipse_sum(top, top, bottom, bottom) + vec4f(1.0));
    let b = opaque4(ellipse_sum(left, top, right, bottom) * vec4f(-2.0));
    let c = opaque4(ellipse_sum(left, left, right, right) + vec4f(1.0));
    let f = opaque4(opaque4(a * c) - opaque4(opaque4(b * b) * vec4f(0.25)));
    let scale = opaque4(bitcast<vec4f>(fp_rcp(bitcast<vec4u>(f))));
    return TextureEllipse(
        opaque4(a * scale),
        opaque4(b * scale),
        opaque4(c * scale),
        ellipse_extent(c),
        ellipse_extent(a),
    );
}

// Weights 0..256 of texels of a row at distance `x`, `y` from the center, for multiples of 1/256; 0 outside.
// `other` is c·y².
//
// Products need no flush: a denormal or flushed product changes no sum near a step of the weight.
fn ellipse_weights(ellipse: TextureEllipse, x: vec4f, y: vec4f, other: vec4f) -> vec4u {
    let square = opaque4(opaque4(ellipse.a * x) * x);
    let product = opaque4(opaque4(ellipse.b * x) * y);
    let q = opaque4(opaque4(square + product) + other);
    // Negative values become 0 by an integer comparison; values beyond 1 give any weight.
    let positive = bitcast<vec4f>(max(bitcast<vec4i>(q), vec4i(0)));
    // An integer below 2^23 added to 2^23 is the fraction of the sum; a conversion would clamp first.
    let steps = bitcast<vec4u>(opaque4(floor(positive * vec4f(2048.0)) + vec4f(0x1p23)));
    // (1 - q/16)^32.
    var power = vec4u(0x4b000000u + 32768u) - steps;
    power = (power * power) >> vec4u(15u);
    power = (power * power) >> vec4u(15u);
    power = (power * power) >> vec4u(15u);
    power = (power * power) >> vec4u(15u);
    power = (power * power) >> vec4u(15u);
    return select(vec4u(0u), power >> vec4u(7u), q < vec4f(1.0));
}

// c·y².
fn ellipse_other(ellipse: TextureEllipse, y: vec4f) -> vec4f {
    return opaque4(opaque4(ellipse.c * y) * y);
}

// Converts a distance in 1/256 texel, less than 2^24/256 texels, to a float.
fn ellipse_distance(distance: vec4i) -> vec4f {
    return vec4f(distance) * vec4f(0x1p-8);
}

// Consecutive columns.
struct EllipseSpan {
    first: vec4i,
    count: vec4i,
}

// Finds the columns of a row: x runs from slope·y − reach to slope·y + reach, where reach² = (slope·y)² + inverse
// − inverse·c·y².
struct EllipseRows {
    slope: vec4f,
    inverse: vec4f,
    // Whether the result is reliable.
    is_plain: vec4<bool>,
}

fn ellipse_rows(ellipse: TextureEllipse) -> EllipseRows {
    let least = vec4f(0x1p-30);
    let most = vec4f(0x1p30);
    let is_plain = (ellipse.a > least) & (ellipse.a < most) & (abs(ellipse.b) < most) & (abs(ellipse.c) < most);
    let inverse = vec4f(1.0) / ellipse.a;
    return EllipseRows(ellipse.b * inverse * vec4f(-0.5), inverse, is_plain);
}

// The columns of a row that can have a weight; all others have 0. `origin` is the distance of column 0 from the center.
//
// The ends are estimates, so both move outward; where they could be far off, the span is the whole row.
fn ellipse_span(rows: EllipseRows, y: vec4f, other: vec4f, origin: vec4f, columns: vec4i) -> EllipseSpan {
    let middle = rows.slope * y;
    let square = middle * middle;
    let height = rows.inverse * other;
    let room = square - height + rows.inverse + (square + height + rows.inverse) * vec4f(0x1p-14);
    let reach = sqrt(max(room, vec4f(0.0)));
    let slack = vec4f(0.015625) + (abs(middle) + reach) * vec4f(0x1p-12);
    let place = middle - origin;
    let end = vec4f(columns);
    let left = vec4i(clamp(ceil(place - reach - slack), vec4f(0.0), end));
    let right = vec4i(clamp(floor(place + reach + slack) + vec4f(1.0), vec4f(0.0), end));
    let count = select(max(right - left, vec4i(0)), vec4i(0), room < vec4f(0.0));
    return EllipseSpan(select(vec4i(0), left, rows.is_plain), select(columns, count, rows.is_plain));
}

// Adds a 16-bit number times a weight to a sum. The product is exact, so the compiler may fuse it with the sum.
fn ellipse_fraction_sum(sum: vec4f, fraction: vec4u, weight: vec4f) -> vec4f {
    return sum + vec4f(vec4i(fraction)) * weight;
}

// The sum of fractions divided by the sum of weights, as 16 bits.
fn ellipse_mean_fraction(sum: vec4f, reciprocal: vec4f) -> vec4u {
    // The doubled value has at most 18 bits before the point.
    let doubled = opaque4(floor(opaque4(sum * reciprocal) * vec4f(2.0)) + vec4f(0x1p23));
    return min((bitcast<vec4u>(doubled) - vec4u(0x4affffffu)) >> vec4u(1u), vec4u(0xffffu));
}

// Texel numbers of a size that is a power of two, mirrored in every other period.
fn ellipse_mirrored(texel: vec4i, size: vec4u) -> vec4u {
    let place = vec4u(texel) & (size * 2u - vec4u(1u));
    return select(place, size * 2u - vec4u(1u) - place, place >= size);
}

// The footprints' centers in 1/256 texel from the middle of texel 0.
fn ellipse_center(scaled: vec4u) -> vec4i {
    let limit = vec4i(1 << 30u);
    return clamp(fp_float_to_fixed(scaled, 8u), -limit, limit) - vec4i(128);
}

// (texel + 1/2) / size for powers of two, else texel / size to nearest, for numbers below 2^23 and sizes up to
// 2^12.
//
// The estimate is a few units off. The remainder of texel * 2^places shows how many, in few enough bits to be
// computed modulo 2^32. No quotient lies half way, or so near a power of two that the unit changes.
fn ellipse_coordinate(texel: vec4i, size: vec4u) -> vec4u {
    // An odd number is never 0, so its exponent can be decreased.
    let size_exponent = fp_short_to_float(vec4i(size)) - vec4u(126u << 23u);
    let middle = fp_short_to_float(texel * 2 + vec4i(1)) - size_exponent;
    let magnitude = vec4u(abs(texel));
    let estimate = fp_div(fp_short_to_float(vec4i(magnitude)), fp_short_to_float(vec4i(size)));
    let places = vec4u(150u) - (estimate >> vec4u(23u));
    let significand = (estimate & vec4u(0x7fffffu)) | vec4u(0x800000u);
    let shifted = select(magnitude << (places & vec4u(31u)), vec4u(0u), places > vec4u(31u));
    let twice_left = (shifted - significand * size) * 2u;
    // Rounds to nearest; 8 is added so that nothing is negative.
    let units = (twice_left + size * 17u) / (size * 2u);
    let sign = vec4u(texel) & vec4u(0x80000000u);
    let side = select((estimate + units - vec4u(8u)) | sign, vec4u(0u), texel == vec4i(0));
    return select(side, middle, (size & (size - vec4u(1u))) == vec4u(0u));
}
