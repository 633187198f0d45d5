// Where the parts of the bins of a batch lie, in words.
//
// First come the records that span many tiles, which `bin_large_records` bins: a bit per word of their mask, then the mask, a
// bit per record. A summary of every tile follows, a bit per word, set where the word holds anything; words whose bit is
// not set hold nothing and may have any value. The words of all tiles come last.

import package::raster_parameters::raster;

fn summary_words() -> u32 {
    return (raster.bin_words + 31u) >> 5u;
}

fn large_mask_at(word: u32) -> u32 {
    return summary_words() + word;
}

fn tile_summary_at(tile: u32) -> u32 {
    return raster.bin_words + (tile + 1u) * summary_words();
}

fn tile_words_at(tile: u32) -> u32 {
    return (tile + 1u) * raster.bin_words + (raster.tiles.z * raster.tiles.w + 1u) * summary_words();
}
