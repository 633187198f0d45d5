//! Tests the server with a real Wayland client: buffers, commits, input, and what a hostile program gets.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use curie_wayland::{Event, FileIdentity, Format, Grab, Handle, Host, Input, Layout, Reply, Server};
use wayland_client::backend::protocol::ProtocolError;
use wayland_client::protocol::{
    wl_buffer, wl_callback, wl_compositor, wl_keyboard, wl_pointer, wl_registry, wl_seat, wl_shm, wl_shm_pool,
    wl_surface,
};
use wayland_client::{Connection, Dispatch, EventQueue, Proxy, QueueHandle, WEnum, delegate_noop};
use wayland_protocols::wp::pointer_constraints::zv1::client::{zwp_locked_pointer_v1, zwp_pointer_constraints_v1};
use wayland_protocols::wp::relative_pointer::zv1::client::{zwp_relative_pointer_manager_v1, zwp_relative_pointer_v1};
use wayland_protocols::xdg::shell::client::{xdg_surface, xdg_toplevel, xdg_wm_base};

mod drm {
    #![allow(unsafe_code, missing_docs, clippy::all, unreachable_pub, unused_qualifications, elided_lifetimes_in_paths)]
    #![allow(missing_debug_implementations, non_upper_case_globals, clippy::pedantic, dead_code)]
    #![allow(clippy::allow_attributes_without_reason, clippy::use_self, clippy::doc_markdown, clippy::unwrap_used)]
    #![allow(clippy::cast_possible_truncation, clippy::semicolon_if_nothing_returned)]
    use wayland_client;
    use wayland_client::protocol::*;
    pub mod __interfaces {
        use wayland_client::protocol::__interfaces::*;
        wayland_scanner::generate_interfaces!("src/wl_drm.xml");
    }
    use self::__interfaces::*;
    wayland_scanner::generate_client_code!("src/wl_drm.xml");
}
use drm::wl_drm;

const PATIENCE: Duration = Duration::from_secs(60);

const XR24: u32 = u32::from_le_bytes(*b"XR24");

/// A host that passes on what it is asked.
struct TestHost {
    events: Sender<Event>,
    reads: Sender<(FileIdentity, Layout, Reply)>,
}

impl Host for TestHost {
    fn read(&mut self, file: FileIdentity, layout: Layout, reply: Reply) {
        let _ = self.reads.send((file, layout, reply));
    }

    fn event(&mut self, event: Event) {
        let _ = self.events.send(event);
    }
}

struct TestServer {
    handle: Handle,
    events: Receiver<Event>,
    reads: Receiver<(FileIdentity, Layout, Reply)>,
    path: PathBuf,
}

impl TestServer {
    fn start() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("curie-wayland-{}-{number}", std::process::id()));
        let (send_event, events) = channel();
        let (send_read, reads) = channel();
        let host = TestHost { events: send_event, reads: send_read };
        let handle = Server::bind(&path).unwrap().start((1280, 1024), host).unwrap();
        Self { handle, events, reads, path }
    }

    fn event(&self) -> Event {
        self.events.recv_timeout(PATIENCE).unwrap()
    }

    /// Answers the next read with bytes of this value; returns the file and the layout.
    fn answer(&self, value: u8) -> (FileIdentity, Layout) {
        let (file, layout, reply) = self.reads.recv_timeout(PATIENCE).unwrap();
        let range = layout.range();
        reply.send(vec![value; usize::try_from(range.end - range.start).unwrap()]);
        (file, layout)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// What a client has heard.
#[derive(Default)]
struct Heard {
    globals: BTreeMap<String, (u32, u32)>,
    lines: Vec<String>,
    /// The buffer that the server made last.
    created: Option<wl_buffer::WlBuffer>,
}

struct Client {
    connection: Connection,
    queue: EventQueue<Heard>,
    heard: Heard,
    registry: wl_registry::WlRegistry,
}

impl Client {
    fn connect(server: &TestServer) -> Self {
        let connection = Connection::from_socket(UnixStream::connect(&server.path).unwrap()).unwrap();
        let queue = connection.new_event_queue();
        let registry = connection.display().get_registry(&queue.handle(), ());
        let mut client = Self { connection, queue, heard: Heard::default(), registry };
        client.sync();
        client
    }

    fn sync(&mut self) {
        self.queue.roundtrip(&mut self.heard).unwrap();
    }

    fn bind<I: Proxy + 'static>(&self) -> I
    where
        Heard: Dispatch<I, ()>,
    {
        self.bind_up_to(I::interface().version)
    }

    fn bind_up_to<I: Proxy + 'static>(&self, most: u32) -> I
    where
        Heard: Dispatch<I, ()>,
    {
        let (name, version) = self.heard.globals[I::interface().name];
        self.registry.bind(name, version.min(most), &self.queue.handle(), ())
    }

    /// Waits for a line that begins so, and removes all lines up to it.
    fn hear(&mut self, begin: &str) -> String {
        let start = Instant::now();
        loop {
            if let Some(place) = self.heard.lines.iter().position(|line| line.starts_with(begin)) {
                return self.heard.lines.drain(..=place).next_back().unwrap();
            }
            assert!(start.elapsed() < PATIENCE, "{begin} did not come: {:?}", self.heard.lines);
            std::thread::sleep(Duration::from_millis(2));
            self.sync();
        }
    }

    /// Waits for the error that ends the connection.
    fn error(&mut self) -> ProtocolError {
        let start = Instant::now();
        while self.queue.roundtrip(&mut self.heard).is_ok() {
            assert!(start.elapsed() < PATIENCE, "no error came");
        }
        self.connection.protocol_error().unwrap()
    }

    /// A configured window.
    fn window(&mut self, title: &str) -> Window {
        let handle = self.queue.handle();
        let surface = self.bind::<wl_compositor::WlCompositor>().create_surface(&handle, ());
        let shell = self.bind::<xdg_wm_base::XdgWmBase>().get_xdg_surface(&surface, &handle, ());
        let toplevel = shell.get_toplevel(&handle, ());
        toplevel.set_title(title.to_owned());
        surface.commit();
        self.hear("configure 0 0 [4]");
        Window { surface, shell, toplevel }
    }

    /// A buffer in a file of its own.
    fn buffer(&self, size: [i32; 2], stride: i32, file: &File) -> wl_buffer::WlBuffer {
        let drm: wl_drm::WlDrm = self.bind();
        let handle = self.queue.handle();
        drm.create_prime_buffer(file.as_fd(), size[0], size[1], XR24, 0, stride, 0, 0, 0, 0, &handle, ())
    }
}

struct Window {
    surface: wl_surface::WlSurface,
    shell: xdg_surface::XdgSurface,
    toplevel: xdg_toplevel::XdgToplevel,
}

fn memory(bytes: u64) -> File {
    let file: OwnedFd = rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
    let file = File::from(file);
    file.set_len(bytes).unwrap();
    file
}

impl Dispatch<wl_registry::WlRegistry, ()> for Heard {
    fn event(
        heard: &mut Self,
        _: &wl_registry::WlRegistry,
        event: wl_registry::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let wl_registry::Event::Global { name, interface, version } = event {
            heard.globals.insert(interface, (name, version));
        }
    }
}

/// Notes events of an interface as lines.
macro_rules! noted {
    ($interface:ty, $event:pat => $line:expr) => {
        noted!($interface, _proxy, $event => $line);
    };
    ($interface:ty, $proxy:ident, $($event:pat => $line:expr),+) => {
        impl Dispatch<$interface, ()> for Heard {
            fn event(
                heard: &mut Self,
                $proxy: &$interface,
                event: <$interface as Proxy>::Event,
                (): &(),
                _: &Connection,
                _: &QueueHandle<Self>,
            ) {
                match event {
                    $($event => heard.lines.push($line),)+
                    #[allow(unreachable_patterns, reason = "some interfaces have one event")]
                    _ => {}
                }
            }
        }
    };
}

mod dmabuf;

noted!(wl_buffer::WlBuffer, wl_buffer::Event::Release => "release".to_owned());
noted!(wl_callback::WlCallback, wl_callback::Event::Done { .. } => "done".to_owned());
noted!(xdg_surface::XdgSurface, shell, xdg_surface::Event::Configure { serial } => {
    shell.ack_configure(serial);
    "shell".to_owned()
});
noted!(xdg_toplevel::XdgToplevel, _toplevel,
    xdg_toplevel::Event::Configure { width, height, states } => {
        let states: Vec<_> = states.chunks(4).map(|state| u32::from_ne_bytes(state.try_into().unwrap())).collect();
        format!("configure {width} {height} {states:?}")
    },
    xdg_toplevel::Event::Close => "close".to_owned()
);
noted!(wl_drm::WlDrm, _drm,
    wl_drm::Event::Device { name } => format!("device {name}"),
    wl_drm::Event::Format { format } => format!("format {}", String::from_utf8(format.to_le_bytes().to_vec()).unwrap()),
    wl_drm::Event::Capabilities { value } => format!("capabilities {value}")
);
noted!(wl_keyboard::WlKeyboard, _keyboard,
    wl_keyboard::Event::Keymap { format: WEnum::Value(wl_keyboard::KeymapFormat::XkbV1), fd, size } => {
        let mut text = vec![0; size as usize];
        File::from(fd).read_exact_at(&mut text, 0).unwrap();
        format!("keymap {}", String::from_utf8(text).unwrap())
    },
    wl_keyboard::Event::RepeatInfo { rate, delay } => format!("repeat {rate} {delay}"),
    wl_keyboard::Event::Enter { keys, .. } => format!("keyboard {keys:?}"),
    wl_keyboard::Event::Leave { .. } => "no keyboard".to_owned(),
    wl_keyboard::Event::Key { key, state: WEnum::Value(state), .. } => format!("key {key} {state:?}"),
    wl_keyboard::Event::Modifiers { mods_depressed, mods_locked, .. } => format!("held {mods_depressed} locked {mods_locked}")
);
noted!(wl_pointer::WlPointer, _pointer,
    wl_pointer::Event::Enter { surface_x, surface_y, .. } => format!("pointer {surface_x} {surface_y}"),
    wl_pointer::Event::Leave { .. } => "no pointer".to_owned(),
    wl_pointer::Event::Motion { surface_x, surface_y, .. } => format!("motion {surface_x} {surface_y}"),
    wl_pointer::Event::Button { button, state: WEnum::Value(state), .. } => format!("button {button:#x} {state:?}"),
    wl_pointer::Event::Axis { axis: WEnum::Value(axis), value, .. } => format!("axis {axis:?} {value}"),
    wl_pointer::Event::AxisDiscrete { discrete, .. } => format!("discrete {discrete}"),
    wl_pointer::Event::Frame => "group".to_owned()
);
noted!(zwp_relative_pointer_v1::ZwpRelativePointerV1,
    zwp_relative_pointer_v1::Event::RelativeMotion { dx, dy, dx_unaccel, dy_unaccel, .. } =>
        format!("relative {dx} {dy} {dx_unaccel} {dy_unaccel}"));
noted!(zwp_locked_pointer_v1::ZwpLockedPointerV1, _lock,
    zwp_locked_pointer_v1::Event::Locked => "locked".to_owned(),
    zwp_locked_pointer_v1::Event::Unlocked => "unlocked".to_owned()
);
delegate_noop!(Heard: wl_compositor::WlCompositor);
delegate_noop!(Heard: ignore wl_surface::WlSurface);
delegate_noop!(Heard: ignore wl_shm::WlShm);
delegate_noop!(Heard: wl_shm_pool::WlShmPool);
delegate_noop!(Heard: ignore wl_seat::WlSeat);
delegate_noop!(Heard: ignore xdg_wm_base::XdgWmBase);
delegate_noop!(Heard: zwp_pointer_constraints_v1::ZwpPointerConstraintsV1);
delegate_noop!(Heard: zwp_relative_pointer_manager_v1::ZwpRelativePointerManagerV1);

/// A window with a picture of 5 × 3 pixels.
fn shown(server: &TestServer, client: &mut Client, title: &str) -> Window {
    let window = client.window(title);
    let buffer = client.buffer([5, 3], 64, &memory(4096));
    window.surface.attach(Some(&buffer), 0, 0);
    window.surface.commit();
    client.sync();
    server.answer(7);
    client.hear("release");
    window
}

#[test]
fn a_commit_becomes_a_picture_and_the_buffer_comes_back() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let _drm: wl_drm::WlDrm = client.bind();
    client.hear("device /dev/null");
    client.hear("format AR24");
    client.hear("format XR24");
    client.hear("capabilities 1");
    let window = client.window("a title");
    let file = memory(4096);
    let buffer = client.buffer([5, 3], 64, &file);
    window.surface.attach(Some(&buffer), 0, 0);
    window.surface.frame(&client.queue.handle(), ());
    window.surface.commit();
    client.sync();
    client.sync();
    // Nothing comes back before the content is read.
    assert!(!client.heard.lines.iter().any(|line| line == "release" || line == "done"), "{:?}", client.heard.lines);
    let (found, layout) = server.answer(7);
    let status = file.metadata().unwrap();
    assert_eq!(found, FileIdentity { device: status.dev(), inode: status.ino() });
    let expected = Layout { width: 5, height: 3, stride: 64, offset: 0, format: Format::Xrgb8888 };
    assert_eq!(layout, expected);
    client.hear("release");
    client.hear("done");
    assert_eq!(server.event(), Event::Title("a title".to_owned()));
    assert_eq!(server.event(), Event::Fullscreen(false));
    let Event::Picture(picture) = server.event() else { panic!("no picture") };
    assert_eq!((picture.layout, picture.bytes), (expected, vec![7; 192]));

    window.toplevel.set_title("another".to_owned());
    client.sync();
    assert_eq!(server.event(), Event::Title("another".to_owned()));
    window.toplevel.set_fullscreen(None);
    client.hear("configure 1280 1024 [4, 2]");
    assert_eq!(server.event(), Event::Fullscreen(true));
    server.handle.input(Input::Close);
    client.hear("close");
    window.toplevel.destroy();
    window.shell.destroy();
    client.sync();
    assert_eq!(server.event(), Event::Closed);
}

#[test]
fn frames_come_sixty_times_a_second_even_when_the_buffer_is_gone() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let window = client.window("frames");
    let start = Instant::now();
    for _ in 0..12 {
        let buffer = client.buffer([5, 3], 64, &memory(4096));
        window.surface.attach(Some(&buffer), 0, 0);
        window.surface.frame(&client.queue.handle(), ());
        window.surface.commit();
        buffer.destroy();
        client.sync();
        server.answer(1);
        client.hear("done");
    }
    // The first may be at once; slower is possible on a busy machine, faster is not.
    assert!(start.elapsed() >= 10 * curie_wayland::FRAME_TIME / 2, "{:?}", start.elapsed());
}

#[test]
fn a_buffer_that_nobody_knows_is_named_and_given_back() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let window = client.window("unknown");
    let buffer = client.buffer([5, 3], 64, &memory(4096));
    window.surface.attach(Some(&buffer), 0, 0);
    window.surface.commit();
    client.sync();
    drop(server.reads.recv_timeout(PATIENCE).unwrap());
    client.hear("release");
    assert!(matches!(server.event(), Event::Trouble(reason) if reason.contains("no connection")));
}

#[test]
fn keys_and_the_pointer_go_to_the_shown_window() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let seat: wl_seat::WlSeat = client.bind();
    let handle = client.queue.handle();
    let (_keyboard, _pointer) = (seat.get_keyboard(&handle, ()), seat.get_pointer(&handle, ()));
    let keymap = client.hear("keymap");
    assert!(keymap.starts_with("keymap xkb_keymap {") && keymap.ends_with("};\n\0"), "{keymap:?}");
    client.hear("repeat 0 0");
    let _window = shown(&server, &mut client, "input");
    // Another program hears none of it.
    let mut other = Client::connect(&server);
    let other_seat: wl_seat::WlSeat = other.bind();
    let other_handle = other.queue.handle();
    let _devices = (other_seat.get_keyboard(&other_handle, ()), other_seat.get_pointer(&other_handle, ()));
    other.hear("repeat 0 0");

    let input = |input| server.handle.input(input);
    input(Input::Key(30, true));
    input(Input::Focus(true));
    assert_eq!(client.hear("keyboard"), "keyboard []");
    client.hear("held 0 locked 0");
    input(Input::Key(42, true));
    client.hear("key 42 Pressed");
    client.hear("held 1 locked 0");
    input(Input::Key(30, true));
    input(Input::Key(30, true));
    input(Input::Key(30, false));
    client.hear("key 30 Pressed");
    assert_eq!(client.hear("key 30"), "key 30 Released");
    input(Input::Motion([1.5, 2.25]));
    client.hear("pointer 1.5 2.25");
    client.hear("group");
    input(Input::Motion([3.0, 1.0]));
    client.hear("motion 3 1");
    input(Input::Button(0x110, true));
    client.hear("button 0x110 Pressed");
    input(Input::Wheel([0.0, -1.0]));
    client.hear("discrete -1");
    client.hear("axis VerticalScroll -10");
    client.hear("group");
    input(Input::Leave);
    client.hear("no pointer");
    input(Input::Focus(false));
    client.hear("no keyboard");
    other.sync();
    assert_eq!(other.heard.lines, Vec::<String>::new());
}

#[test]
fn a_locked_pointer_moves_relatively_until_it_is_let_go() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let seat: wl_seat::WlSeat = client.bind();
    let handle = client.queue.handle();
    let pointer = seat.get_pointer(&handle, ());
    let window = shown(&server, &mut client, "lock");
    let input = |input| server.handle.input(input);
    let grab = || loop {
        if let Event::Grab(grab) = server.event() {
            return grab;
        }
    };
    input(Input::Focus(true));
    input(Input::Motion([2.0, 2.0]));
    client.hear("pointer 2 2");
    let relative: zwp_relative_pointer_manager_v1::ZwpRelativePointerManagerV1 = client.bind();
    let _relative = relative.get_relative_pointer(&pointer, &handle, ());
    let constraints: zwp_pointer_constraints_v1::ZwpPointerConstraintsV1 = client.bind();
    let persistent = zwp_pointer_constraints_v1::Lifetime::Persistent;
    let lock = constraints.lock_pointer(&window.surface, &pointer, None, persistent, &handle, ());
    client.hear("locked");
    assert_eq!(grab(), Grab::Locked);
    input(Input::Relative([3.0, -0.5]));
    client.hear("relative 3 -0.5 3 -0.5");
    input(Input::Motion([4.0, 4.0]));
    input(Input::Button(0x111, true));
    client.hear("button 0x111 Pressed");
    input(Input::LetGo);
    client.hear("unlocked");
    assert_eq!(grab(), Grab::None);
    // The button that gives the pointer again is the user's.
    input(Input::Button(0x110, true));
    input(Input::Button(0x110, false));
    client.hear("locked");
    assert_eq!(grab(), Grab::Locked);
    assert!(!client.heard.lines.iter().any(|line| line.contains("0x110")), "{:?}", client.heard.lines);
    input(Input::Focus(false));
    client.hear("unlocked");
    assert_eq!(grab(), Grab::None);
    input(Input::Focus(true));
    client.hear("locked");
    assert_eq!(grab(), Grab::Locked);
    lock.destroy();
    client.sync();
    assert_eq!(grab(), Grab::None);
    input(Input::Motion([1.0, 1.0]));
    client.hear("motion 1 1");
}

#[test]
fn a_bad_buffer_ends_only_its_program() {
    let server = TestServer::start();
    let mut good = Client::connect(&server);
    for (size, stride, expected) in
        [([5, 3], 16, "stride"), ([5, 300], 64, "ends at byte 19200"), ([-5, 3], 64, "-5 × 3")]
    {
        let mut client = Client::connect(&server);
        let _buffer = client.buffer(size, stride, &memory(4096));
        client.error();
        let Event::Trouble(reason) = server.event() else { panic!("no reason") };
        assert!(reason.contains(expected), "{reason}");
    }
    shown(&server, &mut good, "good");
}

#[test]
fn pictures_that_the_program_drew_itself_are_refused() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let window = client.window("software");
    let shm: wl_shm::WlShm = client.bind();
    let handle = client.queue.handle();
    let pool = shm.create_pool(memory(4096).as_fd(), 4096, &handle, ());
    let buffer = pool.create_buffer(0, 5, 3, 64, wl_shm::Format::Xrgb8888, &handle, ());
    // A surface that is no window, such as a pointer's, may have it.
    let plain = client.bind::<wl_compositor::WlCompositor>().create_surface(&handle, ());
    plain.attach(Some(&buffer), 0, 0);
    plain.commit();
    client.hear("release");
    window.surface.attach(Some(&buffer), 0, 0);
    window.surface.commit();
    client.error();
    let Event::Trouble(reason) = server.event() else { panic!("no reason") };
    assert!(reason.contains("software renderer"), "{reason}");
}

#[test]
fn each_program_has_its_own_buffers() {
    let server = TestServer::start();
    let mut clients = [Client::connect(&server), Client::connect(&server)];
    let memory = memory(4096);
    let create = |client: &Client, count| {
        let shm: wl_shm::WlShm = client.bind();
        let pool = shm.create_pool(memory.as_fd(), 4096, &client.queue.handle(), ());
        let buffer = || pool.create_buffer(0, 5, 3, 64, wl_shm::Format::Xrgb8888, &client.queue.handle(), ());
        std::iter::repeat_with(buffer).take(count).collect::<Vec<_>>()
    };
    for client in &mut clients {
        for buffer in create(client, 1024) {
            buffer.destroy();
        }
        let _kept = create(client, 1024);
        client.sync();
    }
    let _one_more = create(&clients[0], 1);
    clients[0].error();
    let Event::Trouble(reason) = server.event() else { panic!("no reason") };
    assert!(reason.contains("more than 1024 buffers"), "{reason}");
    clients[1].sync();
}

#[test]
fn a_program_with_too_many_objects_ends() {
    let server = TestServer::start();
    let mut client = Client::connect(&server);
    let compositor: wl_compositor::WlCompositor = client.bind();
    let handle = client.queue.handle();
    let start = Instant::now();
    while client.queue.roundtrip(&mut client.heard).is_ok() {
        assert!(start.elapsed() < PATIENCE, "the connection is still open");
        for _ in 0..1000 {
            let _surface = compositor.create_surface(&handle, ());
        }
    }
    let Event::Trouble(reason) = server.event() else { panic!("no reason") };
    assert!(reason.contains("objects"), "{reason}");
    shown(&server, &mut Client::connect(&server), "good");
}

/// `wl_display.get_registry` as object 2, and `wl_registry.bind` of the first global with no interface, as object 3.
const BIND_WITHOUT_INTERFACE: [u32; 9] = [1, 12 << 16 | 1, 2, 2, 24 << 16, 1, 0, 1, 3];

#[test]
fn after_a_binding_without_an_interface_programs_find_a_new_display() {
    let server = TestServer::start();
    let mut other = Client::connect(&server);
    shown(&server, &mut other, "other");
    let bytes: Vec<u8> = BIND_WITHOUT_INTERFACE.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let mut bad = UnixStream::connect(&server.path).unwrap();
    bad.write_all(&bytes).unwrap();
    let reason = std::iter::repeat_with(|| server.event()).find_map(|event| match event {
        Event::Trouble(reason) => Some(reason),
        _ => None,
    });
    assert!(reason.as_ref().is_some_and(|reason| reason.contains("all connections end")), "{reason:?}");
    for expected in [Event::Grab(Grab::None), Event::Cursor(true), Event::Closed] {
        assert_eq!(server.event(), expected);
    }
    assert!(other.queue.roundtrip(&mut other.heard).is_err(), "the connection is still open");
    shown(&server, &mut Client::connect(&server), "good");
}
