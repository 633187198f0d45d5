//! Keeps drivers before Mesa 24.1 from a fault of theirs: they write a fence at the end of each submission, and crash if that is
//! before their first command, when their push buffer has no memory yet.
//!
//! These drivers load `libdrm_nouveau.so.2`, so each new push buffer is asked for space at once. Later ones have the same fault and
//! the library inside them.

use std::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

/// Words that stay free at the end of the first memory, for what drivers write at the end of submissions.
const RESERVED_WORDS: u32 = 64;

/// `nouveau_pushbuf_new`.
type New = unsafe extern "C" fn(*mut c_void, *mut c_void, c_int, u32, bool, *mut *mut PushBuffer) -> c_int;
/// `nouveau_pushbuf_space`.
type Space = unsafe extern "C" fn(*mut PushBuffer, u32, u32, u32) -> c_int;

/// The start of `struct nouveau_pushbuf` of libdrm's `nouveau.h`.
#[repr(C)]
#[derive(Debug)]
struct PushBuffer {
    pointers: [*mut c_void; 5],
    reserved_words: u32,
}

/// The library's own functions.
fn functions() -> Option<(New, Space)> {
    static FUNCTIONS: OnceLock<Option<(New, Space)>> = OnceLock::new();
    *FUNCTIONS.get_or_init(|| {
        // SAFETY: the names end with zero.
        let library = unsafe { libc::dlopen(c"libdrm_nouveau.so.2".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        let find = |name: &CStr| {
            // SAFETY: the name ends with zero.
            let found = unsafe { libc::dlsym(library, name.as_ptr()) };
            (!library.is_null() && !found.is_null()).then_some(found)
        };
        let (new, space) = (find(c"nouveau_pushbuf_new")?, find(c"nouveau_pushbuf_space")?);
        // SAFETY: the library's functions of these names have these types.
        Some(unsafe {
            (std::mem::transmute::<*mut c_void, New>(new), std::mem::transmute::<*mut c_void, Space>(space))
        })
    })
}

/// Creates a push buffer with memory.
///
/// # Safety
/// As for the library's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn nouveau_pushbuf_new(
    client: *mut c_void,
    channel: *mut c_void,
    count: c_int,
    bytes: u32,
    is_immediate: bool,
    result: *mut *mut PushBuffer,
) -> c_int {
    let Some((new, space)) = functions() else { return -libc::ENOSYS };
    // SAFETY: the caller's promise; the push buffer was just made.
    unsafe {
        match new(client, channel, count, bytes, is_immediate, result) {
            0 => {
                (**result).reserved_words = RESERVED_WORDS;
                let status = space(*result, 0, 0, 0);
                (**result).reserved_words = 0;
                status
            }
            error => error,
        }
    }
}
