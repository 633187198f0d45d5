// Classifies an access to a cache as a hit or as a kind of miss, using a second, fully associative cache of the
// same size; the twin of `Cache::access` in `crates/statistics/src/texture_cache/simulate.rs`.
import package::models::lru::{lru_slots, lru_refresh, lru_oldest};

// Outcomes of an access: components of counts.
const OUTCOME_HIT = 0u;
const OUTCOME_COLD = 1u;
const OUTCOME_CAPACITY = 2u;
const OUTCOME_CONFLICT = 3u;

struct CacheShape {
    line_shift: u32,
    sets: u32,
    ways: u32,
    // The start of its sets, and of the fully associative cache's only set, in the recency lists.
    set_lists: u32,
    full_list: u32,
    // The start of the ranks of lines of its length, and of the positions of its lines.
    ranks: u32,
    places: u32,
}

// The position of a line: its slot in its set and in the fully associative cache, 0 for none. TOUCHED in the first
// word marks a line that was accessed before.
const TOUCHED = 0x80000000u;

// For 32 lines: a bit for each line that the trace touches, and the number of touched lines before them.
@group(0) @binding(33)
var<storage, read> line_ranks: array<vec2u>;
@group(0) @binding(34)
var<storage, read_write> line_places: array<vec2u>;

// Accesses the line of an address; the ranks begin with the line of `window`.
fn cache_access(cache: CacheShape, window: u32, address: u32) -> u32 {
    let line = (address - window) >> cache.line_shift;
    let ranks = line_ranks[cache.ranks + (line >> 5u)];
    let rank = ranks.y + countOneBits(ranks.x & ((1u << (line & 31u)) - 1u));
    let known = line_places[cache.places + rank];
    var in_set = known.x & ~TOUCHED;
    var in_full = known.y;

    let join = ((address >> cache.line_shift) % cache.sets) * (cache.ways + 1u);
    if in_set == 0u {
        in_set = lru_oldest(cache.set_lists, join);
        let held = lru_slots[cache.set_lists + in_set].key;
        if held != 0xffffffffu {
            line_places[cache.places + held].x = TOUCHED;
        }
        lru_slots[cache.set_lists + in_set].key = rank;
    }
    lru_refresh(cache.set_lists, join, in_set);
    if in_full == 0u {
        in_full = lru_oldest(cache.full_list, 0u);
        let held = lru_slots[cache.full_list + in_full].key;
        if held != 0xffffffffu {
            line_places[cache.places + held].y = 0u;
        }
        lru_slots[cache.full_list + in_full].key = rank;
    }
    lru_refresh(cache.full_list, 0u, in_full);
    let place = vec2u(in_set | TOUCHED, in_full);
    if any(place != known) {
        line_places[cache.places + rank] = place;
    }

    if (known.x & ~TOUCHED) != 0u {
        return OUTCOME_HIT;
    }
    if known.x == 0u {
        return OUTCOME_COLD;
    }
    return select(OUTCOME_CONFLICT, OUTCOME_CAPACITY, known.y == 0u);
}
