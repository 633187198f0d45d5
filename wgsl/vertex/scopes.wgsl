// Keeps the open scopes of IF, calls and loops of one vertex, and closes those that end after an executed
// instruction; the twin of `src/reference/vertex/scopes.rs`.
//
// Blocks are numbers of the switch that runs the program; the largest number ends it.

const SCOPES_DONE: u32 = 0xffffffffu;
const SCOPES_IFS: u32 = 8u;
const SCOPES_CALLS: u32 = 4u;
const SCOPES_LOOPS: u32 = 4u;

// The slot where the scope ends, and the block to continue at.
var<private> scopes_ifs: array<vec2u, SCOPES_IFS>;
// The slot where the scope ends, the slot of the return, its block.
var<private> scopes_calls: array<vec3u, SCOPES_CALLS>;
// The slot where the scope ends, the block there, the repeated block, repetitions to come.
var<private> scopes_loops: array<vec4u, SCOPES_LOOPS>;
// What a repetition adds to the counter, and the counter of the loop around.
var<private> scopes_counters: array<vec2i, SCOPES_LOOPS>;
// Per kind the entry that the next scope takes.
var<private> scopes_next: vec3u;
// Per kind the number of open scopes.
var<private> scopes_depth: vec3u;

// Forgets every scope.
fn scopes_reset() {
    scopes_next = vec3u(0u);
    scopes_depth = vec3u(0u);
}

fn scopes_open_if(or_else: u32, end: u32) {
    scopes_ifs[scopes_next.x] = vec2u(or_else, end);
    scopes_next.x = (scopes_next.x + 1u) % SCOPES_IFS;
    scopes_depth.x = min(scopes_depth.x + 1u, SCOPES_IFS);
}

fn scopes_open_call(end: u32, return_slot: u32, return_block: u32) {
    scopes_calls[scopes_next.y] = vec3u(end, return_slot, return_block);
    scopes_next.y = (scopes_next.y + 1u) % SCOPES_CALLS;
    scopes_depth.y = min(scopes_depth.y + 1u, SCOPES_CALLS);
}

// Returns the first value of the loop counter.
fn scopes_open_loop(end: u32, end_block: u32, body: u32, parameters: vec4u, counter: i32) -> i32 {
    scopes_loops[scopes_next.z] = vec4u(end, end_block, body, parameters.x & 0xffu);
    scopes_counters[scopes_next.z] = vec2i(vec2u(parameters.z & 0xffu, bitcast<u32>(counter)));
    scopes_next.z = (scopes_next.z + 1u) % SCOPES_LOOPS;
    scopes_depth.z = min(scopes_depth.z + 1u, SCOPES_LOOPS);
    return vec2i(vec2u(parameters.y & 0xffu)).x;
}

// Where execution continues, and the loop counter.
struct ScopesClosed {
    block: u32,
    counter: i32,
}

fn scopes_close(slot: u32, next: u32, breaks: bool, loop_counter: i32) -> ScopesClosed {
    var following = next;
    var reached = slot;
    for (var closed = 1u; closed <= SCOPES_CALLS; closed += 1u) {
        let top = (scopes_next.y + SCOPES_CALLS - 1u) % SCOPES_CALLS;
        let call = scopes_calls[top];
        if scopes_depth.y == 0u || call.x != reached { break; }
        reached = call.y;
        // A fourth call that ends at once is closed, but does not return.
        following = select(following, call.z, closed < SCOPES_CALLS);
        scopes_next.y = top;
        scopes_depth.y -= 1u;
    }
    let top_if = (scopes_next.x + SCOPES_IFS - 1u) % SCOPES_IFS;
    if scopes_depth.x > 0u && scopes_ifs[top_if].x == slot {
        following = scopes_ifs[top_if].y;
        scopes_next.x = top_if;
        scopes_depth.x -= 1u;
    }
    return scopes_close_loop(slot, following, breaks, loop_counter);
}

fn scopes_close_loop(slot: u32, following: u32, breaks: bool, loop_counter: i32) -> ScopesClosed {
    if scopes_depth.z == 0u {
        return ScopesClosed(select(following, SCOPES_DONE, breaks), loop_counter);
    }
    let top = (scopes_next.z + SCOPES_LOOPS - 1u) % SCOPES_LOOPS;
    let scope = scopes_loops[top];
    if scope.x != slot && !breaks {
        return ScopesClosed(following, loop_counter);
    }
    let counter = (loop_counter + scopes_counters[top].x) & 0xff;
    if !breaks && scope.w > 0u {
        scopes_loops[top].w = scope.w - 1u;
        return ScopesClosed(scope.z, counter);
    }
    scopes_next.z = top;
    scopes_depth.z -= 1u;
    return ScopesClosed(scope.y, select(counter, scopes_counters[top].y, scopes_depth.z > 0u));
}
