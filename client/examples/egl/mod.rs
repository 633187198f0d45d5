//! Opens an OpenGL context without a window for the example programs.

use std::ffi::{c_uint, c_void};

/// The sides of the surface.
pub(crate) const SIZE: i32 = 64;

/// A context without a surface that anyone sees, with these attributes; what ends its frames; and what keeps it.
pub(crate) fn context(attributes: &[khronos_egl::Int]) -> (glow::Context, impl Fn(), impl Drop) {
    struct Libraries(khronos_egl::DynamicInstance<khronos_egl::EGL1_4>);
    impl Drop for Libraries {
        fn drop(&mut self) {
            let _unbound = self.0.release_thread();
        }
    }
    // The functions of a library that the program itself links are global; then the client's stand before them.
    // SAFETY: libEGL is a library without unusual initializers.
    let _global = unsafe { libc::dlopen(c"libEGL.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    // SAFETY: as above.
    let egl = unsafe { khronos_egl::DynamicInstance::<khronos_egl::EGL1_4>::load_required() }.unwrap();
    // SAFETY: the default display.
    let display = unsafe { egl.get_display(khronos_egl::DEFAULT_DISPLAY) }.unwrap();
    egl.initialize(display).unwrap();
    egl.bind_api(khronos_egl::OPENGL_API).unwrap();
    let wanted = [
        (khronos_egl::SURFACE_TYPE, khronos_egl::PBUFFER_BIT),
        (khronos_egl::RENDERABLE_TYPE, khronos_egl::OPENGL_BIT),
        (khronos_egl::ALPHA_SIZE, 8),
        (khronos_egl::RED_SIZE, 8),
        (khronos_egl::DEPTH_SIZE, 24),
    ];
    let wanted: Vec<_> =
        wanted.into_iter().flat_map(|(name, value)| [name, value]).chain([khronos_egl::NONE]).collect();
    let config = egl.choose_first_config(display, &wanted).unwrap().expect("a configuration with alpha and depth");
    let size = [khronos_egl::WIDTH, SIZE, khronos_egl::HEIGHT, SIZE, khronos_egl::NONE];
    let surface = egl.create_pbuffer_surface(display, config, &size).unwrap();
    let context = egl.create_context(display, config, None, &[attributes, &[khronos_egl::NONE]].concat()).unwrap();
    egl.make_current(display, Some(surface), Some(surface), Some(context)).unwrap();
    let address = |name: &str| egl.get_proc_address(name).map_or(std::ptr::null(), |function| function as *const _);
    // SAFETY: the context is current, and the addresses are its functions.
    let gl = unsafe { glow::Context::from_loader_function(address) };
    let swap = swap_function(display.as_ptr(), surface.as_ptr());
    (gl, swap, Libraries(egl))
}

/// What ends a frame of this surface: the function that a program finds that links libEGL.
fn swap_function(display: *mut c_void, surface: *mut c_void) -> impl Fn() {
    // SAFETY: the name ends with zero.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"eglSwapBuffers".as_ptr()) };
    assert!(!found.is_null());
    // SAFETY: EGL's function of this name has this type.
    let swap: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_uint = unsafe { std::mem::transmute(found) };
    // SAFETY: both exist as long as the context.
    move || assert_eq!(unsafe { swap(display, surface) }, 1)
}
