// Implements `fill_rows` where rows begin and end at multiples of 32 bytes. One invocation loads and stores four
// 64-bit words at once, in eight rows.
import package::blit::fill_parameters::{FillParameters, parameters};

@group(0) @binding(19)
var<storage, read_write> memory_blocks: array<vec4<u64>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let pixel_bytes = parameters.pixel_bytes;
    let row_blocks = ((parameters.right - parameters.left) * pixel_bytes) >> 5u;
    if id.x >= row_blocks {
        return;
    }
    let start = parameters.start;
    let bytes = parameters.bytes;
    let pitch_bytes = parameters.order.row;
    // Pixels have one, two or four words.
    let masks = select(parameters.masks.xxxx, parameters.masks, vec4<bool>(pixel_bytes > 4u));
    let last = select(masks.xy, masks.zw, vec2<bool>(pixel_bytes > 8u));
    let first_mask = u64(masks.x) | (u64(masks.y) << 32u);
    let last_mask = u64(last.x) | (u64(last.y) << 32u);
    let kept = ~vec4<u64>(first_mask, last_mask, first_mask, last_mask);
    let value = vec4<u64>(u64(parameters.value) | (u64(parameters.value) << 32u)) & ~kept;
    let first_row = parameters.top + id.y * 8u;
    let end_row = min(first_row + 8u, parameters.bottom);
    let first_offset = parameters.left * pixel_bytes + id.x * 32u;
    for (var row = first_row; row < end_row; row += 1u) {
        let offset = first_offset + row * pitch_bytes;
        if offset < bytes {
            let place = (start + offset) >> 5u;
            memory_blocks[place] = (memory_blocks[place] & kept) | value;
        }
    }
}
