// Stores primitive setups of fourteen vectors each.

import package::setup::primitive_setup::PrimitiveSetup;
import package::memory::vector::{StoredVector, stored_of};

@group(0) @binding(7)
var<storage, read_write> setups: array<StoredVector>;

fn store_setup(index: u32, setup: PrimitiveSetup) {
    let first = index * 14u;
    setups[first] = stored_of(setup.header);
    setups[first + 1u] = stored_of(setup.vertices);
    setups[first + 2u] = stored_of(vec4u(setup.weights[0]));
    setups[first + 3u] = stored_of(vec4u(setup.weights[1]));
    setups[first + 4u] = stored_of(vec4u(setup.weights[2]));
    setups[first + 5u] = stored_of(setup.perspective);
    setups[first + 6u] = stored_of(setup.depth);
    setups[first + 7u] = stored_of(setup.shares[0]);
    setups[first + 8u] = stored_of(setup.shares[1]);
    setups[first + 9u] = stored_of(setup.span);
    setups[first + 10u] = stored_of(vec4u(setup.edges[0]));
    setups[first + 11u] = stored_of(vec4u(setup.edges[1]));
    setups[first + 12u] = stored_of(vec4u(setup.edges[2]));
    setups[first + 13u] = stored_of(vec4u(setup.edges[3]));
}
