// Interpolates the inputs of a quad's fragments with perspective correction; the twin of
// `src/reference/interp/interpolate.rs`.

import package::raster::line_coverage::line_coverage;
import package::arith::convert::fp_int_to_float;
import package::arith::fragment::{fp_flush, fp_add, fp_mul, fp_ex2, fp_min, fp_max, fp_saturate};
import package::arith::special::special_rcp;
import package::arith::fragment::fp_less_equal_ftz;
import package::arith::optimization_barrier::opaque_zero;
import package::raster::polygon_coverage::polygon_coverage;
import package::fragment::quad::QuadVector;
import package::interp::quad_weights::{QuadWeights, quad_functions, quad_weights, weighted_depth};
import package::interp::quad_weights::{fp_difference, interpolate_component, interpolate_differences};
import package::interp::quad_weights::{weight_add, weight_canonical, weight_clean, weight_saturate};
import package::raster::parameters::{raster, CLIPS_DEPTH, CLAMPS_DEPTH, IS_FLAT, TWO_SIDED, SPRITE_R_SHIFT, NO_REGISTER};
import package::raster::parameters::{LINE_SMOOTH, POLYGON_SMOOTH};
import package::raster::parameters::{TEXCOORD_SPRITE, TEXCOORD_2D, ORIGIN_INVERTED, CENTER_INTEGER};
import package::setup::primitive_setup::{KIND_LINE, KIND_MASK, KIND_POINT, KIND_TRIANGLE, RECORD_CLIPPED, RECORD_FRONT};
import package::setup::load_setup::{stored_depth, stored_edges, stored_header, stored_perspective, stored_shares};
import package::setup::load_setup::{stored_span, stored_vertices, stored_weights};
import package::vertex::outputs::vertex_output;
const ONE_BITS: u32 = 0x3f800000u;
const ALL_ONE: vec4u = vec4u(ONE_BITS);

// The current primitive.
var<private> setup_index: u32;
var<private> setup_weights: array<vec4i, 3>;
var<private> setup_perspective: vec4u;
var<private> setup_depth: vec4u;
var<private> setup_shares: array<vec4u, 2>;
var<private> quad_header: vec4u;
var<private> quad_vertices: vec4u;
var<private> quad_span: vec4u;

// The current quad.
var<private> quad_word: u32;
var<private> quad_share: QuadWeights;
var<private> quad_final_depth: vec4u;
var<private> quad_final_coverage: vec4<bool>;

// An interpolated input: its value at vertex 0 and the differences of vertices 1 and 2.
struct Attribute {
    base: vec4u,
    difference1: vec4u,
    difference2: vec4u,
}

fn bits_of(passes: vec4<bool>) -> u32 {
    let bits = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), passes);
    return bits.x | bits.y | bits.z | bits.w;
}

// Makes a primitive the current one.
fn load_setup(index: u32) {
    setup_index = index;
    quad_header = stored_header(index);
    quad_vertices = stored_vertices(index);
    quad_span = stored_span(index);
    setup_weights = stored_weights(index);
    setup_perspective = stored_perspective(index);
    setup_depth = stored_depth(index);
    setup_shares = stored_shares(index);
}

// Makes a quad of the current primitive the current one; bit i: pixel i is covered.
fn enter_quad(x: u32, y: u32, coverage: u32) {
    let functions = setup_functions(x, y);
    enter_quad_depth(x, y, coverage, functions);
    enter_quad_shares(functions);
}

// The weight functions of the current primitive at a quad.
fn setup_functions(x: u32, y: u32) -> array<vec4u, 3> {
    return quad_functions(setup_weights, i32(x), i32(y));
}

// Computes the coverage and depth of a quad from its weight functions.
fn enter_quad_depth(x: u32, y: u32, coverage: u32, functions: array<vec4u, 3>) {
    quad_word = x | (y << 16u);
    let depth = weighted_depth(functions[1], functions[2], setup_perspective, setup_depth);
    let is_covered = (vec4u(coverage) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);
    quad_final_coverage = is_covered & are_in_depth_range(depth);
    quad_final_depth = final_depth(depth, setup_depth.w);
}

// Computes the weights, which inputs need.
fn enter_quad_shares(functions: array<vec4u, 3>) {
    let is_clipped = (quad_header.x & RECORD_CLIPPED) != 0u;
    quad_share = quad_weights(is_clipped, functions, setup_perspective, setup_shares);
}

// The pixels inside the depth range, for draws that clip to it.
fn are_in_depth_range(depth: vec4u) -> vec4<bool> {
    if (raster.flags & CLIPS_DEPTH) == 0u {
        return vec4<bool>(true);
    }
    let range = fp_flush(raster.depth);
    let value = weight_clean(depth);
    return fp_less_equal_ftz(range.xxxx, value) & fp_less_equal_ftz(value, range.yyyy);
}

// Depth after offset and clamp.
fn final_depth(depth: vec4u, offset: u32) -> vec4u {
    var moved = weight_canonical(weight_add(weight_clean(depth), weight_clean(vec4u(offset))));
    if (raster.flags & CLAMPS_DEPTH) != 0u {
        moved = fp_min(fp_max(moved, raster.depth.xxxx), raster.depth.yyyy);
    }
    return weight_saturate(moved);
}

// Bit i: pixel i is covered and inside the depth range.
fn quad_coverage() -> u32 {
    return bits_of(quad_final_coverage);
}

fn quad_covers() -> vec4<bool> {
    return quad_final_coverage;
}

// The share of each pixel that a smooth line or polygon covers, 1 for other primitives; pixels with a share of 0
// are not covered. Only for draws that can contain smooth lines or polygons.
fn quad_alpha_coverage() -> vec4u {
    let kind = quad_header.x & KIND_MASK;
    let x = i32(quad_word & 0xffffu);
    let y = i32(quad_word >> 16u);
    if kind == KIND_LINE && (raster.flags & LINE_SMOOTH) != 0u {
        return line_coverage(setup_weights, quad_span, x, y);
    }
    if kind == KIND_TRIANGLE && (raster.flags & POLYGON_SMOOTH) != 0u {
        return polygon_coverage(stored_edges(setup_index), quad_span, x, y);
    }
    return ALL_ONE;
}

// Column of the left pixels | row of the upper pixels << 16.
fn quad_position_word() -> u32 {
    return quad_word;
}

fn quad_is_front() -> bool {
    return (quad_header.x & RECORD_FRONT) != 0u;
}

// Depth after offset and clamp.
fn quad_depth() -> vec4u {
    return quad_final_depth;
}

fn quad_columns() -> vec4i {
    return vec4i(i32(quad_word & 0xffffu)) + vec4i(0, 1, 0, 1);
}

fn quad_rows() -> vec4i {
    return vec4i(i32(quad_word >> 16u)) + vec4i(0, 0, 1, 1);
}

fn input_window_position() -> QuadVector {
    let conventions = raster.fog.z;
    let center = vec4i(i32((conventions & CENTER_INTEGER) != 0u));
    let columns = 2 * quad_columns() + 1;
    var rows = 2 * quad_rows() + 1;
    if (conventions & ORIGIN_INVERTED) != 0u {
        rows = vec4i(2 * i32(raster.fog.w)) - rows;
    }
    var position: QuadVector;
    position.x = fp_mul(fp_int_to_float(columns - center), vec4u(0x3f000000u));
    position.y = fp_mul(fp_int_to_float(rows - center), vec4u(0x3f000000u));
    position.z = quad_final_depth;
    position.w = quad_share.reciprocal_w;
    return position;
}

// An output register at the vertices of the current primitive.
fn load_register(result_number: u32) -> Attribute {
    let a0 = vertex_output(quad_vertices.x, result_number);
    let a1 = vertex_output(quad_vertices.y, result_number);
    let a2 = vertex_output(quad_vertices.z, result_number);
    return Attribute(fp_flush(a0), fp_difference(a1, a0), fp_difference(a2, a0));
}

fn interpolate_attribute(corners: Attribute) -> QuadVector {
    return interpolate_differences(quad_share, corners.base, corners.difference1, corners.difference2);
}

fn load_color(result_number: u32) -> Attribute {
    if result_number == NO_REGISTER {
        return Attribute(vec4u(0u, 0u, 0u, ONE_BITS) | vec4u(opaque_zero), vec4u(0u), vec4u(0u));
    }
    if (raster.flags & IS_FLAT) != 0u {
        return Attribute(vertex_output(quad_header.w, result_number), vec4u(0u), vec4u(0u));
    }
    return load_register(result_number);
}

fn color_of(result_number: u32, corners: Attribute) -> QuadVector {
    var color: QuadVector;
    if result_number == NO_REGISTER || (raster.flags & IS_FLAT) != 0u {
        let value = corners.base;
        color = QuadVector(value.xxxx, value.yyyy, value.zzzz, value.wwww);
    } else {
        color = interpolate_attribute(corners);
    }
    return QuadVector(
        weight_saturate(color.x),
        weight_saturate(color.y),
        weight_saturate(color.z),
        weight_saturate(color.w),
    );
}

fn quad_shows_back_color() -> bool {
    return (raster.flags & TWO_SIDED) != 0u && !quad_is_front();
}

fn color0_register() -> u32 {
    return select(raster.colors.x, raster.colors.z, quad_shows_back_color());
}

fn color1_register() -> u32 {
    return select(raster.colors.y, raster.colors.w, quad_shows_back_color());
}

// Each input is loaded in two steps: first what depends on the primitive, then what depends on the quad.

fn load_color0() -> Attribute {
    return load_color(color0_register());
}

fn color0_of(corners: Attribute) -> QuadVector {
    return color_of(color0_register(), corners);
}

fn input_color0() -> QuadVector {
    return color0_of(load_color0());
}

fn load_color1() -> Attribute {
    return load_color(color1_register());
}

fn color1_of(corners: Attribute) -> QuadVector {
    return color_of(color1_register(), corners);
}

fn input_color1() -> QuadVector {
    return color1_of(load_color1());
}

fn fog_factor(coordinate: vec4u) -> vec4u {
    let code = raster.scalars.z;
    let distance = select(coordinate, coordinate & vec4u(0x7fffffffu), (code & 4u) != 0u);
    let scaled = fp_mul(raster.fog.yyyy, distance);
    var factor: vec4u;
    if (code & 1u) == 0u {
        factor = fp_add(scaled, fp_add(raster.fog.xxxx, vec4u(0xbf800000u)));
    } else {
        let base = fp_add(fp_add(scaled, raster.fog.xxxx), vec4u(0xbfc00000u));
        let single = fp_mul(base, vec4u(0x417fda72u));
        let root = fp_mul(base, vec4u(0x40b4fea7u));
        let squared = fp_mul(root, root) ^ vec4u(0x80000000u);
        factor = fp_ex2(select(single, squared, (code & 2u) != 0u));
    }
    return fp_saturate(factor);
}

// The fog coordinate in all components.
fn load_fog() -> Attribute {
    let source = raster.scalars.x;
    if source == NO_REGISTER {
        return Attribute(vec4u(0u), vec4u(0u), vec4u(0u));
    }
    let value = load_register(source >> 2u);
    switch source & 3u {
        case 0u: { return Attribute(value.base.xxxx, value.difference1.xxxx, value.difference2.xxxx); }
        case 1u: { return Attribute(value.base.yyyy, value.difference1.yyyy, value.difference2.yyyy); }
        case 2u: { return Attribute(value.base.zzzz, value.difference1.zzzz, value.difference2.zzzz); }
        default: { return Attribute(value.base.wwww, value.difference1.wwww, value.difference2.wwww); }
    }
}

fn fog_of(corners: Attribute) -> QuadVector {
    var coordinate = vec4u(0u);
    if raster.scalars.x != NO_REGISTER {
        coordinate = interpolate_component(quad_share, corners.base.x, corners.difference1.x, corners.difference2.x);
    }
    return QuadVector(coordinate, fog_factor(coordinate), vec4u(0u), vec4u(0u));
}

fn input_fog() -> QuadVector {
    return fog_of(load_fog());
}

fn quad_sprite(replaced: QuadVector) -> QuadVector {
    let left = bitcast<i32>(quad_span.x);
    let top = bitcast<i32>(quad_span.y);
    var sprite: QuadVector;
    sprite.x = fp_mul(fp_int_to_float(16 * quad_columns() + 8 - left), quad_span.zzzz);
    sprite.y = fp_mul(fp_int_to_float(16 * quad_rows() + 8 - top), quad_span.zzzz);
    let mode = (raster.flags >> SPRITE_R_SHIFT) & 3u;
    sprite.z = select(select(vec4u(opaque_zero), replaced.x, mode == 2u), replaced.z, mode == 1u);
    sprite.w = ALL_ONE | vec4u(opaque_zero);
    return sprite;
}

// Texture coordinate n, 0..9.
fn load_texcoord(n: u32) -> Attribute {
    let result_number = raster.texcoords[n >> 2u][n & 3u] & 0xffu;
    if result_number == NO_REGISTER {
        return Attribute(vec4u(0u), vec4u(0u), vec4u(0u));
    }
    return load_register(result_number);
}

// Point sprites and the "2D" flag replace components.
fn texcoord_of(n: u32, corners: Attribute) -> QuadVector {
    let texcoord = raster.texcoords[n >> 2u][n & 3u];
    let zero = vec4u(opaque_zero);
    var value = QuadVector(zero, zero, zero, zero);
    if (texcoord & 0xffu) != NO_REGISTER {
        value = interpolate_attribute(corners);
    }
    if (texcoord & TEXCOORD_SPRITE) != 0u && (quad_header.x & KIND_MASK) == KIND_POINT {
        value = quad_sprite(value);
    }
    if (texcoord & TEXCOORD_2D) != 0u {
        value.z = zero;
        value.w = special_rcp(quad_share.reciprocal_w);
    }
    return value;
}

fn input_texcoord(n: u32) -> QuadVector {
    return texcoord_of(n, load_texcoord(n));
}

// +1 on front faces, −1 on back faces.
fn input_facing() -> QuadVector {
    let sign = select(vec4u(0xbf800000u), ALL_ONE, quad_is_front());
    return QuadVector(sign, vec4u(0u), vec4u(0u), ALL_ONE);
}
