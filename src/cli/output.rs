//! Prints lines on standard output, and writes files.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PathBufValueParser, TypedValueParser};
use curie::files;
use curie::present::{Picture, encode_png, write_png};

use super::failure::Failure;
use super::stream::is_standard;

/// Endings that name a format. Others, and none, say nothing about what a file holds.
const FORMAT_ENDINGS: &[&str] = &[
    "avif", "bmp", "csv", "dds", "exr", "gif", "hdr", "heic", "htm", "html", "ico", "jpeg", "jpg", "json", "jxl", "md",
    "nvcap", "pam", "pbm", "pdf", "pgm", "png", "pnm", "ppm", "qoi", "ron", "svg", "tga", "tif", "tiff", "toml", "tsv",
    "txt", "webp", "xls", "xlsx", "xml", "yaml", "zip", "zst",
];

/// A format of files that commands write.
#[derive(Debug, Clone, Copy)]
pub(super) struct OutputFormat {
    /// What is written how.
    what: &'static str,
    /// The endings of such files.
    endings: &'static [&'static str],
}

impl OutputFormat {
    pub(super) const PICTURE: Self = Self { what: "pictures are written as PNG", endings: &["png"] };
    pub(super) const PLOT: Self = Self { what: "plots are written as SVG", endings: &["svg"] };
    pub(super) const STATISTICS: Self = Self { what: "statistics are written as JSON", endings: &["json"] };
    pub(super) const TRACE: Self = Self { what: "traces are written as JSON", endings: &["json"] };
    pub(super) const TABLE: Self = Self { what: "tables are written as CSV", endings: &["csv"] };
    pub(super) const JUNIT: Self = Self { what: "JUnit reports are written as XML", endings: &["xml"] };
    pub(super) const RECORDING: Self =
        Self { what: "streams are recorded as .nvcap or .zst", endings: &["nvcap", "zst"] };
    pub(super) const CAPTURE: Self = Self { what: "captures are written as .nvcap", endings: &["nvcap"] };
    pub(super) const PROGRAM: Self =
        Self { what: "programs are written as text or shader binaries", endings: &["txt"] };
    pub(super) const BYTES: Self = Self { what: "buffers are written as bytes", endings: &[] };

    /// Reads the name of such a file.
    pub(super) fn parser(self) -> impl TypedValueParser<Value = PathBuf> {
        PathBufValueParser::new().try_map(move |path| self.file(path))
    }

    /// Fails if a file's ending says that it is of another format.
    pub(super) fn file(self, path: PathBuf) -> Result<PathBuf, String> {
        match other_format(&path, self.endings) {
            Some(ending) => Err(format!("{}, not .{ending}", self.what)),
            None => Ok(path),
        }
    }
}

/// The ending of a file, if it names a format and is none of `own`.
pub(super) fn other_format(path: &Path, own: &[&str]) -> Option<String> {
    let ending = path.extension()?.to_string_lossy().to_lowercase();
    (FORMAT_ENDINGS.contains(&ending.as_str()) && !own.contains(&ending.as_str())).then_some(ending)
}

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

/// Joins what became of the lines of a result with what became of its files, or with its judgment: a file is written also if
/// nobody reads the lines, and an error of the file or the judgment is the one that is reported.
pub(super) fn both(printed: Result<(), Failure>, written: Result<(), Failure>) -> Result<(), Failure> {
    written.and(printed)
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
    fn other_formats_are_refused() {
        for name in ["a.png", "a.PNG", "a", "-", "/dev/stdout", "a.jpg.tmp", "frame-%03d.png"] {
            assert_eq!(OutputFormat::PICTURE.file(name.into()), Ok(PathBuf::from(name)));
        }
        for name in ["a.jpg", "a.JPEG", "folder/a.b.ppm", "a.json"] {
            assert!(OutputFormat::PICTURE.file(name.into()).unwrap_err().contains("PNG"), "{name}");
        }
        assert_eq!(OutputFormat::PLOT.file("a.png".into()).unwrap_err(), "plots are written as SVG, not .png");
        assert_eq!(OutputFormat::BYTES.file("a.bin".into()), Ok(PathBuf::from("a.bin")));
        assert_eq!(other_format("a.html".as_ref(), &["html"]), None);
    }

    #[test]
    fn endings_are_known_and_sorted() {
        assert!(FORMAT_ENDINGS.is_sorted());
        let formats = [OutputFormat::PICTURE, OutputFormat::RECORDING, OutputFormat::JUNIT, OutputFormat::TABLE];
        let own = formats.iter().flat_map(|format| format.endings);
        own.for_each(|ending| assert!(FORMAT_ENDINGS.contains(ending), "{ending}"));
    }
}
