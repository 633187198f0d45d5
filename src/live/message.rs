//! Reads messages with their file descriptors from a socket.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use curie_client::protocol::{HEADER_BYTES, MOST_BYTES, header};
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
}

impl<'a> MessageReader<'a> {
    pub(super) const fn new(socket: &'a UnixStream) -> Self {
        Self { socket }
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
        if bytes > MOST_BYTES {
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
        loop {
            match recv(self.socket, &mut [0; 1][..], RecvFlags::PEEK | RecvFlags::DONTWAIT) {
                Ok((_, count)) => return Ok(count > 0),
                Err(rustix::io::Errno::AGAIN) => return Ok(false),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }

    /// Reads until the bytes are full or the connection ends; keeps the first descriptor, closes others.
    fn fill(&self, bytes: &mut [u8], descriptor: &mut Option<OwnedFd>) -> Result<usize, LiveError> {
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
        }
        Ok(filled)
    }
}
