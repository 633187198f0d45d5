// What the fragments of a quad read: perspective-correct interpolants; twin of `src/reference/interpolate.rs`.

import package::line_coverage::line_coverage;
import package::numeric_convert::fp_int_to_float;
import package::numeric_fragment::{fp_add, fp_mul, fp_rcp, fp_ex2, fp_min, fp_max, fp_saturate};
import package::numeric_fragment::fp_less_equal;
import package::polygon_coverage::polygon_coverage;
import package::quad::QuadVector;
import package::quad_weights::{QuadWeights, quad_weights, interpolate_register};
import package::raster_parameters::{raster, CLIPS_DEPTH, CLAMPS_DEPTH, IS_FLAT, TWO_SIDED, SPRITE_R_SHIFT, NO_REGISTER};
import package::raster_parameters::{LINE_SMOOTH, POLYGON_SMOOTH};
import package::raster_parameters::{TEXCOORD_SPRITE, TEXCOORD_2D, ORIGIN_INVERTED, CENTER_INTEGER};
import package::set_up_record::{SetUpRecord, KIND_LINE, KIND_MASK, KIND_POINT, KIND_TRIANGLE, RECORD_CLIPPED, RECORD_FRONT};

@group(0) @binding(4)
var<storage, read> vertices: array<vec4u>;
@group(0) @binding(7)
var<storage, read> records: array<SetUpRecord>;
@group(0) @binding(10)
var<storage, read> quads: array<vec4u>;

const ONE_BITS: u32 = 0x3f800000u;
const ALL_ONE: vec4u = vec4u(ONE_BITS);

// The quad at hand.
var<private> quad_word: u32;
var<private> quad_header: vec4u;
var<private> quad_vertices: vec4u;
var<private> quad_share: QuadWeights;
var<private> quad_final_depth: vec4u;
var<private> quad_final_coverage: u32;
var<private> quad_span: vec4u;

fn bits_of(passes: vec4<bool>) -> u32 {
    let bits = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), passes);
    return bits.x | bits.y | bits.z | bits.w;
}

// Makes a quad of the list the quad at hand.
fn load_quad(index: u32) {
    let quad = quads[index];
    quad_word = quad.y;
    let x = i32(quad.y & 0xffffu);
    let y = i32(quad.y >> 16u);
    quad_header = records[quad.x].header;
    quad_vertices = records[quad.x].vertices;
    quad_span = records[quad.x].span;
    let depth = records[quad.x].depth;
    quad_share = quad_weights(
        (quad_header.x & RECORD_CLIPPED) != 0u,
        records[quad.x].weights,
        records[quad.x].perspective,
        depth,
        records[quad.x].shares,
        x,
        y,
    );
    quad_final_coverage = pixels_in_range(quad.z, quad_share.depth);
    quad_final_depth = final_depth(quad_share.depth, depth.w);
}

// The covered pixels inside the depth range, where that clips.
fn pixels_in_range(coverage: u32, depth: vec4u) -> u32 {
    if (raster.flags & CLIPS_DEPTH) == 0u {
        return coverage;
    }
    return coverage & bits_of(fp_less_equal(raster.depth.xxxx, depth))
        & bits_of(fp_less_equal(depth, raster.depth.yyyy));
}

// Depth after offset and clamp.
fn final_depth(depth: vec4u, offset: u32) -> vec4u {
    var moved = fp_add(depth, vec4u(offset));
    if (raster.flags & CLAMPS_DEPTH) != 0u {
        moved = fp_min(fp_max(moved, raster.depth.xxxx), raster.depth.yyyy);
    }
    return fp_saturate(moved);
}

// Bit i: pixel i is covered and inside the depth range.
fn quad_coverage() -> u32 {
    return quad_final_coverage;
}

// The share of each pixel that a smooth line or polygon covers, 1 in other primitives; pixels where it is 0 are not
// covered. Only for draws that can contain smooth lines or polygons. `index` is the quad at hand.
fn quad_alpha_coverage(index: u32) -> vec4u {
    let record = quads[index].x;
    let kind = quad_header.x & KIND_MASK;
    let x = i32(quad_word & 0xffffu);
    let y = i32(quad_word >> 16u);
    if kind == KIND_LINE && (raster.flags & LINE_SMOOTH) != 0u {
        return line_coverage(records[record].weights, quad_span, x, y);
    }
    if kind == KIND_TRIANGLE && (raster.flags & POLYGON_SMOOTH) != 0u {
        return polygon_coverage(records[record].edges, quad_span, x, y);
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

fn quad_register(result_number: u32) -> QuadVector {
    let a0 = vertices[quad_vertices.x * 16u + result_number];
    let a1 = vertices[quad_vertices.y * 16u + result_number];
    let a2 = vertices[quad_vertices.z * 16u + result_number];
    return interpolate_register(quad_share, a0, a1, a2);
}

fn quad_color(result_number: u32) -> QuadVector {
    if result_number == NO_REGISTER {
        return QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), ALL_ONE);
    }
    var color: QuadVector;
    if (raster.flags & IS_FLAT) != 0u {
        let value = vertices[quad_header.w * 16u + result_number];
        color = QuadVector(value.xxxx, value.yyyy, value.zzzz, value.wwww);
    } else {
        color = quad_register(result_number);
    }
    return QuadVector(fp_saturate(color.x), fp_saturate(color.y), fp_saturate(color.z), fp_saturate(color.w));
}

fn quad_shows_back_color() -> bool {
    return (raster.flags & TWO_SIDED) != 0u && !quad_is_front();
}

fn input_color0() -> QuadVector {
    return quad_color(select(raster.colors.x, raster.colors.z, quad_shows_back_color()));
}

fn input_color1() -> QuadVector {
    return quad_color(select(raster.colors.y, raster.colors.w, quad_shows_back_color()));
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

fn input_fog() -> QuadVector {
    let source = raster.scalars.x;
    var coordinate = vec4u(0u);
    if source != NO_REGISTER {
        let value = quad_register(source >> 2u);
        switch source & 3u {
            case 0u: { coordinate = value.x; }
            case 1u: { coordinate = value.y; }
            case 2u: { coordinate = value.z; }
            default: { coordinate = value.w; }
        }
    }
    return QuadVector(coordinate, fog_factor(coordinate), vec4u(0u), vec4u(0u));
}

fn quad_sprite(r: vec4u) -> QuadVector {
    let left = bitcast<i32>(quad_span.x);
    let top = bitcast<i32>(quad_span.y);
    var sprite: QuadVector;
    sprite.x = fp_mul(fp_int_to_float(16 * quad_columns() + 8 - left), quad_span.zzzz);
    sprite.y = fp_mul(fp_int_to_float(16 * quad_rows() + 8 - top), quad_span.zzzz);
    let mode = (raster.flags >> SPRITE_R_SHIFT) & 3u;
    sprite.z = select(select(vec4u(0u), sprite.x, mode == 2u), r, mode == 1u);
    sprite.w = ALL_ONE;
    return sprite;
}

// Texture coordinate n, 0..9.
fn input_texcoord(n: u32) -> QuadVector {
    let texcoord = raster.texcoords[n >> 2u][n & 3u];
    let result_number = texcoord & 0xffu;
    var value = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));
    if result_number != NO_REGISTER {
        value = quad_register(result_number);
    }
    return replaced_texcoord(texcoord, value);
}

// What sprites and the "2D" flag make of an interpolated coordinate.
fn replaced_texcoord(texcoord: u32, interpolated: QuadVector) -> QuadVector {
    var value = interpolated;
    if (texcoord & TEXCOORD_SPRITE) != 0u && (quad_header.x & KIND_MASK) == KIND_POINT {
        value = quad_sprite(value.z);
    }
    if (texcoord & TEXCOORD_2D) != 0u {
        value.z = vec4u(0u);
        value.w = fp_rcp(quad_share.reciprocal_w);
    }
    return value;
}

// +1 on front faces, −1 on back faces.
fn input_facing() -> QuadVector {
    let sign = select(vec4u(0xbf800000u), ALL_ONE, quad_is_front());
    return QuadVector(sign, vec4u(0u), vec4u(0u), ALL_ONE);
}
