// The records that set-up leaves, fourteen vectors each; `set_up_record.wgsl` says which.

import package::memory::vector::{StoredVector, vector_of};

@group(0) @binding(7)
var<storage, read> records: array<StoredVector>;

fn stored_header(record: u32) -> vec4u {
    return vector_of(records[record * 14u]);
}

fn stored_vertices(record: u32) -> vec4u {
    return vector_of(records[record * 14u + 1u]);
}

fn stored_weight(record: u32, number: u32) -> vec4i {
    return vec4i(vector_of(records[record * 14u + 2u + number]));
}

fn stored_weights(record: u32) -> array<vec4i, 3> {
    return array<vec4i, 3>(stored_weight(record, 0u), stored_weight(record, 1u), stored_weight(record, 2u));
}

fn stored_perspective(record: u32) -> vec4u {
    return vector_of(records[record * 14u + 5u]);
}

fn stored_depth(record: u32) -> vec4u {
    return vector_of(records[record * 14u + 6u]);
}

fn stored_shares(record: u32) -> array<vec4u, 2> {
    return array<vec4u, 2>(vector_of(records[record * 14u + 7u]), vector_of(records[record * 14u + 8u]));
}

fn stored_span(record: u32) -> vec4u {
    return vector_of(records[record * 14u + 9u]);
}

fn stored_edge(record: u32, number: u32) -> vec4i {
    return vec4i(vector_of(records[record * 14u + 10u + number]));
}

fn stored_edges(record: u32) -> array<vec4i, 4> {
    return array<vec4i, 4>(
        stored_edge(record, 0u),
        stored_edge(record, 1u),
        stored_edge(record, 2u),
        stored_edge(record, 3u),
    );
}
