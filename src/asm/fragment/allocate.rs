//! Registers of a text onto the register file of the chip, where R(n) holds H(2n) and H(2n+1).

use super::code::{FragmentCode, Node, Register, SourceKind};
use super::liveness::{HALVES, Neighbors, TooManyLive, neighbors};
use crate::asm::diagnostic::{Diagnostic, Span};
use crate::shader::fragment::FULL_REGISTERS;
use crate::shader::fragment::FragmentRegister;

/// Half registers that instructions can name.
const HALF_REGISTERS: usize = 64;

/// Where each register lies, by its index; `None` for registers that nothing writes or reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    places: Vec<Option<FragmentRegister>>,
}

impl Places {
    /// Where a register lies.
    pub(super) fn of(&self, register: Register) -> FragmentRegister {
        self.places.get(register.0 as usize).copied().flatten().unwrap_or(FragmentRegister { index: 0, is_half: false })
    }

    /// The number of full registers up to the last one in use, at least two.
    pub(super) fn count(&self) -> u32 {
        let used = self
            .places
            .iter()
            .flatten()
            .map(|place| u32::from(if place.is_half { place.index / 2 } else { place.index }) + 1);
        used.max().unwrap_or(0).max(2)
    }
}

/// Gives each register a place.
///
/// # Errors
/// When more values are alive at once than the chip has registers for.
pub(super) fn allocate(code: &FragmentCode) -> Result<Places, Diagnostic> {
    let neighbors = neighbors(code).map_err(|TooManyLive { span }| too_many(span))?;
    let order = order(code);
    // In the order of the text first; where that does not fit, those with the most neighbours first.
    let mut crowded = order.clone();
    crowded.sort_by_key(|(register, _)| std::cmp::Reverse(neighbors[register.0 as usize].len()));
    place_all(code, &neighbors, &order).or_else(|_| place_all(code, &neighbors, &crowded)).map_err(too_many)
}

fn too_many(span: Span) -> Diagnostic {
    Diagnostic::new(span, "the program holds more values at once than the fragment processor has registers for")
        .label("no register is free here")
        .note(format!("limit: {FULL_REGISTERS} full (R) registers, the first 32 of which are also {HALF_REGISTERS} half (H) registers"))
}

/// The registers in the order in which the text first writes or reads them, with that place.
fn order(code: &FragmentCode) -> Vec<(Register, Span)> {
    let mut found = vec![false; code.registers.len()];
    let mut order = Vec::new();
    for block in std::iter::once(&code.body).chain(&code.routines) {
        visit(block, &mut |register, span| {
            if !std::mem::replace(&mut found[register.0 as usize], true) {
                order.push((register, span.clone()));
            }
        });
    }
    order
}

fn visit(block: &[Node], found: &mut dyn FnMut(Register, &Span)) {
    for node in block {
        match node {
            Node::Instruction(instruction) => {
                for source in &instruction.sources {
                    if let SourceKind::Register(register) = source.kind {
                        found(register, &instruction.span);
                    }
                }
                if let Some(register) = instruction.destination {
                    found(register, &instruction.span);
                }
            }
            Node::If { then, otherwise, .. } => {
                visit(then, found);
                visit(otherwise, found);
            }
            Node::Loop { body, .. } => visit(body, found),
            Node::Call { .. } | Node::Break { .. } | Node::Return { .. } => {}
        }
    }
}

/// The halves that a place covers, as bits.
fn halves(place: FragmentRegister) -> u128 {
    if place.is_half { 1 << place.index } else { 3 << (place.index * 2) }
}

fn place_all(code: &FragmentCode, neighbors: &Neighbors, order: &[(Register, Span)]) -> Result<Places, Span> {
    let mut places: Vec<Option<FragmentRegister>> = code.registers.iter().map(|row| row.place).collect();
    for (register, span) in order {
        let index = register.0 as usize;
        if places[index].is_some() {
            continue;
        }
        let taken = neighbors[index]
            .iter()
            .filter_map(|neighbor| places[neighbor.0 as usize])
            .fold(0, |taken, place| taken | halves(place));
        let free = |is_half: bool| {
            let count = if is_half { HALF_REGISTERS } else { HALVES / 2 };
            (0..count)
                .filter_map(|index| Some(FragmentRegister { index: u8::try_from(index).ok()?, is_half }))
                .find(|&place| taken & halves(place) == 0)
        };
        // A half value also fits a full register, when the operation that writes it rounds to half.
        let place = if code.registers[index].is_half { free(true).or_else(|| free(false)) } else { free(false) };
        places[index] = Some(place.ok_or_else(|| span.clone())?);
    }
    Ok(Places { places })
}
