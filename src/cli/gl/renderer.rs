//! Tells whether a program drew on the emulated chip or found another renderer.

use std::process::ExitStatus;

use crate::cli::message;

/// What the client library has noted of a program's processes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marks {
    /// One submitted work to the chip.
    pub(super) has_drawn: bool,
    /// One had loaded an OpenGL library when it ended. A process that a signal ends does not tell.
    pub(super) has_opengl: bool,
}

/// Reports a program that drew nothing on the chip. Returns whether it did, or need not.
pub(super) fn renderer_is_accepted(marks: Marks, status: ExitStatus, allow_other_renderer: bool) -> bool {
    if marks.has_drawn {
        return true;
    }
    let drew_nothing = "the program drew nothing on the emulated chip";
    let text = match marks.has_opengl {
        true => format!(
            "{drew_nothing}: its OpenGL is that of another driver. The chip is found by programs that use EGL or GBM, with \
             the Debian packages libgl1-mesa-dri and libegl1 and Mesa before 24.1; programs that use GLX do not find it"
        ),
        // A static program, or one that a signal ended, leaves no mark.
        false => format!("{drew_nothing}; no OpenGL library was seen in it"),
    };
    match (allow_other_renderer, status.success()) {
        // The program says itself why it failed, unless that is the renderer.
        (_, false) if !marks.has_opengl => {}
        (true, _) | (_, false) => message::note(text),
        (false, true) => message::error(format_args!("{text}. --allow-other-renderer accepts that")),
    }
    allow_other_renderer
}
