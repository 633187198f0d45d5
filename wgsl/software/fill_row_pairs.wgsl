// Implements `fill_rows` where rows begin and end at multiples of 8 bytes. One invocation per four 64-bit words.
import package::blit::fill_parameters::{FillParameters, parameters};
import package::software::pixel_pairs::memory_pairs;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let words = parameters.pixel_bytes / 4u;
    let row_words = (parameters.right - parameters.left) * words;
    let first_offset = parameters.top * parameters.order.row + parameters.left * parameters.pixel_bytes;
    let masks = select(parameters.masks.xxxx, parameters.masks, vec4<bool>(words > 1u));
    let outer = select(masks.xy, masks.zw, vec2<bool>(words > 2u));
    let value = parameters.value;
    let start = parameters.start;
    let bytes = parameters.bytes;
    let pitch_bytes = parameters.order.row;
    for (var step = 0u; step < 4u; step += 1u) {
        let index = (id.x * 4u + step) * 2u;
        let offset = first_offset + id.y * pitch_bytes + index * 4u;
        // The first words of a 16-byte pixel, then the last.
        let mask = select(masks.xy, outer, vec2<bool>((index & 2u) != 0u));
        if index < row_words && offset < bytes {
            let place = (start + offset) >> 3u;
            let wide_mask = u64(mask.x) | (u64(mask.y) << 32u);
            let wide_value = u64(value) | (u64(value) << 32u);
            memory_pairs[place] = (memory_pairs[place] & ~wide_mask) | (wide_value & wide_mask);
        }
    }
}
