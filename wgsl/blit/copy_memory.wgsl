// Copies lines of bytes. One invocation per word of the destination; imports determine where the source is read.
import package::memory::write::store_bits;

struct CopyParameters {
    zero: u32,
    source_start: u32,
    source_bytes: u32,
    source_pitch: u32,
    source_increment: u32,
    destination_start: u32,
    destination_bytes: u32,
    destination_pitch: u32,
    destination_increment: u32,
    line_length: u32,
    line_count: u32,
    // The mirror words that hold the destination.
    first_word: u32,
    word_count: u32,
}

@group(0) @binding(14) var<storage, read> parameters: CopyParameters;

// Finds the source offset of the last element written at an offset of the destination; returns false if there is
// none.
fn source_of(offset: u32, source_offset: ptr<function, u32>) -> bool {
    let pitch = parameters.destination_pitch;
    let increment = parameters.destination_increment;
    let span = (parameters.line_length - 1u) * increment;
    var line = parameters.line_count - 1u;
    if pitch != 0u {
        line = min(line, offset / pitch);
    }
    loop {
        let distance = offset - line * pitch;
        if distance > span {
            return false;
        }
        if (distance & (increment - 1u)) == 0u {
            *source_offset = line * parameters.source_pitch + (distance / increment) * parameters.source_increment;
            return true;
        }
        if line == 0u || pitch == 0u {
            return false;
        }
        line -= 1u;
    }
    return false;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let index = id.x + id.y * groups.x * 64u;
    if index >= parameters.word_count {
        return;
    }
    let address = (parameters.first_word + index) * 4u;
    let offset = address - parameters.destination_start;
    let line = offset / max(parameters.destination_pitch, 1u);
    let column = offset - line * parameters.destination_pitch;
    let source_offset = line * parameters.source_pitch + column;
    let is_plain = parameters.source_increment == 1u && parameters.destination_increment == 1u
        && parameters.destination_pitch >= parameters.line_length && line < parameters.line_count;
    if is_plain && offset < parameters.destination_bytes && parameters.destination_bytes - offset >= 4u
        && column + 4u <= parameters.line_length
        && source_offset < parameters.source_bytes && parameters.source_bytes - source_offset >= 4u {
        store_bits(address, load_source_u32(parameters.source_start + source_offset), 0xffffffffu);
        return;
    }
    var value = 0u;
    var mask = 0u;
    for (var byte = 0u; byte < 4u; byte++) {
        let byte_offset = offset + byte;
        var from_offset = 0u;
        // A byte before the start wraps around to an offset beyond the end.
        if byte_offset < parameters.destination_bytes && source_of(byte_offset, &from_offset) {
            mask |= 0xffu << (8u * byte);
            if from_offset < parameters.source_bytes {
                value |= load_source_u8(parameters.source_start + from_offset) << (8u * byte);
            }
        }
    }
    if mask != 0u {
        store_bits(address, value, mask);
    }
}
