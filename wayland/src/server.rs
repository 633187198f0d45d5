//! The server's thread: accepts programs, dispatches their requests, and paces their frames.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use wayland_protocols::wp::linux_dmabuf::zv1::server::zwp_linux_dmabuf_v1::ZwpLinuxDmabufV1;
use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_pointer_constraints_v1::ZwpPointerConstraintsV1;
use wayland_protocols::wp::relative_pointer::zv1::server::zwp_relative_pointer_manager_v1::ZwpRelativePointerManagerV1;
use wayland_protocols::xdg::decoration::zv1::server::zxdg_decoration_manager_v1::ZxdgDecorationManagerV1;
use wayland_protocols::xdg::shell::server::xdg_wm_base::XdgWmBase;
use wayland_server::protocol::wl_compositor::WlCompositor;
use wayland_server::protocol::wl_data_device_manager::WlDataDeviceManager;
use wayland_server::protocol::wl_output::WlOutput;
use wayland_server::protocol::wl_seat::WlSeat;
use wayland_server::protocol::wl_shm::WlShm;
use wayland_server::protocol::wl_subcompositor::WlSubcompositor;
use wayland_server::{Display, DisplayHandle, backend};

use crate::commands::{Command, Commands};
use crate::state::{Connection, State, limit_objects};
use crate::{Event, FRAME_TIME, Grab, Host, Input};
use crate::{dmabuf, drm};

/// Programs that may be connected at a time.
const MAX_CLIENTS: usize = 64;

/// The longest wait while no program waits for a frame.
const IDLE_TIME: Duration = Duration::from_millis(250);

/// The time between two counts of objects.
const COUNT_TIME: Duration = Duration::from_millis(100);

/// A server that does not accept programs yet.
#[derive(Debug)]
pub struct Server {
    listener: UnixListener,
}

/// A server at work; it ends when this is dropped.
#[derive(Debug)]
pub struct Handle {
    commands: Commands,
    thread: Option<JoinHandle<()>>,
}

/// A display that programs connect to.
struct Serving {
    display: Display<State>,
    /// Ends the thread that counts objects.
    _counting: Sender<()>,
}

impl Serving {
    /// # Errors
    /// When the system gives no more files or threads.
    fn new() -> io::Result<Self> {
        let display = Display::new().map_err(io::Error::other)?;
        create_globals(&display.handle());
        let backend = display.handle().backend_handle();
        let (counting, is_over) = channel();
        std::thread::Builder::new()
            .name("wayland limit".to_owned())
            .spawn(move || count_objects(&backend, &is_over))?;
        Ok(Self { display, _counting: counting })
    }
}

impl Server {
    /// Creates the socket.
    ///
    /// # Errors
    /// When the path exists or cannot be a socket.
    pub fn bind(path: &Path) -> io::Result<Self> {
        let listener = UnixListener::bind(path)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener })
    }

    /// Accepts programs from now on. They find a screen of this many columns and rows.
    ///
    /// # Errors
    /// When the system gives no more files or threads.
    pub fn start(self, screen: (u32, u32), host: impl Host + 'static) -> io::Result<Handle> {
        let wake = Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?);
        let (sender, received) = channel();
        let commands = Commands { sender, wake };
        let serving = Serving::new()?;
        let state = State::new(serving.display.handle(), Box::new(host), commands.clone(), screen);
        let run = move || run(&self.listener, serving, state, &received);
        let thread = std::thread::Builder::new().name("wayland".to_owned()).spawn(run)?;
        Ok(Handle { commands, thread: Some(thread) })
    }
}

impl Handle {
    /// Passes on what the user does.
    pub fn input(&self, input: Input) {
        self.commands.send(Command::Input(input));
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.commands.send(Command::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn create_globals(display: &DisplayHandle) {
    display.create_global::<State, WlCompositor, ()>(4, ());
    display.create_global::<State, WlSubcompositor, ()>(1, ());
    display.create_global::<State, WlShm, ()>(1, ());
    display.create_global::<State, drm::WlDrm, ()>(drm::VERSION, ());
    display.create_global::<State, ZwpLinuxDmabufV1, ()>(dmabuf::VERSION, ());
    display.create_global::<State, WlOutput, ()>(2, ());
    display.create_global::<State, WlSeat, ()>(5, ());
    display.create_global::<State, WlDataDeviceManager, ()>(3, ());
    display.create_global::<State, XdgWmBase, ()>(2, ());
    display.create_global::<State, ZxdgDecorationManagerV1, ()>(1, ());
    display.create_global::<State, ZwpRelativePointerManagerV1, ()>(1, ());
    display.create_global::<State, ZwpPointerConstraintsV1, ()>(1, ());
}

/// Ends clients with too many objects while the server runs. The server's own thread is not enough: it dispatches what a
/// client sends as long as more comes.
fn count_objects(backend: &backend::Handle, is_over: &Receiver<()>) {
    while is_over.recv_timeout(COUNT_TIME) == Err(RecvTimeoutError::Timeout) {
        limit_objects(backend);
    }
}

/// Serves until [`Command::Stop`] comes. A panic in the library ends the connections, and programs find a new display:
/// wayland-backend 0.3.17 and the code of its scanner panic when a request lacks a text that it needs.
fn run(listener: &UnixListener, mut serving: Serving, mut state: State, received: &Receiver<Command>) {
    while catch_unwind(AssertUnwindSafe(|| serve(listener, &mut serving.display, &mut state, received))).is_err() {
        state
            .host
            .event(Event::Trouble("all connections end: a program sent what the server cannot handle".to_owned()));
        match Serving::new() {
            Ok(new) => serving = new,
            Err(error) => return state.host.event(Event::Trouble(format!("no new display: {error}"))),
        }
        state = state.anew(serving.display.handle());
        for event in [Event::Grab(Grab::None), Event::Cursor(true), Event::Closed] {
            state.host.event(event);
        }
    }
}

fn serve(listener: &UnixListener, display: &mut Display<State>, state: &mut State, received: &Receiver<Command>) {
    let mut frame_at = Instant::now() + FRAME_TIME;
    loop {
        let _ = display.flush_clients();
        wait(listener, display, state, frame_at);
        accept(listener, display, state);
        // Errors are those of single clients, which are gone then.
        let _ = display.dispatch_clients(state);
        for command in received.try_iter() {
            match command {
                Command::Content(number, bytes) => state.content(number, bytes),
                Command::Input(input) => state.input(input),
                Command::Disconnected(reason) => state.host.event(Event::Trouble(reason)),
                Command::Stop => return,
            }
        }
        let now = Instant::now();
        if now >= frame_at {
            state.end_frame();
            // A late frame delays the next ones rather than hurrying them.
            frame_at = (frame_at + FRAME_TIME).max(now + FRAME_TIME / 2);
        }
    }
}

/// Waits for a program, a command, or the end of the frame.
fn wait(listener: &UnixListener, display: &mut Display<State>, state: &State, frame_at: Instant) {
    let timeout = match state.due.is_empty() {
        true => IDLE_TIME,
        false => frame_at.saturating_duration_since(Instant::now()),
    };
    let timeout = Timespec { tv_sec: 0, tv_nsec: timeout.subsec_nanos().into() };
    let mut waited = [
        PollFd::new(listener, PollFlags::IN),
        PollFd::from_borrowed_fd(display.as_fd(), PollFlags::IN),
        PollFd::new(&*state.commands.wake, PollFlags::IN),
    ];
    // An interrupted wait ends early.
    let _ = poll(&mut waited, Some(&timeout));
    let mut count = [0; 8];
    let _ = rustix::io::read(&state.commands.wake, &mut count);
}

fn accept(listener: &UnixListener, display: &Display<State>, state: &State) {
    let Ok((stream, _)) = listener.accept() else { return };
    let mut clients = 0_usize;
    display.handle().backend_handle().with_all_clients(|_| clients += 1);
    // Closing the socket is the answer to too many.
    if clients < MAX_CLIENTS && stream.set_nonblocking(true).is_ok() {
        let _ = display.handle().insert_client(stream, Arc::new(Connection(state.commands.clone())));
    }
}
