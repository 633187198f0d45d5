// Converts pixels of a surface to a picture of eight bits each of red, green and blue, red lowest. One invocation
// per pixel.
//
// The host prepends the constants KIND, PIXEL_BYTES, LAYOUT, LOG2_COLUMNS and LOG2_ROWS
// (`src/kernels/stages/scan_out.rs`). The function on the host is `Picture::of_surface`.
import package::memory::read::{load_u8, load_u32};
import package::memory::surface_layout::{LAYOUT_SWIZZLED, LAYOUT_BLOCK_LINEAR, SurfaceLayout, linear_offset, swizzled_offset, block_linear_offset};

struct ScanOutParameters {
    // Mirror address of the surface, and how many of its bytes exist.
    start: u32,
    bytes: u32,
    // Size of the picture in pixels.
    width: u32,
    height: u32,
    order: SurfaceLayout,
}

@group(0) @binding(1) var<storage, read_write> picture: array<u32>;
@group(0) @binding(14) var<storage, read> parameters: ScanOutParameters;

// Loads word `index` of a texel, or a shorter texel in the low bits; zero outside the surface.
fn load_texel(x: u32, y: u32, index: u32) -> u32 {
    let part_bytes = min(PIXEL_BYTES, 4u);
    let order = parameters.order;
    var offset = linear_offset(x, y, order.row, PIXEL_BYTES) + 4u * index;
    if LAYOUT == LAYOUT_BLOCK_LINEAR {
        offset = block_linear_offset(x * PIXEL_BYTES + 4u * index, y, order);
    } else if LAYOUT == LAYOUT_SWIZZLED {
        // Pixels of more than 32 bits are adjacent 32-bit pixels of a wider surface.
        let words = max(PIXEL_BYTES / 4u, 1u);
        let log2_width = (order.log2_size & 0xffu) + countTrailingZeros(words);
        offset = swizzled_offset(x * words + index, y, log2_width, (order.log2_size >> 8u) & 0xffu, part_bytes);
    }
    if offset >= parameters.bytes || parameters.bytes - offset < part_bytes {
        return 0u;
    }
    let address = parameters.start + offset;
    switch PIXEL_BYTES {
        case 1u: { return load_u8(address); }
        case 2u: { return load_u8(address) | (load_u8(address + 1u) << 8u); }
        default: { return load_u32(address); }
    }
}

// Expands the low `width` bits to eight bits, to nearest.
fn expand(value: u32, width: u32) -> u32 {
    let full = (1u << width) - 1u;
    return ((value & full) * 255u + full / 2u) / full;
}

// Converts half bits to ⌊255·v + ½⌋, v clamped to 0..1; NaN is 0.
fn half_to_byte(bits: u32) -> u32 {
    if bits >= 0x3c00u {
        return select(0u, 255u, bits <= 0x7c00u);
    }
    // Denormals are far below half a step.
    let product = ((bits & 0x3ffu) | 0x400u) * 255u;
    return select(((product >> (24u - (bits >> 10u))) + 1u) >> 1u, 0u, bits < 0x0400u);
}

// Converts float bits to ⌊255·v + ½⌋, v clamped to 0..1; NaN is 0.
fn float_to_byte(bits: u32) -> u32 {
    if bits >= 0x3f800000u {
        return select(0u, 255u, bits <= 0x7f800000u);
    }
    let product = ((bits & 0x7fffffu) | 0x800000u) * 255u;
    let shift = 149u - (bits >> 23u);
    return select(((product >> (shift & 31u)) + 1u) >> 1u, 0u, shift > 31u);
}

// Red, green and blue of a texel.
fn texel_rgb(x: u32, y: u32) -> vec3u {
    let word = load_texel(x, y, 0u);
    switch KIND {
        case KIND_RGB555: { return vec3u(expand(word >> 10u, 5u), expand(word >> 5u, 5u), expand(word, 5u)); }
        case KIND_RGB565: { return vec3u(expand(word >> 11u, 5u), expand(word >> 5u, 6u), expand(word, 5u)); }
        case KIND_RED_HIGH: { return vec3u(word >> 16u, word >> 8u, word) & vec3u(0xffu); }
        case KIND_RED_LOW: { return vec3u(word, word >> 8u, word >> 16u) & vec3u(0xffu); }
        case KIND_GREEN_BLUE: { return vec3u(0u, word >> 8u, word & 0xffu); }
        case KIND_HALVES: {
            let blue = load_texel(x, y, 1u) & 0xffffu;
            return vec3u(half_to_byte(word & 0xffffu), half_to_byte(word >> 16u), half_to_byte(blue));
        }
        case KIND_FLOATS: {
            let green = float_to_byte(load_texel(x, y, 1u));
            return vec3u(float_to_byte(word), green, float_to_byte(load_texel(x, y, 2u)));
        }
        case KIND_FLOAT: { return vec3u(float_to_byte(word)); }
        case KIND_SECOND_BYTE: { return vec3u(word >> 8u); }
        case KIND_HIGH_BYTE: { return vec3u(word >> 24u); }
        default: { return vec3u(word & 0xffu); }
    }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= parameters.width || id.y >= parameters.height {
        return;
    }
    const SAMPLES = 1u << (LOG2_COLUMNS + LOG2_ROWS);
    var sum = vec3u(0u);
    for (var sample = 0u; sample < SAMPLES; sample++) {
        let column = sample & ((1u << LOG2_COLUMNS) - 1u);
        let row = sample >> LOG2_COLUMNS;
        sum += texel_rgb((id.x << LOG2_COLUMNS) + column, (id.y << LOG2_ROWS) + row);
    }
    let color = (sum + vec3u(SAMPLES / 2u)) / vec3u(SAMPLES);
    picture[id.y * parameters.width + id.x] = color.x | (color.y << 8u) | (color.z << 16u) | 0xff000000u;
}
