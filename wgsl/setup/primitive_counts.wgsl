// Counts the outcomes of primitives at setup.
//
// The host appends the offsets of the counts to kernels that import this.

import package::counters::draw_counts::add_count;
import package::raster::parameters::raster;

// Adds culled, rejected and set-up primitives of a draw, and how many of the last were clipped.
fn count_primitives(draw: u32, culled: u32, rejected: u32, valid: u32, clipped: u32) {
    let first = raster.counts.x + draw * raster.counts.y;
    add_count(first + CULLED, culled);
    add_count(first + REJECTED, rejected);
    add_count(first + SET_UP, valid);
    add_count(first + CLIPPED, clipped);
}
