//! Writes the records of a connection to a capture file while they happen.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::capture::{CaptureWriter, Header, MAX_BYTES, MAX_RECORDS, Record};
use crate::files;

/// Bytes that wait in memory, before the first submission or between submissions.
const WAITING_BYTES: usize = 1 << 24;

/// Bytes of one zstd frame before compression.
const FRAME_BYTES: u64 = 1 << 23;

/// Why a recording is not complete.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be written.
    #[error("{}: {source}{}", path.display(), kept_in(kept.as_deref()))]
    File {
        /// The file.
        path: PathBuf,
        /// The file that holds what was recorded before.
        kept: Option<PathBuf>,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The capture would be larger than a reader accepts.
    #[error("{}: the recording ends at {bytes} bytes: a capture holds no more", path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// The size that it has reached.
        bytes: u64,
    },
}

fn kept_in(kept: Option<&Path>) -> String {
    kept.map_or_else(String::new, |kept| format!("; what was recorded before is in {}", kept.display()))
}

/// The result of a recording.
#[derive(Debug)]
pub struct Recorded {
    /// The file. It exists if the recording could be written.
    pub path: PathBuf,
    /// Why it does not hold everything.
    pub error: Option<RecordingError>,
}

/// Names the files of the connections: the given one, then with `-1`, `-2` … before the extension.
#[derive(Debug)]
pub struct NumberedPaths {
    first: PathBuf,
    taken: AtomicU32,
}

impl NumberedPaths {
    /// Paths that begin with this one.
    #[must_use]
    pub const fn new(first: PathBuf) -> Self {
        Self { first, taken: AtomicU32::new(0) }
    }

    /// The path of the next file.
    pub fn next(&self) -> PathBuf {
        match self.taken.fetch_add(1, Ordering::Relaxed) {
            0 => self.first.clone(),
            number => numbered(&self.first, number),
        }
    }
}

/// The path with a number before its extension, which may be followed by that of compression.
fn numbered(path: &Path, number: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let inner = name.strip_suffix(".zst").unwrap_or(&name);
    let stem = inner.rfind('.').filter(|dot| *dot > 0).map_or(inner, |dot| &inner[..dot]);
    path.with_file_name(format!("{stem}-{number}{}", &name[stem.len()..]))
}

/// A recording in progress. It gets a name with its first submission, so a connection without one leaves no file, and lies
/// beside that name until it is whole.
#[derive(Debug)]
pub(super) struct Recording<'a> {
    names: &'a NumberedPaths,
    /// What was recorded and is not in the file yet.
    waiting: CaptureWriter<Vec<u8>>,
    file: Option<(PathBuf, File)>,
    path: Option<PathBuf>,
    /// The submission that runs.
    running: Option<Record>,
    bytes: u64,
    records: usize,
    error: Option<RecordingError>,
}

impl<'a> Recording<'a> {
    pub(super) fn new(names: &'a NumberedPaths, header: &Header) -> Self {
        let mut waiting = CaptureWriter::new(Vec::new(), header).expect("memory takes every byte");
        let bytes = waiting.get_mut().len() as u64;
        Self { names, waiting, file: None, path: None, running: None, bytes, records: 0, error: None }
    }

    /// Appends a record. After a submission, everything so far is in the file. The first failure ends the recording.
    pub(super) fn append(&mut self, record: &Record) {
        if self.error.is_some() {
            return;
        }
        let before = self.waiting.get_mut().len();
        let added = self.waiting.append(record).expect("memory takes every byte") as u64;
        if self.bytes + added > MAX_BYTES || self.records == MAX_RECORDS {
            self.waiting.get_mut().truncate(before);
            self.flush();
            let path = self.path.clone().unwrap_or_default();
            self.error.get_or_insert(RecordingError::Full { path, bytes: self.bytes });
            return;
        }
        self.bytes += added;
        self.records += 1;
        if matches!(record, Record::Submit(_)) || self.waiting.get_mut().len() > WAITING_BYTES {
            self.flush();
        }
    }

    /// Notes that a submission runs. It is appended when it ends, also if a panic ends it.
    pub(super) fn begin_submission(&mut self, record: &Record) {
        self.running = Some(record.clone());
    }

    /// Appends the submission that ran, after the times that it wrote: a replay needs them first.
    pub(super) fn end_submission(&mut self, times: Vec<u64>) {
        let Some(record) = self.running.take() else { return };
        if !times.is_empty() {
            self.append(&Record::Times(times));
        }
        self.append(&record);
    }

    fn flush(&mut self) {
        if let Err((path, source)) = self.try_flush() {
            let kept = self.file.as_ref().map(|(begun, _)| begun.clone()).filter(|begun| *begun != path);
            self.error = Some(RecordingError::File { path, kept, source });
        }
    }

    fn try_flush(&mut self) -> Result<(), (PathBuf, io::Error)> {
        if self.file.is_none() {
            let path = self.names.next();
            // A link stays one.
            let path = path.canonicalize().unwrap_or(path);
            let in_place = files::is_written_in_place(&path) && !is_compressed(&path);
            let begun = if in_place { path.clone() } else { beside(&path) };
            let file = File::create(&begun).map_err(|error| (path.clone(), error))?;
            self.file = Some((begun, file));
            self.path = Some(path);
        }
        let (Some((_, file)), Some(path)) = (&mut self.file, &self.path) else { return Ok(()) };
        file.write_all(self.waiting.get_mut()).map_err(|error| (path.clone(), error))?;
        self.waiting.get_mut().clear();
        Ok(())
    }

    /// Writes what is left, and compresses the file if its name asks for it.
    pub(super) fn finish(mut self) -> Option<Recorded> {
        self.close()
    }

    fn close(&mut self) -> Option<Recorded> {
        if self.file.is_some() && self.error.is_none() {
            self.flush();
        }
        let mut error = self.error.take();
        let path = match (self.path.take(), self.file.take()) {
            (Some(path), Some((begun, file))) => {
                drop(file);
                if begun != path
                    && !matches!(error, Some(RecordingError::File { .. }))
                    && let Err(source) = complete(&begun, &path)
                {
                    error.get_or_insert(RecordingError::File { path: path.clone(), kept: Some(begun), source });
                }
                path
            }
            // No submission came, or no file could be created.
            _ => match &error {
                Some(RecordingError::File { path, .. }) => path.clone(),
                _ => return None,
            },
        };
        Some(Recorded { path, error })
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        self.end_submission(Vec::new());
        // After a panic of the emulator, what was recorded is a whole capture, too.
        drop(self.close());
    }
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// The file that holds a recording before it is whole.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".partial");
    PathBuf::from(name)
}

/// Gives a whole recording its name, and compresses it if the name asks for it.
fn complete(from: &Path, to: &Path) -> io::Result<()> {
    if !is_compressed(to) {
        return std::fs::rename(from, to);
    }
    let mut source = File::open(from)?;
    files::write_by(to, |target| -> io::Result<()> {
        loop {
            let mut frame = Vec::new();
            if (&mut source).take(FRAME_BYTES).read_to_end(&mut frame)? == 0 {
                return Ok(());
            }
            target.write_all(&compress_to_vec(&frame[..], CompressionLevel::Fastest))?;
        }
    })?;
    std::fs::remove_file(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_before_the_extension() {
        let name = |path: &str| numbered(Path::new(path), 2).display().to_string();
        assert_eq!(name("a/b.nvcap"), "a/b-2.nvcap");
        assert_eq!(name("a.d/b.c.nvcap.zst"), "a.d/b.c-2.nvcap.zst");
        assert_eq!(name("b"), "b-2");
        assert_eq!(name(".zst"), "-2.zst");
        assert_eq!(name(".b"), ".b-2");
    }
}
