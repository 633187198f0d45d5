//! A program's wish to lock or confine the pointer.

use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_confined_pointer_v1::ZwpConfinedPointerV1;
use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_locked_pointer_v1::ZwpLockedPointerV1;
use wayland_protocols::wp::pointer_constraints::zv1::server::zwp_pointer_constraints_v1::Lifetime;
use wayland_server::WEnum;
use wayland_server::protocol::wl_surface::WlSurface;

use crate::Grab;

/// A wish to hold the pointer.
pub(crate) struct Constraint {
    pub(crate) holder: Holder,
    pub(crate) surface: WlSurface,
    is_oneshot: bool,
    is_active: bool,
    /// Whether it was active, and cannot be again.
    pub(crate) is_over: bool,
}

/// The object by which a program holds the pointer.
#[derive(PartialEq)]
pub(crate) enum Holder {
    Lock(ZwpLockedPointerV1),
    Confinement(ZwpConfinedPointerV1),
}

impl Constraint {
    pub(crate) const fn new(holder: Holder, surface: WlSurface, lifetime: WEnum<Lifetime>) -> Self {
        let is_oneshot = matches!(lifetime, WEnum::Value(Lifetime::Oneshot));
        Self { holder, surface, is_oneshot, is_active: false, is_over: false }
    }

    pub(crate) const fn grab(&self) -> Grab {
        match self.holder {
            Holder::Lock(_) => Grab::Locked,
            Holder::Confinement(_) => Grab::Confined,
        }
    }

    pub(crate) fn set_active(&mut self, is_active: bool) {
        if std::mem::replace(&mut self.is_active, is_active) == is_active {
            return;
        }
        match (&self.holder, is_active) {
            (Holder::Lock(lock), true) => lock.locked(),
            (Holder::Lock(lock), false) => lock.unlocked(),
            (Holder::Confinement(confinement), true) => confinement.confined(),
            (Holder::Confinement(confinement), false) => confinement.unconfined(),
        }
        self.is_over = self.is_oneshot && !is_active;
    }
}
