// Texture coordinates that wrap around a cylinder of circumference 1; twin of `Weights::interpolate_around` in Rust.

import package::interpolate::{quad_share, quad_vertices, replaced_texcoord, vertices};
import package::numeric_fragment::{fp_add, fp_flr, fp_sub};
import package::quad::QuadVector;
import package::quad_weights::{fp_difference, interpolate_differences};
import package::raster_parameters::{raster, NO_REGISTER, TEXCOORD_WRAP_SHIFT};

// The difference without whole turns, -1/2 to 1/2, where the component wraps.
fn shortest_way(difference: vec4u, wraps: vec4<bool>) -> vec4u {
    let turns = fp_flr(fp_add(difference, vec4u(0x3f000000u)));
    return select(difference, fp_sub(difference, turns), wraps);
}

// Texture coordinate n, 0..9, of a draw in which some component wraps.
fn input_wrapped_texcoord(n: u32) -> QuadVector {
    let texcoord = raster.texcoords[n >> 2u][n & 3u];
    let result_number = texcoord & 0xffu;
    var value = QuadVector(vec4u(0u), vec4u(0u), vec4u(0u), vec4u(0u));
    if result_number != NO_REGISTER {
        let a0 = vertices[quad_vertices.x * 16u + result_number];
        let a1 = vertices[quad_vertices.y * 16u + result_number];
        let a2 = vertices[quad_vertices.z * 16u + result_number];
        let wraps = (vec4u(texcoord >> TEXCOORD_WRAP_SHIFT) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);
        let d1 = shortest_way(fp_difference(a1, a0), wraps);
        let d2 = shortest_way(fp_difference(a2, a0), wraps);
        value = interpolate_differences(quad_share, a0, d1, d2);
    }
    return replaced_texcoord(texcoord, value);
}
