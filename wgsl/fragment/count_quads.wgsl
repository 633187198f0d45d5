// Counts the quads of a dispatch after the merge: their pixels, discarded pixels, passing pixels, and the flow and
// texture lookups of their programs.

import package::counters::draw_counts::{add_carries, add_count};

// Workgroups of shading in x, y, z; the number of quads.
@group(0) @binding(9) var<storage, read> quad_groups: array<u32>;
@group(0) @binding(13) var<storage, read> shaded: array<vec4u>;

struct Parameters {
    // The draw's first count.
    first: u32,
    // Vectors per quad.
    stride: u32,
    // How many of the last vectors hold the counts of the program.
    flow_vectors: u32,
    // Number of counts of the program.
    flow_counts: u32,
    // Whether programs ran only on quads with a passing pixel.
    tests_early: u32,
    padding0: u32,
    padding1: u32,
    padding2: u32,
}

@group(0) @binding(14) var<storage, read> parameters: Parameters;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let first = parameters.first;
    let stride = parameters.stride;
    let flow_vectors = parameters.flow_vectors;
    let flow_counts = parameters.flow_counts;
    let tests_early = parameters.tests_early != 0u;
    let step = 64u * groups.x;
    let quad_count = quad_groups[3];
    // Quads, fragments, samples, killed; quads and fragments that passed.
    var counts = vec4u(0u);
    var passing = vec2u(0u);
    for (var quad = id.x; quad < quad_count; quad += step) {
        let head = shaded[quad * stride + 1u];
        let begun = head.w & 15u;
        let pairs = head.x | (head.x >> 16u);
        let covered = (pairs | (pairs >> 4u) | (pairs >> 8u) | (pairs >> 12u)) & 15u;
        let passed = (head.w >> 4u) & 15u;
        counts += vec4u(min(begun, 1u), countOneBits(begun), (head.w >> 8u) * min(begun, 1u), countOneBits(begun & ~covered));
        passing += vec2u(min(passed, 1u), countOneBits(passed));
    }
    add_count(first + QUADS, counts.x);
    add_count(first + FRAGMENTS, counts.y);
    add_count(first + SAMPLES, counts.z);
    add_count(first + KILLED, counts.w);
    add_count(first + PASSING_QUADS, passing.x);
    add_count(first + PASSING_FRAGMENTS, passing.y);
    for (var vector = 0u; vector < flow_vectors; vector += 1u) {
        var flow = vec4u(0u);
        // The texels of many quads may exceed a word.
        var carries = vec4u(0u);
        for (var quad = id.x; quad < quad_count; quad += step) {
            let head = shaded[quad * stride + 1u];
            let is_shaded = (head.w & select(15u, 240u, tests_early)) != 0u;
            let executed = shaded[quad * stride + stride - flow_vectors + vector];
            let sum = flow + select(vec4u(0u), executed, is_shaded);
            carries += select(vec4u(0u), vec4u(1u), sum < flow);
            flow = sum;
        }
        for (var component = 0u; component < 4u; component += 1u) {
            let count = 4u * vector + component;
            if count < flow_counts {
                add_count(first + FLOW + count, flow[component]);
                add_carries(first + FLOW + count, carries[component]);
            }
        }
    }
}
