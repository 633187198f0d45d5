// Parameters of a draw's texture units.

// One texture unit.
struct TextureParameters {
    // Mirror address of the texture, and how many bytes of it are accessible.
    start: u32,
    bytes: u32,
    // Bytes from one cube face to the next.
    face_bytes: u32,
    last_level: u32,
    // In 1/256 of a level.
    lod_bias: i32,
    min_lod: i32,
    max_lod: i32,
    // The greatest ratio of the two derivatives' lengths.
    anisotropy_limit: i32,
    // Red, green, blue and alpha of the border as the unit filters them; the depth if the unit compares.
    border: vec4u,
    // The color key, ARGB8, in x.
    color_key: vec4u,
    // Byte offset, width, height | depth << 16 of each level, and bytes from one row to the next; of block linear levels,
    // blocks in a row of them | logarithm of their height << 24 | of their depth << 28.
    levels: array<vec4u, 13>,
}

// Parameters of the fragment stage.
struct ShadeParameters {
    zero: u32,
    // Bit i: color i is written.
    targets: u32,
    padding: vec2u,
    // Reserved for words of the recompiler.
    spare: array<vec4u, 2>,
    textures: array<TextureParameters, 16>,
    // The inverse of the sRGB curve at 0..256 of 256, as 24-bit fractions.
    linear: array<vec4u, 65>,
}

@group(0) @binding(11) var<storage, read> shade_parameters: ShadeParameters;

// One mip level per pixel.
struct TextureLevel {
    offset: vec4u,
    width: vec4u,
    height: vec4u,
    depth: vec4u,
    pitch: vec4u,
}

// The base level for all four pixels.
fn texture_base_level(levels: array<vec4u, 13>) -> TextureLevel {
    let words = levels[0];
    return TextureLevel(vec4u(words.x), vec4u(words.y), vec4u(words.z & 0xffffu), vec4u(words.z >> 16u), vec4u(words.w));
}

// The words of a level, by a tree of selects: an array with a run-time index would have to lie in memory.
fn texture_level_words(levels: array<vec4u, 13>, level: u32) -> vec4u {
    let is_odd = (level & 1u) != 0u;
    let has_two = (level & 2u) != 0u;
    let low = select(select(levels[0], levels[1], is_odd), select(levels[2], levels[3], is_odd), has_two);
    let middle = select(select(levels[4], levels[5], is_odd), select(levels[6], levels[7], is_odd), has_two);
    let high = select(select(levels[8], levels[9], is_odd), select(levels[10], levels[11], is_odd), has_two);
    return select(select(low, middle, (level & 4u) != 0u), select(high, levels[12], (level & 4u) != 0u), level >= 8u);
}

// Selects a level for each pixel.
fn texture_levels(levels: array<vec4u, 13>, level: vec4u) -> TextureLevel {
    let a = texture_level_words(levels, level.x);
    let b = texture_level_words(levels, level.y);
    let c = texture_level_words(levels, level.z);
    let d = texture_level_words(levels, level.w);
    // Each level halves the sides of the previous one, down to one texel.
    let base = levels[0];
    return TextureLevel(
        vec4u(a.x, b.x, c.x, d.x),
        max(vec4u(base.y) >> level, vec4u(1u)),
        max(vec4u(base.z & 0xffffu) >> level, vec4u(1u)),
        max(vec4u(base.z >> 16u) >> level, vec4u(1u)),
        vec4u(a.w, b.w, c.w, d.w),
    );
}

// Applies the inverse of the sRGB curve to 16-bit fractions; gives 24-bit fractions.
fn texture_linear_fractions(fractions: vec4u) -> vec4u {
    let position = fractions + (fractions >> vec4u(15u));
    return vec4u(
        texture_linear_fraction(position.x),
        texture_linear_fraction(position.y),
        texture_linear_fraction(position.z),
        texture_linear_fraction(position.w),
    );
}

fn texture_linear_fraction(position: u32) -> u32 {
    let first = position >> 8u;
    let second = min(first + 1u, 256u);
    let weight = position & 255u;
    let low = shade_parameters.linear[first >> 2u][first & 3u];
    let high = shade_parameters.linear[second >> 2u][second & 3u];
    return (low * (256u - weight) + high * weight) >> 8u;
}
