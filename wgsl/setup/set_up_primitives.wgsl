// Converts assembled primitives to primitive setups and bins them; one invocation per primitive.
//
// The host prepends `LARGE_TILES`, `TILES_PER_GROUP`, `HAS_TRIANGLES`, `HAS_SMOOTH_POLYGONS`, `HAS_LINES`, `HAS_POINTS`,
// `HAS_CULL_DISTANCES`, `HAS_SELECTION` and `HAS_NUMBERS`, and appends the import of `count_primitives`. Setups of primitives that select other
// layers may keep their old contents: no bin holds them.

import package::setup::assembled_primitive::primitives;
import package::setup::primitive::Primitive;
import package::setup::bin_primitive::bin_primitive;
import package::arith::fragment::fp_less_equal;
import package::arith::optimization_barrier::set_opaque_zero;
import package::raster::polygon_coverage::soften_edges;
import package::raster::parameters::{load_raster, raster, raster_source, CLIP_CULLS, CLIP_MODE_SHIFT, LINE_STIPPLE, NO_REGISTER};
import package::raster::selected_viewport::enter_viewport;
import package::setup::store_setup::store_setup;
import package::setup::primitive_setup::{PrimitiveSetup, KIND_LINE, KIND_MASK, KIND_POINT, KIND_TRIANGLE};
import package::setup::primitive_setup::{RECORD_CLIPPED, RECORD_CULLED, RECORD_DRAW_SHIFT, RECORD_FRONT, RECORD_NOT_FINITE};
import package::setup::primitive_setup::{RECORD_RESTARTS_STIPPLE, RECORD_VALID, RECORD_VIEWPORT_SHIFT};
import package::setup::set_up_triangle::set_up_triangle;
import package::setup::set_up_line::{set_up_line, set_up_point};
import package::memory::vector::{StoredVector, vector_of};
import package::setup::clip_primitives::{VERTEX_INVISIBLE, VERTEX_NOT_FINITE, VERTEX_VISIBLE, WindowVertex, transform_position};
import package::vertex::output_place::output_place;

const HAS_FACE: u32 = 4u;
const RESTARTS_STIPPLE: u32 = 8u;

// The number of each primitive in its draw.
@group(0) @binding(3) var<storage, read> numbers: array<u32>;
@group(0) @binding(4) var<storage, read> vertices: array<StoredVector>;

// Whether a plane that culls has all vertices of a primitive on its negative side; those of a triangle, however it is drawn.
fn is_beyond_plane(primitive: Primitive) -> bool {
    let corners = select(primitive.vertices.xyz, primitive.face.xyz, (primitive.face.w & HAS_FACE) != 0u);
    for (var plane = 0u; plane < 8u; plane += 1u) {
        let source = raster.clip_planes[plane >> 2u][plane & 3u];
        let slot = (source >> 2u) & 15u;
        let distances = vec4u(
            vector_of(vertices[output_place(corners.x, slot)])[source & 3u],
            vector_of(vertices[output_place(corners.y, slot)])[source & 3u],
            vector_of(vertices[output_place(corners.z, slot)])[source & 3u],
            0u,
        );
        if (source >> CLIP_MODE_SHIFT) == CLIP_CULLS && !any(fp_less_equal(vec4u(0u), distances).xyz) {
            return true;
        }
    }
    return false;
}

// The number that a vertex has in an output, or 0 if there are fewer.
fn selected_number(output: u32, vertex: u32, count: u32) -> u32 {
    if output == NO_REGISTER {
        return 0u;
    }
    let number = vector_of(vertices[output_place(vertex, output >> 2u)])[output & 3u];
    return select(0u, number, number < count);
}

fn set_up(setup: ptr<function, PrimitiveSetup>, primitive: Primitive, kind: u32) -> u32 {
    // The ends of lines and points; for triangles, their face.
    var a: WindowVertex;
    var b: WindowVertex;
    if HAS_LINES || HAS_POINTS {
        a = transform_position(vector_of(vertices[output_place(primitive.vertices.x, 0u)]));
        b = transform_position(vector_of(vertices[output_place(primitive.vertices.y, 0u)]));
    }
    var not_finite = a.state == VERTEX_NOT_FINITE || b.state == VERTEX_NOT_FINITE;
    let is_beyond = HAS_CULL_DISTANCES && is_beyond_plane(primitive);
    if HAS_TRIANGLES {
        let face_a = transform_position(vector_of(vertices[output_place(primitive.face.x, 0u)]));
        let face_b = transform_position(vector_of(vertices[output_place(primitive.face.y, 0u)]));
        let face_c = transform_position(vector_of(vertices[output_place(primitive.face.z, 0u)]));
        let face_state = max(max(face_a.state, face_b.state), face_c.state);
        not_finite = not_finite || face_a.state == VERTEX_NOT_FINITE || face_b.state == VERTEX_NOT_FINITE
            || face_c.state == VERTEX_NOT_FINITE;
        if not_finite {
            return VERTEX_NOT_FINITE;
        }
        if is_beyond {
            return VERTEX_INVISIBLE;
        }
        if kind == KIND_TRIANGLE || (primitive.face.w & HAS_FACE) != 0u {
            if face_state != VERTEX_VISIBLE || !set_up_triangle(setup, kind, face_a, face_b, face_c) {
                return VERTEX_INVISIBLE;
            }
        }
        if HAS_SMOOTH_POLYGONS {
            if kind == KIND_TRIANGLE {
                soften_edges(setup, primitive.face.w);
            }
        }
    }
    if not_finite {
        return VERTEX_NOT_FINITE;
    }
    if is_beyond {
        return VERTEX_INVISIBLE;
    }
    if HAS_LINES {
        if kind == KIND_LINE && (a.state != VERTEX_VISIBLE || b.state != VERTEX_VISIBLE || !set_up_line(setup, a, b)) {
            return VERTEX_INVISIBLE;
        }
    }
    if HAS_POINTS {
        let source = raster.scalars.y;
        let size = vector_of(vertices[output_place(primitive.vertices.x, (source >> 2u) & 15u)])[source & 3u];
        if kind == KIND_POINT && (a.state != VERTEX_VISIBLE || !set_up_point(setup, a, size)) {
            return VERTEX_INVISIBLE;
        }
    }
    return VERTEX_VISIBLE;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    load_raster();
    set_opaque_zero(raster.zero);
    if id.x >= raster.primitive_count {
        return;
    }
    let primitive = primitives[id.x];
    let kind = primitive.face.w & KIND_MASK;
    let restarts = select(0u, RECORD_RESTARTS_STIPPLE, (primitive.face.w & RESTARTS_STIPPLE) != 0u);
    let draw = primitive.face.w >> RECORD_DRAW_SHIFT;
    var flags = kind | RECORD_FRONT | restarts | (draw << RECORD_DRAW_SHIFT);
    var is_elsewhere = false;
    if HAS_SELECTION {
        let selection = raster_source.selection;
        let viewport = selected_number(selection.viewport_output, primitive.vertices.w, selection.viewports);
        is_elsewhere = selected_number(selection.layer_output, primitive.vertices.w, selection.layers) != selection.layer;
        // The stipple counts the pixels of lines in all layers.
        if is_elsewhere && (raster.flags & LINE_STIPPLE) == 0u {
            return;
        }
        enter_viewport(viewport);
        flags |= viewport << RECORD_VIEWPORT_SHIFT;
    }
    let header = vec4u(flags, 0u, 0u, primitive.vertices.w);
    var setup: PrimitiveSetup;
    setup.header = header;
    setup.vertices = vec4u(primitive.vertices.xyz, 0u);
    if HAS_NUMBERS {
        setup.vertices.w = numbers[id.x];
    }
    let state = set_up(&setup, primitive, kind);
    let is_valid = state == VERTEX_VISIBLE && (setup.header.x & RECORD_VALID) != 0u;
    let is_culled = !is_valid && (setup.header.x & RECORD_CULLED) != 0u;
    if !is_valid {
        var empty: PrimitiveSetup;
        empty.header = header;
        empty.header.x |= setup.header.x & RECORD_CULLED;
        if kind == KIND_LINE {
            // Its pixels count in the stipple.
            empty.span = setup.span;
        }
        if state == VERTEX_NOT_FINITE {
            empty.header.x |= RECORD_NOT_FINITE;
        }
        setup = empty;
    }
    store_setup(id.x, setup);
    if is_elsewhere {
        return;
    }
    if is_valid {
        bin_primitive(id.x, setup.header, setup.edges, false);
    }
    let is_clipped = is_valid && (setup.header.x & RECORD_CLIPPED) != 0u;
    count_primitives(draw, u32(is_culled), u32(!is_valid && !is_culled), u32(is_valid), u32(is_clipped));
}
