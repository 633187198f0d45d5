//! Relative motion, and pointers that a program locks or confines.

use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_confined_pointer_v1::ZwpConfinedPointerV1;
use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_locked_pointer_v1::ZwpLockedPointerV1;
use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_pointer_constraints_v1::{
    self, ZwpPointerConstraintsV1,
};
use wayland_protocols::wp::relative_pointer::zv1::server::zwp_relative_pointer_manager_v1::{
    self, ZwpRelativePointerManagerV1,
};
use wayland_protocols::wp::relative_pointer::zv1::server::zwp_relative_pointer_v1::ZwpRelativePointerV1;
use wayland_server::protocol::wl_surface::WlSurface;

use crate::dispatch::{global, requests};
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

global!(ZwpPointerConstraintsV1);

requests!(ZwpPointerConstraintsV1, |state, _object, request, init| {
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
});

requests!(ZwpLockedPointerV1, |_state, _object, _request, _init| {}, |state, _client, resource| {
    state.drop_constraint(&Holder::Lock(resource.clone()));
});

requests!(ZwpConfinedPointerV1, |_state, _object, _request, _init| {}, |state, _client, resource| {
    state.drop_constraint(&Holder::Confinement(resource.clone()));
});

global!(ZwpRelativePointerManagerV1);

requests!(ZwpRelativePointerManagerV1, |state, _object, request, init| {
    if let zwp_relative_pointer_manager_v1::Request::GetRelativePointer { id, pointer } = request {
        state.seat.relative.push((init.init(id, ()), pointer));
    }
});

requests!(ZwpRelativePointerV1, |_state, _object, _request, _init| {}, |state, _client, resource| {
    state.seat.relative.retain(|(relative, _)| relative != resource);
});
