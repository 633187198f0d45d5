// Converts texture coordinates to texels, four pixels at once; the twin of `src/reference/texture/addressing.rs`
// and `texture_lod.rs`.
import package::fragment::quad::QuadVector;
import package::arith::optimization_barrier::opaque4;
import package::arith::fragment::{fp_add, fp_sub, fp_mul, fp_frc, fp_rcp, fp_flush};
import package::arith::bits::bits_is_nan;
import package::arith::convert::fp_float_to_short_fixed;

// The texel number that stands for the border.
const BORDER: u32 = 0xffffffffu;

const TEXTURE_HALF: vec4u = vec4u(0x3f000000u);
const TEXTURE_SIGN: u32 = 0x80000000u;

// The texels of one axis: first, second, weight of the second in 1/256.
struct AxisTaps {
    first: vec4u,
    second: vec4u,
    weight: vec4u,
}

// Scales a coordinate 0..1 to texels; a NaN may have any bits. Products with sizes are never denormal.
fn scaled_coordinate(coordinate: vec4u, size: vec4u) -> vec4u {
    return scaled_flushed(opaque4(bitcast<vec4f>(fp_flush(coordinate))), size);
}

// `scaled_coordinate` for a coordinate that is not denormal and that the compiler does not know.
fn scaled_flushed(coordinate: vec4f, size: vec4u) -> vec4u {
    return bitcast<vec4u>(opaque4(coordinate * vec4f(vec4i(size))));
}

// The fraction of a coordinate, mirrored in every other period.
fn mirrored_coordinate(coordinate: vec4u) -> vec4u {
    let fraction = fp_frc(fp_mul(coordinate, TEXTURE_HALF));
    let twice = fp_add(fraction, fraction);
    return select(twice, fp_sub(vec4u(0x40000000u), twice), twice > vec4u(0x3f800000u));
}

// Coordinates in texels as floats, which are not denormal; NaN becomes 0.
fn texel_number(scaled: vec4u) -> vec4f {
    return bitcast<vec4f>(select(scaled, vec4u(0u), bits_is_nan(scaled)));
}

// The floor, within −2²²..2²², plus `added`; the low bits of a sum with 3·2²² hold the result.
fn floor_plus(value: vec4f, added: i32) -> vec4i {
    return bitcast<vec4i>(floor(value) + vec4f(0x1.8p23)) + vec4i(added - 0x4b400000);
}

// The first of two texels in 1/256 of a texel, from the position between them; a fraction of `carry` counts as 1.
fn corner_at(place: vec4f, carry: f32) -> vec4i {
    let carries = place - floor(place) >= vec4f(carry);
    return floor_plus(place, -128) + select(vec4i(0), vec4i(1), carries);
}

// The first of the two texels to be weighted, in 1/256 of a texel. `clamps`: coordinates are clamped to the image. Other
// coordinates stay within two texels of it.
fn linear_corner(scaled: vec4u, size: vec4u, clamps: bool, carry: f32) -> vec4i {
    let end = vec4f(vec4i(size)) * vec4f(256.0);
    let place = texel_number(scaled) * vec4f(256.0);
    return corner_at(clamp(place, vec4f(select(-512.0, 0.0, clamps)), end + vec4f(select(512.0, 0.0, clamps))), carry);
}

// `linear_corner` for coordinates inside the image.
fn inner_corner(scaled: vec4u, carry: f32) -> vec4i {
    return corner_at(texel_number(scaled) * vec4f(256.0), carry);
}

// The nearest texel.
fn nearest_texel(scaled: vec4u, size: vec4u) -> vec4i {
    return floor_plus(clamp(texel_number(scaled), vec4f(-1.0), vec4f(vec4i(size))), 0);
}

// Wraps texels outside the image around to the other side.
fn repeated_texel(texel: vec4i, size: vec4u) -> vec4u {
    let end = vec4i(size);
    let lower = select(texel, texel + end, texel < vec4i(0));
    return edge_texel(select(lower, texel - end, texel >= end), size);
}

// `repeated_texel` for any number of periods, if the size is a power of two.
fn periodic_texel(texel: vec4i, size: vec4u) -> vec4u {
    return vec4u(texel) & (size - vec4u(1u));
}

// Clamps texels to the image.
fn edge_texel(texel: vec4i, size: vec4u) -> vec4u {
    return vec4u(clamp(texel, vec4i(0), vec4i(size) - vec4i(1)));
}

// Replaces texels outside the image by the border.
fn border_texel(texel: vec4i, size: vec4u) -> vec4u {
    // As unsigned numbers, negative ones are beyond every size.
    return select(vec4u(BORDER), vec4u(texel), vec4u(texel) < size);
}

// Clamps texels to the border: -1 (modulo 2^32) to the size.
fn outer_texel(texel: vec4i, size: vec4u) -> vec4u {
    return vec4u(clamp(texel, vec4i(-1), vec4i(size)));
}

// The footprint of a fetch: level of detail in 1/256; length and width in texels of the base level, as base-2 logarithms
// in 1/256; the derivatives of s and t along its longer side.
struct TextureFootprint {
    lod: vec4i,
    length: vec4i,
    width: vec4i,
    step_s: vec4u,
    step_t: vec4u,
}

// A footprint with a level of detail only.
fn point_footprint(lod: vec4i) -> TextureFootprint {
    return TextureFootprint(lod, vec4i(0), vec4i(0), vec4u(0u), vec4u(0u));
}

// Half the base-2 logarithm of a squared length, in 1/256.
fn lod_of_square(square: vec4u) -> vec4i {
    let exponent = vec4i(square >> vec4u(23u));
    let fraction = (square >> vec4u(7u)) & vec4u(0xffffu);
    let bend = (((fraction * (vec4u(0x10000u) - fraction)) >> vec4u(16u)) * 22525u) >> vec4u(16u);
    let logarithm = ((exponent - vec4i(127)) << vec4u(16u)) + vec4i(fraction + bend);
    var lod = (logarithm + vec4i(256)) >> vec4u(9u);
    lod = select(lod, vec4i(-0x100000), exponent == vec4i(0));
    lod = select(lod, vec4i(0), square > vec4u(0x7f800000u));
    return select(lod, vec4i(0x100000), square == vec4u(0x7f800000u));
}

// Converts a float to a level of detail in 1/256, clamped.
fn fixed_lod(value: vec4u) -> vec4i {
    return clamp(fp_float_to_short_fixed(value, 8u), vec4i(-0x100000), vec4i(0x100000));
}

// The cube faces of directions: +x, -x, +y, -y, +z, -z.
fn cube_faces(direction: QuadVector) -> vec4u {
    let x = direction.x & vec4u(0x7fffffffu);
    let y = direction.y & vec4u(0x7fffffffu);
    let z = direction.z & vec4u(0x7fffffffu);
    let is_x = (x >= y) & (x >= z);
    let is_y = y >= z;
    let sign = select(select(direction.z, direction.y, is_y), direction.x, is_x) >> vec4u(31u);
    return select(select(vec4u(4u), vec4u(2u), is_y), vec4u(0u), is_x) + sign;
}

// Projects directions onto faces: s and t, 0..1 inside the face.
fn cube_coordinates(direction: QuadVector, face: vec4u) -> QuadVector {
    let x = direction.x;
    let y = direction.y;
    let z = direction.z;
    let sign = vec4u(TEXTURE_SIGN);
    var s = x;
    var t = y ^ sign;
    s = select(s, z ^ sign, face == vec4u(0u));
    s = select(s, z, face == vec4u(1u));
    s = select(s, x ^ sign, face == vec4u(5u));
    t = select(t, z, face == vec4u(2u));
    t = select(t, z ^ sign, face == vec4u(3u));
    let major = select(select(z, y, face < vec4u(4u)), x, face < vec4u(2u)) & vec4u(0x7fffffffu);
    let scale = fp_rcp(major);
    return QuadVector(
        fp_add(fp_mul(fp_mul(s, scale), TEXTURE_HALF), TEXTURE_HALF),
        fp_add(fp_mul(fp_mul(t, scale), TEXTURE_HALF), TEXTURE_HALF),
        vec4u(0u),
        vec4u(0u),
    );
}
