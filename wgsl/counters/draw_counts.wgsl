// Counts the work of a draw's stages, in 64-bit words after the counter of passing samples.

// Passing samples and three unused words; then the counts, low words before high ones.
@group(0) @binding(15)
var<storage, read_write> counters: array<atomic<u32>>;

// Adds `carries` times 2^32 to count `index` of the buffer.
fn add_carries(index: u32, carries: u32) {
    if carries != 0u {
        atomicAdd(&counters[2u * index + 5u], carries);
    }
}

// Adds to the low word of count `index`; returns 1 if the high word must grow by one.
fn add_low_word(index: u32, amount: u32) -> u32 {
    var carry = 0u;
    if amount != 0u {
        let before = atomicAdd(&counters[2u * index + 4u], amount);
        carry = select(0u, 1u, before + amount < before);
    }
    return carry;
}

// Adds 2^32 to the counts from `first` with bits set in `carries`.
fn carry_counts(first: u32, carries: u32) {
    var left = carries;
    loop {
        if left != 0u {
            atomicAdd(&counters[2u * (first + countTrailingZeros(left)) + 5u], 1u);
            left &= left - 1u;
        }
        if left == 0u {
            break;
        }
    }
}

// Adds to count `index` of the buffer.
fn add_count(index: u32, amount: u32) {
    add_carries(index, add_low_word(index, amount));
}
