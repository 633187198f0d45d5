// Computes the coverage of a quad at the samples of its pixels. `SAMPLE_COUNT`, `SAMPLE_X` and `SAMPLE_Y` are constants of
// the kernel: the number of samples, up to four, and their offsets from the pixel's center.

import package::raster::sample_tests::sample_bits;

// Bit 4 × s + i: pixel i is set in `passes`, and its sample s is inside the four half planes (`values` at the
// centers) and passes the other tests.
fn covered_bits(
    index: u32,
    header: vec4u,
    columns: vec4u,
    rows: vec4u,
    passes: vec4<bool>,
    edges: array<vec4i, 4>,
    values: array<vec4i, 4>,
) -> u32 {
    // The change of each half plane from the center to each sample.
    let gain0 = edges[0].x * SAMPLE_X + edges[0].y * SAMPLE_Y;
    let gain1 = edges[1].x * SAMPLE_X + edges[1].y * SAMPLE_Y;
    let gain2 = edges[2].x * SAMPLE_X + edges[2].y * SAMPLE_Y;
    let gain3 = edges[3].x * SAMPLE_X + edges[3].y * SAMPLE_Y;
    let x = i32(columns.x);
    let y = i32(rows.x);
    let first = (values[0] + gain0.x) | (values[1] + gain1.x) | (values[2] + gain2.x) | (values[3] + gain3.x);
    let second = (values[0] + gain0.y) | (values[1] + gain1.y) | (values[2] + gain2.y) | (values[3] + gain3.y);
    let offset0 = vec2i(SAMPLE_X.x, SAMPLE_Y.x);
    let offset1 = vec2i(SAMPLE_X.y, SAMPLE_Y.y);
    var coverage = sample_bits(index, header, x, y, offset0, passes & (first >= vec4i(0)));
    coverage |= sample_bits(index, header, x, y, offset1, passes & (second >= vec4i(0))) << 4u;
    if SAMPLE_COUNT == 4u {
        let third = (values[0] + gain0.z) | (values[1] + gain1.z) | (values[2] + gain2.z) | (values[3] + gain3.z);
        let fourth = (values[0] + gain0.w) | (values[1] + gain1.w) | (values[2] + gain2.w) | (values[3] + gain3.w);
        let offset2 = vec2i(SAMPLE_X.z, SAMPLE_Y.z);
        let offset3 = vec2i(SAMPLE_X.w, SAMPLE_Y.w);
        coverage |= sample_bits(index, header, x, y, offset2, passes & (third >= vec4i(0))) << 8u;
        coverage |= sample_bits(index, header, x, y, offset3, passes & (fourth >= vec4i(0))) << 12u;
    }
    return coverage;
}
