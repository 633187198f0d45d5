// The local memory of a slot's threads: for each warp, the words of its lanes side by side.
import package::compute::ballot::lane;
import package::compute::block::{slot, block_warp};
import package::compute::parameters::compute_parameters;
import package::compute::warp::launch_passes;

@group(0) @binding(46) var<storage, read_write> compute_local: array<u32>;

// The place of a word of the lane's thread.
fn local_word(address: u32) -> u32 {
    let warp = slot * compute_parameters.warps + block_warp;
    return (warp * compute_parameters.local_words + (address >> 2u)) * 32u + lane;
}

// Gives a warp that begins local memory of zeros; its size is a multiple of four words.
fn clear_local_memory() {
    for (var word = 0u; word < compute_parameters.local_words; word += 4u) {
        let place = local_word(word << 2u);
        compute_local[place] = 0u;
        compute_local[place + 32u] = 0u;
        compute_local[place + 64u] = 0u;
        compute_local[place + 96u] = 0u;
    }
    launch_passes += compute_parameters.local_words >> 2u;
}
