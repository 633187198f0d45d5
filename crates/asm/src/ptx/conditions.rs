//! Gives predicates and carries places in the four condition registers; those that find none become words.

use super::ir::{Block, Destination, Guard, Instruction, Lifetime, MOVE, Operand, Program, Slice, Source, Terminator};
use super::liveness::{accesses_of, interference_of};
use crate::cursor::Parsed;
use crate::diagnostic::{Diagnostic, Span};
use crate::register_allocation::Access;
use crate::shader::condition::WriteMask;
use crate::shader::simt::Operation;

/// The condition registers of the machine.
const CONDITION_REGISTERS: u8 = 4;

/// The condition register of each virtual one; words take the place of those that find none.
///
/// # Errors
/// When a statement needs more condition registers than the machine has.
pub(super) fn allocate_conditions(program: &mut Program) -> Parsed<Vec<u8>> {
    loop {
        let (first_uses, neighbors) = interference_of(program, program.conditions.len(), accesses);
        let mut places: Vec<Option<u8>> = vec![None; program.conditions.len()];
        let mut failed = None;
        for (condition, span) in &first_uses {
            let is_free = |place: &u8| {
                !neighbors[*condition as usize].iter().any(|&other| places[other as usize] == Some(*place))
            };
            let found = (0..CONDITION_REGISTERS).find(is_free);
            if found.is_none() {
                failed = Some((*condition, span.clone()));
                break;
            }
            places[*condition as usize] = found;
        }
        let Some((condition, span)) = failed else {
            return Ok(places.into_iter().map(|place| place.unwrap_or(0)).collect());
        };
        // The one that is in the way of the most others.
        let around = neighbors[condition as usize].iter().copied().chain([condition]);
        let kept = around.filter(|&one| program.conditions[one as usize] == Lifetime::Kernel);
        let Some(victim) = kept.max_by_key(|&one| neighbors[one as usize].len()) else {
            return Err(Diagnostic::new(span, "the statement needs more than four condition registers"));
        };
        keep_in_word(program, victim);
    }
}

/// What the instructions of a block do with condition registers.
fn accesses(program: &Program, block: &Block) -> Vec<Access> {
    let whole = |condition: u32| (condition, 1);
    let mut accesses = accesses_of(
        block,
        |instruction| instruction.condition_reads().map(whole).collect(),
        |instruction| instruction.condition_written().map(whole),
        |condition| program.conditions[condition as usize],
    );
    if let Terminator::Branch { guard, .. } = block.terminator {
        let reads = vec![(guard.condition, WriteMask(1))];
        accesses.push(Access { reads, write: None, is_conditional: false, span: block.span.clone() });
    }
    accesses
}

/// Keeps a condition in a word: it is written to a condition register before each use, and read from one after each
/// definition.
fn keep_in_word(program: &mut Program, condition: u32) {
    let word = Slice::word(program.register(1, Lifetime::Kernel), 0);
    for index in 0..program.blocks.len() {
        let at_end = program.condition(Lifetime::Instruction);
        let old = std::mem::take(&mut program.blocks[index].instructions);
        let mut new = Vec::with_capacity(old.len());
        for mut instruction in old {
            if instruction.condition_reads().any(|read| read == condition) {
                let copy = program.condition(Lifetime::Instruction);
                new.push(restore(copy, word, instruction.span.clone()));
                replace_reads(&mut instruction, condition, copy);
            }
            if instruction.condition_written() != Some(condition) {
                new.push(instruction);
                continue;
            }
            let copy = program.condition(Lifetime::Instruction);
            match &mut instruction.destination {
                Destination::Condition(written) => *written = copy,
                _ => instruction.condition_write = Some(copy),
            }
            let source = Source::of(Operand::Condition(copy));
            let guard = instruction.guard;
            let span = instruction.span.clone();
            new.push(instruction);
            // Reading a condition register has no guard.
            let read = if guard.is_none() { word } else { Slice::word(program.register(1, Lifetime::Statement), 0) };
            let plain = |operation, destination, source| {
                Instruction::new(operation, Destination::Register(destination), vec![source], span.clone())
            };
            new.push(plain(Operation::ReadCondition, read, source));
            if guard.is_some() {
                let source = Source::of(Operand::Register(read));
                new.push(Instruction { guard, ..plain(MOVE, word, source) });
            }
        }
        if let Terminator::Branch { guard, .. } = &mut program.blocks[index].terminator
            && guard.condition == condition
        {
            guard.condition = at_end;
            new.push(restore(at_end, word, program.blocks[index].span.clone()));
        }
        program.blocks[index].instructions = new;
    }
}

/// Writes a condition register from its word.
fn restore(condition: u32, word: Slice, span: Span) -> Instruction {
    let source = Source::of(Operand::Register(word));
    Instruction::new(Operation::WriteCondition, Destination::Condition(condition), vec![source], span)
}

fn replace_reads(instruction: &mut Instruction, old: u32, new: u32) {
    for source in &mut instruction.sources {
        if source.operand == Operand::Condition(old) {
            source.operand = Operand::Condition(new);
        }
    }
    if let Some(Guard { condition, .. }) = &mut instruction.guard
        && *condition == old
    {
        *condition = new;
    }
}
