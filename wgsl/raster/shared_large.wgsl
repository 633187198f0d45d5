// Finds the large primitives that touch the tile of a workgroup, if bins have few words: each invocation tests some.

import package::setup::bin_layout::large_mask_at;
import package::raster::large_primitive_touch::setup_touches;
import package::raster::parameters::raster;
import package::raster::tile_bins::{bin_large, bins, touched_count, touched_tile, FEW_WORDS};

var<workgroup> touching_large: array<atomic<u32>, 2>;

// All invocations of the workgroup call this before any of them leaves, `local` of `count`; the workgroup draws the
// touched tile with this number, if there is one.
fn find_large_setups_together(touched: u32, local: u32, count: u32) {
    if local < 2u {
        atomicStore(&touching_large[local], 0u);
    }
    workgroupBarrier();
    if touched < touched_count() && raster.bin_words <= FEW_WORDS {
        let tile = touched_tile(touched);
        let column = raster.tiles.x + tile % raster.tiles.z;
        let row = raster.tiles.y + tile / raster.tiles.z;
        for (var setup = local; setup < raster.bin_words * 32u; setup += count) {
            let bit = 1u << (setup & 31u);
            if (bins[large_mask_at(setup >> 5u)] & bit) != 0u && setup_touches(setup, column, row) {
                atomicOr(&touching_large[setup >> 5u], bit);
            }
        }
    }
    workgroupBarrier();
    bin_large = vec2u(atomicLoad(&touching_large[0]), atomicLoad(&touching_large[1]));
}
