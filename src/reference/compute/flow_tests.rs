//! Tests of control flow: divergence, loops, calls, the end of threads, quads and barriers.

use super::test_programs::*;
use crate::isa::tesla::TeslaGeneration;
use crate::pipeline::launch::{FaultKind, InstructionCount, STACK_ENTRIES};
use crate::shader::simt::{
    Access, BarrierThreads, Condition, Convert, Destination, Instruction, IntegerSum, LogicOperation, NumberFormat,
    Operand, Operation, Predicate, QuadLane, QuadStep, Rounding, Space, VoteMode, Width,
};

const JOIN: Operation = Operation::PushJoin;
const LOOP: Operation = Operation::PushBreak;
const BRANCH: Operation = Operation::Branch;
const CALL: Operation = Operation::Call { is_limited: false };

fn imm(value: u32) -> Operand {
    Operand::Immediate(value)
}

/// The comparison of the thread's number with a constant in $c0, through register 7.
fn compare_thread(value: u32) -> [Instruction; 2] {
    [mov(7, imm(value)), compare(0, word(0), word(7))]
}

fn plain(operation: Operation) -> Instruction {
    op(operation, Destination::None, &[])
}

fn expected(value: impl Fn(u32) -> u32) -> Vec<u32> {
    (0..32).map(value).collect()
}

#[test]
fn diverged_threads_join() {
    let [limit, test] = compare_thread(8);
    let body = [
        limit,
        test,
        mov(6, imm(1000)),
        flow(JOIN, 7),
        flow(BRANCH, 6).when(0, LESS),
        // 24 threads skip the branch; those that take it find 100 added.
        flow(BRANCH, 7),
        add(0, word(0), imm(100)),
        // Both ways execute the instruction that joins, once for each thread.
        add(1, word(0), word(6)).joining(),
        add(1, word(1), imm(1)),
    ];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(run.out, expected(|thread| if thread < 8 { thread + 1101 } else { thread + 1001 }));
    assert_eq!(run.report.divergent_branches, 1);
    let count = |number: u32| run.report.instructions[(BODY + number) as usize];
    assert_eq!(count(4), InstructionCount { warps: 1, threads: 8 });
    assert_eq!(count(5), InstructionCount { warps: 1, threads: 24 });
    assert_eq!(count(6), InstructionCount { warps: 1, threads: 8 });
    assert_eq!(count(7), InstructionCount { warps: 2, threads: 32 });
    assert_eq!(count(8), InstructionCount { warps: 1, threads: 32 }, "all threads go on together");
}

#[test]
fn divergence_nests() {
    // if (t < 16) { if (t < 4) x = 1 else x = 2; x += 10 } else x = 3; x += 100
    let body = [
        mov(7, imm(16)),
        compare(0, word(0), word(7)),
        mov(7, imm(4)),
        compare(1, word(0), word(7)),
        flow(JOIN, 15),
        flow(BRANCH, 8).when(0, LESS),
        mov(1, imm(3)),
        flow(BRANCH, 15),
        flow(JOIN, 13),
        flow(BRANCH, 12).when(1, LESS),
        mov(1, imm(2)),
        flow(BRANCH, 13),
        mov(1, imm(1)),
        nothing().joining(),
        add(1, word(1), imm(10)),
        nothing().joining(),
        add(1, word(1), imm(100)),
    ];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(
        run.out,
        expected(|thread| if thread < 4 {
            111
        } else if thread < 16 {
            112
        } else {
            103
        })
    );
    assert_eq!(run.report.divergent_branches, 2);
    assert_eq!(run.report.instructions[(BODY + 16) as usize], InstructionCount { warps: 1, threads: 32 });
    assert_eq!(run.report.instructions[(BODY + 14) as usize], InstructionCount { warps: 1, threads: 16 });
}

/// Sums 0 + 1 + … + (t − 1) in a loop that threads leave by a break.
#[test]
fn threads_break_out_of_a_loop_after_different_trips() {
    let body = [
        mov(1, imm(0)),
        mov(2, imm(0)),
        flow(LOOP, 8),
        compare(0, word(2), word(0)),
        plain(Operation::Break).when(0, GREATER_OR_EQUAL),
        add(1, word(1), word(2)),
        add(2, word(2), imm(1)),
        flow(BRANCH, 3),
        add(1, word(1), imm(1000)),
    ];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(run.out, expected(|thread| thread * thread.wrapping_sub(1) / 2 * u32::from(thread > 0) + 1000));
    assert_eq!(run.report.divergent_branches, 0, "the warp branches as one");
    assert_eq!(run.report.instructions[(BODY + 8) as usize], InstructionCount { warps: 1, threads: 32 });
    // Thread t makes t trips and 31 is the largest.
    assert_eq!(run.report.instructions[(BODY + 5) as usize].threads, (0..32).sum::<u64>());
    assert_eq!(run.report.instructions[(BODY + 3) as usize].warps, 32);
}

/// The same by a branch back, as compilers of the time wrote it, with a place to join after the loop.
#[test]
fn threads_leave_a_loop_by_a_branch_and_join() {
    let body = [
        mov(1, imm(0)),
        mov(2, imm(0)),
        mov(6, imm(1000)),
        flow(JOIN, 8),
        add(1, word(1), word(2)),
        add(2, word(2), imm(1)),
        compare(0, word(2), word(0)),
        flow(BRANCH, 4).when(0, LESS),
        add(1, word(1), word(6)).joining(),
        add(1, word(1), imm(1)),
    ];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(run.out, expected(|thread| (0..thread).sum::<u32>() + 1001));
    assert_eq!(run.report.instructions[(BODY + 9) as usize], InstructionCount { warps: 1, threads: 32 });
    // Threads 0 and 1 make one trip; each later one leaves alone, but for the last.
    assert_eq!(run.report.divergent_branches, 30);
}

#[test]
fn loops_nest_and_break_the_innermost() {
    // for (i = 0; i < t % 4; i++) for (j = 0; j < t / 8; j++) x++
    let body = [
        mov(1, imm(0)),
        op(Operation::Logic { operation: LogicOperation::And, width: Width::Word }, to(3), &[word(0), imm(3)]),
        op(Operation::ShiftRight(SIGNED), to(4), &[word(0), imm(3)]),
        mov(2, imm(0)),
        flow(LOOP, 16),
        compare(0, word(2), word(3)),
        plain(Operation::Break).when(0, GREATER_OR_EQUAL),
        mov(5, imm(0)),
        flow(LOOP, 14),
        compare(1, word(5), word(4)),
        plain(Operation::Break).when(1, GREATER_OR_EQUAL),
        add(1, word(1), imm(1)),
        add(5, word(5), imm(1)),
        flow(BRANCH, 9),
        add(2, word(2), imm(1)),
        flow(BRANCH, 5),
        nothing(),
    ];
    assert_eq!(outputs(&body), expected(|thread| (thread % 4) * (thread / 8)));
}

#[test]
fn threads_return_from_calls_at_different_places() {
    // f(x): if (t < 8) return; x += 1; if (t < 16) return; x += g(); return
    let body = [
        mov(1, imm(0)),
        mov(7, imm(8)),
        compare(0, word(0), word(7)),
        mov(7, imm(16)),
        compare(1, word(0), word(7)),
        flow(CALL, 8),
        add(1, word(1), imm(1000)),
        flow(BRANCH, 16),
        plain(Operation::Return).when(0, LESS),
        add(1, word(1), imm(1)),
        plain(Operation::Return).when(1, LESS),
        flow(CALL, 14),
        add(1, word(1), imm(100)),
        plain(Operation::Return),
        add(1, word(1), imm(10)),
        plain(Operation::Return),
        nothing(),
    ];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(run.report.faults, []);
    assert_eq!(
        run.out,
        expected(|thread| if thread < 8 {
            1000
        } else if thread < 16 {
            1001
        } else {
            1111
        })
    );
    assert_eq!(run.report.instructions[(BODY + 6) as usize], InstructionCount { warps: 1, threads: 32 });
    assert_eq!(run.report.instructions[(BODY + 12) as usize], InstructionCount { warps: 1, threads: 16 });
}

#[test]
fn a_pushed_return_address_is_returned_to() {
    let body = [
        mov(1, imm(1)),
        flow(Operation::PushReturn { is_limited: false }, 4),
        plain(Operation::Return),
        mov(1, imm(2)),
        add(1, word(1), imm(10)),
    ];
    assert_eq!(outputs(&body), [11; 32]);
}

#[test]
fn a_return_without_a_call_ends_threads() {
    let [limit, test] = compare_thread(5);
    let body = [mov(1, imm(9)), limit, test, plain(Operation::Return).when(0, LESS)];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(run.out, expected(|thread| if thread < 5 { 0 } else { 9 }));
    assert_eq!(run.report.faults, []);
}

/// Compilers end kernels with an instruction whose predicate never holds.
#[test]
fn an_exit_ends_threads_whatever_the_predicate() {
    let end = Instruction { predicate: Predicate::Never, ..exit() };
    let body = [mov(1, imm(1)), end, mov(1, imm(2))];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!((run.out, run.report.faults), (vec![0; 32], Vec::new()));
    // The short form of the same, as compilers write it.
    assert_eq!(encode(&[Instruction { predicate: Predicate::Never, ..exit() }]), [0xf000_0001, 0xe000_0001]);
}

#[test]
fn threads_that_end_on_one_way_leave_the_others_at_the_join() {
    let [limit, test] = compare_thread(8);
    let body = [
        limit,
        test,
        mov(1, imm(1)),
        mov(6, imm(10)),
        flow(JOIN, 8),
        flow(BRANCH, 7).when(0, LESS),
        // The way that runs second ends: the others have joined already, and do not execute the instruction again.
        exit(),
        add(1, word(1), imm(1)),
        add(1, word(1), word(6)).joining(),
        add(1, word(1), imm(100)),
    ];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(run.out, expected(|thread| if thread < 8 { 112 } else { 0 }));
    // The other order of the ways.
    let [limit, test] = compare_thread(8);
    let body = [
        limit,
        test,
        mov(1, imm(1)),
        mov(6, imm(10)),
        flow(JOIN, 8),
        flow(BRANCH, 7).when(0, GREATER_OR_EQUAL),
        flow(BRANCH, 8),
        exit(),
        add(1, word(1), word(6)).joining(),
        add(1, word(1), imm(100)),
    ];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(run.out, expected(|thread| if thread < 8 { 111 } else { 0 }));
}

#[test]
fn a_break_inside_divergence_leaves_the_loop() {
    // loop { if (t < i) break; i += 1; } with the break in a branch that has a place to join.
    let body = [
        mov(1, imm(0)),
        flow(LOOP, 9),
        compare(0, word(0), word(1)),
        flow(JOIN, 6),
        flow(BRANCH, 6).when(0, GREATER_OR_EQUAL),
        plain(Operation::Break),
        nothing().joining(),
        add(1, word(1), imm(1)),
        flow(BRANCH, 2),
        add(1, word(1), imm(1000)),
    ];
    assert_eq!(outputs(&body), expected(|thread| thread + 1 + 1000));
}

#[test]
fn recursion_beyond_the_stack_ends_the_warp() {
    let run = Test::new(&with_output(&[flow(CALL, 0)]), 32).run();
    assert_eq!(run.out, [0; 32]);
    let [fault] = run.report.faults[..] else { panic!("{:?}", run.report.faults) };
    assert_eq!((fault.kind, fault.instruction, fault.count), (FaultKind::StackOverflow, BODY * STEP, 1));
    assert_eq!(run.report.instructions[BODY as usize].warps, u64::from(STACK_ENTRIES) + 1);
}

#[test]
fn a_break_without_a_loop_ends_the_threads() {
    let [limit, test] = compare_thread(5);
    let body = [mov(1, imm(9)), limit, test, plain(Operation::Break).when(0, LESS)];
    let run = Test::new(&with_output(&body), 32).run();
    assert_eq!(run.out, expected(|thread| if thread < 5 { 0 } else { 9 }));
    assert_eq!(run.report.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::BreakOutsideLoop]);
}

#[test]
fn code_that_does_not_exist_ends_the_warp() {
    let outside = Test::new(&[flow(BRANCH, 1000)], 64).run();
    let [fault] = outside.report.faults[..] else { panic!("{:?}", outside.report.faults) };
    assert_eq!((fault.kind, fault.instruction, fault.count), (FaultKind::OutsideCode, 8000, 2), "once for each warp");
    assert_eq!((fault.first.block, fault.first.thread), ([0, 0, 0], [0, 0, 0]));
    let past_the_end = Test::new(&[nothing()], 32).run();
    assert_eq!(past_the_end.report.faults[0].kind, FaultKind::OutsideCode);
    let invalid = Test::of_words(&[0x7000_0001, 0x2000_0780], 32).run();
    assert_eq!(
        (invalid.report.faults[0].kind, invalid.report.faults[0].instruction),
        (FaultKind::InvalidInstruction, 0)
    );
}

#[test]
fn an_instruction_of_a_later_generation_is_invalid() {
    let vote = op(Operation::Vote(VoteMode::Any), Destination::Condition(0), &[]);
    let mut test = Test::new(&[vote.clone(), exit()], 32);
    test.launch.stage.generation = TeslaGeneration::Sm11;
    assert_eq!(test.run().report.faults[0].kind, FaultKind::InvalidInstruction);
    assert_eq!(Test::new(&[vote, exit()], 32).run().report.faults, []);
}

#[test]
fn votes_tell_any_and_all() {
    use VoteMode::{All, Any};
    let vote = |mode, value, relations| {
        let [limit, test] = compare_thread(value);
        let vote = Instruction {
            predicate: Predicate::If { register: 0, condition: Condition::Compare(relations) },
            ..op(Operation::Vote(mode), Destination::Condition(1), &[])
        };
        outputs(&[limit, test, vote, mov(1, imm(1)), mov(6, imm(2)), mov(1, word(6)).when(1, UNEQUAL)])
    };
    assert_eq!(vote(Any, 0, LESS), [1; 32]);
    assert_eq!(vote(Any, 1, LESS), [2; 32]);
    assert_eq!(vote(All, 31, LESS), [1; 32]);
    assert_eq!(vote(All, 32, LESS), [2; 32]);
}

#[test]
fn quads_become_whole_and_partial_again() {
    // Threads 0, 5 and 6 are active; their quads are threads 0 to 7.
    let [limit, test] = compare_thread(0);
    let body = [
        limit,
        test,
        mov(1, imm(0)),
        mov(7, imm(5)),
        compare(1, word(0), word(7)),
        mov(7, imm(6)),
        compare(2, word(0), word(7)),
        flow(JOIN, 16),
        flow(BRANCH, 12).when(0, EQUAL),
        flow(BRANCH, 12).when(1, EQUAL),
        flow(BRANCH, 12).when(2, EQUAL),
        flow(BRANCH, 16),
        plain(Operation::EnterQuads),
        add(1, word(1), imm(1)),
        plain(Operation::LeaveQuads),
        add(1, word(1), imm(100)),
        nothing().joining(),
    ];
    // Each of the three ways runs alone.
    let expected = expected(|thread| match thread {
        0 => 101,
        5 | 6 => 102,
        1..=3 => 1,
        4 | 7 => 2,
        _ => 0,
    });
    assert_eq!(outputs(&body), expected);
    let unbalanced = Test::new(&[plain(Operation::LeaveQuads)], 32).run();
    assert_eq!(unbalanced.report.faults[0].kind, FaultKind::UnbalancedQuads);
}

#[test]
fn quad_operations_read_another_lane() {
    let to_float = |register, source| {
        let convert = Convert {
            to: NumberFormat::Float(32),
            to_width: Width::Word,
            from: NumberFormat::Unsigned(32),
            from_width: Width::Word,
            rounding: Some(Rounding::NearestEven),
            rounds_to_integer: false,
            saturates: false,
        };
        op(Operation::Convert(convert), to(register), &[word(source)])
    };
    let steps = [QuadStep::Add, QuadStep::Subtract, QuadStep::SubtractReversed, QuadStep::Second];
    let body = [to_float(2, 0), op(Operation::Quad { lane: QuadLane::Number(1), steps }, to(1), &[word(2), word(2)])];
    let found: Vec<f32> = outputs(&body).into_iter().map(f32::from_bits).collect();
    // Lane 1 of quad 2 is thread 9: 9 + 8, 9 − 9, 10 − 9, 11.
    assert_eq!(found[8..12], [17.0, 0.0, 1.0, 11.0]);
    let neighbor =
        [to_float(2, 0), op(Operation::Quad { lane: QuadLane::NeighborX, steps }, to(1), &[word(2), word(2)])];
    assert_eq!(outputs(&neighbor), [0; 32]);
}

fn barrier(number: u32, arrives: bool, waits: bool, count: Option<u32>) -> Instruction {
    let threads = if count.is_some() { BarrierThreads::Count } else { BarrierThreads::All };
    let sources: Vec<Operand> = std::iter::once(number).chain(count).map(imm).collect();
    op(Operation::Barrier { arrives, waits, threads }, Destination::None, &sources)
}

/// Each thread writes shared memory and reads what the opposite thread wrote.
fn reversal(threads: u32, barriers: &[Instruction]) -> Vec<Instruction> {
    let mut body = vec![
        shift_left(2, 0, 2),
        op(Operation::ShiftIntoAddress, Destination::Address(1), &[word(2), imm(0)]),
        add(3, word(0), imm(1000)),
        store(memory(Space::Shared, Access::B32, 1, 0x40), word(3)),
    ];
    body.extend_from_slice(barriers);
    body.extend([
        mov(4, imm(4 * (threads - 1))),
        op(
            Operation::AddInteger { sum: IntegerSum::Subtract, width: Width::Word, saturates: false },
            to(4),
            &[word(4), word(2)],
        ),
        op(Operation::ShiftIntoAddress, Destination::Address(2), &[word(4), imm(0)]),
        load(1, memory(Space::Shared, Access::B32, 2, 0x40)),
    ]);
    with_output(&body)
}

#[test]
fn warps_exchange_values_across_a_barrier() {
    let threads = 256;
    // The barrier that compilers of the first generation write has the largest count.
    for barriers in [[barrier(0, true, true, Some(0xfff))], [barrier(3, true, true, None)]] {
        let run = Test::new(&reversal(threads, &barriers), threads).run();
        assert_eq!(run.out, (0..threads).map(|thread| 1000 + threads - 1 - thread).collect::<Vec<_>>());
        assert_eq!((run.report.faults, run.report.races), (Vec::new(), Vec::new()));
    }
    let words = encode(&[barrier(0, true, true, Some(0xfff))]);
    assert_eq!(words, [0x861f_fe03, 0]);
}

#[test]
fn without_the_barrier_the_race_is_found() {
    let threads = 64;
    let run = Test::new(&reversal(threads, &[]), threads).run();
    // Warp 0 runs first, and reads what warp 1 has not written yet.
    assert_eq!(run.out[..32], [0; 32]);
    let [race, other] = run.report.races[..] else { panic!("{:?}", run.report.races) };
    // Warp 1 writes after warp 0 has read, and reads after warp 0 has written.
    let (write, read) = ((BODY + 3) * STEP, (BODY + 7) * STEP);
    assert_eq!((race.instructions, race.count), ([write, read], 128));
    assert_eq!((other.instructions, other.count), ([read, write], 128));
    assert_eq!((race.first.thread, race.address), ([32, 0, 0], 0x40 + 4 * 31));
    let mut unwatched = Test::new(&reversal(threads, &[]), threads);
    unwatched.options.finds_races = false;
    assert_eq!(unwatched.run().report.races, []);
}

#[test]
fn a_barrier_with_a_count_lets_a_producer_go_on() {
    // Warp 0 arrives at barrier 1 without waiting, and warp 1 waits for 64 threads in all.
    let [limit, test] = compare_thread(32);
    let body = [
        limit,
        test,
        mov(1, imm(7)),
        flow(BRANCH, 7).when(0, LESS),
        barrier(1, true, true, Some(64)),
        load(1, memory(Space::Shared, Access::B32, 0, 0x40)),
        flow(BRANCH, 10),
        mov(2, imm(5)),
        store(memory(Space::Shared, Access::B32, 0, 0x40), word(2)),
        barrier(1, true, false, Some(64)),
        nothing(),
    ];
    let run = Test::new(&with_output(&body), 64).run();
    assert_eq!(run.out, (0..64).map(|thread| if thread < 32 { 7 } else { 5 }).collect::<Vec<_>>());
    assert_eq!((run.report.faults, run.report.races), (Vec::new(), Vec::new()));
}

#[test]
fn a_warp_that_ends_is_not_waited_for() {
    let [limit, test] = compare_thread(32);
    let body =
        [limit, test, plain(Operation::Return).when(0, GREATER_OR_EQUAL), barrier(0, true, true, None), mov(1, imm(3))];
    let run = Test::new(&with_output(&body), 64).run();
    assert_eq!((&run.out[..32], &run.out[32..]), (&[3; 32][..], &[0; 32][..]));
    assert_eq!(run.report.faults, []);
}

#[test]
fn warps_at_different_barriers_are_a_deadlock() {
    let [limit, test] = compare_thread(32);
    let body = [
        limit,
        test,
        flow(BRANCH, 5).when(0, LESS),
        barrier(1, true, true, None),
        flow(BRANCH, 6),
        barrier(2, true, true, None),
        nothing(),
    ];
    let run = Test::new(&with_output(&body), 64).run();
    let faults: Vec<_> = run.report.faults.iter().map(|fault| (fault.kind, fault.instruction)).collect();
    let at = |number: u32| (FaultKind::Deadlock, (BODY + number) * STEP);
    assert_eq!(faults, [at(3), at(5)]);
    assert_eq!(run.report.faults[0].first.thread, [32, 0, 0]);
}

#[test]
fn a_barrier_in_a_diverged_warp_is_reported() {
    let [limit, test] = compare_thread(8);
    let body =
        [limit, test, flow(JOIN, 5), flow(BRANCH, 5).when(0, LESS), barrier(0, true, true, None), nothing().joining()];
    let run = Test::new(&with_output(&body), 32).run();
    let faults: Vec<_> = run.report.faults.iter().map(|fault| (fault.kind, fault.instruction, fault.count)).collect();
    assert_eq!(faults, [(FaultKind::DivergentBarrier, (BODY + 4) * STEP, 1)]);
}

#[test]
fn a_warp_that_polls_sees_what_a_later_one_writes() {
    // Warp 0 reads global memory until warp 1 has written it.
    let [limit, test] = compare_thread(32);
    let body = [
        limit,
        test,
        flow(BRANCH, 6).when(0, LESS),
        mov(1, imm(1)),
        store(global(Access::B32, 14), word(1)),
        flow(BRANCH, 10),
        load(2, global(Access::B32, 14)),
        mov(3, imm(1)),
        compare(1, word(2), word(3)),
        flow(BRANCH, 6).when(1, UNEQUAL),
        mov(1, imm(4)),
    ];
    let mut test = Test::new(&with_output(&body), 64);
    test.options.finds_races = false;
    let run = test.run();
    assert_eq!(run.out, [4; 64]);
}

#[test]
fn a_kernel_that_does_not_end_is_an_error_with_its_place() {
    let mut test = Test::new(&with_output(&[flow(BRANCH, 0)]), 64);
    test.options.instruction_limit = 5_000;
    let error = test.try_run().unwrap_err().to_string();
    let expected = "the kernel has not ended after 5000 warp instructions; block (0,0) thread (32,0,0) is at 0x0018";
    assert_eq!(error, expected, "warp 0 has run 4096 instructions and warp 1 the rest");
}

#[test]
fn a_trap_ends_the_launch() {
    let [limit, test] = compare_thread(40);
    let body = [limit, test, flow(BRANCH, 4).when(0, LESS), plain(Operation::Trap), mov(1, imm(1))];
    let error = Test::new(&with_output(&body), 64).try_run().unwrap_err().to_string();
    assert_eq!(error, "0x0030: trap, by block (0,0) thread (40,0,0)");
}
