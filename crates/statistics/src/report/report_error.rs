//! Errors of reading a statistics file and of writing a report.

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
    #[error("schema: the file has version {found}, this program reads version {}", crate::schema::SCHEMA)]
    Schema {
        /// Its version.
        found: u32,
    },
    /// The version of a launch's file is unknown to this program.
    #[error("schema: the file has version {found}, this program reads version {}", crate::schema::LAUNCH_SCHEMA)]
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
