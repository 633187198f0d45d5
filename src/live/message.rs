//! Reads messages with their file descriptors from a socket.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use curie_client::protocol::{HEADER_BYTES, MAX_BYTES, header};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recv, recvmsg};

use super::LiveError;
use crate::capture::Tag;

/// Bytes of a payload for which memory is allocated before they come.
const STEP_BYTES: usize = 1 << 20;

/// A message.
#[derive(Debug)]
pub(super) struct Message {
    /// Its kind.
    pub(super) tag: Tag,
    /// Its payload.
    pub(super) payload: Vec<u8>,
    /// The first descriptor that came with it.
    pub(super) descriptor: Option<OwnedFd>,
}

/// Reads the messages of a connection.
#[derive(Debug)]
pub(super) struct MessageReader<'a> {
    socket: &'a UnixStream,
    /// Bytes read so far.
    position: u64,
}

impl<'a> MessageReader<'a> {
    pub(super) const fn new(socket: &'a UnixStream) -> Self {
        Self { socket, position: 0 }
    }

    /// Waits for the next message; `None` when the program has closed the connection after a whole one.
    pub(super) fn next(&mut self) -> Result<Option<Message>, LiveError> {
        let mut descriptor = None;
        let mut head = [0; HEADER_BYTES];
        match self.fill(&mut head, &mut descriptor)? {
            0 => return Ok(None),
            HEADER_BYTES => {}
            found => return Err(LiveError::Cut { found, expected: HEADER_BYTES }),
        }
        let (tag, bytes) = header(head);
        let tag = Tag(tag);
        if bytes > MAX_BYTES {
            return Err(LiveError::TooLarge { tag, bytes });
        }
        let expected = bytes as usize;
        let mut payload = Vec::new();
        while payload.len() < expected {
            let start = payload.len();
            let step = (expected - start).min(STEP_BYTES);
            payload.resize(start + step, 0);
            let found = self.fill(&mut payload[start..], &mut descriptor)?;
            if found < step {
                return Err(LiveError::Cut { found: HEADER_BYTES + start + found, expected: HEADER_BYTES + expected });
            }
        }
        Ok(Some(Message { tag, payload, descriptor }))
    }

    /// Whether a message has begun to arrive.
    pub(super) fn is_waiting(&self) -> Result<bool, LiveError> {
        Ok(self.peek()?.is_some_and(|count| count > 0))
    }

    /// Whether there is anything to read: a message that has begun to arrive, or the end.
    pub(super) fn is_ready(&self) -> Result<bool, LiveError> {
        Ok(self.peek()?.is_some())
    }

    /// How many of one byte can be read now, 0 at the end; `None` if it is not there yet.
    fn peek(&self) -> Result<Option<usize>, LiveError> {
        loop {
            match recv(self.socket, &mut [0; 1][..], RecvFlags::PEEK | RecvFlags::DONTWAIT) {
                Ok((_, count)) => return Ok(Some(count)),
                Err(rustix::io::Errno::AGAIN) => return Ok(None),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }

    /// How many bytes have been read.
    pub(super) const fn position(&self) -> u64 {
        self.position
    }

    /// How many bytes have been read once those that wait now are.
    pub(super) fn arrived(&self) -> Result<u64, LiveError> {
        let waiting = rustix::io::ioctl_fionread(self.socket).map_err(io::Error::from)?;
        Ok(self.position + waiting)
    }

    /// Reads until the bytes are full or the connection ends; keeps the first descriptor, closes others.
    fn fill(&mut self, bytes: &mut [u8], descriptor: &mut Option<OwnedFd>) -> Result<usize, LiveError> {
        let mut filled = 0;
        while filled < bytes.len() {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let into = &mut [IoSliceMut::new(&mut bytes[filled..])];
            let count = match recvmsg(self.socket, into, &mut control, RecvFlags::CMSG_CLOEXEC) {
                Ok(received) => received.bytes,
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(io::Error::from(error).into()),
            };
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                    for found in descriptors {
                        descriptor.get_or_insert(found);
                    }
                }
            }
            if count == 0 {
                break;
            }
            filled += count;
            self.position += count as u64;
        }
        Ok(filled)
    }
}
