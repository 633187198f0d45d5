// Finds accesses of two blocks to one word of which the result depends on their order, while blocks run side by side.
//
// Each word of global memory has two claims: the block that has written it, and the block that has read it. A word is in
// order if one block alone accesses it, if it is only read, or if all blocks update it by one operation whose order does
// not matter, without reading it. What is in order when all blocks have ended is found by `check_claims`.
import package::compute::ballot::lane;

// Claims of several readers, and the first one of operations.
const CLAIM_MANY: u32 = 0xffffffffu;
const CLAIM_OPERATIONS: u32 = 0xfffffff0u;

@group(0) @binding(47) var<storage, read_write> compute_claims: array<atomic<u32>>;

// A block reads a word.
fn claim_to_read(word: u32, block: u32) {
    let claim = block + 1u;
    let before = atomicLoad(&compute_claims[word * 2u + 1u]);
    if before != claim && before != CLAIM_MANY {
        let exchanged = atomicCompareExchangeWeak(&compute_claims[word * 2u + 1u], 0u, claim);
        if !exchanged.exchanged && exchanged.old_value != claim {
            atomicStore(&compute_claims[word * 2u + 1u], CLAIM_MANY);
        }
    }
}

// A block writes a word. Returns whether it is the only one so far.
fn claim_to_write(word: u32, claim: u32) -> bool {
    let before = atomicLoad(&compute_claims[word * 2u]);
    var earlier = before;
    if before != claim {
        earlier = atomicExchange(&compute_claims[word * 2u], claim);
    }
    return (earlier == 0u) | (earlier == claim);
}
