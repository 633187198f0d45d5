//! `curie list`: a capture as text.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;

use curie::capture::Capture;
use curie::listing::{ListError, list_capture};

use super::Failure;

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The capture, plain or compressed with zstd
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = arguments.capture.display();
    let capture = Capture::open(&arguments.capture).map_err(|error| format!("{path}: {}", with_sources(&error)))?;
    let mut out = BufWriter::new(io::stdout().lock());
    let result = list_capture(&capture, &mut out).and_then(|()| Ok(out.flush()?));
    // What is left in the buffer has nowhere to go once the reader has closed the pipe.
    let _ = out.into_parts();
    match result {
        Err(ListError::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// An error and what caused it, in one line.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}
