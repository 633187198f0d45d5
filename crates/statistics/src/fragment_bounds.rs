//! Computes the least and the most clocks of a fragment program from a tree of costs that follows its flow.

use super::fragment_costs::{ClockBounds, FlowCost, RunSchedule};
use super::shader_units::ShaderUnits;
use crate::shader::condition::Relation;
use crate::shader::fragment::FragmentNode;
use crate::shader::fragment_blocks::{BlockPart, FragmentBlocks};

/// The bounds of a program.
pub(super) fn bounds(
    blocks: &FragmentBlocks<'_>,
    runs: &[RunSchedule],
    flows: &[FlowCost],
    units: &ShaderUnits,
) -> ClockBounds {
    let count = blocks.subroutines.len();
    let mut costs =
        Costs { blocks, runs, flows, call: u64::from(units.flow.call), known: vec![ClockBounds::NONE; count] };
    let mut is_known = vec![false; count];
    costs.know_calls(&blocks.body, &mut is_known);
    costs.routine(&blocks.body)
}

impl ClockBounds {
    const NONE: Self = Self { fewest: 0, most: 0 };
}

/// The fewest clocks for each way to leave a block; `None` if the block is never left that way.
#[derive(Clone, Copy)]
struct Ways {
    falls: Option<u64>,
    breaks: Option<u64>,
    returns: Option<u64>,
    most: u64,
}

impl Ways {
    const fn straight(fewest: u64, most: u64) -> Self {
        Self { falls: Some(fewest), breaks: None, returns: None, most }
    }
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

fn plus(a: Option<u64>, b: u64) -> Option<u64> {
    a.map(|a| a.saturating_add(b))
}

/// Whether a test can pass, and whether it can fail.
const fn outcomes(relation: Relation) -> (bool, bool) {
    (!matches!(relation, Relation::Never), !matches!(relation, Relation::Always))
}

struct Costs<'program> {
    blocks: &'program FragmentBlocks<'program>,
    runs: &'program [RunSchedule],
    flows: &'program [FlowCost],
    call: u64,
    /// Bounds of the subroutines, callees first.
    known: Vec<ClockBounds>,
}

impl Costs<'_> {
    /// Finds the bounds of all that a block calls.
    fn know_calls(&mut self, parts: &[BlockPart], is_known: &mut [bool]) {
        for part in parts {
            match part {
                BlockPart::If { then, otherwise, .. } => {
                    self.know_calls(then, is_known);
                    self.know_calls(otherwise, is_known);
                }
                BlockPart::Loop { body, .. } => self.know_calls(body, is_known),
                BlockPart::Call { subroutine, .. } => {
                    let blocks = self.blocks;
                    if let (Some(known @ false), Some(body)) =
                        (is_known.get_mut(*subroutine), blocks.subroutines.get(*subroutine))
                    {
                        *known = true;
                        self.know_calls(body, is_known);
                        self.known[*subroutine] = self.routine(body);
                    }
                }
                BlockPart::Run { .. } | BlockPart::Break { .. } | BlockPart::Return { .. } => {}
            }
        }
    }

    fn routine(&self, parts: &[BlockPart]) -> ClockBounds {
        let ways = self.block(parts);
        ClockBounds { fewest: least(ways.falls, ways.returns).unwrap_or(0), most: ways.most }
    }

    fn block(&self, parts: &[BlockPart]) -> Ways {
        let mut all = Ways::straight(0, 0);
        for part in parts {
            let ways = self.part(part);
            all.most = all.most.saturating_add(ways.most);
            if let Some(before) = all.falls {
                all.breaks = least(all.breaks, plus(ways.breaks, before));
                all.returns = least(all.returns, plus(ways.returns, before));
                all.falls = plus(ways.falls, before);
            }
        }
        all
    }

    fn part(&self, part: &BlockPart) -> Ways {
        let cost = |flow: usize| self.flows.get(flow).map_or(0, |cost| u64::from(cost.each));
        match part {
            BlockPart::Run { run } => {
                let passes = self.runs.get(*run).map_or(0, |run| run.passes.len() as u64);
                Ways::straight(passes, passes)
            }
            BlockPart::If { flow, then, otherwise } => {
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                let (passes, fails) = outcomes(self.relation(*flow));
                let way = |way: fn(&Ways) -> Option<u64>| {
                    let taken = if passes { way(&then) } else { None };
                    plus(least(taken, if fails { way(&otherwise) } else { None }), cost(*flow))
                };
                let most = then.most.saturating_add(otherwise.most).saturating_add(cost(*flow));
                Ways { falls: way(|w| w.falls), breaks: way(|w| w.breaks), returns: way(|w| w.returns), most }
            }
            BlockPart::Loop { flow, body } => self.repeated(*flow, cost(*flow), &self.block(body)),
            BlockPart::Call { flow, subroutine } => {
                let called = self.known.get(*subroutine).copied().unwrap_or(ClockBounds::NONE);
                let (passes, fails) = outcomes(self.relation(*flow));
                let taken = cost(*flow).saturating_add(called.fewest);
                let fewest = least(passes.then_some(taken), fails.then_some(self.call));
                Ways::straight(fewest.unwrap_or(0), cost(*flow).saturating_add(called.most))
            }
            BlockPart::Break { flow } | BlockPart::Return { flow } => {
                let (passes, fails) = outcomes(self.relation(*flow));
                let leaves = passes.then_some(cost(*flow));
                let falls = fails.then_some(cost(*flow));
                let is_break = matches!(part, BlockPart::Break { .. });
                let (breaks, returns) = if is_break { (leaves, None) } else { (None, leaves) };
                Ways { falls, breaks, returns, most: cost(*flow) }
            }
        }
    }

    fn repeated(&self, flow: usize, cost: u64, body: &Ways) -> Ways {
        let Some(FragmentNode::Loop { count, .. }) = self.blocks.flows.get(flow) else {
            return Ways::straight(cost, cost);
        };
        let rounds = u64::from(*count);
        let further = u64::from(self.flows.get(flow).map_or(0, |cost| cost.further_round));
        let overhead = cost.saturating_add(further.saturating_mul(rounds.saturating_sub(1)));
        let (enters, skips) = outcomes(self.relation(flow));
        if rounds == 0 || !enters {
            return Ways::straight(cost, cost);
        }
        let all_rounds = plus(body.falls.map(|falls| falls.saturating_mul(rounds)), overhead);
        let left = least(all_rounds, plus(body.breaks, cost));
        Ways {
            falls: least(left, skips.then_some(cost)),
            breaks: None,
            returns: plus(body.returns, cost),
            most: body.most.saturating_mul(rounds).saturating_add(overhead),
        }
    }

    fn relation(&self, flow: usize) -> Relation {
        match self.blocks.flows.get(flow) {
            Some(
                FragmentNode::If { condition, .. }
                | FragmentNode::Loop { condition, .. }
                | FragmentNode::Call { condition, .. }
                | FragmentNode::Break { condition }
                | FragmentNode::Return { condition },
            ) => condition.relation,
            Some(FragmentNode::Operation(_)) | None => Relation::Always,
        }
    }
}
