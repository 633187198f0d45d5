//! Splits a [`VertexProgram`] into basic blocks, for which both engines follow branches, calls and returns.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::vertex::{AddressComponent, FlowAction, VertexBundle, VertexFlow, VertexProgram};

/// Bundles that are executed one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasicBlock {
    /// Its bundles, as a range of [`VertexProgram::bundles`]; never empty. Only the last one may emit a vertex.
    pub bundles: Range<usize>,
    /// The exit after the last bundle, which holds the condition or boolean that decides it.
    pub exit: BlockExit,
    /// The slot after the block, if a scope may be closed once the block was executed.
    pub closes: Option<u16>,
}

/// How execution leaves a block. Numbers are indices of blocks; `None` ends the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockExit {
    /// Continues.
    Continue {
        /// The block that follows.
        next: Option<usize>,
    },
    /// Continues at the target if taken.
    Branch {
        /// The target of a taken branch.
        target: usize,
        /// The block that follows an untaken branch.
        next: Option<usize>,
    },
    /// Continues, if taken, at the block of the slot in an address register; every slot begins a block.
    BranchToAddress {
        /// The address register component with the slot.
        address: AddressComponent,
        /// The block that follows an untaken branch.
        next: Option<usize>,
    },
    /// Pushes `next` and continues at the target if taken.
    Call {
        /// The target of a taken call.
        target: usize,
        /// The block that the call returns to, or that follows an untaken call.
        next: Option<usize>,
    },
    /// Pops a block and continues there, if taken.
    Return {
        /// The block that follows an untaken return.
        next: Option<usize>,
    },
    /// Pushes an address register; the program ends if the stack is full.
    PushAddress {
        /// The address register.
        register: u8,
        /// The block that follows.
        next: Option<usize>,
    },
    /// Pops an address register; the program ends if the top entry is not one.
    PopAddress {
        /// The address register.
        register: u8,
        /// The block that follows.
        next: Option<usize>,
    },
    /// Opens a scope and continues at `next` if taken, else at the other side.
    If {
        /// The block of the other side.
        or_else: Option<usize>,
        /// The slot of the other side, where the scope ends.
        or_else_slot: u16,
        /// The block after both sides.
        end: Option<usize>,
        /// The block that follows a taken test.
        next: Option<usize>,
    },
    /// Opens a scope and continues at the target if taken.
    CallUntil {
        /// The target of a taken call.
        target: usize,
        /// The slot where the scope ends.
        end_slot: u16,
        /// The slot that the call returns to.
        next_slot: u16,
        /// The block that the call returns to, or that follows an untaken call.
        next: Option<usize>,
    },
    /// Opens a scope and continues at the block that it repeats.
    Loop {
        /// The constant with the loop's parameters.
        parameters: u16,
        /// The slot where the scope ends.
        end_slot: u16,
        /// The block after the loop.
        end: Option<usize>,
        /// The first block of the loop.
        next: Option<usize>,
    },
    /// Closes the innermost loop if taken.
    Break {
        /// The block that follows an untaken break.
        next: Option<usize>,
    },
}

/// Entries of the stack that return and address registers share.
pub const STACK_ENTRIES: usize = 8;
/// Scopes of IF that can be open at once; opening another forgets the outermost.
pub const IF_SCOPES: usize = 8;
/// Scopes of calls that can be open at once.
pub const CALL_SCOPES: usize = 4;
/// Scopes of loops that can be open at once.
pub const LOOP_SCOPES: usize = 4;

impl VertexProgram {
    /// Splits the program. Block 0 holds the lowest slot; execution begins at [`Self::start_block`].
    #[must_use]
    pub fn blocks(&self) -> Vec<BasicBlock> {
        let scope_ends: BTreeSet<u16> = self.bundles.iter().filter_map(VertexBundle::scope_end).collect();
        let starts: Vec<usize> = self.block_starts().into_iter().collect();
        let block_of = |slot: u16| -> Option<usize> {
            let position = self.bundles.binary_search_by_key(&slot, |bundle| bundle.slot).ok()?;
            starts.binary_search(&position).ok()
        };
        starts
            .iter()
            .enumerate()
            .map(|(block, &first)| {
                let end = starts.get(block + 1).copied().unwrap_or(self.bundles.len());
                let last = &self.bundles[end - 1];
                let (exit, after) = (exit_of(last, &block_of), last.slot + 1);
                let is_closing = scope_ends.contains(&after) || matches!(exit, BlockExit::Break { .. });
                BasicBlock { bundles: first..end, exit, closes: is_closing.then_some(after) }
            })
            .collect()
    }

    /// The index in [`Self::blocks`] of the block at which execution begins.
    #[must_use]
    pub fn start_block(&self) -> usize {
        let position = self.bundles.partition_point(|bundle| bundle.slot < self.start);
        self.block_starts().range(..position).count()
    }

    /// Indices of bundles that begin a block.
    fn block_starts(&self) -> BTreeSet<usize> {
        let position_of = |slot: u16| self.bundles.binary_search_by_key(&slot, |bundle| bundle.slot).ok();
        let mut starts: BTreeSet<usize> = position_of(self.start).into_iter().collect();
        if self.branches_to_addresses() {
            return (0..self.bundles.len()).collect();
        }
        let mut previous: Option<&VertexBundle> = None;
        for (position, bundle) in self.bundles.iter().enumerate() {
            let follows = previous.is_some_and(|previous| {
                previous.slot + 1 == bundle.slot
                    && !previous.is_last
                    && previous.flow.is_none()
                    && !previous.emits_vertex()
            });
            if !follows {
                starts.insert(position);
            }
            let end = match bundle.flow {
                Some(VertexFlow { action: FlowAction::If { end, .. }, .. }) => Some(end),
                _ => None,
            };
            starts.extend([bundle.target(), bundle.scope_end(), end].into_iter().flatten().filter_map(position_of));
            previous = Some(bundle);
        }
        starts
    }
}

fn exit_of(last: &VertexBundle, block_of: &dyn Fn(u16) -> Option<usize>) -> BlockExit {
    // Unverified: END on a taken branch, call or return does not end the program; a call returns to the end.
    let next = if last.is_last { None } else { block_of(last.slot + 1) };
    let block_at = |target| block_of(target).expect("decoding reaches every target, and each begins a block");
    match last.flow.map(|flow| flow.action) {
        None => BlockExit::Continue { next },
        Some(FlowAction::Branch { target }) => BlockExit::Branch { target: block_at(target), next },
        Some(FlowAction::BranchToAddress(address)) => BlockExit::BranchToAddress { address, next },
        Some(FlowAction::Call { target }) => BlockExit::Call { target: block_at(target), next },
        Some(FlowAction::Return) => BlockExit::Return { next },
        Some(FlowAction::PushAddress { register }) => BlockExit::PushAddress { register, next },
        Some(FlowAction::PopAddress { register }) => BlockExit::PopAddress { register, next },
        Some(FlowAction::If { or_else, end }) => {
            BlockExit::If { or_else: block_of(or_else), or_else_slot: or_else, end: block_of(end), next }
        }
        Some(FlowAction::CallUntil { target, end }) => {
            BlockExit::CallUntil { target: block_at(target), end_slot: end, next_slot: last.slot + 1, next }
        }
        Some(FlowAction::Loop { parameters, end }) => {
            BlockExit::Loop { parameters, end_slot: end, end: block_of(end), next }
        }
        Some(FlowAction::Break) => BlockExit::Break { next },
    }
}

/// How often vertices went from a block of their program to another, by the blocks' numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VertexEdges(BTreeMap<[Option<usize>; 2], u64>);

impl VertexEdges {
    /// Adds the blocks that a vertex entered, in order, `times` times.
    pub fn add_path(&mut self, path: &[usize], times: u64) {
        let mut from = None;
        for to in path.iter().map(|block| Some(*block)).chain([None]) {
            let count = self.0.entry([from, to]).or_default();
            *count = count.saturating_add(times);
            from = to;
        }
    }

    /// Each pair of blocks with its count. The first is `None` at the start of the program, the second at its end.
    pub fn iter(&self) -> impl Iterator<Item = ([Option<usize>; 2], u64)> {
        self.0.iter().map(|(edge, count)| (*edge, *count))
    }

    /// How often a block was entered.
    #[must_use]
    pub fn entered(&self, block: usize) -> u64 {
        let into = self.iter().filter(|([_, to], _)| *to == Some(block));
        into.map(|(_, count)| count).fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::{BasicBlock, BlockExit};
    use crate::shader::test_programs::program;
    use crate::shader::vertex::{Emission, EmissionTarget, FlowAction, FlowTest, VertexBundle, VertexFlow};

    fn flow(action: FlowAction) -> VertexBundle {
        VertexBundle { flow: Some(VertexFlow { action, test: FlowTest::Condition }), ..VertexBundle::idle(0) }
    }

    #[test]
    fn a_loop_with_a_call_is_split_at_targets_and_behind_flow() {
        let program = program(vec![
            VertexBundle::idle(0),
            flow(FlowAction::Call { target: 4 }),
            flow(FlowAction::Branch { target: 1 }),
            VertexBundle { is_last: true, ..VertexBundle::idle(0) },
            VertexBundle::idle(0),
            flow(FlowAction::Return),
        ]);
        assert_eq!(program.start_block(), 0);
        assert_eq!(
            program.blocks(),
            [
                BasicBlock { bundles: 0..1, exit: BlockExit::Continue { next: Some(1) }, closes: None },
                BasicBlock { bundles: 1..2, exit: BlockExit::Call { target: 4, next: Some(2) }, closes: None },
                BasicBlock { bundles: 2..3, exit: BlockExit::Branch { target: 1, next: Some(3) }, closes: None },
                BasicBlock { bundles: 3..4, exit: BlockExit::Continue { next: None }, closes: None },
                BasicBlock { bundles: 4..6, exit: BlockExit::Return { next: None }, closes: None },
            ]
        );
    }

    #[test]
    fn an_emission_ends_its_block() {
        let emission = |emission| VertexBundle { emission: Some(emission), ..VertexBundle::idle(0) };
        let select = emission(Emission::Select(EmissionTarget::default()));
        let program = program(vec![select, VertexBundle::idle(0), emission(Emission::Emit), VertexBundle::idle(0)]);
        assert_eq!(
            program.blocks(),
            [
                BasicBlock { bundles: 0..3, exit: BlockExit::Continue { next: Some(1) }, closes: None },
                BasicBlock { bundles: 3..4, exit: BlockExit::Continue { next: None }, closes: None },
            ]
        );
    }

    #[test]
    fn a_start_behind_other_code_names_its_own_block() {
        let mut program = program(vec![
            VertexBundle { is_last: true, ..VertexBundle::idle(0) },
            flow(FlowAction::Branch { target: 0 }),
        ]);
        program.start = 1;
        assert_eq!(program.start_block(), 1);
        assert_eq!(program.blocks()[1].exit, BlockExit::Branch { target: 0, next: None });
    }
}
