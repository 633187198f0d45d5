// Numbers the pixels along stippled lines across the segments of strips; one invocation processes all primitives.

import package::raster::parameters::{load_raster, raster};
import package::setup::primitive_setup::{PrimitiveSetup, KIND_LINE, KIND_MASK, RECORD_RESTARTS_STIPPLE};

@group(0) @binding(7) var<storage, read_write> setups: array<PrimitiveSetup>;
// The counter after the last primitive of the previous batch.
@group(0) @binding(8) var<storage, read_write> carried: array<u32>;

@compute @workgroup_size(1)
fn main() {
    load_raster();
    var counter = carried[0];
    for (var index = 0u; index < raster.primitive_count; index += 1u) {
        let flags = setups[index].header.x;
        if (flags & RECORD_RESTARTS_STIPPLE) != 0u {
            counter = 0u;
        }
        if (flags & KIND_MASK) == KIND_LINE {
            setups[index].span.z = counter;
            counter += setups[index].span.y;
        }
    }
    carried[0] = counter;
}
