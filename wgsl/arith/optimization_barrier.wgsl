// Keeps a float operation apart from its neighbors by XOR with a zero that no compiler can see through.

// Every entry point sets this to a word of memory that is always zero.
var<private> opaque_zero: u32;

// Hides the value from the compiler.
fn opaque4(value: vec4f) -> vec4f {
    return bitcast<vec4f>(bitcast<vec4u>(value) ^ vec4u(opaque_zero));
}

// Hides one value.
fn opaque(value: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(value) ^ opaque_zero);
}

// Makes the word the result of an operation that llvmpipe leaves outside its per-lane loops of a store. Llvmpipe
// moves shifts and masks into these loops, which copies each operand for each lane.
fn in_one_vector(word: u32) -> u32 {
    return max(word, opaque_zero);
}
