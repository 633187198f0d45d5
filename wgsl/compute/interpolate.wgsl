// Interpolants of fragments; the twin of `src/reference/compute/interpolate.rs` and `src/pipeline/launch/threads.rs`.
import package::arith::tesla_float::tesla_multiply_add;
import package::compute::parameters::{compute_parameters, compute_tables};
import package::compute::threads::{element, input_word};

// The words of a fragment: its primitive, x and y of the center and of the centroid, and its sample.
const FRAGMENT_WORDS: u32 = 6u;

fn fragment_word(word: u32) -> u32 {
    return compute_tables[compute_parameters.fragments_start + element() * FRAGMENT_WORDS + word];
}

// The sample that a fragment is.
fn fragment_sample() -> u32 {
    return fragment_word(5u);
}

// The interpolant at an address: at the center, at the centroid (1), or at the provoking vertex (2).
fn interpolant(address: u32, mode: u32, is_valid: bool) -> u32 {
    var value = 0u;
    if is_valid & (compute_parameters.has_planes == 0u) {
        value = compute_tables[input_word(address)];
    }
    if is_valid & (compute_parameters.has_planes != 0u) {
        let number = fragment_word(0u) * compute_parameters.input_words + (address >> 2u);
        let plane = compute_parameters.inputs_start + number * 4u;
        let place = select(1u, 3u, mode == 1u);
        let in_y = tesla_multiply_add(compute_tables[plane + 2u], fragment_word(place + 1u), compute_tables[plane]);
        let in_x = tesla_multiply_add(compute_tables[plane + 1u], fragment_word(place), in_y);
        value = select(in_x, compute_tables[plane + 3u], mode == 2u);
    }
    return value;
}
