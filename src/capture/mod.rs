//! Reads and writes recorded streams (`.nvcap`): records of what one client of the chip did.
//!
//! A [`Capture`] is a header and [`Record`]s in the order in which they happened. Applying them one by one to a
//! [`Chip`](crate::chip::Chip) replays the stream. All numbers in the file are little endian; a file may be
//! compressed with zstd.

mod read;
mod record;
mod warning;
mod write;

pub use read::{CaptureError, MAX_BYTES, MAX_RECORDS, RecordPosition};
pub use record::{Buffer, BufferUse, Capture, DOMAIN_GART, DOMAIN_VRAM, Header, Push, Record, Submission};
pub use warning::{CaptureWarning, Tag};
pub use write::CaptureWriter;
