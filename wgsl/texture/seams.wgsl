// Finds the texels beyond the edges of a cube map's faces, four pixels at once; the twin of `src/reference/texture/seams.rs`.
import package::texture::addressing::AxisTaps;

// A texel of a cube map.
struct CubeTexel {
    face: vec4u,
    x: vec4u,
    y: vec4u,
}

// The texels at places of faces, numbers from -1 (modulo 2^32) to the size, which are beyond one edge at most.
fn texel_on_cube(face: vec4u, column: vec4u, row: vec4u, size: vec4u) -> CubeTexel {
    let end = vec4i(size);
    // The direction in halves of a texel, folded at the edge.
    let s = clamp(2 * vec4i(column) + vec4i(1) - end, -end, end);
    let t = clamp(2 * vec4i(row) + vec4i(1) - end, -end, end);
    let is_beyond = (column >= size) | (row >= size);
    let height = end - select(vec4i(0), vec4i(1), is_beyond);
    let major = select(height, -height, (face & vec4u(1u)) != vec4u(0u));
    let axis = face >> vec4u(1u);
    var x = select(s, major, axis == vec4u(0u));
    x = select(x, -s, face == vec4u(5u));
    let y = select(-t, major, axis == vec4u(1u));
    var z = select(t, major, axis == vec4u(2u));
    z = select(z, -t, face == vec4u(3u));
    z = select(z, s, face == vec4u(1u));
    z = select(z, -s, face == vec4u(0u));
    // The face of the direction, one of whose components is the size.
    let is_x = abs(x) == end;
    let is_y = !is_x & (abs(y) == end);
    let component = select(select(z, y, is_y), x, is_x);
    let found = select(select(vec4u(4u), vec4u(2u), is_y), vec4u(0u), is_x) + select(vec4u(0u), vec4u(1u), component < vec4i(0));
    var on_s = select(x, -x, found == vec4u(5u));
    on_s = select(on_s, -z, found == vec4u(0u));
    on_s = select(on_s, z, found == vec4u(1u));
    var on_t = select(-y, z, found == vec4u(2u));
    on_t = select(on_t, -z, found == vec4u(3u));
    return CubeTexel(found, vec4u((on_s + end - vec4i(1)) >> vec4u(1u)), vec4u((on_t + end - vec4i(1)) >> vec4u(1u)));
}

// How many texels are read at the taps of both axes: three beyond a corner.
fn cube_taps(x: AxisTaps, y: AxisTaps, size: vec4u, is_filtered: vec4<bool>) -> vec4u {
    let is_corner = ((x.first >= size) | (x.second >= size)) & ((y.first >= size) | (y.second >= size));
    return select(vec4u(1u), select(vec4u(4u), vec4u(6u), is_corner), is_filtered);
}
