//! An OpenGL program as the client of a chip: its driver's messages become capture records, which a chip executes.
//!
//! The messages and who sends them are in `client/src/protocol.rs`. A [`Server`] accepts connections; each is one device
//! with one channel, so each gets a chip, an engine and a thread of its own:
//!
//! ```text
//! program ─ its driver ─ client library ══ socket ══ message ─ session ─ backend: chip ─ engine
//!                              ╚═ memory of buffers ═╝    │
//!                                                     recording
//! ```
//!
//! A live program is a capture that is being written: the session turns each message into a record, applies it to the chip,
//! and appends it to a recording, whose replay gives the same surfaces. The program and the engine do not share memory.
//! Before a submission runs, what the program wrote to the buffers it uses becomes `WRIT` records; what the chip wrote
//! goes back when the program asks for a buffer, and fences and query results when nothing else is to be done.
//!
//! A chip that is not emulated can be [recorded only](Execution::RecordOnly): the chip then copies
//! memory and writes the reports that the driver waits for, and nothing is drawn.
//!
//! A program may pass a buffer on as a file: a display server that shows its windows asks for the content by [`Exports`], and
//! another program's session fetches it before each submission that uses the buffer.

mod backend;
mod buffers;
mod error;
mod exports;
mod message;
mod options;
mod picture_rows;
mod recording;
mod server;
mod session;
mod shared_buffer;

pub use backend::Execution;
pub use error::LiveError;
pub use exports::{Exports, FileIdentity};
pub use options::LiveOptions;
pub use picture_rows::PictureRows;
pub use recording::{NumberedPaths, Recorded, RecordingError};
pub use server::{EndsNow, Event, Running, Server};
pub use session::{Ended, WorkCounts};
