// Transforms positions to window vertices once for all triangles that share them: snapped point, depth, 1/w and
// the reasons why the vertex is invisible. One invocation per block of vertices. After the vertices, it stores the
// reasons that hold for all vertices of a block.
//
// The host prepends `BLOCK`, the vertices of a block, and `LANES`; blocks of one store no common reasons.

import package::arith::optimization_barrier::set_opaque_zero;
import package::raster::parameters::{load_raster, raster};
import package::memory::vector::{StoredVector, stored_of, vector_of};
import package::setup::clip_primitives::{VERTEX_VISIBLE, snap_window, transform_position};
import package::setup::transformed_vertex::{CORNER_LEFT, CORNER_RIGHT, CORNER_ABOVE, CORNER_BELOW, CORNER_STATE_SHIFT, packed_corner};
import package::setup::transformed_vertex::CORNER_UNSEEN;
import package::vertex::output_place::output_place;

@group(0) @binding(4) var<storage, read> vertices: array<StoredVector>;
@group(0) @binding(16) var<storage, read_write> corners: array<StoredVector>;

// Returns the vertex's code.
fn transform(index: u32) -> u32 {
    let vertex = transform_position(vector_of(vertices[output_place(index, 0u)]));
    let point = snap_window(vertex.window);
    // The pixels at which bounds would begin and end if this were their only corner.
    let reach = i32(raster.scalars.w);
    let first = (point + vec2i(7 - reach)) >> vec2u(4u);
    let last = (point + vec2i(reach - 8)) >> vec2u(4u);
    let clip = vec4i(raster.clip);
    var beside = select(0u, CORNER_LEFT, last.x < clip.x) | select(0u, CORNER_RIGHT, first.x >= clip.z);
    beside |= select(0u, CORNER_ABOVE, last.y < clip.y) | select(0u, CORNER_BELOW, first.y >= clip.w);
    // Vertices outside of a plane have no point.
    let is_inside = vertex.state == VERTEX_VISIBLE && vertex.outside == 0u;
    let code = vertex.outside | (vertex.state << CORNER_STATE_SHIFT) | select(0u, beside, is_inside);
    corners[index] = stored_of(packed_corner(code, point, vertex.window.zw));
    return code;
}

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    load_raster();
    set_opaque_zero(raster.zero);
    let block = id.y * (groups.x * LANES) + id.x;
    let first = block * BLOCK;
    let count = raster.round.w;
    if first >= count {
        return;
    }
    let end = min(first + BLOCK, count);
    var unseen = CORNER_UNSEEN;
    for (var index = first; index < end; index += 1u) {
        unseen &= transform(index);
    }
    if BLOCK > 1u {
        corners[count + block] = stored_of(vec4u(unseen, 0u, 0u, 0u));
    }
}
