//! Temporaries of a text into registers of the chip.

use super::profile::TEMPORARIES;
use super::statement::{Operation, Register, Target, Text, UnitOperation};
use crate::diagnostic::Diagnostic;
use crate::isa::nv40_vertex::ScalarOpcode;
use crate::register_allocation::{Access, BasicBlock, assign, interference};
use crate::shader::condition::Relation;

/// Renames every temporary to a register of the chip. If all temporaries of the text, numbered below `text.temporaries`,
/// fit the register file, they keep their numbers.
///
/// # Errors
/// When more values are needed at once than there are registers.
pub(super) fn allocate(
    operations: &mut [Operation],
    text: &Text,
    targets: &[Option<usize>],
) -> Result<(), Vec<Diagnostic>> {
    let blocks = blocks(operations, text, targets);
    let mut found = interference(&blocks, 0, usize::MAX).expect("no number of live values is refused");
    // Temporaries start as 0.
    found.separate_at_entry();
    found.first_uses.sort_by_key(|&(number, _)| number);
    let numbers = || found.first_uses.iter().map(|&(number, _)| number);
    let named = || numbers().filter(|&number| number < text.temporaries);
    let mut places = vec![None; found.neighbors.len()];
    if named().all(|number| (number as usize) < TEMPORARIES.most) {
        named().for_each(|number| places[number as usize] = Some(1 << number));
    }
    let registers = |_| (0..TEMPORARIES.most).map(|register| 1 << register);
    assign(&found.neighbors, &mut places, numbers(), registers).map_err(|position| {
        let (number, span) = &found.first_uses[position];
        let count = (found.neighbors[*number as usize].len() + 1).max(TEMPORARIES.most + 1);
        let what = "temporaries that are in use at once";
        vec![Diagnostic::over_limit(span.clone(), what, count, TEMPORARIES.most, TEMPORARIES.name)]
    })?;
    let register_of = |number: u32| places[number as usize].map_or(0, u128::trailing_zeros);
    operations.iter_mut().for_each(|operation| operation.rename_temporaries(register_of));
    Ok(())
}

/// One block per operation, and an empty one at the end.
fn blocks(operations: &[Operation], text: &Text, targets: &[Option<usize>]) -> Vec<BasicBlock> {
    let is_call = |operation: &Operation| operation.unit == UnitOperation::Scalar(ScalarOpcode::Cal);
    let calls = operations.iter().enumerate().filter(|(_, operation)| is_call(operation));
    let returns: Vec<usize> = calls.map(|(index, _)| index + 1).collect();
    let blocks = operations.iter().enumerate().map(|(index, operation)| {
        let is_conditional = operation.condition.is_some_and(|test| test.relation != Relation::Always);
        let mut successors: Vec<usize> = targets[index].into_iter().collect();
        match operation.unit {
            UnitOperation::Scalar(ScalarOpcode::Ret) => {
                successors.extend(&returns);
                successors.extend(is_conditional.then_some(index + 1));
            }
            UnitOperation::Scalar(ScalarOpcode::Bra) if !is_conditional => {}
            _ => successors.push(index + 1),
        }
        let reads =
            operation.sources.iter().zip(operation.reads()).filter_map(|(source, mask)| match source.register {
                Register::Temporary(number) => Some((number, source.components(mask))),
                _ => None,
            });
        let write = match operation.target {
            Target::Temporary(number) => Some((number, operation.mask)),
            _ => None,
        };
        let span = text.statements.get(operation.statement).map_or(0..0, |statement| statement.span.clone());
        BasicBlock { accesses: vec![Access { reads: reads.collect(), write, is_conditional, span }], successors }
    });
    blocks.chain([BasicBlock::default()]).collect()
}
