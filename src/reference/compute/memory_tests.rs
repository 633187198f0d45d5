//! Tests of loads and stores of all spaces and sizes, of atomic operations, and of their faults.

use std::sync::Arc;

use super::test_programs::*;
use crate::pipeline::launch::{Fault, FaultKind, LaunchLimits, MemoryKind, ThreadPlace, Written};
use crate::shader::simt::{
    Access, Address, AtomicOperation, Destination, ElementType, Instruction, IntegerSum, MemoryOperand, Operand,
    Operation, Product, Register, Space,
};

fn imm(value: u32) -> Operand {
    Operand::Immediate(value)
}

/// The register group that an access fills, from register 4 on.
fn group(access: Access) -> Register {
    match access {
        Access::B64 => Register::Double(4),
        Access::B128 => Register::Quad(4),
        _ => Register::Word(4),
    }
}

fn load_group(memory: MemoryOperand) -> Instruction {
    op(Operation::Load { lanes: 15 }, Destination::Register(group(memory.access)), &[Operand::Memory(memory)])
}

fn store_group(memory: MemoryOperand) -> Instruction {
    store(memory, Operand::Register(group(memory.access)))
}

const SIZES: [Access; 7] = [Access::U8, Access::S8, Access::U16, Access::S16, Access::B32, Access::B64, Access::B128];

/// What a load of the first bytes of this leaves in four registers that held ones.
const BYTES: [u8; 16] = [0x81, 0x92, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

fn loaded(access: Access) -> [u32; 4] {
    let ones = u32::MAX;
    match access {
        Access::U8 => [0x81, ones, ones, ones],
        Access::S8 => [0xffff_ff81, ones, ones, ones],
        Access::U16 => [0x9281, ones, ones, ones],
        Access::S16 => [0xffff_9281, ones, ones, ones],
        Access::B32 => [0x0403_9281, ones, ones, ones],
        Access::B64 => [0x0403_9281, 0x0807_0605, ones, ones],
        Access::B128 => [0x0403_9281, 0x0807_0605, 0x0c0b_0a09, 0x100f_0e0d],
    }
}

/// Four registers of ones.
fn ones() -> [Instruction; 4] {
    [4, 5, 6, 7].map(|number| mov(number, imm(u32::MAX)))
}

#[test]
fn global_loads_fill_registers_by_their_size() {
    for access in SIZES {
        for part in 0..4 {
            let mut body = ones().to_vec();
            body.extend([mov(2, shared(0x14)), load_group(global(access, 2)), mov(1, word(4 + part))]);
            let mut test = Test::new(&with_output(&body), 32);
            let input = test.memory.allocate("in", BYTES.to_vec()).unwrap();
            test.launch.parameters.extend(input.to_le_bytes());
            let run = test.run();
            assert_eq!(run.report.faults, []);
            assert_eq!(run.out, [loaded(access)[usize::from(part)]; 32], "{access:?} register {part}");
        }
    }
}

#[test]
fn global_stores_change_their_bytes_only() {
    for access in SIZES {
        let values = loaded(Access::B128);
        let mut body: Vec<_> = (4..).zip(values).map(|(number, value)| mov(number, imm(value))).collect();
        body.extend([mov(2, shared(0x14)), store_group(global(access, 2))]);
        let mut test = Test::new(&with_output(&body), 1);
        let buffer = test.memory.allocate("in", vec![0xee; 20]).unwrap();
        test.launch.parameters.extend(buffer.to_le_bytes());
        let run = test.run();
        let size = access.bytes() as usize;
        assert_eq!(run.report.faults, []);
        assert_eq!(run.memory.buffers()[1].bytes[..size], BYTES[..size], "{access:?}");
        assert_eq!(run.memory.buffers()[1].bytes[size..], [0xee; 20][size..], "{access:?}");
    }
}

/// Each thread has local memory of its own at the same address.
#[test]
fn local_memory_is_of_a_thread() {
    for access in SIZES {
        let values = loaded(Access::B128);
        let local = memory(Space::Local, access, 0, 0x20);
        let mut body: Vec<_> = (4..).zip(values).map(|(number, value)| mov(number, imm(value))).collect();
        body.push(add(4, word(4), word(0)));
        body.push(store_group(local));
        body.extend(ones());
        body.extend([load_group(local), mov(1, word(4))]);
        let mut test = Test::new(&with_output(&body), 64);
        test.launch.stage.local_bytes = 0x30;
        let run = test.run();
        assert_eq!(run.report.faults, []);
        let expected = |thread: u32| {
            let sum = values[0] + thread;
            match access {
                Access::U8 => sum & 0xff,
                Access::S8 => 0xffff_ff00 | sum,
                Access::U16 => sum & 0xffff,
                Access::S16 => 0xffff_0000 | sum,
                _ => sum,
            }
        };
        assert_eq!(run.out, (0..64).map(expected).collect::<Vec<_>>(), "{access:?}");
    }
}

#[test]
fn shared_memory_is_an_operand_of_three_sizes() {
    // The parameter at 0x14 holds bytes 0x81, 0x92, 3, 4.
    for (access, offset, expected) in [
        (Access::U8, 0x14, 0x81),
        (Access::U8, 0x15, 0x92),
        (Access::U16, 0x14, 0x9281),
        (Access::S16, 0x14, 0xffff_9281),
        (Access::B32, 0x14, 0x0403_9281),
    ] {
        // As an operand of arithmetic, and by the load that later generations have.
        let operand = Operand::Memory(memory(Space::Shared, access, 0, offset));
        let bodies = [
            vec![mov(2, imm(0)), mov(3, imm(0)), add(1, operand, word(2))],
            vec![load(1, memory(Space::Shared, access, 0, offset))],
        ];
        for body in bodies {
            let mut test = Test::new(&with_output(&body), 32);
            test.launch.parameters.extend(&BYTES[..4]);
            assert_eq!(test.run().out, [expected; 32], "{access:?} at {offset:#x}");
        }
    }
    // Stores, of a word register and of the high half of one, with an address register.
    let high = Operand::Register(Register::Half { number: 2, is_high: true });
    let at = |access, offset| memory(Space::Shared, access, 1, offset);
    let body = [
        mov(2, imm(0x1234_5678)),
        mov(3, imm(0x40)),
        op(Operation::ShiftIntoAddress, Destination::Address(1), &[word(3), imm(0)]),
        store(at(Access::B32, 0), word(2)),
        store(at(Access::U16, 0), high),
        store(at(Access::U8, 3), word(3)),
        load(1, at(Access::B32, 0)),
    ];
    let run = Test::new(&with_output(&body), 1).run();
    assert_eq!(run.out, [0x4034_1234]);
}

#[test]
fn constants_have_sixteen_spaces() {
    let constant = |space, access, offset| memory(Space::Constant(space), access, 0, offset);
    let body = [
        load(1, constant(0, Access::B32, 4)),
        load(2, constant(15, Access::S16, 2)),
        add(1, word(1), word(2)),
        // As the second operand of a multiply-add.
        mov(3, imm(10)),
        op(
            Operation::MultiplyAddInteger {
                sum: IntegerSum::Add,
                product: Product::Bits24 { is_signed: false, is_high: false },
                saturates: false,
            },
            to(1),
            &[word(3), Operand::Memory(constant(1, Access::B32, 8)), word(1)],
        ),
        // The rest of a block of 256 bytes is zero.
        load(2, constant(0, Access::B32, 0xfc)),
        add(1, word(1), word(2)),
    ];
    let mut test = Test::new(&with_output(&body), 32);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    test.launch.stage.constants =
        Arc::new([(0, words(&[1, 1000])), (1, words(&[0, 0, 7])), (15, words(&[0xffff_0000]))].into());
    let run = test.run();
    assert_eq!(run.report.faults, []);
    assert_eq!(run.out, [1000 - 1 + 70; 32]);
}

#[test]
fn an_address_register_indexes_constants() {
    let body = [
        op(Operation::ShiftIntoAddress, Destination::Address(3), &[word(0), imm(2)]),
        load(1, memory(Space::Constant(0), Access::B32, 3, 4)),
    ];
    let mut test = Test::new(&with_output(&body), 32);
    test.launch.stage.constants =
        Arc::new([(0, (0..33_u32).flat_map(|value| (value * value).to_le_bytes()).collect())].into());
    assert_eq!(test.run().out, (1..33).map(|value| value * value).collect::<Vec<u32>>());
}

fn atomic(operation: AtomicOperation, element: ElementType, sources: &[Operand]) -> Instruction {
    let mut operands = vec![Operand::Memory(global(Access::B32, 2))];
    operands.extend(sources);
    op(Operation::Atomic { operation, element }, to(1), &operands)
}

#[test]
fn atomic_operations_happen_lane_by_lane() {
    let run = |instruction: Instruction| {
        let body = [mov(1, imm(0)), mov(2, shared(0x14)), mov(3, imm(1)), add(4, word(0), imm(1)), instruction];
        let mut test = Test::new(&with_output(&body), 64);
        let counter = test.memory.allocate("counter", vec![0; 4]).unwrap();
        test.launch.parameters.extend(counter.to_le_bytes());
        let run = test.run();
        assert_eq!((run.report.faults, run.report.races), (Vec::new(), Vec::new()));
        let bytes = run.memory.buffers()[1].bytes[..].try_into().unwrap();
        (run.out, u32::from_le_bytes(bytes))
    };
    let numbers = |value: fn(u32) -> u32| (0..64).map(value).collect::<Vec<_>>();
    assert_eq!(run(atomic(AtomicOperation::Add, ElementType::U32, &[word(3)])), (numbers(|thread| thread), 64));
    assert_eq!(run(atomic(AtomicOperation::Exchange, ElementType::B32, &[word(4)])), (numbers(|thread| thread), 64));
    // Thread n replaces n by n + 1.
    let swap = atomic(AtomicOperation::CompareAndSwap, ElementType::B32, &[word(0), word(4)]);
    assert_eq!(run(swap), (numbers(|thread| thread), 64));
    let reduce = Operation::Reduce { operation: AtomicOperation::Max, element: ElementType::U32 };
    let reduce = op(reduce, Destination::Memory(global(Access::B32, 2)), &[word(0)]);
    assert_eq!(run(reduce), (vec![0; 64], 63));
    let increment = atomic(AtomicOperation::Increment, ElementType::U32, &[word(5)]);
    assert_eq!(run(increment), (vec![0; 64], 0), "register 5 is 0, from which on the count begins again");
}

#[test]
fn a_plain_write_beside_an_atomic_operation_is_a_race() {
    let body = [
        mov(1, imm(0)),
        mov(2, shared(0x14)),
        atomic(AtomicOperation::Add, ElementType::U32, &[word(0)]),
        store(global(Access::B32, 2), word(0)),
    ];
    let mut test = Test::new(&with_output(&body), 64);
    let counter = test.memory.allocate("counter", vec![0; 4]).unwrap();
    test.launch.parameters.extend(counter.to_le_bytes());
    let races = test.run().report.races;
    let [update, write] = [2, 3].map(|number| (BODY + number) * STEP);
    // Warp 1 updates after warp 0 has written, and writes after warp 0 has written: 4 bytes by 32 lanes.
    let pairs: Vec<_> = races.iter().map(|race| (race.instructions, race.count)).collect();
    assert_eq!(pairs, [([write, update], 128), ([write, write], 128)]);
}

/// A fault of the third instruction of the body.
fn fault(kind: FaultKind, count: u64, thread: u32, address: u32) -> Fault {
    let first = ThreadPlace { block: [0; 3], thread: [thread, 0, 0] };
    Fault { instruction: (BODY + 2) * STEP, kind, count, first, address: Some(address) }
}

/// Runs the third instruction with register 2 as an address and $a1 four times the number of the thread.
fn faults(instruction: Instruction, change: impl FnOnce(&mut Test) -> Operand) -> (Vec<Fault>, Vec<u32>) {
    let mut test = Test::new(&[], 32);
    let operand = change(&mut test);
    let shift = op(Operation::ShiftIntoAddress, Destination::Address(1), &[word(0), imm(2)]);
    let body = [mov(2, operand), shift, instruction, mov(3, imm(1)), add(1, word(1), word(3))];
    test.launch.stage.program = Test::new(&with_output(&body), 32).launch.stage.program;
    let run = test.run();
    assert_eq!(run.memory.buffers().last().unwrap().bytes.iter().filter(|byte| **byte == 0xee).count() % 16, 0);
    (run.report.faults, run.out)
}

#[test]
fn accesses_outside_a_buffer_read_zero_and_hurt_no_other_one() {
    let second = |test: &mut Test| {
        let address = test.memory.allocate("a", vec![0xdd; 16]).unwrap();
        test.memory.allocate("b", vec![0xee; 16]).unwrap();
        imm(address + 16)
    };
    let first_address = 0x1_0000 + 0x200;
    let kind = FaultKind::OutOfRange(MemoryKind::Global(14));
    let (found, out) = faults(load(1, global(Access::B32, 2)), second);
    assert_eq!((found, out), (vec![fault(kind, 32, 0, first_address + 16)], vec![1; 32]));
    let (found, _) = faults(store(global(Access::B128, 2), Operand::Register(Register::Quad(8))), second);
    assert_eq!(found, [fault(kind, 32, 0, first_address + 16)]);
    // A null pointer, and a space that the launch does not have.
    let null = |test: &mut Test| {
        test.memory.allocate("b", vec![0xee; 16]).unwrap();
        imm(0)
    };
    assert_eq!(faults(load(1, global(Access::B32, 2)), null).0, [fault(kind, 32, 0, 0)]);
    let other = MemoryOperand { space: Space::Global(3), access: Access::B32, address: Address::Register(2) };
    let kind = FaultKind::OutOfRange(MemoryKind::Global(3));
    assert_eq!(faults(load(1, other), second).0, [fault(kind, 32, 0, first_address + 16)]);
}

#[test]
fn misaligned_accesses_read_zero() {
    let odd = |test: &mut Test| imm(test.memory.allocate("a", vec![0xee; 64]).unwrap() + 4);
    let kind = FaultKind::Misaligned(MemoryKind::Global(14));
    let double = op(
        Operation::Load { lanes: 15 },
        Destination::Register(Register::Double(0)),
        &[Operand::Memory(global(Access::B64, 2))],
    );
    let (found, out) = faults(double, odd);
    assert_eq!((found, out), (vec![fault(kind, 32, 0, 0x1_0204)], vec![1; 32]));
    let odd = |test: &mut Test| imm(test.memory.allocate("a", vec![0xee; 64]).unwrap() + 2);
    let (found, _) = faults(store(global(Access::B32, 2), word(0)), odd);
    assert_eq!(found, [fault(kind, 32, 0, 0x1_0202)]);
}

#[test]
fn accesses_beyond_shared_local_and_constant_memory_are_counted_by_thread() {
    let nothing = |_: &mut Test| imm(0);
    // $a1 goes up to 124; the block has 0x1000 bytes.
    let at = memory(Space::Shared, Access::B32, 1, 0xff0);
    let kind = FaultKind::OutOfRange(MemoryKind::Shared);
    assert_eq!(faults(load(1, at), nothing).0, [fault(kind, 28, 4, 0x1000)]);
    assert_eq!(faults(store(at, word(0)), nothing).0, [fault(kind, 28, 4, 0x1000)]);
    let local = |test: &mut Test| {
        test.launch.stage.local_bytes = 0x30;
        imm(0)
    };
    // 0x30 bytes are rounded up to 0x40.
    let kind = FaultKind::OutOfRange(MemoryKind::Local);
    assert_eq!(faults(load(1, memory(Space::Local, Access::B32, 1, 0)), local).0, [fault(kind, 16, 16, 0x40)]);
    let constants = |test: &mut Test| {
        test.launch.stage.constants = Arc::new([(2, vec![1; 10])].into());
        imm(0)
    };
    let kind = FaultKind::OutOfRange(MemoryKind::Constant(2));
    let found = faults(load(1, memory(Space::Constant(2), Access::B32, 1, 0xc0)), constants).0;
    assert_eq!(found, [fault(kind, 16, 16, 0x100)]);
    let kind = FaultKind::OutOfRange(MemoryKind::Constant(3));
    assert_eq!(faults(load(1, memory(Space::Constant(3), Access::B32, 0, 0)), constants).0, [fault(kind, 32, 0, 0)]);
}

#[test]
fn blocks_find_their_coordinates_and_clean_memory() {
    // out[ctaid.x] += s[0x40] + 1, and s[0x40] = 5 for the next block to see if it could.
    let at = memory(Space::Shared, Access::B32, 0, 0x40);
    let program = [
        mov(14, shared(0x10)),
        load(2, memory(Space::Shared, Access::U16, 0, 0xc)),
        shift_left(2, 2, 2),
        add(2, word(2), word(14)),
        load(1, at),
        add(1, word(1), imm(1)),
        store(global(Access::B32, 2), word(1)),
        mov(3, imm(5)),
        store(at, word(3)),
        exit(),
    ];
    let mut test = Test::new(&program, 1);
    test.launch.grid = [3, 1, 1];
    let out = test.memory.allocate("blocks", vec![0; 12]).unwrap();
    test.launch.parameters = out.to_le_bytes().to_vec();
    let run = test.run();
    assert_eq!(run.report.faults, []);
    let words: Vec<_> = run.memory.buffers()[1].bytes.chunks(4).map(|word| word[0]).collect();
    assert_eq!(words, [1, 1, 1]);
    assert_eq!(run.report.warp_instructions, 30);
    assert_eq!(run.report.thread_instructions, 30);
}

#[test]
fn a_trace_shows_the_steps_of_one_warp() {
    let program = [
        mov(1, imm(7)),
        compare(2, word(0), word(1)),
        add(1, word(1), word(0)).when(2, LESS),
        Instruction { exits: true, ..nothing() },
    ];
    let mut test = Test::new(&program, 40);
    test.launch.grid = [2, 1, 1];
    test.options.traced_warp = Some(2);
    let launch = test.launch.clone();
    let mut steps = Vec::new();
    super::run_launch(&launch, &LaunchLimits::G80, &mut test.memory, &test.options, &mut |step| steps.push(step))
        .unwrap();
    assert_eq!(steps.iter().map(|step| step.instruction).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(steps[0].written, [(Written::Register(1), [7; 32])]);
    let flags = std::array::from_fn(|thread| match thread {
        ..7 => 2,
        7 => 5,
        _ => 4,
    });
    assert_eq!(steps[1].written, [(Written::Condition(2), flags)]);
    assert_eq!((steps[2].active, steps[2].executing), (u32::MAX, 0x7f));
    let threads: [u32; 32] = std::array::from_fn(|thread| u32::try_from(thread).unwrap());
    let sums = threads.map(|thread| if thread < 7 { 7 + thread } else { 7 });
    assert_eq!(steps[2].written, [(Written::Register(1), sums)]);
    assert_eq!(steps[3].written, []);
}
