//! Tells where frames end: at the program's calls of `eglSwapBuffers` and of SDL's `SDL_GL_SwapWindow`.
//!
//! A program that finds these functions by itself, rather than by linking them, calls the original: its stream is one frame.

use std::ffi::{CStr, c_uint, c_void};
use std::sync::OnceLock;

use crate::descriptors;

/// The next function of this name, which this library stands before.
fn original(name: &CStr) -> *mut c_void {
    // SAFETY: the name ends with zero.
    unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }
}

/// The next submission of each client begins a frame.
fn end_frame() {
    for client in descriptors::clients() {
        descriptors::lock(&client).begins_frame = true;
    }
}

/// Calls EGL's function, and ends the frame.
///
/// # Safety
/// As for EGL's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn eglSwapBuffers(display: *mut c_void, surface: *mut c_void) -> c_uint {
    static ORIGINAL: OnceLock<usize> = OnceLock::new();
    let function = *ORIGINAL.get_or_init(|| original(c"eglSwapBuffers").expose_provenance());
    if function == 0 {
        return 0;
    }
    // SAFETY: EGL's function of this name has this type; the caller's promise.
    let result = unsafe {
        let function = std::ptr::with_exposed_provenance::<c_void>(function);
        let swap: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_uint = std::mem::transmute(function);
        swap(display, surface)
    };
    end_frame();
    result
}

/// Calls SDL's function, and ends the frame.
///
/// # Safety
/// As for SDL's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn SDL_GL_SwapWindow(window: *mut c_void) {
    static ORIGINAL: OnceLock<usize> = OnceLock::new();
    let function = *ORIGINAL.get_or_init(|| original(c"SDL_GL_SwapWindow").expose_provenance());
    if function != 0 {
        // SAFETY: SDL's function of this name has this type; the caller's promise.
        unsafe {
            let function = std::ptr::with_exposed_provenance::<c_void>(function);
            let swap: unsafe extern "C" fn(*mut c_void) = std::mem::transmute(function);
            swap(window);
        }
        end_frame();
    }
}
