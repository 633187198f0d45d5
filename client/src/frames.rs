//! Tells where frames end: at the program's calls of `eglSwapBuffers`, as far as it links EGL.
//!
//! Programs that load EGL themselves, as SDL does, call EGL's own function; their stream is one frame.

use std::ffi::{c_uint, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::device::Device;

/// The addresses of all devices.
static DEVICES: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Adds a device.
pub(crate) fn add(device: *const Device) {
    DEVICES.lock().unwrap_or_else(PoisonError::into_inner).push(device.expose_provenance());
}

/// Removes a device before it is deleted.
pub(crate) fn remove(device: *const Device) {
    DEVICES.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| *other != device.addr());
}

type SwapBuffers = unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_uint;

/// Calls EGL's function; the next submission of each device begins a frame.
///
/// # Safety
/// As for EGL's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn eglSwapBuffers(display: *mut c_void, surface: *mut c_void) -> c_uint {
    static NEXT: OnceLock<Option<SwapBuffers>> = OnceLock::new();
    let next = NEXT.get_or_init(|| {
        // SAFETY: the name ends with zero, and EGL's function of this name has this type.
        unsafe {
            let function = libc::dlsym(libc::RTLD_NEXT, c"eglSwapBuffers".as_ptr());
            (!function.is_null()).then(|| std::mem::transmute::<*mut c_void, SwapBuffers>(function))
        }
    });
    // SAFETY: the caller's promise.
    let result = next.map_or(0, |next| unsafe { next(display, surface) });
    for device in DEVICES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        // SAFETY: devices leave the list before they are deleted.
        unsafe { (*std::ptr::with_exposed_provenance::<Device>(*device)).state().begins_frame = true };
    }
    result
}
