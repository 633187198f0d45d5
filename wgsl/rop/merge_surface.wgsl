// Reads and writes pixels of the ROP's surfaces.
import package::memory::write::{load_word, store_bits};
import package::arith::optimization_barrier::in_one_vector;
import package::memory::surface_layout::{SurfaceLayout, swizzled_offset, block_linear_offset};

// One surface of the ROP.
struct MergeSurface {
    start: u32,
    bytes: u32,
    write_mask: u32,
    padding: u32,
    order: SurfaceLayout,
}

// Parameters of the ROP.
struct MergeParameters {
    zero: u32,
    tile_count: u32,
    // Eight bits, or an integer in the order of floats.
    alpha_reference: u32,
    // The first tile of the dispatch.
    first_tile: u32,
    // The lowest and highest stored depths that pass.
    depth_bounds: vec2u,
    // The first count of a counted draw.
    first_count: u32,
    padding: u32,
    // Red, green, blue, alpha, as integer targets blend them: bytes.
    blend_constant: vec4u,
    // The same as float targets blend them: bits of floats.
    float_blend_constant: vec4u,
    // Front and back: reference, compare mask, write mask, 0.
    stencil: array<vec4u, 2>,
    // Colors, then depth.
    surfaces: array<MergeSurface, 9>,
}

// Whether the surface holds all bytes of a pixel.
fn holds_pixel(surface: vec2u, offset: u32, pixel_bytes: u32) -> bool {
    return offset < surface.y && surface.y - offset >= pixel_bytes;
}

// Loads word `index` of a pixel, or a shorter pixel in the low bits; zero outside the surface.
fn load_pixel(surface: vec2u, offset: u32, pixel_bytes: u32, index: u32) -> u32 {
    let is_inside = holds_pixel(surface, offset, pixel_bytes);
    let address = select(0u, surface.x + offset + 4u * index, is_inside);
    var word = load_word(address);
    if pixel_bytes < 4u {
        word = (word >> (8u * (address & 3u))) & ((1u << (8u * pixel_bytes)) - 1u);
    }
    return select(0u, word, is_inside);
}

// `load_pixel` for the four pixels of a quad.
fn load_pixels(surface: vec2u, offsets: vec4u, pixel_bytes: u32, index: u32) -> vec4u {
    return vec4u(
        load_pixel(surface, offsets.x, pixel_bytes, index),
        load_pixel(surface, offsets.y, pixel_bytes, index),
        load_pixel(surface, offsets.z, pixel_bytes, index),
        load_pixel(surface, offsets.w, pixel_bytes, index),
    );
}

// Stores word `index` of a pixel, or a shorter pixel; drops it outside the surface.
fn store_pixel(surface: vec2u, offset: u32, pixel_bytes: u32, index: u32, value: u32, is_written: bool) {
    if is_written && holds_pixel(surface, offset, pixel_bytes) {
        let address = surface.x + offset + 4u * index;
        if pixel_bytes < 4u {
            let shift = 8u * (address & 3u);
            store_bits(address, value << shift, ((1u << (8u * pixel_bytes)) - 1u) << shift);
        } else {
            memory[address >> 2u] = in_one_vector(value);
        }
    }
}

// `store_pixel` for the four pixels of a quad.
fn store_pixels(surface: vec2u, offsets: vec4u, pixel_bytes: u32, index: u32, values: vec4u, written: vec4<bool>) {
    store_pixel(surface, offsets.x, pixel_bytes, index, values.x, written.x);
    store_pixel(surface, offsets.y, pixel_bytes, index, values.y, written.y);
    store_pixel(surface, offsets.z, pixel_bytes, index, values.z, written.z);
    store_pixel(surface, offsets.w, pixel_bytes, index, values.w, written.w);
}

// Loads a quad of 16-bit pixels where the pixels of a row share a word and the surface is a multiple of words.
fn load_half_pairs(surface: vec2u, offsets: vec4u) -> vec4u {
    let upper = load_pixel(surface, offsets.x, 4u, 0u);
    let lower = load_pixel(surface, offsets.z, 4u, 0u);
    return vec4u(upper & 0xffffu, upper >> 16u, lower & 0xffffu, lower >> 16u);
}

// Stores 16-bit pixels over the loaded ones.
fn store_half_pairs(surface: vec2u, offsets: vec4u, stored: vec4u, values: vec4u, written: vec4<bool>) {
    let merged = select(stored, values, written);
    store_pixel(surface, offsets.x, 4u, 0u, merged.x | (merged.y << 16u), written.x || written.y);
    store_pixel(surface, offsets.z, 4u, 0u, merged.z | (merged.w << 16u), written.z || written.w);
}

// Byte offsets of the pixels of a quad in a swizzled surface; OUTSIDE beyond its size.
fn swizzled_offsets(x: vec4u, y: vec4u, log2_width: u32, log2_height: u32, pixel_bytes: u32) -> vec4u {
    return vec4u(
        swizzled_offset(x.x, y.x, log2_width, log2_height, pixel_bytes),
        swizzled_offset(x.y, y.y, log2_width, log2_height, pixel_bytes),
        swizzled_offset(x.z, y.z, log2_width, log2_height, pixel_bytes),
        swizzled_offset(x.w, y.w, log2_width, log2_height, pixel_bytes),
    );
}

// Byte offsets of bytes of a quad's rows in a block linear surface, where the pixels of quads lie in one gob.
fn block_linear_offsets(x: vec4u, y: vec4u, order: SurfaceLayout) -> vec4u {
    let first = block_linear_offset(x.x, y.x, order);
    return vec4u(first) + (x - vec4u(x.x)) + ((y - vec4u(y.x)) << vec4u(6u));
}

// The same for pixels that may lie in two gobs.
fn wide_block_linear_offsets(x: vec4u, y: vec4u, order: SurfaceLayout) -> vec4u {
    return vec4u(
        block_linear_offset(x.x, y.x, order),
        block_linear_offset(x.y, y.y, order),
        block_linear_offset(x.z, y.z, order),
        block_linear_offset(x.w, y.w, order),
    );
}

// Integers in the order of the floats with these bits.
fn ordered_floats(bits: vec4u) -> vec4u {
    let magnitude = bits & vec4u(0x7fffffffu);
    return select(vec4u(0x80000000u) - magnitude, vec4u(0x80000000u) + magnitude, bits < vec4u(0x80000000u));
}

// Positive singles without their 7 lowest bits, rounded to nearest even; negative values, NaN and denormals are 0.
fn float24_depths(depth: vec4u) -> vec4u {
    let rounded = (depth + vec4u(0x3fu) + ((depth >> vec4u(7u)) & vec4u(1u))) >> vec4u(7u);
    return select(rounded, vec4u(0u), (depth > vec4u(0x7f800000u)) | (depth < vec4u(0x00800000u)));
}

// x/255 to the nearest integer, for 0..=255²; at least 255 for up to twice as much.
fn over_255(x: vec4u) -> vec4u {
    let moved = x + vec4u(128u);
    return (moved + (moved >> vec4u(8u))) >> vec4u(8u);
}

// Reduces bytes to fractions of fewer bits, rounded by the position in a 4×4 pattern; the twin of
// `src/reference/rop/dither.rs`.
fn dithered(bytes: vec4u, steps: u32, x: vec4u, y: vec4u) -> vec4u {
    let crossed = x ^ y;
    let rank = ((crossed & vec4u(1u)) << vec4u(3u)) | ((y & vec4u(1u)) << vec4u(2u)) | (crossed & vec4u(2u))
        | ((y >> vec4u(1u)) & vec4u(1u));
    return (bytes * (steps * 40u) + (rank * 2u + 5u) * 255u) / 10200u;
}

// Expands fractions of 1, 5 or 6 bits to 8.
fn expand_to_bytes(values: vec4u, width: u32) -> vec4u {
    switch width {
        case 1u: { return values * 255u; }
        case 5u: { return (values * 527u + 23u) >> vec4u(6u); }
        case 6u: { return (values * 259u + 33u) >> vec4u(6u); }
        default: { return values; }
    }
}
