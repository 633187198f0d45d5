// Workgroup swizzle: spreads expensive pixels over threads. Llvmpipe gives each thread a run of consecutive
// workgroups, and adjacent pixels tend to cost alike.

// Log2 of the invocations that run in lockstep and stay together.
const LANES_SHIFT: u32 = 3u;
// Log2 of the interleaved runs of invocations.
const STRANDS_SHIFT: u32 = 4u;

// The work item of an invocation among `count`. Each half, quarter, eighth and sixteenth of the invocations covers
// the whole range.
fn swizzled_invocation(invocation: u32, count: u32) -> u32 {
    let lanes = (1u << LANES_SHIFT) - 1u;
    let strand_length = count >> (LANES_SHIFT + STRANDS_SHIFT);
    let index = invocation >> LANES_SHIFT;
    let strand = index / max(strand_length, 1u);
    let place = ((index % max(strand_length, 1u)) << STRANDS_SHIFT) | (reverseBits(strand) >> (32u - STRANDS_SHIFT));
    // Invocations beyond the last whole strand keep their index.
    let is_left_over = index >= strand_length << STRANDS_SHIFT;
    return (select(place, index, is_left_over) << LANES_SHIFT) | (invocation & lanes);
}
