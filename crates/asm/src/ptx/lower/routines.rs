//! Routines that kernels call: calculations with 64 bits whose text is long, each at most once in a kernel.
//!
//! Arguments and results are in registers that all calls share.

use super::Lowering;
use super::builder::{ADD, AND, SHIFT_LEFT, Value, Word, constant_or_register};
use super::divide::{MULTIPLY, TRUNCATE, to_float};
use super::routine_places::{Placed, Routine};
use crate::ptx::ir::{Destination, Guard, Lifetime, MOVE, Operand as IrOperand, Slice, Source, Terminator};
use crate::shader::simt::{Operation, Relations, Rounding, SpecialFunction};

/// 2^32.
const TWO_TO_32: u32 = 0x4f80_0000;
/// −2^32.
const MINUS_TWO_TO_32: u32 = 0xcf80_0000;
/// 2^-32.
const TWO_TO_MINUS_32: u32 = 0x2f80_0000;

/// The words of a register of two.
fn words(register: u32) -> Value {
    [0, 1].map(|part| Word::Register(Slice::word(register, part))).to_vec()
}

impl Lowering<'_> {
    /// Calls a routine.
    pub(super) fn call_routine(&mut self, routine: Routine, a: &[Word], b: &[Word]) -> [Value; 2] {
        let placed = self.routine(routine);
        for (register, value) in placed.arguments.into_iter().zip([a, b]) {
            self.assign(register, value);
        }
        let next = self.builder.block();
        self.builder.end_block(Terminator::Call { routine: placed.entry, next }, next);
        placed.results.map(words)
    }

    /// Copies two words to a register.
    fn assign(&mut self, register: u32, value: &[Word]) {
        for (part, word) in (0..).zip(value) {
            let to = Destination::Register(Slice::word(register, part));
            self.builder.push(MOVE, to, &[constant_or_register(*word)]);
        }
    }

    /// A routine, which is written where it is needed first.
    fn routine(&mut self, routine: Routine) -> Placed {
        if let Some(placed) = self.routines.get(&routine) {
            return *placed;
        }
        let entry = self.builder.block();
        let mut register = || self.builder.program.register(2, Lifetime::Kernel);
        let placed = Placed { entry, arguments: [register(), register()], results: [register(), register()] };
        self.routines.insert(routine, placed);
        let (caller, guard) = (std::mem::replace(&mut self.builder.current, entry), self.builder.guard.take());
        match routine {
            Routine::Divide => self.divide_routine(placed),
            Routine::Multiply => self.multiply_routine(placed),
        }
        let end = &mut self.builder.program.blocks[self.builder.current];
        end.terminator = Terminator::Return { routine: entry };
        (self.builder.current, self.builder.guard) = (caller, guard);
        placed
    }

    /// Four estimates of the quotient, and a comparison.
    ///
    /// A float of 64 bits that is rounded down misses less than 2 ulps. So the divisor plus 2 ulps is not too small, and its
    /// reciprocal, which is 1 ulp wrong at most, is never too large with 2 ulps less. Then an estimate misses at most 2^-20 of
    /// the quotient and 1: the remainders are below 2^64, 2^44 + 1, 2^24 + 2, 18 and 2 divisors.
    fn divide_routine(&mut self, placed: Placed) {
        let [a, b] = placed.arguments.map(words);
        let [quotient, rest] = placed.results;
        let mut word = || Slice::word(self.builder.program.register(1, Lifetime::Kernel), 0);
        let (reciprocal, steps) = (word(), word());
        let plus = |count: i32| Word::Constant(count.cast_unsigned());
        self.assign(quotient, &[Word::Constant(0); 2]);
        self.assign(rest, &a);
        let divisor = self.float_below(&b);
        let divisor = self.builder.binary(ADD, divisor, plus(2));
        let inverse = self.builder.on_registers(Operation::Special(SpecialFunction::Reciprocal), &[divisor]);
        let sources = [self.builder.source(inverse), constant_or_register(plus(-2))];
        self.builder.push(ADD, Destination::Register(reciprocal), &sources);
        // A bit that reaches the sign after four steps.
        self.builder.push(MOVE, Destination::Register(steps), &[Source::of(IrOperand::Immediate(1 << 27))]);
        let (step, end) = (self.builder.block(), self.builder.block());
        self.builder.end_block(Terminator::Jump(step), step);

        let dividend = self.float_below(&words(rest));
        let estimate = self.builder.on_registers(MULTIPLY, &[dividend, Word::Register(reciprocal)]);
        let estimate = self.truncated(estimate);
        let product = self.multiply_wide(&estimate, &b);
        let left = self.add_wide(&words(rest), &product, true);
        self.assign(rest, &left);
        let sum = self.add_wide(&words(quotient), &estimate, false);
        self.assign(quotient, &sum);
        let condition = self.builder.program.condition(Lifetime::Statement);
        let sources = [Source::of(IrOperand::Register(steps)), Source::of(IrOperand::Immediate(1))];
        let count = self.builder.push_under(None, SHIFT_LEFT, Destination::Register(steps), &sources);
        count.condition_write = Some(condition);
        let guard = Guard { condition, is_negated: true };
        let again = Terminator::Branch { guard, taken: step, otherwise: end, is_uniform: true };
        self.builder.end_block(again, end);

        let rest_words = words(rest);
        let is_left = self.compare_wide(Relations::AT_LEAST, false, &rest_words, &b);
        let sum = self.add_wide(&words(quotient), &[is_left; 2], true);
        self.assign(quotient, &sum);
        let divisor: Value = b.iter().map(|word| self.builder.binary(AND, is_left, *word)).collect();
        let left = self.add_wide(&rest_words, &divisor, true);
        self.assign(rest, &left);
    }

    /// A float that is at most an unsigned value of 64 bits, and misses less than 2 ulps.
    fn float_below(&mut self, value: &[Word]) -> Word {
        let [low, high] = [0, 1].map(|part| self.builder.on_registers(to_float(Rounding::TowardZero), &[value[part]]));
        let high = self.multiply_floats(Rounding::NearestEven, high, Word::Constant(TWO_TO_32));
        self.add_floats(Rounding::TowardZero, false, high, low)
    }

    /// A float as an unsigned integer of 64 bits, rounded toward zero and clamped.
    pub(super) fn truncated(&mut self, float: Word) -> Value {
        let high = self.multiply_floats(Rounding::NearestEven, float, Word::Constant(TWO_TO_MINUS_32));
        let high = self.builder.on_registers(TRUNCATE, &[high]);
        // These bits are those of the float, so that the difference is exact.
        let above = self.builder.on_registers(to_float(Rounding::TowardZero), &[high]);
        let difference = Operation::MultiplyAddFloat { saturates: false };
        let low = self.builder.on_registers(difference, &[above, Word::Constant(MINUS_TWO_TO_32), float]);
        vec![self.builder.on_registers(TRUNCATE, &[low]), high]
    }

    /// Four products of words. No sum before the last ones exceeds 64 bits.
    fn multiply_routine(&mut self, placed: Placed) {
        let [a, b] = placed.arguments.map(words);
        let zero = Word::Constant(0);
        let low = self.full_product(a[0], b[0]);
        let first = self.full_product(a[0], b[1]);
        let first = self.add_wide(&first, &[low[1], zero], false);
        let second = self.full_product(a[1], b[0]);
        let second = self.add_wide(&second, &[first[0], zero], false);
        let high = self.full_product(a[1], b[1]);
        let high = self.add_wide(&high, &[first[1], zero], false);
        let high = self.add_wide(&high, &[second[1], zero], false);
        self.assign(placed.results[0], &[low[0], second[0]]);
        self.assign(placed.results[1], &high);
    }
}
