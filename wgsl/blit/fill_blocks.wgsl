// Sets masked bits of the pixels of a rectangle of a surface in blocks of gobs. Sixteen bytes of a row are adjacent; rows are the
// second dimension, and one invocation fills sixteen bytes. `FillParameters` as in `fill_surface.wgsl`.
import package::blit::fill_parameters::{parameters, word_of};
import package::memory::surface_layout::block_linear_offset;
import package::memory::write::store_bits;

// A word with the bits of its first bytes set, as far as they lie before a place; `rest` is the distance to it.
fn bytes_before(rest: i32) -> u32 {
    let bits = u32(clamp(rest, 0, 4)) * 8u;
    return select((1u << (bits & 31u)) - 1u, 0xffffffffu, bits == 32u);
}

// The bits of pixels shorter than a word, in the whole word.
fn repeated(word: u32, pixel_bytes: u32) -> u32 {
    return word * select(select(1u, 0x10001u, pixel_bytes == 2u), 0x01010101u, pixel_bytes == 1u);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let pixel_bytes = parameters.pixel_bytes;
    let words = max(pixel_bytes / 4u, 1u);
    let left = parameters.left * pixel_bytes;
    let right = parameters.right * pixel_bytes;
    let values = parameters.values;
    let masks = parameters.masks;
    let start = parameters.start;
    let bytes = parameters.bytes;
    let column = (left & ~15u) + 16u * id.x;
    let first = block_linear_offset(column, parameters.top + id.y, parameters.order);
    for (var step = 0u; step < 4u; step += 1u) {
        let x = column + 4u * step;
        let offset = first + 4u * step;
        let part = (x / 4u) & (words - 1u);
        let inside = bytes_before(i32(right) - i32(x)) & ~bytes_before(i32(left) - i32(x));
        let pixel_mask = word_of(masks, part);
        let mask = repeated(pixel_mask, pixel_bytes) & inside;
        if mask != 0u && offset < bytes && bytes - offset >= 4u {
            store_bits(start + offset, repeated(word_of(values, part) & pixel_mask, pixel_bytes), mask);
        }
    }
}
