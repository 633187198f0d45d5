//! Notes what the command that started the program asks at its end: files in a folder.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use crate::protocol::{DREW, MARKS_VARIABLE, OPENGL};

/// The starts of the names of OpenGL's libraries: libglvnd's or Mesa's, those of vendors, and drivers.
const LIBRARIES: [&str; 6] = ["libGL.so", "libGLX", "libOpenGL.so", "libEGL", "libGLESv2.so", "libgallium"];
/// The end of the names of drivers before Mesa 24.3.
const DRIVERS: &str = "_dri.so";

/// Notes that work was submitted to the chip.
pub(crate) fn note_work() {
    note(DREW, "");
}

/// Leaves a mark with a line if there is none. Without a folder nobody asks for it.
fn note(mark: &str, line: &str) {
    if let Some(folder) = std::env::var_os(MARKS_VARIABLE) {
        let file = File::options().write(true).create_new(true).open(Path::new(&folder).join(mark));
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

/// Runs when the process ends by itself.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

extern "C" fn at_end() {
    let mut libraries = BTreeSet::<String>::new();
    // SAFETY: the function matches the type, and takes the data as what it is.
    unsafe { libc::dl_iterate_phdr(Some(add_library), (&raw mut libraries).cast()) };
    if !libraries.is_empty() {
        note(OPENGL, &format!("{}\n", libraries.into_iter().collect::<Vec<_>>().join(", ")));
    }
}

/// Adds the name of a library of OpenGL to the set that the data is.
///
/// # Safety
/// The structure is the loader's, and the data is such a set.
unsafe extern "C" fn add_library(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> c_int {
    // SAFETY: the caller's promise; the name is null or ends with zero.
    let (path, libraries) = unsafe {
        if (*info).dlpi_name.is_null() {
            return 0;
        }
        (CStr::from_ptr((*info).dlpi_name).to_string_lossy(), &mut *data.cast::<BTreeSet<String>>())
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    if LIBRARIES.iter().any(|library| name.starts_with(library)) || name.ends_with(DRIVERS) {
        libraries.insert(name.to_owned());
    }
    0
}
