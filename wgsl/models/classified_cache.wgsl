// A cache with its fully associative twin classifies an access: hit, or miss and why; `Cache::access` in
// `src/statistics/texture_cache/simulate.rs` is the same on the host.
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
    // Where its sets and its twin's only set begin in the recency lists.
    set_lists: u32,
    full_list: u32,
    // Where the ranks of lines of its length begin, and the places of its lines.
    ranks: u32,
    places: u32,
}

// Where a line lies: slot in its set, slot in the twin, 0 for none. A line that was touched has TOUCHED in the first.
const TOUCHED = 0x80000000u;

// For 32 lines: a bit for each that the trace touches, and how many are touched before them.
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
