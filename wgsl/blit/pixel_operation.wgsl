// Computes bitwise operations and blending of the 2D classes; the twin of `src/reference/blit/pixel_operation.rs`.

// Applies a truth table; its bit index is `pattern << 2 | source << 1 | surface`.
fn image_bitwise(table: u32, pattern: u32, source: u32, surface: u32) -> u32 {
    var result = 0u;
    for (var row = 0u; row < 8u; row++) {
        let p = select(~pattern, pattern, (row & 4u) != 0u);
        let s = select(~source, source, (row & 2u) != 0u);
        let d = select(~surface, surface, (row & 1u) != 0u);
        result |= select(0u, p & s & d, ((table >> row) & 1u) != 0u);
    }
    return result;
}

// The rounded product of fractions of 255.
fn image_product(a: vec4u, b: vec4u) -> vec4u {
    return (a * b + 127u) / vec4u(255u);
}

// Blends `source` over `surface` by a factor of 255.
fn image_blended(source: vec4u, surface: vec4u, factor: u32) -> vec4u {
    return (source * factor + surface * (255u - factor) + 127u) / vec4u(255u);
}

// The index of the pattern's bit or color at a position, by the pattern's shape.
fn image_pattern_index(shape: u32, position: vec2u) -> u32 {
    switch shape {
        case 1u: { return position.x & 63u; }
        case 2u: { return position.y & 63u; }
        default: { return ((position.y & 7u) << 3u) | (position.x & 7u); }
    }
}
