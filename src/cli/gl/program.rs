//! Starts an OpenGL program so that its driver finds the emulated chip.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};

use curie_client::protocol::{MARKS_VARIABLE, SOCKET_VARIABLE, VENDOR};
use rustix::fs::Mode;

use super::socket_folder::SocketFolder;
use super::{Arguments, client_library};
use crate::cli::failure::Failure;
use crate::cli::message;

/// The driver that the library feeds. Mesa would otherwise choose by the device's own driver.
const DRIVER: (&str, &str) = ("MESA_LOADER_DRIVER_OVERRIDE", "nouveau");

/// What makes common tool kits do without a display and with the library's device.
const DEFAULTS: &[(&str, &str)] = &[
    ("EGL_PLATFORM", "surfaceless"),
    ("SDL_VIDEODRIVER", "offscreen"),
    ("PIGLIT_PLATFORM", "gbm"),
    ("WAFFLE_GBM_DEVICE", "/dev/null"),
];

/// Where libglvnd finds the vendors of EGL and GLX.
const EGL_VENDOR_FILES: &str = "__EGL_VENDOR_LIBRARY_FILENAMES";
const GLX_VENDOR: &str = "__GLX_VENDOR_LIBRARY_NAME";

/// Variables that could lead to another display.
const DISPLAYS: &[&str] = &["DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"];

/// Variables that would select another driver.
const REMOVED: &[&str] = &["LIBGL_ALWAYS_SOFTWARE", "GALLIUM_DRIVER"];

/// The bits of files that can be executed.
const EXECUTABLE: Mode = Mode::XUSR.union(Mode::XGRP).union(Mode::XOTH);

/// A variable with its value for the program; without one, the user's is removed.
pub(super) type Setting = (&'static str, Option<&'static str>);

/// Where a program opens its windows.
#[derive(Debug)]
pub(super) struct Display {
    /// What makes common tool kits open windows there.
    pub(super) settings: &'static [Setting],
    /// The variables that say where it is.
    pub(super) places: Vec<(&'static str, OsString)>,
    /// The folder for the program's own sockets where the user has none.
    pub(super) runtime: Option<PathBuf>,
}

/// Makes the driver of a program find the chip behind this socket, by the client library.
pub(super) fn use_chip(
    command: &mut Command,
    arguments: &Arguments,
    socket: &Path,
    folder: &SocketFolder,
) -> Result<(), Failure> {
    let library = client_library::preload(arguments.client.as_deref(), &folder.preload())?;
    let mut preloaded = OsString::from(library);
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preloaded.push(":");
        preloaded.push(others);
    }
    command.env("LD_PRELOAD", preloaded).env(SOCKET_VARIABLE, std::path::absolute(socket)?);
    command.env(EGL_VENDOR_FILES, client_library::egl_vendor()?).env(GLX_VENDOR, VENDOR).env(DRIVER.0, DRIVER.1);
    for variable in REMOVED {
        command.env_remove(variable);
    }
    Ok(())
}

/// Starts the program with the client library, which connects to this socket and leaves marks in this folder.
pub(super) fn start(
    arguments: &Arguments,
    socket: &Path,
    (folder, display): (&SocketFolder, Option<&Display>),
) -> Result<Child, Failure> {
    let (name, rest) = arguments.program.split_first().ok_or("no program is given")?;
    if let Some(file) = find(name).filter(|file| has_other_rights(file)) {
        message::warning(format_args!(
            "{}: the file takes the rights of another user or group, so the loader leaves the client library out of the program; \
             a copy without the set-ID bits can draw on the chip",
            file.display()
        ));
    }
    let mut command = Command::new(name);
    command.args(rest);
    use_chip(&mut command, arguments, socket, folder)?;
    command.env(MARKS_VARIABLE, std::path::absolute(folder.path())?);
    if let Some(Display { settings, places, runtime }) = display {
        for variable in DISPLAYS {
            command.env_remove(variable);
        }
        for (variable, value) in *settings {
            match value {
                Some(value) => command.env(variable, value),
                None => command.env_remove(variable),
            };
        }
        command.envs(places.iter().map(|(variable, value)| (variable, value)));
        if let Some(runtime) = runtime
            && std::env::var_os("XDG_RUNTIME_DIR").is_none()
        {
            command.env("XDG_RUNTIME_DIR", runtime);
        }
    }
    let settings = display.map_or(&[][..], |display| display.settings);
    for (variable, value) in DEFAULTS.iter().filter(|(variable, _)| settings.iter().all(|(own, _)| own != variable)) {
        if std::env::var_os(variable).is_none() {
            command.env(variable, value);
        }
    }
    Ok(command.spawn().map_err(|error| format!("{}: {error}", Path::new(name).display()))?)
}

/// The file of a program, as the system finds it.
fn find(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(program.into());
    }
    let folders = std::env::var_os("PATH")?;
    let is_executable = |file: &PathBuf| {
        file.metadata().is_ok_and(|file| file.is_file() && Mode::from_raw_mode(file.mode()).intersects(EXECUTABLE))
    };
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(is_executable)
}

/// Whether a program runs with other rights than this process has. The loader then ignores `LD_PRELOAD`.
fn has_other_rights(file: &Path) -> bool {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    std::fs::metadata(file).is_ok_and(|file| {
        let bits = Mode::from_raw_mode(file.mode());
        // Without the right to execute, the bit for the group means something else.
        let is_set_group = bits.contains(Mode::SGID | Mode::XGRP);
        bits.contains(Mode::SUID) && file.uid() != user || is_set_group && file.gid() != group
    })
}

/// The exit status of a program as a shell reports it: 128 more than a signal.
pub(super) fn exit_code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}
