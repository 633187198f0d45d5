// Loads quads from the rasterizer's list; `interpolate.wgsl` holds the inputs of their fragments.

import package::interp::interpolate::{enter_quad, load_setup};

// Primitive, column | row << 16, coverage, 0.
@group(0) @binding(10)
var<storage, read> quads: array<vec4u>;

// Makes a quad of the list and its primitive the current ones.
fn load_quad(index: u32) {
    let quad = quads[index];
    load_setup(quad.x);
    enter_quad(quad.y & 0xffffu, quad.y >> 16u, quad.z);
}
