// What a launch has done so far; the twin of `src/reference/compute/records.rs`.
import package::compute::ballot::lane;
import package::compute::parameters::compute_parameters;

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

// The basic blocks that have run in this dispatch.
var<private> launch_blocks: u32;

// For each fault of the program and each lane, the count in two words, and where the lane had the fault first: the dispatch,
// the place in it with the warp in its low bits, the address and the block.
@group(0) @binding(48) var<storage, read_write> compute_faults: array<vec4u>;

// Counts a fault of the lane.
fn note_fault(number: u32, is_fault: bool, block: u32, warp: u32, address: u32) {
    if is_fault {
        let record = (number * 32u + lane) * 2u;
        let count = compute_faults[record];
        if (count.x | count.y) == 0u {
            let place = (launch_blocks << 5u) | warp;
            compute_faults[record + 1u] = vec4u(compute_parameters.dispatch, place, address, block);
        }
        let low = count.x + 1u;
        compute_faults[record] = vec4u(low, count.y + select(0u, 1u, low == 0u), 0u, 0u);
    }
}

// Whether a lane has had several faults at once in this dispatch. Counting them takes iterations that are not among the passes,
// at most one for each instruction.
var<workgroup> has_more_faults: atomic<u32>;
// The instructions of this dispatch that are among the passes for this reason.
var<private> fault_instructions: u32;

// Once, before a barrier.
fn begin_faults() {
    if lane == 0u {
        atomicStore(&has_more_faults, 0u);
    }
}

fn note_more_faults(has_more: bool) {
    if has_more {
        atomicStore(&has_more_faults, 1u);
    }
}

// The passes that count for faults since the last call.
fn passes_of_faults(instructions: u32) -> u32 {
    workgroupBarrier();
    let has_more = atomicLoad(&has_more_faults) != 0u;
    workgroupBarrier();
    let passes = select(0u, instructions - fault_instructions, has_more);
    fault_instructions = instructions;
    return passes;
}

// The fault that ended the warp in this pass, plus one, and its lane; zero if there is none.
var<private> ending_fault: u32;
var<private> ending_fault_lane: u32;

// Notes the fault that ends the warp; it is counted at the end of the pass, so that its text is in the kernel once.
fn end_with_fault(number: u32, threads: u32) {
    ending_fault = number + 1u;
    ending_fault_lane = countTrailingZeros(threads) % 32u;
}

// Counts the fault that ended the warp.
fn count_ending_fault(block: u32, warp: u32) {
    if ending_fault != 0u {
        note_fault(ending_fault - 1u, lane == ending_fault_lane, block, warp, 0u);
        ending_fault = 0u;
    }
}
