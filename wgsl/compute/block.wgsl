// A block: its warps, its memory, and the turns in which the warps run; the twin of `src/reference/compute/block.rs`.
//
// A workgroup of 32 lanes is one slot: it runs blocks one after the other, and the warps of a block in turns. What must
// last from one dispatch to the next is in the slot's words.
import package::compute::ballot::lane;
import package::compute::barriers::{warps_ready, warps_ended, block_barriers, BlockBarrier};
import package::compute::parameters::{compute_parameters, compute_tables};
import package::compute::records::{compute_records, RECORD_NEXT_BLOCK, RECORD_STOP, STOP_ENDLESS};
import package::compute::records::{launch_blocks, stop_launch};
import package::compute::warp::{WARP_ENDED, WARP_PAUSES, warp_next, warp_threads, warp_active, warp_broke};
import package::compute::warp::{warp_returned, warp_ended, warp_depth, warp_calls, warp_loops};
import package::compute::warp::{warp_stack_start, launch_passes};

// The words of a warp in front of its registers, one for each lane. The last one is the record of the fault of waiting
// forever.
const WARP_WORDS: u32 = 7u;

var<private> slot: u32;
// Whether a block runs, and its number.
var<private> block_is_open: bool;
var<private> block_number: u32;
// The instructions of the block's warps, of the warp's turn, and of this dispatch.
var<private> block_instructions: u32;
var<private> turn_instructions: u32;
var<private> launch_instructions: u32;
// The instructions after which the turn pauses.
var<private> turn_end: u32;
// The warp whose turn it is, and whether its registers are those of the lanes.
var<private> block_warp: u32;
var<private> warp_is_loaded: bool;
// The warps that have not run yet, and those that paused elsewhere than at a barrier: all their registers count.
var<private> warps_fresh: u32;
var<private> warps_interrupted: u32;
// Where a warp that pauses continues, and whether at a barrier.
var<private> warp_resumes: u32;
var<private> warp_is_at_barrier: bool;

// A slot: 64 words, shared memory, and for each warp its words and registers by lane.
@group(0) @binding(44) var<storage, read_write> compute_slots: array<u32>;

var<workgroup> compute_shared: array<atomic<u32>, SHARED_WORDS>;
var<workgroup> taken_block: u32;

// Where the words of the lane of a warp begin.
fn warp_words(warp: u32) -> u32 {
    let one = (compute_parameters.slot_words - compute_parameters.slot_start) / compute_parameters.warps;
    return slot * compute_parameters.slot_words + compute_parameters.slot_start + warp * one + lane;
}

fn open_slot(number: u32) {
    slot = number;
    let start = slot * compute_parameters.slot_words;
    block_is_open = compute_slots[start] != 0u;
    block_number = compute_slots[start + 1u];
    block_instructions = compute_slots[start + 2u];
    turn_instructions = compute_slots[start + 3u];
    block_warp = compute_slots[start + 4u];
    warps_fresh = compute_slots[start + 5u];
    warps_ready = compute_slots[start + 6u];
    warps_ended = compute_slots[start + 7u];
    warps_interrupted = compute_slots[start + 8u];
    for (var word = lane; word < SHARED_WORDS; word += 32u) {
        atomicStore(&compute_shared[word], compute_slots[start + 64u + word]);
    }
    launch_passes += SHARED_WORDS / 32u;
    workgroupBarrier();
}

fn close_slot() {
    workgroupBarrier();
    let start = slot * compute_parameters.slot_words;
    if lane == 0u {
        compute_slots[start] = select(0u, 1u, block_is_open);
        compute_slots[start + 1u] = block_number;
        compute_slots[start + 2u] = block_instructions;
        compute_slots[start + 3u] = turn_instructions;
        compute_slots[start + 4u] = block_warp;
        compute_slots[start + 5u] = warps_fresh;
        compute_slots[start + 6u] = warps_ready;
        compute_slots[start + 7u] = warps_ended;
        compute_slots[start + 8u] = warps_interrupted;
    }
    for (var word = lane; word < SHARED_WORDS; word += 32u) {
        compute_slots[start + 64u + word] = atomicLoad(&compute_shared[word]);
    }
}

// The word of shared memory when a block begins.
fn first_shared_word(word: u32) -> u32 {
    let x = block_number % compute_parameters.grid_width;
    let y = block_number / compute_parameters.grid_width;
    let place = x | (y << 16u);
    let header = select(compute_parameters.header[min(word, 2u)], place, word == 3u);
    let argument = word - 4u;
    let is_argument = (word >= 4u) & (argument < compute_parameters.argument_words);
    let table = compute_parameters.memory_pages + select(0u, argument, is_argument);
    return select(select(0u, compute_tables[table], is_argument), header, word < 4u);
}

// Begins the next block, if none runs and one is left.
fn open_block() {
    if !block_is_open & (launch_passes < compute_parameters.pass_limit) {
        take_block();
    }
}

fn take_block() {
    if lane == 0u {
        taken_block = compute_parameters.blocks;
        let is_left = atomicLoad(&compute_records[RECORD_NEXT_BLOCK]) < compute_parameters.blocks;
        if is_left & (atomicLoad(&compute_records[RECORD_STOP]) == 0u) {
            taken_block = atomicAdd(&compute_records[RECORD_NEXT_BLOCK], 1u);
        }
    }
    workgroupBarrier();
    block_number = taken_block;
    block_is_open = block_number < compute_parameters.blocks;
    for (var word = lane; word < SHARED_WORDS; word += 32u) {
        atomicStore(&compute_shared[word], first_shared_word(word));
    }
    launch_passes += SHARED_WORDS / 32u;
    block_instructions = 0u;
    turn_instructions = 0u;
    block_warp = 0u;
    warp_is_loaded = false;
    warps_ready = 0xffffffffu >> (32u - compute_parameters.warps);
    warps_fresh = warps_ready;
    warps_interrupted = 0u;
    warps_ended = 0u;
    block_barriers = array<BlockBarrier, 16>();
    workgroupBarrier();
}

fn load_warp() {
    let words = warp_words(block_warp);
    let is_fresh = ((warps_fresh >> block_warp) & 1u) != 0u;
    let is_last = block_number + 1u == compute_parameters.blocks;
    let threads = select(compute_parameters.threads, compute_parameters.last_threads, is_last);
    warp_threads = 0xffffffffu >> (32u - min(threads - block_warp * 32u, 32u));
    let packed = select(compute_slots[words], ENTRY_BLOCK, is_fresh);
    warp_next = packed & 0xffffu;
    warp_depth = packed >> 16u;
    warp_active = select(compute_slots[words + 32u], warp_threads, is_fresh);
    warp_ended = select(compute_slots[words + 64u], 0u, is_fresh);
    if HAS_SCOPES {
        warp_broke = select(compute_slots[words + 96u], 0u, is_fresh);
        warp_returned = select(compute_slots[words + 128u], 0u, is_fresh);
        warp_loops = select(compute_slots[words + 160u], 0u, is_fresh);
        warp_calls = warp_loops >> 16u;
        warp_loops &= 0xffffu;
    }
    let entries = compute_parameters.stack_entries * 32u;
    warp_stack_start = (slot * compute_parameters.warps + block_warp) * entries + lane;
}

// Saves what a warp has besides registers. One that has ended has nothing.
fn save_warp() {
    let words = warp_words(block_warp);
    compute_slots[words] = (warp_next & 0xffffu) | (warp_depth << 16u);
    compute_slots[words + 32u] = warp_active;
    compute_slots[words + 64u] = warp_ended;
    if HAS_SCOPES {
        compute_slots[words + 96u] = warp_broke;
        compute_slots[words + 128u] = warp_returned;
        compute_slots[words + 160u] = warp_loops | (warp_calls << 16u);
    }
}

// Begins a turn; false if this dispatch ends. The warp's registers must then be loaded, if they are not.
fn begin_turn() -> bool {
    let left = compute_parameters.instruction_limit - min(launch_instructions, compute_parameters.instruction_limit);
    let runs = block_is_open & (launch_passes < compute_parameters.pass_limit) & (left != 0u);
    if runs & !warp_is_loaded {
        load_warp();
    }
    turn_end = min(compute_parameters.turn_limit, turn_instructions + min(left, compute_parameters.turn_limit));
    return runs;
}

// Stops the launch if the instructions of this dispatch are used up and the block has not ended. The basic block that its
// warp would run next is in the slot.
fn stop_at_limit() {
    if block_is_open & (launch_instructions >= compute_parameters.instruction_limit) {
        load_warp();
        let thread = block_warp * 32u + countTrailingZeros(warp_active) % 32u;
        stop_launch(STOP_ENDLESS, warp_next, block_number, thread);
        block_is_open = false;
    }
}

// The first register of the lane's thread when it begins.
fn first_register() -> u32 {
    let thread = block_warp * 32u + lane;
    let row = thread / compute_parameters.block_width;
    let x = thread - row * compute_parameters.block_width;
    let z = row / compute_parameters.block_height;
    let value = x | ((row - z * compute_parameters.block_height) << 16u) | (z << 26u);
    return select(0u, value, ((warp_threads >> lane) & 1u) != 0u);
}

fn count_instructions(count: u32) {
    turn_instructions += count;
    block_instructions += count;
    launch_instructions += count;
    launch_blocks += 1u;
}

// Pauses the turn in front of a basic block if it has had enough.
fn pause_turn() {
    if (turn_instructions >= turn_end) & (warp_next < WARP_PAUSES) {
        warp_resumes = warp_next;
        warp_next = WARP_PAUSES;
    }
}

// Pauses the turn after a barrier, so that the barrier lets the warp go or wait.
fn pause_at_barrier() {
    warp_is_at_barrier = true;
    if warp_next < WARP_PAUSES {
        warp_resumes = warp_next;
        warp_next = WARP_PAUSES;
    }
}

// Ends a turn. Returns the warp that runs next; 32 if none can.
fn end_turn(is_paused: bool) -> u32 {
    let bit = 1u << block_warp;
    warps_fresh &= ~bit;
    warps_interrupted &= ~bit;
    // Without a reason to stop, only the time of the dispatch is over.
    let is_ready = (warps_ready & bit) != 0u;
    let is_over = !is_ready | (is_paused & (turn_instructions >= compute_parameters.turn_limit));
    turn_instructions = select(turn_instructions, 0u, is_over);
    let later = warps_ready & ~((bit << 1u) - 1u);
    let next = firstTrailingBit(select(warps_ready, later, later != 0u));
    // Another warp may run, or another dispatch.
    if is_ready & !warp_is_at_barrier {
        warps_interrupted |= bit;
    }
    warp_is_at_barrier = false;
    return select(block_warp, select(next, 32u, warps_ready == 0u), is_over);
}

// Makes a warp the next to run; 32 ends the block.
fn change_warp(next: u32) {
    if next != block_warp {
        warp_is_loaded = false;
    }
    if next == 32u {
        block_is_open = false;
    } else {
        block_warp = next;
    }
}

fn block_has_ended() -> bool {
    return countOneBits(warps_ended) == compute_parameters.warps;
}
