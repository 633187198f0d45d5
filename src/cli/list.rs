//! `curie list`: prints a capture as text.

use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::PathBuf;

use curie::listing::{ListError, list_capture};

use super::{Failure, open_capture};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The capture, plain or compressed with zstd
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let capture = open_capture(&arguments.capture)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let result = list_capture(&capture, &mut out).and_then(|()| Ok(out.flush()?));
    // Dropping the writer would try to flush into the closed pipe.
    let _ = out.into_parts();
    match result {
        Err(ListError::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(ListError::Chipset(error)) => Err(format!("{}: {error}", arguments.capture.display()).into()),
        result => Ok(result?),
    }
}
