//! The result of a replay.

use super::{Readback, Surface};

/// A place to stop at that the stream does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MissedStop {
    /// There is no draw of this number.
    #[error("there is no draw {draw}: the stream has {draws}, counted from 0")]
    Draw {
        /// The number.
        draw: u64,
        /// How many draws the stream has.
        draws: u64,
    },
    /// There is no submission of this number.
    #[error("there is no submission {submission}: {}", match present {
        Some((first, last)) => format!("those of the stream have numbers from {first} to {last}"),
        None => "the stream has none".to_owned(),
    })]
    Submission {
        /// The number.
        submission: u32,
        /// The smallest and the largest number of the stream.
        present: Option<(u32, u32)>,
    },
}

/// The result of a replay.
#[derive(Debug)]
pub struct Outcome {
    /// What the client could read before the end, if the options ask for it.
    pub readbacks: Vec<Readback>,
    /// The color targets bound at the end, then the zeta that was last used.
    pub surfaces: Vec<Surface>,
    /// What the chip ignores or rejects, each once, with its count.
    pub anomalies: Vec<String>,
    /// Set if the stream has ended before the submission or draw to stop at.
    pub missed_stop: Option<MissedStop>,
}
