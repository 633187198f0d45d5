//! One connection: applies what a program's driver does to a chip, and keeps the program's memory up to date.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;

use curie_client::protocol;

use super::buffer_requests::{BufferContent, BufferRequest, BufferRequests, FileIdentity};
use super::recording::{NumberedPaths, Recorded, Recording};
use super::shared_buffer::{MERGED_GAP, SharedBuffer};
use super::{LiveError, message::Message};
use crate::capture::{Buffer, CaptureError, DOMAIN_GART, Header, Record, RecordPosition, Submission, Tag};
use crate::chip::{Chip, ChipError, MethodCounts};
use crate::counting::CountingEngine;
use crate::machine::chip_of;
use crate::pipeline::EngineError;
use crate::replay::{Outcome, Surface, read_surface};

/// Submissions after which fences become visible even if more messages wait.
const MOST_UNPUBLISHED: u32 = 64;

/// Pushes of a submission in which the pusher may stop before the rest is dropped.
const MOST_BROKEN_PUSHES: u32 = 16;

/// Buffers that may exist at a time.
const MOST_BUFFERS: usize = 1 << 20;

/// Objects that may be created.
const MOST_OBJECTS: u64 = 1 << 20;

/// Kinds of failed commands that are kept apart.
const MOST_FAILURES: usize = 64;

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
    /// Draws that the engine accepted.
    pub draws: u64,
    /// Clears that the engine accepted.
    pub clears: u64,
    /// Methods.
    pub methods: u64,
    /// Frames that have begun, by marks.
    pub frames: u32,
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

/// A buffer of the program.
#[derive(Debug)]
struct LiveBuffer {
    domain: u32,
    /// Whether a submission that may write it has run since its content was last brought to the program.
    chip_wrote: bool,
    shared: Option<SharedBuffer>,
    /// The file by which a display server knows it.
    name: Option<FileIdentity>,
}

/// The chip behind a connection, and what it shares with the program.
#[derive(Debug)]
pub(super) struct Session<'a> {
    options: &'a LiveOptions,
    chip: Chip,
    engine: Box<dyn CountingEngine>,
    buffers: HashMap<u32, LiveBuffer>,
    /// The buffers that a display server may ask for.
    names: HashMap<FileIdentity, u32>,
    notifier: Option<u32>,
    objects: u64,
    /// Bytes of all shared buffers.
    shared_bytes: u64,
    /// Submissions whose results the program cannot see yet.
    unpublished: u32,
    /// Shared buffers in GART that these may have written.
    written: BTreeSet<u32>,
    counts: WorkCounts,
    failures: BTreeMap<String, u64>,
    recording: Option<Recording<'a>>,
    /// The result, if it was taken before the end.
    taken: Option<Ended>,
    position: RecordPosition,
}

impl<'a> Session<'a> {
    pub(super) fn new(options: &'a LiveOptions, engine: Box<dyn CountingEngine>) -> Result<Self, LiveError> {
        let mut chip = chip_of(&options.header)?.strict(options.is_strict);
        if let Some(clock) = options.clock {
            chip.follow_clock(clock);
        }
        Ok(Self {
            options,
            chip,
            engine,
            buffers: HashMap::new(),
            names: HashMap::new(),
            notifier: None,
            objects: 0,
            shared_bytes: 0,
            unpublished: 0,
            written: BTreeSet::new(),
            counts: WorkCounts::default(),
            failures: BTreeMap::new(),
            recording: options.recordings.as_ref().map(|names| Recording::new(names, &options.header)),
            taken: None,
            position: RecordPosition::default(),
        })
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
            return self.name(tag, &payload, descriptor).map(|()| (None, None));
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
                self.check_buffer(tag, moved.handle)?;
                self.keep(&record)?;
                self.buffers.entry(moved.handle).and_modify(|buffer| buffer.domain = moved.domain);
            }
            &Record::DestroyBuffer { handle } => {
                self.check_buffer(tag, handle)?;
                self.forget(handle);
                self.keep(&record)?;
            }
            &Record::Prepare { handle, .. } => {
                self.check_buffer(tag, handle)?;
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

    /// Applies a record to the chip and records it.
    fn keep(&mut self, record: &Record) -> Result<(), LiveError> {
        self.chip.apply(record, self.engine.as_mut())?;
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

    fn check_buffer(&self, tag: Tag, handle: u32) -> Result<(), LiveError> {
        match self.buffers.contains_key(&handle) {
            true => Ok(()),
            false => Err(LiveError::UnknownBuffer { tag, handle }),
        }
    }

    fn create(&mut self, buffer: &Buffer, record: &Record) -> Result<(), LiveError> {
        if self.buffers.len() >= MOST_BUFFERS {
            return Err(LiveError::TooMany { what: "buffers", limit: MOST_BUFFERS as u64 });
        }
        self.forget(buffer.handle);
        self.keep(record)?;
        self.buffers
            .insert(buffer.handle, LiveBuffer { domain: buffer.domain, chip_wrote: false, shared: None, name: None });
        Ok(())
    }

    fn forget(&mut self, handle: u32) {
        self.written.remove(&handle);
        let Some(LiveBuffer { shared, name, .. }) = self.buffers.remove(&handle) else { return };
        self.shared_bytes -= shared.map_or(0, |shared| shared.bytes() as u64);
        self.forget_name(name, handle);
    }

    fn forget_name(&mut self, name: Option<FileIdentity>, handle: u32) {
        if let Some(name) = name
            && self.names.get(&name) == Some(&handle)
        {
            self.names.remove(&name);
        }
    }

    /// Takes a descriptor as the name of a buffer.
    fn name(&mut self, tag: Tag, payload: &[u8], descriptor: Option<OwnedFd>) -> Result<(), LiveError> {
        let handle = handle_of(tag, payload)?;
        let buffer = self.buffers.get_mut(&handle).ok_or(LiveError::UnknownBuffer { tag, handle })?;
        let file = descriptor.ok_or(LiveError::NoDescriptor { handle })?;
        let name = FileIdentity::of(&file).map_err(|source| LiveError::SharedMemory { handle, source })?;
        let before = buffer.name.replace(name);
        self.forget_name(before, handle);
        self.names.insert(name, handle);
        Ok(())
    }

    /// Answers a display server if the buffer is one of this program.
    pub(super) fn answer(&mut self, request: &BufferRequest) -> Result<(), LiveError> {
        let Some(&handle) = self.names.get(&request.file) else { return Ok(()) };
        // What the program wrote itself is shown, too.
        self.take_written(handle)?;
        let Some(window) = self.chip.buffer_window(handle) else { return Ok(()) };
        let [start, end] = [request.range.start, request.range.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        if start > end || end > window.bytes {
            return Ok(());
        }
        let mut bytes = vec![0; (end - start) as usize];
        self.engine.read_memory(window.from_offset(start).truncated(end - start), &mut bytes)?;
        request.answer(BufferContent { bytes, draws: self.chip.counts().draws });
        Ok(())
    }

    /// Takes a descriptor as the memory of a buffer.
    fn share(&mut self, tag: Tag, payload: &[u8], descriptor: Option<OwnedFd>) -> Result<(), LiveError> {
        let handle = handle_of(tag, payload)?;
        let window = self.chip.buffer_window(handle);
        let (Some(window), Some(buffer)) = (window, self.buffers.get_mut(&handle)) else {
            return Err(LiveError::UnknownBuffer { tag, handle });
        };
        let memory = File::from(descriptor.ok_or(LiveError::NoDescriptor { handle })?);
        let found = memory.metadata().map_err(|source| LiveError::SharedMemory { handle, source })?;
        let wrong = |found: String| LiveError::WrongDescriptor { handle, bytes: window.bytes, found };
        if !found.is_file() {
            return Err(wrong("no memory".to_owned()));
        }
        if found.len() < u64::from(window.bytes) {
            return Err(wrong(format!("{} bytes of memory", found.len())));
        }
        if let Some(before) = buffer.shared.take() {
            self.shared_bytes -= before.bytes() as u64;
        }
        self.shared_bytes += u64::from(window.bytes);
        // Real buffers do not overlap, so together they fit into the chip's memory.
        let limit = self.options.header.vram_bytes + self.options.header.gart_bytes;
        if self.shared_bytes > limit {
            return Err(LiveError::TooMany { what: "bytes of shared memory", limit });
        }
        buffer.shared = Some(SharedBuffer::new(memory, window.bytes as usize));
        if buffer.chip_wrote && buffer.domain == DOMAIN_GART {
            self.written.insert(handle);
        }
        Ok(())
    }

    /// Runs a submission after the writes of the program to the buffers that it uses.
    fn submit(&mut self, tag: Tag, submission: &Submission, record: &Record) -> Result<(), LiveError> {
        let used = submission.buffers.iter().map(|used| used.handle);
        for handle in used.clone().chain(submission.pushes.iter().map(|push| push.buffer)) {
            self.check_buffer(tag, handle)?;
        }
        let used: BTreeSet<u32> = used.chain(self.notifier).collect();
        for handle in used {
            self.take_written(handle)?;
        }
        for used in submission.buffers.iter().filter(|used| used.write_domains != 0) {
            let Some(buffer) = self.buffers.get_mut(&used.handle) else { continue };
            buffer.chip_wrote = true;
            if buffer.shared.is_some() && buffer.domain == DOMAIN_GART {
                self.written.insert(used.handle);
            }
        }
        self.counts.submissions += 1;
        self.unpublished += 1;
        let result = self.run(submission);
        // A replay needs the times before the submission.
        let times = self.chip.end_submission();
        if let Some(recording) = &mut self.recording {
            if !times.is_empty() {
                recording.append(&Record::Times(times));
            }
            recording.append(record);
        }
        result
    }

    /// Executes a submission. A command that fails is counted, and the next one runs: the program waits for the fence
    /// at the end. Only a lost device and strictness end the connection.
    fn run(&mut self, submission: &Submission) -> Result<(), LiveError> {
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
                _ => self.options.is_strict,
            };
            if ends {
                return Err(error.into());
            }
            let is_stuck = matches!(error, ChipError::Push { .. }) && broken >= MOST_BROKEN_PUSHES;
            note_failure(&mut self.failures, error.to_string());
            if is_stuck {
                return Ok(());
            }
        }
    }

    /// Applies and records what the program wrote to a buffer.
    fn take_written(&mut self, handle: u32) -> Result<(), LiveError> {
        let Self { chip, engine, recording, buffers, notifier, .. } = self;
        let Some(LiveBuffer { shared: Some(shared), chip_wrote, .. }) = buffers.get_mut(&handle) else { return Ok(()) };
        // Between two words of the program may be one of the chip that the program's memory does not hold yet.
        let may_differ = *chip_wrote || *notifier == Some(handle);
        let gap = if may_differ { 0 } else { MERGED_GAP };
        let taken = shared.take_written(gap, |offset, bytes| {
            let offset = u32::try_from(offset).expect("a buffer is smaller than 4 GiB");
            let write = Record::Write { handle, offset, bytes: bytes.to_vec() };
            chip.apply(&write, engine.as_mut())?;
            if let Some(recording) = recording {
                recording.append(&write);
            }
            Ok(())
        });
        taken.map_err(|error| match error {
            TakeError::Memory(source) => LiveError::SharedMemory { handle, source },
            TakeError::Chip(error) => error.into(),
        })
    }

    /// Makes a buffer ready for the program. What the program writes is read before each submission, so it may write at
    /// once what the chip only reads.
    fn prepare(&mut self, handle: u32) -> Result<(), LiveError> {
        let wrote = self.buffers.get(&handle).is_some_and(|buffer| buffer.chip_wrote);
        if wrote || self.notifier == Some(handle) {
            self.publish()?;
        }
        // Publishing leaves out video memory.
        if self.buffers.get(&handle).is_some_and(|buffer| buffer.chip_wrote) {
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
        self.engine.finish()?;
        // The program reads other buffers once the fence is there.
        for handle in std::mem::take(&mut self.written) {
            self.bring(handle)?;
        }
        self.notifier.map_or(Ok(()), |notifier| self.bring(notifier))
    }

    /// Writes what the chip wrote to a buffer into the program's memory.
    fn bring(&mut self, handle: u32) -> Result<(), LiveError> {
        let window = self.chip.buffer_window(handle);
        let (Some(window), Some(buffer)) = (window, self.buffers.get_mut(&handle)) else { return Ok(()) };
        let Some(shared) = &mut buffer.shared else { return Ok(()) };
        let mut content = vec![0; window.bytes as usize];
        self.engine.read_memory(window, &mut content)?;
        shared.bring(&content).map_err(|source| LiveError::SharedMemory { handle, source })?;
        buffer.chip_wrote = false;
        Ok(())
    }

    /// Ends the frame in progress, if any.
    fn end_frame(&mut self) -> Result<Option<FrameEnd>, LiveError> {
        let Some(frame) = self.counts.frames.checked_sub(1).filter(|_| self.taken.is_none()) else { return Ok(None) };
        let surfaces = match self.options.frames_shown.contains(&frame) {
            true => self.surfaces()?,
            false => Vec::new(),
        };
        Ok(Some(FrameEnd { frame, surfaces }))
    }

    fn surfaces(&mut self) -> Result<Vec<Surface>, EngineError> {
        self.engine.finish()?;
        self.chip.bound_surfaces().iter().map(|bound| read_surface(bound, self.engine.as_mut())).collect()
    }

    /// Takes what the program did so far, and ends the recording.
    fn take_result(&mut self) -> Result<(), EngineError> {
        let MethodCounts { draws, clears, methods, .. } = self.chip.counts();
        let counts = WorkCounts { draws, clears, methods, ..self.counts };
        let surfaces = if draws > 0 || clears > 0 { self.surfaces() } else { Ok(Vec::new()) };
        let failures = self.failures.iter().map(|(what, count)| format!("{what} ({count} times)")).collect();
        let recording = self.recording.take().and_then(Recording::finish);
        let (surfaces, error) = surfaces.map_or_else(|error| (Vec::new(), Some(error)), |surfaces| (surfaces, None));
        let outcome = Outcome { readbacks: Vec::new(), surfaces, anomalies: self.chip.anomalies().lines() };
        self.taken = Some(Ended { counts, outcome, failures, recording });
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
            error.get_or_insert(failure.into());
        }
        (self.taken, frame, error)
    }
}

/// The buffer that a message with nothing else names.
fn handle_of(tag: Tag, payload: &[u8]) -> Result<u32, LiveError> {
    let size = LiveError::MessageSize { tag, found: payload.len(), expected: 4 };
    <[u8; 4]>::try_from(payload).map(u32::from_le_bytes).map_err(|_| size)
}

/// Counts a failed command by what was said.
fn note_failure(failures: &mut BTreeMap<String, u64>, message: String) {
    if let Some(count) = failures.get_mut(&message) {
        *count += 1;
        return;
    }
    let message = if failures.len() < MOST_FAILURES { message } else { "other failures".to_owned() };
    *failures.entry(message).or_default() += 1;
}

/// Why the program's writes cannot be taken.
enum TakeError {
    Memory(io::Error),
    Chip(ChipError),
}

impl From<io::Error> for TakeError {
    fn from(error: io::Error) -> Self {
        Self::Memory(error)
    }
}

impl From<ChipError> for TakeError {
    fn from(error: ChipError) -> Self {
        Self::Chip(error)
    }
}
