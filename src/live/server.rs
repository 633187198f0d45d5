//! Accepts connections on a socket and serves each on a thread of its own.

use std::io::{self, Write as _};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use curie_client::protocol;
use rustix::fs::Mode;

use super::LiveError;
use super::backend::{Backend, Execution};
use super::exports::{BufferRequest, Mailbox};
use super::message::{Message, MessageReader};
use super::options::LiveOptions;
use super::session::{Ended, FrameEnd, Session};
use crate::replay::Surface;

/// Connections that are served at a time.
const MAX_CONNECTIONS: usize = 64;

/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a program may leave its answers unread once there is no more room for them.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// What happens on a server.
#[derive(Debug)]
pub enum Event {
    /// A frame has ended.
    FrameEnd {
        /// The connection, from 0.
        connection: u32,
        /// The frame, from 0.
        frame: u32,
        /// The bound surfaces, if the options ask for those of this frame.
        surfaces: Vec<Surface>,
    },
    /// A connection has ended.
    Closed {
        /// The connection, from 0.
        connection: u32,
        /// The program's process, if it said.
        process: Option<u32>,
        /// How long it lasted.
        lasted: Duration,
        /// What came of it, if it got as far as a chip.
        ended: Option<Box<Ended>>,
        /// Why it ended before the program closed it.
        error: Option<LiveError>,
    },
}

/// A server that does not accept connections yet.
#[derive(Debug)]
pub struct Server {
    listener: UnixListener,
    path: PathBuf,
}

/// A server at work.
#[derive(Debug)]
pub struct Running {
    path: PathBuf,
    is_stopping: Arc<AtomicBool>,
    ends_now: EndsNow,
    thread: JoinHandle<()>,
}

impl Server {
    /// Creates the socket, which only processes of this user can connect to.
    ///
    /// # Errors
    /// When the path exists or cannot be a socket.
    pub fn bind(path: &Path) -> io::Result<Self> {
        // The mode is that of the whole process; no socket with another one exists for even a moment.
        let before = rustix::process::umask(Mode::RWXG | Mode::RWXO);
        let listener = UnixListener::bind(path);
        rustix::process::umask(before);
        Ok(Self { listener: listener?, path: path.to_owned() })
    }

    /// Accepts connections from now on and reports what happens, from the thread of each connection.
    #[must_use]
    pub fn start(
        self,
        execution: impl Into<Execution>,
        options: LiveOptions,
        report: impl Fn(Event) + Send + Sync + 'static,
    ) -> Running {
        let (ends_now, is_stopping) = (EndsNow::default(), Arc::new(AtomicBool::new(false)));
        let (listener, stop, execution) = (self.listener, Arc::clone(&is_stopping), execution.into());
        let server = ends_now.clone();
        let thread = thread::spawn(move || {
            let report: &(dyn Fn(Event) + Sync) = &report;
            let (execution, options, server) = (&execution, &options, &server);
            thread::scope(|scope| {
                // A connection's socket closes with its thread.
                let mut connections: Vec<(Weak<UnixStream>, thread::ScopedJoinHandle<'_, ()>)> = Vec::new();
                let mut number = 0;
                while !stop.load(Ordering::Acquire) {
                    let Ok((socket, _)) = listener.accept() else {
                        thread::sleep(PAUSE);
                        continue;
                    };
                    connections.retain(|(_, thread)| !thread.is_finished());
                    // Closing the socket is the answer to too many.
                    if stop.load(Ordering::Acquire) || connections.len() >= MAX_CONNECTIONS {
                        continue;
                    }
                    let socket = Arc::new(socket);
                    let open = Arc::downgrade(&socket);
                    let context = Served { execution, options, server, is_stopping: &stop };
                    connections.push((open, scope.spawn(move || attend(&socket, number, context, report))));
                    number += 1;
                }
                // A process that outlives the program may keep its connection open. What it has sent is still read.
                for socket in connections.iter().filter_map(|(socket, _)| socket.upgrade()) {
                    let _ = socket.shutdown(Shutdown::Read);
                }
            });
        });
        Running { path: self.path, is_stopping, ends_now, thread }
    }
}

/// Tells a server to end its connections without the work that is left.
#[derive(Debug, Clone, Default)]
pub struct EndsNow(Arc<AtomicBool>);

impl EndsNow {
    /// Ends the connections of a server that [finishes](Running::finish), each after the message that it works on.
    pub fn end(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_asked(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What the connections of a server share.
#[derive(Debug, Clone, Copy)]
struct Served<'a> {
    execution: &'a Execution,
    options: &'a LiveOptions,
    server: &'a EndsNow,
    is_stopping: &'a AtomicBool,
}

impl Running {
    /// Returns what ends the connections without the work that is left.
    #[must_use]
    pub fn ends_now(&self) -> EndsNow {
        self.ends_now.clone()
    }

    /// Accepts no more connections, does what those that are open have sent, and ends them.
    pub fn finish(self) {
        self.is_stopping.store(true, Ordering::Release);
        // Wakes the thread that waits for connections.
        let _ = UnixStream::connect(&self.path);
        let _ = self.thread.join();
    }
}

/// Serves a connection and reports its end.
fn attend(socket: &UnixStream, connection: u32, served: Served<'_>, report: &dyn Fn(Event)) {
    let start = Instant::now();
    let mut process = None;
    let frame_ended = |FrameEnd { frame, surfaces }: FrameEnd| {
        report(Event::FrameEnd { connection, frame, surfaces });
    };
    let result = catch_unwind(AssertUnwindSafe(|| serve(socket, served, &mut process, &frame_ended)));
    let (ended, error) = result.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        (None, Some(LiveError::Internal(message.unwrap_or_default())))
    });
    let lasted = start.elapsed();
    report(Event::Closed { connection, process, lasted, ended: ended.map(Box::new), error });
}

fn serve(
    socket: &UnixStream,
    served: Served<'_>,
    process: &mut Option<u32>,
    frame_ended: &dyn Fn(FrameEnd),
) -> (Option<Ended>, Option<LiveError>) {
    let Served { execution, options, .. } = served;
    // A program that does not read its answers must not keep others waiting. Nothing but a closed socket fails here.
    let _ = socket.set_write_timeout(Some(ANSWER_TIME));
    let mut reader = MessageReader::new(socket);
    let opened = greet(socket, &mut reader, options, process);
    let opened = opened.and_then(|greeted| {
        let Some((mailbox, sees_swaps)) = greeted else { return Ok(None) };
        let session = Session::new(options, Backend::new(execution, options)?, Arc::clone(&mailbox), sees_swaps);
        Ok(Some((session, mailbox)))
    });
    let (mut session, mailbox) = match opened {
        Ok(Some(opened)) => opened,
        Ok(None) => return (None, None),
        Err(error) => return (None, Some(error)),
    };
    let result = converse(socket, &mut reader, &mut session, &mailbox, (served.server, frame_ended));
    // A process that still sends when its server ends has not failed.
    let result = match result {
        Err(LiveError::Cut { .. }) if served.is_stopping.load(Ordering::Acquire) => Ok(()),
        result => result,
    };
    let (ended, frame, error) = session.finish(result);
    if let Some(frame) = frame {
        frame_ended(frame);
    }
    (ended, error)
}

/// Answers the first message, and returns where requests reach the session, and whether the library sees swaps of buffers; `None`
/// if there was none.
fn greet(
    mut socket: &UnixStream,
    reader: &mut MessageReader<'_>,
    options: &LiveOptions,
    process: &mut Option<u32>,
) -> Result<Option<(Arc<Mailbox>, bool)>, LiveError> {
    let Some(Message { tag, payload, .. }) = reader.next()? else { return Ok(None) };
    if tag.0 != protocol::HELLO {
        return Err(LiveError::NoHello(tag));
    }
    let size = LiveError::MessageSize { tag, found: payload.len(), expected: 12 };
    let Some(version) = protocol::word(&payload, 0) else { return Err(size) };
    *process = protocol::word(&payload, 1);
    if version != protocol::VERSION {
        return Err(LiveError::Version { version });
    }
    let Some(sees_swaps) = protocol::word(&payload, 2) else { return Err(size) };
    // Requests reach the session from before the program may send anything else.
    let mailbox = options.exports.mailbox()?;
    let header = &options.header;
    let machine =
        protocol::Machine { chipset: header.chipset, vram_bytes: header.vram_bytes, gart_bytes: header.gart_bytes };
    socket.write_all(&protocol::message(protocol::MACHINE, &machine.encode()))?;
    Ok(Some((mailbox, sees_swaps != 0)))
}

/// Applies messages until the program closes the connection.
fn converse(
    mut socket: &UnixStream,
    reader: &mut MessageReader<'_>,
    session: &mut Session<'_>,
    mailbox: &Mailbox,
    (server, frame_ended): (&EndsNow, &dyn Fn(FrameEnd)),
) -> Result<(), LiveError> {
    // Requests, each with the bytes of messages that come before it.
    let mut requests = Vec::new();
    while !server.is_asked() {
        if session.must_publish(|| reader.is_waiting())? {
            session.publish()?;
        }
        while let Some(request) = mailbox.next() {
            requests.push((reader.arrived()?, request));
        }
        let is_due =
            |(after, request): &mut (u64, BufferRequest)| reader.position() >= *after || request.time <= session.time();
        for (_, request) in requests.extract_if(.., is_due).collect::<Vec<_>>() {
            session.answer(request)?;
        }
        if requests.is_empty() && !reader.is_ready()? {
            mailbox.wait(Some(socket))?;
            continue;
        }
        let Some(message) = reader.next()? else { return Ok(()) };
        if let Some(frame) = session.end_shown_frame(&message)? {
            frame_ended(frame);
        }
        let (answer, frame) = session.apply(message)?;
        if let Some(frame) = frame {
            frame_ended(frame);
        }
        if let Some(answer) = answer {
            socket.write_all(&answer)?;
        }
    }
    Ok(())
}
