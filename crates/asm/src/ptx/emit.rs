//! Writes a program with allocated registers as words.

use super::ir::{Address, Destination, Guard, Instruction, Memory, Operand, Program, Size, Slice, Source, Terminator};
use crate::cursor::Parsed;
use crate::diagnostic::{Diagnostic, Span};
use crate::isa::tesla::{TeslaForm, TeslaGeneration, TeslaInstruction};
use crate::shader::simt::{self, Condition, Operation, ProgramKind, Register};
use crate::tesla::layout::{Place, Shape, lay_out};

const KIND: ProgramKind = ProgramKind::Compute;

/// Where virtual registers are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'a> {
    /// The first register of each virtual one.
    pub(super) registers: &'a [u8],
    /// The condition register of each virtual one.
    pub(super) conditions: &'a [u8],
}

/// An instruction whose target may be a block.
#[derive(Debug, Clone)]
struct Placed {
    instruction: simt::Instruction,
    target: Option<usize>,
    span: Span,
}

/// The words of the blocks in their order.
///
/// # Errors
/// When no encoding holds an instruction.
pub(super) fn emit(program: &Program, places: Places<'_>) -> Parsed<Vec<u32>> {
    let (mut placed, mut firsts) = (Vec::new(), Vec::with_capacity(program.blocks.len()));
    for (index, block) in program.blocks.iter().enumerate() {
        firsts.push(placed.len());
        let of_block = block.instructions.iter().map(|one| places.place(one));
        let mut of_block: Vec<Placed> = of_block.filter(|placed| !copies_to_itself(&placed.instruction)).collect();
        end_block(&mut of_block, places, block.terminator, index + 1, &block.span);
        placed.extend(of_block);
    }
    let forms: Vec<Forms> = placed.iter().map(Forms::of).collect::<Parsed<_>>()?;
    let line = |(index, forms): (usize, &Forms)| Place {
        shape: Shape::Instruction { short: forms.short.is_some(), long: forms.long.is_some() },
        has_label: firsts.binary_search(&index).is_ok(),
    };
    let lines: Vec<Place> = forms.iter().enumerate().map(line).collect();
    let addresses = lay_out(&lines).map_err(|index| no_encoding(&placed[index]))?;
    let mut words = Vec::new();
    for (index, (forms, placed)) in forms.into_iter().zip(&placed).enumerate() {
        let is_short = addresses[index + 1] - addresses[index] == 1;
        let form = if is_short { forms.short } else { forms.long };
        let mut encoded = form.ok_or_else(|| no_encoding(placed))?;
        if let (Some(target), Some(source)) = (placed.target, encoded.instruction.sources.first_mut()) {
            let first = firsts.get(target).ok_or_else(|| Diagnostic::new(placed.span.clone(), "nothing joins here"))?;
            source.operand = simt::Operand::CodeAddress(u32::try_from(4 * addresses[*first]).unwrap_or(u32::MAX));
        }
        let word = encoded.encode(KIND).map_err(|_| no_encoding(placed))?;
        let halves = [word & 0xffff_ffff, word >> 32].map(|half| u32::try_from(half).unwrap_or(0));
        words.extend(&halves[..encoded.form.bytes() as usize / 4]);
    }
    Ok(words)
}

/// An instruction in the forms of one and of two words that hold it.
#[derive(Debug)]
struct Forms {
    short: Option<TeslaInstruction>,
    long: Option<TeslaInstruction>,
}

impl Forms {
    fn of(placed: &Placed) -> Parsed<Self> {
        let shortest = TeslaInstruction::shortest(placed.instruction.clone(), KIND).map_err(|_| no_encoding(placed))?;
        if shortest.form.bytes() > 4 {
            return Ok(Self { short: None, long: Some(shortest) });
        }
        let long =
            [TeslaForm::Long, TeslaForm::Control].into_iter().find_map(|form| in_form(&placed.instruction, form));
        Ok(Self { short: Some(shortest), long })
    }
}

/// Whether a register would be copied to the same one.
fn copies_to_itself(instruction: &simt::Instruction) -> bool {
    let is_copy = matches!(instruction.operation, Operation::Move { lanes: 15, .. });
    let is_plain = instruction.condition_write.is_none() && !instruction.joins;
    match (&instruction.destination, &instruction.sources[..]) {
        (simt::Destination::Register(to), [source]) if is_copy && is_plain => {
            *source == simt::Source::of(simt::Operand::Register(*to))
        }
        _ => false,
    }
}

/// Adds what a block ends with; `next` is the block behind it.
fn end_block(placed: &mut Vec<Placed>, places: Places<'_>, terminator: Terminator, next: usize, span: &Span) {
    let mut go = |operation, guard: Option<Guard>, target: usize| {
        let mut instruction = blank(operation);
        instruction.sources = vec![simt::Source::of(simt::Operand::CodeAddress(0))];
        instruction.predicate = places.predicate(guard);
        placed.push(Placed { instruction, target: Some(target), span: span.clone() });
    };
    let mut branch = |guard, target| go(Operation::Branch, guard, target);
    match terminator {
        Terminator::Jump(target) if target == next => {}
        Terminator::Jump(target) => branch(None, target),
        Terminator::Branch { guard, taken, otherwise, .. } if taken == next => {
            branch(Some(Guard { is_negated: !guard.is_negated, ..guard }), otherwise);
        }
        Terminator::Branch { guard, taken, otherwise, .. } => {
            branch(Some(guard), taken);
            if otherwise != next {
                branch(None, otherwise);
            }
        }
        Terminator::Call { routine, next: behind } => {
            go(Operation::Call { is_limited: false }, None, routine);
            if behind != next {
                go(Operation::Branch, None, behind);
            }
        }
        Terminator::Return { .. } => {
            placed.push(Placed { instruction: blank(Operation::Return), target: None, span: span.clone() });
        }
        Terminator::Exit => {
            // The last instruction ends the thread, if it has the bit for that and no other use for it.
            if let Some(last) = placed.last_mut() {
                let exiting = simt::Instruction { exits: true, ..last.instruction.clone() };
                if !exiting.joins && in_form(&exiting, TeslaForm::Long).is_some() {
                    last.instruction = exiting;
                    return;
                }
            }
            let instruction = simt::Instruction { exits: true, ..blank(Operation::Nothing) };
            placed.push(Placed { instruction, target: None, span: span.clone() });
        }
    }
}

/// An instruction in a form, if it holds it.
fn in_form(instruction: &simt::Instruction, form: TeslaForm) -> Option<TeslaInstruction> {
    let (instruction, generation) = (instruction.clone(), TeslaGeneration::Sm10);
    let found = TeslaInstruction { instruction, form, generation, unknown: 0, ignored: 0 };
    found.encode(KIND).is_ok().then_some(found)
}

fn no_encoding(placed: &Placed) -> Diagnostic {
    Diagnostic::new(placed.span.clone(), "no encoding holds an instruction of this statement")
        .note(format!("the instruction is {:?}", placed.instruction.operation))
}

const fn blank(operation: Operation) -> simt::Instruction {
    simt::Instruction {
        address: 0,
        operation,
        destination: simt::Destination::None,
        sources: Vec::new(),
        condition_write: None,
        predicate: simt::Predicate::Always,
        exits: false,
        joins: false,
    }
}

impl Places<'_> {
    fn place(self, instruction: &Instruction) -> Placed {
        let mut placed = blank(instruction.operation);
        let mut target = None;
        for source in &instruction.sources {
            if let Operand::Block(block) = source.operand {
                target = Some(block);
            }
            placed.sources.push(self.source(*source));
        }
        if let Operation::Texture(_) = instruction.operation {
            placed.sources.push(simt::Source::of(simt::Operand::TexelOffset([0; 3])));
        }
        placed.destination = match instruction.destination {
            Destination::None => simt::Destination::None,
            Destination::Register(slice) => simt::Destination::Register(self.register(slice)),
            Destination::Memory(memory) => simt::Destination::Memory(self.memory(memory)),
            Destination::Address(number) => simt::Destination::Address(number),
            Destination::Condition(condition) => simt::Destination::Condition(self.condition(condition)),
            Destination::Texture(register) => simt::Destination::Texture { first: self.first(register), mask: 15 },
        };
        placed.condition_write = instruction.condition_write.map(|condition| self.condition(condition));
        placed.predicate = self.predicate(instruction.guard);
        placed.joins = instruction.joins;
        Placed { instruction: placed, target, span: instruction.span.clone() }
    }

    fn predicate(self, guard: Option<Guard>) -> simt::Predicate {
        match guard {
            None => simt::Predicate::Always,
            Some(Guard { condition, is_negated }) => simt::Predicate::If {
                register: self.condition(condition),
                condition: if is_negated { Condition::NotSign } else { Condition::Sign },
            },
        }
    }

    fn condition(self, condition: u32) -> u8 {
        self.conditions[condition as usize]
    }

    fn first(self, register: u32) -> u8 {
        self.registers[register as usize]
    }

    fn register(self, slice: Slice) -> Register {
        let number = self.first(slice.register) + slice.part;
        match slice.size {
            Size::LowHalf => Register::Half { number, is_high: false },
            Size::HighHalf => Register::Half { number, is_high: true },
            Size::Word => Register::Word(number),
            Size::Double => Register::Double(number),
            Size::Quad => Register::Quad(number),
        }
    }

    fn memory(self, memory: Memory) -> simt::MemoryOperand {
        let address = match memory.address {
            Address::Offset { base, offset } => simt::Address::Offset { base, offset },
            Address::Register(slice) => simt::Address::Register(self.first(slice.register) + slice.part),
        };
        simt::MemoryOperand { space: memory.space, access: memory.access, address }
    }

    fn source(self, source: Source) -> simt::Source {
        let operand = match source.operand {
            Operand::Register(slice) => simt::Operand::Register(self.register(slice)),
            Operand::Immediate(value) => simt::Operand::Immediate(value),
            Operand::Memory(memory) => simt::Operand::Memory(self.memory(memory)),
            Operand::Address(number) => simt::Operand::Address(number),
            Operand::Condition(condition) => simt::Operand::Condition(self.condition(condition)),
            Operand::Texture(unit) => simt::Operand::Texture { texture: unit, sampler: unit },
            Operand::Coordinates { register, count } => {
                simt::Operand::Coordinates { first: self.first(register), count }
            }
            Operand::Block(_) => simt::Operand::CodeAddress(0),
        };
        let Source { absolute, negate, invert, .. } = source;
        simt::Source { operand, absolute, negate, invert }
    }
}
