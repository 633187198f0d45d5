// Draws an image into a surface, scaling and converting it. One invocation per word of the destination. The host
// prepends the imports that read the source, `SOURCE_BYTES`, `PIXEL_BYTES` and `drawn_pixel`.
import package::blit::channels::{image_channels, image_reduced, image_weighted};
import package::memory::write::{load_u8, store_bits};
import package::memory::surface_layout::{SurfaceLayout, surface_position};

struct ScaleParameters {
    zero: u32,
    source_start: u32,
    source_bytes: u32,
    source_pitch: u32,
    destination_start: u32,
    destination_bytes: u32,
    // The mirror words that hold the destination.
    first_word: u32,
    word_count: u32,
    order: SurfaceLayout,
    left: u32,
    top: u32,
    width: u32,
    height: u32,
    // Red, green, blue, alpha: shift, width << 8, conversion << 16.
    source_fields: vec4u,
    destination_fields: vec4u,
    // Per column, then per row: first source pixel, weight of the next << 16. The operands of an operation follow.
    words: array<u32>,
}

@group(0) @binding(14) var<storage, read> parameters: ScaleParameters;

// A source pixel; zero unless the source holds all of it.
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

// The surface's pixel at an address.
fn surface_pixel(address: u32) -> u32 {
    var pixel = 0u;
    for (var byte = 0u; byte < PIXEL_BYTES; byte++) {
        pixel |= load_u8(address + byte) << (8u * byte);
    }
    return pixel;
}

// A word of an operation's operands.
fn operation_word(index: u32) -> u32 {
    return parameters.words[parameters.width + parameters.height + index];
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
        var position = surface_position(offset, parameters.order, PIXEL_BYTES, 0u);
        // A position left of or above the rectangle wraps around to beyond its size.
        position -= vec2u(parameters.left, parameters.top);
        if position.x < parameters.width && position.y < parameters.height {
            let column = parameters.words[position.x];
            let row = parameters.words[parameters.width + position.y];
            let corner = vec2u(parameters.left, parameters.top);
            let drawn = drawn_pixel(column, row, position + corner, word * 4u + byte);
            let pixel_mask = (0xffffffffu >> (32u - 8u * PIXEL_BYTES)) * drawn.y;
            value |= (drawn.x & pixel_mask) << (8u * byte);
            mask |= pixel_mask << (8u * byte);
        }
    }
    if mask != 0u {
        store_bits(word * 4u, value, mask);
    }
}
