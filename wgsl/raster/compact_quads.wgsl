// Computes each tile's offset in the quad list from the tiles' quad counts (prefix sum), and the number of
// workgroups that shade the quads. One workgroup, whose invocations take equal shares of the tiles.

import package::raster::parameters::{load_raster, raster};

@group(0) @binding(9) var<storage, read_write> tiles: array<vec2u>;
@group(0) @binding(10) var<storage, read_write> quads: array<vec4u>;
// Workgroups of 64 quads in x, y, z; the number of quads.
@group(0) @binding(15) var<storage, read_write> quad_groups: array<u32>;

const INVOCATIONS: u32 = 256u;

// The number of quads up to the end of each invocation's share.
var<workgroup> ends: array<u32, INVOCATIONS>;

@compute @workgroup_size(INVOCATIONS)
fn main(@builtin(local_invocation_index) invocation: u32) {
    load_raster();
    let share = (raster.round.z + INVOCATIONS - 1u) / INVOCATIONS;
    let first = min(invocation * share, raster.round.z) + raster.round.y;
    let last = min((invocation + 1u) * share, raster.round.z) + raster.round.y;
    var count = 0u;
    for (var tile = first; tile < last; tile += 1u) {
        count += tiles[tile].y;
    }
    ends[invocation] = count;
    workgroupBarrier();
    for (var distance = 1u; distance < INVOCATIONS; distance *= 2u) {
        var before = 0u;
        if invocation >= distance {
            before = ends[invocation - distance];
        }
        workgroupBarrier();
        ends[invocation] += before;
        workgroupBarrier();
    }
    var next = ends[invocation] - count;
    for (var tile = first; tile < last; tile += 1u) {
        let quads_of_tile = tiles[tile].y;
        tiles[tile].x = next;
        next += quads_of_tile;
    }
    let all = ends[INVOCATIONS - 1u];
    let groups = (all + 63u) / 64u;
    // Shading invocations beyond the last quad must find quads that cover nothing.
    if all + invocation < groups * 64u {
        quads[all + invocation] = vec4u(0u);
    }
    if invocation == 0u {
        quad_groups[0] = groups;
        quad_groups[1] = 1u;
        quad_groups[2] = 1u;
        quad_groups[3] = all;
    }
}
