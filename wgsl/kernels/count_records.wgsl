// Counts the set-up records of a batch by what became of their primitives.

import package::draw_counts::add_count;
import package::raster_parameters::{load_raster, raster};
import package::set_up_record::{RECORD_CLIPPED, RECORD_CULLED, RECORD_VALID};
import package::stored_record::stored_header;

// The draw's first count.
@group(0) @binding(14) var<storage, read> parameters: vec4u;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    load_raster();
    let first = parameters.x;
    // Culled, rejected, set up, clipped.
    var counts = vec4u(0u);
    for (var record = id.x; record < raster.primitive_count; record += 64u * groups.x) {
        let flags = stored_header(record).x;
        let is_valid = (flags & RECORD_VALID) != 0u;
        let is_culled = (flags & RECORD_CULLED) != 0u;
        let is_clipped = (flags & RECORD_CLIPPED) != 0u;
        counts += select(
            vec4u(0u),
            vec4u(1u),
            vec4<bool>(!is_valid && is_culled, !is_valid && !is_culled, is_valid, is_valid && is_clipped),
        );
    }
    add_count(first + CULLED, counts.x);
    add_count(first + REJECTED, counts.y);
    add_count(first + SET_UP, counts.z);
    add_count(first + CLIPPED, counts.w);
}
