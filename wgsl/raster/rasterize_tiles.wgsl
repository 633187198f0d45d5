// Rasterizes a tile's bin in submission order and counts or lists the covered quads; one invocation per tile.
//
// The host imports `covered_bits` from the module for the draw's samples. It prepends `LISTS_QUADS`, `HAS_SELECTION`,
// `HAS_WINDOW_CLIP`, `HAS_STIPPLE`, `HAS_USER_CLIP` and the constants of that module.

import package::arith::optimization_barrier::set_opaque_zero;
import package::raster::parameters::{load_raster, raster};
import package::setup::load_setup::{stored_edge, stored_header};
import package::raster::tile_bins::{NO_SETUP, enter_bin, next_setup};
import package::raster::selected_viewport::enter_viewport_of;
import package::raster::quad_traversal::{edge_at, edge_quad, pixel_tests, tile_bounds, tile_corner};

@group(0) @binding(9) var<storage, read_write> tiles: array<vec2u>;
@group(0) @binding(10) var<storage, read_write> quads: array<vec4u>;

// Lists the quads of a primitive inside a tile from `next` on; returns the end of the list.
fn rasterize(index: u32, corner: vec2u, next: u32) -> u32 {
    let header = stored_header(index);
    if HAS_SELECTION {
        enter_viewport_of(header);
    }
    let bounds = tile_bounds(header, corner);
    let edge0 = stored_edge(index, 0u);
    let edge1 = stored_edge(index, 1u);
    let edge2 = stored_edge(index, 2u);
    let edge3 = stored_edge(index, 3u);
    var row0 = edge_at(edge0, i32(bounds.x), i32(bounds.y));
    var row1 = edge_at(edge1, i32(bounds.x), i32(bounds.y));
    var row2 = edge_at(edge2, i32(bounds.x), i32(bounds.y));
    var row3 = edge_at(edge3, i32(bounds.x), i32(bounds.y));
    let step0 = 32 * edge0.xy;
    let step1 = 32 * edge1.xy;
    let step2 = 32 * edge2.xy;
    let step3 = 32 * edge3.xy;
    let edges = array<vec4i, 4>(edge0, edge1, edge2, edge3);
    var value0 = row0;
    var value1 = row1;
    var value2 = row2;
    var value3 = row3;
    var end = next;
    var x = bounds.x;
    var y = bounds.y;
    // One loop instead of nested ones: adjacent tiles of a group then wait for each other only once per primitive.
    while y <= bounds.w {
        let columns = vec4u(x, x + 1u, x, x + 1u);
        let rows = vec4u(y, y, y + 1u, y + 1u);
        let passes = pixel_tests(header, columns, rows);
        let values = array<vec4i, 4>(
            edge_quad(edge0, value0),
            edge_quad(edge1, value1),
            edge_quad(edge2, value2),
            edge_quad(edge3, value3),
        );
        let coverage = covered_bits(index, header, columns, rows, passes, edges, values);
        if coverage != 0u {
            if LISTS_QUADS {
                quads[end] = vec4u(index, x | (y << 16u), coverage, 0u);
            }
            end += 1u;
        }
        let ends_row = x + 2u > bounds.z;
        row0 += select(0, step0.y, ends_row);
        row1 += select(0, step1.y, ends_row);
        row2 += select(0, step2.y, ends_row);
        row3 += select(0, step3.y, ends_row);
        value0 = select(value0 + step0.x, row0, ends_row);
        value1 = select(value1 + step1.x, row1, ends_row);
        value2 = select(value2 + step2.x, row2, ends_row);
        value3 = select(value3 + step3.x, row3, ends_row);
        y += select(0u, 2u, ends_row);
        x = select(x + 2u, bounds.x, ends_row);
    }
    return end;
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
    load_raster();
    set_opaque_zero(raster.zero);
    let tile = raster.round.y + id.x;
    if id.x >= raster.round.z {
        return;
    }
    let corner = tile_corner(tile);
    var end = 0u;
    if LISTS_QUADS {
        end = tiles[tile].x;
    }
    enter_bin(tile);
    loop {
        let index = next_setup();
        if index == NO_SETUP {
            break;
        }
        end = rasterize(index, corner, end);
    }
    if !LISTS_QUADS {
        tiles[tile] = vec2u(0u, end);
    }
}
