// Bins the large primitives that setup marks, unless tiles find them (`tile_bins.wgsl`). One invocation per tile
// and summary word; it owns that word and all words that it summarizes, and visits at most 1024 primitives.

import package::setup::bin_layout::{large_mask_at, summary_words, tile_summary_at, tile_words_at};
import package::raster::large_primitive_touch::setup_touches;
import package::raster::parameters::{load_raster, raster};

@group(0) @binding(8) var<storage, read_write> bins: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    load_raster();
    let tile_count = raster.tiles.z * raster.tiles.w;
    if id.x >= tile_count * summary_words() {
        return;
    }
    let tile = id.x % tile_count;
    let group = id.x / tile_count;
    let column = raster.tiles.x + tile % raster.tiles.z;
    let row = raster.tiles.y + tile / raster.tiles.z;
    let summary_at = tile_summary_at(tile) + group;
    var summary = bins[summary_at];
    // The remaining words of the mask, the current word, its remaining bits, and its primitives that touch the
    // tile.
    var words = bins[group];
    var word = 0u;
    var left = 0u;
    var touching = 0u;
    // One loop over words and their primitives, so that adjacent invocations do not wait for each other.
    while words != 0u || left != 0u {
        if left == 0u {
            word = group * 32u + firstTrailingBit(words);
            words &= words - 1u;
            left = bins[large_mask_at(word)];
            touching = 0u;
        }
        let place = firstTrailingBit(left);
        left &= left - 1u;
        touching |= select(0u, 1u << place, setup_touches(word * 32u + place, column, row));
        if left == 0u && touching != 0u {
            let summary_bit = 1u << (word & 31u);
            let word_at = tile_words_at(tile) + word;
            // Words whose summary bit is clear may hold anything.
            if (summary & summary_bit) != 0u {
                touching |= bins[word_at];
            }
            bins[word_at] = touching;
            summary |= summary_bit;
        }
    }
    bins[summary_at] = summary;
}
