// Sets masked bits of adjacent words in rows: clears linear surfaces whose pixels are whole words. Rows are the
// second dimension; one invocation per four words. `FillParameters` as in `fill_surface.wgsl`.
import package::blit::fill_parameters::{parameters, word_of};
import package::memory::write::store_bits;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let words = parameters.pixel_bytes / 4u;
    let row_words = (parameters.right - parameters.left) * words;
    let first_offset = parameters.top * parameters.order.row + parameters.left * parameters.pixel_bytes;
    let masks = parameters.masks;
    let values = parameters.values;
    let start = parameters.start;
    let bytes = parameters.bytes;
    let pitch_bytes = parameters.order.row;
    for (var step = 0u; step < 4u; step += 1u) {
        let index = id.x * 4u + step;
        let offset = first_offset + id.y * pitch_bytes + index * 4u;
        let part = index & (words - 1u);
        let mask = word_of(masks, part);
        if index < row_words && offset < bytes && bytes - offset >= 4u && mask != 0u {
            store_bits(start + offset, word_of(values, part), mask);
        }
    }
}
