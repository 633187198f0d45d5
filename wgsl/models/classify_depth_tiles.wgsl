// Classifies tiles of a depth surface by whether the memory controller's gradient format can hold them. One
// invocation per tile.
//
// The function on the host is `statistics::tile_compression::classify`; `encode` there explains why a tile has one
// encoding.
import package::models::sample_surface::{run, memory, classes, tile_of, is_partial, first_sample, PLAIN, COMPRESSED, CONSTANT, PARTIAL};

const DEPTH_MASK = 0xffffffu;

// A difference modulo 2²⁴ as a signed number.
fn signed_difference(depth: u32, base: u32) -> i32 {
    return bitcast<i32>((depth - base) << 8u) >> 8u;
}

// Whether a signed number fits `bits` bits.
fn has_bits(value: i32, bits: u32) -> bool {
    let most = i32(1u << (bits - 1u));
    return value >= -most && value < most;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let tile = tile_of(id);
    if tile >= run.tile_count {
        return;
    }
    if is_partial(tile) {
        classes[tile] = PARTIAL;
        return;
    }
    let first = first_sample(tile);
    let base = memory[first + 3u] >> 8u;
    let left = signed_difference(memory[first + 1u] >> 8u, base);
    let right = signed_difference(memory[first + 7u] >> 8u, base);
    let down = signed_difference(memory[first + 2u * run.surface.pitch_words + 3u] >> 8u, base);
    var fits = has_bits(left, 17u) && has_bits(right, 17u) && has_bits(down, 17u);
    var is_constant = true;
    for (var sample = 0u; sample < 32u; sample++) {
        let row = sample >> 3u;
        let column = sample & 7u;
        let depth = memory[first + row * run.surface.pitch_words + column] >> 8u;
        let x = i32(column) - 3;
        let y = i32(row);
        let across = 2 * x - select(0, y & 1, run.log2_rows > 0u);
        let along = 2 * y - select(0, x & 1, run.log2_columns > 0u);
        let step = select(-2 * across * left, across * right, across > 0);
        let eighths = 7 + step + 2 * along * down;
        let predicted = base + bitcast<u32>(eighths >> 3u);
        let bits = select(6u, 7u, column == 0u || column == 5u || column == 6u);
        fits = fits && has_bits(signed_difference(depth, predicted), bits);
        is_constant = is_constant && depth == base;
    }
    classes[tile] = select(PLAIN, select(COMPRESSED, CONSTANT, is_constant), fits);
}
