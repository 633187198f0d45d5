//! Takes the libraries that are preloaded into programs out of this program, and tells libglvnd of it.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use curie_client::protocol::VENDOR_LIBRARY;
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

use crate::cli::failure::Failure;

/// The library's file.
const LIBRARY: &str = "libcurie_client.so";

/// The library inside this program, empty if the build left it out.
const INCLUDED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libcurie_client.so"));

/// The same for programs of 32 bits.
const INCLUDED_32: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libcurie_client_32.so"));

/// The libraries in memory.
static LIBRARY_32_FILE: OnceLock<File> = OnceLock::new();
static LIBRARY_FILE: OnceLock<File> = OnceLock::new();
/// The file that names it as EGL's vendor, in memory.
static VENDOR_FILE: OnceLock<File> = OnceLock::new();

/// What `LD_PRELOAD` is to name: the given library, or those inside this program. Of the latter, the program's loader takes that
/// for its word size, from a folder that is made for it.
pub(super) fn preload(given: Option<&Path>, folder: &Path) -> Result<PathBuf, Failure> {
    if let Some(path) = given {
        return Ok(path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?);
    }
    if INCLUDED.is_empty() {
        return Err(format!(
            "{LIBRARY} is no part of this program: build it with `cargo build -p curie-client`, and name it with --client"
        )
        .into());
    }
    let library = file_in_memory(&LIBRARY_FILE, LIBRARY, INCLUDED)?;
    let folder = std::path::absolute(folder)?;
    // The loader takes these letters for its own.
    let is_plain = !folder.as_os_str().as_bytes().iter().any(|letter| b" :;$".contains(letter));
    if INCLUDED_32.is_empty() || !is_plain {
        return Ok(library);
    }
    let library_32 = file_in_memory(&LIBRARY_32_FILE, LIBRARY, INCLUDED_32)?;
    for (names, library) in [(&library_folders()[..], library), (&LIBRARY_FOLDERS_32[..], library_32)] {
        for name in names {
            let folder = folder.join(name);
            std::fs::create_dir_all(&folder)?;
            let link = folder.join(LIBRARY);
            // The first one counts.
            if !link.is_symlink() {
                symlink(&library, link)?;
            }
        }
    }
    Ok(folder.join("$LIB").join(LIBRARY))
}

/// What the loader of a program of 64 bits may put in place of `$LIB`: on Debian and its kin, on Fedora and its kin, elsewhere.
fn library_folders() -> Vec<&'static str> {
    let is_multilib = Path::new("/usr/lib64/libc.so.6").exists() && !Path::new("/usr/lib64").is_symlink();
    if is_multilib { vec!["lib64"] } else { vec!["lib/x86_64-linux-gnu", "lib64", "lib"] }
}

/// The same for 32 bits.
const LIBRARY_FOLDERS_32: [&str; 3] = ["lib/i386-linux-gnu", "lib32", "lib"];

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
    use std::collections::BTreeSet;

    use object::{Object as _, ObjectSymbol as _};

    use super::*;

    #[test]
    fn the_included_library_is_a_shared_object() {
        assert!(INCLUDED.starts_with(b"\x7fELF"), "the build script says why it left the library out");
    }

    #[test]
    fn the_included_library_stands_before_the_kernel_and_the_vendors() {
        let library = object::File::parse(INCLUDED).unwrap();
        let exported: BTreeSet<&str> = library
            .dynamic_symbols()
            .filter(|symbol| symbol.is_definition())
            .map(|symbol| symbol.name().unwrap())
            .collect();
        for name in ["ioctl", "mmap", "mmap64", "drmGetDevice2", "__egl_Main", "__glx_Main", "eglSwapBuffers"] {
            assert!(exported.contains(name), "{name}");
        }
        assert!(INCLUDED.windows(VENDOR_LIBRARY.len()).any(|bytes| bytes == VENDOR_LIBRARY.as_bytes()));
    }

    #[test]
    fn the_loader_finds_a_library_for_each_word_size() {
        let folder = std::env::temp_dir().join(format!("curie-preload-test-{}", std::process::id()));
        let plain = preload(None, &folder.join("with blank")).unwrap();
        assert_eq!(std::fs::read(plain).unwrap(), INCLUDED);
        let preloaded = preload(None, &folder).unwrap();
        let read = |lib: &str| std::fs::read(preloaded.to_str().unwrap().replace("$LIB", lib)).unwrap();
        assert_eq!(read(library_folders()[0]), INCLUDED);
        if !INCLUDED_32.is_empty() {
            // Class 1 has 32 bits, and class 2 has 64.
            assert_eq!((INCLUDED[4], INCLUDED_32[4]), (2, 1));
            assert_eq!((read("lib/i386-linux-gnu"), read("lib32")), (INCLUDED_32.to_vec(), INCLUDED_32.to_vec()));
            std::fs::remove_dir_all(&folder).unwrap();
        }
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
