//! The emulated chip behind a session: executes submissions on an engine.

use std::ops::Range;

use super::LiveError;
use super::backend::{Backend, Failures};
use super::session::LiveOptions;
use super::shared_buffer::SharedBuffer;
use crate::capture::{Record, Submission};
use crate::chip::{Chip, ChipError, MethodCounts};
use crate::counting::CountingEngine;
use crate::pipeline::EngineError;
use crate::replay::{Surface, read_surface};

/// Pushes of a submission in which the pusher may stop before the rest is dropped.
const MOST_BROKEN_PUSHES: u32 = 16;

/// A chip and its engine.
#[derive(Debug)]
pub(super) struct Emulated {
    chip: Chip,
    engine: Box<dyn CountingEngine>,
    /// Whether the first failure ends the connection.
    is_strict: bool,
}

impl Emulated {
    pub(super) fn new(chip: Chip, engine: Box<dyn CountingEngine>, options: &LiveOptions) -> Self {
        let is_strict = options.is_strict;
        let mut chip = chip.strict(is_strict);
        if let Some(clock) = options.clock {
            chip.follow_clock(clock);
        }
        Self { chip, engine, is_strict }
    }
}

impl Backend for Emulated {
    fn apply(&mut self, record: &Record) -> Result<(), LiveError> {
        Ok(self.chip.apply(record, self.engine.as_mut())?)
    }

    /// Only a lost device and strictness end the connection.
    fn execute(&mut self, submission: &Submission, failures: &mut Failures) -> Result<(), LiveError> {
        let engine = self.engine.as_mut();
        let mut run = self.chip.start(submission)?;
        let mut broken = 0;
        loop {
            let error = match self.chip.next_method(&mut run, engine) {
                Ok(None) => return Ok(()),
                Ok(Some(write)) => match self.chip.execute_method(write, engine) {
                    Ok(()) => continue,
                    Err(error) => error,
                },
                Err(error @ ChipError::Push { .. }) if broken < MOST_BROKEN_PUSHES => {
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
            let is_stuck = matches!(error, ChipError::Push { .. }) && broken >= MOST_BROKEN_PUSHES;
            failures.note(error.to_string());
            if is_stuck {
                return Ok(());
            }
        }
    }

    fn end_submission(&mut self) -> Vec<u64> {
        self.chip.end_submission()
    }

    fn finish(&mut self) -> Result<(), LiveError> {
        Ok(self.engine.finish()?)
    }

    fn bring(&mut self, handle: u32, shared: &mut SharedBuffer, has_reports: bool) -> Result<(), LiveError> {
        let Some(window) = self.chip.buffer_window(handle) else { return Ok(()) };
        let mut content = vec![0; window.bytes as usize];
        self.engine.read_memory(window, &mut content)?;
        let brought = if has_reports { shared.bring_reports(&content) } else { shared.bring(&content) };
        brought.map_err(|source| LiveError::SharedMemory { handle, source })
    }

    fn read(&mut self, handle: u32, range: Range<u32>) -> Result<Option<Vec<u8>>, LiveError> {
        let Some(window) = self.chip.buffer_window(handle) else { return Ok(None) };
        let Range { start, end } = range;
        if start > end || end > window.bytes {
            return Ok(None);
        }
        let mut bytes = vec![0; (end - start) as usize];
        self.engine.read_memory(window.from_offset(start).truncated(end - start), &mut bytes)?;
        Ok(Some(bytes))
    }

    fn surfaces(&mut self) -> Result<Vec<Surface>, LiveError> {
        self.engine.finish()?;
        let (chip, engine) = (&self.chip, self.engine.as_mut());
        Ok(chip.bound_surfaces().iter().map(|bound| read_surface(bound, engine)).collect::<Result<_, _>>()?)
    }

    fn counts(&self) -> MethodCounts {
        self.chip.counts()
    }

    fn anomalies(&self) -> Vec<String> {
        self.chip.anomalies().lines()
    }
}
