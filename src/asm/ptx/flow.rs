//! Facts about the flow between blocks: dominators, loops, and regions that lie between two blocks.

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
            // From the last one on, the way up to what dominates all is gone once.
            for &one in before[block].iter().rev().filter(|one| dominators[**one].is_some()) {
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

/// A forest with its nodes numbered so that those below a node follow it.
#[derive(Debug)]
pub(super) struct Forest {
    /// By node, the one above it.
    pub(super) above: Vec<Option<usize>>,
    /// By node, its number.
    number: Vec<usize>,
    /// By node, the number behind the last one below it.
    end: Vec<usize>,
    /// By node, how many are above it.
    pub(super) depth: Vec<usize>,
    /// The nodes by number.
    order: Vec<usize>,
}

impl Forest {
    fn new(above: Vec<Option<usize>>) -> Self {
        let count = above.len();
        let mut below = vec![Vec::new(); count];
        let mut stack = Vec::new();
        for (node, parent) in above.iter().enumerate().rev() {
            match parent {
                Some(parent) => below[*parent].push(node),
                None => stack.push((node, false)),
            }
        }
        let (mut number, mut end, mut depth) = (vec![0; count], vec![0; count], vec![0; count]);
        let mut order = Vec::with_capacity(count);
        while let Some((node, is_done)) = stack.pop() {
            if is_done {
                end[node] = order.len();
                continue;
            }
            number[node] = order.len();
            depth[node] = above[node].map_or(0, |parent| depth[parent] + 1);
            order.push(node);
            stack.push((node, true));
            stack.extend(below[node].iter().map(|node| (*node, false)));
        }
        Self { above, number, end, depth, order }
    }

    /// Whether a node is another one or is above it.
    pub(super) fn is_above(&self, one: usize, other: usize) -> bool {
        (self.number[one]..self.end[one]).contains(&self.number[other])
    }
}

/// How many of a list's first numbers are below a limit, for any part of the list.
#[derive(Debug)]
struct Counts {
    /// The list, then halves of it sorted, then quarters, and so on from the smallest parts up.
    levels: Vec<Vec<usize>>,
}

impl Counts {
    fn new(list: Vec<usize>) -> Self {
        let mut levels = vec![list];
        let mut size = 1;
        while size < levels[0].len() {
            size *= 2;
            let mut sorted = levels[levels.len() - 1].clone();
            sorted.chunks_mut(size).for_each(<[usize]>::sort_unstable);
            levels.push(sorted);
        }
        Self { levels }
    }

    /// The numbers below a limit from one place to another.
    fn below(&self, mut start: usize, end: usize, limit: usize) -> usize {
        let mut count = 0;
        while start < end {
            let mut level = (start.trailing_zeros() as usize).min(self.levels.len() - 1);
            while start + (1 << level) > end {
                level -= 1;
            }
            count += self.levels[level][start..start + (1 << level)].partition_point(|number| *number < limit);
            start += 1 << level;
        }
        count
    }
}

/// The blocks that an entry dominates, without those that an exit below it dominates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    /// The entry.
    pub(super) entry: usize,
    /// The numbers of the blocks that the entry dominates.
    all: (usize, usize),
    /// The numbers of those that the exit dominates.
    hole: (usize, usize),
}

impl Region {
    /// How many blocks it has.
    pub(super) const fn len(self) -> usize {
        self.all.1 - self.all.0 - (self.hole.1 - self.hole.0)
    }

    /// The two runs of numbers of its blocks.
    pub(super) const fn runs(self) -> [(usize, usize); 2] {
        [(self.all.0, self.hole.0), (self.hole.1, self.all.1)]
    }

    /// Whether another one has some of its blocks.
    pub(super) fn meets(self, other: Self) -> bool {
        let is_common = |(a, b): (usize, usize), (c, d): (usize, usize)| a.max(c) < b.min(d);
        self.runs().into_iter().any(|one| other.runs().into_iter().any(|run| is_common(one, run)))
    }
}

/// Dominators and loops of a program.
#[derive(Debug)]
pub(super) struct Flow {
    /// The nearest block through which every way from the entry leads is above each.
    pub(super) dominators: Forest,
    /// The nearest block through which every way to the exit leads is above each.
    pub(super) postdominators: Forest,
    /// By block, the innermost loop around it.
    innermost: Vec<Option<usize>>,
    /// The loop around each one is above it.
    loops: Forest,
    /// By loop, its header.
    headers: Vec<usize>,
    /// By block, the numbers of those that can run before it, sorted.
    sources: Vec<Vec<usize>>,
    /// By number of a block, where its ways out begin among those of all blocks.
    firsts: Vec<usize>,
    /// For each way out of the blocks in the order of their numbers, how deep the dominator of its target is, plus one.
    depths: Counts,
}

impl Flow {
    /// The facts about a program; `exit` is the only block that ends the thread.
    pub(super) fn of(program: &Program, exit: usize) -> Self {
        let predecessors = program.predecessors();
        let successors: Vec<Vec<usize>> =
            program.blocks.iter().map(|block| block.terminator.successors().collect()).collect();
        let dominators = Forest::new(immediate_dominators(&program.reverse_postorder(), &predecessors));
        let postdominators = Forest::new(immediate_dominators(&reverse_postorder(exit, &predecessors), &successors));
        let (innermost, around, headers) = natural_loops(&dominators, &predecessors);
        let mut sources = vec![Vec::new(); program.blocks.len()];
        let (mut firsts, mut depths) = (vec![0], Vec::new());
        for (number, block) in dominators.order.iter().enumerate() {
            for &next in &successors[*block] {
                sources[next].push(number);
                depths.push(dominators.above[next].map_or(0, |above| dominators.depth[above] + 1));
            }
            firsts.push(depths.len());
        }
        let (loops, depths) = (Forest::new(around), Counts::new(depths));
        Self { dominators, postdominators, innermost, loops, headers, sources, firsts, depths }
    }

    /// How many loops a block is in.
    pub(super) fn depth(&self, block: usize) -> usize {
        self.innermost[block].map_or(0, |one| self.loops.depth[one] + 1)
    }

    /// The number of a block in the order of dominators.
    pub(super) fn number(&self, block: usize) -> usize {
        self.dominators.number[block]
    }

    /// The header of the outermost loop around a block that another one is outside of.
    pub(super) fn left_loop(&self, inside: usize, outside: usize) -> Option<usize> {
        let is_around =
            |one: usize| self.innermost[outside].is_some_and(|innermost| self.loops.is_above(one, innermost));
        let mut found = self.innermost[inside].filter(|one| !is_around(*one))?;
        while let Some(around) = self.loops.above[found].filter(|one| !is_around(*one)) {
            found = around;
        }
        Some(self.headers[found])
    }

    /// The blocks from an entry up to an exit, if they are entered and left there only. With `has_loop` they may return to the
    /// entry.
    ///
    /// A target lies outside of what the entry dominates, or is the entry, where the target's dominator is above the entry.
    pub(super) fn region(&self, entry: usize, exit: usize, has_loop: bool) -> Option<Region> {
        let tree = &self.dominators;
        let all = (tree.number[entry], tree.end[entry]);
        let has_hole = entry != exit && tree.is_above(entry, exit);
        let hole = if has_hole { (tree.number[exit], tree.end[exit]) } else { (all.1, all.1) };
        let depth = tree.depth[entry];
        let returning = if has_loop { self.going(all, entry) - self.going(hole, entry) } else { 0 };
        let arriving = if has_hole { 0 } else { self.going(all, exit) };
        let is_left = self.leaving(all, depth) - self.leaving(hole, depth) != returning + arriving;
        (!is_left && !self.is_entered(entry, exit)).then_some(Region { entry, all, hole })
    }

    /// Whether the blocks from an entry to an exit below it are entered from behind the exit. If so, those from any block
    /// above the entry are, too.
    pub(super) fn is_entered(&self, entry: usize, exit: usize) -> bool {
        let tree = &self.dominators;
        let behind = (tree.number[exit], tree.end[exit]);
        let (inner, outer) = (tree.depth[exit], tree.depth[entry]);
        entry != exit
            && tree.is_above(entry, exit)
            && self.leaving(behind, inner) - self.leaving(behind, outer) != self.going(behind, exit)
    }

    /// The ways from blocks with these numbers out of what one at a depth dominates, or to that one.
    fn leaving(&self, (start, end): (usize, usize), depth: usize) -> usize {
        self.depths.below(self.firsts[start], self.firsts[end], depth + 1)
    }

    /// The ways from blocks with these numbers to a block.
    fn going(&self, (start, end): (usize, usize), to: usize) -> usize {
        let place = |number| self.sources[to].partition_point(|source| *source < number);
        place(end) - place(start)
    }
}

/// By block the innermost loop, by loop the one around it, and its header.
fn natural_loops(
    dominators: &Forest,
    predecessors: &[Vec<usize>],
) -> (Vec<Option<usize>>, Vec<Option<usize>>, Vec<usize>) {
    let mut innermost: Vec<Option<usize>> = vec![None; predecessors.len()];
    let (mut around, mut headers): (Vec<Option<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    // By loop, one around it, which is found faster than one after the other.
    let mut outer: Vec<usize> = Vec::new();
    // Inner loops first: their headers follow those of outer ones.
    for &header in dominators.order.iter().rev() {
        let mut pending: Vec<usize> =
            predecessors[header].iter().copied().filter(|end| dominators.is_above(header, *end)).collect();
        if pending.is_empty() {
            continue;
        }
        let this = headers.len();
        headers.push(header);
        around.push(None);
        outer.push(this);
        innermost[header] = Some(this);
        while let Some(block) = pending.pop() {
            let Some(mut known) = innermost[block] else {
                innermost[block] = Some(this);
                pending.extend(&predecessors[block]);
                continue;
            };
            while outer[known] != known {
                outer[known] = outer[outer[known]];
                known = outer[known];
            }
            if known != this {
                (around[known], outer[known]) = (Some(this), this);
                pending.extend(&predecessors[headers[known]]);
            }
        }
    }
    (innermost, around, headers)
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
