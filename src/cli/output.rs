//! Prints lines on standard output, and writes files.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PathBufValueParser, TypedValueParser};
use curie::files;
use curie::present::{Picture, encode_png, write_png};

use super::Failure;
use super::stream::is_standard;

/// Endings of picture formats that are not written.
const OTHER_PICTURES: &[&str] = &[
    "avif", "bmp", "dds", "exr", "gif", "hdr", "heic", "ico", "jpeg", "jpg", "jxl", "pam", "pbm", "pgm", "pnm", "ppm",
    "qoi", "svg", "tga", "tif", "tiff", "webp",
];

/// Prints a line.
///
/// # Errors
/// When the reader has closed the pipe; see [`reader_has_gone`].
pub(super) fn print_line(line: impl Display) -> Result<(), Failure> {
    Ok(writeln!(io::stdout(), "{line}")?)
}

/// Prints text without adding a line end.
///
/// # Errors
/// When the reader has closed the pipe.
pub(super) fn print_text(text: impl Display) -> Result<(), Failure> {
    Ok(write!(io::stdout(), "{text}")?)
}

/// Writes a file, which appears under its name when it is whole.
pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Ok(files::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))?)
}

/// Whether a command failed only because its reader closed the pipe, as `head` does.
pub(super) fn reader_has_gone(failure: &Failure) -> bool {
    failure.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

/// The status of a command whose result it is, also if nobody reads its lines.
pub(super) fn with_status(printed: Result<(), Failure>, status: ExitCode) -> Result<ExitCode, Failure> {
    match printed {
        Err(failure) if !reader_has_gone(&failure) => Err(failure),
        _ => Ok(status),
    }
}

/// Joins what became of the lines of a result with what became of its files: a file is written also if nobody reads the
/// lines, and an error of the file is the one that is reported.
pub(super) fn both(printed: Result<(), Failure>, written: Result<(), Failure>) -> Result<(), Failure> {
    written.and(printed)
}

/// Reads the name of a file for a picture.
pub(super) fn picture_parser() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(picture_file)
}

/// Fails if a file's ending says that it is no PNG.
pub(super) fn picture_file(path: PathBuf) -> Result<PathBuf, String> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if OTHER_PICTURES.contains(&ending.as_str()) {
        return Err(format!("pictures are written as PNG, not .{ending}"));
    }
    Ok(path)
}

/// Writes a picture to a file, or for `-` to standard output.
pub(super) fn write_picture(path: &Path, picture: &Picture) -> Result<(), Failure> {
    if !is_standard(path) {
        return Ok(write_png(path, picture)?);
    }
    let out = io::stdout();
    if out.is_terminal() {
        return Err("a picture is not written to a terminal: redirect standard output, or name a file".into());
    }
    let mut bytes = Vec::new();
    encode_png(&mut bytes, picture)?;
    let mut out = out.lock();
    out.write_all(&bytes)?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_picture_formats_are_refused() {
        for name in ["a.png", "a.PNG", "a", "-", "/dev/stdout", "a.jpg.tmp", "frame-%03d.png"] {
            assert_eq!(picture_file(name.into()), Ok(PathBuf::from(name)));
        }
        for name in ["a.jpg", "a.JPEG", "folder/a.b.ppm"] {
            assert!(picture_file(name.into()).unwrap_err().contains("PNG"), "{name}");
        }
    }
}
