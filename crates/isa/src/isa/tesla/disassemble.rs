//! Prints an instruction in the syntax of envydis.
//!
//! The text is a list of parts, which the assembler reads in the same order.

use std::fmt;

use super::TeslaInstruction;
use super::words::{access, condition, space};
use crate::shader::simt::{Address, Destination, MemoryOperand, Operand, Operation, Predicate, Register, Space};

fn register(register: Register) -> String {
    match register {
        Register::Half { number, is_high } => format!("$r{number}{}", if is_high { 'h' } else { 'l' }),
        Register::Word(number) => format!("$r{number}"),
        Register::Double(number) => format!("$r{number}d"),
        Register::Quad(number) => format!("$r{number}q"),
    }
}

fn address_register(number: u8) -> String {
    if number == 0 { "0x0".to_owned() } else { format!("$a{number}") }
}

fn memory(memory: MemoryOperand) -> String {
    let space = match space(memory.space) {
        (prefix, Some(number)) => format!("{prefix}{number}"),
        (name, None) => name.to_owned(),
    };
    match memory.address {
        Address::Offset { base: 0, offset } => format!("{space}[{offset:#x}]"),
        Address::Offset { base, offset: 0 } => format!("{space}[$a{base}]"),
        Address::Offset { base, offset } => format!("{space}[$a{base}+{offset:#x}]"),
        Address::PostIncrement { base, step } => {
            let sign = if step < 0 { "-" } else { "" };
            format!("{space}[{}++{sign}{:#x}]", address_register(base), step.unsigned_abs())
        }
        Address::Register(register) => format!("{space}[$r{register}]"),
    }
}

/// A texel offset.
fn signed(value: i8) -> String {
    format!("{}{:#x}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
}

/// A source; `is_sized` says that a constant has the size of the access before it.
fn operand(operand: Operand, is_sized: bool) -> String {
    match operand {
        Operand::Register(of) => register(of),
        Operand::Immediate(value) | Operand::CodeAddress(value) => format!("{value:#x}"),
        Operand::Memory(of) if of.space == Space::Shared || is_sized && matches!(of.space, Space::Constant(_)) => {
            format!("{} {}", access(of.access), memory(of))
        }
        Operand::Memory(of) => memory(of),
        Operand::Address(number) => address_register(number),
        Operand::Condition(number) => format!("$c{number}"),
        Operand::Coordinates { first, count } => {
            let registers: Vec<_> = (0..u32::from(count)).map(|at| format!("$r{}", u32::from(first) + at)).collect();
            registers.join(":")
        }
        Operand::Texture { texture, sampler } => format!("$t{texture} $s{sampler}"),
        Operand::TexelOffset(offsets) => offsets.map(signed).join(" "),
    }
}

fn destination(destination: Destination) -> String {
    match destination {
        Destination::None => "#".to_owned(),
        Destination::Register(of) => register(of),
        Destination::Output { offset, .. } => format!("o[{offset:#x}]"),
        Destination::Address(number) => address_register(number),
        Destination::Condition(number) => format!("$c{number}"),
        Destination::Texture { first, mask } => {
            let mut next = u32::from(first);
            let component = |at: u8| {
                if mask >> at & 1 == 0 {
                    return "#".to_owned();
                }
                next += 1;
                format!("$r{}", next - 1)
            };
            (0..4).map(component).collect::<Vec<_>>().join(":")
        }
        Destination::Memory(of) => memory(of),
    }
}

fn predicate(predicate: Predicate) -> Option<String> {
    match predicate {
        Predicate::Always => None,
        Predicate::Never => Some("(never)".to_owned()),
        Predicate::If { register, condition: of } => Some(format!("({} $c{register})", condition(of))),
    }
}

/// A part of the text of an instruction behind its predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TeslaTextPart {
    /// A word, or a parenthesis.
    Word(&'static str),
    /// The condition register that is written, if one is.
    ConditionWrite,
    /// The destination.
    Destination,
    /// The modifiers of a source.
    Modifiers(usize),
    /// A source without its modifiers.
    Source(usize),
    /// The same; also a constant has the size of the access before it, as shared memory always has.
    SizedSource(usize),
}

/// The program's text, an instruction per line without its address.
impl fmt::Display for TeslaInstruction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instruction = &self.instruction;
        let mut text: Vec<String> = Vec::new();
        text.extend(instruction.exits.then(|| "exit".to_owned()));
        text.extend(instruction.joins.then(|| "join".to_owned()));
        text.extend(predicate(instruction.predicate));
        for part in self.text_parts() {
            match part {
                TeslaTextPart::Word(word) => text.push(word.to_owned()),
                TeslaTextPart::ConditionWrite => {
                    text.extend(instruction.condition_write.map(|number| format!("$c{number}")));
                }
                TeslaTextPart::Destination => text.push(destination(instruction.destination)),
                TeslaTextPart::Modifiers(position) => {
                    let of = &instruction.sources[position];
                    let words = [(of.negate, "neg"), (of.absolute, "abs"), (of.invert, "not")];
                    text.extend(words.into_iter().filter(|(holds, _)| *holds).map(|(_, word)| word.to_owned()));
                }
                TeslaTextPart::Source(position) => text.push(operand(instruction.sources[position].operand, false)),
                TeslaTextPart::SizedSource(position) => {
                    text.push(operand(instruction.sources[position].operand, true));
                }
            }
        }
        formatter.write_str(&text.join(" ").replace("( ", "(").replace(" )", ")"))
    }
}

impl TeslaInstruction {
    /// The parts of its text behind the predicate.
    #[must_use]
    pub fn text_parts(&self) -> Vec<TeslaTextPart> {
        let (instruction, words) = (&self.instruction, self.words());
        let mut parts = Vec::new();
        let word = |word: &&'static str| TeslaTextPart::Word(word);
        if !self.lanes().is_empty() {
            parts.extend(["(", self.lanes(), ")"].iter().map(word));
        }
        parts.extend(words.name[..1].iter().map(word));
        if words.moves_modifiers {
            parts.extend((0..instruction.sources.len()).map(TeslaTextPart::Modifiers));
        }
        parts.extend(words.name[1..].iter().map(word));
        parts.push(TeslaTextPart::ConditionWrite);
        if instruction.destination != Destination::None || self.has_destination() {
            parts.push(TeslaTextPart::Destination);
        }
        if words.has_product {
            parts.push(TeslaTextPart::Modifiers(0));
            parts.extend(["(", "mul"].iter().map(word));
        }
        parts.extend(words.between.iter().map(word));
        let is_sized = matches!(instruction.operation, Operation::Load { .. });
        for position in 0..instruction.sources.len() {
            parts.extend(words.before.get(position).filter(|word| !word.is_empty()).map(word));
            if !words.moves_modifiers && (!words.has_product || position > 0) {
                parts.push(TeslaTextPart::Modifiers(position));
            }
            parts.push(if is_sized { TeslaTextPart::SizedSource(position) } else { TeslaTextPart::Source(position) });
            if words.has_product && position == 1 {
                parts.push(TeslaTextPart::Word(")"));
            }
        }
        parts.extend(Some(words.after).filter(|word| !word.is_empty()).map(TeslaTextPart::Word));
        parts
    }

    /// Whether the instruction has a place for a register or an output, where nothing is printed as such.
    const fn has_destination(&self) -> bool {
        let operation = self.instruction.operation;
        !operation.changes_flow()
            && !matches!(
                operation,
                Operation::Emit
                    | Operation::RestartStrip
                    | Operation::Nothing
                    | Operation::PerformanceEvent
                    | Operation::Discard
                    | Operation::BranchIndirect { .. }
                    | Operation::Barrier { .. }
                    | Operation::Trap
                    | Operation::Breakpoint
            )
    }
}
