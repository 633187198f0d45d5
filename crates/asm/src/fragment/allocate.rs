//! Assigns the registers of a text to the register file of the chip, where R(n) overlaps H(2n) and H(2n+1).

use super::code::{FragmentCode, Instruction, Node, Register, SourceKind};
use crate::diagnostic::{Diagnostic, Span};
use crate::register_allocation::{Access, BasicBlock, Units, assign, interference};
use crate::shader::condition::{ConditionTest, Relation};
use crate::shader::fragment::FULL_REGISTERS;
use crate::shader::fragment::FragmentRegister;

/// Half registers that instructions can name.
const HALF_REGISTERS: usize = 64;
/// The 48 full registers in halves, the size of a half register.
const HALVES: usize = 96;

/// The place of each register, by its index; `None` for registers that nothing writes or reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    places: Vec<Option<FragmentRegister>>,
}

impl Places {
    /// The place of a register.
    pub(super) fn of(&self, register: Register) -> FragmentRegister {
        self.places.get(register.0 as usize).copied().flatten().unwrap_or(FragmentRegister { index: 0, is_half: false })
    }

    /// The number of full registers up to the last one in use, at least two.
    pub(super) fn count(&self) -> u32 {
        let used = self.places.iter().flatten().map(|place| u32::from(place.full_index()) + 1);
        used.max().unwrap_or(0).max(2)
    }
}

/// Gives each register a place.
///
/// # Errors
/// When more values are alive at once than the chip has registers for.
pub(super) fn allocate(code: &FragmentCode) -> Result<Places, Diagnostic> {
    let (blocks, entry) = Lowering::blocks(code);
    // Each live register takes at least half of a full one.
    let found = interference(&blocks, entry, HALVES).map_err(too_many)?;
    // First try the order of the text, then registers with the most neighbors first.
    let mut crowded = found.first_uses.clone();
    crowded.sort_by_key(|&(register, _)| std::cmp::Reverse(found.neighbors[register as usize].len()));
    let place_all = |order: &[(u32, Span)]| {
        let mut places: Vec<Option<Units>> = code.registers.iter().map(|row| row.place.map(units)).collect();
        let registers = order.iter().map(|&(register, _)| register);
        assign(&found.neighbors, &mut places, registers, |register| {
            candidates(code.registers[register as usize].is_half)
        })
        .map_err(|position| order[position].1.clone())?;
        Ok(Places { places: places.into_iter().map(|place| place.map(register_at)).collect() })
    };
    place_all(&found.first_uses).or_else(|_: Span| place_all(&crowded)).map_err(too_many)
}

fn too_many(span: Span) -> Diagnostic {
    Diagnostic::new(span, "the program holds more values at once than the fragment processor has registers for")
        .label("no register is free here")
        .note(format!("limit: {FULL_REGISTERS} full (R) registers, the first 32 of which are also {HALF_REGISTERS} half (H) registers"))
}

/// The halves of the register file that a place covers.
const fn units(place: FragmentRegister) -> Units {
    if place.is_half { 1 << place.index } else { 3 << (place.index * 2) }
}

fn register_at(units: Units) -> FragmentRegister {
    let (first, is_half) = (units.trailing_zeros(), units.is_power_of_two());
    FragmentRegister { index: (if is_half { first } else { first / 2 }).to_le_bytes()[0], is_half }
}

/// The places that a register may take. A half value also fits a full register if the operation that writes it rounds to
/// half.
fn candidates(is_half: bool) -> impl Iterator<Item = Units> {
    let halves = (0..HALF_REGISTERS).filter(move |_| is_half).map(|index| 1 << index);
    halves.chain((0..HALVES / 2).map(|index| 3 << (index * 2)))
}

/// Turns the tree of a program into basic blocks.
struct Lowering {
    blocks: Vec<BasicBlock>,
    /// The block that instructions go to.
    current: usize,
}

/// The block after the program, which reads its results.
const PROGRAM_EXIT: usize = 0;

/// The block in which a routine starts, and the one in which it returns to its callers.
const fn routine_blocks(routine: usize) -> (usize, usize) {
    (1 + 2 * routine, 2 + 2 * routine)
}

impl Lowering {
    /// Returns the blocks, and the one in which the program starts.
    fn blocks(code: &FragmentCode) -> (Vec<BasicBlock>, usize) {
        let entry = 1 + 2 * code.routines.len();
        let mut lowering = Self { blocks: vec![BasicBlock::default(); entry + 1], current: entry };
        lowering.nodes(&code.body, PROGRAM_EXIT, PROGRAM_EXIT);
        lowering.jump(PROGRAM_EXIT);
        for (index, routine) in code.routines.iter().enumerate() {
            let (start, exit) = routine_blocks(index);
            lowering.current = start;
            lowering.open();
            lowering.nodes(routine, exit, exit);
            lowering.jump(exit);
        }
        let writes = lowering.blocks.iter().flat_map(|block| &block.accesses).filter_map(|access| access.write);
        let reads = writes.filter(|&(register, _)| code.registers[register as usize].place.is_some()).collect();
        let results = Access { reads, write: None, is_conditional: false, span: 0..0 };
        lowering.blocks[PROGRAM_EXIT].accesses.push(results);
        (lowering.blocks, entry)
    }

    fn block(&mut self) -> usize {
        self.blocks.push(BasicBlock::default());
        self.blocks.len() - 1
    }

    fn jump(&mut self, target: usize) {
        self.blocks[self.current].successors.push(target);
    }

    /// Continues in a new block that follows the current one.
    fn open(&mut self) {
        let next = self.block();
        self.jump(next);
        self.current = next;
    }

    /// Leaves for `target` if a condition holds, and else continues in a new block.
    fn leave(&mut self, condition: ConditionTest, target: usize) {
        self.jump(target);
        if condition.relation == Relation::Always {
            self.current = self.block();
        } else {
            self.open();
        }
    }

    fn nodes(&mut self, nodes: &[Node], loop_exit: usize, routine_exit: usize) {
        for node in nodes {
            match node {
                Node::Instruction(instruction) => self.blocks[self.current].accesses.push(access(instruction)),
                Node::If { then, otherwise, .. } => {
                    let test = self.current;
                    self.open();
                    self.nodes(then, loop_exit, routine_exit);
                    let then_end = std::mem::replace(&mut self.current, test);
                    self.open();
                    self.nodes(otherwise, loop_exit, routine_exit);
                    self.open();
                    self.blocks[then_end].successors.push(self.current);
                }
                Node::Loop { body, .. } => {
                    self.open();
                    let (head, exit) = (self.current, self.block());
                    self.jump(exit);
                    self.open();
                    self.nodes(body, exit, routine_exit);
                    self.jump(head);
                    self.current = exit;
                    self.open();
                }
                Node::Call { condition, routine } => {
                    let (start, exit) = routine_blocks(*routine);
                    self.leave(*condition, start);
                    self.blocks[exit].successors.push(self.current);
                }
                Node::Break { condition } => self.leave(*condition, loop_exit),
                Node::Return { condition } => self.leave(*condition, routine_exit),
            }
        }
    }
}

fn access(instruction: &Instruction) -> Access {
    let reads = instruction.sources.iter().zip(instruction.reads).filter_map(|(source, mask)| match source.register {
        SourceKind::Register(register) => Some((register.0, source.components(mask))),
        SourceKind::Input(_) | SourceKind::Constant(_) => None,
    });
    Access {
        reads: reads.collect(),
        write: instruction.destination.map(|register| (register.0, instruction.mask)),
        is_conditional: instruction.condition.relation != Relation::Always,
        span: instruction.span.clone(),
    }
}
