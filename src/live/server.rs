//! Accepts connections on a socket and serves each on a thread of its own.

use std::collections::VecDeque;
use std::io::{self, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use curie_client::protocol;

use super::LiveError;
use super::backend::{Backend, Execution};
use super::buffer_requests::{BufferRequests, Mailbox};
use super::message::{Message, MessageReader};
use super::session::{Ended, FrameEnd, LiveOptions, Session};
use crate::replay::Surface;

/// Connections that are served at a time.
const MOST_CONNECTIONS: usize = 64;

/// The pause after a connection could not be accepted.
const PAUSE: Duration = Duration::from_millis(20);

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
    thread: JoinHandle<()>,
}

impl Server {
    /// Creates the socket.
    ///
    /// # Errors
    /// When the path exists or cannot be a socket.
    pub fn bind(path: &Path) -> io::Result<Self> {
        Ok(Self { listener: UnixListener::bind(path)?, path: path.to_owned() })
    }

    /// Accepts connections from now on and reports what happens, from the thread of each connection.
    #[must_use]
    pub fn start(
        self,
        execution: impl Into<Execution>,
        options: LiveOptions,
        report: impl Fn(Event) + Send + Sync + 'static,
    ) -> Running {
        let is_stopping = Arc::new(AtomicBool::new(false));
        let (listener, stop, execution) = (self.listener, Arc::clone(&is_stopping), execution.into());
        let thread = thread::spawn(move || {
            let (execution, options, report): (_, _, &(dyn Fn(Event) + Sync)) = (&execution, &options, &report);
            thread::scope(|scope| {
                let mut connections = Vec::new();
                let mut number = 0;
                while !stop.load(Ordering::Acquire) {
                    let Ok((socket, _)) = listener.accept() else {
                        thread::sleep(PAUSE);
                        continue;
                    };
                    connections.retain(|thread: &thread::ScopedJoinHandle<'_, ()>| !thread.is_finished());
                    // Closing the socket is the answer to too many.
                    if stop.load(Ordering::Acquire) || connections.len() >= MOST_CONNECTIONS {
                        continue;
                    }
                    connections.push(scope.spawn(move || attend(&socket, number, execution, options, report)));
                    number += 1;
                }
            });
        });
        Running { path: self.path, is_stopping, thread }
    }
}

impl Running {
    /// Accepts no more connections and waits for the end of those that are open.
    pub fn finish(self) {
        self.is_stopping.store(true, Ordering::Release);
        // Wakes the thread that waits for connections.
        let _ = UnixStream::connect(&self.path);
        let _ = self.thread.join();
    }
}

/// Serves a connection and reports its end.
fn attend(socket: &UnixStream, connection: u32, execution: &Execution, options: &LiveOptions, report: &dyn Fn(Event)) {
    let start = Instant::now();
    let mut process = None;
    let frame_ended = |FrameEnd { frame, surfaces }: FrameEnd| {
        report(Event::FrameEnd { connection, frame, surfaces });
    };
    let served = catch_unwind(AssertUnwindSafe(|| serve(socket, execution, options, &mut process, &frame_ended)));
    let (ended, error) = served.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        (None, Some(LiveError::Internal(message.unwrap_or_default())))
    });
    let lasted = start.elapsed();
    report(Event::Closed { connection, process, lasted, ended: ended.map(Box::new), error });
}

fn serve(
    socket: &UnixStream,
    execution: &Execution,
    options: &LiveOptions,
    process: &mut Option<u32>,
    frame_ended: &dyn Fn(FrameEnd),
) -> (Option<Ended>, Option<LiveError>) {
    let mut reader = MessageReader::new(socket);
    let opened = greet(socket, &mut reader, options, process);
    let opened = opened.and_then(|greeted| {
        let Some(Greeted { mailbox }) = greeted else { return Ok(None) };
        Ok(Some((Session::new(options, Backend::new(execution, options)?), mailbox)))
    });
    let (mut session, mailbox) = match opened {
        Ok(Some(opened)) => opened,
        Ok(None) => return (None, None),
        Err(error) => return (None, Some(error)),
    };
    let result = converse(socket, &mut reader, &mut session, mailbox.as_deref(), frame_ended);
    let (ended, frame, error) = session.finish(result);
    if let Some(frame) = frame {
        frame_ended(frame);
    }
    (ended, error)
}

/// A program that may send messages.
struct Greeted {
    mailbox: Option<Arc<Mailbox>>,
}

/// Answers the first message; `None` if there was none.
fn greet(
    mut socket: &UnixStream,
    reader: &mut MessageReader<'_>,
    options: &LiveOptions,
    process: &mut Option<u32>,
) -> Result<Option<Greeted>, LiveError> {
    let Some(Message { tag, payload, .. }) = reader.next()? else { return Ok(None) };
    if tag.0 != protocol::HELLO {
        return Err(LiveError::NoHello(tag));
    }
    let (Some(version), Some(found)) = (protocol::word(&payload, 0), protocol::word(&payload, 1)) else {
        return Err(LiveError::MessageSize { tag, found: payload.len(), expected: 8 });
    };
    *process = Some(found);
    if version != protocol::VERSION {
        return Err(LiveError::Version { version });
    }
    // Requests reach the session from before the program may send anything else.
    let mailbox = options.buffer_requests.as_ref().map(BufferRequests::mailbox).transpose()?;
    let header = &options.header;
    let machine =
        protocol::Machine { chipset: header.chipset, vram_bytes: header.vram_bytes, gart_bytes: header.gart_bytes };
    socket.write_all(&protocol::message(protocol::MACHINE, &machine.encode()))?;
    Ok(Some(Greeted { mailbox }))
}

/// Applies messages until the program closes the connection.
fn converse(
    mut socket: &UnixStream,
    reader: &mut MessageReader<'_>,
    session: &mut Session<'_>,
    mailbox: Option<&Mailbox>,
    frame_ended: &dyn Fn(FrameEnd),
) -> Result<(), LiveError> {
    // Requests, each with the bytes of messages that come before it.
    let mut requests = VecDeque::new();
    loop {
        if session.must_publish(|| reader.is_waiting())? {
            session.publish()?;
        }
        while let Some(request) = mailbox.and_then(Mailbox::next) {
            requests.push_back((reader.arrived()?, request));
        }
        while let Some((_, request)) = requests.pop_front_if(|(after, _)| reader.position() >= *after) {
            session.answer(&request)?;
        }
        if let Some(mailbox) = mailbox
            && requests.is_empty()
            && !reader.is_ready()?
        {
            mailbox.wait(socket)?;
            continue;
        }
        let Some(message) = reader.next()? else { return Ok(()) };
        let (answer, frame) = session.apply(message)?;
        if let Some(frame) = frame {
            frame_ended(frame);
        }
        if let Some(answer) = answer {
            socket.write_all(&answer)?;
        }
    }
}
