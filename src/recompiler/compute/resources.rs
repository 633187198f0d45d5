//! What a program uses of a warp: the registers that are variables of its text, barriers, scopes and local memory.

use crate::shader::simt::{
    Address, Destination, Instruction, MemoryOperand, Operand, Operation, Predicate, Register, Space,
};

/// A register of a warp that is a variable of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variable {
    /// A general register.
    Register(u8),
    /// A condition register.
    Condition(u8),
    /// An address register, from 1.
    Address(u8),
}

/// The resources of a program.
#[derive(Debug, Clone)]
pub(super) struct Resources {
    /// The general registers that the program uses.
    registers: [bool; 128],
    conditions: [bool; 4],
    addresses: [bool; 4],
    barriers: [bool; 16],
    has_scopes: bool,
    uses_local: bool,
}

impl Resources {
    /// The resources of these instructions; there are registers up to a number.
    pub(super) fn of<'i>(instructions: impl IntoIterator<Item = &'i Instruction>, registers: u32) -> Self {
        let mut resources = Self {
            registers: [false; 128],
            conditions: [false; 4],
            addresses: [false; 4],
            barriers: [false; 16],
            has_scopes: false,
            uses_local: false,
        };
        instructions.into_iter().for_each(|instruction| resources.note_uses(instruction));
        for (register, is_used) in resources.registers.iter_mut().enumerate() {
            *is_used &= register < registers as usize;
        }
        resources
    }

    /// The variables that a warp has besides its state: registers, condition registers and address registers.
    pub(super) fn variables(&self) -> Vec<String> {
        let named = |letter: &str, first: usize, used: &[bool]| -> Vec<String> {
            let used = used.iter().enumerate().filter(|(_, is_used)| **is_used);
            used.map(|(number, _)| format!("{letter}{}", number + first)).collect()
        };
        let mut names = named("r", 0, &self.registers);
        names.extend(named("c", 0, &self.conditions));
        names.extend(named("a", 1, &self.addresses));
        names
    }

    /// The number of a variable, if there is one.
    pub(super) fn variable(&self, variable: Variable) -> Option<usize> {
        let before = |used: &[bool], number: usize| used[..number].iter().filter(|is_used| **is_used).count();
        let all = |used: &[bool]| before(used, used.len());
        let (used, number, first): (&[bool], _, _) = match variable {
            Variable::Register(number) => (&self.registers, usize::from(number), 0),
            Variable::Condition(number) => (&self.conditions, usize::from(number & 3), all(&self.registers)),
            Variable::Address(number) => {
                let first = all(&self.registers) + all(&self.conditions);
                (&self.addresses, usize::from(number).checked_sub(1)?, first)
            }
        };
        used.get(number)?.then(|| first + before(used, number))
    }

    /// The barriers that the program names.
    pub(super) fn barriers(&self) -> impl Iterator<Item = usize> {
        self.barriers.iter().enumerate().filter(|(_, is_used)| **is_used).map(|(number, _)| number)
    }

    /// Whether the program has calls, returns or loops with breaks.
    pub(super) const fn has_scopes(&self) -> bool {
        self.has_scopes
    }

    /// How many words of registers each lane of a warp has.
    pub(super) fn register_words(&self) -> u32 {
        u32::try_from(self.variables().len()).unwrap_or(u32::MAX)
    }

    /// Whether the program accesses local memory.
    pub(super) const fn uses_local(&self) -> bool {
        self.uses_local
    }

    /// Whether a general register is in use and allocated.
    pub(super) fn has_register(&self, number: u8) -> bool {
        self.registers.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// Notes the registers and memory that an instruction names.
    fn note_uses(&mut self, instruction: &Instruction) {
        match instruction.operation {
            Operation::Barrier { .. } => self.barriers[barrier_number(instruction)] = true,
            Operation::Call { .. }
            | Operation::Return
            | Operation::PushReturn { .. }
            | Operation::PushBreak
            | Operation::Break => self.has_scopes = true,
            _ => {}
        }
        for source in &instruction.sources {
            match source.operand {
                Operand::Register(register) => self.note_register(register),
                Operand::Memory(memory) => self.note_memory(&memory),
                Operand::Address(number) => self.note_address(number),
                Operand::Condition(number) => self.note_condition(number),
                Operand::Coordinates { first, count } => {
                    (first..).take(count.into()).for_each(|number| self.note_register(Register::Word(number)));
                }
                Operand::Immediate(_) | Operand::CodeAddress(_) | Operand::Texture { .. } | Operand::TexelOffset(_) => {
                }
            }
        }
        match instruction.destination {
            Destination::Register(register) => self.note_register(register),
            Destination::Memory(memory) => self.note_memory(&memory),
            Destination::Address(number) => self.note_address(number),
            Destination::Condition(number) => self.note_condition(number),
            Destination::Texture { first, .. } => self.note_register(Register::Quad(first)),
            Destination::None | Destination::Output { .. } => {}
        }
        if let Some(number) = instruction.condition_write {
            self.note_condition(number);
        }
        if let Predicate::If { register, .. } = instruction.predicate {
            self.note_condition(register);
        }
    }

    fn note_register(&mut self, register: Register) {
        let (first, count) = match register {
            Register::Half { number, .. } | Register::Word(number) => (number, 1),
            Register::Double(number) => (number, 2),
            Register::Quad(number) => (number, 4),
        };
        for number in usize::from(first)..usize::from(first) + count {
            if let Some(is_used) = self.registers.get_mut(number) {
                *is_used = true;
            }
        }
    }

    fn note_memory(&mut self, memory: &MemoryOperand) {
        self.uses_local |= memory.space == Space::Local;
        match memory.address {
            Address::Register(number) => self.note_register(Register::Word(number)),
            Address::Offset { base, .. } | Address::PostIncrement { base, .. } => self.note_address(base),
        }
    }

    fn note_address(&mut self, number: u8) {
        if let Some(is_used) = usize::from(number).checked_sub(1).and_then(|index| self.addresses.get_mut(index)) {
            *is_used = true;
        }
    }

    fn note_condition(&mut self, number: u8) {
        self.conditions[usize::from(number) & 3] = true;
    }
}

/// The number of the barrier of an instruction; the field has eight bits, and there are sixteen barriers.
pub(super) fn barrier_number(instruction: &Instruction) -> usize {
    instruction.immediate(0).min(0xff) as usize & 15
}
