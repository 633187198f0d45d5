//! `curie gl --window`: runs the program while the main thread shows its window.

use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use curie::live::{Execution, LiveOptions};
use curie::view::program::{Notice, ProgramOptions, ProgramWindow};

use super::Arguments;
use super::program::{Display, Setting};
use super::serve::{Happening, supervise};
use super::socket_folder::SocketFolder;
use super::x_server::XServer;
use crate::cli::failure::Failure;
use crate::cli::message;

/// What makes common tool kits open windows on the Wayland server.
const SETTINGS: &[Setting] = &[
    ("EGL_PLATFORM", Some("wayland")),
    ("SDL_VIDEODRIVER", Some("wayland")),
    ("SDL_VIDEO_DRIVER", Some("wayland")),
    ("GDK_BACKEND", Some("wayland")),
    ("QT_QPA_PLATFORM", Some("wayland")),
    ("XDG_SESSION_TYPE", Some("wayland")),
    ("PIGLIT_PLATFORM", Some("wayland")),
];

/// Runs the program with a window; returns its status.
pub(super) fn run(arguments: &Arguments, execution: Execution, options: LiveOptions) -> Result<ExitCode, Failure> {
    // Without a display the program does not start.
    let window = ProgramWindow::open()?;
    let folder = SocketFolder::create()?;
    let server = curie_wayland::Server::bind(&folder.wayland())?;
    let (ready, is_ready) = channel();
    let happenings = channel();
    let send = happenings.0.clone();
    let close = send.clone();
    let last = Mutex::new(String::new());
    let report = move |notice| {
        // Sends fail only when the program has ended.
        match notice {
            Notice::Ready => drop(ready.send(())),
            Notice::CloseRequested => drop(close.send(Happening::CloseRequested)),
            Notice::Trouble(reason) => {
                // A program can cause the same message with every frame.
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                if *last != reason {
                    message::warning(format_args!("window: {reason}"));
                    *last = reason;
                }
            }
        }
    };
    let program = ProgramOptions {
        server,
        screen: arguments.x11,
        exports: options.exports.clone(),
        adapter: arguments.adapter.clone(),
        execution: execution.clone(),
        report: Arc::new(report),
    };
    std::thread::scope(|scope| {
        let end = window.end();
        let folder = &folder;
        let supervisor = scope.spawn(move || {
            // A window that cannot be opened never is.
            let status = is_ready.recv().map_err(|_| String::new()).and_then(|()| {
                let status = match arguments.x11 {
                    Some(_) => {
                        XServer::start(arguments, (&execution, &options), folder, &happenings).and_then(|server| {
                            let place = (folder, Some(&server.display()?));
                            supervise(arguments, execution, options, place, happenings)
                        })
                    }
                    None => wayland(folder).and_then(|display| {
                        supervise(arguments, execution, options, (folder, Some(&display)), happenings)
                    }),
                };
                status.map_err(|error| error.to_string())
            });
            end.end();
            status
        });
        let shown = window.run(program);
        // The program may run on without its window.
        let _ = send.send(Happening::Terminate);
        drop(send);
        let status = supervisor.join().map_err(|_| "internal error: the supervisor of the program panicked")?;
        shown?;
        Ok(status?)
    })
}

/// The Wayland server of this folder as the program's display.
fn wayland(folder: &SocketFolder) -> Result<Display, Failure> {
    let places = vec![("WAYLAND_DISPLAY", std::path::absolute(folder.wayland())?.into_os_string())];
    Ok(Display { settings: SETTINGS, places, runtime: Some(folder.runtime()?) })
}
