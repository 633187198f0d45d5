// Converts pixels of a surface to a picture of eight bits each of red, green and blue, red lowest. One invocation
// per pixel.
//
// The host prepends the constants KIND, SHIFTS, WIDTHS, PIXEL_BYTES, LAYOUT, LOG2_COLUMNS and LOG2_ROWS
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

// ⌊255·v/full + ½⌋.
fn fraction_to_byte(value: u32, full: u32) -> u32 {
    return (value * 255u + full / 2u) / full;
}

// A channel of `width` bits from `shift` on as a byte.
fn channel_byte(words: vec4u, shift: u32, width: u32) -> u32 {
    if width == 0u {
        return 0u;
    }
    let full = 0xffffffffu >> (32u - width);
    let value = (words[shift / 32u] >> (shift % 32u)) & full;
    let is_negative = (value >> (width - 1u)) != 0u;
    switch KIND {
        case KIND_UNORM: { return fraction_to_byte(value, full); }
        case KIND_SNORM: { return select(fraction_to_byte(value, full >> 1u), 0u, is_negative); }
        case KIND_UINT: { return min(value, 255u); }
        case KIND_SINT: { return select(min(value, 255u), 0u, is_negative); }
        default: {
            if width == 32u {
                return float_to_byte(value);
            }
            // A short float is the upper part of a half without its sign.
            return half_to_byte(value << (select(0u, 15u - width, width < 16u)));
        }
    }
}

// Red, green and blue of a texel.
fn texel_rgb(x: u32, y: u32) -> vec3u {
    var words = vec4u(load_texel(x, y, 0u), 0u, 0u, 0u);
    if PIXEL_BYTES >= 8u {
        words.y = load_texel(x, y, 1u);
    }
    if PIXEL_BYTES >= 16u {
        words.z = load_texel(x, y, 2u);
    }
    return vec3u(
        channel_byte(words, SHIFTS.x, WIDTHS.x),
        channel_byte(words, SHIFTS.y, WIDTHS.y),
        channel_byte(words, SHIFTS.z, WIDTHS.z),
    );
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
