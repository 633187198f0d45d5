//! Notes what the command that started the program asks at its end: files without content in a folder.

use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::path::Path;

use crate::protocol::{DREW, MARKS_VARIABLE, OPENGL};

/// The starts of the names of OpenGL's libraries.
const LIBRARIES: [&[u8]; 5] = [b"libGL.so", b"libGLX.so", b"libOpenGL.so", b"libEGL.so", b"libGLESv2.so"];

/// Notes that work was submitted to the chip.
pub(crate) fn note_work() {
    note(DREW);
}

/// Leaves a mark. Without a folder nobody asks for it.
fn note(mark: &str) {
    if let Some(folder) = std::env::var_os(MARKS_VARIABLE) {
        let _ = File::create(Path::new(&folder).join(mark));
    }
}

/// Runs when the process ends by itself.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

extern "C" fn at_end() {
    if has_opengl() {
        note(OPENGL);
    }
}

/// Whether a library of OpenGL is loaded.
fn has_opengl() -> bool {
    // SAFETY: the function matches the type, and ignores the data.
    unsafe { libc::dl_iterate_phdr(Some(is_opengl), std::ptr::null_mut()) != 0 }
}

/// Returns 1 for a library of OpenGL, which ends the iteration.
unsafe extern "C" fn is_opengl(info: *mut libc::dl_phdr_info, _size: usize, _data: *mut c_void) -> c_int {
    // SAFETY: the system's loader passes a valid structure, whose name is null or ends with zero.
    let path = unsafe {
        if (*info).dlpi_name.is_null() {
            return 0;
        }
        CStr::from_ptr((*info).dlpi_name).to_bytes()
    };
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    LIBRARIES.iter().any(|library| name.starts_with(library)).into()
}
