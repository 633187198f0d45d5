// Takes the viewport that a primitive selects into the raster parameters.

import package::raster::parameters::{raster, raster_source};
import package::setup::primitive_setup::RECORD_VIEWPORT_SHIFT;

fn enter_viewport(number: u32) {
    let viewport = raster_source.viewports[number];
    raster.scale = viewport.scale;
    raster.translate = viewport.translate;
    raster.depth = viewport.depth;
    raster.clip = viewport.clip;
}

// The same for the primitive with this header.
fn enter_viewport_of(header: vec4u) {
    enter_viewport((header.x >> RECORD_VIEWPORT_SHIFT) & 15u);
}
