// Records warps that wait forever.
import package::compute::ballot::lane;
import package::compute::barriers::warps_ended;
import package::compute::block::{block_number, compute_slots, warp_words};
import package::compute::parameters::compute_parameters;
import package::compute::records::{launch_blocks, note_fault};
import package::compute::warp::launch_passes;

// Records that the warps of a block that cannot go on wait forever.
fn record_deadlocks() {
    for (var warp = 0u; warp < compute_parameters.warps; warp += 1u) {
        if ((warps_ended >> warp) & 1u) == 0u {
            let words = warp_words(warp);
            let first = countTrailingZeros(compute_slots[words + 32u]) % 32u;
            note_fault(compute_slots[words + 192u], lane == first, block_number, warp, 0u);
            launch_blocks += 1u;
        }
    }
    launch_passes += compute_parameters.warps;
}
