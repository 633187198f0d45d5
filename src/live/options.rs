//! Defines how connections are served.

use std::collections::BTreeSet;

use super::exports::Exports;
use super::recording::NumberedPaths;
use crate::capture::Header;

/// How connections are served.
#[derive(Debug, Default)]
pub struct LiveOptions {
    /// The machine that programs find.
    pub header: Header,
    /// Anomalies end a connection.
    pub is_strict: bool,
    /// Where connections are recorded.
    pub recordings: Option<NumberedPaths>,
    /// The frames after which the result of a connection is taken, and a recording ends. The program may go on.
    pub frames: Option<u32>,
    /// The frames at whose end surfaces are read.
    pub frames_shown: BTreeSet<u32>,
    /// The host's clock, whose time reports and notifiers hold, in nanoseconds; without it they hold a count of methods.
    pub clock: Option<fn() -> u64>,
    /// The buffers that programs pass on to display servers and each other.
    pub exports: Exports,
    /// The program is a display server: its draws are not those of the programs that it shows.
    pub is_display: bool,
}
