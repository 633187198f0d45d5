//! Computes how many registers a fragment program needs: those that it names, and those live at once.
//!
//! Liveness is computed backwards through the tree. As no lane influences another, one visit of a loop's body
//! finds what is live around the loop. A subroutine is summarized by what it makes live before it when nothing,
//! and when everything, is live after it.

use super::fragment_steps::lanes_of;
use super::register_lanes::RegisterLanes;
use crate::shader::condition::{Relation, WriteMask};
use crate::shader::fragment::{Block, FragmentNode, FragmentOperation, FragmentOutputs, FragmentProgram};
use crate::shader::fragment_blocks::operations;

/// The lanes that hold a program's outputs for the ROP.
fn output_lanes(outputs: FragmentOutputs) -> RegisterLanes {
    let colors = outputs.color_registers().map(|register| RegisterLanes::of(register, WriteMask::ALL));
    let depth = outputs.exports_depth.then(|| RegisterLanes::of(FragmentOutputs::DEPTH, WriteMask(0b0100)));
    colors.chain(depth).fold(RegisterLanes::default(), RegisterLanes::union)
}

/// Registers in halves (fp16×4); two are one register of fp32×4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct RegisterPressure {
    /// Half registers up to the highest one that the program names; a driver reserves these.
    pub named_halves: u32,
    /// The most half registers live at once between two operations.
    pub live_halves: u32,
}

/// The registers of a program.
pub(super) fn pressure(program: &FragmentProgram, outputs: FragmentOutputs) -> RegisterPressure {
    let named = operations(program.blocks())
        .map(lanes_of)
        .fold(RegisterLanes::default(), |lanes, (reads, writes)| lanes.union(reads).union(writes));
    let mut liveness = Liveness {
        program,
        summaries: vec![None; program.subroutines.len()],
        behind_calls: vec![RegisterLanes::default(); program.subroutines.len()],
        is_recording: true,
        most: 0,
    };
    // An output that nothing writes needs no register.
    let end = output_lanes(outputs).intersection(named);
    liveness.record(end);
    let exits = Exits { broken: end, returned: end };
    liveness.block(&program.body, end, exits);
    for subroutine in callers_first(program) {
        let behind = liveness.behind_calls[subroutine];
        let exits = Exits { broken: behind, returned: behind };
        liveness.block(&program.subroutines[subroutine], behind, exits);
    }
    RegisterPressure { named_halves: named.highest_half_register(), live_halves: liveness.most }
}

/// Called subroutines, each after all its callers.
fn callers_first(program: &FragmentProgram) -> Vec<usize> {
    let mut is_seen = vec![false; program.subroutines.len()];
    let mut order = Vec::new();
    finish_calls(program, &program.body, &mut is_seen, &mut order);
    order.reverse();
    order
}

fn finish_calls(program: &FragmentProgram, block: &Block, is_seen: &mut [bool], order: &mut Vec<usize>) {
    for node in block {
        match node {
            FragmentNode::If { then, otherwise, .. } => {
                finish_calls(program, then, is_seen, order);
                finish_calls(program, otherwise, is_seen, order);
            }
            FragmentNode::Loop { body, .. } => finish_calls(program, body, is_seen, order),
            FragmentNode::Call { subroutine, .. } => {
                if let (Some(seen @ false), Some(body)) =
                    (is_seen.get_mut(*subroutine), program.subroutines.get(*subroutine))
                {
                    *seen = true;
                    finish_calls(program, body, is_seen, order);
                    order.push(*subroutine);
                }
            }
            FragmentNode::Operation(_) | FragmentNode::Break { .. } | FragmentNode::Return { .. } => {}
        }
    }
}

/// What is live where fragments leave a loop, and where they leave a routine.
#[derive(Clone, Copy)]
struct Exits {
    broken: RegisterLanes,
    returned: RegisterLanes,
}

/// What is live before a subroutine.
#[derive(Clone, Copy, Default)]
struct Summary {
    /// If nothing is live after it.
    needed: RegisterLanes,
    /// If everything is live after it.
    kept: RegisterLanes,
}

struct Liveness<'program> {
    program: &'program FragmentProgram,
    summaries: Vec<Option<Summary>>,
    /// What is live after the calls of each subroutine.
    behind_calls: Vec<RegisterLanes>,
    is_recording: bool,
    most: u32,
}

impl Liveness<'_> {
    fn record(&mut self, live: RegisterLanes) {
        if self.is_recording {
            self.most = self.most.max(live.half_registers());
        }
    }

    /// Runs something without recording.
    fn quietly<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let was_recording = std::mem::replace(&mut self.is_recording, false);
        let result = run(self);
        self.is_recording = was_recording;
        result
    }

    /// What is live before a block if `live` is live after it.
    fn block(&mut self, block: &Block, mut live: RegisterLanes, exits: Exits) -> RegisterLanes {
        for node in block.iter().rev() {
            live = match node {
                FragmentNode::Operation(operation) => before(operation, live),
                FragmentNode::If { then, otherwise, .. } => {
                    let taken = self.block(then, live, exits);
                    taken.union(self.block(otherwise, live, exits))
                }
                FragmentNode::Loop { body, .. } => {
                    let inner = Exits { broken: live, ..exits };
                    let around = live.union(self.quietly(|liveness| liveness.block(body, live, inner)));
                    if self.is_recording {
                        self.record(around);
                        self.block(body, around, inner);
                    }
                    around
                }
                FragmentNode::Call { condition, subroutine } => {
                    let summary = self.summary(*subroutine);
                    if self.is_recording
                        && let Some(behind) = self.behind_calls.get_mut(*subroutine)
                    {
                        *behind = behind.union(live);
                    }
                    let before = summary.needed.union(live.intersection(summary.kept));
                    if condition.relation == Relation::Always { before } else { before.union(live) }
                }
                FragmentNode::Break { condition } => left(*condition, live, exits.broken),
                FragmentNode::Return { condition } => left(*condition, live, exits.returned),
            };
            self.record(live);
        }
        live
    }

    fn summary(&mut self, subroutine: usize) -> Summary {
        let Some(body) = self.program.subroutines.get(subroutine) else {
            return Summary { kept: RegisterLanes::ALL, ..Summary::default() };
        };
        if let Some(summary) = self.summaries[subroutine] {
            return summary;
        }
        // Decoded programs have no recursion; any recursion would end here.
        self.summaries[subroutine] = Some(Summary { kept: RegisterLanes::ALL, ..Summary::default() });
        let behind = |lanes| Exits { broken: lanes, returned: lanes };
        let none = RegisterLanes::default();
        let summary = self.quietly(|liveness| Summary {
            needed: liveness.block(body, none, behind(none)),
            kept: liveness.block(body, RegisterLanes::ALL, behind(RegisterLanes::ALL)),
        });
        self.summaries[subroutine] = Some(summary);
        summary
    }
}

fn left(
    condition: crate::shader::condition::ConditionTest,
    live: RegisterLanes,
    outside: RegisterLanes,
) -> RegisterLanes {
    match condition.relation {
        Relation::Always => outside,
        Relation::Never => live,
        _ => live.union(outside),
    }
}

/// What is live before an operation. A conditional write may keep the old value, so that stays live.
fn before(operation: &FragmentOperation, live: RegisterLanes) -> RegisterLanes {
    let (reads, writes) = lanes_of(operation);
    let written = if operation.condition.relation == Relation::Always { writes } else { RegisterLanes::default() };
    live.without(written).union(reads)
}
