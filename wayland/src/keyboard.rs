//! The keymap that programs get, and the modifiers that keys make.

/// The environment variable of xkbcommon for the layout, such as `de` or `us,ru`.
const LAYOUT_VARIABLE: &str = "XKB_DEFAULT_LAYOUT";

/// The layout without it.
const DEFAULT_LAYOUT: &str = "us";

/// The keymap of the user's layout, which the program's own xkbcommon completes from its files.
pub(crate) fn keymap() -> String {
    keymap_of(&std::env::var(LAYOUT_VARIABLE).unwrap_or_default())
}

/// The keymap of a layout; a second one is left out.
fn keymap_of(layout: &str) -> String {
    let first = layout.split(',').next().unwrap_or_default();
    let is_name = !first.is_empty() && first.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let layout = if is_name { first } else { DEFAULT_LAYOUT };
    let parts = [
        ("xkb_keycodes", "evdev+aliases(qwerty)"),
        ("xkb_types", "complete"),
        ("xkb_compat", "complete"),
        ("xkb_symbols", &format!("pc+{layout}+inet(evdev)")),
    ];
    let lines: String = parts.iter().map(|(part, name)| format!("{part} {{ include \"{name}\" }};\n")).collect();
    format!("xkb_keymap {{\n{lines}}};\n")
}

/// A modifier's bit in the `complete` types of xkeyboard-config.
const SHIFT: u32 = 1;
const CAPS_LOCK: u32 = 1 << 1;
const CONTROL: u32 = 1 << 2;
const ALT: u32 = 1 << 3;
const NUM_LOCK: u32 = 1 << 4;
const SUPER: u32 = 1 << 6;
const LEVEL_3: u32 = 1 << 7;

/// Keys that act while they are down: left and right Shift, Control, Alt, and Super. Right Alt is another level.
const HELD: [(u32, u32); 8] =
    [(42, SHIFT), (54, SHIFT), (29, CONTROL), (97, CONTROL), (56, ALT), (100, LEVEL_3), (125, SUPER), (126, SUPER)];

/// Keys that toggle: Caps Lock and Num Lock.
const TOGGLES: [(u32, u32); 2] = [(58, CAPS_LOCK), (69, NUM_LOCK)];

/// Whether a key only modifies others.
#[must_use]
pub fn is_modifier(code: u32) -> bool {
    HELD.iter().chain(&TOGGLES).any(|(key, _)| *key == code)
}

/// The keys that are down, and what they and earlier ones modify.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    down: Vec<u32>,
    locked: u32,
}

impl Keys {
    /// Records a key; returns false if it is already so.
    pub(crate) fn set(&mut self, code: u32, is_down: bool) -> bool {
        let found = self.down.iter().position(|key| *key == code);
        match (found, is_down) {
            (None, true) => {
                self.down.push(code);
                let toggled = TOGGLES.iter().find(|(key, _)| *key == code);
                self.locked ^= toggled.map_or(0, |(_, bit)| *bit);
            }
            (Some(place), false) => {
                self.down.remove(place);
            }
            _ => return false,
        }
        true
    }

    /// Forgets the keys that are down, as when the keyboard leaves.
    pub(crate) fn release(&mut self) {
        self.down.clear();
    }

    /// The keys that are down, as the bytes of an array of words.
    pub(crate) fn down(&self) -> Vec<u8> {
        self.down.iter().flat_map(|code| code.to_ne_bytes()).collect()
    }

    /// The modifiers that are held, and those that are locked.
    pub(crate) fn modifiers(&self) -> (u32, u32) {
        let held = HELD.iter().filter(|(key, _)| self.down.contains(key)).fold(0, |held, (_, bit)| held | bit);
        (held, self.locked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_keys_count_once_and_only_while_down() {
        let mut keys = Keys::default();
        assert!(keys.set(42, true) && keys.set(54, true) && keys.set(29, true) && keys.set(30, true));
        assert!(!keys.set(42, true));
        assert_eq!(keys.modifiers(), (0b101, 0));
        assert!(keys.set(42, false));
        assert_eq!(keys.modifiers(), (0b101, 0));
        assert!(keys.set(54, false) && !keys.set(54, false));
        assert_eq!(keys.modifiers(), (0b100, 0));
        assert_eq!(keys.down(), [29_u32, 30].map(u32::to_ne_bytes).concat());
        keys.release();
        assert_eq!((keys.modifiers(), keys.down()), ((0, 0), Vec::new()));
    }

    #[test]
    fn locks_toggle_when_pressed() {
        let mut keys = Keys::default();
        keys.set(58, true);
        keys.set(58, false);
        keys.set(69, true);
        assert_eq!(keys.modifiers(), (0, 0b1_0010));
        keys.release();
        keys.set(58, true);
        assert_eq!(keys.modifiers(), (0, 0b1_0000));
    }

    #[test]
    fn a_layout_is_a_name_or_the_default() {
        assert!(keymap_of("de,us").contains("\"pc+de+inet(evdev)\""));
        for layout in ["", "us", "x\" }; evil", ",de"] {
            assert!(keymap_of(layout).contains("\"pc+us+inet(evdev)\""), "{layout}");
        }
    }
}
