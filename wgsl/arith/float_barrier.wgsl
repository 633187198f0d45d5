// The zero that keeps float operations apart, for drivers whose compiler may combine them at any time.

// A zero that no compiler sees through, from a word of memory that is always zero.
fn float_barrier(word: u32) -> u32 {
    return word;
}
