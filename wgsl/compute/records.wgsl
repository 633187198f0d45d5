// What a launch has done so far; the twin of `src/reference/compute/records.rs`.
import package::compute::ballot::lane;
import package::compute::parameters::compute_parameters;
import package::compute::warp::launch_passes;

// Words of the records. Counts have two, the low one first.
const RECORD_NEXT_BLOCK: u32 = 0u;
const RECORD_STOP: u32 = 1u;
const RECORD_OPEN_BLOCKS: u32 = 2u;
const RECORD_INSTRUCTIONS: u32 = 4u;
const RECORD_DIVERGENT_BRANCHES: u32 = 6u;
// Where the launch was stopped: a basic block or the number of a trap, the block and the thread.
const RECORD_STOPPED_AT: u32 = 8u;

// Why a launch is stopped.
const STOP_ABANDONED: u32 = 1u;
const STOP_TRAP: u32 = 2u;
const STOP_ENDLESS: u32 = 4u;

@group(0) @binding(43) var<storage, read_write> compute_records: array<atomic<u32>>;

fn add_to_record(word: u32, count: u32) {
    if count != 0u {
        let before = atomicAdd(&compute_records[word], count);
        if before + count < before {
            atomicAdd(&compute_records[word + 1u], 1u);
        }
    }
}

// Stops the launch at a place.
fn stop_launch(reason: u32, number: u32, block: u32, thread: u32) {
    if lane == 0u {
        atomicOr(&compute_records[RECORD_STOP], reason);
        atomicStore(&compute_records[RECORD_STOPPED_AT], number);
        atomicStore(&compute_records[RECORD_STOPPED_AT + 1u], block);
        atomicStore(&compute_records[RECORD_STOPPED_AT + 2u], thread);
    }
}

// The words of the record of a fault.
const FAULT_WORDS: u32 = 100u;

// The basic blocks that have run in this dispatch.
var<private> launch_blocks: u32;

// For each fault of the program: how often the lane had it in this dispatch, and where first.
struct LaneFault {
    count: u32,
    place: u32,
    address: u32,
    block: u32,
    warp: u32,
}

var<private> lane_faults: array<LaneFault, FAULTS>;

// Notes faults of the lane; the number is a constant.
fn note_fault(number: u32, is_fault: bool, block: u32, warp: u32, address: u32) {
    let is_first = is_fault & (lane_faults[number].count == 0u);
    lane_faults[number].count += select(0u, 1u, is_fault);
    lane_faults[number].place = select(lane_faults[number].place, launch_blocks, is_first);
    lane_faults[number].address = select(lane_faults[number].address, address, is_first);
    lane_faults[number].block = select(lane_faults[number].block, block, is_first);
    lane_faults[number].warp = select(lane_faults[number].warp, warp, is_first);
}

// Adds faults of the lane to their record. It has the count in two words, then the dispatch and the place in it of the
// first fault, both inverted, so that the greatest is the first one; and for each lane the address, the block and the
// thread.
fn record_fault(number: u32, fault: LaneFault) {
    if fault.count != 0u {
        let word = FIRST_FAULT + number * FAULT_WORDS;
        add_to_record(word, fault.count);
        let dispatch = ~compute_parameters.dispatch;
        let earlier = atomicMax(&compute_records[word + 2u], dispatch);
        if earlier <= dispatch {
            let place = ~((fault.place << 5u) | lane);
            if place > atomicMax(&compute_records[word + 3u], place) {
                let details = word + 4u + lane * 3u;
                atomicStore(&compute_records[details], fault.address);
                atomicStore(&compute_records[details + 1u], fault.block);
                atomicStore(&compute_records[details + 2u], fault.warp * 32u + lane);
            }
        }
    }
}

// Adds all faults of the lane to their records.
fn record_faults() {
    for (var number = 0u; number < FAULTS; number += 1u) {
        record_fault(number, lane_faults[number]);
    }
    launch_passes += FAULTS;
}

// The threads that have executed each instruction with a predicate, in this lane and dispatch.
var<private> lane_threads: array<u32, THREAD_COUNTS>;

// Adds them to the records from a word on.
fn record_threads(first: u32) {
    for (var number = 0u; number < THREAD_COUNTS; number += 1u) {
        add_to_record(first + number * 2u, lane_threads[number]);
    }
    launch_passes += THREAD_COUNTS;
}
