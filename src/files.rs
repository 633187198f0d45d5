//! Reads files of bounded size, and writes files that appear whole under their name or not at all.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read as _, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Reads a file of at most `max_bytes` bytes.
///
/// The size that the system reports is not believed: devices and pipes report none, and a file can grow. Pipes are read
/// until they end.
///
/// # Errors
/// When the file cannot be read or is longer.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > max_bytes {
        return Err(too_long(max_bytes));
    }
    read_from(file, max_bytes)
}

/// Reads a text file of at most `max_bytes` bytes, like [`read`].
///
/// # Errors
/// When the file cannot be read, is longer, or is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    to_text(read(path, max_bytes)?)
}

/// Reads a file inside a folder, of at most `max_bytes` bytes.
///
/// # Errors
/// When it cannot be read or is longer, when a symbolic link leads out of the folder, and when it is not a regular file:
/// what is found in a folder must not make a command wait or read without end.
pub fn read_inside(folder: &Path, name: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let root = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = root.join(name);
    let (root, target) = (root.canonicalize()?, path.canonicalize()?);
    if !target.starts_with(&root) {
        let message =
            format!("a symbolic link leads out of the folder; a file in it of at most {max_bytes} bytes is read");
        return Err(io::Error::new(ErrorKind::PermissionDenied, message));
    }
    // Opening a pipe would wait for its writer.
    if !std::fs::metadata(&target)?.is_file() {
        let message = format!("not a regular file; one of at most {max_bytes} bytes is read");
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    read(&target, max_bytes)
}

/// Reads a text file inside a folder, like [`read_inside`].
///
/// # Errors
/// As for [`read_inside`], and when the file is not UTF-8.
pub fn read_text_inside(folder: &Path, name: &Path, max_bytes: u64) -> io::Result<String> {
    to_text(read_inside(folder, name, max_bytes)?)
}

/// Reads what a source gives, of at most `max_bytes` bytes.
///
/// # Errors
/// When it cannot be read or gives more.
pub fn read_from(source: impl io::Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(too_long(max_bytes)) } else { Ok(bytes) }
}

fn too_long(max_bytes: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("longer than {max_bytes} bytes"))
}

fn to_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "not UTF-8 text"))
}

/// Writes a file that appears under its name when all bytes are written.
///
/// # Errors
/// When the file cannot be written. What was there before stays.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_by(path, |file| file.write_all(bytes))
}

/// Writes a file by a function; the file appears under its name when the function has succeeded.
///
/// # Errors
/// Those of the function, and when the file cannot be written. What was there before stays.
pub fn write_by<E: From<io::Error>>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<(), E> {
    let mut file = BufWriter::new(NewFile::create(path)?);
    write(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    Ok(file.finish()?)
}

/// A file that is being written and has no name yet.
///
/// It lies beside its place under a temporary name and is renamed by [`NewFile::finish`]; dropping it removes it. Pipes,
/// devices and the files of this process's descriptors (`/dev/stdout`) are written in place.
#[derive(Debug)]
struct NewFile {
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Beside { file: NamedTempFile, place: PathBuf },
    InPlace(File),
}

impl NewFile {
    /// Begins a file.
    ///
    /// # Errors
    /// When a file at this place could not be written.
    fn create(path: &Path) -> io::Result<Self> {
        let kind = match place(path)? {
            Some(place) => match beside(&place) {
                Ok(file) => Kind::Beside { file, place },
                // The folder may take no new files although the file itself can be written.
                Err(error) if is_refused(&error) => {
                    Kind::InPlace(OpenOptions::new().write(true).truncate(true).open(path)?)
                }
                Err(error) => return Err(error),
            },
            None => Kind::InPlace(File::create(path)?),
        };
        Ok(Self { kind })
    }

    /// Gives the file its name.
    fn finish(self) -> io::Result<()> {
        match self.kind {
            Kind::Beside { file, place } => file.persist(place).map(drop).map_err(|error| error.error),
            Kind::InPlace(_) => Ok(()),
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.kind {
            Kind::Beside { file, .. } => file.write(bytes),
            Kind::InPlace(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.kind {
            Kind::Beside { file, .. } => file.flush(),
            Kind::InPlace(file) => file.flush(),
        }
    }
}

/// Whether a file must be written in place: it is not a regular file, or belongs to a descriptor of a process.
#[must_use]
pub fn is_written_in_place(path: &Path) -> bool {
    const OF_DESCRIPTORS: [&str; 5] = ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
    let of_descriptor = |path: PathBuf| OF_DESCRIPTORS.iter().any(|start| path.starts_with(start));
    std::path::absolute(path).is_ok_and(of_descriptor) || std::fs::metadata(path).is_ok_and(|found| !found.is_file())
}

/// Where the file will lie, with symbolic links resolved; `None` if it is written in place.
fn place(path: &Path) -> io::Result<Option<PathBuf>> {
    if is_written_in_place(path) {
        return Ok(None);
    }
    match std::fs::metadata(path) {
        Ok(_) => {
            // A file that may not be written is not replaced either.
            OpenOptions::new().write(true).open(path)?;
            path.canonicalize().map(Some)
        }
        // A link to a file that does not exist yet.
        Err(_) if path.is_symlink() => Ok(None),
        Err(_) => Ok(Some(path.to_owned())),
    }
}

/// A temporary file in the folder of this one, with the permissions that this one has or would get.
fn beside(place: &Path) -> io::Result<NamedTempFile> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = place.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "no file name"))?;
    let mut prefix = OsString::from(".");
    // Names have at most 255 bytes on common file systems.
    prefix.push(name.to_string_lossy().chars().take(48).collect::<String>());
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".partial");
    #[cfg(unix)]
    let builder = {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o666))
    };
    let file = builder.tempfile_in(folder).map_err(|error| io::Error::new(error.kind(), reason(&error)))?;
    if let Ok(found) = std::fs::metadata(place) {
        // A file system without permissions has none to keep.
        let _ = file.as_file().set_permissions(found.permissions());
    }
    Ok(file)
}

/// The error of the system without the path of the temporary file.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" at path ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

/// Whether a folder takes no new files.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder, removed at the end of a test.
    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn files_beyond_the_limit_are_refused() {
        let license = Path::new("LICENSE-MIT");
        let size = std::fs::metadata(license).unwrap().len();
        assert_eq!(read(license, size).unwrap(), std::fs::read(license).unwrap());
        let message = read(license, size - 1).unwrap_err().to_string();
        assert_eq!(message, format!("longer than {} bytes", size - 1));
        if cfg!(unix) {
            assert!(read(Path::new("/dev/zero"), 1 << 16).is_err(), "a device without end");
            assert!(read(Path::new("/dev/null"), 0).unwrap().is_empty());
        }
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_inside_the_folder() {
        use std::os::unix::fs::symlink;
        let outer = folder();
        let inner = outer.path().join("scene");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(outer.path().join("secret"), "secret").unwrap();
        std::fs::write(inner.join("own"), "own").unwrap();
        symlink("../secret", inner.join("out")).unwrap();
        symlink("own", inner.join("in")).unwrap();
        symlink("..", inner.join("up")).unwrap();
        let text = |name: &str| read_text_inside(&inner, Path::new(name), 100).map_err(|error| error.to_string());
        assert_eq!(text("own").unwrap(), "own");
        assert_eq!(text("in").unwrap(), "own");
        for name in ["out", "up/secret"] {
            assert!(text(name).unwrap_err().starts_with("a symbolic link leads out of the folder; "));
        }
        assert_eq!(text("up/scene").unwrap_err(), "not a regular file; one of at most 100 bytes is read");
        // A folder that is itself reached by a link is the folder of the files behind it.
        symlink("scene", outer.path().join("link")).unwrap();
        assert_eq!(read_inside(&outer.path().join("link"), Path::new("own"), 3).unwrap(), b"own");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pipe_in_a_folder_is_refused_at_once() {
        let folder = folder();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, folder.path().join("pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let error = read_inside(folder.path(), Path::new("pipe"), 100).unwrap_err();
        assert_eq!(error.to_string(), "not a regular file; one of at most 100 bytes is read");
    }

    #[test]
    fn a_file_appears_when_it_is_whole() {
        let folder = folder();
        let path = folder.path().join("out.bin");
        write(&path, b"before").unwrap();
        let failed = write_by(&path, |file| {
            file.write_all(&[0; 100_000])?;
            Err(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(
            (std::fs::read(&path).unwrap(), names(folder.path())),
            (b"before".to_vec(), vec!["out.bin".to_owned()])
        );
        write(&path, b"after").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"after");
        assert_eq!(names(folder.path()), ["out.bin"]);
        let missing = write(&folder.path().join("none/out.bin"), b"").unwrap_err();
        assert_eq!(missing.kind(), ErrorKind::NotFound);
        assert!(!missing.to_string().contains("partial"), "{missing}");
    }

    #[test]
    #[cfg(unix)]
    fn permissions_and_links_are_kept() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = folder();
        let (path, link) = (folder.path().join("real"), folder.path().join("link"));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        std::fs::write(folder.path().join("plain"), "").unwrap();
        write(&path, b"1").unwrap();
        assert_eq!(mode(&path), mode(&folder.path().join("plain")), "those of a file made by others");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();
        write(&link, b"2").unwrap();
        assert!(link.is_symlink());
        assert_eq!((std::fs::read(&path).unwrap(), mode(&path)), (b"2".to_vec(), 0o640));
        symlink("later", folder.path().join("dangling")).unwrap();
        write(&folder.path().join("dangling"), b"3").unwrap();
        assert_eq!(std::fs::read(folder.path().join("later")).unwrap(), b"3");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn devices_are_written_in_place() {
        write(Path::new("/dev/null"), b"gone").unwrap();
        let full = write(Path::new("/dev/full"), b"no room").unwrap_err();
        assert_eq!(full.kind(), ErrorKind::StorageFull);
        assert!(is_written_in_place(Path::new("/dev/stdout")));
        assert!(!is_written_in_place(Path::new("out.png")));
    }
}
