//! Asks sessions for the content of a program's buffer on behalf of a display server, which knows it by its file.
//!
//! A display server hears of a buffer over a socket of its own, after the program has sent what draws it to a session.
//! The request goes to all sessions. Each first applies the messages that wait in its socket at that moment, and only then
//! looks whether the buffer is its own. The program does not draw to a buffer that it has handed over, so it does no harm
//! to apply later messages too.

use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use rustix::event::{EventfdFlags, PollFd, PollFlags, eventfd, poll};

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

/// What a session says of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BufferContent {
    /// The bytes that were asked for.
    pub bytes: Vec<u8>,
    /// Draws that the session's chip has executed so far.
    pub draws: u64,
}

type Answer = Box<dyn FnOnce(BufferContent) + Send>;

/// A request that one session answers.
pub(super) struct BufferRequest {
    /// The file of the buffer.
    pub(super) file: FileIdentity,
    /// The bytes asked for.
    pub(super) range: Range<u64>,
    answer: Mutex<Option<Answer>>,
}

impl BufferRequest {
    /// Answers, unless another session did.
    pub(super) fn answer(&self, content: BufferContent) {
        let answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(answer) = answer {
            answer(content);
        }
    }
}

/// The way to all sessions of a server, which have it in their options.
#[derive(Clone, Default)]
pub struct BufferRequests(Arc<Mutex<Vec<Weak<Mailbox>>>>);

impl std::fmt::Debug for BufferRequests {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("BufferRequests").finish_non_exhaustive()
    }
}

impl BufferRequests {
    /// Asks for bytes of a buffer after all that its program has sent so far. `answer` is called from the session's
    /// thread; it is dropped if no session knows the buffer, or the bytes are not its own.
    pub fn request(&self, file: FileIdentity, range: Range<u64>, answer: impl FnOnce(BufferContent) + Send + 'static) {
        let request = Arc::new(BufferRequest { file, range, answer: Mutex::new(Some(Box::new(answer))) });
        let mut mailboxes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        mailboxes.retain(|mailbox| {
            let mailbox = mailbox.upgrade();
            mailbox.inspect(|mailbox| mailbox.post(Arc::clone(&request))).is_some()
        });
    }

    /// Adds a session.
    pub(super) fn mailbox(&self) -> io::Result<Arc<Mailbox>> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let mailbox = Arc::new(Mailbox { requests: Mutex::default(), wake });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&mailbox));
        Ok(mailbox)
    }
}

/// The requests to a session.
pub(super) struct Mailbox {
    requests: Mutex<VecDeque<Arc<BufferRequest>>>,
    wake: OwnedFd,
}

impl Mailbox {
    fn post(&self, request: Arc<BufferRequest>) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push_back(request);
        // A full counter has woken the session already.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// The next request, if one has come.
    pub(super) fn next(&self) -> Option<Arc<BufferRequest>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Waits for a request or for bytes in the socket.
    pub(super) fn wait(&self, socket: &UnixStream) -> io::Result<()> {
        let mut waited = [PollFd::new(socket, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
        match poll(&mut waited, None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let _ = rustix::io::read(&self.wake, &mut [0; 8]);
        Ok(())
    }
}
