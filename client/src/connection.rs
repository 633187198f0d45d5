//! The socket to the emulator.

use std::io::{IoSlice, Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::fstat;
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, send, sendmsg};

use crate::clock;
use crate::protocol::{self, HEADER_BYTES, Machine, SOCKET_VARIABLE, Tag, VERSION};
use crate::swap_functions::swaps_are_seen;

/// A connection: one device with one channel.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: UnixStream,
    /// Device and inode of the socket: a program may close descriptors that it did not open, and use their numbers again.
    identity: (u64, u64),
    /// The process that opened it; a fork must not use it.
    process: u32,
    is_closing: Arc<AtomicBool>,
    /// Whether others know buffers of this program, or it has imported theirs.
    shares_buffers: AtomicBool,
}

/// Prints a message of this library. A standard error that cannot be written must not end the program.
pub(crate) fn complain(reason: &str) {
    let _ = std::io::stderr().write_all(format!("curie: {reason}\n").as_bytes());
}

/// Ends the program: its driver has no way to hear that the chip is gone.
fn give_up(reason: &str) -> ! {
    complain(reason);
    // SAFETY: the call ends the process.
    unsafe { libc::_exit(1) }
}

impl Connection {
    /// Connects to the emulator that started the program, and asks for its machine.
    pub(crate) fn open() -> Result<(Self, Machine), String> {
        let Some(path) = std::env::var_os(SOCKET_VARIABLE) else {
            return Err(format!("{SOCKET_VARIABLE} is not set; start the program with 'curie gl -- PROGRAM'"));
        };
        let stream = UnixStream::connect(&path)
            .map_err(|error| format!("cannot reach the emulator at {}: {error}", path.display()))?;
        let connection = Self::new(stream).map_err(|error| format!("cannot use the emulator's socket: {error}"))?;
        let process = connection.process;
        let hello = protocol::words(&[VERSION, process, swaps_are_seen().into()]);
        let payload = connection.request(protocol::HELLO, &hello, protocol::MACHINE);
        let machine = Machine::decode(&payload).ok_or("the emulator's answer is too short")?;
        connection.watch().map_err(|error| format!("cannot watch the emulator: {error}"))?;
        Ok((connection, machine))
    }

    pub(crate) fn new(stream: UnixStream) -> std::io::Result<Self> {
        let identity = identity(&stream)?;
        Ok(Self {
            stream,
            identity,
            process: std::process::id(),
            is_closing: Arc::default(),
            shares_buffers: AtomicBool::new(false),
        })
    }

    /// Ends the program when the emulator ends: the driver waits for fences by reading memory, not by calls.
    fn watch(&self) -> std::io::Result<()> {
        let (stream, is_closing) = (self.stream.try_clone()?, Arc::clone(&self.is_closing));
        let watch = move || {
            block_signals();
            let mut sockets = [PollFd::new(&stream, PollFlags::RDHUP)];
            let ended = PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR;
            while !sockets[0].revents().intersects(ended) {
                let _interrupted = poll(&mut sockets, None);
                if sockets[0].revents().contains(PollFlags::NVAL) {
                    // The program has closed the descriptor, which matters if it uses the chip again.
                    return;
                }
            }
            if !is_closing.load(Ordering::Acquire) {
                give_up("the emulator ended");
            }
        };
        std::thread::Builder::new().name("curie".to_owned()).stack_size(1 << 16).spawn(watch).map(drop)
    }

    /// Whether this is a fork of the process that opened the connection.
    fn is_forked(&self) -> bool {
        std::process::id() != self.process
    }

    /// Sends a message.
    pub(crate) fn send(&self, tag: Tag, payload: &[u8]) {
        // A forked process that ends destroys buffers that are not its own.
        if !self.is_forked() {
            self.send_rest(&protocol::message(tag, payload));
        }
    }

    /// Ends the program if it has closed the connection: its driver would write to another file.
    pub(crate) fn check(&self) {
        if identity(&self.stream).ok() != Some(self.identity) {
            give_up("the program has closed the descriptors of its graphics device");
        }
    }

    fn send_rest(&self, mut bytes: &[u8]) {
        self.check();
        while !bytes.is_empty() {
            match send(&self.stream, bytes, SendFlags::NOSIGNAL) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Errno::INTR) => {}
                Err(_) => give_up("the emulator ended"),
            }
        }
    }

    /// Sends a message with a descriptor.
    pub(crate) fn send_with(&self, tag: Tag, payload: &[u8], descriptor: BorrowedFd<'_>) {
        if self.is_forked() {
            return;
        }
        self.check();
        let message = protocol::message(tag, payload);
        let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let descriptors = [descriptor];
        assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)), "there is space for one descriptor");
        let sent = loop {
            match sendmsg(&self.stream, &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL) {
                Ok(sent) => break sent,
                Err(Errno::INTR) => {}
                Err(_) => give_up("the emulator ended"),
            }
        };
        self.send_rest(&message[sent..]);
    }

    /// Sends a message and waits for the payload of its answer.
    pub(crate) fn request(&self, tag: Tag, payload: &[u8], answer: Tag) -> Vec<u8> {
        self.check_process();
        self.send(tag, payload);
        self.receive(answer)
    }

    /// Says when the next message was sent, if others could have a part in it.
    pub(crate) fn send_time(&self) {
        if self.shares_buffers.load(Ordering::Relaxed) {
            self.send(protocol::SENT, &clock::nanoseconds().to_le_bytes());
        }
    }

    /// Sends a message about a buffer that others know, with the descriptor by which they do, and waits for the payload of its
    /// answer.
    pub(crate) fn request_shared(&self, tag: Tag, payload: &[u8], descriptor: BorrowedFd<'_>, answer: Tag) -> Vec<u8> {
        self.check_process();
        self.shares_buffers.store(true, Ordering::Relaxed);
        self.send_with(tag, payload, descriptor);
        self.receive(answer)
    }

    fn check_process(&self) {
        if self.is_forked() {
            give_up("a forked process cannot use the OpenGL contexts of its parent");
        }
    }

    /// Waits for the payload of an answer.
    fn receive(&self, answer: Tag) -> Vec<u8> {
        let mut head = [0; HEADER_BYTES];
        let mut stream = &self.stream;
        if stream.read_exact(&mut head).is_err() {
            give_up("the emulator ended");
        }
        let (found, bytes) = protocol::header(head);
        let mut payload = vec![0; bytes as usize];
        if found != answer || stream.read_exact(&mut payload).is_err() {
            give_up("the emulator's answer is broken");
        }
        payload
    }
}

/// Device and inode of a socket.
fn identity(socket: &UnixStream) -> rustix::io::Result<(u64, u64)> {
    #[expect(clippy::useless_conversion, reason = "some systems have smaller numbers")]
    fstat(socket).map(|status| (status.st_dev.into(), status.st_ino.into()))
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.is_forked() && identity(&self.stream).ok() == Some(self.identity) {
            self.is_closing.store(true, Ordering::Release);
            let _gone = self.stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

/// Keeps the program's signal handlers off this thread.
fn block_signals() {
    let mut signals = std::mem::MaybeUninit::uninit();
    // SAFETY: the set is filled before it is used.
    unsafe {
        libc::sigfillset(signals.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, signals.as_ptr(), std::ptr::null_mut());
    }
}
