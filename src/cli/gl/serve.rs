//! Serves programs: one of its own, or those that other processes run.

use std::ffi::c_int;
use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use curie::live::{Event, Execution, LiveOptions, Server};
use curie::present::write_png;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions};
use signal_hook::iterator::Signals;

use super::Arguments;
use super::program::{Display, exit_code, start};
use super::report::{Report, write_picture};
use super::socket_folder::SocketFolder;
use super::statistics::count;
use crate::cli::Failure;

/// How long a program may take to close its window before it is ended.
const CLOSE_TIME: Duration = Duration::from_secs(5);

/// What the supervisor of a program waits for.
pub(super) enum Happening {
    /// An event of the server.
    Live(Event),
    /// The program has ended.
    ProgramEnded,
    /// A signal that asks this process to end.
    Signal(c_int),
    /// All connections have ended.
    Over,
    /// The user closes the program's window.
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "there is no window"))]
    CloseRequested,
    /// The program is to end.
    Terminate,
}

/// The signals that ask a process to end.
const ENDING: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::HUP];

/// The way of happenings to the supervisor.
pub(super) type Happenings = (Sender<Happening>, Receiver<Happening>);

/// Runs the program against a server of its own; returns its status.
pub(super) fn run_program(
    arguments: &Arguments,
    execution: Execution,
    options: LiveOptions,
) -> Result<ExitCode, Failure> {
    supervise(arguments, execution, options, (&SocketFolder::create()?, None), channel())
}

/// Runs the program against a server with a socket in this folder, and with windows on this display; returns its status.
pub(super) fn supervise(
    arguments: &Arguments,
    execution: Execution,
    options: LiveOptions,
    (folder, display): (&SocketFolder, Option<&Display>),
    (send, happenings): Happenings,
) -> Result<ExitCode, Failure> {
    let begin = Instant::now();
    let signals = send.clone();
    on_signal(move |signal| {
        let _ = signals.send(Happening::Signal(signal));
    })?;
    let server = Server::bind(&folder.socket())?;
    let mut program = start(arguments, &folder.socket(), display)?;
    allow_descriptors();
    let mut report = Report::new(execution.name(), arguments.json);
    // A send fails only when this function has failed and ended.
    let events = send.clone();
    let running = server.start(execution, options, move |event| {
        let _ = events.send(Happening::Live(event));
    });
    let pid = Pid::from_child(&program);
    watch(pid, send.clone());
    let mut waiting = Some((running, send.clone()));
    let mut status = None;
    let mut is_stopped = false;
    let mut is_closing = false;
    let mut is_interrupted = false;
    // The program may have ended just now.
    let kill = |signal| {
        let _ = rustix::process::kill_process(pid, signal);
    };
    for happening in happenings {
        match happening {
            Happening::Over => break,
            Happening::ProgramEnded => {
                status = Some(program.wait()?);
                // Its connections may have work left.
                if let Some((running, over)) = waiting.take() {
                    std::thread::spawn(move || {
                        running.finish();
                        let _ = over.send(Happening::Over);
                    });
                }
            }
            Happening::Live(Event::FrameEnd { frame, surfaces, .. }) => {
                for (_, path) in arguments.screenshot.iter().filter(|(wanted, _)| *wanted == frame) {
                    write_picture(path, &surfaces)?;
                }
                if arguments.frames.is_some_and(|most| u64::from(frame) + 1 >= u64::from(most))
                    && status.is_none()
                    && !is_stopped
                {
                    is_stopped = true;
                    kill(Signal::TERM);
                }
            }
            Happening::CloseRequested if !is_closing => {
                is_closing = true;
                terminate_later(send.clone());
            }
            // The second time, the user does not wait any longer.
            Happening::CloseRequested | Happening::Terminate => {
                if status.is_none() {
                    is_stopped = true;
                    kill(Signal::TERM);
                }
            }
            // What came of the program is reported once it has ended. A terminal interrupts both processes; the second
            // signal is for a program that ignores the first.
            Happening::Signal(signal) if status.is_none() => match Signal::from_named_raw(signal) {
                _ if is_interrupted => kill(Signal::KILL),
                Some(Signal::INT) | None => is_interrupted = true,
                Some(signal) => {
                    is_interrupted = true;
                    kill(signal);
                }
            },
            Happening::Signal(_) => {}
            Happening::Live(Event::Closed { connection, process, lasted, ended, error }) => {
                report.connection(connection, process, lasted, ended.map(|ended| *ended), error.as_ref())?;
            }
        }
    }
    let status = match status {
        Some(status) => status,
        None => program.wait()?,
    };
    report.end(begin.elapsed(), status)?;
    write_results(arguments, &report)?;
    // A program that --frames or a closed window stopped has not failed.
    let has_ended_well = status.success() || (is_stopped && status.signal() == Some(Signal::TERM.as_raw()));
    Ok(if has_ended_well { ExitCode::from(u8::from(report.has_failed())) } else { exit_code(status) })
}

/// Writes the last picture and the counts, as far as they are asked for.
fn write_results(arguments: &Arguments, report: &Report) -> Result<(), Failure> {
    if let Some(path) = &arguments.output {
        let picture = report.last_picture().ok_or("no color surface was bound when the program ended")?;
        write_png(path, &picture)?;
    }
    count(arguments, report.recordings())
}

/// Waits for the end of the program on a thread.
fn watch(pid: Pid, send: Sender<Happening>) {
    std::thread::spawn(move || {
        // The process is not reaped here, so its number stays its own until the main thread waits for it.
        let until = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while rustix::process::waitid(WaitId::Pid(pid), until).is_err_and(|error| error == rustix::io::Errno::INTR) {}
        let _ = send.send(Happening::ProgramEnded);
    });
}

/// Ends a program that does not close its window in time.
fn terminate_later(send: Sender<Happening>) {
    std::thread::spawn(move || {
        std::thread::sleep(CLOSE_TIME);
        let _ = send.send(Happening::Terminate);
    });
}

/// Calls a function for each signal that asks this process to end. The process keeps running.
fn on_signal(act: impl FnMut(c_int) + Send + 'static) -> std::io::Result<()> {
    let mut signals = Signals::new(ENDING.map(Signal::as_raw))?;
    std::thread::spawn(move || signals.forever().for_each(act));
    Ok(())
}

/// Serves a socket until a signal ends the process, a line per connection.
pub(super) fn serve(
    socket: &Path,
    arguments: &Arguments,
    execution: Execution,
    options: LiveOptions,
) -> Result<ExitCode, Failure> {
    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", socket.display());
    let server = match Server::bind(socket) {
        // The socket of a server that was killed stays.
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            match UnixStream::connect(socket) {
                Err(refused) if refused.kind() == ErrorKind::ConnectionRefused => std::fs::remove_file(socket)?,
                _ => return Err(named(&"another process serves this socket").into()),
            }
            Server::bind(socket)
        }
        bound => bound,
    };
    let server = server.map_err(|error| named(&error))?;
    allow_descriptors();
    let (events, received) = channel();
    let mut report = Report::new(execution.name(), arguments.json);
    eprintln!("serving {} on {}", socket.display(), report.engine());
    let signals = events.clone();
    on_signal(move |signal| {
        let _ = signals.send(Happening::Signal(signal));
    })?;
    let _running = server.start(execution, options, move |event| {
        let _ = events.send(Happening::Live(event));
    });
    for happening in received {
        match happening {
            Happening::Live(Event::Closed { connection, process, lasted, ended, error }) => {
                report.connection(connection, process, lasted, ended.map(|ended| *ended), error.as_ref())?;
                report.forget();
            }
            Happening::Signal(_) => break,
            Happening::Live(Event::FrameEnd { .. })
            | Happening::ProgramEnded
            | Happening::Over
            | Happening::CloseRequested
            | Happening::Terminate => {}
        }
    }
    std::fs::remove_file(socket)?;
    Ok(ExitCode::SUCCESS)
}

/// Allows as many open files as the system does: each buffer that a program maps is one.
fn allow_descriptors() {
    let Rlimit { maximum, .. } = rustix::process::getrlimit(Resource::Nofile);
    // Without it, a program with very many buffers gets an error of its own.
    let _ = rustix::process::setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
}
