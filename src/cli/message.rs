//! Prints messages on standard error.
//!
//! A standard error that is closed or full loses messages; it never ends a command. Control characters of files and programs
//! do not reach the terminal.

use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};

/// Prints something that the user should know.
pub(super) fn note(text: impl Display) {
    line(format_args!("note: {text}"));
}

/// Prints something that may be wrong.
pub(super) fn warning(text: impl Display) {
    line(format_args!("warning: {text}"));
}

/// Prints why something failed.
pub(super) fn error(text: impl Display) {
    line(format_args!("error: {text}"));
}

/// Prints a line, or several.
pub(super) fn line(text: impl Display) {
    // The whole message in one call, so that lines of several threads do not mix. There is nobody to tell of a failure.
    let _ = io::stderr().write_all(printable(&format!("{text}\n")).as_bytes());
}

/// The text without control characters, but for ends of lines and tabs.
fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\t' => printable.push(letter),
            // Writing to a string succeeds.
            _ if letter.is_control() => drop(write!(printable, "{}", letter.escape_default())),
            _ => printable.push(letter),
        }
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\tb\n"), "a\tb\n");
        assert_eq!(printable("mark \x1b]0;title\x07é"), "mark \\u{1b}]0;title\\u{7}é");
    }
}
