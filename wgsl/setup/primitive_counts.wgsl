// Counts what becomes of primitives at set-up.
//
// The host appends the places of the counts to kernels that import this.

import package::counters::draw_counts::add_count;
import package::raster::parameters::raster;

// Primitives of the draw of a number that were culled, rejected, set up; of the last, how many were clipped.
fn count_primitives(draw: u32, culled: u32, rejected: u32, valid: u32, clipped: u32) {
    let first = raster.counts.x + draw * raster.counts.y;
    add_count(first + CULLED, culled);
    add_count(first + REJECTED, rejected);
    add_count(first + SET_UP, valid);
    add_count(first + CLIPPED, clipped);
}
