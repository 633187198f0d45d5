// Traverses the quads of a tile and applies the tests of whole pixels. `CUTS_QUADS`, `HAS_WINDOW_CLIP` and
// `HAS_STIPPLE` are constants of the kernel.

import package::raster::parameters::{raster, POLYGON_STIPPLE, WINDOW_CLIP_EXCLUSIVE};
import package::setup::primitive_setup::{linear_at, quad_steps, KIND_MASK, KIND_TRIANGLE};

// The first pixel of a tile of the clip rectangle.
fn tile_corner(tile: u32) -> vec2u {
    return (raster.tiles.xy + vec2u(tile % raster.tiles.z, tile / raster.tiles.z)) << raster.round.xx;
}

// The pixels of a tile that a primitive may cover: first column and row, both even, last column and row.
fn tile_bounds(header: vec4u, corner: vec2u) -> vec4u {
    let last = corner + ((1u << raster.round.x) - 1u);
    let first = vec2u(header.y, header.y >> 16u) & vec2u(0xfffeu);
    return vec4u(max(first, corner), min(vec2u(header.z & 0xffffu, header.z >> 16u), last));
}

// The value at a pixel, clamped to ±2³⁰: steps inside a tile stay below 2²⁹, so signs stay correct.
fn edge_at(edge: vec4i, x: i32, y: i32) -> i32 {
    let value = linear_at(edge, x, y);
    return clamp(value.x, -16384, 16383) * 65536 + value.y;
}

// The values at the pixels of a quad, given the value at its first pixel.
fn edge_quad(edge: vec4i, value: i32) -> vec4i {
    return vec4i(value) + quad_steps(edge);
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

fn in_polygon_stipple(header: vec4u, columns: vec4u, rows: vec4u) -> vec4<bool> {
    if (header.x & KIND_MASK) == KIND_TRIANGLE && (raster.flags & POLYGON_STIPPLE) != 0u {
        let upper = stipple_row(rows.x);
        let lower = stipple_row(rows.z);
        return ((vec4u(upper, upper, lower, lower) << (columns & vec4u(31u))) >> vec4u(31u)) != vec4u(0u);
    }
    return vec4<bool>(true);
}

// The per-pixel tests that some draws add to the half planes.
fn pixel_tests(header: vec4u, columns: vec4u, rows: vec4u) -> vec4<bool> {
    var passes = vec4<bool>(true);
    if CUTS_QUADS {
        passes = (columns >= raster.clip.xxxx) & (columns < raster.clip.zzzz);
        passes &= (rows >= raster.clip.yyyy) & (rows < raster.clip.wwww);
    }
    if HAS_WINDOW_CLIP {
        passes &= in_window_clip(columns, rows);
    }
    if HAS_STIPPLE {
        passes &= in_polygon_stipple(header, columns, rows);
    }
    return passes;
}
