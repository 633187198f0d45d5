// Copies an image into a surface, scaling and converting it. One invocation per word of the destination; the lines before
// this file import `load_source_u8` and say `SOURCE_BYTES`, `PIXEL_BYTES` and `MOVES_BITS`.
import package::memory_write::store_bits;
import package::surface_layout::swizzled_position_2d;

struct ScaleParameters {
    zero: u32,
    source_start: u32,
    source_bytes: u32,
    source_pitch: u32,
    destination_start: u32,
    destination_bytes: u32,
    // The heap words that hold the destination.
    first_word: u32,
    word_count: u32,
    is_swizzled: u32,
    pitch_bytes: u32,
    log2_width: u32,
    log2_height: u32,
    left: u32,
    top: u32,
    width: u32,
    height: u32,
    // Red, green, blue, alpha: shift, width << 8. All widths 0: one channel that fills the pixel.
    source_fields: vec4u,
    destination_fields: vec4u,
    // Per column, then per row: first source pixel, weight of the next << 16.
    taps: array<u32>,
}

@group(0) @binding(14) var<storage, read> parameters: ScaleParameters;

// A source pixel; zero unless all of it lies in the source.
fn source_pixel(x: u32, y: u32) -> u32 {
    let offset = y * parameters.source_pitch + x * SOURCE_BYTES;
    if offset >= parameters.source_bytes || parameters.source_bytes - offset < SOURCE_BYTES {
        return 0u;
    }
    let address = parameters.source_start + offset;
    if SOURCE_BYTES == 4u {
        return load_source_u32(address);
    }
    var pixel = load_source_u8(address);
    if SOURCE_BYTES == 2u {
        pixel |= load_source_u8(address + 1u) << 8u;
    }
    return pixel;
}

// The bilinear sum of four values, rounded once.
fn weighted(values: vec4u, column: u32, row: u32) -> u32 {
    let upper = values.x * (256u - column) + values.y * column;
    let lower = values.z * (256u - column) + values.w * column;
    return (upper * (256u - row) + lower * row + 0x8000u) >> 16u;
}

// One channel of four pixels as eight bits.
fn channel_bytes(pixels: vec4u, field: u32) -> vec4u {
    let width = field >> 8u;
    let values = (pixels >> vec4u(field & 31u)) & vec4u((1u << width) - 1u);
    switch width {
        case 0u: { return vec4u(255u); }
        case 1u: { return values * 255u; }
        case 5u: { return (values * 527u + 23u) >> vec4u(6u); }
        case 6u: { return (values * 259u + 33u) >> vec4u(6u); }
        default: { return values; }
    }
}

// The value of destination pixel (column, row) of the rectangle.
fn scaled_pixel(column: u32, row: u32) -> u32 {
    let column_tap = parameters.taps[column];
    let row_tap = parameters.taps[parameters.width + row];
    let x = column_tap & 0xffffu;
    let y = row_tap & 0xffffu;
    if MOVES_BITS {
        return source_pixel(x, y);
    }
    let column_weight = column_tap >> 16u;
    let row_weight = row_tap >> 16u;
    let right = x + select(0u, 1u, column_weight != 0u);
    let below = y + select(0u, 1u, row_weight != 0u);
    var pixels = vec4u(0u);
    for (var index = 0u; index < 4u; index++) {
        let pixel = source_pixel(select(x, right, (index & 1u) != 0u), select(y, below, index >= 2u));
        pixels = select(pixels, vec4u(pixel), vec4u(index) == vec4u(0u, 1u, 2u, 3u));
    }
    if all(parameters.source_fields == vec4u(0u)) {
        return weighted(pixels, column_weight, row_weight);
    }
    var packed = 0u;
    for (var channel = 0u; channel < 4u; channel++) {
        let field = parameters.destination_fields[channel];
        let width = field >> 8u;
        if width != 0u {
            let bytes = channel_bytes(pixels, parameters.source_fields[channel]);
            let value = weighted(bytes, column_weight, row_weight);
            packed |= ((value * ((1u << width) - 1u) + 127u) / 255u) << (field & 31u);
        }
    }
    return packed;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= parameters.word_count {
        return;
    }
    let word = parameters.first_word + index;
    var value = 0u;
    var mask = 0u;
    for (var byte = 0u; byte < 4u; byte += PIXEL_BYTES) {
        let offset = word * 4u + byte - parameters.destination_start;
        // A pixel before the start wraps around to an offset beyond the end.
        if offset >= parameters.destination_bytes || parameters.destination_bytes - offset < PIXEL_BYTES {
            continue;
        }
        var position = vec2u((offset % parameters.pitch_bytes) / PIXEL_BYTES, offset / parameters.pitch_bytes);
        if parameters.is_swizzled != 0u {
            position = swizzled_position_2d(offset / PIXEL_BYTES, parameters.log2_width, parameters.log2_height);
        }
        // Left of or above the rectangle wraps around to beyond its size.
        position -= vec2u(parameters.left, parameters.top);
        if position.x < parameters.width && position.y < parameters.height {
            value |= scaled_pixel(position.x, position.y) << (8u * byte);
            mask |= (0xffffffffu >> (32u - 8u * PIXEL_BYTES)) << (8u * byte);
        }
    }
    if mask != 0u {
        store_bits(word * 4u, value, mask);
    }
}
