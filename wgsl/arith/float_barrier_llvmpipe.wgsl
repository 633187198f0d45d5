// Replaces `float_barrier` on llvmpipe, where barriers cost no instructions.
//
// Mesa translates a kernel twice. Its own optimizer (NIR) combines float operations that nothing keeps apart. LLVM, which
// comes next, gets no flags that allow it to do so.

// A zero that NIR does not see through; LLVM finds that bit 1 of a single bit is always zero, and removes the barrier.
fn float_barrier(word: u32) -> u32 {
    return (word >> 31u) & 2u;
}
