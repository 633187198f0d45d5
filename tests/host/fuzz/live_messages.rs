//! The fuzz target of live programs: any messages of a program, beside a program that behaves.
#![allow(unreachable_pub, reason = "the crate in fuzz/ takes this file as a module of its library")]

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::net::Shutdown;
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileExt as _;

use curie::capture::{Buffer, Capture, DOMAIN_GART, Record, RecordPosition, Tag};
use curie::engine::{EngineChoice, EngineSource};
use curie::gpu::AdapterChoice;
use curie::kernels::KernelOptions;
use curie::live::Ended;
use curie::memory::PAGE_BYTES;
use curie::reference::Reference;
use curie::replay::{ReplayOptions, replay};
use curie_client::protocol::{DONE, EXPORT, HEADER_BYTES, IMPORT, PREPARE_WRITE, SHARE, header, message, words};

use crate::common::live::{Client, Closed, Emulator, hash_lines, memory, send_with};

/// The largest buffer that the program maps.
const MAX_MAPPED_BYTES: u64 = 1 << 22;

/// The buffer of the program that behaves.
const GOOD: Buffer =
    Buffer { handle: 1, domain: DOMAIN_GART, tile_mode: 0, tile_flags: 0, bytes: 4096, offset: 0x10_0000 };

/// The next message of some bytes, whole or cut, and what follows it.
fn next_message(bytes: &[u8]) -> Option<([u8; 4], &[u8], &[u8])> {
    let Some((head, _)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return (!bytes.is_empty()).then_some(([0; 4], bytes, &[]));
    };
    let (tag, size) = header(*head);
    let end = HEADER_BYTES.saturating_add(size as usize).min(bytes.len());
    Some((tag, &bytes[..end], &bytes[end..]))
}

/// A program that sends any messages. As a driver does, it maps buffers and writes to them: `PAGE` records of a capture are
/// such writes, and no messages.
struct Program<'a> {
    mapped: BTreeMap<u32, File>,
    /// What the other program has exported.
    exported: &'a File,
}

impl Program<'_> {
    /// Sends all messages, until the emulator closes the connection.
    fn send(&mut self, client: &Client, mut bytes: &[u8]) {
        while let Some((tag, whole, rest)) = next_message(bytes) {
            bytes = rest;
            if self.act(client, tag, whole).is_err() {
                return;
            }
        }
    }

    fn act(&mut self, client: &Client, tag: [u8; 4], whole: &[u8]) -> std::io::Result<()> {
        if [SHARE, EXPORT].contains(&tag) {
            send_with(&client.socket, whole, memory(PAGE_BYTES).as_fd())?;
            return Ok(());
        }
        if tag == IMPORT {
            send_with(&client.socket, whole, self.exported.as_fd())?;
            return Ok(());
        }
        let payload = whole.get(HEADER_BYTES..).unwrap_or_default();
        let record = Record::decode(Tag(tag), payload, RecordPosition::default()).ok().flatten();
        if let Some(Record::Pages { handle, first_page, bytes }) = &record
            && let Some(mapped) = self.mapped.get(handle)
        {
            let offset = u64::from(*first_page) * u64::from(PAGE_BYTES);
            let end = mapped.metadata()?.len().saturating_sub(offset);
            let count = usize::try_from(end).unwrap_or(usize::MAX).min(bytes.len());
            return mapped.write_all_at(&bytes[..count], offset);
        }
        (&client.socket).write_all(whole)?;
        if let Some(Record::CreateBuffer(buffer)) = &record
            && let Ok(bytes) = u32::try_from(buffer.bytes)
            && buffer.bytes <= MAX_MAPPED_BYTES
        {
            let file = memory(bytes);
            send_with(&client.socket, &message(SHARE, &words(&[buffer.handle])), file.as_fd())?;
            self.mapped.insert(buffer.handle, file);
        }
        Ok(())
    }
}

/// Asserts that the replay of a recording ends as its connection did: with the same surfaces and anomalies.
pub(crate) fn assert_replayed(ended: &Ended, recording: &Capture) {
    assert_eq!(recording.warnings, [], "the recording is whole");
    let mut engine = Reference::new(recording.header.vram_bytes, recording.header.gart_bytes).expect("legal sizes");
    let replayed = replay(recording, &mut engine, &ReplayOptions::default(), &mut |_, _| {});
    // A replay ends at the first command that fails, and a connection goes on.
    if !ended.failures.is_empty() {
        return;
    }
    let replayed = replayed.expect("what was recorded can be replayed");
    assert_eq!(replayed.anomalies, ended.outcome.anomalies);
    if ended.counts.draws > 0 || ended.counts.clears > 0 {
        assert_eq!(hash_lines(&replayed.surfaces), hash_lines(&ended.outcome.surfaces));
    }
}

/// Whether a connection that is over did work; it ends with a result or an error of the program's.
fn ended_well(closed: &Closed, emulator: &Emulator) -> bool {
    if let Some(error) = &closed.error {
        assert!(!error.is_empty() && !error.starts_with("internal error"), "{error}");
    }
    let Some(ended) = &closed.ended else { return false };
    if let Some(recorded) = &ended.recording {
        assert!(recorded.error.is_none(), "{:?}", recorded.error);
        assert_eq!(recorded.path, emulator.file("fuzz.nvcap"));
        assert_replayed(ended, &Capture::open(&recorded.path).expect("a recording can be read"));
    }
    ended.counts.submissions > 0
}

/// Any bytes as what a program sends after its first message. They end in a result or an error, the recording replays to
/// the same surfaces, and another program is served meanwhile.
pub fn live(input: &[u8]) -> bool {
    let reference = EngineSource::open(EngineChoice::Reference, &AdapterChoice::Best, KernelOptions::default());
    let emulator = Emulator::start(reference.expect("the reference needs nothing"), Some("fuzz.nvcap"));
    let mut good = emulator.connect();
    good.create(&GOOD, true);
    let exported = memory(PAGE_BYTES);
    good.send_with(&message(EXPORT, &words(&[GOOD.handle, 0, 0])), exported.as_fd());
    assert_eq!(good.receive().0, DONE);
    let client = emulator.connect();
    Program { mapped: BTreeMap::new(), exported: &exported }.send(&client, input);
    good.prepare(GOOD.handle, PREPARE_WRITE);
    let _ = client.socket.shutdown(Shutdown::Write);
    client.wait_for_end();
    let closed = emulator.closed();
    assert_eq!(closed.connection, 1, "only the connection of the messages ends");
    let did_work = ended_well(&closed, &emulator);
    good.prepare(GOOD.handle, PREPARE_WRITE);
    drop(good);
    assert_eq!(emulator.closed().error, None);
    did_work
}
