// Tests whether a primitive may touch any sample of a tile.

import package::raster::parameters::raster;
import package::setup::primitive_setup::{linear_at, wide_add, wide_from};

// Whether the half plane may hold any sample of the tile; its extreme corner decides.
fn may_touch(edge: vec4i, x: i32, y: i32, last: i32) -> bool {
    let best_x = select(x, x + last, edge.x > 0);
    let best_y = select(y, y + last, edge.y > 0);
    // Samples lie within the reach of pixel centers.
    let reach = i32(raster.scalars.w) * (abs(edge.x) + abs(edge.y));
    return wide_add(linear_at(edge, best_x, best_y), wide_from(reach)).x >= 0;
}

// `column` and `row` are the tile's position on the surface.
fn edges_touch(edges: array<vec4i, 4>, column: u32, row: u32) -> bool {
    let last = (1i << raster.round.x) - 1;
    let x = i32(column << raster.round.x);
    let y = i32(row << raster.round.x);
    return may_touch(edges[0], x, y, last) && may_touch(edges[1], x, y, last)
        && may_touch(edges[2], x, y, last) && may_touch(edges[3], x, y, last);
}
