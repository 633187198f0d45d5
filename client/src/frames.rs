//! Tells where frames end: where the program swaps buffers.
//!
//! Programs find the functions of EGL and GLX in libglvnd, which asks the library of a vendor for them. This library stands before
//! Mesa's as a vendor and gives out functions of its own for swaps, so that each call is seen, however the program found its
//! function. Where EGL is Mesa's own library, the function that programs link is replaced; then those that look it up end no frame.
//!
//! Sources: libglvnd, `include/glvnd/libeglabi.h` and `libglxabi.h`.

use std::ffi::{CStr, c_char, c_int, c_uint, c_ulong, c_void};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use crate::client::Client;
use crate::connection::complain;
use crate::descriptors;
use crate::swap_functions::{EGL_SWAP, EGL_SWAP_WITH_DAMAGE, GLX_SWAP, Place};

/// A function that finds others.
type GetProcAddress = unsafe extern "C" fn(*const c_char) -> *mut c_void;

/// Calls the function in a place, which has this type.
macro_rules! call {
    ($place:expr => fn($($type:ty),*) -> $result:ty, $($argument:expr),*) => {{
        let function: unsafe extern "C" fn($($type),*) -> $result =
            std::mem::transmute::<*mut c_void, _>($place.load(Ordering::Acquire));
        function($($argument),*)
    }};
}

/// How many submissions all clients have made; `None` if there are none.
fn submissions() -> Option<u32> {
    let count = |client: &Arc<Mutex<Client>>| descriptors::lock(client).sequence;
    descriptors::clients().iter().map(count).reduce(u32::wrapping_add)
}

/// Swaps, and ends the frame: the next submission of each client begins another one. The swap of a surface without a window
/// submits nothing, so what the program drew is submitted in its place.
fn swap<T>(vendor: &Vendor, swap: impl FnOnce() -> T) -> T {
    let before = submissions();
    let result = swap();
    if before.is_some() && submissions() == before && !vendor.get.load(Ordering::Acquire).is_null() {
        // SAFETY: OpenGL's function has this type, and does nothing without a context.
        unsafe {
            let flush = Place::new(call!(vendor.get => fn(*const c_char) -> *mut c_void, c"glFlush".as_ptr()));
            if !flush.load(Ordering::Acquire).is_null() {
                call!(flush => fn() -> (),);
            }
        }
    }
    for client in descriptors::clients() {
        descriptors::lock(&client).begins_frame = true;
    }
    result
}

/// A vendor's library, and the functions of it that this library stands before.
#[derive(Debug)]
struct Vendor {
    /// Mesa's library.
    library: &'static CStr,
    /// Its function that fills the table of functions.
    main: &'static CStr,
    /// The place in the table of the function that finds others.
    index: usize,
    /// That function.
    get: Place,
    /// The function that libglvnd gets in its place.
    replacement: GetProcAddress,
}

impl Vendor {
    /// Lets Mesa's library fill the table of functions, and replaces one of them.
    ///
    /// # Safety
    /// The arguments are libglvnd's.
    unsafe fn main(
        &self,
        version: u32,
        exports: *const c_void,
        vendor: *mut c_void,
        table: *mut *mut c_void,
    ) -> c_uint {
        // SAFETY: the names end with zero; libglvnd's tables have these types.
        unsafe {
            let library = libc::dlopen(self.library.as_ptr(), libc::RTLD_LAZY);
            let main = if library.is_null() { library } else { libc::dlsym(library, self.main.as_ptr()) };
            if main.is_null() {
                complain(&format!("{} is not Mesa's library for libglvnd", self.library.to_string_lossy()));
                return 0;
            }
            let place = Place::new(main);
            let is_filled = call!(
                place => fn(u32, *const c_void, *mut c_void, *mut *mut c_void) -> c_uint, version, exports, vendor, table
            );
            if is_filled != 0 {
                let get = std::ptr::replace(table.add(self.index), self.replacement as *mut c_void);
                self.get.store(get, Ordering::Release);
            }
            is_filled
        }
    }

    /// Finds a function, or one of this library that calls it.
    ///
    /// # Safety
    /// The name ends with zero.
    unsafe fn find(&self, name: *const c_char, replaced: &[(&CStr, &Place, *mut c_void)]) -> *mut c_void {
        // SAFETY: libglvnd asks once the table is filled; the caller's promise.
        let (found, name) = unsafe {
            let found = call!(self.get => fn(*const c_char) -> *mut c_void, name);
            (found, CStr::from_ptr(name))
        };
        match replaced.iter().find(|(replaced, ..)| *replaced == name && !found.is_null()) {
            Some((_, place, replacement)) => {
                place.store(found, Ordering::Release);
                *replacement
            }
            None => found,
        }
    }
}

static EGL: Vendor = Vendor {
    library: c"libEGL_mesa.so.0",
    main: c"__egl_Main",
    index: 3,
    get: Place::new(std::ptr::null_mut()),
    replacement: egl_get_proc_address,
};

static GLX: Vendor = Vendor {
    library: c"libGLX_mesa.so.0",
    main: c"__glx_Main",
    index: 1,
    get: Place::new(std::ptr::null_mut()),
    replacement: glx_get_proc_address,
};

/// What libglvnd calls for EGL.
///
/// # Safety
/// The arguments are libglvnd's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __egl_Main(
    version: u32,
    exports: *const c_void,
    vendor: *mut c_void,
    table: *mut *mut c_void,
) -> c_uint {
    // SAFETY: the caller's promise.
    unsafe { EGL.main(version, exports, vendor, table) }
}

/// What libglvnd calls for GLX.
///
/// # Safety
/// The arguments are libglvnd's.
#[unsafe(no_mangle)]
unsafe extern "C" fn __glx_Main(
    version: u32,
    exports: *const c_void,
    vendor: *mut c_void,
    table: *mut *mut c_void,
) -> c_uint {
    // SAFETY: the caller's promise.
    unsafe { GLX.main(version, exports, vendor, table) }
}

unsafe extern "C" fn egl_get_proc_address(name: *const c_char) -> *mut c_void {
    let replaced: [(&CStr, &Place, *mut c_void); 3] = [
        (c"eglSwapBuffers", &EGL_SWAP, egl_swap as *mut c_void),
        (c"eglSwapBuffersWithDamageEXT", &EGL_SWAP_WITH_DAMAGE, egl_swap_with_damage as *mut c_void),
        (c"eglSwapBuffersWithDamageKHR", &EGL_SWAP_WITH_DAMAGE, egl_swap_with_damage as *mut c_void),
    ];
    // SAFETY: libglvnd's name.
    unsafe { EGL.find(name, &replaced) }
}

unsafe extern "C" fn glx_get_proc_address(name: *const c_char) -> *mut c_void {
    // SAFETY: libglvnd's name.
    unsafe { GLX.find(name, &[(c"glXSwapBuffers", &GLX_SWAP, glx_swap as *mut c_void)]) }
}

unsafe extern "C" fn egl_swap(display: *mut c_void, surface: *mut c_void) -> c_uint {
    // SAFETY: EGL's function has this type.
    swap(&EGL, || unsafe { call!(EGL_SWAP => fn(*mut c_void, *mut c_void) -> c_uint, display, surface) })
}

unsafe extern "C" fn egl_swap_with_damage(
    display: *mut c_void,
    surface: *mut c_void,
    rectangles: *const c_int,
    count: c_int,
) -> c_uint {
    // SAFETY: EGL's function has this type.
    swap(&EGL, || unsafe {
        call!(
            EGL_SWAP_WITH_DAMAGE => fn(*mut c_void, *mut c_void, *const c_int, c_int) -> c_uint,
            display, surface, rectangles, count
        )
    })
}

unsafe extern "C" fn glx_swap(display: *mut c_void, drawable: c_ulong) {
    // SAFETY: GLX's function has this type.
    swap(&GLX, || unsafe { call!(GLX_SWAP => fn(*mut c_void, c_ulong) -> (), display, drawable) });
}

/// Calls EGL's function, and ends the frame. With libglvnd that happens twice, without a submission between.
///
/// # Safety
/// As for EGL's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn eglSwapBuffers(display: *mut c_void, surface: *mut c_void) -> c_uint {
    static ORIGINAL: Place = Place::new(std::ptr::null_mut());
    if ORIGINAL.load(Ordering::Acquire).is_null() {
        // SAFETY: the name ends with zero.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, c"eglSwapBuffers".as_ptr()) };
        if found.is_null() {
            return 0;
        }
        ORIGINAL.store(found, Ordering::Release);
    }
    // SAFETY: EGL's function of this name has this type; the caller's promise.
    swap(&EGL, || unsafe { call!(ORIGINAL => fn(*mut c_void, *mut c_void) -> c_uint, display, surface) })
}
