// Offsets of the parts of a batch's bins, in words.
//
// The large primitives, which `bin_large_primitives` bins, come first: one bit per word of their mask, then the
// mask, one bit per primitive. A summary per tile follows, one bit per word, set where the word is not zero; words
// whose bit is clear are empty and may hold any value. Then come the touched tiles: their number, with bit 31 set
// if all tiles may be touched; one bit per tile; their indices in any order. The words of all tiles come last.

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
