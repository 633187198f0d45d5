// Where the parts of the bins of a batch lie, in words.
//
// First come the primitives that span many tiles, which `bin_large_primitives` bins: a bit per word of their mask, then the mask, a
// bit per primitive. A summary of every tile follows, a bit per word, set where the word holds anything; words whose bit is
// not set hold nothing and may have any value. Then the tiles that any primitive touches: how many, of which bit 31 says that
// all may; a bit per tile; their numbers in any order. The words of all tiles come last.

import package::raster::parameters::raster;

fn summary_words() -> u32 {
    return (raster.bin_words + 31u) >> 5u;
}

fn large_mask_at(word: u32) -> u32 {
    return summary_words() + word;
}

fn tile_summary_at(tile: u32) -> u32 {
    return raster.bin_words + (tile + 1u) * summary_words();
}

fn touched_count_at() -> u32 {
    return raster.bin_words + (raster.tiles.z * raster.tiles.w + 1u) * summary_words();
}

fn touched_mask_at(tile: u32) -> u32 {
    return touched_count_at() + 1u + (tile >> 5u);
}

fn touched_list_at(index: u32) -> u32 {
    return touched_mask_at(raster.tiles.z * raster.tiles.w + 31u) + index;
}

fn tile_words_at(tile: u32) -> u32 {
    return touched_list_at(raster.tiles.z * raster.tiles.w) + tile * raster.bin_words;
}
