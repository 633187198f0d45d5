//! Facts about the flow between blocks: dominators, loops, and regions that lie between two blocks.

use super::ir::Program;

/// The nearest block through which every way from the start leads to each block, where there is one.
///
/// Source: Lengauer, Tarjan, "A Fast Algorithm for Finding Dominators in a Flowgraph", 1979, with simple linking.
fn immediate_dominators(start: usize, next: &[Vec<usize>], before: &[Vec<usize>]) -> Vec<Option<usize>> {
    let (order, parents) = depth_first(start, next);
    let mut numbers = vec![None; next.len()];
    for (number, block) in order.iter().enumerate() {
        numbers[*block] = Some(number);
    }
    // All by number of a block. Once all is done, `dominators` of those in a bucket is right or needs one more step.
    let mut paths = Paths::new(order.len());
    let mut buckets = vec![Vec::new(); order.len()];
    let mut dominators = vec![0; order.len()];
    for number in (1..order.len()).rev() {
        for one in before[order[number]].iter().filter_map(|block| numbers[*block]) {
            let least = paths.least(one);
            paths.semidominators[number] = paths.semidominators[number].min(paths.semidominators[least]);
        }
        buckets[paths.semidominators[number]].push(number);
        let parent = parents[number];
        paths.above[number] = Some(parent);
        for one in std::mem::take(&mut buckets[parent]) {
            let least = paths.least(one);
            let is_less = paths.semidominators[least] < paths.semidominators[one];
            dominators[one] = if is_less { least } else { parent };
        }
    }
    let mut found = vec![None; next.len()];
    for number in 1..order.len() {
        if dominators[number] != paths.semidominators[number] {
            dominators[number] = dominators[dominators[number]];
        }
        found[order[number]] = Some(order[dominators[number]]);
    }
    found
}

/// The blocks that are reached from a start, in the order of a depth-first search, and by number the number of the one that
/// each was reached from.
fn depth_first(start: usize, next: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let (mut seen, mut order, mut parents) = (vec![false; next.len()], Vec::new(), Vec::new());
    let mut stack = vec![(start, 0)];
    while let Some((block, parent)) = stack.pop() {
        if !std::mem::replace(&mut seen[block], true) {
            stack.extend(next[block].iter().map(|next| (*next, order.len())));
            order.push(block);
            parents.push(parent);
        }
    }
    (order, parents)
}

/// The ways up the tree of a depth-first search, as far as they are known, which grow shorter with use.
#[derive(Debug)]
struct Paths {
    /// By number, the least number from which a way over greater numbers leads there.
    semidominators: Vec<usize>,
    /// By number, some number above it.
    above: Vec<Option<usize>>,
    /// By number, that with the least semidominator from it up to `above`, which does not count.
    least: Vec<usize>,
}

impl Paths {
    fn new(count: usize) -> Self {
        Self { semidominators: (0..count).collect(), above: vec![None; count], least: (0..count).collect() }
    }

    /// The number with the least semidominator from one up to the root of its tree, which does not count.
    fn least(&mut self, number: usize) -> usize {
        let mut path = vec![number];
        while let Some(above) = self.above[path[path.len() - 1]] {
            path.push(above);
        }
        path.pop();
        for pair in path.windows(2).rev() {
            let [one, above] = [pair[0], pair[1]];
            if self.semidominators[self.least[above]] < self.semidominators[self.least[one]] {
                self.least[one] = self.least[above];
            }
            self.above[one] = self.above[above];
        }
        self.least[number]
    }
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

    /// The number of the node above one, plus one; 0 if there is none.
    fn number_above(&self, node: usize) -> usize {
        self.above[node].map_or(0, |above| self.number[above] + 1)
    }

    /// Whether a node is another one or is above it.
    pub(super) fn is_above(&self, one: usize, other: usize) -> bool {
        (self.number[one]..self.end[one]).contains(&self.number[other])
    }
}

/// A list of numbers, and how they compare to a limit in any part of it.
#[derive(Debug)]
struct Numbers {
    /// The list, then halves of it sorted, then quarters, and so on from the smallest parts up.
    levels: Vec<Vec<usize>>,
}

impl Numbers {
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

    /// The numbers from one place to another, in few sorted parts.
    fn parts(&self, mut start: usize, end: usize) -> impl Iterator<Item = &[usize]> {
        std::iter::from_fn(move || {
            let size = (start < end).then(|| {
                let level = (start.trailing_zeros() as usize).min(self.levels.len() - 1);
                level.min((end - start).ilog2() as usize)
            })?;
            let part = &self.levels[size][start..start + (1 << size)];
            start += part.len();
            Some(part)
        })
    }

    /// How many of the numbers from one place to another are below a limit.
    fn below(&self, start: usize, end: usize, limit: usize) -> usize {
        self.parts(start, end).map(|part| part.partition_point(|number| *number < limit)).sum()
    }

    /// The least of the numbers from one place to another that is not below a limit.
    fn least(&self, start: usize, end: usize, limit: usize) -> Option<usize> {
        let least = |part: &[usize]| part.get(part.partition_point(|number| *number < limit)).copied();
        self.parts(start, end).filter_map(least).min()
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
    /// For each way out of the blocks in the order of their numbers, the number of its target's dominator, plus one.
    targets: Numbers,
}

impl Flow {
    /// The facts about a program; `exit` is the only block that ends the thread.
    pub(super) fn of(program: &Program, exit: usize) -> Self {
        let predecessors = program.predecessors();
        let successors: Vec<Vec<usize>> =
            program.blocks.iter().map(|block| block.terminator.successors().collect()).collect();
        let dominators = Forest::new(immediate_dominators(0, &successors, &predecessors));
        let postdominators = Forest::new(immediate_dominators(exit, &predecessors, &successors));
        let (innermost, around, headers) = natural_loops(&dominators, &predecessors);
        let mut sources = vec![Vec::new(); program.blocks.len()];
        let (mut firsts, mut targets) = (vec![0], Vec::new());
        for (number, block) in dominators.order.iter().enumerate() {
            for &next in &successors[*block] {
                sources[next].push(number);
                targets.push(dominators.number_above(next));
            }
            firsts.push(targets.len());
        }
        let (loops, targets) = (Forest::new(around), Numbers::new(targets));
        Self { dominators, postdominators, innermost, loops, headers, sources, firsts, targets }
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
        let region = self.between(entry, exit);
        let Region { all, hole, .. } = region;
        let returning = if has_loop { self.going(all, entry) - self.going(hole, entry) } else { 0 };
        let arriving = if hole.0 < hole.1 { 0 } else { self.going(all, exit) };
        let is_left = self.leaving(all, entry) - self.leaving(hole, entry) != returning + arriving;
        (!is_left && !self.is_entered(entry, exit)).then_some(region)
    }

    /// The blocks from an entry up to an exit, wherever they are entered and left.
    fn between(&self, entry: usize, exit: usize) -> Region {
        let tree = &self.dominators;
        let all = (tree.number[entry], tree.end[entry]);
        let has_hole = entry != exit && tree.is_above(entry, exit);
        let hole = if has_hole { (tree.number[exit], tree.end[exit]) } else { (all.1, all.1) };
        Region { entry, all, hole }
    }

    /// The nearest block above an entry from which the blocks up to an exit may be left at the exit only, if those from the
    /// entry are left elsewhere. It is the dominator of the farthest target: the blocks from any nearer one have that target,
    /// too.
    pub(super) fn wider_entry(&self, entry: usize, exit: usize) -> Option<usize> {
        let region = self.between(entry, exit);
        let above_exit = self.dominators.number_above(exit);
        let is_left_far = self.going(region.all, exit) != self.below(region.all, above_exit + 1);
        let limit = if is_left_far { 0 } else { above_exit + 1 };
        let least = |(start, end): (usize, usize)| self.targets.least(self.firsts[start], self.firsts[end], limit);
        let farthest = region.runs().into_iter().filter_map(least).min()?;
        let number = farthest.checked_sub(1).filter(|number| *number < self.number(entry))?;
        Some(self.dominators.order[number])
    }

    /// Whether the blocks from an entry to an exit below it are entered from behind the exit. If so, those from any block
    /// above the entry are, too.
    pub(super) fn is_entered(&self, entry: usize, exit: usize) -> bool {
        let tree = &self.dominators;
        let behind = (tree.number[exit], tree.end[exit]);
        entry != exit
            && tree.is_above(entry, exit)
            && self.leaving(behind, exit) - self.leaving(behind, entry) != self.going(behind, exit)
    }

    /// The ways from blocks with these numbers, which one dominates, to that one or out of what it dominates.
    fn leaving(&self, blocks: (usize, usize), dominator: usize) -> usize {
        self.below(blocks, self.number(dominator) + 1)
    }

    /// The ways from blocks with these numbers to targets whose dominator's number, plus one, is below a limit.
    fn below(&self, (start, end): (usize, usize), limit: usize) -> usize {
        self.targets.below(self.firsts[start], self.firsts[end], limit)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks that are reached from the first one around another one.
    fn reached_around(next: &[Vec<usize>], left_out: Option<usize>) -> Vec<bool> {
        let mut reached = vec![false; next.len()];
        let mut stack = vec![0];
        while let Some(block) = stack.pop().filter(|_| left_out != Some(0)) {
            if Some(block) != left_out && !std::mem::replace(&mut reached[block], true) {
                stack.extend(&next[block]);
            }
        }
        reached
    }

    /// The nearest dominators by definition: a block dominates those that are not reached around it.
    fn by_definition(next: &[Vec<usize>]) -> Vec<Option<usize>> {
        let count = next.len();
        let reached = reached_around(next, None);
        let around: Vec<_> = (0..count).map(|block| reached_around(next, Some(block))).collect();
        let dominates = |one: usize, other: usize| reached[one] && one != other && !around[one][other];
        let nearest = |block: usize| {
            let all: Vec<_> = (0..count).filter(|one| reached[block] && dominates(*one, block)).collect();
            all.iter().copied().find(|one| all.iter().all(|other| one == other || dominates(*other, *one)))
        };
        (0..count).map(nearest).collect()
    }

    #[test]
    fn dominators_are_those_of_the_definition() {
        for seed in 0..20_000_u64 {
            let count = 2 + (seed % 9) as usize;
            let mut state = seed;
            let mut random = |limit: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % limit
            };
            let next: Vec<Vec<usize>> = (0..count).map(|_| (0..random(3)).map(|_| random(count)).collect()).collect();
            let mut before = vec![Vec::new(); count];
            for (block, targets) in next.iter().enumerate() {
                targets.iter().for_each(|target| before[*target].push(block));
            }
            assert_eq!(immediate_dominators(0, &next, &before), by_definition(&next), "{next:?}");
        }
    }
}
