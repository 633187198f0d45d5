//! Tests of the counts and times of small launches on the reference engine, by calculation.

use super::test_kernels::{module, run};
use super::*;
use crate::machine::TeslaMachine;

fn gtx() -> TeslaMachine {
    TeslaMachine::default()
}

/// 64 threads store their coordinates to g14[argument + stride × thread].
fn store(shift: u32) -> String {
    format!(
        ".param u32 out\n    cvt u32 $r1 u16 $r0l\n    shl b32 $r2 $r1 {shift:#x}\n    add b32 $r2 b32 s[out] $r2\n    exit st b32 \
         g14[$r2] $r1"
    )
}

#[test]
fn transactions_are_counted_by_instruction() {
    let found = run(&gtx(), &module(&store(2)), [1, 64], &["zeros:256"]);
    let stores = found.instructions[3];
    assert_eq!((stores.warps, stores.active, stores.executing), (2, 64, 64));
    assert_eq!((stores.memory_half_warps, stores.coalesced, stores.transactions), (4, 4, 4));
    assert_eq!((stores.bytes_asked, stores.bytes_moved), (256, 256));
    // The buffer begins at 0x10000, block 256 of memory.
    let mut partitions = [0; 6];
    partitions[256 % 6] = 256;
    assert_eq!(found.partition_bytes, partitions);
    let total = found.total();
    assert_eq!((total.warps, total.transactions), (8, 4));
    // The parameter is one word for all: a broadcast for each half-warp.
    assert_eq!((found.instructions[2].shared_half_warps, found.instructions[2].shared_passes), (4, 4));

    let strided = run(&gtx(), &module(&store(3)), [1, 64], &["zeros:512"]);
    let stores = strided.instructions[3];
    assert_eq!((stores.coalesced, stores.transactions, stores.bytes_moved), (0, 64, 2048));
    assert!((found.partition_imbalance() - 6.0).abs() < 1e-9, "one of six partitions");
    // 256 bytes at 86.4 GB/s / 6 and 1.35 GHz.
    assert!((found.partition_clocks - 256.0 / (64.0 / 6.0)).abs() < 1e-9, "{}", found.partition_clocks);
}

/// Threads with odd numbers take a branch: each of the two warps diverges once, and joins on the stack.
#[test]
fn divergence_and_the_stack_are_counted() {
    let body = "    cvt u32 $r1 u16 $r0l
    and b32 $r1 $r1 0x1
    mov b32 $r3 0x0
    set $c0 # lg u32 $r1 $r3
    joinat joined
    (s $c0) bra odd
    mov b32 $r2 0x1
    bra joined
odd:
    mov b32 $r2 0x2
joined:
    join nop
    exit nop";
    let found = run(&gtx(), &module(body), [1, 64], &[]);
    let divergent: Vec<_> = found.instructions.iter().map(|counts| counts.divergent).collect();
    assert_eq!(divergent.iter().sum::<u64>(), 2);
    let branch = found.instructions.iter().find(|counts| counts.divergent != 0).unwrap();
    assert_eq!((branch.warps, branch.active, branch.executing, branch.stack_entries), (2, 64, 32, 2));
    let ways = found.instructions.iter().filter(|counts| counts.warps != 0 && counts.active == 32);
    assert!(ways.count() >= 2, "each way is executed by half of the threads");
}

/// Shared memory at 4 × 8 × thread: eight words of each half-warp in a bank.
#[test]
fn conflicts_cost_passes_and_clocks() {
    let body = |shift: u32| {
        format!(
            ".shared 0x2000\n    cvt u32 $r1 u16 $r0l\n    shl $a1 $r1 {shift:#x}\n    mov b32 $r2 b32 s[$a1+0x20]\n    \
             exit add b32 $r3 $r2 $r2"
        )
    };
    let [without, with] = [2, 5].map(|shift| run(&gtx(), &module(&body(shift)), [1, 32], &[]));
    assert_eq!((without.instructions[2].shared_half_warps, without.instructions[2].shared_passes), (2, 2));
    assert_eq!((with.instructions[2].shared_half_warps, with.instructions[2].shared_passes), (2, 16));
    // Two clocks for each of 14 passes more.
    assert!((with.clocks - without.clocks - 28.0).abs() < 1e-9, "{} {}", with.clocks, without.clocks);
}

/// Of 33 blocks with a chain of 100 sums, two fit on each of 16 multiprocessors: the last one waits for the end of another.
#[test]
fn blocks_wait_for_room() {
    let text = format!(".shared 0x1800\n{}    exit nop\n", "    add f32 $r1 $r1 $r2\n".repeat(100));
    let of = |blocks| run(&gtx(), &module(&text), [blocks, 64], &[]);
    let found = of(33);
    assert_eq!((found.occupancy.blocks, found.busy_multiprocessors), (2, 16));
    assert_eq!(found.occupancy.limited_by(), "shared memory");
    assert_eq!(found.instructions[0].warps, 66);
    // 99 times 24 clocks and the rest of the last sum's and the exit's issue, a few clocks later for each of four warps.
    let one = of(1).clocks;
    assert!((99.0 * 24.0..100.0 * 24.0 + 24.0).contains(&one), "{one}");
    assert!(of(32).clocks - one < 24.0, "{} {one}", of(32).clocks);
    assert!((found.clocks - 2.0 * one).abs() < 48.0, "{} {one}", found.clocks);
    // Two warps occupy 8 of 24 clocks, the four of two blocks 16.
    assert_eq!(of(1).bottleneck(), Bottleneck::Waits(timing::WaitCause::Scalar));
    assert_eq!(of(32).bottleneck(), Bottleneck::Scalar);
}

/// 64 blocks store to the same 256 bytes: one partition of six moves all of them.
#[test]
fn one_partition_limits_what_it_alone_stores() {
    let found = run(&gtx(), &module(&store(2)), [64, 64], &["zeros:256"]);
    assert_eq!(found.bottleneck(), Bottleneck::Partition);
    // 64 × 256 bytes at 86.4 GB/s / 6 and 1.35 GHz.
    assert!((found.clocks - 64.0 * 256.0 / (64.0 / 6.0)).abs() < 1e-9, "{}", found.clocks);
}

/// Two warps meet at a barrier; the second is late by a load.
#[test]
fn warps_wait_at_barriers() {
    let body = ".param u32 in
    cvt u32 $r1 u16 $r0l
    mov b32 $r2 0x20
    set $c0 # l u32 $r1 $r2
    mov b32 $r3 b32 s[in]
    (s $c0) bra meet
    ld b32 $r4 g14[$r3]
    add b32 $r4 $r4 $r4
meet:
    bar inc wait 0x0 0xfff
    exit nop";
    let found = run(&gtx(), &module(body), [1, 64], &["zeros:64"]);
    assert!(found.time.idle[timing::WaitCause::Memory as usize] > 400.0, "{:?}", found.time.idle);
    assert_eq!(found.bottleneck(), Bottleneck::Waits(timing::WaitCause::Memory));
}

#[test]
fn a_kernel_is_explained_without_running_it() {
    let text =
        ".reg 10\n    add f32 $r1 $r2 $r3\n    mul f32 $r4 $r1 $r1\n    rcp f32 $r5 $r6\n    exit mov b32 $r7 $r5";
    let module = module(text);
    let explanation = KernelExplanation::new(&module.kernels[0], &gtx(), Some(256));
    let block = &explanation.blocks()[0];
    let issues: Vec<_> = block.instructions.iter().map(|timed| (timed.issue, timed.wait)).collect();
    // The product waits for the sum: 24 clocks after it. The reciprocal follows two clocks later in another unit, and the copy 28
    // after that.
    assert_eq!(issues, [(0.0, 0.0), (24.0, 20.0), (26.0, 0.0), (54.0, 26.0)]);
    assert_eq!((block.latency, block.occupied), (78.0, [12, 16]));
    assert_eq!(block.warps_to_hide(), 5);
    let [(256, occupancy)] = &explanation.occupancies()[..] else { panic!("one size") };
    assert_eq!((occupancy.blocks, occupancy.warps), (3, 24));
    let text = explanation.to_string();
    assert!(text.contains("    256       3     24      100 %       2560     512  warps, registers\n"), "{text}");
    assert!(text.contains("000004  scalar   mul f32 $r4 $r1 $r1; waits 20 clocks for a result\n"), "{text}");
}
