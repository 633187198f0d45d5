// Puts a record into the bins of the tiles that it may touch; `tile_bins.wgsl` says how bins look.

import package::raster_parameters::raster;
import package::set_up_record::{linear_at, wide_add, wide_from};

@group(0) @binding(8) var<storage, read_write> bins: array<atomic<u32>>;

// Whether the half plane may hold any sample of the tile: its best corner decides.
fn may_touch(edge: vec4i, x: i32, y: i32, last: i32) -> bool {
    let best_x = select(x, x + last, edge.x > 0);
    let best_y = select(y, y + last, edge.y > 0);
    // Samples lie up to the reach away from centres.
    let reach = i32(raster.scalars.w) * (abs(edge.x) + abs(edge.y));
    return wide_add(linear_at(edge, best_x, best_y), wide_from(reach)).x >= 0;
}

// Sets the bit of a record in the bin of a tile. Where an invocation owns whole words, those without their summary bit
// need not have been cleared.
fn add_to_bin(tile: u32, record: u32, owns_words: bool) {
    let word = record >> 5u;
    let bit = 1u << (record & 31u);
    let summary_words = (raster.bin_words + 31u) >> 5u;
    let summary_at = tile * summary_words + (word >> 5u);
    let summary_bit = 1u << (word & 31u);
    let word_at = raster.tiles.z * raster.tiles.w * summary_words + tile * raster.bin_words + word;
    let is_listed = (atomicLoad(&bins[summary_at]) & summary_bit) != 0u;
    if !is_listed {
        atomicOr(&bins[summary_at], summary_bit);
    }
    if owns_words {
        var others = 0u;
        if is_listed {
            others = atomicLoad(&bins[word_at]);
        }
        atomicStore(&bins[word_at], others | bit);
    } else {
        atomicOr(&bins[word_at], bit);
    }
}

// `header` and `edges` are those of the record.
fn bin_record(record: u32, header: vec4u, edges: array<vec4i, 4>, owns_words: bool) {
    let shift = raster.round.x;
    let last = (1i << shift) - 1;
    let first_column = (header.y & 0xffffu) >> shift;
    let last_column = (header.z & 0xffffu) >> shift;
    let first_row = header.y >> (16u + shift);
    let last_row = header.z >> (16u + shift);
    var column = first_column;
    var row = first_row;
    while row <= last_row {
        let x = i32(column << shift);
        let y = i32(row << shift);
        let touches = may_touch(edges[0], x, y, last) && may_touch(edges[1], x, y, last)
            && may_touch(edges[2], x, y, last) && may_touch(edges[3], x, y, last);
        if touches {
            add_to_bin((row - raster.tiles.y) * raster.tiles.z + column - raster.tiles.x, record, owns_words);
        }
        let ends_row = column == last_column;
        row += select(0u, 1u, ends_row);
        column = select(column + 1u, first_column, ends_row);
    }
}
