// Drops invisible triangles, lists those that need clipping, and sets up and bins the others; one invocation per
// run of triangles.
//
// The host prepends `RUN`, the triangles of a run (1, or the bits of a bin's word), `LARGE_TILES`,
// `TILES_PER_GROUP`, `HAS_DEPTH_OFFSET` and `COUNTS`, and appends the import of `count_primitives`. Setups of
// dropped triangles keep their old contents: no bin holds them. Setups of other triangles leave out the vectors
// that only clipped triangles and lines use.

import package::setup::assembled_primitive::primitives;
import package::setup::bin_primitive::bin_primitive;
import package::arith::fragment::fp_sub;
import package::arith::special::special_rcp;
import package::arith::optimization_barrier::set_opaque_zero;
import package::raster::parameters::{load_raster, raster, CULLS_BACK, CULLS_FRONT, FRONT_IS_COUNTER_CLOCKWISE, MODE_SHIFT};
import package::setup::store_setup::setups;
import package::setup::primitive_setup::{KIND_TRIANGLE, RECORD_FRONT, RECORD_RESTARTS_STIPPLE, RECORD_VALID, linear_without_ties, wide_magnitude};
import package::setup::set_up_triangle::{bounds_of, doubled_area, float_of_wide, inner_edge, triangle_offset};
import package::memory::vector::{StoredVector, low_half_of, stored_of, vector_of};
import package::setup::transformed_vertex::{CORNER_PLANES, CORNER_STATE, CORNER_UNSEEN, corner_code, corner_point};

// Vertices in window coordinates, then per block the reasons why all its vertices are invisible.
@group(0) @binding(16) var<storage, read> corners: array<StoredVector>;
// The first and last vertex blocks of each run, or `NO_SPAN`.
@group(0) @binding(18) var<storage, read> spans: array<u32>;
// Workgroups of `set_up_clipped`, the number of listed runs; then each run's index and one bit per triangle.
@group(0) @binding(17) var<storage, read_write> clipped: array<atomic<u32>>;

const RECORD_VECTORS: u32 = 14u;

fn is_front(is_positive: bool) -> bool {
    return is_positive != ((raster.flags & FRONT_IS_COUNTER_CLOCKWISE) != 0u);
}

// x: whether an unclipped triangle covers any pixel within the clip rectangle's bounds and its face is drawn; y:
// whether its face is culled.
fn is_drawn_or_culled(a: vec2i, b: vec2i, c: vec2i) -> vec2<bool> {
    let area = doubled_area(a, b, c);
    let front = is_front(area.x >= 0);
    let mode = (raster.flags >> select(MODE_SHIFT + 2u, MODE_SHIFT, front)) & 3u;
    let is_culled = (raster.flags & select(CULLS_BACK, CULLS_FRONT, front)) != 0u || mode != KIND_TRIANGLE;
    let bounds = bounds_of(min(min(a, b), c), max(max(a, b), c));
    let has_area = any(area != vec2i(0));
    return vec2<bool>(has_area && !is_culled && all(bounds.xy <= bounds.zw), has_area && is_culled);
}

fn set_up(index: u32) {
    let numbers = primitives[index].vertices;
    let a = vector_of(corners[numbers.x]);
    let b = vector_of(corners[numbers.y]);
    let c = vector_of(corners[numbers.z]);
    let p0 = corner_point(a.xy);
    let p1 = corner_point(b.xy);
    let p2 = corner_point(c.xy);
    let area = doubled_area(p0, p1, p2);
    let is_positive = area.x >= 0;
    let sign = select(-1, 1, is_positive);
    let weight0 = inner_edge(sign, p1, p2);
    let weight1 = inner_edge(sign, p2, p0);
    let weight2 = inner_edge(sign, p0, p1);
    let differences = fp_sub(vec4u(b.z, c.z, 0u, 0u), vec4u(a.z, a.z, 0u, 0u));
    let per_area = special_rcp(vec4u(float_of_wide(wide_magnitude(area)))).x;
    var offset = 0u;
    if HAS_DEPTH_OFFSET {
        offset = triangle_offset(weight1, weight2, differences.x, differences.y, per_area);
    }
    let bounds = bounds_of(min(min(p0, p1), p2), max(max(p0, p1), p2));
    let flags = KIND_TRIANGLE | RECORD_VALID | RECORD_RESTARTS_STIPPLE | select(0u, RECORD_FRONT, is_front(is_positive));
    let packed = vec2u(bounds.xz) | (vec2u(bounds.yw) << vec2u(16u));
    let header = vec4u(flags, packed, numbers.w);
    let edges = array<vec4i, 4>(
        linear_without_ties(weight2),
        linear_without_ties(weight0),
        linear_without_ties(weight1),
        vec4i(0),
    );
    let first = index * RECORD_VECTORS;
    setups[first] = stored_of(header);
    setups[first + 1u] = stored_of(vec4u(numbers.xyz, 0u));
    setups[first + 2u] = stored_of(vec4u(weight0));
    setups[first + 3u] = stored_of(vec4u(weight1));
    setups[first + 4u] = stored_of(vec4u(weight2));
    setups[first + 5u] = stored_of(vec4u(a.w, b.w, c.w, per_area));
    setups[first + 6u] = stored_of(vec4u(a.z, differences.xy, offset));
    setups[first + 10u] = stored_of(vec4u(edges[0]));
    setups[first + 11u] = stored_of(vec4u(edges[1]));
    setups[first + 12u] = stored_of(vec4u(edges[2]));
    setups[first + 13u] = stored_of(vec4u(0u));
    bin_primitive(index, header, edges, RUN == 32u);
}

const NO_SPAN: u32 = 0xffffffffu;

// The reasons why all vertices of a run are invisible.
fn unseen_of(run: u32) -> u32 {
    let span = spans[run];
    var unseen = select(CORNER_UNSEEN, 0u, span == NO_SPAN);
    for (var block = span & 0xffffu; unseen != 0u && block <= span >> 16u; block += 1u) {
        unseen &= low_half_of(corners[raster.round.w + block]).x;
    }
    return unseen;
}

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    load_raster();
    set_opaque_zero(raster.zero);
    let run = id.y * (groups.x * 32u) + id.x;
    let first = run * RUN;
    if first >= raster.primitive_count {
        return;
    }
    let run_count = min(RUN, raster.primitive_count - first);
    var count = run_count;
    if RUN > 1u {
        // Triangles outside the clip rectangle count as culled if their face is culled.
        let culls = (raster.flags & (CULLS_FRONT | CULLS_BACK)) != 0u;
        let unseen = select(CORNER_UNSEEN, CORNER_PLANES, COUNTS && culls);
        count = select(count, 0u, (unseen_of(run) & unseen) != 0u);
    }
    var drawn = 0u;
    var cut = 0u;
    var culled = 0u;
    for (var place = 0u; place < count; place += 1u) {
        let numbers = primitives[first + place].vertices.xyz;
        let a = low_half_of(corners[numbers.x]);
        let b = low_half_of(corners[numbers.y]);
        let c = low_half_of(corners[numbers.z]);
        let code = corner_code(a.x | b.x | c.x);
        let is_seen = (corner_code(a.x & b.x & c.x) & CORNER_UNSEEN) == 0u && (code & CORNER_STATE) == 0u;
        let is_cut = (code & CORNER_PLANES) != 0u;
        cut |= select(0u, 1u << place, is_seen && is_cut);
        let shown = is_drawn_or_culled(corner_point(a), corner_point(b), corner_point(c));
        drawn |= select(0u, 1u << place, is_seen && !is_cut && shown.x);
        culled |= select(0u, 1u << place, (code & (CORNER_PLANES | CORNER_STATE)) == 0u && shown.y);
    }
    let counts = countOneBits(vec3u(drawn, culled, drawn | culled | cut));
    count_primitives(0u, counts.y, run_count - counts.z, counts.x, 0u);
    if cut != 0u {
        let slot = atomicAdd(&clipped[3], 1u);
        atomicStore(&clipped[2u * slot + 4u], run);
        atomicStore(&clipped[2u * slot + 5u], cut);
        if (slot & 31u) == 0u {
            atomicAdd(&clipped[0], 1u);
            atomicStore(&clipped[1], 1u);
            atomicStore(&clipped[2], 1u);
        }
    }
    while drawn != 0u {
        let place = firstTrailingBit(drawn);
        drawn &= drawn - 1u;
        set_up(first + place);
    }
}
