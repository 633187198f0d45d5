//! Reads and writes the operands of an instruction.

use super::emitter::Emitter;
use crate::shader::simt::{
    Access, Address, Destination, Instruction, MemoryOperand, Operand, Register, Source, Space, Width,
};

impl Emitter<'_> {
    /// A general register; those above the allocation are zero.
    pub(super) fn register(&self, number: u8) -> String {
        if self.layout.resources.has_register(number) { format!("r{number}") } else { "0u".to_owned() }
    }

    /// The registers of a group, lowest first; a half as a word.
    pub(super) fn registers(&self, register: Register) -> Vec<String> {
        match register {
            Register::Half { number, is_high: false } => vec![format!("({} & 0xffffu)", self.register(number))],
            Register::Half { number, is_high: true } => vec![format!("({} >> 16u)", self.register(number))],
            Register::Word(number) => vec![self.register(number)],
            Register::Double(number) => (number..number + 2).map(|number| self.register(number)).collect(),
            Register::Quad(number) => (number..number + 4).map(|number| self.register(number)).collect(),
        }
    }

    /// An address register; those that a program cannot write are zero.
    pub(super) fn address_register(&self, number: u8) -> String {
        if matches!(number, 1..=4) { format!("a{number}") } else { "0u".to_owned() }
    }

    /// The value of a source without its modifiers; of groups of registers the first one.
    pub(super) fn value(&mut self, at: u32, source: &Source, lanes: &str) -> String {
        match source.operand {
            Operand::Register(register) => self.registers(register).swap_remove(0),
            Operand::Immediate(value) | Operand::CodeAddress(value) => format!("{value:#x}u"),
            Operand::Memory(memory) => self.emit_memory_load(at, &memory, lanes).swap_remove(0),
            Operand::Address(number) => self.address_register(number),
            Operand::Condition(number) => format!("c{}", number & 3),
            Operand::Coordinates { .. } | Operand::Texture { .. } | Operand::TexelOffset(_) => "0u".to_owned(),
        }
    }

    /// The value of the first source.
    pub(super) fn first_value(&mut self, instruction: &Instruction, lanes: &str) -> String {
        match instruction.sources.first() {
            Some(source) => self.value(instruction.address, source, lanes),
            None => "0u".to_owned(),
        }
    }

    /// The registers of a source; zeros of any other one.
    pub(super) fn register_source(&self, instruction: &Instruction, source: usize) -> Vec<String> {
        let mut words = match instruction.sources.get(source).map(|source| source.operand) {
            Some(Operand::Register(register)) => self.registers(register),
            _ => Vec::new(),
        };
        words.resize(4, "0u".to_owned());
        words
    }

    /// Names the address of a memory operand. Those of spaces other than global memory have 16 bits.
    pub(super) fn emit_address(&mut self, memory: &MemoryOperand) -> String {
        let address = match memory.address {
            Address::Register(number) => self.register(number),
            Address::Offset { base: 0, offset } => format!("{:#x}u", offset & 0xffff),
            Address::Offset { base, offset } => format!("({} + {offset:#x}u) & 0xffffu", self.address_register(base)),
            Address::PostIncrement { base, .. } => self.address_register(base),
        };
        self.text.bind("address", &address)
    }

    /// Adds the steps of the memory operands to their address registers.
    pub(super) fn emit_advances(&mut self, instruction: &Instruction, lanes: &str) {
        let sources = instruction.sources.iter().filter_map(|source| match source.operand {
            Operand::Memory(memory) => Some(memory),
            _ => None,
        });
        let destination = match instruction.destination {
            Destination::Memory(memory) => Some(memory),
            _ => None,
        };
        for memory in sources.chain(destination) {
            if let Address::PostIncrement { base: base @ 1..=4, step } = memory.address {
                let step = step.cast_unsigned();
                self.text.line(format!("a{base} = select(a{base}, (a{base} + {step:#x}u) & 0xffffu, {lanes});"));
            }
        }
    }

    /// Writes the words of a result to the destination.
    pub(super) fn emit_write(&mut self, instruction: &Instruction, words: &[String], lanes: &str) {
        match instruction.destination {
            Destination::Register(Register::Half { number, is_high }) if self.layout.resources.has_register(number) => {
                let word = &words[0];
                let merged = if is_high {
                    format!("(r{number} & 0xffffu) | ({word} << 16u)")
                } else {
                    format!("(r{number} & 0xffff0000u) | ({word} & 0xffffu)")
                };
                self.text.line(format!("r{number} = select(r{number}, {merged}, {lanes});"));
            }
            Destination::Register(Register::Word(number)) => self.emit_register_write(number, &words[0], lanes),
            Destination::Register(Register::Double(number) | Register::Quad(number))
            | Destination::Texture { first: number, .. } => {
                for (part, word) in (number..).zip(words) {
                    self.emit_register_write(part, word, lanes);
                }
            }
            Destination::Address(number @ 1..=4) => {
                self.text.line(format!("a{number} = select(a{number}, {} & 0xffffu, {lanes});", words[0]));
            }
            Destination::Condition(number) => {
                let number = number & 3;
                self.text.line(format!("c{number} = select(c{number}, {} & 15u, {lanes});", words[0]));
            }
            Destination::Output { offset, width } => {
                // Outputs have whole words, and both halves of one get a half.
                let word = match width {
                    Width::Half => format!("(({} & 0xffffu) * 0x10001u)", words[0]),
                    _ => words[0].clone(),
                };
                let address = Address::Offset { base: 0, offset: u32::from(offset & !3) };
                let operand = MemoryOperand { space: Space::Output, access: Access::B32, address };
                self.emit_memory_store(instruction.address, &operand, lanes, &[word]);
            }
            Destination::Register(Register::Half { .. })
            | Destination::Address(_)
            | Destination::None
            | Destination::Memory(_) => {}
        }
    }

    fn emit_register_write(&mut self, number: u8, word: &str, lanes: &str) {
        if self.layout.resources.has_register(number) {
            self.text.line(format!("r{number} = select(r{number}, {word}, {lanes});"));
        }
    }

    /// Writes flags to a condition register.
    pub(super) fn emit_flags(&mut self, instruction: &Instruction, flags: &str, lanes: &str) {
        if let Some(number) = instruction.condition_write {
            let number = number & 3;
            self.text.line(format!("c{number} = select(c{number}, {flags}, {lanes});"));
        }
    }
}

/// Applies the modifiers of a single-precision source.
pub(super) fn modified_float(value: String, source: &Source) -> String {
    let value = if source.absolute { format!("({value} & 0x7fffffffu)") } else { value };
    if source.negate { format!("({value} ^ 0x80000000u)") } else { value }
}
