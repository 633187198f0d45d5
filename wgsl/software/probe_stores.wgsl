// Finds out whether of several lanes that store to an address, the highest one's value stays, without more ado, and whether
// lanes that add to a word get its values in their order.
//
// Each round has its own pattern of lanes and addresses. A word of the result is set if another lane's value stayed, or the
// lane got another value.
@group(0) @binding(43) var<storage, read_write> result: array<u32>;
@group(0) @binding(45) var<storage, read_write> stored: array<atomic<u32>>;
// The words to which lanes add follow those to which they store.
const SUMS: u32 = 32u;

var<workgroup> shared_words: array<atomic<u32>, 32>;

const ROUNDS: u32 = 64u;

// The lanes of a round that store, and the address of each.
fn stores_in(round: u32, lane: u32) -> bool {
    return (((round * 0x9e3779b9u) >> (lane & 31u)) & 1u) != 0u || round % 4u == 0u;
}

fn address_in(round: u32, lane: u32) -> u32 {
    return ((lane * (round | 1u)) >> (round % 6u)) % 32u;
}

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) lane: u32) {
    var is_lost = false;
    for (var round = 0u; round < ROUNDS; round += 1u) {
        let address = address_in(round, lane);
        let value = round * 32u + lane + 1u;
        var found = 0u;
        atomicStore(&stored[SUMS + lane], 0u);
        workgroupBarrier();
        storageBarrier();
        if stores_in(round, lane) {
            atomicStore(&shared_words[address], value);
            atomicStore(&stored[address], value);
            found = atomicAdd(&stored[SUMS + address], value);
        }
        workgroupBarrier();
        storageBarrier();
        var expected = 0u;
        var sum = 0u;
        for (var other = 0u; other < 32u; other += 1u) {
            let is_same = stores_in(round, other) && address_in(round, other) == address;
            expected = select(expected, round * 32u + other + 1u, is_same);
            sum += select(0u, round * 32u + other + 1u, is_same & (other < lane));
        }
        let is_stored = expected != 0u;
        is_lost |= is_stored && atomicLoad(&shared_words[address]) != expected;
        is_lost |= is_stored && atomicLoad(&stored[address]) != expected;
        is_lost |= stores_in(round, lane) && found != sum;
    }
    result[lane] = select(0u, 1u, is_lost);
}
