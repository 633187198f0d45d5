//! The calls of a program that reach the kernel: those about the device node are answered here, all others go on.
//!
//! Neither function needs anything before it works, as programs and their libraries call them before their `main`.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_long, c_ulong, c_void};
use std::os::fd::AsRawFd as _;
use std::sync::{Mutex, PoisonError};

use rustix::io::Errno;

use crate::client::{self, answer_without_client};
use crate::connection::complain;
use crate::descriptors;
use crate::uapi::Request;

/// Ends a call as the C library does.
fn fail(error: Errno) -> c_int {
    // SAFETY: the place of the thread's error can be written.
    unsafe { *libc::__errno_location() = error.raw_os_error() };
    -1
}

/// Answers a request to the device node; others go to the kernel.
///
/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn ioctl(descriptor: c_int, word: c_ulong, argument: *mut c_void) -> c_int {
    let request = Request::new(word, argument).filter(|_| descriptors::is_node(descriptor));
    // SAFETY: the caller's promise.
    match request.and_then(|request| unsafe { answer(descriptor, &request) }) {
        Some(Ok(())) => 0,
        Some(Err(error)) => fail(error),
        #[expect(clippy::cast_possible_truncation, reason = "the kernel returns an int")]
        // SAFETY: the caller's promise.
        None => unsafe { libc::syscall(libc::SYS_ioctl, descriptor, word, argument) as c_int },
    }
}

/// Answers a request to the device node; `None` if it is none of a client.
///
/// # Safety
/// As for [`ioctl`].
unsafe fn answer(descriptor: c_int, request: &Request) -> Option<Result<(), Errno>> {
    // SAFETY: the caller's promise.
    if let Some(answer) = unsafe { answer_without_client(request) } {
        return Some(answer);
    }
    // SAFETY: the caller's promise.
    let client = match descriptors::client(descriptor, unsafe { client::begins(request) }) {
        Ok(client) => client?,
        Err(error) => return Some(Err(error)),
    };
    let mut state = descriptors::lock(&client);
    // SAFETY: the caller's promise.
    let answer = unsafe { state.answer(request) };
    let has_ended = state.has_ended();
    drop(state);
    if has_ended {
        descriptors::forget(&client);
    }
    Some(answer.unwrap_or_else(|| {
        name_unknown(request.number);
        Err(Errno::INVAL)
    }))
}

/// Says once which request is unknown.
fn name_unknown(number: u8) {
    static NAMED: Mutex<BTreeSet<u8>> = Mutex::new(BTreeSet::new());
    if NAMED.lock().unwrap_or_else(PoisonError::into_inner).insert(number) {
        complain(&format!("the driver made request {number:#04x} of the kernel, which is unknown here"));
    }
}

/// Maps a buffer in place of the device node; all else is mapped by the kernel.
///
/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap64(
    address: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: i64,
) -> *mut c_void {
    let file = match u64::try_from(offset).ok().filter(|offset| crate::buffer::mapped_at(*offset).is_some()) {
        Some(offset) if descriptors::is_node(descriptor) => match descriptors::client(descriptor, false) {
            Ok(Some(client)) => Some(descriptors::lock(&client).map(offset, bytes)),
            _ => None,
        },
        _ => None,
    };
    // SAFETY: the caller's promise.
    unsafe {
        match file {
            Some(Ok(file)) => map(address, bytes, protection, flags, file.as_raw_fd(), 0),
            Some(Err(error)) => {
                fail(error);
                libc::MAP_FAILED
            }
            None => map(address, bytes, protection, flags, descriptor, offset),
        }
    }
}

/// Maps as [`mmap64`] does.
///
/// # Safety
/// As for the C library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn mmap(
    address: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: libc::off_t,
) -> *mut c_void {
    #[allow(clippy::useless_conversion, reason = "on 32 bits the offset is shorter")]
    let offset = i64::from(offset);
    // SAFETY: the caller's promise.
    unsafe { mmap64(address, bytes, protection, flags, descriptor, offset) }
}

/// The kernel's call.
///
/// # Safety
/// As for the C library's function.
unsafe fn map(
    address: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: i64,
) -> *mut c_void {
    #[cfg(target_pointer_width = "64")]
    let (call, place): (c_long, i64) = (libc::SYS_mmap, offset);
    // In pages, as the argument has 32 bits.
    #[cfg(target_pointer_width = "32")]
    let (call, place): (c_long, c_ulong) = match c_ulong::try_from(offset >> 12) {
        Ok(page) if offset & 0xfff == 0 => (libc::SYS_mmap2, page),
        _ => {
            fail(Errno::INVAL);
            return libc::MAP_FAILED;
        }
    };
    // SAFETY: the caller's promise.
    let mapped = unsafe { libc::syscall(call, address, bytes, protection, flags, descriptor, place) };
    #[expect(clippy::cast_possible_truncation, reason = "both have the size of a pointer")]
    std::ptr::with_exposed_provenance_mut(mapped.cast_unsigned() as usize)
}
