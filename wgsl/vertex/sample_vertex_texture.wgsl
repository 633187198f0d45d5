// TXL in vertex programs: samples the nearest texel of the nearest level; the twin of
// `src/reference/vertex/sample_vertex_texture.rs`.

import package::memory::read::load_u32;
import package::arith::fragment::fp_frc;
import package::texture::addressing::{BORDER, scaled_coordinate, mirrored_coordinate, nearest_texel, repeated_texel};
import package::texture::addressing::{edge_texel, border_texel, fixed_lod};
import package::vertex::parameters::VertexTextureParameters;

// Wrap modes, numbered as in the registers.
const WRAP_REPEAT: u32 = 1u;
const WRAP_MIRRORED_REPEAT: u32 = 2u;
const WRAP_CLAMP_TO_BORDER: u32 = 4u;
const WRAP_MIRROR_CLAMP_TO_EDGE: u32 = 6u;
const WRAP_MIRROR_CLAMP_TO_BORDER: u32 = 7u;

// The texels of s in x and of t in y, or `BORDER`.
fn vertex_texels(coordinate: vec4u, size: vec4u, wrap: vec4u) -> vec4u {
    var wrapped = select(coordinate, coordinate & vec4u(0x7fffffffu), wrap >= vec4u(WRAP_MIRROR_CLAMP_TO_EDGE));
    wrapped = select(wrapped, fp_frc(coordinate), wrap == vec4u(WRAP_REPEAT));
    wrapped = select(wrapped, mirrored_coordinate(coordinate), wrap == vec4u(WRAP_MIRRORED_REPEAT));
    let nearest = nearest_texel(scaled_coordinate(wrapped, size), size);
    var texel = edge_texel(nearest, size);
    texel = select(texel, repeated_texel(nearest, size), wrap == vec4u(WRAP_REPEAT));
    texel = select(texel, border_texel(nearest, size), wrap == vec4u(WRAP_CLAMP_TO_BORDER));
    let mirrored = border_texel(max(nearest, vec4i(0)), size);
    return select(texel, mirrored, wrap == vec4u(WRAP_MIRROR_CLAMP_TO_BORDER));
}

// s and t in x and y, the level of detail in w.
fn sample_vertex_texture(texture: VertexTextureParameters, coordinate: vec4u) -> vec4u {
    if texture.channels == 0u {
        return vec4u(0u, 0u, 0u, 0x3f800000u);
    }
    let lod = fixed_lod(coordinate.wwww).x + texture.lod_bias;
    let limited = u32(max(min(max(lod, texture.min_lod), texture.max_lod), 0));
    let level = min((limited + 127u) >> 8u, texture.last_level);
    let width = texture.size & 0xffffu;
    let height = texture.size >> 16u;
    var row = 0u;
    for (var index = 0u; index < level; index += 1u) {
        row += max(height >> index, 1u);
    }
    let size = vec4u(max(width >> level, 1u), max(height >> level, 1u), 1u, 1u);
    let texel = vertex_texels(coordinate, size, vec4u(texture.wrap & 0xffu, texture.wrap >> 8u, 1u, 1u)).xy;
    if any(texel == vec2u(BORDER)) {
        return texture.border;
    }
    let bytes = 4u * texture.channels;
    let offset = texture.pitch * (row + texel.y) + texel.x * bytes;
    if texture.bytes < bytes || offset > texture.bytes - bytes {
        return vec4u(0u);
    }
    let address = texture.start + offset;
    let first = load_u32(address);
    if texture.channels == 1u {
        return vec4u(first);
    }
    return vec4u(first, load_u32(address + 4u), load_u32(address + 8u), load_u32(address + 12u));
}
