//! Times a vertex program on processors that execute in program order: the clocks of each instruction's stages, and why
//! it waits. `docs/shader-schedule.md` has the rules.
//!
//! Stages: prefetch, fetch, decode, read, execute, post-processing, write-back. A timetable shows them from read on. An
//! instruction enters the read stage a clock after the one before, whether or not it reads anything. It waits for
//! registers until the clock in which they are written back, and for units until they are free.
//!
//! Source: the vendor's hardware specifications of the vertex shader processor.

use std::collections::BTreeMap;

pub use super::vertex_issue::UnknownOperation;
use super::vertex_issue::{Issue, RegisterComponent, WrittenRegister};
use super::vertex_schedule::VertexBlockEnd;
use super::vertex_units::ArithmeticUnit;
use crate::shader::vertex::VertexProgram;
use crate::shader::vertex_blocks::BlockExit;
use crate::shader::vertex_blocks::VertexEdges;

/// Clocks before the first instruction of a program reads: a clock each for prefetch, fetch and decode.
// Unverified: that every vertex starts with an empty pipeline. A clock a stage is the least that the list of stages permits.
pub const FILL_CLOCKS: u32 = 3;

/// The numbers of the processors of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct TimetableParameters {
    /// Vertex processors.
    pub vertex_units: u32,
    /// Clocks before the first instruction of a program reads.
    pub fill: u32,
    /// Clocks that are lost where the next instruction is not the next word of the store.
    pub refetch: u32,
}

/// A program on processors that execute in order.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct VertexTimetable {
    /// The numbers of the processors.
    pub parameters: TimetableParameters,
    /// The basic blocks, by their index in [`VertexProgram::blocks`], each entered with an idle pipeline.
    pub blocks: Vec<TimedBlock>,
    #[serde(skip)]
    issues: Vec<Vec<Issue>>,
    /// The only path of a program without flow.
    #[serde(skip)]
    straight: Option<VertexEdges>,
}

/// A basic block. Its clocks are counted from 0, in which its first instruction may read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TimedBlock {
    /// The slot of its first instruction.
    pub first_slot: u16,
    /// Its instructions.
    pub instructions: Vec<TimedInstruction>,
    /// The first clock in which an instruction after it may read.
    pub issue_clocks: u32,
    /// The first clock in which none of its stages is busy.
    pub clocks: u32,
    /// How it ends. A branch includes the end of a scope.
    pub ends_by: VertexBlockEnd,
}

/// The stages of an instruction by clock.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TimedInstruction {
    /// Its slot in the program store.
    pub slot: u16,
    /// The clock in which it enters the pipeline after decode, in which it reads if it reads.
    pub clock: u32,
    /// Whether it reads registers.
    pub reads: bool,
    /// First and last clock of the execute stage.
    pub execute: [u32; 2],
    /// The units of that stage.
    pub units: Vec<UnitSpan>,
    /// The clock of the post-processing stage.
    pub post_process: Option<u32>,
    /// The clock in which it writes registers.
    pub write_back: Option<u32>,
    /// Why it did not enter a clock after the instruction before.
    pub stalls: Vec<Stall>,
}

/// Busy units of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct UnitSpan {
    /// The kind.
    pub unit: ArithmeticUnit,
    /// How many.
    pub copies: u32,
    /// The first clock.
    pub clock: u32,
    /// The number of clocks.
    pub clocks: u32,
}

/// Clocks that an instruction waits.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Stall {
    /// How many.
    pub clocks: u32,
    /// Why.
    #[serde(flatten)]
    pub cause: StallCause,
}

/// Why an instruction waits.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum StallCause {
    /// A register that it reads is not written back.
    Read {
        /// The register with the components that are written last.
        register: String,
        /// The slot of the instruction that writes them.
        written_by: u16,
    },
    /// It would write a register before an earlier instruction does.
    Write {
        /// The register with its components.
        register: String,
        /// The slot of the earlier instruction.
        written_by: u16,
    },
    /// Units are busy.
    Unit {
        /// The kind.
        unit: ArithmeticUnit,
    },
}

/// Clocks of a processor by what they are spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct VertexClocks {
    /// Filling the pipeline at the start of programs.
    pub fill: u64,
    /// Instructions, a clock each.
    pub instructions: u64,
    /// Waiting for registers.
    pub register_stalls: u64,
    /// Waiting for units.
    pub unit_stalls: u64,
    /// Fetching again where execution does not go on at the next word.
    pub refetch: u64,
    /// The stages of the last instructions after the last one has entered the pipeline.
    pub drain: u64,
}

impl VertexClocks {
    /// All clocks.
    #[must_use]
    pub fn total(&self) -> u64 {
        let Self { fill, instructions, register_stalls, unit_stalls, refetch, drain } = *self;
        [fill, instructions, register_stalls, unit_stalls, refetch, drain].into_iter().fold(0, u64::saturating_add)
    }

    /// Clocks that instructions wait.
    #[must_use]
    pub const fn stalls(&self) -> u64 {
        self.register_stalls.saturating_add(self.unit_stalls)
    }

    /// Adds other clocks, `times` times.
    pub const fn add(&mut self, other: &Self, times: u64) {
        let Self { fill, instructions, register_stalls, unit_stalls, refetch, drain } = other;
        self.fill = self.fill.saturating_add(fill.saturating_mul(times));
        self.instructions = self.instructions.saturating_add(instructions.saturating_mul(times));
        self.register_stalls = self.register_stalls.saturating_add(register_stalls.saturating_mul(times));
        self.unit_stalls = self.unit_stalls.saturating_add(unit_stalls.saturating_mul(times));
        self.refetch = self.refetch.saturating_add(refetch.saturating_mul(times));
        self.drain = self.drain.saturating_add(drain.saturating_mul(times));
    }
}

impl VertexTimetable {
    /// The timetable of a program.
    ///
    /// # Errors
    /// When an operation is not one of the processor's.
    pub fn new(program: &VertexProgram, parameters: TimetableParameters) -> Result<Self, UnknownOperation> {
        let (mut blocks, mut issues, mut is_straight) = (Vec::new(), Vec::new(), true);
        let basic_blocks = program.blocks();
        for block in &basic_blocks {
            let bundles = program.bundles.get(block.bundles.clone()).unwrap_or_default();
            let needs = bundles.iter().map(Issue::new).collect::<Result<Vec<_>, _>>()?;
            let ends_by = match block.exit {
                BlockExit::Continue { next: None } if block.closes.is_none() => VertexBlockEnd::End,
                BlockExit::Continue { .. } if block.closes.is_none() => VertexBlockEnd::Next,
                _ => VertexBlockEnd::Branch,
            };
            is_straight &= ends_by != VertexBlockEnd::Branch;
            blocks.push(timed_block(&needs, ends_by));
            issues.push(needs);
        }
        let straight = is_straight.then(|| {
            let mut edges = VertexEdges::default();
            let mut path = vec![program.start_block()];
            // A block is at most once on a path without branches.
            while let Some(BlockExit::Continue { next: Some(next) }) =
                path.last().and_then(|last| basic_blocks.get(*last)).map(|block| block.exit)
                && path.len() < basic_blocks.len()
            {
                path.push(next);
            }
            edges.add_path(&path, 1);
            edges
        });
        Ok(Self { parameters, blocks, issues, straight })
    }

    /// The clocks of vertices that take these edges. What a block waits for of blocks before its predecessor is not
    /// counted.
    #[must_use]
    pub fn clocks(&self, edges: &VertexEdges) -> VertexClocks {
        let mut clocks = VertexClocks::default();
        for ([from, to], count) in edges.iter() {
            clocks.add(&self.edge_clocks(from, to), count);
        }
        clocks
    }

    /// The clocks of a vertex if the program has no flow; otherwise `None`.
    #[must_use]
    pub fn straight_clocks(&self) -> Option<VertexClocks> {
        self.straight.as_ref().map(|edges| self.clocks(edges))
    }

    /// The unit-clocks of each kind, in the order of [`ArithmeticUnit::ALL`], if block `i` ran `counts(i)` times.
    #[must_use]
    pub fn busy(&self, counts: &dyn Fn(usize) -> u64) -> Vec<u64> {
        let of_block = |unit: ArithmeticUnit, block: &TimedBlock| -> u64 {
            let spans = block.instructions.iter().flat_map(|instruction| &instruction.units);
            spans.filter(|span| span.unit == unit).map(|span| u64::from(span.copies) * u64::from(span.clocks)).sum()
        };
        let of_unit = |unit: ArithmeticUnit| {
            let blocks = self.blocks.iter().enumerate();
            blocks
                .map(|(index, block)| of_block(unit, block).saturating_mul(counts(index)))
                .fold(0, u64::saturating_add)
        };
        ArithmeticUnit::ALL.iter().map(|unit| of_unit(*unit)).collect()
    }

    /// The clocks of entering a block from another or from the start, or of ending in a block.
    fn edge_clocks(&self, from: Option<usize>, to: Option<usize>) -> VertexClocks {
        let block = |index: Option<usize>| index.and_then(|index| self.issues.get(index));
        let Some(entered) = block(to) else {
            let left = from.and_then(|from| self.blocks.get(from));
            let drain = left.map_or(0, |left| u64::from(left.clocks - left.issue_clocks));
            return VertexClocks { drain, ..VertexClocks::default() };
        };
        let mut clocks = VertexClocks::default();
        let mut pipeline = Pipeline::default();
        if let Some(left) = block(from) {
            left.iter().for_each(|issue| drop(pipeline.issue(issue)));
            // Unverified: that the end of a scope costs as much as a taken branch, and a branch that is not taken nothing.
            let next = left.last().map(|last| u32::from(last.slot) + 1);
            if next != entered.first().map(|first| u32::from(first.slot)) {
                pipeline.next_clock += self.parameters.refetch;
                clocks.refetch = self.parameters.refetch.into();
            }
        } else {
            clocks.fill = self.parameters.fill.into();
        }
        for issue in entered {
            let timed = pipeline.issue(issue);
            clocks.instructions += 1;
            for stall in &timed.stalls {
                match stall.cause {
                    StallCause::Unit { .. } => clocks.unit_stalls += u64::from(stall.clocks),
                    StallCause::Read { .. } | StallCause::Write { .. } => {
                        clocks.register_stalls += u64::from(stall.clocks);
                    }
                }
            }
        }
        clocks
    }
}

/// Times a block in an idle pipeline.
fn timed_block(needs: &[Issue], ends_by: VertexBlockEnd) -> TimedBlock {
    let mut pipeline = Pipeline::default();
    let instructions: Vec<_> = needs.iter().map(|issue| pipeline.issue(issue)).collect();
    let ends = instructions.iter().zip(needs).map(|(timed, issue)| timed.clock + issue.clocks());
    TimedBlock {
        first_slot: needs.first().map_or(0, |issue| issue.slot),
        issue_clocks: pipeline.next_clock,
        clocks: ends.max().unwrap_or(0),
        instructions,
        ends_by,
    }
}

/// What the instructions in the pipeline still do.
#[derive(Debug, Default)]
struct Pipeline {
    /// The clock in which the next instruction may enter.
    next_clock: u32,
    /// The clock in which each component is written back, and the slot of the instruction that does.
    written: BTreeMap<RegisterComponent, (u32, u16)>,
    /// Busy units by clock.
    busy: BTreeMap<(u32, ArithmeticUnit), u32>,
}

impl Pipeline {
    /// Lets the next instruction enter as soon as nothing keeps it.
    fn issue(&mut self, issue: &Issue) -> TimedInstruction {
        let mut clock = self.next_clock;
        let mut stalls = Vec::new();
        let mut wait = |clock: &mut u32, until: u32, cause: StallCause| {
            if until > *clock {
                stalls.push(Stall { clocks: until - *clock, cause });
                *clock = until;
            }
        };
        // An instruction reads in the clock of a write-back without a stall (the hardware specifications).
        if let Some((ready, register, written_by)) = self.last_write(&issue.reads) {
            wait(&mut clock, ready, StallCause::Read { register, written_by });
        }
        // Unverified: results are written in the order of the program where they meet in a component; any number of
        // instructions write at once.
        if let Some((ready, register, written_by)) = self.last_write(&issue.writes) {
            let until = (ready + 1).saturating_sub(issue.write_back());
            wait(&mut clock, until, StallCause::Write { register, written_by });
        }
        // Unverified: units are not pipelined, so each is busy for all of its clocks; and instructions execute beside
        // each other. Two units for RCP would otherwise never be busy at once.
        while let Some(unit) = self.missing_unit(issue, clock + 1) {
            let until = (clock + 1..).find(|clock| self.missing_unit(issue, clock + 1) != Some(unit)).unwrap_or(clock);
            wait(&mut clock, until, StallCause::Unit { unit });
        }
        self.enter(issue, clock, stalls)
    }

    /// Notes that an instruction enters in a clock.
    fn enter(&mut self, issue: &Issue, clock: u32, stalls: Vec<Stall>) -> TimedInstruction {
        let (first, write_back) = (clock + 1, clock + issue.write_back());
        let spans = issue.units.iter().map(|(each, copies)| UnitSpan {
            unit: each.unit,
            copies: *copies,
            clock: first + each.after,
            clocks: each.unit.row().clocks,
        });
        let units: Vec<_> = spans.collect();
        for span in &units {
            for busy in span.clock..span.clock + span.clocks {
                *self.busy.entry((busy, span.unit)).or_default() += span.copies;
            }
        }
        self.written.extend(issue.writes.iter().map(|component| (*component, (write_back, issue.slot))));
        self.next_clock = clock + 1;
        self.written.retain(|_, (ready, _)| *ready >= clock);
        self.busy = self.busy.split_off(&(first, ArithmeticUnit::ALL[0]));
        TimedInstruction {
            slot: issue.slot,
            clock,
            reads: issue.has_read,
            execute: [first, clock + issue.execute_clocks],
            units,
            post_process: issue.has_post_processing.then_some(write_back - 1),
            write_back: (!issue.writes.is_empty()).then_some(write_back),
            stalls,
        }
    }

    /// Of components, those that are written back last: the clock, the register, and the instruction's slot.
    fn last_write(&self, components: &[RegisterComponent]) -> Option<(u32, String, u16)> {
        let pending = || components.iter().filter_map(|component| Some((component, self.written.get(component)?)));
        let (&(register, _), &(ready, slot)) = pending().max_by_key(|(_, (ready, _))| *ready)?;
        let mut mask = 0u8;
        for ((other, component), write) in pending() {
            if *other == register && *write == (ready, slot) {
                mask |= 1 << component;
            }
        }
        Some((ready, with_components(register, mask), slot))
    }

    /// A unit that is too busy for an instruction which executes from a clock on.
    fn missing_unit(&self, issue: &Issue, execute: u32) -> Option<ArithmeticUnit> {
        let mut needed: BTreeMap<(u32, ArithmeticUnit), u32> = BTreeMap::new();
        for (each, copies) in &issue.units {
            for clock in each.after..each.end() {
                *needed.entry((execute + clock, each.unit)).or_default() += copies;
            }
        }
        let is_short = |((clock, unit), copies): (&(u32, ArithmeticUnit), &u32)| {
            let busy = self.busy.get(&(*clock, *unit)).copied().unwrap_or(0);
            // An instruction that needs more units than there are waits for all of them.
            busy > 0 && busy + copies > unit.row().installed
        };
        needed.iter().find(|entry| is_short(*entry)).map(|((_, unit), _)| *unit)
    }
}

/// A register with the components of a mask, as assembly languages write it.
fn with_components(register: WrittenRegister, mask: u8) -> String {
    let letters = "xyzw".chars().enumerate().filter(|(bit, _)| mask >> bit & 1 != 0).map(|(_, letter)| letter);
    match register {
        WrittenRegister::LoopCounter => register.to_string(),
        _ if mask == 15 => register.to_string(),
        _ => format!("{register}.{}", letters.collect::<String>()),
    }
}
