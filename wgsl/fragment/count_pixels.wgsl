// Counts pixels of a quad, and how they part at a branch.

// 1 for each of the pixels.
fn one_of(pixels: vec4<bool>) -> vec4u {
    return select(vec4u(0u), vec4u(1u), pixels);
}

// How many they are.
fn count_pixels(pixels: vec4<bool>) -> u32 {
    let ones = one_of(pixels);
    return ones.x + ones.y + ones.z + ones.w;
}

// How many of four bits are set.
fn bit_count(bits: u32) -> u32 {
    let pairs = bits - ((bits >> 1u) & 5u);
    return (pairs & 3u) + (pairs >> 2u);
}

// The pixels of a quad in bits 15:0, and 1 in bits 31:16 where there are any.
fn counted_quad(bits: u32) -> u32 {
    return bit_count(bits) | (min(bits, 1u) << 16u);
}

// 1 where all running pixels take a branch, where none does, where they part.
fn branch_outcome(running: vec4<bool>, taken: vec4<bool>) -> vec3u {
    let some = any(running & taken);
    let others = any(running & !taken);
    return select(vec3u(0u), vec3u(1u), vec3<bool>(some && !others, others && !some, some && others));
}
