// The primitives that the host or `assemble_primitives` assembled.

import package::setup::primitive::Primitive;

@group(0) @binding(5)
var<storage, read> primitives: array<Primitive>;
