// Sets a bit in the bin of every tile that a primitive may touch; one invocation a record.

import package::raster_parameters::{load_raster, raster};
import package::set_up_record::{SetUpRecord, linear_at, wide_add, wide_from, RECORD_VALID};

@group(0) @binding(7) var<storage, read> records: array<SetUpRecord>;
@group(0) @binding(8) var<storage, read_write> bins: array<atomic<u32>>;

// Whether the half plane may hold any sample of the tile: its best corner decides.
fn may_touch(edge: vec4i, x: i32, y: i32, last: i32) -> bool {
    let best_x = select(x, x + last, edge.x > 0);
    let best_y = select(y, y + last, edge.y > 0);
    // Samples lie up to the reach away from centres.
    let reach = i32(raster.scalars.w) * (abs(edge.x) + abs(edge.y));
    return wide_add(linear_at(edge, best_x, best_y), wide_from(reach)).x >= 0;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    load_raster();
    if id.x >= raster.primitive_count {
        return;
    }
    let header = records[id.x].header;
    if (header.x & RECORD_VALID) == 0u {
        return;
    }
    let edge0 = records[id.x].edges[0];
    let edge1 = records[id.x].edges[1];
    let edge2 = records[id.x].edges[2];
    let edge3 = records[id.x].edges[3];
    let shift = raster.round.x;
    let last = (1i << shift) - 1;
    let first_column = (header.y & 0xffffu) >> shift;
    let last_column = (header.z & 0xffffu) >> shift;
    let columns = last_column + 1u - first_column;
    let first_row = header.y >> (16u + shift);
    let last_row = header.z >> (16u + shift);
    let count = columns * (last_row + 1u - first_row);
    let word = id.x >> 5u;
    let bit = 1u << (id.x & 31u);
    for (var index = 0u; index < count; index += 1u) {
        let column = first_column + index % columns;
        let row = first_row + index / columns;
        let x = i32(column << shift);
        let y = i32(row << shift);
        let touches = may_touch(edge0, x, y, last) && may_touch(edge1, x, y, last)
            && may_touch(edge2, x, y, last) && may_touch(edge3, x, y, last);
        if touches {
            let tile = (row - raster.tiles.y) * raster.tiles.z + column - raster.tiles.x;
            atomicOr(&bins[tile * raster.bin_words + word], bit);
        }
    }
}
