//! Plays records to a live emulator over its socket, as the library in an OpenGL program does.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, IoSlice, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use curie::capture::{Buffer, Capture, CaptureWriter, Header, Record, Submission};
use curie::chip::Chip;
use curie::engine::EngineSource;
use curie::live::{Ended, Event, Execution, Exports, LiveOptions, NumberedPaths, Running, Server};
use curie::machine::chip_of;
use curie::memory::PAGE_BYTES;
use curie::pipeline::Engine as _;
use curie::reference::Reference;
use curie::replay::{ReplayOptions, Surface, replay};
use curie_client::protocol::{
    self, DONE, HEADER_BYTES, HELLO, MACHINE, Machine, PREPARE, PREPARE_WRITE, SHARE, VERSION, header, words,
};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

/// The time after which a test gives up.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server with a folder of its own.
pub(crate) struct Emulator {
    folder: PathBuf,
    header: Header,
    running: Cell<Option<Running>>,
    /// The buffers that programs have exported.
    pub(crate) exports: Exports,
    events: Receiver<Event>,
}

/// A connection that has ended.
pub(crate) struct Closed {
    pub(crate) connection: u32,
    pub(crate) ended: Option<Box<Ended>>,
    pub(crate) error: Option<String>,
}

impl Closed {
    /// The result of a connection that its program closed.
    pub(crate) fn unwrap(self) -> Ended {
        assert_eq!(self.error, None);
        *self.ended.expect("a connection with a chip")
    }
}

impl Emulator {
    /// Starts a server that writes recordings if they have a name.
    pub(crate) fn start(engines: EngineSource, recording: Option<&str>) -> Self {
        Self::start_with(engines, LiveOptions::default(), recording)
    }

    /// Starts a server with other options: another machine, or chips that write the time of a clock.
    pub(crate) fn start_with(execution: impl Into<Execution>, options: LiveOptions, recording: Option<&str>) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("curie-live-{}-{number}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let recordings = recording.map(|name| NumberedPaths::new(folder.join(name)));
        let (send, events) = channel();
        let server = Server::bind(&folder.join("socket")).unwrap();
        let exports = options.exports.clone();
        let header = options.header;
        let options = LiveOptions { recordings, ..options };
        let running = server.start(execution, options, move |event| {
            let _ = send.send(event);
        });
        Self { folder, header, running: Cell::new(Some(running)), exports, events }
    }

    /// Connects without a word.
    pub(crate) fn socket(&self) -> UnixStream {
        let socket = UnixStream::connect(self.folder.join("socket")).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket
    }

    /// Connects as a library that marks no frames by itself, and asks for the machine.
    pub(crate) fn connect(&self) -> Client {
        self.connect_as(false)
    }

    /// Connects as a library that sees swaps of buffers, or none, and asks for the machine.
    pub(crate) fn connect_as(&self, sees_swaps: bool) -> Client {
        let client = Client { socket: self.socket(), buffers: BTreeMap::new(), notifier: None };
        client.send(&protocol::message(HELLO, &words(&[VERSION, std::process::id(), sees_swaps.into()])));
        let Header { chipset, vram_bytes, gart_bytes } = self.header;
        let machine = Machine { chipset, vram_bytes, gart_bytes };
        assert_eq!(client.receive(), (MACHINE, machine.encode()));
        client
    }

    /// Waits for the end of a connection.
    pub(crate) fn closed(&self) -> Closed {
        loop {
            if let Event::Closed { connection, ended, error, .. } = self.events.recv_timeout(PATIENCE).unwrap() {
                return Closed { connection, ended, error: error.map(|error| error.to_string()) };
            }
        }
    }

    /// A file in its folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // A test that fails may have left connections open.
        if !std::thread::panicking()
            && let Some(running) = self.running.take()
        {
            running.finish();
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A program with one connection.
pub(crate) struct Client {
    pub(crate) socket: UnixStream,
    buffers: BTreeMap<u32, ClientBuffer>,
    notifier: Option<u32>,
}

/// A buffer as its program sees it.
struct ClientBuffer {
    bytes: u32,
    memory: Option<File>,
    /// The pages of the last records, which hold the program's words alone.
    pages: BTreeMap<u32, Vec<u8>>,
    /// Pages that the next submission with this buffer needs.
    waiting: Vec<(u32, Vec<u8>)>,
    /// Whether a submission uses it that the program has not waited for.
    is_used: bool,
}

/// Memory of a size that can be sent to another process.
pub(crate) fn memory(bytes: u32) -> File {
    let memory = File::from(memfd_create("curie-test", MemfdFlags::CLOEXEC).unwrap());
    memory.set_len(bytes.into()).unwrap();
    memory
}

/// Sends bytes with a descriptor; returns how many were sent.
pub(crate) fn send_with(socket: &UnixStream, bytes: &[u8], descriptor: BorrowedFd<'_>) -> std::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor];
    assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)));
    Ok(sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)?)
}

/// The message with a record.
pub(crate) fn record_message(record: &Record) -> Vec<u8> {
    let mut writer = CaptureWriter::new(Vec::new(), &Header::default()).unwrap();
    let start = writer.get_mut().len();
    writer.append(record).unwrap();
    writer.into_inner().split_off(start)
}

impl Client {
    /// Sends bytes.
    pub(crate) fn send(&self, bytes: &[u8]) {
        (&self.socket).write_all(bytes).unwrap();
    }

    /// Sends bytes with a descriptor.
    pub(crate) fn send_with(&self, bytes: &[u8], descriptor: BorrowedFd<'_>) {
        assert_eq!(send_with(&self.socket, bytes, descriptor).unwrap(), bytes.len());
    }

    /// Waits for a message.
    pub(crate) fn receive(&self) -> (protocol::Tag, Vec<u8>) {
        let mut head = [0; HEADER_BYTES];
        (&self.socket).read_exact(&mut head).unwrap();
        let (tag, bytes) = header(head);
        let mut payload = vec![0; bytes as usize];
        (&self.socket).read_exact(&mut payload).unwrap();
        (tag, payload)
    }

    /// Waits until the emulator has closed the connection.
    pub(crate) fn wait_for_end(&self) {
        // A socket that is closed with unread bytes is reset.
        if let Err(error) = (&self.socket).read_to_end(&mut Vec::new()) {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
        }
    }

    /// Creates a buffer, whose memory it shares if it will map it.
    pub(crate) fn create(&mut self, buffer: &Buffer, is_mapped: bool) {
        self.send(&record_message(&Record::CreateBuffer(*buffer)));
        let bytes = u32::try_from(buffer.bytes).unwrap();
        let created = ClientBuffer { bytes, memory: None, pages: BTreeMap::new(), waiting: Vec::new(), is_used: false };
        self.buffers.insert(buffer.handle, created);
        if is_mapped {
            self.share(buffer.handle);
        }
    }

    /// Gives a buffer memory, as when a program first maps it.
    pub(crate) fn share(&mut self, handle: u32) {
        let buffer = self.buffers.get_mut(&handle).expect("a buffer of the program");
        let memory = buffer.memory.insert(memory(buffer.bytes)).try_clone().unwrap();
        self.send_with(&protocol::message(SHARE, &words(&[handle])), memory.as_fd());
    }

    fn memory(&self, handle: u32) -> &File {
        self.buffers[&handle].memory.as_ref().expect("a buffer that is mapped")
    }

    /// What the program sees of a buffer.
    pub(crate) fn content(&self, handle: u32) -> Vec<u8> {
        let mut content = vec![0; self.buffers[&handle].bytes as usize];
        self.memory(handle).read_exact_at(&mut content, 0).unwrap();
        content
    }

    /// The word that the program sees in a buffer.
    pub(crate) fn word(&self, handle: u32, offset: u32) -> u32 {
        let mut word = [0; 4];
        self.memory(handle).read_exact_at(&mut word, offset.into()).unwrap();
        u32::from_le_bytes(word)
    }

    /// Writes a word of a buffer.
    pub(crate) fn set_word(&self, handle: u32, offset: u32, word: u32) {
        self.memory(handle).write_all_at(&word.to_le_bytes(), offset.into()).unwrap();
    }

    /// Takes the memory of a buffer away from both sides.
    pub(crate) fn shorten(&self, handle: u32) {
        self.memory(handle).set_len(0).unwrap();
    }

    /// Reads memory until a condition holds, without a message.
    pub(crate) fn wait_until(&self, what: &str, condition: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !condition(self) {
            assert!(start.elapsed() < PATIENCE, "{what} did not happen");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for the chip to be done with a buffer.
    pub(crate) fn prepare(&mut self, handle: u32, flags: u32) {
        self.send(&protocol::message(PREPARE, &words(&[handle, flags])));
        assert_eq!(self.receive(), (DONE, words(&[handle])));
        self.buffers.entry(handle).and_modify(|buffer| buffer.is_used = false);
    }

    /// Submits, after the writes of earlier page records to the buffers of this submission.
    fn submit(&mut self, submission: &Submission, record: &Record) {
        let used: BTreeSet<u32> = submission.buffers.iter().map(|used| used.handle).chain(self.notifier).collect();
        for &handle in &used {
            self.write_pages(handle);
        }
        self.send(&record_message(record));
        for handle in used {
            self.buffers.entry(handle).and_modify(|buffer| buffer.is_used = true);
        }
    }

    /// Writes the bytes that the program changed. An earlier submission may still read others, so it waits for that.
    fn write_pages(&mut self, handle: u32) {
        let Some(buffer) = self.buffers.get(&handle) else { return };
        if buffer.waiting.is_empty() {
            return;
        }
        if buffer.is_used {
            self.prepare(handle, PREPARE_WRITE);
        }
        let buffer = self.buffers.get_mut(&handle).unwrap();
        let memory = buffer.memory.as_ref().unwrap();
        for (first_page, bytes) in buffer.waiting.drain(..) {
            for (page, bytes) in (first_page..).zip(bytes.chunks(PAGE_BYTES as usize)) {
                let seen = buffer.pages.entry(page).or_insert_with(|| vec![0; PAGE_BYTES as usize]);
                for (at, (seen, byte)) in seen.iter_mut().zip(bytes).enumerate() {
                    let offset = u64::from(page) * u64::from(PAGE_BYTES) + at as u64;
                    if seen != byte && offset < u64::from(buffer.bytes) {
                        memory.write_all_at(&[*byte], offset).unwrap();
                    }
                    *seen = *byte;
                }
            }
        }
    }

    /// Does what the records say that their program did. `prepared` receives the number of each `PREP` and the buffer's
    /// content after it, if all its pages are in its memory.
    pub(crate) fn play(&mut self, records: &[Record], prepared: &mut dyn FnMut(usize, u32, Vec<u8>)) {
        let mapped: BTreeSet<u32> = records
            .iter()
            .filter_map(|record| match record {
                Record::Pages { handle, .. } | Record::Prepare { handle, .. } => Some(*handle),
                Record::Channel { notifier_buffer, .. } => Some(*notifier_buffer),
                _ => None,
            })
            .collect();
        for (number, record) in records.iter().enumerate() {
            match record {
                Record::CreateBuffer(buffer) => self.create(buffer, mapped.contains(&buffer.handle)),
                Record::Pages { handle, first_page, bytes } => {
                    let buffer = self.buffers.get_mut(handle).expect("a buffer of the program");
                    buffer.waiting.push((*first_page, bytes.clone()));
                }
                Record::Submit(submission) => self.submit(submission, record),
                &Record::Prepare { handle, flags } => {
                    self.prepare(handle, flags);
                    if self.buffers[&handle].waiting.is_empty() {
                        prepared(number, handle, self.content(handle));
                    }
                }
                Record::DestroyBuffer { handle } => {
                    self.send(&record_message(record));
                    self.buffers.remove(handle);
                }
                Record::Channel { notifier_buffer, .. } => {
                    self.send(&record_message(record));
                    self.notifier = Some(*notifier_buffer);
                }
                _ => self.send(&record_message(record)),
            }
        }
    }
}

/// The hash lines of surfaces.
pub(crate) fn hash_lines(surfaces: &[Surface]) -> Vec<String> {
    surfaces.iter().map(Surface::hash_line).collect()
}

/// A bundled capture.
pub(crate) fn capture(name: &str) -> Capture {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/captures");
    Capture::open(folder.join(format!("{name}.nvcap"))).unwrap()
}

/// The hash lines of a replay on the reference.
pub(crate) fn replayed(capture: &Capture) -> Vec<String> {
    let mut engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
    let outcome = replay(capture, &mut engine, &ReplayOptions::default(), &mut |_, _| {}).unwrap();
    hash_lines(&outcome.surfaces)
}

/// A replay that applies one record at a time.
pub(crate) struct Replay<'a> {
    records: &'a [Record],
    next: usize,
    chip: Chip,
    engine: Reference,
}

impl<'a> Replay<'a> {
    pub(crate) fn new(capture: &'a Capture) -> Self {
        let engine = Reference::new(capture.header.vram_bytes, capture.header.gart_bytes).unwrap();
        Self { records: &capture.records, next: 0, chip: chip_of(&capture.header).unwrap(), engine }
    }

    /// The chip's content of a buffer after this many records.
    pub(crate) fn content(&mut self, records: usize, handle: u32) -> Vec<u8> {
        while self.next < records {
            self.chip.apply(&self.records[self.next], &mut self.engine).unwrap();
            self.next += 1;
        }
        let window = self.chip.buffer_window(handle).unwrap();
        let mut content = vec![0; window.bytes as usize];
        self.engine.read_memory(window, &mut content).unwrap();
        content
    }
}
