//! What stands behind a session: a chip and its engine, which apply the records of its program.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::LiveError;
use super::options::LiveOptions;
use super::shared_buffer::SharedBuffer;
use crate::capture::{Record, Submission};
use crate::chip::{Chip, ChipError, MethodCounts};
use crate::engine::EngineSource;
use crate::machine::{Family, NotRecordable, is_recordable};
use crate::pipeline::{Engine, EngineError, NullEngine};
use crate::plural::counted;
use crate::replay::{Surface, read_surface};

/// Kinds of failed commands that are kept apart.
const MAX_FAILURES: usize = 64;

/// Pushes of a submission in which the pusher may stop before the rest is dropped.
const MAX_BROKEN_PUSHES: u32 = 16;

/// What becomes of the submissions of a server's programs.
#[derive(Debug, Clone)]
pub enum Execution {
    /// A chip executes them on an engine.
    Emulated(Arc<EngineSource>),
    /// They are recorded. The chip copies memory and writes reports, and nothing is drawn or launched.
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

    /// How many kernels the programs wait for.
    #[must_use]
    pub fn compiling(&self) -> usize {
        match self {
            Self::Emulated(engines) => engines.compiling(),
            Self::RecordOnly => 0,
        }
    }

    /// A new engine with the memory of a program's chip.
    fn engine(&self, options: &LiveOptions) -> Result<Box<dyn Engine>, LiveError> {
        let (chipset, sizes) = (options.header.chipset, (options.header.vram_bytes, options.header.gart_bytes));
        match self {
            Self::Emulated(engines) => Ok(engines.engine(sizes)?),
            Self::RecordOnly if !is_recordable(chipset) => Err(NotRecordable { chipset }.into()),
            Self::RecordOnly => {
                Ok(Box::new(NullEngine::new(sizes.0, sizes.1).map_err(EngineError::from)?.forgetting()))
            }
        }
    }
}

impl From<EngineSource> for Execution {
    fn from(engines: EngineSource) -> Self {
        Self::Emulated(Arc::new(engines))
    }
}

/// A chip and its engine.
#[derive(Debug)]
pub(super) struct Backend {
    chip: Chip,
    engine: Box<dyn Engine>,
    /// Whether the first failure ends the connection.
    is_strict: bool,
    /// Whether buffers have virtual addresses (Tesla). Then any of them may have reports, with their number in the first of four
    /// words.
    has_virtual_memory: bool,
}

impl Backend {
    /// What stands behind a new session.
    pub(super) fn new(execution: &Execution, options: &LiveOptions) -> Result<Self, LiveError> {
        let is_strict = options.is_strict;
        let engine = execution.engine(options)?;
        let family = Family::of_chipset(options.header.chipset)?;
        let mut chip = family.build(&options.header).strict(is_strict);
        if let Some(clock) = options.clock {
            chip.follow_clock(clock);
        }
        Ok(Self { chip, engine, is_strict, has_virtual_memory: family.has_virtual_memory })
    }

    /// Whether buffers have virtual addresses, and kinds of pages.
    pub(super) const fn has_virtual_memory(&self) -> bool {
        self.has_virtual_memory
    }

    /// Applies a record that is no submission.
    pub(super) fn apply(&mut self, record: &Record) -> Result<(), LiveError> {
        Ok(self.chip.apply(record, self.engine.as_mut())?)
    }

    /// Executes a submission. A command that fails is counted, and the next one runs: the program waits for the fence at the
    /// end. Only a lost device and strictness end the connection.
    pub(super) fn execute(&mut self, submission: &Submission, failures: &mut Failures) -> Result<(), LiveError> {
        let engine = self.engine.as_mut();
        let mut run = self.chip.start(submission)?;
        let mut broken = 0;
        loop {
            let error = match self.chip.execute_next(&mut run, u64::MAX, engine) {
                Ok(None) => return Ok(()),
                Ok(Some(_)) => continue,
                Err(error @ ChipError::Push { .. }) if broken < MAX_BROKEN_PUSHES => {
                    broken += 1;
                    run.skip_push();
                    error
                }
                Err(error) => error,
            };
            let ends = match &error {
                ChipError::Engine(EngineError::Device { .. }) | ChipError::Anomaly { .. } => true,
                _ => self.is_strict,
            };
            if ends {
                return Err(error.into());
            }
            let is_stuck = matches!(error, ChipError::Push { .. }) && broken >= MAX_BROKEN_PUSHES;
            failures.note(error.to_string());
            if is_stuck {
                return Ok(());
            }
        }
    }

    /// Ends a submission. Returns the times that it wrote to reports.
    pub(super) fn end_submission(&mut self) -> Vec<u64> {
        self.chip.end_submission()
    }

    /// Buffers for whose content the program may wait although no submission says that it writes them.
    pub(super) fn take_written(&mut self) -> BTreeSet<u32> {
        self.chip.take_written()
    }

    /// Waits until all submissions are done.
    pub(super) fn finish(&mut self) -> Result<(), LiveError> {
        Ok(self.engine.finish()?)
    }

    /// Writes what submissions wrote to a buffer into the program's memory of it.
    pub(super) fn bring(&mut self, handle: u32, shared: &mut SharedBuffer, has_reports: bool) -> Result<(), LiveError> {
        let Some(window) = self.chip.buffer_window(handle) else { return Ok(()) };
        let mut content = vec![0; window.bytes as usize];
        self.engine.read_memory(window, &mut content)?;
        // The words for which a program looks before it reads the others come last. On NV40 that is the state, the last of
        // four words, and the fence, which drivers place first.
        let brought = match (self.has_virtual_memory, has_reports) {
            (true, _) => shared.bring_reports(&content, |word| word % 4 == 0),
            (false, true) => shared.bring_reports(&content, |word| word == 0 || word % 4 == 3),
            (false, false) => shared.bring(&content),
        };
        brought.map_err(|source| LiveError::SharedMemory { handle, source })
    }

    /// Bytes of a buffer; `None` if they are not known.
    pub(super) fn read(&mut self, handle: u32, range: Range<u32>) -> Result<Option<Vec<u8>>, LiveError> {
        let Some(window) = self.chip.buffer_window(handle) else { return Ok(None) };
        let Range { start, end } = range;
        if start > end || end > window.bytes {
            return Ok(None);
        }
        let mut bytes = vec![0; (end - start) as usize];
        self.engine.read_memory(window.from_offset(start).truncated(end - start), &mut bytes)?;
        Ok(Some(bytes))
    }

    /// The bound surfaces.
    pub(super) fn surfaces(&mut self) -> Result<Vec<Surface>, LiveError> {
        self.engine.finish()?;
        let (chip, engine) = (&self.chip, self.engine.as_mut());
        Ok(chip.bound_surfaces().iter().map(|bound| read_surface(bound, engine)).collect::<Result<_, _>>()?)
    }

    /// What was executed so far.
    pub(super) const fn counts(&self) -> MethodCounts {
        self.chip.counts()
    }

    /// What was not known or refused so far, one line each.
    pub(super) fn anomalies(&self) -> Vec<String> {
        self.chip.anomalies().lines()
    }
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
        let message = if self.0.len() < MAX_FAILURES { message } else { "other failures".to_owned() };
        *self.0.entry(message).or_default() += 1;
    }

    /// What was said, and how often.
    pub(super) fn lines(&self) -> Vec<String> {
        self.0.iter().map(|(what, count)| format!("{what} ({})", counted(count, "time"))).collect()
    }
}
