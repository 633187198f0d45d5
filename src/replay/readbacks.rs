//! Hashes the chip's results each time that the client of a capture can read them.
//!
//! A live client gets the chip's results as `live` brings them: a buffer in GART once the submission that writes it is
//! done, because drivers wait for a fence and then read; query results in the notifier buffer in the same way; a
//! buffer in VRAM when the client prepares it.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::{ReplayError, hexadecimal};
use crate::capture::{Buffer, Record, Submission};
use crate::chip::Chip;
use crate::memory::MemorySpace;
use crate::pipeline::Engine;

/// The most readbacks that are kept until [`ReadbackLog::take`].
pub(super) const MAX_READBACKS: usize = 1 << 22;

/// A buffer that the client can read after the chip may have written it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Readback {
    /// Its number in the stream, from 0.
    pub number: u32,
    /// The sequence number of the submission before it.
    pub submission: u32,
    /// The handle of the buffer.
    pub buffer: u32,
    /// The size of the buffer.
    pub bytes: u32,
    /// The SHA-256 of its content.
    pub digest: [u8; 32],
}

impl Readback {
    /// The SHA-256 of the buffer's content, in hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> String {
        hexadecimal(&self.digest)
    }

    /// Formats the line that identifies it: `readback 0 submission 5 buffer 7 4096 bytes sha256:…`.
    #[must_use]
    pub fn hash_line(&self) -> String {
        let Self { number, submission, buffer, bytes, .. } = self;
        format!("readback {number} submission {submission} buffer {buffer} {bytes} bytes sha256:{}", self.sha256())
    }
}

/// Follows which buffers the chip may have written, and collects readbacks.
#[derive(Debug, Default)]
pub(super) struct ReadbackLog {
    notifier: Option<u32>,
    /// Buffers that submissions may have written since they were last read back.
    written: BTreeSet<u32>,
    /// The last submission.
    submission: u32,
    /// The reports that the chip had written by then.
    reports: u64,
    /// The number of the next readback.
    next: u32,
    readbacks: Vec<Readback>,
}

impl ReadbackLog {
    /// Notes a record that the chip has applied, and reads back what the client can read now.
    pub(super) fn note(&mut self, record: &Record, chip: &Chip, engine: &mut dyn Engine) -> Result<(), ReplayError> {
        match record {
            Record::Channel { notifier_buffer, .. } => self.notifier = Some(*notifier_buffer),
            Record::CreateBuffer(Buffer { handle, .. }) | Record::DestroyBuffer { handle } => {
                self.written.remove(handle);
            }
            Record::Prepare { handle, .. } => self.read(*handle, chip, engine)?,
            Record::Submit(submission) => self.submission(submission, chip, engine)?,
            _ => {}
        }
        Ok(())
    }

    fn submission(&mut self, submission: &Submission, chip: &Chip, engine: &mut dyn Engine) -> Result<(), ReplayError> {
        self.submission = submission.sequence;
        let written = submission.buffers.iter().filter(|used| used.write_domains != 0).map(|used| used.handle);
        let mut visible: BTreeSet<u32> = written.collect();
        self.written.extend(visible.iter().chain(&self.notifier));
        let is_in_gart = |handle: &u32| chip.buffer_window(*handle).is_some_and(|it| it.space == MemorySpace::Gart);
        visible.retain(is_in_gart);
        // Each submission writes a fence, whose value is in the stream.
        if let Some(notifier) = self.notifier {
            visible.remove(&notifier);
            if chip.counts().reports != self.reports {
                visible.insert(notifier);
            }
        }
        self.reports = chip.counts().reports;
        visible.into_iter().try_for_each(|handle| self.read(handle, chip, engine))
    }

    /// Reads a buffer back if the chip may have written it.
    fn read(&mut self, handle: u32, chip: &Chip, engine: &mut dyn Engine) -> Result<(), ReplayError> {
        let window = chip.buffer_window(handle);
        let Some(window) = window.filter(|_| self.written.remove(&handle)) else { return Ok(()) };
        if self.readbacks.len() >= MAX_READBACKS {
            return Err(ReplayError::TooManyReadbacks { limit: MAX_READBACKS });
        }
        let mut content = vec![0; window.bytes as usize];
        engine.read_memory(window, &mut content)?;
        self.readbacks.push(Readback {
            number: self.next,
            submission: self.submission,
            buffer: handle,
            bytes: window.bytes,
            digest: Sha256::digest(&content).into(),
        });
        self.next = self.next.saturating_add(1);
        Ok(())
    }

    /// The readbacks since the last call.
    pub(super) fn take(&mut self) -> Vec<Readback> {
        std::mem::take(&mut self.readbacks)
    }
}
