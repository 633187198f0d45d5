// A zero that no compiler can see through: XOR with it keeps a float operation apart from its neighbours.

// Every entry point sets this to a word of memory that is always zero.
var<private> opaque_zero: u32;

// The same bits, as a value that a compiler knows nothing about.
fn opaque4(value: vec4f) -> vec4f {
    return bitcast<vec4f>(bitcast<vec4u>(value) ^ vec4u(opaque_zero));
}

// The same word, as the result of an operation that llvmpipe leaves outside of its loops over the lanes of a store: shifts and
// masks that it moves into them cost a copy of each of their operands for each lane.
fn in_one_vector(word: u32) -> u32 {
    return max(word, opaque_zero);
}
