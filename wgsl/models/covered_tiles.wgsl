// The tiles of a depth surface that primitives cover, and the measurements of each.

struct CoveredTile {
    draw: u32,
    place: u32,
    quad_end: u32,
}

struct TileExtent {
    least: u32,
    greatest: u32,
    // The number of covered pixels in bits 15:0, of passing pixels in bits 31:16.
    pixels: u32,
    quads: u32,
}
