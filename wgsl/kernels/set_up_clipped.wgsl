// Clips, sets up and bins the triangles that `set_up_triangles` lists; some invocations take turns with the list.
//
// The host puts `const RUN`, the triangles of a run, before this text.

import package::bin_record::bin_record;
import package::opaque::opaque_zero;
import package::raster_parameters::{load_raster, raster};
import package::set_up_record::{SetUpRecord, KIND_TRIANGLE, RECORD_FRONT, RECORD_RESTARTS_STIPPLE, RECORD_VALID};
import package::set_up_triangle::set_up_triangle;
import package::window_vertex::transform_position;

struct Primitive {
    // Three vertices, provoking vertex.
    vertices: vec4u,
    // The triangle that decides the face; kind and flags.
    face: vec4u,
}

@group(0) @binding(4) var<storage, read> vertices: array<vec4u>;
@group(0) @binding(5) var<storage, read> primitives: array<Primitive>;
@group(0) @binding(7) var<storage, read_write> records: array<SetUpRecord>;
// How many runs are listed; then of each its number and a bit per triangle.
@group(0) @binding(17) var<storage, read> clipped: array<u32>;

fn set_up(index: u32) {
    let numbers = primitives[index].vertices;
    var record: SetUpRecord;
    record.header = vec4u(KIND_TRIANGLE | RECORD_FRONT | RECORD_RESTARTS_STIPPLE, 0u, 0u, numbers.w);
    record.vertices = vec4u(numbers.xyz, 0u);
    let a = transform_position(vertices[numbers.x * 16u]);
    let b = transform_position(vertices[numbers.y * 16u]);
    let c = transform_position(vertices[numbers.z * 16u]);
    let is_drawn = set_up_triangle(&record, KIND_TRIANGLE, a, b, c);
    if is_drawn && (record.header.x & RECORD_VALID) != 0u {
        records[index] = record;
        bin_record(index, record.header, record.edges, RUN == 32u);
    }
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    load_raster();
    opaque_zero = raster.zero;
    let count = clipped[0];
    var slot = id.x;
    var run = 0u;
    var cut = 0u;
    // Slots and their triangles in one loop, so that invocations side by side do not wait for the longest run.
    while cut != 0u || slot < count {
        if cut == 0u {
            run = clipped[2u * slot + 2u];
            cut = clipped[2u * slot + 3u];
            slot += groups.x * 32u;
        }
        let place = firstTrailingBit(cut);
        cut &= cut - 1u;
        set_up(run * RUN + place);
    }
}
