// Parameters of the kernels that clear surfaces.
import package::memory::surface_layout::SurfaceLayout;

struct FillParameters {
    zero: u32,
    // Mirror address of the surface, and how many bytes of it are accessible.
    start: u32,
    bytes: u32,
    // The mirror words that hold pixels of the rectangle.
    first_word: u32,
    word_count: u32,
    pixel_bytes: u32,
    order: SurfaceLayout,
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
    padding: vec2u,
    // The words of a pixel, and the bits to write in each; shorter pixels use the first.
    values: vec4u,
    masks: vec4u,
}

@group(0) @binding(14)
var<storage, read> parameters: FillParameters;

// A word of a pixel.
fn word_of(words: vec4u, part: u32) -> u32 {
    return select(select(words.x, words.y, part == 1u), select(words.z, words.w, part == 3u), part >= 2u);
}
