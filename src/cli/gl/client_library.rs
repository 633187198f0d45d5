//! Takes the library that is preloaded into programs out of this program, and tells libglvnd of it.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use curie_client::protocol::VENDOR_LIBRARY;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

use crate::cli::Failure;

/// The library's file.
const LIBRARY: &str = "libcurie_client.so";

/// The library inside this program, empty if the build left it out.
const INCLUDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libcurie_client.so"));

/// The library in memory.
static LIBRARY_FILE: OnceLock<File> = OnceLock::new();
/// The file that names it as EGL's vendor, in memory.
static VENDOR_FILE: OnceLock<File> = OnceLock::new();

/// Finds the library: the given file, or the one inside this program.
pub(super) fn find(given: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(path) = given {
        return Ok(path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?);
    }
    if INCLUDED.is_empty() {
        return Err(format!(
            "{LIBRARY} is no part of this program: build it with `cargo build -p curie-client`, and name it with --client"
        )
        .into());
    }
    file_in_memory(&LIBRARY_FILE, LIBRARY, INCLUDED)
}

/// The file that tells libglvnd which library is EGL's vendor: the preloaded one, whatever its path.
pub(super) fn egl_vendor() -> Result<PathBuf, Failure> {
    let text =
        serde_json::json!({ "file_format_version": "1.0.0", "ICD": { "library_path": VENDOR_LIBRARY } }).to_string();
    file_in_memory(&VENDOR_FILE, "the file of EGL's vendor", text.as_bytes())
}

/// The path of a file in memory, which programs and their children find as long as this process runs.
fn file_in_memory(place: &OnceLock<File>, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let file = match place.get() {
        Some(file) => file,
        None => {
            let file = in_memory(bytes).map_err(|error| format!("{name}: {error}"))?;
            place.get_or_init(|| file)
        }
    };
    // The program may close descriptors that it inherits, so it opens this process's.
    Ok(PathBuf::from(format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd())))
}

/// Creates a file in memory that nobody can change. It needs no folder that is private and allows programs, and ends with
/// this process.
fn in_memory(bytes: &[u8]) -> std::io::Result<File> {
    let mut file = File::from(memfd_create("curie", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
    file.write_all(bytes)?;
    fcntl_add_seals(&file, SealFlags::WRITE | SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_included_library_is_a_shared_object() {
        assert!(INCLUDED.starts_with(b"\x7fELF"), "the build script says why it left the library out");
    }

    #[test]
    fn a_file_in_memory_has_the_bytes_and_keeps_them() {
        let mut file = in_memory(b"library").unwrap();
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        assert_eq!(std::fs::read(&path).unwrap(), b"library");
        assert!(file.write_all(b"more").is_err());
        assert!(std::fs::write(&path, b"other").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"library");
    }
}
