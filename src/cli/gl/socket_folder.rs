//! A private folder for sockets, removed at the end.

use std::fs::DirBuilder;
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use curie::files;
use curie_client::protocol::{DREW, OPENGL};

use super::renderer::Marks;

/// Bytes of a mark.
const MAX_MARK_BYTES: u64 = 1 << 16;

/// The start of the folders' names; the number of the process follows.
const PREFIX: &str = "curie-gl-";

/// The names in it: the emulator's socket, the Wayland server's, and the folder for the program's own.
const SOCKET: &str = "socket";
const WAYLAND: &str = "wayland";
const RUNTIME: &str = "runtime";
/// The emulator's socket for an X server, and the file with the key of its display.
const X_SERVER_SOCKET: &str = "x-server";
const AUTHORITY: &str = "authority";
/// The folder for what the program's loader takes.
const PRELOAD: &str = "preload";

/// A folder that only its owner can enter.
#[derive(Debug)]
pub(super) struct SocketFolder {
    path: PathBuf,
}

impl SocketFolder {
    /// Creates the folder, and removes those of processes that were killed.
    pub(super) fn create() -> io::Result<Self> {
        let parent = std::env::temp_dir();
        remove_abandoned(&parent);
        let own = format!("{PREFIX}{}", std::process::id());
        for attempt in 0..100 {
            let path = parent.join(if attempt == 0 { own.clone() } else { format!("{own}-{attempt}") });
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// The folder itself.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What the client library has noted.
    pub(super) fn marks(&self) -> Marks {
        let opengl = self.path.join(OPENGL).exists().then(|| {
            let line = files::read_text_inside(&self.path, Path::new(OPENGL), MAX_MARK_BYTES);
            line.map_or_else(|error| format!("libraries that are not known ({error})"), |line| line.trim().to_owned())
        });
        Marks { has_drawn: self.path.join(DREW).exists(), opengl }
    }

    /// The path of the folder for what the program's loader takes.
    pub(super) fn preload(&self) -> PathBuf {
        self.path.join(PRELOAD)
    }

    /// The path of the socket.
    pub(super) fn socket(&self) -> PathBuf {
        self.path.join(SOCKET)
    }

    /// The path of the Wayland server's socket.
    #[cfg(feature = "window")]
    pub(super) fn wayland(&self) -> PathBuf {
        self.path.join(WAYLAND)
    }

    /// The path of the socket for an X server.
    #[cfg(feature = "window")]
    pub(super) fn x_server_socket(&self) -> PathBuf {
        self.path.join(X_SERVER_SOCKET)
    }

    /// The path of the file with the key of an X server's display.
    #[cfg(feature = "window")]
    pub(super) fn authority(&self) -> PathBuf {
        self.path.join(AUTHORITY)
    }

    /// A folder for the program's own sockets.
    #[cfg(feature = "window")]
    pub(super) fn runtime(&self) -> io::Result<PathBuf> {
        let path = self.path.join(RUNTIME);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    }
}

impl Drop for SocketFolder {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes a folder with its sockets and those of the program; what else is in it stays.
fn remove(folder: &Path) {
    for file in [SOCKET, WAYLAND, DREW, OPENGL, X_SERVER_SOCKET, AUTHORITY] {
        let _ = std::fs::remove_file(folder.join(file));
    }
    for folder in [RUNTIME, PRELOAD].map(|name| folder.join(name)) {
        let _ = std::fs::remove_dir_all(folder);
    }
    let _ = std::fs::remove_dir(folder);
}

fn remove_abandoned(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse::<u32>().ok());
        if process.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            remove(&entry.path());
        }
    }
}
