//! The socket to the emulator.

use std::io::{IoSlice, Read as _, Write as _};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, send, sendmsg};

use crate::protocol::{self, HEADER_BYTES, Machine, SOCKET_VARIABLE, Tag, VERSION};

/// A connection: one device with one channel.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: UnixStream,
    /// The process that opened it; a fork must not use it.
    process: u32,
    is_closing: Arc<AtomicBool>,
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
        let process = std::process::id();
        let connection = Self { stream, process, is_closing: Arc::default() };
        let payload = connection.request(protocol::HELLO, &protocol::words(&[VERSION, process]), protocol::MACHINE);
        let machine = Machine::decode(&payload).ok_or("the emulator's answer is too short")?;
        connection.watch().map_err(|error| format!("cannot watch the emulator: {error}"))?;
        Ok((connection, machine))
    }

    /// Ends the program when the emulator ends: the driver waits for fences by reading memory, not by calls.
    fn watch(&self) -> std::io::Result<()> {
        let (stream, is_closing) = (self.stream.try_clone()?, Arc::clone(&self.is_closing));
        let watch = move || {
            block_signals();
            let mut sockets = [PollFd::new(&stream, PollFlags::RDHUP)];
            while !sockets[0].revents().intersects(PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR) {
                let _interrupted = poll(&mut sockets, None);
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

    fn send_rest(&self, mut bytes: &[u8]) {
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
        if self.is_forked() {
            give_up("a forked process cannot use the OpenGL contexts of its parent");
        }
        self.send(tag, payload);
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

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.is_forked() {
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
