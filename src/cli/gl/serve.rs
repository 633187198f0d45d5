//! Serves programs: one of its own, or those that other processes run.

use std::ffi::c_int;
use std::io::ErrorKind;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, ExitStatus};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use curie::live::{EndsNow, Event, Execution, LiveOptions, Server};
use curie::plural::counted;
use curie::present::write_png;
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::iterator::exfiltrator::origin::Origin;
use signal_hook::low_level::siginfo::Cause;

use super::Arguments;
use super::program::{Display, exit_code, start};
use super::renderer::{Marks, renderer_is_accepted};
use super::report::{Report, write_picture};
use super::socket_folder::SocketFolder;
use super::statistics::count;
use crate::cli::failure::Failure;
use crate::cli::message;

/// How long a program may take to close its window before it is ended, and to end after a signal before it is killed.
const CLOSE_TIME: Duration = Duration::from_secs(5);

/// How long the chip may work on what an interrupted program has left.
const WORK_TIME: Duration = Duration::from_secs(2);

/// What the supervisor of a program waits for.
pub(super) enum Happening {
    /// An event of the server.
    Live(Event),
    /// The program has ended.
    ProgramEnded,
    /// The X server that shows its windows has this number, and takes connections.
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "there is none"))]
    DisplayReady(u32),
    /// The X server that shows its windows has ended, for this reason.
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "there is none"))]
    DisplayEnded(String),
    /// A signal that asks this process to end.
    Signal {
        /// Its number.
        signal: c_int,
        /// A key of the terminal sent it to all processes there; otherwise a process sent it.
        from_terminal: bool,
    },
    /// All connections have ended.
    Over,
    /// The user closes the program's window.
    #[cfg_attr(not(feature = "window"), expect(dead_code, reason = "there is no window"))]
    CloseRequested,
    /// The program is to end.
    Terminate,
    /// The program is to end whether it wants to or not.
    Kill,
}

/// The signals that ask a process to end.
const ENDING: [Signal; 4] = [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT];

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
    on_signal(&send)?;
    let server = Server::bind(&folder.socket())?;
    let program = start(arguments, &folder.socket(), (folder, display))?;
    allow_descriptors();
    let mut report = Report::new(execution.name(), arguments.json);
    // A send fails only when this function has failed and ended.
    let events = send.clone();
    let running = server.start(execution, options, move |event| {
        let _ = events.send(Happening::Live(event));
    });
    let mut supervisor = Supervisor::new(program, &send);
    let ends_now = running.ends_now();
    let mut waiting = Some((running, send));
    let mut unreached: Vec<_> = arguments.screenshot.iter().collect();
    let mut is_complete = true;
    for happening in happenings {
        match happening {
            Happening::Over => break,
            Happening::ProgramEnded => {
                supervisor.wait()?;
                if supervisor.signal.is_some() {
                    end_later(ends_now.clone());
                }
                // Its connections may have work left.
                if let Some((running, over)) = waiting.take() {
                    std::thread::spawn(move || {
                        running.finish();
                        let _ = over.send(Happening::Over);
                    });
                }
            }
            Happening::Live(Event::FrameEnd { frame, surfaces, .. }) => {
                for (_, path) in unreached.extract_if(.., |(wanted, _)| *wanted == frame) {
                    if let Err(error) = write_picture(path, &surfaces) {
                        message::error(error);
                        is_complete = false;
                    }
                }
                if arguments.frames.is_some_and(|most| u64::from(frame) + 1 >= u64::from(most)) {
                    supervisor.stop();
                }
            }
            Happening::Live(Event::Closed { connection, process, lasted, ended, error }) => {
                report.connection(connection, process, lasted, ended.map(|ended| *ended), error.as_ref());
            }
            Happening::DisplayEnded(reason) => {
                message::error(reason);
                is_complete = false;
                // The program may take no notice of it.
                supervisor.later(CLOSE_TIME, Happening::Terminate);
            }
            Happening::DisplayReady(_) => {}
            Happening::CloseRequested => supervisor.close(),
            Happening::Terminate => supervisor.stop(),
            Happening::Kill => supervisor.kill(),
            Happening::Signal { signal, from_terminal } => match supervisor.interrupt(signal, from_terminal) {
                Interrupted::Program => {}
                Interrupted::Work => ends_now.end(),
                Interrupted::Again => break,
            },
        }
    }
    let status = supervisor.wait()?;
    // Files are written even if nobody reads the lines.
    let printed = report.end(begin.elapsed(), status);
    write_results(arguments, &report)?;
    printed?;
    let marks = Marks { has_drawn: report.has_drawn(), ..folder.marks() };
    is_complete &= renderer_is_accepted(&marks, status, arguments.allow_other_renderer)
        & frames_are_complete(arguments, &report, &unreached)
        & !report.has_failed();
    // A program that --frames or a closed window stopped has not failed.
    let is_stopped = supervisor.is_stopped
        && supervisor.signal.is_none()
        && status
            .signal()
            .and_then(Signal::from_named_raw)
            .is_some_and(|signal| signal == Signal::TERM || signal == Signal::KILL && supervisor.is_killed);
    Ok(match supervisor.signal {
        Some(signal) if status.success() => exit_code(ExitStatus::from_raw(signal)),
        _ if status.success() || is_stopped => ExitCode::from(u8::from(!is_complete)),
        _ => exit_code(status),
    })
}

/// Reports the screenshots whose frames did not come, and a program that ended before its last frame.
fn frames_are_complete(arguments: &Arguments, report: &Report, unreached: &[&(u32, PathBuf)]) -> bool {
    let were = if report.frames() == 1 { "was" } else { "were" };
    let made = format!("{} {were} marked", counted(report.frames(), "frame"));
    for (frame, path) in unreached {
        message::error(format_args!("{}: there was no frame {frame}; {made}", path.display()));
    }
    if arguments.frames.is_some_and(|wanted| report.frames() < wanted) {
        message::note(format_args!("--frames did not end the program; {made}"));
    }
    unreached.is_empty()
}

/// What a signal interrupts.
#[derive(Debug, Clone, Copy)]
enum Interrupted {
    /// The program.
    Program,
    /// The chip, which works on what the program has left.
    Work,
    /// The same for the second time: the user does not wait any longer.
    Again,
}

/// The program, and what it was asked for.
#[derive(Debug)]
struct Supervisor {
    program: Child,
    pid: Pid,
    status: Option<ExitStatus>,
    send: Sender<Happening>,
    /// It got SIGTERM for another reason than a signal to this process.
    is_stopped: bool,
    /// It got SIGKILL because it did not end in time.
    is_killed: bool,
    is_closing: bool,
    /// The first signal that this process got.
    signal: Option<c_int>,
}

impl Supervisor {
    fn new(program: Child, send: &Sender<Happening>) -> Self {
        let pid = Pid::from_child(&program);
        let ended = send.clone();
        std::thread::spawn(move || {
            wait_for_end(pid);
            let _ = ended.send(Happening::ProgramEnded);
        });
        Self {
            program,
            pid,
            status: None,
            send: send.clone(),
            is_stopped: false,
            is_killed: false,
            is_closing: false,
            signal: None,
        }
    }

    /// Waits for the end of the program.
    fn wait(&mut self) -> std::io::Result<ExitStatus> {
        match self.status {
            Some(status) => Ok(status),
            None => Ok(*self.status.insert(self.program.wait()?)),
        }
    }

    fn send_signal(&self, signal: Signal) {
        if self.status.is_none() {
            // The program may have ended just now.
            let _ = rustix::process::kill_process(self.pid, signal);
        }
    }

    /// Ends the program with SIGTERM, and kills it if that does not end it in time.
    fn stop(&mut self) {
        if self.status.is_none() && !std::mem::replace(&mut self.is_stopped, true) {
            self.send_signal(Signal::TERM);
            self.later(CLOSE_TIME, Happening::Kill);
        }
    }

    /// Ends a program that does not close its window in time. The second time, the user does not wait any longer.
    fn close(&mut self) {
        match std::mem::replace(&mut self.is_closing, true) {
            false => self.later(CLOSE_TIME, Happening::Terminate),
            true => self.stop(),
        }
    }

    /// Kills a program that did not end after a signal.
    fn kill(&mut self) {
        if self.status.is_none() && !std::mem::replace(&mut self.is_killed, true) {
            message::note(format_args!("the program did not end within {} s and was killed", CLOSE_TIME.as_secs()));
            self.send_signal(Signal::KILL);
        }
    }

    /// Passes a signal on to the program. What came of the program is reported once it has ended.
    fn interrupt(&mut self, number: c_int, from_terminal: bool) -> Interrupted {
        let is_first = self.signal.is_none();
        self.signal.get_or_insert(number);
        if self.status.is_some() {
            return if is_first { Interrupted::Work } else { Interrupted::Again };
        }
        match Signal::from_named_raw(number) {
            // The second signal is for a program that ignores the first.
            _ if !is_first => self.send_signal(Signal::KILL),
            // A terminal interrupts both processes. The program may have another use for its keys.
            Some(Signal::INT | Signal::QUIT) | None if from_terminal => {}
            signal => {
                self.send_signal(signal.unwrap_or(Signal::TERM));
                self.later(CLOSE_TIME, Happening::Kill);
            }
        }
        Interrupted::Program
    }

    /// Lets something happen after a time.
    fn later(&self, time: Duration, happening: Happening) {
        let send = self.send.clone();
        std::thread::spawn(move || {
            std::thread::sleep(time);
            let _ = send.send(happening);
        });
    }
}

/// Ends connections that still have work some time after the program was interrupted.
fn end_later(ends_now: EndsNow) {
    std::thread::spawn(move || {
        std::thread::sleep(WORK_TIME);
        ends_now.end();
    });
}

/// Writes the last picture and the counts, as far as they are asked for.
fn write_results(arguments: &Arguments, report: &Report) -> Result<(), Failure> {
    if let Some(path) = &arguments.output {
        let picture = report.last_picture().ok_or("no color surface was bound when the program ended")?;
        write_png(path, &picture)?;
    }
    count(arguments, report.recordings())
}

/// Waits for the end of a process, which is not reaped: its number stays its own until someone waits for it.
pub(super) fn wait_for_end(pid: Pid) {
    let until = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while rustix::process::waitid(WaitId::Pid(pid), until).is_err_and(|error| error == rustix::io::Errno::INTR) {}
}

/// Reports the signals that ask this process to end. The process keeps running.
fn on_signal(send: &Sender<Happening>) -> std::io::Result<()> {
    let mut signals = SignalsInfo::<WithOrigin>::new(ENDING.map(Signal::as_raw))?;
    let send = send.clone();
    std::thread::spawn(move || {
        for Origin { signal, cause, .. } in signals.forever() {
            let _ = send.send(Happening::Signal { signal, from_terminal: matches!(cause, Cause::Kernel) });
        }
    });
    Ok(())
}

/// Runs the program on the chip of another process; returns its status.
pub(super) fn run_beside(socket: &Path, arguments: &Arguments) -> Result<ExitCode, Failure> {
    UnixStream::connect(socket).map_err(|error| format!("{}: {error}", socket.display()))?;
    let folder = SocketFolder::create()?;
    let (send, happenings) = channel();
    on_signal(&send)?;
    let mut supervisor = Supervisor::new(start(arguments, socket, (&folder, None))?, &send);
    for happening in happenings {
        match happening {
            Happening::ProgramEnded => break,
            Happening::Signal { signal, from_terminal } => drop(supervisor.interrupt(signal, from_terminal)),
            Happening::Kill => supervisor.kill(),
            Happening::Live(_)
            | Happening::Over
            | Happening::DisplayReady(_)
            | Happening::DisplayEnded(_)
            | Happening::CloseRequested
            | Happening::Terminate => {}
        }
    }
    let status = supervisor.wait()?;
    let is_accepted = renderer_is_accepted(&folder.marks(), status, arguments.allow_other_renderer);
    Ok(if status.success() { ExitCode::from(u8::from(!is_accepted)) } else { exit_code(status) })
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
    message::line(format_args!("serving {} on {}", socket.display(), report.engine()));
    on_signal(&events)?;
    let _running = server.start(execution, options, move |event| {
        let _ = events.send(Happening::Live(event));
    });
    for happening in received {
        match happening {
            Happening::Live(Event::Closed { connection, process, lasted, ended, error }) => {
                report.connection(connection, process, lasted, ended.map(|ended| *ended), error.as_ref());
                report.forget();
            }
            Happening::Signal { .. } => break,
            Happening::Live(Event::FrameEnd { .. })
            | Happening::ProgramEnded
            | Happening::DisplayReady(_)
            | Happening::DisplayEnded(_)
            | Happening::Over
            | Happening::CloseRequested
            | Happening::Terminate
            | Happening::Kill => {}
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
