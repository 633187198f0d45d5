// Marks the cache lines that texel addresses touch, one bit per line from the beginning of a window. One
// invocation per texel.

struct MarkedLines {
    texel_count: u32,
    // Invocations in a row of workgroups.
    row: u32,
    window: u32,
    line_shift: u32,
}

@group(0) @binding(14) var<storage, read> run: MarkedLines;
@group(0) @binding(32) var<storage, read> texels: array<u32>;
@group(0) @binding(36) var<storage, read_write> marks: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let number = id.y * run.row + id.x;
    if number >= run.texel_count {
        return;
    }
    let line = (texels[number] - run.window) >> run.line_shift;
    let bit = 1u << (line & 31u);
    // Neighbors share lines, and an atomic operation is slower than a load.
    if (atomicLoad(&marks[line >> 5u]) & bit) == 0u {
        atomicOr(&marks[line >> 5u], bit);
    }
}
