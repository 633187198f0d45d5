//! Formats a statistics file for people: as a page, a CSV file or a short table.
//!
//! [`StatisticsFile::read`] reads what `--statistics` wrote, by this program or another; [`page`], [`csv()`] and [`text()`] present
//! it. [`LaunchFile::read`] and [`launch_page`] do so for what `curie launch --statistics` wrote. The page is one file that needs no network; docs/report.md describes it.

mod counters;
mod csv;
mod file;
mod html;
mod launch_file;
mod models;
mod number;
mod place;
mod text;

pub use csv::csv;
pub use file::StatisticsFile;
pub use html::{EmbeddedPicture, launch_page, page};
pub use launch_file::LaunchFile;
pub use text::text;

/// Errors of reading a statistics file or writing a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The text is not JSON, or ends too early.
    #[error("not a JSON text: {0}")]
    NotJson(serde_json::Error),
    /// The version of the file is unknown to this program.
    #[error("schema: the file has version {found}, this program reads version {}", super::SCHEMA)]
    Schema {
        /// Its version.
        found: u32,
    },
    /// The version of a launch's file is unknown to this program.
    #[error("schema: the file has version {found}, this program reads version {}", super::launch::LAUNCH_SCHEMA)]
    LaunchSchema {
        /// Its version.
        found: u32,
    },
    /// A key is missing or has an invalid value.
    #[error("{place}: {message}")]
    Key {
        /// Where, as `draws[3].counters`.
        place: String,
        /// The problem.
        message: String,
    },
    /// The picture is not a PNG file.
    #[error("not a PNG file: {0}")]
    Picture(#[from] png::DecodingError),
    /// A heat map cannot be encoded.
    #[error("a heat map cannot be encoded: {0}")]
    HeatMap(#[from] png::EncodingError),
    /// A plot cannot be drawn.
    #[error("a plot cannot be drawn: {0}")]
    Plot(String),
}
