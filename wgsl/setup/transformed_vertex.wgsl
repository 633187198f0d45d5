// Packs vertices in window coordinates: a code and x in the first word, then y, depth and 1/w.

// Bits of the code: planes that the vertex lies outside of (5:0), `VERTEX_NOT_FINITE` or `VERTEX_INVISIBLE` (7:6), sides
// of the clip rectangle that it lies beyond (11:8).
const CORNER_PLANES: u32 = 0x3fu;
const CORNER_STATE: u32 = 0xc0u;
const CORNER_STATE_SHIFT: u32 = 6u;
// All bits that drop a triangle if its three vertices share one of them.
const CORNER_UNSEEN: u32 = 0xf3fu;
const CORNER_LEFT: u32 = 0x100u;
const CORNER_RIGHT: u32 = 0x200u;
const CORNER_ABOVE: u32 = 0x400u;
const CORNER_BELOW: u32 = 0x800u;

// x has 19 bits plus sign.
fn packed_corner(code: u32, point: vec2i, depth_and_reciprocal: vec2u) -> vec4u {
    return vec4u((code << 20u) | (u32(point.x) & 0xfffffu), u32(point.y), depth_and_reciprocal);
}

fn corner_code(word: u32) -> u32 {
    return word >> 20u;
}

fn corner_point(words: vec2u) -> vec2i {
    return vec2i(i32(words.x << 12u) >> 12u, i32(words.y));
}
