//! Starts Xwayland for programs that need an X server: it draws on a chip of its own, and shows its screen on the Wayland server.
//!
//! ```text
//! program ─ X11 ─► Xwayland ─ Wayland ─► server ─► window
//!    │                │ copies the program's buffers to its screen
//!    ▼                ▼
//!  chip ──────────► chip
//! ```

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use curie::files;
use curie::live::{Event, Execution, LiveOptions, Running, Server};
use rustix::process::{Pid, Signal};

use super::Arguments;
use super::program::{Display, Setting, use_chip};
use super::serve::{Happening, Happenings, wait_for_end};
use super::socket_folder::SocketFolder;
use crate::cli::failure::Failure;
use crate::cli::message;

/// The program, of the Debian package `xwayland`.
const PROGRAM: &str = "Xwayland";

/// What makes common tool kits open windows on it. Wine hands the variables of SDL and GTK on to Windows programs, whose tool kits
/// have other displays: a name that they do not have is an error. Lists serve both, but not all versions of SDL 1.2 and 2 take
/// one; these choose X by themselves.
const SETTINGS: &[Setting] = &[
    ("EGL_PLATFORM", Some("x11")),
    ("SDL_VIDEODRIVER", None),
    ("SDL_VIDEO_DRIVER", Some("x11,windows")),
    ("GDK_BACKEND", Some("x11,*")),
    ("QT_QPA_PLATFORM", Some("xcb")),
    ("XDG_SESSION_TYPE", Some("x11")),
    ("PIGLIT_PLATFORM", Some("glx")),
];

/// How long it may take to start. Its first kernels are compiled then.
const START_TIME: Duration = Duration::from_secs(120);

/// How long it may take to end.
const END_TIME: Duration = Duration::from_secs(5);

/// Lines of its messages that are told if it fails, and bytes of each.
const MAX_LINES: usize = 8;
const MAX_LINE_BYTES: u64 = 1 << 10;

/// The method of access: whoever knows the key may connect.
const METHOD: &[u8] = b"MIT-MAGIC-COOKIE-1";

/// A running X server.
#[derive(Debug)]
pub(super) struct XServer {
    process: Child,
    chip: Option<Running>,
    /// Its number.
    number: u32,
    /// The file with the key that clients need.
    authority: PathBuf,
}

impl XServer {
    /// Starts it on the Wayland server of this folder, and waits until clients can connect.
    pub(super) fn start(
        arguments: &Arguments,
        (execution, options): (&Execution, &LiveOptions),
        folder: &SocketFolder,
        (send, happenings): &Happenings,
    ) -> Result<Self, Failure> {
        let socket = folder.x_server_socket();
        // Its chip is that of the program, which passes buffers on. Nothing of it is recorded.
        let own = LiveOptions {
            header: options.header,
            exports: options.exports.clone(),
            clock: options.clock,
            is_display: true,
            ..LiveOptions::default()
        };
        let chip = Server::bind(&socket)?.start(execution.clone(), own, |event| {
            if let Event::Closed { error: Some(error), .. } = event {
                message::warning(format_args!("the chip of the X server: {error}"));
            }
        });
        let authority = folder.authority();
        write_authority(&authority)?;
        let mut command = Command::new(PROGRAM);
        use_chip(&mut command, arguments, &socket, folder)?;
        command.env("WAYLAND_DISPLAY", std::path::absolute(folder.wayland())?).env_remove("WAYLAND_SOCKET");
        // It writes its number to standard output.
        command.args(["-displayfd", "1", "-noreset", "-nolisten", "tcp", "-auth"]).arg(&authority);
        // The keys of a terminal are for the program.
        command.process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                format!("{PROGRAM} is not installed; --x11 needs it, as the Debian package xwayland has it")
            }
            _ => format!("{PROGRAM}: {error}"),
        })?;
        let output = process.stdout.take().ok_or("the X server has no output")?;
        let messages = process.stderr.take().ok_or("the X server has no messages")?;
        let pid = Pid::from_child(&process);
        let mut server = Self { process, chip: Some(chip), number: 0, authority };
        let (ready, ended) = (send.clone(), send.clone());
        // A send fails only when nobody waits any longer.
        std::thread::spawn(move || number(output).map(|number| ready.send(Happening::DisplayReady(number))));
        std::thread::spawn(move || {
            let lines = last_lines(messages);
            wait_for_end(pid);
            let reason =
                format!("the X server has ended{}", lines.iter().map(|line| format!("\n  {line}")).collect::<String>());
            let _ = ended.send(Happening::DisplayEnded(reason));
        });
        server.number = match happenings.recv_timeout(START_TIME) {
            Ok(Happening::DisplayReady(number)) => number,
            Ok(Happening::DisplayEnded(reason)) => return Err(reason.into()),
            Ok(_) => return Err("closed before the program started".into()),
            Err(_) => return Err(format!("{PROGRAM} did not start within {START_TIME:?}").into()),
        };
        Ok(server)
    }

    /// It as the display of a program.
    pub(super) fn display(&self) -> io::Result<Display> {
        let authority = std::path::absolute(&self.authority)?.into_os_string();
        let places = vec![("DISPLAY", format!(":{}", self.number).into()), ("XAUTHORITY", authority)];
        Ok(Display { settings: SETTINGS, places, runtime: None })
    }

    /// Ends it.
    fn stop(&mut self) {
        let Some(chip) = self.chip.take() else { return };
        if self.process.try_wait().is_ok_and(|status| status.is_none()) {
            let pid = Pid::from_child(&self.process);
            // It may end by itself just now.
            let _ = rustix::process::kill_process(pid, Signal::TERM);
            let (send, is_over) = channel::<()>();
            std::thread::spawn(move || {
                if is_over.recv_timeout(END_TIME) == Err(RecvTimeoutError::Timeout) {
                    let _ = rustix::process::kill_process(pid, Signal::KILL);
                }
            });
            let _ = self.process.wait();
            drop(send);
        }
        chip.ends_now().end();
        chip.finish();
    }
}

impl Drop for XServer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Waits for the number of a display that an X server writes.
fn number(output: impl Read) -> Option<u32> {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line).ok()?;
    line.trim().parse().ok()
}

/// Reads to the end, and keeps the last lines.
fn last_lines(messages: impl Read) -> VecDeque<String> {
    let (mut messages, mut lines) = (BufReader::new(messages), VecDeque::new());
    loop {
        let mut line = Vec::new();
        match messages.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return lines,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(line.trim_ascii()).into_owned();
        if !line.is_empty() {
            if lines.len() == MAX_LINES {
                lines.pop_front();
            }
            lines.push_back(line);
        }
    }
}

/// Writes a file with a new key for every display.
///
/// Source: `Xau.3` and `Xauth.h` of libXau: family, address, number of the display, method and key, each but the first with its
/// length; numbers are big endian. Family 0xffff without an address stands for all.
fn write_authority(path: &Path) -> io::Result<()> {
    let mut key = [0; 16];
    rustix::rand::getrandom(&mut key, rustix::rand::GetRandomFlags::empty())?;
    let mut entry = vec![0xff, 0xff, 0, 0, 0, 0];
    for part in [METHOD, &key] {
        entry.extend(u16::try_from(part.len()).unwrap_or(0).to_be_bytes());
        entry.extend(part);
    }
    files::write(path, &entry)
}
