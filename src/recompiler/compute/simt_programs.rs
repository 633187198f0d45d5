//! Which SIMT programs of draws kernels run, so that a program is translated once and not for each draw.

use std::collections::HashMap;

use super::thread_program::{SimtProgramKey, ThreadProgram};
use crate::shader::simt::InterpolationMode;

/// The most programs that are remembered: programs are untrusted input.
const LIMIT: usize = 1024;

/// What kernels need to know of a program without its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThreadFacts {
    /// The maximum number of passes over its basic blocks.
    pub(super) passes: u64,
    /// Whether its instructions run one after the other.
    pub(super) is_straight: bool,
    /// Whether its vertices take a fast path first, where an invocation processes several.
    pub(super) has_vertex_runs: bool,
    /// Whether it interpolates at centroids.
    pub(super) reads_centroids: bool,
}

/// The programs of draws that were translated before.
#[derive(Debug, Default)]
pub struct SimtPrograms {
    known: HashMap<SimtProgramKey, Option<ThreadFacts>>,
}

impl SimtPrograms {
    /// The facts of a program; `None` if kernels do not run it.
    pub(super) fn facts(&mut self, key: &SimtProgramKey) -> Option<ThreadFacts> {
        if let Some(facts) = self.known.get(key) {
            return *facts;
        }
        let facts = ThreadProgram::new(key).map(|program| ThreadFacts {
            passes: program.passes(),
            is_straight: program.is_straight(),
            has_vertex_runs: program.is_straight() && ThreadProgram::is_worth_twin(key),
            reads_centroids: program.interpolants().any(|(mode, _)| mode == InterpolationMode::Centroid),
        });
        if self.known.len() >= LIMIT {
            self.known.clear();
        }
        self.known.insert(key.clone(), facts);
        facts
    }
}
