// Computes the coverage of a quad at eight samples of its pixels. `SAMPLE_X`, `SAMPLE_Y`, `FURTHER_X` and `FURTHER_Y` are
// constants of the kernel: the offsets of four samples and of four more from the pixel's center.

import package::raster::sample_tests::sample_bits;

// Bit 4 × s + i: pixel i is set in `passes`, and its sample s of four is inside the four half planes (`values` at the
// centers) and passes the other tests.
fn bits_of_four(
    index: u32,
    header: vec4u,
    place: vec2i,
    passes: vec4<bool>,
    edges: array<vec4i, 4>,
    values: array<vec4i, 4>,
    offsets_x: vec4i,
    offsets_y: vec4i,
) -> u32 {
    // The change of each half plane from the center to each sample.
    let gain0 = edges[0].x * offsets_x + edges[0].y * offsets_y;
    let gain1 = edges[1].x * offsets_x + edges[1].y * offsets_y;
    let gain2 = edges[2].x * offsets_x + edges[2].y * offsets_y;
    let gain3 = edges[3].x * offsets_x + edges[3].y * offsets_y;
    let first = (values[0] + gain0.x) | (values[1] + gain1.x) | (values[2] + gain2.x) | (values[3] + gain3.x);
    let second = (values[0] + gain0.y) | (values[1] + gain1.y) | (values[2] + gain2.y) | (values[3] + gain3.y);
    let third = (values[0] + gain0.z) | (values[1] + gain1.z) | (values[2] + gain2.z) | (values[3] + gain3.z);
    let fourth = (values[0] + gain0.w) | (values[1] + gain1.w) | (values[2] + gain2.w) | (values[3] + gain3.w);
    let offset0 = vec2i(offsets_x.x, offsets_y.x);
    let offset1 = vec2i(offsets_x.y, offsets_y.y);
    let offset2 = vec2i(offsets_x.z, offsets_y.z);
    let offset3 = vec2i(offsets_x.w, offsets_y.w);
    return sample_bits(index, header, place.x, place.y, offset0, passes & (first >= vec4i(0)))
        | (sample_bits(index, header, place.x, place.y, offset1, passes & (second >= vec4i(0))) << 4u)
        | (sample_bits(index, header, place.x, place.y, offset2, passes & (third >= vec4i(0))) << 8u)
        | (sample_bits(index, header, place.x, place.y, offset3, passes & (fourth >= vec4i(0))) << 12u);
}

// The same of eight samples.
fn covered_bits(
    index: u32,
    header: vec4u,
    columns: vec4u,
    rows: vec4u,
    passes: vec4<bool>,
    edges: array<vec4i, 4>,
    values: array<vec4i, 4>,
) -> u32 {
    let place = vec2i(i32(columns.x), i32(rows.x));
    return bits_of_four(index, header, place, passes, edges, values, SAMPLE_X, SAMPLE_Y)
        | (bits_of_four(index, header, place, passes, edges, values, FURTHER_X, FURTHER_Y) << 16u);
}
