//! Relative motion, and pointers that a program locks or confines.

use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_confined_pointer_v1::{self, ZwpConfinedPointerV1};
use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_locked_pointer_v1::{self, ZwpLockedPointerV1};
use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_pointer_constraints_v1::{
    self, ZwpPointerConstraintsV1,
};
use wayland_protocols::wp::relative_pointer::zv1::server::zwp_relative_pointer_manager_v1::{
    self, ZwpRelativePointerManagerV1,
};
use wayland_protocols::wp::relative_pointer::zv1::server::zwp_relative_pointer_v1::{self, ZwpRelativePointerV1};
use wayland_server::backend::ClientId;
use wayland_server::protocol::wl_surface::WlSurface;
use wayland_server::{Client, DataInit, Dispatch, DisplayHandle, GlobalDispatch, New};

use crate::pointer_constraint::{Constraint, Holder};
use crate::state::State;
use crate::{Event, Grab};

impl State {
    /// Activates the constraint of the shown window while it has the keyboard and the user has not taken the pointer back.
    pub(crate) fn update_grab(&mut self) {
        let shown = self.shown().map(|surface| surface.surface.clone());
        let may_hold = self.seat.has_keyboard && !self.seat.has_let_go;
        let mut grab = Grab::None;
        for constraint in &mut self.seat.constraints {
            let holds =
                may_hold && grab == Grab::None && !constraint.is_over && shown.as_ref() == Some(&constraint.surface);
            constraint.set_active(holds);
            if holds {
                grab = constraint.grab();
            }
        }
        if std::mem::replace(&mut self.seat.grab, grab) != grab {
            self.host.event(Event::Grab(grab));
        }
    }

    fn add_constraint(&mut self, constraint: Constraint) {
        self.seat.constraints.push(constraint);
        self.update_focus();
    }

    fn drop_constraint(&mut self, holder: &Holder) {
        self.seat.constraints.retain(|constraint| constraint.holder != *holder);
        self.update_focus();
    }

    /// Drops the constraints of a surface that is gone.
    pub(crate) fn drop_constraints_of(&mut self, surface: &WlSurface) {
        self.seat.constraints.retain(|constraint| constraint.surface != *surface);
        self.update_focus();
    }
}

impl GlobalDispatch<ZwpPointerConstraintsV1, ()> for State {
    fn bind(
        _: &mut Self,
        _: &DisplayHandle,
        _: &Client,
        new: New<ZwpPointerConstraintsV1>,
        (): &(),
        init: &mut DataInit<'_, Self>,
    ) {
        init.init(new, ());
    }
}

impl Dispatch<ZwpPointerConstraintsV1, ()> for State {
    fn request(
        state: &mut Self,
        _: &Client,
        _: &ZwpPointerConstraintsV1,
        request: zwp_pointer_constraints_v1::Request,
        (): &(),
        _: &DisplayHandle,
        init: &mut DataInit<'_, Self>,
    ) {
        match request {
            zwp_pointer_constraints_v1::Request::LockPointer { id, surface, lifetime, .. } => {
                let holder = Holder::Lock(init.init(id, ()));
                state.add_constraint(Constraint::new(holder, surface, lifetime));
            }
            zwp_pointer_constraints_v1::Request::ConfinePointer { id, surface, lifetime, .. } => {
                let holder = Holder::Confinement(init.init(id, ()));
                state.add_constraint(Constraint::new(holder, surface, lifetime));
            }
            _ => {}
        }
    }
}

impl Dispatch<ZwpLockedPointerV1, ()> for State {
    fn request(
        _: &mut Self,
        _: &Client,
        _: &ZwpLockedPointerV1,
        _: zwp_locked_pointer_v1::Request,
        (): &(),
        _: &DisplayHandle,
        _: &mut DataInit<'_, Self>,
    ) {
    }

    fn destroyed(state: &mut Self, _: ClientId, resource: &ZwpLockedPointerV1, (): &()) {
        state.drop_constraint(&Holder::Lock(resource.clone()));
    }
}

impl Dispatch<ZwpConfinedPointerV1, ()> for State {
    fn request(
        _: &mut Self,
        _: &Client,
        _: &ZwpConfinedPointerV1,
        _: zwp_confined_pointer_v1::Request,
        (): &(),
        _: &DisplayHandle,
        _: &mut DataInit<'_, Self>,
    ) {
    }

    fn destroyed(state: &mut Self, _: ClientId, resource: &ZwpConfinedPointerV1, (): &()) {
        state.drop_constraint(&Holder::Confinement(resource.clone()));
    }
}

impl GlobalDispatch<ZwpRelativePointerManagerV1, ()> for State {
    fn bind(
        _: &mut Self,
        _: &DisplayHandle,
        _: &Client,
        new: New<ZwpRelativePointerManagerV1>,
        (): &(),
        init: &mut DataInit<'_, Self>,
    ) {
        init.init(new, ());
    }
}

impl Dispatch<ZwpRelativePointerManagerV1, ()> for State {
    fn request(
        state: &mut Self,
        _: &Client,
        _: &ZwpRelativePointerManagerV1,
        request: zwp_relative_pointer_manager_v1::Request,
        (): &(),
        _: &DisplayHandle,
        init: &mut DataInit<'_, Self>,
    ) {
        if let zwp_relative_pointer_manager_v1::Request::GetRelativePointer { id, pointer } = request {
            state.seat.relative.push((init.init(id, ()), pointer));
        }
    }
}

impl Dispatch<ZwpRelativePointerV1, ()> for State {
    fn request(
        _: &mut Self,
        _: &Client,
        _: &ZwpRelativePointerV1,
        _: zwp_relative_pointer_v1::Request,
        (): &(),
        _: &DisplayHandle,
        _: &mut DataInit<'_, Self>,
    ) {
    }

    fn destroyed(state: &mut Self, _: ClientId, resource: &ZwpRelativePointerV1, (): &()) {
        state.seat.relative.retain(|(relative, _)| relative != resource);
    }
}
