//! `xdg-shell`: windows with titles. Popups are dismissed, decorations are left to the host.

use wayland_protocols::xdg::decoration::zv1::server::zxdg_decoration_manager_v1::{self, ZxdgDecorationManagerV1};
use wayland_protocols::xdg::decoration::zv1::server::zxdg_toplevel_decoration_v1::{
    self, Mode, ZxdgToplevelDecorationV1,
};
use wayland_protocols::xdg::shell::server::xdg_popup::XdgPopup;
use wayland_protocols::xdg::shell::server::xdg_positioner::XdgPositioner;
use wayland_protocols::xdg::shell::server::xdg_surface::{self, XdgSurface};
use wayland_protocols::xdg::shell::server::xdg_toplevel::{self, XdgToplevel};
use wayland_protocols::xdg::shell::server::xdg_wm_base::{self, XdgWmBase};
use wayland_server::Resource;
use wayland_server::backend::ObjectId;

use crate::Event;
use crate::dispatch::{global, requests};
use crate::state::State;

/// Bytes of a title that are kept.
const MAX_TITLE_BYTES: usize = 256;

impl State {
    /// Tells a toplevel its state; its size is its own unless it has the whole screen.
    pub(crate) fn configure(&mut self, id: &ObjectId) {
        let serial = self.serial();
        let (width, height) = self.screen;
        let Some(surface) = self.surfaces.get(id) else { return };
        let (Some(shell), Some(toplevel)) = (&surface.shell_surface, &surface.toplevel) else { return };
        let mut states = vec![xdg_toplevel::State::Activated];
        let mut size = (0, 0);
        if surface.is_fullscreen {
            states.push(xdg_toplevel::State::Fullscreen);
            size = (i32::try_from(width).unwrap_or(0), i32::try_from(height).unwrap_or(0));
        }
        let states = states.into_iter().flat_map(|state| u32::from(state).to_ne_bytes()).collect();
        toplevel.configure(size.0, size.1, states);
        shell.configure(serial);
    }

    fn set_title(&mut self, toplevel: &XdgToplevel, mut title: String) {
        title.truncate(title.floor_char_boundary(MAX_TITLE_BYTES));
        let Some(surface) = self.surface_of(toplevel) else { return };
        surface.title.clone_from(&title);
        let id = surface.surface.id();
        if self.mapped.last() == Some(&id) {
            self.host.event(Event::Title(title));
        }
    }

    fn set_fullscreen(&mut self, toplevel: &XdgToplevel, is_fullscreen: bool) {
        let Some(surface) = self.surface_of(toplevel) else { return };
        surface.is_fullscreen = is_fullscreen;
        let id = surface.surface.id();
        self.configure(&id);
        if self.mapped.last() == Some(&id) {
            self.host.event(Event::Fullscreen(is_fullscreen));
        }
    }
}

global!(XdgWmBase);

requests!(XdgWmBase, |state, _object, request, init| {
    match request {
        xdg_wm_base::Request::CreatePositioner { id } => {
            init.init(id, ());
        }
        xdg_wm_base::Request::GetXdgSurface { id, surface } => {
            let shell = init.init(id, surface.id());
            if let Some(surface) = state.surfaces.get_mut(&surface.id()) {
                surface.shell_surface = Some(shell);
            }
        }
        _ => {}
    }
});

requests!(XdgPositioner);

requests!(
    XdgSurface as ObjectId,
    |state, _object, request, surface, init| {
        match request {
            xdg_surface::Request::GetToplevel { id } => {
                let toplevel = init.init(id, surface.clone());
                if let Some(surface) = state.surfaces.get_mut(surface) {
                    surface.toplevel = Some(toplevel);
                }
            }
            xdg_surface::Request::GetPopup { id, .. } => init.init(id, ()).popup_done(),
            _ => {}
        }
    },
    |state, _client, shell, surface| {
        if let Some(surface) = state.surfaces.get_mut(surface) {
            surface.shell_surface.take_if(|own| own == shell);
        }
    }
);

requests!(
    XdgToplevel as ObjectId,
    |state, toplevel, request, surface, _init| {
        match request {
            xdg_toplevel::Request::SetTitle { title } => state.set_title(toplevel, title),
            xdg_toplevel::Request::SetFullscreen { .. } => state.set_fullscreen(toplevel, true),
            xdg_toplevel::Request::UnsetFullscreen => state.set_fullscreen(toplevel, false),
            // The answer to a state that a window cannot have is the state that it has.
            xdg_toplevel::Request::SetMaximized | xdg_toplevel::Request::UnsetMaximized => state.configure(surface),
            _ => {}
        }
    },
    |state, _client, toplevel, surface| {
        if let Some(own) = state.surfaces.get_mut(surface)
            && own.toplevel.take_if(|own| own == toplevel).is_some()
        {
            own.is_fullscreen = false;
            state.unmap(surface);
        }
    }
);

requests!(XdgPopup);

global!(ZxdgDecorationManagerV1);

requests!(ZxdgDecorationManagerV1, |_state, _object, request, init| {
    if let zxdg_decoration_manager_v1::Request::GetToplevelDecoration { id, .. } = request {
        init.init(id, ()).configure(Mode::ServerSide);
    }
});

requests!(ZxdgToplevelDecorationV1, |_state, decoration, request, _init| {
    if let zxdg_toplevel_decoration_v1::Request::SetMode { .. } = request {
        decoration.configure(Mode::ServerSide);
    }
});
