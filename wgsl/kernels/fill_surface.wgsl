// Sets masked bits of the pixels of a rectangle: surface clears and zeroing. One invocation per word of memory.
import package::memory_write::store_bits;
import package::surface_layout::swizzled_position_2d;

struct FillParameters {
    zero: u32,
    // Heap byte of the surface and how many bytes of it may be touched.
    start: u32,
    bytes: u32,
    // The heap words that hold pixels of the rectangle.
    first_word: u32,
    word_count: u32,
    pixel_bytes: u32,
    is_swizzled: u32,
    pitch_bytes: u32,
    log2_width: u32,
    log2_height: u32,
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
    value: u32,
    mask: u32,
}

@group(0) @binding(14) var<storage, read> parameters: FillParameters;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= parameters.word_count {
        return;
    }
    let word = parameters.first_word + index;
    let pixel_bytes = parameters.pixel_bytes;
    var value = 0u;
    var mask = 0u;
    for (var byte = 0u; byte < 4u; byte += pixel_bytes) {
        let offset = word * 4u + byte - parameters.start;
        // A pixel before the start wraps around to an offset beyond the end.
        if offset >= parameters.bytes || parameters.bytes - offset < pixel_bytes {
            continue;
        }
        var position = vec2u((offset % parameters.pitch_bytes) / pixel_bytes, offset / parameters.pitch_bytes);
        if parameters.is_swizzled != 0u {
            position = swizzled_position_2d(offset / pixel_bytes, parameters.log2_width, parameters.log2_height);
        }
        if all(position >= vec2u(parameters.left, parameters.top))
            && all(position < vec2u(parameters.right, parameters.bottom)) {
            value |= parameters.value << (8u * byte);
            mask |= parameters.mask << (8u * byte);
        }
    }
    if mask != 0u {
        store_bits(word * 4u, value, mask);
    }
}
