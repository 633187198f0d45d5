//! What the server knows of the seat: keyboards and pointers, and who has them.

use wayland_protocols::wp::relative_pointer::zv1::server::zwp_relative_pointer_v1::ZwpRelativePointerV1;
use wayland_server::Resource;
use wayland_server::protocol::wl_keyboard::WlKeyboard;
use wayland_server::protocol::wl_pointer::WlPointer;
use wayland_server::protocol::wl_surface::WlSurface;

use crate::Grab;
use crate::keyboard::Keys;
use crate::pointer_constraint::Constraint;

/// Who gets the input.
#[derive(Default)]
pub(crate) struct Seat {
    pub(crate) keyboards: Vec<WlKeyboard>,
    pub(crate) pointers: Vec<WlPointer>,
    pub(crate) relative: Vec<(ZwpRelativePointerV1, WlPointer)>,
    pub(crate) constraints: Vec<Constraint>,
    /// Whether the host's window has the keyboard.
    pub(crate) has_keyboard: bool,
    /// Where the pointer is, while it is in the window.
    pub(crate) at: Option<[f64; 2]>,
    pub(crate) keyboard_focus: Option<WlSurface>,
    pub(crate) pointer_focus: Option<WlSurface>,
    pub(crate) keys: Keys,
    pub(crate) buttons: Vec<u32>,
    pub(crate) grab: Grab,
    /// Whether the user took the pointer back.
    pub(crate) has_let_go: bool,
    pub(crate) hides_cursor: bool,
}

/// Whether two resources are of the same program.
pub(crate) fn is_same_client(one: &impl Resource, other: &impl Resource) -> bool {
    one.id().same_client_as(&other.id())
}

impl Seat {
    /// The pointers of the program that has the pointer.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &WlPointer> {
        let focus = self.pointer_focus.as_ref();
        self.pointers.iter().filter(move |pointer| focus.is_some_and(|focus| is_same_client(*pointer, focus)))
    }

    /// The keyboards of the program that has the keyboard.
    pub(crate) fn keyboards(&self) -> impl Iterator<Item = &WlKeyboard> {
        let focus = self.keyboard_focus.as_ref();
        self.keyboards.iter().filter(move |keyboard| focus.is_some_and(|focus| is_same_client(*keyboard, focus)))
    }

    /// Tells a keyboard the modifiers.
    pub(crate) fn send_modifiers(&self, keyboard: &WlKeyboard, serial: u32) {
        let (held, locked) = self.keys.modifiers();
        keyboard.modifiers(serial, held, 0, locked, 0);
    }
}
