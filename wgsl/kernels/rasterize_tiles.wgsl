// Walks a tile's bin in submission order and counts or lists the covered quads; one invocation a tile.
//
// The host puts `const LISTS_QUADS`, `HAS_WINDOW_CLIP`, `HAS_STIPPLE`, `HAS_USER_CLIP` before this text, and `SAMPLE_COUNT`
// with `SAMPLE_X` and `SAMPLE_Y`, the offsets of up to four samples from the pixel's centre.

import package::opaque::opaque_zero;
import package::numeric_convert::fp_float_to_int_floor;
import package::numeric_fragment::{fp_less, fp_less_equal, fp_mul};
import package::quad_weights::{quad_weights_at, fp_difference, interpolate_component};
import package::raster_parameters::{raster, LINE_SMOOTH, LINE_STIPPLE, POLYGON_STIPPLE, WINDOW_CLIP_EXCLUSIVE};
import package::set_up_record::{SetUpRecord, linear_at, linear_floats_at, KIND_LINE, KIND_MASK, KIND_TRIANGLE};
import package::set_up_record::{RECORD_BACKWARD, RECORD_CLIPPED, RECORD_Y_MAJOR};

@group(0) @binding(4) var<storage, read> vertices: array<vec4u>;
@group(0) @binding(7) var<storage, read> records: array<SetUpRecord>;
@group(0) @binding(8) var<storage, read> bins: array<u32>;
@group(0) @binding(9) var<storage, read_write> tiles: array<vec2u>;
@group(0) @binding(10) var<storage, read_write> quads: array<vec4u>;

// The value at a pixel, held within 30 bits: steps inside a tile stay below 2^28, so signs stay right.
fn edge_at(edge: vec4i, x: i32, y: i32) -> i32 {
    let value = linear_at(edge, x, y);
    return clamp(value.x, -8192, 8191) * 65536 + value.y;
}

// The values at the pixels of a quad.
fn edge_quad(edge: vec4i, x: i32, y: i32) -> vec4i {
    let a = 16 * edge.x;
    let b = 16 * edge.y;
    return vec4i(edge_at(edge, x, y)) + vec4i(0, a, b, a + b);
}

fn in_window_clip(columns: vec4u, rows: vec4u) -> vec4<bool> {
    var inside = vec4<bool>(false);
    for (var index = 0u; index < 8u; index += 1u) {
        let rect = raster.window_clips[index];
        inside |= (columns >= rect.xxxx) & (columns < rect.zzzz) & (rows >= rect.yyyy) & (rows < rect.wwww);
    }
    return inside != vec4<bool>((raster.flags & WINDOW_CLIP_EXCLUSIVE) != 0u);
}

fn stipple_row(row: u32) -> u32 {
    return raster.stipple[(row & 31u) >> 2u][row & 3u];
}

fn in_stipple(header: vec4u, span: vec4u, columns: vec4u, rows: vec4u) -> vec4<bool> {
    let kind = header.x & KIND_MASK;
    if kind == KIND_TRIANGLE && (raster.flags & POLYGON_STIPPLE) != 0u {
        let upper = stipple_row(rows.x);
        let lower = stipple_row(rows.z);
        return ((vec4u(upper, upper, lower, lower) << (columns & vec4u(31u))) >> vec4u(31u)) != vec4u(0u);
    }
    // The stipple of smooth lines is part of their coverage.
    if SAMPLE_COUNT == 1u && kind == KIND_LINE && (raster.flags & (LINE_STIPPLE | LINE_SMOOTH)) == LINE_STIPPLE {
        let position = select(columns, rows, (header.x & RECORD_Y_MAJOR) != 0u);
        let steps = select(position - span.xxxx, span.xxxx - position, (header.x & RECORD_BACKWARD) != 0u);
        return is_stipple_on(span.zzzz + steps);
    }
    return vec4<bool>(true);
}

fn is_stipple_on(counter: vec4u) -> vec4<bool> {
    return ((raster.shapes.wwww >> ((counter / raster.shapes.zzzz) & vec4u(15u))) & vec4u(1u)) != vec4u(0u);
}

// The stipple of multisampled lines counts units of length.
fn in_sampled_stipple(index: u32, header: vec4u, x: i32, y: i32, offset: vec2i) -> vec4<bool> {
    if (header.x & KIND_MASK) != KIND_LINE || (raster.flags & LINE_STIPPLE) == 0u {
        return vec4<bool>(true);
    }
    let span = records[index].span;
    let distance = linear_floats_at(records[index].weights[1], x, y, offset.xxxx, offset.yyyy);
    let steps = fp_float_to_int_floor(fp_mul(distance, span.wwww));
    return is_stipple_on(span.zzzz + bitcast<vec4u>(steps));
}

fn in_user_clip(index: u32, header: vec4u, x: i32, y: i32, offset: vec2i) -> vec4<bool> {
    let weights = quad_weights_at(
        (header.x & RECORD_CLIPPED) != 0u,
        records[index].weights,
        records[index].perspective,
        records[index].depth,
        records[index].shares,
        x,
        y,
        offset.xxxx,
        offset.yyyy,
    );
    let numbers = records[index].vertices;
    var inside = vec4<bool>(true);
    for (var plane = 0u; plane < 6u; plane += 1u) {
        let source = raster.clip_planes[plane >> 2u][plane & 3u];
        if source != 0u {
            let result_number = (source >> 2u) & 15u;
            let component = source & 3u;
            let a0 = vertices[numbers.x * 16u + result_number][component];
            let a1 = vertices[numbers.y * 16u + result_number][component];
            let a2 = vertices[numbers.z * 16u + result_number][component];
            let differences = fp_difference(vec4u(a1, a2, 0u, 0u), vec4u(a0, a0, 0u, 0u));
            let distance = interpolate_component(weights, a0, differences.x, differences.y);
            if (source >> 8u) == 1u {
                inside &= fp_less(distance, vec4u(0u));
            } else {
                inside &= fp_less_equal(vec4u(0u), distance);
            }
        }
    }
    return inside;
}

// The tests of whole pixels that some draws add to the half planes.
fn pixel_tests(index: u32, header: vec4u, columns: vec4u, rows: vec4u) -> vec4<bool> {
    var passes = vec4<bool>(true);
    if HAS_WINDOW_CLIP {
        passes &= in_window_clip(columns, rows);
    }
    if HAS_STIPPLE {
        passes &= in_stipple(header, records[index].span, columns, rows);
    }
    return passes;
}

// Bit i: pixel i passes these tests, and those that some draws add for places at an offset from the centres.
fn sample_bits(index: u32, header: vec4u, x: u32, y: u32, offset: vec2i, passes: vec4<bool>) -> u32 {
    var inside = passes;
    if HAS_STIPPLE && SAMPLE_COUNT != 1u {
        inside &= in_sampled_stipple(index, header, i32(x), i32(y), offset);
    }
    if HAS_USER_CLIP {
        inside &= in_user_clip(index, header, i32(x), i32(y), offset);
    }
    let bits = select(vec4u(0u), vec4u(1u, 2u, 4u, 8u), inside);
    return bits.x | bits.y | bits.z | bits.w;
}

// Lists the quads of a record inside a tile from `next` on; returns where the list then ends.
fn rasterize(index: u32, tile_x: u32, tile_y: u32, next: u32) -> u32 {
    let header = records[index].header;
    let last = (1u << raster.round.x) - 1u;
    let x0 = max(header.y & 0xfffeu, tile_x);
    let y0 = max((header.y >> 16u) & 0xfffeu, tile_y);
    let x1 = min(header.z & 0xffffu, tile_x + last);
    let y1 = min(header.z >> 16u, tile_y + last);
    let edge0 = records[index].edges[0];
    let edge1 = records[index].edges[1];
    let edge2 = records[index].edges[2];
    let edge3 = records[index].edges[3];
    var row0 = edge_quad(edge0, i32(x0), i32(y0));
    var row1 = edge_quad(edge1, i32(x0), i32(y0));
    var row2 = edge_quad(edge2, i32(x0), i32(y0));
    var row3 = edge_quad(edge3, i32(x0), i32(y0));
    let step0 = 32 * edge0.xy;
    let step1 = 32 * edge1.xy;
    let step2 = 32 * edge2.xy;
    let step3 = 32 * edge3.xy;
    // What each half plane gains from the centre to each sample.
    let gain0 = edge0.x * SAMPLE_X + edge0.y * SAMPLE_Y;
    let gain1 = edge1.x * SAMPLE_X + edge1.y * SAMPLE_Y;
    let gain2 = edge2.x * SAMPLE_X + edge2.y * SAMPLE_Y;
    let gain3 = edge3.x * SAMPLE_X + edge3.y * SAMPLE_Y;
    var value0 = row0;
    var value1 = row1;
    var value2 = row2;
    var value3 = row3;
    var end = next;
    var x = x0;
    var y = y0;
    // One loop instead of rows in columns: tiles side by side in a group then wait for each other only once a record.
    while y <= y1 {
        let columns = vec4u(x, x + 1u, x, x + 1u);
        let rows = vec4u(y, y, y + 1u, y + 1u);
        var pixels = (columns >= raster.clip.xxxx) & (columns < raster.clip.zzzz);
        pixels &= (rows >= raster.clip.yyyy) & (rows < raster.clip.wwww);
        pixels &= pixel_tests(index, header, columns, rows);
        var coverage = 0u;
        if SAMPLE_COUNT == 1u {
            let inside = pixels & ((value0 | value1 | value2 | value3) >= vec4i(0));
            coverage = sample_bits(index, header, x, y, vec2i(0), inside);
        } else {
            let first = (value0 + gain0.x) | (value1 + gain1.x) | (value2 + gain2.x) | (value3 + gain3.x);
            let offset0 = vec2i(SAMPLE_X.x, SAMPLE_Y.x);
            coverage = sample_bits(index, header, x, y, offset0, pixels & (first >= vec4i(0)));
            let second = (value0 + gain0.y) | (value1 + gain1.y) | (value2 + gain2.y) | (value3 + gain3.y);
            let offset1 = vec2i(SAMPLE_X.y, SAMPLE_Y.y);
            coverage |= sample_bits(index, header, x, y, offset1, pixels & (second >= vec4i(0))) << 4u;
        }
        if SAMPLE_COUNT == 4u {
            let third = (value0 + gain0.z) | (value1 + gain1.z) | (value2 + gain2.z) | (value3 + gain3.z);
            let offset2 = vec2i(SAMPLE_X.z, SAMPLE_Y.z);
            coverage |= sample_bits(index, header, x, y, offset2, pixels & (third >= vec4i(0))) << 8u;
            let fourth = (value0 + gain0.w) | (value1 + gain1.w) | (value2 + gain2.w) | (value3 + gain3.w);
            let offset3 = vec2i(SAMPLE_X.w, SAMPLE_Y.w);
            coverage |= sample_bits(index, header, x, y, offset3, pixels & (fourth >= vec4i(0))) << 12u;
        }
        if coverage != 0u {
            if LISTS_QUADS {
                quads[end] = vec4u(index, x | (y << 16u), coverage, 0u);
            }
            end += 1u;
        }
        let ends_row = x + 2u > x1;
        row0 = select(row0, row0 + vec4i(step0.y), ends_row);
        row1 = select(row1, row1 + vec4i(step1.y), ends_row);
        row2 = select(row2, row2 + vec4i(step2.y), ends_row);
        row3 = select(row3, row3 + vec4i(step3.y), ends_row);
        value0 = select(value0 + vec4i(step0.x), row0, ends_row);
        value1 = select(value1 + vec4i(step1.x), row1, ends_row);
        value2 = select(value2 + vec4i(step2.x), row2, ends_row);
        value3 = select(value3 + vec4i(step3.x), row3, ends_row);
        y += select(0u, 2u, ends_row);
        x = select(x + 2u, x0, ends_row);
    }
    return end;
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
    opaque_zero = raster.zero;
    let tile = raster.round.y + id.x;
    if id.x >= raster.round.z {
        return;
    }
    let tile_x = (raster.tiles.x + tile % raster.tiles.z) << raster.round.x;
    let tile_y = (raster.tiles.y + tile / raster.tiles.z) << raster.round.x;
    var end = 0u;
    if LISTS_QUADS {
        end = tiles[tile].x;
    }
    let first_word = tile * raster.bin_words;
    var word = 0u;
    var bits = bins[first_word];
    loop {
        // Every tile of a group comes to its own next record before any is rasterised.
        while bits == 0u && word + 1u < raster.bin_words {
            word += 1u;
            bits = bins[first_word + word];
        }
        if bits == 0u {
            break;
        }
        let index = word * 32u + firstTrailingBit(bits);
        bits &= bits - 1u;
        end = rasterize(index, tile_x, tile_y, end);
    }
    if !LISTS_QUADS {
        tiles[tile] = vec2u(0u, end);
    }
}
