//! Temporaries of a text onto the registers of the chip, by where their values are needed.

use super::profile::TEMPORARIES;
use super::statement::{Operation, Register, Source, Target, Text, UnitOperation};
use crate::asm::diagnostic::Diagnostic;
use crate::isa::nv40_vertex::{ScalarOpcode, VectorOpcode};
use crate::shader::condition::Relation;

/// A set of small numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BitSet(Vec<u64>);

impl BitSet {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    fn has(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 != 0
    }

    fn join(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }
}

/// Renames every temporary to a register of the chip. Those of the text, numbered below `text.temporaries`, keep their
/// number where all of them fit.
///
/// # Errors
/// When more values are needed at once than there are registers.
pub(super) fn allocate(
    operations: &mut [Operation],
    text: &Text,
    targets: &[Option<usize>],
) -> Result<(), Vec<Diagnostic>> {
    let mut numbers: Vec<u32> = operations.iter().flat_map(temporaries_of).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let index_of = |number: u32| numbers.binary_search(&number).unwrap_or(0);
    let interferes = interference(operations, targets, numbers.len(), &index_of);
    let named = numbers.iter().filter(|&&number| number < text.temporaries);
    let keeps_numbers = named.clone().all(|&number| (number as usize) < TEMPORARIES.most);
    let mut colors: Vec<Option<usize>> = vec![None; numbers.len()];
    if keeps_numbers {
        for (color, number) in colors.iter_mut().zip(named) {
            *color = Some(*number as usize);
        }
    }
    for index in 0..numbers.len() {
        if colors[index].is_some() {
            continue;
        }
        let is_taken =
            |color: usize| (0..numbers.len()).any(|other| colors[other] == Some(color) && interferes[index].has(other));
        let Some(color) = (0..TEMPORARIES.most).find(|&color| !is_taken(color)) else {
            return Err(vec![too_many(operations, text, numbers[index], &interferes[index])]);
        };
        colors[index] = Some(color);
    }
    let color_of = |number: u32| colors[index_of(number)].and_then(|color| u32::try_from(color).ok()).unwrap_or(0);
    for operation in operations {
        if let Target::Temporary(number) = &mut operation.target {
            *number = color_of(*number);
        }
        for Source { register, .. } in &mut operation.sources {
            if let Register::Temporary(number) = register {
                *number = color_of(*number);
            }
        }
    }
    Ok(())
}

fn too_many(operations: &[Operation], text: &Text, number: u32, others: &BitSet) -> Diagnostic {
    let first = operations.iter().find(|operation| temporaries_of(operation).contains(&number));
    let span = first.and_then(|first| text.statements.get(first.statement)).map_or(0..0, |first| first.span.clone());
    let count = others.0.iter().map(|word| word.count_ones() as usize).sum::<usize>() + 1;
    let count = count.max(TEMPORARIES.most + 1);
    Diagnostic::over_limit(span, "temporaries that are in use at once", count, TEMPORARIES.most, TEMPORARIES.name)
}

fn temporaries_of(operation: &Operation) -> Vec<u32> {
    let target = match operation.target {
        Target::Temporary(number) => Some(number),
        _ => None,
    };
    let sources = operation.sources.iter().filter_map(|source| match source.register {
        Register::Temporary(number) => Some(number),
        _ => None,
    });
    target.into_iter().chain(sources).collect()
}

/// For each temporary, those whose values are needed while it is written.
fn interference(
    operations: &[Operation],
    targets: &[Option<usize>],
    count: usize,
    index_of: &dyn Fn(u32) -> usize,
) -> Vec<BitSet> {
    // Components are followed by themselves: bit 4·temporary + component.
    let mut live_in: Vec<BitSet> = vec![BitSet::new(count * 4); operations.len() + 1];
    let followers = followers(operations, targets);
    let live_out = |live_in: &[BitSet], index: usize| {
        let mut live = BitSet::new(count * 4);
        for &follower in &followers[index] {
            live.join(&live_in[follower]);
        }
        live
    };
    loop {
        let mut changed = false;
        for index in (0..operations.len()).rev() {
            let mut live = live_out(&live_in, index);
            transfer(&operations[index], &mut live, index_of);
            if live != live_in[index] {
                live_in[index] = live;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut interferes = vec![BitSet::new(count); count];
    for (index, operation) in operations.iter().enumerate() {
        let Target::Temporary(number) = operation.target else { continue };
        let written = index_of(number);
        let live = live_out(&live_in, index);
        for other in (0..count).filter(|&other| other != written) {
            if (0..4).any(|component| live.has(other * 4 + component)) {
                interferes[written].insert(other);
                interferes[other].insert(written);
            }
        }
    }
    // A temporary that is read before it is written begins as 0, which no earlier write may change.
    let entry: Vec<usize> =
        (0..count).filter(|other| (0..4).any(|component| live_in[0].has(other * 4 + component))).collect();
    for &one in &entry {
        for &other in &entry {
            if one != other {
                interferes[one].insert(other);
            }
        }
    }
    interferes
}

/// What is needed before an operation, from what is needed behind it.
fn transfer(operation: &Operation, live: &mut BitSet, index_of: &dyn Fn(u32) -> usize) {
    let is_certain = operation.condition.is_none_or(|test| test.relation == Relation::Always);
    if let Target::Temporary(number) = operation.target
        && is_certain
    {
        for component in (0..4).filter(|&component| operation.mask.has(component)) {
            live.remove(index_of(number) * 4 + component);
        }
    }
    for (position, source) in operation.sources.iter().enumerate() {
        let Register::Temporary(number) = source.register else { continue };
        for component in (0..4).filter(|&component| reads(operation, position, component)) {
            live.insert(index_of(number) * 4 + usize::from(source.swizzle.0[component] & 3));
        }
    }
}

/// Whether component `component` of a swizzled operand has an effect.
fn reads(operation: &Operation, position: usize, component: usize) -> bool {
    match operation.unit {
        UnitOperation::Vector(VectorOpcode::Dp3) => component < 3,
        UnitOperation::Vector(VectorOpcode::Dph) => component < 3 || position == 1,
        UnitOperation::Vector(VectorOpcode::Dp4 | VectorOpcode::Dst | VectorOpcode::Txl) => true,
        UnitOperation::Vector(_) | UnitOperation::Scalar(ScalarOpcode::Mov) => operation.mask.has(component),
        UnitOperation::Scalar(ScalarOpcode::Lit) => true,
        UnitOperation::Scalar(_) => component == 0,
    }
}

/// The operations that can come next; the number of operations stands for the end.
fn followers(operations: &[Operation], targets: &[Option<usize>]) -> Vec<Vec<usize>> {
    let is_call = |operation: &Operation| operation.unit == UnitOperation::Scalar(ScalarOpcode::Cal);
    let returns: Vec<usize> =
        operations.iter().enumerate().filter(|(_, operation)| is_call(operation)).map(|(index, _)| index + 1).collect();
    operations
        .iter()
        .enumerate()
        .map(|(index, operation)| {
            let is_certain = operation.condition.is_none_or(|test| test.relation == Relation::Always);
            let target = targets.get(index).copied().flatten();
            let mut followers: Vec<usize> = target.into_iter().collect();
            match operation.unit {
                UnitOperation::Scalar(ScalarOpcode::Ret) => {
                    followers.extend(&returns);
                    followers.extend((!is_certain).then_some(index + 1));
                }
                UnitOperation::Scalar(ScalarOpcode::Bra) if is_certain => {}
                _ => followers.push(index + 1),
            }
            followers
        })
        .collect()
}
