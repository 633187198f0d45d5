// Counts pixels of a quad, and how they diverge at a branch.

// 1 for each of the pixels.
fn one_of(pixels: vec4<bool>) -> vec4u {
    return select(vec4u(0u), vec4u(1u), pixels);
}

// Counts the pixels.
fn count_pixels(pixels: vec4<bool>) -> u32 {
    let ones = one_of(pixels);
    return ones.x + ones.y + ones.z + ones.w;
}

// Counts the set bits among the low four.
fn bit_count(bits: u32) -> u32 {
    let pairs = bits - ((bits >> 1u) & 5u);
    return (pairs & 3u) + (pairs >> 2u);
}

// The number of pixels of a quad in bits 15:0, and 1 in bits 31:16 if there are any.
fn counted_quad(bits: u32) -> u32 {
    return bit_count(bits) | (min(bits, 1u) << 16u);
}

// 1 in x where all running pixels take a branch, in y where none does, in z where they diverge.
fn branch_outcome(running: vec4<bool>, taken: vec4<bool>) -> vec3u {
    let some = any(running & taken);
    let others = any(running & !taken);
    return select(vec3u(0u), vec3u(1u), vec3<bool>(some && !others, others && !some, some && others));
}
