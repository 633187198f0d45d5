//! The buffers that programs have passed on as files, to display servers and to each other.
//!
//! Each connection has a chip of its own, so each of those that have a buffer holds a copy of its content. The copy of the one
//! that wrote last, the *holder*, is the buffer's content. A session that uses a buffer fetches the content before, unless it is
//! the holder or has that content already.
//!
//! A display server, or another program, hears of a buffer over a socket of its own, after the program has sent what draws it
//! to its session. So a session that has written a buffer first applies the messages that wait in its socket at that moment,
//! and then answers. Programs that share buffers say when they send a submission. A session that executes one needs only what
//! others have sent before, and answers while it waits, so no two wait for each other.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

use super::picture_rows::{PictureRows, PixelOrder};

/// What names a file on this machine: its device and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The device.
    pub device: u64,
    /// The number.
    pub inode: u64,
}

impl FileIdentity {
    /// The identity of an open file.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn of(file: impl AsFd) -> io::Result<Self> {
        let status = rustix::fs::fstat(file)?;
        Ok(Self { device: status.st_dev, inode: status.st_ino })
    }
}

/// Takes the version of the content, and the bytes that were asked for; none if the asking session has that version, or they
/// are not the buffer's own.
type Answer = Box<dyn FnOnce(u64, Option<Vec<u8>>) + Send>;

/// A request to a session that has a buffer.
pub(super) struct BufferRequest {
    /// The file of the buffer.
    pub(super) file: FileIdentity,
    /// The bytes asked for.
    pub(super) range: Range<u64>,
    /// The version that the asking session has.
    pub(super) known: Option<u64>,
    /// What the program has sent since that time may come later.
    pub(super) time: u64,
    answer: Answer,
}

impl BufferRequest {
    /// Answers.
    pub(super) fn answer(self, version: u64, bytes: Option<Vec<u8>>) {
        (self.answer)(version, bytes);
    }
}

/// The version and the bytes of a content; `None` if the asking session has it.
pub(super) type Found = Option<(u64, Vec<u8>)>;

/// The way of an answer to a session that waits for it.
struct Reply {
    found: Option<Sender<Found>>,
    asking: Arc<Mailbox>,
}

impl Drop for Reply {
    fn drop(&mut self) {
        // A request that is dropped has no answer any more.
        self.found = None;
        self.asking.wake();
    }
}

/// What the driver of a program that imports a buffer learns of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Description {
    pub(super) bytes: u64,
    /// The place in which it was when it was exported, a flag.
    pub(super) domain: u32,
    /// The flags and the mode of tiling, as the driver that created it said.
    pub(super) tiling: [u32; 2],
    /// Whether a kind of pages among the flags means blocks of gobs, whose height and depth are the mode (Tesla).
    pub(super) has_kinds: bool,
}

/// Whose copy is the content.
#[derive(Debug)]
enum Holder {
    Session(Weak<Mailbox>),
    /// The session that wrote last has destroyed the buffer, or has ended.
    Kept(Vec<u8>),
}

/// The content of a buffer.
#[derive(Debug)]
struct State {
    holder: Holder,
    /// Grows with each change.
    version: u64,
    /// The sessions that have changed the content, and the importers whose first submission has not come yet.
    writers: Vec<Weak<Mailbox>>,
}

impl State {
    fn add_writer(&mut self, writer: &Weak<Mailbox>) {
        self.writers.retain(|known| known.strong_count() > 0 && !known.ptr_eq(writer));
        self.writers.push(Weak::clone(writer));
    }
}

/// A buffer that was passed on.
#[derive(Debug)]
pub(super) struct Export {
    file: FileIdentity,
    /// While the file is open, no other has its identity.
    _open: OwnedFd,
    pub(super) description: Description,
    state: Mutex<State>,
}

impl Export {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) const fn file(&self) -> &FileIdentity {
        &self.file
    }

    /// Notes that a session may change the content.
    pub(super) fn add_writer(&self, mailbox: &Arc<Mailbox>) {
        self.state().add_writer(&Arc::downgrade(mailbox));
    }

    /// Notes that a session has not changed the content, though it has come to use it.
    pub(super) fn remove_writer(&self, mailbox: &Arc<Mailbox>) {
        self.state().writers.retain(|writer| writer.as_ptr() != Arc::as_ptr(mailbox));
    }

    /// Notes that a session changes the content, and holds it from now on. Returns the new version.
    pub(super) fn change(&self, mailbox: &Arc<Mailbox>) -> u64 {
        let mut state = self.state();
        let writer = Arc::downgrade(mailbox);
        state.add_writer(&writer);
        state.holder = Holder::Session(writer);
        state.version += 1;
        state.version
    }

    /// The sessions that may change the content before the one with this mailbox uses it, unless the only one is the holder.
    pub(super) fn others(&self, mailbox: &Arc<Mailbox>) -> Vec<Arc<Mailbox>> {
        let state = self.state();
        let mut others: Vec<_> = state.writers.iter().filter_map(Weak::upgrade).collect();
        others.retain(|writer| !Arc::ptr_eq(writer, mailbox));
        match (&state.holder, &others[..]) {
            (Holder::Session(holder), [other]) if holder.as_ptr() == Arc::as_ptr(other) => Vec::new(),
            _ => others,
        }
    }

    /// Where the content is for the session with this mailbox, which has version `known`.
    pub(super) fn place(&self, mailbox: &Arc<Mailbox>, known: Option<u64>) -> Place {
        match &*self.state() {
            State { holder: Holder::Session(holder), .. } => match holder.upgrade() {
                Some(holder) if !Arc::ptr_eq(&holder, mailbox) => Place::Session(holder),
                _ => Place::Here,
            },
            State { version, .. } if known == Some(*version) => Place::Here,
            State { holder: Holder::Kept(bytes), version, .. } => Place::Kept(*version, bytes.clone()),
        }
    }

    /// Whether the session with this mailbox is the holder.
    pub(super) fn is_held_by(&self, mailbox: &Arc<Mailbox>) -> bool {
        matches!(&self.state().holder, Holder::Session(holder) if holder.as_ptr() == Arc::as_ptr(mailbox))
    }

    /// Passes a request on to the holder, or answers it if no session has the buffer.
    pub(super) fn pass_on(&self, request: BufferRequest) {
        let State { holder, version, .. } = &*self.state();
        match holder {
            // A request that is dropped has no answer.
            Holder::Session(mailbox) => drop(mailbox.upgrade().map(|mailbox| mailbox.post(request))),
            Holder::Kept(kept) => {
                let range = usize::try_from(request.range.start).ok().zip(usize::try_from(request.range.end).ok());
                let bytes = range.and_then(|(start, end)| kept.get(start..end));
                request.answer(*version, bytes.map(<[u8]>::to_vec));
            }
        }
    }

    /// Keeps the content of a holder that gives the buffer up.
    pub(super) fn keep(&self, bytes: Vec<u8>) {
        self.state().holder = Holder::Kept(bytes);
    }
}

/// The exported buffers of all sessions of one or more servers, which have this in their options.
#[derive(Debug, Clone, Default)]
pub struct Exports {
    known: Arc<Mutex<HashMap<FileIdentity, Weak<Export>>>>,
    /// What display servers tell of the programs beside their pictures.
    draws: Arc<AtomicU64>,
}

impl Exports {
    /// Asks for bytes of a buffer after all that its program has sent so far. `answer` is called from any thread; it is dropped
    /// if no session has exported the buffer, or the bytes are not its own.
    pub fn request(&self, file: FileIdentity, range: Range<u64>, answer: impl FnOnce(Vec<u8>) + Send + 'static) {
        let Some(export) = self.find(&file) else { return };
        let answer = Box::new(|_, bytes| {
            if let Some(bytes) = bytes {
                answer(bytes);
            }
        });
        export.pass_on(BufferRequest { file, range, known: None, time: u64::MAX, answer });
    }

    /// Asks for the rows of a picture in the same way; the buffer may hold them in another order.
    pub fn request_picture(
        &self,
        file: FileIdentity,
        picture: PictureRows,
        answer: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        let Some(export) = self.find(&file) else { return };
        let kinds = export.description.has_kinds.then_some(export.description.tiling);
        let order = PixelOrder::of(kinds, &picture);
        let start = u64::from(picture.offset);
        let range = start..start + order.bytes(&picture);
        self.request(file, range, move |bytes| answer(order.rows(&picture, bytes)));
    }

    /// Adds a session.
    pub(super) fn mailbox(&self) -> io::Result<Arc<Mailbox>> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Arc::new(Mailbox { requests: Mutex::default(), wake }))
    }

    /// Adds a buffer that a session exports, and holds.
    pub(super) fn add(
        &self,
        file: FileIdentity,
        open: OwnedFd,
        description: Description,
        mailbox: &Arc<Mailbox>,
    ) -> Arc<Export> {
        let writer = Arc::downgrade(mailbox);
        let state = State { holder: Holder::Session(Weak::clone(&writer)), version: 0, writers: vec![writer] };
        let export = Arc::new(Export { file, _open: open, description, state: Mutex::new(state) });
        let mut exports = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        exports.retain(|_, export| export.strong_count() > 0);
        exports.insert(file, Arc::downgrade(&export));
        export
    }

    /// The exported buffer of a file.
    pub(super) fn find(&self, file: &FileIdentity) -> Option<Arc<Export>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(file)?.upgrade()
    }

    /// Draws that all sessions of programs have executed so far.
    #[must_use]
    pub fn draws(&self) -> u64 {
        self.draws.load(Ordering::Relaxed)
    }

    /// Adds draws of a program's session.
    pub(super) fn add_draws(&self, draws: u64) {
        self.draws.fetch_add(draws, Ordering::Relaxed);
    }
}

/// Where the content of a buffer is.
#[derive(Debug)]
pub(super) enum Place {
    /// The asking session has it, or it is lost.
    Here,
    /// In another session.
    Session(Arc<Mailbox>),
    /// No session has it any more.
    Kept(u64, Vec<u8>),
}

/// The requests to a session.
pub(super) struct Mailbox {
    requests: Mutex<VecDeque<BufferRequest>>,
    wake: OwnedFd,
}

impl std::fmt::Debug for Mailbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mailbox").finish_non_exhaustive()
    }
}

impl Mailbox {
    fn post(&self, request: BufferRequest) {
        self.requests().push_back(request);
        self.wake();
    }

    fn requests(&self) -> MutexGuard<'_, VecDeque<BufferRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // A full counter has woken the session already.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// The next request, if one has come.
    pub(super) fn next(&self) -> Option<BufferRequest> {
        self.requests().pop_front()
    }

    /// The next request that needs nothing which the program has sent since this time.
    pub(super) fn next_until(&self, time: u64) -> Option<BufferRequest> {
        let mut requests = self.requests();
        let next = requests.iter().position(|request| request.time <= time)?;
        requests.remove(next)
    }

    /// Asks another session for bytes of a buffer, and which version they are, as of a time. The answer wakes this mailbox.
    pub(super) fn ask(
        self: &Arc<Self>,
        other: &Self,
        export: &Export,
        (range, known): (Range<u64>, Option<u64>),
        time: u64,
    ) -> Receiver<Found> {
        let (send, received) = channel();
        let reply = Reply { found: Some(send), asking: Arc::clone(self) };
        let answer = Box::new(move |version, bytes: Option<Vec<u8>>| {
            if let Some(found) = &reply.found {
                // The session waits until then.
                let _ = found.send(bytes.map(|bytes| (version, bytes)));
            }
        });
        other.post(BufferRequest { file: export.file, range, known, time, answer });
        received
    }

    /// Waits for a request, an answer, or bytes in the socket.
    pub(super) fn wait(&self, socket: Option<&UnixStream>) -> io::Result<()> {
        let mut waited = vec![PollFd::new(&self.wake, PollFlags::IN)];
        waited.extend(socket.map(|socket| PollFd::new(socket, PollFlags::IN)));
        match poll(&mut waited, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        Ok(())
    }
}
