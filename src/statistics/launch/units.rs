//! What an instruction of the Tesla processor reads and writes: its registers.

use std::fmt;

use crate::shader::simt::{Address, Destination, Instruction, MemoryOperand, Operand, Operation, Predicate, Register};

/// Whether it continues elsewhere than at the next instruction, so that the warp waits for its next one.
#[must_use]
pub const fn changes_flow(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Branch
            | Operation::BranchIndirect { .. }
            | Operation::Call { .. }
            | Operation::Return
            | Operation::Break
    )
}

/// A register of a thread, as the scoreboard counts them: 128 general ones, eight for addresses, four for conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScoreRegister(u8);

impl ScoreRegister {
    /// How many there are.
    pub const COUNT: usize = 140;

    const fn general(number: u8) -> Self {
        Self(number & 127)
    }

    const fn address(number: u8) -> Self {
        Self(128 + (number & 7))
    }

    const fn condition(number: u8) -> Self {
        Self(136 + (number & 3))
    }

    /// Its place among all.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ScoreRegister {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            number @ 0..128 => write!(formatter, "$r{number}"),
            number @ 128..136 => write!(formatter, "$a{}", number - 128),
            number => write!(formatter, "$c{}", number - 136),
        }
    }
}

/// The registers of a group.
fn group(register: Register) -> impl Iterator<Item = ScoreRegister> {
    let (first, count) = match register {
        Register::Half { number, .. } | Register::Word(number) => (number, 1),
        Register::Double(number) => (number, 2),
        Register::Quad(number) => (number, 4),
    };
    (first..).take(count).map(ScoreRegister::general)
}

/// The register that an address is formed with; `$a0` is the constant zero.
fn address_register(memory: &MemoryOperand) -> Option<ScoreRegister> {
    match memory.address {
        Address::Register(number) => Some(ScoreRegister::general(number)),
        Address::Offset { base: 0, .. } | Address::PostIncrement { base: 0, .. } => None,
        Address::Offset { base, .. } | Address::PostIncrement { base, .. } => Some(ScoreRegister::address(base)),
    }
}

/// The registers that an instruction reads.
#[must_use]
pub fn reads(instruction: &Instruction) -> Vec<ScoreRegister> {
    let mut found: Vec<_> = instruction.memory_operands().filter_map(|memory| address_register(&memory)).collect();
    for source in &instruction.sources {
        match source.operand {
            Operand::Register(register) => found.extend(group(register)),
            Operand::Address(number @ 1..) => found.push(ScoreRegister::address(number)),
            Operand::Condition(number) => found.push(ScoreRegister::condition(number)),
            Operand::Coordinates { first, count } => {
                found.extend((first..).take(count.into()).map(ScoreRegister::general));
            }
            _ => {}
        }
    }
    if let Predicate::If { register, .. } = instruction.predicate {
        found.push(ScoreRegister::condition(register));
    }
    found
}

/// The registers that an instruction writes.
#[must_use]
pub fn writes(instruction: &Instruction) -> Vec<ScoreRegister> {
    let mut found: Vec<_> = match instruction.destination {
        Destination::Register(register) => group(register).collect(),
        Destination::Address(number @ 1..) => vec![ScoreRegister::address(number)],
        Destination::Condition(number) => vec![ScoreRegister::condition(number)],
        Destination::Texture { first, mask } => {
            (first..).take((mask & 15).count_ones() as usize).map(ScoreRegister::general).collect()
        }
        _ => Vec::new(),
    };
    found.extend(instruction.condition_write.map(ScoreRegister::condition));
    let stepped =
        instruction.memory_operands().filter(|memory| matches!(memory.address, Address::PostIncrement { .. }));
    found.extend(stepped.filter_map(|memory| address_register(&memory)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::launch::Unit;
    use crate::shader::simt::SimtProgram;
    use crate::statistics::launch::test_kernels::words;

    fn of(text: &str) -> (Unit, Vec<String>, Vec<String>) {
        let program = SimtProgram::decode(&words(text));
        let instruction = &program.instructions()[0].instruction;
        let names = |registers: Vec<ScoreRegister>| registers.iter().map(ToString::to_string).collect();
        (Unit::of(instruction), names(reads(instruction)), names(writes(instruction)))
    }

    #[test]
    fn units_and_registers_of_instructions() {
        let cases: [(&str, Unit, &[&str], &[&str]); 10] = [
            ("add f32 $r1 $r2 $r3", Unit::Scalar, &["$r2", "$r3"], &["$r1"]),
            ("rcp f32 $r1 $r2", Unit::Special, &["$r2"], &["$r1"]),
            ("presin f32 $r1 $r2", Unit::Special, &["$r2"], &["$r1"]),
            ("ld b64 $r2d g14[$r5]", Unit::Memory, &["$r5"], &["$r2", "$r3"]),
            ("st b32 g14[$r5] $r6", Unit::Memory, &["$r5", "$r6"], &[]),
            ("mov b32 $r1 b32 s[$a2+0x10]", Unit::Scalar, &["$a2"], &["$r1"]),
            ("bra 0x0", Unit::Flow, &[], &[]),
            ("shl $a1 $r2 0x2", Unit::Scalar, &["$r2"], &["$a1"]),
            ("(e $c1) bra 0x0", Unit::Flow, &["$c1"], &[]),
            ("set $c0 # l u32 $r2 $r3", Unit::Scalar, &["$r2", "$r3"], &["$c0"]),
        ];
        for (text, unit, reads, writes) in cases {
            let (found, read, written) = of(text);
            assert_eq!(
                (found, &read[..], &written[..]),
                (unit, &reads.map_strings()[..], &writes.map_strings()[..]),
                "{text}"
            );
        }
    }

    trait MapStrings {
        fn map_strings(&self) -> Vec<String>;
    }

    impl MapStrings for [&str] {
        fn map_strings(&self) -> Vec<String> {
            self.iter().map(|text| (*text).to_owned()).collect()
        }
    }
}
