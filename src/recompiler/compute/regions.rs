//! Orders the basic blocks of a program so that branches go forward, and finds its loops.

/// A basic block, or a loop of regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Region {
    /// The basic block of this number.
    Block(usize),
    /// Regions that can be reached from each other; the first one is where the loop is entered.
    Loop(Vec<Self>),
}

impl Region {
    /// How many basic blocks it has.
    pub(super) fn blocks(&self) -> usize {
        match self {
            Self::Block(_) => 1,
            Self::Loop(regions) => regions.iter().map(Self::blocks).sum(),
        }
    }
}

/// Orders blocks by their successors. The first successor of a block comes before the second one where both are possible.
pub(super) fn order(successors: &[Vec<usize>]) -> Vec<Region> {
    let all: Vec<usize> = (0..successors.len()).collect();
    order_named(&all, successors)
}

/// Lets the text of each loop begin after the last block of it at which a warp pauses, so that one pass gets from there to
/// the first such block.
pub(super) fn begin_after_pauses(regions: &mut [Region], pauses: &dyn Fn(usize) -> bool) {
    for region in regions {
        let Region::Loop(inner) = region else { continue };
        let pauses_after = |region: &Region| matches!(region, Region::Block(block) if pauses(*block));
        if let Some(last) = inner.iter().rposition(pauses_after) {
            let first = (last + 1) % inner.len();
            inner.rotate_left(first);
        }
        begin_after_pauses(inner, pauses);
    }
}

/// The same for blocks with names.
fn order_named(names: &[usize], successors: &[Vec<usize>]) -> Vec<Region> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (block, successors) in successors.iter().enumerate() {
        for successor in successors {
            predecessors[*successor].push(block);
        }
    }
    let mut is_placed = vec![false; successors.len()];
    // The number of a block in the loop that is being ordered.
    let mut inner = vec![usize::MAX; successors.len()];
    let mut regions = Vec::new();
    // In this order, what reaches a block backward and is not placed is reached from it, too.
    for block in postorder(successors).into_iter().rev() {
        if is_placed[block] {
            continue;
        }
        let mut members = reached(block, &predecessors, &mut is_placed);
        if members.len() == 1 && !successors[block].contains(&block) {
            regions.push(Region::Block(names[block]));
            continue;
        }
        members[1..].sort_unstable();
        for (number, member) in members.iter().enumerate() {
            inner[*member] = number;
        }
        // Without the branches back to its entry, the loop has an order.
        let own = |successor: &usize| *successor != block && inner[*successor] != usize::MAX;
        let inner_successors: Vec<Vec<usize>> = members
            .iter()
            .map(|member| successors[*member].iter().filter(|next| own(next)).map(|next| inner[*next]).collect())
            .collect();
        let inner_names: Vec<usize> = members.iter().map(|member| names[*member]).collect();
        for member in &members {
            inner[*member] = usize::MAX;
        }
        regions.push(Region::Loop(order_named(&inner_names, &inner_successors)));
    }
    regions
}

/// The blocks in the order in which a depth-first search leaves them.
fn postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut is_seen = vec![false; successors.len()];
    let mut left = Vec::new();
    for start in 0..successors.len() {
        let mut path = Vec::new();
        if !is_seen[start] {
            is_seen[start] = true;
            path.push((start, successors[start].len()));
        }
        // The last successor is searched first, so that the first one is left last.
        while let Some((block, rest)) = path.last_mut() {
            if *rest == 0 {
                left.push(*block);
                path.pop();
                continue;
            }
            *rest -= 1;
            let next = successors[*block][*rest];
            if !is_seen[next] {
                is_seen[next] = true;
                path.push((next, successors[next].len()));
            }
        }
    }
    left
}

/// The blocks that are reached over edges and not placed yet; places them.
fn reached(start: usize, edges: &[Vec<usize>], is_placed: &mut [bool]) -> Vec<usize> {
    is_placed[start] = true;
    let (mut found, mut open) = (vec![start], vec![start]);
    while let Some(block) = open.pop() {
        for next in &edges[block] {
            if !is_placed[*next] {
                is_placed[*next] = true;
                found.push(*next);
                open.push(*next);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(regions: &[Region]) -> String {
        let one = |region: &Region| match region {
            Region::Block(block) => block.to_string(),
            Region::Loop(regions) => format!("({})", text(regions)),
        };
        regions.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    fn ordered(successors: &[&[usize]]) -> String {
        text(&order(&successors.iter().map(|next| next.to_vec()).collect::<Vec<_>>()))
    }

    #[test]
    fn branches_go_forward() {
        // A branch to 2, else 1; both go to 3. The taken way comes first.
        assert_eq!(ordered(&[&[2, 1], &[3], &[3], &[]]), "0 2 1 3");
        // The text has the join in front of one side.
        assert_eq!(ordered(&[&[3, 2], &[], &[1], &[1]]), "0 3 2 1");
    }

    #[test]
    fn loops_nest() {
        assert_eq!(ordered(&[&[1], &[1, 2], &[]]), "0 (1) 2");
        // An outer loop 1..=4 with an inner one 2..=3.
        assert_eq!(ordered(&[&[1], &[2], &[3], &[2, 4], &[1, 5], &[]]), "0 (1 (2 3) 4) 5");
    }

    #[test]
    fn a_loop_with_two_entries_has_an_order() {
        let found = ordered(&[&[1, 2], &[2], &[1, 3], &[]]);
        assert!(found == "0 (1 2) 3" || found == "0 (2 1) 3", "{found}");
    }

    #[test]
    fn the_text_of_a_loop_begins_after_the_last_pause() {
        let mut found = order(&[vec![1], vec![2], vec![3], vec![1, 4], vec![]]);
        assert_eq!(text(&found), "0 (1 2 3) 4");
        begin_after_pauses(&mut found, &|block| block == 1 || block == 2);
        assert_eq!(text(&found), "0 (3 1 2) 4");
        begin_after_pauses(&mut found, &|block| block == 2);
        assert_eq!(text(&found), "0 (3 1 2) 4");
    }

    #[test]
    fn blocks_that_nothing_reaches_are_kept() {
        let found = order(&[vec![2], vec![2], vec![]]);
        assert_eq!(found.iter().map(Region::blocks).sum::<usize>(), 3);
        let long: Vec<Vec<usize>> =
            (1..=100_000).map(|next| if next < 100_000 { vec![next] } else { vec![] }).collect();
        assert_eq!(order(&long).len(), 100_000);
    }
}
