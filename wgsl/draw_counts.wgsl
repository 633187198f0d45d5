// Counts of what the stages of a draw do: words of 64 bits behind the counter of passing samples.

// Passing samples and three words of nothing; then the counts, low words before high ones.
@group(0) @binding(15)
var<storage, read_write> counters: array<atomic<u32>>;

// Adds 2^32 so many times to count `index` of the buffer.
fn add_carries(index: u32, carries: u32) {
    if carries != 0u {
        atomicAdd(&counters[2u * index + 5u], carries);
    }
}

// Adds to count `index` of the buffer.
fn add_count(index: u32, amount: u32) {
    if amount == 0u {
        return;
    }
    let before = atomicAdd(&counters[2u * index + 4u], amount);
    if before + amount < before {
        atomicAdd(&counters[2u * index + 5u], 1u);
    }
}
