// Replays texel addresses of quads and counts hits and misses of texture caches. One invocation per cache, which
// continues where the previous dispatch ended. The first level of a pipe takes the texels of its lookups, the
// second level those that the first levels marked. Each level marks its misses.
//
// The function on the host is `statistics::texture_cache::simulate`.
import package::models::classified_cache::{CacheShape, cache_access, OUTCOME_HIT};

// The pipe of a second-level cache.
const ALL_PIPES = 0xffffffffu;

struct CacheReplay {
    shape: CacheShape,
    pipe: u32,
    // The start of its counts: the cursor, then one per stream.
    counts: u32,
    // The starts of the marks that it reads and of those that it makes, one bit per texel of the lookups in order.
    taken_marks: u32,
    made_marks: u32,
}

struct TextureCacheRun {
    cache_count: u32,
    lookup_count: u32,
    rounds: u32,
    // The address at which ranks of lines begin.
    window: u32,
    caches: array<CacheReplay>,
}

struct QuadLookup {
    first_texel: u32,
    texel_count: u32,
    // The pipe in the lower half.
    pipe_and_clocks: u32,
    stream: u32,
    primitive: u32,
    position: u32,
}

@group(0) @binding(14) var<storage, read> run: TextureCacheRun;
@group(0) @binding(31) var<storage, read> lookups: array<QuadLookup>;
@group(0) @binding(32) var<storage, read> texels: array<u32>;
@group(0) @binding(35) var<storage, read_write> counts: array<vec4u>;
@group(0) @binding(36) var<storage, read_write> marks: array<atomic<u32>>;

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= run.cache_count {
        return;
    }
    let cache = run.caches[id.x];
    // The next lookup; the next texel of the previous lookup, its remaining texels, and the number of that texel
    // among all.
    let cursor = counts[cache.counts];
    var next = cursor.x;
    var texel = cursor.y;
    var left = cursor.z;
    var number = cursor.w;
    var stream = 0u;
    if next > 0u {
        stream = lookups[next - 1u].stream;
    }
    var sums = counts[cache.counts + 1u + stream];
    for (var round = 0u; round < run.rounds; round++) {
        if left == 0u {
            if next == run.lookup_count {
                break;
            }
            let lookup = lookups[next];
            next += 1u;
            if (lookup.pipe_and_clocks & 0xffffu) != cache.pipe && cache.pipe != ALL_PIPES {
                number += lookup.texel_count;
                continue;
            }
            texel = lookup.first_texel;
            left = lookup.texel_count;
            if lookup.stream != stream {
                counts[cache.counts + 1u + stream] = sums;
                stream = lookup.stream;
                sums = counts[cache.counts + 1u + stream];
            }
            continue;
        }
        if cache.pipe == ALL_PIPES {
            // Skips to the next mark of this word and lookup.
            let word = atomicLoad(&marks[cache.taken_marks + (number >> 5u)]) >> (number & 31u);
            let skipped = min(select(countTrailingZeros(word), 32u - (number & 31u), word == 0u), left);
            texel += skipped;
            left -= skipped;
            number += skipped;
            if word == 0u || left == 0u {
                continue;
            }
        }
        let outcome = cache_access(cache.shape, run.window, texels[texel]);
        sums += select(vec4u(0u), vec4u(1u), vec4u(outcome) == vec4u(0u, 1u, 2u, 3u));
        if outcome != OUTCOME_HIT {
            atomicOr(&marks[cache.made_marks + (number >> 5u)], 1u << (number & 31u));
        }
        texel += 1u;
        left -= 1u;
        number += 1u;
    }
    counts[cache.counts + 1u + stream] = sums;
    counts[cache.counts] = vec4u(next, texel, left, number);
}
