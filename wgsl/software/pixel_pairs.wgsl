// Accesses pixels of a surface as 64-bit words: two adjacent pixels of a row, or one 64-bit pixel. The surface,
// its rows and its size are multiples of 8 bytes, so both halves of a word lie inside the surface or both outside.
//
// This is a second view of guest memory. No byte is read through one view and written through the other.

import package::arith::optimization_barrier::in_one_vector;

@group(0) @binding(19)
var<storage, read_write> memory_pairs: array<u64>;

// Loads the two 32-bit words at an offset; zero outside the surface.
fn load_pair(surface: vec2u, offset: u32) -> vec2u {
    let is_inside = offset < surface.y;
    let pair = memory_pairs[select(0u, surface.x + offset, is_inside) >> 3u];
    return select(vec2u(0u), vec2u(u32(pair), u32(pair >> 32u)), is_inside);
}

fn store_pair(surface: vec2u, offset: u32, values: vec2u, is_written: bool) {
    if is_written && offset < surface.y {
        memory_pairs[(surface.x + offset) >> 3u] = u64(values.x) | (u64(values.y) << 32u);
    }
}

// Loads a quad of 32-bit pixels.
fn load_pixel_pairs(surface: vec2u, offsets: vec4u) -> vec4u {
    return vec4u(load_pair(surface, offsets.x), load_pair(surface, offsets.z));
}

// Stores 32-bit pixels over the loaded ones.
fn store_pixel_pairs(surface: vec2u, offsets: vec4u, stored: vec4u, values: vec4u, written: vec4<bool>) {
    let merged = select(stored, values, written);
    store_pair(surface, offsets.x, merged.xy, written.x || written.y);
    store_pair(surface, offsets.z, merged.zw, written.z || written.w);
}

// Stores 32-bit pixels over the loaded ones of a quad that lies inside the surface. It stores unwritten pixels back: lanes
// that store under one condition run faster than lanes that do so under many.
fn store_pixel_quad(surface: vec2u, offsets: vec4u, stored: vec4u, values: vec4u, written: vec4<bool>) {
    let merged = select(stored, values, written);
    store_pair(surface, offsets.x, vec2u(in_one_vector(merged.x), in_one_vector(merged.y)), true);
    store_pair(surface, offsets.z, vec2u(in_one_vector(merged.z), in_one_vector(merged.w)), true);
}

// Two words of each pixel of a quad, for pixels of at least 64 bits.
struct WidePixels {
    low: vec4u,
    high: vec4u,
}

fn load_wide_pixels(surface: vec2u, offsets: vec4u) -> WidePixels {
    let a = load_pair(surface, offsets.x);
    let b = load_pair(surface, offsets.y);
    let c = load_pair(surface, offsets.z);
    let d = load_pair(surface, offsets.w);
    return WidePixels(vec4u(a.x, b.x, c.x, d.x), vec4u(a.y, b.y, c.y, d.y));
}

fn store_wide_pixels(surface: vec2u, offsets: vec4u, low: vec4u, high: vec4u, written: vec4<bool>) {
    store_pair(surface, offsets.x, vec2u(low.x, high.x), written.x);
    store_pair(surface, offsets.y, vec2u(low.y, high.y), written.y);
    store_pair(surface, offsets.z, vec2u(low.z, high.z), written.z);
    store_pair(surface, offsets.w, vec2u(low.w, high.w), written.w);
}
