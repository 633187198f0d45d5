// Measures covered tiles: the depth range of their quads, and the numbers of covered and passing pixels. One
// invocation per tile, which has at most the quads of a tile.
//
// The function on the host is part of `statistics::zcull::simulate`.
import package::models::covered_tiles::{CoveredTile, TileExtent};

struct TileMeasurement {
    tile_count: u32,
    // Invocations in a row of workgroups.
    row: u32,
}

struct ZcullQuad {
    least: u32,
    greatest: u32,
    // Covered pixels in bits 3:0, passing pixels in bits 7:4.
    pixels: u32,
}

@group(0) @binding(14) var<storage, read> run: TileMeasurement;
@group(0) @binding(31) var<storage, read> tiles: array<CoveredTile>;
@group(0) @binding(32) var<storage, read> quads: array<ZcullQuad>;
@group(0) @binding(33) var<storage, read_write> extents: array<TileExtent>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let tile = id.y * run.row + id.x;
    if tile >= run.tile_count {
        return;
    }
    var first = 0u;
    if tile > 0u {
        first = tiles[tile - 1u].quad_end;
    }
    let end = tiles[tile].quad_end;
    var extent = TileExtent(0xffffffffu, 0u, 0u, end - first);
    for (var at = first; at < end; at++) {
        let quad = quads[at];
        extent.least = min(extent.least, quad.least);
        extent.greatest = max(extent.greatest, quad.greatest);
        extent.pixels += countOneBits(quad.pixels & 15u) + (countOneBits(quad.pixels & 0xf0u) << 16u);
    }
    extents[tile] = extent;
}
