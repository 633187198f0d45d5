// The warp that runs: its next basic block, its active threads, and the stack of those that are not; the twin of
// `src/reference/compute/warp.rs`.
//
// All lanes compute the same values, and each has a copy of the stack, so that none waits for another.
import package::compute::ballot::lane;
import package::compute::parameters::compute_parameters;

// Values of `warp_next` that are no basic block: the warp has ended, continues with the stack, or waits for its next turn.
const WARP_ENDED: u32 = 0xffffffffu;
const WARP_UNWINDS: u32 = 0xfffffffeu;
const WARP_PAUSES: u32 = 0xfffffffdu;

// Kinds of entries of the stack, in the bits above the basic block where they continue.
const ENTRY_BRANCH: u32 = 0u;
const ENTRY_CALL: u32 = 0x10000000u;
const ENTRY_LOOP: u32 = 0x20000000u;
const ENTRY_QUADS: u32 = 0x30000000u;
const ENTRY_JOIN: u32 = 0x40000000u;
const ENTRY_KIND: u32 = 0xf0000000u;

// The next basic block.
var<private> warp_next: u32;
// The threads that exist, that are active, and that broke out of a loop, returned from a call, or ended.
var<private> warp_threads: u32;
var<private> warp_active: u32;
var<private> warp_broke: u32;
var<private> warp_returned: u32;
var<private> warp_ended: u32;
// The entries of the stack, and how many of them are calls and loops.
var<private> warp_depth: u32;
var<private> warp_calls: u32;
var<private> warp_loops: u32;
// Where the stack of the lane begins.
var<private> warp_stack_start: u32;
// The branches that diverged, and the passes of loops, in this dispatch.
var<private> divergent_branches: u32;
var<private> launch_passes: u32;

// The entry and its threads.
@group(0) @binding(42) var<storage, read_write> warp_stacks: array<vec2u>;

fn warp_is_active() -> bool {
    return ((warp_active >> lane) & 1u) != 0u;
}

fn warp_is_converged() -> bool {
    return warp_active == (warp_threads & ~warp_ended);
}

fn warp_end() {
    warp_active = 0u;
    warp_depth = 0u;
    warp_next = WARP_ENDED;
}

// Whether there was room; without it the warp ends.
fn warp_push(entry: u32, threads: u32) -> bool {
    let has_room = warp_depth < compute_parameters.stack_entries;
    if has_room {
        warp_stacks[warp_stack_start + warp_depth * 32u] = vec2u(entry, threads);
        warp_depth += 1u;
        warp_calls += select(0u, 1u, (entry & ENTRY_KIND) == ENTRY_CALL);
        warp_loops += select(0u, 1u, (entry & ENTRY_KIND) == ENTRY_LOOP);
    } else {
        warp_end();
    }
    return has_room;
}

// Removes the topmost entry of a stack that has one.
fn warp_pop() -> vec2u {
    warp_depth -= 1u;
    let popped = warp_stacks[warp_stack_start + warp_depth * 32u];
    warp_calls -= select(0u, 1u, (popped.x & ENTRY_KIND) == ENTRY_CALL);
    warp_loops -= select(0u, 1u, (popped.x & ENTRY_KIND) == ENTRY_LOOP);
    return popped;
}

// Branches at the end of a basic block; false if the stack is full.
fn warp_branch(taken: u32, target_block: u32, next_block: u32) -> bool {
    let others = warp_active & ~taken;
    var has_room = true;
    if taken == 0u {
        warp_next = next_block;
    } else {
        if others != 0u {
            has_room = warp_push(ENTRY_BRANCH | next_block, others);
        }
        if has_room {
            divergent_branches += select(0u, 1u, others != 0u);
            warp_active = taken;
            warp_next = target_block;
        }
    }
    return has_room;
}

// Makes threads inactive that the other functions have noted.
fn warp_leave(threads: u32) {
    warp_active &= ~threads;
    if threads != 0u && warp_active == 0u {
        warp_next = WARP_UNWINDS;
    }
}

fn warp_exit(threads: u32) {
    warp_ended |= threads;
    warp_leave(threads);
}

fn warp_return(threads: u32) {
    warp_returned |= select(0u, threads, warp_calls != 0u);
    warp_ended |= select(threads, 0u, warp_calls != 0u);
    warp_leave(threads);
}

// Whether there is a loop.
fn warp_break(threads: u32) -> bool {
    let is_in_loop = warp_loops != 0u;
    warp_broke |= select(0u, threads, is_in_loop);
    warp_ended |= select(threads, 0u, is_in_loop);
    warp_leave(threads);
    return is_in_loop;
}

// The threads that do not continue when those of an entry do.
fn warp_finished() -> u32 {
    return warp_broke | warp_returned | warp_ended;
}

fn warp_join() {
    if warp_active != 0u && warp_depth != 0u {
        let top = warp_stacks[warp_stack_start + (warp_depth - 1u) * 32u];
        let kind = top.x & ENTRY_KIND;
        if kind == ENTRY_BRANCH {
            warp_depth -= 1u;
            warp_next = top.x & ~ENTRY_KIND;
            warp_active = top.y;
        }
        if kind == ENTRY_JOIN {
            warp_depth -= 1u;
            warp_active = top.y & ~warp_finished();
            if warp_active == 0u {
                warp_next = WARP_UNWINDS;
            }
        }
    }
}

fn warp_enter_quads() -> bool {
    let has_room = warp_push(ENTRY_QUADS, warp_active);
    if has_room {
        let first = warp_active | (warp_active >> 1u) | (warp_active >> 2u) | (warp_active >> 3u);
        warp_active = ((first & 0x11111111u) * 15u) & warp_threads & ~warp_ended;
    }
    return has_room;
}

// Whether the topmost entry was of quads; if not, the warp ends.
fn warp_leave_quads() -> bool {
    var was_entered = false;
    if warp_depth != 0u {
        let popped = warp_pop();
        was_entered = (popped.x & ENTRY_KIND) == ENTRY_QUADS;
        warp_active = popped.y;
    }
    if !was_entered {
        warp_end();
    }
    return was_entered;
}

// Continues with the topmost entry that has threads, or ends the warp.
fn warp_unwind() {
    loop {
        launch_passes += 1u;
        if warp_depth == 0u {
            warp_end();
        } else {
            let popped = warp_pop();
            let kind = popped.x & ENTRY_KIND;
            var threads = popped.y & ~warp_finished();
            threads = select(threads, popped.y & warp_returned, kind == ENTRY_CALL);
            threads = select(threads, popped.y & warp_broke, kind == ENTRY_LOOP);
            threads = select(threads, 0u, kind == ENTRY_QUADS);
            warp_returned &= ~select(0u, threads, kind == ENTRY_CALL);
            warp_broke &= ~select(0u, threads, kind == ENTRY_LOOP);
            if threads != 0u {
                warp_active = threads;
                warp_next = popped.x & ~ENTRY_KIND;
            }
        }
        if warp_next != WARP_UNWINDS {
            break;
        }
    }
}
