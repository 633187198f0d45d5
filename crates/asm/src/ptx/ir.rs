//! A kernel over virtual registers: basic blocks of the machine's instructions before registers are allocated.

use std::collections::{BTreeMap, VecDeque};

use crate::diagnostic::Span;
use crate::shader::simt::{Access, Operation, Space, Width};

/// A virtual register or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Slice {
    /// The register.
    pub(super) register: u32,
    /// The first word.
    pub(super) part: u8,
    /// How much of it.
    pub(super) size: Size,
}

/// The size of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Size {
    /// The low half of a word.
    LowHalf,
    /// The high half of a word.
    HighHalf,
    /// A word.
    Word,
    /// Two words.
    Double,
    /// Four words.
    Quad,
}

impl Slice {
    /// A word of a register.
    pub(super) const fn word(register: u32, part: u8) -> Self {
        Self { register, part, size: Size::Word }
    }

    /// The low half of its word.
    pub(super) const fn low(self) -> Self {
        Self { size: Size::LowHalf, ..self }
    }

    /// The high half of its word.
    pub(super) const fn high(self) -> Self {
        Self { size: Size::HighHalf, ..self }
    }

    /// Whether it is half of a word.
    pub(super) const fn is_half(self) -> bool {
        matches!(self.size, Size::LowHalf | Size::HighHalf)
    }

    /// The words of the register that it covers, the first one in bit 0.
    pub(super) const fn mask(self) -> u8 {
        let words = match self.size {
            Size::LowHalf | Size::HighHalf | Size::Word => 1,
            Size::Double => 3,
            Size::Quad => 15,
        };
        words << self.part
    }
}

/// The address of a memory operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Address {
    /// A constant plus an address register; 0 is none.
    Offset { base: u8, offset: u32 },
    /// A register.
    Register(Slice),
}

/// A place in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory {
    pub(super) space: Space,
    pub(super) access: Access,
    pub(super) address: Address,
}

/// What an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operand {
    Register(Slice),
    Immediate(u32),
    Memory(Memory),
    /// An address register, which is not virtual.
    Address(u8),
    /// A virtual condition register.
    Condition(u32),
    Texture(u8),
    /// The first words of a register of four.
    Coordinates {
        register: u32,
        count: u8,
    },
    /// The beginning of a block.
    Block(usize),
}

/// An operand with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) operand: Operand,
    pub(super) absolute: bool,
    pub(super) negate: bool,
    pub(super) invert: bool,
}

impl Source {
    pub(super) const fn of(operand: Operand) -> Self {
        Self { operand, absolute: false, negate: false, invert: false }
    }

    pub(super) const fn negated(self) -> Self {
        Self { negate: true, ..self }
    }

    pub(super) const fn magnitude(self) -> Self {
        Self { absolute: true, ..self }
    }

    pub(super) const fn inverted(self) -> Self {
        Self { invert: true, ..self }
    }
}

/// What an instruction writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    None,
    Register(Slice),
    Memory(Memory),
    /// An address register, which is not virtual.
    Address(u8),
    /// A virtual condition register.
    Condition(u32),
    /// A register of four with the components of a texture.
    Texture(u32),
}

/// A condition register and the value of its sign flag that lets an instruction be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Guard {
    pub(super) condition: u32,
    pub(super) is_negated: bool,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) operation: Operation,
    pub(super) destination: Destination,
    pub(super) sources: Vec<Source>,
    /// The virtual condition register that receives the flags of the result.
    pub(super) condition_write: Option<u32>,
    pub(super) guard: Option<Guard>,
    /// Whether diverged threads join after it.
    pub(super) joins: bool,
    /// The statement that it comes from.
    pub(super) span: Span,
}

/// Moves a word.
pub(super) const MOVE: Operation = Operation::Move { width: Width::Word, lanes: 15, uses_sfu: false };

impl Instruction {
    /// An instruction that is always executed and writes no flags.
    pub(super) const fn new(operation: Operation, destination: Destination, sources: Vec<Source>, span: Span) -> Self {
        Self { operation, destination, sources, condition_write: None, guard: None, joins: false, span }
    }

    /// The slices that it reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = Slice> + '_ {
        let of_memory = |memory: &Memory| match memory.address {
            Address::Register(slice) => Some(slice),
            Address::Offset { .. } => None,
        };
        let sources = self.sources.iter().filter_map(move |source| match &source.operand {
            Operand::Register(slice) => Some(*slice),
            Operand::Memory(memory) => of_memory(memory),
            Operand::Coordinates { register, .. } => Some(Slice { register: *register, part: 0, size: Size::Quad }),
            _ => None,
        });
        let stored = match &self.destination {
            Destination::Memory(memory) => of_memory(memory),
            _ => None,
        };
        sources.chain(stored)
    }

    /// The slice that it writes.
    pub(super) const fn write(&self) -> Option<Slice> {
        match self.destination {
            Destination::Register(slice) => Some(slice),
            Destination::Texture(register) => Some(Slice { register, part: 0, size: Size::Quad }),
            _ => None,
        }
    }

    /// Calls a function with each slice.
    pub(super) fn each_slice(&mut self, mut change: impl FnMut(&mut Slice)) {
        let mut memories = Vec::new();
        for source in &mut self.sources {
            match &mut source.operand {
                Operand::Register(slice) => change(slice),
                Operand::Memory(memory) => memories.push(memory),
                _ => {}
            }
        }
        match &mut self.destination {
            Destination::Register(slice) => change(slice),
            Destination::Memory(memory) => memories.push(memory),
            _ => {}
        }
        for memory in memories {
            if let Address::Register(slice) = &mut memory.address {
                change(slice);
            }
        }
    }

    /// The virtual condition registers that it reads.
    pub(super) fn condition_reads(&self) -> impl Iterator<Item = u32> + '_ {
        let sources = self.sources.iter().filter_map(|source| match source.operand {
            Operand::Condition(condition) => Some(condition),
            _ => None,
        });
        sources.chain(self.guard.map(|guard| guard.condition))
    }

    /// The virtual condition register that it writes.
    pub(super) const fn condition_written(&self) -> Option<u32> {
        match self.destination {
            Destination::Condition(condition) => Some(condition),
            _ => self.condition_write,
        }
    }

    /// Whether it has an effect besides its result.
    pub(super) const fn has_effect(&self) -> bool {
        let is_plain = matches!(self.destination, Destination::Register(_) | Destination::Condition(_))
            || matches!(self.destination, Destination::None) && self.condition_write.is_some();
        !is_plain || self.joins || matches!(self.operation, Operation::Atomic { .. } | Operation::ReadSpecial(_))
    }
}

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Terminator {
    /// Continues at a block.
    Jump(usize),
    /// Continues at one of two blocks.
    Branch {
        guard: Guard,
        taken: usize,
        otherwise: usize,
        /// Whether all threads go the same way.
        is_uniform: bool,
    },
    /// Calls a routine of the program by its first block, and continues at a block.
    Call { routine: usize, next: usize },
    /// Returns from the routine with this first block to where it was called.
    Return { routine: usize },
    /// Ends the thread.
    Exit,
}

impl Terminator {
    /// The blocks that can run next; a routine runs within a call.
    pub(super) fn successors(self) -> impl Iterator<Item = usize> {
        let (first, second) = match self {
            Self::Jump(next) | Self::Call { next, .. } => (Some(next), None),
            Self::Branch { taken, otherwise, .. } => (Some(taken), Some(otherwise)),
            Self::Return { .. } | Self::Exit => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// Replaces the blocks that it names.
    pub(super) fn redirect(&mut self, mut change: impl FnMut(usize) -> usize) {
        match self {
            Self::Jump(next) => *next = change(*next),
            Self::Branch { taken, otherwise, .. } => {
                *taken = change(*taken);
                *otherwise = change(*otherwise);
            }
            Self::Call { routine, next } => {
                *routine = change(*routine);
                *next = change(*next);
            }
            Self::Return { routine } => *routine = change(*routine),
            Self::Exit => {}
        }
    }
}

/// Instructions without a branch between them.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) instructions: Vec<Instruction>,
    pub(super) terminator: Terminator,
    /// The statement of the terminator.
    pub(super) span: Span,
}

/// A virtual register.
#[derive(Debug, Clone, Copy)]
pub(super) struct RegisterRow {
    /// How many words it has: 1, 2 or 4.
    pub(super) words: u8,
    /// The register that it must be.
    pub(super) fixed: Option<u8>,
    /// How long it can live.
    pub(super) lifetime: Lifetime,
}

/// How long a value can live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lifetime {
    /// It is a register of the text.
    Kernel,
    /// It is an intermediate value of a statement, whose first definition is the only one that others follow.
    Statement,
    /// The same, and too short to be kept in memory.
    Instruction,
}

/// A kernel.
#[derive(Debug, Clone)]
pub(super) struct Program {
    /// The blocks; the first one is the entry.
    pub(super) blocks: Vec<Block>,
    pub(super) registers: Vec<RegisterRow>,
    /// The virtual condition registers: how long each one can live.
    pub(super) conditions: Vec<Lifetime>,
}

impl Program {
    /// A new register of some words.
    pub(super) fn register(&mut self, words: u8, lifetime: Lifetime) -> u32 {
        self.registers.push(RegisterRow { words, fixed: None, lifetime });
        u32::try_from(self.registers.len() - 1).unwrap_or(u32::MAX)
    }

    /// A new condition register.
    pub(super) fn condition(&mut self, lifetime: Lifetime) -> u32 {
        self.conditions.push(lifetime);
        u32::try_from(self.conditions.len() - 1).unwrap_or(u32::MAX)
    }

    /// The blocks that can run before each block.
    pub(super) fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut predecessors = vec![Vec::new(); self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            for next in block.terminator.successors() {
                if predecessors[next].last() != Some(&index) {
                    predecessors[next].push(index);
                }
            }
        }
        predecessors
    }

    /// The blocks that each block hands values to: those that can run next, the routine of a call, and from a routine's end
    /// all places that it returns to.
    pub(super) fn successors_with_routines(&self) -> Vec<Vec<usize>> {
        let mut returns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for block in &self.blocks {
            if let Terminator::Call { routine, next } = block.terminator {
                returns.entry(routine).or_default().push(next);
            }
        }
        let successors = |block: &Block| match block.terminator {
            Terminator::Call { routine, .. } => vec![routine],
            Terminator::Return { routine } => returns.get(&routine).cloned().unwrap_or_default(),
            other => other.successors().collect(),
        };
        self.blocks.iter().map(successors).collect()
    }

    /// The blocks that can be reached from the entry, each after its predecessors except for loops, and then those of the
    /// routines that are called.
    pub(super) fn reverse_postorder(&self) -> Vec<usize> {
        let (mut seen, mut order) = (vec![false; self.blocks.len()], Vec::new());
        let mut entries = VecDeque::from([0]);
        while let Some(entry) = entries.pop_front() {
            let first = order.len();
            let mut stack = vec![(entry, false)];
            while let Some((block, is_done)) = stack.pop() {
                if is_done {
                    order.push(block);
                    continue;
                }
                if std::mem::replace(&mut seen[block], true) {
                    continue;
                }
                stack.push((block, true));
                if let Terminator::Call { routine, .. } = self.blocks[block].terminator {
                    entries.push_back(routine);
                }
                // The first successor is visited first, so that the other one follows the block.
                let successors: Vec<_> = self.blocks[block].terminator.successors().collect();
                stack.extend(successors.into_iter().rev().filter(|next| !seen[*next]).map(|next| (next, false)));
            }
            order[first..].reverse();
        }
        order
    }
}
