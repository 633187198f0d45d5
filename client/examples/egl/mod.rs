//! Opens an OpenGL context without a window for the example programs.

use std::rc::Rc;

use glow::HasContext as _;

/// The sides of the surface.
pub(crate) const SIZE: i32 = 64;

/// A context without a surface that anyone sees, with these attributes; what ends its frames; and what keeps it.
pub(crate) fn context(attributes: &[khronos_egl::Int]) -> (glow::Context, impl Fn(), impl Drop) {
    struct Libraries(Rc<khronos_egl::DynamicInstance<khronos_egl::EGL1_4>>);
    impl Drop for Libraries {
        fn drop(&mut self) {
            let _unbound = self.0.release_thread();
        }
    }
    // SAFETY: libEGL is a library without unusual initializers.
    let egl = Rc::new(unsafe { khronos_egl::DynamicInstance::<khronos_egl::EGL1_4>::load_required() }.unwrap());
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
    let libraries = Libraries(Rc::clone(&egl));
    (gl, move || egl.swap_buffers(display, surface).unwrap(), libraries)
}

/// A program of shaders, each with its kind, which is in use from now on.
pub(crate) fn program(gl: &glow::Context, shaders: &[(u32, &str)]) -> glow::Program {
    // SAFETY: the context is current.
    unsafe {
        let program = gl.create_program().unwrap();
        for (kind, text) in shaders {
            let shader = gl.create_shader(*kind).unwrap();
            gl.shader_source(shader, text);
            gl.compile_shader(shader);
            assert!(gl.get_shader_compile_status(shader), "{}", gl.get_shader_info_log(shader));
            gl.attach_shader(program, shader);
        }
        gl.link_program(program);
        assert!(gl.get_program_link_status(program), "{}", gl.get_program_info_log(program));
        gl.use_program(Some(program));
        program
    }
}
