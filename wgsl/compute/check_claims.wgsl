// Finds words of global memory that a block has written and another one has read.

struct CheckClaimsParameters {
    // The words of global memory, and those of each invocation.
    words: u32,
    stride: u32,
}

// Claims of writers and readers, word by word.
@group(0) @binding(47) var<storage, read> claims: array<vec2u>;
@group(0) @binding(40) var<storage, read> parameters: CheckClaimsParameters;
// A word that is set if there are such words.
@group(0) @binding(43) var<storage, read_write> records: array<atomic<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var is_in_order = true;
    for (var word = id.x; word < parameters.words; word += parameters.stride) {
        let claim = claims[word];
        is_in_order &= (claim.x == 0u) | (claim.y == 0u) | (claim.x == claim.y);
    }
    if !is_in_order {
        atomicOr(&records[1], 1u);
    }
}
