// Converts misses of quads to clocks of prefetching texture pipes. One invocation per pipe, which continues where
// the previous dispatch ended.
//
// The function on the host is `statistics::prefetch::simulate`, which documents what each clock waits for.

struct PrefetchPipe {
    fragment_fifo: u32,
    request_fifo: u32,
    reorder_slots: u32,
    latency: u32,
    jitter: u32,
    // The size of a line, in the unit of `memory_bytes`, which counts what memory sends per clock.
    transfer: u32,
    memory_bytes: u32,
    // The start of its clocks.
    clocks: u32,
}

struct PrefetchRun {
    pipe_count: u32,
    quad_count: u32,
    rounds: u32,
    padding: u32,
    pipes: array<PrefetchPipe>,
}

// The state of a pipe, which precedes its ring buffers of the clocks that each queue waits for.
struct PrefetchCursor {
    // The quad; its remaining requests, plus one once it has started; the next request.
    quad: u32,
    left: u32,
    request: u32,
    push: u32,
    issue: u32,
    commit: u32,
    tag: u32,
    leave: u32,
    memory_clock: u32,
    memory_fraction: u32,
}

const CURSOR_WORDS = 10u;

@group(0) @binding(14) var<storage, read> run: PrefetchRun;
// Misses in bits 15:0, clocks in bits 31:16.
@group(0) @binding(31) var<storage, read> quads: array<u32>;
@group(0) @binding(32) var<storage, read_write> clocks: array<u32>;

fn load_cursor(base: u32) -> PrefetchCursor {
    return PrefetchCursor(
        clocks[base], clocks[base + 1u], clocks[base + 2u], clocks[base + 3u], clocks[base + 4u],
        clocks[base + 5u], clocks[base + 6u], clocks[base + 7u], clocks[base + 8u], clocks[base + 9u],
    );
}

fn store_cursor(base: u32, cursor: PrefetchCursor) {
    clocks[base] = cursor.quad;
    clocks[base + 1u] = cursor.left;
    clocks[base + 2u] = cursor.request;
    clocks[base + 3u] = cursor.push;
    clocks[base + 4u] = cursor.issue;
    clocks[base + 5u] = cursor.commit;
    clocks[base + 6u] = cursor.tag;
    clocks[base + 7u] = cursor.leave;
    clocks[base + 8u] = cursor.memory_clock;
    clocks[base + 9u] = cursor.memory_fraction;
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= run.pipe_count {
        return;
    }
    let pipe = run.pipes[id.x];
    let leaves = pipe.clocks + CURSOR_WORDS;
    let issues = leaves + pipe.fragment_fifo;
    let commits = issues + pipe.request_fifo;
    var now = load_cursor(pipe.clocks);
    for (var round = 0u; round < run.rounds; round++) {
        if now.quad == run.quad_count {
            break;
        }
        let quad = quads[now.quad];
        let misses = quad & 0xffffu;
        if now.left == 0u {
            now.left = misses + 1u;
        }
        if now.left > 1u {
            let issue_slot = issues + now.request % pipe.request_fifo;
            let commit_slot = commits + now.request % pipe.reorder_slots;
            now.push = max(max(now.push, now.tag), clocks[issue_slot]) + 1u;
            let ready = max(max(now.push, now.issue), clocks[commit_slot]) + 1u;
            if now.memory_clock < ready {
                now.memory_clock = ready;
                now.memory_fraction = 0u;
            }
            now.issue = now.memory_clock + select(0u, 1u, now.memory_fraction > 0u);
            let end = now.memory_fraction + pipe.transfer;
            now.memory_clock += end / pipe.memory_bytes;
            now.memory_fraction = end % pipe.memory_bytes;
            // The upper half of a multiplicative hash, scaled.
            let jitter = (((now.request * 0x9e3779b1u) >> 16u) * (pipe.jitter + 1u)) >> 16u;
            now.commit = max(max(now.issue + pipe.latency + jitter, now.commit) + 1u, now.leave);
            clocks[issue_slot] = now.issue;
            clocks[commit_slot] = now.commit;
            now.request += 1u;
            now.left -= 1u;
            continue;
        }
        let quad_clocks = max(quad >> 16u, 1u);
        let leave_slot = leaves + now.quad % pipe.fragment_fifo;
        now.tag = max(now.tag + quad_clocks, clocks[leave_slot] + 1u);
        if misses > 0u {
            now.tag = max(now.tag, now.push);
        }
        now.leave = max(now.leave + quad_clocks, now.tag + 1u);
        if misses > 0u {
            now.leave = max(now.leave, now.commit + 1u);
        }
        clocks[leave_slot] = now.leave;
        now.quad += 1u;
        now.left = 0u;
    }
    store_cursor(pipe.clocks, now);
}
