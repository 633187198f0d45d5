// Adds a primitive to the bins of the tiles that it may touch, or marks it for `bin_large_primitives` if it
// touches many tiles. `bin_layout.wgsl` documents the layout of bins.
//
// Constants of the kernel: `LARGE_TILES`, the most tiles that one invocation visits for a primitive, and
// `TILES_PER_GROUP`, the tiles of a workgroup of `draw_tiles`.

import package::setup::bin_layout::{large_mask_at, summary_words, tile_summary_at, tile_words_at};
import package::setup::bin_layout::{touched_count_at, touched_list_at, touched_mask_at};
import package::raster::parameters::raster;
import package::raster::tile_touch::edges_touch;

@group(0) @binding(8) var<storage, read_write> bins: array<atomic<u32>>;
// Workgroups of `bin_large_primitives`, all 0 until a primitive is marked. From word 4 on, workgroups of
// `draw_tiles`, the first 0 until a tile is touched.
@group(0) @binding(9) var<storage, read_write> large_groups: array<atomic<u32>>;

// Adds workgroups of `draw_tiles` for this many tiles, in rows of at most 65535.
fn draw_touched(count: u32) {
    let groups = (count + TILES_PER_GROUP - 1u) / TILES_PER_GROUP;
    atomicMax(&large_groups[4], min(groups, 65535u));
    if groups > 65535u {
        atomicMax(&large_groups[5], (groups + 65534u) / 65535u);
    }
}

fn list_tile(tile: u32) {
    let bit = 1u << (tile & 31u);
    if (atomicOr(&bins[touched_mask_at(tile)], bit) & bit) == 0u {
        let index = atomicAdd(&bins[touched_count_at()], 1u) & 0x7fffffffu;
        atomicStore(&bins[touched_list_at(index)], tile);
        draw_touched(index + 1u);
    }
}

// Sets the bit of a primitive in the bin of a tile. An invocation that owns whole words may find words that were
// not cleared, if their summary bit is clear.
fn add_to_bin(tile: u32, setup: u32, owns_words: bool) {
    let word = setup >> 5u;
    let bit = 1u << (setup & 31u);
    let summary_at = tile_summary_at(tile) + (word >> 5u);
    let summary_bit = 1u << (word & 31u);
    let word_at = tile_words_at(tile) + word;
    let is_listed = (atomicLoad(&bins[summary_at]) & summary_bit) != 0u;
    if !is_listed {
        atomicOr(&bins[summary_at], summary_bit);
        list_tile(tile);
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

fn mark_large(setup: u32) {
    let word = setup >> 5u;
    atomicOr(&bins[word >> 5u], 1u << (word & 31u));
    atomicOr(&bins[large_mask_at(word)], 1u << (setup & 31u));
    atomicStore(&large_groups[0], (raster.tiles.z * raster.tiles.w * summary_words() + 63u) / 64u);
    atomicStore(&large_groups[1], 1u);
    atomicStore(&large_groups[2], 1u);
    atomicOr(&bins[touched_count_at()], 0x80000000u);
    draw_touched(raster.tiles.z * raster.tiles.w);
}

// `header` and `edges` belong to the primitive.
fn bin_primitive(setup: u32, header: vec4u, edges: array<vec4i, 4>, owns_words: bool) {
    let shift = raster.round.x;
    let first_column = (header.y & 0xffffu) >> shift;
    let last_column = (header.z & 0xffffu) >> shift;
    let first_row = header.y >> (16u + shift);
    let last_row = header.z >> (16u + shift);
    let is_large = (last_column - first_column + 1u) * (last_row - first_row + 1u) > LARGE_TILES;
    if is_large {
        mark_large(setup);
    }
    var column = first_column;
    var row = select(first_row, last_row + 1u, is_large);
    while row <= last_row {
        if edges_touch(edges, column, row) {
            add_to_bin((row - raster.tiles.y) * raster.tiles.z + column - raster.tiles.x, setup, owns_words);
        }
        let ends_row = column == last_column;
        row += select(0u, 1u, ends_row);
        column = select(column + 1u, first_column, ends_row);
    }
}
