// Walks the bin of a tile: the records that may touch it, in submission order.
// `bin_layout.wgsl` says how bins look.

import package::bin_layout::{summary_words, tile_summary_at, tile_words_at, touched_count_at, touched_list_at};
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

// The tiles that records touch, and perhaps others.
fn touched_count() -> u32 {
    let count = bins[touched_count_at()];
    return select(count, raster.tiles.z * raster.tiles.w, (count & 0x80000000u) != 0u);
}

fn touched_tile(index: u32) -> u32 {
    if (bins[touched_count_at()] & 0x80000000u) != 0u {
        return index;
    }
    return bins[touched_list_at(index)];
}

fn enter_bin(tile: u32) {
    bin_tile = tile;
    bin_bits = 0u;
    bin_summary_word = 0u;
    bin_summary = bins[tile_summary_at(tile)];
}

// Enters the bin at a record that it names: that one is the next.
fn resume_bin(tile: u32, record: u32) {
    bin_tile = tile;
    bin_word = record >> 5u;
    bin_summary_word = record >> 10u;
    bin_bits = bins[tile_words_at(tile) + bin_word] & (0xffffffffu << (record & 31u));
    bin_summary = bins[tile_summary_at(tile) + bin_summary_word] & (0xfffffffeu << (bin_word & 31u));
}

// Whether no record is left.
fn bin_is_done() -> bool {
    return bin_bits == 0u && bin_summary == 0u && bin_summary_word + 1u >= summary_words();
}

// The next record, or `NO_RECORD`.
fn next_record() -> u32 {
    // Every tile of a group comes to its own next record before any goes on.
    while bin_bits == 0u && (bin_summary != 0u || bin_summary_word + 1u < summary_words()) {
        if bin_summary == 0u {
            bin_summary_word += 1u;
            bin_summary = bins[tile_summary_at(bin_tile) + bin_summary_word];
        }
        if bin_summary != 0u {
            bin_word = bin_summary_word * 32u + firstTrailingBit(bin_summary);
            bin_summary &= bin_summary - 1u;
            bin_bits = bins[tile_words_at(bin_tile) + bin_word];
        }
    }
    if bin_bits == 0u {
        return NO_RECORD;
    }
    let record = bin_word * 32u + firstTrailingBit(bin_bits);
    bin_bits &= bin_bits - 1u;
    return record;
}
