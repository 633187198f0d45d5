// Loads primitive setups of fourteen vectors each; `primitive_setup.wgsl` documents them.

import package::memory::vector::{StoredVector, vector_of};

@group(0) @binding(7)
var<storage, read> setups: array<StoredVector>;

fn stored_header(setup: u32) -> vec4u {
    return vector_of(setups[setup * 14u]);
}

fn stored_vertices(setup: u32) -> vec4u {
    return vector_of(setups[setup * 14u + 1u]);
}

fn stored_weight(setup: u32, number: u32) -> vec4i {
    return vec4i(vector_of(setups[setup * 14u + 2u + number]));
}

fn stored_weights(setup: u32) -> array<vec4i, 3> {
    return array<vec4i, 3>(stored_weight(setup, 0u), stored_weight(setup, 1u), stored_weight(setup, 2u));
}

fn stored_perspective(setup: u32) -> vec4u {
    return vector_of(setups[setup * 14u + 5u]);
}

fn stored_depth(setup: u32) -> vec4u {
    return vector_of(setups[setup * 14u + 6u]);
}

fn stored_shares(setup: u32) -> array<vec4u, 2> {
    return array<vec4u, 2>(vector_of(setups[setup * 14u + 7u]), vector_of(setups[setup * 14u + 8u]));
}

fn stored_span(setup: u32) -> vec4u {
    return vector_of(setups[setup * 14u + 9u]);
}

fn stored_edge(setup: u32, number: u32) -> vec4i {
    return vec4i(vector_of(setups[setup * 14u + 10u + number]));
}

fn stored_edges(setup: u32) -> array<vec4i, 4> {
    return array<vec4i, 4>(
        stored_edge(setup, 0u),
        stored_edge(setup, 1u),
        stored_edge(setup, 2u),
        stored_edge(setup, 3u),
    );
}
