//! What stands behind a session: applies the records of its program, and has what the program waits for.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;

use super::LiveError;
use super::emulated::Emulated;
use super::record_only::RecordOnly;
use super::session::LiveOptions;
use super::shared_buffer::SharedBuffer;
use crate::capture::{Record, Submission};
use crate::chip::MethodCounts;
use crate::engine::EngineSource;
use crate::machine::chip_of;
use crate::replay::Surface;

/// Kinds of failed commands that are kept apart.
const MOST_FAILURES: usize = 64;

/// What becomes of the submissions of a server's programs.
#[derive(Debug)]
pub enum Execution {
    /// A chip executes them on an engine.
    Emulated(Box<EngineSource>),
    /// They are recorded. Fences and queries are answered, and nothing is drawn.
    RecordOnly,
}

impl Execution {
    /// The name of the engine, or that there is none.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Emulated(engines) => engines.name(),
            Self::RecordOnly => "record-only".to_owned(),
        }
    }

    /// What stands behind a new session.
    pub(super) fn backend(&self, options: &LiveOptions) -> Result<Box<dyn Backend>, LiveError> {
        let header = &options.header;
        Ok(match self {
            Self::Emulated(engines) => {
                let engine = engines.engine((header.vram_bytes, header.gart_bytes))?;
                Box::new(Emulated::new(chip_of(header)?, engine, options))
            }
            Self::RecordOnly => Box::new(RecordOnly::new(options)?),
        })
    }
}

impl From<EngineSource> for Execution {
    fn from(engines: EngineSource) -> Self {
        Self::Emulated(Box::new(engines))
    }
}

/// What stands behind a session.
pub(super) trait Backend: Debug {
    /// Applies a record that is no submission.
    fn apply(&mut self, record: &Record) -> Result<(), LiveError>;

    /// Executes a submission. A command that fails is counted, and the next one runs: the program waits for the fence at the
    /// end.
    fn execute(&mut self, submission: &Submission, failures: &mut Failures) -> Result<(), LiveError>;

    /// Ends a submission. Returns the times that it wrote to reports.
    fn end_submission(&mut self) -> Vec<u64>;

    /// Buffers for whose content the program may wait although no submission says that it writes them.
    fn written(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Waits until all submissions are done.
    fn finish(&mut self) -> Result<(), LiveError>;

    /// Writes what submissions wrote to a buffer into the program's memory of it; states of reports come last if it has some.
    fn bring(&mut self, handle: u32, shared: &mut SharedBuffer, has_reports: bool) -> Result<(), LiveError>;

    /// Bytes of a buffer; `None` if they are not known.
    fn read(&mut self, handle: u32, range: Range<u32>) -> Result<Option<Vec<u8>>, LiveError>;

    /// The bound surfaces.
    fn surfaces(&mut self) -> Result<Vec<Surface>, LiveError>;

    /// What was executed so far.
    fn counts(&self) -> MethodCounts;

    /// How many reports of queries were written so far, if they are counted.
    fn queries(&self) -> Option<u64> {
        None
    }

    /// What was not known or refused so far, one line each.
    fn anomalies(&self) -> Vec<String>;
}

/// Failed commands by what was said.
#[derive(Debug, Default)]
pub(super) struct Failures(BTreeMap<String, u64>);

impl Failures {
    /// Counts a failed command.
    pub(super) fn note(&mut self, message: String) {
        if let Some(count) = self.0.get_mut(&message) {
            *count += 1;
            return;
        }
        let message = if self.0.len() < MOST_FAILURES { message } else { "other failures".to_owned() };
        *self.0.entry(message).or_default() += 1;
    }

    /// What was said, and how often.
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.iter().map(|(what, count)| format!("{what} ({count} times)")).collect()
    }
}
