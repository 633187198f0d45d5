// The flow of the threads of a quad: the next basic block, the active threads, and the stack of those that are not, as
// `src/reference/compute/warp.rs` has it for a warp. A thread that is alone is a quad of one. No use of the stack is a fault.

// The value of `flow_next` when all threads have ended.
const FLOW_ENDED: u32 = 0xffffffffu;
// The value of `flow_next` while the stack decides where threads continue.
const FLOW_UNWINDS: u32 = 0xfffffffeu;

// `curie::pipeline::launch::MAX_QUAD_BLOCKS`.
const MAX_QUAD_BLOCKS: u32 = 16384u;

// Kinds of entries of the stack, in the bits above the basic block where they continue.
const ENTRY_BRANCH: u32 = 0u;
const ENTRY_CALL: u32 = 0x10000000u;
const ENTRY_LOOP: u32 = 0x20000000u;
const ENTRY_JOIN: u32 = 0x30000000u;
const ENTRY_QUADS: u32 = 0x40000000u;
const ENTRY_KIND: u32 = 0xf0000000u;

// The next basic block.
var<private> flow_next: u32;
// The threads that are active, and that broke out of a loop, returned from a call, or ended.
var<private> flow_active: u32;
var<private> flow_broke: u32;
var<private> flow_returned: u32;
var<private> flow_ended: u32;
// The threads that execute the last instruction of a basic block.
var<private> flow_executing: u32;
// The basic blocks that it has begun.
var<private> flow_blocks: u32;
// The entries of the stack and their threads.
var<private> flow_depth: u32;
var<private> flow_stack: array<vec2u, 16>;

// Begins with these threads at the first basic block.
fn begin_flow(threads: u32) {
    flow_next = 0u;
    flow_active = threads;
    flow_broke = 0u;
    flow_returned = 0u;
    flow_ended = 0u;
    flow_blocks = 0u;
    flow_depth = 0u;
}

// Whether a basic block may begin; if not, all threads end.
fn begin_flow_block() -> bool {
    let begins = flow_blocks < MAX_QUAD_BLOCKS;
    flow_blocks += 1u;
    flow_next = select(FLOW_ENDED, flow_next, begins);
    return begins;
}

fn flow_is_active(thread: u32) -> bool {
    return ((flow_active >> thread) & 1u) != 0u;
}

// Pushes the active threads, and continues.
fn push_flow(entry: u32, next: u32) {
    flow_stack[flow_depth] = vec2u(entry, flow_active);
    flow_depth += 1u;
    flow_next = next;
}

// Continues with the active threads that take a branch, and with the others afterwards.
fn branch_flow(taken: u32, target_block: u32, next_block: u32) {
    let others = flow_active & ~taken;
    flow_next = next_block;
    if taken != 0u {
        if others != 0u {
            flow_active = others;
            push_flow(ENTRY_BRANCH | next_block, target_block);
            flow_active = taken;
        }
        flow_next = target_block;
    }
}

// Makes threads inactive that the other functions have noted.
fn leave_flow(threads: u32, next: u32) {
    flow_active &= ~threads;
    flow_next = select(next, FLOW_UNWINDS, threads != 0u && flow_active == 0u);
}

fn exit_flow(threads: u32, next: u32) {
    flow_ended |= threads;
    leave_flow(threads, next);
}

fn return_flow(threads: u32, next: u32) {
    flow_returned |= threads;
    leave_flow(threads, next);
}

fn break_flow(threads: u32, next: u32) {
    flow_broke |= threads;
    leave_flow(threads, next);
}

// Runs diverged threads up to here, or else continues with all that diverged.
fn join_flow() {
    flow_depth -= 1u;
    let top = flow_stack[flow_depth];
    flow_active = top.y;
    if (top.x & ENTRY_KIND) == ENTRY_BRANCH {
        flow_next = top.x & ~ENTRY_KIND;
    } else {
        flow_active &= ~flow_finished();
        flow_next = select(flow_next, FLOW_UNWINDS, flow_active == 0u);
    }
}

// Makes all threads active that have not ended, and those that were again.
fn enter_quads(next: u32) {
    push_flow(ENTRY_QUADS, next);
    flow_active = 15u & ~flow_ended;
}

fn leave_quads(next: u32) {
    flow_depth -= 1u;
    flow_active = flow_stack[flow_depth].y;
    flow_next = next;
}

// The threads that do not continue when those of an entry do.
fn flow_finished() -> u32 {
    return flow_broke | flow_returned | flow_ended;
}

// Removes the topmost entry of a stack that decides where threads continue, which they do if it has some; ends the quad if there
// is none.
fn unwind_flow() {
    if flow_depth == 0u {
        flow_next = FLOW_ENDED;
        return;
    }
    flow_depth -= 1u;
    let popped = flow_stack[flow_depth];
    let kind = popped.x & ENTRY_KIND;
    var threads = popped.y & ~flow_finished();
    threads = select(threads, popped.y & flow_returned, kind == ENTRY_CALL);
    threads = select(threads, popped.y & flow_broke, kind == ENTRY_LOOP);
    flow_returned &= ~select(0u, threads, kind == ENTRY_CALL);
    flow_broke &= ~select(0u, threads, kind == ENTRY_LOOP);
    if threads != 0u {
        flow_active = threads;
        flow_next = popped.x & ~ENTRY_KIND;
    }
}
