// The records that set-up writes, fourteen vectors each.

import package::setup::primitive_setup::PrimitiveSetup;
import package::memory::vector::{StoredVector, stored_of};

@group(0) @binding(7)
var<storage, read_write> records: array<StoredVector>;

fn store_record(index: u32, record: PrimitiveSetup) {
    let first = index * 14u;
    records[first] = stored_of(record.header);
    records[first + 1u] = stored_of(record.vertices);
    records[first + 2u] = stored_of(vec4u(record.weights[0]));
    records[first + 3u] = stored_of(vec4u(record.weights[1]));
    records[first + 4u] = stored_of(vec4u(record.weights[2]));
    records[first + 5u] = stored_of(record.perspective);
    records[first + 6u] = stored_of(record.depth);
    records[first + 7u] = stored_of(record.shares[0]);
    records[first + 8u] = stored_of(record.shares[1]);
    records[first + 9u] = stored_of(record.span);
    records[first + 10u] = stored_of(vec4u(record.edges[0]));
    records[first + 11u] = stored_of(vec4u(record.edges[1]));
    records[first + 12u] = stored_of(vec4u(record.edges[2]));
    records[first + 13u] = stored_of(vec4u(record.edges[3]));
}
