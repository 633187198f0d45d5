//! Schedules a fragment program on the two shader units of a quad pipe: passes, slots, registers, clocks.
//!
//! The schedule depends on the program alone. How often each part ran comes as counts, by the numbers of
//! [`FragmentProgram::numbered_blocks`].

pub use super::fragment_costs::{ClockBounds, FlowCost, RunSchedule};
use super::fragment_passes::pack;
pub use super::fragment_passes::{Obstacle, Pass, Place, PlacedStep};
pub use super::fragment_pressure::RegisterPressure;
pub use super::fragment_steps::UnitPart;
use super::fragment_steps::{Step, steps_of};
use super::shader_units::ShaderUnits;
use super::{fragment_bounds, fragment_pressure};
pub use crate::shader::fragment::FragmentOutputs;
use crate::shader::fragment::{FragmentNode, FragmentOperation, FragmentOperationKind, FragmentProgram};
use crate::shader::fragment_blocks::FragmentBlocks;

/// A program on the shader units.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct FragmentSchedule {
    /// The runs of operations, by number.
    pub runs: Vec<RunSchedule>,
    /// The cost of the flow instructions, by number.
    pub flows: Vec<FlowCost>,
    /// The registers that it needs.
    pub registers: RegisterPressure,
    /// Quads that a pipe keeps in flight with the registers that it names.
    pub quads_in_flight: u32,
    /// Quads that a pipe would keep in flight if only the live registers were reserved.
    pub quads_if_packed: u32,
    /// Its texture fetches, in program order.
    pub lookups: Vec<Lookup>,
    /// Clocks that a quad takes.
    pub clocks: ClockBounds,
}

/// A texture fetch, and how long it may take before the pipe waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Lookup {
    /// The run.
    pub run: usize,
    /// Position of the operation in the run.
    pub operation: usize,
    /// The pass that requests it.
    pub pass: usize,
    /// The pass of the run that first reads the result; `None` if no operation in the run does.
    pub used_in: Option<usize>,
    /// Passes from the request to the use, at least one; to the end of the run if the use comes later.
    pub distance: u64,
    /// Clocks from the request to the use while all quads in flight take turns.
    pub hidden_clocks: u64,
}

/// How often the parts of a program ran. The unit of counting is arbitrary: [`FragmentSchedule::cycles`] returns
/// clocks for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FragmentCounts {
    /// Executions of each run.
    pub runs: Vec<u64>,
    /// Executions of each flow instruction, taken or not.
    pub flows: Vec<u64>,
    /// Iterations of each flow instruction that is a loop, over all executions; 0 for others.
    pub rounds: Vec<u64>,
}

/// Slots of passes and how many of them were used. Each counted pass offers one of each kind and channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct SlotUsage {
    /// Passes.
    pub passes: u64,
    /// Instructions in the two units; a pass can hold four.
    pub issued: u64,
    /// Multipliers of unit 1 in use, by channel; includes those that carry coordinates.
    pub unit_one: [u64; 4],
    /// RCP and RSQ in unit 1.
    pub reciprocal: u64,
    /// Texture fetches.
    pub texture: u64,
    /// Multiply-adders of unit 2 in use, by channel; includes the one that a special function replaces.
    pub unit_two: [u64; 4],
    /// Special functions in unit 2.
    pub special: u64,
    /// Normalizations at fp16.
    pub normalizer: u64,
}

impl FragmentCounts {
    /// The counts, derived from how often each block was entered. Blocks are numbered as in
    /// [`FragmentBlocks::block_count`] and [`ProgramNumbers`](crate::shader::fragment_blocks::ProgramNumbers) and are
    /// counted as a whole.
    #[must_use]
    pub fn of_entered(blocks: &FragmentBlocks<'_>, entered: &[u64]) -> Self {
        let count = |block: &usize| entered.get(*block).copied().unwrap_or(0);
        Self {
            runs: blocks.block_of_run.iter().map(count).collect(),
            flows: blocks.block_of_flow.iter().map(count).collect(),
            rounds: blocks.body_of_flow.iter().map(|body| body.as_ref().map_or(0, count)).collect(),
        }
    }
}

impl FragmentSchedule {
    /// The schedule of a program.
    #[must_use]
    pub fn new(program: &FragmentProgram, outputs: FragmentOutputs, units: &ShaderUnits) -> Self {
        let blocks = program.numbered_blocks();
        let registers = fragment_pressure::pressure(program, outputs);
        let quads_in_flight = units.quads_with(registers.named_halves);
        let mut lookups = Vec::new();
        let mut runs = Vec::with_capacity(blocks.runs.len());
        for (number, operations) in blocks.runs.iter().enumerate() {
            let (run, steps) = schedule_run(operations, units);
            lookups.extend(lookups_of(number, &run, &steps, quads_in_flight));
            runs.push(run);
        }
        let flows: Vec<FlowCost> = blocks.flows.iter().map(|node| flow_cost(node, units)).collect();
        let clocks = fragment_bounds::bounds(&blocks, &runs, &flows, units);
        Self {
            runs,
            flows,
            registers,
            quads_in_flight,
            quads_if_packed: units.quads_with(registers.live_halves),
            lookups,
            clocks,
        }
    }

    /// Passes of all runs, each run counted once.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.runs.iter().map(|run| run.passes.len()).sum()
    }

    /// Clocks for these counts. Missing counts are 0.
    #[must_use]
    pub fn cycles(&self, counts: &FragmentCounts) -> u64 {
        let runs = self.runs.iter().zip(&counts.runs);
        let straight = runs.map(|(run, &count)| count.saturating_mul(run.passes.len() as u64));
        let flow = self.flows.iter().zip(&counts.flows).enumerate().map(|(number, (cost, &count))| {
            let rounds = counts.rounds.get(number).copied().unwrap_or(0);
            let further = rounds.saturating_sub(count).saturating_mul(u64::from(cost.further_round));
            count.saturating_mul(u64::from(cost.each)).saturating_add(further)
        });
        straight.chain(flow).fold(0, u64::saturating_add)
    }

    /// The slots of all passes if run `i` ran `counts[i]` times.
    #[must_use]
    pub fn usage(&self, counts: &[u64]) -> SlotUsage {
        let mut usage = SlotUsage::default();
        for (run, &count) in self.runs.iter().zip(counts) {
            run.passes.iter().for_each(|pass| usage.add(pass, count));
        }
        usage
    }

    /// The latency in clocks that is hidden for every fetch; `None` without fetches.
    #[must_use]
    pub fn hidden_latency(&self) -> Option<u64> {
        self.lookups.iter().map(|lookup| lookup.hidden_clocks).min()
    }

    /// Whether every operation is executed exactly once, in order.
    #[must_use]
    pub const fn is_straight(&self) -> bool {
        self.flows.is_empty()
    }
}

fn schedule_run(operations: &[&FragmentOperation], units: &ShaderUnits) -> (RunSchedule, Vec<Step>) {
    let mut steps = Vec::with_capacity(operations.len());
    let (mut fences, mut fenced) = (Vec::new(), Vec::new());
    for (position, operation) in operations.iter().enumerate() {
        if matches!(operation.kind, FragmentOperationKind::Fence(_)) {
            fences.push(position);
            continue;
        }
        // Of several consecutive fences, the last one directly precedes the operation.
        if position > 0 && fences.last() == Some(&(position - 1)) {
            fenced.push(position);
        }
        steps.extend(steps_of(position, operation));
    }
    let passes = pack(&steps, &fenced, units);
    (RunSchedule { operations: operations.len(), fences, passes }, steps)
}

fn flow_cost(node: &FragmentNode, units: &ShaderUnits) -> FlowCost {
    let cycles = units.flow;
    let (each, further_round) = match node {
        FragmentNode::Operation(_) => (0, 0),
        FragmentNode::If { otherwise, .. } if otherwise.is_empty() => (cycles.if_endif, 0),
        FragmentNode::If { .. } => (cycles.if_else_endif, 0),
        FragmentNode::Loop { .. } => (cycles.loop_endloop, cycles.further_round),
        // The RET at the end of a subroutine is not a node of the tree.
        FragmentNode::Call { .. } => (cycles.call.saturating_add(cycles.ret), 0),
        FragmentNode::Break { .. } => (cycles.brk, 0),
        FragmentNode::Return { .. } => (cycles.ret, 0),
    };
    FlowCost { each, further_round }
}

/// A fetch whose result has not been read, and the lanes that still hold it.
struct Pending {
    lookup: Lookup,
    lanes: super::register_lanes::RegisterLanes,
}

fn lookups_of(run: usize, schedule: &RunSchedule, steps: &[Step], quads: u32) -> Vec<Lookup> {
    let mut found = Vec::new();
    let mut pending: Vec<Pending> = Vec::new();
    let mut finish = |lookup: Lookup, used_in: Option<usize>| {
        let end = used_in.unwrap_or(schedule.passes.len());
        let distance = end.saturating_sub(lookup.pass).max(1) as u64;
        found.push(Lookup { used_in, distance, hidden_clocks: distance.saturating_mul(u64::from(quads)), ..lookup });
    };
    let passes = schedule.passes.iter().enumerate().flat_map(|(pass, placed)| placed.steps.iter().map(move |_| pass));
    for (pass, step) in passes.zip(steps) {
        let reads = step.reads();
        pending.retain_mut(|waiting| {
            let is_read = waiting.lanes.meets(reads);
            if is_read {
                finish(waiting.lookup, Some(pass));
            } else if step.tests.is_none() {
                waiting.lanes = waiting.lanes.without(step.writes);
            }
            !is_read
        });
        if step.work == UnitPart::Texture && step.is_last() {
            let lookup = Lookup { run, operation: step.operation, pass, used_in: None, distance: 0, hidden_clocks: 0 };
            pending.push(Pending { lookup, lanes: step.writes });
        }
        // A result that is overwritten unread, or never written, delays nothing. Dropping it also bounds the list.
        let overwritten = |waiting: &Pending| waiting.lanes == super::register_lanes::RegisterLanes::default();
        for waiting in pending.extract_if(.., |waiting| overwritten(waiting)) {
            finish(waiting.lookup, None);
        }
    }
    for waiting in pending {
        finish(waiting.lookup, None);
    }
    found.sort_by_key(|lookup| lookup.operation);
    found
}

impl SlotUsage {
    /// Adds a pass that ran `count` times.
    fn add(&mut self, pass: &Pass, count: u64) {
        let (mut one, mut two) = (0, 0);
        self.passes = self.passes.saturating_add(count);
        for step in &pass.steps {
            let kind = match step.work {
                UnitPart::Reciprocal => Some(&mut self.reciprocal),
                UnitPart::Texture => Some(&mut self.texture),
                UnitPart::Special => Some(&mut self.special),
                UnitPart::Normalize => Some(&mut self.normalizer),
                UnitPart::Multiply | UnitPart::Add | UnitPart::Kill | UnitPart::Nothing => None,
            };
            if let Some(kind) = kind {
                *kind = kind.saturating_add(count);
            }
            match step.place {
                Place::UnitOne if step.work != UnitPart::Reciprocal => one |= step.channels,
                Place::UnitTwo if step.work != UnitPart::Special => two |= step.channels,
                _ => {}
            }
            if matches!(step.place, Place::UnitOne | Place::UnitTwo) {
                self.issued = self.issued.saturating_add(count);
            }
        }
        for step in &pass.steps {
            match step.work {
                UnitPart::Reciprocal => one = with_free(one, step.channels.count_ones()),
                // It occupies w, even if it writes nothing.
                UnitPart::Special => two = with_free(two, step.channels.count_ones().max(1)),
                _ => {}
            }
        }
        for channel in 0..4 {
            for (used, total) in [(one, &mut self.unit_one), (two, &mut self.unit_two)] {
                if used >> channel & 1 != 0 {
                    total[channel] = total[channel].saturating_add(count);
                }
            }
        }
    }
}

/// Adds `more` of the free channels to a set, starting with w.
fn with_free(channels: u8, more: u32) -> u8 {
    let free = (0..4).rev().filter(|channel| channels >> channel & 1 == 0);
    free.take(more as usize).fold(channels, |set, channel| set | 1 << channel)
}
