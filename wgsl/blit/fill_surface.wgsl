// Sets masked bits of the pixels of a rectangle, for surface clears and zeroing. One invocation per word of
// memory.
import package::blit::fill_parameters::{parameters, word_of};
import package::memory::write::store_bits;
import package::memory::surface_layout::surface_position;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= parameters.word_count {
        return;
    }
    let word = parameters.first_word + index;
    let pixel_bytes = parameters.pixel_bytes;
    // Pixels of more than 32 bits are adjacent words; in swizzled order they are pixels of a wider surface.
    let words = max(pixel_bytes / 4u, 1u);
    let part_bytes = min(pixel_bytes, 4u);
    let log2_words = countTrailingZeros(words);
    var value = 0u;
    var mask = 0u;
    for (var byte = 0u; byte < 4u; byte += part_bytes) {
        let offset = word * 4u + byte - parameters.start;
        // A pixel before the start wraps around to an offset beyond the end.
        if offset >= parameters.bytes || parameters.bytes - offset < part_bytes {
            continue;
        }
        var position = surface_position(offset, parameters.order, part_bytes, log2_words);
        let part = position.x & (words - 1u);
        position.x = position.x >> log2_words;
        if all(position >= vec2u(parameters.left, parameters.top))
            && all(position < vec2u(parameters.right, parameters.bottom)) {
            let part_mask = word_of(parameters.masks, part);
            value |= (word_of(parameters.values, part) & part_mask) << (8u * byte);
            mask |= part_mask << (8u * byte);
        }
    }
    if mask != 0u {
        store_bits(word * 4u, value, mask);
    }
}
