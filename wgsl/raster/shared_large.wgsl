// Finds the large primitives that touch the tile of a workgroup, if bins have few words: each invocation tests some.

import package::setup::bin_layout::large_mask_at;
import package::raster::large_primitive_touch::setup_touches;
import package::raster::parameters::raster;
import package::raster::tile_bins::{bin_large, bins, FEW_WORDS};

var<workgroup> touching_large: array<atomic<u32>, 2>;

// All invocations of the workgroup call this, `local` of `count`, before `enter_bin`.
fn find_large_setups_together(tile: u32, local: u32, count: u32) {
    if raster.bin_words > FEW_WORDS {
        return;
    }
    if local < 2u {
        atomicStore(&touching_large[local], 0u);
    }
    workgroupBarrier();
    let column = raster.tiles.x + tile % raster.tiles.z;
    let row = raster.tiles.y + tile / raster.tiles.z;
    for (var setup = local; setup < raster.bin_words * 32u; setup += count) {
        let bit = 1u << (setup & 31u);
        if (bins[large_mask_at(setup >> 5u)] & bit) != 0u && setup_touches(setup, column, row) {
            atomicOr(&touching_large[setup >> 5u], bit);
        }
    }
    workgroupBarrier();
    bin_large = vec2u(atomicLoad(&touching_large[0]), atomicLoad(&touching_large[1]));
}
