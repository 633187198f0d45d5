//! What a launch has done so far: counts of instructions and faults.

use std::collections::BTreeMap;

use crate::pipeline::launch::{EmittedVertex, Fault, FaultKind, Launch, LaunchReport, Race, ThreadPlace};

/// The counts of a launch.
#[derive(Debug)]
pub(super) struct Records {
    report: LaunchReport,
    faults: BTreeMap<(u32, FaultKind), Fault>,
}

impl Records {
    pub(super) fn new(launch: &Launch) -> Self {
        let instructions = vec![Default::default(); launch.stage.program.instructions().len()];
        Self { report: LaunchReport { instructions, ..LaunchReport::default() }, faults: BTreeMap::new() }
    }

    /// Counts an instruction that these threads execute.
    pub(super) fn count(&mut self, number: usize, threads: u32) {
        let threads = u64::from(threads.count_ones());
        self.report.warp_instructions += 1;
        self.report.thread_instructions += threads;
        self.report.instructions[number].warps += 1;
        self.report.instructions[number].threads += threads;
    }

    /// The instructions that warps have executed.
    pub(super) const fn warp_instructions(&self) -> u64 {
        self.report.warp_instructions
    }

    /// Counts a branch if some threads take it and others do not.
    pub(super) fn count_divergence(&mut self, diverges: bool) {
        self.report.divergent_branches += u64::from(diverges);
    }

    /// Adds the results of a vertex or fragment.
    pub(super) fn output(&mut self, words: Option<Vec<u32>>) {
        self.report.outputs.push(words);
    }

    /// Adds what the thread of a primitive emits.
    pub(super) fn emit(&mut self, vertices: Vec<EmittedVertex>) {
        self.report.emitted.push(vertices);
    }

    /// Counts a fault of the instruction at an address.
    pub(super) fn fault(
        &mut self,
        instruction: u32,
        kind: FaultKind,
        place: impl FnOnce() -> ThreadPlace,
        address: Option<u32>,
    ) {
        let fault = self.faults.entry((instruction, kind)).or_insert_with(|| Fault {
            instruction,
            kind,
            count: 0,
            first: place(),
            address,
        });
        fault.count += 1;
    }

    /// The report.
    pub(super) fn finish(self, races: Vec<Race>) -> LaunchReport {
        LaunchReport { faults: self.faults.into_values().collect(), races, ..self.report }
    }
}
