// Tells all lanes of a warp about all of them.

// The lane, 0 to 31.
var<private> lane: u32;

// Masks of lanes. One is collected, the next one is zero, and the last one may still be read.
var<workgroup> ballots: array<atomic<u32>, 3>;
var<private> ballot_next: u32;

// Words that lanes give to others.
var<workgroup> lane_words: array<u32, 192>;

// Once, before all others.
fn begin_ballots() {
    if lane < 3u {
        atomicStore(&ballots[lane], 0u);
    }
    workgroupBarrier();
}

// The lanes in which a value is true. A barrier for execution and for memory of the workgroup.
fn ballot(is_true: bool) -> u32 {
    if is_true {
        atomicOr(&ballots[ballot_next], 1u << lane);
    }
    workgroupBarrier();
    let lanes = atomicLoad(&ballots[ballot_next]);
    let last = select(ballot_next - 1u, 2u, ballot_next == 0u);
    ballot_next = select(ballot_next + 1u, 0u, ballot_next == 2u);
    if lane == 0u {
        atomicStore(&ballots[last], 0u);
    }
    return lanes;
}

// The word that another lane gives.
fn word_of_lane(word: u32, other: u32) -> u32 {
    lane_words[lane] = word;
    workgroupBarrier();
    let found = lane_words[other];
    workgroupBarrier();
    return found;
}
