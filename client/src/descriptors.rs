//! Finds the client behind a descriptor of the device node.
//!
//! A client belongs to an open file, as in the kernel: drivers duplicate descriptors, and open the node several times.

use std::ffi::c_int;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{FileType, fstat, major, minor};
use rustix::io::Errno;

use crate::client::Client;
use crate::connection::complain;

/// The numbers of `/dev/null`, which is the device node.
const NODE: (u32, u32) = (1, 3);

/// `KCMP_FILE`.
const KCMP_FILE: c_int = 0;

/// A client with one of the descriptors that lead to it, and a copy that keeps the open file.
#[derive(Debug)]
struct Entry {
    descriptor: c_int,
    file: OwnedFd,
    client: Arc<Mutex<Client>>,
}

static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());

fn entries() -> MutexGuard<'static, Vec<Entry>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of a client.
pub(crate) fn lock(client: &Mutex<Client>) -> MutexGuard<'_, Client> {
    client.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a descriptor is of the device node.
pub(crate) fn is_node(descriptor: c_int) -> bool {
    if descriptor < 0 {
        return false;
    }
    // SAFETY: a descriptor that is not open is an error of the call.
    let status = fstat(unsafe { BorrowedFd::borrow_raw(descriptor) });
    status.is_ok_and(|status| {
        FileType::from_raw_mode(status.st_mode) == FileType::CharacterDevice
            && (major(status.st_rdev), minor(status.st_rdev)) == NODE
    })
}

/// Whether two descriptors are of one open file. Where the system does not tell, they are not, unless they are the same.
fn is_same_file(entry: &Entry, descriptor: c_int) -> bool {
    let process = std::process::id();
    // SAFETY: the call reads no memory.
    match unsafe { libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, descriptor, entry.file.as_raw_fd()) } {
        -1 => entry.descriptor == descriptor,
        order => order == 0,
    }
}

/// The client of an open device node; with `opens`, a new one if there is none.
pub(crate) fn client(descriptor: c_int, opens: bool) -> Result<Option<Arc<Mutex<Client>>>, Errno> {
    let mut entries = entries();
    if let Some(entry) = entries.iter().find(|entry| is_same_file(entry, descriptor)) {
        return Ok(Some(Arc::clone(&entry.client)));
    }
    if !opens {
        return Ok(None);
    }
    // If the program has closed what this library opened, nothing tells that the file is the one of before.
    for entry in entries.iter().filter(|entry| entry.descriptor == descriptor) {
        lock(&entry.client).connection.check();
    }
    let client = match Client::open() {
        Ok(client) => Arc::new(Mutex::new(client)),
        Err(reason) => {
            complain(&reason);
            return Err(Errno::NODEV);
        }
    };
    // SAFETY: the caller has found that it is open.
    let file = unsafe { BorrowedFd::borrow_raw(descriptor) }.try_clone_to_owned().map_err(|_| Errno::MFILE)?;
    entries.push(Entry { descriptor, file, client: Arc::clone(&client) });
    Ok(Some(client))
}

/// Closes the connections of clients that have ended.
pub(crate) fn forget(client: &Arc<Mutex<Client>>) {
    entries().retain(|entry| !Arc::ptr_eq(&entry.client, client));
}

/// All clients.
pub(crate) fn clients() -> Vec<Arc<Mutex<Client>>> {
    entries().iter().map(|entry| Arc::clone(&entry.client)).collect()
}
