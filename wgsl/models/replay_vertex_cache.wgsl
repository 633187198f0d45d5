// Vertices of batches in index order into hits, misses and transforms of the post-transform vertex cache. One
// invocation per batch, which goes on where the dispatch before ended.
//
// The function on the host is `statistics::vertex_cache::simulate`. There a cache is a list; here each vertex knows its
// place: in a FIFO which miss brought it, which tells whether enough came since to push it out; in LRU its slot.
import package::models::lru::{recency_slots, recency_refresh, recency_oldest};

struct VertexCacheRun {
    batch_count: u32,
    entries: u32,
    is_lru: u32,
    // Which indices of each batch this dispatch takes.
    first: u32,
    count: u32,
}

struct VertexBatch {
    first_index: u32,
    index_count: u32,
    first_vertex: u32,
    vertex_count: u32,
}

struct VertexCacheCounts {
    hits: u32,
    misses: u32,
    // Misses of vertices, which take an entry.
    brought: u32,
}

@group(0) @binding(14) var<storage, read> run: VertexCacheRun;
@group(0) @binding(31) var<storage, read> batches: array<VertexBatch>;
@group(0) @binding(32) var<storage, read> vertices: array<u32>;
// Of each unique vertex: the number of the miss that brought it, from 1, or the slot that holds it; 0 for none.
@group(0) @binding(33) var<storage, read_write> places: array<u32>;
@group(0) @binding(34) var<storage, read_write> transforms: array<u32>;
@group(0) @binding(35) var<storage, read_write> counts: array<VertexCacheCounts>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= run.batch_count {
        return;
    }
    let batch = batches[id.x];
    let slots = id.x * (run.entries + 1u);
    var hits = counts[id.x].hits;
    var misses = counts[id.x].misses;
    var brought = counts[id.x].brought;
    let end = min(batch.index_count, run.first + run.count);
    for (var at = run.first; at < end; at++) {
        let vertex = vertices[batch.first_index + at];
        if vertex >= batch.vertex_count {
            misses += 1u;
            continue;
        }
        let place = batch.first_vertex + vertex;
        let known = places[place];
        if run.is_lru == 0u {
            if known != 0u && brought - known < run.entries {
                hits += 1u;
            } else {
                misses += 1u;
                brought += 1u;
                places[place] = brought;
                transforms[place] += 1u;
            }
            continue;
        }
        if known != 0u {
            hits += 1u;
            recency_refresh(slots, 0u, known);
        } else {
            misses += 1u;
            transforms[place] += 1u;
            let slot = recency_oldest(slots, 0u);
            let held = recency_slots[slots + slot].key;
            if held != 0xffffffffu {
                places[batch.first_vertex + held] = 0u;
            }
            recency_slots[slots + slot].key = vertex;
            places[place] = slot;
            recency_refresh(slots, 0u, slot);
        }
    }
    counts[id.x] = VertexCacheCounts(hits, misses, brought);
}
