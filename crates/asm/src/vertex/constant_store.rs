//! Assigns parameters to slots of the constant store: arrays stay contiguous, equal numbers share a slot, and single
//! numbers are packed into vectors.

use std::collections::HashMap;

use super::profile::{CONSTANTS, Limit};
use super::statement::{Operation, ParameterUse, Register, Source, Text};
use crate::constants::{ConstantSlot, ConstantSource};
use crate::diagnostic::Diagnostic;
use crate::shader::condition::{Swizzle, WriteMask};
use crate::shader::vertex::CONSTANT_SLOTS;

/// The slots of a program's constants.
#[derive(Debug, Default)]
pub(super) struct ConstantStore {
    /// What each used slot holds, by slot.
    pub(super) slots: Vec<ConstantSlot>,
    /// The slots that addresses reach.
    pub(super) indexed: Option<(u16, u16)>,
    places: HashMap<ConstantSource, u16>,
    /// First slot of each array that addresses reach into.
    arrays: HashMap<usize, u16>,
    /// Slots that hold numbers; `None` marks a free component.
    literals: Vec<(u16, [Option<u32>; 4])>,
    next: u16,
}

/// Gives every parameter that the operations read a slot, and rewrites the operands.
///
/// # Errors
/// When there are more than the processor has.
pub(super) fn place_constants(
    operations: &mut [Operation],
    text: &Text,
    keeps_numbers: bool,
) -> Result<ConstantStore, Vec<Diagnostic>> {
    let mut store = ConstantStore::default();
    store.place_arrays(operations, text);
    if keeps_numbers {
        store.place_registers(operations, text);
    }
    for operation in operations.iter_mut() {
        let needed = operation.reads();
        for (source, needed) in operation.sources.iter_mut().zip(needed) {
            store.rewrite(source, needed);
        }
    }
    let limit =
        if keeps_numbers { Limit { most: CONSTANT_SLOTS, name: "slots of the constant store" } } else { CONSTANTS };
    let count = usize::from(store.next);
    if count > limit.most {
        let span =
            operations.first().and_then(|first| text.statements.get(first.statement)).map(|first| first.span.clone());
        let error = Diagnostic::over_limit(span.unwrap_or(0..0), "constant vectors", count, limit.most, limit.name);
        return Err(vec![error]);
    }
    for (slot, vector) in &store.literals {
        let source = ConstantSource::Literal(vector.map(Option::unwrap_or_default));
        store.slots.push(ConstantSlot { slot: u32::from(*slot), source });
    }
    store.slots.sort_by_key(|slot| slot.slot);
    Ok(store)
}

impl ConstantStore {
    fn new_slot(&mut self) -> u16 {
        let slot = self.next;
        self.next = self.next.saturating_add(1);
        slot
    }

    /// Places the arrays that addresses reach into, high enough for negative offsets.
    fn place_arrays(&mut self, operations: &[Operation], text: &Text) {
        let elements =
            operations.iter().flat_map(|operation| &operation.sources).filter_map(|source| match source.register {
                Register::Parameter(ParameterUse::Element { array, offset, .. }) => Some((array, offset)),
                _ => None,
            });
        let mut lowest: Vec<(usize, i32)> = Vec::new();
        for (array, offset) in elements {
            match lowest.iter_mut().find(|(known, _)| *known == array) {
                Some((_, lowest)) => *lowest = offset.min(*lowest),
                None => lowest.push((array, offset.min(0))),
            }
        }
        for (array, lowest) in lowest {
            let Some(elements) = text.arrays.get(array) else { continue };
            let below = u16::try_from(-lowest).unwrap_or(0);
            self.next = self.next.max(below);
            self.arrays.insert(array, self.next);
            let first = self.next;
            for source in elements {
                let slot = self.new_slot();
                self.places.entry(*source).or_insert(slot);
                self.slots.push(ConstantSlot { slot: u32::from(slot), source: *source });
            }
            let last = self.next.saturating_sub(1);
            self.indexed = Some(self.indexed.map_or((first, last), |(low, high)| (low.min(first), high.max(last))));
        }
    }

    /// Places each register of the NV languages in the slot of its number.
    fn place_registers(&mut self, operations: &[Operation], text: &Text) {
        if !self.arrays.is_empty() {
            return;
        }
        for source in operations.iter().flat_map(|operation| &operation.sources) {
            if let Register::Parameter(ParameterUse::Single(source @ ConstantSource::Register(index))) = source.register
                && !self.places.contains_key(&source)
            {
                self.places.insert(source, u16::try_from(index).unwrap_or(u16::MAX));
                self.slots.push(ConstantSlot { slot: index, source });
            }
        }
        let count = text.arrays.first().map_or(0, Vec::len);
        self.next = u16::try_from(count).unwrap_or(u16::MAX);
    }

    fn rewrite(&mut self, source: &mut Source, needed: WriteMask) {
        let Register::Parameter(parameter) = source.register else { return };
        match parameter {
            ParameterUse::Element { array, offset, address } => {
                let first = i32::from(self.arrays.get(&array).copied().unwrap_or(0));
                // Offsets beyond the store wrap to slots that read zero.
                let slot = u16::try_from(first + offset).unwrap_or(u16::MAX).min(1023);
                source.register = Register::Constant(slot, Some(address));
            }
            ParameterUse::Single(ConstantSource::Literal(vector))
                if !self.places.contains_key(&ConstantSource::Literal(vector)) =>
            {
                self.place_literal(source, vector, needed);
            }
            ParameterUse::Single(single) => {
                let slot = match self.places.get(&single) {
                    Some(slot) => *slot,
                    None => {
                        let slot = self.new_slot();
                        self.places.insert(single, slot);
                        self.slots.push(ConstantSlot { slot: u32::from(slot), source: single });
                        slot
                    }
                };
                source.register = Register::Constant(slot, None);
            }
        }
    }

    /// Finds a slot that holds the numbers that an operand selects, or that has room for them.
    fn place_literal(&mut self, source: &mut Source, vector: [u32; 4], needed: WriteMask) {
        let wanted = source.swizzle.0.map(|component| vector[usize::from(component) & 3]);
        let needed: Vec<usize> = (0..4).filter(|&component| needed.has(component)).collect();
        let mut distinct: Vec<u32> = Vec::new();
        for &component in &needed {
            if !distinct.contains(&wanted[component]) {
                distinct.push(wanted[component]);
            }
        }
        let missing = |held: &[Option<u32>; 4]| distinct.iter().filter(|bits| !held.contains(&Some(**bits))).count();
        let free = |held: &[Option<u32>; 4]| held.iter().filter(|held| held.is_none()).count();
        let found = self.literals.iter().position(|(_, held)| missing(held) == 0);
        let found = found.or_else(|| self.literals.iter().position(|(_, held)| missing(held) <= free(held)));
        let index = found.unwrap_or_else(|| {
            let slot = self.new_slot();
            self.literals.push((slot, [None; 4]));
            self.literals.len() - 1
        });
        let (slot, held) = &mut self.literals[index];
        for bits in distinct {
            if !held.contains(&Some(bits))
                && let Some(place) = held.iter_mut().find(|held| held.is_none())
            {
                *place = Some(bits);
            }
        }
        let place_of = |bits: u32| (0u8..4).find(|&place| held[usize::from(place)] == Some(bits));
        let first = needed.first().and_then(|&component| place_of(wanted[component])).unwrap_or(0);
        let mut swizzle = [first; 4];
        for &component in &needed {
            swizzle[component] = place_of(wanted[component]).unwrap_or(first);
        }
        source.register = Register::Constant(*slot, None);
        source.swizzle = Swizzle(swizzle);
    }
}
