//! One connection: applies what a program's driver does to a backend, and keeps the program's memory up to date.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;

use curie_client::protocol;

use super::backend::{Backend, Failures};
use super::buffer_requests::{BufferContent, BufferRequest, BufferRequests};
use super::buffers::{Buffers, LiveBuffer};
use super::recording::{NumberedPaths, Recorded, Recording};
use super::shared_buffer::MERGED_GAP;
use super::{LiveError, message::Message};
use crate::capture::{Buffer, CaptureError, Header, Record, RecordPosition, Submission, Tag};
use crate::chip::MethodCounts;
use crate::replay::{Outcome, Surface};

/// Submissions after which fences become visible even if more messages wait.
const MOST_UNPUBLISHED: u32 = 64;

/// Objects that may be created.
const MOST_OBJECTS: u64 = 1 << 20;

/// How connections are served.
#[derive(Debug, Default)]
pub struct LiveOptions {
    /// The machine that programs find.
    pub header: Header,
    /// Anomalies end a connection.
    pub is_strict: bool,
    /// Where connections are recorded.
    pub recordings: Option<NumberedPaths>,
    /// The frames after which the result of a connection is taken, and a recording ends. The program may go on.
    pub frames: Option<u32>,
    /// The frames at whose end surfaces are read.
    pub frames_shown: BTreeSet<u32>,
    /// The host's clock, whose time reports and notifiers hold, in nanoseconds; without it they hold a count of methods.
    pub clock: Option<fn() -> u64>,
    /// How a display server asks for the content of buffers.
    pub buffer_requests: Option<BufferRequests>,
}

/// What a program did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkCounts {
    /// Submissions.
    pub submissions: u64,
    /// Draws that the engine accepted, or that are not emulated.
    pub draws: u64,
    /// Clears that the engine accepted, or that are not emulated.
    pub clears: u64,
    /// Methods.
    pub methods: u64,
    /// Frames that have begun, by marks.
    pub frames: u32,
    /// Reports and notifiers, those of fences among them.
    pub reports: u64,
}

/// The result of a connection.
#[derive(Debug)]
pub struct Ended {
    /// What the program did.
    pub counts: WorkCounts,
    /// The surfaces bound at the end, if something was drawn, and the anomalies.
    pub outcome: Outcome,
    /// Commands that failed: what was said, and how often.
    pub failures: Vec<String>,
    /// The recording.
    pub recording: Option<Recorded>,
}

/// A frame that has ended.
#[derive(Debug)]
pub(super) struct FrameEnd {
    /// Its number, from 0.
    pub(super) frame: u32,
    /// The bound surfaces, if asked for.
    pub(super) surfaces: Vec<Surface>,
}

/// What stands behind a connection, and what it shares with the program.
#[derive(Debug)]
pub(super) struct Session<'a> {
    options: &'a LiveOptions,
    backend: Backend,
    buffers: Buffers,
    notifier: Option<u32>,
    objects: u64,
    /// Submissions whose results the program cannot see yet.
    unpublished: u32,
    /// Shared buffers in GART that these may have written.
    written: BTreeSet<u32>,
    counts: WorkCounts,
    failures: Failures,
    recording: Option<Recording<'a>>,
    /// The result, if it was taken before the end.
    taken: Option<Ended>,
    position: RecordPosition,
}

impl<'a> Session<'a> {
    pub(super) fn new(options: &'a LiveOptions, backend: Backend) -> Self {
        Self {
            options,
            backend,
            buffers: Buffers::default(),
            notifier: None,
            objects: 0,
            unpublished: 0,
            written: BTreeSet::new(),
            counts: WorkCounts::default(),
            failures: Failures::default(),
            recording: options.recordings.as_ref().map(|names| Recording::new(names, &options.header)),
            taken: None,
            position: RecordPosition::default(),
        }
    }

    /// Whether results must become visible to the program now; `is_waiting` says whether more messages wait.
    pub(super) fn must_publish(&self, is_waiting: impl FnOnce() -> Result<bool, LiveError>) -> Result<bool, LiveError> {
        Ok(self.unpublished >= MOST_UNPUBLISHED || (self.unpublished > 0 && !is_waiting()?))
    }

    /// Applies a message. Returns the answer to send, and the frame that it ends.
    pub(super) fn apply(&mut self, message: Message) -> Result<(Option<Vec<u8>>, Option<FrameEnd>), LiveError> {
        let Message { tag, payload, descriptor } = message;
        if tag.0 == protocol::SHARE {
            return self.share(tag, &payload, descriptor).map(|()| (None, None));
        }
        if tag.0 == protocol::NAME {
            let handle = handle_of(tag, &payload)?;
            return self.buffers.name(tag, handle, descriptor).map(|()| (None, None));
        }
        let record = self.decode(tag, &payload)?;
        let mut answer = None;
        let mut frame = None;
        match &record {
            Record::Channel { notifier_buffer, .. } => {
                self.count_object()?;
                self.keep(&record)?;
                self.notifier = Some(*notifier_buffer);
            }
            Record::Object { .. } | Record::Notifier { .. } => {
                self.count_object()?;
                self.keep(&record)?;
            }
            Record::CreateBuffer(buffer) => self.create(buffer, &record)?,
            Record::MoveBuffer(moved) => {
                self.buffers.check(tag, moved.handle)?;
                self.keep(&record)?;
                self.buffers.move_to(moved);
            }
            &Record::DestroyBuffer { handle } => {
                self.buffers.check(tag, handle)?;
                self.forget(handle);
                self.keep(&record)?;
            }
            &Record::Prepare { handle, .. } => {
                self.buffers.check(tag, handle)?;
                self.keep(&record)?;
                self.prepare(handle)?;
                answer = Some(protocol::message(protocol::DONE, &protocol::words(&[handle])));
            }
            Record::Mark(_) => {
                if record.begins_frame() {
                    frame = self.end_frame()?;
                    if self.taken.is_none() && self.options.frames == Some(self.counts.frames) {
                        self.take_result()?;
                    }
                    self.counts.frames = self.counts.frames.saturating_add(1);
                }
                self.keep(&record)?;
            }
            Record::Submit(submission) => self.submit(tag, submission, &record)?,
            Record::Pages { .. } | Record::Write { .. } | Record::Times(_) => {
                return Err(LiveError::UnknownMessage(tag));
            }
        }
        Ok((answer, frame))
    }

    fn decode(&mut self, tag: Tag, payload: &[u8]) -> Result<Record, LiveError> {
        let decoded = Record::decode(tag, payload, self.position);
        self.position.record += 1;
        self.position.offset += protocol::HEADER_BYTES + payload.len();
        match decoded {
            Ok(Some(record)) => Ok(record),
            Ok(None) => Err(LiveError::UnknownMessage(tag)),
            Err(CaptureError::PayloadSize { found, expected, .. }) => {
                let expected = usize::try_from(expected).unwrap_or(usize::MAX);
                Err(LiveError::MessageSize { tag, found, expected })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Applies a record and records it.
    fn keep(&mut self, record: &Record) -> Result<(), LiveError> {
        self.backend.apply(record)?;
        if let Some(recording) = &mut self.recording {
            recording.append(record);
        }
        Ok(())
    }

    fn count_object(&mut self) -> Result<(), LiveError> {
        self.objects += 1;
        if self.objects > MOST_OBJECTS {
            return Err(LiveError::TooMany { what: "objects", limit: MOST_OBJECTS });
        }
        Ok(())
    }

    fn create(&mut self, buffer: &Buffer, record: &Record) -> Result<(), LiveError> {
        self.buffers.check_space()?;
        self.forget(buffer.handle);
        self.keep(record)?;
        self.buffers.insert(buffer);
        Ok(())
    }

    fn forget(&mut self, handle: u32) {
        self.written.remove(&handle);
        self.buffers.remove(handle);
    }

    /// Answers a display server if the buffer is one of this program.
    pub(super) fn answer(&mut self, request: &BufferRequest) -> Result<(), LiveError> {
        let Some(handle) = self.buffers.named(&request.file) else { return Ok(()) };
        // What the program wrote itself is shown, too.
        self.take_written(handle)?;
        let [start, end] = [request.range.start, request.range.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        if let Some(bytes) = self.backend.read(handle, start..end)? {
            request.answer(BufferContent { bytes, draws: self.backend.counts().draws });
        }
        Ok(())
    }

    /// Takes a descriptor as the memory of a buffer.
    fn share(&mut self, tag: Tag, payload: &[u8], descriptor: Option<OwnedFd>) -> Result<(), LiveError> {
        let handle = handle_of(tag, payload)?;
        // Real buffers do not overlap, so together they fit into the chip's memory.
        let limit = self.options.header.vram_bytes + self.options.header.gart_bytes;
        let buffer = self.buffers.share(tag, handle, descriptor, limit)?;
        if buffer.chip_wrote && buffer.is_watched() {
            self.written.insert(handle);
        }
        Ok(())
    }

    /// Runs a submission after the writes of the program to the buffers that it uses.
    fn submit(&mut self, tag: Tag, submission: &Submission, record: &Record) -> Result<(), LiveError> {
        let used = submission.buffers.iter().map(|used| used.handle);
        for handle in used.clone().chain(submission.pushes.iter().map(|push| push.buffer)) {
            self.buffers.check(tag, handle)?;
        }
        let used: BTreeSet<u32> = used.chain(self.notifier).collect();
        for handle in used {
            self.take_written(handle)?;
        }
        for used in submission.buffers.iter().filter(|used| used.write_domains != 0) {
            self.note_written(used.handle);
        }
        self.counts.submissions += 1;
        self.unpublished += 1;
        if let Some(recording) = &mut self.recording {
            recording.begin_submission(record);
        }
        let result = self.backend.execute(submission, &mut self.failures);
        for handle in self.backend.take_written() {
            self.note_written(handle);
        }
        let times = self.backend.end_submission();
        if let Some(recording) = &mut self.recording {
            recording.end_submission(times);
        }
        result
    }

    /// Notes that the chip writes a buffer.
    fn note_written(&mut self, handle: u32) {
        let Some(buffer) = self.buffers.get_mut(handle) else { return };
        buffer.chip_wrote = true;
        if buffer.is_watched() {
            self.written.insert(handle);
        }
    }

    /// Applies and records what the program wrote to a buffer.
    fn take_written(&mut self, handle: u32) -> Result<(), LiveError> {
        let Self { backend, recording, buffers, notifier, .. } = self;
        let Some(LiveBuffer { shared: Some(shared), chip_wrote, .. }) = buffers.get_mut(handle) else { return Ok(()) };
        // Between two words of the program may be one of the chip that the program's memory does not hold yet.
        let may_differ = *chip_wrote || *notifier == Some(handle);
        let gap = if may_differ { 0 } else { MERGED_GAP };
        let taken = shared.take_written(gap, |offset, bytes| {
            let offset = u32::try_from(offset).expect("a buffer is smaller than 4 GiB");
            let write = Record::Write { handle, offset, bytes: bytes.to_vec() };
            backend.apply(&write)?;
            if let Some(recording) = recording {
                recording.append(&write);
            }
            Ok(())
        });
        taken.map_err(|error| match error {
            TakeError::Memory(source) => LiveError::SharedMemory { handle, source },
            TakeError::Backend(error) => error,
        })
    }

    /// Makes a buffer ready for the program. What the program writes is read before each submission, so it may write at
    /// once what the chip only reads.
    fn prepare(&mut self, handle: u32) -> Result<(), LiveError> {
        let wrote = self.buffers.get(handle).is_some_and(|buffer| buffer.chip_wrote);
        if wrote || self.notifier == Some(handle) {
            self.publish()?;
        }
        // Publishing leaves out video memory.
        if self.buffers.get(handle).is_some_and(|buffer| buffer.chip_wrote) {
            self.bring(handle)?;
        }
        Ok(())
    }

    /// Waits for the chip and brings its results to the program: fences, query results, and buffers in GART.
    pub(super) fn publish(&mut self) -> Result<(), LiveError> {
        if self.unpublished == 0 {
            return Ok(());
        }
        self.unpublished = 0;
        self.backend.finish()?;
        // The program reads other buffers once the fence is there: in the notifier buffer, or in one of the driver's first.
        for handle in std::mem::take(&mut self.written).into_iter().rev() {
            self.bring(handle)?;
        }
        self.notifier.map_or(Ok(()), |notifier| self.bring(notifier))
    }

    /// Writes what the chip wrote to a buffer into the program's memory.
    fn bring(&mut self, handle: u32) -> Result<(), LiveError> {
        let Some(LiveBuffer { shared: Some(shared), chip_wrote, .. }) = self.buffers.get_mut(handle) else {
            return Ok(());
        };
        self.backend.bring(handle, shared, self.notifier == Some(handle))?;
        *chip_wrote = false;
        Ok(())
    }

    /// Ends the frame in progress, if any.
    fn end_frame(&mut self) -> Result<Option<FrameEnd>, LiveError> {
        let Some(frame) = self.counts.frames.checked_sub(1).filter(|_| self.taken.is_none()) else { return Ok(None) };
        let surfaces = match self.options.frames_shown.contains(&frame) {
            true => self.backend.surfaces()?,
            false => Vec::new(),
        };
        Ok(Some(FrameEnd { frame, surfaces }))
    }

    /// Takes what the program did so far, and ends the recording.
    fn take_result(&mut self) -> Result<(), LiveError> {
        let MethodCounts { draws, clears, methods, reports, .. } = self.backend.counts();
        let counts = WorkCounts { draws, clears, methods, reports, ..self.counts };
        let surfaces = if draws > 0 || clears > 0 { self.backend.surfaces() } else { Ok(Vec::new()) };
        let recording = self.recording.take().and_then(Recording::finish);
        let (surfaces, error) = surfaces.map_or_else(|error| (Vec::new(), Some(error)), |surfaces| (surfaces, None));
        let outcome =
            Outcome { readbacks: Vec::new(), surfaces, anomalies: self.backend.anomalies(), missed_stop: None };
        self.taken = Some(Ended { counts, outcome, failures: self.failures.lines(), recording });
        error.map_or(Ok(()), Err)
    }

    /// Ends the last frame and the connection, whose messages were read with this result.
    pub(super) fn finish(
        mut self,
        result: Result<(), LiveError>,
    ) -> (Option<Ended>, Option<FrameEnd>, Option<LiveError>) {
        if self.taken.is_some() {
            return (self.taken, None, None);
        }
        let mut error = result.err();
        let frame = self.end_frame().unwrap_or_else(|failure| {
            error.get_or_insert(failure);
            None
        });
        if let Err(failure) = self.take_result() {
            error.get_or_insert(failure);
        }
        (self.taken, frame, error)
    }
}

/// The buffer that a message with nothing else names.
fn handle_of(tag: Tag, payload: &[u8]) -> Result<u32, LiveError> {
    let size = LiveError::MessageSize { tag, found: payload.len(), expected: 4 };
    <[u8; 4]>::try_from(payload).map(u32::from_le_bytes).map_err(|_| size)
}

/// Why the program's writes cannot be taken.
enum TakeError {
    Memory(io::Error),
    Backend(LiveError),
}

impl From<io::Error> for TakeError {
    fn from(error: io::Error) -> Self {
        Self::Memory(error)
    }
}

impl From<LiveError> for TakeError {
    fn from(error: LiveError) -> Self {
        Self::Backend(error)
    }
}
