// Counts pixels of a quad, and how they part at a branch.

fn count_pixels(pixels: vec4<bool>) -> u32 {
    return dot(select(vec4u(0u), vec4u(1u), pixels), vec4u(1u));
}

// A number for each face: front, back.
fn count_facing(pixels: vec4<bool>, is_front: bool) -> vec2u {
    return count_pixels(pixels) * select(vec2u(0u, 1u), vec2u(1u, 0u), is_front);
}

// 1 where all running pixels take a branch, where none does, where they part.
fn branch_outcome(running: vec4<bool>, taken: vec4<bool>) -> vec3u {
    let some = any(running & taken);
    let others = any(running & !taken);
    return select(vec3u(0u), vec3u(1u), vec3<bool>(some && !others, others && !some, some && others));
}
