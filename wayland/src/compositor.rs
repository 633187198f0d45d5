//! Surfaces: attached buffers, commits, and the pictures that come of them.

use wayland_server::Resource;
use wayland_server::backend::ObjectId;
use wayland_server::protocol::wl_buffer::WlBuffer;
use wayland_server::protocol::wl_callback::WlCallback;
use wayland_server::protocol::wl_compositor::{self, WlCompositor};
use wayland_server::protocol::wl_surface::{self, WlSurface};

use crate::buffer::{Buffer, PrimeBuffer};
use crate::dispatch::{global, requests};
use crate::state::State;
use crate::surface::{Read, Surface};
use crate::{Event, Picture, Reply};

/// Commits of a surface whose content may be missing at a time; drivers have at most four buffers.
const MAX_READS: usize = 8;

/// Frame callbacks that a surface may ask for between two commits.
const MAX_CALLBACKS: usize = 64;

impl State {
    /// Commits a surface: asks for the content of its buffer, or unmaps it.
    fn commit(&mut self, id: &ObjectId) {
        let Some(surface) = self.surfaces.get_mut(id) else { return };
        let callbacks = std::mem::take(&mut surface.callbacks);
        let is_toplevel = surface.toplevel.is_some();
        match surface.attached.take() {
            Some(Some(buffer)) if is_toplevel => self.show(id, buffer, callbacks),
            Some(Some(buffer)) => {
                // The pointer and subsurfaces are not shown.
                buffer.release();
                self.due.extend(callbacks);
            }
            Some(None) => {
                surface.is_configured = false;
                self.due.extend(callbacks);
                self.unmap(id);
            }
            None => {
                self.due.extend(callbacks);
                if is_toplevel && !std::mem::replace(&mut surface.is_configured, true) {
                    self.configure(id);
                }
            }
        }
    }

    /// Asks for the content of a buffer.
    fn show(&mut self, id: &ObjectId, buffer: WlBuffer, callbacks: Vec<WlCallback>) {
        let Some(surface) = self.surfaces.get_mut(id) else { return };
        let Some(Buffer::Prime(PrimeBuffer { layout, identity, .. })) = buffer.data::<Buffer>() else {
            let reason = "the program draws with the CPU, or Mesa took its software renderer: the window shows only \
                          what the emulated chip drew";
            let resource = surface.surface.clone();
            return self.refuse(&resource, reason);
        };
        let (layout, identity) = (*layout, *identity);
        if surface.reads >= MAX_READS {
            let resource = surface.surface.clone();
            return self.refuse(&resource, format!("more than {MAX_READS} commits at a time"));
        }
        surface.reads += 1;
        self.last_read += 1;
        let number = self.last_read;
        self.reads.insert(number, Read { surface: id.clone(), buffer, callbacks, layout });
        let commands = self.commands.clone();
        self.host.read(identity, layout, Reply::new(move |bytes| commands.content(number, bytes)));
    }

    /// Shows the content of a commit, and gives the buffer back.
    pub(crate) fn content(&mut self, number: u64, bytes: Option<Vec<u8>>) {
        let Some(Read { surface: id, buffer, callbacks, layout }) = self.reads.remove(&number) else { return };
        buffer.release();
        self.due.extend(callbacks);
        let Some(surface) = self.surfaces.get_mut(&id) else { return };
        surface.reads -= 1;
        let Some(bytes) = bytes else {
            self.host.event(Event::Trouble("a buffer was shown that no connection to the chip has".to_owned()));
            return;
        };
        if surface.toplevel.is_none() {
            return;
        }
        self.map(&id);
        if self.mapped.last() == Some(&id) {
            self.host.event(Event::Picture(Picture { layout, bytes }));
        }
    }
}

global!(WlCompositor);

requests!(WlCompositor, |state, _object, request, init| {
    match request {
        wl_compositor::Request::CreateSurface { id } => {
            let surface = init.init(id, ());
            let entry = Surface {
                surface: surface.clone(),
                shell_surface: None,
                toplevel: None,
                title: String::new(),
                is_fullscreen: false,
                is_configured: false,
                attached: None,
                callbacks: Vec::new(),
                reads: 0,
            };
            state.surfaces.insert(surface.id(), entry);
        }
        wl_compositor::Request::CreateRegion { id } => {
            init.init(id, ());
        }
        _ => {}
    }
});

requests!(
    WlSurface,
    |state, resource, request, init| {
        let id = resource.id();
        match request {
            wl_surface::Request::Attach { buffer, .. } => {
                if let Some(surface) = state.surfaces.get_mut(&id) {
                    surface.attached = Some(buffer);
                }
            }
            wl_surface::Request::Frame { callback } => {
                let callback = init.init(callback, ());
                let Some(surface) = state.surfaces.get_mut(&id) else { return };
                if surface.callbacks.len() >= MAX_CALLBACKS {
                    return state.refuse(resource, format!("more than {MAX_CALLBACKS} frame callbacks at a time"));
                }
                surface.callbacks.push(callback);
            }
            wl_surface::Request::Commit => state.commit(&id),
            // The whole buffer is read, once per commit, and its scale and rotation are not shown.
            _ => {}
        }
    },
    |state, _client, resource| {
        let id = resource.id();
        if let Some(surface) = state.surfaces.remove(&id) {
            state.due.extend(surface.callbacks);
        }
        state.unmap(&id);
        state.drop_constraints_of(resource);
    }
);

requests!(WlCallback);

requests!(
    WlBuffer as Buffer,
    |_state, _object, _request, _own, _init| {
        // Its only request is its end.
    },
    |state, client, _object, _own| {
        state.forget_buffer(client);
    }
);
