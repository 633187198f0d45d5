// Implements `fill_rows` and `fill_blocks` where rows begin and end at multiples of 32 bytes. One invocation loads and stores four
// 64-bit words at once, in eight rows.
import package::blit::fill_parameters::parameters;
import package::memory::surface_layout::{block_linear_offset, linear_offset, LAYOUT_BLOCK_LINEAR};

@group(0) @binding(19)
var<storage, read_write> memory_blocks: array<vec4<u64>>;

// Four 64-bit words of pixels of one, two or four words.
fn block_of(words: vec4u, pixel_bytes: u32) -> vec4<u64> {
    let first = select(words.xxxx, words, vec4<bool>(pixel_bytes > 4u));
    let last = select(first.xy, first.zw, vec2<bool>(pixel_bytes > 8u));
    let halves = vec2<u64>(u64(first.x) | (u64(first.y) << 32u), u64(last.x) | (u64(last.y) << 32u));
    return halves.xyxy;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let pixel_bytes = parameters.pixel_bytes;
    let row_blocks = ((parameters.right - parameters.left) * pixel_bytes) >> 5u;
    if id.x >= row_blocks {
        return;
    }
    let start = parameters.start;
    let bytes = parameters.bytes;
    let order = parameters.order;
    let kept = ~block_of(parameters.masks, pixel_bytes);
    let value = block_of(parameters.values, pixel_bytes) & ~kept;
    let first_row = parameters.top + id.y * 8u;
    let end_row = min(first_row + 8u, parameters.bottom);
    let column = parameters.left * pixel_bytes + id.x * 32u;
    for (var row = first_row; row < end_row; row += 1u) {
        var offset = linear_offset(column, row, order.row, 1u);
        if order.kind == LAYOUT_BLOCK_LINEAR {
            offset = block_linear_offset(column, row, order);
        }
        if offset < bytes {
            let place = (start + offset) >> 5u;
            memory_blocks[place] = (memory_blocks[place] & kept) | value;
        }
    }
}
