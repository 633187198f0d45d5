// Tests whether a primitive covers a whole tile: if it is opaque, it hides all earlier primitives.

import package::arith::fragment::{fp_less_equal_ftz, fp_flush};
import package::raster::parameters::{raster, CLIPS_DEPTH};
import package::setup::load_setup::{stored_depth, stored_edge, stored_header};
import package::raster::quad_traversal::edge_at;

// Whether the edge's function is nowhere negative on a rectangle of pixels.
fn edge_spares(edge: vec4i, first: vec2u, last: vec2u) -> bool {
    let right = 16 * edge.x * i32(last.x - first.x);
    let down = 16 * edge.y * i32(last.y - first.y);
    return edge_at(edge, i32(first.x), i32(first.y)) + min(right, 0) + min(down, 0) >= 0;
}

// Quads and pixels of a tile inside the clip rectangle.
fn covered_of_tile(corner: vec2u, tile_last: u32) -> vec2u {
    let first = max(corner, raster.clip.xy);
    let last = min(corner + vec2u(tile_last), raster.clip.zw - vec2u(1u));
    let quads = (last >> vec2u(1u)) - (first >> vec2u(1u)) + vec2u(1u);
    let pixels = last - first + vec2u(1u);
    return vec2u(quads.x * quads.y, pixels.x * pixels.y);
}

// Whether the primitive covers the tile.
fn covers_tile(setup: u32, corner: vec2u, tile_last: u32) -> bool {
    let edges = array<vec4i, 4>(
        stored_edge(setup, 0u),
        stored_edge(setup, 1u),
        stored_edge(setup, 2u),
        stored_edge(setup, 3u),
    );
    return edges_cover_tile(stored_header(setup), edges, corner, tile_last) && is_in_depth_range(stored_depth(setup));
}

// Whether a primitive of this depth is inside the depth range everywhere; false for a primitive of varying depth.
fn is_in_depth_range(depth: vec4u) -> bool {
    if (raster.flags & CLIPS_DEPTH) == 0u {
        return true;
    }
    let value = fp_flush(depth.xxxx);
    let range = fp_flush(raster.depth);
    let is_one = ((depth.y | depth.z) & 0x7fffffffu) == 0u;
    return is_one && all(fp_less_equal_ftz(range.xxxx, value)) && all(fp_less_equal_ftz(value, range.yyyy));
}

// Whether a primitive with these edges covers the tile, regardless of depth.
fn edges_cover_tile(header: vec4u, edges: array<vec4i, 4>, corner: vec2u, tile_last: u32) -> bool {
    let first = max(corner, raster.clip.xy);
    let last = min(corner + vec2u(tile_last), raster.clip.zw - vec2u(1u));
    let begins = vec2u(header.y & 0xffffu, header.y >> 16u);
    let ends = vec2u(header.z & 0xffffu, header.z >> 16u);
    var covers = all(begins <= first) && all(last <= ends) && all(first <= last);
    covers &= edge_spares(edges[0], first, last);
    covers &= edge_spares(edges[1], first, last);
    covers &= edge_spares(edges[2], first, last);
    covers &= edge_spares(edges[3], first, last);
    return covers;
}
