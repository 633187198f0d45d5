// Walks the bin of a tile: the records that may touch it, in submission order.
//
// Bins begin with a summary: for every tile a bit per word, set where the word holds anything. Words whose bit is not set
// hold nothing and may have any value. The words of all tiles follow.

import package::raster_parameters::raster;

@group(0) @binding(8) var<storage, read> bins: array<u32>;

// The end of a bin.
const NO_RECORD: u32 = 0xffffffffu;

// The word at hand and what is left of it; the summary word at hand and what is left of it.
var<private> bin_word: u32;
var<private> bin_bits: u32;
var<private> bin_summary_word: u32;
var<private> bin_summary: u32;
var<private> bin_tile: u32;

fn enter_bin(tile: u32) {
    bin_tile = tile;
    bin_bits = 0u;
    bin_summary_word = 0u;
    bin_summary = bins[tile * ((raster.bin_words + 31u) >> 5u)];
}

// Enters the bin at a record that it names: that one is the next.
fn resume_bin(tile: u32, record: u32) {
    let summary_words = (raster.bin_words + 31u) >> 5u;
    bin_tile = tile;
    bin_word = record >> 5u;
    bin_summary_word = record >> 10u;
    let words = raster.tiles.z * raster.tiles.w * summary_words + tile * raster.bin_words;
    bin_bits = bins[words + bin_word] & (0xffffffffu << (record & 31u));
    bin_summary = bins[tile * summary_words + bin_summary_word] & (0xfffffffeu << (bin_word & 31u));
}

// The next record, or `NO_RECORD`.
fn next_record() -> u32 {
    let summary_words = (raster.bin_words + 31u) >> 5u;
    // Every tile of a group comes to its own next record before any goes on.
    while bin_bits == 0u && (bin_summary != 0u || bin_summary_word + 1u < summary_words) {
        if bin_summary == 0u {
            bin_summary_word += 1u;
            bin_summary = bins[bin_tile * summary_words + bin_summary_word];
        }
        if bin_summary != 0u {
            bin_word = bin_summary_word * 32u + firstTrailingBit(bin_summary);
            bin_summary &= bin_summary - 1u;
            let first = raster.tiles.z * raster.tiles.w * summary_words;
            bin_bits = bins[first + bin_tile * raster.bin_words + bin_word];
        }
    }
    if bin_bits == 0u {
        return NO_RECORD;
    }
    let record = bin_word * 32u + firstTrailingBit(bin_bits);
    bin_bits &= bin_bits - 1u;
    return record;
}
