// Replays measured tiles of primitives in order: finds those that z-cull rejects, and updates the bounds with the
// others. One invocation per tile of a depth surface, which continues where the previous dispatch ended.
//
// The function on the host is `statistics::zcull::simulate`.
import package::models::covered_tiles::{CoveredTile, TileExtent};

struct ZcullRun {
    place_count: u32,
    // Invocations in a row of workgroups.
    row: u32,
    tile_pixels: u32,
    // Covered tiles that each invocation processes in this dispatch.
    rounds: u32,
}

struct ZcullPlace {
    // Its remaining covered tiles, in the list by surface tile.
    next: u32,
    end: u32,
    // Its bound, unless the order is `UNKNOWN`.
    order: u32,
    depth: u32,
}

struct ZcullCounts {
    tiles: atomic<u32>,
    tiles_rejected: atomic<u32>,
    fragments_rejected: atomic<u32>,
    quads_rejected: atomic<u32>,
}

// Orders, in bits 1:0 of a draw.
const UNKNOWN = 0u;
const LESS = 1u;
const ORDER_MASK = 3u;
// Further bits of a draw.
const INCLUDES_EQUAL = 4u;
const WRITES = 8u;
const IS_TESTED = 16u;

@group(0) @binding(14) var<storage, read> run: ZcullRun;
@group(0) @binding(31) var<storage, read> tiles: array<CoveredTile>;
@group(0) @binding(33) var<storage, read> extents: array<TileExtent>;
@group(0) @binding(34) var<storage, read> draws: array<u32>;
// The indices of the covered tiles, grouped by surface tile.
@group(0) @binding(35) var<storage, read> tiles_by_place: array<u32>;
@group(0) @binding(36) var<storage, read_write> places: array<ZcullPlace>;
// Whether each covered tile is rejected.
@group(0) @binding(37) var<storage, read_write> rejected: array<u32>;
@group(0) @binding(38) var<storage, read_write> counts: array<ZcullCounts>;

// Whether no pixel of a tile passes, given a bound.
fn is_behind(draw: u32, bound: u32, extent: TileExtent) -> bool {
    let is_less = (draw & ORDER_MASK) == LESS;
    let is_farther = select((extent.greatest < bound), (extent.least > bound), is_less);
    let is_equal = select(extent.greatest, extent.least, is_less) == bound;
    return is_farther || (is_equal && (draw & INCLUDES_EQUAL) == 0u);
}

@compute @workgroup_size(8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let number = id.y * run.row + id.x;
    if number >= run.place_count {
        return;
    }
    var place = places[number];
    let end = min(place.end, place.next + run.rounds);
    for (; place.next < end; place.next++) {
        let tile = tiles_by_place[place.next];
        let extent = extents[tile];
        let draw_number = tiles[tile].draw;
        let draw = draws[draw_number];
        let order = draw & ORDER_MASK;
        let is_known = order != UNKNOWN && place.order == order;
        atomicAdd(&counts[draw_number].tiles, 1u);
        if is_known && (draw & IS_TESTED) != 0u && is_behind(draw, place.depth, extent) {
            rejected[tile] = 1u;
            atomicAdd(&counts[draw_number].tiles_rejected, 1u);
            atomicAdd(&counts[draw_number].fragments_rejected, extent.pixels & 0xffffu);
            atomicAdd(&counts[draw_number].quads_rejected, extent.quads);
            continue;
        }
        if (draw & WRITES) != 0u {
            if order != UNKNOWN && (extent.pixels >> 16u) == run.tile_pixels {
                place.order = order;
                place.depth = select(extent.least, extent.greatest, order == LESS);
            } else if !is_known {
                place.order = UNKNOWN;
            }
        }
    }
    places[number] = place;
}
