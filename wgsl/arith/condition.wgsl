// Converts results into condition codes: 1 less than zero, 2 equal, 4 greater, 8 unordered, per component or
// pixel.

fn condition_codes(value: vec4u) -> vec4u {
    let magnitude = value & vec4u(0x7fffffffu);
    let signed = select(vec4u(4u), vec4u(1u), (value & vec4u(0x80000000u)) != vec4u(0u));
    // Denormals are zero.
    let ordered = select(signed, vec4u(2u), magnitude < vec4u(0x00800000u));
    return select(ordered, vec4u(8u), magnitude > vec4u(0x7f800000u));
}

// The legacy rules order all bit patterns: -0 is less than +0, and NaN lies at the ends.
fn total_order_codes(value: vec4u) -> vec4u {
    let signed = select(vec4u(4u), vec4u(1u), (value & vec4u(0x80000000u)) != vec4u(0u));
    return select(signed, vec4u(2u), value == vec4u(0u));
}
