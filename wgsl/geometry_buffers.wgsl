// What set-up leaves for the stages after it.

import package::set_up_record::SetUpRecord;

// Sixteen output registers a vertex.
@group(0) @binding(4)
var<storage, read> vertices: array<vec4u>;
@group(0) @binding(7)
var<storage, read> records: array<SetUpRecord>;
