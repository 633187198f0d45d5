// Stores 32-bit pixels that were not loaded: both pixels of a pair at once, or the only drawn one. Both views of
// guest memory write these bytes, but neither reads them.

import package::memory::write::memory;
import package::arith::optimization_barrier::in_one_vector;
import package::software::pixel_pairs::store_pair;

// Stores the two pixels at an offset.
fn store_drawn_pair(surface: vec2u, offset: u32, values: vec2u, written: vec2<bool>) {
    store_pair(surface, offset, vec2u(in_one_vector(values.x), in_one_vector(values.y)), all(written));
    let value = in_one_vector(select(values.y, values.x, written.x));
    let index = in_one_vector(((surface.x + offset) >> 2u) + select(1u, 0u, written.x));
    if written.x != written.y && offset < surface.y {
        memory[index] = value;
    }
}

// Stores the pixels of a quad.
fn store_drawn_pairs(surface: vec2u, offsets: vec4u, values: vec4u, written: vec4<bool>) {
    store_drawn_pair(surface, offsets.x, values.xy, written.xy);
    store_drawn_pair(surface, offsets.z, values.zw, written.zw);
}
