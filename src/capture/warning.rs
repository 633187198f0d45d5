//! What the reader of a capture skips.

use std::fmt;

/// A record tag, shown as text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tag(pub [u8; 4]);

impl fmt::Display for Tag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

/// Something that the reader skipped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CaptureWarning {
    /// A record of an unknown kind.
    #[error("record {record} ({tag}) at byte {offset}: unknown kind, skipped")]
    UnknownTag {
        /// Number of the record, from 0.
        record: usize,
        /// Its tag.
        tag: Tag,
        /// Its offset.
        offset: usize,
    },
    /// The file ends inside its last record.
    #[error("record {record} ({tag}) at byte {offset}: the file ends after {found} of {expected} bytes")]
    Truncated {
        /// Number of the record, from 0.
        record: usize,
        /// Its tag, or the part of it in the file.
        tag: Tag,
        /// Its offset.
        offset: usize,
        /// Bytes in the file, including tag and size.
        found: usize,
        /// Bytes that it should have.
        expected: u64,
    },
    /// More warnings than are kept.
    #[error("{count} further warnings")]
    More {
        /// Their number.
        count: usize,
    },
}
