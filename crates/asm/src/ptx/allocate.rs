//! Gives virtual registers places in the register file, and memory of the thread where it is too small.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::Flow;
use super::ir::{
    Address, Block, Destination, Instruction, Lifetime, MOVE, Memory, Operand, Program, Size, Slice, Source, Terminator,
};
use super::liveness::{Interfering, accesses_of, interference_of};
use crate::cubin::LOCAL_BYTES;
use crate::cursor::Parsed;
use crate::diagnostic::{Diagnostic, Span};
use crate::register_allocation::{Access, Units};
use crate::shader::simt::{self, Operation, Space};

/// The registers that short and immediate instructions can name, and whose halves all instructions can.
const LOW_REGISTERS: u32 = 64;

/// Where the registers of a program are.
#[derive(Debug)]
pub(super) struct Allocation {
    /// The first register of each virtual one.
    pub(super) places: Vec<u8>,
    /// The registers that are used: one more than the last one.
    pub(super) count: u8,
    /// The local memory of a thread.
    pub(super) local_bytes: u32,
}

/// Allocates at most `most` registers. Local memory up to `local_bytes` has a use already.
///
/// # Errors
/// A statement that alone needs more registers than there are.
pub(super) fn allocate(program: &mut Program, most: u32, local_bytes: u32) -> Parsed<Allocation> {
    if most > LOW_REGISTERS {
        if let Some(places) = Coloring::of(program, LOW_REGISTERS).complete() {
            return Ok(allocation(program, places, local_bytes));
        }
        avoid_low_registers(program);
    }
    let mut local_bytes = local_bytes;
    loop {
        let coloring = Coloring::of(program, most);
        if let Some(error) = coloring.error {
            return Err(Diagnostic::new(error, format!("the statement needs more than {most} registers"))
                .note(format!("limit: {most} registers of a thread")));
        }
        if coloring.victims.is_empty() {
            let places = coloring.places.into_iter().map(|place| place.unwrap_or(0)).collect();
            return Ok(allocation(program, places, local_bytes));
        }
        for victim in coloring.victims {
            local_bytes = spill(program, victim, local_bytes);
        }
        if local_bytes > LOCAL_BYTES {
            return Err(Diagnostic::new(0..0, format!("a thread needs {local_bytes} bytes of local memory")));
        }
    }
}

fn allocation(program: &Program, places: Vec<u8>, local_bytes: u32) -> Allocation {
    let used = program.blocks.iter().flat_map(|block| &block.instructions).flat_map(|instruction| {
        instruction.reads().chain(instruction.write()).map(|slice| {
            let words = program.registers[slice.register as usize].words;
            places[slice.register as usize] + words
        })
    });
    let count = used.max().unwrap_or(0).max(1);
    Allocation { places, count, local_bytes }
}

/// What the instructions of a block do with registers.
fn accesses(program: &Program, block: &Block) -> Vec<Access> {
    let components = |slice: Slice| (slice.register, slice.mask());
    accesses_of(
        block,
        |instruction| instruction.reads().map(components).collect(),
        |instruction| instruction.write().map(components),
        |register| program.registers[register as usize].lifetime,
    )
}

/// A part of a register that is copied to or from a part of another one.
#[derive(Debug, Clone, Copy)]
struct Copied {
    part: u8,
    other: Slice,
}

/// Places for the registers of a program, as far as they are found.
#[derive(Debug)]
struct Coloring<'a> {
    program: &'a Program,
    neighbors: Vec<BTreeSet<u32>>,
    /// The register file's first registers that may be used.
    most: u32,
    /// Whether a register must be a low one.
    is_low: Vec<bool>,
    copies: Vec<Vec<Copied>>,
    /// By register, its reads and writes, those in loops counted more.
    uses: Vec<u64>,
    places: Vec<Option<u8>>,
    /// The registers that must be kept in memory.
    victims: BTreeSet<u32>,
    /// A statement that has no solution.
    error: Option<Span>,
}

impl<'a> Coloring<'a> {
    fn of(program: &'a Program, most: u32) -> Self {
        let count = program.registers.len();
        let (first_uses, neighbors): Interfering = interference_of(program, count, accesses);
        let mut coloring = Self {
            program,
            neighbors,
            most,
            is_low: vec![false; count],
            copies: vec![Vec::new(); count],
            uses: vec![0; count],
            places: vec![None; count],
            victims: BTreeSet::new(),
            error: None,
        };
        coloring.observe();
        let rank = |register: u32| {
            let row = program.registers[register as usize];
            (row.fixed.is_none(), std::cmp::Reverse(row.words), !coloring.is_low[register as usize])
        };
        let mut order = first_uses;
        order.sort_by_key(|(register, _)| rank(*register));
        for (register, span) in order {
            coloring.color(register, span);
        }
        coloring
    }

    /// The places, if all registers have one.
    fn complete(self) -> Option<Vec<u8>> {
        let is_complete = self.victims.is_empty() && self.error.is_none();
        is_complete.then(|| self.places.into_iter().map(|place| place.unwrap_or(0)).collect())
    }

    /// Finds halves, copies and how often registers are used.
    fn observe(&mut self) {
        let exit = self.program.blocks.iter().position(|block| block.terminator == Terminator::Exit).unwrap_or(0);
        let flow = Flow::of(self.program, exit);
        for (index, block) in self.program.blocks.iter().enumerate() {
            let weight = 10u64.saturating_pow(u32::try_from(flow.depth(index).min(6)).unwrap_or(6));
            for instruction in &block.instructions {
                for slice in instruction.reads().chain(instruction.write()) {
                    self.uses[slice.register as usize] += weight;
                    self.is_low[slice.register as usize] |= slice.is_half();
                }
                if let (Operation::Move { .. }, Some(to), [Source { operand: Operand::Register(from), .. }]) =
                    (instruction.operation, instruction.write(), &instruction.sources[..])
                {
                    self.copies[to.register as usize].push(Copied { part: to.part, other: *from });
                    self.copies[from.register as usize].push(Copied { part: from.part, other: to });
                }
            }
        }
    }

    /// The units of a register at a place.
    fn units(&self, register: u32, place: u8) -> Units {
        ((1u128 << self.program.registers[register as usize].words) - 1) << place
    }

    /// Finds a place for a register, or what must be kept in memory instead.
    fn color(&mut self, register: u32, span: Span) {
        loop {
            let taken = self.neighbors[register as usize]
                .iter()
                .filter_map(|&other| self.places[other as usize].map(|place| self.units(other, place)))
                .fold(0, |all, units| all | units);
            let place = self.candidates(register).into_iter().find(|&place| self.units(register, place) & taken == 0);
            if place.is_some() {
                self.places[register as usize] = place;
                return;
            }
            let can_be_kept = |one: u32| {
                let row = self.program.registers[one as usize];
                row.lifetime != Lifetime::Instruction && row.fixed.is_none()
            };
            let placed = self.neighbors[register as usize].iter().filter(|&&one| self.places[one as usize].is_some());
            let victims = placed.copied().chain([register]).filter(|&one| can_be_kept(one));
            // Rarely used, and in the way of many.
            let cost = |one: u32| self.uses[one as usize] * 1000 / (self.neighbors[one as usize].len() as u64 + 1);
            let Some(victim) = victims.min_by_key(|&one| (cost(one), one)) else {
                self.error.get_or_insert(span);
                return;
            };
            self.places[victim as usize] = None;
            self.victims.insert(victim);
            if victim == register {
                return;
            }
        }
    }

    /// The places that a register may have, those first that make copies unnecessary.
    fn candidates(&self, register: u32) -> Vec<u8> {
        let row = self.program.registers[register as usize];
        if let Some(place) = row.fixed {
            return vec![place];
        }
        let end = if self.is_low[register as usize] { self.most.min(LOW_REGISTERS) } else { self.most };
        let last = end.checked_sub(row.words.into());
        let is_possible = |place: u32| place.is_multiple_of(row.words.into()) && last.is_some_and(|last| place <= last);
        let wished = self.copies[register as usize].iter().filter_map(|copied| {
            let place = self.places[copied.other.register as usize]?;
            (u32::from(place) + u32::from(copied.other.part)).checked_sub(copied.part.into())
        });
        wished.chain(0..end).filter(|&place| is_possible(place)).filter_map(|place| u8::try_from(place).ok()).collect()
    }
}

fn instruction(operation: Operation, destination: Destination, operand: Operand, like: &Instruction) -> Instruction {
    Instruction::new(operation, destination, vec![Source::of(operand)], like.span.clone())
}

/// Lets instructions read constants and halves from registers that live shortly, so that others can be any register.
fn avoid_low_registers(program: &mut Program) {
    for index in 0..program.blocks.len() {
        let old = std::mem::take(&mut program.blocks[index].instructions);
        let mut new = Vec::with_capacity(old.len());
        for mut changed in old {
            let takes_constant = matches!(
                changed.operation,
                Operation::AddInteger { .. }
                    | Operation::MultiplyInteger(_)
                    | Operation::Logic { .. }
                    | Operation::AddFloat { .. }
                    | Operation::MultiplyFloat { .. }
            );
            for position in 0..changed.sources.len() {
                let from = match changed.sources[position].operand {
                    constant @ Operand::Immediate(_) if takes_constant => constant,
                    Operand::Register(slice) if slice.is_half() => {
                        Operand::Register(Slice { size: Size::Word, ..slice })
                    }
                    _ => continue,
                };
                let copy = Slice::word(program.register(1, Lifetime::Instruction), 0);
                new.push(instruction(MOVE, Destination::Register(copy), from, &changed));
                let size = if let Operand::Register(slice) = changed.sources[position].operand {
                    slice.size
                } else {
                    Size::Word
                };
                changed.sources[position].operand = Operand::Register(Slice { size, ..copy });
            }
            let Some(slice) = changed.write().filter(|slice| slice.is_half()) else {
                new.push(changed);
                continue;
            };
            let copy = Slice::word(program.register(1, Lifetime::Instruction), 0);
            let guard = changed.guard;
            let to = Destination::Register(Slice { size: Size::Word, ..slice });
            let back = instruction(MOVE, to, Operand::Register(copy), &changed);
            changed.destination = Destination::Register(Slice { size: slice.size, ..copy });
            new.extend([changed, Instruction { guard, ..back }]);
        }
        program.blocks[index].instructions = new;
    }
}

/// Keeps a register in local memory, and returns the end of what is used there.
fn spill(program: &mut Program, register: u32, local_bytes: u32) -> u32 {
    let words = program.registers[register as usize].words;
    let bytes = 4 * u32::from(words);
    let begin = local_bytes.next_multiple_of(bytes);
    for index in 0..program.blocks.len() {
        let old = std::mem::take(&mut program.blocks[index].instructions);
        let mut new = Vec::with_capacity(old.len());
        for mut changed in old {
            let original = changed.clone();
            let reads: BTreeSet<Slice> =
                original.reads().filter(|slice| slice.register == register).map(whole_words).collect();
            let mut copies = BTreeMap::new();
            for slice in reads {
                let copy = program.register(word_count(slice.size), Lifetime::Instruction);
                copies.insert(slice, copy);
                let load = Operation::Load { lanes: 15 };
                let to = Destination::Register(Slice { register: copy, part: 0, size: slice.size });
                new.push(instruction(load, to, Operand::Memory(local(slice, begin)), &original));
            }
            let written = original.write().filter(|slice| slice.register == register).map(whole_words);
            let result = written.map(|slice| program.register(word_count(slice.size), Lifetime::Instruction));
            if let (Destination::Register(slice), Some(result)) = (&mut changed.destination, result) {
                *slice = Slice { register: result, part: 0, size: slice.size };
            }
            changed.each_slice(|slice| {
                if slice.register == register
                    && let Some(copy) = copies.get(&whole_words(*slice))
                {
                    *slice = Slice { register: *copy, part: 0, size: slice.size };
                }
            });
            let guard = changed.guard;
            new.push(changed);
            if let (Some(slice), Some(result)) = (written, result) {
                let from = Operand::Register(Slice { register: result, part: 0, size: slice.size });
                let store = Operation::Store { unlocks: false };
                let store = instruction(store, Destination::Memory(local(slice, begin)), from, &original);
                new.push(Instruction { guard, ..store });
            }
        }
        program.blocks[index].instructions = new;
    }
    begin + bytes
}

/// The word of a half, or the slice itself.
const fn whole_words(slice: Slice) -> Slice {
    if slice.is_half() { Slice { size: Size::Word, ..slice } } else { slice }
}

const fn word_count(size: Size) -> u8 {
    match size {
        Size::LowHalf | Size::HighHalf | Size::Word => 1,
        Size::Double => 2,
        Size::Quad => 4,
    }
}

/// A slice of a register that is kept in local memory.
const fn local(slice: Slice, begin: u32) -> Memory {
    let access = match slice.size {
        Size::LowHalf | Size::HighHalf | Size::Word => simt::Access::B32,
        Size::Double => simt::Access::B64,
        Size::Quad => simt::Access::B128,
    };
    let address = Address::Offset { base: 0, offset: begin + 4 * slice.part as u32 };
    Memory { space: Space::Local, access, address }
}
