// Counts the pixels of a draw that the scissor or window clips reject, for primitives set up and binned over the
// whole surface. One invocation per tile.
//
// The host imports `covered_bits` from the module for the draw's samples. It prepends `CUTS_WINDOW`,
// `HAS_WINDOW_CLIP` (always false), `HAS_STIPPLE`, `HAS_USER_CLIP`, the positions of counts and the constants of
// that module.

import package::fragment::count_pixels::count_pixels;
import package::counters::draw_counts::add_count;
import package::arith::optimization_barrier::set_opaque_zero;
import package::raster::parameters::{load_raster, raster};
import package::setup::primitive_setup::RECORD_DRAW_SHIFT;
import package::setup::load_setup::{stored_edge, stored_header};
import package::raster::tile_bins::{NO_SETUP, enter_bin, next_setup};
import package::raster::quad_traversal::{edge_at, edge_quad, in_window_clip, pixel_tests, tile_bounds, tile_corner};

struct Parameters {
    // First column, first row, column after the last, row after the last.
    scissor: vec4u,
    // The first count of the first draw, and the number of counts per draw.
    first: u32,
    stride: u32,
    padding0: u32,
    padding1: u32,
}

@group(0) @binding(14) var<storage, read> parameters: Parameters;

fn in_scissor(columns: vec4u, rows: vec4u) -> vec4<bool> {
    let scissor = parameters.scissor;
    return (columns >= scissor.xxxx) & (columns < scissor.zzzz) & (rows >= scissor.yyyy) & (rows < scissor.wwww);
}

// Counts the pixels of a primitive in a tile that the scissor rejects (x) and that window clips reject (y).
fn rejects_of(index: u32, corner: vec2u) -> vec2u {
    let header = stored_header(index);
    let bounds = tile_bounds(header, corner);
    let edge0 = stored_edge(index, 0u);
    let edge1 = stored_edge(index, 1u);
    let edge2 = stored_edge(index, 2u);
    let edge3 = stored_edge(index, 3u);
    let edges = array<vec4i, 4>(edge0, edge1, edge2, edge3);
    var rejects = vec2u(0u);
    var x = bounds.x;
    var y = bounds.y;
    while y <= bounds.w {
        let columns = vec4u(x, x + 1u, x, x + 1u);
        let rows = vec4u(y, y, y + 1u, y + 1u);
        let values = array<vec4i, 4>(
            edge_quad(edge0, edge_at(edge0, i32(x), i32(y))),
            edge_quad(edge1, edge_at(edge1, i32(x), i32(y))),
            edge_quad(edge2, edge_at(edge2, i32(x), i32(y))),
            edge_quad(edge3, edge_at(edge3, i32(x), i32(y))),
        );
        let passes = pixel_tests(header, columns, rows);
        let samples = covered_bits(index, header, columns, rows, passes, edges, values);
        let pairs = samples | (samples >> 16u);
        let pixels = pairs | (pairs >> 4u) | (pairs >> 8u) | (pairs >> 12u);
        let covered = (vec4u(pixels) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);
        let is_inside = in_scissor(columns, rows);
        rejects.x += count_pixels(covered & !is_inside);
        if CUTS_WINDOW {
            rejects.y += count_pixels(covered & is_inside & !in_window_clip(columns, rows));
        }
        let ends_row = x + 2u > bounds.z;
        y += select(0u, 2u, ends_row);
        x = select(x + 2u, bounds.x, ends_row);
    }
    return rejects;
}

fn add_rejects(draw: u32, rejects: vec2u) {
    let first = parameters.first + draw * parameters.stride;
    add_count(first + SCISSOR_REJECTS, rejects.x);
    add_count(first + WINDOW_CLIP_REJECTS, rejects.y);
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
    load_raster();
    set_opaque_zero(raster.zero);
    let tile = id.x;
    if tile >= raster.round.z {
        return;
    }
    let corner = tile_corner(tile);
    let last = corner + ((1u << raster.round.x) - 1u);
    // No pixel of a tile inside the scissor is rejected.
    if !CUTS_WINDOW && all(in_scissor(vec4u(corner.xx, last.xx), vec4u(corner.y, last.y, corner.y, last.y))) {
        return;
    }
    // The current draw.
    var draw = 0u;
    var rejects = vec2u(0u);
    enter_bin(tile);
    loop {
        let index = next_setup();
        if index == NO_SETUP {
            break;
        }
        let of_setup = stored_header(index).x >> RECORD_DRAW_SHIFT;
        if of_setup != draw {
            add_rejects(draw, rejects);
            draw = of_setup;
            rejects = vec2u(0u);
        }
        rejects += rejects_of(index, corner);
    }
    add_rejects(draw, rejects);
}
