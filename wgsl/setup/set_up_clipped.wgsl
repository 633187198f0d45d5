// Clips, sets up and bins the triangles listed by `set_up_triangles`; one invocation per listed run.
//
// The host prepends `RUN`, the triangles of a run, `LARGE_TILES` and `TILES_PER_GROUP`, and appends the import of
// `count_primitives`.

import package::setup::assembled_primitive::primitives;
import package::setup::bin_primitive::bin_primitive;
import package::arith::optimization_barrier::set_opaque_zero;
import package::raster::parameters::{load_raster, raster};
import package::setup::store_setup::store_setup;
import package::setup::primitive_setup::{PrimitiveSetup, KIND_TRIANGLE, RECORD_CULLED, RECORD_FRONT, RECORD_RESTARTS_STIPPLE};
import package::setup::primitive_setup::RECORD_VALID;
import package::setup::set_up_triangle::set_up_triangle;
import package::memory::vector::{StoredVector, vector_of};
import package::setup::clip_primitives::transform_position;
import package::vertex::output_place::output_place;

@group(0) @binding(4) var<storage, read> vertices: array<StoredVector>;
// Workgroups, the number of listed runs; then each run's index and one bit per triangle.
@group(0) @binding(17) var<storage, read> clipped: array<u32>;

fn set_up(index: u32) {
    let numbers = primitives[index].vertices;
    var setup: PrimitiveSetup;
    setup.header = vec4u(KIND_TRIANGLE | RECORD_FRONT | RECORD_RESTARTS_STIPPLE, 0u, 0u, numbers.w);
    setup.vertices = vec4u(numbers.xyz, 0u);
    let a = transform_position(vector_of(vertices[output_place(numbers.x, 0u)]));
    let b = transform_position(vector_of(vertices[output_place(numbers.y, 0u)]));
    let c = transform_position(vector_of(vertices[output_place(numbers.z, 0u)]));
    let is_drawn = set_up_triangle(&setup, KIND_TRIANGLE, a, b, c);
    let is_valid = is_drawn && (setup.header.x & RECORD_VALID) != 0u;
    let is_culled = (setup.header.x & RECORD_CULLED) != 0u;
    if is_valid {
        store_setup(index, setup);
        bin_primitive(index, setup.header, setup.edges, RUN == 32u);
    }
    count_primitives(0u, u32(is_culled), u32(!is_valid && !is_culled), u32(is_valid), u32(is_valid));
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u) {
    load_raster();
    set_opaque_zero(raster.zero);
    if id.x >= clipped[3] {
        return;
    }
    let run = clipped[2u * id.x + 4u];
    var cut = clipped[2u * id.x + 5u];
    while cut != 0u {
        let place = firstTrailingBit(cut);
        cut &= cut - 1u;
        set_up(run * RUN + place);
    }
}
