// Tests whether a primitive of many tiles touches one of them.

import package::raster::parameters::raster;
import package::setup::load_setup::{stored_edges, stored_header};
import package::raster::tile_touch::edges_touch;

// `column` and `row` are the tile's position on the surface.
fn setup_touches(index: u32, column: u32, row: u32) -> bool {
    let shift = raster.round.x;
    let header = stored_header(index);
    let first = vec2u(header.y & 0xffffu, header.y >> 16u) >> vec2u(shift);
    let last = vec2u(header.z & 0xffffu, header.z >> 16u) >> vec2u(shift);
    let tile = vec2u(column, row);
    return all(first <= tile) && all(tile <= last) && edges_touch(stored_edges(index), column, row);
}
