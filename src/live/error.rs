//! Why a connection ends before its program closes it.

use std::io;

use curie_client::protocol;

use crate::capture::{CaptureError, Tag};
use crate::chip::ChipError;
use crate::machine::{NotRecordable, UnsupportedChipset};
use crate::pipeline::EngineError;

/// Why a connection ends before its program closes it.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The socket fails.
    #[error("socket: {0}")]
    Socket(#[from] io::Error),
    /// The program is gone in the middle of a message.
    #[error("the program ended within a message: {found} of {expected} bytes")]
    Cut {
        /// Bytes received.
        found: usize,
        /// Bytes announced.
        expected: usize,
    },
    /// A message is larger than the protocol allows.
    #[error("message {tag} of {bytes} bytes, at most {} are allowed", protocol::MAX_BYTES)]
    TooLarge {
        /// Its tag.
        tag: Tag,
        /// Its size.
        bytes: u32,
    },
    /// No message has this tag, or not from this side.
    #[error("unknown message {0}")]
    UnknownMessage(Tag),
    /// The payload of a message has the wrong size.
    #[error("message {tag} of {found} bytes, expected {expected}")]
    MessageSize {
        /// Its tag.
        tag: Tag,
        /// The size of its payload.
        found: usize,
        /// The required size.
        expected: usize,
    },
    /// The connection does not begin with `HELO`.
    #[error("the first message is {0}, expected HELO")]
    NoHello(Tag),
    /// The library speaks another version of the protocol.
    #[error("the client library speaks version {version} of the protocol, expected {}", protocol::VERSION)]
    Version {
        /// Its version.
        version: u32,
    },
    /// A message does not hold what a record of its kind holds.
    #[error(transparent)]
    Record(#[from] CaptureError),
    /// A message names a buffer that does not exist.
    #[error("{tag} names buffer {handle}, which does not exist")]
    UnknownBuffer {
        /// Its tag.
        tag: Tag,
        /// The buffer.
        handle: u32,
    },
    /// The memory of a buffer did not come with the message.
    #[error("buffer {handle} is shared without a file descriptor")]
    NoDescriptor {
        /// The buffer.
        handle: u32,
    },
    /// The descriptor is not memory of the buffer's size.
    #[error("buffer {handle} of {bytes} bytes cannot be shared: its descriptor is {found}")]
    WrongDescriptor {
        /// The buffer.
        handle: u32,
        /// Its size.
        bytes: u32,
        /// What came instead.
        found: String,
    },
    /// The memory of a buffer cannot be accessed.
    #[error("memory of buffer {handle}: {source}")]
    SharedMemory {
        /// The buffer.
        handle: u32,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The program creates more than any driver does.
    #[error("more than {limit} {what}")]
    TooMany {
        /// What it creates.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The machine is not emulated.
    #[error(transparent)]
    Chipset(#[from] UnsupportedChipset),
    /// The machine is not emulated, and its stream cannot be recorded without.
    #[error(transparent)]
    NotRecordable(#[from] NotRecordable),
    /// The chip cannot apply a message, or met an anomaly in strict mode.
    #[error(transparent)]
    Chip(#[from] ChipError),
    /// The engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The emulator failed.
    #[error("internal error: {0}")]
    Internal(String),
}
