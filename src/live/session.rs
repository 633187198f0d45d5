//! One connection: applies what a program's driver does to a backend, and keeps the program's memory up to date.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::mpsc::TryRecvError;

use curie_client::protocol;

use super::backend::{Backend, Failures};
use super::buffers::{Buffers, Exported, LiveBuffer};
use super::exports::{BufferRequest, Description, Export, FileIdentity, Found, Mailbox, Place};
use super::options::LiveOptions;
use super::recording::{Recorded, Recording};
use super::shared_buffer::MERGED_GAP;
use super::{LiveError, message::Message};
use crate::capture::{Buffer, BufferUse, CaptureError, Record, RecordPosition, Submission, Tag};
use crate::chip::MethodCounts;
use crate::replay::{Outcome, Surface};

/// Submissions after which fences become visible even if more messages wait.
const MAX_UNPUBLISHED: u32 = 64;

/// Exported buffers that can be imported although their program has destroyed them: the importer may not have come to it yet.
const MAX_LEFT: usize = 16;

/// Objects that may be created.
const MAX_OBJECTS: u64 = 1 << 20;

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
    /// Frames that have begun: by marks, or after pictures that were shown.
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
    mailbox: Arc<Mailbox>,
    /// When the program sent what is done now; 0 if it has never said.
    time: u64,
    buffers: Buffers,
    /// The buffer that the next new buffer is, if its program imports it.
    imported: Option<(u32, Arc<Export>)>,
    /// Buffers that the program has exported and destroyed.
    left: VecDeque<Arc<Export>>,
    notifier: Option<u32>,
    objects: u64,
    /// Submissions whose results the program cannot see yet.
    unpublished: u32,
    /// Shared buffers in GART that these may have written.
    written: BTreeSet<u32>,
    counts: WorkCounts,
    /// Whether the library marks every frame: it says so, or marks another frame than that which the first submission begins.
    sees_swaps: bool,
    /// Whether a picture was shown since the frame began: others have fetched a new content of an exported buffer.
    was_shown: bool,
    failures: Failures,
    recording: Option<Recording<'a>>,
    /// The result, if it was taken before the end.
    taken: Option<Ended>,
    position: RecordPosition,
}

impl<'a> Session<'a> {
    pub(super) fn new(options: &'a LiveOptions, backend: Backend, mailbox: Arc<Mailbox>, sees_swaps: bool) -> Self {
        Self {
            options,
            backend,
            mailbox,
            time: 0,
            buffers: Buffers::default(),
            imported: None,
            left: VecDeque::new(),
            notifier: None,
            objects: 0,
            unpublished: 0,
            written: BTreeSet::new(),
            counts: WorkCounts::default(),
            sees_swaps,
            was_shown: false,
            failures: Failures::default(),
            recording: options.recordings.as_ref().map(|names| Recording::new(names, &options.header)),
            taken: None,
            position: RecordPosition::default(),
        }
    }

    /// Whether results must become visible to the program now; `is_waiting` says whether more messages wait.
    pub(super) fn must_publish(&self, is_waiting: impl FnOnce() -> Result<bool, LiveError>) -> Result<bool, LiveError> {
        Ok(self.unpublished >= MAX_UNPUBLISHED || (self.unpublished > 0 && !is_waiting()?))
    }

    /// Ends the frame in progress if it was shown and this message is the next submission, for a library that sees no swaps.
    pub(super) fn end_shown_frame(&mut self, message: &Message) -> Result<Option<FrameEnd>, LiveError> {
        if message.tag.0 != protocol::SUBMIT || self.sees_swaps || !self.was_shown || self.counts.frames == 0 {
            return Ok(None);
        }
        let ended = self.begin_frame()?;
        self.keep(&Record::frame_mark())?;
        Ok(ended)
    }

    /// Applies a message. Returns the answer to send, and the frame that it ends.
    pub(super) fn apply(&mut self, message: Message) -> Result<(Option<Vec<u8>>, Option<FrameEnd>), LiveError> {
        let Message { tag, payload, descriptor } = message;
        if tag.0 == protocol::SHARE {
            return self.share(tag, &payload, descriptor).map(|()| (None, None));
        }
        if tag.0 == protocol::SENT {
            let [low, high] = words_of(tag, &payload)?;
            self.time = u64::from(high) << 32 | u64::from(low);
            return Ok((None, None));
        }
        if tag.0 == protocol::EXPORT {
            return self.export(tag, &payload, descriptor).map(|answer| (Some(answer), None));
        }
        if tag.0 == protocol::IMPORT {
            return self.import(tag, &payload, descriptor).map(|answer| (Some(answer), None));
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
                    self.sees_swaps |= self.counts.frames > 0;
                    frame = self.begin_frame()?;
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
        if self.objects > MAX_OBJECTS {
            return Err(LiveError::TooMany { what: "objects", limit: MAX_OBJECTS });
        }
        Ok(())
    }

    fn create(&mut self, buffer: &Buffer, record: &Record) -> Result<(), LiveError> {
        self.buffers.check_space()?;
        self.forget(buffer.handle);
        self.keep(record)?;
        self.buffers.insert(buffer);
        if let Some((handle, export)) = self.imported.take()
            && handle == buffer.handle
            && export.description.bytes == buffer.bytes
        {
            export.add_writer(&self.mailbox);
            self.buffers.set_exported(handle, Exported { export, version: None, is_used: false, shown: None });
        }
        Ok(())
    }

    fn forget(&mut self, handle: u32) {
        if let Some(export) = self.leave(handle) {
            self.left.truncate(MAX_LEFT - 1);
            self.left.push_front(export);
        }
        self.written.remove(&handle);
        self.buffers.remove(handle);
    }

    /// Keeps the content of an exported buffer for others, if this session is its holder.
    fn leave(&mut self, handle: u32) -> Option<Arc<Export>> {
        let buffer = self.buffers.get(handle)?;
        let (bytes, Exported { export, .. }) = (buffer.bytes, buffer.exported.clone()?);
        if export.is_held_by(&self.mailbox) {
            // Without its chip the content is lost.
            export.keep(self.backend.read(handle, 0..bytes).ok().flatten().unwrap_or_default());
        }
        Some(export)
    }

    /// Lets others know a buffer by the file of a descriptor.
    fn export(&mut self, tag: Tag, payload: &[u8], descriptor: Option<OwnedFd>) -> Result<Vec<u8>, LiveError> {
        let [handle, tile_flags, tile_mode] = words_of(tag, payload)?;
        let buffer = self.buffers.get(handle).ok_or(LiveError::UnknownBuffer { tag, handle })?;
        let (file, open) = identified(handle, descriptor)?;
        let description = Description {
            bytes: buffer.bytes.into(),
            domain: buffer.domain,
            tiling: [tile_flags, tile_mode],
            has_kinds: self.backend.has_virtual_memory(),
        };
        let export = self.options.exports.add(file, open, description, &self.mailbox);
        self.buffers.set_exported(handle, Exported { export, version: Some(0), is_used: true, shown: None });
        Ok(protocol::message(protocol::DONE, &protocol::words(&[handle])))
    }

    /// Says what another program has exported as the file of a descriptor; the next buffer can be it.
    fn import(&mut self, tag: Tag, payload: &[u8], descriptor: Option<OwnedFd>) -> Result<Vec<u8>, LiveError> {
        let [handle] = words_of(tag, payload)?;
        let (file, _) = identified(handle, descriptor)?;
        let export = self.options.exports.find(&file);
        let description = export.as_ref().map(|export| {
            let Description { bytes, domain, tiling: [tile_flags, tile_mode], .. } = export.description;
            protocol::Imported { bytes, place: domain, tile_flags, tile_mode }.encode()
        });
        self.imported = export.map(|export| (handle, export));
        Ok(protocol::message(protocol::IMPORTED, &description.unwrap_or_default()))
    }

    /// Fetches the content of a buffer that another program has written.
    fn fetch(&mut self, handle: u32) -> Result<(), LiveError> {
        let Some(Exported { export, version: known, is_used, shown }) =
            self.buffers.get(handle).and_then(|buffer| buffer.exported.clone())
        else {
            return Ok(());
        };
        // Who holds the content is known once all have done what they were sent.
        for other in export.others(&self.mailbox) {
            self.ask(&export, other, (0..0, None))?;
        }
        let (version, bytes) = loop {
            match export.place(&self.mailbox, known) {
                Place::Here => return Ok(()),
                Place::Kept(version, bytes) => break (version, bytes),
                Place::Session(holder) => match self.ask(&export, holder, (0..export.description.bytes, known))? {
                    Some(Some(found)) => break found,
                    Some(None) => return Ok(()),
                    // Its buffers have another holder now.
                    None => {}
                },
            }
        };
        self.keep(&Record::Write { handle, offset: 0, bytes })?;
        let Some(buffer) = self.buffers.get_mut(handle) else { return Ok(()) };
        buffer.exported = Some(Exported { export, version: Some(version), is_used, shown });
        buffer.chip_wrote = true;
        if buffer.is_watched() {
            self.written.insert(handle);
        }
        Ok(())
    }

    /// Asks another session for bytes of a buffer, and waits; `None` if it ends before it answers. What others ask meanwhile
    /// is answered.
    fn ask(
        &mut self,
        export: &Export,
        other: Arc<Mailbox>,
        asked: (Range<u64>, Option<u64>),
    ) -> Result<Option<Found>, LiveError> {
        let answer = self.mailbox.ask(&other, export, asked, self.time);
        // Else the requests to a session that ends would stay.
        drop(other);
        loop {
            match answer.try_recv() {
                Ok(found) => return Ok(Some(found)),
                Err(TryRecvError::Disconnected) => return Ok(None),
                Err(TryRecvError::Empty) => {}
            }
            while let Some(request) = self.mailbox.next_until(self.time) {
                self.answer(request)?;
            }
            self.mailbox.wait(None)?;
        }
    }

    /// When the program sent what is done next.
    pub(super) const fn time(&self) -> u64 {
        self.time
    }

    /// Answers a request for a buffer.
    pub(super) fn answer(&mut self, request: BufferRequest) -> Result<(), LiveError> {
        let Some(handle) = self.buffers.exported(&request.file) else {
            match self.left.iter().find(|export| *export.file() == request.file && !export.is_held_by(&self.mailbox)) {
                Some(export) => export.pass_on(request),
                None => request.answer(0, None),
            }
            return Ok(());
        };
        // What the program wrote itself is shown, too.
        self.take_written(handle)?;
        let exported = self.buffers.get(handle).and_then(|buffer| buffer.exported.as_ref());
        let version = exported.and_then(|exported| exported.version);
        let mut content = None;
        if version != request.known || version.is_none() {
            let [start, end] = [request.range.start, request.range.end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
            content = self.backend.read(handle, start..end)?;
        }
        if content.as_ref().is_some_and(|bytes| !bytes.is_empty())
            && let Some(exported) = self.buffers.get_mut(handle).and_then(|buffer| buffer.exported.as_mut())
            && exported.shown < version
        {
            exported.shown = version;
            self.was_shown = true;
        }
        request.answer(version.unwrap_or(0), content);
        Ok(())
    }

    /// Takes a descriptor as the memory of a buffer.
    fn share(&mut self, tag: Tag, payload: &[u8], descriptor: Option<OwnedFd>) -> Result<(), LiveError> {
        let [handle] = words_of(tag, payload)?;
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
            self.fetch(handle)?;
            self.take_written(handle)?;
        }
        for used in &submission.buffers {
            self.note_used(used);
        }
        self.counts.submissions += 1;
        self.unpublished += 1;
        if let Some(recording) = &mut self.recording {
            recording.begin_submission(record);
        }
        let draws = self.backend.counts().draws;
        let result = self.backend.execute(submission, &mut self.failures);
        if !self.options.is_display {
            self.options.exports.add_draws(self.backend.counts().draws - draws);
        }
        for handle in self.backend.take_written() {
            self.note_written(handle);
        }
        let times = self.backend.end_submission();
        if let Some(recording) = &mut self.recording {
            recording.end_submission(times);
        }
        result
    }

    /// Notes that a submission uses a buffer.
    fn note_used(&mut self, used: &BufferUse) {
        if let Some(buffer) = self.buffers.get_mut(used.handle)
            && let Some(exported) = &mut buffer.exported
            && !std::mem::replace(&mut exported.is_used, true)
        {
            exported.export.remove_writer(&self.mailbox);
        }
        if used.write_domains != 0 {
            self.note_written(used.handle);
        }
    }

    /// Notes that the chip writes a buffer.
    fn note_written(&mut self, handle: u32) {
        let Some(buffer) = self.buffers.get_mut(handle) else { return };
        buffer.chip_wrote = true;
        if let Some(exported) = &mut buffer.exported {
            exported.version = Some(exported.export.change(&self.mailbox));
        }
        if buffer.is_watched() {
            self.written.insert(handle);
        }
    }

    /// Applies and records what the program wrote to a buffer.
    fn take_written(&mut self, handle: u32) -> Result<(), LiveError> {
        let Self { backend, recording, buffers, notifier, .. } = self;
        let Some(LiveBuffer { shared: Some(shared), chip_wrote, exported, .. }) = buffers.get_mut(handle) else {
            return Ok(());
        };
        let mut changes = false;
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
            changes = true;
            Ok(())
        });
        if let Some(exported) = exported.as_mut().filter(|_| changes) {
            exported.version = Some(exported.export.change(&self.mailbox));
        }
        taken.map_err(|error| match error {
            TakeError::Memory(source) => LiveError::SharedMemory { handle, source },
            TakeError::Backend(error) => error,
        })
    }

    /// Makes a buffer ready for the program. What the program writes is read before each submission, so it may write at
    /// once what the chip only reads.
    fn prepare(&mut self, handle: u32) -> Result<(), LiveError> {
        self.fetch(handle)?;
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

    /// Ends the frame in progress, and begins another one.
    fn begin_frame(&mut self) -> Result<Option<FrameEnd>, LiveError> {
        let ended = self.end_frame()?;
        if self.taken.is_none() && self.options.frames == Some(self.counts.frames) {
            self.take_result()?;
        }
        self.counts.frames = self.counts.frames.saturating_add(1);
        self.was_shown = false;
        Ok(ended)
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
        for handle in self.buffers.all_exported() {
            self.leave(handle);
        }
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

/// The words that are a message's payload.
fn words_of<const COUNT: usize>(tag: Tag, payload: &[u8]) -> Result<[u32; COUNT], LiveError> {
    let (words, rest) = payload.as_chunks();
    let found = <&[[u8; 4]; COUNT]>::try_from(words).ok().filter(|_| rest.is_empty());
    let size = || LiveError::MessageSize { tag, found: payload.len(), expected: 4 * COUNT };
    found.map(|words| words.map(u32::from_le_bytes)).ok_or_else(size)
}

/// The descriptor that comes with a message about a buffer, and the identity of its file.
fn identified(handle: u32, descriptor: Option<OwnedFd>) -> Result<(FileIdentity, OwnedFd), LiveError> {
    let file = descriptor.ok_or(LiveError::NoDescriptor { handle })?;
    let identity = FileIdentity::of(&file).map_err(|source| LiveError::SharedMemory { handle, source })?;
    Ok((identity, file))
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
