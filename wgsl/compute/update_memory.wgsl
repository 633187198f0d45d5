// Atomic operations on global memory; the twin of `src/reference/compute/update_memory.rs`.
//
// One lane carries out the operations of all lanes in their order.
import package::compute::access_memory::{compute_memory, global_word};
import package::compute::ballot::{lane, lane_words};
import package::compute::warp::launch_passes;

// Operations, and bits for elements of 64 bits and signed ones.
const UPDATE_ADD: u32 = 0u;
const UPDATE_EXCHANGE: u32 = 1u;
const UPDATE_COMPARE_AND_SWAP: u32 = 2u;
const UPDATE_INCREMENT: u32 = 3u;
const UPDATE_DECREMENT: u32 = 4u;
const UPDATE_MAX: u32 = 5u;
const UPDATE_MIN: u32 = 6u;
const UPDATE_AND: u32 = 7u;
const UPDATE_OR: u32 = 8u;
const UPDATE_XOR: u32 = 9u;
const UPDATE_WIDE: u32 = 0x10u;
const UPDATE_SIGNED: u32 = 0x20u;

// The new value. Words above those of the element have no meaning.
fn updated(update: u32, old: vec2u, value: vec2u, swap: vec2u) -> vec2u {
    let operation = update & 15u;
    let is_wide = (update & UPDATE_WIDE) != 0u;
    let is_signed = (update & UPDATE_SIGNED) != 0u;
    let is_greater = select(old.x > value.x, i32(old.x) > i32(value.x), is_signed);
    let sum = old.x + value.x;
    let carry = select(0u, 1u, sum < old.x);
    let is_same = (old.x == value.x) & (!is_wide | (old.y == value.y));
    var changed = vec2u(sum, old.y + value.y + carry);
    changed = select(changed, value, operation == UPDATE_EXCHANGE);
    changed = select(changed, select(old, swap, is_same), operation == UPDATE_COMPARE_AND_SWAP);
    changed.y = select(changed.y, 0u, (operation >= UPDATE_INCREMENT) & (operation <= UPDATE_MIN));
    changed.x = select(changed.x, select(old.x + 1u, 0u, old.x >= value.x), operation == UPDATE_INCREMENT);
    let is_reset = (old.x == 0u) | (old.x > value.x);
    changed.x = select(changed.x, select(old.x - 1u, value.x, is_reset), operation == UPDATE_DECREMENT);
    changed.x = select(changed.x, select(value.x, old.x, is_greater), operation == UPDATE_MAX);
    changed.x = select(changed.x, select(old.x, value.x, is_greater), operation == UPDATE_MIN);
    changed = select(changed, old & value, operation == UPDATE_AND);
    changed = select(changed, old | value, operation == UPDATE_OR);
    return select(changed, old ^ value, operation == UPDATE_XOR);
}

// Updates memory of the lanes that are to; returns what it held before.
fn update_in_order(update: u32, address: u32, value: vec2u, swap: vec2u, is_updated: bool) -> vec2u {
    let is_wide = (update & UPDATE_WIDE) != 0u;
    lane_words[lane] = select(0xffffffffu, global_word(address), is_updated);
    lane_words[32u + lane] = value.x;
    lane_words[64u + lane] = swap.x;
    if is_wide {
        lane_words[96u + lane] = value.y;
        lane_words[128u + lane] = swap.y;
    }
    workgroupBarrier();
    storageBarrier();
    if lane == 0u {
        for (var other = 0u; other < 32u; other += 1u) {
            let word = lane_words[other];
            if word != 0xffffffffu {
                var old = vec2u(atomicLoad(&compute_memory[word]), 0u);
                var operand = vec2u(lane_words[32u + other], 0u);
                var replacement = vec2u(lane_words[64u + other], 0u);
                if is_wide {
                    old.y = atomicLoad(&compute_memory[word + 1u]);
                    operand.y = lane_words[96u + other];
                    replacement.y = lane_words[128u + other];
                }
                let changed = updated(update, old, operand, replacement);
                atomicStore(&compute_memory[word], changed.x);
                lane_words[32u + other] = old.x;
                if is_wide {
                    atomicStore(&compute_memory[word + 1u], changed.y);
                    lane_words[96u + other] = old.y;
                }
            }
        }
    }
    launch_passes += 32u;
    storageBarrier();
    workgroupBarrier();
    let before = vec2u(lane_words[32u + lane], select(0u, lane_words[96u + lane], is_wide));
    return select(vec2u(0u), before, is_updated);
}
