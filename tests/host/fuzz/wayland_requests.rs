//! The fuzz target of the Wayland server: any requests of a program, beside a program that behaves.
#![allow(unreachable_pub, reason = "the crate in fuzz/ takes this file as a module of its library")]

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use curie_wayland::{Event, FileIdentity, Handle, Host, Input, Layout, Reply, Server};

use crate::common::live::{memory, send_with};

/// The time after which a program is no longer served.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes of the file that a request with a file gets.
const FILE_BYTES: u32 = 1 << 16;

const DISPLAY: u32 = 1;
const REGISTRY: u32 = 2;

/// The number of the first object that a program binds; globals get the next ones in their order.
pub(crate) const FIRST_GLOBAL: u32 = 3;

/// A request: the object, the number of the request, and its arguments.
pub(crate) fn request(object: u32, opcode: u16, arguments: &[u32]) -> Vec<u8> {
    let bytes = u32::try_from(8 + 4 * arguments.len()).expect("a short request");
    let words = [object, bytes << 16 | u32::from(opcode)];
    words.iter().chain(arguments).flat_map(|word| word.to_ne_bytes()).collect()
}

/// The words of a text: its bytes with a zero, and their number before.
pub(crate) fn text_words(text: &str) -> Vec<u32> {
    let bytes = [text.as_bytes(), &[0]].concat();
    let count = u32::try_from(bytes.len()).expect("a short text");
    let padded = bytes.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_ne_bytes(word)
    });
    [count].into_iter().chain(padded).collect()
}

/// A host that answers at once, and notes what a program could not ask for.
struct FuzzHost(Sender<String>);

impl Host for FuzzHost {
    fn read(&mut self, _: FileIdentity, layout: Layout, reply: Reply) {
        let range = layout.range();
        if range.end > FILE_BYTES.into() || u64::from(layout.width) * 4 > u64::from(layout.stride) {
            let _ = self.0.send(format!("{layout:?} lies outside of its file"));
        }
        let bytes = usize::try_from(range.end - range.start).unwrap_or(0).min(FILE_BYTES as usize);
        reply.send(vec![0; bytes]);
    }

    fn event(&mut self, event: Event) {
        if let Event::Trouble(reason) = event
            && reason.is_empty()
        {
            let _ = self.0.send("a connection ended without a reason".to_owned());
        }
    }
}

/// A server with a folder of its own.
struct TestServer {
    handle: Option<Handle>,
    folder: PathBuf,
    complaints: Receiver<String>,
}

impl TestServer {
    fn start() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("curie-fuzz-wayland-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).expect("a new folder");
        let (sender, complaints) = channel();
        let server = Server::bind(&folder.join("socket")).expect("a new socket");
        let handle = server.start((640, 480), FuzzHost(sender)).expect("a thread");
        Self { handle: Some(handle), folder, complaints }
    }

    fn connect(&self) -> UnixStream {
        let socket = UnixStream::connect(self.folder.join("socket")).expect("the server listens");
        socket.set_read_timeout(Some(PATIENCE)).expect("a time");
        socket
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.handle.take());
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A program that asks for the globals, makes a surface, and gets answers.
struct GoodProgram {
    socket: UnixStream,
    next: u32,
}

impl GoodProgram {
    fn new(socket: UnixStream) -> Self {
        (&socket).write_all(&request(DISPLAY, 1, &[REGISTRY])).expect("the server reads");
        let mut program = Self { socket, next: FIRST_GLOBAL };
        assert!(program.served() > 0, "the server names its globals");
        program
    }

    /// Waits for the answer to a `sync`; returns how many other events came.
    fn served(&mut self) -> usize {
        let callback = self.next;
        self.next += 1;
        (&self.socket).write_all(&request(DISPLAY, 0, &[callback])).expect("the server reads");
        let start = Instant::now();
        for events in 0.. {
            assert!(start.elapsed() < PATIENCE, "a program that behaves is no longer served");
            let mut head = [0; 8];
            (&self.socket).read_exact(&mut head).expect("a program that behaves is served");
            let [object, word] = [0, 4].map(|at| u32::from_ne_bytes(*head[at..].first_chunk().expect("eight bytes")));
            let mut arguments = vec![0; (word >> 16).saturating_sub(8) as usize];
            (&self.socket).read_exact(&mut arguments).expect("a whole event");
            assert!(object != DISPLAY || word & 0xffff != 0, "an error for a program that behaves");
            if object == callback {
                return events;
            }
        }
        unreachable!("the loop ends by an answer or a panic")
    }
}

/// Number and size of the request that adds a plane to a buffer.
const ADD_PLANE: (u16, usize) = (1, 28);

/// Whether a request of this number and size may be one that takes a file: `create_prime_buffer`, `create_pool` or `add`.
const fn takes_file(opcode: u16, bytes: usize) -> bool {
    matches!((opcode, bytes), (3, 48) | (0, 16) | ADD_PLANE)
}

/// Whether a request may lack a text that it needs: `bind` the name of an interface, others their only argument. These are not
/// sent: wayland-backend 0.3.17 and the code of wayland-scanner 0.31 panic there, which ends all connections.
fn lacks_text(opcode: u16, request: &[u8]) -> bool {
    let binds_nothing = opcode == 0 && request.len() >= 24 && request[12..16] == [0; 4];
    // The first word of `add` is the plane.
    let begins_with_zero = request.len() >= 12 && request[8..12] == [0; 4];
    binds_nothing || begins_with_zero && (opcode, request.len()) != ADD_PLANE
}

/// Sends requests, those with a file if they take one, until the server closes the connection.
fn send_requests(socket: &UnixStream, mut bytes: &[u8], file: &File) {
    while !bytes.is_empty() {
        let word = bytes.get(4..8).map_or(0, |word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
        let (whole, rest) = bytes.split_at(((word >> 16) as usize).clamp(8, bytes.len().max(8)).min(bytes.len()));
        bytes = rest;
        let opcode = u16::try_from(word & 0xffff).expect("half of a word");
        if lacks_text(opcode, whole) {
            continue;
        }
        let is_sent = match takes_file(opcode, whole.len()) {
            true => send_with(socket, whole, file.as_fd()).is_ok(),
            false => (&mut &*socket).write_all(whole).is_ok(),
        };
        if !is_sent {
            return;
        }
    }
}

/// What the user does while a program draws.
const INPUTS: [Input; 9] = [
    Input::Focus(true),
    Input::Key(30, true),
    Input::Motion([1.5, 2.0]),
    Input::Button(0x110, true),
    Input::Relative([1.0, -1.0]),
    Input::Wheel([0.0, 1.0]),
    Input::LetGo,
    Input::Focus(false),
    Input::Close,
];

/// Any bytes as what a program sends after it has asked for the registry. They end at most its own connection, and the host is
/// asked only for what lies in a file of the program.
pub fn wayland(input: &[u8]) -> bool {
    let server = TestServer::start();
    let mut good = GoodProgram::new(server.connect());
    let socket = server.connect();
    let _ = (&socket).write_all(&request(DISPLAY, 1, &[REGISTRY]));
    let file = memory(FILE_BYTES);
    send_requests(&socket, input, &file);
    good.served();
    for input in INPUTS {
        server.handle.as_ref().expect("the server runs").input(input);
    }
    good.served();
    let _ = socket.shutdown(Shutdown::Write);
    let mut answers = Vec::new();
    if let Err(error) = (&socket).read_to_end(&mut answers) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    good.served();
    drop(GoodProgram::new(server.connect()));
    good.served();
    assert_eq!(server.complaints.try_recv().ok(), None);
    // Globals come before anything else that a program hears.
    answers.len() > 8
}
