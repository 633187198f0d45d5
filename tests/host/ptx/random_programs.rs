//! Random straight programs with integers of both sizes, constants, guards and selections, against an interpreter in Rust.

use super::arithmetic::{SM_10, inputs, results, wide, words};
use crate::common::random::Random;

/// The registers of each size; those behind the first four words and three pairs are written once, with a constant.
const WORDS: usize = 8;
const PAIRS: usize = 6;
const WRITTEN_WORDS: usize = 4;
const WRITTEN_PAIRS: usize = 3;

/// A thread.
#[derive(Debug, Clone, Default)]
struct State {
    words: [u32; WORDS],
    pairs: [u64; PAIRS],
    truths: [bool; 2],
}

/// An operand.
#[derive(Debug, Clone, Copy)]
enum Operand {
    Register(usize),
    Constant(u64),
}

const OPERATIONS: [&str; 14] =
    ["add", "sub", "mul.lo", "mul.hi", "div", "rem", "and", "or", "xor", "shl", "shr", "min", "max", "sad"];

/// A statement.
#[derive(Debug, Clone, Copy)]
enum Action {
    /// An operation on words or pairs.
    Calculate { operation: usize, is_pair: bool, to: usize, a: Operand, b: Operand, c: Operand },
    /// `setp.lt`.
    Compare { is_pair: bool, to: usize, a: Operand, b: Operand },
    /// `selp` by a predicate.
    Select { is_pair: bool, to: usize, a: Operand, b: Operand, by: usize },
    /// A word as a pair.
    Widen { to: usize, from: usize },
    /// A pair as a word.
    Narrow { to: usize, from: usize },
}

/// A statement with its guard: a predicate, and the value with which it is executed.
type Guarded = (Option<(usize, bool)>, Action);

fn below(random: &mut Random, limit: usize) -> usize {
    random.below(u32::try_from(limit).unwrap()) as usize
}

fn operand(random: &mut Random, registers: usize) -> Operand {
    match random.below(4) {
        0 => {
            let constants = [0, 1, 2, 8, 31, 32, 4096, 0xffff_ffff, u64::from(random.word())];
            Operand::Constant(random.pick(&constants))
        }
        _ => Operand::Register(below(random, registers)),
    }
}

fn action(random: &mut Random) -> Guarded {
    let is_pair = random.flag();
    let (registers, written) = if is_pair { (PAIRS, WRITTEN_PAIRS) } else { (WORDS, WRITTEN_WORDS) };
    let (to, by, kind, guard, value) =
        (below(random, written), below(random, 2), below(random, 8), below(random, 4), below(random, 2) == 1);
    let operation = below(random, OPERATIONS.len());
    let (word, pair) = (below(random, WRITTEN_WORDS), below(random, WRITTEN_PAIRS));
    let [a, mut b, c] = [0; 3].map(|_| operand(random, registers));
    // Quotients by zero mean nothing.
    if kind < 4 && matches!(OPERATIONS[operation], "div" | "rem") {
        b = Operand::Constant(u64::from(random.word() >> random.below(32)).max(1));
    }
    let action = match kind {
        0..4 => Action::Calculate { operation, is_pair, to, a, b, c },
        4 => Action::Compare { is_pair, to: by, a, b },
        5 | 6 => Action::Select { is_pair, to, a, b, by },
        _ if is_pair => Action::Widen { to: pair, from: word },
        _ => Action::Narrow { to: word, from: pair },
    };
    ((guard == 0).then_some((1 - by, value)), action)
}

fn text_of((guard, action): &Guarded) -> String {
    let name = |is_pair: bool, register: usize| if is_pair { format!("%x{register}") } else { format!("%r{register}") };
    let operand = |is_pair: bool, operand: Operand| match operand {
        Operand::Register(register) => name(is_pair, register),
        Operand::Constant(value) => value.to_string(),
    };
    let bits = |is_pair: bool| if is_pair { 64 } else { 32 };
    let statement = match *action {
        Action::Calculate { operation, is_pair, to, a, b, c } => {
            let (operation, to, of) = (OPERATIONS[operation], name(is_pair, to), bits(is_pair));
            let kind = if matches!(operation, "and" | "or" | "xor" | "shl") { 'b' } else { 'u' };
            // Counts are words.
            let b = if matches!(operation, "shl" | "shr") {
                match b {
                    Operand::Register(register) => name(false, register),
                    Operand::Constant(value) => (value & 0xff).to_string(),
                }
            } else {
                operand(is_pair, b)
            };
            let c = if operation == "sad" { format!(", {}", operand(is_pair, c)) } else { String::new() };
            format!("{operation}.{kind}{of} {to}, {}, {b}{c};", operand(is_pair, a))
        }
        Action::Compare { is_pair, to, a, b } => {
            format!("setp.lt.u{} %p{to}, {}, {};", bits(is_pair), operand(is_pair, a), operand(is_pair, b))
        }
        Action::Select { is_pair, to, a, b, by } => {
            let (to, of) = (name(is_pair, to), bits(is_pair));
            format!("selp.u{of} {to}, {}, {}, %p{by};", operand(is_pair, a), operand(is_pair, b))
        }
        Action::Widen { to, from } => format!("cvt.s64.s32 %x{to}, %r{from};"),
        Action::Narrow { to, from } => format!("cvt.sat.u32.u64 %r{to}, %x{from};"),
    };
    match guard {
        None => statement,
        Some((predicate, true)) => format!("@%p{predicate} {statement}"),
        Some((predicate, false)) => format!("@!%p{predicate} {statement}"),
    }
}

impl State {
    fn value(&self, is_pair: bool, operand: Operand) -> u64 {
        match operand {
            Operand::Register(register) if is_pair => self.pairs[register],
            Operand::Register(register) => self.words[register].into(),
            Operand::Constant(value) => value,
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "words are wanted")]
    fn set(&mut self, is_pair: bool, to: usize, value: u64) {
        if is_pair {
            self.pairs[to] = value;
        } else {
            self.words[to] = value as u32;
        }
    }

    fn run(&mut self, (guard, action): &Guarded) {
        if guard.is_some_and(|(predicate, value)| self.truths[predicate] != value) {
            return;
        }
        match *action {
            Action::Calculate { operation, is_pair, to, a, b, c } => {
                let name = OPERATIONS[operation];
                let b = match (name, b) {
                    ("shl" | "shr", Operand::Register(register)) => self.words[register].into(),
                    ("shl" | "shr", Operand::Constant(value)) => value & 0xff,
                    _ => self.value(is_pair, b),
                };
                let result = calculated(name, is_pair, self.value(is_pair, a), b, self.value(is_pair, c));
                self.set(is_pair, to, result);
            }
            Action::Compare { is_pair, to, a, b } => {
                self.truths[to] = self.value(is_pair, a) < self.value(is_pair, b);
            }
            Action::Select { is_pair, to, a, b, by } => {
                let value = self.value(is_pair, if self.truths[by] { a } else { b });
                self.set(is_pair, to, value);
            }
            Action::Widen { to, from } => {
                self.pairs[to] = i64::from(self.words[from].cast_signed()).cast_unsigned();
            }
            Action::Narrow { to, from } => self.words[to] = u32::try_from(self.pairs[from]).unwrap_or(u32::MAX),
        }
    }
}

/// The result of an operation with 64 bits, or with 32 of which the lower ones count.
#[expect(clippy::cast_possible_truncation, reason = "the high half is wanted")]
fn calculated(operation: &str, is_pair: bool, a: u64, b: u64, c: u64) -> u64 {
    let bits = if is_pair { 64 } else { 32 };
    match operation {
        "add" => a.wrapping_add(b),
        "sub" => a.wrapping_sub(b),
        "mul.lo" => a.wrapping_mul(b),
        "mul.hi" => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        "div" => a / b,
        "rem" => a % b,
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "shl" => {
            if b < bits {
                a << b
            } else {
                0
            }
        }
        "shr" => {
            if b < bits {
                a >> b
            } else {
                0
            }
        }
        "min" => a.min(b),
        "max" => a.max(b),
        _ => a.abs_diff(b).wrapping_add(c),
    }
}

#[test]
fn random_programs_calculate_what_an_interpreter_does() {
    let inputs = inputs(12);
    let inputs = &inputs[..512];
    for seed in 0..150 {
        let mut random = Random::new(1000 + seed);
        let constants: Vec<u64> = (0..WORDS + PAIRS)
            .map(|_| {
                let any = [u64::from(random.word()), wide(random.word(), random.word())];
                random.pick(&[0, 1, 16, 0xffff_ffff, 1 << 20, any[0], any[1]])
            })
            .collect();
        let actions: Vec<Guarded> = (0..25).map(|_| action(&mut random)).collect();
        let mut text = "mov.b64 %x0, {%a, %b}; mov.b64 %x1, {%c, %f}; mov.b64 %x2, {%b, %c};
            mov.u32 %r0, %a; mov.u32 %r1, %b; mov.u32 %r2, %c; mov.u32 %r3, %f;
            setp.lt.u32 %p0, %a, %b; setp.lt.u32 %p1, %b, %c;\n"
            .to_owned();
        let low = |value: u64| words(value)[0];
        text.extend((WRITTEN_WORDS..WORDS).map(|at| format!("mov.u32 %r{at}, {};\n", low(constants[at]))));
        text.extend((WRITTEN_PAIRS..PAIRS).map(|at| format!("mov.u64 %x{at}, {};\n", constants[WORDS + at])));
        text.extend(actions.iter().map(|action| text_of(action) + "\n"));
        text += "xor.b64 %x0, %x0, %x1; add.u64 %x0, %x0, %x2; mov.b64 {%d, %e}, %x0;
            xor.b32 %d, %d, %r0; add.u32 %e, %e, %r1; xor.b32 %e, %e, %r2; add.u32 %d, %d, %r3;
            @%p0 add.u32 %d, %d, 1; @%p1 add.u32 %e, %e, 1;";
        let registers = format!(".reg .u32 %r<{WORDS}>; .reg .u64 %x<{PAIRS}>; .reg .pred %p<2>;");
        let found = results(SM_10, &registers, &text, inputs);
        for (input, found) in inputs.iter().zip(found) {
            let [a, b, c, f] = *input;
            let mut state = State { truths: [a < b, b < c], ..State::default() };
            state.words[..WRITTEN_WORDS].copy_from_slice(input);
            state.pairs[..WRITTEN_PAIRS].copy_from_slice(&[wide(a, b), wide(c, f), wide(b, c)]);
            (WRITTEN_WORDS..WORDS).for_each(|at| state.words[at] = low(constants[at]));
            (WRITTEN_PAIRS..PAIRS).for_each(|at| state.pairs[at] = constants[WORDS + at]);
            actions.iter().for_each(|action| state.run(action));
            let [d, e] = words((state.pairs[0] ^ state.pairs[1]).wrapping_add(state.pairs[2]));
            let d = (d ^ state.words[0]).wrapping_add(state.words[3]).wrapping_add(state.truths[0].into());
            let e = (e.wrapping_add(state.words[1]) ^ state.words[2]).wrapping_add(state.truths[1].into());
            assert_eq!(found, [d, e], "seed {seed}, {input:x?}: {text}");
        }
    }
}
