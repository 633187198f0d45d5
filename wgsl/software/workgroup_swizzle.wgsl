// Workgroup swizzle: spreads invocations over the work. Llvmpipe gives each of its threads one run of consecutive workgroups, and pixels that lie
// side by side tend to cost alike.

// Invocations in lockstep, which stay together, as a power of two.
const LANES_SHIFT: u32 = 3u;
// Interleaved runs of invocations, likewise.
const STRANDS_SHIFT: u32 = 4u;

// The place in the work of an invocation among `count`. Each half, quarter, eighth and sixteenth of the invocations has
// places from all over the work.
fn swizzled_invocation(invocation: u32, count: u32) -> u32 {
    let lanes = (1u << LANES_SHIFT) - 1u;
    let strand_length = count >> (LANES_SHIFT + STRANDS_SHIFT);
    let index = invocation >> LANES_SHIFT;
    let strand = index / max(strand_length, 1u);
    let place = ((index % max(strand_length, 1u)) << STRANDS_SHIFT) | (reverseBits(strand) >> (32u - STRANDS_SHIFT));
    // What is left over behind whole strands.
    let is_left_over = index >= strand_length << STRANDS_SHIFT;
    return (select(place, index, is_left_over) << LANES_SHIFT) | (invocation & lanes);
}
