// Keeps a float operation apart from its neighbors by OR with a zero that the compiler cannot see through. With XOR, two
// barriers in a row would cancel each other.

import package::arith::float_barrier::float_barrier;

// A word of memory that is always zero.
var<private> opaque_zero: u32;
// The zero of float operations.
var<private> float_zero: u32;

// Every entry point passes a word of memory that is always zero.
fn set_opaque_zero(word: u32) {
    opaque_zero = word;
    float_zero = float_barrier(word);
}

// Hides the value from the compiler's float optimizations.
fn opaque4(value: vec4f) -> vec4f {
    return bitcast<vec4f>(bitcast<vec4u>(value) | vec4u(float_zero));
}

// Hides one value.
fn opaque(value: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(value) | float_zero);
}

// Makes the word the result of an operation that llvmpipe leaves outside its per-lane loops of a store. Llvmpipe
// moves shifts and masks into these loops, which copies each operand for each lane.
fn in_one_vector(word: u32) -> u32 {
    return max(word, opaque_zero);
}
