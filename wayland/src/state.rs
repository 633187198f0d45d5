//! What the server knows of its clients, and what it tells the host.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::CString;
use std::time::Instant;

use wayland_protocols::xdg::shell::server::xdg_toplevel::XdgToplevel;
use wayland_server::backend::{ClientData, ClientId, DisconnectReason, Handle, ObjectId};
use wayland_server::protocol::wl_callback::WlCallback;
use wayland_server::{DisplayHandle, Resource};

use crate::commands::Commands;
use crate::seat::Seat;
use crate::surface::{Read, Surface};
use crate::{Event, Host};

/// Objects of a client that may exist at a time.
const MAX_OBJECTS: usize = 1 << 16;

/// Buffers of a client that may exist at a time, with those under construction.
const MAX_BUFFERS: usize = 1024;

/// The number of a client's `wl_display`.
const DISPLAY: u32 = 1;

/// The code of `wl_display` for what the server does not do.
const IMPLEMENTATION_ERROR: u32 = 3;

/// The state of the server.
pub(crate) struct State {
    pub(crate) display: DisplayHandle,
    pub(crate) host: Box<dyn Host>,
    pub(crate) commands: Commands,
    /// Columns and rows of the screen that programs find.
    pub(crate) screen: (u32, u32),
    pub(crate) surfaces: HashMap<ObjectId, Surface>,
    /// The mapped toplevels; the last is shown.
    pub(crate) mapped: Vec<ObjectId>,
    /// Commits whose content is not here yet.
    pub(crate) reads: HashMap<u64, Read>,
    pub(crate) last_read: u64,
    /// Buffers that exist or are under construction, by client.
    pub(crate) buffers: HashMap<ClientId, usize>,
    /// Callbacks for the next frame.
    pub(crate) due: Vec<WlCallback>,
    pub(crate) seat: Seat,
    start: Instant,
    serial: u32,
}

/// What is kept of a client.
#[derive(Debug)]
pub(crate) struct Connection(pub(crate) Commands);

impl ClientData for Connection {
    fn disconnected(&self, _: ClientId, reason: DisconnectReason) {
        if let DisconnectReason::ProtocolError(error) = reason {
            self.0.disconnected(format!("{}: {}", error.object_interface, error.message));
        }
    }
}

impl State {
    pub(crate) fn new(display: DisplayHandle, host: Box<dyn Host>, commands: Commands, screen: (u32, u32)) -> Self {
        Self {
            display,
            host,
            commands,
            screen,
            surfaces: HashMap::new(),
            mapped: Vec::new(),
            reads: HashMap::new(),
            last_read: 0,
            buffers: HashMap::new(),
            due: Vec::new(),
            seat: Seat::default(),
            start: Instant::now(),
            serial: 0,
        }
    }

    /// The state without programs, for a new display.
    pub(crate) fn anew(self, display: DisplayHandle) -> Self {
        let Self { host, commands, screen, last_read, start, serial, .. } = self;
        let mut state = Self::new(display, host, commands, screen);
        // Contents of earlier commits may still come.
        state.last_read = last_read;
        Self { start, serial, ..state }
    }

    /// The next serial number.
    pub(crate) const fn serial(&mut self) -> u32 {
        self.serial = self.serial.wrapping_add(1);
        self.serial
    }

    /// Milliseconds of the server's clock, which wraps.
    pub(crate) fn time(&self) -> u32 {
        u32::try_from(self.start.elapsed().as_millis() & u128::from(u32::MAX)).unwrap_or(0)
    }

    /// Microseconds of the server's clock, high and low half.
    pub(crate) fn microseconds(&self) -> (u32, u32) {
        let time = self.start.elapsed().as_micros();
        let half = |time: u128| u32::try_from(time & u128::from(u32::MAX)).unwrap_or(0);
        (half(time >> 32), half(time))
    }

    /// Ends the client of a resource for something that only this server refuses.
    pub(crate) fn refuse(&self, resource: &impl Resource, message: impl Into<Vec<u8>>) {
        if let Some(client) = resource.client() {
            end_client(&self.display.backend_handle(), client.id(), message);
        }
    }

    /// Counts a new buffer of the resource's client, which ends if it has too many.
    pub(crate) fn count_buffer(&mut self, resource: &impl Resource) {
        let Some(client) = resource.client() else { return };
        let buffers = self.buffers.entry(client.id()).or_default();
        *buffers += 1;
        if *buffers > MAX_BUFFERS {
            self.refuse(resource, format!("more than {MAX_BUFFERS} buffers"));
        }
    }

    /// A buffer of this client is gone.
    pub(crate) fn forget_buffer(&mut self, client: ClientId) {
        if let Entry::Occupied(mut buffers) = self.buffers.entry(client) {
            *buffers.get_mut() -= 1;
            if *buffers.get() == 0 {
                buffers.remove();
            }
        }
    }

    /// The surface that is shown.
    pub(crate) fn shown(&self) -> Option<&Surface> {
        self.surfaces.get(self.mapped.last()?)
    }

    /// Maps a surface unless it is mapped; the newest is shown.
    pub(crate) fn map(&mut self, surface: &ObjectId) {
        if !self.mapped.contains(surface) {
            self.mapped.push(surface.clone());
            self.shown_changed();
        }
    }

    /// Unmaps a surface if it is mapped; the one mapped before it is shown.
    pub(crate) fn unmap(&mut self, surface: &ObjectId) {
        let before = self.mapped.len();
        self.mapped.retain(|mapped| mapped != surface);
        if self.mapped.len() < before {
            self.shown_changed();
        }
    }

    fn shown_changed(&mut self) {
        let shown = self.shown().map(|surface| (surface.title.clone(), surface.is_fullscreen));
        match shown {
            None => self.host.event(Event::Closed),
            Some((title, is_fullscreen)) => {
                self.host.event(Event::Title(title));
                self.host.event(Event::Fullscreen(is_fullscreen));
            }
        }
        self.update_focus();
    }

    /// Asks the program to close the shown window.
    pub(crate) fn close(&self) {
        if let Some(toplevel) = self.shown().and_then(|surface| surface.toplevel.as_ref()) {
            toplevel.close();
        }
    }

    /// The surface of a toplevel.
    pub(crate) fn surface_of(&mut self, toplevel: &XdgToplevel) -> Option<&mut Surface> {
        self.surfaces.values_mut().find(|surface| surface.toplevel.as_ref() == Some(toplevel))
    }

    /// Ends the frame: programs that wait for it draw the next one.
    pub(crate) fn end_frame(&mut self) {
        let time = self.time();
        for callback in self.due.drain(..) {
            callback.done(time);
        }
    }
}

/// Ends a client with an error of its `wl_display`.
fn end_client(backend: &Handle, client: ClientId, message: impl Into<Vec<u8>>) {
    let mut display = None;
    let mut find = |object: ObjectId| {
        if object.protocol_id() == DISPLAY {
            display = Some(object);
        }
    };
    if backend.with_all_objects_for(client, &mut find).is_ok()
        && let Some(display) = display
    {
        backend.post_error(display, IMPLEMENTATION_ERROR, CString::new(message).unwrap_or_default());
    }
}

/// Ends clients with too many objects.
pub(crate) fn limit_objects(backend: &Handle) {
    let mut clients = Vec::new();
    backend.with_all_clients(|client| clients.push(client));
    for client in clients {
        let mut objects = 0_usize;
        let counted = backend.with_all_objects_for(client.clone(), |_| objects += 1);
        if counted.is_ok() && objects > MAX_OBJECTS {
            end_client(backend, client, format!("more than {MAX_OBJECTS} objects"));
        }
    }
}
