//! The seat: one keyboard and one pointer, whose events go to the program of the shown window.

use std::io::Write as _;
use std::os::fd::AsFd as _;

use rustix::fs::MemfdFlags;
use wayland_server::Resource;
use wayland_server::protocol::wl_keyboard::{KeyState, KeymapFormat, WlKeyboard};
use wayland_server::protocol::wl_pointer::{self, Axis, AxisSource, ButtonState, WlPointer};
use wayland_server::protocol::wl_seat::{self, Capability, WlSeat};
use wayland_server::protocol::wl_touch::WlTouch;

use crate::dispatch::{global, requests};
use crate::keyboard::keymap;
use crate::seat::is_same_client;
use crate::state::State;
use crate::{Event, Grab, Input};

/// Versions from which a pointer groups its events, and a keyboard tells its repetition.
const GROUPED: u32 = 5;
const REPEATS: u32 = 4;

/// The distance of a notch of the wheel, as other servers have it.
const NOTCH: f64 = 10.0;

/// Ends a group of events.
fn end_group(pointer: &WlPointer) {
    if pointer.version() >= GROUPED {
        pointer.frame();
    }
}

/// Hands the keymap to a keyboard.
fn send_keymap(keyboard: &WlKeyboard) -> std::io::Result<()> {
    let mut text = keymap().into_bytes();
    text.push(0);
    let file = rustix::fs::memfd_create("curie keymap", MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(file);
    file.write_all(&text)?;
    let size = u32::try_from(text.len()).unwrap_or(0);
    keyboard.keymap(KeymapFormat::XkbV1, file.as_fd(), size);
    Ok(())
}

impl State {
    /// Takes what the user did.
    pub(crate) fn input(&mut self, input: Input) {
        let time = self.time();
        match input {
            Input::Focus(has_keyboard) => {
                self.seat.has_keyboard = has_keyboard;
                self.seat.has_let_go = false;
                self.update_focus();
            }
            Input::Key(code, is_down) => self.key(code, is_down),
            Input::Motion(at) => {
                let was_inside = self.seat.at.replace(at).is_some() && self.seat.pointer_focus.is_some();
                self.update_focus();
                if was_inside && self.seat.grab != Grab::Locked {
                    for pointer in self.seat.pointers() {
                        pointer.motion(time, at[0], at[1]);
                        end_group(pointer);
                    }
                }
            }
            Input::Leave => {
                self.seat.at = None;
                self.update_focus();
            }
            Input::Relative(by) => self.relative(by),
            Input::Button(code, is_down) => self.button(code, is_down),
            Input::Wheel(notches) => self.wheel(notches),
            Input::LetGo => {
                self.seat.has_let_go = self.seat.grab != Grab::None;
                self.update_grab();
            }
            Input::Close => self.close(),
        }
    }

    fn key(&mut self, code: u32, is_down: bool) {
        if !self.seat.has_keyboard {
            return;
        }
        let before = self.seat.keys.modifiers();
        if !self.seat.keys.set(code, is_down) {
            return;
        }
        let (time, serial) = (self.time(), self.serial());
        let state = if is_down { KeyState::Pressed } else { KeyState::Released };
        let is_modified = self.seat.keys.modifiers() != before;
        for keyboard in self.seat.keyboards() {
            keyboard.key(serial, time, code, state);
            if is_modified {
                self.seat.send_modifiers(keyboard, serial);
            }
        }
    }

    fn button(&mut self, code: u32, is_down: bool) {
        if is_down && std::mem::take(&mut self.seat.has_let_go) {
            self.update_grab();
            return;
        }
        // A release without a press is that of the button which gave the pointer back.
        let found = self.seat.buttons.iter().position(|button| *button == code);
        match (found, is_down) {
            (None, true) => self.seat.buttons.push(code),
            (Some(place), false) => drop(self.seat.buttons.remove(place)),
            _ => return,
        }
        let (time, serial) = (self.time(), self.serial());
        let state = if is_down { ButtonState::Pressed } else { ButtonState::Released };
        for pointer in self.seat.pointers() {
            pointer.button(serial, time, code, state);
            end_group(pointer);
        }
    }

    fn wheel(&self, notches: [f64; 2]) {
        let time = self.time();
        for pointer in self.seat.pointers() {
            for (axis, notches) in [(Axis::HorizontalScroll, notches[0]), (Axis::VerticalScroll, notches[1])] {
                if notches == 0.0 {
                    continue;
                }
                if pointer.version() >= GROUPED {
                    pointer.axis_source(AxisSource::Wheel);
                    #[expect(clippy::cast_possible_truncation, reason = "wheels turn by few notches")]
                    pointer.axis_discrete(axis, notches.round().clamp(-100.0, 100.0) as i32);
                }
                pointer.axis(time, axis, notches * NOTCH);
            }
            end_group(pointer);
        }
    }

    fn relative(&self, [x, y]: [f64; 2]) {
        let Some(focus) = &self.seat.pointer_focus else { return };
        let (high, low) = self.microseconds();
        for (relative, pointer) in self.seat.relative.iter().filter(|(_, pointer)| is_same_client(pointer, focus)) {
            relative.relative_motion(high, low, x, y, x, y);
            end_group(pointer);
        }
    }

    /// Gives keyboard and pointer to the shown window, as far as the host's window has them.
    pub(crate) fn update_focus(&mut self) {
        let shown = self.shown().map(|surface| surface.surface.clone());
        let keyboard = shown.clone().filter(|_| self.seat.has_keyboard);
        if self.seat.keyboard_focus != keyboard {
            let serial = self.serial();
            if let Some(left) = &self.seat.keyboard_focus {
                self.seat.keyboards().for_each(|keyboard| keyboard.leave(serial, left));
            }
            // What is still down counts as released by the program that the keyboard leaves.
            self.seat.keys.release();
            self.seat.keyboard_focus = keyboard;
            self.seat.keyboards().for_each(|keyboard| self.enter_keyboard(keyboard, serial));
        }
        let pointer = shown.filter(|_| self.seat.at.is_some() || self.seat.grab == Grab::Locked);
        if self.seat.pointer_focus != pointer {
            let serial = self.serial();
            if let Some(left) = &self.seat.pointer_focus {
                for pointer in self.seat.pointers() {
                    pointer.leave(serial, left);
                    end_group(pointer);
                }
            }
            self.seat.buttons.clear();
            self.seat.pointer_focus = pointer;
            self.seat.pointers().for_each(|pointer| self.enter_pointer(pointer, serial));
            self.show_cursor(true);
        }
        self.update_grab();
    }

    fn enter_keyboard(&self, keyboard: &WlKeyboard, serial: u32) {
        if let Some(surface) = self.seat.keyboard_focus.as_ref().filter(|focus| is_same_client(*focus, keyboard)) {
            keyboard.enter(serial, surface, self.seat.keys.down());
            self.seat.send_modifiers(keyboard, serial);
        }
    }

    fn enter_pointer(&self, pointer: &WlPointer, serial: u32) {
        if let Some(surface) = self.seat.pointer_focus.as_ref().filter(|focus| is_same_client(*focus, pointer)) {
            let [x, y] = self.seat.at.unwrap_or_default();
            pointer.enter(serial, surface, x, y);
            end_group(pointer);
        }
    }

    fn show_cursor(&mut self, shows: bool) {
        if std::mem::replace(&mut self.seat.hides_cursor, !shows) == shows {
            self.host.event(Event::Cursor(shows));
        }
    }
}

global!(WlSeat, |_state, seat| {
    seat.capabilities(Capability::Keyboard | Capability::Pointer);
    if seat.version() >= 2 {
        seat.name("seat0".to_owned());
    }
});

requests!(WlSeat, |state, seat, request, init| {
    match request {
        wl_seat::Request::GetPointer { id } => {
            let pointer = init.init(id, ());
            let serial = state.serial();
            state.enter_pointer(&pointer, serial);
            state.seat.pointers.push(pointer);
        }
        wl_seat::Request::GetKeyboard { id } => {
            let keyboard = init.init(id, ());
            if let Err(error) = send_keymap(&keyboard) {
                return state.refuse(seat, format!("no keymap: {error}"));
            }
            if keyboard.version() >= REPEATS {
                // A key would repeat by itself while the program waits for a slow frame.
                keyboard.repeat_info(0, 0);
            }
            let serial = state.serial();
            state.enter_keyboard(&keyboard, serial);
            state.seat.keyboards.push(keyboard);
        }
        wl_seat::Request::GetTouch { id } => {
            init.init(id, ());
        }
        _ => {}
    }
});

requests!(WlKeyboard, |_state, _object, _request, _init| {}, |state, _client, resource| {
    state.seat.keyboards.retain(|keyboard| keyboard != resource);
});

requests!(
    WlPointer,
    |state, pointer, request, _init| {
        if let wl_pointer::Request::SetCursor { surface, .. } = request
            && state.seat.pointer_focus.as_ref().is_some_and(|focus| is_same_client(focus, pointer))
        {
            state.show_cursor(surface.is_some());
        }
    },
    |state, _client, resource| {
        state.seat.pointers.retain(|pointer| pointer != resource);
    }
);

requests!(WlTouch);
