// Converts channels of the 2D classes' pixels to eight bits and back; the twin of `expand` and `reduce` in
// `src/reference/blit/pixel_operation.rs`. A field is shift, width << 8, conversion << 16.

// Red, green, blue and alpha of a pixel; a channel without bits is 255.
fn image_channels(pixel: u32, fields: vec4u) -> vec4u {
    let width = (fields >> vec4u(8u)) & vec4u(15u);
    let values = (vec4u(pixel) >> (fields & vec4u(31u))) & ((vec4u(1u) << width) - 1u);
    // Shifts count modulo 32; the cases with wrong shifts are not selected.
    let repeated = (values << ((8u - width) & vec4u(31u))) | (values >> ((2u * width - 8u) & vec4u(31u)));
    let one_bit = select(values * 255u, vec4u(255u), width == vec4u(0u));
    return select(repeated, one_bit, width <= vec4u(1u));
}

// Reduces eight bits to those of a channel: drops low bits, after subtracting the high ones where `conversion` is
// 2.
fn image_reduced(value: u32, width: u32, conversion: u32) -> u32 {
    if width == 0u {
        return 0u;
    }
    return (value - select(0u, value >> width, conversion == 2u)) >> (8u - width);
}

// The bilinear sum of four values, rounded once.
fn image_weighted(a: vec4u, b: vec4u, c: vec4u, d: vec4u, column: u32, row: u32) -> vec4u {
    let upper = a * (256u - column) + b * column;
    let lower = c * (256u - column) + d * column;
    return (upper * (256u - row) + lower * row + 0x8000u) >> vec4u(16u);
}
