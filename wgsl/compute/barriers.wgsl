// The sixteen barriers of a block; the twin of `src/reference/compute/barriers.rs`.
//
// All lanes compute the same values.
import package::compute::parameters::compute_parameters;

// The warps of the block that can run, and those that have ended; the others wait.
var<private> warps_ready: u32;
var<private> warps_ended: u32;

// The warps that have arrived, those that the barrier waits for (0 for all), and a mask of those that wait.
struct BlockBarrier {
    arrived: u32,
    needed: u32,
    waiting: u32,
}

// A kernel names those of its program; their indices are constants, so that the others are no variables.
var<private> block_barriers: array<BlockBarrier, 16>;

// Lets the warps of a barrier go if enough have arrived.
fn released_barrier(barrier: BlockBarrier) -> BlockBarrier {
    let running = compute_parameters.warps - countOneBits(warps_ended);
    let needed = select(min(barrier.needed, running), running, barrier.needed == 0u);
    let is_released = (barrier.arrived != 0u) & (barrier.arrived >= needed);
    warps_ready |= select(0u, barrier.waiting, is_released);
    let arrived = select(barrier.arrived, 0u, is_released);
    return BlockBarrier(arrived, barrier.needed, select(barrier.waiting, 0u, is_released));
}

// A warp arrives at a barrier, waits there, or both. The barrier waits for a number of threads; 0 is all of the block.
fn reached_barrier(barrier: BlockBarrier, arrives: bool, waits: bool, warps: u32, warp: u32) -> BlockBarrier {
    var reached = barrier;
    if arrives {
        reached.arrived += 1u;
        reached.needed = warps;
    }
    if waits & (reached.arrived != 0u) {
        reached.waiting |= 1u << warp;
        warps_ready &= ~(1u << warp);
    }
    return released_barrier(reached);
}

// Lets the warps of a barrier go that wait for one that has ended.
fn left_barrier(barrier: BlockBarrier, ended: u32) -> BlockBarrier {
    return released_barrier(BlockBarrier(barrier.arrived, barrier.needed, barrier.waiting & ~ended));
}
