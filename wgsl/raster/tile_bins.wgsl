// Iterates over the bin of a tile: the primitives that may touch it, in submission order. `bin_layout.wgsl`
// documents the layout of bins.

import package::setup::bin_layout::{large_mask_at, summary_words, tile_summary_at, tile_words_at, touched_count_at, touched_list_at};
import package::raster::large_primitive_touch::setup_touches;
import package::raster::parameters::raster;

@group(0) @binding(8) var<storage, read> bins: array<u32>;

// The end of a bin.
const NO_SETUP: u32 = 0xffffffffu;

// The current word and its remaining bits; the current summary word and its remaining bits.
var<private> bin_word: u32;
var<private> bin_bits: u32;
var<private> bin_summary_word: u32;
var<private> bin_summary: u32;
var<private> bin_tile: u32;

// The most words per bin for which tiles find large primitives themselves, instead of a kernel that bins them.
// Words are then cleared, and valid whatever the summary says.
const FEW_WORDS: u32 = 2u;

// The bits of large primitives in the first two words, where tiles find them.
var<private> bin_large: vec2u;

// The number of tiles that primitives touch; may include others.
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

// Finds the large primitives that touch a tile, if bins have few words; at most 64 iterations.
fn find_large_setups(tile: u32) {
    bin_large = vec2u(0u);
    let column = raster.tiles.x + tile % raster.tiles.z;
    let row = raster.tiles.y + tile / raster.tiles.z;
    let has_words = vec2u(0u, 1u) < vec2u(raster.bin_words);
    let masks = vec2u(bins[large_mask_at(0u)], bins[large_mask_at(1u)]);
    var left = select(vec2u(0u), masks, has_words & vec2<bool>(raster.bin_words <= FEW_WORDS));
    loop {
        let is_first = vec2<bool>(left.x != 0u, left.x == 0u);
        let word = select(left.y, left.x, is_first.x);
        let place = firstTrailingBit(word | 0x80000000u);
        let bit = select(vec2u(0u), vec2u(1u << place), is_first);
        let touches = word != 0u && setup_touches(select(32u, 0u, is_first.x) + place, column, row);
        bin_large |= select(vec2u(0u), bit, touches);
        left &= ~bit;
        if all(left == vec2u(0u)) {
            break;
        }
    }
}

// A bit for each of the first two words that holds a large primitive.
fn large_summary() -> u32 {
    return u32(bin_large.x != 0u) | (u32(bin_large.y != 0u) << 1u);
}

// A word of the tile's bin.
fn bin_word_at(word: u32) -> u32 {
    return bins[tile_words_at(bin_tile) + word] | select(bin_large.x, bin_large.y, word == 1u);
}

fn enter_bin(tile: u32) {
    bin_tile = tile;
    bin_bits = 0u;
    bin_summary_word = 0u;
    bin_summary = bins[tile_summary_at(tile)] | large_summary();
}

// Resumes the bin at a primitive that it holds; that primitive is the next.
fn resume_bin(tile: u32, setup: u32) {
    bin_tile = tile;
    bin_word = setup >> 5u;
    bin_summary_word = setup >> 10u;
    bin_bits = bin_word_at(bin_word) & (0xffffffffu << (setup & 31u));
    bin_summary = bins[tile_summary_at(tile) + bin_summary_word] | large_summary();
    bin_summary &= 0xfffffffeu << (bin_word & 31u);
}

// Whether no primitive is left.
fn bin_is_done() -> bool {
    return bin_bits == 0u && bin_summary == 0u && bin_summary_word + 1u >= summary_words();
}

// The next primitive, or `NO_SETUP`.
fn next_setup() -> u32 {
    // Every tile of a group finds its own next primitive before any of them continues.
    while bin_bits == 0u && (bin_summary != 0u || bin_summary_word + 1u < summary_words()) {
        if bin_summary == 0u {
            bin_summary_word += 1u;
            bin_summary = bins[tile_summary_at(bin_tile) + bin_summary_word];
        }
        if bin_summary != 0u {
            bin_word = bin_summary_word * 32u + firstTrailingBit(bin_summary);
            bin_summary &= bin_summary - 1u;
            bin_bits = bin_word_at(bin_word);
        }
    }
    if bin_bits == 0u {
        return NO_SETUP;
    }
    let setup = bin_word * 32u + firstTrailingBit(bin_bits);
    bin_bits &= bin_bits - 1u;
    return setup;
}
