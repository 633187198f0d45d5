// Moves the places of texture coordinates, four pixels at once; the twin of a part of `src/reference/texture/texel.rs`.
import package::arith::fragment::{fp_add, fp_div};
import package::arith::convert::fp_int_to_float;

// Coordinates that are moved by texels of a level.
fn moved_coordinate(coordinate: vec4u, size: vec4u, offset: i32, is_unnormalized: bool) -> vec4u {
    let texels = fp_int_to_float(vec4i(offset));
    let step = select(fp_div(texels, fp_int_to_float(vec4i(size))), texels, is_unnormalized);
    return select(fp_add(coordinate, step), coordinate, offset == 0);
}
