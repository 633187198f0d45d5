// Turns the quad counts of tiles into places in the quad list, and says how many workgroups shade them.

import package::raster_parameters::{load_raster, raster};

@group(0) @binding(9) var<storage, read_write> tiles: array<vec2u>;
@group(0) @binding(10) var<storage, read_write> quads: array<vec4u>;
// Workgroups of 64 quads in x, y, z; the number of quads.
@group(0) @binding(15) var<storage, read_write> quad_groups: array<u32>;

@compute @workgroup_size(1)
fn main() {
    load_raster();
    var next = 0u;
    for (var index = 0u; index < raster.round.z; index += 1u) {
        let tile = raster.round.y + index;
        let count = tiles[tile].y;
        tiles[tile].x = next;
        next += count;
    }
    let groups = (next + 63u) / 64u;
    // Invocations beyond the last quad find quads that cover nothing.
    for (var index = next; index < groups * 64u; index += 1u) {
        quads[index] = vec4u(0u);
    }
    quad_groups[0] = groups;
    quad_groups[1] = 1u;
    quad_groups[2] = 1u;
    quad_groups[3] = next;
}
