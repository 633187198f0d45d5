//! An OpenGL program with a Wayland window of four colors that turn with every key; a button paints where it is pressed.
//!
//! `curie gl --window -- target/debug/examples/gl_window WIDTH HEIGHT [lock]` shows it. Each input event is a line of its
//! output. With `lock`, it locks the pointer. It ends when its window is closed, or with Escape.
#![expect(clippy::unwrap_used, reason = "a failure ends the program")]

use glow::HasContext;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::{wl_compositor, wl_keyboard, wl_pointer, wl_registry, wl_seat, wl_surface};
use wayland_client::{Connection, Dispatch, Proxy, QueueHandle, WEnum, delegate_noop};
use wayland_protocols::wp::pointer_constraints::zv1::client::zwp_locked_pointer_v1::ZwpLockedPointerV1;
use wayland_protocols::wp::pointer_constraints::zv1::client::zwp_pointer_constraints_v1::{
    Lifetime, ZwpPointerConstraintsV1,
};
use wayland_protocols::wp::relative_pointer::zv1::client::zwp_relative_pointer_manager_v1::ZwpRelativePointerManagerV1;
use wayland_protocols::wp::relative_pointer::zv1::client::zwp_relative_pointer_v1::{self, ZwpRelativePointerV1};
use wayland_protocols::xdg::shell::client::{xdg_surface, xdg_toplevel, xdg_wm_base};

/// The colors, from the lower left counterclockwise.
const COLORS: [[f32; 3]; 4] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]];

/// The code of Escape in `linux/input-event-codes.h`.
const ESCAPE: u32 = 1;

/// The side of what a button paints.
const SPOT: i32 = 8;

#[derive(Default)]
struct Program {
    is_closed: bool,
    turns: usize,
    pointer: [f64; 2],
    spot: Option<[f64; 2]>,
}

/// Defines what the program does at the events of an interface, whose objects may have data.
macro_rules! events {
    ($interface:ty, |$program:ident, $object:ident, $event:ident| $body:expr) => {
        events!($interface as (), |$program, $object, $event| $body);
    };
    ($interface:ty as $data:ty, |$program:ident, $object:ident, $event:ident| $body:expr) => {
        impl Dispatch<$interface, $data> for Program {
            fn event(
                $program: &mut Self,
                $object: &$interface,
                $event: <$interface as Proxy>::Event,
                _: &$data,
                _: &Connection,
                _: &QueueHandle<Self>,
            ) {
                $body
            }
        }
    };
}

events!(wl_registry::WlRegistry as GlobalListContents, |_program, _registry, _event| {});

events!(xdg_surface::XdgSurface, |_program, shell, event| {
    if let xdg_surface::Event::Configure { serial } = event {
        shell.ack_configure(serial);
    }
});

events!(xdg_toplevel::XdgToplevel, |program, _toplevel, event| {
    program.is_closed |= matches!(event, xdg_toplevel::Event::Close);
});

events!(wl_keyboard::WlKeyboard, |program, _keyboard, event| {
    if let wl_keyboard::Event::Key { key, state: WEnum::Value(wl_keyboard::KeyState::Pressed), .. } = event {
        println!("key {key}");
        program.turns += 1;
        program.is_closed |= key == ESCAPE;
    }
});

events!(wl_pointer::WlPointer, |program, _pointer, event| match event {
    wl_pointer::Event::Enter { surface_x, surface_y, .. } | wl_pointer::Event::Motion { surface_x, surface_y, .. } =>
        program.pointer = [surface_x, surface_y],
    wl_pointer::Event::Button { button, state: WEnum::Value(wl_pointer::ButtonState::Pressed), .. } => {
        println!("button {button:#x} at {:?}", program.pointer);
        program.spot = Some(program.pointer);
    }
    _ => {}
});

events!(ZwpRelativePointerV1, |_program, _pointer, event| {
    let zwp_relative_pointer_v1::Event::RelativeMotion { dx, dy, .. } = event else { return };
    println!("relative {dx} {dy}");
});

delegate_noop!(Program: wl_compositor::WlCompositor);
delegate_noop!(Program: ignore wl_surface::WlSurface);
delegate_noop!(Program: ignore wl_seat::WlSeat);
delegate_noop!(Program: ignore xdg_wm_base::XdgWmBase);
delegate_noop!(Program: ignore ZwpLockedPointerV1);
delegate_noop!(Program: ZwpPointerConstraintsV1);
delegate_noop!(Program: ZwpRelativePointerManagerV1);

impl Program {
    /// Draws the window; OpenGL counts rows from below.
    fn draw(&self, gl: &glow::Context, [width, height]: [i32; 2]) {
        let clear = |[x, y]: [i32; 2], [width, height]: [i32; 2], [r, g, b]: [f32; 3]| {
            // SAFETY: the context is current.
            unsafe {
                gl.scissor(x, y, width, height);
                gl.clear_color(r, g, b, 1.0);
                gl.clear(glow::COLOR_BUFFER_BIT);
            }
        };
        let half = [width / 2, height / 2];
        for (number, corner) in [[0, 0], [half[0], 0], half, [0, half[1]]].into_iter().enumerate() {
            clear(corner, [width - corner[0], height - corner[1]], COLORS[(number + self.turns) % 4]);
        }
        // The last one covers the third where both reach.
        clear(half, [width, height], COLORS[(2 + self.turns) % 4]);
        if let Some(spot) = self.spot {
            #[expect(clippy::cast_possible_truncation, reason = "windows are small")]
            let [x, y] = spot.map(|place| place as i32);
            clear([x, height - SPOT - y], [SPOT, SPOT], [1.0; 3]);
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = [0, 1].map(|axis: usize| arguments[axis].parse::<i32>().unwrap());
    let connection = Connection::connect_to_env().unwrap();
    let (globals, mut queue) = registry_queue_init::<Program>(&connection).unwrap();
    let handle = queue.handle();
    let compositor: wl_compositor::WlCompositor = globals.bind(&handle, 1..=4, ()).unwrap();
    let shell: xdg_wm_base::XdgWmBase = globals.bind(&handle, 1..=2, ()).unwrap();
    let seat: wl_seat::WlSeat = globals.bind(&handle, 1..=5, ()).unwrap();
    let (_keyboard, pointer) = (seat.get_keyboard(&handle, ()), seat.get_pointer(&handle, ()));
    let surface = compositor.create_surface(&handle, ());
    let shell_surface = shell.get_xdg_surface(&surface, &handle, ());
    let toplevel = shell_surface.get_toplevel(&handle, ());
    toplevel.set_title("four colors".to_owned());
    surface.commit();
    let mut program = Program::default();
    queue.roundtrip(&mut program).unwrap();
    if arguments.get(2).is_some_and(|argument| argument == "lock") {
        let relative: ZwpRelativePointerManagerV1 = globals.bind(&handle, 1..=1, ()).unwrap();
        relative.get_relative_pointer(&pointer, &handle, ());
        let constraints: ZwpPointerConstraintsV1 = globals.bind(&handle, 1..=1, ()).unwrap();
        constraints.lock_pointer(&surface, &pointer, None, Lifetime::Persistent, &handle, ());
    }

    // SAFETY: libEGL is a library without unusual initializers.
    let egl = unsafe { khronos_egl::DynamicInstance::<khronos_egl::EGL1_4>::load_required() }.unwrap();
    // SAFETY: the connection outlives the display.
    let display = unsafe { egl.get_display(connection.backend().display_ptr().cast()) }.unwrap();
    egl.initialize(display).unwrap();
    egl.bind_api(khronos_egl::OPENGL_API).unwrap();
    let wanted = [
        (khronos_egl::SURFACE_TYPE, khronos_egl::WINDOW_BIT),
        (khronos_egl::RENDERABLE_TYPE, khronos_egl::OPENGL_BIT),
        (khronos_egl::RED_SIZE, 8),
    ];
    let wanted: Vec<_> =
        wanted.into_iter().flat_map(|(name, value)| [name, value]).chain([khronos_egl::NONE]).collect();
    let config = egl.choose_first_config(display, &wanted).unwrap().expect("a configuration for windows");
    let native = wayland_egl::WlEglSurface::new(surface.id(), size[0], size[1]).unwrap();
    // SAFETY: the native window outlives the surface.
    let window = unsafe { egl.create_window_surface(display, config, native.ptr().cast_mut(), None) }.unwrap();
    let context = egl.create_context(display, config, None, &[khronos_egl::NONE]).unwrap();
    egl.make_current(display, Some(window), Some(window), Some(context)).unwrap();
    let address = |name: &str| egl.get_proc_address(name).map_or(std::ptr::null(), |function| function as *const _);
    // SAFETY: the context is current, and the addresses are its functions.
    let gl = unsafe { glow::Context::from_loader_function(address) };
    // SAFETY: the context is current.
    unsafe {
        println!("renderer {}", gl.get_parameter_string(glow::RENDERER));
        gl.enable(glow::SCISSOR_TEST);
    }
    while !program.is_closed {
        program.draw(&gl, size);
        egl.swap_buffers(display, window).unwrap();
        queue.roundtrip(&mut program).unwrap();
    }
}
