//! Facts about the flow between blocks: dominators, loops and what can be reached.

use std::collections::BTreeSet;

use super::ir::Program;

/// The nearest block through which every way from the start leads to each block; `order` lists the blocks that can be
/// reached from the start, which is the first one, each after some block before it.
///
/// Source: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
fn immediate_dominators(order: &[usize], before: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut position = vec![usize::MAX; before.len()];
    for (index, block) in order.iter().enumerate() {
        position[*block] = index;
    }
    let mut dominators: Vec<Option<usize>> = vec![None; before.len()];
    let Some(&start) = order.first() else { return dominators };
    dominators[start] = Some(start);
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for &block in &order[1..] {
            let mut found: Option<usize> = None;
            for &one in before[block].iter().filter(|one| dominators[**one].is_some()) {
                found = Some(found.map_or(one, |other| common(&dominators, &position, one, other)));
            }
            if found != dominators[block] {
                dominators[block] = found;
                has_changed = true;
            }
        }
    }
    dominators[start] = None;
    dominators
}

/// The nearest block that dominates both.
fn common(dominators: &[Option<usize>], position: &[usize], mut one: usize, mut other: usize) -> usize {
    while one != other {
        let later = if position[one] > position[other] { &mut one } else { &mut other };
        match dominators[*later] {
            Some(next) if next != *later => *later = next,
            _ => return *later,
        }
    }
    one
}

/// Dominators and loops of a program.
#[derive(Debug)]
pub(super) struct Flow {
    /// By block, the blocks that can run before it.
    pub(super) predecessors: Vec<Vec<usize>>,
    /// By block, the nearest one through which every way from the entry leads.
    pub(super) dominators: Vec<Option<usize>>,
    /// By block, the nearest one through which every way to the exit leads.
    pub(super) postdominators: Vec<Option<usize>>,
    /// Each loop: its header, and its blocks with the header.
    pub(super) loops: Vec<(usize, BTreeSet<usize>)>,
}

impl Flow {
    /// The facts about a program; `exit` is the only block that ends the thread.
    pub(super) fn of(program: &Program, exit: usize) -> Self {
        let predecessors = program.predecessors();
        let successors: Vec<Vec<usize>> =
            program.blocks.iter().map(|block| block.terminator.successors().collect()).collect();
        let dominators = immediate_dominators(&program.reverse_postorder(), &predecessors);
        let postdominators = immediate_dominators(&reverse_postorder(exit, &predecessors), &successors);
        let mut loops: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        for (block, next) in successors.iter().enumerate() {
            for &header in next.iter().filter(|next| is_above(&dominators, **next, block)) {
                let body = loop_body(&predecessors, header, block);
                match loops.iter_mut().find(|(known, _)| *known == header) {
                    Some((_, known)) => known.extend(body),
                    None => loops.push((header, body)),
                }
            }
        }
        Self { predecessors, dominators, postdominators, loops }
    }

    /// How many loops a block is in.
    pub(super) fn depth(&self, block: usize) -> usize {
        self.loops.iter().filter(|(_, body)| body.contains(&block)).count()
    }
}

/// Whether a block is another one or is among those above it in a tree of dominators.
pub(super) fn is_above(dominators: &[Option<usize>], one: usize, other: usize) -> bool {
    std::iter::successors(Some(other), |block| dominators[*block]).any(|block| block == one)
}

/// The blocks from which the end of a loop is reached without its header, and the header.
fn loop_body(predecessors: &[Vec<usize>], header: usize, end: usize) -> BTreeSet<usize> {
    let mut body = BTreeSet::from([header]);
    let mut pending = vec![end];
    while let Some(block) = pending.pop() {
        if body.insert(block) {
            pending.extend(&predecessors[block]);
        }
    }
    body
}

/// The blocks that are reached from `start` over `next`, in reverse postorder.
fn reverse_postorder(start: usize, next: &[Vec<usize>]) -> Vec<usize> {
    let (mut seen, mut order, mut stack) = (vec![false; next.len()], Vec::new(), vec![(start, false)]);
    while let Some((block, is_done)) = stack.pop() {
        if is_done {
            order.push(block);
        } else if !std::mem::replace(&mut seen[block], true) {
            stack.push((block, true));
            stack.extend(next[block].iter().map(|next| (*next, false)));
        }
    }
    order.reverse();
    order
}

/// The blocks that can be reached from some without passing `stop`.
pub(super) fn reached(program: &Program, from: impl IntoIterator<Item = usize>, stop: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<_> = from.into_iter().collect();
    while let Some(block) = pending.pop() {
        if block != stop && found.insert(block) {
            pending.extend(program.blocks[block].terminator.successors());
        }
    }
    found
}
