// Interpolates texture coordinates that wrap around a cylinder of circumference 1; the twin of
// `Weights::interpolate_around` in Rust.

import package::interp::interpolate::{Attribute, load_texcoord, texcoord_of};
import package::arith::fragment::{fp_add, fp_flr, fp_sub};
import package::fragment::quad::QuadVector;
import package::raster::parameters::{raster, NO_REGISTER, TEXCOORD_WRAP_SHIFT};

// The difference without whole turns, -1/2 to 1/2, where the component wraps.
fn shortest_way(difference: vec4u, wraps: vec4<bool>) -> vec4u {
    let turns = fp_flr(fp_add(difference, vec4u(0x3f000000u)));
    return select(difference, fp_sub(difference, turns), wraps);
}

// Loads texture coordinate n, 0..9, of a draw in which some component wraps.
fn load_wrapped_texcoord(n: u32) -> Attribute {
    let texcoord = raster.texcoords[n >> 2u][n & 3u];
    var corners = load_texcoord(n);
    if (texcoord & 0xffu) != NO_REGISTER {
        let wraps = (vec4u(texcoord >> TEXCOORD_WRAP_SHIFT) & vec4u(1u, 2u, 4u, 8u)) != vec4u(0u);
        corners.difference1 = shortest_way(corners.difference1, wraps);
        corners.difference2 = shortest_way(corners.difference2, wraps);
    }
    return corners;
}

fn input_wrapped_texcoord(n: u32) -> QuadVector {
    return texcoord_of(n, load_wrapped_texcoord(n));
}
