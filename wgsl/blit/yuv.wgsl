// Converts packed YUV to red, green and blue; the twin of `yuv_channels` in
// `src/reference/blit/pixel_operation.rs`.

// Converts one of the two pixels in a word; the byte order is Y U Y V, or U Y V Y where U is first.
fn yuv_color(word: u32, is_right: bool, is_u_first: bool) -> vec4u {
    let swapped = ((word & 0x00ff00ffu) << 8u) | ((word >> 8u) & 0x00ff00ffu);
    let bytes = select(word, swapped, is_u_first);
    let luminance = 298 * (i32(select(bytes, bytes >> 16u, is_right) & 255u) - 16) + 128;
    let u = i32((bytes >> 8u) & 255u) - 128;
    let v = i32(bytes >> 24u) - 128;
    let sums = vec3i(luminance) + vec3i(409 * v, -100 * u - 208 * v, 516 * u);
    return vec4u(vec3u(clamp(sums >> vec3u(8u), vec3i(0), vec3i(255))), 255u);
}
