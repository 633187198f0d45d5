//! Tests of operations on registers: operands, modifiers and flags. The arithmetic itself has tests of its own.

use super::test_programs::*;
use crate::isa::tesla::TeslaGeneration;
use crate::pipeline::launch::FaultKind;
use crate::shader::simt::{
    Access, Address, Convert, Destination, FloatType, Instruction, IntegerSum, IntegerType, LogicOperation,
    MemoryOperand, NumberFormat, Operand, Operation, Product, Register, Relations, Rounding, Source, Space,
    SpecialFunction, SpecialRegister, Width,
};

fn imm(value: u32) -> Operand {
    Operand::Immediate(value)
}

/// The result in register 1 of an operation on the words 2, 3 and 4, for one thread.
fn result(operation: Operation, operands: [u32; 3]) -> u32 {
    modified(operation, operands, |_| ())
}

/// The same with modifiers.
fn modified(operation: Operation, operands: [u32; 3], change: impl FnOnce(&mut Instruction)) -> u32 {
    // Sources of an operation on halves are the low halves.
    let sources = match operation {
        Operation::MultiplyAddFloat { .. }
        | Operation::MultiplyAddInteger { .. }
        | Operation::SumAbsoluteDifference(_)
        | Operation::Select => 3,
        Operation::Special(_) | Operation::Convert(_) | Operation::PrepareSine | Operation::PrepareExponential => 1,
        _ => 2,
    };
    let operand = |(place, register)| match operation.source_width(place) {
        Width::Half => half(register, false),
        _ => word(register),
    };
    let operands_of: Vec<_> = (0..sources).zip(2..).map(operand).collect();
    let destination = match operation.destination_width() {
        Width::Half => Destination::Register(Register::Half { number: 1, is_high: false }),
        _ => to(1),
    };
    let mut instruction = op(operation, destination, &operands_of);
    change(&mut instruction);
    let [a, b, c] = operands.map(imm);
    outputs(&[mov(2, a), mov(3, b), mov(4, c), mov(1, imm(0)), instruction])[0]
}

#[test]
fn integers_are_summed_with_their_terms() {
    let sum = |sum, width, saturates| Operation::AddInteger { sum, width, saturates };
    assert_eq!(result(sum(IntegerSum::Add, Width::Word, false), [7, u32::MAX, 0]), 6);
    assert_eq!(result(sum(IntegerSum::Subtract, Width::Word, false), [7, 9, 0]), 2_u32.wrapping_neg());
    assert_eq!(result(sum(IntegerSum::SubtractReversed, Width::Word, false), [7, 9, 0]), 2);
    assert_eq!(result(sum(IntegerSum::Add, Width::Word, true), [0x7fff_ffff, 1, 0]), 0x7fff_ffff);
    // Halves: the upper halves of the operands and of the destination are left alone.
    assert_eq!(result(sum(IntegerSum::Add, Width::Half, false), [0x9_0001, 0x5_ffff, 0]), 0);
    assert_eq!(result(sum(IntegerSum::Add, Width::Half, true), [0x7fff, 1, 0]), 0x7fff);
}

#[test]
fn a_carry_goes_from_one_sum_to_the_next() {
    // 64-bit sum of 0x1_ffff_fff0 + thread and 0x2_0000_0010.
    let carry = |register, a, b| {
        let operation = Operation::AddInteger { sum: IntegerSum::AddWithCarry, width: Width::Word, saturates: false };
        op(operation, to(register), &[word(a), word(b), Operand::Condition(2)])
    };
    let body = [
        mov(2, imm(0xffff_fff0)),
        mov(3, imm(0x10)),
        mov(4, imm(1)),
        mov(5, imm(2)),
        compare(0, word(3), word(3)),
        add(2, word(2), word(0)),
        add(6, word(2), word(3)).flags(2),
        carry(1, 4, 5),
    ];
    // The first add carries for threads from 16 on; only the second one's flags count.
    let high = |thread: u32| 3 + u32::from(u64::from(0xffff_fff0_u32.wrapping_add(thread)) + 0x10 > 0xffff_ffff);
    assert_eq!(outputs(&body), (0..32).map(high).collect::<Vec<_>>());
}

#[test]
fn comparisons_give_all_ones() {
    let set = |relations, is_signed| Operation::SetInteger {
        relations,
        operands: IntegerType { width: Width::Word, is_signed },
    };
    assert_eq!(result(set(LESS, true), [u32::MAX, 1, 0]), u32::MAX);
    assert_eq!(result(set(LESS, false), [u32::MAX, 1, 0]), 0);
    let halves =
        Operation::SetInteger { relations: LESS, operands: IntegerType { width: Width::Half, is_signed: true } };
    assert_eq!(result(halves, [0xffff, 1, 0]), 0xffff);
    let floats = |relations| Operation::SetFloat { relations, format: FloatType::F32 };
    let nan = f32::NAN.to_bits();
    assert_eq!(result(floats(LESS), [0xbf80_0000, 0x3f80_0000, 0]), u32::MAX);
    assert_eq!(result(floats(LESS), [nan, 0x3f80_0000, 0]), 0);
    assert_eq!(result(floats(Relations { unordered: true, ..LESS }), [nan, 0x3f80_0000, 0]), u32::MAX);
}

#[test]
fn smaller_and_larger_numbers_are_chosen() {
    let unsigned = IntegerType { width: Width::Word, is_signed: false };
    assert_eq!(result(Operation::MaxInteger(SIGNED), [u32::MAX, 1, 0]), 1);
    assert_eq!(result(Operation::MaxInteger(unsigned), [u32::MAX, 1, 0]), u32::MAX);
    assert_eq!(result(Operation::MinInteger(SIGNED), [u32::MAX, 1, 0]), u32::MAX);
    let [one, two] = [1.0_f32, -2.0].map(f32::to_bits);
    assert_eq!(result(Operation::MaxFloat(FloatType::F32), [one, two, 0]), one);
    assert_eq!(result(Operation::MinFloat(FloatType::F32), [one, two, 0]), two);
    // The magnitude of the second operand, negated: 1 and −2.
    let magnitude = |instruction: &mut Instruction| {
        instruction.sources[1] = Source { absolute: true, negate: true, ..instruction.sources[1] };
    };
    assert_eq!(modified(Operation::MinFloat(FloatType::F32), [one, two, 0], magnitude), two);
    let not_negated = |instruction: &mut Instruction| instruction.sources[1].absolute = true;
    assert_eq!(modified(Operation::MinFloat(FloatType::F32), [one, two, 0], not_negated), one);
    assert_eq!(result(Operation::Select, [5, 6, one]), 5);
    assert_eq!(result(Operation::Select, [5, 6, two]), 6);
}

#[test]
fn products_have_their_width_and_sign() {
    let halves = |is_first_signed, is_second_signed| Product::Bits16 { is_first_signed, is_second_signed };
    let words = |is_signed, is_high| Product::Bits24 { is_signed, is_high };
    let multiply = Operation::MultiplyInteger;
    assert_eq!(result(multiply(halves(false, false)), [0x5_ffff, 0x3_0002, 0]), 0x1_fffe);
    assert_eq!(result(multiply(halves(true, false)), [0xffff, 2, 0]), 2_u32.wrapping_neg());
    assert_eq!(result(multiply(words(true, false)), [0xff_ffff, 3, 0]), 3_u32.wrapping_neg());
    assert_eq!(result(multiply(words(false, true)), [0xff_ffff, 0x100_0001, 0]), 0xff);
    let add = |product, sum| Operation::MultiplyAddInteger { sum, product, saturates: false };
    assert_eq!(result(add(halves(false, false), IntegerSum::Add), [3, 4, 5]), 17);
    assert_eq!(result(add(words(true, false), IntegerSum::Subtract), [3, 4, 5]), 7);
    let sad = Operation::SumAbsoluteDifference(SIGNED);
    assert_eq!(result(sad, [3, 2_u32.wrapping_neg(), 100]), 105);
}

#[test]
fn bits_are_combined_and_shifted() {
    let logic = |operation| Operation::Logic { operation, width: Width::Word };
    let [a, b] = [0xff00_ff00, 0x0ff0_0ff0];
    assert_eq!(result(logic(LogicOperation::And), [a, b, 0]), a & b);
    assert_eq!(result(logic(LogicOperation::Or), [a, b, 0]), a | b);
    assert_eq!(result(logic(LogicOperation::Xor), [a, b, 0]), a ^ b);
    let inverted = |instruction: &mut Instruction| instruction.sources[1].invert = true;
    assert_eq!(modified(logic(LogicOperation::And), [a, b, 0], inverted), a & !b);
    assert_eq!(modified(logic(LogicOperation::Second), [a, b, 0], inverted), !b);
    assert_eq!(result(Operation::ShiftLeft(Width::Word), [3, 31, 0]), 1 << 31);
    assert_eq!(result(Operation::ShiftLeft(Width::Word), [3, 32, 0]), 0);
    assert_eq!(result(Operation::ShiftRight(SIGNED), [0x8000_0000, 4, 0]), 0xf800_0000);
    let unsigned = IntegerType { width: Width::Word, is_signed: false };
    assert_eq!(result(Operation::ShiftRight(unsigned), [0x8000_0000, 4, 0]), 0x0800_0000);
}

#[test]
fn floats_take_signs_and_magnitudes() {
    let bits = f32::to_bits;
    let add = |saturates| Operation::AddFloat { format: FloatType::F32, rounding: Rounding::NearestEven, saturates };
    let multiply =
        Operation::MultiplyFloat { format: FloatType::F32, rounding: Rounding::NearestEven, saturates: false };
    let mad = Operation::MultiplyAddFloat { saturates: false };
    let [a, b, c] = [1.5, 0.75, 10.0].map(bits);
    let negate = |place: usize| move |instruction: &mut Instruction| instruction.sources[place].negate = true;
    assert_eq!(result(add(false), [a, b, 0]), bits(2.25));
    assert_eq!(result(add(true), [a, b, 0]), bits(1.0));
    assert_eq!(modified(add(false), [a, b, 0], negate(1)), bits(0.75));
    assert_eq!(result(multiply, [a, b, 0]), bits(1.125));
    assert_eq!(modified(multiply, [a, b, 0], negate(0)), bits(-1.125));
    assert_eq!(result(mad, [a, b, c]), bits(11.125));
    assert_eq!(modified(mad, [a, b, c], negate(0)), bits(8.875));
    assert_eq!(modified(mad, [a, b, c], negate(2)), bits(-8.875));
    assert_eq!(result(Operation::Special(SpecialFunction::Reciprocal), [bits(4.0), 0, 0]), bits(0.25));
    let magnitude = |instruction: &mut Instruction| instruction.sources[0].absolute = true;
    let root = Operation::Special(SpecialFunction::ReciprocalSquareRoot);
    assert_eq!(modified(root, [bits(-4.0), 0, 0], magnitude), bits(0.5));
    assert_eq!(result(Operation::Special(SpecialFunction::Log2), [bits(8.0), 0, 0]), bits(3.0));
    // The exponential and the sine take what an instruction before them prepares.
    let prepared = result(Operation::PrepareExponential, [bits(3.0), 0, 0]);
    assert_eq!(result(Operation::Special(SpecialFunction::Exp2 { saturates: false }), [prepared, 0, 0]), bits(8.0));
    assert_eq!(result(Operation::Special(SpecialFunction::Exp2 { saturates: true }), [prepared, 0, 0]), bits(1.0));
    let prepared = result(Operation::PrepareSine, [bits(1.0), 0, 0]);
    assert_eq!(prepared, 0x0051_7cc1);
    assert_eq!(result(Operation::Special(SpecialFunction::Sine), [prepared, 0, 0]), 0x3f57_6aa3);
    assert_eq!(result(Operation::Special(SpecialFunction::Cosine), [prepared, 0, 0]), 0x3f0a_5141);
}

#[test]
fn numbers_are_converted() {
    let convert = |(from, from_width), (to, to_width), rounding| {
        Operation::Convert(Convert {
            to,
            to_width,
            from,
            from_width,
            rounding,
            rounds_to_integer: false,
            saturates: false,
        })
    };
    let f32 = (NumberFormat::Float(32), Width::Word);
    let s32 = (NumberFormat::Signed(32), Width::Word);
    let u16 = (NumberFormat::Unsigned(16), Width::Half);
    let f16 = (NumberFormat::Float(16), Width::Half);
    assert_eq!(
        result(convert(f32, s32, Some(Rounding::TowardZero)), [(-2.75_f32).to_bits(), 0, 0]),
        2_u32.wrapping_neg()
    );
    assert_eq!(result(convert(f32, s32, Some(Rounding::Down)), [(-2.75_f32).to_bits(), 0, 0]), 3_u32.wrapping_neg());
    let negated = |instruction: &mut Instruction| instruction.sources[0].negate = true;
    let to_float = convert(s32, f32, Some(Rounding::NearestEven));
    assert_eq!(modified(to_float, [5, 0, 0], negated), (-5.0_f32).to_bits());
    assert_eq!(result(convert(u16, (NumberFormat::Unsigned(32), Width::Word), None), [0xabcd_1234, 0, 0]), 0x1234);
    assert_eq!(result(convert(f16, f32, None), [0x3e00, 0, 0]), 1.5_f32.to_bits());
    assert_eq!(result(convert(f32, f16, Some(Rounding::NearestEven)), [1.5_f32.to_bits(), 0, 0]), 0x3e00);
}

/// Each operation that writes flags, on operands whose flags are known.
#[test]
fn results_have_flags() {
    let flags = |instruction: Instruction, a: u32, b: u32| {
        outputs(&[
            mov(2, imm(a)),
            mov(3, imm(b)),
            instruction.flags(3),
            op(Operation::ReadCondition, to(1), &[Operand::Condition(3)]),
        ])[0]
    };
    let [zero, sign, carry, overflow] = [1, 2, 4, 8];
    let sum = Operation::AddInteger { sum: IntegerSum::Add, width: Width::Word, saturates: false };
    let sum = op(sum, Destination::None, &[word(2), word(3)]);
    assert_eq!(flags(sum.clone(), 1, u32::MAX), zero | carry);
    assert_eq!(flags(sum.clone(), 0x7fff_ffff, 1), sign | overflow);
    assert_eq!(flags(sum, 0x8000_0000, 0x8000_0000), zero | carry | overflow);
    let shift = op(Operation::ShiftLeft(Width::Word), Destination::None, &[word(2), word(3)]);
    assert_eq!(flags(shift.clone(), 0xc000_0000, 1), sign | carry);
    assert_eq!(flags(shift, 0x4000_0000, 1), sign | overflow);
    let logic = Operation::Logic { operation: LogicOperation::Xor, width: Width::Word };
    assert_eq!(flags(op(logic, Destination::None, &[word(2), word(3)]), 5, 5), zero);
    let add = Operation::AddFloat { format: FloatType::F32, rounding: Rounding::NearestEven, saturates: false };
    let add = op(add, Destination::None, &[word(2), word(3)]);
    let bits = f32::to_bits;
    assert_eq!(flags(add.clone(), bits(1.0), bits(1.0)), 0);
    assert_eq!(flags(add.clone(), bits(1.0), bits(-1.0)), zero);
    assert_eq!(flags(add.clone(), bits(1.0), bits(-2.0)), sign);
    assert_eq!(flags(add, bits(1.0), f32::NAN.to_bits()), zero | sign);
    let set = Operation::SetFloat { relations: LESS, format: FloatType::F32 };
    let set = op(set, to(5), &[word(2), word(3)]);
    assert_eq!(flags(set.clone(), bits(1.0), bits(2.0)), sign, "true is −1");
    assert_eq!(flags(set, bits(2.0), bits(1.0)), zero, "false is 0");
}

#[test]
fn halves_of_a_register_are_apart() {
    let swap = |to_high, from_high| {
        let operation = Operation::Move { width: Width::Half, lanes: 15, uses_sfu: false };
        op(operation, Destination::Register(Register::Half { number: 1, is_high: to_high }), &[half(2, from_high)])
    };
    let body = [mov(2, imm(0xaaaa_bbbb)), mov(1, imm(0x1111_2222)), swap(true, false)];
    assert_eq!(outputs(&body)[0], 0xbbbb_2222);
    let body = [mov(2, imm(0xaaaa_bbbb)), mov(1, imm(0x1111_2222)), swap(true, false), swap(false, true)];
    assert_eq!(outputs(&body)[0], 0xbbbb_aaaa);
}

#[test]
fn lanes_of_quads_are_masked() {
    let operation = Operation::Move { width: Width::Word, lanes: 0b0101, uses_sfu: false };
    let body = [mov(1, imm(1)), mov(2, imm(2)), op(operation, to(1), &[word(2)])];
    assert_eq!(outputs(&body), (0..32).map(|thread| if thread % 2 == 0 { 2 } else { 1 }).collect::<Vec<_>>());
}

#[test]
fn registers_above_the_allocation_are_zero() {
    let body =
        [mov(1, imm(7)), mov(16, imm(5)), mov(127, imm(5)), add(1, word(1), word(16)), add(1, word(1), word(127))];
    assert_eq!(outputs(&body), [7; 32]);
    // A group that begins below the end.
    let mut test = Test::new(
        &with_output(&[load(
            2,
            MemoryOperand { space: Space::Global(14), access: Access::B32, address: Address::Register(14) },
        )]),
        32,
    );
    test.launch.stage.registers = 16;
    assert_eq!(test.run().report.faults, []);
}

#[test]
fn address_registers_shift_add_and_step() {
    let shift = |number, source, count| {
        op(Operation::ShiftIntoAddress, Destination::Address(number), &[word(source), imm(count)])
    };
    let read = |number| op(Operation::ReadAddress, to(1), &[Operand::Address(number)]);
    assert_eq!(outputs(&[mov(2, imm(0x1_2345)), shift(1, 2, 4), read(1)]), [0x2_3450 & 0xffff; 32]);
    let add = |number, from, value| {
        op(Operation::AddAddress, Destination::Address(number), &[Operand::Address(from), imm(value)])
    };
    assert_eq!(outputs(&[add(2, 0, 0x30), add(3, 2, 0xfff0), read(3)]), [0x20; 32]);
    // Writes of $a0 are dropped.
    assert_eq!(outputs(&[add(0, 0, 0x30), read(0)]), [0; 32]);
    // The step of an operand is added afterwards; the address is that before. Thread number x, y, z are halves 1 to 3.
    let stepping = |step| {
        Operand::Memory(MemoryOperand {
            space: Space::Shared,
            access: Access::U16,
            address: Address::PostIncrement { base: 1, step },
        })
    };
    let body = [
        mov(2, imm(2)),
        shift(1, 2, 0),
        mov(1, stepping(4)),
        op(Operation::ReadAddress, to(3), &[Operand::Address(1)]),
        shift_left(1, 1, 8),
        super::test_programs::add(1, word(1), word(3)),
        mov(3, stepping(-6)),
        op(Operation::ReadAddress, to(4), &[Operand::Address(1)]),
        shift_left(1, 1, 8),
        super::test_programs::add(1, word(1), word(4)),
        shift_left(1, 1, 8),
        super::test_programs::add(1, word(1), word(3)),
    ];
    // ntid.x is 32 at 2, ntid.z is 1 at 6.
    assert_eq!(outputs(&body), [0x2006_0001; 32]);
}

#[test]
fn condition_registers_are_read_and_written() {
    let body = [
        mov(2, imm(0xabc6)),
        op(Operation::WriteCondition, Destination::Condition(2), &[word(2)]),
        op(Operation::ReadCondition, to(1), &[Operand::Condition(2)]),
    ];
    assert_eq!(outputs(&body), [6; 32]);
}

#[test]
fn special_registers_tell_the_place_and_the_time() {
    let read = |register| op(Operation::ReadSpecial(register), to(1), &[]);
    let mut test = Test::new(&with_output(&[read(SpecialRegister::PhysicalId)]), 64);
    test.launch.grid = [11, 1, 1];
    test.options.finds_races = false;
    // The last block, number 10, is on cluster 2 and multiprocessor 1.
    assert_eq!(
        test.run().out,
        (0..64).map(|thread| 2 << 20 | 1 << 16 | (thread / 32) << 8 | (thread % 32)).collect::<Vec<_>>()
    );
    // The instructions before the second reading: three of the prologue, a reading, a move and the reading itself.
    let body = [read(SpecialRegister::Clock), mov(2, word(1)), read(SpecialRegister::Clock)];
    assert_eq!(outputs(&body), [6 * 4; 32]);
}

#[test]
fn what_is_not_emulated_gives_zero_and_is_counted() {
    let add = Operation::AddFloat { format: FloatType::F64, rounding: Rounding::NearestEven, saturates: false };
    let double = |number| Register::Double(number);
    let add = op(add, Destination::Register(double(0)), &[Operand::Register(double(2)), Operand::Register(double(4))]);
    let mut test = Test::new(&with_output(&[mov(1, imm(5)), add]), 64);
    test.launch.stage.generation = TeslaGeneration::Sm13;
    let run = test.run();
    assert_eq!(run.out, [0; 64]);
    let faults: Vec<_> = run.report.faults.iter().map(|fault| (fault.kind, fault.count)).collect();
    assert_eq!(faults, [(FaultKind::Unsupported, 2)]);
}

#[test]
fn unbound_textures_give_zero_in_the_registers_of_the_mask() {
    // texauto all $r4:#:$r5:$r6 $t2 $s3 $r4:$r5 0x0 0x0 0x0
    let fetch = [0xf246_0411, 0x0000_c780];
    for (register, expected) in [(4, 0), (5, 0), (6, 0), (7, 9)] {
        let set = [4, 5, 6, 7].map(|number| mov(number, imm(9)));
        let body = [&set[..], &[nothing(), mov(1, word(register))]].concat();
        let mut words = encode(&with_output(&body));
        let place = 2 * (BODY as usize + set.len());
        words[place..place + 2].copy_from_slice(&fetch);
        let run = Test::of_words(&words, 32).run();
        assert_eq!(run.out, [expected; 32], "register {register}");
        assert_eq!(run.report.faults.iter().map(|fault| fault.kind).collect::<Vec<_>>(), [FaultKind::UnboundTexture]);
    }
}
