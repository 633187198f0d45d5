//! Tells whether a program drew on the emulated chip or found another renderer.

use std::process::ExitStatus;

use crate::cli::message;

/// What the client library has noted of a program's processes.
#[derive(Debug)]
pub(super) struct Marks {
    /// One submitted work to the chip.
    pub(super) has_drawn: bool,
    /// The OpenGL libraries that the first one with any had loaded when it ended. A process that a signal ends does not tell.
    pub(super) opengl: Option<String>,
}

/// Reports a program that drew nothing on the chip. Returns whether it did, or need not.
pub(super) fn renderer_is_accepted(marks: &Marks, status: ExitStatus, allow_other_renderer: bool) -> bool {
    if marks.has_drawn {
        return true;
    }
    let drew_nothing = "the program drew nothing on the emulated chip";
    let reached = "The chip is found by programs that use EGL or GBM, with the Debian packages libgl1-mesa-dri and libegl1; \
                   programs that use X11, as those with GLX do, need --x11";
    let text = match (&marks.opengl, status.code()) {
        (Some(libraries), _) => {
            format!("{drew_nothing}: its OpenGL is that of another driver, by {libraries}. {reached}")
        }
        (None, None) => format!("{drew_nothing}; if it used OpenGL, that was another driver's. {reached}"),
        // A static program leaves no mark either.
        (None, Some(0)) => format!("{drew_nothing}; no OpenGL library was seen in it"),
        // The program has said itself why it failed.
        (None, Some(_)) => return allow_other_renderer,
    };
    match allow_other_renderer || !status.success() {
        true => message::note(text),
        false => message::error(format_args!("{text}. --allow-other-renderer accepts that")),
    }
    allow_other_renderer
}
