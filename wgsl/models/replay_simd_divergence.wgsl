// Converts the branches and blocks that quads reached to the counts of their batches. One invocation per batch,
// which continues where the previous dispatch ended.
//
// The function on the host is `statistics::simd_divergence::simulate`.

struct BranchRun {
    // The batches in progress, and the number of table entries of each.
    first_batch: u32,
    batch_count: u32,
    row: u32,
    // The iterations of each batch in this dispatch: first its steps, then the branches and blocks of its draw.
    first: u32,
    count: u32,
}

struct BranchDraw {
    first_place: u32,
    place_count: u32,
    first_block: u32,
}

struct QuadBatch {
    draw: u32,
    quads: u32,
    step_end: u32,
}

struct BranchStep {
    place: u32,
    // Active pixels in bits 3:0, those that take the branch in bits 7:4.
    pixels: u32,
}

struct BranchCounts {
    batches: atomic<u32>,
    uniform_taken: atomic<u32>,
    uniform_not_taken: atomic<u32>,
    divergent: atomic<u32>,
}

// What the quads of a batch did at a branch or block.
const TAKEN = 1u;
const NOT_TAKEN = 2u;
const BOTH = 3u;
const REACHED = 4u;

// Stands for a block's number at a branch.
const IS_BRANCH = 0xffffffffu;

@group(0) @binding(14) var<storage, read> run: BranchRun;
@group(0) @binding(31) var<storage, read> draws: array<BranchDraw>;
@group(0) @binding(32) var<storage, read> blocks: array<u32>;
@group(0) @binding(33) var<storage, read> batches: array<QuadBatch>;
@group(0) @binding(34) var<storage, read> steps: array<BranchStep>;
@group(0) @binding(35) var<storage, read_write> seen: array<u32>;
@group(0) @binding(36) var<storage, read_write> counts: array<BranchCounts>;
@group(0) @binding(37) var<storage, read_write> entered: array<atomic<u32>>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= run.batch_count {
        return;
    }
    let number = run.first_batch + id.x;
    let batch = batches[number];
    var first_step = 0u;
    if number > 0u {
        first_step = batches[number - 1u].step_end;
    }
    let draw = draws[batch.draw];
    let step_count = batch.step_end - first_step;
    let table = id.x * run.row;
    var taken = 0u;
    var not_taken = 0u;
    var divergent = 0u;
    let end = min(step_count + select(draw.place_count, 0u, step_count == 0u), run.first + run.count);
    for (var at = run.first; at < end; at++) {
        if at < step_count {
            let step = steps[first_step + at];
            let takers = step.pixels & (step.pixels >> 4u) & 15u;
            let others = step.pixels & ~(step.pixels >> 4u) & 15u;
            let outcome = select(0u, TAKEN, takers != 0u) | select(0u, NOT_TAKEN, others != 0u);
            seen[table + step.place] |= REACHED | outcome;
            continue;
        }
        let place = at - step_count;
        let found = seen[table + place];
        seen[table + place] = 0u;
        if found == 0u {
            continue;
        }
        let block = blocks[draw.first_place + place];
        if block != IS_BRANCH {
            atomicAdd(&entered[draw.first_block + block], batch.quads);
            continue;
        }
        taken += select(0u, 1u, (found & BOTH) == TAKEN);
        divergent += select(0u, 1u, (found & BOTH) == BOTH);
        not_taken += select(0u, 1u, (found & TAKEN) == 0u);
    }
    if run.first == 0u {
        atomicAdd(&counts[batch.draw].batches, 1u);
        atomicAdd(&entered[draw.first_block], batch.quads);
    }
    atomicAdd(&counts[batch.draw].uniform_taken, taken);
    atomicAdd(&counts[batch.draw].uniform_not_taken, not_taken);
    atomicAdd(&counts[batch.draw].divergent, divergent);
}
