//! Which registers hold values at the same time, and so must lie apart.
//!
//! Values are followed per component, backwards through blocks, loops and calls, until nothing changes; a last pass
//! notes what is alive wherever something is written.

use std::collections::{BTreeMap, BTreeSet};

use super::code::{FragmentCode, Instruction, Node, Register, SourceKind};
use crate::asm::diagnostic::Span;
use crate::shader::condition::{ConditionTest, Relation, WriteMask};

/// The 48 full registers in halves, the size of a half register.
pub(super) const HALVES: usize = 96;

/// The components of each register that are read later.
type Live = BTreeMap<Register, u8>;

/// Which registers may not share a place, by register.
pub(super) type Neighbors = Vec<BTreeSet<Register>>;

/// More values are alive at once than the register file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TooManyLive {
    /// The statement at which they are.
    pub(super) span: Span,
}

/// Finds the registers that may not share a place.
pub(super) fn neighbors(code: &FragmentCode) -> Result<Neighbors, TooManyLive> {
    let mut results = Live::new();
    for block in std::iter::once(&code.body).chain(&code.routines) {
        written_results(code, block, &mut results);
    }
    let mut liveness = Liveness {
        code,
        results,
        heads: vec![Live::new(); code.loops],
        entries: vec![Live::new(); code.routines.len()],
        exits: vec![Live::new(); code.routines.len()],
        has_changed: true,
        neighbors: None,
        span: 0..0,
    };
    while liveness.has_changed {
        liveness.has_changed = false;
        liveness.pass()?;
    }
    liveness.neighbors = Some(vec![BTreeSet::new(); code.registers.len()]);
    liveness.pass()?;
    Ok(liveness.neighbors.unwrap_or_default())
}

/// Adds the components of results that a block writes.
fn written_results(code: &FragmentCode, block: &[Node], results: &mut Live) {
    for node in block {
        match node {
            Node::Instruction(instruction) => {
                if let Some(register) = instruction.destination.filter(|&register| code.row(register).place.is_some()) {
                    *results.entry(register).or_default() |= instruction.mask.0;
                }
            }
            Node::If { then, otherwise, .. } => {
                written_results(code, then, results);
                written_results(code, otherwise, results);
            }
            Node::Loop { body, .. } => written_results(code, body, results),
            Node::Call { .. } | Node::Break { .. } | Node::Return { .. } => {}
        }
    }
}

struct Liveness<'code> {
    code: &'code FragmentCode,
    /// What the program leaves behind.
    results: Live,
    /// What is alive where a round of each loop begins.
    heads: Vec<Live>,
    /// What is alive where each routine begins, and where it returns to.
    entries: Vec<Live>,
    exits: Vec<Live>,
    has_changed: bool,
    /// Collected in the last pass.
    neighbors: Option<Neighbors>,
    /// The statement that was looked at last.
    span: Span,
}

/// What is alive at the places that BRK and RET go to.
#[derive(Clone, Copy)]
struct Targets<'live> {
    loop_exit: &'live Live,
    routine_exit: &'live Live,
}

impl Liveness<'_> {
    fn pass(&mut self) -> Result<(), TooManyLive> {
        let results = self.results.clone();
        let targets = Targets { loop_exit: &results, routine_exit: &results };
        self.block(&self.code.body, results.clone(), targets)?;
        (0..self.code.routines.len()).try_for_each(|index| self.routine(index))
    }

    /// Follows a routine. It calls none that calls it, which was checked before.
    fn routine(&mut self, index: usize) -> Result<(), TooManyLive> {
        let code = self.code;
        let exit = self.exits[index].clone();
        let entry =
            self.block(&code.routines[index], exit.clone(), Targets { loop_exit: &exit, routine_exit: &exit })?;
        self.has_changed |= self.entries[index] != entry;
        self.entries[index] = entry;
        Ok(())
    }

    /// What is alive before a block behind which `live` is.
    fn block(&mut self, block: &[Node], mut live: Live, targets: Targets<'_>) -> Result<Live, TooManyLive> {
        for node in block.iter().rev() {
            match node {
                Node::Instruction(instruction) => self.instruction(instruction, &mut live)?,
                Node::If { then, otherwise, .. } => {
                    let other = self.block(otherwise, live.clone(), targets)?;
                    live = self.block(then, live, targets)?;
                    unite(&mut live, &other);
                }
                Node::Loop { body, id, .. } => {
                    let mut behind_round = self.heads[*id].clone();
                    unite(&mut behind_round, &live);
                    let inner = Targets { loop_exit: &live, ..targets };
                    let head = self.block(body, behind_round, inner)?;
                    self.has_changed |= unite(&mut self.heads[*id], &head);
                    unite(&mut live, &head);
                }
                Node::Call { condition, routine } => {
                    if unite(&mut self.exits[*routine], &live) {
                        self.has_changed = true;
                        // At once, so that a row of calls does not take a pass for each of them.
                        self.routine(*routine)?;
                    }
                    live = when(*condition, live, &self.entries[*routine]);
                }
                Node::Break { condition } => live = when(*condition, live, targets.loop_exit),
                Node::Return { condition } => live = when(*condition, live, targets.routine_exit),
            }
        }
        Ok(live)
    }

    fn instruction(&mut self, instruction: &Instruction, live: &mut Live) -> Result<(), TooManyLive> {
        self.span.clone_from(&instruction.span);
        if let Some(destination) = instruction.destination {
            if let Some(neighbors) = &mut self.neighbors {
                for &other in live.keys().filter(|&&other| other != destination) {
                    neighbors[destination.0 as usize].insert(other);
                    neighbors[other.0 as usize].insert(destination);
                }
            }
            if instruction.condition.relation == Relation::Always
                && let Some(components) = live.get_mut(&destination)
            {
                *components &= !instruction.mask.0;
                if *components == 0 {
                    live.remove(&destination);
                }
            }
        }
        for (source, mask) in instruction.sources.iter().zip(instruction.reads) {
            if let SourceKind::Register(register) = source.kind {
                let WriteMask(components) = source.components(mask);
                if components != 0 {
                    *live.entry(register).or_default() |= components;
                }
            }
        }
        // Each register takes at least half of a full one.
        if live.len() > HALVES { Err(TooManyLive { span: instruction.span.clone() }) } else { Ok(()) }
    }
}

/// What is alive before a transfer to a place with `target`, with `live` behind it when it is not taken.
fn when(condition: ConditionTest, mut live: Live, target: &Live) -> Live {
    if condition.relation == Relation::Always {
        return target.clone();
    }
    unite(&mut live, target);
    live
}

/// Adds `more`; whether that changes anything.
fn unite(live: &mut Live, more: &Live) -> bool {
    let mut has_changed = false;
    for (&register, &components) in more {
        let known = live.entry(register).or_default();
        has_changed |= *known | components != *known;
        *known |= components;
    }
    has_changed
}
