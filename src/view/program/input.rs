//! Turns the host's keys, buttons and positions into those that a program gets.

use winit::event::{MouseButton, MouseScrollDelta};
use winit::keyboard::PhysicalKey;
use winit::platform::scancode::PhysicalKeyExtScancode as _;

use super::super::zoom::Placement;

/// The code that winit gives for a key without one: `KEY_UNKNOWN` of `linux/input-event-codes.h`.
const UNKNOWN_KEY: u32 = 240;

/// Pixels of a touchpad that count as a notch of a wheel.
const NOTCH_PIXELS: f64 = 40.0;

/// The code of a key in `linux/input-event-codes.h`.
pub(super) fn key_code(key: PhysicalKey) -> Option<u32> {
    key.to_scancode().filter(|code| *code != UNKNOWN_KEY)
}

/// The code of a button in `linux/input-event-codes.h`: left, right, middle, side, extra.
pub(super) const fn button_code(button: MouseButton) -> Option<u32> {
    Some(match button {
        MouseButton::Left => 0x110,
        MouseButton::Right => 0x111,
        MouseButton::Middle => 0x112,
        MouseButton::Back => 0x113,
        MouseButton::Forward => 0x114,
        MouseButton::Other(_) => return None,
    })
}

/// Notches of the wheel, right and down; the host counts left and up.
pub(super) fn notches(delta: MouseScrollDelta) -> [f64; 2] {
    match delta {
        MouseScrollDelta::LineDelta(x, y) => [-f64::from(x), -f64::from(y)],
        MouseScrollDelta::PixelDelta(by) => [-by.x / NOTCH_PIXELS, -by.y / NOTCH_PIXELS],
    }
}

/// The position in a picture under a position in the window; beside the picture, the nearest one.
pub(super) fn picture_position(at: [f64; 2], picture: (u32, u32), placement: Placement) -> [f64; 2] {
    let sides = [picture.0, picture.1];
    let scale = f64::from(placement.scale);
    let inside = |axis: usize| {
        let position = (at[axis] - f64::from(placement.origin[axis])) / scale;
        // The last position of the last pixel that a 24.8 number holds.
        let last = (f64::from(sides[axis]) - 1.0 / 256.0).max(0.0);
        if position.is_finite() { position.clamp(0.0, last) } else { 0.0 }
    };
    [inside(0), inside(1)]
}

#[cfg(test)]
mod tests {
    use winit::dpi::PhysicalPosition;
    use winit::keyboard::{KeyCode, NativeKeyCode};

    use super::*;

    #[test]
    fn keys_have_the_kernels_codes() {
        // From linux/input-event-codes.h.
        let codes = [
            (KeyCode::Escape, 1),
            (KeyCode::Digit1, 2),
            (KeyCode::KeyQ, 16),
            (KeyCode::Enter, 28),
            (KeyCode::ControlLeft, 29),
            (KeyCode::KeyA, 30),
            (KeyCode::ShiftLeft, 42),
            (KeyCode::AltLeft, 56),
            (KeyCode::Space, 57),
            (KeyCode::F1, 59),
            (KeyCode::F12, 88),
            (KeyCode::NumpadEnter, 96),
            (KeyCode::ControlRight, 97),
            (KeyCode::AltRight, 100),
            (KeyCode::ArrowUp, 103),
            (KeyCode::ArrowLeft, 105),
            (KeyCode::ArrowRight, 106),
            (KeyCode::ArrowDown, 108),
            (KeyCode::SuperLeft, 125),
        ];
        for (key, code) in codes {
            assert_eq!(key_code(PhysicalKey::Code(key)), Some(code), "{key:?}");
        }
        assert_eq!(key_code(PhysicalKey::Unidentified(NativeKeyCode::Xkb(200))), Some(200));
        assert_eq!(key_code(PhysicalKey::Unidentified(NativeKeyCode::Unidentified)), None);
    }

    #[test]
    fn a_wheel_turns_the_other_way() {
        assert_eq!(notches(MouseScrollDelta::LineDelta(0.0, 1.0)), [0.0, -1.0]);
        assert_eq!(notches(MouseScrollDelta::PixelDelta(PhysicalPosition::new(20.0, -80.0))), [-0.5, 2.0]);
    }

    #[test]
    fn positions_are_those_of_the_picture() {
        let placement = Placement { origin: [100.0, 60.0], scale: 2.0 };
        let at = |x, y| picture_position([x, y], (320, 200), placement);
        assert_eq!(at(100.0, 60.0), [0.0, 0.0]);
        assert_eq!(at(301.0, 61.0), [100.5, 0.5]);
        assert_eq!(at(0.0, 1e9), [0.0, 200.0 - 1.0 / 256.0]);
        assert_eq!(picture_position([f64::NAN, 1.0], (0, 0), Placement { origin: [0.0; 2], scale: 0.0 }), [0.0; 2]);
    }
}
