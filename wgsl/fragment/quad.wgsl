// Values of the fragment stage: four adjacent pixels as bit patterns of floats.

// One register of a 2×2 quad: each component holds the bits of pixels (x, y), (x+1, y), (x, y+1), (x+1, y+1).
struct QuadVector {
    x: vec4u,
    y: vec4u,
    z: vec4u,
    w: vec4u,
}
